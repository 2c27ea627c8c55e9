"""Haug, section 3.7: lock-up, bifurcation and redundant constraints."""

from __future__ import annotations

import math

import numpy as np
import pytest

from cardan import AssemblyError, LockUp, assemble, kinematics, mobility
from cardan.planar import (
    Body,
    Distance,
    Driver,
    Hold,
    Model,
    Ramp,
    Revolute,
    Translational,
    angle,
    constraint,
    x,
    y,
)
from verification.equations import Equations
from verification.manual import Within, digits, rounding

LOCATED = Within(1e-8, "lock-ups are located to 1e-9 of the time span, a few seconds here")

# t, q, Phi_q, -Phi_t, q', gamma, q'': the table that Problem 3.7.3 asks for
P_3_7_3 = (
    (0.4, 1.234674, 0.627227, -0.961610, -1.5331, -4.5872, -7.313),
    (0.45, 1.147034, 0.493173, -0.997840, -2.0233, -6.7329, -13.652),
    (0.5, 1.019537, 0.283910, -0.977584, -3.4433, -18.8988, -66.566),
    (0.52, 0.923588, 0.111537, -0.917825, -8.2289, -120.677, -1081.94),
    (0.523, 0.889092, 0.045536, -0.888170, -19.5049, -723.454, -15887.6),
    (0.5235, 0.875323, 0.018497, -0.875174, -47.3137, -4384.07, -237012.0),
)


@constraint
def coupler(q, t, L=1.0):
    """Equation 3.7.1 with omega = 1."""
    return (q - math.cos(t)) ** 2 + math.sin(t) ** 2 - L * L


def test_slider_crank_of_one_equation(record):
    """Examples 3.7.3 and 3.7.4, Problem 3.7.3: approaching a lock-up.

    (q - cos t)^2 + sin^2 t - l^2 = 0, l = 1/2, as a user's constraint on the x coordinate of a slider. Velocity and
    acceleration grow without bound toward t = pi/6.
    """
    model = _one_equation(0.5)
    times = [0.0, *(row[0] for row in P_3_7_3)]
    run = kinematics(model, times)["slider"]
    t, L = np.array(times), 0.5
    q = np.cos(t) + np.sqrt(np.cos(t) ** 2 + L**2 - 1)
    slope = 2 * (q - np.cos(t))
    v = -2 * q * np.sin(t) / slope
    gamma = -2 * (v * v + 2 * v * np.sin(t) + q * np.cos(t))
    record("q", run.position[:, 0], q, rounding(10), "equation 3.7.2", "closed form")
    near = Within(1e-7, "1e-11 in the equation, divided by a slope of 0.0185 and amplified by the speed 47")
    record("q' / exact", run.velocity[:, 0][1:] / v[1:], np.ones(6), near, "equation 3.7.3", "closed form")
    record("q'' / exact", run.acceleration[:, 0] / (gamma / slope), np.ones(7), near, "Problem 3.7.3", "closed form")
    for k, (time, value, jacobian, nu, rate, right, acceleration) in enumerate(P_3_7_3, start=1):
        at = Equations(model).at([run.position[k, 0], 0, 0], time, [run.velocity[k, 0], 0, 0])
        found = [run.position[k, 0], at.J[0, 0], at.nu[0]]
        record(
            f"q, Phi_q, -Phi_t at t = {time}", found, [value, jacobian, nu], digits(6), "Problem 3.7.3", "recomputed"
        )
        found = [run.velocity[k, 0] / rate, at.gamma[0] / right, run.acceleration[k, 0] / acceleration]
        record(
            f"q', gamma, q'' at t = {time} relative",
            found,
            np.ones(3),
            Within(7e-5, "five recomputed digits"),
            "Problem 3.7.3",
            "recomputed",
        )
    with pytest.raises(LockUp) as stop:
        kinematics(model, np.linspace(0.0, 1.0, 21))
    record("lock-up at sin t = l", stop.value.time, math.pi / 6, LOCATED, "Example 3.7.3", "closed form")


