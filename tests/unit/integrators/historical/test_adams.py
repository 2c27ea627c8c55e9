"""Adams' method against closed forms, and the promises that a loop around it relies on."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from copy import deepcopy

import numpy as np
import pytest

from cardan.integrators.historical import adams
from cardan.integrators.historical.adams_formula import moulton_coefficients
from cardan.numerics.compiled.jit import kernel
from odes import AdamsRun, growth, kepler, kepler_position, kepler_start, oscillator


@kernel(internal=True)
def power(machine, task, t, y, dy):
    """y' = t^p."""
    dy[0] = t ** machine.parameter[0]
    return 0


@kernel(internal=True)
def toward_power(machine, task, t, y, dy):
    """y' = 10 t^9 - (y - t^10), solved by t^10: so flat at 0 that starting with order 1 costs nothing."""
    dy[0] = 10 * t**9 - (y[0] - t**10)
    return 0


@kernel(internal=True)
def toward_cosine(machine, task, t, y, dy):
    """y' = -L (y - cos t): the solution is soon near cos t, and explicit steps are bounded by some 1 / L."""
    dy[0] = -machine.parameter[0] * (y[0] - math.cos(t))
    return 0


@kernel(internal=True)
def rider(machine, task, t, y, dy):
    """A decay, and an oscillation that rides along."""
    w = machine.parameter[0]
    dy[0], dy[1] = -y[0], w * math.cos(w * t)
    return 0


@kernel(internal=True)
def pendulum_tip(machine, task, t, y, dy):
    """theta'' = -sin theta; the tip (sin theta, -cos theta) depends on theta and is corrected here."""
    dy[0], dy[1] = y[1], -math.sin(y[0])
    y[2], y[3] = math.sin(y[0]), -math.cos(y[0])
    dy[2], dy[3] = -y[3] * y[1], y[2] * y[1]
    return 0


@kernel(internal=True)
def fails_late(machine, task, t, y, dy):
    """y' = 1 until a time that a parameter tells, after it a status that another one tells."""
    dy[0] = 1.0
    return int(machine.parameter[1]) if t > machine.parameter[0] else 0


@kernel(internal=True)
def blows_up(machine, task, t, y, dy):
    """y' = y^2: infinite at t = 1 if y(0) = 1."""
    dy[0] = y[0] ** 2
    return 0


@kernel(internal=True)
def jump(machine, task, t, y, dy):
    """y' = 0 before t = 1, 1 after it."""
    dy[0] = 0.0 if t < 1.0 else 1.0
    return 0


def test_moulton_coefficients():
    """Haug, Table 7.4.10."""
    assert [str(c) for c in moulton_coefficients(6)] == ["1", "-1/2", "-1/12", "-1/24", "-19/720", "-3/160"]


@pytest.mark.parametrize("k", range(1, 7))
@pytest.mark.parametrize(("rule", "gain"), [(adams.FIXED, 1), (adams.FIXED_PREDICTOR, 0)])
def test_observed_order(rule, gain, k):
    """Corrected by one order more, the error falls with h^(k + 1); that of the predictor alone with h^k."""
    errors = []
    for count in (64, 128):
        run = AdamsRun(toward_power, [0.0], step=1 / count, rule=rule, order=k).steps(count)
        errors.append(abs(run.y[0] - 1.0))
    assert math.log2(errors[0] / errors[1]) == pytest.approx(k + gain, abs=0.3)  # the next power of h bends the line


@pytest.mark.parametrize("k", [1, 2, 5, 12])
def test_exact_for_polynomials_on_unequal_steps(k):
    """The corrector integrates polynomials of degree k exactly, whatever the steps; so does interpolation."""
    run = AdamsRun(power, [0.0], [k], step=0.1, rule=adams.FIXED, order=k).steps(k)  # the start has lower orders
    lengths = 0.1 * np.random.default_rng(k).uniform(0.5, 2.0, 20)
    for h in lengths:
        t, y = run.t, run.y[0]
        run.memory.clock.step = h
        run.steps(1)
        grown = (run.t ** (k + 1) - t ** (k + 1)) / (k + 1)
        assert run.y[0] - y == pytest.approx(grown, rel=1e-9)
        inside = t + 0.3 * h
        value, rate = run.at(inside)
        assert value[0] - y == pytest.approx((inside ** (k + 1) - t ** (k + 1)) / (k + 1), rel=1e-8)
        assert rate[0] == pytest.approx(inside**k, rel=1e-9)


