"""Who looks at a study or a search while it runs, and how often: looking takes a tenth of the time at most."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from cardan.model import check
from cardan.shortcuts import live_study

GLANCE = 0.5  # s between two looks, at least
SHARE = 9.0  # times as long as a look took, the next one waits

Watched = Callable[[Any], Any] | str | bool | None  # a function; or a live picture, of the output named


class StudyMonitor:
    """Shows states to who watches: `look` now and then, `last` at the end."""

    def __init__(self, watch: Watched, what: str) -> None:
        if isinstance(watch, str) or watch is True:
            watch = live_study(watch if isinstance(watch, str) else "")
        elif watch is not None and watch is not False:
            check.function(watch, 1, f"watch of {what}")
        self.show = watch if callable(watch) else None
        self.next = time.perf_counter() + GLANCE

    def look(self, state: Callable[[], Any]) -> None:
        """Show a state, unless the last one was shown just now."""
        begun = time.perf_counter()
        if self.show is None or begun < self.next:
            return
        self.show(state())
        now = time.perf_counter()
        self.next = now + max(GLANCE, SHARE * (now - begun))

    def last(self, state: Any) -> None:
        """Show the end of it."""
        if self.show is not None:
            self.show(state)
