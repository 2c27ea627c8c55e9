"""A compiled model of space at one instant, as the dense matrices from which `formulations` starts.

Jacobian, gamma and applied forces are those of the program; redundant equations are left out.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg

from cardan.model.space import inertia_forces
from cardan.system.evaluate import evaluate_position, evaluate_velocity
from cardan.system.forces import apply_forces, force_table
from cardan.system.system import System
from formulations import Answer, Instant, matrix


class Mechanism:
    """A compiled model at q, and at v or a random velocity that its equations allow; `instant` says it in numbers.

    `reference` are the turns of angles, those of the start unless stated.
    """

    def __init__(self, system: System, q, v=None, time=0.0, reference=None) -> None:
        self.system, self.q, self.v = system, q, v
        self.gravity = np.array(system.model.gravity, float)
        reference = system.reference if reference is None else reference
        work, n = system.work(), system.width
        evaluate_position(system.geometry, system.rows, q, time, reference.copy(), work)
        self.J = _dense(system, work)
        if self.v is None:
            self.v = self._moving(work)
        evaluate_velocity(system.geometry, system.rows, self.v, time, work)
        self.rates = work.z[:, 1].copy()
        self.applied = system.speeds()
        strengths = np.zeros(len(system.laws))
        assert not apply_forces(force_table(system), time, work, strengths, self.applied)
        self.applied[:n] = 0.0  # what stands on ground
        self.kept = _independent(self.J)
        self.instant = self._instant(work.gamma[self.kept])

    def rate(self, measure: Any) -> float:
        """The rate of a measure between markers that an equation or a force has."""
        return float(self.rates[self.system.measures.index(measure)])

    def _moving(self, work):
        """A random velocity that all equations allow."""
        v = self.system.speeds()
        wish = np.random.default_rng(5).normal(size=self.system.coordinates)
        v[self.system.width :] = wish + np.linalg.pinv(self.J) @ (work.nu - self.J @ wish)
        return v

    def _instant(self, gamma):
        system, b = self.system, len(self.system.bodies)
        poses, speeds = self.q[7 : 7 * (b + 1)].reshape(b, 7), self.v[6 : 6 * (b + 1)].reshape(b, 6)
        matter = [body.matter for body in system.bodies]
        force = self.applied[6:].copy()
        for k, (m, p) in enumerate(zip(matter, poses[:, 3:], strict=True)):
            weight = m.mass * self.gravity
            force[6 * k : 6 * k + 6] += [*weight, *np.cross(m.center, matrix(p).T @ weight)]
        return Instant(
            mass=np.array([m.mass for m in matter]),
            center=np.array([m.center for m in matter]),
            inertia=np.array([m.inertia for m in matter]),
            p=poses[:, 3:],
            omega=speeds[:, 3:],
            force=force,
            J=self.J[self.kept],
            gamma=gamma,
        )

    def imbalance(self, answer: Answer) -> np.ndarray:
        """Q - M a - h - Phi_q^T lambda, by the compiled functions of the program."""
        a, left = self.system.speeds(), self.system.speeds()
        a[6:] = answer.a
        matter = self.system.space.matter((self.system.model.ground, *self.system.bodies))
        matter[0] = 0.0
        inertia_forces(self.system.geometry, matter, self.gravity, self.q, self.v, a, left)
        return (left + self.applied)[6:] - self.J[self.kept].T @ answer.multipliers


def _dense(system, work):
    rows, columns, values, shape = system.jacobian(work)
    J = np.zeros((shape[0], shape[1] + system.width))
    np.add.at(J, (rows, columns + system.width), values)
    return J[:, system.width :]


def _independent(J):
    """Rows of which none depends on others."""
    if J.shape[0] == 0:
        return np.zeros(0, int)
    _, R, order = scipy.linalg.qr(J.T, mode="economic", pivoting=True)
    rank = int(np.sum(np.abs(np.diag(R)) > 1e-9 * abs(R[0, 0])))
    return np.sort(order[:rank])
