"""Types of arguments as text, found without Numba: the key under which a library holds a kernel.

    f8  i8  u8  b1  c16         numbers, by kind and size in bytes
    A2Cwf8                      an array: dimensions, layout (C, F, A), w writable or r read-only, type of its numbers
    B0f3c...                    a block, by the hash of its kind (16 digits)
    O                           a block that the kernel only hands on
    (f8,f8)                     a tuple
    n                           None

`split` takes the text of several arguments apart again; `fits` compares two texts.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cardan.numerics.compiled.block import Block, Opaque


def signature_of(arguments: tuple[Any, ...]) -> str:
    """The types of the arguments, separated by commas; contains "?" where one has no text."""
    return ",".join([type_of(argument) for argument in arguments])


def type_of(value: Any) -> str:
    """The type of one argument as text."""
    if isinstance(value, float):
        return "f8"
    if isinstance(value, bool | np.bool_):
        return "b1"
    if type(value) is int:
        return "i8" if value < 1 << 63 else "u8"
    if isinstance(value, np.ndarray):
        return f"A{value.ndim}{_layout(value)}{'w' if value.flags.writeable else 'r'}{_number_type(value.dtype)}"
    if isinstance(value, Opaque):
        return "O"
    if isinstance(value, Block):
        return f"B{value.block_kind.code:016x}"
    if isinstance(value, tuple):
        return f"({signature_of(value)})"
    if isinstance(value, np.generic):
        return _number_type(value.dtype)
    if isinstance(value, complex):
        return "c16"
    return "n" if value is None else "?"


def _number_type(dtype: np.dtype) -> str:
    """The text of a type of numbers."""
    return f"{dtype.kind}{dtype.itemsize}" if dtype.kind in "fiubc" and dtype.isnative else "?"


def _layout(array: np.ndarray) -> str:
    """C, F or A, as Numba distinguishes them."""
    return "C" if array.flags.c_contiguous else "F" if array.flags.f_contiguous else "A"


def split(signature: str) -> list[str]:
    """The types of a signature, one text each; tuples stay whole."""
    parts, depth, start = [], 0, 0
    for place, character in enumerate(signature):
        depth += (character == "(") - (character == ")")
        if character == "," and depth == 0:
            parts.append(signature[start:place])
            start = place + 1
    return [*parts, signature[start:]] if signature else []


def fits(given: str, wanted: str) -> bool:
    """Whether a kernel for the wanted types takes arguments of those given.

    >>> fits("f8,A2Cwf8", "f8,A2Arf8"), fits("A2Crf8", "A2Cwf8"), fits("i8", "f8")
    (True, False, False)
    """
    ours, theirs = split(given), split(wanted)
    return len(ours) == len(theirs) and all(map(_fits, ours, theirs))


def _fits(given: str, wanted: str) -> bool:
    if given == wanted:
        return True
    if given[0] == "(" == wanted[0]:
        return fits(given[1:-1], wanted[1:-1])
    if given[0] != "A" or wanted[0] != "A" or given[1] != wanted[1] or given[4:] != wanted[4:]:
        return False
    return wanted[2] in (given[2], "A") and wanted[3] in (given[3], "r")
