"""Haug, chapter 9: universal joint, and a mechanism in three models."""

from __future__ import annotations

import math

import numpy as np
import pytest

from cardan import LockUp, kinematics, mobility
from cardan.spatial import (
    Body,
    Constant,
    Distance,
    Driver,
    Hold,
    Model,
    Orientation,
    Parallel,
    Ramp,
    Revolute,
    RevoluteRevolute,
    RevoluteSpherical,
    Universal,
    angle,
    dot,
    rotation,
    tilt,
    y,
    z,
)
from verification.equations import Equations
from verification.manual import Within, digits, rounding

ARITHMETIC = Within(2e-14, "a few operations on numbers of size one, each exact to 2e-16")
LOCATED = Within(1e-9, "lock-ups are located to 1e-9 of the time span")
ARM_1, ARM_2 = (0, -1, 0), (0, 0, -1)  # h1', h2'


def test_universal_joint_equation(record):
    """Example 9.4.7: equation of the universal joint.

    A1 turns about x by theta1, A2 about z by phi and then about its own x by theta2; residual and variation (9.4.21) at
    combinations of theta1, theta2 and phi in steps of 30 degrees.
    """
    model = Model("universal joint")
    one, two = model.add(Body(), name="one"), model.add(Body(), name="two")
    model.add(Hold(dot(one.at(z=ARM_1), two.at(z=ARM_2), "z", "z")))
    equations = Equations(model)
    found, printed = [], []
    steps = np.radians(np.arange(-180, 181, 30))
    for t1, t2, phi in np.stack(np.meshgrid(steps, steps, steps), axis=-1).reshape(-1, 3):
        p1 = rotation.from_axis_angle((1, 0, 0), t1)
        p2 = rotation.multiply(rotation.from_axis_angle((0, 0, 1), phi), rotation.from_axis_angle((1, 0, 0), t2))
        at = equations.at([0, 0, 0, *p1, 0, 0, 0, *p2])
        found.append([at.phi[0], at.J[0, 3], at.J[0, 9]])
        s1, c1, s2, c2, bend = math.sin(t1), math.cos(t1), math.sin(t2), math.cos(t2), math.cos(phi)
        # 9.4.21 prints the variation with the opposite sign
        printed.append([-c1 * s2 * bend + s1 * c2, s2 * bend * s1 + c2 * c1, -(c1 * c2 * bend + s1 * s2)])
    found, printed = np.array(found), np.array(printed)
    record("dot-1 of h1, h2", found[:, 0], printed[:, 0], ARITHMETIC, "Example 9.4.7")
    record("its variation by theta1", found[:, 1], printed[:, 1], ARITHMETIC, "equation 9.4.21")
    record("its variation by theta2", found[:, 2], printed[:, 2], ARITHMETIC, "equation 9.4.21")


