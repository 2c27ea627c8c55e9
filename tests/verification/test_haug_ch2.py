"""Haug, chapter 2: vectors, matrices, and points of moving frames.

Points, velocities and accelerations are read through measures; linear dependence is judged by the rank report.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from cardan import assemble, kinematics
from cardan.numerics.linalg.rank_report import rank_report
from cardan.planar import (
    Body,
    Driver,
    Fixed,
    Gear,
    Hold,
    Model,
    Polynomial,
    Ramp,
    Revolute,
    bearing,
    component,
    dot,
    y,
)
from verification.manual import digits, rounding


def test_sum_of_vectors(record):
    """Example 2.1.1: sum of three vectors.

    Bodies welded one to the tip of the other at a = (1, 2), b = (-2, 1), c = (0, 1): the last tip lies at a + b + c.
    """
    model = Model("chain")
    tip = model.ground.at()
    for offset in ((1, 2), (-2, 1), (0, 1)):
        body = model.add(Body())
        model.add(Fixed(tip, body.at()))
        tip = body.at(*offset)
    record("a + b + c", assemble(model)[tip].position, (-1.0, 4.0), rounding(), "Example 2.1.1")


def test_projection(record):
    """Example 2.1.2: the projection of a vector on a directed line.

    u . a = |a| cos theta, read as the x component of the tip of a, seen by a marker that looks along u.
    """
    model = Model("projection")
    body = model.add(Body())
    model.add(Fixed(model.ground.at(), body.at()))
    position = assemble(model)
    for theta in (0.3, 1.4, 2.9):
        along_u = model.ground.at(0, 0, 0.5 - theta)
        tip = body.at(2.0 * math.cos(0.5), 2.0 * math.sin(0.5))
        ours = position[component(along_u, tip, "x")].value
        record(f"u . a, theta = {theta}", ours, 2.0 * math.cos(theta), rounding(), "Example 2.1.2", "closed form")


def test_two_body_arm(record):
    """Examples 2.4.1, 2.4.2 and 2.5.2: a point of a two-body arm, and its derivatives by the two joint angles.

    s1 = (0.8, 0.3), s2 = (0.5, -0.2); theta1 = 0.4 + w1 t, theta2 = -0.7 + w2 t. With (w1, w2) = (1, 0) and (0, 1) the
    velocity of P is a column of r_q. The slider-crank of Example 2.5.2 has s1 = (1, 0), s2 = (l, 0), l = 1.7: Phi is
    the y coordinate of P.
    """

    def turned(phi):
        return np.array([[math.cos(phi), -math.sin(phi)], [math.sin(phi), math.cos(phi)]])

    def arm(s1, s2, rates):
        model = Model("arm")
        first, second = model.add(Body(angle=0.4), name="first"), model.add(Body(angle=-0.3), name="second")
        one = model.add(Revolute(model.ground.at(), first.at()))
        two = model.add(Revolute(first.at(*s1), second.at()))
        for joint, start, rate in ((one, 0.4, rates[0]), (two, -0.7, rates[1])):
            model.add(Driver(joint.angle, Ramp(rate, start)))
        return kinematics(model, [0.0])[second.at(*s2)], kinematics(model, [0.0]), first, second

    s1, s2 = np.array([0.8, 0.3]), np.array([0.5, -0.2])
    tip, run, first, second = arm(s1, s2, (1.0, 0.0))
    record(
        "r of P", tip.position[0], turned(0.4) @ s1 + turned(-0.3) @ s2, rounding(), "equation 2.4.13", "closed form"
    )
    seen = [run[component(first.at(*s1), second.at(*s2), axis)].value[0] for axis in "xy"]
    record("QP in the axes of body 1", seen, turned(-0.7) @ s2, rounding(), "Example 2.4.2", "closed form")
    length = 1.7
    columns = [arm((1.0, 0.0), (length, 0.0), rates)[0].velocity[0] for rates in ((1.0, 0.0), (0.0, 1.0))]
    c1, s1, c12, s12 = math.cos(0.4), math.sin(0.4), math.cos(-0.3), math.sin(-0.3)
    by_hand = [[-s1 - length * s12, -length * s12], [c1 + length * c12, length * c12]]
    record("r_q, its second row Phi_q", np.transpose(columns), by_hand, rounding(), "Example 2.5.2")


def test_dependent_columns(record):
    """Examples 2.2.4 and 2.2.5, Problem 2.2.6: linear dependence and rank.

    Columns (1, 1, 0), (1, 0, 1), (1, 2, -1). The rank report names the last row that those before it imply.
    """
    matrix = np.array([[1.0, 1.0, 1.0], [1.0, 0.0, 2.0], [0.0, 1.0, -1.0]])
    report = rank_report(matrix)
    record.fact("rank", report.rank, 2, "Problem 2.2.6")
    (redundant,) = report.redundant
    record.fact("row implied by the others", redundant.row + 1, 3, "Example 2.2.5", "recomputed")
    record("row 3 as combination of rows 1, 2", redundant.coefficients, (1.0, -1.0), rounding(), "Example 2.2.5")
    null = report.null_space[:, 0]
    record("relation of the columns", null / null[1], (-2.0, 1.0, 1.0), rounding(), "Example 2.2.4")


def test_signed_angle(record):
    """Problem 2.1.3: the signed angle between two vectors.

    From a = (1, 1) to b1 = (0, 1) and b2 = (1, 0), read as bearings from a marker that looks along a.
    """
    model = Model("angles")
    body = model.add(Body())
    model.add(Fixed(model.ground.at(), body.at()))
    along_a = model.ground.at(0, 0, toward=(1, 1))
    position = assemble(model)
    for b, expected in (((0, 1), math.pi / 4), ((1, 0), -math.pi / 4)):
        ours = position[bearing(along_a, body.at(*b))].value
        record(f"angle from (1, 1) to {b}", ours, expected, rounding(), "equation 2.1.15", "closed form")


def test_rotation_matrices(record):
    """Section 2.4: rotation and relative rotation.

    A(phi) and A_ij = A(phi_j - phi_i) read as dot products of axes of two bodies at 0.7 and -1.1 rad.
    """
    model = Model("frames")
    first, second = (model.add(Body(angle=phi)) for phi in (0.7, -1.1))
    for body, phi in ((first, 0.7), (second, -1.1)):
        model.add(Fixed(model.ground.at(0, 0, phi), body.at()))
    position = assemble(model)

    def matrix(a, b):
        return [[position[dot(a, b, row, column)].value for column in "xy"] for row in "xy"]

    def rotation(phi):
        return [[math.cos(phi), -math.sin(phi)], [math.sin(phi), math.cos(phi)]]

    record("A(0.7)", matrix(model.ground.at(), first.at()), rotation(0.7), rounding(), "equation 2.4.4", "closed form")
    ours = matrix(first.at(), second.at())
    record("A_ij", ours, rotation(-1.8), rounding(), "equation 2.4.12", "closed form")


@pytest.mark.parametrize(("w1", "w2"), [(2.0, -0.7), (1.3, 0.0)])
def test_positioning_mechanism(record, w1, w2):
    """Examples 2.5.1 and 2.6.1, Problem 2.6.2: velocity and acceleration of a point on a two-link arm.

    Two links of unit length, relative angles omega_1 t and omega_2 t, 25 instants in 3 s; with omega_2 = 0 the arm
    turns as one body: velocity omega_1 r-perp, acceleration -omega_1^2 r.
    """
    model = Model("arm")
    first, second = model.add(Body()), model.add(Body(position=(1.0, 0.0)))
    shoulder = model.add(Revolute(model.ground.at(), first.at()), name="shoulder")
    elbow = model.add(Revolute(first.at(1, 0), second.at()), name="elbow")
    model.add(Driver(shoulder.angle, Ramp(w1)))
    model.add(Driver(elbow.angle, Ramp(w2)))
    t = np.linspace(0.0, 3.0, 25)
    tip = kinematics(model, t)[second.at(1, 0)]
    w, s, c = w1 + w2, np.sin, np.cos
    r = np.stack([c(w1 * t) + c(w * t), s(w1 * t) + s(w * t)], axis=1)
    v = np.stack([-w1 * s(w1 * t) - w * s(w * t), w1 * c(w1 * t) + w * c(w * t)], axis=1)
    a = np.stack([-(w1**2) * c(w1 * t) - w**2 * c(w * t), -(w1**2) * s(w1 * t) - w**2 * s(w * t)], axis=1)
    case = f"omega = ({w1}, {w2})"
    record(f"r, {case}", tip.position, r, rounding(), "Example 2.5.1", "closed form")
    record(f"velocity, {case}", tip.velocity, v, rounding(10), "Example 2.5.1", "closed form")
    record(f"acceleration, {case}", tip.acceleration, a, rounding(10), "Example 2.5.1", "closed form")
    if w2 == 0.0:
        turned = w1 * np.stack([-r[:, 1], r[:, 0]], axis=1)
        record("velocity, rigid arm", tip.velocity, turned, rounding(10), "Problem 2.6.2", "closed form")
        record("acceleration, rigid arm", tip.acceleration, -(w1**2) * r, rounding(10), "Problem 2.6.2", "closed form")


def test_relative_angle_slider_crank(record):
    """Examples 2.4.3 and 2.5.3: slider-crank in relative angles.

    Crank 1, rod 1.5, wrist pin on the x axis, theta_1 = 0.3 + 2 t + 0.4 t^2 over one and a half turns. theta_2 is read
    as the angle of the joint between crank and rod.
    """
    rod_length = 1.5
    model = Model("slider-crank")
    crank = model.add(Body(angle=0.3), name="crank")
    rod = model.add(Body(position=(1.0, 0.3), angle=2 * math.pi - 0.2), name="rod")
    main = model.add(Revolute(model.ground.at(), crank.at()), name="main")
    pin = model.add(Revolute(crank.at(1, 0), rod.at()), name="pin")
    model.add(Hold(y(rod.at(rod_length, 0)), 0.0), name="guide")
    motion = Polynomial(0.3, 2.0, 0.4)
    model.add(Driver(main.angle, motion), name="motor")
    t = np.linspace(0.0, 3.5, 36)
    theta2 = kinematics(model, t)[pin.angle]
    theta1, rate, _ = motion.derivatives(t)
    value = 2 * math.pi - np.arcsin(np.sin(theta1) / rod_length) - theta1
    explicit = -(np.cos(theta1) / np.sqrt(rod_length**2 - np.sin(theta1) ** 2) + 1) * rate
    implicit = -(np.cos(theta1) / (rod_length * np.cos(theta1 + value)) + 1) * rate
    record("theta_2", theta2.value, value, rounding(10), "equation 2.5.18", "closed form")
    record("rate of theta_2", theta2.rate, explicit, rounding(10), "equation 2.5.19", "closed form")
    record("rate of theta_2", theta2.rate, implicit, rounding(10), "equation 2.5.21", "closed form")
    acceleration = _solved_2_5_22(theta1, value, rate, theta2.rate, 0.8, rod_length)
    record(
        "acceleration of theta_2", theta2.acceleration, acceleration, rounding(100), "equation 2.5.22", "closed form"
    )


def test_gear_ratio(record):
    """Chapter 1 and Problem 3.4.1: gear pair of pitch radii 120 and 180 mm.

    Centres pinned to ground: R_i phi_i' = -R_j phi_j', so the ratio of the speeds is 1.5.
    """
    model = Model("gears")
    small, large = model.add(Body(), name="small"), model.add(Body(position=(0.3, 0.0)), name="large")
    pin = model.add(Revolute(model.ground.at(), small.at()), name="A")
    model.add(Revolute(model.ground.at(0.3, 0), large.at()), name="B")
    model.add(Gear(small.at(), large.at(), radius_a=0.12, radius_b=0.18), name="teeth")
    model.add(Driver(pin.angle, Ramp(6.0)), name="motor")
    run = kinematics(model, np.linspace(0.0, 4.0, 41))
    ratio = -run[small].angular_velocity / run[large].angular_velocity
    record("speed ratio", ratio[-1], 1.5, digits(9), "section 1.4 (1.5)")
    angles = run[large].angle - run[large].angle[0]
    record("angle of the large gear", angles, -run[small].angle / 1.5, rounding(10), "Problem 3.4.1", "closed form")


def _solved_2_5_22(theta1, theta2, rate1, rate2, acceleration1, rod_length):
    """theta_2'' from the derivative of equation 2.5.20."""
    both = theta1 + theta2
    known = (
        acceleration1 * np.cos(theta1) - rate1**2 * np.sin(theta1) - rod_length * (rate1 + rate2) ** 2 * np.sin(both)
    )
    return -known / (rod_length * np.cos(both)) - acceleration1