@pytest.mark.parametrize("tol", [1e-6, 1e-8, 1e-10, 1e-11])
def test_growth(tol):
    run = AdamsRun(growth, [1.0], tol=tol, limit=5.0).to_limit()
    assert run.t == 5.0
    assert abs(run.y[0] / math.exp(5) - 1) < 20 * tol  # errors made early grow as the solution does


@pytest.mark.parametrize("tol", [1e-6, 1e-8, 1e-10, 1e-11])
@pytest.mark.parametrize("backwards", [False, True])
def test_oscillator(tol, backwards):
    """Ten turns, forwards and backwards in time; the phase error grows with each of them."""
    w, t = 3.0, (-1 if backwards else 1) * 20 * math.pi / 3
    run = AdamsRun(oscillator, [0.0, w], [w], tol=tol, limit=t).to_limit()
    assert run.t == t
    assert np.abs(run.y - [math.sin(w * t), w * math.cos(w * t)]).max() < 1000 * tol


@pytest.mark.parametrize(("tol", "most"), [(1e-6, 700), (1e-8, 1050), (1e-10, 1500), (1e-11, 1800)])
def test_kepler_orbit(tol, most):
    """Three turns with eccentricity 0.6: errors grow with the square of time; evaluations as few as LSODA's."""
    run = AdamsRun(kepler, kepler_start(0.6), tol=tol, limit=20.0).to_limit()
    assert np.abs(run.y[:2] - kepler_position(0.6, 20.0)).max() < 2000 * tol
    assert run.memory.counters.evaluations < most
    assert run.memory.counters.rejected < 0.1 * run.memory.counters.steps


def test_errors_follow_tolerances():
    """Over eight powers of ten the error after three turns stays between 10 and 3000 tolerances, at falling cost."""
    before = math.inf
    for tol in 10.0 ** -np.arange(12, 3, -1):
        run = AdamsRun(kepler, kepler_start(0.6), tol=tol, limit=20.0).to_limit()
        assert 10 < np.abs(run.y[:2] - kepler_position(0.6, 20.0)).max() / tol < 3000
        assert run.memory.counters.evaluations < before
        before = run.memory.counters.evaluations


def test_order_rises_with_accuracy_and_stays_below_the_highest():
    mean = {}
    for tol in (1e-2, 1e-11):
        run, seen = AdamsRun(kepler, kepler_start(0.1), tol=tol, limit=20.0), []
        while run.t < 20.0:
            run.steps(1)
            seen.append(run.memory.counters.last_order)
        mean[tol] = np.mean(seen)
        assert seen[:4] == [1, 2, 3, 4] and max(seen) <= 12
    assert mean[1e-2] < 6 < 9 < mean[1e-11]
    run = AdamsRun(kepler, kepler_start(0.1), tol=1e-8, limit=20.0, order=4)
    while run.t < 20.0:
        run.steps(1)
        assert run.memory.counters.last_order <= 4
    assert np.abs(run.y[:2] - kepler_position(0.1, 20.0)).max() < 2e-5


def test_stiff_decay_costs_steps_but_does_not_blow_up():
    L = 1000.0
    run = AdamsRun(toward_cosine, [0.0], [L], tol=1e-6, limit=2.0).to_limit()
    exact = (L * L * math.cos(2.0) + L * math.sin(2.0)) / (L * L + 1)
    assert abs(run.y[0] - exact) < 1e-5
    assert run.memory.counters.steps < 4 * L  # two stable steps in each 1 / L


def test_jump_of_the_rate_is_passed():
    run = AdamsRun(jump, [0.0], tol=1e-8, step=0.01, limit=2.0).to_limit()
    assert abs(run.y[0] - 1.0) < 1e-6
    assert run.memory.counters.rejected > 5


def test_a_first_step_is_found_in_any_unit():
    """In microseconds or years the run is the same; it does not begin with rejected steps, nor with tiny ones."""
    counts = set()
    for unit in (1e-6, 1.0, 3e7):
        w = 1.0 / unit
        run = AdamsRun(oscillator, [1.0, 0.0], [w], limit=6.0 * unit, control=[1, 0]).to_limit()
        assert run.y[0] == pytest.approx(math.cos(6.0), abs=1e-6)
        assert run.memory.counters.rejected == 0
        counts.add(run.memory.counters.steps)
    assert max(counts) - min(counts) <= 2 and max(counts) < 70


