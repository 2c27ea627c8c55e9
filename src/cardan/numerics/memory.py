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

from cardan.numerics.compiled.block import block
from cardan.numerics.compiled.jit import COMPILED, Intrinsic, kernel


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
    block_at: Any = Intrinsic("cardan.numerics.memory_access", "block_at")
    copy_bytes: Any = Intrinsic("cardan.numerics.memory_access", "copy_bytes")
    store_number: Any = Intrinsic("cardan.numerics.memory_access", "store_number")
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
