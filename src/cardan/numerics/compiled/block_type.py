"""Blocks in compiled code: their Numba type, and how their fields are read."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.datamodel import models
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    NativeValue,
    infer_getattr,
    lower_getattr_generic,
    overload,
    register_model,
    typeof_impl,
    unbox,
)
from numba.np.arrayobj import populate_array
from numba.np.numpy_support import from_dtype

from cardan.numerics.compiled.block import Block, BlockKind, Opaque


class BlockType(types.Type):
    """The type of blocks of a kind. Its name is short, since the names of kernels contain it."""

    def __init__(self, kind: BlockKind) -> None:
        self.kind, self.tuple_name = kind, kind.tuple_name
        self.fields = tuple((name, _type_of_field(field)) for name, field in kind.fields)
        super().__init__(name=f"{kind.tuple_name}_{kind.code:016x}")

    def place(self, name: str) -> tuple[int, types.Type]:
        """Where the entry of a field begins, and its type."""
        place = 0
        for field, kind in self.fields:
            if field == name:
                return place, kind
            place += 1 + kind.ndim if isinstance(kind, types.Array) else 1
        raise KeyError(name)


@cache
def block_type(kind: BlockKind) -> BlockType:
    """The type of blocks of a kind."""
    return BlockType(kind)


def _type_of_field(field: Any) -> types.Type:
    if isinstance(field, BlockKind):
        return block_type(field)
    if isinstance(field, tuple):
        return types.Array(from_dtype(field[0]), field[1], "C")
    return from_dtype(field)


@typeof_impl.register(Opaque)
@typeof_impl.register(Block)
def _typeof(value: Block | Opaque, context: Any) -> BlockType:
    return block_type(value.block_kind)


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


# Functions chosen by the type of a table: those that the plane and space supply.


def overload_for(tuple_name: str, general: Callable[..., Any], special: Callable[..., Any]) -> None:
    """Let compiled code call `special` where it calls `general` with a `geometry` of one type of tables."""
    names = ", ".join(inspect.signature(general).parameters)
    scope = {"special": special, "chosen": lambda geometry: _is_table(geometry, tuple_name)}
    text = f"def choose({names}):\n    return (lambda {names}: special({names})) if chosen(geometry) else None"
    exec(text, scope)
    overload(general)(scope["choose"])


def _is_table(kind: Any, tuple_name: str) -> bool:
    return isinstance(kind, BlockType) and kind.tuple_name == tuple_name
