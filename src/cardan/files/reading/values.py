"""Reading a value for its role: a number, a marker, a measure, a motion, or whatever an argument asks for.

    mass: 2 kg                                 number(mass)
    a: crank@(0.1, 0)                          marker: also {crank: [0.1, 0]} or {body: crank, at: [0.1, 0], angle: 30}
    measure: hinge.angle                       measure: also length(a, b), 2*hinge.angle - other.angle
    motion: {type: ramp, rate: 10}             motion: also ramp(10), 0.2 + harmonic(0.05, 6), or a number

Mappings with `type` and texts of the grammar say the same. What is read is plain data, see `stated`; None stands for a
value at fault, which has been told.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cardan.files.faults import near, told
from cardan.files.reading import parsed as stated
from cardan.files.reading.components import read_components, read_curves
from cardan.files.reading.markers import read_marker
from cardan.files.reading.objects import TAKEN, read_object, unit_of
from cardan.files.reading.scope import Scope
from cardan.files.reading.tables import from_table
from cardan.files.text.expressions import CONSTANTS, FUNCTIONS
from cardan.files.text.grammar import At, Attribute, Call, GrammarError, Number, Operation, Word, parse
from cardan.files.text.nodes import List, Map, Node, Scalar
from cardan.files.text.units import SI
from cardan.files.vocabulary.kind import Role, role

Symbols = dict[str, Any]
TRUE, FALSE = ("true", "True"), ("false", "False")
CUT = "a text with a comma was cut there: between { } it needs quotes"


class Reader:
    """Reads values within a scope."""

    def __init__(self, scope: Scope) -> None:
        self.scope, self.faults, self.shared = scope, scope.faults, scope.shared

    def read(self, wanted: str, node: Node, what: str, symbols: Symbols | None = None) -> Any:
        """What a node states for a role; None with a fault."""
        return self._read(role(wanted), node, what, symbols or {})

    def _read(self, wanted: Role, node: Node, what: str, symbols: Symbols) -> Any:
        if len(wanted.others) == 0:
            return self._one(wanted, node, what, symbols)
        fitting = [one for one in (wanted, *wanted.others) if self._fits(one, node)]
        return self._one((fitting or [wanted])[0], node, what, symbols)

    def _fits(self, wanted: Role, node: Node) -> bool:
        """Whether a node looks like what one of several roles asks for."""
        tree = self.tree(node, quiet=True)
        if wanted.kind == "list":
            return isinstance(tree, List)
        if wanted.kind in ("number", "numbers", "integer"):
            return self.is_numeric(tree) or (wanted.kind == "numbers" and isinstance(tree, List))
        if wanted.kind == "flag":
            return isinstance(node, Scalar) and node.text in (*TRUE, *FALSE)
        if wanted.kind == "marker":
            single = isinstance(tree, Map) and "type" not in tree.items
            return single or isinstance(tree, At) or (isinstance(tree, Word) and self._marker_named(tree))
        if wanted.kind == "element":
            return isinstance(tree, Word) and self.scope.element(tree.parts) in (
                (self.scope.full(tree.text), ()),
                (self.scope.connected.get(tree.text), ()),
            )
        if wanted.kind in ("measure", "signal", "motion", "matter", "pulley", "device"):
            return self._looks_like(wanted.kind, tree)
        return isinstance(node, Scalar)

    def _looks_like(self, kind: str, tree: Node | None) -> bool:
        if isinstance(tree, Operation):
            return any(self._looks_like(kind, side) for side in (tree.left, tree.right) if side is not None)
        if isinstance(tree, Word):
            found = self.scope.element(tree.parts)
            return bool(found and found[1] and self.shared.types[found[0]].offers.get(found[1][0], "") != "signal") or (
                kind == "signal" and found is not None
            )
        if isinstance(tree, Attribute):
            return kind in ("measure", "signal")
        stated_type = tree.items.get("type") if isinstance(tree, Map) else None
        name = tree.name if isinstance(tree, Call) else stated_type.text if isinstance(stated_type, Scalar) else ""
        if isinstance(tree, Call) and tree.of is not None:
            return kind == "matter"
        return name in self.shared.known and self.shared.known[name].gives in TAKEN.get(kind, (kind,))

    def _one(self, wanted: Role, node: Node, what: str, symbols: Symbols) -> Any:
        method = getattr(self, f"_read_{wanted.kind}", None)
        if method is not None:
            return method(wanted, node, what, symbols)
        return self._object(wanted, node, what, symbols)

    # plain data

    def _read_number(self, wanted: Role, node: Node, what: str, symbols: Symbols) -> float | None:
        tree = self.tree(node, what)
        if tree is None:
            return None
        flag = isinstance(node, Scalar) and not node.quoted and node.text in (*TRUE, *FALSE)
        if flag or isinstance(tree, List | Map):
            given = _shown(node) if flag else f"a {_sort(tree)}"
            self.faults.add(node, "C306", f"{what} must be a number, not {given}")
            return None
        unit = self.scope.numbers.units.wanted(wanted.value, symbols, symbols.get("n", 1.0))
        return self.scope.numbers.number(tree, unit, what)

    def _read_numbers(self, wanted: Role, node: Node, what: str, symbols: Symbols) -> Any:
        tree = self.tree(node, what)
        if isinstance(tree, List):
            items = [self._read_numbers(wanted, item, what, symbols) for item in tree.items]
            return None if any(item is None for item in items) else tuple(items)
        return None if tree is None else self._read_number(wanted, tree, what, symbols)

    def _read_extended(self, wanted: Role, node: Node, what: str, symbols: Symbols) -> Any:
        """Numbers that may be infinite, or not be there, as roads and pictures have them."""
        if isinstance(node, List):
            items = [self._read_extended(wanted, item, what, symbols) for item in node.items]
            return None if any(item is None for item in items) else tuple(items)
        if isinstance(node, Scalar) and node.text in ("inf", "-inf", "nan"):
            return float(node.text)
        return self._read_number(wanted, node, what, symbols)

    def _read_powers(self, wanted: Role, node: Node, what: str, symbols: Symbols) -> Any:
        """Coefficients of a polynomial, each in its own unit."""
        tree = self.tree(node)
        items = tree.items if isinstance(tree, List) else [node]
        one = [
            self._read_number(role(f"number(V/(X)^{k})"), item, f"coefficient {k} of {what}", symbols)
            for k, item in enumerate(items)
        ]
        return None if any(item is None for item in one) else tuple(one)

    def _read_point(self, wanted: Role, node: Node, what: str, symbols: Symbols) -> Any:
        tree, size = self.tree(node), self.shared.size
        if tree is None:
            return None
        if not isinstance(tree, List) or len(tree.items) != size:
            count = f"a list of {len(tree.items)}" if isinstance(tree, List) else f"a {_sort(tree)}"
            self.faults.add(node, "C107", f"{what} must be a list of {size} numbers, not {count}")
            return None
        return self._read_numbers(wanted, tree, what, symbols)

    def _read_components(self, wanted: Role, node: Node, what: str, symbols: Symbols) -> Any:
        return read_components(self, wanted, node, what)

    def _read_curves(self, wanted: Role, node: Node, what: str, symbols: Symbols) -> Any:
        return read_curves(self, wanted, node, what)

    def _read_integer(self, wanted: Role, node: Node, what: str, symbols: Symbols) -> int | None:
        value = self._read_number(role("number(1)"), node, what, symbols)
        if value is None:
            return None
        if value != int(value):
            self.faults.add(node, "C107", f"{what} must be a whole number, not {value:g}")
            return None
        return int(value)

    def _read_flag(self, wanted: Role, node: Node, what: str, symbols: Symbols) -> bool | None:
        text = node.text if isinstance(node, Scalar | Word) else ""
        if text in (*TRUE, *FALSE):
            return text in TRUE
        self.faults.add(node, "C107", f"{what} must be true or false, not {told(_shown(node))}")
        return None

    def _read_text(self, wanted: Role, node: Node, what: str, symbols: Symbols) -> str | None:
        if isinstance(node, Scalar | Word):
            return node.text
        self.faults.add(node, "C107", f"{what} must be a word, not a {_sort(node)}")
        return None

    def _read_path(self, wanted: Role, node: Node, what: str, symbols: Symbols) -> str | None:
        text = self._read_text(wanted, node, what, symbols)
        return None if text is None else self.shared.folders.inside(node, text, self.faults)

    def _read_function(self, wanted: Role, node: Node, what: str, symbols: Symbols) -> Any:
        text = self._read_text(wanted, node, what, symbols)
        if text is None:
            return None
        if not text.isidentifier():
            self.faults.add(node, "C501", f"{what} must be the name of a Python function, not {told(text)}")
            return None
        return stated.Own(text, node)

    def _read_list(self, wanted: Role, node: Node, what: str, symbols: Symbols) -> Any:
        tree = self.tree(node, quiet=True)
        inner = wanted.inner
        assert inner is not None
        if not isinstance(tree, List):
            if isinstance(tree, Map) and "type" not in tree.items and inner.kind in ("number", "text"):
                self.faults.add(node, "C107", f"{what} must be a list, not a mapping")
                return None
            one = self._read(inner, node, what, symbols)
            return None if one is None else (one,)
        found = []
        for k, item in enumerate(tree.items):
            empty = is_empty(item)
            value = self._empty(item) if empty else self._read(inner, item, f"entry {k + 1} of {what}", symbols)
            if value is None and isinstance(item, Number):
                return None  # a column of a table: what is wrong with one unit is so with all
            found.append(value)
        if any(item is None for item in found):
            return None
        return tuple(None if item is Reader else item for item in found)

    def _empty(self, item: Node) -> Any:
        return Reader  # a place that is left empty on purpose, told apart from a fault

    def _read_mapping(self, wanted: Role, node: Node, what: str, symbols: Symbols) -> Any:
        if not isinstance(node, Map):
            self.faults.add(node, "C107", f"{what} must be a mapping of names to values, not a {_sort(node)}")
            return None
        assert wanted.inner is not None
        found = {
            name: self._read(wanted.inner, item, f"'{name}' of {what}", symbols) for name, item in node.items.items()
        }
        return None if any(value is None for value in found.values()) else found

    # names

    def _read_element(self, wanted: Role, node: Node, what: str, symbols: Symbols) -> Any:
        if not isinstance(node, Scalar | Word):
            self.faults.add(node, "C107", f"{what} must be the name of an element, not a {_sort(node)}")
            return None
        parts = node.text.split(".") if isinstance(node, Scalar) else node.parts
        found = self.scope.element([part.strip("'\"") for part in parts])
        if found is None or found[1]:
            self.scope.unknown(node, node.text, "element")
            return None
        return stated.Reference(found[0], "", node)

    def _read_marker(self, wanted: Role, node: Node, what: str, symbols: Symbols) -> Any:
        return read_marker(self, node, what)

    def _marker_named(self, tree: Word) -> bool:
        found = self.scope.element(tree.parts)
        body = found is not None and not found[1] and self.shared.types[found[0]].group == "bodies"
        return body or self.scope.full(tree.text) in self.shared.markers

    # objects

    def _object(self, wanted: Role, node: Node, what: str, symbols: Symbols) -> Any:
        return read_object(self, wanted, node, what, symbols)

    def arguments(
        self, kind: Any, listed: Sequence[Node], named: dict[str, Node], node: Node, symbols: Symbols
    ) -> dict[str, Any] | None:
        """The arguments of a type, judged: unknown ones, missing ones, and each for its role."""
        if kind.table and "table" in named:
            filled = from_table(self, kind, named, node)
            if filled is None:
                return None
            named = filled
        named = self._current(kind, named, node)
        stated_nodes = dict(named)
        for name in named:
            if name not in kind.arguments:
                at = node.keys.get(name, named[name]) if isinstance(node, Map) else named[name]
                hint = CUT if set(name) & set("()=@") else near(name, kind.arguments)
                self.faults.add(at, "C105", f"{kind.name} has no argument {told(name)}", hint)
        names = list(kind.arguments)
        variadic = kind.name == "polynomial"
        if variadic and listed:
            stated_nodes["coefficients"] = _as_list(listed)
        elif len(listed) > len(names):
            self.faults.add(node, "C105", f"{kind.name} takes {len(names)} values, {len(listed)} are given")
        else:
            stated_nodes |= dict(zip(names, listed, strict=False))
        given = {name: item for name, item in stated_nodes.items() if name in kind.arguments and not is_empty(item)}
        missing = [name for name, argument in kind.arguments.items() if argument.required and name not in given]
        if missing:
            self.faults.add(node, "C106", f"{kind.name} lacks {' and '.join(missing)}")
        return self._each(kind, given, symbols) if not missing else None

    def _current(self, kind: Any, named: dict[str, Node], node: Node) -> dict[str, Node]:
        """Named arguments, those with old names under their new ones."""
        found = {}
        for name, item in named.items():
            new = kind.renamed.get(name, name)
            if new != name:
                at = node.keys.get(name, item) if isinstance(node, Map) else item
                self.faults.doubt(at, "C111", f"{told(name)} of {kind.name} is an old name", f"write {new}")
            found[new] = item
        return found

    def _each(self, kind: Any, given: dict[str, Node], symbols: Symbols) -> dict[str, Any] | None:
        """Read arguments, first those that say what the others count in."""
        found: dict[str, Any] = {}
        first = [name for name in ("of_rate", "along", "measure", "of", "what", "exponent") if name in given]
        whole = True
        for name in [*first, *(n for n in given if n not in first)]:
            value = self.read(kind.arguments[name].role, given[name], f"{name} of {kind.name}", symbols)
            whole = whole and value is not None
            found[name] = value
            if kind.gives in ("element", "event") and value is not None:
                if name in ("along", "measure", "of", "what") and "V" not in symbols:
                    unit = unit_of(self, value)
                    force = {"length": "force", "angle": "force*length"}.get(unit, SI)
                    symbols = {**symbols, "V": f"{unit}/time" if found.get("of_rate") else unit, "W": force}
                elif name == "exponent":
                    symbols = {**symbols, "n": value}
            if kind.name in ("contact", "stop") and "n" not in symbols and "exponent" not in given:
                symbols = {**symbols, "n": kind.arguments["exponent"].default}
        return {name: found[name] for name in given} if whole else None

    # trees

    def tree(self, node: Node, what: str = "", quiet: bool = False) -> Node | None:
        """The tree of a text; lists and mappings as they are. `what` is what the text stands for, in messages."""
        if not isinstance(node, Scalar):
            return node
        try:
            return parse(node)
        except GrammarError as error:
            if not quiet:
                at = Scalar(node.path, node.line, node.column + error.column, "")
                endless = error.code == "C302" and what
                sentence = f"{what} must be a finite number, not {told(node.text)}" if endless else error.sentence
                self.faults.add(at, error.code, sentence, error.hint)
            return None

    def is_numeric(self, tree: Node | None) -> bool:
        """Whether a tree is a number: parameters, constants and functions of numbers alone."""
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


def _as_list(items: Sequence[Node]) -> List:
    found = List(items[0].path, items[0].line, items[0].column)
    found.items = list(items)
    return found


def is_empty(node: Node) -> bool:
    """Whether nothing is stated in a place."""
    return isinstance(node, Scalar) and node.empty


def _sort(node: Node) -> str:
    kinds = {List: "list", Map: "mapping", Number: "number", At: "marker"}
    return kinds.get(type(node), "text")


def _shown(node: Node) -> str:
    return node.text if isinstance(node, Scalar | Word) else _sort(node)
