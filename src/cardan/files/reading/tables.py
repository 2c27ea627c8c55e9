"""Tables in separate files: `table: spring.csv` instead of lists of numbers.

    travel [mm]; force [kN]       an optional header names the columns; a unit in brackets applies to its column,
    0;           0                otherwise numbers are in the declared units of the model file
    12,5;        0,8              separators are semicolons, tabs, commas or spaces; decimal commas need one of the
                                  first two
    curve: {table: spring.csv}                                                 a spline through the points
    motion: {type: spline, table: lift.csv, columns: [time, valve], end: clamped}
    curve: {type: polar_table, table: cam.csv}

The numbers become nodes with their place in the table, where faults are reported.
"""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from cardan.files.faults import FaultError, SourceLocation, did_you_mean, short_repr
from cardan.files.text.grammar import Number, Word, parse
from cardan.files.text.nodes import MAX_BYTES, List, Scalar, TextNode
from cardan.files.vocabulary.types import Type
from cardan.untrusted import contents

if TYPE_CHECKING:
    from cardan.files.reading.values import Reader

MAX_CELLS = 1_000_000
SEPARATORS = {";": re.compile("(;)"), "\t": re.compile("(\t)"), ",": re.compile("(,)"), " ": re.compile(r"(\s+)")}
DECIMAL_COMMA = re.compile(r"[-+]?\d*,\d*([eE][-+]?\d+)?")


class Cell(NamedTuple):
    """A text of a table and its place."""

    text: str
    line: int
    column: int


class Head(NamedTuple):
    """The name of a column, and its unit as a number; None without a unit."""

    name: str
    unit: Number | None = None


def from_table(reader: Reader, kind: Type, named: dict[str, TextNode]) -> dict[str, TextNode]:
    """The arguments of a type, with the columns of a file instead of `table` and `columns`."""
    named = dict(named)
    source, chosen = named.pop("table"), named.pop("columns", None)
    for name in kind.table:
        if name in named:
            raise FaultError(named[name], "C105", f"{kind.name} has a table and {name}", "state one of them")
    path = reader.read("path", source, f"table of {kind.name}")
    rows = _rows(reader, source, path)
    points = kind.table == ("points",)
    needed = reader.shared.size if points and kind.name == "curve_through" else len(kind.table)
    heads = _heads(rows, path)
    places = _places(chosen, source, heads, needed, kind)
    columns = reader.faults.each(lambda place: _column(rows, place, heads[place], path), places)
    lists: list[list[TextNode]] = [*columns]  # type: ignore[list-item]
    if points:
        lists = [[List(path, row[0].line, 1, list(row)) for row in zip(*columns, strict=True)]]
    return {**named, **dict(zip(kind.table, (List(path, 1, 1, column) for column in lists), strict=True))}


def _rows(reader: Reader, source: TextNode, path: str) -> list[list[Cell]]:
    """The cells of a file by lines; empty lines and lines that begin with # are skipped."""
    name = short_repr(Path(path).name)
    try:
        if Path(path).stat().st_size > MAX_BYTES:
            raise FaultError(source, "C406", f"the table {name} is larger than {MAX_BYTES >> 20} MB")
        text = contents(Path(path)).decode("utf-8-sig")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise FaultError(source, "C406", f"the table {name} cannot be read: {reason}") from None
    lines = [(k, line) for k, line in enumerate(text.splitlines(), 1) if line.strip() and line.strip()[0] != "#"]
    if len(lines) < 2:
        raise FaultError(source, "C406", f"the table {name} has {len(lines)} lines, too few for a curve")
    separator = next(sign for sign in SEPARATORS if sign == " " or sign in lines[-1][1])
    count = sum(1 + (line.count(separator) if separator != " " else len(line.split())) for _, line in lines)
    folders = reader.shared.folders
    folders.cells += count
    if count > MAX_CELLS:
        raise FaultError(source, "C406", f"the table {name} has more than {MAX_CELLS} cells")
    if folders.cells > 2 * MAX_CELLS:
        raise FaultError(source, "C406", "the tables have too many cells")
    return [_cells(line, number, separator) for number, line in lines]


