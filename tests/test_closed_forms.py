"""The closed forms obey their own differential equations, by differences, and begin as they say.

Differences of sixth order with the step h = 0.002 s: for what moves at up to w = 25 rad/s truncation, w^7 h^6 / 140,
and rounding, 1e-14 / h, are both below 1e-8.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp

from closed_forms import (
    Link,
    double_pendulum,
    oscillator,
    pendulum,
    pendulum_period,
    physical_pendulum,
    projectile,
    spring_chain,
    upright_four_bars,
)
from closed_turns import free_body, free_symmetric, heavy_top, steady_precession

STEP = 0.002
TIMES = np.linspace(0.1, 3.0, 30)
CLOSE = {"rtol": 0, "atol": 1e-8}


def slope(function, t=TIMES):
    """The derivative of a function of an array of times."""
    f = [function(t + k * STEP) for k in (-3, -2, -1, 1, 2, 3)]
    return (-f[0] + 9 * f[1] - 45 * f[2] + 45 * f[3] - 9 * f[4] + f[5]) / (60 * STEP)


def consistent(motion):
    """The rate is that of the value."""
    assert_allclose(slope(lambda t: motion(t).value), motion(TIMES).rate, **CLOSE)


def test_projectile():
    def motion(t):
        return projectile(t, (1, 2, 3), (0.5, -1, 4), (0, 0, -9.81))

    consistent(motion)
    assert_allclose(motion(np.zeros(1)).value, [[1, 2, 3]])
    assert_allclose(slope(lambda t: motion(t).rate), np.tile((0, 0, -9.81), (30, 1)), **CLOSE)


@pytest.mark.parametrize(
    "damping", [0.0, 0.8, 2 * np.sqrt(2.0 * 18.0), 30.0], ids=["free", "weak", "critical", "strong"]
)
@pytest.mark.parametrize(("force", "frequency"), [(0.0, 0.0), (5.0, 2.0), (5.0, 3.0)], ids=["none", "off", "resonant"])
def test_oscillator(damping, force, frequency):
    def motion(t):
        return oscillator(t, 2.0, 18.0, damping, start=0.7, speed=-1.2, force=force, frequency=frequency)

    first = motion(np.zeros(1))
    assert_allclose((first.value[0], first.rate[0]), (0.7, -1.2), rtol=0, atol=1e-13)
    consistent(motion)
    left = 2.0 * slope(lambda t: motion(t).rate) + damping * motion(TIMES).rate + 18.0 * motion(TIMES).value
    assert_allclose(left, force * np.cos(frequency * TIMES), **CLOSE)


def test_spring_chain():
    """Its equations, and the displacements that an exponential of its matrix gives for the book's data."""
    speeds = np.array([0, 0, 0, 0, 0, -0.1])

    def motion(t):
        return spring_chain(t, 2.5, 200.0, np.zeros(6), speeds)

    K = 2.0 * np.eye(6) - np.eye(6, k=1) - np.eye(6, k=-1)
    K[5, 5] = 1.0
    assert_allclose(motion(np.zeros(1)).rate[0], speeds, rtol=0, atol=1e-15)
    consistent(motion)
    assert_allclose(slope(lambda t: motion(t).rate), -80.0 * motion(TIMES).value @ K.T, **CLOSE)
    squares, vectors = np.linalg.eigh(80.0 * K)
    w = np.sqrt(squares)
    t = np.array([0.5, 1.0, 2.0, 3.0])
    exact = (np.sin(np.outer(t, w)) / w * (vectors.T @ speeds)) @ vectors.T
    assert_allclose(motion(t).value, exact, rtol=0, atol=1e-14)


STARTS = [
    (0.3, 0.0),
    (3.0, 0.0),
    (-1.0, 2.0),
    (0.0, 6.5),
    (1.0, -7.0),
    (np.pi, 1.0),
    (np.pi, -1.0),
    (2 * np.pi + 0.5, 1.0),
]