@pytest.mark.parametrize("L", [0.5, 0.9, 1.0, 1.2])
def test_slider_crank_lock_up_and_fork(record, L):
    """Examples 3.7.1 and 3.7.5: slider-crank with short, equal and long coupler.

    Crank 1, coupler l, phi1 = t from 0.1 s to 3 s: lock-up at sin phi1 = l for l < 1, a fork at phi1 = pi/2 for l = 1,
    none for l > 1.
    """
    model = _two_body(L)
    times = np.linspace(0.1, 3.0, 30)
    if L > 1.0:
        run = kinematics(model, times)["coupler"]
        exact = np.cos(times) + np.sqrt(L * L - np.sin(times) ** 2)
        record("x2, l = 1.2", run.position[:, 0], exact, rounding(), "Example 3.7.3", "closed form")
        return
    with pytest.raises(LockUp) as stop:
        kinematics(model, times)
    kind = "forks" if "bifurcates" in str(stop.value) else "locks up"
    record.fact(f"what happens, l = {L}", kind, "forks" if L == 1.0 else "locks up", "Example 3.7.1", "statement")
    record(f"at t, l = {L}", stop.value.time, math.asin(L), LOCATED, "Example 3.7.1", "closed form")


def test_determinant_changes_sign(record):
    """Problem 3.7.4: the determinant on both sides of the fork, l = 1.

    phi1 = 85 and 95 degrees; on the branch through the origin x2 = 2 cos phi1, on the other x2 = 0.
    """
    equations = Equations(_two_body(1.0))
    for phi1, expected in ((1.4835, -0.087185), (1.6581, 0.087193)):
        through = np.linalg.det(equations.at([0, 0, phi1, 2 * math.cos(phi1), 0, math.pi / 2 - phi1]).J)
        record(
            f"determinant at {phi1}, through the origin",
            through,
            expected,
            Within(2e-6, "recomputed from rounded angles"),
            "Problem 3.7.4",
            "recomputed",
        )
        locked = np.linalg.det(equations.at([0, 0, phi1, 0, 0, phi1 - math.pi / 2]).J)
        record(
            f"determinant at {phi1}, x2 = 0",
            locked,
            -math.sin(phi1 - math.pi / 2),
            rounding(),
            "equation 3.7.5",
            "closed form",
        )


def test_parallelogram_fork(record):
    """Example 3.7.2: fork of a parallelogram four-bar in the flat position.

    Cranks 1, coupler 2; driven from phi1 = -0.5 through phi1 = 0 at t = 0.5.
    """
    model = Model("parallelogram")
    s, c = math.sin(-0.5), math.cos(-0.5)
    first = model.add(Body(angle=-0.5), name="first")
    third = model.add(Body(position=(2.0, 0.0), angle=-0.5), name="third")
    coupler_bar = model.add(Body(position=(c, s)), name="coupler")
    hinge = model.add(Revolute(model.ground.at(), first.at()), name="A")
    model.add(Revolute(first.at(1, 0), coupler_bar.at()), name="B")
    model.add(Revolute(coupler_bar.at(2, 0), third.at(1, 0)), name="C")
    model.add(Revolute(model.ground.at(2, 0), third.at()), name="D")
    model.add(Driver(hinge.angle, Ramp(1.0, -0.5)), name="motor")
    with pytest.raises(LockUp) as stop:
        kinematics(model, np.linspace(0.0, 1.0, 12))
    record("time of the fork", stop.value.time, 0.5, LOCATED, "Example 3.7.2", "closed form")
    record.fact("called a fork", "bifurcates" in str(stop.value), True, "Example 3.7.2", "statement")


def test_design_change_at_lock_up(record):
    """Example 3.7.6: a change of the coupler's length in the lock-up position.

    l = 0.8, phi1 = arcsin 0.8. A coupler longer by 0.01 has two positions, a shorter one none.
    """
    L, phi1 = 0.8, math.asin(0.8)
    found = []
    for estimate in (0.9, 0.3):
        model = _two_body(L + 0.01, phi1=phi1, estimate=estimate)
        found.append(assemble(model, time=phi1)["coupler"].position[0])
    spread = math.sqrt((L + 0.01) ** 2 - L**2)
    record(
        "x2 - cos phi1, two positions",
        np.array(found) - math.cos(phi1),
        [spread, -spread],
        rounding(10),
        "Example 3.7.6",
        "closed form",
    )
    with pytest.raises(AssemblyError) as refused:
        assemble(_two_body(L - 0.01, phi1=phi1, estimate=0.6), time=phi1)
    record.fact("shorter coupler", type(refused.value).__name__, "AssemblyError", "Example 3.7.6", "statement")


