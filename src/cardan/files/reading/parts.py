"""The parts of a model: a file with those that it includes, and the assemblies that are stated in them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from cardan.files.faults import Faults, near, told
from cardan.files.reading.folders import Folders
from cardan.files.text.grammar import unit_of
from cardan.files.text.nodes import List, Map, Node, Scalar
from cardan.files.text.units import BASE, DECLARED, Declared

SECTIONS = ("bodies", "joints", "drivers", "forces", "control", "elements")
PART_KEYS = (
    "$schema cardan about name space units include parameters assemblies instances bodies markers joints drivers"
    " forces control elements outputs needs"
).split()
KEYS = [*(key for key in PART_KEYS if key != "needs"), "gravity", "lift", "analyses", "show"]


class Part(NamedTuple):
    """A mapping of sections, and the units of the file that it stands in."""

    node: Map
    units: Declared


class Assembly(NamedTuple):
    """A part that instances repeat."""

    node: Map
    units: Declared


def units_of(node: Map, faults: Faults) -> Declared:
    """The units that a file declares."""
    section, found = node.get("units"), {}
    if section is not None and not isinstance(section, Map):
        faults.add(section, "C107", "units must be a mapping", "write units: {length: mm, angle: deg}")
        return Declared()
    for name, value in section.items.items() if isinstance(section, Map) else ():
        word = value.text if isinstance(value, Scalar) else ""
        unit = unit_of(word) if word else None
        if name not in DECLARED:
            faults.add(value, "C311", f"no unit can be declared for {told(name)}", near(name, DECLARED))
        elif unit is None or word[-1:].isdigit():
            faults.add(value, "C303", f"there is no unit {told(word)}")
        elif unit[1] != BASE[name]:
            faults.add(value, "C304", f"{told(word)} is no unit of {name}", f"{DECLARED[name]} is one")
        else:
            found[name] = word
    return Declared(found)


def parts_of(
    node: Map, units: Declared, folders: Folders, faults: Faults, chain: tuple[str, ...] = ()
) -> Iterator[Part]:
    """What a file includes, file after file, and then itself."""
    here = (*chain, node.path)
    for item in _listed(node.get("include"), faults):
        path = folders.inside(item, item.text, faults)
        if path is None:
            continue
        if path in (_resolved(one) for one in here):
            ring = " -> ".join([*(_short(one) for one in here), _short(path)])
            faults.add(item, "C403", f"files include each other in a circle: {ring}")
            continue
        if len(here) > 20:
            faults.add(item, "C403", "files include each other in more than 20 steps")
            continue
        root = folders.root(item, path, faults)
        if isinstance(root, Map):
            own = units_of(root, faults) if root.get("units") is not None else Declared()
            yield from parts_of(root, own, folders, faults, here)
        elif root is not None:
            faults.add(root, "C107", "an included file is a mapping of sections")
    yield Part(node, units)


def _listed(node: Node | None, faults: Faults) -> list[Scalar]:
    items: list[Any] = list(node.items) if isinstance(node, List) else [] if node is None else [node]
    for item in items:
        if not isinstance(item, Scalar):
            faults.add(item, "C107", "include is a list of files")
    return [item for item in items if isinstance(item, Scalar)]


def _resolved(path: str) -> str:
    from pathlib import Path

    return str(Path(path).resolve())


def _short(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2]
