"""Derivatives by dual numbers, on every mechanism of the catalogs, against the complex step through the kernels, and
those of all equations against differences of the compiled passes.

Differences of sixth order with steps of 1e-3 err by 1e-18 of seventh derivatives, which are large where gears are
small, and by 1e-13 of rounding: agreement to 1e-10 of the numbers themselves shows that no term is missing.
"""

from __future__ import annotations

import numpy as np
import pytest

from cardan.analysis.assembly.assemble import assembled
from cardan.analysis.linear import common_measures as linear_usual
from cardan.analysis.linear.pattern import MatrixPattern
from cardan.analysis.linear.rows import row_slopes
from cardan.analysis.linear.slopes import slopes_at
from cardan.model.space import advance, inertia_forces
from cardan.system.cartesian.mechanism_tables import mechanism_tables
from cardan.system.compile import compile
from cardan.system.evaluate import evaluate
from catalogs import CASES, ROLLING
from complex_step import Mechanics, parts

pytestmark = pytest.mark.usefixtures("kernels_called_directly")

STEP, AGREE = 1e-3, 1e-10
# Designed cams are quintic pieces of 2 pi / 720, whose third derivatives jump: shorter steps stay within one of them,
# and have larger rounding errors.
SHORT, ROUNDED = 3e-4, 1e-9
TIME = 0.3


class State:
    """A mechanism at a closed position, with speeds and accelerations at random."""

    def __init__(self, case):
        self.system = compile(case.model(1), forces=True, time=TIME)
        self.q, self.reference = assembled(self.system, TIME)
        random = np.random.default_rng(7)
        self.v, self.a = (self._free(random) for _ in range(2))
        self.multipliers = random.normal(size=self.system.row_count)
        self.work = self.system.work()

    def _free(self, random):
        found = self.system.speeds()
        found[self.system.width :] = random.normal(size=self.system.coordinates)
        return found

    def rows(self, q, v):
        """J, J v - nu and -gamma."""
        status = evaluate(self.system.geometry, self.system.rows, q, v, TIME, self.reference, self.work)
        assert status == 0
        rows, columns, values, shape = self.system.jacobian(self.work)
        J = np.bincount(rows * shape[1] + columns, values, shape[0] * shape[1]).reshape(shape)
        return J, self.work.rate - self.work.nu, -self.work.gamma

    def moved(self, k, step):
        q, along = self.q.copy(), self.system.speeds()
        along[self.system.width + k] = step
        advance(self.system.geometry, q, along)
        return q

    def faster(self, k, step):
        v = self.v.copy()
        v[self.system.width + k] += step
        return v


def slope(function, step=STEP):
    """The derivative of function(step) at zero."""
    odd = [function(k * step) - function(-k * step) for k in (1, 2, 3)]
    return (45.0 * odd[0] - 9.0 * odd[1] + odd[2]) / (60.0 * step)


@pytest.fixture(params=[True, False], ids=["compiled", "interpreted"])
def compiled(request, monkeypatch):
    """Models of any size take one of both ways."""
    monkeypatch.setattr(linear_usual, "MANY_MEASURES", 0 if request.param else 10**9)
    return request.param


@pytest.mark.parametrize("case", CASES + ROLLING, ids=str)
def test_measures(case, compiled):
    """value, jac, rate and bias of all measures by displacements, bias by speeds: exact in both ways."""
    state = State(case)
    system, width = state.system, state.system.width
    usual = MatrixPattern(system, mechanism_tables(system)).usual
    slopes, by_step = (
        slopes_at(system, state.q, state.v, state.reference, usual=usual),
        Mechanics(system, TIME, state.reference),
    )
    tables = [slopes.matrix(table).toarray() for table in (slopes.value_q, slopes.rate_q, slopes.bias_q)]
    by_speed = slopes.matrix(slopes.bias_v).toarray()
    for k in range(system.coordinates):
        z, jac = (parts(table)[1] for table in by_step.measures(by_step.moved(state.q, k), state.v))
        for level, table in enumerate(tables):
            close(table[:, k], z[:, level])
        mine = system.columns == width + k
        close(np.einsum("mcd,md->mc", slopes.jac_q, mine) * (system.columns >= width), jac * (system.columns >= width))
        faster = by_step.measures(state.q, by_step.faster(state.v, width + k))[0]
        close(by_speed[:, k], parts(faster)[1][:, 2])


@pytest.mark.parametrize("case", CASES + ROLLING, ids=str)
def test_rows(case, compiled):
    """G = D(J v - nu), A = D(J) a, B and V of the biases, and the stiffness D(J^T) lambda."""
    state = State(case)
    step, agree = (SHORT, ROUNDED) if "CamProfile" in case.name else (STEP, AGREE)
    system, width = state.system, state.system.width
    state.rows(state.q, state.v)
    pattern = MatrixPattern(system, mechanism_tables(system))
    slopes = slopes_at(system, state.q, state.v, state.reference, usual=pattern.usual)
    found = row_slopes(system, TIME, state.work.coefficient, slopes, state.a, state.multipliers)
    weights, numbers = found.R.T @ state.multipliers, pattern.numbers()
    pattern.forces.linear[:] = 0.0  # joints alone
    pattern.add_forces(slopes, weights, numbers, pattern.numbers())
    stiffness = (pattern.matrix(numbers) + slopes.curvature(weights) + found.pressed).toarray()
    close(pattern.jacobian(state.work).toarray(), state.rows(state.q, state.v)[0])
    for k in range(system.coordinates):
        moved = [slope(lambda h, n=n, k=k: state.rows(state.moved(k, h), state.v)[n], step) for n in range(3)]
        close(found.G.toarray()[:, k], moved[1], agree)
        close(found.A.toarray()[:, k], moved[0] @ state.a[width:], agree)
        close(found.B.toarray()[:, k], moved[2], agree)
        close(stiffness[:, k], moved[0].T @ state.multipliers, agree)
        faster = slope(lambda h, k=k: state.rows(state.q, state.faster(k, h))[2], step)
        close(found.V.toarray()[:, k], faster, agree)


@pytest.mark.parametrize("case", [CASES[0], CASES[-1]], ids=str)
def test_inertia(case, compiled):
    """M a + h less weight, by displacements and by speeds."""
    state = State(case)
    system, width = state.system, state.system.width
    matter = system.space.matter((system.model.ground, *system.bodies))
    matter[1:] += np.random.default_rng(3).uniform(0.1, 1.0, matter[1:].shape)
    matter[0] = 0.0
    system.space.__class__.matter, usual = (lambda self, bodies: matter.copy()), system.space.__class__.matter
    try:
        pattern = MatrixPattern(system, mechanism_tables(system))
        numbers = pattern.numbers(), pattern.numbers()
        pattern.add_inertia(state.q, state.v, state.a, *numbers)
        by_place, by_speed = (pattern.matrix(part).toarray() for part in numbers)
    finally:
        system.space.__class__.matter = usual

    def inertia(q, v):
        out = system.speeds()
        inertia_forces(system.geometry, matter, np.array(system.model.gravity, float), q, v, state.a, out)
        return -out[width:]

    for k in range(system.coordinates):
        close(by_place[:, k], slope(lambda h, k=k: inertia(state.moved(k, h), state.v)))
        close(by_speed[:, k], slope(lambda h, k=k: inertia(state.q, state.faster(k, h))))


def close(ours, reference, agree=AGREE):
    size = max(1.0, float(np.abs(reference).max(initial=0.0)))
    assert float(np.abs(ours - reference).max(initial=0.0)) < agree * size
