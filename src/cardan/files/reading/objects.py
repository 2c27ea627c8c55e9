"""Objects as a file states them: measures, motions, signals, curves, matter, by a mapping with `type` or as a call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cardan.files.faults import near, told
from cardan.files.reading import parsed as stated
from cardan.files.text.grammar import At, Attribute, Call, Number, Operation, Word
from cardan.files.text.nodes import List, Map, Node, Scalar
from cardan.files.text.units import SI
from cardan.files.vocabulary.kind import Role, role

if TYPE_CHECKING:
    from cardan.files.reading.values import Reader

TAKEN = {"signal": ("signal", "measure", "motion", "device")}  # what does where a signal is asked for
SINGLE = {"tire_data": "tire_data", "outline": "profile", "pulley": "pulley", "event": "event", "device": "device"}
SUMS = ("measure", "motion", "signal", "matter")  # what adds up
NUMERIC = ("motion", "signal")  # where a number does


def read_object(reader: Reader, wanted: Role, node: Node, what: str, symbols: dict[str, Any]) -> Any:
    """An object of the kind that is asked for, or None with a fault."""
    if isinstance(node, Scalar):
        exact = _exact(reader, node)
        if exact is not None:
            return _reference(reader, wanted, exact, node, what)
    tree = reader.tree(node)
    if tree is None:
        return None
    if wanted.kind in NUMERIC and reader.is_numeric(tree):
        return reader.read(f"number({wanted.value or SI})", tree, what, symbols)
    found = _of_tree(reader, wanted, tree, what, symbols)
    needs = wanted.kind == "signal" and found is not None and not isinstance(found, float)
    return stated.AsSignal(found, node) if needs and not isinstance(found, stated.AsSignal) else found


def _exact(reader: Reader, node: Scalar) -> tuple[str, tuple[str, ...]] | None:
    """A text that is the name of an element as it stands, or with what it offers: names may have signs in them."""
    found = reader.scope.element([node.text])
    if found is not None:
        return found
    before, dot, last = node.text.rpartition(".")
    found = reader.scope.element([before]) if dot else None
    return None if found is None else (found[0], (last,))


def _of_tree(reader: Reader, wanted: Role, tree: Node, what: str, symbols: dict[str, Any]) -> Any:
    if isinstance(tree, Operation) and wanted.kind in SUMS:
        return _combined(reader, wanted, tree, what, symbols)
    if isinstance(tree, Call):
        if tree.of is not None:
            return _method(reader, wanted, tree, what, symbols)
        return _typed(reader, wanted, tree.name, tree.listed, tree.named, tree, what, symbols)
    if isinstance(tree, Map):
        return _mapped(reader, wanted, tree, what, symbols)
    if isinstance(tree, Attribute):
        inner = _of_tree(reader, role("touch") if wanted.kind == "measure" else role("device"), tree.of, what, {})
        return None if inner is None else stated.Offered(inner, tree.name, tree)
    if isinstance(tree, Word):
        return _word(reader, wanted, tree, what)
    if isinstance(tree, List) and wanted.kind == "orientation":
        return reader.read("numbers(1)", tree, what)
    sort = {List: "a list", Number: "a number", At: "a marker"}.get(type(tree), "this")
    reader.faults.add(tree, "C107", f"{what} must be {_article(wanted.kind)}, not {sort}", _example(wanted.kind))
    return None


def _mapped(reader: Reader, wanted: Role, node: Map, what: str, symbols: dict[str, Any]) -> Any:
    named = dict(node.items)
    kind = named.pop("type", None)
    if kind is None:
        tabled = "table" in named and wanted.kind == "motion"
        if wanted.kind not in SINGLE and not tabled:
            reader.faults.add(node, "C106", f"{what} lacks its type", _example(wanted.kind, "table" in named))
            return None
        name = "spline" if tabled else SINGLE[wanted.kind]
    elif isinstance(kind, Scalar):
        name = kind.text
    else:
        reader.faults.add(kind, "C107", "a type must be a word")
        return None
    return _typed(reader, wanted, name, [], named, node if kind is None else kind, what, symbols, node)


def _typed(
    reader: Reader,
    wanted: Role,
    name: str,
    listed: list[Node],
    named: dict[str, Node],
    node: Node,
    what: str,
    symbols: dict[str, Any],
    holder: Node | None = None,
) -> Any:
    """An object of a named type; `holder` is the mapping that states it, if it is one."""
    taken = TAKEN.get(wanted.kind, (wanted.kind,))
    known = reader.shared.known
    if name not in known or known[name].gives not in taken:
        there = known.names(*taken)
        if name in known:
            sentence = f"{what} must be {_article(wanted.kind)}, but {told(name)} is {_article(known[name].gives)}"
            reader.faults.add(node, "C204", sentence, f"there are {', '.join(there)}" if len(there) < 12 else "")
        else:
            reader.faults.add(node, "C104", f"there is no type {told(name)}", near(name, there))
        return None
    inner: dict[str, Any] = {}
    if name in known.renamed:
        reader.faults.doubt(node, "C111", f"{told(name)} is an old name", f"write {known.renamed[name]}")
    if known[name].gives == "motion":
        inner = {"V": _filled(wanted.value or SI, symbols), "X": _filled(wanted.argument or "time", symbols)}
    arguments = reader.arguments(known[name], listed, named, holder or node, inner)
    return None if arguments is None else stated.Made(name, arguments, node)


def _filled(dimension: str, symbols: dict[str, Any]) -> str:
    """A dimension with what V, X and W stand for where it is used."""
    for symbol in "VXW":
        if symbol in dimension:
            dimension = dimension.replace(symbol, f"({symbols.get(symbol, SI)})")
    return dimension


def _method(reader: Reader, wanted: Role, call: Call, what: str, symbols: dict[str, Any]) -> Any:
    """matter.turned(...) and the like."""
    known = reader.shared.known
    name = f".{call.name}"
    if name not in known or known[name].gives != wanted.kind:
        methods = [n for n in known.names(wanted.kind) if n.startswith(".")]
        reader.faults.add(call, "C104", f"there is no method {told(call.name)}", near(name, methods))
        return None
    assert call.of is not None
    of = _of_tree(reader, wanted, call.of, what, symbols)
    arguments = reader.arguments(known[name], call.listed, call.named, call, {})
    return None if of is None or arguments is None else stated.Made(name, arguments, call, of)


def _word(reader: Reader, wanted: Role, tree: Word, what: str) -> Any:
    if wanted.kind == "signal" and tree.text == "time" and reader.scope.element(tree.parts) is None:
        return stated.Clock(tree)
    outputs, key = reader.shared.outputs, reader.scope.full(tree.text)
    if wanted.kind in ("measure", "signal") and key in outputs:
        node, scope = outputs[key]
        if key in scope.open:
            reader.faults.add(tree, "C203", f"the output {told(tree.text)} leads to itself")
            return None
        scope.open.append(key)
        found = type(reader)(scope).read(wanted.kind, node, f"output '{tree.text}'")
        scope.open.pop()
        return found
    found = reader.scope.element(tree.parts)
    if found is None:
        names = [*reader.scope.own_names(), *reader.scope.numbers.values] if wanted.kind in NUMERIC else None
        what_for = "element" if wanted.kind in ("measure", "signal", "motion") else wanted.kind
        reader.scope.unknown(tree, tree.text, what_for, names)
        return None
    return _reference(reader, wanted, found, tree, what)


def _reference(reader: Reader, wanted: Role, found: tuple[str, tuple[str, ...]], node: Node, what: str) -> Any:
    """An element, or what it offers, where an object is asked for."""
    name, rest = found
    kind = reader.shared.types[name]
    shown = name.removeprefix(reader.scope.prefix)
    signals = wanted.kind == "signal"
    if not rest:
        if signals and (kind.group == "control" or "output" in kind.offers):
            return stated.AsSignal(stated.Reference(name, "", node), node)
        measures = [n for n, unit in kind.offers.items() if unit != "signal"]
        offered = near("", (), "") if not measures else f"state {shown}.{measures[0]}, for example"
        reader.faults.add(
            node, "C204", f"{what} must be {_article(wanted.kind)}, but {told(shown)} is a {kind.name}", offered
        )
        return None
    offered = ".".join(rest)
    offers = {n: unit for n, unit in kind.offers.items() if signals or unit != "signal"}
    if offered not in offers and not (signals and "*" in offers):
        there = [f"{shown}.{n}" for n in offers if n != "*"]
        nothing = f"state {' or '.join(there)}" if there else f"a {kind.name} offers nothing to read there"
        hint = near(offered, [n for n in offers if n != "*"], nothing)
        reader.faults.add(node, "C202", f"{kind.name} {told(shown)} has no {told(offered)}", hint)
        return None
    reference = stated.Reference(name, offered, node)
    return stated.AsSignal(reference, node) if signals else reference


def _combined(reader: Reader, wanted: Role, tree: Operation, what: str, symbols: dict[str, Any]) -> Any:
    """Sums of objects, and objects times numbers."""
    scaled = tree.sign in "*/" and wanted.kind != "matter"
    if tree.sign not in ("+", "-", "*", "/") or (tree.sign in "*/" and not scaled):
        reader.faults.add(tree, "C301", f"'{tree.sign}' cannot stand between {wanted.kind}s")
        return None
    sides: list[Any] = []
    for side in (tree.left, tree.right):
        if side is None:
            sides.append(None)
        elif scaled and reader.is_numeric(side):
            sides.append(reader.read("number(1)", side, f"a factor of {what}"))
        else:
            value = read_object(reader, wanted, side, what, symbols)
            sides.append(value)
        if side is not None and sides[-1] is None:
            return None
    numbers = sum(isinstance(side, float) for side in sides)
    if scaled and (numbers != 1 or (tree.sign == "/" and not isinstance(sides[1], float))):
        reader.faults.add(tree, "C301", f"{what}: a {wanted.kind} is multiplied or divided by a number alone")
        return None
    return stated.Combined(tree.sign, sides[0], sides[1], tree)


def unit_of(reader: Reader, value: Any) -> str:
    """What a measure counts in: "length", "angle", "1", or "si" where it is not known."""
    if isinstance(value, stated.Made):
        return reader.shared.known[value.type].unit or SI
    if isinstance(value, stated.Reference):
        offers = reader.shared.types[value.name].offers
        if value.offered:
            return offers.get(value.offered, SI)
        measures = [unit for unit in offers.values() if unit != "signal"]
        return measures[0] if len(measures) == 1 else SI
    if isinstance(value, stated.Combined):
        units = {unit for side, unit in _sides(reader, value)}
        return units.pop() if len(units) == 1 else SI
    return SI


def _sides(reader: Reader, value: stated.Combined) -> list[tuple[Any, str]]:
    return [(s, unit_of(reader, s)) for s in (value.left, value.right) if s is not None and not isinstance(s, float)]


def _article(kind: str) -> str:
    word = kind.replace("_", " ")
    return word if word == "matter" else f"an {word}" if word[0] in "aeiou" else f"a {word}"


def _example(kind: str, tabled: bool = False) -> str:
    if tabled and kind == "profile":
        return "state type: polar_table for angles and radii, or type: curve_through for points"
    examples = {
        "motion": "write ramp(10), or {type: ramp, rate: 10}",
        "measure": "write hinge.angle, or length(ground@(0, 0), crank@(0.1, 0))",
        "signal": "write hinge.angle, rate(hinge.angle), or the name of a block",
        "outline": "write {on: cam, curve: circle(0.1)}",
        "surface": "write face(ground), or {type: face, marker: ground}",
        "matter": "write box(0.4, 0.1, 0.1, mass=3), for example",
        "road": "write road.flat(), for example",
        "profile": "write circle(0.1), for example",
    }
    return examples.get(kind, "")
