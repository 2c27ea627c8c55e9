"""Symplectic steps: order, the symplectic form, reversal, what symmetry keeps, and energy over long runs."""

import math

import numpy as np
import pytest

from cardan import (
    Event,
    ModelError,
    SimulationError,
    Symplectic,
    joint_space,
    planar as plane,
    simulate,
    spatial as space,
)
from closed_forms import upright_four_bars
from falling_linkages import four_bar as falling_four_bar, slider_crank, spatial_four_bar, spatial_slider_crank
from long_runs import arm, double_pendulum, four_bar, heavy_top, pendulum
from machines import four_bars, tip


def leapt(model, until, step, order=2, **options):
    return simulate(model, until, method=Symplectic(step=step, order=order), **options)


def apart(model, one, two):
    """The largest difference of positions and axes of bodies at the last instants of two runs."""
    gaps = [np.abs(one[b].position[-1] - two[b].position[-1]).max() for b in model.bodies]
    axes = "matrix" if isinstance(model, space.Model) else "angle"
    turned = [np.abs(getattr(one[b], axes)[-1] - getattr(two[b], axes)[-1]).max() for b in model.bodies]
    return max(gaps + turned)


@pytest.mark.parametrize(
    "build, order, steps",
    [
        (double_pendulum, 2, (100, 200)),
        (double_pendulum, 4, (50, 100)),
        (double_pendulum, 6, (50, 100)),
        (pendulum, 8, (10, 20)),
    ],
)
def test_order(build, order, steps):
    """Errors fall as step^order, to a tenth of the exponent."""
    model = build()
    exact = simulate(model, 1.0, rtol=1e-13, output=[1.0])
    errors = [apart(model, leapt(model, 1.0, 1.0 / n, order, output=[1.0]), exact) for n in steps]
    assert abs(np.log(errors[0] / errors[1]) / np.log(steps[1] / steps[0]) - order) < 0.1 * order
    assert errors[1] < 1e-3


@pytest.mark.parametrize("build", [falling_four_bar, slider_crank, spatial_four_bar, spatial_slider_crank, arm])
@pytest.mark.parametrize("order", [2, 4])
def test_order_of_loops_and_balls(build, order):
    """The same where loops are closed and where balls turn; joints stay closed to rounding."""
    model = build()
    exact = simulate(model, 0.2, rtol=1e-12, output=[0.2])
    runs = [leapt(model, 0.2, h, order) for h in (0.004, 0.002)]
    errors = [apart(model, run, exact) for run in runs]
    assert abs(np.log2(errors[0] / errors[1]) - order) < 0.1 * order
    assert max(run.violations().max() for run in runs) < 1e-12


def state_of(tree, run):
    """q and p at the last instant of a run."""
    here = joint_space(run.model, start=run.at(float(run.times[-1])))
    v = here.from_bodies(here.q, run.v[-1])
    return here.q, tree.momenta(here.q, v)


def step_map(tree, step, order):
    """The map of one step: (q, v) to (q, p)."""
    model = tree.system.model
    return lambda q, v: state_of(tree, leapt(model, step, step, order, start=tree.snapshot(q, v), output=[step]))


def differential(tree, leap, q, v, dq, dv, eps=1e-5):
    """Displacements, along speeds, and changes of momenta at both ends of a step, by central differences."""
    ends = [(tree.moved(q, s * eps * dq), v + s * eps * dv) for s in (1.0, -1.0)]
    before = [(a, tree.momenta(a, b)) for a, b in ends]
    after = [leap(a, b) for a, b in ends]
    middle = leap(q, v)[0]
    return [
        ((between(tree, here, one[0]) - between(tree, here, two[0])) / (2 * eps), (one[1] - two[1]) / (2 * eps))
        for here, (one, two) in ((q, before), (middle, after))
    ]


def between(tree, q, other):
    """The small displacement from q to other, numbered as the speeds."""
    if q.size == len(tree.speeds):
        return other - q
    w = q * (1, -1, -1, -1)  # one ball: the vector of the turn conj(q) other
    scalar = w[0] * other[0] - w[1:] @ other[1:]
    return 2.0 * np.sign(scalar) * (w[0] * other[1:] + other[0] * w[1:] + np.cross(w[1:], other[1:]))


def area(tree, p, one, two):
    """The symplectic form of two changes of state; balls have momenta about axes that turn."""
    found = one[0] @ two[1] - two[0] @ one[1]
    return found + p @ np.cross(one[0], two[0]) if len(tree.coordinates) > len(tree.speeds) else found


