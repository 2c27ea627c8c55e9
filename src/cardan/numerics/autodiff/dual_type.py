"""Dual numbers and tables of them in compiled code: kernels are differentiated at the speed of machine code.

    x = v + sum_k d_k eps_k        v a float, d one vector register of `lanes` floats        see `dual.py`

`as_duals(table, lanes)` views an array [.., 1 + lanes], v and d side by side, as a table of dual numbers. A kernel that
receives such tables instead of arrays of floats is compiled for them unchanged: entries read from a table are dual
numbers, entries written may be plain numbers. The derivatives of elementary functions are in `elementary.py`.
"""

from __future__ import annotations

import operator
from typing import Any

from llvmlite import ir
from numba import types
from numba.core.datamodel import models
from numba.core.typeconv import Conversion
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate, infer_getattr, infer_global, signature
from numba.extending import intrinsic, lower_builtin, lower_cast, lower_getattr, register_model

from cardan.numerics.autodiff.elementary import BINARY, UNARY
from cardan.numerics.autodiff.jet_type import FLAGS, Emitted

PLAIN = (types.Float, types.Integer, types.Boolean)
NUMBER = ir.DoubleType()


class LanesType(types.Type):
    """A vector register."""

    def __init__(self, lanes: int) -> None:
        self.lanes = lanes
        super().__init__(name=f"Lanes({lanes})")


class DualType(types.Type):
    """A dual number with `lanes` directions."""

    def __init__(self, lanes: int) -> None:
        self.lanes = lanes
        super().__init__(name=f"Dual({lanes})")

    def can_convert_from(self, typingctx, other):
        """If one branch yields a dual number and the other a plain number, the latter becomes a constant."""
        return Conversion.safe if isinstance(other, PLAIN) else None

    def unify(self, typingctx, other):
        return self if isinstance(other, PLAIN) else None


class DualTable(types.Type):
    """An array of dual numbers, with `ndim` indices."""

    def __init__(self, lanes: int, ndim: int) -> None:
        self.lanes, self.ndim = lanes, ndim
        self.floats = types.Array(types.float64, ndim + 1, "C")
        super().__init__(name=f"DualTable({lanes}, {ndim})")


@register_model(LanesType)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, ir.VectorType(NUMBER, kind.lanes))


@register_model(DualType)
class _DualModel(models.StructModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, [("v", types.float64), ("d", LanesType(kind.lanes))])


@register_model(DualTable)
class _TableModel(models.ProxyModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind)
        self._proxied_model = manager[kind.floats]


class _Number:
    """A dual number in the code being compiled; d is None for a constant."""

    def __init__(self, context: Any, builder: Any, v: Any, d: Any = None) -> None:
        self.context, self.builder, self.v, self.d = context, builder, v, d

    def made(self, v: Any, d: Any) -> _Number:
        return _Number(self.context, self.builder, v, d)

    def times(self, d: Any, factor: Any) -> Any:
        """A vector times a number."""
        if d is None:
            return None
        lanes = ir.Constant(d.type, ir.Undefined)
        for k in range(d.type.count):
            lanes = self.builder.insert_element(lanes, factor, ir.Constant(ir.IntType(32), k))
        return self.builder.fmul(d, lanes, flags=FLAGS)

    def plus(self, d: Any, e: Any) -> Any:
        return e if d is None else d if e is None else self.builder.fadd(d, e, flags=FLAGS)

    def minus(self, d: Any) -> Any:
        return None if d is None else self.builder.fneg(d, flags=FLAGS)


def _add(x: _Number, y: _Number) -> _Number:
    return x.made(x.builder.fadd(x.v, y.v, flags=FLAGS), x.plus(x.d, y.d))


def _subtract(x: _Number, y: _Number) -> _Number:
    return x.made(x.builder.fsub(x.v, y.v, flags=FLAGS), x.plus(x.d, x.minus(y.d)))


def _multiply(x: _Number, y: _Number) -> _Number:
    return x.made(x.builder.fmul(x.v, y.v, flags=FLAGS), x.plus(x.times(x.d, y.v), x.times(y.d, x.v)))


def _divide(x: _Number, y: _Number) -> _Number:
    one = x.builder.fdiv(ir.Constant(NUMBER, 1.0), y.v, flags=FLAGS)
    q = x.builder.fdiv(x.v, y.v, flags=FLAGS)
    return x.made(q, x.times(x.plus(x.d, x.minus(x.times(y.d, q))), one))


