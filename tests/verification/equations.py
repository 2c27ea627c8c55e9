"""The equations of a model at a given position, as the matrices that the book prints."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from cardan.model.model import Model
from cardan.system.compile import compile
from cardan.system.evaluate import evaluate


class At(NamedTuple):
    """phi = 0, J v = nu, J a = gamma."""

    phi: np.ndarray
    J: np.ndarray
    nu: np.ndarray
    gamma: np.ndarray


class Equations:
    """A compiled model, evaluated wherever the test wants: q = [pose of each body, own coordinates].

    A pose is x, y, phi in the plane and x, y, z, e0, e1, e2, e3 in space; speeds there are r' and omega'.
    """

    def __init__(self, model: Model) -> None:
        self.system = compile(model)

    def at(self, q: ArrayLike, time: float = 0.0, speeds: ArrayLike | None = None) -> At:
        system, work = self.system, self.system.work()
        v = system.speeds()
        v[system.width :] = 0.0 if speeds is None else speeds
        evaluate(system.geometry, system.rows, self._with_ground(q), v, time, system.reference.copy(), work)
        rows, columns, values, shape = system.jacobian(work)
        J = np.zeros(shape)
        np.add.at(J, (rows, columns), values)
        return At(work.phi.copy(), J, work.nu.copy(), work.gamma.copy())

    def newton(self, q: ArrayLike, time: float, count: int) -> np.ndarray:
        """The iterates of Newton's method on these equations, start first, without the analyses' safeguards.

        In the plane only, where the speeds are the rates of the coordinates.
        """
        iterates = [np.asarray(q, float)]
        for _ in range(count):
            at = self.at(iterates[-1], time)
            iterates.append(iterates[-1] + np.linalg.solve(at.J, -at.phi))
        return np.array(iterates)

    def _with_ground(self, q: ArrayLike) -> np.ndarray:
        ground = self.system.start[: self.system.space.stored]
        return np.concatenate((ground, np.asarray(q, float)))
