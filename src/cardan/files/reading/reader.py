"""Reading a model file: from its nodes to plain data, collecting all faults.

    cardan: 1                                  the version of the format
    name: slider-crank
    space: planar                              or spatial
    units: {length: mm, angle: deg}            units of bare numbers; SI by default
    gravity: [0, -9.81 m/s^2]
    parameters: {crank: 100, rod: 2.5*crank}
    bodies:     {crank: {mass: 1 kg, ...}}     markers, joints, drivers, forces, control, elements likewise
    lift: {z: [0, -1, 0]}                      place a planar model in space, see `lift`
    analyses:   [{type: kinematics, times: {from: 0, to: 0.6, count: 361}}]

There are two passes: the first declares the names of all elements, which may be used before they are stated; the second
reads their arguments. The classes of the model are not imported: `vocabulary` describes them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from cardan.files.faults import Fault, FaultError, Faults, TooManyFaultsError, did_you_mean, short_repr
from cardan.files.reading import parsed
from cardan.files.reading.analyses import read_analyses
from cardan.files.reading.folders import Folders
from cardan.files.reading.instances import read_instance
from cardan.files.reading.lift import read_lift
from cardan.files.reading.objects import current_type
from cardan.files.reading.parts import KEYS, PART_KEYS, SECTIONS, FilePart, display_of, parts_of, units_of
from cardan.files.reading.scope import Names, Scope
from cardan.files.reading.values import Reader
from cardan.files.text.expressions import Numbers
from cardan.files.text.grammar import Call, parse
from cardan.files.text.nodes import List, Map, Scalar, TextNode, is_empty, read
from cardan.files.text.units import Declared
from cardan.files.vocabulary.types import Argument, Type, vocabulary

VERSION = 1
STANDARD_GRAVITY = 9.81  # m/s^2
SYNONYMS = {  # names of types in other programs
    "weld": "fixed",
    "hinge": "revolute",
    "pin": "revolute",
    "prismatic": "translational",
    "slider": "translational",
    "ball": "spherical",
    "hooke": "universal",
    "motion": "driver",
    "spring_damper": "spring",
    "springdamper": "spring",
    "sforce": "action",
}
AXES = ("x", "y", "z", "x_b", "y_b", "z_b")
BETWEEN = {  # arguments of a joint between two bodies, in the global frame
    "between": Argument("[element]"),
    "at": Argument("point(length)"),
    "to": Argument("point(length)", None),
    "angle": Argument("number(angle)", None),
    "orientation": Argument("orientation", None),
    **{axis: Argument("point(1)", None) for axis in AXES},
}


class Entry(NamedTuple):
    """A declared element, which is still to be read."""

    name: str
    type: str
    node: TextNode
    listed: list[TextNode]
    named: dict[str, TextNode]
    scope: Scope


def check(
    path: str | Path, parameters: Mapping[str, Any] | None = None, allow: Sequence[str | Path] = ()
) -> list[Fault]:
    """The faults of a model file in order; the classes of the model are not imported.

    Names, types, units and the range of each number are checked. Conditions that involve several values are checked
    by `load_model`.

    >>> from cardan.examples import data
    >>> check(data("slider-crank.yaml"))
    []
    """
    return examine(path, parameters, allow)[1]


def examine(
    path: str | Path,
    parameters: Mapping[str, Any] | None = None,
    allow: Sequence[str | Path] = (),
    text: str | None = None,
) -> tuple[parsed.ParsedFile | None, list[Fault]]:
    """The content of a file and its faults; None instead of the content if there are faults. `text` replaces the text
    of the file, which need not exist."""
    faults = Faults()
    found = None
    try:
        with faults.collect():
            root = read(str(path), faults, text)
            if not isinstance(root, Map):
                raise FaultError(
                    root, "C107", "a model file must be a mapping of names to values", "begin with cardan: 1"
                )
            found = _File(root, str(path), parameters or {}, Folders(str(path), allow), faults).read()
    except TooManyFaultsError:
        found = None
    except RecursionError:
        found = None
        faults.found.append(Fault("C005", str(path), 1, 1, "the references of the file are nested too deeply"))
    return (None if faults.found else found), faults.sorted()


class _File:
    """A model file during reading."""

    def __init__(self, root: Map, path: str, settings: Mapping[str, Any], folders: Folders, faults: Faults) -> None:
        self.root, self.path, self.settings, self.folders, self.faults = root, path, settings, folders, faults
        self.assemblies: dict[str, FilePart] = {}
        self.entries: list[Entry] = []

    def read(self) -> parsed.ParsedFile:
        space = self._space()
        units = units_of(self.root, self.faults)
        shared = Names(space, vocabulary(space), self.faults, self.folders)
        shared.types["ground"] = shared.known["body"]
        scope = Scope(shared, Numbers(units, self.faults))
        parts = list(parts_of(self.root, units, self.folders, self.faults))
        for part in parts:
            self._check_keys(part.node, KEYS if part.node is self.root else PART_KEYS)
            self._assemblies(part)
        self.parameters(scope, [part.node.get("parameters") for part in reversed(parts)], self.settings, self.root)
        self._declare(scope, parts, ())
        elements, outputs, reader = {}, {}, Reader(scope)
        for entry in self.entries:
            with self.faults.collect():
                elements[entry.name] = self._element(entry)
        self._check_circles(elements)
        for name, (node, own) in shared.outputs.items():
            with self.faults.collect():
                outputs[name] = Reader(own).read("measure | signal", node, f"output '{name}'")
        gravity, lift = None, None
        with self.faults.collect():
            if (node_ := self.root.get("gravity")) is not None:
                gravity = reader.read("point(length/time^2)", node_, "gravity")
                _check_gravity(node_, gravity, units, self.faults)
        analyses: list[parsed.Analysis] = []
        with self.faults.collect():
            analyses = read_analyses(scope, self.root.get("analyses"))
        with self.faults.collect():
            lift = read_lift(reader, self.root.get("lift"))
        name_node = self.root.get("name")
        return parsed.ParsedFile(
            self.path,
            name_node.text if isinstance(name_node, Scalar) else "",
            space,
            gravity,
            {name: value.value for name, value in scope.numbers.values.items() if value is not None},
            elements,
            outputs,
            analyses,
            self._show(),
            lift,
            display_of(self.root, units, self.faults),
            tuple(self.faults.warnings),
        )

    def _space(self) -> str:
        """The space of the model; the version and the name are checked, too."""
        version, name, space = (self.root.get(key) for key in ("cardan", "name", "space"))
        if version is None:
            self.faults.add(self.root, "C102", "the file does not state its format", "begin with cardan: 1")
        elif not isinstance(version, Scalar) or version.text != str(VERSION):
            given = short_repr(version.text) if isinstance(version, Scalar) else "that"
            hint = f"this program reads version {VERSION}"
            raise FaultError(version, "C103", f"the file has format {given}", hint)
        if not isinstance(name, Scalar) or not name.text.strip():
            self.faults.add(name or self.root, "C102", "the model has no name", "state name: slider-crank, for example")
        if space is None:
            raise FaultError(self.root, "C102", "the file does not state its space", "state space: planar")
        text = space.text if isinstance(space, Scalar) else "this"
        if text not in ("planar", "spatial"):
            raise FaultError(space, "C110", f"space must be planar or spatial, not {short_repr(text)}")
        return text

    def _check_keys(self, node: Map, known: Sequence[str]) -> None:
        for name, key in node.keys.items():
            if name not in known:
                self.faults.add(key, "C101", f"unknown section {short_repr(name)}", did_you_mean(name, known))

    def _assemblies(self, part: FilePart) -> None:
        for name, node in self._items(part.node.get("assemblies"), "assemblies"):
            if name in self.assemblies:
                self.faults.add(node, "C108", f"two assemblies are called {short_repr(name)}")
            elif isinstance(node, Map):
                self._check_keys(node, PART_KEYS)
                self.assemblies[name] = FilePart(node, part.units)
            else:
                self.faults.add(node, "C107", f"assembly {short_repr(name)} must be a mapping of sections")

    def _items(self, section: TextNode | None, what: str) -> Iterator[tuple[str, TextNode]]:
        if isinstance(section, Map):
            yield from section.items.items()
        elif section is not None:
            self.faults.add(section, "C107", f"{what} must be a mapping of names to values, not a list or a word")

    def parameters(
        self, scope: Scope, sections: Sequence[TextNode | None], settings: Mapping[str, Any], node: TextNode
    ) -> None:
        """Evaluate the parameters of a part; settings of the caller replace those that it states."""
        found: dict[str, TextNode] = {}
        replaced: dict[str, TextNode] = {}
        for section in reversed(sections):
            for name, value in self._items(section, "parameters"):
                if not name.isidentifier():
                    place = section.keys[name] if isinstance(section, Map) else value
                    self.faults.add(place, "C108", f"the name of a parameter must be a word, not {short_repr(name)}")
                else:
                    found[name] = value
        for name, value in settings.items():
            if name not in found:
                hint = did_you_mean(name, found, "the model has no parameters" if not found else "")
                self.faults.add(node, "C310", f"unknown parameter {short_repr(name)} to set", hint)
            else:
                replaced[name] = old = found[name]  # faults of the setting are reported at the replaced value
                found[name] = (
                    value if isinstance(value, TextNode) else Scalar(old.path, old.line, old.column, str(value))
                )
        scope.numbers.evaluate(found, replaced)

    def _declare(self, scope: Scope, parts: Sequence[FilePart], chain: tuple[str, ...]) -> None:
        """Declare the names of all elements of a part, in order."""
        for part in parts:
            own = scope if part.units is scope.numbers.units else _with_units(scope, part.units)
            for section in part.node.items:
                for name, item in self._items(part.node.get(section), section) if section in _DECLARING else ():
                    with self.faults.collect():
                        if section in SECTIONS:
                            self._declare_element(own, section, name, item, part.node.items[section])
                        elif section == "instances":
                            inner, assembly, kind = read_instance(self, own, name, item, chain)
                            nested = parts_of(assembly.node, assembly.units, self.folders, self.faults)
                            self._declare(inner, list(nested), (*chain, kind))
                        else:
                            names = scope.shared.markers if section == "markers" else scope.shared.outputs
                            names[scope.full(name)] = (item, own)

    def _declare_element(self, scope: Scope, section: str, name: str, node: TextNode, holder: TextNode) -> None:
        key = holder.keys.get(name, node) if isinstance(holder, Map) else node
        full, shared = scope.full(name), scope.shared
        if section == "bodies" and name == "ground" and not scope.prefix:
            self._ground(scope, node)
            return
        if not name.strip() or full in shared.types:
            message = f"two elements are called {short_repr(full)}" if name.strip() else "an element must have a name"
            raise FaultError(key, "C108", message, "names must differ")
        try:
            kind, listed, named = self._typed(scope, section, name, node)
        except FaultError:
            shared.declare(full, shared.known["body" if section == "bodies" else "point"])  # avoid faults of its users
            raise
        if section == "bodies":
            self._body_markers(scope, full, named.pop("markers", None))
        shared.declare(full, shared.known[kind])
        self.entries.append(Entry(full, kind, node, listed, named, scope))

    def _typed(
        self, scope: Scope, section: str, name: str, node: TextNode
    ) -> tuple[str, list[TextNode], dict[str, TextNode]]:
        """The type of an element and its arguments, from a mapping or a call."""
        usual = {"bodies": "body", "drivers": "driver"}.get(section, "")
        if isinstance(node, Map):
            named = dict(node.items)
            kind = named.pop("type", None)
            word, at = (kind.text, kind) if isinstance(kind, Scalar) else (usual, node)
            return self._type(scope, section, name, word, at), [], named
        if not isinstance(node, Scalar) or (is_empty(node) and usual != "body"):
            raise FaultError(node, "C107", f"{short_repr(name)} must be a mapping with its type and arguments")
        tree = parse(node) if not is_empty(node) else Call(node, node.column, usual)
        if not isinstance(tree, Call) or tree.of is not None:
            message = f"{short_repr(name)} must be a mapping, or a call such as revolute(a, b)"
            raise FaultError(node, "C107", message)
        return self._type(scope, section, name, tree.name, node), tree.listed, dict(tree.named)

    def _type(self, scope: Scope, section: str, name: str, word: str, at: TextNode) -> str:
        known = scope.shared.known
        if not word:
            raise FaultError(at, "C106", f"{short_repr(name)} needs a type", "state type: revolute, for example")
        word = current_type(Reader(scope), word, at)
        if word not in known or known[word].gives != "element":
            there = known.names("element") if section == "elements" else known.names_of_group(section)
            hint = did_you_mean(word, there)
            hint = hint if hint.startswith("did") else did_you_mean(word, known.names("element"))
            here = SYNONYMS.get(word.lower(), "")
            hint = f"it is called '{here}' here" if here in known else hint
            raise FaultError(at, "C104", f"unknown type {short_repr(word)}", hint)
        group = known[word].group
        if section not in ("elements", group):
            raise FaultError(at, "C109", f"a {word} does not belong under {section}", f"state it under {group}")
        return word

    def _ground(self, scope: Scope, node: TextNode) -> None:
        for name, item in self._items(node, "ground"):
            if name == "markers":
                self._body_markers(scope, "ground", item)
            else:
                self.faults.add(item, "C105", f"ground has no {short_repr(name)}", "it can have markers only")

    def _body_markers(self, scope: Scope, body: str, section: TextNode | None) -> None:
        for name, item in self._items(section, f"the markers of '{body}'"):
            scope.shared.markers[f"{body}@{name}"] = (item, scope)

    def _element(self, entry: Entry) -> parsed.Element:
        reader, kind = Reader(entry.scope), entry.scope.shared.known[entry.type]
        if "between" in entry.named:
            arguments = self._between(reader, kind, entry)
        else:
            arguments = reader.arguments(kind, entry.listed, entry.named, entry.node, {})
        if entry.type == "body" and "inertia" in arguments:
            _check_inertia(entry, arguments["inertia"], entry.scope.shared.space)
        return parsed.Element(entry.name, entry.type, arguments, entry.node, entry.scope.pose)

    def _between(self, reader: Reader, kind: Type, entry: Entry) -> dict[str, Any]:
        """The arguments of a joint between two bodies at a point of the global frame."""
        node = entry.named["between"]
        if kind.group != "joints" or [*kind.arguments][:2] != ["a", "b"]:
            raise FaultError(node, "C105", f"{kind.name} has no argument 'between'")
        others = {name: argument for name, argument in kind.arguments.items() if name not in "ab"}
        found = reader.arguments(kind._replace(arguments={**BETWEEN, **others}), [], entry.named, entry.node, {})
        if len(found["between"]) != 2:
            raise FaultError(node, "C107", f"{kind.name} needs two bodies")
        return found

    def _check_circles(self, elements: dict[str, parsed.Element]) -> None:
        """Add a fault for elements that refer to each other."""
        needs = {name: sorted({r.name for r in parsed.references(e.arguments)}) for name, e in elements.items()}
        done: set[str] = {"ground"}

        def follow(name: str, chain: list[str]) -> None:
            if name in done or name not in needs:
                return
            if name in chain:
                circle = " -> ".join([*chain[chain.index(name) :], name])
                self.faults.add(elements[name].node, "C203", f"elements refer to each other in a circle: {circle}")
                return
            chain.append(name)
            for other in needs[name]:
                follow(other, chain)
            chain.pop()
            done.add(name)

        for name in needs:
            follow(name, [])

    def _show(self) -> tuple[str, ...]:
        node = self.root.get("show")
        items = node.items if isinstance(node, List) else [] if node is None else [node]
        for item in items:
            if not isinstance(item, Scalar):
                self.faults.add(item, "C107", "show must be a list of columns, such as slider.x")
        return tuple(item.text for item in items if isinstance(item, Scalar))


_DECLARING = (*SECTIONS, "instances", "markers", "outputs")


def _with_units(scope: Scope, units: Any) -> Scope:
    """The scope for a file with other units."""
    numbers = Numbers(units, scope.faults)
    numbers.values = scope.numbers.values
    own = Scope(scope.shared, numbers, scope.prefix, scope.pose)
    own.connected = scope.connected
    return own


def _check_inertia(entry: Entry, inertia: Any, space: str) -> None:
    """In the plane a body has one moment of inertia, in space three, or a tensor."""
    node, what = entry.named.get("inertia", entry.node), f"inertia of {short_repr(entry.name)}"
    listed = isinstance(inertia, tuple | list)
    if space == "planar" and listed:
        raise FaultError(node, "C107", f"{what} must be one number in the plane, not a list")
    rows = [len(row) if isinstance(row, tuple | list) else 0 for row in inertia] if listed else []
    if space == "spatial" and rows not in ([0, 0, 0], [3, 3, 3]):
        given = "a list of another length" if listed else "one number"
        hint = "write [Ixx, Iyy, Izz], or three rows of a tensor"
        raise FaultError(node, "C107", f"{what} must be three moments or a tensor in space, not {given}", hint)


def _check_gravity(node: TextNode, gravity: Sequence[float], units: Declared, faults: Faults) -> None:
    """Warn about 9.81 in a file whose unit of acceleration is not m/s^2: bare numbers are in declared units."""
    factor = units.wanted("length/time^2").factor
    stated = math.hypot(*gravity) / factor
    if factor != 1.0 and abs(stated - STANDARD_GRAVITY) < 0.01 * STANDARD_GRAVITY:
        unit = f"{units.units['length']}/{units.units['time']}^2"
        hint = f"write {stated:g} m/s^2, or {stated / factor:g}"
        faults.warn(node, "C314", f"gravity is {stated:g} {unit}, as bare numbers are in declared units", hint)
