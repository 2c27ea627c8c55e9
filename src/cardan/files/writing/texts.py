"""Names, numbers and lists as text of a model file."""

from __future__ import annotations

import math
from typing import Any

from cardan.errors import ModelError


class Expression(str):
    """A text of the grammar, as opposed to a plain word."""


def quoted(name: str) -> str:
    """A name, in quotes if it contains spaces or signs."""
    if all(part.isidentifier() for part in name.split(".")):
        return name
    if "'" in name and '"' in name:
        raise ModelError(f"the name {name!r} cannot be written to a file: it contains both kinds of quotes")
    return f'"{name}"' if "'" in name else f"'{name}'"


def text_of(value: Any) -> str:
    """A number, a word, a list or an object inside a text."""
    if isinstance(value, dict):
        named = ", ".join(f"{key}={text_of(item)}" for key, item in value.items() if key != "type")
        return f"{value['type']}({named})"
    if isinstance(value, list | tuple):
        return f"[{', '.join(text_of(item) for item in value)}]"
    if isinstance(value, str):
        return value if isinstance(value, Expression) else repr(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if not math.isfinite(value):
        raise ModelError(f"{value} cannot be written to a file")
    return repr(value)
