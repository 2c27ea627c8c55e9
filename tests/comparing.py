"""Whether two results, in the plane or in space, show the same motion."""

from __future__ import annotations

from typing import Any

import numpy as np

from cardan import kinematics
from cardan.model.measure import Measure
from cardan.results.measure_series import measure_series


def difference(one: Any, two: Any, A: Any = None, shift: Any = 0.0) -> np.ndarray:
    """The largest differences of positions, velocities and accelerations of the bodies of `two`, which may be moved
    by A and shift against `one`, and have fewer bodies."""
    worst = np.zeros(3)
    turned = np.eye(one.system.space.dimensions) if A is None else A
    for body in two.model.bodies:
        a, b = motion_of(one, one.model[body.name]), motion_of(two, body)
        moved = a @ turned.T
        moved[:, 0] += shift
        worst = np.maximum(worst, np.abs(moved - b).max(axis=(0, 2, 3)))
    return worst


def motion_of(run: Any, body: Any) -> np.ndarray:
    """Position, velocity and acceleration of `corners(body)`: indexed by corner, level, instant, coordinate."""
    axes = "xyz"[: run.system.space.dimensions]
    points = corners(body)
    measures = [Measure("coordinate", None, point, axis) for point in points for axis in axes]
    found = measure_series(run.system, measures, run.times, run.q, run.v, run.a, run.turns)
    return np.array(found).reshape(len(points), len(axes), run.times.size, 3).transpose(0, 3, 2, 1)


def corners(body: Any) -> list[Any]:
    """The origin of a body and a point on each of its axes: where they are, the body is."""
    return [body.at(), *(body.at(*axis) for axis in np.eye(len(body.position)))]


def same_motion(stage_type: Any, state: Any, pose: Any, times: np.ndarray) -> None:
    """A mechanism, stated with a joint and with its parts, moves the same; the parts may need bodies of their own."""
    runs = []
    for whole in (True, False):
        stage = stage_type(state.__name__, pose=pose)
        state(stage, whole)
        runs.append(kinematics(stage.model(), times))
    whole, parts = sorted(runs, key=lambda run: len(run.model.bodies))
    for body in whole.model.bodies:
        moved = motion_of(whole, body)[:, 0]
        assert np.ptp(moved, axis=1).max() > 0.01, f"{body.name} must move for this to say anything"
    assert (difference(parts, whole) < (1e-10, 1e-8, 1e-7)).all()
