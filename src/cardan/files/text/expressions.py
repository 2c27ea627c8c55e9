"""Numbers of a model file: expressions over its parameters, with units.

    parameters: {r: 100 mm, length: 2*r, phi: atan2(1, 2)}

A quantity has a dimension, or is a bare number, which takes the declared unit of the argument that uses it, also within
sin(...). Quantities with and without a unit cannot be added: 25 mm + 3 is a fault.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from cardan.files.faults import FaultError, Faults, ReportedError, did_you_mean, short_repr
from cardan.files.text.grammar import At, Attribute, Call, Number, Operation, Word, parse
from cardan.files.text.nodes import List, Scalar, TextNode
from cardan.files.text.units import NONE, SI, Declared, Dims, Wanted, agree, words

CONSTANTS = {"pi": math.pi, "tau": 2.0 * math.pi, "e": math.e}
ANGLE: Dims = (0.0, 0.0, 0.0, 1.0, 0.0)
OF_ANGLE = {"sin": math.sin, "cos": math.cos, "tan": math.tan}
TO_ANGLE = {"asin": math.asin, "acos": math.acos, "atan": math.atan}
PURE = {"exp": math.exp, "log": math.log, "log10": math.log10, "sinh": math.sinh, "cosh": math.cosh, "tanh": math.tanh}
SAME: dict[str, Any] = {"min": min, "max": max, "hypot": math.hypot}
FUNCTIONS = (*OF_ANGLE, *TO_ANGLE, *PURE, *SAME, "atan2", "sqrt", "abs", "radians", "degrees")
MAX_POWER = 1000.0


class ParsedQuantity(NamedTuple):
    """A number in SI with its dimension, or a bare number."""

    value: float
    dims: Dims | None = None


class _Invalid(Exception):
    """A fault in an expression: code, message and hint."""

    def __init__(self, code: str, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.code, self.message, self.hint = code, message, hint


class Numbers:
    """Evaluates expressions over the parameters of a file."""

    def __init__(self, units: Declared, faults: Faults) -> None:
        self.units, self.faults = units, faults
        self.values: dict[str, ParsedQuantity | None] = {}  # None: at fault
        self._stated: Mapping[str, TextNode] = {}
        self._replaced: Mapping[str, TextNode] = {}
        self._open: list[str] = []

    def evaluate(self, stated: Mapping[str, TextNode], replaced: Mapping[str, TextNode] | None = None) -> None:
        """Evaluate parameters, each after those that it names.

        `replaced` are the nodes of the file for which the caller set other values: a bare number takes their unit.
        """
        self._stated, self._replaced = stated, replaced or {}
        for name in stated:
            with self.faults.collect():
                self._parameter(name)
        self._stated = {}

    def number(self, node: TextNode, wanted: Wanted, what: str) -> float:
        """The SI value of an expression where a dimension is expected."""
        found = ParsedQuantity(node.value, node.dims) if type(node) is Number else self.quantity(node)
        if found.dims is None:
            if wanted.unit == SI and self.units.foreign and found.value != 0.0:
                declared = " and ".join(self.units.foreign)
                hint = f"add a unit, or write {found.value:g} si to confirm"
                self.faults.warn(node, "C312", f"{what} is in SI units, although the file declares {declared}", hint)
            return found.value * wanted.factor
        if wanted.dims is not None and not agree(found.dims, wanted.dims):
            hint = f"state it in {wanted.unit}" if wanted.unit else "omit its unit"
            message = f"{what} is {words(found.dims)}, but must be {words(wanted.dims)}"
            raise FaultError(node, "C304", message, hint)
        return found.value

    def quantity(self, node: TextNode) -> ParsedQuantity:
        """The value of an expression."""
        try:
            found = self._value(node)
        except _Invalid as error:
            raise FaultError(node, error.code, error.message, error.hint) from None
        except (ArithmeticError, ValueError):
            raise FaultError(node, "C302", "the expression has no finite value") from None
        except RecursionError:
            raise FaultError(node, "C301", "the expression is nested too deeply") from None
        if not math.isfinite(found.value):
            raise FaultError(node, "C302", "the expression has no finite value")
        return found

    def _parameter(self, name: str) -> ParsedQuantity:
        if name not in self.values:
            node = self._stated[name]
            if name in self._open:
                chain = " -> ".join([*self._open[self._open.index(name) :], name])
                message = f"the parameters form a circle: {chain}"
                raise FaultError(node, "C305", message, "state one of them as a number")
            self._open.append(name)
            try:
                found = self.quantity(parse(node) if isinstance(node, Scalar) else node)
                self.values[name] = self._with_unit_of(self._replaced.get(name), found, name)
            except FaultError:
                self.values[name] = None
                raise
            finally:
                self._open.pop()
        found_value = self.values[name]
        if found_value is None:
            raise ReportedError
        return found_value

    def _with_unit_of(self, replaced: TextNode | None, found: ParsedQuantity, name: str) -> ParsedQuantity:
        """A bare number in the unit of the node that it replaces; SI if that is an expression with a unit."""
        if replaced is None:
            return found
        try:
            tree = parse(replaced) if isinstance(replaced, Scalar) else replaced
            usual = self.quantity(tree)
        except FaultError:
            return found
        if usual.dims is None:
            return found
        if found.dims is not None:
            if agree(found.dims, usual.dims):
                return found
            message = f"the parameter '{name}' is set to {words(found.dims)}, but is {words(usual.dims)} in the file"
            raise FaultError(replaced, "C304", message)
        return ParsedQuantity(found.value * (tree.size if isinstance(tree, Number) else 1.0), usual.dims)

    def _value(self, node: TextNode) -> ParsedQuantity:
        if isinstance(node, Number):
            return ParsedQuantity(node.value, node.dims)
        if isinstance(node, Word):
            return self._named(node)
        if isinstance(node, Operation):
            return self._chain(node)
        if isinstance(node, Call) and node.of is None:
            return self._called(node)
        if isinstance(node, Scalar):
            return self._value(parse(node))
        kind = {List: "a list", At: "a marker", Attribute: "a name", Call: "a call"}.get(type(node), "a mapping")
        raise _Invalid("C306", f"a number is expected, not {kind}")

    def _chain(self, last: Operation) -> ParsedQuantity:
        """A chain such as 1 + a - b: each operation is the left operand of the next. Its length is not limited."""
        chain = [last]
        while isinstance(chain[-1].left, Operation):
            chain.append(chain[-1].left)
        first = chain[-1].left
        found = None if first is None else self._value(first)
        for operation in reversed(chain):
            found = _operate(operation.sign, found, self._value(operation.right))
        assert found is not None
        return found

    def _named(self, node: Word) -> ParsedQuantity:
        name = node.text
        if name in self._stated or name in self.values:
            return self._parameter(name)
        if name in CONSTANTS:
            return ParsedQuantity(CONSTANTS[name])
        known = [*self.values, *self._stated]
        hint = did_you_mean(name, known, "state it under parameters" if not known else "")
        raise _Invalid("C307", f"unknown parameter {short_repr(name)}", hint)

    def _called(self, node: Call) -> ParsedQuantity:
        name = node.name
        if name not in FUNCTIONS:
            raise _Invalid("C308", f"unknown function {short_repr(name)} of numbers", did_you_mean(name, FUNCTIONS))
        if node.named:
            raise _Invalid("C308", f"{name}() takes no named values")
        least, most = {"atan2": (2, 2), "min": (1, 99), "max": (1, 99), "hypot": (1, 99)}.get(name, (1, 1))
        if not least <= len(node.listed) <= most:
            raise _Invalid("C308", f"{name}() takes {least} numbers, got {len(node.listed)}")
        return self._applied(name, [self._value(item) for item in node.listed])

    def _applied(self, name: str, given: list[ParsedQuantity]) -> ParsedQuantity:
        first = given[0]
        if name in OF_ANGLE:
            angle = (
                first.value * self.units.wanted("angle").factor if first.dims is None else _value_of(first, ANGLE, name)
            )
            return ParsedQuantity(OF_ANGLE[name](angle))
        if name in TO_ANGLE:
            return ParsedQuantity(TO_ANGLE[name](_value_of(first, NONE, name)), ANGLE)
        if name in PURE:
            return ParsedQuantity(PURE[name](_value_of(first, NONE, name)))
        if name == "radians":
            return ParsedQuantity(_value_of(first, NONE, name), ANGLE)
        if name == "degrees":
            return ParsedQuantity(math.radians(_value_of(first, NONE, name)), ANGLE)
        if name == "sqrt":
            return ParsedQuantity(math.sqrt(first.value), None if first.dims is None else _scaled(first.dims, 0.5))
        dims = _common(given, name)
        if name == "atan2":
            return ParsedQuantity(math.atan2(given[0].value, given[1].value), ANGLE)
        values = [quantity.value for quantity in given]
        return ParsedQuantity(abs(first.value) if name == "abs" else SAME[name](*values), dims)


def _operate(sign: str, left: ParsedQuantity | None, right: ParsedQuantity) -> ParsedQuantity:
    if left is None:
        return ParsedQuantity(-right.value, right.dims)
    if sign in "+-":
        dims = _common([left, right], f"'{sign}'")
        return ParsedQuantity(left.value + right.value if sign == "+" else left.value - right.value, dims)
    if sign == "**":
        exponent = _value_of(right, NONE, "a power")
        if abs(exponent) > MAX_POWER:
            raise _Invalid("C302", f"the power {exponent:g} is too large")
        value: Any = left.value**exponent
        if isinstance(value, complex):
            raise ValueError("root of a negative number")
        return ParsedQuantity(value, None if left.dims is None else _scaled(left.dims, exponent))
    over = 1.0 if sign == "*" else -1.0
    value = left.value * right.value if sign == "*" else left.value / right.value
    if left.dims is None and right.dims is None:
        return ParsedQuantity(value)
    product: Any = tuple(a + over * b for a, b in zip(left.dims or NONE, right.dims or NONE, strict=True))
    return ParsedQuantity(value, product)


def _common(given: list[ParsedQuantity], what: str) -> Dims | None:
    """The common dimension; zero is compatible with every unit."""
    known = [quantity.dims for quantity in given if quantity.dims is not None]
    if not known:
        return None
    for quantity in given:
        if quantity.dims is None and quantity.value != 0.0 and known[0] != NONE:
            raise _Invalid("C309", f"{what} takes {words(known[0])} and a number without a unit", "add its unit")
        if quantity.dims is not None and not agree(quantity.dims, known[0]):
            raise _Invalid("C309", f"{what} takes {words(known[0])} and {words(quantity.dims)}")
    return known[0]


def _value_of(quantity: ParsedQuantity, dims: Dims, what: str) -> float:
    if quantity.dims is not None and not agree(quantity.dims, dims):
        raise _Invalid("C309", f"{what} takes {words(dims)}, not {words(quantity.dims)}")
    return quantity.value


def _scaled(dims: Dims, factor: float) -> Dims:
    return tuple(factor * d for d in dims)  # type: ignore[return-value]
