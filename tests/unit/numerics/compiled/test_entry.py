"""Calls of machine code laid out as words: the entry in C and the one in Python do the same."""

from __future__ import annotations

import ctypes
import struct
from typing import Any, NamedTuple

import numpy as np
import pytest

from cardan.numerics.compiled.block import block, opaque
from cardan.numerics.compiled.entry import Entry, Overload, PythonEntry
from cardan.numerics.compiled.settings import COMPILED

pytestmark = pytest.mark.skipif(not COMPILED, reason="nothing is compiled")
ENTRIES = list(dict.fromkeys((PythonEntry, Entry)))
PROTOTYPE = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.POINTER(ctypes.c_int64))


class Pair(NamedTuple):
    a: np.ndarray
    b: np.ndarray


class Other(NamedTuple):
    a: np.ndarray
    c: np.ndarray


def made(kind: type, *overloads: tuple[str, str, Any]) -> Any:
    """An entry with overloads (types, type of result, Python function of the words that writes a result)."""

    class Made(kind):  # type: ignore[misc]
        def missing(self, *arguments: Any, **named: Any) -> Any:
            return "missing"

    entry = Made()
    entry.kept = [PROTOTYPE(function) for _, _, function in overloads]
    for (arguments, result, _), function in zip(overloads, entry.kept, strict=True):
        entry.add(Overload(ctypes.cast(function, ctypes.c_void_p).value, arguments, result))
    return entry


def writing(count: int, *numbers: Any) -> Any:
    """A function that writes numbers, as 64-bit words, behind `count` words of arguments."""

    def write(words: Any) -> int:
        for k, number in enumerate(numbers):
            code = "d" if isinstance(number, float) else "q"
            words[count + k] = struct.unpack("q", struct.pack(code, number))[0]
        return 0

    return write


@pytest.mark.parametrize("kind", ENTRIES)
def test_numbers(kind: type) -> None:
    seen = []
    entry = made(kind, ("f8,i8,b1", "f8", lambda words: seen.append(words[:3]) or writing(3, 2.5)(words)))
    assert entry(1.5, -7, True) == 2.5
    assert entry(np.float64(1.5), np.int64(-7), np.bool_(True)) == 2.5
    assert seen == [[struct.unpack("q", struct.pack("d", 1.5))[0], -7, 1]] * 2
    for wrong in ((1, -7, True), (1.5, 7.0, True), (1.5, -7, 1), (1.5, -7), (1.5, True, True), (1.5, 1 << 70, False)):
        assert entry(*wrong) == "missing", wrong


@pytest.mark.parametrize("kind", ENTRIES)
def test_arrays(kind: type) -> None:
    seen: list[list[int]] = []
    entry = made(kind, ("A2Cwf8", "n", lambda words: seen.append(words[:9]) or 0))
    array = np.arange(6.0).reshape(2, 3)
    assert entry(array) is None
    assert seen == [[0, 0, 6, 8, array.ctypes.data, 2, 3, 24, 8]]
    frozen = array.copy()
    frozen.flags.writeable = False
    for wrong in (array.T, array[:, :2], array.astype("f4"), array.astype(int), array[0], frozen, [[1.0]], 1.0, None):
        assert entry(wrong) == "missing", wrong
    assert entry(np.zeros((0, 3))) is None  # an empty array has every layout


@pytest.mark.parametrize("kind", ENTRIES)
def test_blocks_are_told_apart_by_their_fields(kind: type) -> None:
    one, two = block(Pair(np.ones(2), np.ones(3))), block(Other(np.ones(2), np.ones(3)))
    code = f"B{one.block_kind.code:016x}"
    entry = made(kind, (code, "i8", lambda words: writing(1, words[0])(words)))
    assert entry(one) == one.address
    assert entry(block(Pair(np.zeros(5), np.zeros(1)))) != one.address
    for wrong in (two, block(Pair(np.ones(2), np.ones((1, 3)))), opaque(two), np.ones(2), 3):
        assert entry(wrong) == "missing"
    handed_on = made(kind, ("O", "i8", lambda words: writing(1, words[0])(words)))
    assert handed_on(opaque(one)) == one.address and handed_on(opaque(two)) == two.address
    assert handed_on(one) == "missing"


@pytest.mark.parametrize("kind", ENTRIES)
def test_tuples_and_several_overloads(kind: type) -> None:
    entry = made(
        kind,
        ("(f8,f8),n", "(f8,(i8,f8))", writing(2, 1.0, 2, 3.0)),
        ("(f8,f8,f8),n", "i8", writing(3, 4)),
    )
    assert entry((0.0, 0.0), None) == (1.0, (2, 3.0))
    assert entry((0.0, 0.0, 0.0), None) == 4
    assert entry((0.0,), None) == "missing" == entry((0.0, 0.0), 1)


@pytest.mark.parametrize("kind", ENTRIES)
def test_a_failure_is_an_error_and_names_go_to_the_compiler(kind: type) -> None:
    entry = made(kind, ("f8", "f8", lambda words: 3))
    with pytest.raises(RuntimeError, match="status 3"):
        entry(1.0)
    assert entry(x=1.0) == "missing"
