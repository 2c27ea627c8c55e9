"""A path of a mechanism: the positions through which it passes, over s from 0 to 1.

z(s)        the cubic spline through the stated values, over the length of the chords between them
q'(s)       velocities at s' = 1, s'' = 0
q''(s)      accelerations there:    v = q' s',    a = q' s'' + q'' s'^2
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy.interpolate import CubicSpline

from cardan.analysis.driven.kinematics import driven_motion
from cardan.elements.constraints.driver import Driver
from cardan.errors import ModelError
from cardan.model import check
from cardan.model.curves.motion import Motion, Polynomial, Spline
from cardan.model.measure import Readable, readable
from cardan.model.model import Model
from cardan.results.snapshot import Snapshot
from cardan.results.trajectory import Trajectory

Values = Mapping[Readable, Sequence[float] | np.ndarray]


class Path:
    """Measures that follow curves z(s), and the motion of the mechanism at s' = 1 at some s."""

    def __init__(self, model: Model, values: Any, start: Snapshot | None) -> None:
        self.model, self.start = model, start
        self.measures, table = _waypoints(values)
        self.curves = _curves(table)

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
