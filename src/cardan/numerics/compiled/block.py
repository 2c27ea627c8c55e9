"""Tables that compiled loops receive as one word.

A named tuple of arrays is convenient, but compiled code passes it by value: some forty arrays are three hundred words
at every call, and most of the time of compilation goes into packing them. A block stands for the same tuple, reads
like it (`rows.offset[r]`), and is passed as the address of a list of (data, shape) entries:

    address ->  | data, n0 | data, n0, n1 | address of another block | ...        one entry for each field

The word before the first entry is the code of the block's kind: the names and types of its fields, hashed. Whoever
calls machine code with a block compares it.

Arrays read from a block carry no reference count: the block keeps them alive, kernels only use them.

Addresses mean nothing outside the process. A copy of a block, also one in another process, is built from copies of its
arrays. Tables that hold addresses of machine code, always in arrays of uint64, are not copied at all: whoever owns such
a block makes it anew (see `cardan.system.system.System`) and takes over the numbers with `restore`.
"""

from __future__ import annotations

from array import array as words
from collections.abc import Iterator, Mapping
from ctypes import addressof, c_char, create_string_buffer
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cardan.numerics.compiled.record import Record
from cardan.numerics.compiled.settings import COMPILED

ADDRESS = np.dtype(np.uint64)  # of machine code, and of nothing else


def block(tables: Any) -> Any:
    """The block of a named tuple of contiguous arrays, named tuples and blocks; the tuple itself in plain Python."""
    return Block(tables) if COMPILED else tables


class Block:
    """A named tuple whose compiled form is an address."""

    def __init__(self, tables: Any) -> None:
        own = self.__dict__
        own.update(zip(tables._fields, tables, strict=True))
        types: list[Any] = [type(tables)]  # identities of types: comparing these is faster than comparing types
        entries, self._inner = [0], []
        for name, value in zip(tables._fields, tables, strict=True):
            if isinstance(value, np.ndarray):
                if not value.flags.c_contiguous:
                    raise ValueError(f"{name} must be contiguous")
                types += (id(value.dtype), value.ndim)
                entries.append(_address(value))
                entries += value.shape
            elif isinstance(value, Record):
                types.append(id(value.dtype))
                entries.append(_address(value.array))
            else:
                own[name] = inner = value if isinstance(value, Block | Opaque) else Block(value)
                self._inner.append((name, inner))
                types.append(id(inner.block_kind))
                entries.append(inner.address)
        self.tables = tables
        key = tuple(types)
        known = _known.get(key) or _known.setdefault(key, _known_kind(tables, dict(self._inner)))
        self.block_kind = known[0]
        entries[0] = self.block_kind.code
        self._entries = np.frombuffer(words("Q", entries), np.uint64)
        self.address = _address(self._entries) + 8

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """The fields."""

    def __reduce__(self) -> Any:
        for name, array in arrays_of(self.tables):
            if array.dtype == ADDRESS and array.any():
                raise TypeError(f"{name} holds addresses of this process, which cannot be copied")
        return block, (self.tables,)


def _address(numbers: np.ndarray) -> int:
    """Where the numbers of an array are; by its buffer, which takes a quarter of the time of `numbers.ctypes`."""
    if not numbers.size:
        return _NOWHERE
    try:
        return addressof(c_char.from_buffer(numbers))
    except TypeError:  # it cannot be written
        return int(numbers.__array_interface__["data"][0])


_memory = create_string_buffer(64)
_NOWHERE = addressof(_memory)  # the address of all arrays without numbers


class BlockKind:
    """The name of a block's tuple and the types of its fields.

    The type of an array is (dtype, dimensions), that of a record its dtype, that of an inner block its kind.
    """

    def __init__(self, tuple_name: str, fields: tuple[tuple[str, Any], ...]) -> None:
        self.tuple_name, self.fields = tuple_name, fields
        text = f"{tuple_name}({', '.join(f'{name}: {_text(field)}' for name, field in fields)})"
        self.code = int.from_bytes(sha256(text.encode()).digest()[:8], "little")


def kind_of(tuple_name: str, fields: tuple[tuple[str, Any], ...]) -> BlockKind:
    """The kind of a block with these fields, one object for each."""
    key = tuple_name, fields
    return _kinds.get(key) or _kinds.setdefault(key, BlockKind(*key))


