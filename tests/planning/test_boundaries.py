"""Nothing that does not fit reaches compiled code; children and read-only installations can use it."""

import multiprocessing
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

import vinlab
from vinlab.planning.exact import cost_to_go

HOSTILE = """
from functools import partial
import numpy as np, torch
from vinlab.planning import GraphPlanner, GraphTransition, GridPlanner, SharedKernels, UntiedKernels
from vinlab.planning.costs import CostMap, MoveTable
from vinlab.planning.exact import cost_to_go
from vinlab.planning.fixed_point import FixedPointPlanner, TerminalReward
from vinlab.planning.shortest_path import ShortestPathPlanner
from vinlab.domains.web.expert import distances_to, paths_from
from vinlab.domains.web.link_graph import Links
from vinlab.types import InputError

maps, ones, reward = np.zeros((2, 4, 4), np.uint8), torch.ones, torch.zeros(1, 1, 4, 4)
goal = torch.zeros(1, 4, 4, dtype=torch.bool); goal[0, 0, 0] = True
whole, far = torch.tensor([0, 1]), torch.tensor([1, 5])
priced, mean = TerminalReward(-ones(1, 1, 4, 4), goal), ones(2, 1, 3, 3) / 9
links = Links(np.array([0, 1, 2]), np.array([1, 0]))
even = SharedKernels(ones(2, 1, 2, 2) / 4, ones(2, 1, 2, 2) / 4)
CASES = [
    lambda: cost_to_go(np.zeros((500, 40, 40), np.uint8), np.zeros((3, 2), np.int64)),
    lambda: cost_to_go(maps, np.zeros((2, 3), np.int64)),
    lambda: cost_to_go(maps, np.zeros((2, 2))),
    lambda: cost_to_go(maps, np.full((2, 2), 4)),
    lambda: cost_to_go(maps, np.full((2, 2), -1)),
    lambda: cost_to_go(maps[0], np.zeros((4, 2), np.int64)),
    lambda: cost_to_go(maps.astype(float), np.zeros((2, 2), np.int64)),
    lambda: GridPlanner(iterations=2)(reward, SharedKernels(ones(3, 1, 3, 3), ones(2, 1, 3, 3))),
    lambda: GridPlanner(iterations=2)(reward, SharedKernels(ones(3, 1, 3, 3), ones(3, 1, 5, 5))),
    lambda: GridPlanner(iterations=2)(reward, SharedKernels(ones(3, 3, 1, 3, 3), ones(3, 3, 1, 3, 3))),
    lambda: GridPlanner(iterations=2)(reward, SharedKernels(ones(3, 1, 3, 5), ones(3, 1, 3, 5))),
    lambda: GridPlanner(iterations=2)(reward, even),
    lambda: GridPlanner(iterations=2)(reward[0], SharedKernels(ones(3, 1, 3, 3), ones(3, 1, 3, 3))),
    lambda: GridPlanner(iterations=9)(reward, UntiedKernels(ones(3, 3, 1, 3, 3), ones(3, 3, 1, 3, 3))),
    partial(GridPlanner(iterations=2), reward, SharedKernels(ones(3, 1, 3, 3), ones(3, 1, 3, 3)),
            initial_value=ones(1, 1, 2, 2)),
    lambda: GridPlanner(iterations=2.5),
    lambda: ShortestPathPlanner()(CostMap(ones(1, 8, 4, 4), ones(1, 3, 3) > 0)),
    lambda: ShortestPathPlanner()(CostMap(ones(1, 8, 4, 4), ones(1, 4, 4))),
    lambda: ShortestPathPlanner()(CostMap(ones(1, 8, 4, 4), goal, ones(1, 8, 3, 3) > 0)),
    lambda: ShortestPathPlanner()(CostMap(ones(1, 4, 4, 4), goal)),
    lambda: ShortestPathPlanner()(CostMap(ones(1, 8, 4, 4), goal), MoveTable(np.zeros((8, 2), np.int32))),
    lambda: ShortestPathPlanner()(CostMap(ones(1, 8, 4, 4), goal), MoveTable(np.zeros(16, np.int64))),
    lambda: FixedPointPlanner()(priced, even),
    lambda: FixedPointPlanner()(priced, SharedKernels(ones(3, 1, 3, 3), mean)),
    lambda: FixedPointPlanner()(TerminalReward(-ones(1, 2, 4, 4), goal), SharedKernels(ones(2, 1, 3, 3), mean)),
    lambda: FixedPointPlanner()(TerminalReward(priced.reward, goal[:, 1:]), SharedKernels(mean, mean)),
    lambda: GraphTransition(whole, far, ones(2), 2),
    lambda: GraphTransition(whole, torch.tensor([0, 1, 1]), ones(2), 2),
    lambda: GraphTransition(whole, whole.float(), ones(2), 2),
    lambda: GraphTransition(whole, whole > 0, ones(2), 2),
    lambda: GraphTransition(whole, whole, ones(3), 2),
    lambda: GraphPlanner(iterations=3)(ones(1, 3), GraphTransition(whole, whole, ones(2), 2)),
    lambda: GraphPlanner(iterations=3)(ones(5, 2), GraphTransition(whole, whole, ones(3, 2), 2)),
    lambda: Links(np.array([0, 1, 3]), np.array([1, 0])),
    lambda: Links(np.array([0, 5, 2]), np.array([1, 0])),
    lambda: Links(np.array([0, 1, 2]), np.array([1, 9])),
    lambda: distances_to(links, np.array([7])),
    lambda: distances_to(links, np.array([-1])),
    lambda: paths_from(links, 99, np.array([1])),
]
for number, case in enumerate(CASES):
    try:
        case()
        print("accepted", number)
    except InputError as error:
        assert "expected" in str(error), error
print("done", len(CASES))
"""


