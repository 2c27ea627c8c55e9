"""Periodic motions by shooting: closed forms, limit cycles, Floquet multipliers, and what simulation settles to."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from cardan import initial_conditions, periodic_motion, simulate
from cardan.methods import Dop853, Radau
from cardan.planar import (
    Action,
    Body,
    Driver,
    Harmonic,
    KnifeEdge,
    Load,
    Model,
    Ramp,
    Revolute,
    Spring,
    Torque,
    Translational,
    angle,
    x,
)
from cardan.spatial import Body as Rigid, Model as Space, Revolute as Hinge, Spring as Spiral, Torque as Twisting

FINE = 1e-8  # of multipliers: differences of fourth order, steps of 2e-3, runs of 1e-11


@pytest.mark.parametrize("damping", [0.4, 0.0, -0.3, 6.0])
def test_forced_linear_oscillator(damping):
    """x = Im(F exp(i w t) / (k - m w^2 + i c w)), multipliers exp(s T) with m s^2 + c s + k = 0; unstable ones, too."""
    m, k, w, force = 1.0, 4.0, 3.0, 2.0
    model, guide = _oscillator(m, k, damping)
    model.add(Load(model["mass"].at(), (Harmonic(force, w), 0.0)), name="push")
    T = 2 * math.pi / w
    motion = periodic_motion(model, T)
    exact = np.imag(force * np.exp(1j * w * motion.run.times) / (k - m * w**2 + 1j * damping * w))
    np.testing.assert_allclose(motion[guide.travel].value, exact, atol=1e-9)  # amplitude 0.4 m, gap 1e-9
    multipliers = np.exp(np.roots([m, damping, k]).astype(complex) * T)
    assert _same(motion.multipliers, multipliers) < FINE * max(1.0, abs(multipliers).max())
    assert motion.stable is {0.4: True, 6.0: True, 0.0: None, -0.3: False}[damping]
    assert motion.residual < 1e-9 and motion.iterations <= 2, "the map of a linear system is linear"


@pytest.mark.parametrize("method", [Radau(), Dop853(max_step=0.1), "radau"])
def test_methods_are_objects_or_names(method):
    """x'' + 0.2 x' + 4 x = cos 3 t: both Floquet multipliers have the modulus exp(-0.1 T)."""
    model, _ = _oscillator(1.0, 4.0, 0.2)
    model.add(Load(model["mass"].at(), (Harmonic(1.0, 3.0), 0.0)), name="push")
    motion = periodic_motion(model, 2 * math.pi / 3, method=method)
    assert np.abs(motion.multipliers) == pytest.approx(math.exp(-0.1 * 2 * math.pi / 3), rel=1e-7)  # of shooting


def test_van_der_pol():
    """x'' - (1 - x^2) x' + x = 0: the period of its limit cycle, known to thirty digits, found here by SciPy again.

    The product of the multipliers is exp of the integral of 1 - x^2 over the cycle (Liouville).
    """
    model, guide = _oscillator(1.0, 1.0, 0.0, law=_van_der_pol, start=2.0)
    motion = periodic_motion(model, 6.5, autonomous=True)
    period = 6.6632868593231301896996820305
    assert _cycle() == pytest.approx(period, abs=1e-9)
    assert motion.period == pytest.approx(period, abs=1e-9)
    times, value = motion.run.times, motion[guide.travel].value
    assert np.ptp(value) / 2 == pytest.approx(2.00862, abs=1e-4)  # instants, not the extreme itself
    # the trapezoidal rule is exact to rounding on a period
    product = math.exp(float(np.sum(1.0 - value[:-1] ** 2)) * float(times[1]))
    assert np.sort(np.abs(motion.multipliers)) == pytest.approx([product, 1.0], abs=FINE)
    assert motion.stable is True and "free periodic motion of 'oscillator'" in repr(motion)


def test_far_from_the_cycle_it_settles_first():
    """Near rest Newton's method finds rest, which is not a cycle; ten periods later it finds the cycle."""
    model, _ = _oscillator(1.0, 1.0, 0.0, law=_van_der_pol, start=0.05)
    motion = periodic_motion(model, 6.5, autonomous=True)
    assert motion.period == pytest.approx(6.66328685932313, abs=1e-9)
    assert motion.run.times[0] == pytest.approx(65.0)


