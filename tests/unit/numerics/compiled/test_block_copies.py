"""Copies of blocks: numbers, shared memory and addresses as in the originals, and nothing in common with them."""

from typing import Any, NamedTuple

import numpy as np
import pytest

from cardan.numerics.compiled.block import block, opaque
from cardan.numerics.compiled.block_copies import BlockCopies
from cardan.numerics.compiled.jit import COMPILED, kernel
from cardan.numerics.compiled.record import Record

pytestmark = pytest.mark.skipif(not COMPILED, reason="without compilation, tables are named tuples")


class Clock(Record):
    now: float
    count: int


class Part(NamedTuple):
    x: np.ndarray
    nothing: np.ndarray
    address: np.ndarray  # a block has an attribute of the same name


class Whole(NamedTuple):
    part: Any
    tail: np.ndarray
    clock: Clock
    tables: Any  # as an attribute of a block


@kernel
def first_and_last(whole, part):
    whole.part.x[0] += 1.0
    return part.x[0] + whole.tail[1], whole.clock.now


def _blocks() -> tuple[Any, Any]:
    part = block(Part(np.array([1.0, 2.0, 3.0]), np.zeros((0, 2)), np.array([7], np.uint64)))
    return block(Whole(part, part.x[1:], Clock(now=0.5, count=3), opaque(part))), part


def test_copies_have_the_numbers_and_share_memory_as_the_originals_do() -> None:
    whole, part = _blocks()
    copies = BlockCopies((whole, part))
    part.x[0] = 99.0  # too late
    again, piece = copies.make()
    assert again.part is piece
    assert again.block_kind is whole.block_kind
    assert (piece.x.tolist(), again.tail.tolist(), again.clock.now, again.clock.count) == ([1, 2, 3], [2, 3], 0.5, 3)
    assert piece.tables.address.tolist() == [7]
    piece.x[1], again.clock.now = 20.0, 9.0
    assert again.tail[0] == 20.0
    assert (part.x[1], whole.clock.now) == (2.0, 0.5)
    assert copies.make()[1].x[1] == 2.0


def test_kernels_read_and_write_the_copies() -> None:
    whole, part = _blocks()
    again, piece = BlockCopies((whole, part)).make()
    assert first_and_last(again, piece) == (5.0, 0.5)
    assert (piece.x[0], part.x[0]) == (2.0, 1.0)


def test_a_copy_can_be_copied() -> None:
    whole, part = BlockCopies(_blocks()).make()
    part.x[2] = 30.0
    again, piece = BlockCopies((whole, part)).make()
    assert (again.tail.tolist(), piece.x.tolist()) == ([2.0, 30.0], [1.0, 2.0, 30.0])
