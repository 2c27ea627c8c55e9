"""Which turn an angle is on: specified, followed and handed on. Nothing else decides it.

    z = atan2(s, c) + 2 pi n          directions give an angle up to whole turns; n is memory

In the plane an angle is a difference of coordinates and has no n; a bearing has one in both spaces, an angle in space.

**Specified.** n at the start is what was stated, in this order:
1. drivers, holds and conditions on the angle; the state from which an analysis starts, or a measure's `near`;
2. an equation, or an angle between the same parallel axes, in which everything else is decided;
3. the orientations of the two bodies, where both were stated with their turns: the difference, as in the plane;
4. what acts on the angle: the turn nearest to the free angle of springs and the range of stops;
5. nothing: the value in (-pi, pi].
Two statements of the first kind that differ by whole turns are an error.

**Followed.** Every analysis evaluates the angles that joints offer beside those that something acts on, and each step
begins with n as the last one left it: an angle may not turn by half a turn within a step, which `limits` and the
kinematic march see to. In joint coordinates the coordinate itself counts (`tree.counting`).

**Handed on.** Snapshots, checkpoints and results hold the values of these angles at each instant. An angle read later
follows from them if its axes are parallel to theirs: see `Parallel`.

The kernels at the end follow n while a mechanism moves.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from cardan.elements.constraints.two_marker_joint import TwoMarkerJoint
from cardan.errors import CardanError, ModelError
from cardan.model.element import Constraint, Equation
from cardan.model.measure import Measure
from cardan.model.model import Model
from cardan.model.space import Space
from cardan.numerics.compiled.jit import kernel
from cardan.system.parallel import TURN, Parallel, principal

SAME_TURN = 1e-6  # rad: statements so near to whole turns apart mean the same direction


class Specified(NamedTuple):
    """All that may say which turn an angle is on."""

    model: Model
    elements: Sequence[Constraint]
    equations: Sequence[Equation]
    owner: Sequence[int]  # the element of each equation
    measures: Sequence[Measure]
    read: Sequence[Measure]  # the same as stated, some of them several times
    time: float
    known: Angles | None  # values at the state to start from, if it is not the one stated


class Angles(NamedTuple):
    """The values of angles at a state, by measure; those that joints offer by name as well, for models built anew."""

    values: dict[Measure, float]
    named: dict[tuple[str, str], float]


def turning_angles(space: Space, elements: Iterable[Constraint]) -> dict[tuple[str, str], Measure]:
    """The angles with turns that joints offer, by the names of joint and coordinate: every analysis follows them."""
    found = {}
    for element in elements:
        steps = element.steps()
        singular = any(step.kind == "ball" for step in steps or ())
        if isinstance(element, TwoMarkerJoint) and not singular:
            for name in _measures(type(element)):
                measure = getattr(element, name)
                if isinstance(measure, Measure) and measure.kind in space.winding:
                    found[element.name, name] = measure
    return found


@lru_cache
def _measures(kind: type) -> tuple[str, ...]:
    """Properties of a joint that may be measures."""
    found = [name for name in dir(kind) if isinstance(getattr(kind, name), property)]
    return tuple(name for name in found if not name.startswith("_") and name != "title")


def values_of(system: Any, turns: np.ndarray) -> Angles:
    """The values of a system's angles, to hand them on."""
    values = dict(zip([system.measures[k] for k in system.winding], turns.tolist(), strict=True))
    offered = turning_angles(system.space, system.elements)
    return Angles(values, {key: values[m] for key, m in offered.items() if m in values})


def known_turns(system: Any, measure: Measure, turns: np.ndarray) -> np.ndarray:
    """The values near which an angle is, where those of the system are `turns`; NaN where these are not known."""
    column = {system.measures[k]: n for n, k in enumerate(system.winding)}
    if measure in column:
        return np.asarray(turns[:, column[measure]])
    relation = Parallel(system.space, system.elements).relation(measure) if measure.kind == "angle" else None
    if relation is None or any(m not in column for _, m in relation[0]):
        return np.full(turns.shape[0], np.nan)
    terms, constant = relation
    return constant + np.sum([sign * turns[:, column[m]] for sign, m in terms], axis=0)


def first_turns(given: Specified, z: np.ndarray) -> np.ndarray:
    """The values of all measures at the start, from values z whose angles are known up to whole turns."""
    return _Decision(given, z).made()


