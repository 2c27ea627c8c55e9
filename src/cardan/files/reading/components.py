"""Numbers of a bushing as a file states them: each entry counts in the unit of its own place.

    stiffness: [200, 300, 500]            units: {length: mm, angle: deg}  ->  N/mm, N/mm, N mm/deg
    stiffness: [[200, 0, 1], ...]         the entry in row i and column j: what acts along i, over what moves along j
    preload: [0, 800, 0]                  N, N, N mm

One number stands for all components alike, each in its own unit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from cardan.files.text.nodes import List, Node
from cardan.files.vocabulary.kind import Role

if TYPE_CHECKING:
    from cardan.files.reading.values import Reader


class Component(NamedTuple):
    """A direction in which a bushing gives way: its name, what moves there (V) and what acts there (W)."""

    name: str
    moves: str
    acts: str


ALONG = tuple(Component(axis, "length", "force") for axis in "xyz")
ABOUT = tuple(Component(f"rotation {axis}", "angle", "force*length") for axis in "xyz")
COMPONENTS = {2: (*ALONG[:2], Component("angle", "angle", "force*length")), 3: (*ALONG, *ABOUT)}


def read_components(reader: Reader, wanted: Role, node: Node, what: str) -> Any:
    """A number for all components, one for each, or a matrix; None with a fault."""
    components = COMPONENTS[reader.shared.size]
    tree = reader.tree(node, what)
    if tree is None:
        return None
    if not isinstance(tree, List):
        each = [_entry(reader, wanted, tree, what, component, component) for component in components]
        return None if None in each else each[0] if len(set(each)) == 1 else tuple(each)
    matrix = "/" in wanted.value and all(isinstance(item, List) for item in tree.items)
    if not _fits(reader, tree, what, matrix):
        return None
    rows = [
        _row(reader, wanted, item, what, component)
        if matrix
        else _entry(reader, wanted, item, what, component, component)
        for item, component in zip(tree.items, components, strict=True)
    ]
    return None if None in rows else tuple(rows)


def read_curves(reader: Reader, wanted: Role, node: Node, what: str) -> Any:
    """A motion for each component, read at its displacement; a place may be left empty."""
    from cardan.files.reading.values import is_empty

    tree = reader.tree(node, what)
    if not isinstance(tree, List):
        if tree is not None:
            reader.faults.add(node, "C107", f"{what} must be a list, a motion or nothing for each component")
        return None
    if not _fits(reader, tree, what, matrix=False):
        return None
    found, whole = [], True
    for item, component in zip(tree.items, COMPONENTS[reader.shared.size], strict=True):
        symbols = {"V": component.moves, "W": component.acts}
        text = f"motion({wanted.value}; {wanted.argument})"
        curve = None if is_empty(item) else reader.read(text, item, f"{what} ({component.name})", symbols)
        whole = whole and (curve is not None or is_empty(item))
        found.append(curve)
    return tuple(found) if whole else None


def _row(reader: Reader, wanted: Role, node: Any, what: str, acts: Component) -> tuple[Any, ...] | None:
    components = COMPONENTS[reader.shared.size]
    if not _fits(reader, node, f"a row of {what}", matrix=False):
        return None
    row = [_entry(reader, wanted, item, what, acts, m) for item, m in zip(node.items, components, strict=True)]
    return None if None in row else tuple(row)


def _entry(reader: Reader, wanted: Role, node: Node, what: str, acts: Component, moves: Component) -> Any:
    name = acts.name if acts is moves else f"{acts.name} by {moves.name}"
    symbols = {"V": moves.moves, "W": acts.acts}
    return reader.read(f"number({wanted.value})", node, f"{what} ({name})", symbols)


def _fits(reader: Reader, tree: List, what: str, matrix: bool) -> bool:
    names = [component.name for component in COMPONENTS[reader.shared.size]]
    if len(tree.items) == len(names):
        return True
    sort = "rows" if matrix else "entries"
    listed = f"{', '.join(names[:-1])} and {names[-1]}"
    reader.faults.add(tree, "C107", f"{what} has {len(tree.items)} {sort}; it needs {len(names)}: {listed}")
    return False
