"""Progress of long computations: one line on the terminal, with the time left; or a function that receives states.

A recorder, set by `recording`, writes a run while it is computed: analyses report to it by `follow`.

`DurationCheck` detects within a minute, by their pace, analyses that would take too long.
"""

from __future__ import annotations

import sys
import time
import time as clock
from collections.abc import Callable
from contextvars import ContextVar
from types import TracebackType
from typing import Any

from cardan.errors import SimulationError
from cardan.numerics.functions.interpreted import take_interrupt

ProgressOption = bool | Callable[[Any], None] | None  # True or False, None for terminals only, or a function

RECORDER: ContextVar[Any] = ContextVar("recorder", default=None)

SECONDS_BETWEEN_UPDATES = 0.05  # s of computing between two updates of the bar and checks of the keyboard
SECONDS_BEFORE_BAR = 1.0  # s before the bar appears: short computations show nothing
BAR_WIDTH = 30


class Progress:
    """`with Progress("kinematics", 1000) as bar: ... bar.show(done)`. With `shown=None` the bar appears on terminals
    only; a function receives a snapshot of the mechanism about twenty times a second, and may stop the computation by
    an exception."""

    def __init__(self, title: str, total: int, shown: ProgressOption = None) -> None:
        self.title, self.total = title, max(total, 1)
        self.watch = shown if callable(shown) else None
        self.shown = sys.stderr.isatty() if shown is None else shown is True
        self.begun = time.perf_counter()
        self.drawn = False

    def __enter__(self) -> Progress:
        return self

    def show(self, done: int) -> None:
        """Draw the bar at `done` of `total`; raises KeyboardInterrupt if Ctrl-C was pressed in a user's function."""
        take_interrupt()
        elapsed = time.perf_counter() - self.begun
        if not self.shown or elapsed < SECONDS_BEFORE_BAR:
            return
        share = done / self.total
        left = elapsed * (1.0 - share) / share if share > 0.0 else float("inf")
        bar = "#" * round(BAR_WIDTH * share)
        sys.stderr.write(f"\r{self.title} [{bar:<{BAR_WIDTH}}] {100 * share:3.0f} %, {left:.0f} s left ")
        sys.stderr.flush()
        self.drawn = True

    def look(self, state: Callable[[], Any]) -> None:
        """Pass the state to the user's function, if there is one."""
        if self.watch is not None:
            self.watch(state())

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self.drawn:
            sys.stderr.write("\n")


def follow(owner: Any, count: int, part: Callable[[int], Any]) -> None:
    """Report the progress of a run to the recorder, if there is one."""
    recorder = RECORDER.get()
    if recorder is not None:
        recorder.follow(owner, count, part)


WAIT = 20.0  # s of computing between checks of the pace
MAX_WORK_TIME = 7 * 86400.0  # s: a longer computation is probably a mistake


class DurationCheck:
    """Checks during an analysis whether it will finish."""

    def __init__(self, what: str, start: float, end: float) -> None:
        self.what, self.start, self.end = what, start, end
        self.begun = clock.process_time()
        self.looked, self.reached = self.begun, start

    def check(self, now: float) -> None:
        """Raise `SimulationError` if the analysis would take longer than a week at its pace."""
        spent = clock.process_time() - self.looked
        if spent < WAIT:
            return
        gained = now - self.reached
        if gained <= 0.0 or (self.end - now) / gained * spent > MAX_WORK_TIME:
            raise SimulationError(
                f"{self.what} would take too long: in the last {spent:.0f} s of computing its time went from "
                f"{self.reached:.6g} s to {now:.6g} s of {self.end:.6g} s; check the time span, and how fast its "
                "drivers move",
                time=now,
            )
        self.looked, self.reached = clock.process_time(), now
