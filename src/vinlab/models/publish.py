"""Weights that come with the package: a finished run made into a small file with a card beside it.

Usage: python -m vinlab.models.publish RUN --limits "what it is not for"
"""

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from vinlab.models import SHIPPED
from vinlab.recording.files import write_bytes, write_json
from vinlab.recording.finished_run import WEIGHTS, FinishedRun, open_run

LICENCE = "MIT"


def card_of(run: FinishedRun, limits: str) -> dict[str, Any]:
    """What one should know before using the weights."""
    manifest = run.manifest
    return {
        "id": manifest.id,
        "command": f"vinlab train {manifest.id} --recipe {manifest.recipe} --budget {manifest.budget}"
        f" --seed {manifest.seed}{_data_option(manifest.config)}",
        "config": manifest.config,
        "scores": run.result["scores"],
        "training_seconds": run.result["training_seconds"],
        "data_hash": manifest.data_hash,
        "commit": manifest.commit,
        "date": manifest.started,
        "versions": manifest.versions,
        "licence": LICENCE,
        "limits": limits,
    }


def _data_option(config: Mapping[str, Any]) -> str:
    """Which folder of real data a run learned from, if any."""
    source = config.get("data", {}).get("source", "generated")
    return "" if source in ("generated", "synthetic") else f" --data {source}"


def publish(folder: Path, *, limits: str, out: Path = SHIPPED) -> Path:
    """Put a run's weights and their card among the shipped ones; the place of the card comes back."""
    run = open_run(folder)
    stem = run.manifest.id.replace("/", "_")
    write_bytes(out / f"{stem}.safetensors", (folder / WEIGHTS).read_bytes())
    write_json(out / f"{stem}.json", card_of(run, limits))
    return out / f"{stem}.json"


def main() -> None:
    """Ship the run that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", type=Path)
    parser.add_argument("--limits", required=True)
    options = parser.parse_args()
    print(f"Shipped as {publish(options.run, limits=options.limits)}.")


if __name__ == "__main__":
    main()
