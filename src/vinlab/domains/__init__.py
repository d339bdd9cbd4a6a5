"""Worlds: each folder has problems to sample, an expert that solves them, and an environment to act in."""
