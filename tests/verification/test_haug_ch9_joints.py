"""Haug, chapter 9: joints in space.

The joints of the examples, at the positions that the examples give and in motion.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from cardan import LockUp, kinematics, mobility
from cardan.spatial import (
    Body,
    Cylindrical,
    Driver,
    Hold,
    Model,
    Planar,
    Ramp,
    Revolute,
    Screw,
    Translational,
    component,
    dot,
    rotation,
    x,
    y,
)
from verification.equations import Equations
from verification.manual import Within, rounding

ARITHMETIC = Within(2e-14, "a few operations on numbers of size one to ten, each exact to 2e-16 of them")
TURNS = np.radians(np.arange(-180.0, 181.0, 15.0))
SLIDES = np.linspace(-2.0, 2.0, TURNS.size)
LOCATED = Within(1e-9, "lock-ups are located to 1e-9 of the time span")


def test_revolute(record):
    """Example 9.4.8: revolute joint.

    Body 2 turned clockwise about z by theta, from -180 to 180 degrees: e0 = cos theta/2, e3 = -sin theta/2.
    """
    p = _clockwise()
    c, s, zero, one = np.cos(TURNS), np.sin(TURNS), np.zeros(TURNS.size), np.ones(TURNS.size)
    A = np.moveaxis(np.array([[c, s, zero], [-s, c, zero], [zero, zero, one]]), -1, 0)
    record("A2", rotation.matrix(p), A, ARITHMETIC, "Example 9.4.8")
    model, one, two = _pair()
    model.add(Revolute(one.at(), two.at()), name="joint")
    _all_zero(record, model, np.hstack([np.zeros((TURNS.size, 3)), p]), "Example 9.4.8")


def test_cylindrical(record):
    """Example 9.4.9: cylindrical joint.

    As in Example 9.4.8, with r2 = (0, 0, s) and s from -2 to 2.
    """
    model, one, two = _pair()
    model.add(Cylindrical(one.at(), two.at()), name="joint")
    _all_zero(record, model, np.hstack([_slid(), _clockwise()]), "Example 9.4.9")
    record.erratum(
        "Haug, Example 9.4.9",
        "'parallel-2 ... shown in Example 9.4.8' must be parallel-1, and the matrix of theta stands where A1^T = I "
        "belongs; the zeros are right.",
    )


def test_translational(record):
    """Example 9.4.10: translational joint.

    A2 is a quarter turn about z, so that f1 and f2 are square, as equation 9.4.24 asks for; r2 = (0, 0, s). The same
    position with `Translational`, whose x axes are parallel: the marker on body 2 is turned back.
    """
    quarter = np.broadcast_to(rotation.from_axis_angle((0, 0, 1), math.pi / 2), (TURNS.size, 4))
    q = np.hstack([_slid(), quarter])
    literal = _translational_as_printed()
    _all_zero(record, literal, q, "Example 9.4.10", "equation 9.4.24")
    record.fact("rank of equation 9.4.24", _rank(literal, q[0]), 5, "Example 9.4.10", "statement")
    model, one, two = _pair()
    model.add(Translational(one.at(), two.at(x=(0, -1, 0), z=(0, 0, 1))), name="joint")
    _all_zero(record, model, q, "Example 9.4.10", "`Translational`")
    record.fact("rank of `Translational`", _rank(model, q[0]), 5, "Example 9.4.10", "statement")

    aligned = np.array([0, 0, 0.3, 1, 0, 0, 0])
    residual = Equations(literal).at(aligned).phi[-1]
    tables = "Tables 10.2.4, 10.4.2"
    record("equation 9.4.24 with parallel x axes, residual", residual, 1.0, ARITHMETIC, tables, "closed form")
    record.fact("its rank there", _rank(literal, aligned), 4, tables, "closed form")
    record.erratum(
        "Haug, equation 9.4.24 and Tables 10.2.4, 10.4.2",
        "the text has the x'' axes of a translational joint square to each other, the tables have them parallel, where "
        "the equation leaves a residual of 1 and loses rank. `Translational` takes them parallel.",
    )


@pytest.mark.parametrize("alpha", [0.05, -0.2])
def test_screw(record, alpha):
    """Example 9.4.11: screw joint.

    s = alpha (theta + 2 n pi - theta0) through three turns, alpha = 0.05 and -0.2 m/rad, theta0 = 0.4; theta grows
    counterclockwise.
    """
    model, one, two = _pair(position=(0, 0, -0.4 * alpha))
    joint = model.add(Screw(one.at(), two.at(), pitch=2 * math.pi * alpha, start_angle=0.4), name="joint")
    record.fact("degrees of freedom", mobility(model).degrees_of_freedom, 1, "equation 9.4.26", "statement")
    model.add(Driver(joint.angle, Ramp(1.0)), name="motor")
    times = np.linspace(0.0, 6 * math.pi, 361)
    body = kinematics(model, times)["two"]
    place, turned = np.outer(times - 0.4, (0, 0, alpha)), rotation.from_axis_angle((0, 0, 1), times)
    record(f"r2, alpha = {alpha}", body.position, place, rounding(10), "Example 9.4.11")
    record(f"A2, alpha = {alpha}", body.matrix, rotation.matrix(turned), rounding(), "Example 9.4.11")
    speed = np.broadcast_to((0, 0, alpha), place.shape)
    record(f"velocity, alpha = {alpha}", body.velocity, speed, rounding(), "Example 9.4.11", "closed form")


def test_sliding_on_a_plane(record):
    """Problem 9.4.1: a body sliding on the xy plane.

    z2 = 0, and x2' and y2' square to z: residuals at 25 random positions. `Planar` has the same three equations.
    """
    rng = np.random.default_rng(4)
    p = rng.standard_normal((25, 4))
    p /= np.linalg.norm(p, axis=1, keepdims=True)
    q = np.hstack([rng.uniform(-2, 2, (25, 3)), p])
    model, one, two = _pair()
    _sliding(model, one, two)
    equations = Equations(model)
    phi = np.array([equations.at(row).phi for row in q])
    e0, e1, e2, e3 = p.T
    printed = np.stack([q[:, 2], 2 * (e1 * e3 - e0 * e2), 2 * (e2 * e3 + e0 * e1)], axis=1)
    record("the three equations", phi, printed, ARITHMETIC, "Problem 9.4.1", "closed form")
    record.fact("degrees of freedom", mobility(model).degrees_of_freedom, 3, "Problem 9.4.1", "statement")
    model.add(Planar(one.at(), two.at()), name="planar")
    report = mobility(model)
    found = report.degrees_of_freedom, [name for name, _ in report.redundant]
    record.fact(
        "degrees of freedom, redundant with `Planar`", found, (3, ["planar"] * 3), "Problem 9.4.1", "closed form"
    )


def test_sliding_along_y(record):
    """Problem 9.4.2: a body sliding along y, by equations that fail at the origin.

    The equations of Problem 9.4.1, x2 = 0 and the dot-2 constraint of f2 and d12. At d12 = 0 they hold for any turn
    about z, and a body driven along y stops there.
    """
    model = _slide_along_y(-0.5)
    report = mobility(model)
    found = report.equations, report.degrees_of_freedom, len(report.singular)
    record.fact("equations, degrees of freedom, singular, y2 = -0.5", found, (5, 1, 0), "Problem 9.4.2", "statement")
    turned = np.hstack([np.zeros((TURNS.size, 3)), _clockwise()])
    _all_zero(record, model, turned, "Problem 9.4.2", "the five equations at the origin, any turn about z")
    report = mobility(_slide_along_y(0.0))
    found = report.degrees_of_freedom, report.singular
    record.fact("degrees of freedom, singular, y2 = 0", found, (1, (("dot-2", "x"),)), "Problem 9.4.2", "statement")
    model.add(Driver(y(model["two"].at()), Ramp(1.0, -0.5)), name="push")
    with pytest.raises(LockUp) as stop:
        kinematics(model, np.linspace(0.0, 1.0, 21))
    record("time of the stop", stop.value.time, 0.5, LOCATED, "Problem 9.4.2", "closed form")
    guided, one, two = _pair(position=(0, -0.5, 0))
    rail = guided.add(Translational(one.at(z=(0, 1, 0)), two.at(z=(0, 1, 0))), name="rail")
    guided.add(Driver(rail.travel, Ramp(1.0, -0.5)), name="push")
    end = kinematics(guided, np.linspace(0.0, 1.0, 21))["two"].position[-1]
    record("a `Translational` joint goes through: r2", end, (0, 0.5, 0), rounding(), "Problem 9.4.2", "closed form")


def _pair(position=(0.0, 0.0, 0.0)):
    """Body 1 of the examples is ground."""
    model = Model("pair")
    return model, model.ground, model.add(Body(position=position), name="two")


def _sliding(model, one, two):
    for measure in (component(one.at(), two.at(), "z"), dot(one.at(), two.at(), *"zx"), dot(one.at(), two.at(), *"zy")):
        model.add(Hold(measure), name=str(measure))


def _slide_along_y(place):
    model, one, two = _pair(position=(0, place, 0))
    _sliding(model, one, two)
    model.add(Hold(x(two.at())), name="x2")
    model.add(Hold(component(two.at(), one.at(), "x")), name="dot-2")
    return model


def _translational_as_printed():
    """Equation 9.4.24: parallel-1, parallel-2 and the dot-1 constraint of f1 and f2."""
    model, one, two = _pair()
    a, b = one.at(), two.at()
    for measure in (dot(a, b, *"xz"), dot(a, b, *"yz"), component(a, b, "x"), component(a, b, "y"), dot(a, b, *"xx")):
        model.add(Hold(measure))
    return model


def _rank(model, q):
    return int(np.linalg.matrix_rank(Equations(model).at(q).J, tol=1e-9))


def _clockwise():
    return np.stack([np.cos(TURNS / 2), 0 * TURNS, 0 * TURNS, -np.sin(TURNS / 2)], axis=1)


def _slid():
    return np.outer(SLIDES, (0, 0, 1))


def _all_zero(record, model, positions, source, what="all equations"):
    equations = Equations(model)
    phi = np.array([equations.at(q).phi for q in positions])
    record(f"{what}, residuals", phi, np.zeros_like(phi), ARITHMETIC, source)
