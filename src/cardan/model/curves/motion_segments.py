"""Segments of motion programs: moves by a law, dwells, and moves through conditions."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from cardan.errors import ModelError
from cardan.model import check
from cardan.model.dimensions import MeasureValue, MotionAcceleration, MotionArgument, MotionJerk, MotionSlope
from cardan.model.stated import Stated, set_fields
from cardan.numerics.curves.laws import LAWS, LawCoefficients, law_coefficients, rise
from cardan.numerics.curves.spline import Pieces, through_conditions

MOST_CONDITIONS = 16  # of a single polynomial: beyond, it oscillates


class Course(NamedTuple):
    """A segment in the form of a program: pieces from x = 0 on, and the x between which it is smooth."""

    pieces: Pieces
    edges: tuple[float, ...]


class Segment(metaclass=Stated):
    """A part of a motion program."""

    @property
    @abstractmethod
    def length(self) -> float:
        """The length of the segment in x."""

    @abstractmethod
    def course(self, start: float) -> Course:
        """The segment, which starts at the value of the segment before it."""

    @property
    def values(self) -> tuple[float, ...]:
        """The values that the segment states."""
        return ()


@dataclass(frozen=True)
class Move(Segment):
    """A move from the present value to `to_value` by a law, see `MotionProgram`; it starts and ends at zero rate.

    `backward=True` runs the law from its end: a return by "double-harmonic" is the mirror image of a rise.

    >>> from cardan.planar import Move
    >>> [round(c, 3) for c in Move(0.02, 0.3, "modified-sine").coefficients]
    [1.76, 5.528, 69.466]
    """

    to_value: MeasureValue
    duration: MotionArgument
    law: str = "cycloidal"
    backward: bool = False

    def __post_init__(self) -> None:
        set_fields(self, to_value=check.number(self.to_value, "the to_value of a Move"))
        set_fields(self, duration=check.positive(self.duration, "the duration of a Move"))
        check.choice(self.law, LAWS, "the law of a Move")
        check.flag(self.backward, "backward of a Move")

    @property
    def length(self) -> float:
        return self.duration

    @property
    def values(self) -> tuple[float, ...]:
        return (self.to_value,)

    @property
    def coefficients(self) -> LawCoefficients:
        """The coefficients of velocity, acceleration and jerk of the law."""
        return law_coefficients(self.law)

    def course(self, start: float) -> Course:
        made, height = rise(self.law, self.backward), self.to_value - start
        rows = height * made.pieces.coefficients
        rows[:, 0, 0] += start
        return Course(Pieces(self.duration * made.pieces.breaks, rows), tuple(self.duration * x for x in made.edges))


@dataclass(frozen=True)
class Dwell(Segment):
    """A part in which the value is constant."""

    duration: MotionArgument

    def __post_init__(self) -> None:
        set_fields(self, duration=check.positive(self.duration, "the duration of a Dwell"))

    @property
    def length(self) -> float:
        return self.duration

    def course(self, start: float) -> Course:
        return Course(Pieces(np.array([0.0, self.duration]), np.array([[[start]]])), (0.0, self.duration))


@dataclass(frozen=True)
class Condition(metaclass=Stated):
    """Value and derivatives that a `MoveThrough` must have at a place; those that are omitted are free."""

    at: MotionArgument
    value: MeasureValue | None = None
    rate: MotionSlope | None = None
    acceleration: MotionAcceleration | None = None
    jerk: MotionJerk | None = None

    def __post_init__(self) -> None:
        set_fields(self, at=check.number(self.at, "the place of a Condition"))
        for name in ("value", "rate", "acceleration", "jerk"):
            stated = getattr(self, name)
            if stated is not None:
                set_fields(self, **{name: check.number(stated, f"the {name} of a Condition")})
        if all(stated is None for stated in self.stated):
            raise ModelError(f"the Condition at {self.at:g} states nothing; give a value, rate, acceleration or jerk")

    @property
    def stated(self) -> tuple[float | None, ...]:
        """Value, rate, acceleration and jerk."""
        return self.value, self.rate, self.acceleration, self.jerk


@dataclass(frozen=True)
class MoveThrough(Segment):
    """A move through conditions: by default the one polynomial that satisfies them, with `degree` a spline.

    Places are counted from the start of the segment: the first condition is at 0, the last at the end. The value at 0
    is that of the segment before. A rise and fall with one dwell, zero acceleration at both ends and the peak in the
    middle is a polynomial of degree 6:

    >>> from cardan.planar import Condition, MotionProgram, MoveThrough
    >>> rest = dict(value=0.0, rate=0.0, acceleration=0.0)
    >>> peak = MoveThrough([Condition(0.0, **rest), Condition(0.5, 1.0), Condition(1.0, **rest)])
    >>> round(float(MotionProgram([peak])(0.25)), 6)  # 64 x^3 (1 - x)^3
    0.421875
    """

    conditions: Sequence[Condition]
    degree: int | None = None

    def __post_init__(self) -> None:
        conditions = self.conditions
        if not isinstance(conditions, Sequence) or not all(isinstance(c, Condition) for c in conditions):
            raise ModelError(
                f"the conditions of a MoveThrough must be a list of Condition, got {check.short_repr(conditions)}"
            )
        set_fields(self, conditions=tuple(sorted(conditions, key=lambda condition: condition.at)))
        places = [condition.at for condition in self.conditions]
        if len(places) < 2 or places[0] != 0.0 or len(set(places)) < len(places):
            raise ModelError(f"a MoveThrough needs conditions at 0, its end and distinct places between, got {places}")
        if self.conditions[-1].value is None:
            raise ModelError(f"the last Condition of a MoveThrough, at {places[-1]:g}, needs a value")
        count = self._count
        if self.degree is None and count > MOST_CONDITIONS:
            raise ModelError(f"one polynomial through {count} conditions oscillates; state degree=5 for a spline")
        if self.degree is not None and (not isinstance(self.degree, int) or not 3 <= self.degree <= 9):
            raise ModelError(f"the degree of a MoveThrough must be 3 to 9, got {check.short_repr(self.degree)}")
        if self.degree is not None and count < self.degree + 1:
            raise ModelError(
                f"a MoveThrough of degree {self.degree} needs {self.degree + 1} conditions, got {count}: add some, or "
                "omit the degree"
            )

    @property
    def _count(self) -> int:
        """The number of conditions, with the value at the start."""
        free = self.conditions[0].value is None
        return sum(value is not None for condition in self.conditions for value in condition.stated) + free

    @property
    def length(self) -> float:
        return self.conditions[-1].at

    @property
    def values(self) -> tuple[float, ...]:
        return tuple(condition.value for condition in self.conditions if condition.value is not None)

    def course(self, start: float) -> Course:
        first = self.conditions[0]
        if first.value is not None and abs(first.value - start) > 1e-9 * max(map(abs, (*self.values, start))):
            raise ModelError(
                f"a MoveThrough begins at {first.value:g}, but the segment before it ends at {start:g}; make them equal"
            )
        stated = (replace(first, value=start), *self.conditions[1:])
        rows = [
            (condition.at, order, value)
            for condition in stated
            for order, value in enumerate(condition.stated)
            if value is not None
        ]
        pieces = through_conditions(rows, self.degree or self._count - 1)
        if pieces is None:
            raise ModelError(
                "the conditions of a MoveThrough do not determine it: state values at more places, or fewer derivatives"
            )
        return Course(pieces, tuple(pieces.breaks.tolist()))
