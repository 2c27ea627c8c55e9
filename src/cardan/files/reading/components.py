"""Reading the numbers of a bushing: each entry is in the unit of its component.

    stiffness: [200, 300, 500]            units: {length: mm, angle: deg}  ->  N/mm, N/mm, N mm/deg
    stiffness: [[200, 0, 1], ...]         the entry in row i and column j: load along i per displacement along j
    preload: [0, 800, 0]                  N, N, N mm

A single number applies to all components, each in its own unit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from cardan.files.faults import FaultError
from cardan.files.text.nodes import List, TextNode, is_empty
from cardan.files.vocabulary.kind import Kind

if TYPE_CHECKING:
    from cardan.files.reading.values import Reader


class Component(NamedTuple):
    """A direction of a bushing, with the dimensions of its displacement (V) and its load (W)."""

    name: str
    displacement: str
    load: str


ALONG = tuple(Component(axis, "length", "force") for axis in "xyz")
ABOUT = tuple(Component(f"rotation {axis}", "angle", "force*length") for axis in "xyz")
COMPONENTS = {2: (*ALONG[:2], Component("angle", "angle", "force*length")), 3: (*ALONG, *ABOUT)}


def read_components(reader: Reader, wanted: Kind, node: TextNode, what: str) -> Any:
    """One number for all components, one for each, or a matrix."""
    components = COMPONENTS[reader.shared.size]
    tree = reader.tree(node, what)

    def entry(item: TextNode, load: Component, displacement: Component) -> Any:
        name = load.name if load is displacement else f"{load.name} by {displacement.name}"
        symbols = {"V": displacement.displacement, "W": load.load}
        return reader.read(f"number({wanted.value})", item, f"{what} ({name})", symbols)

    if not isinstance(tree, List):
        each = [entry(tree, component, component) for component in components]
        return each[0] if len(set(each)) == 1 else tuple(each)
    matrix = "/" in wanted.value and all(isinstance(item, List) for item in tree.items)
    pairs = _paired(reader, tree, what, "rows" if matrix else "entries")
    if not matrix:
        return tuple(reader.faults.each(lambda pair: entry(pair[0], pair[1], pair[1]), pairs))

    def row(pair: tuple[Any, Component]) -> tuple[Any, ...]:
        columns = _paired(reader, pair[0], f"a row of {what}")
        return tuple(reader.faults.each(lambda column: entry(column[0], pair[1], column[1]), columns))

    return tuple(reader.faults.each(row, pairs))


def read_curves(reader: Reader, wanted: Kind, node: TextNode, what: str) -> Any:
    """A motion over the displacement for each component; an entry may be empty."""
    tree = reader.tree(node, what)
    if not isinstance(tree, List):
        raise FaultError(node, "C107", f"{what} must be a list with a motion or nothing for each component")

    def curve(pair: tuple[TextNode, Component]) -> Any:
        item, component = pair
        symbols = {"V": component.displacement, "W": component.load}
        kind = f"motion({wanted.value}; {wanted.argument})"
        return None if is_empty(item) else reader.read(kind, item, f"{what} ({component.name})", symbols)

    return tuple(reader.faults.each(curve, _paired(reader, tree, what)))


def _paired(reader: Reader, tree: List, what: str, sort: str = "entries") -> list[tuple[TextNode, Component]]:
    """The entries of a list with their components."""
    components = COMPONENTS[reader.shared.size]
    if len(tree.items) != len(components):
        names = [component.name for component in components]
        listed = f"{', '.join(names[:-1])} and {names[-1]}"
        raise FaultError(tree, "C107", f"{what} has {len(tree.items)} {sort}; it needs {len(names)}: {listed}")
    return list(zip(tree.items, components, strict=True))
