"""Forces of actuators along a path, as functions of s' and s''.

    F = alpha(s) s'' + beta(s) s'^2 + delta(s) s' + gamma(s) + r(s, s')

alpha, beta, delta and gamma follow from inverse dynamics of four motions through the same positions: at rest, at rest
with s'' = 1, and with s' = 1 and -1. r is what springs, dampers and friction that depend on speed in other ways add; it
is evaluated at the motion itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from cardan.analysis.driven.kinematics import started
from cardan.analysis.loads.cartesian import loads_of
from cardan.elements.constraints.driver import Driver
from cardan.model.measure import Readable
from cardan.results.trajectory import Trajectory
from cardan.system.compile import compile


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
