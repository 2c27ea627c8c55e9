"""Judging what a user wrote: each function returns the value in its clean form or refuses it in one sentence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Real
from typing import Any

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


def vector(value: Any, size: int, what: str) -> tuple[float, ...]:
    """`size` finite numbers."""
    if isinstance(value, str) or not isinstance(value, Sequence):
        try:
            value = value.tolist()
        except AttributeError:
            raise ModelError(f"{what} must be {size} numbers, got {value!r}") from None
    if not isinstance(value, Sequence) or len(value) != size:
        raise ModelError(f"{what} must be {size} numbers, got {value!r}")
    return tuple(number(entry, what) for entry in value)


def instance(value: Any, kind: type | tuple[type, ...], what: str) -> Any:
    """An object of the expected class, for example a marker where a point is needed."""
    if not isinstance(value, kind):
        kinds = kind if isinstance(kind, tuple) else (kind,)
        names = " or ".join(k.__name__ for k in kinds)
        raise ModelError(f"{what} must be a {names}, got {type(value).__name__} {value!r}")
    return value
