"""Haug, sections 6.3, 6.4 and 6.6: multipliers, inverse dynamics and constraint reactions of the plane."""

from __future__ import annotations

import math

import numpy as np
import pytest

from cardan import inverse_dynamics, simulate
from cardan.numerics.linalg.rank_report import rank_report
from cardan.planar import (
    Body,
    Distance,
    Driver,
    Hold,
    Model,
    Polynomial,
    Ramp,
    Revolute,
    RevoluteTranslational,
    Translational,
    angle,
    bearing,
    y,
)
from verification.manual import Within, rounding

G = 9.81  # the book prints no value
TIMES = np.linspace(0.0, 1.0, 41)


def test_multiplier_theorem(record):
    """Example 6.3.3 and Problem 6.3.2: Lagrange multipliers of two small systems.

    b = (1, 3, 2) vanishes wherever A x = 0, so b = -A^T lambda with lambda = (-1, -1); b1 = (1, 3, 1) does not, and has
    no multipliers. The rank report expresses a dependent row by the rows before it.
    """
    rows = [[-1.0, 0.0, 1.0], [2.0, 3.0, 1.0]]
    (implied,) = rank_report(np.array([*rows, [1.0, 3.0, 2.0]])).redundant
    record("lambda", [-share for share in implied.coefficients], (-1.0, -1.0), rounding(), "Example 6.3.3")
    record.fact("rank with b1", rank_report(np.array([*rows, [1.0, 3.0, 1.0]])).rank, 3, "Problem 6.3.2", "recomputed")


def test_equations_of_the_two_body_slider_crank(record):
    """Examples 6.3.2 and 6.3.5: accelerations and multipliers of the two-body slider-crank.

    Bars of 2 l1 = 0.8 m, 3 kg, and 2 l2 = 1.4 m, 2 kg, whose end slides on the x axis; it falls from phi1 = 0.7 at
    1.3 rad/s. The page with the 11 x 11 system is lost: it is put together from 6.3.9 to 6.3.11 and gamma, and solved
    at every instant of the motion.
    """
    l1, l2, m1, m2 = 0.4, 0.7, 3.0, 2.0
    phi1 = 0.7
    phi2 = -math.asin(l1 * math.sin(phi1) / l2)
    w1 = 1.3
    w2 = -l1 * math.cos(phi1) * w1 / (l2 * math.cos(phi2))
    c1, s1, c2, s2 = math.cos(phi1), math.sin(phi1), math.cos(phi2), math.sin(phi2)
    model = Model("two-body slider-crank", gravity=(0, -G))
    crank = model.add(
        Body(
            m1,
            m1 * l1**2 / 3,
            position=(l1 * c1, l1 * s1),
            angle=phi1,
            velocity=(-l1 * s1 * w1, l1 * c1 * w1),
            angular_velocity=w1,
        ),
        name="crank",
    )
    rod = model.add(
        Body(
            m2,
            m2 * l2**2 / 3,
            position=(2 * l1 * c1 + l2 * c2, 2 * l1 * s1 + l2 * s2),
            angle=phi2,
            velocity=(-2 * l1 * s1 * w1 - l2 * s2 * w2, 2 * l1 * c1 * w1 + l2 * c2 * w2),
            angular_velocity=w2,
        ),
        name="rod",
    )
    model.add(Revolute(model.ground.at(), crank.at(-l1, 0)), name="A")
    model.add(Revolute(crank.at(l1, 0), rod.at(-l2, 0)), name="B")
    slide = model.add(Hold(y(rod.at(l2, 0)), 0.0), name="C")
    run = simulate(model, 0.5, output=0.05, rtol=1e-10)
    ours, expected = [], []
    for k in range(len(run)):
        (f1, v1), (f2, v2) = ((run[b].angle[k], run[b].angular_velocity[k]) for b in (crank, rod))
        c1, s1, c2, s2 = math.cos(f1), math.sin(f1), math.cos(f2), math.sin(f2)
        J = np.array(
            [
                [1, 0, l1 * s1, 0, 0, 0],
                [0, 1, -l1 * c1, 0, 0, 0],
                [0, 0, 2 * l1 * s1, 1, 0, l2 * s2],
                [0, 0, -2 * l1 * c1, 0, 1, -l2 * c2],
                [0, 0, 2 * l1 * c1, 0, 0, 2 * l2 * c2],
            ]
        )
        x1, y1, x2, y2 = l1 * c1 * v1**2, l1 * s1 * v1**2, l2 * c2 * v2**2, l2 * s2 * v2**2
        gamma = -np.array([x1, y1, 2 * x1 + x2, 2 * y1 + y2, -2 * y1 - 2 * y2])
        M = np.diag([m1, m1, m1 * l1**2 / 3, m2, m2, m2 * l2**2 / 3])
        whole = np.block([[M, J.T], [J, np.zeros((5, 5))]])
        solved = np.linalg.solve(whole, np.concatenate([[0, -m1 * G, 0, 0, -m2 * G, 0], gamma]))
        expected.append([*solved[:6], -solved[10]])
        ours.append([
            *run[crank].acceleration[k], run[crank].angular_acceleration[k],
            *run[rod].acceleration[k], run[rod].angular_acceleration[k], run[slide].force[k],
        ])  # fmt: skip
    near = Within(1e-9 * np.abs(expected).max(), "the same state in both, solved to rounding; joints closed to 1e-12")
    record("accelerations, and the force of the guide", ours, expected, near, "Example 6.3.5", "recomputed")


