"""The energy of a run and its balance.

    T + V = (T + V)_0 + work - dissipated + driven

V is the potential of weight and linear springs. Loads, actuators and user functions do work, as do friction, stops and
contacts, with a negative sign; dampers, forces `damping z'`, dissipate; drivers do work of either sign. The integrator
integrates the work along with the motion: the error of the balance measures its accuracy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cardan.errors import ModelError
from cardan.model.measure import Combination
from cardan.results.measure_series import measure_series
from cardan.results.motion_kernels import kinetic_energy_along
from cardan.results.reaction import poses_of
from cardan.shortcuts import dissipated_by
from cardan.system.cartesian.masses import mass_table
from cardan.system.cartesian.mechanism_tables import NEGLIGIBLE_ENERGY, least_energy
from cardan.system.system import System

if TYPE_CHECKING:
    from cardan.results.trajectory import Trajectory


class Energy:
    """Energies at the output times, in J."""

    def __init__(self, run: Trajectory, work: np.ndarray) -> None:
        self._run, self._work = run, work
        self.kinetic = kinetic_energy(run.system, run.q, run.v)
        self.potential = potential_of(run)
        laws = len(run.system.laws)
        self.work = work[:, :laws].sum(axis=1)
        self.dissipated = work[:, laws]
        self.driven = work[:, laws + 1]

    @property
    def total(self) -> np.ndarray:
        return self.kinetic + self.potential

    @property
    def error(self) -> np.ndarray:
        """The error of the balance since the first output time."""
        balance = self.total - self.work + self.dissipated - self.driven
        return balance - balance[:1]

    @property
    def scale(self) -> float:
        """The largest change of any energy in the run.

        At least 1e-6 of the typical energy of a mechanism of this size, mass and weight, and 1e-6 of the potential
        energy: rounding in a mechanism at rest is not an error.
        """
        if not self.kinetic.size:
            return least_energy(self._run.system)
        moved = [self.kinetic, self.potential - self.potential[0], self.work, self.dissipated, self.driven]
        largest = max(float(np.abs(part).max()) for part in moved)
        return max(largest, NEGLIGIBLE_ENERGY * float(np.abs(self.potential).max()), least_energy(self._run.system))

    @property
    def drift(self) -> float:
        """The largest error relative to `scale`."""
        return float(np.abs(self.error).max() / self.scale) if self.kinetic.size else 0.0

    def work_of(self, element: object) -> np.ndarray:
        """The work of one force, without its linear spring, which stores energy, and its damper; see `dissipated_by`.

        It is negative for friction and stops.
        """
        return self._work[:, self.laws_of(element)].sum(axis=1)

    def dissipated_by(self, element: object) -> np.ndarray:
        """The energy dissipated by the damper of one force, or by the impacts of an `Impact` or an event; see
        `cardan.postprocess.dissipation`."""
        return dissipated_by(self._run, element)

    def laws_of(self, element: object) -> list[int]:
        """The numbers of the laws of a force."""
        laws = [k for k, force in enumerate(self._run.system.forces) if force is element]
        if not laws:
            title = getattr(element, "title", repr(element))
            raise ModelError(f"{title} is not a force of '{self._run.model.name}': only forces do work")
        return laws

    def __repr__(self) -> str:
        return (
            f"<energy of '{self._run.model.name}': .kinetic .potential .total .work .dissipated .driven .error; "
            f"drift {self.drift:.1e}>"
        )


def kinetic_energy(system: System, q: np.ndarray, v: np.ndarray, matter: np.ndarray | None = None) -> np.ndarray:
    """The kinetic energy for each row of q and v; `matter` is the mass table of all bodies, if available."""
    matter = system.matter() if matter is None else matter
    mass = mass_table(system)
    energy = np.zeros(q.shape[0])
    kinetic_energy_along(system.geometry, matter, system.width, q, v, mass, energy)
    return energy


def potential_of(run: Trajectory) -> np.ndarray:
    """The potential energy of weight and linear springs at each output time."""
    system = run.system
    total, gravity = np.zeros(run.times.size), np.array(system.model.gravity, float)
    for body in system.bodies:
        matter = body.matter
        poses = poses_of(run, body)
        center = poses[:, : gravity.size]
        if any(matter.center) or body.modal_coordinates:
            center, _ = system.space.frame(body.center_marker(), poses)
        total -= matter.mass * (center @ gravity)
    springs = [law for law in system.laws if law.stiffness != 0.0]
    values = measure_series(
        system, [Combination(law.terms) for law in springs], run.times, run.q, run.v, run.a, run.turns
    )
    for law, value in zip(springs, values, strict=True):
        total += 0.5 * law.stiffness * (value[:, 0] - law.rest) ** 2
    return total
