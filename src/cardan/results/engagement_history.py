"""Which joints are engaged along a run: the run consists of pieces in which they do not change.

A joint that catches at an event holds the bodies where they are then, so the position of its marker and the offset of
its equations belong to the piece. A piece has its own system with these numbers; the system of the run never changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cardan.system.system import System

if TYPE_CHECKING:
    from cardan.results.trajectory import Trajectory


class Shift(NamedTuple):
    """The joints engaged from a time on."""

    time: float
    first: int  # the first output time
    engaged: np.ndarray  # uint8[nr]: rows of joints that are not released
    active: np.ndarray  # uint8[nr]: of these, the independent ones
    local: np.ndarray  # positions of markers in their bodies
    offset: np.ndarray  # of all rows

    def applied(self, system: System) -> System:
        """A system with the marker positions and offsets of this time, in tables of its own."""
        return system.with_markers(self.local, self.offset)


class Piece(NamedTuple):
    """A piece of a run: its output times, its system, rows engaged and rows in force."""

    times: slice
    system: System
    engaged: np.ndarray
    active: np.ndarray


def pieces(run: Trajectory) -> Iterator[Piece]:
    """The pieces of a run."""
    every = np.ones(run.system.row_count, np.uint8)
    kept = every.copy()
    kept[list(run.set_aside)] = 0
    implied = np.isin(np.arange(every.size), list(run.system.misfits)).astype(np.uint8)
    engaged = {shift.first: (shift.engaged | implied, shift.active & ~implied) for shift in run.shifts}
    for part, system in systems_along(run.shifts, run.system, len(run)):
        yield Piece(part, system, *engaged.get(part.start, (every, kept)))


def systems_along(shifts: Sequence[Shift], system: System, count: int) -> Iterator[tuple[slice, System]]:
    """The pieces of `count` output times, each with its system."""
    if not shifts:
        yield slice(0, count), system
        return
    ends = [*(shift.first for shift in shifts[1:]), count]
    for shift, end in zip(shifts, ends, strict=True):
        if shift.first < min(end, count):
            yield slice(shift.first, min(end, count)), shift.applied(system)
