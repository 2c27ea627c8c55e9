"""Judging what a user wrote: each function returns the value in its clean form or refuses it in one sentence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np

from cardan.errors import ModelError


def number(value: Any, what: str) -> float:
    """A finite real number."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise ModelError(f"{what} must be a number, got {value!r}")
    result = float(value)
    if not math.isfinite(result):
        raise ModelError(f"{what} must be finite, got {result}")
    return result


def positive(value: Any, what: str) -> float:
    """A finite number above zero."""
    result = number(value, what)
    if result <= 0.0:
        raise ModelError(f"{what} must be positive, got {result:g}")
    return result


def count(value: Any, what: str) -> int:
    """A whole number above zero."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < 1:
        raise ModelError(f"{what} must be a whole number above zero, got {value!r}")
    return int(value)


def flag(value: Any, what: str) -> bool:
    """True or False; words such as "no" would count as true."""
    if not isinstance(value, bool | np.bool_):
        raise ModelError(f"{what} must be True or False, got {value!r}")
    return bool(value)


def vector(value: Any, size: int, what: str) -> tuple[float, ...]:
    """`size` finite numbers."""
    entries = value
    if not isinstance(value, Sequence):
        try:
            entries = value.tolist()
        except AttributeError:
            raise ModelError(f"{what} must be {size} numbers, got {value!r}") from None
    if isinstance(entries, str) or not isinstance(entries, Sequence) or len(entries) != size:
        raise ModelError(f"{what} must be {size} numbers, got {value!r}")
    return tuple(number(entry, what) for entry in entries)


def instance(value: Any, kind: type | tuple[type, ...], what: str, hint: str = "") -> Any:
    """An object of the expected class, for example a marker where a point is needed; `hint` says how to get one."""
    if not isinstance(value, kind):
        kinds = kind if isinstance(kind, tuple) else (kind,)
        names = " or ".join(k.__name__ for k in kinds)
        article = "an" if names[0] in "AEIOU" else "a"
        raise ModelError(f"{what} must be {article} {names}, got {shown(value)}{'; ' if hint else ''}{hint}")
    return value


def shown(value: Any) -> str:
    """How messages show what was given instead: its class and its value, in one line."""
    kind, text = type(value).__name__, " ".join((repr(value) if isinstance(value, str) else str(value)).split())
    return text if value is None or text.startswith((kind, "<")) else f"{kind} {text}"
