"""Reading a model file: from its nodes to a sheet of plain data, with all faults on the way.

    cardan: 1                                  the version of the format
    name: slider-crank
    space: planar                              or spatial
    units: {length: mm, angle: deg}            what bare numbers count in; SI where nothing is declared
    gravity: [0, -9.81 m/s^2]
    parameters: {crank: 100, rod: 2.5*crank}
    bodies:     {crank: {mass: 1 kg, ...}}     markers, joints, drivers, forces, control, elements alike
    lift: {z: [0, -1, 0]}                      lay a planar model into space, see `lifting`
    analyses:   [{type: kinematics, times: {from: 0, to: 0.6, count: 361}}]

Two passes: the first lists the names of all elements, so that they may be used before they are stated; the second reads
their arguments. Nothing here knows the classes of the model: `vocabulary` says what there is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from cardan.files.faults import Fault, Faults, Place, TooManyFaultsError, near, told
from cardan.files.reading import parsed as stated
from cardan.files.reading.analyses import read_analyses
from cardan.files.reading.folders import Folders
from cardan.files.reading.lift import read_lift
from cardan.files.reading.parts import KEYS, PART_KEYS, SECTIONS, Assembly, Part, parts_of, units_of
from cardan.files.reading.scope import Names, Scope
from cardan.files.reading.values import Reader
from cardan.files.text.expressions import Numbers
from cardan.files.text.grammar import Call, GrammarError, parse
from cardan.files.text.nodes import List, Map, Node, Scalar, read
from cardan.files.vocabulary.types import vocabulary

VERSION = 1
CALLED = {  # what other programs call it
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
AXES = (
    "angle",
    "orientation",
    "x",
    "y",
    "z",
    "x_b",
    "y_b",
    "z_b",
)  # of a joint between two bodies, in world directions


class Entry(NamedTuple):
    """An element that was found, and is still to be read."""

    name: str
    type: str
    node: Node
    listed: list[Node]
    named: dict[str, Node]
    scope: Scope


def check(
    path: str | Path, parameters: Mapping[str, Any] | None = None, allow: Sequence[str | Path] = ()
) -> list[Fault]:
    """The faults of a model file, in its order; none if it can be loaded as far as its text tells.

    >>> from cardan.examples import data
    >>> check(data("slider-crank.yaml"))
    []
    """
    return examine(path, parameters, allow)[1]


def examine(
    path: str | Path, parameters: Mapping[str, Any] | None = None, allow: Sequence[str | Path] = ()
) -> tuple[stated.Sheet | None, list[Fault]]:
    """What a file states, and its faults; None in place of a sheet if there is nothing to build from."""
    faults = Faults()
    sheet = None
    try:
        root = read(str(path), faults)
        if isinstance(root, Map):
            sheet = _File(root, str(path), parameters or {}, Folders(str(path), allow), faults).sheet()
        elif root is not None:
            faults.add(root, "C107", "a model file is a mapping of names to values", "begin with cardan: 1")
    except TooManyFaultsError:
        sheet = None
    except RecursionError:
        sheet = None
        faults.found.append(Fault("C005", str(path), 1, 1, "the file refers to itself in too many steps"))
    return (None if faults.found else sheet), faults.sorted()


class _File:
    """One model file while it is read."""

    def __init__(self, root: Map, path: str, settings: Mapping[str, Any], folders: Folders, faults: Faults) -> None:
        self.root, self.path, self.settings, self.folders, self.faults = root, path, settings, folders, faults
        self.assemblies: dict[str, Assembly] = {}
        self.entries: list[Entry] = []

    def sheet(self) -> stated.Sheet | None:
        space = self._head()
        if space is None:
            return None
        units = units_of(self.root, self.faults)
        shared = Names(space, vocabulary(space), self.faults, self.folders)
        shared.types["ground"] = shared.known["body"]
        scope = Scope(shared, Numbers(units, self.faults))
        parts = list(parts_of(self.root, units, self.folders, self.faults))
        for part in parts:
            self._keys(part.node, KEYS if part.node is self.root else PART_KEYS)
            self._assemblies(part)
        self.parameters(scope, [part.node.get("parameters") for part in reversed(parts)], self.settings, self.root)
        self._declare(scope, parts, ())
        elements = {entry.name: element for entry in self.entries if (element := self._element(entry)) is not None}
        self._circles(elements)
        outputs = {
            name: Reader(own).read("measure | signal", node, f"output '{name}'")
            for name, (node, own) in shared.outputs.items()
        }
        reader = Reader(scope)
        gravity, name = self.root.get("gravity"), self.root.get("name")
        return stated.Sheet(
            self.path,
            name.text if isinstance(name, Scalar) else "",
            space,
            None if gravity is None else reader.read("point(length/time^2)", gravity, "gravity"),
            {name: value.value for name, value in scope.numbers.values.items() if value is not None},
            elements,
            outputs,
            read_analyses(scope, self.root.get("analyses")),
            self._shown(),
            read_lift(reader, self.root.get("lift")),
            tuple(self.faults.doubts),
        )

    def _head(self) -> str | None:
        """Version, name and space."""
        version, name, space = (self.root.get(key) for key in ("cardan", "name", "space"))
        if version is None:
            self.faults.add(self.root, "C102", "the file does not say which format it has", "begin with cardan: 1")
        elif not isinstance(version, Scalar) or version.text != str(VERSION):
            given = told(version.text) if isinstance(version, Scalar) else "that"
            hint = f"this program reads version {VERSION}"
            self.faults.add(version, "C103", f"the file has format {given}", hint)
            return None
        if not isinstance(name, Scalar) or not name.text.strip():
            self.faults.add(name or self.root, "C102", "the model has no name", "state name: slider-crank, for example")
        if isinstance(space, Scalar) and space.text in ("planar", "spatial"):
            return space.text
        if space is None:
            self.faults.add(self.root, "C102", "the file does not say in which space it is", "state space: planar")
        else:
            given = space.text if isinstance(space, Scalar) else "this"
            self.faults.add(space, "C110", f"space must be planar or spatial, not {told(given)}")
        return None

    def _keys(self, node: Map, known: Sequence[str]) -> None:
        for name, key in node.keys.items():
            if name not in known:
                self.faults.add(key, "C101", f"there is no section {told(name)}", near(name, known))

    def _assemblies(self, part: Part) -> None:
        section = part.node.get("assemblies")
        for name, node in self._items(section, "assemblies"):
            if name in self.assemblies:
                self.faults.add(node, "C108", f"two assemblies are called {told(name)}")
            elif isinstance(node, Map):
                self._keys(node, PART_KEYS)
                self.assemblies[name] = Assembly(node, part.units)
            else:
                self.faults.add(node, "C107", f"assembly {told(name)} must be a mapping of sections")

    def _items(self, section: Node | None, what: str) -> Iterator[tuple[str, Node]]:
        if section is None:
            return
        if not isinstance(section, Map):
            self.faults.add(section, "C107", f"{what} must be a mapping of names to values, not a list or a word")
            return
        yield from section.items.items()

    def parameters(
        self, scope: Scope, sections: Sequence[Node | None], settings: Mapping[str, Any], node: Node
    ) -> None:
        """Parameters of a part, in which settings from outside take the place of what is stated."""
        found: dict[str, Node] = {}
        replaced: dict[str, Node] = {}
        for section in reversed(sections):
            for name, value in self._items(section, "parameters"):
                if not name.isidentifier():
                    place = section.keys[name] if isinstance(section, Map) else value
                    self.faults.add(place, "C108", f"a parameter must be a plain word, not {told(name)}")
                else:
                    found[name] = value
        for name, value in settings.items():
            if name not in found:
                hint = near(name, found, "the model has no parameters" if not found else "")
                self.faults.add(node, "C310", f"there is no parameter {told(name)} to set", hint)
            else:
                replaced[name] = old = found[name]  # faults of what was set point to what it takes the place of
                found[name] = value if isinstance(value, Node) else Scalar(old.path, old.line, old.column, str(value))
        scope.numbers.state(found, replaced)

    def _declare(self, scope: Scope, parts: Sequence[Part], chain: tuple[str, ...]) -> None:
        """List the names of all elements of a part, in their order."""
        for part in parts:
            own = scope if part.units is scope.numbers.units else _with_units(scope, part.units)
            for section, node in part.node.items.items():
                if section in SECTIONS:
                    for name, item in self._items(part.node.get(section), section):
                        self._declare_element(own, section, name, item, node)
                elif section == "instances":
                    for name, item in self._items(part.node.get(section), section):
                        self._declare_instance(own, name, item, chain)
                elif section == "markers":
                    for name, item in self._items(part.node.get(section), section):
                        scope.shared.markers[scope.full(name)] = (item, own)
                elif section == "outputs":
                    for name, item in self._items(part.node.get(section), section):
                        scope.shared.outputs[scope.full(name)] = (item, own)

    def _declare_element(self, scope: Scope, section: str, name: str, node: Node, holder: Node) -> None:
        key = holder.keys.get(name, node) if isinstance(holder, Map) else node
        full = scope.full(name)
        if section == "bodies" and name == "ground" and not scope.prefix:
            self._ground(scope, node)
            return
        if not name.strip() or full in scope.shared.types:
            sentence = f"two elements are called {told(full)}" if name.strip() else "an element must have a name"
            self.faults.add(key, "C108", sentence, "names must differ")
            return
        found = self._typed(scope, section, name, node)
        if found is None:
            scope.shared.declare(full, scope.shared.known["body" if section == "bodies" else "point"])
            return  # no more faults about its name
        kind, listed, named = found
        if section == "bodies":
            self._body_markers(scope, full, named.pop("markers", None))
        scope.shared.declare(full, scope.shared.known[kind])
        self.entries.append(Entry(full, kind, node, listed, named, scope))

    def _typed(
        self, scope: Scope, section: str, name: str, node: Node
    ) -> tuple[str, list[Node], dict[str, Node]] | None:
        """The type of an element with its arguments, which are a mapping or a call."""
        listed: list[Node] = []
        named: dict[str, Node] = {}
        at: Node = node
        usual = {"bodies": "body", "drivers": "driver"}.get(section, "")
        if isinstance(node, Map):
            named = dict(node.items)
            kind = named.pop("type", None)
            word, at = (kind.text, kind) if isinstance(kind, Scalar) else (usual, node)
        elif isinstance(node, Scalar) and (not node.empty or usual == "body"):
            try:
                tree = parse(node) if not node.empty else Call(node, node.column, usual)
            except GrammarError as error:
                self.faults.add(node, error.code, error.sentence, error.hint)
                return None
            if not isinstance(tree, Call) or tree.of is not None:
                self.faults.add(node, "C107", f"{told(name)} must be a mapping, or a call such as revolute(a, b)")
                return None
            word, listed, named = tree.name, tree.listed, dict(tree.named)
        else:
            self.faults.add(node, "C107", f"{told(name)} must be a mapping with its type and arguments")
            return None
        return None if not self._is_type(scope, section, name, word, at) else (word, listed, named)

    def _is_type(self, scope: Scope, section: str, name: str, word: str, at: Node) -> bool:
        known = scope.shared.known
        if not word:
            self.faults.add(at, "C106", f"{told(name)} lacks its type", "state type: revolute, for example")
            return False
        if word not in known or known[word].gives != "element":
            there = known.names("element") if section == "elements" else known.names_of_group(section)
            hint = near(word, there) if near(word, there).startswith("did") else near(word, known.names("element"))
            here = CALLED.get(word.lower(), "")
            hint = f"it is called '{here}' here" if here in known else hint
            self.faults.add(at, "C104", f"there is no type {told(word)}", hint)
            return False
        if word in known.renamed:
            self.faults.doubt(at, "C111", f"{told(word)} is an old name", f"write {known.renamed[word]}")
        group = known[word].group
        if section not in ("elements", group):
            self.faults.add(at, "C109", f"a {word} does not belong under {section}", f"state it under {group}")
            return False
        return True

    def _ground(self, scope: Scope, node: Node) -> None:
        for name, item in self._items(node, "ground"):
            if name == "markers":
                self._body_markers(scope, "ground", item)
            else:
                self.faults.add(item, "C105", f"ground has no {told(name)}: it does not move", "it may have markers")

    def _body_markers(self, scope: Scope, body: str, section: Node | None) -> None:
        for name, item in self._items(section, f"the markers of '{body}'"):
            scope.shared.markers[f"{body}@{name}"] = (item, scope)

    def _declare_instance(self, scope: Scope, name: str, node: Node, chain: tuple[str, ...]) -> None:
        from cardan.files.reading.instances import instance_of

        found = instance_of(self, scope, name, node, chain)
        if found is not None:
            inner, assembly, kind = found
            self._declare(
                inner, list(parts_of(assembly.node, assembly.units, self.folders, self.faults)), (*chain, kind)
            )

    def _element(self, entry: Entry) -> stated.Element | None:
        reader, kind = Reader(entry.scope), entry.scope.shared.known[entry.type]
        if "between" in entry.named:
            arguments = self._between(reader, kind, entry)
        else:
            arguments = reader.arguments(kind, entry.listed, entry.named, entry.node, {})
        if arguments is None:
            return None
        return stated.Element(entry.name, entry.type, arguments, entry.node, entry.scope.pose)

    def _between(self, reader: Reader, kind: Any, entry: Entry) -> dict[str, Any] | None:
        """A joint between two bodies at a point of the world."""
        from cardan.files.vocabulary.types import MISSING, Argument

        if kind.group != "joints" or [*kind.arguments][:2] != ["a", "b"]:
            self.faults.add(entry.named["between"], "C105", f"{kind.name} has no argument 'between'")
            return None
        axes = {name: "number(angle)" if name == "angle" else "point(1)" for name in AXES} | {
            "orientation": "orientation"
        }
        stated_by = {
            "between": Argument("[element]", MISSING),
            "at": Argument("point(length)", MISSING),
            "to": Argument("point(length)", None),
            **{name: Argument(role, None) for name, role in axes.items()},
            **{name: argument for name, argument in kind.arguments.items() if name not in "ab"},
        }
        found = reader.arguments(kind._replace(arguments=stated_by), [], entry.named, entry.node, {})
        if found is not None and len(found["between"]) != 2:
            self.faults.add(entry.named["between"], "C107", f"{kind.name} stands between two bodies")
            return None
        return found

    def _circles(self, elements: dict[str, stated.Element]) -> None:
        """Refuse elements that need each other to be made."""
        needs = {name: {r.name for r in stated.references(e.arguments)} for name, e in elements.items()}
        done: set[str] = {"ground"}
        for name in needs:
            chain: list[str] = []
            self._follow(name, needs, chain, done, elements)

    def _follow(self, name: str, needs: dict[str, set[str]], chain: list[str], done: set[str], elements: Any) -> None:
        if name in done or name not in needs:
            return
        if name in chain:
            ring = " -> ".join([*chain[chain.index(name) :], name])
            self.faults.add(elements[name].node, "C203", f"elements need each other to be made: {ring}")
            return
        chain.append(name)
        for other in sorted(needs[name]):
            self._follow(other, needs, chain, done, elements)
        chain.pop()
        done.add(name)

    def _shown(self) -> tuple[str, ...]:
        node = self.root.get("show")
        items = node.items if isinstance(node, List) else [] if node is None else [node]
        for item in items:
            if not isinstance(item, Scalar):
                self.faults.add(item, "C107", "show is a list of columns, such as slider.x")
        return tuple(item.text for item in items if isinstance(item, Scalar))


def _with_units(scope: Scope, units: Any) -> Scope:
    """The same names for a file that declares its own units."""
    numbers = Numbers(units, scope.faults)
    numbers.values = scope.numbers.values
    own = Scope(scope.shared, numbers, scope.prefix, scope.pose)
    own.connected = scope.connected
    return own


__all__ = ["Place", "check", "examine"]