@pytest.mark.parametrize(
    ("w", "first", "source"),
    [(2 * math.pi, 1.5 * math.pi, "Example 6.4.1"), (math.pi / 15, 5 * math.pi / 3, "Problem 6.4.1")],
)
def test_driven_pendulum(record, w, first, source):
    """Examples 6.4.1 and 6.6.1, Problem 6.4.1: a driven pendulum.

    A uniform bar of length 2 l, its frame in the middle, pinned at its end, phi = phi0 + w t. The book has no numbers
    for the example: m = 3 kg and l = 0.8 m are used; the bar of the problem has 20 kg, its length stands in a figure.
    """
    m, half = (3.0, 0.8) if source == "Example 6.4.1" else (20.0, 1.0)
    model = Model("pendulum", gravity=(0, -G))
    start = tuple(half * np.array([math.cos(first), math.sin(first)]))
    bar = model.add(Body(mass=m, inertia=m * half**2 / 3, position=start, angle=first), name="bar")
    pin = model.add(Revolute(model.ground.at(), bar.at(-half, 0)), name="pin")
    motor = model.add(Driver(pin.angle, Ramp(w, first)), name="motor")
    run = inverse_dynamics(model, TIMES if w > 1 else 4 * TIMES)
    phi = first + w * run.times
    s, c = np.sin(phi), np.cos(phi)
    size = m * max(G, half * w * w)
    expected = np.stack([m * half * c * w**2, -m * G + m * half * s * w**2, -m * G * half * c], axis=1)
    record(f"lambda, {source}", run.loads.multipliers, expected, rounding(size), "Example 6.4.1")
    found = run[pin].in_frame(bar).force
    expected = np.stack([-m * half * w**2 + m * G * s, m * G * c], axis=1)
    record(f"reaction of the pin in the bar's axes, {source}", found, expected, rounding(size), "equation 6.6.10")
    record(f"torque of the pin, {source}", run[pin].torque, 0 * phi, rounding(size), "Example 6.6.1")
    record(f"driving torque, {source}", run[motor].force, m * G * half * c, rounding(size), "equation 6.6.11")
    record.erratum("Haug, Example 6.4.1", "the driver is printed as 3 pi/2 + 2 pi t0; 3 pi/2 + 2 pi t is meant.")
    record.erratum("Haug, equation 6.6.11", "the factor l is lost in two entries of its middle line.")
    record.erratum("Haug, Problem 6.4.1", "it refers to Problem 6.3.1 for the motion; Problem 3.6.1 has it.")


def test_slider_with_pendulum(record):
    """Problems 6.4.2 and 6.6.2: a driven slider with a driven pendulum.

    x1 = a t + b t^2, phi2 = 3 pi/2 + w t; the masses stand in a figure: 4 kg and 1.5 kg are used, l = 1 m to the mass
    centre, a = 0.3 m/s, b = 0.7 m/s^2, w = 2 rad/s.
    """
    m1, m2, half, a, b, w = 4.0, 1.5, 1.0, 0.3, 0.7, 2.0
    model = Model("slider with pendulum", gravity=(0, -G))
    slider = model.add(Body(mass=m1, inertia=0.1), name="slider")
    bar = model.add(Body(mass=m2, inertia=m2 / 3, position=(0, -half), angle=1.5 * math.pi), name="pendulum")
    guide = model.add(Translational(model.ground.at(), slider.at()), name="guide")
    pin = model.add(Revolute(slider.at(), bar.at(-half, 0)), name="pin")
    push = model.add(Driver(guide.travel, Polynomial(0.0, a, b)), name="push")
    turn = model.add(Driver(pin.angle, Ramp(w, 1.5 * math.pi)), name="turn")
    run = inverse_dynamics(model, TIMES)
    s, c = np.sin(1.5 * math.pi + w * TIMES), np.cos(1.5 * math.pi + w * TIMES)
    near = rounding(100)
    force = 2 * b * (m1 + m2) - m2 * half * w**2 * c
    record("force on the slider", run[push].force, force, near, "Problem 6.4.2", "closed form")
    expected = m2 * np.stack([2 * b - half * w**2 * c, G - half * w**2 * s], axis=1)
    record("pin on the pendulum", run[pin].in_frame("global").force, expected, near, "Problem 6.6.2", "closed form")
    torque = m2 * half * (G * c - 2 * b * s)
    record("torque between the two", run[turn].force, torque, near, "Problem 6.4.2", "closed form")
    weight = (m1 + m2) * G - m2 * half * w**2 * s
    record("guide on the slider", run[guide].force[:, 1], weight, near, "Problem 6.6.2", "closed form")
    record("moment of the guide", run[guide].torque, torque, near, "Problem 6.6.2", "closed form")


