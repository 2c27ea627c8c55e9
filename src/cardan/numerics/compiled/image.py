"""The tables of blocks as one relocatable image.

    image ->  | entries of blocks and arrays, one after the other |       addresses in it are offsets from its start

Arrays that share memory share it in the image. Whoever loads the image adds its address to the words in `pointers`, and
writes the addresses of machine code to the words in `kernels`.
"""

from __future__ import annotations

import ctypes
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cardan.numerics.compiled.block import ADDRESS, Block, Opaque, _address as address_of
from cardan.numerics.compiled.record import Record

ALIGNMENT = 64  # bytes


@dataclass
class Image:
    """The bytes, and what must be added to them."""

    data: bytearray
    starts: list[int]  # of ranges of memory, as they are in this process,
    ends: list[int]
    offsets: list[int]  # and in the image
    pointers: list[int] = field(default_factory=list)  # offsets of words that hold an offset
    kernels: list[tuple[int, int]] = field(default_factory=list)  # offsets of words, and numbers of kernels

    def place(self, address: int) -> int | None:
        """The offset of an address of this process; None if it is not part of the image."""
        k = bisect_right(self.starts, address) - 1
        return None if k < 0 or address >= self.ends[k] else self.offsets[k] + address - self.starts[k]

    def offset_of(self, array: np.ndarray) -> int:
        """Where an array begins; 0 for one without numbers."""
        found = self.place(address_of(array)) if array.size else 0
        assert found is not None
        return found

    def write(self, offset: int, word: int) -> None:
        self.data[offset : offset + 8] = word.to_bytes(8, "little")


def image_of(number_of: Callable[[int, str], int], *roots: Any) -> Image:
    """The image of blocks. `number_of(address, table)` gives the number of the machine code at an address."""
    blocks = blocks_of(roots)
    image = _copied(blocks)
    for block in blocks:
        place = image.place(block.address)
        assert place is not None
        inner = dict(block._inner)
        for name, value in zip(block.tables._fields, block.tables, strict=True):
            if name in inner:
                _point(image, place, image.place(inner[name].address))
                place += 8
                continue
            array = value.array if isinstance(value, Record) else value
            _point(image, place, image.place(address_of(array)) if array.nbytes else None)
            place += 8 + 8 * array.ndim
            for table, addresses in _address_arrays(name, value):
                _relocate(image, table, addresses, number_of)
    return image


def blocks_of(roots: Iterable[Any]) -> list[Block]:
    """Blocks and all within them, each once."""
    found: dict[int, Block] = {}
    waiting = [*roots]
    while waiting:
        block = waiting.pop()
        block = block.block if isinstance(block, Opaque) else block
        if block.address not in found:
            found[block.address] = block
            waiting += [inner for _, inner in block._inner]
    return [*found.values()]


def _copied(blocks: list[Block]) -> Image:
    """All memory of blocks, without gaps."""
    ranges = {(block._entries.ctypes.data, block._entries.nbytes) for block in blocks}
    for block in blocks:
        for value in block.tables:
            array = value.array if isinstance(value, Record) else value
            if isinstance(array, np.ndarray) and array.nbytes:
                ranges.add((address_of(array), array.nbytes))
    merged: list[list[int]] = []
    for first, size in sorted(ranges):
        if merged and first < merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], first + size)
        else:
            merged.append([first, first + size])
    data, offsets = bytearray(ALIGNMENT), []  # no array begins at 0
    for first, end in merged:
        data += bytes(-len(data) % ALIGNMENT)
        offsets.append(len(data))
        data += ctypes.string_at(first, end - first)
    data += bytes(-len(data) % ALIGNMENT)
    return Image(data, [first for first, _ in merged], [end for _, end in merged], offsets)


def _point(image: Image, place: int, offset: int | None) -> None:
    """Let a word point to an offset; to nothing if there is none."""
    image.write(place, offset or 0)
    if offset is not None:
        image.pointers.append(place)


def _address_arrays(name: str, value: Any) -> Iterator[tuple[str, np.ndarray]]:
    """Arrays of addresses in a field."""
    if isinstance(value, Record):
        yield from ((f"{name}.{key}", array) for key, array in value.fields() if array.dtype == ADDRESS)
    elif value.dtype == ADDRESS:
        yield name, value


def _relocate(image: Image, table: str, addresses: np.ndarray, number_of: Callable[[int, str], int]) -> None:
    """Addresses of arrays become offsets, those of machine code the numbers of kernels."""
    for k, address in enumerate(addresses.reshape(-1).tolist()):
        place, data = image.offset_of(addresses) + 8 * k, image.place(address)
        if address and data is not None:
            _point(image, place, data)
        elif address:
            image.write(place, 0)
            image.kernels.append((place, number_of(address, table)))
