"""A car that cannot turn on the spot: a state lattice of 16 headings is a table of moves.

It drives straight ahead or along a gentle arc to the next heading on either side, never backwards, and is planned to
the fixed point from every state at once: python examples/dubins_car.py [SIDE]
"""

import sys

import numpy as np
import torch

from vinlab.domains.motion.environment import possible_moves
from vinlab.figures.headings import headings_figure
from vinlab.figures.save import save_figure
from vinlab.planning.layered_search import LayeredCostMap, LayeredShortestPathPlanner
from vinlab.planning.moves import HEADINGS, LayeredMoves

STEPS = np.array([step for _, step in HEADINGS])
NAMES = [name for name, _ in HEADINGS]
COUNT = len(NAMES)


def dubins_table() -> LayeredMoves:
    """Straight ahead, or an arc: a step along the heading, and after it one along the next heading."""
    own = np.arange(COUNT)
    turned = {"straight": own, "left": (own - 1) % COUNT, "right": (own + 1) % COUNT}
    offsets = np.stack([STEPS, STEPS + STEPS[turned["left"]], STEPS + STEPS[turned["right"]]], axis=1)
    layers = np.stack(list(turned.values()), axis=1)
    return LayeredMoves.of(layers, offsets, layer_names=NAMES, action_names=list(turned), directions=STEPS)


def parking_lot(side: int) -> np.ndarray:
    """Two walls with a gap at opposite ends."""
    obstacles = np.zeros((1, side, side), np.uint8)
    obstacles[0, side // 3, : 2 * side // 3] = 1
    obstacles[0, 2 * side // 3, side // 3 :] = 1
    return obstacles


def main(side: int) -> None:
    moves, obstacles = dubins_table(), parking_lot(side)
    allowed = torch.from_numpy(possible_moves(obstacles, moves))
    goal = (2, 2, NAMES.index("N"))
    terminals = torch.zeros(1, COUNT, side, side, dtype=torch.bool)
    terminals[0, goal[2], goal[0], goal[1]] = True
    lengths = torch.from_numpy(moves.lengths)[None, :, :, None, None].expand(allowed.shape)
    plan = LayeredShortestPathPlanner()(LayeredCostMap(lengths, terminals, allowed), moves)

    state = (side - 3, side - 3, NAMES.index("N"))
    states, value = [state], plan.value[0, state[2], state[0], state[1]]
    while state != goal:
        row, col, heading = state
        action = int(plan.moves[0, heading, row, col])
        assert action >= 0, "no path leads to the goal"
        down, right = moves.offsets[heading, action]
        state = (row + int(down), col + int(right), int(moves.layers[heading, action]))
        states.append(state)
    share = float((plan.value > -1e29)[:, :, torch.from_numpy(obstacles[0] == 0)].float().mean())
    print(f"{len(states) - 1} moves of length {-value:.2f}; {share:.1%} of all free states reach the goal.")
    figure = headings_figure(obstacles[0], np.array(states), STEPS, goal=np.array(goal), title="16 headings")
    print(f"Drawn in {save_figure(figure, 'dubins.png')}.")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 40)
