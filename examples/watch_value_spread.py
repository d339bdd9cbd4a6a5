"""Watch the value spread from the goal, backup by backup: python examples/watch_value_spread.py strip.png"""

import sys

import numpy as np
import torch
from matplotlib.figure import Figure

from vinlab import move_kernels
from vinlab.domains.gridworld.problem import GridworldConfig, sample_problems
from vinlab.figures import maps, save_figure, style
from vinlab.planning.grid import values_by_iteration

MOMENTS = (1, 3, 6, 12, 18, 30)


def values_of(obstacles: np.ndarray, goal: np.ndarray) -> np.ndarray:
    """The value after each backup, by known kernels: action m looks at the cell that move m leads to."""
    reward = torch.zeros(1, 1, *obstacles.shape)
    reward[0, 0, *goal] = 1.0
    reward[0, 0][torch.from_numpy(obstacles) == 1] = -100.0  # no way is worth this much
    kernels = move_kernels(actions=8, discount=0.9, std=0.0)
    return values_by_iteration(reward, kernels, max(MOMENTS))[:, 0, 0].numpy()


def draw(obstacles: np.ndarray, goal: np.ndarray, values: np.ndarray) -> Figure:
    """One panel for each moment; cells that no value has come to stay pale, obstacles dark."""
    side, gap = 1.5, 0.12
    figure = style.new_figure(len(MOMENTS) * (side + gap) + gap, side + 0.42)
    for index, moment in enumerate(MOMENTS):
        axes = style.place(figure, gap + index * (side + gap), 0.3, side, side)
        value = values[moment - 1]
        maps.draw_field(axes, value, style.VALUE_COLOURS, hidden=(obstacles == 1) | (value <= 0))
        walls = np.ma.masked_equal(obstacles, 0)
        axes.imshow(walls, cmap="gray", vmin=0, vmax=4, interpolation="nearest")
        maps.draw_ends(axes, (obstacles.shape[0], obstacles.shape[1]), None, goal)
        axes.set_title(f"K = {moment}", size=style.LABEL_SIZE, color=style.INK, pad=4)
    return figure


def main(out: str = "value_spread.png") -> None:
    problems = sample_problems(GridworldConfig(size=28), 1, rng=np.random.default_rng(11))
    obstacles, goal = problems.obstacles[0], problems.goals[0]
    values = values_of(obstacles, goal)
    for moment in MOMENTS:
        reached = (values[moment - 1] > 0)[obstacles == 0].mean()
        print(f"K = {moment:2d}: the goal is known in {reached:.0%} of the free cells")
    print(f"Drawn in {save_figure(draw(obstacles, goal, values), out)}.")


if __name__ == "__main__":
    main(*sys.argv[1:])