class _Decision:
    """The values of angles as they become known."""

    def __init__(self, given: Specified, z: np.ndarray) -> None:
        self.given, self.space, self.z = given, given.model.space, z.copy()
        self.place = {measure: k for k, measure in enumerate(given.measures)}
        self.open = {m for m in given.measures if m.kind in self.space.winding}
        self.known = _known(given)
        self.beside = {m: v for m, v in self.known.items() if m not in self.place}  # known, but not evaluated
        self.parallel = Parallel(self.space, given.elements)
        self.rows = [_row(e, given.time) for e in given.equations if _decides(e)]

    def made(self) -> np.ndarray:
        if not self.open:
            return self.z
        self._stated()
        angles = [m for m in (*self.place, *self.beside) if m.kind == "angle"]
        self.rows += self.parallel.rows(angles)
        self._close()
        first = [m for m in self.parallel.angles if m in self.place]
        for measures in (first, list(self.place)):
            if self.given.known is None:
                self._orientations(measures)
                self._close()
        self._expected()
        self._close()
        for measure in first:
            self.open.discard(measure)
        self._close()
        return self.z

    def _stated(self) -> None:
        """Drivers, holds and conditions, then the state to start from, or `near`."""
        given, said = self.given, dict[Measure, list[tuple[float, str]]]()
        for row, equation in enumerate(given.equations):
            if len(equation.terms) == 1 and _decides(equation) and equation.terms[0][1] in self.open:
                ((coefficient, measure),) = equation.terms
                element = given.elements[given.owner[row]]
                said.setdefault(measure, []).append((_asked(equation, given.time) / coefficient, element.title))
        if given.known is not None:
            for measure in self.open & self.known.keys():
                said.setdefault(measure, []).append((self.known[measure], "the state to start from"))
        else:
            for measure in given.read:
                if measure.near is not None and measure in self.open:
                    said.setdefault(measure, []).append((measure.near, "its near"))
        for measure, values in said.items():
            finite = [(value, who) for value, who in values if math.isfinite(value)]
            if finite:
                self._reject_contradiction(measure, finite)
                self._decide(measure, finite[0][0])

    def _reject_contradiction(self, measure: Measure, values: list[tuple[float, str]]) -> None:
        """Two statements that mean one direction on different turns."""
        (value, who), *others = values
        for other, whose in others:
            turns = round((other - value) / TURN)
            if turns and abs(other - value - turns * TURN) <= SAME_TURN:
                raise ModelError(
                    f"two statements put {measure} at t = {self.given.time:g} s on turns {abs(turns)} apart: {who} "
                    f"asks for {value:.6g} rad, {whose} for {other:.6g} rad; change one of them"
                )

    def _decide(self, measure: Measure, near: float) -> None:
        k = self.place[measure]
        self.z[k] += TURN * np.round((near - self.z[k]) / TURN)
        self.open.discard(measure)

    def _value(self, measure: Measure) -> float:
        return self.beside[measure] if measure in self.beside else float(self.z[self.place[measure]])

    def _close(self) -> None:
        """Decide angles that are the only open ones in an equation; an equation counts once."""
        waiting, found = self.rows, True
        while found and waiting:
            found, left = False, []
            for terms, asked in waiting:
                free = [(c, m) for c, m in terms if m in self.open]
                if len(free) > 1:
                    left.append((terms, asked))
                elif free and all(m in self.place or m in self.beside for _, m in terms):
                    coefficient, measure = free[0]
                    rest = sum(c * self._value(m) for c, m in terms if m != measure)
                    value = (asked - rest) / coefficient
                    if math.isfinite(value):
                        self._decide(measure, value)
                    self.open.discard(measure)
                    found = True
            waiting = left
        self.rows = waiting

    def _orientations(self, measures: Iterable[Measure]) -> None:
        """Angles between bodies whose orientations were stated with their turns, about the axis of the angle."""
        for measure in measures:
            if measure in self.open and measure.kind == "angle":
                turned = self.parallel.stated(measure)
                if turned is not None:
                    self._decide(measure, turned + principal(self._value(measure) - turned))

    def _expected(self) -> None:
        """What springs and stops expect, where nothing was stated."""
        if not self.open:
            return
        expected: dict[Measure, list[tuple[float, float]]] = {}
        for measure, low, high in _expectations(self.given.model):
            if measure not in self.open and measure.kind == "angle":
                measure, low, high = self.parallel.carried(measure, low, high)
            if measure in self.open:
                expected.setdefault(measure, []).append((low, high))
        for measure, ranges in expected.items():
            value = self._value(measure)
            ends = [end for pair in ranges for end in pair if abs(end) < 1e300]
            guesses = [value + TURN * (round((end - value) / TURN) + n) for end in ends for n in (-1, 0, 1)]
            self._decide(measure, min((value, *guesses), key=lambda z: (_distance_outside(z, ranges), abs(z))))


