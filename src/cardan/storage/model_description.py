"""A model as text: stored with a result to check that it is read with the same model.

    planar model 'press', gravity (0.0, -9.81)
    ram: Body(mass=3.0, ...)
    wire: parabola(...)                  user functions by their names and fingerprints

Models with the same description are equal in every number and every line of their user functions.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from types import FunctionType

import numpy as np

from cardan.model.curves.function_code import Code
from cardan.model.element import Element
from cardan.model.model import Model
from cardan.numerics.functions.fingerprint import fingerprint

MAX_NESTING = 12  # levels of nested objects


def description(model: Model) -> str:
    """The model, one line for each element."""
    lines = [f"{model.space.name} model {model.name!r}, gravity {model.gravity}"]
    return "\n".join([*lines, *(f"{element.name}: {_text(element, model, 0)}" for element in model)])


def difference(text: str, model: Model) -> str:
    """The name of the first element that differs from a description, or "" if none does."""
    mine, theirs = description(model).splitlines(), text.splitlines()
    for one, other in zip(mine, theirs, strict=False):
        if one != other:
            return one.partition(":")[0]
    return "" if len(mine) == len(theirs) else "the number of elements"


def _text(value: object, model: Model, depth: int) -> str:
    """A value as text, without memory addresses."""
    if depth > MAX_NESTING:
        return "..."
    if isinstance(value, Element) and depth and value.name:
        return f"'{value.name}'"
    if value is None or isinstance(value, bool | int | float | str | complex):
        return repr(value)
    if isinstance(value, np.generic):
        return repr(value.item())
    if isinstance(value, np.ndarray):
        sum_of = hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()[:16]
        return f"array{value.shape}#{sum_of}"
    if isinstance(value, Code):
        return _text(value.stated, model, depth + 1)
    if isinstance(value, FunctionType):
        return f"{value.__name__}#{fingerprint(value)}"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{k!r}: {_text(v, model, depth + 1)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple | set | frozenset):
        return "(" + ", ".join(_text(item, model, depth + 1) for item in value) + ")"
    return f"{type(value).__name__}({_parts(value, model, depth)})"


def _parts(value: object, model: Model, depth: int) -> str:
    if is_dataclass(value):
        held = {f.name: getattr(value, f.name, None) for f in fields(value) if f.repr and f.name != "name"}
    else:
        held = {k: v for k, v in getattr(value, "__dict__", {}).items() if not k.startswith("_") and k != "name"}
    return ", ".join(f"{name}={_text(part, model, depth + 1)}" for name, part in held.items())
