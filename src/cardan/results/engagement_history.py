"""Which joints are engaged along a run: it falls into pieces, in each of which they are the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cardan.system.system import System

if TYPE_CHECKING:
    from cardan.results.trajectory import Trajectory


class Shift(NamedTuple):
    """What holds from an instant of a run on."""

    time: float
    first: int  # the instant of the result
    engaged: np.ndarray  # uint8[nr]: rows of joints that are not released
    active: np.ndarray  # uint8[nr]: of these, rows that do not depend on others
    local: np.ndarray  # where markers sit in their bodies
    offset: np.ndarray  # of all rows

    def applied(self, system: System) -> System:
        """The system with markers and offsets as they were then, in tables of its own."""
        return system.with_markers(self.local, self.offset)


def pieces(run: Trajectory) -> Iterator[tuple[slice, System, np.ndarray, np.ndarray]]:
    """The pieces of a run: output times, the system with its markers as they were then, rows engaged, rows in force."""
    every = np.ones(run.system.row_count, np.uint8)
    kept = every.copy()
    kept[list(run.set_aside)] = 0
    implied = np.isin(np.arange(every.size), list(run.system.misfits)).astype(np.uint8)
    held = {shift.first: (shift.engaged | implied, shift.active & ~implied) for shift in run.shifts}
    for part, system in seatings(run.shifts, run.system, len(run)):
        yield part, system, *held.get(part.start, (every, kept))


def seatings(shifts: Sequence[Shift], system: System, count: int) -> Iterator[tuple[slice, System]]:
    """The pieces of `count` output times, each with the system as it was then."""
    if not shifts:
        yield slice(0, count), system
        return
    ends = [*(shift.first for shift in shifts[1:]), count]
    for shift, end in zip(shifts, ends, strict=True):
        if shift.first < min(end, count):
            yield slice(shift.first, min(end, count)), shift.applied(system)