@pytest.mark.parametrize("bend", [30, 45])
def test_universal_joint_law(record, bend):
    """Example 9.4.7: motion of the universal joint.

    tan theta1 = tan theta2 cos phi, through two turns of the first shaft at one turn per second, shafts at 30 and 45
    degrees; rate and acceleration of theta2 by differentiating the law.
    """
    model, output = _shafts(bend)
    record.fact(
        f"degrees of freedom, phi = {bend}", mobility(model).degrees_of_freedom, 1, "Example 9.4.7", "statement"
    )
    w = 2 * math.pi
    model.add(Driver(model["shaft 1"].angle, Ramp(w)), name="motor")
    times = np.linspace(0.0, 2.0, 721)
    run = kinematics(model, times)[output]
    t1, c, s = w * times, math.cos(math.radians(bend)), math.sin(math.radians(bend))
    theta2 = np.unwrap(np.arctan2(np.sin(t1), np.cos(t1) * c))
    slope = c / (1 - (s * np.cos(t1)) ** 2)
    second = -c * s**2 * np.sin(2 * t1) / (1 - (s * np.cos(t1)) ** 2) ** 2
    record(f"theta2, phi = {bend}", run.value, theta2, rounding(10), "equation 9.4.20")
    record(f"theta2', phi = {bend}", run.rate, slope * w, rounding(100), "equation 9.4.20", "closed form")
    record(f"theta2'', phi = {bend}", run.acceleration, second * w**2, rounding(1000), "equation 9.4.20", "closed form")
    places = 30, 45, 60  # theta1 = 360 degrees * t: instants 1/360 s apart
    spots = {30: (33.690068, 49.106605, 63.434949), 45: (39.231520, 54.735610, 67.792346)}[bend]
    ratios = {30: (1.065877, 0.989743, 0.923760), 45: (1.131371, 0.942809, 0.808122)}[bend]
    degrees = [math.degrees(run.value[k]) for k in places]
    record(f"theta2 at theta1 = 30, 45, 60, phi = {bend}", degrees, spots, digits(6), "Example 9.4.7", "recomputed")
    found = [run.rate[k] / w for k in places]
    record(f"theta2'/theta1' there, phi = {bend}", found, ratios, digits(6), "Example 9.4.7", "recomputed")


def test_universal_joint_lock_up(record):
    """Example 9.4.7: lock-up of the universal joint at 90 degrees.

    Shafts at a right angle: theta1 = 0 whatever theta2 is, so that a motor on the first shaft can drive nothing. With
    theta1 held at zero and the second shaft swung from 80 to 100 degrees in one second, theta2 is lost at 90 degrees.
    """
    model, output = _shafts(90, theta2=40)
    times = np.linspace(0.0, 0.5, 51)
    model.add(Driver(output, Ramp(1.0, math.radians(40))), name="second shaft")
    run = kinematics(model, times)
    locked = run[model["shaft 1"].angle]
    record("theta1 while theta2 turns", locked.value, np.zeros(51), rounding(), "Example 9.4.7", "statement")
    record("its rate", locked.rate, np.zeros(51), rounding(), "Example 9.4.7", "statement")

    model, _ = _shafts(90, theta2=40)
    model.add(Driver(model["shaft 1"].angle, Ramp(1.0)), name="motor")
    report = mobility(model)
    found = report.undriven, [name for name, _ in report.redundant_drivers], [name for name, *_ in report.separating]
    expected = (1, ["motor"], ["motor"])
    record.fact(
        "degrees of freedom left, idle driver, contradicting driver", found, expected, "Example 9.4.7", "statement"
    )

    swung, phi = _swung_shafts(80)
    swung.add(Driver(swung["shaft 1"].angle, Constant(0.0)), name="brake")
    swung.add(Driver(phi, Ramp(math.radians(20), math.radians(80))), name="swing")
    with pytest.raises(LockUp) as stop:
        kinematics(swung, np.linspace(0.0, 1.0, 21))
    record("time of the lock-up", stop.value.time, 0.5, LOCATED, "Example 9.4.7", "closed form")
    record.erratum(
        "Haug, after equation 9.4.21", "tan(theta1) delta theta2 = (2 / tan(theta2)) delta theta1; the 2 must be a 1."
    )


