"""Low-order schemes for runs that samplers cut: their orders, and the formula across jumps."""

import numpy as np
import pytest

from cardan import simulate
from cardan.integrators.runge_kutta import CASH_KARP, RALSTON
from cardan.integrators.sampled_adams import FORMULA, GAP_OF_POSITIONS, GAP_OF_SPEEDS, PREDICTED
from cardan.planar import Actuator, Body, Model, Revolute, Sampled, Spring, Translational, rate, time


@pytest.mark.parametrize(("table", "order"), [(RALSTON, 3), (CASH_KARP, 5)])
def test_the_tables_satisfy_the_conditions_of_their_order(table, order):
    """Quadrature, sum b c^k = 1/(k+1), and the condition of each tall tree, b A^k 1 = 1/(k+1)!, up to the order."""
    stages = table.shape[1]
    A, b, e = table[:stages], table[stages], table[stages + 1]
    c, tall, factorial = A.sum(axis=1), np.ones(stages), 1.0
    for k in range(order):
        factorial *= k + 1
        assert b @ c**k == pytest.approx(1.0 / (k + 1), abs=1e-14)
        assert b @ tall == pytest.approx(1.0 / factorial, abs=1e-14)
        if k < order - 1:  # the formula within agrees up to one order less
            assert e @ c**k == pytest.approx(0.0, abs=1e-14)
        tall = A @ tall
    assert abs(e @ c ** (order - 1)) > 1e-4


@pytest.mark.parametrize(("part", "order", "gap"), [(0, 5, GAP_OF_POSITIONS), (1, 4, GAP_OF_SPEEDS)])
def test_the_formula_is_exact_for_polynomials(part, order, gap):
    """The integral of t^p over the next step, and t^p there, from its values at 0, -1, -2, -3, -4."""
    nodes, formula, predicted = -np.arange(5.0), FORMULA[part], PREDICTED[part]
    for p in range(order):
        assert formula @ nodes**p == pytest.approx(1.0 / (p + 1))
        assert predicted @ nodes**p == pytest.approx(1.0)
    missed = 1.0 / (order + 1) - formula @ nodes**order
    assert missed == pytest.approx(gap * (1.0 - predicted @ nodes**order))


@pytest.mark.parametrize(("method", "order"), [("rk3", 3), ("rk5", 5)])
def test_observed_order(method, order):
    """A pendulum with fixed steps: half the step, 2^-order of the error, within a factor of 1.5."""
    errors = []
    for step in (0.02, 0.01):
        model = Model("pendulum", gravity=(0, -9.81))
        bob = model.add(Body(mass=1.0, position=(1.0, 0.0)), name="bob")
        model.add(Revolute(model.ground.at(), bob.at(-1.0, 0.0)), name="pin")
        run = simulate(model, 1.0, output=[1.0], method=method, rtol=1e-2, step=step)
        fine = simulate(model, 1.0, output=[1.0], rtol=1e-12)
        errors.append(np.abs(run[bob].position - fine[bob].position).max())
    assert 2.0**order / 1.5 < errors[0] / errors[1] < 2.0**order * 1.5


def test_one_evaluation_for_each_sample():
    """A spring, a damper and a law at 1 kHz: as exact as asked for, at a sixth of what Cash and Karp need."""
    runs = {}
    for method in ("sampled", "rk5", "dop853"):
        model = Model("sled")
        body = model.add(Body(mass=2.0, inertia=1.0), name="body")
        travel = model.add(Translational(model.ground.at(), body.at()), name="rail").travel
        law = Sampled(lambda x, v: 300.0 * (1.0 - x) - 20.0 * v, [travel, rate(travel)], period=1e-3)
        model.add(Actuator(travel, model.add(law, name="law")), name="drive")
        model.add(Spring(travel, 200.0, 4.0, rest_length=0.0), name="spring")
        runs[method] = simulate(model, 2.0, output=0.05, method=method, rtol=1e-6)
        runs[method].x = runs[method][travel].value
    assert runs["sampled"].stats.evaluations < 1.1 * runs["sampled"].stats.steps
    assert np.abs(runs["sampled"].x - runs["dop853"].x).max() < 1e-6  # rtol
    assert np.abs(runs["rk5"].x - runs["dop853"].x).max() < 1e-9


@pytest.mark.parametrize("rtol", [1e-4, 1e-6, 1e-8])
def test_joints_are_closed_where_someone_looks(rtol):
    """A four-bar linkage whose crank a law at 1 kHz drives: as exact as asked for, closed at samples and in between."""
    model = Model("four-bar", gravity=(0, -9.81))
    ends = [(0.0, 0.0), (0.0, 0.3), (0.5, 0.6), (0.6, 0.0)]
    last, joint = model.ground.at(0.0, 0.0), []
    for k, (p, q) in enumerate(zip(ends, ends[1:], strict=False)):
        length, turn = np.hypot(q[0] - p[0], q[1] - p[1]), np.arctan2(q[1] - p[1], q[0] - p[0])
        middle = (0.5 * (p[0] + q[0]), 0.5 * (p[1] + q[1]))
        bar = model.add(Body(mass=1.0, inertia=length**2 / 12, position=middle, angle=turn), name=f"bar {k}")
        joint.append(model.add(Revolute(last, bar.at(-0.5 * length, 0.0)), name=f"pin {k}"))
        last = bar.at(0.5 * length, 0.0)
    model.add(Revolute(last, model.ground.at(*ends[-1])), name="pin 3")
    turned = joint[0].angle
    law = Sampled(lambda t, w: 5.0 * (-6.0 * t - w), [time, rate(turned)], period=1e-3)
    model.add(Actuator(turned, model.add(law, name="law")), name="motor")
    output = np.concatenate([np.arange(0.0, 1.0, 0.05), [0.99937, 1.0]])
    run = simulate(model, 1.0, output=output, method="sampled", rtol=rtol)
    fine = simulate(model, 1.0, output=output, method="dop853", rtol=1e-11)
    assert run.violations().max() < 1e-13
    assert np.abs(run[turned].value - fine[turned].value).max() < 100.0 * rtol  # after 1000 steps
    assert run.stats.factorizations < 1.7 * run.stats.steps  # at 1e-8 some steps are those of Cash and Karp
