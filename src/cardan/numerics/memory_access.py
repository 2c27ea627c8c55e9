"""Memory at addresses in compiled code."""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typing import signature
from numba.extending import intrinsic

from cardan.numerics.compiled.block import OPAQUE
from cardan.numerics.compiled.block_type import block_type


@intrinsic
def copy_bytes(typingctx, address, source, first, count):
    """Copy bytes of an array from `first` on to an address."""

    def emit(context, builder, sig, args):
        data = context.make_array(sig.args[1])(context, builder, args[1]).data
        target = builder.inttoptr(args[0], ir.IntType(8).as_pointer())
        cgutils.raw_memcpy(builder, target, builder.gep(data, [args[2]]), args[3], 1)
        return context.get_dummy_value()

    return signature(types.void, types.uint64, source, types.int64, types.int64), emit


@intrinsic
def store_number(typingctx, address, value):
    """Write a real number to an address."""

    def emit(context, builder, sig, args):
        builder.store(args[1], builder.inttoptr(args[0], ir.DoubleType().as_pointer()))
        return context.get_dummy_value()

    return signature(types.void, types.uint64, types.float64), emit


@intrinsic
def block_at(typingctx, address):
    """The block at an address, to be handed on to a kernel that is called through a pointer."""

    def emit(context, builder, sig, args):
        return args[0]

    return signature(block_type(OPAQUE), types.uint64), emit
