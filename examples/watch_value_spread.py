"""Draw the value after 1 to 30 backups: python examples/watch_value_spread.py [FILE.png]"""

import sys

import numpy as np
import torch
from matplotlib.figure import Figure

from vinlab import move_kernels
from vinlab.domains.gridworld.problem import GridworldConfig, sample_problems
from vinlab.figures import maps, style
from vinlab.figures.save import save_figure
from vinlab.planning.grid import values_by_iteration

ITERATIONS = (1, 3, 6, 12, 18, 30)


def values_of(obstacles: np.ndarray, goal: np.ndarray) -> np.ndarray:
    """The value after each backup, with fixed kernels: action m reads the cell that move m leads to."""
    reward = torch.zeros(1, 1, *obstacles.shape)
    reward[0, 0, *goal] = 1.0
    reward[0, 0][torch.from_numpy(obstacles) == 1] = -100.0  # lower than the return of any path
    kernels = move_kernels(actions=8, discount=0.9, std=0.0)
    return values_by_iteration(reward, kernels, max(ITERATIONS))[:, 0, 0].numpy()


def draw(obstacles: np.ndarray, goal: np.ndarray, values: np.ndarray) -> Figure:
    """One panel for each K; cells without a value yet are pale, obstacles dark."""
    side, gap = 1.5, 0.12
    figure = style.new_figure(len(ITERATIONS) * (side + gap) + gap, side + 0.42)
    for index, iterations in enumerate(ITERATIONS):
        axes = style.place(figure, gap + index * (side + gap), 0.3, side, side)
        value = values[iterations - 1]
        maps.draw_field(axes, value, style.VALUE_COLOURS, hidden=(obstacles == 1) | (value <= 0))
        walls = np.ma.masked_equal(obstacles, 0)
        axes.imshow(walls, cmap="gray", vmin=0, vmax=4, interpolation="nearest")
        maps.draw_ends(axes, (obstacles.shape[0], obstacles.shape[1]), None, goal)
        axes.set_title(f"K = {iterations}", size=style.LABEL_SIZE, color=style.INK, pad=4)
    return figure


def main(out: str = "value_spread.png") -> None:
    problems = sample_problems(GridworldConfig(size=28), 1, rng=np.random.default_rng(11))
    obstacles, goal = problems.obstacles[0], problems.goals[0]
    values = values_of(obstacles, goal)
    for iterations in ITERATIONS:
        reached = (values[iterations - 1] > 0)[obstacles == 0].mean()
        print(f"K = {iterations:2d}: the goal's value has reached {reached:.0%} of the free cells")
    print(f"Figure written to {save_figure(draw(obstacles, goal, values), out)}.")


if __name__ == "__main__":
    main(*sys.argv[1:])
