"""Compiled value iteration to its fixed point where actions lead to several cells, and the gradient back.

Cells are visited in the order of a search in which every action leads to its most probable cell, so that most of what
a backup reads is already new; the gradient visits them in the opposite order. What would lead off the map or to a
cell without a path stays where it is. Importing this file imports numba.
"""

import numpy as np

from vinlab.planning.compiled import compiled, compiled_part
from vinlab.planning.costs import NO_MOVE, UNREACHABLE


@compiled
def settle_maps(
    first, last, share, kernels, offsets, moves, order, counts, values, policy, tolerance, most, changes
):
    """Back up the ``values [B N]`` in place until no backup changes one by more than the tolerance.

    ``share [B A H W]`` is what the reward adds to q, ``kernels [A K]`` the probability of each of the cells at
    ``offsets [K 2]``, ``moves [A 2]`` the offset of each action's most probable cell. ``policy`` is set to the best
    action of every cell, ``changes`` to the largest change in the last sweep, as a share of the value.
    """
    actions, rows, cols = share.shape[1:]
    around = np.empty(len(offsets), np.int64)
    for problem in range(first, last):
        value, chosen = values[problem], policy[problem]
        shares = share[problem].reshape(actions, rows * cols)
        for _ in range(most):
            change = 0.0
            for place in range(counts[problem]):
                cell = order[problem, place]
                if chosen[cell] == NO_MOVE:
                    continue
                _neighbours(cell, rows, cols, offsets, value, around)
                best = -np.inf
                for action in range(actions):
                    if not _is_possible(cell, moves[action], rows, cols, value):
                        continue
                    worth, staying = np.float64(shares[action, cell]), 0.0
                    for tap in range(len(around)):
                        if around[tap] == cell:
                            staying += kernels[action, tap]
                        else:
                            worth += kernels[action, tap] * value[around[tap]]
                    worth = worth / (1.0 - staying) if staying < 1.0 else -np.inf
                    if worth > best:
                        best = worth
                        chosen[cell] = action
                change = max(change, abs(best - value[cell]) / max(1.0, abs(best)))
                value[cell] = best
            changes[problem] = change
            if change <= tolerance:
                break


@compiled_part
def _neighbours(cell, rows, cols, offsets, value, around):
    """The cell at each offset; the cell itself where that is off the map or has no path."""
    row, col = cell // cols, cell % cols
    for tap in range(len(offsets)):
        to_row, to_col = row + offsets[tap, 0], col + offsets[tap, 1]
        around[tap] = cell
        if 0 <= to_row < rows and 0 <= to_col < cols:
            there = to_row * cols + to_col
            if value[there] > -np.inf:
                around[tap] = there


@compiled_part
def _is_possible(cell, offset, rows, cols, value):
    """Whether a move by the offset stays on the map and leads to a cell with a path."""
    row, col = cell // cols + offset[0], cell % cols + offset[1]
    return 0 <= row < rows and 0 <= col < cols and value[row * cols + col] > -np.inf


@compiled
def read_uncertain_maps(first, last, share, kernels, offsets, moves, values, q, value):
    """Fill q ``[B A H W]`` and value ``[B 1 H W]`` from the settled values."""
    actions, rows, cols = share.shape[1:]
    around = np.empty(len(offsets), np.int64)
    for problem in range(first, last):
        settled = values[problem]
        for cell in range(rows * cols):
            row, col = cell // cols, cell % cols
            value[problem, 0, row, col] = settled[cell] if settled[cell] > -np.inf else UNREACHABLE
            q[problem, :, row, col] = UNREACHABLE
            if settled[cell] == -np.inf:
                continue
            _neighbours(cell, rows, cols, offsets, settled, around)
            for action in range(actions):
                if _is_possible(cell, moves[action], rows, cols, settled):
                    worth = np.float64(share[problem, action, row, col])
                    for tap in range(len(around)):
                        worth += kernels[action, tap] * settled[around[tap]]
                    q[problem, action, row, col] = worth


