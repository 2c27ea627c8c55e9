"""A path of a mechanism: the positions through which it passes, over s from 0 to 1.

z(s)        the cubic spline through the stated values, over the length of the chords between them
q'(s)       velocities at s' = 1, s'' = 0
q''(s)      accelerations there:    v = q' s',    a = q' s'' + q'' s'^2

Forces of actuators along it:

    F = alpha(s) s'' + beta(s) s'^2 + delta(s) s' + gamma(s) + r(s, s')

alpha, beta, delta and gamma follow from inverse dynamics of four motions through the same positions: at rest, at rest
with s'' = 1, and with s' = 1 and -1. r is what springs, dampers and friction that depend on speed in other ways add; it
is evaluated at the motion itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.interpolate import CubicSpline

from cardan.analysis.driven.kinematics import driven_motion, started
from cardan.analysis.loads.cartesian import loads_of
from cardan.elements.constraints.driver import Driver
from cardan.errors import ModelError
from cardan.model import check
from cardan.model.curves.motion import Motion, Polynomial, Spline
from cardan.model.measure import ByMeasure, Readable, readable
from cardan.model.model import Model
from cardan.results.snapshot import Snapshot
from cardan.results.trajectory import Trajectory
from cardan.system.compile import compile

MIN_SPACING = 0.3  # of the spacing

Values = ByMeasure[Sequence[float] | np.ndarray]


class Path:
    """Measures that follow curves z(s), and the motion of the mechanism at s' = 1 at some s."""

    def __init__(self, model: Model, values: Any, start: Snapshot | None) -> None:
        self.model, self.start = model, start
        self.measures, table = _waypoints(values)
        self.curves = _curves(table)

    def with_knots(self, s: np.ndarray) -> np.ndarray:
        """A grid with the stated points, at which third derivatives of z(s) jump, in place of points near them."""
        curve = self.curves[0]
        knots = np.array(curve.times if isinstance(curve, Spline) else (0.0, 1.0))
        distance, step = np.abs(s[:, None] - knots).min(axis=1), np.diff(s)
        spacing = np.minimum(np.append(step, step[-1]), np.insert(step, 0, step[0]))
        return np.union1d(s[distance > MIN_SPACING * spacing], knots)

    def motion(self, s: np.ndarray) -> Trajectory:
        """Positions, q' and q'' at each s."""
        return self.driven(dict(zip(self.measures, self.curves, strict=True)), s)

    def driven(self, motions: Mapping[Readable, Motion], times: np.ndarray) -> Trajectory:
        """The mechanism driven by motions of the measures."""
        drivers = []
        for measure, motion in motions.items():
            driver = Driver(measure, motion)
            object.__setattr__(driver, "name", f"path of {measure}")
            driver.check()
            drivers.append(driver)
        made = driven_motion(self.model, times, "plan_motion", self.start, progress=False, forces=True, drivers=drivers)
        return made.run


def _waypoints(values: Any) -> tuple[list[Readable], np.ndarray]:
    """The measures, and one row of values for each point of the path."""
    check.instance(values, Mapping, "the path of plan_motion()", hint="{hinge.angle: [0.0, 1.5]}")
    if not values:
        raise ModelError("the path of plan_motion() is empty; pass measures and values, {hinge.angle: [0.0, 1.5]}")
    measures = [readable(measure, "a measure of the path of plan_motion()") for measure in values]
    columns = []
    for measure, stated in values.items():
        listed = stated.tolist() if isinstance(stated, np.ndarray) else stated
        if isinstance(listed, str) or not isinstance(listed, Sequence):
            raise ModelError(f"the path of {measure} must be a list of values, got {check.describe(stated)}")
        columns.append([check.number(value, f"a value on the path of {measure}") for value in listed])
    counts = {len(column) for column in columns}
    if len(counts) > 1 or min(counts) < 2:
        raise ModelError(f"the measures of a path need as many values each, at least 2, got {sorted(counts)}")
    return measures, np.array(columns).T


