"""The result of `plan_motion`: times along a path, motions for drivers, and which limits act."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from cardan.analysis.planning.time_optimal import PARTS_OF_INTERVAL, Limited, Profile
from cardan.model.curves.motion import Motion
from cardan.model.curves.motion_program import MotionProgram
from cardan.model.curves.motion_segments import Condition, MoveThrough
from cardan.model.measure import Readable
from cardan.results.trajectory import Trajectory

LIMIT_REACHED = 1e-4  # relative distance from a limit that counts as reached


class PlannedMotion:
    """A motion along a path.

    | | |
    |---|---|
    | `duration`     | s                                                                                            |
    | `times`        | at which the points of the path are passed                                                   |
    | `s`            | these points, from 0 to 1                                                                    |
    | `rate`, `acceleration` | s' and s'' at these points; s'' may jump there:                                      |
    | `acceleration_before`  | s'' just before                                                                      |
    | `motions`      | a motion for each measure of the path, for drivers                                           |
    | `motion(measure)` | the same for any measure, such as joint angles along a path of the hand                   |
    | `run`          | the mechanism at these times, without forces                                                 |
    | `values`       | the limited speeds and accelerations, and the forces of actuators, by name                   |
    | `limiting`     | the name of the quantity nearest to its limit in each interval                               |
    | `excess`       | by how much each limit is exceeded between the points, relative to it, by name               |
    """

    def __init__(
        self,
        path: Trajectory,
        measures: tuple[Readable, ...],
        s: np.ndarray,
        times: np.ndarray,
        found: Profile,
        profile: str,
        limited: list[Limited],
    ) -> None:
        self.profile, self.measures = profile, measures
        ends = self._ends = slice(None, None, PARTS_OF_INTERVAL)
        self.s, self.times, self.rate = s[ends], times[ends], np.sqrt(found.x[ends])
        self.acceleration, self.acceleration_before = found.after[ends], found.before[ends]
        self._limited, self._path = [one.every(PARTS_OF_INTERVAL) for one in limited], path
        s1, s2 = self.rate[:, None], self.acceleration[:, None]
        motion = path.q[ends], path.v[ends] * s1, path.v[ends] * s2 + path.a[ends] * s1**2
        self.run = Trajectory(path.system, self.times, *motion, analysis="planned motion", turns=path.turns[ends])
        self.run.set_aside = path.set_aside
        self.excess: dict[str, float] = {}

    @property
    def duration(self) -> float:
        """The duration of the motion, in s."""
        return float(self.times[-1])

    @cached_property
    def motions(self) -> dict[Readable, Motion]:
        """A motion for each measure of the path: Driver(measure, plan.motions[measure])."""
        return {measure: self.motion(measure) for measure in self.measures}

    def motion(self, measure: Readable) -> MotionProgram:
        """Any measure as a motion: quintic polynomials between the points of the path, with its value, rate and
        acceleration at both ends of each."""
        series = self._path[measure]
        value, slope, bend = (part[self._ends] for part in (series.value, series.rate, series.acceleration))
        rate = slope * self.rate
        after, before = (slope * u + bend * self.rate**2 for u in (self.acceleration, self.acceleration_before))
        parts = []
        for k, length in enumerate(np.diff(self.times).tolist()):
            first = Condition(0.0, float(value[k]), float(rate[k]), float(after[k]))
            last = Condition(length, float(value[k + 1]), float(rate[k + 1]), float(before[k + 1]))
            parts.append(MoveThrough((first, last)))
        return MotionProgram(tuple(parts), start_value=float(value[0]))

    @property
    def values(self) -> dict[str, np.ndarray]:
        """Limited quantities and forces of actuators at each point, with s'' of the interval that follows it."""
        return {one.name: one.at(self.rate, self.acceleration) for one in self._limited}

    @property
    def use(self) -> dict[str, np.ndarray]:
        """The part of its limit that each quantity uses in each interval, at the end that uses more of it."""
        found = {}
        for one in self._limited:
            if not (np.isfinite(one.low) or np.isfinite(one.high)):
                continue
            start = one.at(self.rate, self.acceleration)[:-1]
            end = one.at(self.rate, self.acceleration_before)[1:]
            middle, half = 0.5 * (one.low + one.high), 0.5 * (one.high - one.low)
            if not np.isfinite(half):
                middle, half = 0.0, abs(one.high if np.isfinite(one.high) else one.low)
            found[one.name] = np.maximum(np.abs(start - middle), np.abs(end - middle)) / half
        return found

    @property
    def limiting(self) -> list[str]:
        """The quantity that is at its limit in each interval, "" where none is."""
        use = self.use
        names, table = list(use), np.array(list(use.values()))
        highest = table.argmax(axis=0)
        return [names[k] if table[k, n] >= 1.0 - LIMIT_REACHED else "" for n, k in enumerate(highest)]

    def __repr__(self) -> str:
        return f"<{self.profile} motion of '{self.run.model.name}' along its path: {self.duration:.6g} s>"