@compiled
def send_back_uncertain_maps(
    share,
    first,
    last,
    q_gradient,
    value_gradient,
    q,
    values,
    policy,
    kernels,
    offsets,
    order,
    counts,
    tolerance,
    most,
    gradient,
    sums,
    changes,
):
    """The gradients of the reward's share and of the kernels; those of a share of the problems are added up.

    The gradient of the values solves the transposed equations of the greedy policy, sweep by sweep from the farthest
    cell on, until a sweep changes nothing by more than the tolerance, as a share of the largest.
    """
    actions, rows, cols = q.shape[1:]
    around = np.empty(len(offsets), np.int64)
    for problem in range(first, last):
        settled, chosen = values[problem], policy[problem]
        by_cell = gradient[problem].reshape(actions, rows * cols)
        _read_gradients(q_gradient[problem], q[problem], by_cell)
        arriving = value_gradient[problem].astype(np.float64).ravel()
        _through_q(by_cell, settled, kernels, offsets, rows, cols, around, arriving)
        flowing = np.zeros(rows * cols)
        for _ in range(most):
            changes[problem] = _flow_back(
                arriving,
                flowing,
                chosen,
                settled,
                kernels,
                offsets,
                order[problem],
                counts[problem],
                rows,
                cols,
            )
            if changes[problem] <= tolerance:
                break
        for cell in range(rows * cols):
            if chosen[cell] != NO_MOVE:
                by_cell[chosen[cell], cell] += flowing[cell]
        _add_kernel_gradients(by_cell, settled, offsets, rows, cols, around, sums[share])


@compiled_part
def _read_gradients(q_gradient, q, by_cell):
    """The gradient of q where a move is possible, nothing elsewhere."""
    actions, rows, cols = q.shape
    for action in range(actions):
        for row in range(rows):
            for col in range(cols):
                possible = q[action, row, col] > UNREACHABLE / 2
                by_cell[action, row * cols + col] = q_gradient[action, row, col] if possible else 0.0


@compiled_part
def _through_q(by_cell, settled, kernels, offsets, rows, cols, around, arriving):
    """Add to the gradient of the values what comes through q."""
    for cell in range(rows * cols):
        if settled[cell] == -np.inf:
            continue
        _neighbours(cell, rows, cols, offsets, settled, around)
        for action in range(len(by_cell)):
            for tap in range(len(around)):
                arriving[around[tap]] += kernels[action, tap] * by_cell[action, cell]


@compiled_part
def _flow_back(arriving, flowing, chosen, settled, kernels, offsets, order, count, rows, cols):
    """One sweep of the transposed equations; the largest change as a share of the largest gradient."""
    change, largest = 0.0, 0.0
    for place in range(count - 1, -1, -1):
        cell = order[place]
        if chosen[cell] == NO_MOVE:
            continue
        row, col = cell // cols, cell % cols
        total, staying = arriving[cell], 0.0
        for tap in range(len(offsets)):
            down, right = offsets[tap, 0], offsets[tap, 1]
            if not (0 <= row + down < rows and 0 <= col + right < cols) or (
                settled[(row + down) * cols + col + right] == -np.inf
            ):
                staying += kernels[chosen[cell], tap]
            if not (0 <= row - down < rows and 0 <= col - right < cols):
                continue
            source = (row - down) * cols + col - right
            if source == cell:
                staying += kernels[chosen[cell], tap]
            elif chosen[source] != NO_MOVE:
                total += kernels[chosen[source], tap] * flowing[source]
        total /= 1.0 - staying
        change = max(change, abs(total - flowing[cell]))
        largest = max(largest, abs(total))
        flowing[cell] = total
    return change / largest if largest > 0.0 else 0.0


@compiled_part
def _add_kernel_gradients(by_cell, settled, offsets, rows, cols, around, sums):
    """Add the gradient of the kernels: of each probability, the value of the cell that it leads to."""
    for cell in range(rows * cols):
        if settled[cell] == -np.inf:
            continue
        _neighbours(cell, rows, cols, offsets, settled, around)
        for action in range(len(by_cell)):
            for tap in range(len(around)):
                sums[action, tap] += by_cell[action, cell] * settled[around[tap]]
