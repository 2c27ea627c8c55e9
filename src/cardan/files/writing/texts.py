"""Names, numbers and lists as the grammar of a model file writes them."""

from __future__ import annotations

import math
from typing import Any

from cardan.errors import ModelError


class Written(str):
    """A text of the grammar, which is no plain word."""


def quoted(name: str) -> str:
    """A name as the grammar takes it."""
    if all(part.isidentifier() for part in name.split(".")):
        return name
    if "'" in name and '"' in name:
        raise ModelError(f"the name {name!r} cannot be written to a file: it has both kinds of quotes")
    return f'"{name}"' if "'" in name else f"'{name}'"


def text_of(value: Any) -> str:
    """A number, a word or a list within a text."""
    if isinstance(value, list | tuple):
        return f"[{', '.join(text_of(item) for item in value)}]"
    if isinstance(value, str):
        return value if isinstance(value, Written) else repr(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if not math.isfinite(value):
        raise ModelError(f"{value} cannot be written to a file")
    return repr(value)
