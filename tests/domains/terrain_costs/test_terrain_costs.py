"""Pictures with hidden costs: what is shown, what is demonstrated, what is written."""

import numpy as np
import pytest

from vinlab.domains.terrain_costs.expert import demonstrate, solve
from vinlab.domains.terrain_costs.files import write_dataset
from vinlab.domains.terrain_costs.problem import GROUNDS, TerrainCostsConfig, sample_dataset, sample_problems
from vinlab.planning.cell_costs import path_cost
from vinlab.types import InputError


def some(count=5, paths=2, size=16, seed=0):
    return sample_dataset(TerrainCostsConfig(size=size), count, paths, rng=np.random.default_rng(seed))


def test_every_kind_of_ground_is_found_and_has_its_cost():
    problems = sample_problems(TerrainCostsConfig(), 20, rng=np.random.default_rng(0))
    assert set(np.unique(problems.kinds)) == set(range(len(GROUNDS)))
    costs = np.array([ground.cost for ground in GROUNDS], np.float32)
    np.testing.assert_array_equal(problems.costs, costs[problems.kinds])
    assert problems.images.dtype == np.uint8


def test_paths_of_the_expert_are_cheapest_and_detours_cost_more():
    problems, _ = some(20)
    best = solve(problems).costs
    exact, straying = (
        demonstrate(problems, detours=share, rng=np.random.default_rng(1)) for share in (0.0, 0.1)
    )
    at_start = [best[index][tuple(start)] for index, start in enumerate(problems.starts)]
    costs = [
        [path_cost(problems.costs[index], path) for index, path in enumerate(paths)]
        for paths in (exact, straying)
    ]
    np.testing.assert_allclose(costs[0], at_start, rtol=1e-5)
    assert np.mean(np.array(costs[1]) / at_start) > 1.03
    for paths in (exact, straying):
        assert all((path[-1] == goal).all() for path, goal in zip(paths, problems.goals, strict=True))
        assert all(np.abs(np.diff(path, axis=0)).max() == 1 for path in paths)


def test_starts_and_goals_lie_apart():
    problems, owners = some(10, 3)
    assert np.abs(problems.starts - problems.goals).max(axis=1).min() >= 8
    assert owners.tolist() == np.repeat(np.arange(10), 3).tolist()


def test_a_file_holds_what_fit_reads(tmp_path):
    problems, owners = some()
    paths = demonstrate(problems, rng=np.random.default_rng(0))
    write_dataset(tmp_path / "data.npz", problems, owners, paths)
    held = np.load(tmp_path / "data.npz")
    assert held["observations"].shape == (5, 3, 16, 16)
    assert held["costs"].shape == held["kinds"].shape == (5, 16, 16)
    np.testing.assert_array_equal(held["paths"][3][: len(paths[3])], paths[3])
    assert (held["paths"][3][len(paths[3]) :] == -1).all()


def test_bad_settings_are_one_sentence():
    with pytest.raises(InputError, match="expected at least 4 cells a side, got 3"):
        TerrainCostsConfig(size=3)
    with pytest.raises(InputError, match="expected at least 1 path on each picture"):
        some(paths=0)
    with pytest.raises(InputError, match="expected a probability of at least 0 and below 1"):
        demonstrate(some()[0], detours=1.0, rng=np.random.default_rng(0))
