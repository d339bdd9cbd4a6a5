"""Ship a finished run with the package: its weights, and a card beside them.

Usage: python -m vinlab.models.publish RUN --limits "what it is not for" [--serves "any map"]
"""

import argparse
from pathlib import Path
from typing import Any

from vinlab.models import ANY_MAP, COST_MAPS, SHIPPED, stem_of
from vinlab.recording.files import read_bytes, write_bytes, write_json
from vinlab.recording.finished_run import WEIGHTS, FinishedRun, open_run
from vinlab.recording.hashing import text_hash

LICENCE = "MIT"


def publish(folder: Path, *, limits: str, serves: str | None = None, out: Path = SHIPPED) -> Path:
    """Copy a run's weights and write their card; returns the path of the card."""
    run = open_run(folder)
    stem = stem_of(run.manifest.id)
    weights = read_bytes(folder / WEIGHTS)
    write_bytes(out / f"{stem}.safetensors", weights)
    write_json(out / f"{stem}.json", card_of(run, limits, serves) | {"sha256": text_hash(weights)})
    return out / f"{stem}.json"


def card_of(run: FinishedRun, limits: str, serves: str | None = None) -> dict[str, Any]:
    """What to know before using the weights."""
    manifest = run.manifest
    card = {
        "id": manifest.id,
        "command": f"vinlab train {manifest.id} --recipe {manifest.recipe} --budget {manifest.budget}"
        f" --seed {manifest.seed}{f' --data {manifest.source}' if manifest.source else ''}",
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
    return card if serves is None else {**card, "serves": serves}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("run", type=Path)
    parser.add_argument("--limits", required=True)
    parser.add_argument("--serves", choices=[ANY_MAP, COST_MAPS])
    options = parser.parse_args()
    print(f"Shipped as {publish(options.run, limits=options.limits, serves=options.serves)}.")
