"""Tables in files of their own: `table: spring.csv` in place of lists of numbers.

    travel [mm]; force [kN]       a head line may name columns; a unit in brackets says what a column counts in,
    0;           0                otherwise it counts in the declared units of the model file
    12,5;        0,8              columns are parted by semicolons, tabs, commas or spaces; a decimal comma needs one of
                                  the first two
    curve: {table: spring.csv}                                                 a spline through the points
    motion: {type: spline, table: lift.csv, columns: [time, valve], end: clamped}
    curve: {type: polar_table, table: cam.csv}

The numbers become nodes with their place in the table: whatever is wrong with one is told with its line there.
"""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from cardan.files.faults import Place, near, told
from cardan.files.text.grammar import GrammarError, Number, Word, parse
from cardan.files.text.nodes import LARGEST, List, Node, Scalar
from cardan.untrusted import contents

if TYPE_CHECKING:
    from cardan.files.reading.values import Reader

MOST_CELLS = 1_000_000
PARTED = {";": re.compile("(;)"), "\t": re.compile("(\t)"), ",": re.compile("(,)"), " ": re.compile(r"(\s+)")}


class Cell(NamedTuple):
    """A text of a table, and where it begins."""

    text: str
    line: int
    column: int


class Head(NamedTuple):
    """The name of a column, and the number that its unit is; None without one."""

    name: str
    unit: Any


def from_table(reader: Reader, kind: Any, named: dict[str, Node], node: Node) -> dict[str, Node] | None:
    """The arguments of a type with the columns of a file in place of `table` and `columns`; None with a fault."""
    named = dict(named)
    source, chosen = named.pop("table"), named.pop("columns", None)
    both = [name for name in kind.table if name in named]
    if both:
        reader.faults.add(named[both[0]], "C105", f"{kind.name} has a table and {both[0]}", "state one of them")
        return None
    path = reader.read("path", source, f"table of {kind.name}")
    rows = None if path is None else _rows(reader, source, path)
    if path is None or rows is None:
        return None
    points = kind.table == ("points",)
    needed = reader.shared.size if points and kind.name == "curve_through" else len(kind.table)
    heads = _heads(reader, rows, path)
    places = None if heads is None else _places(reader, chosen, source, heads, needed, kind)
    if heads is None or places is None:
        return None
    columns = [_column(reader, rows, place, heads[place], path) for place in places]
    if any(column is None for column in columns):
        return None
    whole = [column for column in columns if column is not None]
    lists: list[list[Any]] = [*whole]
    if points:
        lists = [[_listed(path, row[0].line, list(row)) for row in zip(*whole, strict=True)]]
    return {**named, **dict(zip(kind.table, (_listed(path, 1, column) for column in lists), strict=True))}


def _rows(reader: Reader, source: Node, path: str) -> list[list[Cell]] | None:
    """The cells of a file, line by line; lines that are empty or begin with # are left out."""
    name = told(Path(path).name)
    try:
        if Path(path).stat().st_size > LARGEST:
            reader.faults.add(source, "C406", f"the table {name} has more than {LARGEST >> 20} MB")
            return None
        text = contents(Path(path)).decode("utf-8-sig")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is no text in UTF-8"
        reader.faults.add(source, "C406", f"the table {name} cannot be read: {reason}")
        return None
    lines = [(k, line) for k, line in enumerate(text.splitlines(), 1) if line.strip() and line.strip()[0] != "#"]
    if len(lines) < 2:
        reader.faults.add(source, "C406", f"the table {name} has {len(lines)} lines, too few for a curve")
        return None
    part = next(sign for sign in PARTED if sign == " " or sign in lines[-1][1])
    count = sum(1 + (line.count(part) if part != " " else len(line.split())) for _, line in lines)
    folders = reader.shared.folders
    folders.cells += count
    if count > MOST_CELLS or folders.cells > 2 * MOST_CELLS:
        what = f"the table {name} has more than {MOST_CELLS}" if count > MOST_CELLS else "tables have too many"
        reader.faults.add(source, "C406", f"{what} cells")
        return None
    return [_cells(line, number, part) for number, line in lines]


def _cells(line: str, number: int, part: str) -> list[Cell]:
    found, column = [], 1
    for k, text in enumerate(PARTED[part].split(line.rstrip("\r\n") if part != " " else line.strip())):
        if k % 2 == 0:
            plain = text.strip()
            start = column + len(text) - len(text.lstrip())
            found.append(Cell(plain.replace(",", ".") if part != "," and _decimal(plain) else plain, number, start))
        column += len(text)
    return found


