"""Tables that compiled loops receive as one word.

A named tuple of arrays is convenient, but compiled code passes it by value: some forty arrays are three hundred words
at every call, and most of the time of compilation goes into packing them. A block stands for the same tuple, reads
like it (`rows.offset[r]`), and is passed as the address of a list of (data, shape) entries:

    address ->  | data, n0 | data, n0, n1 | address of another block | ...        one entry for each field

Arrays read from a block carry no reference count: the block keeps them alive, kernels only use them.

Addresses mean nothing outside the process. A copy of a block, also one in another process, is built from copies of its
arrays. Tables that hold addresses of machine code, always in arrays of uint64, are not copied at all: whoever owns such
a block makes it anew (see `cardan.system.system.System`) and takes over the numbers with `restore`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.datamodel import models
from numba.core.typing.templates import AttributeTemplate
from numba.extending import NativeValue, infer_getattr, lower_getattr_generic, register_model, typeof_impl, unbox
from numba.np.arrayobj import populate_array
from numba.np.numpy_support import from_dtype

from cardan.numerics.compiled.jit import COMPILED
from cardan.numerics.compiled.record import Record

ADDRESS = np.dtype(np.uint64)  # of machine code, and of nothing else


def block(tables: Any) -> Any:
    """The block of a named tuple of contiguous arrays, named tuples and blocks; the tuple itself in plain Python."""
    return Block(tables) if COMPILED else tables


class Block:
    """A named tuple whose compiled form is an address."""

    def __init__(self, tables: Any) -> None:
        fields, entries = [], []
        self._inner = []
        for name, value in zip(tables._fields, tables, strict=True):
            if isinstance(value, np.ndarray):
                if not value.flags.c_contiguous:
                    raise ValueError(f"{name} must be contiguous")
                fields.append((name, _array_type(value.dtype, value.ndim)))
                entries += [value.ctypes.data, *value.shape]
            elif isinstance(value, Record):
                fields.append((name, _record_type(value.dtype)))
                entries.append(value.array.ctypes.data)
            else:
                inner = value if isinstance(value, Block | Opaque) else Block(value)
                self._inner.append((name, inner))
                fields.append((name, inner.numba_type))
                entries.append(inner.address)
        self.tables = tables
        key = (type(tables).__name__, tuple(fields))
        self.numba_type = _types.get(key) or _types.setdefault(key, BlockType(*key))
        self._entries = np.array(entries, np.int64)
        self.address = self._entries.ctypes.data

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name == "tables":
            raise AttributeError(name)
        return dict(self._inner).get(name) or getattr(self.tables, name)

    def __reduce__(self) -> Any:
        for name, array in arrays_of(self.tables):
            if array.dtype == ADDRESS and array.any():
                raise TypeError(f"{name} holds addresses of this process, which cannot be copied")
        return block, (self.tables,)


class Opaque:
    """A block whose fields a kernel does not know: it hands the address on to far kernels, which do.

    Loops over opaque blocks are compiled once for all spaces. In plain Python the block stands for itself.
    """

    def __init__(self, tables: Any) -> None:
        self.block, self.address, self.numba_type = tables, tables.address, OPAQUE

    def __reduce__(self) -> Any:
        return opaque, (self.block,)


def opaque(tables: Any) -> Any:
    """The block as kernels see it that only hand it on."""
    return Opaque(tables) if COMPILED else tables


def arrays_of(tables: Any) -> Iterator[tuple[str, np.ndarray]]:
    """All arrays of a block or named tuple and of those within it, each with its name."""
    if isinstance(tables, Opaque):
        tables = tables.block
    plain = tables.tables if isinstance(tables, Block) else tables
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


def replaced(tables: Any, **arrays: np.ndarray) -> Any:
    """The block with other arrays in some of its fields."""
    plain = tables.tables if isinstance(tables, Block) else tables
    return block(plain._replace(**arrays))


def restore(tables: Any, numbers: dict[str, np.ndarray]) -> Any:
    """The block with the numbers that another of the same shape had."""
    for name, array in arrays_of(tables):
        if array.dtype != ADDRESS and array.flags.writeable:
            array[...] = numbers[name]
    return tables


@cache
def _array_type(dtype: np.dtype, ndim: int) -> types.Array:
    return types.Array(from_dtype(dtype), ndim, "C")


@cache
def _record_type(dtype: np.dtype) -> types.Record:
    return from_dtype(dtype)


class BlockType(types.Type):
    """The type of a block: the name of its tuple and the types of its fields."""

    def __init__(self, tuple_name: str, fields: tuple[tuple[str, types.Type], ...]) -> None:
        self.tuple_name, self.fields = tuple_name, fields
        super().__init__(name=f"{tuple_name}({', '.join(f'{n}: {t}' for n, t in fields)})")

    def place(self, name: str) -> tuple[int, types.Type]:
        """Where the entry of a field begins, and its type."""
        place = 0
        for field, kind in self.fields:
            if field == name:
                return place, kind
            place += 1 + kind.ndim if isinstance(kind, types.Array) else 1
        raise KeyError(name)


OPAQUE = BlockType("Opaque", ())
_types: dict[tuple, BlockType] = {}  # made once: naming a type takes longer than a short analysis


@typeof_impl.register(Opaque)
@typeof_impl.register(Block)
def _typeof(value: Block | Opaque, context: Any) -> BlockType:
    return value.numba_type


@register_model(BlockType)
class _Model(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: BlockType) -> None:
        super().__init__(manager, kind, ir.IntType(64))


@unbox(BlockType)
def _unbox(kind, value, c):
    address = c.pyapi.object_getattr_string(value, "address")
    number = c.pyapi.long_as_longlong(address)
    c.pyapi.decref(address)
    return NativeValue(number)


@infer_getattr
class _Fields(AttributeTemplate):
    key = BlockType

    def generic_resolve(self, kind, name):
        return dict(kind.fields).get(name)


@lower_getattr_generic(BlockType)
def _load(context, builder, kind, value, name):
    place, field = kind.place(name)
    entries = builder.inttoptr(value, ir.IntType(64).as_pointer())

    def entry(k):
        return builder.load(builder.gep(entries, [ir.Constant(ir.IntType(64), place + k)]))

    if isinstance(field, BlockType):
        return entry(0)
    if isinstance(field, types.Record):
        return builder.inttoptr(entry(0), context.get_value_type(field))
    array = context.make_array(field)(context, builder)
    data = builder.inttoptr(entry(0), context.get_data_type(field.dtype).as_pointer())
    size = context.get_abi_sizeof(context.get_data_type(field.dtype))
    shape = [entry(1 + axis) for axis in range(field.ndim)]
    strides, step = [], context.get_constant(types.intp, size)
    for extent in reversed(shape):
        strides.insert(0, step)
        step = builder.mul(step, extent)
    populate_array(
        array,
        data=data,
        shape=cgutils.pack_array(builder, shape),
        strides=cgutils.pack_array(builder, strides),
        itemsize=context.get_constant(types.intp, size),
        meminfo=None,
    )
    return array._getvalue()