def _negate(x: _Number) -> _Number:
    return x.made(x.builder.fneg(x.v, flags=FLAGS), x.minus(x.d))


def _by_rule(rule: Any, *numbers: _Number) -> _Number:
    """An elementary function; a rule returns the value first, then the first derivatives."""
    x = numbers[0]
    found = Emitted(x.context, x.builder, x.v).emit_rule(rule, [Emitted(n.context, n.builder, n.v) for n in numbers])
    d = None
    for number, slope in zip(numbers, found[1:], strict=False):
        d = x.plus(d, x.times(number.d, slope.code))
    return x.made(found[0].code, d)


# Boxing and unboxing.


def _unpack(context: Any, builder: Any, kind: Any, code: Any) -> _Number:
    if isinstance(kind, DualType):
        return _Number(context, builder, builder.extract_value(code, 0), builder.extract_value(code, 1))
    return _Number(context, builder, context.cast(builder, code, kind, types.float64))


def _pack(context: Any, builder: Any, kind: DualType, number: _Number) -> Any:
    struct = ir.Constant(context.get_value_type(kind), ir.Undefined)
    nothing = ir.Constant(ir.VectorType(NUMBER, kind.lanes), [0.0] * kind.lanes)
    struct = builder.insert_value(struct, number.v, 0)
    return builder.insert_value(struct, nothing if number.d is None else number.d, 1)


def _declare(function: Any, operands: int, result: Any = None) -> None:
    """Register `function` with Numba for dual-number arguments."""

    class Template(AbstractTemplate):
        key = function

        def generic(self, args, kws):
            duals = [a for a in args if isinstance(a, DualType)]
            if kws or not duals or len(args) != operands:
                return None
            if not all(isinstance(a, (DualType, *PLAIN)) for a in args):
                return None
            return signature(result or duals[0], *args)

    infer_global(function, types.Function(Template))  # explicit because ufuncs of NumPy 1.26 have no module


def _register(function: Any, operation: Any, operands: int, result: Any = None) -> None:
    _declare(function, operands, result)

    def emit(context, builder, sig, args):
        numbers = [_unpack(context, builder, kind, code) for kind, code in zip(sig.args, args, strict=True)]
        found = operation(*numbers)
        return found if result is not None else _pack(context, builder, sig.return_type, found)

    kinds: list[tuple[Any, ...]] = [(DualType,)]
    if operands == 2:
        kinds = [(DualType, DualType)]
        kinds += [pair for plain in PLAIN for pair in ((DualType, plain), (plain, DualType))]
    for formal in kinds:
        lower_builtin(function, *formal)(emit)


def _comparison(sign: str) -> Any:
    def compare(x: _Number, y: _Number) -> Any:
        emit = x.builder.fcmp_unordered if sign == "!=" else x.builder.fcmp_ordered
        return emit(sign, x.v, y.v)

    return compare


def _choice(sign: str) -> Any:
    """min or max: the second number if it is preferred."""

    def choose(x: _Number, y: _Number) -> _Number:
        better = x.builder.fcmp_ordered(sign, y.v, x.v)
        kind = next(n.d.type for n in (x, y) if n.d is not None)
        nothing = ir.Constant(kind, [0.0] * kind.count)
        d = x.builder.select(better, nothing if y.d is None else y.d, nothing if x.d is None else x.d)
        return x.made(x.builder.select(better, y.v, x.v), d)

    return choose


_OPERATIONS = {"add": _add, "sub": _subtract, "mul": _multiply, "truediv": _divide}
for _name, _operation in _OPERATIONS.items():
    for _operator in (getattr(operator, _name), getattr(operator, f"i{_name}")):
        _register(_operator, _operation, 2)
_register(operator.neg, _negate, 1)
for _name, _sign in (("lt", "<"), ("le", "<="), ("gt", ">"), ("ge", ">="), ("eq", "=="), ("ne", "!=")):
    _register(getattr(operator, _name), _comparison(_sign), 2, types.boolean)
_register(max, _choice(">"), 2)
_register(min, _choice("<"), 2)
for _count, _table in ((1, UNARY), (2, BINARY)):
    for _rule, _functions in _table.values():
        for _function in _functions:
            _register(_function, lambda *numbers, rule=_rule: _by_rule(rule, *numbers), _count)
for _power in (operator.pow, operator.ipow):
    _register(_power, lambda x, y: _by_rule(BINARY["power"][0], x, y), 2)


