"""Numbers of a model file: expressions over its parameters, with units.

    parameters: {r: 100 mm, length: 2*r, phi: atan2(1, 2)}

A quantity knows its dimension, or is bare: a bare number counts in the declared unit of the place where it is used,
also within sin(...). What has a unit and what has none do not add up: 25 mm + 3 is refused.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from cardan.files.faults import Faults, near, told
from cardan.files.text.grammar import At, Attribute, Call, GrammarError, Number, Operation, Word, parse
from cardan.files.text.nodes import List, Node, Scalar
from cardan.files.text.units import NONE, SI, Declared, Dims, Wanted, agree, words

CONSTANTS = {"pi": math.pi, "tau": 2.0 * math.pi, "e": math.e}
ANGLE: Dims = (0.0, 0.0, 0.0, 1.0, 0.0)
OF_ANGLE = {"sin": math.sin, "cos": math.cos, "tan": math.tan}
TO_ANGLE = {"asin": math.asin, "acos": math.acos, "atan": math.atan}
PURE = {"exp": math.exp, "log": math.log, "log10": math.log10, "sinh": math.sinh, "cosh": math.cosh, "tanh": math.tanh}
SAME: dict[str, Any] = {"min": min, "max": max, "hypot": math.hypot}
FUNCTIONS = (*OF_ANGLE, *TO_ANGLE, *PURE, *SAME, "atan2", "sqrt", "abs", "radians", "degrees")


class Quantity(NamedTuple):
    """A number in SI with its dimension, or a bare one without."""

    value: float
    dims: Dims | None = None


class Numbers:
    """Evaluates expressions over the parameters of a file."""

    def __init__(self, units: Declared, faults: Faults) -> None:
        self.units, self.faults = units, faults
        self.values: dict[str, Quantity | None] = {}  # None: at fault, and told
        self._stated: Mapping[str, Node] = {}
        self._replaced: Mapping[str, Node] = {}
        self._open: list[str] = []

    def state(self, stated: Mapping[str, Node], replaced: Mapping[str, Node] | None = None) -> None:
        """Find the values of parameters, each after those that it names.

        `replaced` is what stood in the file where another value was set: a bare number then counts in its unit.
        """
        self._stated, self._replaced = stated, replaced or {}
        for name in stated:
            self._parameter(name)
        self._stated = {}

    def number(self, node: Node, wanted: Wanted, what: str) -> float | None:
        """The SI value of an expression where a dimension is asked for; None with a fault."""
        found = Quantity(node.value, node.dims) if type(node) is Number else self.quantity(node)
        if found is None:
            return None
        if found.dims is None:
            if wanted.unit == SI and self.units.foreign and found.value != 0.0:
                declared = " and ".join(self.units.foreign)
                hint = f"state its unit, or write {found.value:g} si to say so"
                self.faults.doubt(node, "C312", f"{what} counts in SI, though the file declares {declared}", hint)
            return found.value * wanted.factor
        if wanted.dims is not None and not agree(found.dims, wanted.dims):
            hint = f"state it in {wanted.unit}" if wanted.unit else "leave its unit out"
            sentence = f"{what} is {words(found.dims)}, but must be {words(wanted.dims)}"
            self.faults.add(node, "C304", sentence, hint)
            return None
        return found.value

    def quantity(self, node: Node) -> Quantity | None:
        """The value of an expression; None with a fault."""
        try:
            found = self._value(node)
        except GrammarError as error:
            self.faults.add(node, error.code, error.sentence, error.hint)
            return None
        except (ArithmeticError, ValueError):
            self.faults.add(node, "C302", "the expression has no finite value")
            return None
        except RecursionError:
            self.faults.add(node, "C301", "the expression is nested too deep")
            return None
        if found is not None and not math.isfinite(found.value):
            self.faults.add(node, "C302", "the expression has no finite value")
            return None
        return found

    def _parameter(self, name: str) -> Quantity | None:
        if name in self.values:
            return self.values[name]
        node = self._stated[name]
        if name in self._open:
            chain = " -> ".join([*self._open[self._open.index(name) :], name])
            self.faults.add(
                node, "C305", f"the parameters go round in a circle: {chain}", "state one of them as a number"
            )
            self.values[name] = None
            return None
        self._open.append(name)
        tree = node
        if isinstance(node, Scalar):
            try:
                tree = parse(node)
            except GrammarError as error:
                self.faults.add(node, error.code, error.sentence, error.hint)
                self.values[name] = None
        if name not in self.values:
            found = self.quantity(tree)
            self.values.setdefault(name, self._in_place_of(self._replaced.get(name), found, name))
        self._open.pop()
        return self.values[name]

    def _in_place_of(self, replaced: Node | None, found: Quantity | None, name: str) -> Quantity | None:
        """A bare number in the unit of what it takes the place of; SI where that is an expression with a unit."""
        if found is None or replaced is None:
            return found
        try:
            tree = parse(replaced) if isinstance(replaced, Scalar) else replaced
        except GrammarError:
            return found
        usual = self.quantity(tree)
        if usual is None or usual.dims is None:
            return found
        if found.dims is not None:
            if agree(found.dims, usual.dims):
                return found
            sentence = f"the parameter '{name}' is set to {words(found.dims)}, but is {words(usual.dims)} in the file"
            self.faults.add(replaced, "C304", sentence)
            return None
        return Quantity(found.value * (tree.size if isinstance(tree, Number) else 1.0), usual.dims)

    def _value(self, node: Node) -> Quantity | None:
        if isinstance(node, Number):
            return Quantity(node.value, node.dims)
        if isinstance(node, Word):
            return self._named(node)
        if isinstance(node, Operation):
            right = self._value(node.right)
            left = self._value(node.left) if node.left is not None else None
            if right is None or (node.left is not None and left is None):
                return None
            return _operate(node.sign, left, right)
        if isinstance(node, Call) and node.of is None:
            return self._called(node)
        if isinstance(node, Scalar):
            return self._value(parse(node))
        kind = {List: "a list", At: "a marker", Attribute: "a name", Call: "a call"}.get(type(node), "a mapping")
        raise GrammarError("C306", f"a number is expected here, not {kind}")

    def _named(self, node: Word) -> Quantity | None:
        name = node.text
        if name in self._stated:
            return self._parameter(name)
        if name in self.values:
            return self.values[name]
        if name in CONSTANTS:
            return Quantity(CONSTANTS[name])
        known = [*self.values, *self._stated]
        hint = near(name, known, "state it under parameters" if not known else "")
        raise GrammarError("C307", f"there is no parameter {told(name)}", hint)

    def _called(self, node: Call) -> Quantity | None:
        if node.name not in FUNCTIONS:
            raise GrammarError("C308", f"there is no function {told(node.name)} of numbers", near(node.name, FUNCTIONS))
        if node.named:
            raise GrammarError("C308", f"{node.name}() takes no named values")
        given = [self._value(item) for item in node.listed]
        if any(value is None for value in given):
            return None
        count = {"atan2": (2, 2), "min": (1, 99), "max": (1, 99), "hypot": (1, 99)}.get(node.name, (1, 1))
        if not count[0] <= len(given) <= count[1]:
            raise GrammarError("C308", f"{node.name}() takes {count[0]} numbers, {len(given)} are given")
        return self._applied(node.name, [value for value in given if value is not None])

    def _applied(self, name: str, given: list[Quantity]) -> Quantity:
        first = given[0]
        if name in OF_ANGLE:
            turn = first.value * self.units.wanted("angle").factor if first.dims is None else _be(first, ANGLE, name)
            return Quantity(OF_ANGLE[name](turn))
        if name in TO_ANGLE:
            return Quantity(TO_ANGLE[name](_be(first, NONE, name)), ANGLE)
        if name in PURE:
            return Quantity(PURE[name](_be(first, NONE, name)))
        if name == "radians":
            return Quantity(_be(first, NONE, name), ANGLE)
        if name == "degrees":
            return Quantity(math.radians(_be(first, NONE, name)), ANGLE)
        if name == "sqrt":
            return Quantity(math.sqrt(first.value), None if first.dims is None else _scaled(first.dims, 0.5))
        dims = _common(given, name)
        if name == "atan2":
            return Quantity(math.atan2(given[0].value, given[1].value), ANGLE)
        values = [quantity.value for quantity in given]
        return Quantity(abs(first.value) if name == "abs" else SAME[name](*values), dims)


def _operate(sign: str, left: Quantity | None, right: Quantity) -> Quantity:
    if left is None:
        return Quantity(-right.value, right.dims)
    if sign in "+-":
        dims = _common([left, right], f"'{sign}'")
        return Quantity(left.value + right.value if sign == "+" else left.value - right.value, dims)
    if sign == "**":
        exponent = _be(right, NONE, "a power")
        if abs(exponent) > 1000.0:
            raise GrammarError("C302", f"the power {exponent:g} is too large")
        value: Any = left.value**exponent
        if isinstance(value, complex):
            raise ValueError("a root of a negative number")
        return Quantity(value, None if left.dims is None else _scaled(left.dims, exponent))
    over = 1.0 if sign == "*" else -1.0
    value = left.value * right.value if sign == "*" else left.value / right.value
    if left.dims is None and right.dims is None:
        return Quantity(value)
    product: Any = tuple(a + over * b for a, b in zip(left.dims or NONE, right.dims or NONE, strict=True))
    return Quantity(value, product)


def _common(given: list[Quantity], what: str) -> Dims | None:
    """The dimension that all share; zero goes with every unit."""
    known = [quantity.dims for quantity in given if quantity.dims is not None]
    if not known:
        return None
    for quantity in given:
        if quantity.dims is None and quantity.value != 0.0 and known[0] != NONE:
            raise GrammarError("C309", f"{what} takes {words(known[0])} and a number without unit", "state its unit")
        if quantity.dims is not None and not agree(quantity.dims, known[0]):
            raise GrammarError("C309", f"{what} takes {words(known[0])} and {words(quantity.dims)}")
    return known[0]


def _be(quantity: Quantity, dims: Dims, what: str) -> float:
    if quantity.dims is not None and not agree(quantity.dims, dims):
        raise GrammarError("C309", f"{what} takes {words(dims)}, not {words(quantity.dims)}")
    return quantity.value


def _scaled(dims: Dims, factor: float) -> Dims:
    return tuple(factor * d for d in dims)  # type: ignore[return-value]
