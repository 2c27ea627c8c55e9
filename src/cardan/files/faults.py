"""Faults of a model file: each has a place, a code, a sentence and, where there is one, the way out.

    slider.yaml:6:12: C104: unknown type 'revolut'; did you mean 'revolute'?

A reader collects as many as it finds. `cardan explain C104` says more about one; see `codes`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from cardan.errors import ModelError
from cardan.untrusted import close_match

MOST = 50  # faults that are collected of one file; more do not help
LONGEST = 60  # letters of a value that a sentence repeats


class Fault(NamedTuple):
    """One fault; `line` and `column` count from 1."""

    code: str
    path: str
    line: int
    column: int
    sentence: str
    hint: str = ""

    def __str__(self) -> str:
        hint = f"; {self.hint}" if self.hint else ""
        return f"{self.path}:{self.line}:{self.column}: {self.code}: {self.sentence}{hint}"


class FileError(ModelError):
    """A model file that cannot be read; `faults` lists what is wrong with it, in the order of the file."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__("\n".join(str(fault) for fault in self.faults))


class TooManyFaultsError(Exception):
    """There are so many that reading on is of no use."""


class Faults:
    """What was found so far."""

    def __init__(self) -> None:
        self.found: list[Fault] = []
        self.doubts: list[Fault] = []
        self.noted = 0

    def add(self, at: Any, code: str, sentence: str, hint: str = "") -> None:
        """Note a fault at a node: anything with path, line and column. Reading ends where there are too many."""
        fault = Fault(code, at.path, at.line, at.column, sentence, hint)
        self.noted += 1
        if fault not in self.found:
            self.found.append(fault)
        if len(self.found) >= MOST or self.noted >= 10 * MOST:
            raise TooManyFaultsError

    def doubt(self, at: Any, code: str, sentence: str, hint: str = "") -> None:
        """Note what is no fault, but should be looked at."""
        fault = Fault(code, at.path, at.line, at.column, sentence, hint)
        if len(self.doubts) < MOST and fault not in self.doubts:
            self.doubts.append(fault)

    def sorted(self) -> list[Fault]:
        return sorted(self.found, key=lambda fault: (fault.path, fault.line, fault.column))


class Place(NamedTuple):
    """A place in a file that is no node."""

    path: str
    line: int = 1
    column: int = 1


def near(word: str, known: Iterable[str], otherwise: str = "") -> str:
    """'did you mean ...?', or what there is, or nothing."""
    names = [str(name) for name in known]
    folded = {fold(name): name for name in names}
    found = close_match(fold(word), folded, 0.55)
    if found:
        return f"did you mean '{folded[found]}'?"
    if otherwise:
        return otherwise
    return f"known: {', '.join(sorted(names))}" if 0 < len(names) <= 12 else ""


def told(value: Any) -> str:
    """A value as a sentence shows it: in one line, not longer than a few words."""
    text = " ".join(str(value).split())
    return repr(text if len(text) <= LONGEST else f"{text[: LONGEST - 4]} ...")


def fold(word: str) -> str:
    """'RollingWheel', 'rolling-wheel' and 'rolling_wheel' are near each other."""
    return word.lower().replace("-", "").replace("_", "").replace(" ", "")
