"""Instances: parts of a model that are repeated, each with its own parameters, place and connections.

    assemblies:
      wheel:
        needs: [carrier]                                    a body of outside that an instance connects
        parameters: {radius: 0.3}
        bodies: {rim: {mass: 8}}
        joints: {axle: revolute(carrier@(0, 0), rim)}
    instances:
      front: {assembly: wheel, parameters: {radius: 0.25}, position: [1.2, 0], connect: {carrier: frame}}

Elements of an instance have its name before theirs: front.rim, front.axle.angle.
"""

from __future__ import annotations

from typing import Any

from cardan.files.faults import TooManyFaultsError, near, told
from cardan.files.reading import parsed as stated
from cardan.files.reading.parts import Assembly
from cardan.files.reading.scope import Scope
from cardan.files.reading.values import Reader
from cardan.files.text.expressions import Numbers
from cardan.files.text.grammar import Word
from cardan.files.text.nodes import REPEATED, List, Map, Node, Scalar

KEYS = ("assembly", "parameters", "position", "angle", "orientation", "connect")


def instance_of(file: Any, scope: Scope, name: str, node: Node, chain: tuple[str, ...]) -> Any:
    """The scope of an instance, its assembly and the name of that; None with a fault."""
    faults = file.faults
    if not isinstance(node, Map):
        faults.add(node, "C107", f"instance {told(name)} must be a mapping", "write {assembly: wheel}")
        return None
    for key in node.keys:
        if key not in KEYS:
            faults.add(node.keys[key], "C105", f"an instance has no {told(key)}", near(key, KEYS))
    word = node.get("assembly")
    kind = word.text if isinstance(word, Scalar) else ""
    if kind not in file.assemblies:
        sentence = f"there is no assembly {told(kind)}" if kind else f"instance {told(name)} lacks its assembly"
        faults.add(word or node, "C404", sentence, near(kind, file.assemblies) if kind else "")
        return None
    if kind in chain:
        faults.add(node, "C405", f"assemblies contain each other in a circle: {' -> '.join([*chain, kind])}")
        return None
    if scope.full(name) in scope.shared.types or scope.full(name) in scope.shared.holders:
        faults.add(node, "C108", f"two parts are called {told(name)}", "names must differ")
        return None
    scope.shared.expanded += file.assemblies[kind].node.weight
    if scope.shared.expanded > REPEATED:
        hint = "assemblies within assemblies multiply"
        faults.add(node, "C405", f"instances repeat more than {REPEATED} entries", hint)
        raise TooManyFaultsError
    return _scope(file, scope, name, node, file.assemblies[kind]), file.assemblies[kind], kind


def _scope(file: Any, scope: Scope, name: str, node: Map, assembly: Assembly) -> Scope:
    inner = Scope(scope.shared, Numbers(assembly.units, scope.faults), f"{scope.full(name)}.", _pose(scope, name, node))
    _connect(file, scope, inner, node, assembly)
    section = node.get("parameters")
    settings: dict[str, Node] = {}
    if isinstance(section, Map):
        for key, item in section.items.items():  # they are stated outside, with the parameters and units of there
            settings[key] = _outside(scope, item)
    elif section is not None:
        scope.faults.add(section, "C107", "parameters must be a mapping of names to values")
    file.parameters(inner, [assembly.node.get("parameters")], settings, node)
    return inner


def _outside(scope: Scope, node: Node) -> Node:
    """A number of the outer scope as one that the inner scope can read."""
    from cardan.files.text.grammar import Number

    reader = Reader(scope)
    tree = reader.tree(node)
    found = None if tree is None else scope.numbers.quantity(tree)
    if found is None:
        return node if tree is None else Number(node, node.column, 0.0)
    return Number(node, node.column, found.value, found.dims)


def _connect(file: Any, scope: Scope, inner: Scope, node: Map, assembly: Assembly) -> None:
    needs = assembly.node.get("needs")
    names = [item.text for item in needs.items if isinstance(item, Scalar)] if isinstance(needs, List) else []
    given = node.get("connect")
    stated_names = given.items if isinstance(given, Map) else {}
    if given is not None and not isinstance(given, Map):
        scope.faults.add(given, "C107", "connect must be a mapping, {carrier: frame} for example")
    for name, item in stated_names.items():
        if name not in names:
            scope.faults.add(item, "C404", f"the assembly needs nothing called {told(name)}", near(name, names))
        elif isinstance(item, Scalar):
            exact = scope.full(item.text) in scope.shared.types or item.text in scope.connected
            word = Word(item, item.column, (item.text,) if exact else tuple(item.text.split(".")))
            found = scope.element(word.parts)
            inner.connected[name] = found[0] if found is not None and not found[1] else scope.full(item.text)
        else:
            scope.faults.add(item, "C107", f"what {told(name)} is connected to must be a name")
    for name in names:
        if name not in stated_names:
            scope.faults.add(
                node, "C404", f"the instance does not connect {told(name)}", f"state connect: {{{name}: ...}}"
            )


def _pose(scope: Scope, name: str, node: Map) -> stated.Pose | None:
    position, turn = node.get("position"), node.get("angle") or node.get("orientation")
    if position is None and turn is None:
        return scope.pose
    reader, what, flat = Reader(scope), f"instance '{name}'", scope.shared.size == 2
    wrong = node.get("orientation" if flat else "angle")
    if wrong is not None:
        known = "angle" if flat else "orientation"
        scope.faults.add(wrong, "C105", f"an instance of a {scope.shared.space} model takes {known}")
        return scope.pose
    place = (0.0,) * scope.shared.size
    if position is not None:
        place = reader.read("point(length)", position, f"position of {what}") or place
    role = "number(angle)" if flat else "orientation"
    return stated.Pose(
        place, None if turn is None else reader.read(role, turn, f"the turn of {what}"), scope.pose, node
    )