@pytest.mark.parametrize("build", [double_pendulum, four_bar, heavy_top])
@pytest.mark.parametrize("order", [2, 4])
def test_symplectic_form_is_kept(build, order):
    """dq ^ dp is the same before and after a long step, along all pairs of changes that constraints allow.

    For a ball, the form on the group of rotations. Differences are exact to 1e-9.
    """
    tree = joint_space(build())
    leap = step_map(tree, 0.1 if build is not heavy_top else 0.02, order)
    W, random = tree.null_space(tree.q), np.random.default_rng(2)
    v = W @ random.standard_normal(W.shape[1]) * (1.0 if build is not heavy_top else 20.0)
    n = W.shape[1]
    changes = [(W[:, k], rate_of(tree, v, W[:, k])) for k in range(n)] + [(0.0 * v, W[:, k]) for k in range(n)]
    moved = [differential(tree, leap, tree.q, v, *change) for change in changes]
    ends = (tree.momenta(tree.q, v), leap(tree.q, v)[1])
    for j in range(len(moved)):
        for k in range(j):
            first, second = (area(tree, ends[e], moved[j][e], moved[k][e]) for e in range(2))
            assert abs(first - second) < 1e-7 * max(1.0, abs(first))


def rate_of(tree, v, dq):
    """By what speeds must change so that they are still allowed after a displacement."""
    Phi = tree.constraint_jacobian(tree.q)
    if not Phi.size:
        return 0.0 * v
    eps = 1e-6
    turned = (tree.constraint_jacobian(tree.q + eps * dq) - tree.constraint_jacobian(tree.q - eps * dq)) / (2 * eps)
    return -np.linalg.pinv(Phi) @ (turned @ v)


def test_other_methods_do_not_keep_it():
    """What the test above measures is not kept by an explicit step of low order."""
    tree = joint_space(double_pendulum())
    model, h = tree.system.model, 0.1

    def leap(q, v):
        return state_of(tree, simulate(model, h, method="rk3", rtol=0.05, start=tree.snapshot(q, v), output=[h]))

    v, still, x = np.array([1.0, -2.0]), np.zeros(2), np.array([1.0, 0.0])
    one, two = (differential(tree, leap, tree.q, v, *change) for change in ((x, still), (still, x)))
    gap = area(tree, None, one[0], two[0]) - area(tree, None, one[1], two[1])
    assert abs(gap) > 1e-6


@pytest.mark.parametrize("build", [pendulum, arm, four_bar])
@pytest.mark.parametrize("order", [2, 4])
def test_reversal(build, order):
    """Speeds turned round, as many steps lead back: to rounding, which the motion of the arm spreads."""
    model = build()
    there = leapt(model, 2.0, 0.01, order, output=[0.0, 2.0])
    end = there.at(2.0)
    tree = joint_space(model, start=end)
    turned = tree.snapshot(tree.q, -tree.from_bodies(tree.q, there.v[-1]))
    back = leapt(model, 2.0, 0.01, order, start=turned, output=[2.0])
    for body in model.bodies:
        assert np.abs(back[body].position[-1] - there[body].position[0]).max() < 1e-9


def test_symmetry_keeps_momentum():
    """Angular momentum of a free body in space, and that of a top about the vertical and its own axis, to rounding."""
    model = space.Model("free")
    body = model.add(
        space.Body(mass=2.0, inertia=(0.1, 0.2, 0.25), velocity=(1.0, 2.0, 3.0), angular_velocity=(3.0, 5.0, 2.0)),
        name="body",
    )
    run = leapt(model, 20.0, 0.05)
    axes = run[body].matrix
    L = np.einsum("kij,j,klj,kl->ki", axes, (0.1, 0.2, 0.25), axes, run[body].angular_velocity)
    assert np.abs(L - L[0]).max() < 1e-12 and np.abs(run[body].position[-1] - 20.0 * np.array([1, 2, 3])).max() < 1e-11
    model = heavy_top()
    run, top = leapt(model, 5.0, 0.01), model["top"]
    matrix, w = run[top].matrix, run[top].angular_velocity
    spin = np.einsum("kij,ki->kj", matrix, w)  # about axes of the body
    about_point = np.einsum("kij,kj->ki", matrix, np.array([0.03 + 0.09, 0.03 + 0.09, 0.05]) * spin)
    assert np.ptp(about_point[:, 2]) < 1e-11 and np.ptp(spin[:, 2]) < 1e-10


BOUNDED = [
    (pendulum, 2, 0.01, 1e-3),
    (pendulum, 4, 0.01, 1e-7),
    (double_pendulum, 2, 0.005, 0.1),
    (double_pendulum, 4, 0.005, 2e-4),
    (arm, 4, 0.004, 2e-5),
    (four_bar, 2, 0.01, 1e-4),
    (four_bar, 4, 0.01, 1e-9),
]


