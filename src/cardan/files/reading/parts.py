"""The parts of a model: a file, the files that it includes, and their assemblies."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from cardan.display_units import KNOWN
from cardan.files.faults import FaultError, Faults, did_you_mean, short_repr
from cardan.files.reading.folders import Folders
from cardan.files.text.grammar import unit_of
from cardan.files.text.nodes import List, Map, Scalar, TextNode
from cardan.files.text.units import BASE, DECLARED, Declared

SECTIONS = ("bodies", "joints", "drivers", "forces", "control", "elements")
PART_KEYS = (
    "$schema cardan about name space units include parameters assemblies instances bodies markers joints drivers"
    " forces control elements outputs needs"
).split()
KEYS = [*(key for key in PART_KEYS if key != "needs"), "display", "gravity", "lift", "analyses", "show"]
MAX_CHAIN = 20  # files that include each other


class FilePart(NamedTuple):
    """Sections, of a file or an assembly, and the units of the file."""

    node: Map
    units: Declared


def units_of(node: Map, faults: Faults, key: str = "units") -> Declared:
    """The units that a file declares, or those of its `display`."""
    section, found = node.get(key), {}
    if section is not None and not isinstance(section, Map):
        faults.add(section, "C107", f"{key} must be a mapping", f"write {key}: {{length: mm, angle: deg}}")
        return Declared()
    for name, value in section.items.items() if isinstance(section, Map) else ():
        word = value.text if isinstance(value, Scalar) else ""
        unit = unit_of(word) if word else None
        known = DECLARED if key == "units" else KNOWN
        if name not in known:
            faults.add(value, "C311", f"no unit can be declared for {short_repr(name)}", did_you_mean(name, known))
        elif unit is None or word[-1:].isdigit():
            faults.add(value, "C303", f"unknown unit {short_repr(word)}")
        elif unit[1] != BASE[name]:
            faults.add(
                value, "C304", f"{short_repr(word)} is not a unit of {name}", f"use {DECLARED[name]}, for example"
            )
        else:
            found[name] = word
    return Declared(found)


def display_of(node: Map, units: Declared, faults: Faults) -> dict[str, str]:
    """The units in which results are shown: those of `display`, or those that the file declares."""
    shown = units if node.get("display") is None else units_of(node, faults, "display")
    return {name: unit for name, known in KNOWN.items() if (unit := shown.units[name]) in known}


def parts_of(
    node: Map, units: Declared, folders: Folders, faults: Faults, chain: tuple[str, ...] = ()
) -> Iterator[FilePart]:
    """The included files in order, then the part itself."""
    here = (*chain, node.path)
    for item in _included(node.get("include"), faults):
        with faults.collect():
            path = folders.inside(item, item.text)
            if path in (str(Path(one).resolve()) for one in here):
                circle = " -> ".join(Path(one).name for one in (*here, path))
                raise FaultError(item, "C403", f"files include each other in a circle: {circle}")
            if len(here) > MAX_CHAIN:
                raise FaultError(item, "C403", f"files include each other in more than {MAX_CHAIN} steps")
            root = folders.root(item, path, faults)
            if not isinstance(root, Map):
                raise FaultError(root, "C107", "an included file must be a mapping of sections")
            own = units_of(root, faults) if root.get("units") is not None else Declared()
            yield from parts_of(root, own, folders, faults, here)
    yield FilePart(node, units)


def _included(node: TextNode | None, faults: Faults) -> list[Scalar]:
    items: list[Any] = list(node.items) if isinstance(node, List) else [] if node is None else [node]
    for item in items:
        if not isinstance(item, Scalar):
            faults.add(item, "C107", "include must be a list of files")
    return [item for item in items if isinstance(item, Scalar)]
