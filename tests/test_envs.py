"""All environments are made by their id, draw themselves, and pass Gymnasium's checker with rendering."""

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import vinlab
from vinlab.domains.gridworld.gymnasium_env import GridWorldEnvironment
from vinlab.envs import ENVIRONMENTS


@pytest.mark.filterwarnings("ignore:.*(infinity|Box).*")
@pytest.mark.parametrize("id", ENVIRONMENTS)
@pytest.mark.parametrize("mode", ["rgb_array", "ansi"])
def test_an_environment_is_made_by_its_id_and_passes_the_checker(id, mode):
    environment = gymnasium.make(f"vinlab.envs:{id}", render_mode=mode)
    check_env(environment.unwrapped)
    environment.reset(seed=0)
    assert isinstance(environment.render(), np.ndarray if mode == "rgb_array" else str)


@pytest.mark.parametrize("id", ["vinlab/GridWorld-v0", "vinlab/HoleWorld-v0"])
def test_options_of_the_maps_are_given_by_name(id):
    vinlab.register_environments()
    environment = gymnasium.make(id, size=(6, 9), corner_cutting=False)
    seen, _ = environment.reset(seed=1)
    assert seen["image"].shape == (2, 6, 9)
    with pytest.raises(vinlab.InputError, match=r"expected options of the maps .*, got sise"):
        gymnasium.make(id, sise=6)


def test_text_and_image_show_walls_goal_and_state():
    environment = gymnasium.make("vinlab.envs:vinlab/GridWorld-v0", render_mode="ansi", size=8)
    seen, _ = environment.reset(seed=3)
    rows = environment.render().splitlines()
    obstacles, goal = seen["image"][0] == 1, np.argwhere(seen["image"][1])[0]
    assert rows[seen["position"][0]][seen["position"][1]] == "A"
    assert rows[goal[0]][goal[1]] == "G"
    assert sum(row.count("#") for row in rows) == obstacles.sum()
    drawn = gymnasium.make("vinlab.envs:vinlab/GridWorld-v0", render_mode="rgb_array", size=8)
    drawn.reset(seed=3)
    image = drawn.render()
    assert image.shape == (128, 128, 3)
    corners = image[::16, ::16]
    assert (corners[obstacles] == corners[0, 0]).all()
    assert not (corners[~obstacles] == corners[0, 0]).all(axis=-1).any()


def test_many_environments_draw_themselves():
    environments = gymnasium.make_vec(
        "vinlab.envs:vinlab/HoleWorld-v0", num_envs=3, vectorization_mode="vector_entry_point", size=8
    )
    environments.reset(seed=0)
    assert environments.render() == (None, None, None)


def test_an_unknown_way_to_render_is_refused():
    with pytest.raises(vinlab.InputError, match="render_mode: expected rgb_array or ansi, got 'svg'"):
        GridWorldEnvironment(render_mode="svg")
