"""Junctions of cams and slots: passed, dated, and with the accelerations that each side has."""

import math

import numpy as np
import pytest

from cardan import inverse_dynamics, kinematics
from cardan.planar import Body, CamRoller, Driver, Model, Polar, Ramp, Revolute, Translational

EVENT = 1e-9  # s: instants of junctions have closed forms; the march comes within 1e-12 of the range of u


def lobe(alpha):
    """rho'' jumps from 0 to 9/4 at alpha = 0 and back at 2 pi/3 (Haug, Example 3.4.3)."""
    return 1.25 - 0.25 * math.cos(3.0 * alpha) if alpha < 2.0 * math.pi / 3.0 else 1.0


def valve(speed=1.0, radius=0.25):
    model = Model("valve", gravity=(0.0, -9.81))
    cam = model.add(Body(angle=0.2, mass=1.0, inertia=1.0), name="cam")
    roller = model.add(Body(position=(0.0, 1.7), mass=2.0, inertia=1.0), name="roller")
    hinge = model.add(Revolute(model.ground.at(), cam.at()), name="hinge")
    model.add(Translational(model.ground.at(0, 0, math.pi / 2), roller.at(0, 0, math.pi / 2)), name="guide")
    model.add(CamRoller(cam.profile(Polar(lobe)), roller.at(), radius=radius), name="contact")
    model.add(Driver(hinge.angle, Ramp(speed, 0.2)), name="motor")
    return model


@pytest.mark.parametrize("coordinates", ["cartesian", "joint"])
@pytest.mark.parametrize("points", [8, 301])
def test_two_turns_of_a_cam_whose_curvature_jumps(points, coordinates):
    """At the junctions the roller's contact has alpha = 0 or 2 pi/3, rho' = 0, so that it is straight above: they are
    where alpha + phi = pi/2. There the lift follows rho(pi/2 - phi) to second order up to the roller: with kappa the
    curvature of the pitch curve, y'' = w^2 (rho'' of the pitch curve), which is 0 on the circle of radius 1 and
    -kappa_p (1 + r)^2 + (1 + r) on the lobe, kappa_p = kappa / (1 + r kappa), kappa = 1 - 9/4.
    """
    speed, r = 2.0, 0.25
    times = np.linspace(0.0, 4.0 * math.pi / speed, points)
    run = inverse_dynamics(valve(speed, r), times, coordinates=coordinates)
    turns = [math.pi / 2 + 2.0 * math.pi * k - offset for k in range(4) for offset in (0.0, 2.0 * math.pi / 3.0)]
    expected = sorted((phi - 0.2) / speed for phi in turns if 0.0 < (phi - 0.2) / speed < times[-1])
    assert np.abs(np.array([jump.time for jump in run.jumps]) - expected).max() < EVENT
    assert {jump.element for jump in run.jumps} == {"contact"} and "'contact'" in repr(run)

    curvature = -1.25 / (1.0 - 1.25 * r)
    bump = speed**2 * ((1.0 + r) - curvature * (1.0 + r) ** 2)
    first = run.jumps[0].time
    beside = kinematics(valve(speed, r), [0.0, first - 1e-9, first + 1e-9], coordinates=coordinates)
    before, after = beside["roller"].acceleration[1:, 1]
    assert before == pytest.approx(bump, rel=1e-6) and after == pytest.approx(0.0, abs=1e-6)


def test_an_instant_at_a_junction_shows_what_was_before():
    """Also if rounding puts the instant a hair behind it."""
    exact = (math.pi / 2 - 0.2) / 1.0
    for instant in (np.nextafter(exact, 0.0), exact, np.nextafter(exact, 9.0), exact + 1e-14):
        found = kinematics(valve(), [0.0, instant, exact + 0.5])["roller"].acceleration[1, 1]
        assert found == pytest.approx(1.25 + 1.25 / (1.0 - 1.25 * 0.25) * 1.25**2, rel=1e-6)
