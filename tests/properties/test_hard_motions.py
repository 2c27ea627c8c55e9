"""Singular positions, redundant joints, stiff forces and light bodies do not stop or spoil a run."""

from __future__ import annotations

import math

import numpy as np
import pytest

from cardan import mobility, simulate
from cardan.planar import Body, Gear, Model, Revolute, Torque
from closed_forms import pendulum, upright_four_bars
from machines import bricard, four_bars, light_rod, stiff_oscillator, tip

TOLERANCES = np.logspace(-5, -11, 40)


def exact_tip(time: float, n: int) -> np.ndarray:
    theta = float(np.asarray(upright_four_bars(np.array([time]), n).value)[0])
    return np.array([math.sin(theta), math.cos(theta)])


@pytest.fixture(scope="module")
def bars():
    return four_bars(2), exact_tip(10.0, 2)


@pytest.mark.parametrize("rtol, bound", [(1e-8, 1e-6), (1e-10, 1e-8), (1e-11, 1e-9)])
def test_bars_that_fall_in_line(bars, rtol, bound):
    """The figures of the issue: 10 s, automatic steps, the degree of freedom jumps from 1 to 3 again and again."""
    model, exact = bars
    run = simulate(model, 10.0, rtol=rtol, output=[10.0])
    assert np.abs(tip(model, run) - exact).max() < bound
    assert run.violations().max() < 1e-12


def test_no_stall_at_forty_tolerances(bars):
    """Steps grow with the tolerance's eighth root, so that no run takes more than twice what its neighbors take."""
    model, exact = bars
    steps = []
    for rtol in TOLERANCES:
        run = simulate(model, 10.0, rtol=float(rtol), output=[10.0])
        assert np.abs(tip(model, run) - exact).max() < max(3e3 * rtol, 1e-8)
        steps.append(run.stats.steps)
    expected = steps[0] * (TOLERANCES / TOLERANCES[0]) ** (-1.0 / 8.0)
    assert max(steps / expected) < 2.0


def test_forty_four_bars():
    """20 s of 81 bars: error below 1e-5 at rtol 1e-8."""
    model = four_bars(40)
    run = simulate(model, 20.0, rtol=1e-8, output=[20.0])
    assert np.abs(tip(model, run) - exact_tip(20.0, 40)).max() < 1e-5


@pytest.mark.parametrize("offset", [0.0, 1e-12, 1e-9, 1e-6])
def test_start_in_a_singular_position(offset):
    """All bars in line: they go on together, as inertia says, theta'' = k sin theta from pi/2."""
    speed, until = 4.8, 0.5
    model = four_bars(2, speed, math.pi / 2.0 + offset)
    k = math.sqrt(9.81 * (1.5 + 2.0) / (1.0 + 2.0))
    start = 1.5 * math.pi + offset  # from the downward vertical
    exact = float(np.asarray(pendulum(np.array([until]), k, start, speed).value)[0]) - math.pi
    run = simulate(model, until, rtol=1e-9, output=[until])
    assert np.abs(tip(model, run) - (math.sin(exact), math.cos(exact))).max() < 1e-6


def test_radau_passes_singular_positions(bars):
    model, exact = bars
    run = simulate(model, 10.0, method="radau", output=[10.0], rtol=1e-6)
    assert np.abs(tip(model, run) - exact).max() < 1e-5


@pytest.mark.parametrize("steps", range(4900, 5101, 20))
@pytest.mark.parametrize("method, factor", [("generalized-alpha", 44.4), ("hht", 65.3)])
def test_fixed_steps_pass_singular_positions(bars, method, factor, steps):
    """Errors are the method's own, factor h^2 to 2 %, wherever a step happens to end."""
    model, exact = bars
    h = 10.0 / steps
    run = simulate(model, 10.0, method=method, output=[10.0], step=h)
    assert abs(np.abs(tip(model, run) - exact).max() / h**2 / factor - 1.0) < 0.02


def test_bricard_names_its_redundant_equation():
    report = mobility(bricard())
    assert report.degrees_of_freedom == 1 and len(report.redundant) == 1 and report.redundant[0][0].startswith("hinge")


def test_bricard_at_any_rank_tolerance():
    """Evaluations within 1 % and the same place at the end, whatever counts as dependent."""
    model = bricard()
    fine = simulate(model, 10.0, rtol=1e-11, output=[10.0])["rod 3"].position[-1]
    counts = []
    for rank_tolerance in (1e-12, 1e-10, 1e-8, 1e-6):
        run = simulate(model, 10.0, rtol=1e-8, output=[10.0], rank_tolerance=rank_tolerance)
        assert np.abs(run["rod 3"].position[-1] - fine).max() < 1e-8
        assert run.set_aside and run.violations().max() < 1e-11
        counts.append(run.stats.evaluations)
    assert max(counts) <= 1.01 * min(counts)


