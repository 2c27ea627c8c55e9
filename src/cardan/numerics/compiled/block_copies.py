"""Copies of blocks that refer to each other: their memory is copied as a whole.

    copies = BlockCopies((machine, stepper))        keeps the numbers of now
    machine, stepper = copies.make()                new blocks with these numbers, as often as needed

Arrays that share memory, and blocks that contain the same block, do so in the copies. Arrays without numbers are shared
with the originals.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cardan.numerics.compiled.block import Block, Opaque, _address as address_of
from cardan.numerics.compiled.image import image_of


class BlockCopies:
    """The memory of blocks, and how to make blocks of a copy of it."""

    def __init__(self, roots: Sequence[Block]) -> None:
        self._image = image = image_of(lambda address, table: address, *roots)
        for place, address in image.kernels:
            image.write(place, address)
        self._memory = np.frombuffer(bytes(image.data), np.uint64)
        self._relocated = np.array(image.pointers, np.int64) // 8
        self._places: dict[int, int] = {}
        self._parts: list[Any] = []  # what blocks consist of; None for what is made of the memory
        self._arrays: list[tuple[int, tuple[int, ...], np.dtype, int]] = []  # place, shape, type, offset
        self._records: list[tuple[int, Any, np.dtype, int]] = []  # place, class, type, offset
        self._blocks: list[tuple[int, _Layout | int]] = []  # place, and a layout or the place of what is opaque
        self._roots = [self._placed(root) for root in roots]

    @property
    def size(self) -> int:
        """Bytes of memory."""
        return int(self._memory.nbytes)

    def make(self) -> list[Any]:
        """New blocks in the place of the roots."""
        memory = self._memory.copy()
        base = address_of(memory)
        memory[self._relocated] += np.uint64(base)
        parts, view = self._parts.copy(), np.ndarray
        for place, shape, dtype, offset in self._arrays:
            parts[place] = view(shape, dtype, memory, offset)
        for place, kind, dtype, offset in self._records:
            parts[place] = record = kind.__new__(kind)
            record.__dict__["array"] = view((), dtype, memory, offset)
        for place, layout in self._blocks:
            parts[place] = Opaque(parts[layout]) if isinstance(layout, int) else layout.block(parts, memory, base)
        return [parts[place] for place in self._roots]

    def _placed(self, value: Any) -> int:
        """The place of a field in `parts`."""
        if id(value) not in self._places:
            inner = None
            if isinstance(value, Block):
                parts = value.tables._asdict() | dict(value._inner)
                inner = _Layout(value, self._image, [self._placed(part) for part in parts.values()])
            elif isinstance(value, Opaque):
                inner = self._placed(value.block)
            self._places[id(value)] = place = len(self._parts)
            self._parts.append(None)
            self._add(place, value, inner)
        return self._places[id(value)]

    def _add(self, place: int, value: Any, inner: Any) -> None:
        if inner is not None:
            self._blocks.append((place, inner))
        elif isinstance(value, np.ndarray) and value.size:
            self._arrays.append((place, value.shape, value.dtype, self._image.offset_of(value)))
        elif isinstance(value, np.ndarray):
            self._parts[place] = value
        else:
            self._records.append((place, type(value), value.dtype, self._image.offset_of(value.array)))


class _Layout:
    """A block without its memory."""

    def __init__(self, block: Block, image: Any, fields: list[int]) -> None:
        offset = image.place(block.address)
        assert offset is not None
        self.offset, self.fields, self.names = offset, fields, block.tables._fields
        self.tuple, self.kind, self.inner = (
            type(block.tables),
            block.block_kind,
            [(name, self.names.index(name)) for name, _ in block._inner],
        )
        first = offset // 8 - 1
        self.entries = slice(first, first + block._entries.size)

    def block(self, parts: Sequence[Any], memory: np.ndarray, base: int) -> Block:
        """The block of these parts."""
        values = [parts[k] for k in self.fields]
        made = Block.__new__(Block)
        own = made.__dict__
        own.update(zip(self.names, values, strict=True))
        own["tables"], own["block_kind"], own["address"] = self.tuple(*values), self.kind, base + self.offset
        own["_entries"], own["_inner"] = memory[self.entries], [(name, values[k]) for name, k in self.inner]
        return made