@pytest.mark.parametrize(("start", "speed"), STARTS)
def test_pendulum(start, speed):
    def motion(t):
        return pendulum(t, 3.0, start, speed)

    first = motion(np.zeros(1))
    assert_allclose((first.value[0], first.rate[0]), (start, speed), rtol=0, atol=1e-13)
    consistent(motion)
    assert_allclose(slope(lambda t: motion(t).rate), -9.0 * np.sin(motion(TIMES).value), **CLOSE)
    energy = 0.5 * motion(TIMES).rate ** 2 - 9.0 * np.cos(motion(TIMES).value)
    assert_allclose(energy, 0.5 * speed**2 - 9.0 * np.cos(start), rtol=0, atol=1e-12)


def test_pendulum_that_rests():
    still = pendulum(TIMES, 3.0, 2 * np.pi)
    assert np.all(still.value == 2 * np.pi) and np.all(still.rate == 0.0)


def test_period_of_a_pendulum():
    period = pendulum_period(3.0, 2.5)
    assert_allclose(pendulum(np.array([period, 0.5 * period]), 3.0, 2.5).value, (2.5, -2.5), rtol=0, atol=1e-12)
    assert_allclose(pendulum_period(3.0, 1e-6), 2 * np.pi / 3.0, rtol=1e-12)


def test_physical_pendulum():
    """A thin rod on its end swings as a pendulum of 2/3 of its length."""
    rod = physical_pendulum(TIMES, 1.7, 0.5, 1.7 / 12, 1.0, 0.4)
    assert_allclose(rod.value, pendulum(TIMES, np.sqrt(9.81 / (2 / 3)), 1.0, 0.4).value, rtol=0, atol=1e-12)


def test_upright_four_bars():
    def motion(t):
        return upright_four_bars(t, 2)

    k2 = 9.81 * 3.5 / 3.0
    first = motion(np.zeros(1))
    assert_allclose((first.value[0], first.rate[0]), (0.0, 1.0), rtol=0, atol=1e-13)
    energy = 0.5 * motion(TIMES).rate ** 2 + k2 * np.cos(motion(TIMES).value)
    assert_allclose(energy, 0.5 + k2, rtol=0, atol=1e-11)
    assert_allclose(slope(lambda t: motion(t).rate), k2 * np.sin(motion(TIMES).value), **CLOSE)


def test_double_pendulum():
    """Energy stays, and with no second mass the first link is a pendulum."""
    first, second = Link(1.2, 0.8, 0.3, 0.05), Link(0.7, 0.5, 0.35, 0.02)
    run = solve_ivp(
        lambda _, s: double_pendulum(s, first, second), (0, 3), (1.0, -2.0, 0.5, 3.0), rtol=1e-12, atol=1e-12
    )
    one, two, w1, w2 = run.y
    carried = np.stack([first.length * np.cos(one) * w1, first.length * np.sin(one) * w1])
    speed = carried + second.center * w2 * np.stack([np.cos(two), np.sin(two)])  # of the second mass center
    energy = 0.5 * (first.inertia + first.mass * first.center**2) * w1**2 + 0.5 * second.inertia * w2**2
    energy = energy + 0.5 * second.mass * np.sum(speed**2, axis=0)
    energy = energy - 9.81 * (first.mass * first.center + second.mass * first.length) * np.cos(one)
    energy = energy - 9.81 * second.mass * second.center * np.cos(two)
    assert_allclose(energy, energy[0], rtol=0, atol=1e-9)  # a thousand times the integrator's tolerance
    rates = double_pendulum((1.0, -2.0, 0.5, 3.0), Link(1.2, 0.8, 0.3, 0.05), Link(0.0, 0.5, 0.35, 0.02))
    assert_allclose(rates[2], -1.2 * 9.81 * 0.3 * np.sin(1.0) / (0.05 + 1.2 * 0.3**2), rtol=1e-14)


def turning_is_right(motion, J, omega):
    """R begins at I, R^T R' is the matrix of omega', Euler's equations hold, and R L' stays."""
    first = motion(np.zeros(1))
    assert_allclose(first.omega[0], omega, rtol=0, atol=1e-13)
    assert_allclose(first.R[0], np.eye(3), rtol=0, atol=1e-13)
    found, rate = motion(TIMES), slope(lambda t: motion(t).omega)
    assert_allclose(J * rate, -np.cross(found.omega, J * found.omega), **CLOSE)
    spin = np.swapaxes(found.R, 1, 2) @ slope(lambda t: motion(t).R)
    matrix = np.cross(found.omega[:, None, :], np.eye(3)).swapaxes(1, 2)
    assert_allclose(spin, matrix, **CLOSE)
    assert_allclose(np.einsum("nij,nj->ni", found.R, J * found.omega), np.tile(J * omega, (30, 1)), rtol=0, atol=1e-12)