def test_nothing_moves():
    """At rest for ever, every step is a tenth of the way or longer."""
    run = AdamsRun(oscillator, [0.0, 0.0], [0.0], limit=10.0).to_limit()
    assert run.t == 10.0 and np.all(run.y == 0.0) and run.memory.counters.steps < 10


def test_failure_of_the_right_hand_side():
    """The status is kept, the state is that of the last accepted step, and shorter steps come closer."""
    run = AdamsRun(fails_late, [0.0], [1.0, 7.0], step=0.3, limit=2.0)
    statuses = []
    while run.step() != adams.TOO_SMALL:
        statuses.append(run.status)
        assert run.t <= 1.0 and run.y[0] == pytest.approx(run.t, abs=1e-12)
        assert run.memory.counters.status == (7 if run.status == adams.RHS_FAILED else 0)
    assert set(statuses) == {adams.ACCEPTED, adams.RHS_FAILED}
    assert run.t == pytest.approx(1.0, abs=1e-9)
    assert run.memory.counters.status == 7
    assert AdamsRun(fails_late, [0.0], [-1.0, 5.0], limit=1.0).status == adams.RHS_FAILED


def test_failure_with_fixed_steps_keeps_the_step():
    run = AdamsRun(fails_late, [0.0], [1.0, 7.0], step=0.3, rule=adams.FIXED, order=3).steps(3)
    assert run.step() == adams.RHS_FAILED
    assert run.memory.clock.step == 0.3 and run.t == pytest.approx(0.9)


def test_step_too_small():
    run = AdamsRun(blows_up, [1.0], tol=1e-8, limit=2.0).to_limit()
    assert run.status == adams.TOO_SMALL
    assert run.t == pytest.approx(1.0, abs=1e-6) and run.memory.counters.status == 0


def test_uncontrolled_components_ride_along():
    """They do not change a digit of the others, and follow their own equation as well as the steps allow."""
    slow, fast = (AdamsRun(rider, [1.0, 0.0], [w], control=[1, 0], limit=3.0).to_limit() for w in (0.5, 50.0))
    assert fast.y[0] == slow.y[0] == pytest.approx(math.exp(-3), abs=1e-7)
    assert slow.y[1] == pytest.approx(math.sin(1.5), abs=1e-7)
    steps = [
        AdamsRun(rider, [1.0, 0.0], [50.0], control=[1, control], limit=3.0).to_limit().memory.counters.steps
        for control in (0.0, 1e-3, 1.0)
    ]
    assert steps[0] < 60 < 200 < steps[1] < steps[2]  # weights between 0 and 1 loosen a tolerance


def test_what_the_right_hand_side_changes_is_kept():
    """Dependent coordinates are accepted as corrected there, and fit the polynomial between the steps."""
    run = AdamsRun(pendulum_tip, [1.0, 0.0, 9.0, 9.0], tol=1e-9, control=[1, 1, 0, 0], limit=10.0)
    assert run.y[2:] == pytest.approx([math.sin(1.0), -math.cos(1.0)], abs=1e-15)
    while run.t < 10.0:
        run.steps(1)
        theta, omega = run.y[:2]
        assert run.y[2:] == pytest.approx([math.sin(theta), -math.cos(theta)], abs=1e-15)
        y, dy = run.at(run.t - 0.6 * run.memory.steps[0])
        assert y[2:] == pytest.approx([math.sin(y[0]), -math.cos(y[0])], abs=1e-7)
        assert dy[0] == pytest.approx(y[1], abs=1e-7)
    assert 0.5 * omega**2 - math.cos(theta) == pytest.approx(-math.cos(1.0), abs=1e-7)


def test_a_copy_goes_on_with_the_same_digits():
    run = AdamsRun(kepler, kepler_start(0.6), tol=1e-9, limit=20.0).steps(100)
    kept = deepcopy(run.memory)
    run.at(run.t - 0.5 * run.memory.steps[0])  # looking back changes nothing of what follows
    first = run.to_limit().y.copy(), run.memory.counters.evaluations
    run.memory = kept
    assert run.t < 10.0
    again = run.to_limit().y.copy(), run.memory.counters.evaluations
    assert np.array_equal(first[0], again[0]) and first[1] == again[1]