def _curves(table: np.ndarray) -> list[Motion]:
    """Splines through the points over their relative distance: straight lines through two, natural through three."""
    span = np.ptp(table, axis=0)
    chords = np.linalg.norm(np.diff(table / np.where(span > 0.0, span, 1.0), axis=0), axis=1)
    if not chords.all():
        k = int(np.argmin(chords))
        raise ModelError(f"points {k + 1} and {k + 2} of the path are the same; remove one of them")
    s = np.concatenate([[0.0], np.cumsum(chords)])
    s = s / s[-1]
    if len(s) == 2:
        return [Polynomial(first, last - first) for first, last in table.T]
    end = "natural" if len(s) == 3 else "not-a-knot"
    return [Spline(tuple(s), tuple(column), end=end) for column in table.T]


def sharpest(curve: Motion) -> CubicSpline | None:
    """The third derivative of a curve, for jerks."""
    if isinstance(curve, Spline):
        kind = "natural" if curve.end == "natural" else "not-a-knot"
        return CubicSpline(curve.times, curve.values, bc_type=kind).derivative(3)
    return None


class Coefficients(NamedTuple):
    """Force = alpha s'' + beta s'^2 + delta s' + gamma, one row for each s, one column for each actuator."""

    alpha: np.ndarray
    beta: np.ndarray
    delta: np.ndarray
    gamma: np.ndarray

    def at(self, rate: np.ndarray, acceleration: np.ndarray) -> np.ndarray:
        """The forces of a motion."""
        s1, s2 = rate[:, None], acceleration[:, None]
        return self.alpha * s2 + self.beta * s1**2 + self.delta * s1 + self.gamma


class PathForces:
    """Forces along `actuators` that move a mechanism as a run does; as many as it has degrees of freedom."""

    def __init__(self, path: Trajectory, actuators: Sequence[Readable], forces: bool = True) -> None:
        model = path.model
        drivers = []
        for measure in actuators:
            driver = Driver(measure, 0.0)
            object.__setattr__(driver, "name", f"actuator along {measure}")
            drivers.append(driver)
        extra = [element for element in path.system.elements if element not in model.constraints and not element.drives]
        own = [element for element in model.constraints if element.drives]
        start = path.at(float(path.times[0])).as_start(model)
        placed = [Driver(measure, float(path[measure].value[0])) for measure in actuators]
        for driver, place in zip(drivers, placed, strict=True):
            object.__setattr__(driver, "motion", place.motion)
        system = compile(model, [*extra, *drivers], forces=forces, start=start, without=own)
        begun = started(system, 0.0)
        begun.require_regular()
        self.path, self.system, self.redundant = path, system, begun.redundant
        self.rows = [int(system.rows_of(driver)[0]) for driver in drivers]
        windings = [system.measures[k] for k in system.winding]
        self.turns = np.zeros((path.times.size, len(windings)))
        for k, measure in enumerate(windings):
            self.turns[:, k] = path[measure].value

    def at(self, rate: np.ndarray, acceleration: np.ndarray, times: np.ndarray) -> np.ndarray:
        """The forces of a motion, one row for each position."""
        path, s1, s2 = self.path, rate[:, None], acceleration[:, None]
        return self._forces(times, (path.q, path.v * s1, path.v * s2 + path.a * s1**2))

    def of_masses(self, matter: np.ndarray) -> np.ndarray:
        """The forces of the motion itself, for other masses: a table as that of the space, with the ground first."""
        return self._forces(self.path.times, (self.path.q, self.path.v, self.path.a), matter)

    def _forces(
        self, times: np.ndarray, motion: tuple[np.ndarray, np.ndarray, np.ndarray], matter: np.ndarray | None = None
    ) -> np.ndarray:
        run = Trajectory(self.system, times, *motion, set_aside=self.redundant, turns=self.turns)
        if run.states.shape == self.path.states.shape:
            run.states[:] = self.path.states
        return np.asarray(-loads_of(run, matter).multipliers[:, self.rows])

    def coefficients(self) -> Coefficients:
        """alpha, beta, delta and gamma at each position."""
        none, one = np.zeros(self.path.times.size), np.ones(self.path.times.size)
        still = self.at(none, none, none)
        pushed = self.at(none, one, none)
        forward, backward = self.at(one, none, none), self.at(-one, none, none)
        return Coefficients(pushed - still, 0.5 * (forward + backward) - still, 0.5 * (forward - backward), still)
