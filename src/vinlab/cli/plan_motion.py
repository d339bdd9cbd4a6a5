"""``vinlab plan --motion``: routes of a robot with a heading."""

import time
from typing import Any

import numpy as np

from vinlab import models
from vinlab.cli.output import NO_ROUTE, NOT_REACHED, REACHED, print_json, write_path
from vinlab.domains.gridworld.validation import require_free
from vinlab.domains.motion.expert import solve
from vinlab.domains.motion.problem import MotionProblems
from vinlab.figures.headings import headings_figure
from vinlab.figures.save import save_figure
from vinlab.maps import GridMap, inflate_obstacles
from vinlab.models import Model
from vinlab.navigation.map_files import parse_position
from vinlab.navigation.motion import actions_everywhere, follow_actions
from vinlab.planning.moves import LayeredMoves, motion_named
from vinlab.types import InputError


def plan_with_motion(map: GridMap, options: Any, *, corner_cutting: bool) -> int:
    """Plan on one map by the moves of a table, describe the route and write the files."""
    moves, model = motion_named(options.motion), motion_model(options)
    map = inflate_obstacles(map, options.robot_radius)
    problem = motion_problem(map, moves, options)
    solution = solve(problem, moves, corner_cutting=corner_cutting)
    began = time.perf_counter()
    if model is None:
        actions = np.maximum(solution.moves, 0).astype(np.int64)
    else:
        actions = actions_everywhere(model.network, problem, moves, iterations=options.iterations)
    states, made, reached = follow_actions(actions[0], problem, moves, corner_cutting=corner_cutting)
    seconds = time.perf_counter() - began
    row, col, layer = problem.starts[0].tolist()
    shortest = float(solution.costs[0, layer, row, col])
    cost = float(moves.lengths[states[:-1, 2], made].sum())
    summary = {
        "reached": reached,
        "cost": cost,
        "optimal_cost": shortest if np.isfinite(shortest) else None,
        "moves": [moves.action_names[action] for action in made],
        "headings": [moves.layer_names[state] for state in states[:, 2]],
    }
    path_words = write_path(options, states[:, :2], map.frame, summary)
    code = REACHED if reached else NOT_REACHED if np.isfinite(shortest) else NO_ROUTE
    if options.json:
        print_json({**summary, "seconds": seconds})
        return code
    print(_sentence(reached, len(made), cost, shortest, model))
    goal = problem.goals[0]
    figure = headings_figure(map.obstacles, states, moves.directions, goal=goal, title=options.motion)
    if path_words:
        print(path_words)
    save_figure(figure, options.out)
    print(f"Drawn in {options.out}.")
    return code


def motion_model(options: Any) -> Model | None:
    """The model that was asked for, or a shipped one for this motion; None for the exact planner."""
    if options.exact:
        return None
    if options.model is None:
        configs = {id: models.read_card(id)["config"] for id in models.shipped_ids()}
        found = [id for id, config in configs.items() if _motion_of(config) == options.motion]
        # Of several the one that was trained on the largest maps.
        return models.load(max(found, key=lambda id: configs[id]["data"]["size"])) if found else None
    model = models.load(options.model)
    if _motion_of(model.config) != options.motion:
        raise InputError(
            f"--motion {options.motion}: expected a model for it, got {model.id} for "
            f"{_motion_of(model.config) or 'a flat grid'}."
        )
    return model


def _motion_of(config: Any) -> str | None:
    return config.get("data", {}).get("motion")


def motion_problem(map: GridMap, moves: LayeredMoves, options: Any) -> MotionProblems:
    """One problem, from start and goal as ROW,COL,HEADING; a goal without a heading is reached by any."""
    if len(options.goal) > 1:
        raise InputError(f"--motion: expected one --goal, got {len(options.goal)}.")
    ends, goal = [], next(iter(options.goal), None)
    for text, known, name in ((options.start, map.start, "start"), (goal, map.goal, "goal")):
        if text is None and known is None:
            raise InputError(f"The map names no {name}: expected --{name} ROW,COL,HEADING.")
        position, heading = (known, None) if text is None else split_heading(text)
        if isinstance(position, str):
            position = parse_position(position, name, map, world=options.world_coordinates)
        layer = 0 if name == "start" else -1
        cell = require_free(map.obstacles, position, name)
        ends.append([*cell, layer if heading is None else moves.layer(heading)])
    start, goal = np.array(ends)
    if moves.num_layers == 1:
        goal[2] = 0
    return MotionProblems(map.obstacles[None], start[None], goal[None])


def split_heading(text: str) -> tuple[str, str | None]:
    """``ROW,COL`` and the heading that follows it, if there is one."""
    parts = [part.strip() for part in text.strip("() ").split(",")]
    return ",".join(parts[:2]), parts[2] if len(parts) == 3 else None


def _sentence(reached: bool, moves: int, cost: float, shortest: float, model: Model | None) -> str:
    by = "the exact planner" if model is None else model.id
    if not np.isfinite(shortest):
        return "No route exists: the goal cannot be reached from the start."
    if not reached:
        return f"Goal not reached by {by} after {moves} moves; the shortest route costs {shortest:.2f}."
    return f"Goal reached by {by} in {moves} moves that cost {cost:.2f}; the shortest route costs {shortest:.2f}."
