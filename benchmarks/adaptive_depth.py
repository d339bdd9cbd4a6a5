"""Whether K that grows with the length of the path gives shortest paths on large maps.

``python benchmarks/adaptive_depth.py`` plans with the shipped ``grid/unrolled`` on maps of 256 x 256 and 512 x 512
cells with scattered obstacles, from the start that is farthest from the goal, and prints one JSON object.
``first_reaching`` is the route of the first K with which the start reaches the goal, where K stopped growing before;
``adaptive`` is that of ``navigate``, whose K must also exceed the length of the path. ``longer`` is the excess over the
shortest path.
"""

import argparse
import json
from typing import Any

import numpy as np

import vinlab
from vinlab.domains.gridworld.map_sets import scattered
from vinlab.navigation.adaptive import plan_fixed_depth, start_mask
from vinlab.navigation.routes import route_of
from vinlab.planning.exact import cost_to_go
from vinlab.types import GridProblems

STREAM = 11


def far_problem(size: int, index: int) -> GridProblems:
    """A map whose start is the farthest from the goal."""
    problem = scattered(size, 0.2).sample(index + 1, stream=STREAM)[index : index + 1]
    costs = cost_to_go(problem.obstacles, problem.goals)[0]
    farthest = np.unravel_index(np.where(np.isfinite(costs), costs, -1).argmax(), costs.shape)
    return GridProblems(problem.obstacles, np.array([farthest]), problem.goals)


def first_reaching(model: vinlab.Model, problem: GridProblems) -> vinlab.Route:
    """The route of the first K, doubled from that of training scaled to the map, with which the goal is reached."""
    iterations = model.iterations_for(problem.obstacles.shape[1:])
    assert isinstance(iterations, int)
    while True:
        planned = plan_fixed_depth(model, problem, iterations, legal_only=True)
        if planned.rollouts.reached.reshape(problem.obstacles.shape)[start_mask(problem)].all():
            return route_of(problem, planned)
        iterations *= 2


def measure(size: int, index: int) -> dict[str, Any]:
    """Both routes on one map."""
    model, problem = vinlab.load("grid/unrolled"), far_problem(size, index)
    before = first_reaching(model, problem)
    now = vinlab.navigate(model, problem.obstacles[0], problem.starts[0], problem.goals[0])
    return {"size": size, "map": index, "shortest": round(now.optimal_cost, 3)} | {
        name: {
            "K": route.iterations,
            "reached": route.reached,
            "longer": round(route.cost / route.optimal_cost - 1, 6),
        }
        for name, route in (("first_reaching", before), ("adaptive", now))
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--maps", type=int, default=3, help="maps of 256 x 256; a third as many of 512 x 512")
    maps = parser.parse_args().maps
    wanted = [(256, index) for index in range(maps)] + [(512, index) for index in range(max(1, maps // 3))]
    print(json.dumps({"model": "grid/unrolled", "maps": [measure(*one) for one in wanted]}))


if __name__ == "__main__":
    main()
