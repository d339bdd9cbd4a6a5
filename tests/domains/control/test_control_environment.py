"""The particle's physics: inertia, elastic contact, friction; a simulation that fails affects no other."""

import importlib.util
import subprocess
import sys
import warnings

import numpy as np
import pytest

pytest.importorskip("mujoco")

from vinlab.domains.control.environment import ParticleWorlds, Physics
from vinlab.domains.control.geometry import HALF_SIDE, RADIUS
from vinlab.domains.control.problem import ControlConfig, ControlProblems, sample_problems

MASS = 4 / 3 * np.pi * RADIUS**3 * Physics().density


def empty_square(count=1, boxes=None):
    return ControlProblems(
        np.zeros((count, 2, 4)) if boxes is None else boxes, np.zeros((count, 2)), np.full((count, 2), 0.5)
    )


def run(worlds, state, push, steps):
    states = np.array(state, dtype=float).reshape(1, 1, 4)
    path = [states[0, 0]]
    for _ in range(steps):
        states, valid = worlds.step(states, np.array(push, dtype=float).reshape(1, 1, 2))
        assert valid.all()
        path.append(states[0, 0])
    return np.array(path)


def test_a_force_accelerates_the_mass_until_damping_holds_it():
    worlds = ParticleWorlds(empty_square())
    path = run(worlds, [0, -0.9, 0, 0], [0, 0.5], 30)
    times = worlds.physics.seconds * np.arange(31)
    expected = 0.5 / worlds.physics.damping * (1 - np.exp(-times * worlds.physics.damping / MASS))
    np.testing.assert_allclose(path[:, 3], expected, atol=0.01)
    assert (path[:, [0, 2]] == 0).all()


def test_forces_beyond_the_limit_are_clipped():
    worlds = ParticleWorlds(empty_square())
    np.testing.assert_array_equal(run(worlds, [0, 0, 0, 0], [0, 1], 5), run(worlds, [0, 0, 0, 0], [0, 9], 5))


def bounce(physics, speed=1.0):
    """Speed after a head-on contact with the edge, by that before it."""
    worlds = ParticleWorlds(empty_square(), physics)
    path = run(worlds, [0, HALF_SIDE - RADIUS - 0.01, 0, speed], [0, 0], 12)
    return -path[:, 3].min() / speed


def test_contact_is_elastic_and_never_gains_energy():
    free = {"damping": 0.0, "substeps": 1}
    soft, default, dead = (bounce(Physics(contact_damping=one, **free)) for one in (4.0, 15.0, 60.0))
    assert 1 > soft > default > dead
    assert default > 0.4  # much of the speed comes back: an elastic force, not a dead stop
    assert soft**2 < 1


def test_friction_slows_a_glancing_particle():
    def along(friction):
        worlds = ParticleWorlds(empty_square(), Physics(friction=friction, damping=0.0))
        path = run(worlds, [0, HALF_SIDE - RADIUS, 0.5, 0], [0, 0.5], 10)
        return path[-1, 2]

    assert along(1e-5) == pytest.approx(0.5, abs=1e-3)
    assert along(0.5) < along(0.2) < 0.49


def test_a_box_stops_the_particle_and_an_absent_one_does_not():
    boxes = np.zeros((2, 2, 4))
    boxes[0, 0] = [0, 0.3, 0.2, 0.05]
    worlds = ParticleWorlds(empty_square(2, boxes))
    states, forces = np.zeros((2, 1, 4)), np.tile([0.0, 1.0], (2, 1, 1))
    for _ in range(60):
        states, _ = worlds.step(states, forces)
    assert states[0, 0, 1] == pytest.approx(0.3 - 0.05 - RADIUS, abs=0.01)
    assert states[1, 0, 1] == pytest.approx(HALF_SIDE - RADIUS, abs=0.01)


def test_many_at_once_are_what_each_is_alone():
    problems = sample_problems(ControlConfig(), 4, rng=np.random.default_rng(0))
    rng = np.random.default_rng(1)
    worlds, forces = ParticleWorlds(problems), rng.uniform(-1, 1, (20, 4, 3, 2))
    states = np.repeat(worlds.initial_states[:, None], 3, axis=1)
    for push in forces:
        states, _ = worlds.step(states, push)
    alone = ParticleWorlds(problems[2:3])
    single = alone.initial_states[:, None]
    for push in forces:
        single, _ = alone.step(single, push[2:3, 1:2])
    np.testing.assert_array_equal(states[2, 1], single[0, 0])


@pytest.mark.parametrize("fault", [np.nan, np.inf, 1e12])
def test_a_diverging_simulation_is_reported_and_spoils_no_other(fault):
    worlds = ParticleWorlds(empty_square(2))
    states, forces = np.zeros((2, 3, 4)), np.full((2, 3, 2), 0.5)
    whole, _ = worlds.step(states, forces)
    states[0, 1, 2] = fault
    following, valid = worlds.step(states, forces)
    assert not valid[0, 1]
    assert valid.sum() == 5
    np.testing.assert_array_equal(following[0, 1], states[0, 1])
    others = np.ones((2, 3), dtype=bool)
    others[0, 1] = False
    np.testing.assert_array_equal(following[others], whole[others])


def test_gymnasium_accepts_the_environment():
    import gymnasium
    from gymnasium.utils.env_checker import check_env

    environment = gymnasium.make("vinlab.envs:vinlab/ParticleControl-v0")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*(render|infinity|Box).*")
        check_env(environment.unwrapped, skip_render_check=True)
    _, info = environment.reset(seed=3)
    _, reward, ended, _, after = environment.step(np.zeros(2))
    assert reward == pytest.approx(-0.5 * after["distance"] ** 2)
    assert after["distance"] == pytest.approx(info["distance"], abs=1e-3)
    assert not ended


def test_without_mujoco_one_sentence_says_what_to_install():
    code = (
        "import sys; sys.modules['mujoco'] = None\n"
        "import importlib.util as u; find = u.find_spec\n"
        "u.find_spec = lambda name, *rest: None if name == 'mujoco' else find(name, *rest)\n"
        "from vinlab.cli import main; main(['train', 'control/vin', '--budget', 'smoke', '--out', '/nonexistent'])"
    )
    assert importlib.util.find_spec("mujoco")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1
    said = [line for line in done.stderr.splitlines() if line.startswith("vinlab:")]
    assert len(said) == 1
    assert "pip install mujoco (vinlab's extra 'control')" in said[0]
    assert "Traceback" not in done.stderr
