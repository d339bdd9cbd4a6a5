"""The eight cells around one, read three at a time as vectors of LLVM, for sweeps over graded grids.

A sweep spends its time here: read one by one, the eight neighbours take twice as long. Sums are those of the search, in
the same order, so the results are equal to the last bit. Importing this file imports numba.
"""

from typing import no_type_check

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils

from vinlab.planning.compiled import intrinsic

LANES = 4
"""Three cells of a row, and one beside them that is left out by an infinite weight."""

NUMBER, PLACE = ir.DoubleType(), ir.IntType(32)
VECTOR = ir.VectorType(NUMBER, LANES)
INFINITE = ir.Constant(NUMBER, np.inf)
ALL_INFINITE = ir.Constant(VECTOR, [np.inf] * LANES)


@no_type_check
def _around(cutting):
    @intrinsic
    def around(typing_context, distance, cells, cell, width, half, slant):
        """The lowest cost to go of a cell by itself and those around it, and whether it serves one of them better.

        ``half`` and ``slant`` are half the lengths of a straight and of a diagonal move. One that is not reached yet,
        whose cost to go is infinite, is not served.
        """

        def generate(context, builder, signature, arguments):
            known, ground = (_data(context, builder, signature, arguments, place) for place in (0, 1))
            where, weights = _rows(builder, *arguments[2:])
            costs_to_go = [_load(builder, known, place) for place in where]
            costs = [_load(builder, ground, place) for place in where]
            own = _spread(builder, _lane(builder, costs[1], 1))
            pairs = zip(weights, costs, strict=True)
            edges = [builder.fmul(weight, builder.fadd(own, cost)) for weight, cost in pairs]
            if not cutting:
                beside = costs[1], _load(builder, ground, builder.sub(where[1], _whole(1)))
                edges[0] = _without_corners(builder, edges[0], beside[0], _lane(builder, costs[0], 1))
                edges[2] = _without_corners(builder, edges[2], beside[1], _lane(builder, costs[2], 2))
            through = [builder.fadd(*pair) for pair in zip(edges, costs_to_go, strict=True)]
            best = _least(builder, through, _lane(builder, costs_to_go[1], 1))
            serves = _serves(builder, best, edges, costs_to_go)
            return context.make_tuple(builder, signature.return_type, (best, serves))

        result = types.Tuple((types.float64, types.boolean))
        plain = (types.int64, types.int64, types.float64, types.float64)
        return result(distance, cells, *plain), generate

    return around


around_cutting, around_corners = _around(True), _around(False)
"""The same where a diagonal move may pass the corner of a blocked cell, and where it may not."""


@no_type_check
def _rows(builder, cell, width, half, slant):
    """Where the vectors of the three rows begin, none of them outside of the grid, and their weights."""
    above = builder.sub(builder.sub(cell, width), _whole(1))
    below = builder.sub(builder.add(cell, width), _whole(2))
    rows = (slant, half, slant, INFINITE), (half, INFINITE, half, INFINITE), (INFINITE, slant, half, slant)
    return (above, builder.sub(cell, _whole(1)), below), [_vector(builder, row) for row in rows]


@no_type_check
def _without_corners(builder, edges, beside, middle):
    """The edges of a row, infinite for a diagonal move beside a blocked cell.

    That is one with a blocked cell in this row's middle or in the row of the cell itself, as ``beside`` tells.
    """
    blocked = builder.fcmp_ordered("==", builder.fadd(beside, _spread(builder, middle)), ALL_INFINITE)
    return builder.select(blocked, ALL_INFINITE, edges)


@no_type_check
def _least(builder, rows, number):
    """The lowest of all lanes and one number."""
    lowest = _lower(builder, _lower(builder, rows[0], rows[1]), rows[2])
    for swapped in ([2, 3, 0, 1], [1, 0, 3, 2]):
        places = ir.Constant(ir.VectorType(PLACE, LANES), swapped)
        lowest = _lower(builder, lowest, builder.shuffle_vector(lowest, lowest, places))
    return _lower(builder, _lane(builder, lowest, 0), number)


@no_type_check
def _serves(builder, best, edges, costs_to_go):
    """Whether a neighbour that has a cost to go would have a lower one through the cell."""
    own, found = _spread(builder, best), []
    for edge, known in zip(edges, costs_to_go, strict=True):
        better = builder.fcmp_ordered("<", builder.fadd(edge, own), known)
        found.append(builder.and_(better, builder.fcmp_ordered("<", known, ALL_INFINITE)))
    lanes = builder.bitcast(builder.or_(builder.or_(found[0], found[1]), found[2]), ir.IntType(LANES))
    return builder.icmp_unsigned("!=", lanes, ir.Constant(ir.IntType(LANES), 0))


@no_type_check
def _lower(builder, left, right):
    """The lower of two numbers, lane by lane; there is no NaN among costs."""
    return builder.select(builder.fcmp_ordered("<", left, right, flags=("nnan",)), left, right)


@no_type_check
def _data(context, builder, signature, arguments, place):
    return cgutils.create_struct_proxy(signature.args[place])(context, builder, arguments[place]).data


@no_type_check
def _load(builder, data, first):
    return builder.load(builder.bitcast(builder.gep(data, [first]), VECTOR.as_pointer()), align=8)


@no_type_check
def _vector(builder, numbers):
    found = ir.Constant(VECTOR, ir.Undefined)
    for place, number in enumerate(numbers):
        found = builder.insert_element(found, number, ir.Constant(PLACE, place))
    return found


@no_type_check
def _spread(builder, number):
    """The same number in every lane."""
    first = builder.insert_element(ir.Constant(VECTOR, ir.Undefined), number, ir.Constant(PLACE, 0))
    return builder.shuffle_vector(first, first, ir.Constant(ir.VectorType(PLACE, LANES), [0] * LANES))


@no_type_check
def _lane(builder, vector, place):
    return builder.extract_element(vector, ir.Constant(PLACE, place))


@no_type_check
def _whole(number):
    return ir.Constant(ir.IntType(64), number)
