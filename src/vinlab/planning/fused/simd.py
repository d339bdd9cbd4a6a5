"""Short vectors of floats in numba code.

LLVM vectorises the loops of value iteration badly by itself, so the kernels use explicit vectors. They are LLVM's own
and become AVX, NEON or plain instructions. Indices into flat arrays are not checked and need no alignment.
"""

from typing import Final, no_type_check

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import models, register_model

from vinlab.planning.compiled import intrinsic

CONTRACT: Final = ("contract",)
"""Products and sums may be fused; nothing else is reordered, and NaN stays NaN."""


@no_type_check
class Lanes(types.Type):
    """The numba type of a vector of ``width`` floats."""

    def __init__(self, width):
        self.width = width
        super().__init__(name=f"Lanes({width})")


@no_type_check
@register_model(Lanes)
class LanesModel(models.PrimitiveModel):
    """Lanes are one LLVM vector."""

    def __init__(self, manager, lanes):
        super().__init__(manager, lanes, ir.VectorType(ir.FloatType(), lanes.width))


@no_type_check
def _pointer(context, builder, signature, arguments, element, width):
    """A vector pointer to ``array[index]``."""
    data = cgutils.create_struct_proxy(signature.args[0])(context, builder, arguments[0]).data
    return builder.bitcast(builder.gep(data, [arguments[1]]), ir.VectorType(element, width).as_pointer())


@no_type_check
def _loader(width):
    @intrinsic
    def load(typing_context, array, index):
        """The lanes from ``array[index]`` on."""

        def generate(context, builder, signature, arguments):
            pointer = _pointer(context, builder, signature, arguments, ir.FloatType(), width)
            return builder.load(pointer, align=4)

        return Lanes(width)(array, types.intp), generate

    return load


@no_type_check
def _spreader(width):
    @intrinsic
    def spread(typing_context, number):
        """The same number in every lane."""

        def generate(context, builder, signature, arguments):
            nothing = ir.Constant(ir.VectorType(ir.FloatType(), width), ir.Undefined)
            zeros = ir.Constant(ir.VectorType(ir.IntType(32), width), [0] * width)
            first = builder.insert_element(nothing, arguments[0], ir.Constant(ir.IntType(32), 0))
            return builder.shuffle_vector(first, nothing, zeros)

        return Lanes(width)(types.float32), generate

    return spread


@no_type_check
def _joiner(operation):
    @intrinsic
    def join(typing_context, left, right):
        """Both, lane by lane; a sum contracts with a product beneath it."""

        def generate(context, builder, signature, arguments):
            return getattr(builder, operation)(*arguments, flags=CONTRACT)

        return left(left, left), generate

    return join


load4, load8 = _loader(4), _loader(8)
spread4, spread8 = _spreader(4), _spreader(8)
times, plus = _joiner("fmul"), _joiner("fadd")


@intrinsic
@no_type_check
def store(typing_context, array, index, lanes):
    """Write lanes into ``array`` from ``index`` on."""

    def generate(context, builder, signature, arguments):
        pointer = _pointer(context, builder, signature, arguments, ir.FloatType(), lanes.width)
        builder.store(arguments[2], pointer, align=4)
        return context.get_dummy_value()

    return types.void(array, types.intp, lanes), generate


@intrinsic
@no_type_check
def store_bytes(typing_context, array, index, lanes):
    """Write lanes that hold whole numbers below 256 into an array of bytes."""

    def generate(context, builder, signature, arguments):
        numbers = builder.fptosi(arguments[2], ir.VectorType(ir.IntType(32), lanes.width))
        narrow = builder.trunc(numbers, ir.VectorType(ir.IntType(8), lanes.width))
        builder.store(
            narrow, _pointer(context, builder, signature, arguments, ir.IntType(8), lanes.width), align=1
        )
        return context.get_dummy_value()

    return types.void(array, types.intp, lanes), generate


@intrinsic
@no_type_check
def where_greater(typing_context, left, right, chosen, otherwise):
    """``chosen`` in the lanes where ``left > right`` or either is NaN, ``otherwise`` in the rest."""

    def generate(context, builder, signature, arguments):
        greater = builder.fcmp_unordered(">", arguments[0], arguments[1])
        return builder.select(greater, arguments[2], arguments[3])

    return left(left, left, left, left), generate


@intrinsic
@no_type_check
def total(typing_context, lanes):
    """The sum over the lanes, from first to last."""

    def generate(context, builder, signature, arguments):
        places = [ir.Constant(ir.IntType(32), place) for place in range(lanes.width)]
        numbers = [builder.extract_element(arguments[0], place) for place in places]
        result = numbers[0]
        for number in numbers[1:]:
            result = builder.fadd(result, number)
        return result

    return types.float32(lanes), generate
