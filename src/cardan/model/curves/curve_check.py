"""Checks of curve data, in the plane and in space: spans, tables of points, functions of the parameter."""

from __future__ import annotations

from typing import Any

import numpy as np

from cardan.errors import ModelError
from cardan.model import check
from cardan.model.curves.curve import Array

_NUMBERS = {1: "a finite number", 2: "two finite numbers", 3: "three finite numbers"}
_LISTS = {1: "numbers", 2: "points (x, y)", 3: "points (x, y, z)"}


def span(value: object, what: str) -> tuple[float, float]:
    """The first and the last u of a curve."""
    low, high = check.vector(value, 2, f"the span of {what}")
    if high <= low:
        raise ModelError(f"the span of {what} must increase, got {low:g} to {high:g}")
    return low, high


def columns(values: Any, width: int, what: str) -> Array:
    """A list of numbers (`width` 1) or of points, shape (n, width)."""
    try:
        array = np.array(values)
        if np.iscomplexobj(array):
            raise ValueError
        array = array.astype(float)
    except (TypeError, ValueError, OverflowError):
        raise ModelError(f"{what} must be a list of {_LISTS[width]}, got {check.short_repr(values)}") from None
    if array.size == 0 or array.ndim == 0 or array.shape[1:] != (() if width == 1 else (width,)):
        raise ModelError(f"{what} must be a list of {_LISTS[width]}, got an array of shape {array.shape}")
    if not np.isfinite(array).all():
        raise ModelError(f"{what} must be finite, got {array[~np.isfinite(array)][0]}")
    return array.reshape(-1, width)


def sampled(f: Any, span: tuple[float, float], outputs: int, what: str) -> tuple[Array, Array]:
    """u and the values of a user function in plain Python; functions that fail or jump are rejected."""
    if not callable(f):
        raise ModelError(f"the function of {what} must be a Python function, got {check.describe(f)}")
    u = np.linspace(*span, 721)
    values = np.array([_call(f, place, outputs, what) for place in u])
    i = int(np.argmax(np.linalg.norm(np.diff(values, axis=0), axis=1)))
    left, right, low, high = u[i], u[i + 1], values[i], values[i + 1]
    for _ in range(35):  # halving the interval halves the rise of a continuous function, but not a jump
        middle = 0.5 * (left + right)
        value = np.array(_call(f, middle, outputs, what))
        if np.linalg.norm(value - low) > np.linalg.norm(high - value):
            right, high = middle, value
        else:
            left, low = middle, value
    jump = float(np.linalg.norm(high - low))
    if jump > 1e-6 * np.abs(values).max():
        raise ModelError(f"{what} must not jump, but jumps by {jump:g} at u = {right:g}")
    return u, values


def closes(first: Array, last: Array, size: float, what: str) -> None:
    """Require the last point of a closed curve to equal its first, up to rounding."""
    gap = float(np.linalg.norm(last - first))
    if gap > 1e-9 * size:
        raise ModelError(f"{what} is not closed: its ends are {gap:g} apart; close it or pass closed=False")


def degree(value: object, count: int, what: str) -> None:
    """Check the degree of a spline, and that it has enough points."""
    if not isinstance(value, int) or value not in (3, 5):
        raise ModelError(f"the degree of {what} must be 3 or 5, got {check.short_repr(value)}")
    if count < value + 1:
        raise ModelError(f"{what} of degree {value} needs at least {value + 1} points, got {count}")


def format_point(point: Array) -> str:
    """A point in messages."""
    return f"({', '.join(f'{x:g}' for x in point)})"


def _call(f: Any, u: float, outputs: int, what: str) -> tuple[float, ...]:
    try:
        value = f(float(u))
    except Exception as error:
        raise ModelError(f"the function of {what} fails at u = {u:g}: {type(error).__name__}: {error}") from error
    try:
        return check.vector((value,) if outputs == 1 else value, outputs, what)
    except ModelError:
        raise ModelError(
            f"the function of {what} must return {_NUMBERS[outputs]}, at u = {u:g} it returns {check.short_repr(value)}"
        ) from None