@lower_cast(types.Float, DualType)
@lower_cast(types.Integer, DualType)
@lower_cast(types.Boolean, DualType)
def _constant(context, builder, fromty, toty, code):
    return _pack(context, builder, toty, _unpack(context, builder, fromty, code))


# Tables.


def _as_duals(typingctx, table, lanes):
    """An array of floats [.., 1 + lanes] as a table of dual numbers; `lanes` is any tuple of that length."""
    kind = DualTable(len(lanes), table.ndim - 1)
    return signature(kind, table, lanes), lambda context, builder, sig, args: args[0]


as_duals: Any = intrinsic(_as_duals)


@infer_global(operator.getitem)
class _Get(AbstractTemplate):
    def generic(self, args, kws):
        return signature(DualType(args[0].lanes), *args) if isinstance(args[0], DualTable) else None


@infer_global(operator.setitem)
class _Set(AbstractTemplate):
    def generic(self, args, kws):
        table, index, value = args
        if isinstance(table, DualTable) and isinstance(value, (DualType, *PLAIN)):
            return signature(types.none, table, index, DualType(table.lanes))
        return None


@infer_getattr
class _Shape(AttributeTemplate):
    key = DualTable

    def resolve_shape(self, table):
        return types.UniTuple(types.intp, table.ndim)


@lower_getattr(DualTable, "shape")
def _shape(context, builder, kind, code):
    shape = context.make_array(kind.floats)(context, builder, code).shape
    found = ir.Constant(ir.ArrayType(ir.IntType(64), kind.ndim), ir.Undefined)
    for k in range(kind.ndim):
        found = builder.insert_value(found, builder.extract_value(shape, k), k)
    return found


def _places(context: Any, builder: Any, kind: DualTable, table: Any, index_kind: Any, index: Any) -> tuple[Any, Any]:
    """The addresses of v and d."""
    array = context.make_array(kind.floats)(context, builder, table)
    if isinstance(index_kind, types.BaseTuple):
        kinds: Any = index_kind
        parts = [(part, builder.extract_value(index, k)) for k, part in enumerate(kinds)]
    else:
        parts = [(index_kind, index)]
    place: Any = None
    for axis, (part, code) in enumerate(parts):
        step = context.cast(builder, code, part, types.intp)
        extent = builder.extract_value(array.shape, axis)
        place = step if place is None else builder.add(builder.mul(place, extent), step)
    place = builder.mul(place, ir.Constant(ir.IntType(64), 1 + kind.lanes))
    v = builder.gep(array.data, [place])
    d = builder.gep(array.data, [builder.add(place, ir.Constant(ir.IntType(64), 1))])
    return v, builder.bitcast(d, ir.VectorType(NUMBER, kind.lanes).as_pointer())


@lower_builtin(operator.getitem, DualTable, types.Integer)
@lower_builtin(operator.getitem, DualTable, types.BaseTuple)
def _get(context, builder, sig, args):
    v, d = _places(context, builder, sig.args[0], args[0], sig.args[1], args[1])
    number = _Number(context, builder, builder.load(v, align=8), builder.load(d, align=8))
    return _pack(context, builder, sig.return_type, number)


@lower_builtin(operator.setitem, DualTable, types.Integer, DualType)
@lower_builtin(operator.setitem, DualTable, types.BaseTuple, DualType)
def _set(context, builder, sig, args):
    v, d = _places(context, builder, sig.args[0], args[0], sig.args[1], args[1])
    builder.store(builder.extract_value(args[2], 0), v, align=8)
    builder.store(builder.extract_value(args[2], 1), d, align=8)
    return context.get_dummy_value()


def _add_slopes(typingctx, out, place, factor, number):
    """out[place : place + lanes] += factor * d, of an array of floats and a dual number."""
    if not isinstance(number, DualType):
        return None

    def emit(context, builder, sig, args):
        data = context.make_array(sig.args[0])(context, builder, args[0]).data
        at = context.cast(builder, args[1], sig.args[1], types.intp)
        d = builder.extract_value(args[3], 1)
        where = builder.bitcast(builder.gep(data, [at]), d.type.as_pointer())
        x = _Number(context, builder, None)
        builder.store(x.plus(builder.load(where, align=8), x.times(d, args[2])), where, align=8)
        return context.get_dummy_value()

    return signature(types.none, out, place, types.float64, number), emit


add_slopes: Any = intrinsic(_add_slopes)
