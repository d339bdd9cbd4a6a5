"""Runs on disk: folder, manifest, checkpoint, result; and results into tables."""

from vinlab.recording.checkpoint import Checkpoint, load_checkpoint
from vinlab.recording.finished_run import RecordedRun, collect_runs, open_run
from vinlab.recording.hashing import data_hash
from vinlab.recording.manifest import Manifest, describe_run, read_manifest
from vinlab.recording.markdown import markdown_table, mean_and_deviation, mean_text, wilson_interval
from vinlab.recording.metrics import read_metrics
from vinlab.recording.plain import dataclass_to_plain
from vinlab.recording.rebuild import dataclass_from_plain
from vinlab.recording.run import Run
from vinlab.recording.weights import load_tensors, load_weights, save_tensors

__all__ = [
    "Checkpoint",
    "Manifest",
    "RecordedRun",
    "Run",
    "collect_runs",
    "data_hash",
    "dataclass_from_plain",
    "dataclass_to_plain",
    "describe_run",
    "load_checkpoint",
    "load_tensors",
    "load_weights",
    "markdown_table",
    "mean_and_deviation",
    "mean_text",
    "open_run",
    "read_manifest",
    "read_metrics",
    "save_tensors",
    "wilson_interval",
]
