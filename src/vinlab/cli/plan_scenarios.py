"""``vinlab plan`` on the scenarios of a MovingAI file, or of all files in a folder."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float64
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from vinlab.cli.output import NOT_REACHED, REACHED, print_json, watched
from vinlab.maps import Scenarios, read_scenarios
from vinlab.maps.safe_files import files_below
from vinlab.models import Model
from vinlab.navigation.scenarios import ScenarioResults, optimal_costs, run_scenarios
from vinlab.types import InputError

if TYPE_CHECKING:
    from vinlab.cli.plan import PlanOptions


def plan_file(
    name: str, scenarios: Scenarios, model: Model | None, options: "PlanOptions", *, corner_cutting: bool
) -> int:
    """Run all scenarios of a file and print a summary, shorter paths first."""
    require_no_ends(options)
    with watched("Planning") as bar:
        results = run_scenarios(
            scenarios,
            model=model,
            iterations=options.iterations,
            corner_cutting=corner_cutting,
            report=lambda done: bar(done, len(scenarios), ""),
        )
    if options.json:
        print_json(results.summary())
        return exit_code([results])
    planner = "the exact planner" if model is None else model.id
    print(f"Read {len(scenarios)} scenarios on {scenarios.map.size}. {scenarios.map.assumptions}")
    optimal = optimal_costs(results.scenarios, corner_cutting=corner_cutting)
    Console().print(lengths_table(results, optimal, title=f"{name}, {planner}"))
    print(_in_words(results))
    return exit_code([results])


def exit_code(results: Sequence[ScenarioResults]) -> int:
    """Of the command: whether every scenario that has a route reaches its goal."""
    return REACHED if all(found.reached.all() for found in results) else NOT_REACHED


def plan_folder(folder: Path, model: Model | None, options: "PlanOptions", *, corner_cutting: bool) -> int:
    """Run the scenarios of all files in a folder and below it, and print a row for each."""
    require_no_ends(options)
    results: dict[str, ScenarioResults] = {}
    files = scenario_files(folder)
    with watched("Planning") as bar:
        for file in files:
            bar(len(results), len(files), file.name)
            results[file.relative_to(folder).as_posix()] = run_scenarios(
                read_scenarios(file, options.map_options()),
                model=model,
                iterations=options.iterations,
                corner_cutting=corner_cutting,
                report=lambda done, name=file.name: bar(len(results), len(files), f"{name}: {done} done"),
            )
        bar(len(files), len(files), "")
    if options.json:
        print_json(folder_summary(results))
    else:
        planner = "the exact planner" if model is None else model.id
        Console().print(files_table(results, title=f"{folder.resolve().name}, {planner}"))
    return exit_code(list(results.values()))


def scenario_files(folder: Path) -> list[Path]:
    """The ``.scen`` files in a folder and below it, at least one."""
    files = files_below(folder, ".scen")
    if not files:
        raise InputError(f"{folder}: expected a folder with .scen files and their maps, got one without any.")
    return files


def require_no_ends(options: "PlanOptions") -> None:
    """Refuse options of a single route."""
    if options.start or options.goal or options.path_out or options.world_coordinates or options.robot_radius:
        raise InputError(
            "A .scen file has its own starts and goals: expected no --start, --goal, --path-out, "
            "--world-coordinates or --robot-radius."
        )


def folder_summary(results: dict[str, ScenarioResults]) -> dict[str, Any]:
    """The counts of all files together, and of each under ``files``."""
    return total(list(results.values())) | {
        "files": {name: found.summary() for name, found in results.items()}
    }


def total(results: Sequence[ScenarioResults]) -> dict[str, Any]:
    """The counts of several files, and the time of a plan over all of them."""
    each = [found.summary() for found in results]
    plans = sum(found.plans for found in results)
    counted = ("scenarios", "reached", "at_stated_length", "without_route")
    seconds = sum(found.seconds for found in results) / plans if plans else None
    return {name: sum(one[name] for one in each) for name in counted} | {"seconds_per_plan": seconds}


def files_table(results: dict[str, ScenarioResults], *, title: str) -> Table:
    """A row for each file, and one for all."""
    table = Table(title=title, box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("file", no_wrap=True)
    for heading in ("scenarios", "reached", "at stated length", "no route", "ms a plan"):
        table.add_column(heading, justify="right")
    for name, found in results.items():
        _add_counts(table, name, found.summary())
    table.add_section()
    _add_counts(table, "all", total(list(results.values())))
    return table


def _add_counts(table: Table, name: str, counts: dict[str, Any]) -> None:
    *numbers, seconds = counts.values()
    table.add_row(name, *(f"{number:,}" for number in numbers), _milliseconds(seconds))


def _milliseconds(seconds: float | None) -> str:
    return "–" if seconds is None else f"{1e3 * seconds:.3g}"


def _in_words(results: ScenarioResults) -> str:
    counts = results.summary()
    apart = f" {results.without_route} more scenarios have no route." if results.without_route else ""
    return (
        f"{counts['reached']} of {counts['scenarios']} scenarios reach the goal, {counts['at_stated_length']} of them "
        f"at the length that the file states.{apart} {_milliseconds(counts['seconds_per_plan'])} ms a plan "
        f"({results.plans} goals)."
    )


def lengths_table(results: ScenarioResults, optimal: Float64[np.ndarray, " N"], *, title: str) -> Table:
    """A row for each quarter of the scenarios by length, and one for all."""
    table = Table(
        "stated length", "scenarios", "success", "mean length", "mean optimal", "longer", title=title
    )
    stated = results.scenarios.lengths
    order = np.argsort(stated, kind="stable")
    for part in [part for part in np.array_split(order, 4) if len(part)]:
        _add_row(table, f"{stated[part].min():.1f} – {stated[part].max():.1f}", results, optimal, part)
    table.add_section()
    _add_row(table, "all", results, optimal, order)
    return table


def _add_row(
    table: Table, name: str, results: ScenarioResults, optimal: np.ndarray, part: np.ndarray
) -> None:
    reached = part[results.reached[part]]
    mean, shortest = (
        float(lengths[reached].mean()) if len(reached) else math.nan for lengths in (results.costs, optimal)
    )
    longer = f"{max(mean / shortest - 1, 0.0):.2%}" if shortest > 0 else "–"
    shown = [f"{number:.2f}" if math.isfinite(number) else "–" for number in (mean, shortest)]
    success = f"{len(reached) / len(part):.1%}" if len(part) else "–"
    table.add_row(name, str(len(part)), success, *shown, longer)
