"""Detection, within a minute, of analyses that would take too long, by their pace."""

from __future__ import annotations

import time as clock

from cardan.errors import SimulationError

WAIT = 20.0  # s of computing between checks of the pace
MAX_WORK_TIME = 7 * 86400.0  # s: a longer computation is probably a mistake


class Patience:
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
