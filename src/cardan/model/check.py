"""Checks of user input: each function returns the value in its normal form or raises a ModelError that names it."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Sequence
from numbers import Integral, Real
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar, overload

import numpy as np

from cardan.errors import ModelError

T = TypeVar("T")

MAX_QUOTED = 160  # maximum length of a value quoted in a message

# colors of bodies by name
COLORS = {
    "black": "#000000",
    "blue": "#1f5fbf",
    "brown": "#8a5a2b",
    "cyan": "#33c3d6",
    "gray": "#8d95a1",
    "green": "#2f8f4e",
    "magenta": "#c2389a",
    "navy": "#1b2f5e",
    "olive": "#7f7f24",
    "orange": "#e8862a",
    "pink": "#ef9bb4",
    "purple": "#6d4aa8",
    "red": "#c8322f",
    "silver": "#c5cad2",
    "teal": "#1f8a84",
    "white": "#f7f8fa",
    "yellow": "#f0c419",
}


def number(value: Any, what: str) -> float:
    """A finite real number."""
    if type(value) is float and math.isfinite(value):  # the usual case
        return value
    if not _is_number(value):
        raise ModelError(f"{what} must be a number, got {short_repr(value)}")
    try:
        result = float(value)
    except OverflowError:  # a whole number with hundreds of digits
        result = math.inf
    if not math.isfinite(result):
        raise ModelError(f"{what} must be finite, got {result}")
    return result


def numbers(values: Any, what: str, least: int = 2) -> tuple[float, ...]:
    """At least `least` finite numbers."""
    single = isinstance(values, np.ndarray) and values.ndim == 0
    if single or isinstance(values, str) or not isinstance(values, Sequence | np.ndarray):
        raise ModelError(f"{what} must be a sequence of numbers, got {short_repr(values)}")
    if len(values) < least:
        raise ModelError(f"{what} must be at least {least} numbers, got {len(values)}")
    return tuple(number(value, what) for value in values)


def positive(value: object, what: str) -> float:
    """A finite number above zero."""
    result = number(value, what)
    if result <= 0.0:
        raise ModelError(f"{what} must be positive, got {result:g}")
    return result


def count(value: object, what: str) -> int:
    """A whole number above zero."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < 1:
        raise ModelError(f"{what} must be a whole number above zero, got {short_repr(value)}")
    return int(value)


def flag(value: object, what: str) -> bool:
    """True or False; strings such as "no" would count as true."""
    if not isinstance(value, bool | np.bool_):
        raise ModelError(f"{what} must be True or False, got {short_repr(value)}")
    return bool(value)


def times(value: object, what: str = "times") -> np.ndarray:
    """Times that increase, at least one."""
    try:
        stated = np.asarray(value)
    except ValueError:  # rows of different lengths
        raise ModelError(f"{what} must be a list of numbers, got {value!r}") from None
    if stated.dtype.kind not in "iuf":
        raise ModelError(f"{what} must be a list of numbers, got {value!r}")
    grid = np.ascontiguousarray(stated, dtype=float)
    if grid.ndim != 1 or grid.size == 0:
        raise ModelError(f"{what} must be a list of at least one time, got an array of shape {grid.shape}")
    if not np.isfinite(grid).all():
        raise ModelError(f"{what} must be finite, got {grid[~np.isfinite(grid)][0]}")
    if np.any(np.diff(grid) <= 0.0):
        k = int(np.flatnonzero(np.diff(grid) <= 0.0)[0])
        raise ModelError(f"{what} must increase, but {grid[k + 1]:g} follows {grid[k]:g}")
    return grid


def choice(value: object, words: Sequence[str], what: str) -> str:
    """One of a few strings."""
    if not isinstance(value, str) or value not in tuple(words):
        *others, last = (repr(word) for word in words)
        raise ModelError(f"{what} must be {', '.join(others)} or {last}, got {short_repr(value)}")
    return value


def vector(value: Any, size: int, what: str) -> tuple[float, ...]:
    """`size` finite numbers."""
    entries = value.tolist() if type(value) is np.ndarray else value
    if type(entries) in (tuple, list) and len(entries) == size and all(type(entry) is float for entry in entries):
        if all(map(math.isfinite, entries)):  # the usual case
            return tuple(entries)
    if not isinstance(value, Sequence):
        try:
            entries = value.tolist()
        except AttributeError:
            raise ModelError(f"{what} must be {size} numbers, got {short_repr(value)}") from None
    listed = isinstance(entries, Sequence) and not isinstance(entries, str | bytes | bytearray)
    if not listed or len(entries) != size or not all(_is_number(entry) for entry in entries):
        raise ModelError(f"{what} must be {size} numbers, got {short_repr(value)}")
    return tuple(number(entry, what) for entry in entries)


