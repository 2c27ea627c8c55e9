"""Memory of many arrays as one image: copied at once, and single numbers written to their addresses, in machine code.

image = MemoryImage(arrays)            the numbers of all arrays, as they are now
image.restore()                        put them back
restore_memory(image.tables)           the same in a kernel
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from cardan.numerics.compiled.block import OPAQUE, block
from cardan.numerics.compiled.jit import COMPILED, kernel


class ImageTables(NamedTuple):
    """Where the arrays are, and the image."""

    address: np.ndarray  # uint64[arrays]
    first: np.ndarray  # int64[arrays]: where each begins in the image
    size: np.ndarray  # int64[arrays]: in bytes
    image: np.ndarray  # uint8


class MemoryImage:
    """The numbers of arrays, which must stay where they are."""

    def __init__(self, arrays: Sequence[np.ndarray]) -> None:
        self.arrays = list(arrays)
        sizes = np.array([array.nbytes for array in arrays], np.int64)
        self.tables: Any = block(
            ImageTables(
                address=np.array([array.ctypes.data for array in arrays], np.uint64),
                first=np.cumsum([0, *sizes[:-1]]).astype(np.int64),
                size=sizes,
                image=np.frombuffer(b"".join(array.tobytes() for array in arrays), np.uint8).copy(),
            )
        )

    def restore(self) -> None:
        """Put the numbers back."""
        restore_memory(self.tables)


if COMPILED:
    from llvmlite import ir
    from numba import types
    from numba.core import cgutils
    from numba.core.typing import signature
    from numba.extending import intrinsic

    def _copy_bytes(typingctx, address, source, first, count):
        """Copy bytes of an array from `first` on to an address."""

        def emit(context, builder, sig, args):
            data = context.make_array(sig.args[1])(context, builder, args[1]).data
            target = builder.inttoptr(args[0], ir.IntType(8).as_pointer())
            cgutils.raw_memcpy(builder, target, builder.gep(data, [args[2]]), args[3], 1)
            return context.get_dummy_value()

        return signature(types.void, types.uint64, source, types.int64, types.int64), emit

    def _store_number(typingctx, address, value):
        """Write a real number to an address."""

        def emit(context, builder, sig, args):
            builder.store(args[1], builder.inttoptr(args[0], ir.DoubleType().as_pointer()))
            return context.get_dummy_value()

        return signature(types.void, types.uint64, types.float64), emit

    def _block_at(typingctx, address):
        """The block at an address, to be handed on to a kernel that is called through a pointer."""

        def emit(context, builder, sig, args):
            return args[0]

        return signature(OPAQUE, types.uint64), emit

    block_at: Any = intrinsic(_block_at)
    copy_bytes: Any = intrinsic(_copy_bytes)
    store_number: Any = intrinsic(_store_number)
else:

    def block_at(address):
        """Plain Python has no addresses of blocks."""
        raise NotImplementedError

    def copy_bytes(address, source, first, count):
        """Copy bytes of an array from `first` on to an address."""
        ctypes.memmove(int(address), source.ctypes.data + int(first), int(count))

    def store_number(address, value):
        """Write a real number to an address."""
        ctypes.c_double.from_address(int(address)).value = value


@kernel
def restore_memory(tables):
    """Copy the image back to where it was taken."""
    for k in range(tables.address.shape[0]):
        copy_bytes(tables.address[k], tables.image, tables.first[k], tables.size[k])
