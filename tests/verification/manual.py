"""The verification manual: the rows that cases record, their tolerances with reasons, and the page made of them."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from verification.sources import LOST, MISPRINTS

PREFACE = """# Verification manual

`make docs` writes this page from the tests in `tests/verification/`; [verification](verification.md) summarizes it.
Each table compares numbers of this program (*ours*) with numbers of a source (*reference*).

- **printed**: the source prints the number or the formula for it; **closed form**: computed from a formula that the
  test states independently of the program; **recomputed**: computed from the printed data by another method;
  **statement**: the source states it in words.
- **tolerance** is the accepted difference, **difference** the one found, rounded up to a power of ten. The reason for a
  tolerance is [c]: joints are closed to 1e-11 of the model's size, here times 100 and times the size of the numbers
  compared; [d]: half a unit of the last digit of the reference; or stated below the table.
- Long curves are compared at every output time; their rows give the number of values and the largest difference.

Sources: *Haug*: E. J. Haug, Computer Aided Kinematics and Dynamics of Mechanical Systems, volume I. *DADS-2D*: the
report on the kinematic and kineto-static program DADS-2D. *Nikravesh*: P. E. Nikravesh, Computer-Aided Analysis of
Mechanical Systems, chapter 11. *De Sapio*: V. De Sapio, chapter 5 on d'Alembert, Lagrange and Hamilton. *Trom*: J. D.
Trom, on relative joint coordinates and automated linearization.

"""


class Within(NamedTuple):
    """How far a number may be off, and why."""

    size: float
    reason: str


EXACT = Within(0.0, "a count or a word")


def digits(places: int) -> Within:
    """Half a unit of the last decimal place of the reference, and a hair for its rounding."""
    return Within(0.5001 * 10.0**-places, "d")


def units(
    size: float, reason: str = "one unit of the last printed digit: the source computed with few digits"
) -> Within:
    return Within(size, reason)


def rounding(scale: float = 1.0) -> Within:
    """Equations are solved to 1e-11 of the model's size; speeds and accelerations scale with the numbers themselves."""
    return Within(1e-9 * scale, "c")


PENALTY = Within(2e-3, "the source stopped its penalty method at constraint errors of about 1e-3")


@dataclass
class Row:
    quantity: str
    reference: str
    ours: str
    difference: str
    tolerance: str
    reason: str
    source: str


@dataclass
class Case:
    """What one test compared."""

    module: ModuleType
    function: Callable[..., Any]
    rows: list[Row] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    errata: list[str] = field(default_factory=list)


class Record:
    """The fixture: asserts, and keeps what it asserted."""

    def __init__(self, case: Case) -> None:
        self.case = case

    def __call__(
        self, quantity: str, ours: ArrayLike, expected: ArrayLike, within: Within, source: str, kind: str = "printed"
    ) -> None:
        """Numbers, or arrays of one shape, agree within a tolerance."""
        a, b = np.asarray(ours, float), np.asarray(expected, float)
        assert a.shape == b.shape, f"{quantity}: shapes {a.shape} and {b.shape}"
        gap = float(np.max(np.abs(a - b)))
        assert gap <= within.size, f"{quantity}: {a} is not {b} within {within.size:g} ({source})"
        long = a.size > 8
        told = f"{a.size} values" if long else _numbers(b), "agree" if long else _numbers(a)
        self.case.rows.append(
            Row(quantity, *told, _power(gap), f"{within.size:.1g}", within.reason, f"{source}, {kind}")
        )

    def fact(self, quantity: str, ours: Any, expected: Any, source: str, kind: str = "printed") -> None:
        """Counts, names or words are equal."""
        assert ours == expected, f"{quantity}: {ours!r} is not {expected!r} ({source})"
        self.case.rows.append(Row(quantity, _words(expected), _words(ours), "0", "0", "", f"{source}, {kind}"))

    def above(self, quantity: str, ours: float, least: float, source: str, kind: str = "statement") -> None:
        """A number exceeds another."""
        assert ours > least, f"{quantity}: {ours:g} does not exceed {least:g} ({source})"
        self.case.rows.append(Row(quantity, f"> {least:.6g}", f"{ours:.6g}", "", "", "", f"{source}, {kind}"))

    def note(self, text: str) -> None:
        """A remark for the reader."""
        self.case.notes.append(text)

    def erratum(self, where: str, text: str) -> None:
        """Something wrong in the source, and what is right; listed again at the end of the manual."""
        self.case.errata.append(f"{where}: {text}")