def _known(given: Specified) -> dict[Measure, float]:
    """Values at the state to start from, also of joints of the same names in another model."""
    if given.known is None:
        return {}
    offered = turning_angles(given.model.space, given.elements)
    named = {measure: given.known.named[key] for key, measure in offered.items() if key in given.known.named}
    return named | given.known.values


def _distance_outside(z: float, ranges: Iterable[tuple[float, float]]) -> float:
    """How far a value is outside of ranges, rounded to make equal values compare equal."""
    return round(sum(max(low - z, z - high, 0.0) for low, high in ranges), 9)


def _expectations(model: Model) -> Iterable[tuple[Measure, float, float]]:
    """Ranges in which forces expect angles: free angles of springs, ends of stops."""
    for force in model.forces:
        for law in force.laws():
            if len(law.terms) == 1 and law.stiffness != 0.0 and law.terms[0][1].kind in model.space.winding:
                ((coefficient, measure),) = law.terms
                yield measure, law.rest / coefficient, law.rest / coefficient
        for begin in force.begins():
            if len(parts := begin.measure.parts()) == 1 and parts[0][1].kind in model.space.winding:
                ((coefficient, measure),) = parts
                yield measure, *sorted((begin.low / coefficient, begin.high / coefficient))


def _decides(equation: Equation) -> bool:
    """Whether an equation can say which turn an angle is on."""
    return equation.function is None and not (equation.floating or equation.period or equation.velocity)


def _row(equation: Equation, time: float) -> tuple[tuple[tuple[float, Measure], ...], float]:
    return equation.terms, _asked(equation, time)


def _asked(equation: Equation, time: float) -> float:
    """The required sum of the terms of an equation; NaN where its motion has no value, which the analysis reports."""
    try:
        return equation.offset + (0.0 if equation.motion is None else float(equation.motion(time)))
    except CardanError:
        return float("nan")


STRAY = 1.0  # rad by which an angle may miss what the rates at both ends of a step say


@kernel(internal=True, inline=True)
def commit_turns(z, reference):
    """A step begins where measures have the values z: angles count on from there."""
    for m in range(reference.shape[0]):
        reference[m] = z[m, 0]


@kernel(internal=True, inline=True)
def commit_rates(z, reference, rates, winding):
    """The same with the rates of angles, which limit how far they may turn in a step."""
    commit_turns(z, reference)
    for k in range(winding.shape[0]):
        rates[winding[k]] = z[winding[k], 1]


@kernel(internal=True, inline=True)
def commit_all_rates(z, reference, rates):
    """The same with the rates of all measures."""
    for m in range(reference.shape[0]):
        reference[m], rates[m] = z[m, 0], z[m, 1]


@kernel(internal=True, inline=True)
def remember_turns(tables):
    """The angles of the state evaluated last, for the record."""
    for k in range(tables.winding.shape[0]):
        tables.turns[k] = tables.work.z[tables.winding[k], 0]


@kernel(internal=True, inline=True)
def write_turns(reference, winding, line):
    """The values of angles as a line of a record."""
    for k in range(winding.shape[0]):
        line[k] = reference[winding[k]]


@kernel(internal=True, inline=True)
def read_turns(line, winding, reference):
    """Angles count on from a line of a record; entries that are NaN are not known."""
    for k in range(winding.shape[0]):
        if line[k] == line[k]:
            reference[winding[k]] = line[k]


@kernel(internal=True)
def count_turns(counting, q, reference):
    """Angles whose turns joint coordinates include."""
    for n in range(counting.measure.shape[0]):
        total = counting.constant[n]
        for j in range(counting.start[n], counting.start[n + 1]):
            total += counting.sign[j] * q[counting.place[j]]
        reference[counting.measure[n]] = total


@kernel(internal=True, inline=True)
def turns_fit(z, reference, rates, winding, h):
    """Whether no angle has turned, within a step h, by another number of turns than the rates at both ends say.

    Where the rates at its start are not known, NaN, they say nothing."""
    for k in range(winding.shape[0]):
        m = winding[k]
        if abs(z[m, 0] - reference[m] - 0.5 * h * (rates[m] + z[m, 1])) > STRAY:
            return False
    return True
