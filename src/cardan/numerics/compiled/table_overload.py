"""Functions that compiled code chooses by the type of a table: those that the plane and space supply."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from numba.extending import overload

from cardan.numerics.compiled.block_type import BlockType


def overload_for(tuple_name: str, general: Callable[..., Any], special: Callable[..., Any]) -> None:
    """Let compiled code call `special` where it calls `general` with a `geometry` of one type of tables."""
    names = ", ".join(inspect.signature(general).parameters)
    scope = {"special": special, "chosen": lambda geometry: _is_table(geometry, tuple_name)}
    text = f"def choose({names}):\n    return (lambda {names}: special({names})) if chosen(geometry) else None"
    exec(text, scope)
    overload(general)(scope["choose"])


def _is_table(kind: Any, tuple_name: str) -> bool:
    return isinstance(kind, BlockType) and kind.tuple_name == tuple_name
