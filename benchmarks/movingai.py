"""All scenarios of a folder of MovingAI files by the rule of the files, on maps outside all training sets.

``python benchmarks/movingai.py --data FOLDER`` uses the default model of ``vinlab plan`` and prints one JSON object: of
all files and of each the scenarios, how many reach the goal, how many at the stated length, and the ms of a plan.
``--table`` prints the record ``results/benchmarks/movingai.json`` as the table of the documentation.
"""

import argparse
import json
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import track

from vinlab.cli.plan_scenarios import folder_summary, scenario_files
from vinlab.maps import read_scenarios
from vinlab.models import Model, default_id, load
from vinlab.navigation.scenarios import ScenarioResults, run_scenarios

RECORD = Path(__file__).parents[1] / "results" / "benchmarks" / "movingai.json"
COLUMNS = {
    "cells": "cells",
    "scenarios": "scenarios",
    "reached": "reached",
    "at_stated_length": "at the stated length",
    "ms_per_plan": "ms a plan",
}


def measure(folder: Path, model: Model) -> dict[str, Any]:
    """The counts and times of all files in a folder."""
    shown = track(scenario_files(folder), "Planning", console=Console(stderr=True))
    results = {file.stem: run_scenarios(read_scenarios(file), model=model) for file in shown}
    found = in_milliseconds(folder_summary(results))
    files = {
        name: {"cells": cells(results[name])} | in_milliseconds(counts)
        for name, counts in found["files"].items()
    }
    return {"model": model.id} | found | {"files": files}


def cells(results: ScenarioResults) -> str:
    rows, cols = results.scenarios.map.obstacles.shape
    return f"{rows} × {cols}"


def in_milliseconds(counts: dict[str, Any]) -> dict[str, Any]:
    """The same with the time of a plan in ms."""
    others = {name: entry for name, entry in counts.items() if name != "seconds_per_plan"}
    seconds = counts["seconds_per_plan"]
    return others | {"ms_per_plan": None if seconds is None else float(f"{1e3 * seconds:.3g}")}


def table(record: dict[str, Any]) -> str:
    """A row for each file, and one for all."""
    rows = {f"`{name}`": counts for name, counts in record["files"].items()} | {"all": record | {"cells": ""}}
    lines = [f"| file | {' | '.join(COLUMNS.values())} |", "|---" * (1 + len(COLUMNS)) + "|"]
    for name, counts in rows.items():
        lines.append(f"| {name} | {' | '.join(format_entry(counts[column]) for column in COLUMNS)} |")
    return "\n".join(lines)


def format_entry(entry: Any) -> str:
    if entry is None:
        return "–"
    return f"{entry:,}" if isinstance(entry, int) else str(entry)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="a folder of .scen files and their maps")
    parser.add_argument("--model", help="a shipped model or the folder of a run")
    parser.add_argument("--table", action="store_true", help="print the recorded table")
    options = parser.parse_args()
    if options.table:
        print(table(json.loads(RECORD.read_text(encoding="utf-8"))["measured"]))
        return
    if options.data is None:
        parser.error("expected --data FOLDER or --table, got neither")
    print(json.dumps(measure(options.data, load(options.model or default_id(corner_cutting=False)))))


if __name__ == "__main__":
    main()