@pytest.mark.parametrize("J", [(0.4, 0.4, 0.7), (0.7, 0.7, 0.4)])
def test_free_symmetric_body(J):
    omega = np.array([0.5, -0.3, 2.0])
    turning_is_right(lambda t: free_symmetric(t, J[0], J[2], omega), np.array(J), omega)


INERTIAS = [(0.4, 0.6, 0.9), (0.6, 0.4, 0.9), (0.9, 0.4, 0.6), (0.4, 0.9, 0.6)]
SPINS = [(2.0, 0.3, 0.4), (0.3, 0.4, -2.0), (0.2, 2.0, -0.3), (-1.5, 1.0, 0.8)]


@pytest.mark.parametrize("J", INERTIAS)
@pytest.mark.parametrize("omega", SPINS)
def test_free_body(J, omega):
    turning_is_right(lambda t: free_body(t, J, omega), np.array(J), np.array(omega))


ACROSS, AXIAL, WEIGHT = 0.5, 0.2, 3.0


def angular_acceleration(top):
    """theta'' from Lagrange's equation."""
    precession, theta, spin = top.rates[:, 0], top.nutation, top.rates[:, 2] + top.rates[:, 0] * np.cos(top.nutation)
    inertia = ACROSS * precession**2 * np.cos(theta) - AXIAL * spin * precession + WEIGHT
    return np.sin(theta) * inertia / ACROSS


@pytest.mark.parametrize(("nutation", "rate"), [(0.6, 0.0), (0.6, 0.5), (0.6, 3.0), (1.9, -0.4)])
def test_heavy_top(nutation, rate):
    """From above and from below: theta'' as Lagrange says, omega_z and the vertical momentum stay, rates are rates."""
    spin = 20.0

    def motion(t):
        return heavy_top(t, nutation, rate, spin, ACROSS, AXIAL, WEIGHT)

    first, found = motion(np.zeros(1)), motion(TIMES)
    assert_allclose((first.precession[0], first.nutation[0], first.spin[0]), (0, nutation, 0), rtol=0, atol=1e-12)
    assert_allclose(first.rates[0, :2], (rate, 0.0), rtol=0, atol=1e-7)  # the root of a rounding error
    angles = slope(lambda t: np.stack(motion(t)[:3], axis=1))
    assert_allclose(angles, found.rates, **CLOSE)
    assert_allclose(slope(lambda t: motion(t).rates[:, 1]), angular_acceleration(found), **CLOSE)
    c = np.cos(found.nutation)
    assert_allclose(found.rates[:, 2] + found.rates[:, 0] * c, spin, rtol=1e-13)
    momentum = ACROSS * found.rates[:, 0] * (1 - c**2) + AXIAL * spin * c
    expected = ACROSS * rate * np.sin(nutation) ** 2 + AXIAL * spin * np.cos(nutation)
    assert_allclose(momentum, expected, rtol=1e-12)


@pytest.mark.parametrize("nutation", [0.6, 1.9])
@pytest.mark.parametrize("spin", [20.0, -20.0])
def test_steady_precession(nutation, spin):
    """Both rates keep the top's angle, and started with them it does not nod."""
    rates = steady_precession(nutation, spin, ACROSS, AXIAL, WEIGHT)
    assert abs(rates[0]) < abs(rates[1])
    for rate in rates:
        left = ACROSS * np.cos(nutation) * rate**2 - AXIAL * spin * rate + WEIGHT
        assert_allclose(left, 0.0, rtol=0, atol=1e-12)
        top = heavy_top(TIMES, nutation, rate, spin, ACROSS, AXIAL, WEIGHT)
        assert_allclose(top.nutation, nutation, rtol=0, atol=1e-7)  # a double root, known to the root of rounding
        assert_allclose(top.precession, rate * TIMES, rtol=0, atol=1e-6)