def run(code: str, **environment: str) -> str:
    """What a fresh interpreter prints, without the tests' own checks of types."""
    source = str(Path(vinlab.__file__).parents[1])
    variables = {**os.environ, "PYTHONPATH": source, "OMP_NUM_THREADS": "1", **environment}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=variables, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def test_what_does_not_fit_never_reaches_compiled_code():
    assert run(HOSTILE).split() == ["done", "39"]


def plan_in_child(queue) -> None:
    costs = cost_to_go(np.zeros((64, 40, 40), np.uint8), np.zeros((64, 2), np.int64))
    queue.put(float(costs[:, -1, -1].max()))


def test_a_forked_child_can_use_the_expert_after_its_parent():
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        cost_to_go(np.zeros((64, 40, 40), np.uint8), np.zeros((64, 2), np.int64))
        context = multiprocessing.get_context("fork")
        queue = context.Queue()
        child = context.Process(target=plan_in_child, args=(queue,))
        child.start()
        assert queue.get(timeout=60) == pytest.approx(39 * 2**0.5)
        child.join(timeout=60)
    finally:
        torch.set_num_threads(before)
    assert child.exitcode == 0


def test_the_number_of_threads_does_not_change_the_expert():
    maps = (np.random.default_rng(0).random((33, 20, 20)) < 0.3).astype(np.uint8)
    goals = np.random.default_rng(1).integers(0, 20, (33, 2))
    before, found = torch.get_num_threads(), []
    try:
        for threads in (1, 3):
            torch.set_num_threads(threads)
            found.append(cost_to_go(maps, goals))
    finally:
        torch.set_num_threads(before)
    assert np.array_equal(*found)


READ_ONLY = """
import numba.core.caching as caching
for locator in ("_InTreeCacheLocator", "_UserWideCacheLocator", "_UserProvidedCacheLocator", "_IPythonCacheLocator",
                "_InTreeCacheLocatorFsAgnostic"):
    if hasattr(caching, locator):
        setattr(getattr(caching, locator), "from_function", classmethod(lambda *_: None))
import numpy as np
import vinlab.domains.mars.terrain.kernels, vinlab.domains.web._search, vinlab.domains.gridworld._kernels
import vinlab.planning.fused.backward, vinlab.planning.fused.uncertain, vinlab.planning.fused.graph
from vinlab.planning.exact import cost_to_go
print(cost_to_go(np.zeros((1, 3, 3), np.uint8), np.zeros((1, 2), np.int64))[0, 2, 0])
"""


def test_without_a_folder_that_can_be_written_functions_compile_anew():
    assert run(READ_ONLY).split() == ["2.0"]


def test_only_one_place_compiles_and_caches():
    package = Path(vinlab.__file__).parent
    wrong = [
        str(file.relative_to(package))
        for file in package.rglob("*.py")
        if "cache=True" in file.read_text(encoding="utf-8")
        or "parallel=True" in file.read_text(encoding="utf-8")
    ]
    assert wrong == ["planning/compiled.py"]