def test_free_motion_keeps_its_energy_and_is_neutral():
    """A pendulum of 1 m swinging to 2 rad: T = 4 K(sin 1) / sqrt(g); its neighbors have other periods."""
    from scipy.special import ellipk

    model, pin = _pendulum(damping=0.0)
    start = initial_conditions(model, {pin.angle: 2.0}, {pin.angle: 0.0})
    motion = periodic_motion(model, 2.8, autonomous=True, start=start)
    exact = 4 * ellipk(math.sin(motion[pin.angle].value.max() / 2) ** 2) / math.sqrt(9.81)
    assert motion.period == pytest.approx(exact, rel=1e-7)  # the largest angle is that of an instant
    assert motion.stable is None


@pytest.mark.parametrize("torque", [2.0, 3.5])
def test_driven_pendulum(torque):
    """What a simulation of 40 periods has settled to."""
    w = 2.0
    model, pin = _pendulum(damping=0.8)
    model.add(Torque(model["bob"].at(), Harmonic(torque, w)), name="torque")
    motion = periodic_motion(model, 2 * math.pi / w)
    end = 40 * 2 * math.pi / w
    late = simulate(model, end, output=[0.0, end], rtol=1e-11, method="dop853")
    assert motion.stable is True
    first = motion[pin.angle]
    assert late[pin.angle].value[-1] == pytest.approx(first.value[0], abs=1e-8)
    assert late[pin.angle].rate[-1] == pytest.approx(first.rate[0], abs=1e-8)


def test_upright_pendulum_is_found_although_it_is_unstable():
    """Driven a little about its upper rest, a pendulum can stay there: the motion is linear but for small terms."""
    w, small = 3.0, 1e-4
    model, pin = _pendulum(damping=0.0)
    model.add(Torque(model["bob"].at(), Harmonic(small, w)), name="torque")
    start = initial_conditions(model, {pin.angle: math.pi}, {pin.angle: 0.0})
    motion = periodic_motion(model, 2 * math.pi / w, start=start)
    amplitude = small / (9.81 + w**2)  # m l^2 = 1
    assert np.abs(motion[pin.angle].value - math.pi).max() == pytest.approx(amplitude, rel=1e-4)
    grown = math.exp(math.sqrt(9.81) * motion.period)
    assert motion.multipliers[0].real == pytest.approx(grown, rel=1e-6)
    assert motion.multipliers[1].real == pytest.approx(1 / grown, abs=1e-4)  # of entries of 700
    assert motion.stable is False


def test_slider_crank_under_a_periodic_torque():
    """A synchronous motor turns the crank once in a period against a load: energy in equals energy lost.

    Whole turns do not count.
    """
    model = _slider_crank()
    T = 0.5
    hinge = model["A"]
    start = initial_conditions(model, {hinge.angle: 0.3}, {hinge.angle: 2 * math.pi / T})
    motion = periodic_motion(model, T, start=start)
    assert motion.run.times[0] == 0.0 and motion.stable is True
    turned = motion[hinge.angle].value
    assert turned[-1] - turned[0] == pytest.approx(2 * math.pi, abs=1e-8)
    rate = motion[hinge.angle].rate
    torque = 20.0 * np.sin(4.0 * math.pi * motion.run.times - turned)
    work = np.sum((torque * rate)[:-1]) * motion.run.times[1]
    loss = np.sum((30.0 * motion[model["guide"].travel].rate ** 2)[:-1]) * motion.run.times[1]
    assert work == pytest.approx(loss, rel=1e-7) and work > 1.0
    assert motion.residual < 1e-9


def test_motions_that_drivers_prescribe_close_by_themselves():
    """Nothing is free: no multipliers, and the motion is the driver's."""
    model = Model("driven")
    rotor = model.add(Body(mass=1.0, inertia=0.1), name="rotor")
    hinge = model.add(Revolute(model.ground.at(), rotor.at()), name="hinge")
    model.add(Driver(hinge.angle, Ramp(4.0)), name="motor")
    motion = periodic_motion(model, math.pi / 2)
    assert motion.multipliers.size == 0 and motion.stable is True and motion.iterations == 0


def test_in_space():
    """A rotor on a spiral spring, driven: a linear oscillator in Euler parameters."""
    J, c, k, w = 0.3, 0.05, 2.0, 4.0
    model = Space("balance wheel")
    wheel = model.add(Rigid(mass=1.0, inertia=(0.2, 0.2, J)), name="wheel")
    hinge = model.add(Hinge(model.ground.at(), wheel.at()), name="hinge")
    model.add(Spiral(hinge.angle, k, c, rest_angle=0.0), name="spiral")
    model.add(Twisting(wheel.at(), (0.0, 0.0, Harmonic(0.5, w))), name="torque")
    motion = periodic_motion(model, 2 * math.pi / w)
    exact = np.imag(0.5 * np.exp(1j * w * motion.run.times) / (k - J * w**2 + 1j * c * w))
    np.testing.assert_allclose(motion[hinge.angle].value, exact, atol=1e-9)
    assert _same(motion.multipliers, np.exp(np.roots([J, c, k]) * motion.period)) < FINE


