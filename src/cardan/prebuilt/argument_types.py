"""Types of the arguments of kernels: from their text in a signature to those of LLVM and Numba."""

from __future__ import annotations

from typing import Any

from cardan.numerics.compiled.block import OPAQUE, _kinds
from cardan.numerics.compiled.signature import split
from cardan.prebuilt.link import words_of


def words_of_all(signature: str) -> list[str]:
    """The LLVM types of all words of the arguments of a kernel."""
    return [word for argument in split(signature) for word in words_of(argument)]


def numba_type(text: str) -> Any:
    """The type of an argument from its text in a signature."""
    from numba.core import types

    from cardan.numerics.compiled.block_type import block_type

    if text == "O":
        return block_type(OPAQUE)
    if text[0] == "B":
        code = int(text[1:], 16)
        return block_type(next(kind for kind in _kinds.values() if kind.code == code))
    if text[0] == "A":
        return types.Array(numba_type(text[4:]), int(text[1]), text[2], readonly=text[3] == "r")
    if text[0] == "(":
        return types.Tuple([numba_type(part) for part in split(text[1:-1])])
    names = {"f8": "float64", "i8": "int64", "u8": "uint64", "i4": "int32", "u4": "uint32", "b1": "boolean"}
    names |= {"c16": "complex128", "n": "none", "u1": "uint8", "i1": "int8"}
    return getattr(types, names[text])
