"""The energy of a run, and whether it adds up.

    T + V = (T + V)_0 + work - dissipated + driven

V is that of weight and of linear springs. Loads, actuators and functions do work, also friction, stops and contacts,
whose work is negative; dampers, forces `damping z'`, dissipate; drivers put in or take out. Work is integrated along
the run by the integrator itself, so that what is left over measures its error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cardan.errors import ModelError
from cardan.model.measure import Combination
from cardan.model.space import mass_blocks
from cardan.numerics.compiled.jit import kernel
from cardan.results.measure_series import measure_series
from cardan.shortcuts import dissipated_by
from cardan.system.cartesian.mechanism_tables import NOTHING, least_energy
from cardan.system.cartesian.motion import kinetic
from cardan.system.system import System

if TYPE_CHECKING:
    from cardan.results.trajectory import Trajectory


class Energy:
    """Energies at each instant, in J."""

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
        """What does not add up since the first instant."""
        balance = self.total - self.work + self.dissipated - self.driven
        return balance - balance[:1]

    @property
    def scale(self) -> float:
        """The largest energy that was moved in the run.

        Never less than 1e-6 of what is usual for a mechanism of this size, mass and weight, and 1e-6 of what is stored:
        at rest nothing moves, and rounding is not an error.
        """
        if not self.kinetic.size:
            return least_energy(self._run.system)
        moved = [self.kinetic, self.potential - self.potential[0], self.work, self.dissipated, self.driven]
        largest = max(float(np.abs(part).max()) for part in moved)
        return max(largest, NOTHING * float(np.abs(self.potential).max()), least_energy(self._run.system))

    @property
    def drift(self) -> float:
        """The largest error, relative to the largest energy that was moved in the run, `scale`."""
        return float(np.abs(self.error).max() / self.scale) if self.kinetic.size else 0.0

    def work_of(self, element: object) -> np.ndarray:
        """The work that one force has done beside its linear spring, which stores it, and its damper.

        Friction and stops have taken what is negative here; `dissipated_by` is the part of its damper.
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
            raise ModelError(f"{title} is no force of '{self._run.model.name}': work is that of forces")
        return laws

    def __repr__(self) -> str:
        return (
            f"<energy of '{self._run.model.name}': .kinetic .potential .total .work .dissipated .driven .error; "
            f"drift {self.drift:.1e}>"
        )


def kinetic_energy(system: System, q: np.ndarray, v: np.ndarray, matter: np.ndarray | None = None) -> np.ndarray:
    """The kinetic energy at each line of q and v; `matter` is the table of all bodies, if it is at hand."""
    matter = system.space.matter((system.model.ground, *system.bodies)) if matter is None else matter
    mass = np.zeros((matter.shape[0], system.width * (system.width + 1) // 2))
    energy = np.zeros(q.shape[0])
    _collect(system.geometry, matter, system.width, q, v, mass, energy)
    return energy


def potential_of(run: Trajectory) -> np.ndarray:
    """The potential energy of weights and linear springs at each instant."""
    system = run.system
    total, gravity = np.zeros(run.times.size), np.array(system.model.gravity, float)
    for body in system.bodies:
        matter, k = body.matter, system.number[id(body)]
        poses = run.q[:, system.space.stored * k : system.space.stored * (k + 1)]
        center, _ = system.space.frame(body.at(*matter.center), poses)
        total -= matter.mass * (center @ gravity)
    springs = [law for law in system.laws if law.stiffness != 0.0]
    values = measure_series(
        system, [Combination(law.terms) for law in springs], run.times, run.q, run.v, run.a, run.turns
    )
    for law, value in zip(springs, values, strict=True):
        total += 0.5 * law.stiffness * (value[:, 0] - law.rest) ** 2
    return total


@kernel
def _collect(geometry, matter, width, q, v, mass, energy):
    for i in range(q.shape[0]):
        mass_blocks(geometry, matter, q[i], mass)
        energy[i] = kinetic(mass, v[i], width)
