"""Examples of dynamics and equilibrium beyond their headlines: closed forms, other solvers, conserved quantities."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from cardan import equilibrium, initial_conditions, mobility, simulate
from cardan.case import load_case
from cardan.examples import load


def computed(name, **changes):
    return load_case(name, {}).compute(progress=False, **changes)


def test_pendulum_reaction_along_the_whole_swing():
    """From w^2 = 3 g sin / l: 5/2 m g sin along the rod, 1/4 m g cos across it, the angle counted below the level."""
    run = computed("pendulum")
    phi = -run["rod"].angle
    along = np.stack([np.cos(phi), -np.sin(phi)], axis=1)
    across = np.stack([np.sin(phi), np.cos(phi)], axis=1)
    force = run["pin"].in_frame("global").force
    np.testing.assert_allclose(np.sum(force * along, axis=1), -2.5 * 9.81 * np.sin(phi), atol=1e-5)
    np.testing.assert_allclose(np.sum(force * across, axis=1), 0.25 * 9.81 * np.cos(phi), atol=1e-5)
    np.testing.assert_allclose(run.energy.kinetic, 0.5 * 9.81 * np.sin(phi), atol=1e-6)
    assert run.energy.drift < 1e-7


def test_double_pendulum_by_its_two_equations():
    """Lagrange's equations of two thin rods, angles from the level, integrated by SciPy to 1e-12."""
    g = 9.81

    def rates(t, y):
        a, b, u, v = y
        c, s = math.cos(a - b), math.sin(a - b)
        M = np.array([[4 / 3, c / 2], [c / 2, 1 / 3]])
        right = [-s / 2 * v * v - 1.5 * g * math.cos(a), s / 2 * u * u - g / 2 * math.cos(b)]
        return [u, v, *np.linalg.solve(M, right)]

    run = computed("double-pendulum")
    there = solve_ivp(rates, (0, 5), [0, 0, 0, 0], t_eval=run.times, rtol=1e-12, atol=1e-12, method="DOP853").y
    tip = np.stack([np.cos(there[0]) + np.cos(there[1]), np.sin(there[0]) + np.sin(there[1])], axis=1)
    np.testing.assert_allclose(run["tip"].position, tip, atol=1e-6)  # errors grow a thousandfold


@pytest.mark.parametrize(
    "inertia, period, least, greatest", [(450.0, 0.26207, 17.68, 31.04), (900.0, 0.2325, 23.95, 30.56)]
)
def test_compressor_cycle(inertia, period, least, greatest):
    """The one-degree-of-freedom model of the book's case: period and range of the speed, to the digits kept of them."""
    case = load_case("compressor-transient", {"inertia": str(inertia)})
    run = case.compute(progress=False)
    cycle = next(happening.time for happening in run.events if happening.event.name == "3 pi")
    assert cycle == pytest.approx(period, abs=1e-4 if inertia == 900.0 else 1e-5)
    first = run.times <= cycle
    speed = run["crank"].angular_velocity[first]
    assert speed.min() == pytest.approx(least, abs=0.01) and speed.max() == pytest.approx(greatest, abs=0.01)


def test_light_flywheel_does_not_get_through_the_first_stroke():
    """With J = 225 the crank stops at 0.1149 s, the slider at 5.140 m (the one-degree-of-freedom model)."""
    run = load_case("compressor-transient", {"inertia": "225"}).compute(progress=False)
    (stop,) = run.events
    assert stop.time == pytest.approx(0.1149, abs=1e-4)
    assert stop.snapshot["slider"].position[0] == pytest.approx(5.140, abs=1e-3)


def test_bricard_names_its_redundant_equation_and_keeps_its_energy():
    run = computed("bricard")
    assert len(run.set_aside) == 1
    assert run.energy.drift < 1e-6
    ((element, _),) = mobility(run.model).redundant
    assert element.startswith("hinge")


def test_governor_switches_to_radau_and_loses_what_its_dampers_take():
    run = computed("governor")
    assert any("to radau because of stiff forces" in note for note in run.stats.notes)
    assert run.energy.dissipated[-1] > 0.0 and run.energy.drift < 1e-6
    momentum = load("governor").angular_momentum(run)
    np.testing.assert_allclose(momentum, momentum[0], rtol=1e-7)


def test_heavy_top_rises_to_its_cusp_and_keeps_its_momenta():
    run = computed("heavy-top")
    spin = run["top"].angular_velocity_b[:, 2]
    np.testing.assert_allclose(spin, 120.0, rtol=1e-8)  # no torque about the axis
    assert run["tip"].position[:, 2].max() == pytest.approx(1.4 * 0.08 * math.cos(math.radians(40.0)), abs=1e-9)