class Manual:
    """All cases of a run, in the order in which they ran."""

    def __init__(self) -> None:
        self.cases: dict[str, Case] = {}

    def add(self, case: Case) -> None:
        """Cases of one test function, run with several parameters, become one."""
        known = self.cases.setdefault(f"{case.module.__name__}:{case.function.__name__}", case)
        if known is not case:
            known.rows += case.rows
            known.notes += [note for note in case.notes if note not in known.notes]
            known.errata += [erratum for erratum in case.errata if erratum not in known.errata]

    def counts(self) -> str:
        return f"{len(self.cases)} cases make {sum(len(case.rows) for case in self.cases.values()):,} comparisons"

    def text(self) -> str:
        cases = sorted(self.cases.values(), key=lambda case: _place(case.module))
        parts = [PREFACE, f"{self.counts()}.\n\n"]
        for module in dict.fromkeys(case.module for case in cases):
            title, body = _split(module)
            parts.append(f"## {title}\n\n{body}")
            parts += [_section(case) for case in cases if case.module is module]
        errata = [erratum for case in cases for erratum in case.errata] + list(MISPRINTS)
        parts.append("## Where the sources are wrong\n\n" + "".join(f"- {erratum}\n" for erratum in errata) + "\n")
        parts.append("## Not verified\n\nCases of the sources that cannot be or need not be computed, and why.\n\n")
        parts.append("| case | reason |\n|---|---|\n" + "".join(f"| {case} | {reason} |\n" for case, reason in LOST))
        return "".join(parts)


def _place(module: ModuleType) -> tuple[bool, int, int, str]:
    """The book first, in the order of its chapters and sections, the other sources after it, closed forms last."""
    found = re.search(r"(\d+)(?:\.(\d+))?", _split(module)[0])
    chapter, section = found.groups("0") if found else ("99", "0")
    return "haug" not in module.__name__, int(chapter), int(section), module.__name__


def _section(case: Case) -> str:
    title, body = _split(case.function)
    head = "| quantity | reference | ours | difference | tolerance | source |\n|---|---|---|---|---|---|\n"
    reasons: dict[str, int] = {}
    lines = []
    for row in case.rows:
        known = row.reason in ("", "c", "d")
        mark = row.reason if known else str(reasons.setdefault(row.reason, len(reasons) + 1))
        cells = (
            row.quantity,
            row.reference,
            row.ours,
            row.difference,
            row.tolerance + (f" [{mark}]" if mark else ""),
            row.source,
        )
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n")
    numbered = "; ".join(f"[{number}] {reason}" for reason, number in reasons.items())
    notes = [f"Tolerances: {numbered}."] if numbered else []
    notes += case.notes + [f"**The source is wrong.** {erratum}" for erratum in case.errata]
    return f"### {title}\n\n{body}{head}{''.join(lines)}\n" + "".join(f"{note}\n\n" for note in notes)


def _split(thing: Any) -> tuple[str, str]:
    """Title and paragraph of a docstring."""
    text = inspect.getdoc(thing)
    assert text, f"{thing} has no docstring"
    title, _, body = text.partition("\n")
    return title.rstrip("."), f"{body.strip()}\n\n" if body.strip() else ""


def _numbers(values: np.ndarray) -> str:
    return ", ".join(_number(value) for value in values.ravel())


def _number(value: float) -> str:
    """Nine significant digits; what is nothing but rounding reads as zero."""
    return "0" if abs(value) < 1e-10 else f"{round(value, 10):.9g}"


def _words(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return value
    return ", ".join(_words(v) for v in value) if isinstance(value, Sequence) and value else str(value)


def _power(gap: float) -> str:
    """A difference rounded up to a power of ten, so that the page does not change with the last digits."""
    return f"< 1e{max(math.floor(math.log10(gap)) + 1, -10):d}" if gap > 0.0 else "< 1e-10"
