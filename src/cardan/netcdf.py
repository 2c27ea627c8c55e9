"""Classic netCDF, written record by record: the file of an interrupted run remains readable.

    CDF2 | number of records | dimensions | attributes | variables | spare bytes | fixed data | record, record ...

A record holds one value of every variable along the unlimited dimension, all of them 8-byte numbers, one after the
other. Appending writes at the end, and then the number of records, four bytes at offset 4, in place: a file is complete
after every append. All programs that read netCDF read this format (64-bit offsets, Unidata's "NetCDF Classic Format
Specification"), xarray with SciPy only. Numbers are big-endian.
"""

from __future__ import annotations

import math
import os
import struct
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from cardan.errors import ModelError
from cardan.untrusted import open_regular

MAGIC = b"CDF\x02"
CHAR, INT, DOUBLE = 2, 4, 6
DIMENSIONS, VARIABLES, ATTRIBUTES = 10, 11, 12
SIZES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 4, 6: 8}  # bytes of the types of the format
TYPES = {CHAR: ">S1", INT: ">i4", DOUBLE: ">f8"}
SPARE = 1 << 16  # bytes reserved in the header for attributes written at the end
WRITE_BYTES = 1 << 23  # bytes of records written at once
MOST_DIMS = 8  # of a variable
MAX_FIXED_BYTES = (1 << 32) - 4  # bytes of a fixed variable that fit in the header

Attributes = Mapping[str, str]


class Fixed(NamedTuple):
    """A variable without records: the names of its dimensions, its numbers or strings, and its attributes."""

    dims: tuple[str, ...]
    values: Any
    about: Attributes = {}


class Along(NamedTuple):
    """A variable along the records: its further dimensions, their lengths, and its attributes."""

    dims: tuple[str, ...]
    shape: tuple[int, ...]
    about: Attributes = {}

    @property
    def width(self) -> int:
        return math.prod(self.shape)


@dataclass
class Layout:
    """The structure of a file without its records."""

    dimension: str  # the unlimited one
    attributes: dict[str, str]
    fixed: dict[str, Fixed] = field(default_factory=dict)
    along: dict[str, Along] = field(default_factory=dict)

    @property
    def width(self) -> int:
        """Numbers in a record."""
        return sum(variable.width for variable in self.along.values())

    def places(self) -> Iterator[tuple[str, Along, slice]]:
        """The variables of a record and their positions in it."""
        first = 0
        for name, variable in self.along.items():
            yield name, variable, slice(first, first + variable.width)
            first += variable.width


