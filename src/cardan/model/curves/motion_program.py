"""Motion programs: moves and dwells in sequence, for drivers and cams.

    value         ______                      MotionProgram([
      |         .'      '.                        Move(0.02, 0.3, "modified-sine"),      rise to 0.02 in 0.3 s
      |        /          \\                       Dwell(0.2),
      |______.'            '.______               Move(0.0, 0.3, "3-4-5"),
      +--------------------------------- x        Dwell(0.2),
                                              ], repeat="periodic")

x is the time of a driver, or the angle of a cam. Between dwells a move follows a law:

    law                     C_v      C_a      C_j     peaks of velocity, acceleration and jerk of a rise h over T:
    3-4-5                   1.875    5.774    60      C_v h / T, C_a h / T^2, C_j h / T^3
    4-5-6-7                 2.188    7.513    52.5    continuous jerk
    cycloidal               2        6.283    39.5
    modified-sine           1.760    5.528    69.5    low torque, tolerant of inertia
    modified-trapezoid      2        4.888    61.4    low acceleration
    harmonic                1.571    4.935    inf     acceleration jumps at both ends
    double-harmonic         2.041    9.870    inf     gentle start; acceleration jumps at its end
    parabolic               2        4        inf     acceleration jumps at both ends and in the middle

(Norton, Cam Design and Manufacturing Handbook; Rothbart, Cams.) `MoveThrough` passes through conditions on value, rate,
acceleration and jerk, as one polynomial or as a spline.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from cardan.errors import ModelError
from cardan.model import check
from cardan.model.curves.motion import Array, Breakpoints, Derivatives, Motion
from cardan.model.curves.motion_segments import Course, MoveThrough, Segment
from cardan.model.dimensions import MeasureValue, MotionArgument
from cardan.model.stated import set_fields
from cardan.numerics.curves.motions import PIECEWISE, POLYNOMIAL, Term
from cardan.numerics.curves.spline import PERIODIC, TANGENT, Pieces, evaluate, pack

MIN_MOTION_JUMP = 1e-9  # smallest jump of a rate or acceleration, relative to the largest
ROUNDING = 100.0 * np.finfo(float).eps  # of values, times a factor for coefficients of polynomials through them
REPEATS = ("none", "periodic", "indexing")


@dataclass(frozen=True)
class MotionProgram(Motion):
    """Moves and dwells in sequence, from `start_value` at `start_time` on; see above.

    Before it starts and after it ends the value is constant. With `repeat="periodic"` the program repeats for ever, and
    must end at its first value; with "indexing" every repetition continues from the last value, as an indexing table.

    >>> from cardan.planar import Dwell, MotionProgram, Move
    >>> lift = MotionProgram([Move(0.02, 0.3), Dwell(0.2), Move(0.0, 0.3, "3-4-5"), Dwell(0.2)], repeat="periodic")
    >>> lift.period, float(lift(0.4)), float(lift(10.4))
    (1.0, 0.02, 0.02)
    """

    segments: Sequence[Segment]
    start_value: MeasureValue = 0.0
    start_time: MotionArgument = 0.0
    repeat: str = "none"

    def __post_init__(self) -> None:
        segments = (self.segments,) if isinstance(self.segments, Segment) else self.segments
        if not isinstance(segments, Sequence) or not all(isinstance(s, Segment) for s in segments) or not segments:
            raise ModelError(
                f"the segments of a MotionProgram must be Move, Dwell or MoveThrough, got {check.short_repr(segments)}"
            )
        set_fields(self, segments=tuple(segments))
        set_fields(self, start_value=check.number(self.start_value, "the start_value of a MotionProgram"))
        set_fields(self, start_time=check.number(self.start_time, "the start_time of a MotionProgram"))
        check.choice(self.repeat, REPEATS, "repeat of a MotionProgram")
        self._require_continuous()

    @property
    def period(self) -> float:
        """The length of the program in x, after which it repeats, if it does."""
        return float(sum(segment.length for segment in self.segments))

    @property
    def edges(self) -> tuple[float, ...]:
        """The x between which the motion is smooth, of one repetition."""
        return self._course.edges

    @property
    def values(self) -> tuple[float, ...]:
        """The values that the segments state."""
        return (self.start_value, *(value for segment in self.segments for value in segment.values))

    @property
    def acceleration_jumps(self) -> tuple[float, ...]:
        """The x at which the acceleration jumps; a cam or a fast drive should have none."""
        before, after = self._sides()
        mean = (max(self.values) - min(self.values)) / self.period**2
        largest = max(np.abs(before[:, 2]).max(), np.abs(after[:, 2]).max(), mean)
        found = np.array(self.edges)[np.abs(after[:, 2] - before[:, 2]) > MIN_MOTION_JUMP * largest]
        return tuple(x for x in found.tolist() if self.repeat == "none" or x < self.edges[-1])  # the end is the start

    def jerk(self, x: ArrayLike) -> Array:
        """The third derivative."""
        return np.asarray(evaluate(self.pieces, np.asarray(x, float))[3, 0])

    def breakpoints(self) -> Breakpoints:
        if self.repeat == "none":
            return tuple((edge, math.inf) for edge in self.edges)
        return tuple((edge, self.period) for edge in self.edges[:-1])

    def terms(self) -> list[Term]:
        drift = [] if self.repeat != "indexing" else [Term(POLYNOMIAL, (1.0, *self.drift))]
        return [*drift, Term(PIECEWISE, (1.0, *pack(self.pieces)))]

    def _evaluate(self, t: Array) -> Derivatives:
        value, rate, acceleration, _ = evaluate(self.pieces, t)[:, 0]
        offset, slope = self.drift
        return offset + slope * t + value, slope + rate, acceleration

    @property
    def drift(self) -> tuple[float, float]:
        """Value at x = 0 and slope of the line on which repetitions lie; zero unless they are indexing."""
        if self.repeat != "indexing":
            return 0.0, 0.0
        slope = (self._end - self.start_value) / self.period
        return -slope * self.start_time, slope

    @cached_property
    def _course(self) -> Course:
        """All segments in sequence."""
        breaks, rows, edges, value = [np.array([self.start_time])], [], [self.start_time], self.start_value
        for segment in self.segments:
            course = segment.course(value)
            begin, last = edges[-1], course.pieces.coefficients[-1, 0]
            breaks.append(begin + course.pieces.breaks[1:])
            rows.append(course.pieces.coefficients[:, 0])
            edges += [begin + edge for edge in course.edges[1:]]
            value = segment.values[-1] if segment.values else float(last.sum())
        width = max(row.shape[1] for row in rows)
        table = np.concatenate([np.pad(row, ((0, 0), (0, width - row.shape[1]))) for row in rows])
        return Course(Pieces(np.concatenate(breaks), table[:, None, :]), tuple(edges))

    @property
    def _end(self) -> float:
        return next((s.values[-1] for s in reversed(self.segments) if s.values), self.start_value)

    @cached_property
    def pieces(self) -> Pieces:
        """The motion without its drift, as pieces of polynomials."""
        pieces = self._course.pieces
        if self.repeat == "none":
            if abs(self._last_rate) > 0.0:
                return pieces._replace(outside=TANGENT)
            hold = np.zeros((1, *pieces.coefficients.shape[1:]))  # exactly at rest afterwards
            hold[0, 0, 0] = self._end
            return Pieces(np.append(pieces.breaks, pieces.breaks[-1] + 1.0), np.vstack([pieces.coefficients, hold]))
        if self.repeat == "periodic":
            return pieces._replace(outside=PERIODIC)
        offset, slope = self.drift
        rows = pieces.coefficients.copy()
        rows = np.pad(rows, ((0, 0), (0, 0), (0, max(0, 2 - rows.shape[2]))))
        rows[:, 0, 0] -= offset + slope * pieces.breaks[:-1]
        rows[:, 0, 1] -= slope * np.diff(pieces.breaks)
        return Pieces(pieces.breaks, rows, PERIODIC)

    @property
    def _last_rate(self) -> float:
        """The rate at the end; moves and dwells end at zero rate."""
        last = self.segments[-1]
        stated = last.conditions[-1].rate if isinstance(last, MoveThrough) else 0.0
        return float(evaluate(self._course.pieces, self.edges[-1])[1, 0]) if stated is None else stated

    def _sides(self) -> tuple[Array, Array]:
        """Value, rate and acceleration just before and just after each edge."""
        pieces, edges = self._course.pieces, np.array(self.edges)
        at = [int(np.argmin(np.abs(pieces.breaks - edge))) for edge in edges]
        right = _ends(pieces, 0.0)
        left = _ends(pieces, 1.0)
        outside_left, outside_right = np.zeros(3), np.zeros(3)
        if self.repeat != "none":
            outside_left, outside_right = left[-1], right[0]
        elif self._last_rate != 0.0:
            outside_right = left[-1] * (1.0, 1.0, 0.0)
        before = np.array([left[k - 1] if k else outside_left for k in at])
        after = np.array([right[k] if k < len(right) else outside_right for k in at])
        return before, after

    def _require_continuous(self) -> None:
        before, after = self._sides()
        mean = (max(self.values) - min(self.values)) / self.period
        largest = max(np.abs(before[:, 1]).max(), np.abs(after[:, 1]).max(), mean)
        lengths = np.diff(self.edges)
        shortest = np.minimum(np.append(lengths, np.inf), np.insert(lengths, 0, np.inf))
        rounding = ROUNDING * max(map(abs, self.values)) / shortest
        jumps = np.abs(after[:, 1] - before[:, 1]) > MIN_MOTION_JUMP * largest + rounding
        if jumps.any():
            k = int(np.argmax(jumps))
            raise ModelError(
                f"the rate of a MotionProgram jumps from {before[k, 1]:g} to {after[k, 1]:g} at {self.edges[k]:g}; "
                "give both sides the same rate, by conditions of a MoveThrough"
            )
        gap = self._end - self.start_value
        if self.repeat == "periodic" and abs(gap) > 1e-12 * max(map(abs, self.values)):
            raise ModelError(
                f"a periodic MotionProgram must end at its start_value {self.start_value:g}, but ends at {self._end:g};"
                ' add a move back, or state repeat="indexing" to continue from there'
            )


def _ends(pieces: Pieces, s: float) -> Array:
    """Value, rate and acceleration of each piece at its start (s = 0) or end (s = 1)."""
    rows, width = pieces.coefficients[:, 0], np.diff(pieces.breaks)
    powers = np.arange(rows.shape[1])
    found = [
        (rows * weight * s ** np.maximum(powers - order, 0)).sum(axis=1) / width**order
        for order, weight in enumerate((np.ones_like(powers), powers, powers * (powers - 1)))
    ]
    return np.stack(found, axis=1)


def program_of(motion: Any, what: str) -> MotionProgram:
    """A motion program, or an error that names what needs one."""
    check.instance(motion, MotionProgram, what, hint="for example MotionProgram([Move(...), Dwell(...), ...])")
    found: MotionProgram = motion
    return found