def _decimal(text: str) -> bool:
    return re.fullmatch(r"[-+]?\d*,\d*([eE][-+]?\d+)?", text) is not None


def _heads(reader: Reader, rows: list[list[Cell]], path: str) -> list[Head] | None:
    """The names and units of all columns; the head line is taken off the rows."""
    if any(_is_number(cell.text) for cell in rows[0]):
        return [Head("", None) for _ in rows[0]]
    found = []
    for cell in rows.pop(0):
        name, written = _parted(cell.text.strip("\"'"))
        unit = None
        if written:
            unit = _unit(reader, written, Place(path, cell.line, cell.column))
            if unit is None:
                return None
        found.append(Head(name, unit))
    return found


def _parted(text: str) -> tuple[str, str]:
    """The name of a column and the unit in brackets behind it: 'travel [mm]' or 'travel (mm)'."""
    opening = next((k for k, letter in enumerate(text) if letter in "[("), -1)
    inner = text[opening + 1 : -1]
    if opening < 0 or text[-1] not in "])" or len(text) < opening + 2 or "]" in inner or ")" in inner:
        return text, ""
    return text[:opening].rstrip(), inner.strip()


def _unit(reader: Reader, text: str, place: Place) -> Any:
    """One of a unit, as a number; None with a fault."""
    try:
        found: Any = parse(Scalar(place.path, place.line, place.column, f"1 {text}"))
    except GrammarError as error:
        reader.faults.add(place, "C303", f"there is no unit {told(text)}", error.hint)
        return None
    if not isinstance(found, Number) or found.dims is None:
        reader.faults.add(place, "C303", f"{told(text)} is no unit", "write travel [mm], for example")
        return None
    return found


def _places(
    reader: Reader, chosen: Node | None, source: Node, heads: list[Head], needed: int, kind: Any
) -> list[int] | None:
    """Which columns are taken: those that are stated by name or number, or all."""
    names = [head.name for head in heads]
    if chosen is None:
        if len(heads) == needed:
            return list(range(needed))
        listed = f", which are {', '.join(filter(None, names))}" if any(names) else ""
        sentence = f"the table has {len(heads)} columns{listed}; {kind.name} takes {needed}"
        reader.faults.add(source, "C406", sentence, "state columns: [1, 2], or their names" if len(heads) > 1 else "")
        return None
    items = chosen.items if isinstance(chosen, List) else [chosen]
    if len(items) != needed:
        reader.faults.add(chosen, "C406", f"{kind.name} takes {needed} columns, {len(items)} are stated")
        return None
    found = []
    for item in items:
        text = item.text if isinstance(item, Scalar | Word) else f"{item.value:g}" if isinstance(item, Number) else ""
        if text in names:
            found.append(names.index(text))
        elif text.isdigit() and 1 <= int(text) <= len(heads):
            found.append(int(text) - 1)
        else:
            hint = near(text, filter(None, names), f"it has {len(heads)} columns")
            reader.faults.add(item, "C406", f"the table has no column {told(text)}", hint)
            return None
    return found


def _column(reader: Reader, rows: list[list[Cell]], place: int, head: Head, path: str) -> list[Number] | None:
    found = []
    for row in rows:
        cell = row[place] if place < len(row) else Cell("", row[0].line, 1)
        value = _number(cell.text)
        at = Place(path, cell.line, cell.column)
        if value is None:
            empty = f"column {place + 1} has no number here"
            sentence = f"{told(cell.text)} is no finite number" if cell.text else empty
            reader.faults.add(at, "C406", sentence, "lines that begin with # are left out")
            return None
        if head.unit is None:
            found.append(Number(at, cell.column, value))
        else:  # at the place of its head: if the unit is wrong, it is so for all
            found.append(Number(head.unit, head.unit.column, value * head.unit.size, head.unit.dims, head.unit.size))
    return found


def _is_number(text: str) -> bool:
    try:
        float(text.replace("_", "x"))
    except ValueError:
        return False
    return True


def _number(text: str) -> float | None:
    return float(text) if _is_number(text) and math.isfinite(float(text)) else None


def _listed(path: str, line: int, items: list[Any]) -> List:
    found = List(path, line, 1)
    found.items = items
    return found
