import numpy as np

from vinlab.navigation.display import display_range


def test_obstacles_do_not_hide_the_differences_between_free_cells():
    obstacles = np.array([[0, 0, 1, 1]])
    assert display_range(np.array([[-2.0, 0.0, -5000.0, 3.0]]), obstacles) == (-4.0, 2.0)
    assert display_range(np.array([[-2.0, 0.0, -3.0, -1.0]]), obstacles) == (-3.0, 0.0)


def test_a_map_without_free_cells_is_shown_whole():
    assert display_range(np.array([[1.0, 4.0]]), np.ones((1, 2))) == (1.0, 4.0)


def test_obstacles_differ_from_free_cells_that_are_all_alike():
    obstacles = np.array([[0, 0, 0, 1]])
    assert display_range(np.array([[-1.0, -1.0, -1.0, -5000.0]]), obstacles) == (-2.0, -1.0)
    assert display_range(np.array([[0.0, 0.0, 0.0, 0.0]]), obstacles) == (0.0, 0.0)
