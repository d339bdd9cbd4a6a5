"""A network on the mazes of a file in the layout of Gated Path Planning Networks, beside what is possible at most.

``python benchmarks/gppn.py --data FILE.npz`` evaluates the shipped network for four moves, or that of ``--model RUN``,
on the test mazes of the file, or its validation mazes where it has no others. ``ceiling`` is the %success of shortest
paths: states without a path count as failures. It prints one JSON object.
"""

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np

from vinlab.domains.motion.expert import solve
from vinlab.domains.motion.files import read_gppn_mazes
from vinlab.experiments.arena.evaluate import evaluate_mazes
from vinlab.models import load
from vinlab.navigation.motion import results_of
from vinlab.planning.moves import motion_named

SHOWN = ("num_problems", "percent_optimal", "percent_success", "longest")


def measure(file: Path, run: str) -> dict[str, Any]:
    """The scores of a network by GPPN's measure, and the most that is possible."""
    model = load(run)
    moves = motion_named(model.config["data"]["motion"])
    problems = read_gppn_mazes(file, moves.num_layers)
    evaluate_mazes(model.network, problems[:1], moves)  # compiles what it uses
    began = time.process_time()
    scores = evaluate_mazes(model.network, problems, moves)
    seconds = time.process_time() - began
    expert = results_of(np.maximum(solve(problems, moves).moves, 0).astype(np.int64), problems, moves)
    return {
        "model": model.id,
        "file": file.name,
        **{name: scores[name] for name in SHOWN},
        "ceiling": expert.percent_success,
        "cpu_seconds": round(seconds, 2),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="a file in GPPN's layout")
    parser.add_argument(
        "--model", default="arena/gppn-15/best", help="a shipped model or the folder of a run"
    )
    options = parser.parse_args()
    print(json.dumps(measure(options.data, options.model)))


if __name__ == "__main__":
    main()
