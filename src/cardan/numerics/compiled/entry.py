"""The call of prebuilt machine code from Python.

Each overload of a kernel in a library is a C function `int32 f(int64 *words)`: arguments are laid out as 64-bit words
one after the other, the result is written behind them. `Entry` finds the overload that fits the types of the arguments
and lays them out. It is written twice: in C (`entry.c`), and here in Python, slower, for interpreters that cannot load
the extension module. Both check all types at every call.
"""

from __future__ import annotations

import ctypes
import struct
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from cardan.numerics.compiled.signature import fits, signature_of, split


class Overload(NamedTuple):
    """One kernel for arguments of certain types."""

    address: int  # of the function that takes words
    arguments: str  # their types as text
    result: str


class PythonEntry:
    """A callable with overloads; `missing` is called if none fits."""

    def __init__(self) -> None:
        self._overloads: dict[str, tuple[Any, int, str]] = {}

    def add(self, overload: Overload) -> None:
        """Add machine code for arguments of certain types."""
        words = sum(map(_words_of, split(overload.arguments)))
        self._overloads[overload.arguments] = _PROTOTYPE(overload.address), words, overload.result

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        found = None if named or not self._overloads else self._fitting(signature_of(arguments))
        if found is None:
            return self.missing(*arguments, **named)
        function, count, result = found
        words: list[int] = []
        for argument in arguments:
            _lay_out(argument, words)
        memory = (ctypes.c_int64 * (count + _RESULT_WORDS))(*words)
        status = function(memory)
        if status:
            raise RuntimeError(f"kernel '{self.name}' failed with status {status}")
        return _read(result, bytes(memory)[8 * count :], 0)[0]

    def _fitting(self, signature: str) -> tuple[Any, int, str] | None:
        """The overload for arguments of these types, remembered under them."""
        found = self._overloads.get(signature)
        if found is None:
            found = next((one for wanted, one in self._overloads.items() if fits(signature, wanted)), None)
            if found is not None:
                self._overloads[signature] = found
        return found

    name = ""

    def missing(self, *arguments: Any, **named: Any) -> Any:
        raise NotImplementedError


_PROTOTYPE = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)
_RESULT_WORDS = 64


def _words_of(kind: str) -> int:
    """How many words an argument takes."""
    if kind[0] == "A":
        return 5 + 2 * int(kind[1])
    if kind[0] == "(":
        return sum(map(_words_of, split(kind[1:-1])))
    return {"n": 0, "c": 2}.get(kind[0], 1)


def _lay_out(value: Any, words: list[int]) -> None:
    if isinstance(value, np.ndarray):
        words += [0, 0, value.size, value.itemsize, value.ctypes.data, *value.shape, *value.strides]
    elif isinstance(value, float):
        words += struct.unpack("q", struct.pack("d", value))
    elif isinstance(value, complex):
        words += struct.unpack("qq", struct.pack("dd", value.real, value.imag))
    elif isinstance(value, tuple):
        for part in value:
            _lay_out(part, words)
    elif value is not None:
        number = int(getattr(value, "address", value))
        words.append(number - (1 << 64) if number >= 1 << 63 else number)


def _read(kind: str, memory: bytes, place: int) -> tuple[Any, int]:
    """The result in memory from a place on, and the place behind it."""
    if kind == "n":
        return None, place
    if kind == "b1":
        return bool(memory[place] & 1), place + 1
    if kind[0] == "(":
        parts = []
        for part in split(kind[1:-1]):
            value, place = _read(part, memory, place)
            parts.append(value)
        return tuple(parts), place
    size = int(kind[1:])
    place = -(-place // 8) * 8 if size >= 8 else -(-place // size) * size
    code = {"f8": "d", "i8": "q", "u8": "Q", "i4": "i", "u4": "I", "c16": "dd"}[kind]
    value = struct.unpack_from(code, memory, place)
    return (complex(*value) if kind == "c16" else value[0]), place + size


try:
    _extension: Any = import_module("cardan.numerics.compiled._entry")  # written in C
except ImportError:
    _extension = None
Entry: Any = PythonEntry if _extension is None else _extension.Entry


def supports_v3() -> bool:
    """Whether the processor runs machine code of the level x86-64-v3."""
    return _extension is not None and _extension.supports_v3()
