"""Who follows a run while it is computed: `recording` sets a recorder, analyses tell it how far they have come."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

CURRENT: ContextVar[Any] = ContextVar("recorder", default=None)


def follow(owner: Any, count: int, part: Callable[[int], Any]) -> None:
    """Tell the recorder, if there is one, how far a run has come."""
    recorder = CURRENT.get()
    if recorder is not None:
        recorder.follow(owner, count, part)