def test_bar_on_three_links(record):
    """Example 3.7.7: a bar on three unit links.

    One bar with pins at 0, 1 and 2 on unit links from ground points 0, 1 and 2. Parallel motion: rank 2 of 3; in the
    flat position rank 1.
    """
    for theta, rank in ((0.8, 2), (0.0, 1)):
        model = Model("bar")
        bar = model.add(Body(position=(math.cos(theta), math.sin(theta))), name="bar")
        for k in range(3):
            model.add(Distance(model.ground.at(k, 0), bar.at(k, 0), 1.0), name=f"link {k + 1}")
        J = Equations(model).at([math.cos(theta), math.sin(theta), 0.0]).J
        record.fact(
            f"rank of the Jacobian, theta = {theta}",
            int(np.linalg.matrix_rank(J)),
            rank,
            "equation 3.7.13",
            "recomputed",
        )
        report = mobility(model)
        record.fact(f"lasting rank, theta = {theta}", report.rank, 2, "equation 3.7.13", "recomputed")
        record.fact(f"redundant, theta = {theta}", len(report.redundant), 1, "equation 3.7.13", "recomputed")
        record.fact(f"singular rows, theta = {theta}", len(report.singular), 2 - rank, "equation 3.7.13", "recomputed")


def test_slider_driven_dead_centres(record):
    """Problems 3.7.1 and 3.7.2: the slider-crank of crank 4 and rod 6 driven by its slider.

    x3 = 8 + 0.5 t locks at the outer dead centre x3 = 10; x3 = 4 - 0.5 t at the inner one, x3 = 2.
    """
    for start, speed, end in ((8.0, 0.5, 10.0), (4.0, -0.5, 2.0)):
        model = Model("slider-crank")
        lean = math.acos((16 + start**2 - 36) / (8 * start))
        crank = model.add(Body(angle=lean), name="crank")
        rod_angle = math.atan2(-4 * math.sin(lean), start - 4 * math.cos(lean))
        rod = model.add(Body(position=(4 * math.cos(lean), 4 * math.sin(lean)), angle=rod_angle), name="rod")
        slider = model.add(Body(position=(start, 0.0)), name="slider")
        model.add(Revolute(model.ground.at(), crank.at()), name="A")
        model.add(Revolute(crank.at(4, 0), rod.at()), name="B")
        model.add(Revolute(rod.at(6, 0), slider.at()), name="C")
        guide = model.add(Translational(model.ground.at(), slider.at()), name="guide")
        model.add(Driver(guide.travel, Ramp(speed, start)), name="push")
        with pytest.raises(LockUp) as stop:
            kinematics(model, np.linspace(0.0, 6.0, 50))
        place = start + speed * stop.value.time
        record(f"x3 at the stop, from {start}", place, end, LOCATED, "Problem 3.7.1", "closed form")


def _one_equation(L):
    """A slider on the x axis whose x coordinate obeys equation 3.7.1."""
    model = Model("slider-crank in one equation")
    slider = model.add(Body(position=(1.0 + L, 0.0)), name="slider")
    model.add(coupler(x(slider.at()), L=L), name="coupler")
    model.add(Hold(y(slider.at()), 0.0), name="axis")
    model.add(Hold(angle(model.ground.at(), slider.at()), 0.0), name="upright")
    return model


def _two_body(L, phi1=0.1, estimate=None):
    """Example 3.1.2 with omega = 1."""
    model = Model("two-body slider-crank")
    phi2 = math.acos(min(1.0, math.sin(phi1) / L))
    place = math.cos(phi1) + L * math.sin(phi2)
    crank = model.add(Body(angle=phi1), name="crank")
    if estimate is not None and estimate < math.cos(phi1):
        phi2 = -phi2
    coupler_bar = model.add(Body(position=(place if estimate is None else estimate, 0.0), angle=phi2), name="coupler")
    pin1, pin2 = crank.at(1, 0), coupler_bar.at(0, L)
    model.add(Hold(x(crank.at()), 0.0), name="x1")
    model.add(Hold(y(crank.at()), 0.0), name="y1")
    model.add(Hold(y(coupler_bar.at()), 0.0), name="y2")
    model.add(Hold(x(pin1) - x(pin2), 0.0), name="rx")
    model.add(Hold(y(pin1) - y(pin2), 0.0), name="ry")
    model.add(Driver(angle(model.ground.at(), crank.at()), Ramp(1.0)), name="motor")
    return model