def _known_kind(tables: Any, inner: Mapping[str, Any]) -> tuple[BlockKind, tuple[Any, ...]]:
    """The kind of a block with these tables, and the types of its fields, whose identities stay theirs."""
    fields: list[tuple[str, Any]] = []
    for name, value in zip(tables._fields, tables, strict=True):
        if name in inner:
            fields.append((name, inner[name].block_kind))
        else:
            fields.append((name, value.dtype if isinstance(value, Record) else (value.dtype, value.ndim)))
    return kind_of(type(tables).__name__, tuple(fields)), tuple(fields)


def _text(field: Any) -> str:
    if isinstance(field, BlockKind):
        return f"block {field.code:016x}"
    if isinstance(field, tuple):
        return f"{field[0].str}[{field[1]}]"
    return f"{field.descr}"


_kinds: dict[tuple[str, tuple[tuple[str, Any], ...]], BlockKind] = {}
_known: dict[tuple[Any, ...], tuple[BlockKind, tuple[Any, ...]]] = {}
OPAQUE = BlockKind("Opaque", ())


class Opaque:
    """A block whose fields a kernel does not know: it passes the address on to indirect kernels, which do.

    Loops over opaque blocks are compiled once for all spaces. In plain Python the block stands for itself.
    """

    is_opaque = True

    def __init__(self, tables: Any) -> None:
        self.block, self.address, self.block_kind = tables, tables.address, OPAQUE

    def __reduce__(self) -> Any:
        return opaque, (self.block,)


def opaque(tables: Any) -> Any:
    """The block as kernels see it that only hand it on."""
    return Opaque(tables) if COMPILED else tables


class Shape(NamedTuple):
    """The shape of an array that a table allocates: numbers, or names of numbers."""

    sizes: tuple[int | str, ...]
    dtype: Any
    value: float


def zeros(*sizes: int | str, dtype: Any = np.float64, value: float = 0.0) -> Any:
    """An array that a table allocates, as the default of its field; `value` if not zero.

    class Room(NamedTuple):
        q: np.ndarray
        K: np.ndarray = zeros("n", "n")

    room = allocated(Room, {"n": 3}, q=q)
    """
    return Shape(sizes, dtype, value)


def allocated(kind: Any, sizes: Mapping[str, int], /, **given: Any) -> Any:
    """The block of a table with these fields; arrays of its own for all others, by the shapes in their defaults."""
    for name, shape in kind._field_defaults.items():
        if name not in given:
            size = [sizes[s] if isinstance(s, str) else s for s in shape.sizes]
            given[name] = np.full(size, shape.value, shape.dtype) if shape.value else np.zeros(size, shape.dtype)
    return block(kind(**given))


def tables_of(tables: Any) -> Any:
    """The named tuple of a block; a named tuple is its own."""
    return tables.tables if isinstance(tables, Block) else tables


def arrays_of(tables: Any) -> Iterator[tuple[str, np.ndarray]]:
    """All arrays of a block or named tuple and of those within it, each with its name."""
    plain = tables_of(tables.block if isinstance(tables, Opaque) else tables)
    for name, value in zip(plain._fields, plain, strict=True):
        if isinstance(value, np.ndarray):
            yield name, value
        elif isinstance(value, Record):
            yield from ((f"{name}.{field}", array) for field, array in value.fields())
        else:
            yield from ((f"{name}.{inner}", array) for inner, array in arrays_of(value))


def numbers_of(tables: Any) -> dict[str, np.ndarray]:
    """The arrays of a block that can be copied: all but those of addresses."""
    return {name: array for name, array in arrays_of(tables) if array.dtype != ADDRESS}


def replaced(tables: Any, **arrays: Any) -> Any:
    """The block with other arrays or blocks in some of its fields."""
    return block(tables_of(tables)._replace(**arrays))


def restore(tables: Any, numbers: dict[str, np.ndarray]) -> Any:
    """The block with the numbers that another of the same shape had."""
    for name, array in arrays_of(tables):
        if array.dtype != ADDRESS and array.flags.writeable:
            array[...] = numbers[name]
    return tables
