"""What people see of journeys on their own maps: what was assumed, how it went, and where it was written."""

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from vinlab.cli.output import describe, format_iterations
from vinlab.maps import GridMap, MapOptions, inflate_obstacles, read_map, read_scenarios, write_route
from vinlab.models import Model
from vinlab.navigation.map_files import (
    ScenarioResults,
    parse_position,
    plan_on_map,
    route_summary,
    run_scenarios,
)
from vinlab.navigation.routes import Route

Pick = Callable[[bool], Model | None]
"""The model for a world in which corners may be cut, or may not; None for the exact planner."""

AGREE = 1e-6
"""Lengths in scenario files have eight digits; closer than this they are the same."""


def plan_map_file(
    file: Path,
    options: MapOptions,
    ends: tuple[str | None, str | None],
    pick: Pick,
    *,
    radius: float,
    world: bool,
    iterations: int | None,
    corner_cutting: bool | None,
    out: Path,
    path_file: Path | None,
) -> None:
    """Read a map, plan on it, say how it went, and write what was asked for."""
    from vinlab.figures.save import save_figure
    from vinlab.navigation.draw import route_figure

    map = inflate_obstacles(read_map(file, options), radius)
    print(f"Read {map.size}. {map.assumptions}")
    start, goal = (
        None if text is None else parse_position(text, name, map, world=world)
        for text, name in zip(ends, ("start", "goal"), strict=True)
    )
    cutting = map.corner_cutting if corner_cutting is None else corner_cutting
    model = pick(cutting)
    route = plan_on_map(map, start, goal, model=model, iterations=iterations, corner_cutting=cutting)
    print(_corner_words(cutting, model))
    _tell(map, route, model)
    if path_file is not None:
        write_route(path_file, route.path, map.frame, route_summary(map, route))
        print(f"The path is in {path_file}.")
    save_figure(route_figure(map.obstacles, route), out)
    print(f"Drawn in {out}.")


def _corner_words(cutting: bool, model: Model | None) -> str:
    if cutting:
        return "Diagonal moves may pass the corners of obstacles."
    warning = (
        f"; {model.id} learned where they may and often stops at one"
        if model and model.corner_cutting
        else ""
    )
    return f"Diagonal moves may not pass the corners of obstacles{warning}."


def _tell(map: GridMap, route: Route, model: Model | None) -> None:
    if model is None:
        steps = len(route.path) - 1
        print(
            f"The shortest route has {steps} steps and length {route.optimal_cost:.2f}."
            if route.exists
            else describe(route)
        )
    else:
        print(describe(route))
        print(f"Planned with {model.id}, {format_iterations(map.obstacles.shape, route.iterations, model)}.")
    if route.exists and map.frame.unit != "cells":
        print(
            f"In the world the path is {route_summary(map, route)['world_length']:.3f} {map.frame.unit} long."
        )


def run_scenario_file(
    file: Path, options: MapOptions, pick: Pick, iterations: int | None, corner_cutting: bool | None
) -> None:
    """Run all scenarios of a file and print a summary, shorter journeys first."""
    scenarios = read_scenarios(file, options)
    print(f"Read {len(scenarios)} scenarios on {scenarios.map.size}. {scenarios.map.assumptions}")
    cutting = scenarios.map.corner_cutting if corner_cutting is None else corner_cutting
    model = pick(cutting)
    print(_corner_words(cutting, model))
    results = run_scenarios(scenarios, model=model, iterations=iterations, corner_cutting=cutting)
    who = "the exact planner" if model is None else model.id
    Console().print(summary(results, title=f"{file.name}, {who}"))
    agree = int((np.abs(results.optimal - results.stated) < AGREE).sum())
    print(f"{agree} of {len(scenarios)} optimal lengths are those that the file states.")


def summary(results: ScenarioResults, *, title: str) -> Table:
    """A line for each quarter of the scenarios by length, and one for all."""
    table = Table(
        "optimal length", "scenarios", "reached", "mean length", "mean optimal", "longer", title=title
    )
    order = np.argsort(results.stated, kind="stable")
    for part in [part for part in np.array_split(order, 4) if len(part)]:
        stated = results.stated[part]
        _add_row(table, f"{stated.min():.1f} – {stated.max():.1f}", results[part])
    table.add_section()
    _add_row(table, "all", results)
    return table


def _add_row(table: Table, name: str, results: ScenarioResults) -> None:
    reached = results.reached
    mean, optimal = (
        float(lengths[reached].mean()) if reached.any() else math.nan
        for lengths in (results.costs, results.optimal)
    )
    longer = "–" if not reached.any() or optimal == 0 else f"{mean / optimal - 1:.2%}"
    shown = [f"{number:.2f}" if math.isfinite(number) else "–" for number in (mean, optimal)]
    table.add_row(name, str(len(reached)), f"{reached.mean():.1%}", *shown, longer)
