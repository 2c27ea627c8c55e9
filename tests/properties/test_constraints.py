"""Laws of every constraint in the catalog: J, nu and gamma are derivatives of phi(q, t).

Equations on velocities have no phi; of them rate - nu is what stands at the beginning: J is its slope in v.
"""

import numpy as np
import pytest

from cardan.analysis.assembly.assemble import assembled
from cardan.model.space import advance
from cardan.system.compile import compile
from cardan.system.evaluate import evaluate
from catalogs import CASES, ROLLING

TIME = 0.47  # between the knots of the motions in the catalog


class Equations:
    """phi, J, rate, nu, gamma of a case near its assembled position."""

    def __init__(self, case, seed):
        self.system = compile(case.model(seed))
        q, self.reference = assembled(self.system, 0.0)
        random = np.random.default_rng(seed)
        self.ground = self.system.width  # speeds before those that are solved for
        self.position = ~self.system.on_velocities
        self.v, off = random.standard_normal((2, self.system.speeds().size))
        self.v[: self.ground], off[: self.ground] = 0.0, 0.0
        self.q = self.stepped(q, 0.02 * off)

    def stepped(self, q, step):
        there = q.copy()
        advance(self.system.geometry, there, step)
        return there

    def at(self, q, v, t):
        work = self.system.work()
        assert evaluate(self.system.geometry, self.system.rows, q, v, t, self.reference, work) == 0
        return work

    def jacobian(self, work):
        rows, columns, values, shape = self.system.jacobian(work)
        dense = np.zeros(shape)
        np.add.at(dense, (rows, columns), values)
        return dense

    def names(self, errors, tolerance):
        return {self.system.row_name(r): float(e) for r, e in enumerate(errors) if not e <= tolerance}


@pytest.fixture(params=[(case, seed) for case in CASES + ROLLING for seed in (0, 1)], ids=lambda p: f"{p[0]}-{p[1]}")
def equations(request):
    return Equations(*request.param)


def test_jacobian(equations):
    """Extrapolated central differences: h^4 phi^(5) + 1e-16/h, so 1e-10 at h = 1e-3 and phi^(5) of some hundreds."""
    work = equations.at(equations.q, equations.v, TIME)
    J = equations.jacobian(work)
    differences, h, still = np.zeros_like(J), 1e-3, 0.0 * equations.v

    def phi(step):
        return equations.at(equations.stepped(equations.q, step), still, TIME).phi

    for i in range(J.shape[1]):
        e = np.zeros(still.size)
        e[equations.ground + i] = 1.0
        coarse, fine = ((phi(s * e) - phi(-s * e)) / (2.0 * s) for s in (h, 0.5 * h))
        differences[:, i] = (4.0 * fine - coarse) / 3.0
    errors = np.abs(differences - J).max(axis=1) / (1.0 + np.abs(J).max(axis=1))
    assert not equations.names(errors * equations.position, 1e-8)
    assert not differences[~equations.position].any()


def test_rate_is_jacobian_times_v(equations):
    work = equations.at(equations.q, equations.v, TIME)
    J = equations.jacobian(work)
    scale = 1.0 + np.abs(J) @ np.abs(equations.v[equations.ground :])
    assert not equations.names(np.abs(J @ equations.v[equations.ground :] - work.rate) / scale, 1e-13)


def test_velocity_and_acceleration_equations(equations):
    """Along the step v t from q: phi' = rate - nu and (rate - nu)' = -gamma. Central differences at h = 4e-4,
    extrapolated, are good to h^4 phi^(6) + 1e-15/h, about 1e-10 at phi^(6) of some thousands."""
    q, v = equations.q, equations.v
    work = equations.at(q, v, TIME)
    h = 4e-4

    def phi(s):
        there = equations.at(equations.stepped(q, s * v), v, TIME + s)
        return np.array([there.phi, there.rate - there.nu])

    coarse, fine = ((phi(s) - phi(-s)) / (2.0 * s) for s in (h, 0.5 * h))
    rate, bend = (4.0 * fine - coarse) / 3.0
    errors = np.abs(rate - (work.rate - work.nu)) / (1.0 + np.abs(work.rate))
    assert not equations.names(errors * equations.position, 1e-8)
    assert not equations.names(np.abs(bend + work.gamma) / (1.0 + np.abs(work.gamma)), 1e-7)