def test_auto_changes_to_radau():
    """A stiff spring: few steps, the same place as with a rod up to its stretch, and a word about the change."""
    model = stiff_oscillator()
    run = simulate(model, 2.0, rtol=1e-7, output=[2.0])
    explicit = simulate(model, 2.0, rtol=1e-7, output=[2.0], method="dop853")
    assert any("radau" in note for note in run.stats.notes) and "radau" in repr(run)
    assert run.stats.evaluations < 0.5 * explicit.stats.evaluations
    assert np.abs(run["bob"].position - explicit["bob"].position).max() < 1e-5


def test_auto_stays_explicit_where_nothing_is_stiff(bars):
    run = simulate(bars[0], 5.0, rtol=1e-8, output=[5.0])
    assert not run.stats.notes


@pytest.mark.parametrize("mass", [1e-4, 1e-8, 1e-12, 0.0])
def test_light_rods(mass):
    """Whatever the mass of a light rod, the run takes about the same steps and ends at the same place."""
    reference = simulate(light_rod(0.0), 2.0, rtol=1e-9, output=[2.0])
    run = simulate(light_rod(mass), 2.0, rtol=1e-9, output=[2.0])
    assert abs(run["slider"].position[-1, 0] - reference["slider"].position[-1, 0]) < 1e-6 + 10.0 * mass
    assert run.stats.steps < 1.5 * reference.stats.steps


def test_second_order_of_generalized_alpha_and_hht():
    """Point mass on a 1 m pendulum: the error falls by 4 when the step is halved."""
    model = Model("pendulum", gravity=(0.0, -9.81))
    bob = model.add(Body(mass=1.0, position=(1.0, 0.0)), name="bob")
    model.add(Revolute(model.ground.at(), bob.at(-1.0, 0.0)), name="pin")
    angle = float(np.asarray(pendulum(np.array([2.0]), math.sqrt(9.81), math.pi / 2.0).value)[0])
    exact = np.array([math.sin(angle), -math.cos(angle)])
    for method in ("generalized-alpha", "hht"):
        errors = []
        for step in (4e-3, 2e-3, 1e-3):
            run = simulate(model, 2.0, method=method, step=step, output=[2.0])
            errors.append(np.abs(run[bob].position[-1] - exact).max())
        orders = np.log2(np.array(errors[:-1]) / errors[1:])
        assert np.all(np.abs(orders - 2.0) < 0.15), (method, errors)


@pytest.mark.parametrize("method, bound", [("auto", 5e-9), ("radau", 1e-7)])
def test_pendulum_figures(method, bound):
    """10 s from horizontal at rtol 1e-10."""
    model = Model("pendulum", gravity=(0.0, -9.81))
    bob = model.add(Body(mass=1.0, position=(1.0, 0.0)), name="bob")
    model.add(Revolute(model.ground.at(), bob.at(-1.0, 0.0)), name="pin")
    angle = float(np.asarray(pendulum(np.array([10.0]), math.sqrt(9.81), math.pi / 2.0).value)[0])
    run = simulate(model, 10.0, method=method, rtol=1e-10, output=[10.0])
    assert np.abs(run[bob].position[-1] - (math.sin(angle), -math.cos(angle))).max() < bound


@pytest.mark.parametrize("time", [0.37, 4.2, 9.99])
def test_any_instant_is_as_exact_as_the_run(time):
    """Outputs a second apart: between them the motion is found anew, not interpolated."""
    model = Model("pendulum", gravity=(0.0, -9.81))
    bob = model.add(Body(mass=1.0, position=(1.0, 0.0)), name="bob")
    model.add(Revolute(model.ground.at(), bob.at(-1.0, 0.0)), name="pin")
    angle = float(np.asarray(pendulum(np.array([time]), math.sqrt(9.81), math.pi / 2.0).value)[0])
    place = simulate(model, 10.0, output=1.0, rtol=1e-9).at(time)[bob].position
    assert np.abs(place - (math.sin(angle), -math.cos(angle))).max() < 1e-7


@pytest.mark.parametrize("method", ["auto", "direct", "partition"])
def test_no_turn_of_fast_gears_is_lost(method):
    """Polynomial motion, so that nothing but the turns limits the steps: J theta'' = 1 + t."""
    model = Model("gears")
    first = model.add(Body(mass=1.0, inertia=0.01), name="first")
    second = model.add(Body(mass=2.0, inertia=0.05, position=(0.3, 0.0)), name="second")
    pin = model.add(Revolute(model.ground.at(), first.at()), name="pin")
    model.add(Revolute(model.ground.at(0.3, 0.0), second.at()), name="other pin")
    model.add(Gear(first.at(), second.at(), 0.1, 0.2), name="gear")
    model.add(Torque(first.at(), lambda t: 1.0 + t), name="torque")
    run = simulate(model, 1.5, method=method, output=0.5)  # to 75 rad
    t, inertia = run.times, 0.01 + 0.25 * 0.05
    assert np.abs(run[pin.angle].value - (t**2 / 2.0 + t**3 / 6.0) / inertia).max() < 1e-6
