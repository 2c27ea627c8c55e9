"""A progress bar for long work: one line on the terminal, with the time left."""

from __future__ import annotations

import sys
import time
from types import TracebackType

PATIENCE = 1.0  # s before the bar appears: short work shows nothing
WIDTH = 30


class Progress:
    """`with Progress("kinematics", 1000) as bar: ... bar.show(done)`. `shown=None`: on terminals only."""

    def __init__(self, title: str, total: int, shown: bool | None = None) -> None:
        self.title, self.total = title, max(total, 1)
        self.shown = sys.stderr.isatty() if shown is None else shown
        self.begun = time.perf_counter()
        self.drawn = False

    def __enter__(self) -> Progress:
        return self

    def show(self, done: int) -> None:
        """Draw the bar at `done` of `total`."""
        elapsed = time.perf_counter() - self.begun
        if not self.shown or elapsed < PATIENCE:
            return
        share = done / self.total
        left = elapsed * (1.0 - share) / share if share > 0.0 else float("inf")
        bar = "#" * round(WIDTH * share)
        sys.stderr.write(f"\r{self.title} [{bar:<{WIDTH}}] {100 * share:3.0f} %, {left:.0f} s left ")
        sys.stderr.flush()
        self.drawn = True

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self.drawn:
            sys.stderr.write("\n")
