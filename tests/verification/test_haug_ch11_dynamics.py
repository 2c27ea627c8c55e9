"""Haug, chapter 11: motion of one body in space, in closed form.

The book derives the equations and has no numbers for their motion; numbers here are ours, closed forms those of
mechanics: Jacobi's elliptic functions for the free body, Lagrange's top, the physical pendulum.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from cardan import simulate
from cardan.spatial import Body, Cylindrical, Model, Revolute, Spherical, rotation
from closed_forms import physical_pendulum
from closed_turns import free_body, free_symmetric, heavy_top, steady_precession
from verification.curves import left_over
from verification.manual import Within

G = 9.81
RTOL = 1e-11
NEAR = Within(1e-7, "rtol 1e-11, over some tens of rad")


@pytest.mark.parametrize("omega", [(0.3, 0.2, 5.0), (4.0, 0.2, 1.0), (0.1, 3.0, 0.05)])
def test_free_body(record, omega):
    """Equation 11.1.20: a free body of three different moments of inertia, 1, 2 and 3 kg m2.

    Near the axis of the greatest moment, near that of the least, and near the middle one, about which it tumbles.
    """
    model = Model("free body", gravity=(0, 0, -G))
    state = {"orientation": rotation.from_axis_angle((1, 2, 3), 0.7), "angular_velocity_b": omega}
    body = model.add(Body(mass=2.0, inertia=(1, 2, 3), velocity=(1.0, 0.5, 20.0), **state), name="body")
    run = simulate(model, 6.0, output=0.05, rtol=RTOL)
    exact = free_body(run.times, (1, 2, 3), omega)
    case = f"omega' = {omega}"
    record(f"omega', {case}", run[body].angular_velocity_b, exact.omega, NEAR, "equation 11.1.20", "closed form")
    A = run[body].matrix[0] @ exact.R
    record(f"orientation, {case}", run[body].matrix, A, NEAR, "equation 11.1.20", "closed form")
    t = run.times[:, None]
    flight = np.array([1.0, 0.5, 20.0]) * t + 0.5 * np.array([0, 0, -G]) * t**2
    record(f"mass centre, {case}", run[body].position, flight, Within(1e-9, "parabola"), "equation 11.1.20",
           "closed form")  # fmt: skip


def test_free_symmetric_body(record):
    """Equation 11.1.20: a free body with two equal moments of inertia precesses steadily about its momentum."""
    model = Model("free body")
    body = model.add(Body(mass=1.0, inertia=(2.0, 2.0, 0.5), angular_velocity_b=(1.0, 0.5, 8.0)), name="body")
    run = simulate(model, 10.0, output=0.05, rtol=RTOL)
    exact = free_symmetric(run.times, 2.0, 0.5, (1.0, 0.5, 8.0))
    record("omega'", run[body].angular_velocity_b, exact.omega, NEAR, "equation 11.1.20", "closed form")
    record("orientation", run[body].matrix, exact.R, NEAR, "equation 11.1.20", "closed form")


@pytest.mark.parametrize("joined", [True, False])
def test_heavy_top(record, joined):
    """Equations 11.1.22 and 11.1.23: a heavy symmetric top on its fixed point.

    1 kg, mass centre 0.2 m above the point, J 0.05, 0.05 and 0.01 kg m2 about it, inclined by 0.6 rad, 60 rad/s of
    spin, released without precession; once with its frame in the point, once in the mass centre.
    """
    nutation, spin, across, axial, weight = 0.6, 60.0, 0.05, 0.01, G * 0.2
    run, top = _top(nutation, 0.0, spin, joined)
    exact = heavy_top(run.times, nutation, 0.0, spin, across, axial, weight)
    axis = run[top].matrix[:, :, 2]
    s, c = np.sin(exact.nutation), np.cos(exact.nutation)
    expected = np.stack([s * np.sin(exact.precession), -s * np.cos(exact.precession), c], axis=1)
    case = "frame in the point" if joined else "frame in the mass centre"
    record(f"axis of the top, {case}", axis, expected, NEAR, "equation 11.1.23", "closed form")
    record(f"spin, {case}", run[top].angular_velocity_b[:, 2], np.full(len(run), spin), NEAR, "11.1.23", "closed form")
    drift = Within(1e-9, "100 rtol")
    record(f"energy left over, {case}", left_over(run), 0 * run.times, drift, "T + V is constant", "closed form")


@pytest.mark.parametrize("fast", [False, True])
def test_steady_precession(record, fast):
    """Equation 11.1.23: a top that precesses without nodding, slowly and fast."""
    rate = steady_precession(0.6, 60.0, 0.05, 0.01, G * 0.2)[fast]
    run, top = _top(0.6, rate, 60.0, True)
    height = run[top].matrix[:, 2, 2]
    case = "fast" if fast else "slow"
    record(f"cos of nutation, {case}", height, np.full(len(run), math.cos(0.6)), NEAR, "11.1.23", "closed form")
    axis = run[top].matrix[:, :2, 2]
    angle = rate * run.times
    expected = math.sin(0.6) * np.stack([np.sin(angle), -np.cos(angle)], axis=1)
    record(f"axis, {case}", axis, expected, NEAR, "equation 11.1.23", "closed form")


@pytest.mark.parametrize("slides", [False, True])
def test_unsymmetric_pendulum(record, slides):
    """Example 11.1.2 and Problem 11.1.4: a body without symmetry swings about the y axis, and slides along it.

    J_yy phi'' = m g (rho_z sin phi + rho_x cos phi): a physical pendulum, whatever the products of inertia; m s'' = 0.
    """
    m, rho = 2.5, np.array([0.2, -0.15, 0.3])
    about = np.array([[0.09, 0.01, -0.02], [0.01, 0.11, 0.015], [-0.02, 0.015, 0.07]])
    J = about + m * (rho @ rho * np.eye(3) - np.outer(rho, rho))
    model = Model("pendulum", gravity=(0, 0, -G))
    state = {"velocity": (0, 0.7 if slides else 0.0, 0), "angular_velocity": (0, 1.5, 0)}
    body = model.add(Body(mass=m, inertia=J, center=tuple(rho), inertia_at="origin", **state), name="body")
    ends = model.ground.at(z=(0, 1, 0), x=(1, 0, 0)), body.at(z=(0, 1, 0), x=(1, 0, 0))
    hinge = model.add((Cylindrical if slides else Revolute)(*ends), name="O")
    run = simulate(model, 4.0, output=0.05, rtol=RTOL)
    arm = math.hypot(rho[0], rho[2])
    # A turn by phi about y takes (rho_x, rho_z) to the angle atan2(rho_x, rho_z) + phi from the upward z axis.
    first = math.atan2(rho[0], rho[2]) - math.pi
    exact = physical_pendulum(run.times, m, arm, J[1, 1] - m * arm**2, first, 1.5, G)
    case = "sliding" if slides else "on a hinge"
    record(f"phi, {case}", run[hinge.angle].value, exact.value - first, NEAR, "equation 11.1.26", "closed form")
    w, a = exact.rate, -m * G * arm / J[1, 1] * np.sin(exact.value)
    s, c = np.sin(exact.value - first), np.cos(exact.value - first)
    n = m * G * np.stack([-rho[1] * c, rho[2] * s + rho[0] * c, -rho[1] * s], axis=1)
    torque = run[hinge].in_frame(body).at(body.at()).torque
    near = Within(1e-5, "reactions follow the square of the speed")
    record(f"T_x of the hinge, {case}", torque[:, 0], J[2, 1] * w**2 + J[0, 1] * a - n[:, 0], near, "equation 11.1.28",
           "closed form")  # fmt: skip
    record(f"T_z of the hinge, {case}", torque[:, 2], -J[0, 1] * w**2 + J[2, 1] * a - n[:, 2], near, "equation 11.1.28",
           "closed form")  # fmt: skip
    if slides:
        record("s", run[hinge.travel].value, 0.7 * run.times, NEAR, "Problem 11.1.4", "closed form")


def _top(nutation, precession, spin, joined):
    """A top from a turning point of its nutation: A = Rx(nutation), omega' = (0, W sin, spin)."""
    model = Model("top", gravity=(0, 0, -G))
    A = rotation.matrix(rotation.from_axis_angle((1, 0, 0), nutation))
    omega = np.array([0.0, precession * math.sin(nutation), spin])
    tensor = (0.05 - 0.04, 0.05 - 0.04, 0.01)  # about the mass centre, 0.2 m from the point
    state = {"orientation": (math.sin(nutation / 2), 0, 0), "angular_velocity_b": tuple(omega)}
    if joined:
        top = model.add(Body(mass=1.0, inertia=tensor, center=(0, 0, 0.2), **state), name="top")
        model.add(Spherical(model.ground.at(), top.at()), name="point")
    else:
        place, speed = A @ (0, 0, 0.2), A @ np.cross(omega, (0, 0, 0.2))
        place, speed = tuple(place.tolist()), tuple(speed.tolist())
        top = model.add(Body(mass=1.0, inertia=tensor, position=place, velocity=speed, **state), name="top")
        model.add(Spherical(model.ground.at(), top.at(0, 0, -0.2)), name="point")
    return simulate(model, 3.0, output=0.01, rtol=RTOL), top
