"""Forces of actuators as a linear function of masses.

    tau = Y(q, v, a) theta + tau_0        theta = m, m c, I about the origin, of each body

A column of Y is the force of a mechanism in which one parameter is 1 and all others are 0: inverse dynamics of the same
motion with such masses. The moment of a mass center c contains m c^2 as well, which belongs to I; half the difference
of the forces for c and -c does not. This holds for trees and for closed loops.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cardan.analysis.planning.path import PathForces
from cardan.model.measure import Readable
from cardan.results.trajectory import Trajectory

WORDS = {
    2: ("m", "m cx", "m cy", "J"),
    3: ("m", "m cx", "m cy", "m cz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz"),
}


class InertiaRegressor:
    """Y and tau_0 of a run: `columns` has one table (output times, actuators) for each parameter."""

    def __init__(self, run: Trajectory, actuators: Sequence[Readable], bodies: Sequence[int]) -> None:
        system = run.system
        self.bodies, self.dimensions = [system.bodies[k] for k in bodies], system.space.dimensions
        light = PathForces(run, actuators, forces=False)
        matter = system.matter()
        self.nominal = np.concatenate([about_origin(matter[1 + k], self.dimensions) for k in bodies])
        self.columns = np.stack(
            [column for k in bodies for column in _columns(light, np.zeros_like(matter), 1 + k, self.dimensions)],
            axis=2,
        )
        matter[[1 + k for k in bodies]] = 0.0
        self.known = PathForces(run, actuators).of_masses(matter)

    @property
    def names(self) -> list[str]:
        """Parameter and body."""
        return [f"{word} of '{body.name}'" for body in self.bodies for word in WORDS[self.dimensions]]

    def sizes(self, length: float) -> np.ndarray:
        """Units that make parameters comparable: mass, mass x length, mass x length^2."""
        d = self.dimensions
        powers = np.array([0] + [1] * d + [2] * (len(WORDS[d]) - 1 - d))
        return np.tile(length**powers, len(self.bodies)).astype(float)


def _columns(forces: PathForces, matter: np.ndarray, body: int, dimensions: int) -> list[np.ndarray]:
    """The columns of one body; the other masses in `matter` are zero."""

    def found(**entries: float) -> np.ndarray:
        table = matter.copy()
        for place, value in entries.items():
            table[body, int(place[1:])] = value
        return forces.of_masses(table)

    columns = [found(_0=1.0)]
    for k in range(1, 1 + dimensions):
        columns.append(0.5 * (found(_0=1.0, **{f"_{k}": 1.0}) - found(_0=1.0, **{f"_{k}": -1.0})))
    return [*columns, *(found(**{f"_{k}": 1.0}) for k in range(1 + dimensions, matter.shape[1]))]


def about_origin(line: np.ndarray, dimensions: int) -> np.ndarray:
    """m, m c and I about the origin from m, c and I about the mass center."""
    found = line.copy()
    mass, c = line[0], line[1 : 1 + dimensions]
    found[1 : 1 + dimensions] = mass * c
    if dimensions == 2:
        found[3] += mass * float(c @ c)
        return found
    shift = mass * (float(c @ c) * np.eye(3) - np.outer(c, c))
    found[4:] += [*np.diag(shift), shift[0, 1], shift[0, 2], shift[1, 2]]
    return found


def pseudo_inertia(theta: np.ndarray, dimensions: int) -> np.ndarray:
    """Second moments, m c and m of a body: positive semidefinite if and only if some mass distribution has them.

    In the plane it is [[J, |m c|], [|m c|, m]], because only the sum J of both second moments is known.
    """
    if dimensions == 2:
        mass, moment = theta[0], theta[1:3]
        return np.array([[theta[3], np.linalg.norm(moment)], [np.linalg.norm(moment), mass]])
    xx, yy, zz, xy, xz, yz = theta[4:]
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    found = np.zeros((4, 4))
    found[:3, :3] = 0.5 * np.trace(inertia) * np.eye(3) - inertia
    found[:3, 3] = found[3, :3] = theta[1:4]
    found[3, 3] = theta[0]
    return found


def from_pseudo_inertia(P: np.ndarray, theta: np.ndarray, dimensions: int) -> np.ndarray:
    """The parameters of a pseudo-inertia; in the plane the direction of m c is that of `theta`."""
    found = theta.copy()
    if dimensions == 2:
        size = float(np.linalg.norm(theta[1:3]))
        found[0], found[3] = P[1, 1], P[0, 0]
        found[1:3] = theta[1:3] * (P[0, 1] / size if size > 0.0 else 0.0)
        return found
    second = P[:3, :3]
    inertia = np.trace(second) * np.eye(3) - second
    found[0], found[1:4] = P[3, 3], P[:3, 3]
    found[4:] = [*np.diag(inertia), inertia[0, 1], inertia[0, 2], inertia[1, 2]]
    return found