def _cells(line: str, number: int, separator: str) -> list[Cell]:
    found, column = [], 1
    for k, text in enumerate(SEPARATORS[separator].split(line.rstrip("\r\n") if separator != " " else line.strip())):
        if k % 2 == 0:
            plain = text.strip()
            start = column + len(text) - len(text.lstrip())
            decimal = separator != "," and DECIMAL_COMMA.fullmatch(plain)
            found.append(Cell(plain.replace(",", ".") if decimal else plain, number, start))
        column += len(text)
    return found


def _heads(rows: list[list[Cell]], path: str) -> list[Head]:
    """The names and units of all columns; the header is removed from the rows."""
    if any(_is_number(cell.text) for cell in rows[0]):
        return [Head("") for _ in rows[0]]
    found = []
    for cell in rows.pop(0):
        name, unit = _name_and_unit(cell.text.strip("\"'"))
        found.append(Head(name, _unit(unit, SourceLocation(path, cell.line, cell.column)) if unit else None))
    return found


def _name_and_unit(text: str) -> tuple[str, str]:
    """'travel [mm]' or 'travel (mm)' is ('travel', 'mm')."""
    opening = next((k for k, letter in enumerate(text) if letter in "[("), -1)
    inner = text[opening + 1 : -1]
    if opening < 0 or text[-1] not in "])" or len(text) < opening + 2 or "]" in inner or ")" in inner:
        return text, ""
    return text[:opening].rstrip(), inner.strip()


def _unit(text: str, place: SourceLocation) -> Number:
    try:
        found = parse(Scalar(place.path, place.line, place.column, f"1 {text}"))
    except FaultError as error:
        hint = error.fault.hint if error.fault else ""
        raise FaultError(place, "C303", f"unknown unit {short_repr(text)}", hint) from None
    if not isinstance(found, Number) or found.dims is None:
        raise FaultError(place, "C303", f"{short_repr(text)} is not a unit", "write travel [mm], for example")
    return found


def _places(chosen: TextNode | None, source: TextNode, heads: list[Head], needed: int, kind: Type) -> list[int]:
    """The indices of the columns that are stated by name or number, or of all."""
    names = [head.name for head in heads]
    if chosen is None:
        if len(heads) == needed:
            return list(range(needed))
        listed = f" ({', '.join(filter(None, names))})" if any(names) else ""
        message = f"the table has {len(heads)} columns{listed}; {kind.name} takes {needed}"
        raise FaultError(source, "C406", message, "state columns: [1, 2], or their names" if len(heads) > 1 else "")
    items = chosen.items if isinstance(chosen, List) else [chosen]
    if len(items) != needed:
        raise FaultError(chosen, "C406", f"{kind.name} takes {needed} columns, got {len(items)}")
    found = []
    for item in items:
        text = item.text if isinstance(item, Scalar | Word) else f"{item.value:g}" if isinstance(item, Number) else ""
        if text in names:
            found.append(names.index(text))
        elif text.isdigit() and 1 <= int(text) <= len(heads):
            found.append(int(text) - 1)
        else:
            hint = did_you_mean(text, filter(None, names), f"it has {len(heads)} columns")
            raise FaultError(item, "C406", f"the table has no column {short_repr(text)}", hint)
    return found


def _column(rows: list[list[Cell]], place: int, head: Head, path: str) -> list[Number]:
    found = []
    for row in rows:
        cell = row[place] if place < len(row) else Cell("", row[0].line, 1)
        at = SourceLocation(path, cell.line, cell.column)
        if not _is_number(cell.text) or not math.isfinite(float(cell.text)):
            text = f"{short_repr(cell.text)} is not a finite number"
            message = text if cell.text else f"column {place + 1} has no number here"
            raise FaultError(at, "C406", message, "lines that begin with # are skipped")
        value, unit = float(cell.text), head.unit
        if unit is None:
            found.append(Number(at, cell.column, value))
        else:  # at the place of the header: a wrong unit is one fault
            found.append(Number(unit, unit.column, value * unit.size, unit.dims, unit.size))
    return found


def _is_number(text: str) -> bool:
    try:
        float(text.replace("_", "x"))
    except ValueError:
        return False
    return True
