"""All scenarios of a folder of MovingAI files, on maps outside all training sets, with and without corner cutting.

``python benchmarks/movingai.py --data FOLDER`` uses the default model of ``vinlab plan`` under each rule. Prints JSON.
"""

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import track

from vinlab.maps import read_scenarios
from vinlab.models import default_id, load
from vinlab.navigation.scenarios import ScenarioResults, run_scenarios
from vinlab.types import InputError

RULES = {"corners_cut": True, "corners_forbidden": False}


def scenario_files(folder: Path) -> list[Path]:
    files = sorted(folder.glob("*.scen"))
    if not files:
        raise InputError(
            f"--data: expected a folder with .scen files and their maps, got '{folder}' without any."
        )
    return files


def scores(results: ScenarioResults) -> dict[str, float]:
    """The share of scenarios that reach the goal, of these the share of shortest paths, and the extra length of all."""
    reached = results.reached
    costs, optimal = results.costs[reached], results.optimal[reached]
    return {
        "reached": float(reached.mean()),
        "shortest": float(np.isclose(costs, optimal).mean()) if reached.any() else float("nan"),
        "longer": float(costs.sum() / optimal.sum() - 1) if reached.any() else float("nan"),
    }


def evaluate(file: Path) -> dict[str, Any]:
    """One file under both rules."""
    scenarios = read_scenarios(file)
    found: dict[str, Any] = {"scenarios": len(scenarios), "cells": list(scenarios.map.obstacles.shape)}
    for rule, cutting in RULES.items():
        model = load(default_id(corner_cutting=cutting))
        began = time.perf_counter()
        results = run_scenarios(scenarios, model=model, corner_cutting=cutting)
        seconds = time.perf_counter() - began
        found[rule] = {"model": model.id, **scores(results), "seconds": round(seconds, 1)}
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="a folder of .scen files and their maps")
    files = scenario_files(parser.parse_args().data)
    shown = track(files, "Planning", console=Console(stderr=True))
    print(json.dumps({file.stem: evaluate(file) for file in shown}))


if __name__ == "__main__":
    main()
