"""The input deck of Abaqus and CalculiX: nodes, node sets and solid elements. Other keywords are skipped.

*NODE                       *NSET, NSET=root [, GENERATE]         *ELEMENT, TYPE=C3D20
1, 0.0, 0.0, 0.0            1, 2, 3                               1, 1, 2, 3, ...
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from cardan.errors import ModelError
from cardan.flexible.importers.text import text_of

if TYPE_CHECKING:
    from pathlib import Path

SOLIDS = {"C3D4": 4, "C3D10": 10, "C3D10M": 10, "C3D8": 8, "C3D8R": 8, "C3D8I": 8, "C3D20": 20, "C3D20R": 20}
LARGEST = 2**31 - 1  # number of a node


@dataclass
class InputDeck:
    """Nodes by number with their positions, named node sets, and connectivity of solids by number of nodes."""

    labels: np.ndarray
    places: np.ndarray
    sets: dict[str, np.ndarray] = field(default_factory=dict)
    cells: dict[int, list[list[int]]] = field(default_factory=dict)

    @property
    def index(self) -> dict[int, int]:
        """The index of each node number."""
        return {int(label): k for k, label in enumerate(self.labels)}


def read_input_deck(path: str | Path) -> InputDeck:
    """The nodes of a deck in the order of their numbers."""
    nodes: dict[int, list[float]] = {}
    sets: dict[str, list[int]] = {}
    cells: dict[int, list[list[int]]] = {}
    name = str(path)
    for keyword, options, rows in _blocks(text_of(path, "the input deck"), name):
        if keyword == "NODE":
            own = sets.setdefault(options["NSET"], []) if "NSET" in options else None
            for number, row in rows:
                label, place = _node(row, name, number)
                nodes[label] = place
                if own is not None:
                    own.append(label)
        elif keyword == "NSET" and options.get("NSET"):
            sets.setdefault(options["NSET"], []).extend(_members(rows, "GENERATE" in options, sets, len(nodes), name))
        elif keyword == "ELEMENT" and options.get("TYPE", "").upper() in SOLIDS:
            size = SOLIDS[options["TYPE"].upper()]
            flat = [_whole(word, name, number) for number, row in rows for word in row if word]
            step = size + 1
            if len(flat) % step:
                raise ModelError(f"'{name}': an element of type {options['TYPE']} must have {size} nodes")
            cells.setdefault(size, []).extend(flat[k + 1 : k + step] for k in range(0, len(flat), step))
    if not nodes:
        raise ModelError(f"'{name}' has no *NODE block: the deck must contain the nodes (no *INCLUDE)")
    labels = np.array(sorted(nodes), dtype=np.int64)
    places = np.array([nodes[int(label)] for label in labels])
    rank = {int(label): k for k, label in enumerate(labels)}
    known = {key: np.array([rank[n] for n in members if n in rank], dtype=np.int64) for key, members in sets.items()}
    return InputDeck(labels, places, {key: np.unique(at) for key, at in known.items() if len(at)}, cells)


def _blocks(text: str, name: str) -> Iterator[tuple[str, dict[str, str], list[tuple[int, list[str]]]]]:
    """(keyword, options, numbered data lines); names of options in capitals."""
    keyword = ""
    options: dict[str, str] = {}
    rows: list[tuple[int, list[str]]] = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("**") or not line.strip():
            continue
        if line.startswith("*"):
            if keyword:
                yield keyword, options, rows
            head, *words = [word.strip() for word in line[1:].split(",")]
            keyword, rows = " ".join(head.upper().split()), []
            pairs = [word.partition("=") for word in words if word]
            options = {key.strip().upper(): value.strip().strip('"') for key, _, value in pairs}
            if keyword == "INCLUDE":
                raise ModelError(f"'{name}', line {number}: *INCLUDE is not followed; put the nodes into the deck")
        else:
            rows.append((number, [word.strip() for word in line.split(",")]))
    if keyword:
        yield keyword, options, rows


def _node(row: list[str], name: str, number: int) -> tuple[int, list[float]]:
    try:
        place = [float(word) if word else 0.0 for word in row[1:4]]
        label = int(row[0])
    except ValueError:
        raise ModelError(f"'{name}', line {number}: a node must be a number and x, y, z, got {row[:4]}") from None
    if not np.isfinite(place).all() or not 1 <= label <= LARGEST:
        raise ModelError(
            f"'{name}', line {number}: node {row[0][:40]} must have a number from 1 to {LARGEST} and finite coordinates"
        )
    return label, place + [0.0] * (3 - len(place))


def _members(
    rows: list[tuple[int, list[str]]], generate: bool, sets: dict[str, list[int]], most: int, name: str
) -> list[int]:
    members: list[int] = []
    for number, row in rows:
        words = [word for word in row if word]
        if generate and len(words) < 2:
            raise ModelError(f"'{name}', line {number}: a generated set needs its first and last node, got {row[:3]}")
        if generate:
            first, last, step = (*(_whole(word, name, number) for word in words[:3]), 1)[:3]
            if step < 1 or (last - first) // step > most:
                raise ModelError(f"'{name}', line {number}: a generated set must have at most {most} nodes")
            members += range(first, last + 1, step)
        else:
            for word in words:
                members += sets.get(word, []) if not word.isdigit() else [_whole(word, name, number)]
        if members and max(members) > LARGEST:
            raise ModelError(f"'{name}', line {number}: the numbers of nodes are at most {LARGEST}")
        if len(members) > 100 * (most + 1):
            raise ModelError(f"'{name}', line {number}: the node set has more entries than the deck has nodes")
    return members


def _whole(word: str, name: str, number: int) -> int:
    try:
        return int(word)
    except ValueError:
        raise ModelError(f"'{name}', line {number}: expected a whole number, got {word[:40]!r}") from None