def test_rolling_coin_keeps_its_lean_and_does_not_slip():
    run = computed("rolling-coin")
    table = run.model["table"]
    np.testing.assert_allclose(run[table.lean].value, math.radians(25.0), atol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(run["center"].position[:, :2], axis=1), 0.25, atol=1e-6)
    force = run["table"].in_frame("global").force
    pull = 0.1 * load("rolling-coin").PACE ** 2 * 0.25  # m W^2 b toward the middle
    np.testing.assert_allclose(np.linalg.norm(force[:, :2], axis=1), pull, rtol=1e-6)
    np.testing.assert_allclose(force[:, 2], 0.1 * 9.81, rtol=1e-6)


def test_sleigh_in_closed_form():
    run = computed("chaplygin-sleigh")
    J, a, m = 0.3 + 2.0 * 0.3**2, 0.3, 2.0
    fastest = math.sqrt(0.2**2 + J * 3.0**2 / m)
    speed = fastest * np.tanh(m * a * fastest / J * run.times + math.atanh(0.2 / fastest))
    heading = run["sleigh"].angle
    velocity = run["runner"].velocity
    np.testing.assert_allclose(velocity[:, 0] * np.cos(heading) + velocity[:, 1] * np.sin(heading), speed, atol=1e-7)
    np.testing.assert_allclose(velocity[:, 1] * np.cos(heading) - velocity[:, 0] * np.sin(heading), 0.0, atol=1e-12)
    # across: m (v w + a w') = m v w (1 - m a^2 / J)
    w = run["sleigh"].angular_velocity
    force = run["blade"].force[:, 1] * np.cos(heading) - run["blade"].force[:, 0] * np.sin(heading)  # global axes
    np.testing.assert_allclose(force, m * speed * w * (1 - m * a * a / J), atol=1e-6)


def test_every_bounce():
    run = computed("bouncing-ball")
    first = math.sqrt(2.0 / 9.81)
    times = first * (1.0 + 2.0 * np.cumsum(0.8 ** np.arange(1, 10)))
    np.testing.assert_allclose([event.time for event in run.events], [first, *times], atol=1e-9)
    assert len(run.events) == 10


def test_lamp_has_two_stable_places_and_two_others():
    case = load_case("lamp-equilibrium", {})
    found = case.compute(progress=False)
    angles = sorted(rest["arm"].angle % (2.0 * math.pi) for rest in found)
    assert [rest.stable for rest in found] == [True, True]
    assert angles[0] + angles[1] == pytest.approx(math.pi, abs=1e-9)
    every = equilibrium(case.model, "newton", starts=40, progress=False)
    others = [rest for rest in every if abs(math.cos(rest["arm"].angle)) < 1e-6]
    assert others and all(rest.stable is False for rest in others)


def test_roof_is_unstable_between_its_folds():
    path = computed("snap-through")
    assert path.fold_factors[1] == pytest.approx(-path.fold_factors[0], abs=1e-12)
    fold = path.folds[0]["ridge"].position[1]
    stable = np.array(path.stable, bool)
    assert (stable == (np.abs(path["ridge"].position[:, 1]) > fold)).all()


@pytest.mark.parametrize("speed, period", [(6.0, 1.03978), (2.0 * math.pi, 0.99291), (8.0, 0.77983)])
def test_free_spatial_slider_crank(speed, period):
    """The periods of the one-degree-of-freedom model, without weight, from the crank at 87.744 degrees (Haug 12.2)."""
    from cardan import Event

    model = load("spatial-slider-crank-torque").build(torque=0.0)
    turn, begin = model["A"].angle, math.radians(87.744)
    start = initial_conditions(model, {turn: begin}, {turn: speed})
    run = simulate(model, 2.0, start=start, events=[Event(turn, begin + 2.0 * math.pi, "rising")], progress=False)
    assert run.events[0].time == pytest.approx(period, abs=2e-5)  # five digits, from an angle of five


@pytest.mark.parametrize(
    ("name", "size", "until"), [("newtons-cradle", {"balls": 30}, 0.6), ("chain-on-plane", {"links": 20}, 0.5)]
)
def test_long_rows_of_contacts_keep_their_energy(name, size, until):
    """At rtol 1e-8 the balance closes to 1e-6, with all that impacts took, and nothing passes through anything."""
    model = load(name).build(**size)
    run = simulate(model, until, output=until / 500, rtol=1e-8)
    assert run.energy.drift < 1e-6
    contacts = [element for element in model.forces if element.name.startswith("contact")]
    assert all(run[contact.gap].value.min() > -contact.pair.depth for contact in contacts)
    taken = sum(run.energy.work_of(contact)[-1] for contact in contacts)
    assert taken == pytest.approx(
        float(run.energy.total[-1] - run.energy.total[0]), abs=1e-6 * run.energy.kinetic.max()
    )
