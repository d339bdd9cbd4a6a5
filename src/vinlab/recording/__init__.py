"""Runs on disk: folder, lock, manifest, metrics, checkpoint, weights, result."""
