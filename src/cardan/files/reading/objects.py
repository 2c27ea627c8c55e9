"""Reading objects: measures, motions, signals, curves, matter, ..., as a mapping with `type` or as a call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cardan.files.faults import FaultError, did_you_mean, short_repr
from cardan.files.reading import parsed
from cardan.files.text.grammar import At, Attribute, Call, Number, Operation, Word
from cardan.files.text.nodes import List, Map, Scalar, TextNode
from cardan.files.text.units import SI
from cardan.files.vocabulary.kind import Kind, parse_kind

if TYPE_CHECKING:
    from cardan.files.reading.values import Reader

ACCEPTED = {"signal": ("signal", "measure", "motion", "device")}  # kinds that serve as another kind
DEFAULT_TYPES = {
    **{"tire_data": "tire_data", "outline": "profile", "pulley": "pulley"},
    **{"event": "event", "device": "device", "condition": "condition"},
    **{"material": "material", "connection": "connection"},
}
SUMS = ("measure", "motion", "signal", "matter")  # kinds that can be added
NUMERIC = ("motion", "signal")  # kinds for which a number serves
EXAMPLES = {
    "motion": "write ramp(10), or {type: ramp, rate: 10}",
    "segment": "write move(0.02, 0.3, 'cycloidal') or dwell(0.2)",
    "condition": "write {at: 0, value: 0, rate: 0}",
    "measure": "write hinge.angle, or length(ground@(0, 0), crank@(0.1, 0))",
    "signal": "write hinge.angle, rate(hinge.angle), or the name of a block",
    "outline": "write {on: cam, curve: circle(0.1)}",
    "surface": "write face(ground), or {type: face, marker: ground}",
    "matter": "write box(0.4, 0.1, 0.1, mass=3), for example",
    "road": "write road.flat(), for example",
    "profile": "write circle(0.1), for example",
    "part": "write the name of a file, rod.nc, or {type: beam_part, length: 0.4, section: 0.02, modes: 4}",
    "section": "write rectangle_section(0.02, 0.01), for example",
}
Symbols = dict[str, Any]


def read_object(reader: Reader, wanted: Kind, node: TextNode, what: str, symbols: Symbols) -> Any:
    """An object of the expected kind."""
    if isinstance(node, Scalar):
        exact = _exact_name(reader, node)
        if exact is not None:
            return _reference(reader, wanted, exact, node, what)
    tree = reader.tree(node)
    if wanted.name in NUMERIC and reader.is_numeric(tree):
        return reader.read(f"number({wanted.value or SI})", tree, what, symbols)
    found = _of_tree(reader, wanted, tree, what, symbols)
    plain = wanted.name != "signal" or isinstance(found, float | parsed.AsSignal)
    return found if plain else parsed.AsSignal(found, node)


def _exact_name(reader: Reader, node: Scalar) -> tuple[str, tuple[str, ...]] | None:
    """A text that is the name of an element, or with what it offers: names may contain signs."""
    found = reader.scope.element([node.text])
    if found is not None:
        return found
    before, dot, last = node.text.rpartition(".")
    found = reader.scope.element([before]) if dot else None
    return None if found is None else (found[0], (last,))


def _of_tree(reader: Reader, wanted: Kind, tree: TextNode, what: str, symbols: Symbols) -> Any:
    kind = wanted.name
    if isinstance(tree, Operation) and kind in SUMS:
        return _combined(reader, wanted, tree, what, symbols)
    if isinstance(tree, Call):
        if tree.of is not None:
            return _method(reader, wanted, tree, what, symbols)
        return _typed(reader, wanted, tree.name, tree, tree, what, symbols)
    if isinstance(tree, Map):
        return _mapped(reader, wanted, tree, what, symbols)
    if isinstance(tree, Attribute):
        inner = parse_kind("touch" if kind == "measure" else "device")
        return parsed.AttributeOf(_of_tree(reader, inner, tree.of, what, {}), tree.name, tree)
    if isinstance(tree, Word):
        return _word(reader, wanted, tree, what)
    if isinstance(tree, List) and kind == "orientation":
        return reader.read("numbers(1)", tree, what)
    sort = {List: "a list", Number: "a number", At: "a marker"}.get(type(tree), "this")
    raise FaultError(tree, "C107", f"{what} must be {_article(kind)}, not {sort}", EXAMPLES.get(kind, ""))


def _mapped(reader: Reader, wanted: Kind, node: Map, what: str, symbols: Symbols) -> Any:
    stated = node.items.get("type")
    if stated is None:
        table = "table" in node.items
        if table and wanted.name == "motion":
            name = "spline"
        elif wanted.name in DEFAULT_TYPES:
            name = DEFAULT_TYPES[wanted.name]
        else:
            curve = "state type: polar_table for angles and radii, or type: curve_through for points"
            hint = curve if table and wanted.name == "profile" else EXAMPLES.get(wanted.name, "")
            raise FaultError(node, "C106", f"{what} needs a type", hint)
    elif isinstance(stated, Scalar):
        name = stated.text
    else:
        raise FaultError(stated, "C107", "a type must be a word")
    return _typed(reader, wanted, name, node, stated or node, what, symbols)


def _typed(
    reader: Reader, wanted: Kind, name: str, holder: Call | Map, node: TextNode, what: str, symbols: Symbols
) -> Any:
    """An object of a named type, stated by a call or a mapping."""
    known, accepted = reader.shared.known, ACCEPTED.get(wanted.name, (wanted.name,))
    name = current_type(reader, name, node)
    if name not in known:
        hint = did_you_mean(name, known.names(*accepted))
        raise FaultError(node, "C104", f"unknown type {short_repr(name)}", hint)
    kind = known[name]
    if kind.gives not in accepted:
        there = known.names(*accepted)
        message = f"{what} must be {_article(wanted.name)}, but {short_repr(name)} is {_article(kind.gives)}"
        raise FaultError(node, "C204", message, f"there are {', '.join(there)}" if len(there) < 12 else "")
    inner = symbols if kind.gives in ("segment", "condition") else {}  # parts of a motion
    if kind.gives == "motion":
        inner = {"V": _filled(wanted.value or SI, symbols), "X": _filled(wanted.argument or "time", symbols)}
    listed = holder.listed if isinstance(holder, Call) else []
    named = holder.named if isinstance(holder, Call) else {k: v for k, v in holder.items.items() if k != "type"}
    return parsed.Object(name, reader.arguments(kind, listed, named, holder, inner), node)


def current_type(reader: Reader, name: str, node: TextNode) -> str:
    """The current name of a type; an old name is a warning."""
    known = reader.shared.known
    new = known.renamed.get(name, "")
    if name in known or new not in known:
        return name
    reader.faults.warn(node, "C111", f"the type '{name}' is now called '{new}'")
    return new


def _filled(dimension: str, symbols: Symbols) -> str:
    """A dimension with the values of V, X and W."""
    for symbol in "VXW":
        if symbol in dimension:
            dimension = dimension.replace(symbol, f"({symbols.get(symbol, SI)})")
    return dimension


def _method(reader: Reader, wanted: Kind, call: Call, what: str, symbols: Symbols) -> Any:
    """matter.turned(...) and similar."""
    known, name = reader.shared.known, f".{call.name}"
    if name not in known or known[name].gives != wanted.name:
        methods = [n for n in known.names(wanted.name) if n.startswith(".")]
        raise FaultError(call, "C104", f"unknown method {short_repr(call.name)}", did_you_mean(name, methods))
    assert call.of is not None
    of = _of_tree(reader, wanted, call.of, what, symbols)
    return parsed.Object(name, reader.arguments(known[name], call.listed, call.named, call, {}), call, of)


def _word(reader: Reader, wanted: Kind, tree: Word, what: str) -> Any:
    kind, scope = wanted.name, reader.scope
    if kind == "signal" and tree.text == "time" and scope.element(tree.parts) is None:
        return parsed.Time(tree)
    outputs, key = reader.shared.outputs, scope.full(tree.text)
    if kind in ("measure", "signal") and key in outputs:
        node, own = outputs[key]
        if key in own.open:
            raise FaultError(tree, "C203", f"the output {short_repr(tree.text)} refers to itself")
        own.open.append(key)
        try:
            return type(reader)(own).read(kind, node, f"output '{tree.text}'")
        finally:
            own.open.pop()
    found = scope.element(tree.parts)
    if found is None:
        names = [*scope.own_names(), *scope.numbers.values] if kind in NUMERIC else None
        raise scope.unknown(tree, tree.text, "element" if kind in SUMS[:3] else kind, names)
    return _reference(reader, wanted, found, tree, what)


def _reference(reader: Reader, wanted: Kind, found: tuple[str, tuple[str, ...]], node: TextNode, what: str) -> Any:
    """An element, or a measure or signal that it offers, where an object is expected."""
    name, rest = found
    kind = reader.shared.types[name]
    short = name.removeprefix(reader.scope.prefix)
    signals = wanted.name == "signal"
    offers = {n: unit for n, unit in kind.offers.items() if signals or unit != "signal"}
    if not rest:
        if signals and (kind.group == "control" or "output" in kind.offers):
            return parsed.AsSignal(parsed.Reference(name, "", node), node)
        measures = [n for n, unit in kind.offers.items() if unit != "signal"]
        hint = f"write {short}.{measures[0]}, for example" if measures else ""
        message = f"{what} must be {_article(wanted.name)}, but {short_repr(short)} is a {kind.name}"
        raise FaultError(node, "C204", message, hint)
    offered = ".".join(rest)
    if offered not in offers and not (signals and "*" in offers):
        there = [n for n in offers if n != "*"]
        nothing = f"a {kind.name} offers nothing that can be read here"
        listed = f"write {' or '.join(f'{short}.{n}' for n in there)}" if there else nothing
        message = f"{kind.name} {short_repr(short)} has no {short_repr(offered)}"
        raise FaultError(node, "C202", message, did_you_mean(offered, there, listed))
    reference = parsed.Reference(name, offered, node)
    return parsed.AsSignal(reference, node) if signals else reference


def _combined(reader: Reader, wanted: Kind, tree: Operation, what: str, symbols: Symbols) -> Any:
    """Sums of objects, and objects times numbers."""
    scaled = tree.sign in "*/" and wanted.name != "matter"
    if tree.sign not in ("+", "-", "*", "/") or (tree.sign in "*/" and not scaled):
        raise FaultError(tree, "C301", f"'{tree.sign}' is not defined for {wanted.name}s")

    def side(node: TextNode | None) -> Any:
        if node is None:
            return None
        if scaled and reader.is_numeric(node):
            return reader.read("number(1)", node, f"a factor of {what}")
        return read_object(reader, wanted, node, what, symbols)

    left, right = side(tree.left), side(tree.right)
    numbers = isinstance(left, float) + isinstance(right, float)
    if scaled and (numbers != 1 or (tree.sign == "/" and not isinstance(right, float))):
        raise FaultError(tree, "C301", f"{what}: a {wanted.name} can be multiplied or divided by a number only")
    return parsed.Combination(tree.sign, left, right, tree)


def unit_of(reader: Reader, value: object) -> str:
    """The dimension of a measure: "length", "angle", "1", or "si" if it is unknown."""
    if isinstance(value, parsed.Object):
        return reader.shared.known[value.type].unit or SI
    if isinstance(value, parsed.Reference):
        offers = reader.shared.types[value.name].offers
        if value.offered:
            return offers.get(value.offered, SI)
        measures = [unit for unit in offers.values() if unit != "signal"]
        return measures[0] if len(measures) == 1 else SI
    if isinstance(value, parsed.Combination):
        sides = [side for side in (value.left, value.right) if side is not None and not isinstance(side, float)]
        units = {unit_of(reader, side) for side in sides}
        return units.pop() if len(units) == 1 else SI
    return SI


def _article(kind: str) -> str:
    word = kind.replace("_", " ")
    return word if word == "matter" else f"an {word}" if word[0] in "aeiou" else f"a {word}"
