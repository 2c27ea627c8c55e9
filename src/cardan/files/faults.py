"""Faults of a model file: place, code, message and, if there is one, a remedy.

    slider.yaml:6:12: C104: unknown type 'revolut'; did you mean 'revolute'?

Functions that read a value raise `FaultError`. `Faults` collects them at the next argument, entry or section, and
reading continues there. `cardan explain C104` explains a code, see `explanations`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeVar

from cardan.deprecation import RenamedAttribute
from cardan.errors import ModelError
from cardan.untrusted import close_match

MAX_FAULTS = 50  # faults collected from one file
MAX_QUOTED_TEXT = 60  # characters of a value that a message repeats

T = TypeVar("T")


class Fault(NamedTuple):
    """A fault; `line` and `column` count from 1."""

    code: str
    path: str
    line: int
    column: int
    message: str
    hint: str = ""

    def __str__(self) -> str:
        hint = f"; {self.hint}" if self.hint else ""
        return f"{self.path}:{self.line}:{self.column}: {self.code}: {self.message}{hint}"


Fault.sentence = RenamedAttribute("message", "sentence")  # type: ignore[attr-defined]


class FileError(ModelError):
    """A model file that cannot be loaded; `faults` lists its faults in the order of the file."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__("\n".join(str(fault) for fault in self.faults))


class SourceLocation(NamedTuple):
    """A place in a file that is not a node."""

    path: str
    line: int = 1
    column: int = 1


class FaultError(Exception):
    """A fault at a node or place: anything with path, line and column."""

    def __init__(self, at: Any, code: str, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.fault: Fault | None = Fault(code, at.path, at.line, at.column, message, hint)


class ReportedError(FaultError):
    """A value that cannot be read because of faults that are collected already."""

    def __init__(self) -> None:
        Exception.__init__(self)
        self.fault = None


class TooManyFaultsError(Exception):
    """Reading stops."""


class Faults:
    """The faults and warnings of a file."""

    def __init__(self) -> None:
        self.found: list[Fault] = []
        self.warnings: list[Fault] = []
        self._count = 0

    def add(self, at: Any, code: str, message: str, hint: str = "") -> None:
        """Add a fault and continue reading."""
        self._add(Fault(code, at.path, at.line, at.column, message, hint))

    def warn(self, at: Any, code: str, message: str, hint: str = "") -> None:
        """Add a warning: the file can be loaded."""
        warning = Fault(code, at.path, at.line, at.column, message, hint)
        if len(self.warnings) < MAX_FAULTS and warning not in self.warnings:
            self.warnings.append(warning)

    @contextmanager
    def collect(self) -> Iterator[None]:
        """Add a fault that is raised in this block, and continue after the block."""
        try:
            yield
        except FaultError as error:
            self.add_error(error)

    def add_error(self, error: FaultError) -> None:
        """Add the fault of an error, if it is not added already."""
        if error.fault is not None:
            self._add(error.fault)

    def each(self, read: Callable[[Any], T], items: Iterable[Any]) -> list[T]:
        """Read all items; if any has a fault, add all faults, then raise."""
        found: list[T] = []
        failed = False
        for item in items:
            try:
                found.append(read(item))
            except FaultError as error:
                failed = True
                self.add_error(error)
        if failed:
            raise ReportedError
        return found

    def sorted(self) -> list[Fault]:
        return sorted(self.found, key=lambda fault: (fault.path, fault.line, fault.column))

    def _add(self, fault: Fault) -> None:
        self._count += 1
        if fault not in self.found:
            self.found.append(fault)
        if len(self.found) >= MAX_FAULTS or self._count >= 10 * MAX_FAULTS:
            raise TooManyFaultsError


def did_you_mean(word: str, known: Iterable[str], otherwise: str = "") -> str:
    """A hint: the most similar known word, else `otherwise`, else all words if they are few."""
    names = [str(name) for name in known]
    folded = {_fold(name): name for name in names}
    found = close_match(_fold(word), folded, 0.55)
    if found:
        return f"did you mean '{folded[found]}'?"
    if otherwise:
        return otherwise
    return f"known: {', '.join(sorted(names))}" if 0 < len(names) <= 12 else ""


def short_repr(value: object) -> str:
    """A value in quotes, on one line, shortened."""
    text = " ".join(str(value).split())
    return repr(text if len(text) <= MAX_QUOTED_TEXT else f"{text[: MAX_QUOTED_TEXT - 4]} ...")


def _fold(word: str) -> str:
    """'RollingWheel', 'rolling-wheel' and 'rolling_wheel' are similar."""
    return word.lower().replace("-", "").replace("_", "").replace(" ", "")
