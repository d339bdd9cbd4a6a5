"""The compiled kernels behind ``pooled_filters.py``. Importing this file imports numba.

Maps are mostly zeros (free cells, and a goal in one of them), so a filter's response is summed over the entries that
are not zero. Eight filters are computed at a time, and ``lanes``, the number of filters, is a multiple of eight.
"""

import numpy as np

from vinlab.planning.compiled import compiled, compiled_part
from vinlab.planning.fused.simd import load8, plus, spread8, store, times, where_greater


@compiled
def pool_responses(first, last, image, filters, bias, width, factor, pooled, winners):
    """The largest response of each filter in each block, and the place of its cell in the block.

    ``filters [C*F*F K]`` belong to ``image [B C H W]``; ``pooled`` and ``winners`` are ``[B h w K]``. Of equal
    responses the first one wins.
    """
    lanes, places = len(bias), factor * factor
    taps, entries, counts = _lists_of_entries(places, len(filters))
    weights, responses, places_won = filters.ravel(), pooled.ravel(), winners.ravel()
    for problem in range(first, last):
        for row in range(pooled.shape[1]):
            for col in range(pooled.shape[2]):
                start = ((problem * pooled.shape[1] + row) * pooled.shape[2] + col) * lanes
                _find_entries(image[problem], row, col, width, factor, taps, entries, counts)
                for lane in range(0, lanes, 8):
                    best, winner = spread8(np.float32(np.nan)), spread8(np.float32(0))
                    for place in range(places):
                        if counts[place] >= 0:
                            response = load8(bias, lane)
                            for found in range(counts[place]):
                                entry = spread8(entries[place, found])
                                weight = load8(weights, taps[place, found] * lanes + lane)
                                response = plus(times(entry, weight), response)
                            winner = where_greater(response, best, spread8(np.float32(place)), winner)
                            best = where_greater(response, best, response, best)
                    store(responses, start + lane, best)
                    store(places_won, start + lane, winner)


@compiled
def send_to_filters(share, first, last, image, gradient, winners, width, factor, found):
    """The gradient of the filters, summed over a share of the problems: through the winning cells alone."""
    lanes, places = gradient.shape[3], factor * factor
    taps, entries, counts = _lists_of_entries(places, found.shape[1])
    total, sent, places_won = found[share].ravel(), gradient.ravel(), winners.ravel()
    for problem in range(first, last):
        for row in range(gradient.shape[1]):
            for col in range(gradient.shape[2]):
                start = ((problem * gradient.shape[1] + row) * gradient.shape[2] + col) * lanes
                _find_entries(image[problem], row, col, width, factor, taps, entries, counts)
                for lane in range(0, lanes, 8):
                    pulled, winner = load8(sent, start + lane), load8(places_won, start + lane)
                    for place in range(places):
                        won = _where_equal(winner, np.float32(place), pulled)
                        for number in range(counts[place]):
                            at = taps[place, number] * lanes + lane
                            entry = spread8(entries[place, number])
                            store(total, at, plus(times(entry, won), load8(total, at)))


@compiled_part
def _where_equal(lanes, number, chosen):
    """``chosen`` in the lanes that hold the whole number, zero in the rest."""
    zero, half = spread8(np.float32(0)), np.float32(0.5)
    up_to = where_greater(spread8(number + half), lanes, chosen, zero)
    return where_greater(lanes, spread8(number - half), up_to, zero)


@compiled_part
def _lists_of_entries(places, taps):
    """For each cell of a block: which entries of the filters meet something, what they meet, and how many there are."""
    return np.empty((places, taps), np.intp), np.empty((places, taps), np.float32), np.empty(places, np.intp)


@compiled_part
def _find_entries(image, row, col, width, factor, taps, entries, counts):
    """Fill the lists for the cells of a block; a cell outside the map has -1 entries."""
    reach = width // 2
    for place in range(factor * factor):
        down, right = row * factor + place // factor - reach, col * factor + place % factor - reach
        outside = down + reach >= image.shape[1] or right + reach >= image.shape[2]
        counts[place] = -1 if outside else 0
        for channel in range(0 if outside else len(image)):
            for above in range(max(0, -down), min(width, image.shape[1] - down)):
                for left in range(max(0, -right), min(width, image.shape[2] - right)):
                    entry = image[channel, down + above, right + left]
                    if entry != 0:
                        taps[place, counts[place]] = (channel * width + above) * width + left
                        entries[place, counts[place]] = entry
                        counts[place] += 1
