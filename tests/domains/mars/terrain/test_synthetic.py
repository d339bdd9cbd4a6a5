"""Synthetic terrain is lit by geometry, has the slopes of the real strip, and depends on the seed alone."""

import numpy as np
import pytest

from vinlab.domains.mars.terrain.camera import CameraConfig, cast_shadow, shade
from vinlab.domains.mars.terrain.kernels import add_craters
from vinlab.domains.mars.terrain.noise import Noises, unit_gradient
from vinlab.domains.mars.terrain.statistics import describe_terrain
from vinlab.domains.mars.terrain.synthetic import SyntheticConfig, synthetic_terrains
from vinlab.types import InputError

WEST, HIGH = np.radians(270.0), np.radians(30.0)


@pytest.mark.parametrize("steep", [-20.0, 0.0, 25.0])
def test_a_slope_is_lit_by_the_cosine_of_the_angle_to_the_sun(steep):
    """A plane that falls to the west faces a sun in the west."""
    rise = np.tan(np.radians(steep)) * np.arange(20)
    light = shade(np.tile(rise, (20, 1)).astype(np.float32), WEST, HIGH)
    expected = np.sin(HIGH + np.radians(steep)) / np.sin(HIGH)
    assert np.allclose(light, expected, atol=1e-4)


def test_light_from_the_north_west_falls_on_slopes_that_face_it():
    rows, cols = np.mgrid[:20, :20].astype(np.float32)
    facing, averted = (shade(sign * 0.2 * (rows + cols), np.radians(315.0), HIGH) for sign in (1, -1))
    assert facing.mean() > 1.2
    assert averted.mean() < 0.8


def test_a_wall_casts_a_shadow_as_long_as_its_height_over_the_tangent():
    ground = np.zeros((9, 60), np.float32)
    ground[:, 10] = 12.0
    shadow = cast_shadow(ground, WEST, HIGH)
    length = 12.0 / np.tan(HIGH)
    assert np.array_equal(np.flatnonzero(shadow[4]), np.arange(11, 10 + int(length) + 1))


def test_light_from_the_north_west_throws_shadows_to_the_south_east():
    ground = np.zeros((40, 40), np.float32)
    ground[10, 10] = 8.0
    shadow = cast_shadow(ground, np.radians(315.0), np.radians(40.0))
    assert np.array_equal(np.argwhere(shadow), [[row, row] for row in range(11, 10 + shadow.sum() + 1)])
    assert shadow.sum() == int(8.0 / np.tan(np.radians(40.0)) / np.sqrt(2))


def test_a_crater_is_a_bowl_with_a_rim():
    ground = np.zeros((101, 101), np.float32)
    add_craters(ground, *(np.array([number]) for number in (50.0, 50.0, 20.0, 6.0, 1.0)))
    assert ground[50, 50] == ground.min()
    assert -6.0 < ground[50, 50] < -5.0
    assert ground[50, 70] == pytest.approx(1.0, abs=0.05)
    assert ground[50, 30] == pytest.approx(1.0, abs=0.05)
    assert (ground[0] == 0).all()
    assert np.array_equal(ground, ground.T)


@pytest.mark.parametrize("side", [96, 97])
def test_noise_has_the_wavelengths_that_were_asked_for(side):
    field = Noises(side, np.random.default_rng(0)).fractal(1.0, 32.0, 8.0)
    assert field.std() == pytest.approx(1.0, abs=1e-3)
    power = np.abs(np.fft.rfft2(field)) ** 2
    waves = np.hypot(np.fft.fftfreq(side, 1 / side)[:, None], np.fft.rfftfreq(side, 1 / side))
    assert power[(waves > side / 8.0) | (waves == 0)].sum() < 1e-6 * power.sum()
    assert power[waves <= side / 8.0].sum() > 0.99 * power.sum()


def test_noise_is_alike_in_both_directions():
    fields = [Noises(128, np.random.default_rng(seed)).fractal(1.5, 16.0) for seed in range(8)]
    down, along = (np.mean([np.abs(np.diff(field, axis=axis)) for field in fields]) for axis in (0, 1))
    assert down == pytest.approx(along, rel=0.02)


def test_steepness_is_that_of_the_gradient():
    field = unit_gradient(Noises(64, np.random.default_rng(2)).fractal(2.0, 32.0))
    gradient = np.mean(np.diff(field, axis=0) ** 2) + np.mean(np.diff(field, axis=1) ** 2)
    assert gradient == pytest.approx(1.0, rel=1e-3)


def test_synthetic_terrain_is_as_steep_and_as_blocked_as_the_real_strip():
    """The numbers of the real strip stand in the README of its data: 37.7 % of cells, percentiles of slope."""
    terrains = list(synthetic_terrains(6, rng=np.random.default_rng(0), config=SyntheticConfig(side=512)))
    found = describe_terrain(terrains)
    real = dict(zip((10, 25, 50, 75, 90, 95, 99), (1.2, 2.0, 3.8, 6.8, 11.6, 15.6, 23.4), strict=True))
    for percentile, slope in real.items():
        assert found[f"slope, percentile {percentile}"] == pytest.approx(slope, rel=0.25)
    assert found["cells blocked"] == pytest.approx(0.377, abs=0.06)
    assert found["pixels at or above the threshold"] == pytest.approx(0.134, abs=0.04)
    assert 0.5 < found["rank correlation of contrast and slope"] < 0.7
    assert 0.7 < found["AUC of contrast alone"] < 0.85


def test_same_seed_same_terrain_and_another_seed_another():
    small = SyntheticConfig(side=64, largest_crater=10.0)
    first, second, other = (
        list(synthetic_terrains(2, rng=np.random.default_rng(s), config=small)) for s in (0, 0, 1)
    )
    assert np.array_equal(first[1].image, second[1].image)
    assert np.array_equal(first[1].slope, second[1].slope)
    assert not np.array_equal(first[0].image, first[1].image)
    assert not np.array_equal(first[0].image, other[0].image)
    assert all(terrain.known.all() for terrain in first)


def test_light_that_does_not_come_from_the_west_is_refused():
    with pytest.raises(InputError, match="expected an azimuth in 225"):
        CameraConfig(azimuth=(80.0, 100.0))
