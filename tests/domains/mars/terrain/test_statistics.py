"""The statistics of terrain are right where the answer is known."""

import numpy as np
import pytest

from vinlab.domains.mars.patches import PatchConfig
from vinlab.domains.mars.terrain import Terrain
from vinlab.domains.mars.terrain.statistics import (
    CellTraits,
    area_under_curve,
    cell_traits,
    describe_terrain,
    fit_logistic,
    rank_correlation,
)


def test_the_area_under_the_curve_counts_pairs_in_order():
    score, true = np.array([0.1, 0.4, 0.35, 0.8]), np.array([False, False, True, True])
    assert area_under_curve(score, true) == pytest.approx(0.75)
    assert area_under_curve(-score, true) == pytest.approx(0.25)


def test_ranks_correlate_whatever_the_scale():
    values = np.array([1.0, 5.0, 2.0, 9.0])
    assert rank_correlation(values, np.exp(values)) == pytest.approx(1.0)
    assert rank_correlation(values, -values) == pytest.approx(-1.0)


def test_a_logistic_regression_finds_the_weights_that_made_the_data():
    rng = np.random.default_rng(0)
    features = np.column_stack([rng.normal(size=(20_000, 2)), np.ones(20_000)])
    true = np.array([1.5, -0.5, 0.3])
    blocked = rng.random(20_000) < 1 / (1 + np.exp(-features @ true))
    found = fit_logistic(CellTraits(features, blocked, np.zeros(20_000)))
    assert np.allclose(found, true, atol=0.1)


def test_cells_near_a_gap_are_left_out():
    slope = np.zeros((64, 64), np.float32)
    slope[20, 20] = np.nan
    traits = cell_traits([Terrain(np.ones((64, 64), np.uint8), slope)], PatchConfig(side=32))
    assert len(traits.blocked) == 64 - 9


def test_an_image_that_shows_the_slope_tells_it():
    rng = np.random.default_rng(0)
    steep = np.kron(rng.random((16, 16)) < 0.4, np.ones((8, 8)))
    image = 128 + 40 * steep * rng.normal(size=steep.shape)
    terrain = Terrain(image.clip(0, 255).astype(np.uint8), (20 * steep).astype(np.float32))
    found = describe_terrain([terrain], PatchConfig(side=64))
    assert found["cells blocked"] == pytest.approx(steep.mean())
    assert found["AUC of contrast alone"] > 0.95
