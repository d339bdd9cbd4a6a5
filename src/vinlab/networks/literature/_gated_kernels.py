"""The compiled parts of ``gated.py``; imported on first use, as numba is slow to load."""

import numpy as np

from vinlab.planning.compiled import compiled


@compiled(fastmath=True)
def fold(sent, bias, read):
    """What each cell reads: the sum of what the cells of its window send to it, ``sent[place in window, B, H, W]``."""
    places, batch, rows, cols = sent.shape
    width = int(np.sqrt(places))
    reach = width // 2
    framed = np.empty((rows + 4 * reach, cols + 4 * reach), np.float32)
    for index in range(batch):
        framed[:] = bias
        for place in range(places):
            down, right = 2 * reach - place // width, 2 * reach - place % width
            for row in range(rows):
                target, source = framed[row + down, right : right + cols], sent[place, index, row]
                for col in range(cols):
                    target[col] += source[col]
        read[index] = framed[reach : reach + rows, reach : reach + cols]


@compiled
def unfold(read, sent):
    """The gradient of ``fold``: each cell sends its gradient to all cells of its window."""
    places, batch, rows, cols = sent.shape
    width = int(np.sqrt(places))
    reach = width // 2
    framed = np.zeros((rows + 4 * reach, cols + 4 * reach), np.float32)
    for index in range(batch):
        framed[reach : reach + rows, reach : reach + cols] = read[index]
        for place in range(places):
            down, right = 2 * reach - place // width, 2 * reach - place % width
            for row in range(rows):
                target, source = sent[place, index, row], framed[row + down, right : right + cols]
                for col in range(cols):
                    target[col] = source[col]


@compiled(fastmath=True)
def update_cell(gates, cell, updated):
    """``forget * cell + enter * change``; tanh(x) is 2 sigmoid(2 x) - 1, and the gates hold that sigmoid."""
    units, states = cell.shape
    one, two = np.float32(1), np.float32(2)
    for unit in range(units):
        enter, forget, change = gates[unit], gates[units + unit], gates[2 * units + unit]
        before, after = cell[unit], updated[unit]
        for state in range(states):
            after[state] = forget[state] * before[state] + enter[state] * (two * change[state] - one)


@compiled(fastmath=True)
def update_hidden(gates, squashed, hidden):
    """``leave * tanh(cell)``, from the sigmoid of twice the cell."""
    units, states = squashed.shape
    one, two = np.float32(1), np.float32(2)
    for unit in range(units):
        leave, inner, after = gates[3 * units + unit], squashed[unit], hidden[unit]
        for state in range(states):
            after[state] = leave[state] * (two * inner[state] - one)


@compiled(fastmath=True)
def backpropagate_update(gates, squashed, cell, to_hidden, to_cell, to_gates):
    """The gradient of one update with respect to the gates before their sigmoid and, in place, to the cell."""
    units, states = cell.shape
    one, two = np.float32(1), np.float32(2)
    for unit in range(units):
        enter, forget = gates[unit], gates[units + unit]
        change, leave = gates[2 * units + unit], gates[3 * units + unit]
        for state in range(states):
            inner, step = two * squashed[unit, state] - one, two * change[state] - one
            outer = to_hidden[unit, state]
            through = to_cell[unit, state] + outer * leave[state] * (one - inner * inner)
            to_gates[unit, state] = through * step * enter[state] * (one - enter[state])
            to_gates[units + unit, state] = (
                through * cell[unit, state] * forget[state] * (one - forget[state])
            )
            to_gates[2 * units + unit, state] = (
                through * enter[state] * two * change[state] * (one - change[state])
            )
            to_gates[3 * units + unit, state] = outer * inner * leave[state] * (one - leave[state])
            to_cell[unit, state] = through * forget[state]
