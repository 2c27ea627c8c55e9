"""Reading a value of some kind: a number, a marker, a measure, a motion, ...

    mass: 2 kg                                 number(mass)
    a: crank@(0.1, 0)                          marker; also {crank: [0.1, 0]} or {body: crank, at: [0.1, 0], angle: 30}
    measure: hinge.angle                       measure; also length(a, b), 2*hinge.angle - other.angle
    motion: {type: ramp, rate: 10}             motion; also ramp(10), 0.2 + harmonic(0.05, 6), or a number

Mappings with `type` and calls are equivalent. The result is plain data, see `parsed`; a fault raises FaultError.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cardan.files.faults import FaultError, ReportedError, did_you_mean, short_repr
from cardan.files.reading import parsed
from cardan.files.reading.components import read_components, read_curves
from cardan.files.reading.markers import read_marker
from cardan.files.reading.objects import ACCEPTED, EXAMPLES, read_object, unit_of
from cardan.files.reading.scope import Scope
from cardan.files.reading.tables import from_table
from cardan.files.text.expressions import CONSTANTS, FUNCTIONS
from cardan.files.text.grammar import At, Attribute, Call, Number, Operation, Word, parse
from cardan.files.text.nodes import List, Map, Scalar, TextNode, is_empty
from cardan.files.text.units import SI
from cardan.files.vocabulary.kind import Kind, parse_kind
from cardan.files.vocabulary.types import Type

Symbols = dict[str, Any]  # dimensions of V, W and X, and the exponent n
PART = ".nc"  # how the name of a file with a flexible part ends
TRUE, FALSE = ("true", "True"), ("false", "False")
CUT = "text that contains a comma needs quotes inside { }"
FIRST = ("of_rate", "along", "measure", "of", "what", "exponent")  # arguments on which units of others depend


class Reader:
    """Reads values within a scope."""

    def __init__(self, scope: Scope) -> None:
        self.scope, self.faults, self.shared = scope, scope.faults, scope.shared

    def read(self, kind: str | Kind, node: TextNode, what: str, symbols: Symbols | None = None) -> Any:
        """The value of a node; `what` names the argument in messages."""
        wanted = parse_kind(kind) if isinstance(kind, str) else kind
        fitting = [one for one in (wanted, *wanted.others) if self._fits(one, node)] if wanted.others else []
        one = (fitting or [wanted])[0]
        method = getattr(self, f"_read_{one.name}", self._read_object)
        return method(one, node, what, symbols or {})

    def _fits(self, wanted: Kind, node: TextNode) -> bool:
        """Whether a node looks like a value of one of several kinds."""
        try:
            tree: TextNode | None = self.tree(node)
        except FaultError:
            tree = None
        kind = wanted.name
        if kind == "list":
            return isinstance(tree, List)
        if kind == "mapping":
            return isinstance(tree, Map)
        if kind in ("section", "material", "connection"):
            return isinstance(tree, Map | Call)
        if kind in ("number", "numbers", "integer"):
            return self.is_numeric(tree) or (kind == "numbers" and isinstance(tree, List))
        if kind == "flag":
            return isinstance(node, Scalar) and node.text in (*TRUE, *FALSE)
        if kind == "marker":
            plain = isinstance(tree, Map) and "type" not in tree.items
            return plain or isinstance(tree, At) or (isinstance(tree, Word) and self._names_marker(tree))
        if kind == "element":
            full = (self.scope.full(tree.text), self.scope.connected.get(tree.text)) if isinstance(tree, Word) else ()
            return isinstance(tree, Word) and self.scope.element(tree.parts) in [(name, ()) for name in full]
        if kind in ("measure", "signal", "motion", "matter", "pulley", "device"):
            return self._looks_like(kind, tree)
        return isinstance(node, Scalar)

    def _looks_like(self, kind: str, tree: TextNode | None) -> bool:
        if isinstance(tree, Operation):
            return any(self._looks_like(kind, side) for side in (tree.left, tree.right) if side is not None)
        if isinstance(tree, Word):
            found = self.scope.element(tree.parts)
            if found is None:
                return False
            return kind == "signal" or (
                bool(found[1]) and self.shared.types[found[0]].offers.get(found[1][0]) != "signal"
            )
        if isinstance(tree, Attribute):
            return kind in ("measure", "signal")
        if isinstance(tree, Call) and tree.of is not None:
            return kind == "matter"
        stated = tree.items.get("type") if isinstance(tree, Map) else None
        name = tree.name if isinstance(tree, Call) else stated.text if isinstance(stated, Scalar) else ""
        return name in self.shared.known and self.shared.known[name].gives in ACCEPTED.get(kind, (kind,))

    # plain data

    def _read_number(self, wanted: Kind, node: TextNode, what: str, symbols: Symbols) -> float:
        tree = self.tree(node, what)
        flag = isinstance(node, Scalar) and not node.quoted and node.text in (*TRUE, *FALSE)
        if flag or isinstance(tree, List | Map):
            given = _text(node) if flag else f"a {_sort(tree)}"
            raise FaultError(node, "C306", f"{what} must be a number, not {given}")
        unit = self.scope.numbers.units.wanted(wanted.value, symbols, symbols.get("n", 1.0))
        value = self.scope.numbers.number(tree, unit, what)
        if wanted.least and (value < 0.0 or (value == 0.0 and wanted.least == ">")) and not symbols.get(wanted.unless):
            sign = "positive" if wanted.least == ">" else "zero or positive"
            hint = f"{wanted.unless}: true permits it" if wanted.unless else ""
            raise FaultError(node, "C313", f"{what} must be {sign}, got {_text(node)}", hint)
        return value

    def _read_numbers(self, wanted: Kind, node: TextNode, what: str, symbols: Symbols) -> Any:
        tree = self.tree(node, what)
        if isinstance(tree, List):
            return tuple(self.faults.each(lambda item: self._read_numbers(wanted, item, what, symbols), tree.items))
        return self._read_number(wanted, tree, what, symbols)

    def _read_extended(self, wanted: Kind, node: TextNode, what: str, symbols: Symbols) -> Any:
        """Numbers that may be infinite or nan, in roads and outlines."""
        if isinstance(node, List):
            return tuple(self.faults.each(lambda item: self._read_extended(wanted, item, what, symbols), node.items))
        if isinstance(node, Scalar) and node.text in ("inf", "-inf", "nan"):
            return float(node.text)
        return self._read_number(wanted, node, what, symbols)

    def _read_powers(self, wanted: Kind, node: TextNode, what: str, symbols: Symbols) -> Any:
        """Coefficients of a polynomial, each in its own unit."""
        tree = self.tree(node)

        def coefficient(numbered: tuple[int, TextNode]) -> Any:
            k, item = numbered
            return self.read(f"number(V/(X)^{k})", item, f"coefficient {k} of {what}", symbols)

        return tuple(self.faults.each(coefficient, enumerate(tree.items if isinstance(tree, List) else [node])))

    def _read_point(self, wanted: Kind, node: TextNode, what: str, symbols: Symbols) -> Any:
        tree, size = self.tree(node), self.shared.size
        if not isinstance(tree, List) or len(tree.items) != size:
            given = f"a list of {len(tree.items)}" if isinstance(tree, List) else f"a {_sort(tree)}"
            raise FaultError(node, "C107", f"{what} must be a list of {size} numbers, not {given}")
        return self._read_numbers(wanted, tree, what, symbols)

    def _read_components(self, wanted: Kind, node: TextNode, what: str, symbols: Symbols) -> Any:
        return read_components(self, wanted, node, what)

    def _read_curves(self, wanted: Kind, node: TextNode, what: str, symbols: Symbols) -> Any:
        return read_curves(self, wanted, node, what)

    def _read_integer(self, wanted: Kind, node: TextNode, what: str, symbols: Symbols) -> int:
        value = self.read("number(1)", node, what)
        if value != int(value):
            raise FaultError(node, "C107", f"{what} must be an integer, not {value:g}")
        return int(value)

    def _read_flag(self, wanted: Kind, node: TextNode, what: str, symbols: Symbols) -> bool:
        text = node.text if isinstance(node, Scalar | Word) else ""
        if text not in (*TRUE, *FALSE):
            raise FaultError(node, "C107", f"{what} must be true or false, not {short_repr(_text(node))}")
        return text in TRUE

    def _read_text(self, wanted: Kind, node: TextNode, what: str, symbols: Symbols) -> str:
        if not isinstance(node, Scalar | Word):
            raise FaultError(node, "C107", f"{what} must be a word, not a {_sort(node)}")
        return node.text

    def _read_path(self, wanted: Kind, node: TextNode, what: str, symbols: Symbols) -> str:
        return str(self.shared.folders.inside(node, self._read_text(wanted, node, what, symbols)))

    def _read_part(self, wanted: Kind, node: TextNode, what: str, symbols: Symbols) -> Any:
        """The name of a file, or a part that is stated by its type."""
        if isinstance(node, Scalar) and node.text.lower().endswith(PART):
            return parsed.Object("part_file", {"file": self._read_path(wanted, node, what, symbols)}, node)
        if isinstance(self.tree(node), Word):
            hint = f"a file of a part ends in {PART}; {EXAMPLES['part']}"
            raise FaultError(node, "C107", f"{what} must be a file or a part, not {short_repr(_text(node))}", hint)
        return read_object(self, wanted, node, what, symbols)

    def _read_function(self, wanted: Kind, node: TextNode, what: str, symbols: Symbols) -> Any:
        text = self._read_text(wanted, node, what, symbols)
        if not text.isidentifier():
            raise FaultError(node, "C501", f"{what} must be the name of a Python function, not {short_repr(text)}")
        return parsed.UserFunction(text, node)

    def _read_list(self, wanted: Kind, node: TextNode, what: str, symbols: Symbols) -> Any:
        try:
            tree = self.tree(node)
        except FaultError:
            tree = node
        inner = wanted.inner
        assert inner is not None
        if not isinstance(tree, List):
            if isinstance(tree, Map) and "type" not in tree.items and inner.name in ("number", "text"):
                raise FaultError(node, "C107", f"{what} must be a list, not a mapping")
            return (self.read(inner, node, what, symbols),)

        def entry(numbered: tuple[int, TextNode]) -> Any:
            k, item = numbered
            return None if is_empty(item) else self.read(inner, item, f"entry {k} of {what}", symbols)

        if tree.items and isinstance(tree.items[0], Number):  # a column of a table: one fault is enough
            return tuple(entry(numbered) for numbered in enumerate(tree.items, 1))
        return tuple(self.faults.each(entry, enumerate(tree.items, 1)))

    def _read_mapping(self, wanted: Kind, node: TextNode, what: str, symbols: Symbols) -> Any:
        inner = wanted.inner
        assert inner is not None
        if not isinstance(node, Map):
            raise FaultError(node, "C107", f"{what} must be a mapping of names to values, not a {_sort(node)}")
        values = self.faults.each(
            lambda entry: self.read(inner, entry[1], f"'{entry[0]}' of {what}", symbols), node.items.items()
        )
        return dict(zip(node.items, values, strict=True))

    # names

    def _read_element(self, wanted: Kind, node: TextNode, what: str, symbols: Symbols) -> Any:
        if not isinstance(node, Scalar | Word):
            raise FaultError(node, "C107", f"{what} must be the name of an element, not a {_sort(node)}")
        parts = node.text.split(".") if isinstance(node, Scalar) else node.parts
        found = self.scope.element([part.strip("'\"") for part in parts])
        if found is None or found[1]:
            raise self.scope.unknown(node, node.text, "element")
        return parsed.Reference(found[0], "", node)

    def _read_marker(self, wanted: Kind, node: TextNode, what: str, symbols: Symbols) -> Any:
        return read_marker(self, node, what)

    def _names_marker(self, tree: Word) -> bool:
        found = self.scope.element(tree.parts)
        body = found is not None and not found[1] and self.shared.types[found[0]].group == "bodies"
        return body or self.scope.full(tree.text) in self.shared.markers

    def _read_object(self, wanted: Kind, node: TextNode, what: str, symbols: Symbols) -> Any:
        return read_object(self, wanted, node, what, symbols)

    # arguments

    def arguments(
        self, kind: Type, listed: Sequence[TextNode], named: dict[str, TextNode], node: TextNode, symbols: Symbols
    ) -> dict[str, Any]:
        """The arguments of a type: unknown and missing ones are faults, and each is read as its kind."""
        if kind.table and "table" in named:
            named = from_table(self, kind, named)
        named = self._renamed(kind, named, node)
        for name in named.keys() - kind.arguments.keys():
            at = node.keys.get(name, named[name]) if isinstance(node, Map) else named[name]
            hint = CUT if set(name) & set("()=@") else did_you_mean(name, kind.arguments)
            self.faults.add(at, "C105", f"{kind.name} has no argument {short_repr(name)}", hint)
        names = list(kind.arguments)
        stated = dict(named)
        if kind.name == "polynomial" and listed:
            stated["coefficients"] = List(listed[0].path, listed[0].line, listed[0].column, list(listed))
        elif len(listed) > len(names):
            self.faults.add(node, "C105", f"{kind.name} takes {len(names)} values, got {len(listed)}")
        else:
            stated |= dict(zip(names, listed, strict=False))
        given = {name: item for name, item in stated.items() if name in kind.arguments and not is_empty(item)}
        missing = [name for name, argument in kind.arguments.items() if argument.required and name not in given]
        if missing:
            raise FaultError(node, "C106", f"{kind.name} needs {' and '.join(missing)}")
        return self._each(kind, given, symbols)

    def _renamed(self, kind: Type, named: dict[str, TextNode], node: TextNode) -> dict[str, TextNode]:
        """The arguments under their current names; an old name is a warning."""
        for old, new in kind.renamed.items():
            if old in named and new not in named:
                at = node.keys.get(old, named[old]) if isinstance(node, Map) else named[old]
                self.faults.warn(at, "C111", f"argument '{old}' of {kind.name} is now called '{new}'")
                named = {new if name == old else name: item for name, item in named.items()}
        return named

    def _each(self, kind: Type, given: dict[str, TextNode], symbols: Symbols) -> dict[str, Any]:
        """Read arguments, first those on which the units of others depend."""
        found: dict[str, Any] = {}
        symbols = dict(symbols)
        if "exponent" in kind.arguments and kind.name in ("contact", "stop"):
            symbols.setdefault("n", kind.arguments["exponent"].default)
        flags = [name for name in given if name == "allow_negative"]
        first = [*flags, *(name for name in FIRST if name in given)]
        for name in [*first, *(n for n in given if n not in first)]:
            with self.faults.collect():
                found[name] = value = self.read(
                    kind.arguments[name].kind, given[name], f"{name} of {kind.name}", symbols
                )
                if name in flags:
                    symbols[name] = value
                elif kind.gives in ("element", "event"):
                    if name in ("along", "measure", "of", "what") and "V" not in symbols:
                        unit = unit_of(self, value)
                        symbols["V"] = f"{unit}/time" if found.get("of_rate") else unit
                        symbols["W"] = {"length": "force", "angle": "force*length"}.get(unit, SI)
                    elif name == "of":
                        symbols["X"] = unit_of(self, value)  # of the curve of a coupler
                    elif name == "exponent":
                        symbols["n"] = value
        if len(found) < len(given):
            raise ReportedError
        return {name: found[name] for name in given}

    # trees

    def tree(self, node: TextNode, what: str = "") -> TextNode:
        """The tree of a text; lists and mappings as they are."""
        if not isinstance(node, Scalar):
            return node
        try:
            return parse(node)
        except FaultError as error:
            if what and error.fault is not None and error.fault.code == "C302":
                text = short_repr(node.text)
                raise FaultError(node, "C302", f"{what} must be a finite number, not {text}") from None
            raise

    def is_numeric(self, tree: TextNode | None) -> bool:
        """Whether a tree is a number: parameters, constants and functions of numbers only."""
        if isinstance(tree, Number):
            return True
        if isinstance(tree, Word):
            known = tree.text in self.scope.numbers.values or tree.text in CONSTANTS
            return known and self.scope.element(tree.parts) is None
        if isinstance(tree, Operation):
            return all(self.is_numeric(side) for side in (tree.left, tree.right) if side is not None)
        if isinstance(tree, Call) and tree.of is None and tree.name in FUNCTIONS:
            return all(self.is_numeric(item) for item in tree.listed)
        return False


def _sort(node: TextNode) -> str:
    return {List: "list", Map: "mapping", Number: "number", At: "marker"}.get(type(node), "text")


def _text(node: TextNode) -> str:
    if isinstance(node, Number):
        return f"{node.value:g}"
    return node.text if isinstance(node, Scalar | Word) else _sort(node)
