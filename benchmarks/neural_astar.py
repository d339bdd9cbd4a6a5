"""A network that was trained on other mazes, on the test maps of Neural A*'s sets.

``python benchmarks/neural_astar.py --data FOLDER --model RUN`` evaluates on every ``.npz`` of the folder, by the rule
of the sets (eight moves, each costs 1, corners may be cut), from all free cells, and prints one JSON object. The
distances in the files are compared with ours, so the rule is the files' own. ``--table`` prints the record as the
table of the documentation.
"""

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np

from vinlab.domains.motion.files import read_gppn_mazes
from vinlab.domains.motion.problem import MotionProblems, cost_to_go
from vinlab.experiments.arena.evaluate import evaluate_mazes
from vinlab.models import load
from vinlab.planning.moves import motion_named

RECORD = Path(__file__).parents[1] / "results" / "benchmarks" / "neural_astar.json"
COLUMNS = {
    "maps": "maps",
    "percent_arrived": "% of the cells with a path that arrive",
    "percent_optimal": "%optimal",
    "length_ratio": "length / shortest",
    "longest": "longest path",
    "distances_that_differ": "distances unlike the file's",
    "ms_per_map": "CPU ms a map",
}
UNREACHABLE = -1024
"""What the files hold for cells without a path."""


def differing_distances(file: Path, problems: MotionProblems, motion: str) -> int:
    """How many cells have another distance in the file than by our search."""
    with np.load(file, allow_pickle=False) as arrays:
        stated = arrays["arr_11"][:, 0]
    found = cost_to_go(problems, motion_named(motion))[:, 0]
    free = problems.obstacles == 0
    ours = np.where(np.isfinite(found), -found, UNREACHABLE)
    return int((ours != stated)[free].sum())


def measure(folder: Path, run: str) -> dict[str, Any]:
    """The scores on each file."""
    model = load(run)
    motion = model.config["data"]["motion"]
    files = {}
    for file in sorted(folder.glob("*.npz")):
        problems = read_gppn_mazes(file, motion_named(motion).num_layers)
        evaluate_mazes(model.network, problems[:1], motion_named(motion))  # compiles what it uses
        began = time.process_time()
        scores = evaluate_mazes(model.network, problems, motion_named(motion))
        milliseconds = 1e3 * (time.process_time() - began) / len(problems)
        kept = {name: scores[name] for name in COLUMNS if name in scores}
        files[file.stem] = {
            "maps": len(problems),
            **kept,
            "distances_that_differ": differing_distances(file, problems, motion),
            "ms_per_map": float(f"{milliseconds:.3g}"),
        }
    return {"model": model.id, "training": model.config["data"]["training"], "files": files}


def table(record: dict[str, Any]) -> str:
    """A row for each file."""
    lines = [f"| file | {' | '.join(COLUMNS.values())} |", "|---" * (1 + len(COLUMNS)) + "|"]
    for name, scores in record["files"].items():
        cells = [f"{scores[column]:.6g}" for column in COLUMNS]
        lines.append(f"| `{name}` | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="the folder of the sets")
    parser.add_argument("--model", help="the folder of a run with eight moves")
    parser.add_argument("--table", action="store_true", help="print the recorded table")
    options = parser.parse_args()
    if options.table:
        print(table(json.loads(RECORD.read_text(encoding="utf-8"))["measured"]))
        return
    if options.data is None or options.model is None:
        parser.error("expected --data FOLDER and --model RUN, or --table")
    print(json.dumps(measure(options.data, options.model)))


if __name__ == "__main__":
    main()