def reals(value: object, what: str) -> np.ndarray:
    """An array of real numbers; `what` ends with the verb, "q must have 3 numbers"."""
    try:
        found = np.asarray(value)
        if found.dtype.kind in "biufO":
            return found.astype(float, copy=False)
    except (TypeError, ValueError, OverflowError):
        pass
    raise ModelError(f"{what}, got {short_repr(value)}")


def shape(value: object) -> tuple[int, ...]:
    """The lengths of nested lists, or the shape of an array; () otherwise."""
    try:
        return np.shape(value) if isinstance(value, Sequence | np.ndarray) else ()
    except ValueError:  # rows of unequal length
        return ()


@overload
def instance(value: object, kind: type[T], what: str, hint: str = "") -> T: ...


@overload
def instance(value: object, kind: type | tuple[type, ...], what: str, hint: str = "") -> Any: ...


def instance(value: object, kind: type | tuple[type, ...], what: str, hint: str = "") -> object:
    """An object of the expected class, for example a marker where a point is needed; `hint` ends the message."""
    if not isinstance(value, kind):
        kinds = kind if isinstance(kind, tuple) else (kind,)
        names = " or ".join(k.__name__ for k in kinds)
        article = "an" if names[0] in "AEIOU" else "a"
        raise ModelError(f"{what} must be {article} {names}, got {describe(value)}{'; ' if hint else ''}{hint}")
    return value


def function(value: object, arguments: int, what: str) -> Callable[..., Any]:
    """A function that accepts the given number of arguments."""
    if not callable(value):
        raise ModelError(f"the function of {what} must be a Python function, got {short_repr(value)}")
    try:
        inspect.signature(value).bind(*range(arguments))
    except TypeError as mismatch:
        raise ModelError(f"the function of {what} cannot be called with {arguments} arguments: {mismatch}") from None
    except ValueError:  # a built-in function without a signature
        pass
    return value


def text(value: object, what: str) -> str:
    """A text."""
    if not isinstance(value, str):
        raise ModelError(f"{what} must be a text, got {short_repr(value)}")
    return value


def color_code(value: object, what: str) -> str:
    """A stated color as `#rrggbb`; "" stands for none.

    >>> color_code("#8bf", "the color"), color_code("orange", "the color")
    ('#88bbff', '#e8862a')
    """
    stated = text(value, what).strip().lower()
    if not stated or stated in COLORS:
        return COLORS.get(stated, "")
    if re.fullmatch("#([0-9a-f]{3}|[0-9a-f]{6})", stated):
        return stated if len(stated) == 7 else "#" + "".join(2 * digit for digit in stated[1:])
    raise ModelError(f"{what} must be like '#3070c0' or one of {', '.join(COLORS)}; got {short_repr(value)}")


def path(value: object, what: str) -> Path:
    """The path of a file or folder."""
    if not isinstance(value, str | PathLike):
        raise ModelError(f"{what} must be a file path such as 'results/run.nc', got {short_repr(value)}")
    return Path(value)


def known(value: object, names: tuple[str, ...], what: str) -> dict[str, Any]:
    """A dictionary whose keys are among `names`."""
    if not isinstance(value, dict) or not set(value) <= set(names):
        raise ModelError(f"{what} must give a dictionary with {' or '.join(map(repr, names))}, got {describe(value)}")
    return value


def describe(value: object) -> str:
    """A value in a message: its class and its value, in one line."""
    kind, text = type(value).__name__, short_repr(value) if isinstance(value, str) else _line(str(value))
    return text if value is None or text.startswith((kind, "<")) else f"{kind} {text}"


def short_repr(value: object) -> str:
    """The repr of a value in a message: one line, truncated if long."""
    return _line(repr(value))


def _line(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= MAX_QUOTED else f"{words[: MAX_QUOTED - 4]} ..."


def _is_number(value: object) -> bool:
    return type(value) is float or isinstance(value, Real) and not isinstance(value, bool)
