"""Haug, chapter 3: constraints, drivers and kinematic analysis.

The equations of small models are compared entry by entry with the matrices that the book prints; motions are compared
with closed forms.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from cardan import AssemblyError, LockUp, assemble, kinematics, mobility
from cardan.planar import (
    Body,
    Driver,
    Harmonic,
    Hold,
    Model,
    Ramp,
    Revolute,
    Translational,
    angle,
    component,
    x,
    y,
)
from verification.equations import Equations
from verification.manual import Within, digits, rounding, units


def test_simple_pendulum(record):
    """Example 3.1.1: simple pendulum in absolute constraints.

    x - sin phi = 0, y + cos phi = 0, phi = f(t) with f = 0.5 sin 3t: a point (0, 1) of the body is held at the origin.
    """
    model = Model("pendulum")
    bob = model.add(Body(position=(0.0, -1.0)), name="bob")
    pivot = bob.at(0, 1)
    model.add(Hold(x(pivot), 0.0))
    model.add(Hold(y(pivot), 0.0))
    model.add(Driver(angle(model.ground.at(), bob.at()), Harmonic(0.5, 3.0)))
    phi, speed, t = 0.4, -1.7, 0.2
    at = Equations(model).at([math.sin(phi), -math.cos(phi), phi], t, [0.0, 0.0, speed])
    f2 = -4.5 * math.sin(3 * t)
    gamma = [-(speed**2) * math.sin(phi), speed**2 * math.cos(phi), f2]
    record("determinant", np.linalg.det(at.J), 1.0, rounding(), "equation 3.1.8")
    record("gamma at phi = 0.4, phi' = -1.7", at.gamma, gamma, rounding(10), "after equation 3.1.10", "closed form")
    run = kinematics(model, np.linspace(0, 2, 21))[bob]
    exact = 0.5 * np.sin(3 * run.times)
    path = np.stack([np.sin(exact), -np.cos(exact)], axis=1)
    record("path of the bob", run.position, path, rounding(), "equation 3.1.5", "closed form")


def test_two_body_slider_crank(record):
    """Examples 3.1.2 and 3.3.1: two-body slider-crank from absolute and relative constraints.

    Crank 1, coupler l = 1.5 with its pin at (0, l); rows x1, y1, y2, relative x and y, driver phi1 = omega t. The
    6 x 6 Jacobian and gamma are compared entry by entry.
    """
    L, w = 1.5, 2.0
    model = _two_body_slider_crank(L, w)
    t = 0.35
    q, v = _two_body_position(L, w, t)
    p1, p2, w2 = q[2], q[5], v[5]
    at = Equations(model).at(q, t, v)
    s, c = math.sin, math.cos
    J = [
        [1, 0, 0, 0, 0, 0],
        [0, 1, 0, 0, 0, 0],
        [0, 0, 0, 0, 1, 0],
        [1, 0, -s(p1), -1, 0, L * c(p2)],
        [0, 1, c(p1), 0, -1, L * s(p2)],
        [0, 0, 1, 0, 0, 0],
    ]
    gamma = [0, 0, 0, w**2 * c(p1) + L * w2**2 * s(p2), w**2 * s(p1) - L * w2**2 * c(p2), 0]
    record("Jacobian", at.J, J, rounding(), "equation 3.1.14")
    record("nu", at.nu, [0, 0, 0, 0, 0, w], rounding(), "equation 3.1.14")
    record("gamma", at.gamma, gamma, rounding(10), "equation 3.1.15")
    record("determinant", np.linalg.det(at.J), -L * s(p2), rounding(), "after equation 3.1.14")
    record.fact("degrees of freedom", mobility(model).degrees_of_freedom, 1, "Example 3.1.2")
    run = kinematics(model, np.linspace(0, 4, 41))
    ours, turned = run["coupler"], w * run.times
    exact = np.cos(turned) + np.sqrt(L**2 - np.sin(turned) ** 2)
    record("x2 over one turn", ours.position[:, 0], exact, rounding(), "Example 3.1.2", "closed form")


@pytest.mark.parametrize("cured", [False, True])
def test_inclined_slider(record, cured):
    """Example 3.1.3 and Problem 3.2.3: equations that are implied by a joint but do not imply it.

    A block on the line y = x, driven x = t - 1. With y cos phi - x sin phi = 0 the Jacobian is singular at the origin,
    although nothing happens there; with phi = pi/4 the block passes.
    """
    model = Model("inclined slider")
    block = model.add(Body(position=(-1.0, -1.0), angle=math.pi / 4), name="block")
    model.add(Hold(y(block.at()) - x(block.at()), 0.0), name="on the line")
    if cured:
        model.add(Hold(angle(model.ground.at(), block.at()), math.pi / 4), name="direction")
    else:
        model.add(Hold(-1.0 * component(block.at(), model.ground.at(), "y"), 0.0), name="direction")
    model.add(Driver(x(block.at()), Ramp(1.0, -1.0)), name="driver")
    times = np.linspace(0.0, 2.0, 21)
    if cured:
        run = kinematics(model, times)[block]
        record("y along the way, cured", run.position[:, 1], times - 1.0, rounding(), "Problem 3.2.3", "closed form")
        return
    for place, phi in ((0.7, 0.3), (-0.4, 1.1)):
        ours = np.linalg.det(Equations(model).at([place, place, phi]).J)
        exact = -(place * math.sin(phi) + place * math.cos(phi))
        record(f"determinant at x = y = {place}, phi = {phi}", ours, exact, rounding(), "Example 3.1.3")
    for count in (20, 21):  # the singular instant lies between two instants of the grid, and on one of them
        with pytest.raises(LockUp) as stop:
            kinematics(model, np.linspace(0.0, 2.0, count))
        record(
            f"time at which the analysis stops, {count} instants",
            stop.value.time,
            1.0,
            Within(2e-9, "1e-9 of the time span"),
            "Example 3.1.3, singular at the origin",
            "closed form",
        )


def test_absolute_constraints(record):
    """Examples 3.2.1 and 3.2.2: pendulum and slider in absolute constraints.

    Pendulum: pivot (1, 1), length 2, frame in the middle, pivot at (1, 0) of the body. Slider: y = 0 and phi = 0, which
    is what `Translational` states.
    """
    model = Model("pendulum")
    bar = model.add(Body(position=(0.0, 1.0)), name="bar")
    model.add(Hold(x(bar.at(1, 0)), 1.0))
    model.add(Hold(y(bar.at(1, 0)), 1.0))
    record.fact("degrees of freedom of the pendulum", mobility(model).degrees_of_freedom, 1, "Example 3.2.1")
    model.add(Driver(angle(model.ground.at(), bar.at()), Ramp(1.0)))
    end = kinematics(model, np.linspace(0, 3, 31))[bar.at(-1, 0)]
    exact = np.stack([1 - 2 * np.cos(end.times), 1 - 2 * np.sin(end.times)], axis=1)
    record("free end", end.position, exact, rounding(), "Example 3.2.1", "closed form")

    slider = Model("slider")
    block = slider.add(Body(position=(0.3, 0.1), angle=0.2), name="block")
    slider.add(Hold(y(block.at()), 0.0))
    slider.add(Hold(angle(slider.ground.at(), block.at()), 0.0))
    record.fact("degrees of freedom of the slider", mobility(slider).degrees_of_freedom, 1, "Example 3.2.2")
    guided = Model("guided")
    other = guided.add(Body(position=(0.3, 0.1), angle=0.2), name="block")
    guided.add(Translational(guided.ground.at(), other.at()))
    ours, theirs = assemble(slider)[block], assemble(guided)[other]
    record("position, holds", [*ours.position, ours.angle], [0.3, 0, 0], rounding(), "Example 3.2.2", "closed form")
    record("position, joint", [*theirs.position, theirs.angle], [0.3, 0, 0], rounding(), "Example 3.2.2", "closed form")


def test_piston_driven_slider_crank(record):
    """Example 3.5.1: slider-crank driven by its piston.

    Crank 1, rod l = 1.5, x2 = sqrt(l^2 - 1) + 0.5 sin t.
    """
    L = 1.5
    model = _two_body_slider_crank(L, None)
    # crank upright at first
    model.add(Driver(x(model["coupler"].at()), Harmonic(0.5, 1.0, offset=math.sqrt(L**2 - 1))), name="piston")
    run = kinematics(model, np.linspace(0.0, 3.0, 31))
    phi1, phi2 = run["crank"].angle, run["coupler"].angle
    exact = -np.sin(phi2) * np.cos(run.times) / (2 * np.cos(phi1 - phi2))
    record("phi1'", run["crank"].angular_velocity, exact, rounding(10), "Example 3.5.1", "closed form")
    record("phi1' at t = 0.3", run["crank"].angular_velocity[3], -0.429339, digits(6), "Example 3.5.1", "recomputed")


@pytest.mark.parametrize("held", [0.0, 0.1])
def test_sliding_block_redundancy(record, held):
    """Example 3.6.1: consistent and inconsistent redundancy.

    y + sin phi = 0 and y - sin phi = 0 (two pins of a block in one slot), and a third equation phi = 0 or phi = 0.1.
    """
    model = Model("block")
    block = model.add(Body(), name="block")
    model.add(Hold(y(block.at(1, 0)), 0.0), name="front pin")
    model.add(Hold(y(block.at(-1, 0)), 0.0), name="rear pin")
    model.add(Hold(angle(model.ground.at(), block.at()), held), name="no turning")
    report = mobility(model)
    if held == 0.0:
        record.fact("rank of 3 equations, phi = 0", report.rank, 2, "Example 3.6.1")
        record.fact("redundant", report.redundant[0][0], "no turning", "Example 3.6.1", "statement")
        record.fact("closes", assemble(model).violation < 1e-9, True, "Example 3.6.1", "statement")
        return
    record.fact("rank of 3 equations, phi = 0.1", report.rank, 2, "Example 3.6.1")
    record.fact("contradicting, phi = 0.1", len(report.conflicting) > 0, True, "Example 3.6.1", "statement")
    with pytest.raises(AssemblyError):
        assemble(model)


def test_double_pendulum(record):
    """Example 3.6.2: double pendulum with one freedom, step by step.

    Unit links, tip on y = -1, phi1 = 5 pi/3 + (pi/6) t, start [0.5, -0.8660, 5 pi/3, 1.5, -1.0, 6.14].
    """
    model = Model("double pendulum")
    first = model.add(Body(position=(0.5, -0.866), angle=5 * math.pi / 3), name="first")
    second = model.add(Body(position=(1.5, -1.0), angle=6.14), name="second")
    joint = first.at()
    model.add(Revolute(model.ground.at(), first.at(-1, 0)), name="O")
    model.add(Hold(x(second.at(-1, 0)) - x(joint), 0.0), name="pin x")
    model.add(Hold(y(second.at(-1, 0)) - y(joint), 0.0), name="pin y")
    model.add(Hold(y(second.at()), -1.0), name="floor")
    model.add(Driver(angle(model.ground.at(), first.at()), Ramp(math.pi / 6, 5 * math.pi / 3)), name="motor")
    start = [0.5, -0.866, 5 * math.pi / 3, 1.5, -1.0, 6.14]
    steps = Equations(model).newton(start, 0.0, 3)
    noise = units(1e-4, "the source carries four decimals through the elimination")
    record("first correction", steps[1] - steps[0], [0, 0, 0, -0.0089, 0, 0.0088], noise, "Example 3.6.2")
    second_step = Within(7e-5, "the printed -0.0001 is -0.00004, rounded twice")
    record("second correction", steps[2] - steps[1], [0, 0, 0, -0.0001, 0, 0], second_step, "Example 3.6.2")
    final = [0.5, -0.8660, 5 * math.pi / 3, 1.4910, -1.0, 6.1488]
    record("position", steps[2], final, digits(4), "Example 3.6.2")
    record(
        "third correction",
        steps[3] - steps[2],
        np.zeros(6),
        Within(1e-4, "the stated tolerance of the iteration"),
        "Example 3.6.2, two iterations suffice",
    )
    run = kinematics(model, np.linspace(0.0, 1.5, 16))
    velocity = [
        *run[first].velocity[0],
        run[first].angular_velocity[0],
        *run[second].velocity[0],
        run[second].angular_velocity[0],
    ]
    record("velocity", velocity, [0.4534, 0.2618, 0.5236, 0.4180, 0, -0.2642], noise, "Example 3.6.2")
    acceleration = [
        *run[first].acceleration[0],
        run[first].angular_acceleration[0],
        *run[second].acceleration[0],
        run[second].angular_acceleration[0],
    ]
    record("acceleration", acceleration, [-0.1371, 0.2374, 0, -0.2397, 0, -0.2490], noise, "Example 3.6.2")
    at = Equations(model).at(steps[3], 0.0, velocity)
    phi2 = steps[3][5]
    determinant = abs(np.linalg.det(at.J))
    record("size of the determinant", determinant, abs(math.cos(phi2)), rounding(), "Example 3.6.2", "closed form")
    record(
        "gamma of the joint's y row",
        at.gamma[3],
        0.246776 - 0.237426,
        Within(2e-6, "six recomputed digits"),
        "Example 3.6.2",
        "recomputed",
    )
    record.note(
        "Our joint stands between the two bodies, the book's row 4 is the sum of the two y rows; its gamma is "
        "therefore ours plus that of the first pivot."
    )
    record.erratum(
        "Haug, Example 3.6.2",
        "gamma_4 is printed as -0.2468; it is +0.2468, with which the printed accelerations agree.",
    )


def _two_body_slider_crank(L, w):
    """Example 3.1.2, rows in the book's order; without w no driver."""
    model = Model("two-body slider-crank")
    lean = math.pi / 2 if w is None else 0.1  # driven by its piston it starts with the crank upright
    crank = model.add(Body(angle=lean), name="crank")
    phi2 = math.acos(math.sin(lean) / L)
    reach = math.cos(lean) + L * math.sin(phi2)
    coupler = model.add(Body(position=(reach, 0.0), angle=phi2), name="coupler")
    pin1, pin2 = crank.at(1, 0), coupler.at(0, L)
    model.add(Hold(x(crank.at()), 0.0), name="x1")
    model.add(Hold(y(crank.at()), 0.0), name="y1")
    model.add(Hold(y(coupler.at()), 0.0), name="y2")
    model.add(Hold(x(pin1) - x(pin2), 0.0), name="rx")
    model.add(Hold(y(pin1) - y(pin2), 0.0), name="ry")
    if w is not None:
        model.add(Driver(angle(model.ground.at(), crank.at()), Ramp(w)), name="motor")
    return model


def _two_body_position(L, w, t):
    """Position and velocity of Example 3.1.2 in closed form."""
    phi1 = w * t
    phi2 = math.acos(math.sin(phi1) / L)
    rate2 = -w * math.cos(phi1) / (L * math.sin(phi2))
    x2 = math.cos(phi1) + L * math.sin(phi2)
    v2 = -w * math.sin(phi1) + L * math.cos(phi2) * rate2
    return [0, 0, phi1, x2, 0, phi2], [0, 0, w, v2, 0, rate2]