def test_reaction_of_a_distance(record):
    """Problem 6.6.4 a: reaction of a relative distance.

    F_i = 2 lambda d_ij and no torque: a body that does not turn is led round on a rod of length C. Pull of the rod
    m C w^2 - m g sin theta, theta = w t its angle.
    """
    m, C, w = 2.0, 0.6, 3.0
    model = Model("rod", gravity=(0, -G))
    body = model.add(Body(mass=m, inertia=0.2, position=(C, 0)), name="body")
    rod = model.add(Distance(model.ground.at(), body.at(), C), name="rod")
    model.add(Hold(angle(model.ground.at(), body.at())), name="upright")
    model.add(Driver(bearing(model.ground.at(), body.at()), Ramp(w)), name="lead")
    run = inverse_dynamics(model, TIMES)
    d = np.stack([np.cos(w * TIMES), np.sin(w * TIMES)], axis=1)
    pull = m * C * w**2 - m * G * np.sin(w * TIMES)
    on_i, on_j = run[rod].on(model.ground).in_frame("global"), run[rod].on(body).in_frame("global")
    record("on body i", on_i.force, pull[:, None] * d, rounding(100), "Problem 6.6.4 a", "closed form")
    record("on body j", on_j.force, -pull[:, None] * d, rounding(100), "Problem 6.6.4 a", "closed form")
    record(
        "torques at P_i and P_j",
        [on_i.torque, on_j.torque],
        np.zeros((2, 41)),
        rounding(100),
        "Problem 6.6.4 a",
        "closed form",
    )


def test_reaction_of_a_slot(record):
    """Problem 6.6.4 b: reaction of a revolute-translational joint.

    F_i normal to the line on body i, torque F (v_i . d_ij) / v_i at P_i. A pin of 0.5 kg is led along a slot that
    turns with w: normal force m (2 s' w + g cos theta), torque on the slot's body that times s.
    """
    m, w, s0, rate = 0.5, 2.0, 0.4, 0.3
    model = Model("slot", gravity=(0, -G))
    arm = model.add(Body(), name="arm")
    pin = model.add(Body(mass=m, inertia=0.01, position=(s0, 0)), name="pin body")
    hinge = model.add(Revolute(model.ground.at(), arm.at()), name="hinge")
    slot = model.add(RevoluteTranslational(arm.at(), pin.at(), 0.0), name="slot")
    model.add(Hold(angle(model.ground.at(), pin.at())), name="upright")
    motor = model.add(Driver(hinge.angle, Ramp(w)), name="motor")
    lead = model.add(Driver(slot.travel, Ramp(rate, s0)), name="lead")
    run = inverse_dynamics(model, TIMES)
    theta, s = w * TIMES, s0 + rate * TIMES
    normal = m * (2 * rate * w + G * np.cos(theta))
    zero = 0 * normal
    on_i = run[slot].on(arm)
    source = "Problem 6.6.4 b"
    record("on body i", on_i.force, np.stack([zero, -normal], axis=1), rounding(10), source, "closed form")
    record("torque at P_i", on_i.torque, -normal * s, rounding(10), source, "closed form")
    record("on body j", run[slot].force, np.stack([zero, normal], axis=1), rounding(10), source, "closed form")
    record("torque at P_j", run[slot].torque, zero, rounding(10), source, "closed form")
    record("driving torque", run[motor].force, normal * s, rounding(10), source, "closed form")
    force = m * (G * np.sin(theta) - s * w**2)
    record("driving force along the slot", run[lead].force, force, rounding(10), source, "closed form")


def test_reaction_of_an_angle_driver(record):
    """Problem 6.6.4 c: reaction of a relative angle driver.

    No force; torques lambda on body i and -lambda on body j: two wheels, the second driven relative to the first.
    """
    J1, J2, growth = 0.3, 0.2, 1.5
    model = Model("two wheels")
    first = model.add(Body(mass=1.0, inertia=J1), name="first")
    second = model.add(Body(mass=1.0, inertia=J2), name="second")
    model.add(Revolute(model.ground.at(), first.at()), name="axle 1")
    joint = model.add(Revolute(first.at(), second.at()), name="axle 2")
    model.add(Driver(angle(model.ground.at(), first.at()), Polynomial(0, 0, growth)), name="motor 1")
    motor = model.add(Driver(joint.angle, Polynomial(0, 0, growth)), name="motor 2")
    run = inverse_dynamics(model, TIMES)
    torque = np.full(41, J2 * 4 * growth)  # theta'' = 2 growth for each of the two
    source = "Problem 6.6.4 c"
    on_i, on_j = run[motor].on(first), run[motor].on(second)
    record("forces", [on_i.force, on_j.force], np.zeros((2, 41, 2)), rounding(10), source, "closed form")
    record("torque on body i", on_i.torque, -torque, rounding(10), source, "closed form")
    record("torque on body j", on_j.torque, torque, rounding(10), source, "closed form")
    row = run.system.rows_of(motor)[0]
    record("lambda", run.loads.multipliers[:, row], -torque, rounding(10), source, "closed form")
