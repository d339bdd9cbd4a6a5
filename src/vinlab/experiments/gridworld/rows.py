"""The rows of states that the authors' training reads, and the order in which it reads them."""

from pathlib import Path

import numpy as np
import torch
from jaxtyping import Bool

from vinlab.domains.gridworld.author_data import read_authors_rows
from vinlab.learners.datasets import StateRows
from vinlab.learners.imitation import Order
from vinlab.networks.grid.authors_weights import draw_authors_weights
from vinlab.networks.vin import ValueIterationNetwork
from vinlab.types import MOVE_NAMES, Demonstrations

TRAINING_SHARE = 6 / 7
"""Of the rows; the authors keep the last ones to watch the loss."""


def pack_rows(demonstrations: Demonstrations, length: int, *, rng: np.random.Generator) -> StateRows:
    """The states of each map, shuffled and cut into rows of ``length``, as the authors' script does it.

    Filler repeats the last state of a map. Where one state is missing the script adds a whole row too much.
    """
    owners, chosen = [], []
    for problem, count in enumerate(demonstrations.weights.sum(dim=1).int().tolist()):
        missing = -count % length
        filler = missing + length if missing == 1 else missing
        order = rng.permutation(np.append(np.arange(count), np.full(filler, count - 1)))
        chosen.append(order.reshape(-1, length))
        owners += [problem] * len(chosen[-1])
    owner, state = torch.tensor(owners), torch.from_numpy(np.concatenate(chosen))
    states, moves = (part[owner[:, None], state] for part in (demonstrations.states, demonstrations.moves))
    return StateRows(demonstrations.observations, owner, states, moves, torch.ones(state.shape))


def read_rows(path: Path, demonstrations: Demonstrations, kept: Bool[np.ndarray, " B"]) -> StateRows:
    """The rows of an authors' file that belong to the kept ones of its first maps, which are the demonstrations'."""
    found = read_authors_rows(path)
    of_kept = np.append(kept, False)[np.minimum(found.index, len(kept))]
    owners = (np.cumsum(kept) - 1)[found.index[of_kept]]
    moves = torch.from_numpy(np.eye(len(MOVE_NAMES), dtype=bool)[found.labels[of_kept]])
    states = torch.from_numpy(found.states[of_kept])
    weights = torch.ones(moves.shape[:2])
    return StateRows(demonstrations.observations, torch.from_numpy(owners), states, moves, weights)


def begin_as_authors(network: ValueIterationNetwork, rows: int, batch: int, seed: int) -> Order:
    """Draw the initial weights, and from the same generator the one order of the rows for all epochs.

    Without the rows that would make a batch too small. Seed 0 gives the weights and the order of the authors' script.
    """
    generator = np.random.RandomState(seed)
    draw_authors_weights(network, generator)
    order = generator.permutation(rows)[: rows - rows % batch]
    return lambda epoch: order