def bounded(build, order, step, steps, bound):
    """Energy's error stays below a bound, and has no trend beyond what rounding may add, 1e-16 J in each step."""
    run = leapt(build(), steps * step, step, order, output=steps * step / 2000)
    error = run.energy.total - run.energy.total[0]
    assert np.abs(error).max() < bound
    trend = np.polyfit(run.times / run.times[-1], error, 1)[0]
    assert abs(trend) < 0.1 * np.abs(error).max() + 1e-16 * steps
    assert run.violations().max() < 1e-12


@pytest.mark.parametrize("build, order, step, bound", BOUNDED)
def test_energy(build, order, step, bound):
    bounded(build, order, step, 10_000, bound)


@pytest.mark.slow
@pytest.mark.parametrize("build, order, step, bound", BOUNDED)
def test_energy_over_a_million_steps(build, order, step, bound):
    bounded(build, order, step, 1_000_000, bound)


def test_forces_that_take_energy():
    """A damper acts at the middle of a leap: of the same order, and what it takes is counted."""
    model = pendulum()
    model.add(plane.Spring(model["pin"].angle, stiffness=2.0, damping=0.3, rest_angle=0.0), name="damper")
    exact = simulate(model, 2.0, rtol=1e-12, output=[2.0])
    runs = [leapt(model, 2.0, h, 4) for h in (0.02, 0.01)]
    errors = [apart(model, run, exact) for run in runs]
    assert abs(np.log2(errors[0] / errors[1]) - 4.0) < 0.4
    lost = [np.abs(run.energy.error).max() for run in runs]
    assert lost[1] < 1e-7 and lost[0] / lost[1] > 10.0


def test_driven_constraints():
    """A shoulder that is swung: the motion is that of other methods, and what the drive puts in is counted."""
    model = double_pendulum()
    model.add(plane.Driver(model["shoulder"].angle, plane.Harmonic(0.4, 3.0)), name="motor")
    exact = simulate(model, 1.0, rtol=1e-12, output=[1.0])
    runs = [leapt(model, 1.0, h, 4) for h in (0.02, 0.01)]
    errors = [apart(model, run, exact) for run in runs]
    assert abs(np.log2(errors[0] / errors[1]) - 4.0) < 0.4
    lost = [np.abs(run.energy.error).max() for run in runs]  # counted by trapezoids
    assert abs(np.log2(lost[0] / lost[1]) - 2.0) < 0.2 and lost[1] < 2e-3
    assert runs[1].violations().max() < 1e-12


@pytest.mark.parametrize("step, order", [(0.01, 4), (0.0041, 4), (0.01, 6), (0.0037, 8)])
def test_singular_positions_are_passed(step, order):
    """Two falling four-bars, whose degree of freedom jumps where the bars lie in line; some leaps end 1e-6 from there.

    Most steps come out at 3e-10 (order 4, 0.004 s); one that ends so near multiplies rounding: 1.3e-7 with 0.0041 s.
    """
    model = four_bars(2)
    run = leapt(model, 10.0, step, order, output=[10.0])
    exact = float(upright_four_bars(np.array([10.0]), 2).value[0])
    assert np.abs(tip(model, run) - (math.sin(exact), math.cos(exact))).max() < 1e-6


def test_events_end_runs():
    model = pendulum()
    runs = [
        simulate(model, 2.0, events=[Event(model["pin"].angle, 0.0)], **options)
        for options in ({"rtol": 1e-11}, {"method": "symplectic", "step": 0.005})
    ]
    assert abs(runs[0].times[-1] - runs[1].times[-1]) < 1e-7


class TestBadInput:
    @pytest.mark.parametrize(
        "options, words",
        [
            ({}, "needs the length of its steps"),
            ({"step": 0.01, "order": 3}, "must be 2, 4, 6 or 8, got 3"),
            ({"step": 0.01, "coordinates": "cartesian"}, "integrates joint coordinates"),
            ({"step": 0.01, "rho": 0.5}, "has no option rho"),
        ],
    )
    def test_options(self, options, words):
        with pytest.raises(ModelError, match=words):
            simulate(pendulum(), 1.0, method="symplectic", **options)

    def test_equations_on_velocities(self):
        model = plane.Model("sleigh")
        sleigh = model.add(plane.Body(mass=1.0, inertia=1.0, velocity=(1.0, 0.0)), name="sleigh")
        model.add(plane.KnifeEdge(sleigh.at()), name="blade")
        with pytest.raises(ModelError, match="'blade' is a velocity constraint"):
            leapt(model, 1.0, 0.01)

    def test_steps_that_are_too_long(self):
        model = pendulum()
        model.add(plane.Spring(model["pin"].angle, stiffness=1e6, rest_angle=0.0), name="stiff")
        with pytest.raises(SimulationError, match="use a shorter step"):
            leapt(model, 1.0, 0.1)
