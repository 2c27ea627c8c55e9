"""Recording of a run while it is computed: `recording` sets a recorder, and analyses report their progress to it."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

CURRENT: ContextVar[Any] = ContextVar("recorder", default=None)


def follow(owner: Any, count: int, part: Callable[[int], Any]) -> None:
    """Report the progress of a run to the recorder, if there is one."""
    recorder = CURRENT.get()
    if recorder is not None:
        recorder.follow(owner, count, part)