def test_more_positions_than_speeds():
    """A sleigh on a blade, at rest, in a spring: the positions that it cannot reach by a push have multipliers 1."""
    model = Model("sleigh")
    sleigh = model.add(Body(mass=1.0, inertia=0.2, position=(0.0, 0.0)), name="sleigh")
    model.add(KnifeEdge(sleigh.at()), name="blade")
    model.add(Spring(x(sleigh.at()), 3.0, 0.5, rest_length=0.0), name="spring")
    model.add(Spring(angle(model.ground.at(), sleigh.at()), 2.0, 0.3, rest_angle=0.0), name="spiral")
    model.add(Load(sleigh.at(), (Harmonic(0.5, 2.0), 0.0)), name="push")
    motion = periodic_motion(model, math.pi)
    assert motion.multipliers.size == 5, "three positions, two speeds"
    aside = motion.multipliers[np.argmin(np.abs(motion.multipliers - 1.0))]
    assert abs(aside - 1.0) < FINE and motion.stable is None


def test_going_on_from_the_start_repeats_the_motion():
    model, guide = _oscillator(1.0, 4.0, 0.4)
    model.add(Load(model["mass"].at(), (Harmonic(2.0, 3.0), 0.0)), name="push")
    motion = periodic_motion(model, 2 * math.pi / 3, points=11)
    instants = np.array([0.0, 1.0, 3.0]) * motion.period
    run = simulate(model, instants[-1], output=instants, start=motion.start, rtol=1e-11)
    assert len(motion.run) == 11
    assert np.ptp(run[guide.travel].value) < 1e-9


def _same(found, expected):
    """The largest distance of a number from the nearest expected one."""
    return float(np.abs(found[:, None] - expected[None]).min(axis=1).max())


def _oscillator(m, k, c, law=None, start=0.1):
    model = Model("oscillator")
    mass = model.add(Body(mass=m, inertia=1.0, position=(start, 0.0)), name="mass")
    guide = model.add(Translational(model.ground.at(), mass.at()), name="guide")
    model.add(Spring(guide.travel, k, c, rest_length=0.0, law=law, allow_negative=c < 0.0), name="spring")
    return model, guide


def _van_der_pol(x, v):
    return -(1.0 - x * x) * v


def _cycle():
    """The period of van der Pol's cycle by SciPy: the time between two passages of x = 0, once settled."""

    def rates(t, y):
        return [y[1], (1 - y[0] ** 2) * y[1] - y[0]]

    def crossing(t, y):
        return y[0]

    crossing.direction = 1.0
    run = solve_ivp(rates, (0, 60), (2.0, 0.0), "DOP853", events=crossing, rtol=1e-13, atol=1e-13)
    return float(run.t_events[0][-1] - run.t_events[0][-2])


def _pendulum(damping):
    model = Model("pendulum", gravity=(0, -9.81))
    bob = model.add(Body(mass=1.0, inertia=0.0, position=(0, -1)), name="bob")
    pin = model.add(Revolute(model.ground.at(), bob.at(0, 1)), name="pin")
    if damping:
        model.add(Spring(pin.angle, damping=damping), name="damper")
    return model, pin


def _slider_crank():
    model = Model("slider-crank")
    crank = model.add(Body(mass=2.0, inertia=0.4), name="crank")
    rod = model.add(Body(mass=0.5, inertia=0.01, position=(0.3, 0)), name="rod")
    slider = model.add(Body(mass=1.0, inertia=0.01, position=(0.5, 0)), name="slider")
    hinge = model.add(Revolute(model.ground.at(), crank.at()), name="A")
    model.add(Revolute(crank.at(0.1, 0), rod.at(-0.2, 0)), name="B")
    model.add(Revolute(rod.at(0.2, 0), slider.at()), name="C")
    guide = model.add(Translational(model.ground.at(), slider.at()), name="guide")
    model.add(Spring(guide.travel, damping=30.0), name="load")
    model.add(Action(hinge.angle, lambda angle, rate, t: 20.0 * math.sin(4.0 * math.pi * t - angle)), name="motor")
    return model
