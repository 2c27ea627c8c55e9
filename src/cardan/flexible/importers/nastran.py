"""Matrices of Nastran: DMIG entries in a punch file (.pch), or text matrices (.op4), with GRID entries of a bulk file.

    DMIG    KAAX    0       6       1       0               header: symmetric, real
    DMIG*   KAAX                           1               1            column: node 1, direction 1
    *                      2               3-1.000000000D+03            row: node 2, direction 3, value

PARAM,EXTOUT,DMIGPCH writes KAAX and MAAX. A column has the rows from the diagonal on. An OP4 matrix has no labels: its
rows are all nodes in the order of their numbers with six directions each.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_matrix

from cardan.errors import ModelError
from cardan.flexible.fe_model import FiniteElementModel
from cardan.flexible.importers.text import symmetric, text_of

if TYPE_CHECKING:
    from pathlib import Path

# a number without the letter of its exponent, as 1.5-3
SHORT = re.compile(r"(?<=[\d.])([+-]\d+)$")
Entries = tuple[list[tuple[int, int]], list[tuple[int, int]], list[float]]


def read_nastran(
    matrices: Any,
    bulk: Any,
    *,
    stiffness: str = "KAAX",
    mass: str = "MAAX",
    name: str = "part",
    units: str = "m, kg, s",
) -> FiniteElementModel:
    """The model of a punch file (.pch) or an OP4 text file with both matrices, and a bulk file with the nodes.

    `stiffness` and `mass` are the names of the matrices. Nodes must be in the basic coordinate system. Solids without
    rotations keep six unknowns at each node; those without stiffness and mass are left out of the reduction.

        bracket = read_nastran("bracket.pch", "bracket.bdf", units="mm, t, s")
        part = bracket.reduce({"bore": [3, 4, 5]}, up_to=2000.0)
    """
    labels, places = read_grids(bulk)
    text = text_of(matrices, "the matrices")
    if str(matrices).lower().endswith(".op4"):
        M, K = (_from_op4(text, key, len(labels), str(matrices)) for key in (mass, stiffness))
    else:
        found = {key: _dmig(text, key, str(matrices)) for key in (mass, stiffness)}
        used = {node for rows, columns, _ in found.values() for node, _ in (*rows, *columns)}
        kept = np.array([int(label) in used for label in labels])
        labels, places = labels[kept], places[kept]
        rank = {int(label): k for k, label in enumerate(labels)}
        absent = used - set(rank)
        if absent:
            raise ModelError(f"'{matrices}' refers to node {min(absent)}, but '{bulk}' has no such GRID")
        M, K = (_from_dmig(found[key], rank, key) for key in (mass, stiffness))
    return FiniteElementModel(name, places, M, K, units=units, labels=labels)


def read_grids(path: str | Path) -> tuple[np.ndarray, np.ndarray]:
    """(numbers, positions) of the GRID entries of a bulk file: free, small or large fields."""
    lines = text_of(path, "the bulk file").splitlines()
    found: dict[int, list[float]] = {}
    for k, line in enumerate(lines):
        if not line[:4].upper() == "GRID" or line[4:5] not in (" ", "*", ",", "\t"):
            continue
        fields = _fields(line, lines[k + 1] if k + 1 < len(lines) else "")
        try:
            label, system = int(fields[1]), int(fields[2] or 0)
            place = [_number(word) for word in fields[3:6]]
        except (ValueError, IndexError):
            raise ModelError(f"'{path}', line {k + 1}: the GRID entry cannot be read: {line[:72]!r}") from None
        if system:
            raise ModelError(
                f"'{path}', line {k + 1}: node {label} is in coordinate system {system}; write nodes in the basic "
                "system"
            )
        if not np.isfinite(place).all():
            raise ModelError(f"'{path}', line {k + 1}: node {label} must have finite coordinates")
        found[label] = place
    if not found:
        raise ModelError(f"'{path}' has no GRID entries")
    labels = np.array(sorted(found), dtype=np.int64)
    return labels, np.array([found[int(label)] for label in labels])


def _fields(line: str, after: str) -> list[str]:
    """The fields of an entry; a large entry continues on the next line."""
    if "," in line:
        return [word.strip() for word in line.split(",")] + [""] * 6
    if line[:8].rstrip().endswith("*"):
        both = line.ljust(72)[8:72] + after.ljust(72)[8:72]
        return [line[:8]] + [both[16 * k : 16 * k + 16].strip() for k in range(8)]
    return [line.ljust(80)[8 * k : 8 * k + 8].strip() for k in range(9)]


def _number(word: str) -> float:
    """A number as Nastran writes it: 1.5-3 and 1.5D-3 are 1.5e-3; blank is zero."""
    plain = word.strip().upper().replace("D", "E")
    return float(SHORT.sub(r"E\1", plain) if "E" not in plain else plain) if plain else 0.0


def _dmig(text: str, key: str, file: str) -> Entries:
    """(rows, columns, values) of a matrix; rows and columns are (node, direction from 0)."""
    rows, columns, values = [], [], []
    column: tuple[int, int] | None = None
    seen = False
    for number, line in enumerate(text.splitlines(), 1):
        try:
            if line.startswith("DMIG"):
                wide = line[4:5] == "*"
                name = line[8:24].strip() if wide else line[8:16].strip()
                column = None
                if name.upper() != key.upper():
                    continue
                if wide:
                    column = int(line[24:40]), _direction(line[40:56])
                else:
                    seen = True
                    form, kind = int(line[24:32]), int(line[32:40])
                    if form not in (1, 6) or kind not in (1, 2):
                        raise ModelError(f"'{file}': {key} must be a real square or symmetric matrix")
            elif line.startswith("*") and column is not None:
                rows.append((int(line[8:24]), _direction(line[24:40])))
                columns.append(column)
                values.append(_number(line[40:56]))
        except ValueError:
            raise ModelError(f"'{file}', line {number}: the DMIG entry cannot be read: {line[:72]!r}") from None
    if not seen or not values:
        names = sorted({line[8:16].strip() for line in text.splitlines() if line.startswith("DMIG ")})
        raise ModelError(f"'{file}' has no matrix {key}; it has {', '.join(names[:8]) or 'none'}")
    return rows, columns, values


def _direction(word: str) -> int:
    direction = int(word)
    if not 0 <= direction <= 6:
        raise ValueError
    return max(direction - 1, 0)  # 0 is a scalar point


def _from_dmig(entries: Entries, rank: dict[int, int], key: str) -> csr_matrix:
    rows, columns, values = entries
    row = np.array([6 * rank[node] + direction for node, direction in rows])
    column = np.array([6 * rank[node] + direction for node, direction in columns])
    return symmetric(row, column, np.array(values), 6 * len(rank), key)


def _from_op4(text: str, key: str, nodes: int, file: str) -> csr_matrix:
    """A matrix of an OP4 text file, dense or sparse ("BIGMAT" or not)."""
    lines = text.splitlines()
    k = 0
    names = []
    while k < len(lines):
        head = lines[k]
        try:
            width, height = int(head[:8]), int(head[8:16])
            kind, name = int(head[24:32]), head[32:40].strip()
            layout = re.match(r"1P,(\d+)E(\d+)", head[40:].strip())
        except ValueError:
            raise ModelError(f"'{file}', line {k + 1}: not the header of an OP4 text matrix: {head[:60]!r}") from None
        if layout is None:
            raise ModelError(f"'{file}' is not an OP4 text file: write it with FORMATTED, as 1P,5E23.16")
        names.append(name)
        wanted = name.upper() == key.upper()
        if wanted and (width != abs(height) or width != 6 * nodes or kind not in (1, 2)):
            raise ModelError(
                f"'{file}': {key} is {abs(height)} x {width}, but the {nodes} nodes have {6 * nodes} unknowns; it must "
                "be a real matrix of all nodes (the g-set)"
            )
        per, digits = int(layout[1]), int(layout[2])
        entries, k = _op4_columns(lines, k + 1, width, height < 0, per, digits, file)
        if wanted:
            table = np.array(entries).reshape(-1, 3)
            at = table[:, :2].astype(np.int64)
            if len(at) and (at.min() < 0 or at.max() >= width):
                raise ModelError(f"'{file}': {key} has entries beyond its size")
            return symmetric(at[:, 0], at[:, 1], table[:, 2], width, key)
    raise ModelError(f"'{file}' has no matrix {key}; it has {', '.join(names) or 'none'}")


def _op4_columns(
    lines: list[str], k: int, width: int, big: bool, per: int, digits: int, file: str
) -> tuple[list[tuple[int, int, float]], int]:
    """The entries of the columns from line k, and the line after the matrix."""
    entries: list[tuple[int, int, float]] = []
    try:
        while True:
            column, first, words = (int(lines[k][8 * j : 8 * j + 8]) for j in range(3))
            k += 1
            if first:  # dense: values from this row on
                values, k = _op4_values(lines, k, words, per, digits)
                entries += (
                    [(first - 1 + j, column - 1, value) for j, value in enumerate(values)] if column <= width else []
                )
            else:
                left = words
                while left > 0:
                    if big:
                        length, start = int(lines[k][:8]) - 1, int(lines[k][8:16])
                        left -= length + 2
                    else:
                        packed = int(lines[k].split()[0])
                        length, start = packed // 65536 - 1, packed % 65536
                        left -= length + 1
                    count = length // 2  # two words to a number
                    values, k = _op4_values(lines, k + 1, count, per, digits)
                    entries += [(start - 1 + j, column - 1, value) for j, value in enumerate(values)]
            if column > width:
                return entries, k
    except (ValueError, IndexError):
        raise ModelError(f"'{file}', line {k + 1}: the OP4 matrix cannot be read") from None


def _op4_values(lines: list[str], k: int, count: int, per: int, digits: int) -> tuple[list[float], int]:
    if count < 0 or digits < 1 or per < 1 or -(-count // per) > len(lines) - k:
        raise ValueError
    values: list[float] = []
    while len(values) < count:
        line = lines[k]
        here = min(per, count - len(values))
        values += [_number(line[digits * j : digits * j + digits]) for j in range(here)]
        k += 1
    return values, k