class Writer:
    """A file under construction. `append` adds records; `finish` writes the last attributes and closes it."""

    def __init__(self, path: Path, layout: Layout) -> None:
        self.layout, self.path, self.records = layout, path, 0
        self._file = path.open("wb+")
        try:
            self._write_head(SPARE)
        except OSError:
            with suppress(OSError):
                self._file.close()
            path.unlink(missing_ok=True)
            raise

    def append(self, values: Mapping[str, np.ndarray], count: int) -> None:
        """Write `count` records; `values` has each variable with its records along the first axis."""
        width = self.layout.width
        rows = max(1, WRITE_BYTES // (8 * max(width, 1)))
        for first in range(0, count, rows):
            part = slice(first, min(first + rows, count))
            table = np.empty((part.stop - part.start, width))
            for name, variable, place in self.layout.places():
                table[:, place].reshape(len(table), *variable.shape)[...] = values[name][part]  # a view of the table
            self._file.write(table.byteswap(inplace=True).data if _little() else table.data)
            self.records += len(table)
            self._file.flush()
            self._patch(struct.pack(">i", self.records), 4)

    def restate(self, attributes: Attributes) -> None:
        """Change attributes of the file."""
        self.layout.attributes |= attributes
        head = _head(self.layout, self.records, self._begin)
        if len(head) > self._begin:
            self._move_records()
        else:
            self._patch(head, 0)

    def finish(self, attributes: Attributes) -> None:
        """Write the last attributes and close the file."""
        self.restate(attributes)
        self._file.flush()
        os.fsync(self._file.fileno())
        self.close()

    def close(self) -> None:
        self._file.close()

    def _patch(self, data: bytes, place: int) -> None:
        """Write in place."""
        self._file.seek(place)
        self._file.write(data)
        self._file.flush()
        self._file.seek(0, os.SEEK_END)

    def _write_head(self, spare: int) -> None:
        """The header, spare bytes, and the fixed data."""
        self._begin = -(-(len(_head(self.layout, 0, 0)) + spare) // 4096) * 4096
        self._file.write(_head(self.layout, self.records, self._begin).ljust(self._begin, b"\0"))
        for variable in self.layout.fixed.values():
            self._file.write(_padded(_numbers(variable.values).tobytes()))
        self._file.flush()

    def _move_records(self) -> None:
        """Rewrite the file with a longer header."""
        old, kept = self._file, self.path
        start = self._begin + sum(_size(variable) for variable in self.layout.fixed.values())
        beside = kept.with_name(f"{kept.name}.moved")
        try:
            self._file = beside.open("wb+")
            self._write_head(SPARE)
            old.seek(start)
            while block := old.read(WRITE_BYTES):
                self._file.write(block)
            self._file.flush()
            beside.replace(kept)
        except OSError:
            beside.unlink(missing_ok=True)
            raise
        finally:
            old.close()


class Reader:
    """An open file. `read` returns a slice of its records, `fixed` another variable; data are read on demand."""

    def __init__(self, path: Path) -> None:
        self._path, self._file = path, open_regular(path)
        try:
            self._parse()
        except (struct.error, UnicodeDecodeError, KeyError, IndexError, ValueError, OverflowError):
            self._file.close()
            raise ModelError(f"'{path}' is not a readable netCDF file: its header is broken") from None

    def _parse(self) -> None:
        size = self._size = os.fstat(self._file.fileno()).st_size
        head = _Head(self._file, size)
        if head.take(4) != MAGIC:
            raise ModelError(
                f"'{self._path}' is not a Cardan result: it does not begin like a netCDF file with 64-bit offsets"
            )
        stated = head.number()
        dims = [(head.word(), head.number()) for _ in range(head.count(DIMENSIONS))]
        if any(length > size for _, length in dims):
            raise ValueError
        self.attributes = dict(head.attributes())
        total = 0  # bytes of fixed variables
        self._fixed: dict[str, tuple[tuple[str, ...], tuple[int, ...], int, int, dict[str, str]]] = {}
        self.along: dict[str, Along] = {}
        self._first = size
        for _ in range(head.count(VARIABLES)):
            name, of = head.word(), [dims[head.number()] for _ in range(head.number())]
            if len(of) > MOST_DIMS:
                raise ValueError
            about, kind, _, begin = dict(head.attributes()), head.number(), head.number(), head.offset()
            if of and of[0][1] == 0:
                self.along[name] = Along(tuple(n for n, _ in of[1:]), tuple(k for _, k in of[1:]), about)
                self._first = min(self._first, begin)
            else:
                self._fixed[name] = tuple(n for n, _ in of), tuple(k for _, k in of), kind, begin, about
                total += SIZES[kind] * math.prod(k for _, k in of)
        self.dimension = next((name for name, length in dims if length == 0), "")
        self._width = sum(variable.width for variable in self.along.values())
        if not 0 <= self._first <= size or 8 * self._width > size or total > size:
            raise ValueError
        there = (size - self._first) // (8 * self._width) if self._width else 0
        self.records = min(stated, there)

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        self._file.close()

    def names(self) -> list[str]:
        """The names of the fixed variables."""
        return [*self._fixed]

    def dims(self, name: str) -> tuple[str, ...]:
        """The dimensions of a fixed variable."""
        return self._fixed[name][0]

    def fixed(self, name: str) -> Any:
        """The numbers or strings of a fixed variable."""
        _, shape, kind, begin, _ = self._fixed[name]
        try:
            count = math.prod(shape)
            if begin + count > self._size:
                raise ValueError
            self._file.seek(begin)
            values = np.fromfile(self._file, TYPES[kind], count).reshape(shape)
            if kind == CHAR:
                return [b"".join(row).rstrip(b"\0 ").decode() for row in values]
        except (ValueError, OSError, KeyError, TypeError):
            raise ModelError(f"'{self._path}' is not a readable result: '{name}' is broken") from None
        return values.astype(values.dtype.newbyteorder("="))

    def read(self, first: int, last: int, names: Sequence[str] | None = None) -> dict[str, np.ndarray]:
        """Records from `first` up to but excluding `last`, of all or some variables."""
        found = {
            name: np.empty((max(last - first, 0), *variable.shape))
            for name, variable in self.along.items()
            if names is None or name in names
        }
        rows = max(1, WRITE_BYTES // (8 * self._width)) if self._width else 1
        for begin in range(first, last, rows):
            end = min(begin + rows, last)
            table = self._records(begin, end)
            place = 0
            for name, variable in self.along.items():
                if name in found:
                    part = table[:, place : place + variable.width]
                    found[name][begin - first : end - first] = part.reshape(end - begin, *variable.shape)
                place += variable.width
        return found

    def columns(self, name: str, places: slice, first: int, last: int) -> np.ndarray:
        """Some columns of one variable, shape (records, columns)."""
        before = 0
        for other, variable in self.along.items():
            if other == name:
                break
            before += variable.width
        found = np.empty((max(last - first, 0), places.stop - places.start))
        rows = max(1, WRITE_BYTES // (8 * self._width))
        for begin in range(first, last, rows):
            end = min(begin + rows, last)
            found[begin - first : end - first] = self._records(begin, end)[
                :, before + places.start : before + places.stop
            ]
        return found

    def _records(self, first: int, last: int) -> np.ndarray:
        self._file.seek(self._first + 8 * self._width * first)
        table = np.fromfile(self._file, np.float64, (last - first) * self._width)
        if table.size < (last - first) * self._width:
            raise ModelError(f"'{self._path}' ends within a record: it was changed while being read")
        return (table.byteswap(inplace=True) if _little() else table).reshape(-1, self._width)


class _Head:
    """The header of a file."""

    def __init__(self, file: Any, size: int) -> None:
        self._file, self._size = file, size

    def take(self, count: int) -> bytes:
        found = self._file.read(min(count, self._size))
        if len(found) < count:
            raise ValueError
        return bytes(found)

    def number(self) -> int:
        (found,) = struct.unpack(">i", self.take(4))
        if found < 0:
            raise ValueError
        return int(found)

    def offset(self) -> int:
        return int(struct.unpack(">q", self.take(8))[0])

    def count(self, tag: int) -> int:
        found, count = self.number(), self.number()
        if found not in (0, tag):
            raise ValueError
        return count

    def word(self) -> str:
        count = self.number()
        return self.take(-(-count // 4) * 4)[:count].decode()

    def attributes(self) -> Iterator[tuple[str, str]]:
        for _ in range(self.count(ATTRIBUTES)):
            name, kind = self.word(), self.number()
            if kind == CHAR:
                yield name, self.word()
            else:  # numeric attributes, in files of other programs
                self.take(-(-SIZES[kind] * self.number() // 4) * 4)


def _head(layout: Layout, records: int, begin: int) -> bytes:
    """The header; the data start at `begin`."""
    lengths: dict[str, int] = {layout.dimension: 0}
    sizes = [zip(_dims(fixed), _numbers(fixed.values).shape, strict=True) for fixed in layout.fixed.values()]
    sizes += [zip(along.dims, along.shape, strict=True) for along in layout.along.values()]
    for dimension, length in (size for variable in sizes for size in variable):
        if lengths.setdefault(dimension, length) != length:
            raise ValueError(f"dimension '{dimension}' has the lengths {lengths[dimension]} and {length}")
    number = {name: k for k, name in enumerate(lengths)}
    parts = [MAGIC, struct.pack(">iii", records, DIMENSIONS, len(lengths))]
    parts += [_word(name) + struct.pack(">i", length) for name, length in lengths.items()]
    parts += [_attributes(layout.attributes), struct.pack(">ii", VARIABLES, len(layout.fixed) + len(layout.along))]
    for name, variable in layout.fixed.items():
        values, dims, size = _numbers(variable.values), _dims(variable), _size(variable)
        kind = {"S": CHAR, "i": INT, "f": DOUBLE}[values.dtype.kind]
        about = dict(variable.about) | ({"_Encoding": "utf-8"} if kind == CHAR else {})
        parts.append(_variable(name, [number[d] for d in dims], about, kind, size, begin))
        begin += size
    for name, along in layout.along.items():
        dims = (layout.dimension, *along.dims)
        parts.append(_variable(name, [number[d] for d in dims], along.about, DOUBLE, 8 * along.width, begin))
        begin += 8 * along.width
    return b"".join(parts)


def _variable(name: str, dims: list[int], about: Attributes, kind: int, size: int, begin: int) -> bytes:
    places = struct.pack(f">i{len(dims)}i", len(dims), *dims)
    return _word(name) + places + _attributes(about) + struct.pack(">iIq", kind, min(size, MAX_FIXED_BYTES), begin)


def _attributes(about: Attributes) -> bytes:
    if not about:
        return struct.pack(">ii", 0, 0)
    parts = [_word(name) + struct.pack(">i", CHAR) + _word(text) for name, text in about.items()]
    return struct.pack(">ii", ATTRIBUTES, len(parts)) + b"".join(parts)


def _word(text: str) -> bytes:
    letters = text.encode()
    return struct.pack(">i", len(letters)) + _padded(letters)


def _padded(data: bytes) -> bytes:
    return data + b"\0" * (-len(data) % 4)


def _dims(variable: Fixed) -> tuple[str, ...]:
    """The names of dimensions; strings have their characters as one more."""
    values = _numbers(variable.values)
    return (*variable.dims, f"letters{values.shape[-1]}") if values.dtype.kind == "S" else variable.dims


def _numbers(values: Any) -> np.ndarray:
    """Values in the types of the format: doubles, four-byte integers, or characters."""
    if isinstance(values, list | tuple) and all(isinstance(value, str) for value in values):
        words = [value.encode() for value in values]
        width = max([1, *(len(word) for word in words)])
        return np.array([word.ljust(width, b"\0") for word in words], f"S{width}").view("S1").reshape(-1, width)
    array = np.asarray(values)
    return array.astype(">i4" if array.dtype.kind in "iub" else ">f8")


def _size(variable: Fixed) -> int:
    values = _numbers(variable.values)
    return -(-values.nbytes // 4) * 4


def _little() -> bool:
    return sys.byteorder == "little"