@pytest.mark.parametrize("number", [1, 2, 3])
def test_slider_crank_in_three_models(record, number):
    """Example 9.4.12: slider-crank in three models with composite joints.

    Two bodies: the coupler is a spherical-spherical, a revolute-spherical or a revolute-revolute joint, and absolute
    constraints hold the rest. The dimensions stand only in a figure; chosen here: crank 0.3, coupler 0.8, A on the
    slider 0.2 ahead of P. The book counts 14 coordinates and 13 equations, two of them for Euler parameters.
    """
    r, coupler = 0.3, 0.8
    model = Model(f"slider-crank {number}")
    ground = model.ground
    crank = model.add(Body(orientation=rotation.from_axis_angle((0, 0, 1), 0.4)), name="crank")
    slider = model.add(Body(position=(1.0, 0.02, 0.01)), name="slider")
    pin = model.add(Revolute(ground.at(), crank.at()), name="O")
    ends = crank.at(r, 0, 0), slider.at()
    model.add(Hold(y(slider.at())), name="y of P")
    if number == 1:
        model.add(Hold(z(slider.at())), name="z of P")
        model.add(Distance(*ends, coupler), name="coupler")
    elif number == 2:
        model.add(RevoluteSpherical(*ends, coupler), name="coupler")
    else:
        model.add(Hold(y(slider.at(0.2, 0, 0))), name="y of A")
        model.add(RevoluteRevolute(*ends, coupler), name="coupler")
    if number < 3:
        model.add(Orientation(ground.at(), slider.at()), name="e1, e2, e3")
    report = mobility(model)
    norms = 2  # of Euler parameters
    found = report.coordinates + norms, report.equations + norms, report.degrees_of_freedom, len(report.redundant)
    record.fact(f"nc, nh, degrees of freedom, redundant, model {number}", found, (14, 13, 1, 0), "Example 9.4.12")
    w = 2.0
    model.add(Driver(pin.angle, Ramp(w, 0.4)), name="motor")
    times = np.linspace(0.0, math.pi, 181)
    body = kinematics(model, times)["slider"]
    s, c = r * np.sin(0.4 + w * times), r * np.cos(0.4 + w * times)
    along = np.sqrt(coupler**2 - s**2)
    curve = np.outer(c + along, (1, 0, 0))
    speed = np.outer(-w * s - w * s * c / along, (1, 0, 0))
    growth = -(w**2) * (c + (c**2 - s**2) / along + (s * c) ** 2 / along**3)
    upright = np.broadcast_to((1.0, 0, 0, 0), (times.size, 4))
    record(f"r2, model {number}", body.position, curve, rounding(), "Example 9.4.12", "closed form")
    record(f"p2, model {number}", body.orientation, upright, rounding(), "Example 9.4.12", "statement")
    record(f"velocity, model {number}", body.velocity, speed, rounding(10), "Example 9.4.12", "closed form")
    acceleration = np.outer(growth, (1, 0, 0))
    record(
        f"acceleration, model {number}", body.acceleration, acceleration, rounding(100), "Example 9.4.12", "closed form"
    )


def _shafts(bend, theta2=0.0):
    """The first shaft along x, the second at the angle phi to it in the xy plane; theta2 as a measure.

    The second shaft is held by the joint and by its direction alone: bearings would repeat the joint's equations.
    """
    model, one, two = _jointed(bend, theta2)
    phi = math.radians(bend)
    along = model.ground.at(z=(math.cos(phi), math.sin(phi), 0), x=(-math.sin(phi), math.cos(phi), 0))
    shaft = two.at(z=(1, 0, 0), x=(0, 1, 0))
    model.add(Parallel(along, shaft), name="shaft 2")
    return model, angle(along, shaft)


def _swung_shafts(bend):
    """The second shaft may swing in the xy plane: two degrees of freedom, theta1 and phi."""
    model, _, two = _jointed(bend, 0.0)
    model.add(Hold(tilt(model.ground.at(), two.at(), "z", "x")), name="plane")
    return model, angle(model.ground.at(), two.at())


def _jointed(bend, theta2):
    model = Model("shafts")
    turned = rotation.multiply(
        rotation.from_axis_angle((0, 0, 1), math.radians(bend)),
        rotation.from_axis_angle((1, 0, 0), math.radians(theta2)),
    )
    one, two = model.add(Body(), name="one"), model.add(Body(orientation=turned), name="two")
    bearing = {"z": (1, 0, 0), "x": (0, 1, 0)}
    model.add(Revolute(model.ground.at(**bearing), one.at(**bearing)), name="shaft 1")
    model.add(Universal(one.at(z=ARM_1), two.at(z=ARM_2)), name="cross")
    return model, one, two