def test_interpolation_is_as_good_as_the_steps():
    """Exact at both ends of a step; in between, errors of y as at the ends, and dy the rate of y."""
    tol, e = 1e-8, 0.6
    run = AdamsRun(kepler, kepler_start(e), tol=tol, limit=20.0)
    worst = at_ends = 0.0
    while run.t < 20.0:
        before = run.y.copy(), run.memory.differences[:, 0].copy()
        run.steps(1)
        h = run.memory.steps[0]
        assert np.array_equal(run.at(run.t)[0], run.y)
        assert np.array_equal(run.at(run.t)[1], run.memory.differences[:, 0])
        assert np.array(run.at(run.t - h)) == pytest.approx(np.array(before), abs=1e-12)
        at_ends = max(at_ends, np.abs(run.y[:2] - kepler_position(e, run.t)).max())
        for part in (0.2, 0.5, 0.8):
            t = run.t - part * h
            y, dy = run.at(t)
            worst = max(worst, np.abs(y[:2] - kepler_position(e, t)).max())
            assert dy[:2] == pytest.approx(y[2:], abs=100 * tol * max(1, *np.abs(dy)))
    assert worst < 1.1 * at_ends


def test_limit_is_reached_and_never_passed():
    """Times beyond it fail here; the last steps are not tiny."""
    run = AdamsRun(fails_late, [0.0], [1.0, 7.0], tol=1e-9, step=0.0301, limit=1.0)
    lengths = []
    while run.t < 1.0:
        run.steps(1)
        lengths.append(run.memory.steps[0])
    assert run.t == 1.0 and run.y[0] == pytest.approx(1.0, abs=1e-12)
    assert lengths[-1] > 0.2 * lengths[-2]


@pytest.mark.parametrize("limit", [3.0, -3.0])
def test_longest_step(limit):
    run, lengths = AdamsRun(growth, [1.0], tol=1e-3, limit=limit, longest=0.07), []
    while run.t != limit:
        run.steps(1)
        lengths.append(abs(run.memory.steps[0]))
    assert max(lengths) == 0.07 and sum(lengths) == pytest.approx(3.0)
    assert run.y[0] == pytest.approx(math.exp(limit), rel=1e-2)


def test_orders_that_do_not_exist():
    for order in (0, 13):
        with pytest.raises(ValueError, match=f"between 1 and 12, not {order}"):
            adams.adams_memory(1, order=order)


def test_restart_forgets_the_past():
    """After a jump of the state the run is that of a fresh start, digit by digit; only the counters go on."""
    run = AdamsRun(kepler, kepler_start(0.6), tol=1e-9, limit=20.0).steps(50)
    assert run.restart(5.0, kepler_start(0.2)) == adams.ACCEPTED
    before = run.memory.counters.steps
    fresh = AdamsRun(kepler, kepler_start(0.2), tol=1e-9, limit=20.0, t=5.0).to_limit()
    assert before == 50
    assert np.array_equal(run.to_limit().y, fresh.y)
    assert run.memory.counters.steps == 50 + fresh.memory.counters.steps


PLAIN = """
import json
from cardan.integrators.historical import adams
from odes import AdamsRun, kepler, kepler_start
run = AdamsRun(kepler, kepler_start(0.3), tol=1e-8, limit=5.0).to_limit()
print(json.dumps([*run.y, *run.at(4.95)[0], int(run.memory.counters.steps)]))
"""


def test_the_same_code_runs_uncompiled():
    """Fused multiply-adds of the compiled code change the last digits, no more."""
    answers = []
    for disabled in ("0", "1"):
        environment = {**os.environ, "NUMBA_DISABLE_JIT": disabled, "PYTHONPATH": os.pathsep.join(sys.path)}
        answers.append(json.loads(subprocess.check_output([sys.executable, "-c", PLAIN], env=environment)))
    compiled, plain = answers
    assert compiled == pytest.approx(plain, rel=1e-11)
    assert compiled[:2] == pytest.approx(kepler_position(0.3, 5.0), abs=1e-5)
