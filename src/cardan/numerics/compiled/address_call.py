"""Calls through addresses in compiled code: of user functions, and of kernels.

The address is data, not code: a loop over a table of addresses is compiled and cached once, whatever functions the
table holds.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.errors import TypingError
from numba.core.typing import signature
from numba.extending import intrinsic

from cardan.numerics.compiled.settings import CHECKED


@intrinsic
def call_address(typingctx, address, z, zdot, out):
    """The status of `f(z, zdot, out)` for the user function at `address`; arrays are contiguous, of float64."""
    if not isinstance(address, types.Integer):
        raise TypingError(f"an address is an integer, not {address}")
    for array in (z, zdot, out):
        if not (isinstance(array, types.Array) and array.dtype == types.float64 and array.layout == "C"):
            raise TypingError(f"a user function takes contiguous arrays of float64, not {array}")

    def emit(context, builder, sig, args):
        pointers = [
            context.make_array(kind)(context, builder, value=code).data
            for kind, code in zip(sig.args[1:], args[1:], strict=True)
        ]
        prototype = ir.FunctionType(ir.IntType(32), [ir.DoubleType().as_pointer()] * 3)
        target = builder.inttoptr(args[0], cgutils.voidptr_t)
        status = builder.call(builder.bitcast(target, prototype.as_pointer()), pointers)
        return builder.sext(status, ir.IntType(64))

    return signature(types.int64, types.uint64, z, zdot, out), emit


def _call_pointer(typingctx, address, arguments):
    """The status of the kernel at `address`, called with a tuple of arguments of the types it was compiled for."""
    kinds = tuple(arguments)

    def emit(context, builder, sig, args):
        prototype = context.call_conv.get_function_type(types.int64, kinds)
        target = builder.inttoptr(args[0], prototype.as_pointer())
        values = [builder.extract_value(args[1], k) for k in range(len(kinds))]
        status, result = context.call_conv.call_function(builder, target, types.int64, kinds, values)
        if CHECKED:  # the only exception that a kernel raises: an index outside its array
            with cgutils.if_unlikely(builder, status.is_error):
                context.call_conv.return_status_propagate(builder, status)
        return result

    return signature(types.int64, types.uint64, arguments), emit


call_pointer: Any = intrinsic(_call_pointer)
