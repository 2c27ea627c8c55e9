"""Reading instances: repeated parts of a model, each with its own parameters, place and connections.

    assemblies:
      wheel:
        needs: [carrier]                                    a body outside that an instance connects
        parameters: {radius: 0.3}
        bodies: {rim: {mass: 8}}
        joints: {axle: revolute(carrier@(0, 0), rim)}
    instances:
      front: {assembly: wheel, parameters: {radius: 0.25}, position: [1.2, 0], connect: {carrier: frame}}

Element names of an instance begin with its name: front.rim, front.axle.angle.
"""

from __future__ import annotations

from typing import Any

from cardan.files.faults import FaultError, TooManyFaultsError, did_you_mean, short_repr
from cardan.files.reading import parsed
from cardan.files.reading.parts import FilePart
from cardan.files.reading.scope import Scope
from cardan.files.reading.values import Reader
from cardan.files.text.expressions import Numbers
from cardan.files.text.grammar import Number
from cardan.files.text.nodes import MAX_REPEATED, List, Map, Scalar, TextNode

KEYS = ("assembly", "parameters", "position", "angle", "orientation", "connect")


def read_instance(
    file: Any, scope: Scope, name: str, node: TextNode, chain: tuple[str, ...]
) -> tuple[Scope, FilePart, str]:
    """The scope of an instance, its assembly and the name of the assembly."""
    faults, shared = scope.faults, scope.shared
    if not isinstance(node, Map):
        raise FaultError(node, "C107", f"instance {short_repr(name)} must be a mapping", "write {assembly: wheel}")
    for key in node.keys:
        if key not in KEYS:
            faults.add(node.keys[key], "C105", f"an instance has no {short_repr(key)}", did_you_mean(key, KEYS))
    word = node.get("assembly")
    kind = word.text if isinstance(word, Scalar) else ""
    if not kind:
        raise FaultError(word or node, "C404", f"instance {short_repr(name)} needs an assembly")
    if kind not in file.assemblies:
        hint = did_you_mean(kind, file.assemblies)
        raise FaultError(word or node, "C404", f"unknown assembly {short_repr(kind)}", hint)
    if kind in chain:
        circle = " -> ".join([*chain, kind])
        raise FaultError(node, "C405", f"assemblies contain each other in a circle: {circle}")
    if scope.full(name) in shared.types or scope.full(name) in shared.prefixes:
        raise FaultError(node, "C108", f"two parts are called {short_repr(name)}", "names must differ")
    assembly = file.assemblies[kind]
    shared.expanded += assembly.node.weight
    if shared.expanded > MAX_REPEATED:
        hint = "nested assemblies multiply"
        faults.add(node, "C405", f"instances repeat more than {MAX_REPEATED} entries", hint)
        raise TooManyFaultsError
    inner = Scope(shared, Numbers(assembly.units, faults), f"{scope.full(name)}.", scope.pose)
    with faults.collect():
        inner.pose = _pose(scope, name, node)
    _connect(scope, inner, node, assembly)
    file.parameters(inner, [assembly.node.get("parameters")], _settings(scope, node), node)
    return inner, assembly, kind


def _settings(scope: Scope, node: Map) -> dict[str, TextNode]:
    """The parameters that an instance sets: evaluated outside, with the parameters and units of the outer scope."""
    section = node.get("parameters")
    if section is None:
        return {}
    if not isinstance(section, Map):
        scope.faults.add(section, "C107", "parameters must be a mapping of names to values")
        return {}
    found: dict[str, TextNode] = {}
    for key, item in section.items.items():
        found[key] = Number(item, item.column, 0.0)
        with scope.faults.collect():
            value = scope.numbers.quantity(Reader(scope).tree(item))
            found[key] = Number(item, item.column, value.value, value.dims)
    return found


def _connect(scope: Scope, inner: Scope, node: Map, assembly: FilePart) -> None:
    """The names inside an instance that stand for elements outside."""
    needs, given = assembly.node.get("needs"), node.get("connect")
    names = [item.text for item in needs.items if isinstance(item, Scalar)] if isinstance(needs, List) else []
    stated = given.items if isinstance(given, Map) else {}
    if given is not None and not isinstance(given, Map):
        scope.faults.add(given, "C107", "connect must be a mapping, {carrier: frame} for example")
    for name, item in stated.items():
        if name not in names:
            hint = did_you_mean(name, names)
            scope.faults.add(item, "C404", f"the assembly does not need {short_repr(name)}", hint)
        elif isinstance(item, Scalar):
            exact = scope.full(item.text) in scope.shared.types or item.text in scope.connected
            found = scope.element((item.text,) if exact else tuple(item.text.split(".")))
            inner.connected[name] = found[0] if found is not None and not found[1] else scope.full(item.text)
        else:
            scope.faults.add(item, "C107", f"the connection of {short_repr(name)} must be a name")
    for name in names:
        if name not in stated:
            hint = f"state connect: {{{name}: ...}}"
            scope.faults.add(node, "C404", f"the instance does not connect {short_repr(name)}", hint)


def _pose(scope: Scope, name: str, node: Map) -> parsed.Pose | None:
    position, turn = node.get("position"), node.get("angle") or node.get("orientation")
    if position is None and turn is None:
        return scope.pose
    reader, what, flat = Reader(scope), f"instance '{name}'", scope.shared.size == 2
    wrong = node.get("orientation" if flat else "angle")
    if wrong is not None:
        known = "angle" if flat else "orientation"
        raise FaultError(wrong, "C105", f"an instance of a {scope.shared.space} model takes {known}")
    place = (0.0,) * scope.shared.size
    if position is not None:
        place = reader.read("point(length)", position, f"position of {what}")
    kind = "number(angle)" if flat else "orientation"
    rotation = None if turn is None else reader.read(kind, turn, f"the rotation of {what}")
    return parsed.Pose(place, rotation, scope.pose, node)
