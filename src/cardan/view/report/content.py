"""What a report says, as data: sections of paragraphs, tables, figures and verdicts. Pages are made of it elsewhere."""

from __future__ import annotations

import re
from collections.abc import Sized
from dataclasses import dataclass

LONG = 60  # rows of a table, at most

Cell = str | float | int


@dataclass(frozen=True)
class Paragraph:
    """Words."""

    text: str


@dataclass(frozen=True)
class ReportTable:
    """Rows under heads; numbers stand on the right, words on the left."""

    heads: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    caption: str = ""

    @property
    def numeric(self) -> list[bool]:
        """Which columns contain numbers only."""
        return [all(not isinstance(row[k], str) for row in self.rows) for k in range(len(self.heads))]


@dataclass(frozen=True)
class Figure:
    """A drawing as SVG, `wide` across the page or half of it."""

    svg: bytes
    caption: str
    wide: bool = True

    @property
    def height_to_width(self) -> float:
        """As its SVG states them."""
        found = re.search(rb'<svg[^>]* width="([\d.]+)pt" height="([\d.]+)pt"', self.svg)
        return float(found[2]) / float(found[1]) if found else 1.0


@dataclass(frozen=True)
class ReportVerdict:
    """One line of the self-check: "good", "flagged", "not unique" or "not computed"."""

    name: str
    value: str
    limit: str
    verdict: str
    words: str


@dataclass(frozen=True)
class Verdicts:
    """The self-check."""

    lines: tuple[ReportVerdict, ...]
    good: bool


@dataclass(frozen=True)
class Live:
    """A page that moves, whole in itself; on paper it is left out."""

    html: str


Block = Paragraph | ReportTable | Figure | Verdicts | Live


@dataclass(frozen=True)
class Section:
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Report:
    """The whole document; `date` is empty unless requested."""

    title: str
    about: str
    good: bool
    sections: tuple[Section, ...]
    date: str = ""

    @property
    def verdict(self) -> str:
        return "good" if self.good else "flagged"


def count(found: Sized, word: str) -> str:
    """One joint, two joints, two bodies."""
    if len(found) == 1:
        return f"1 {word}"
    return f"{len(found)} {word[:-1] + 'ies' if word.endswith('y') else word + 's'}"


def cell(value: Cell) -> str:
    """A number of six digits at most, as it is read; words as they are."""
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        return str(value)
    return f"{value + 0.0:.6g}"
