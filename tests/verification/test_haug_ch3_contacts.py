"""Haug, chapter 3: racks, cams and followers."""

from __future__ import annotations

import math

import numpy as np
import pytest

from cardan import ModelError, kinematics
from cardan.planar import (
    Body,
    CamFlat,
    CamPair,
    CamRoller,
    Circle,
    Driver,
    Hold,
    Model,
    PointFollower,
    Polar,
    Polynomial,
    RackPinion,
    Ramp,
    Revolute,
    Translational,
    x,
    y,
)
from verification.manual import Within, digits, rounding


def test_rack_and_pinion_slider(record):
    """Example 3.4.2: a rack turned and pushed by a piston drives a pinion.

    Pinion R = 0.2 at the origin; rack through the pin P1, which moves on the x axis, x1 = 0.8 + 0.3 t. At x1 = 0.8 the
    rack touches the pinion with phi1 = -arcsin(0.25).
    """
    model = Model("rack")
    lean = -math.asin(0.25)
    rack = model.add(Body(position=(0.8, 0.0), angle=lean), name="rack")
    pinion = model.add(Body(), name="pinion")
    model.add(Revolute(model.ground.at(), pinion.at()), name="O")
    model.add(Hold(y(rack.at()), 0.0), name="piston guide")
    model.add(RackPinion(rack.at(0, 0, toward=(-1, 0)), pinion.at(), radius=0.2), name="teeth")
    model.add(Driver(x(rack.at()), Ramp(0.3, 0.8)), name="piston")
    run = kinematics(model, np.linspace(0.0, 1.0, 21))
    found = [run[rack].angular_velocity[0], run[pinion].angular_velocity[0]]
    record("phi1', phi2' at x1 = 0.8", found, [0.0968, -1.4524], digits(4), "Example 3.4.2")
    record("phi1', phi2' at x1 = 0.8", found, [0.096825, -1.452369], digits(6), "Example 3.4.2", "recomputed")
    record("phi1 at x1 = 0.8", run[rack].angle[0], -0.252680, digits(6), "Example 3.4.2", "recomputed")
    x1, phi1 = 0.8 + 0.3 * run.times, run[rack].angle
    turned = (run[pinion].angle - phi1) - (run[pinion].angle - phi1)[0]
    rolled = -(x1 * np.cos(phi1) - 0.8 * math.cos(lean)) / 0.2
    record("rolling, first of equation 3.4.13", turned, rolled, rounding(10), "Example 3.4.2", "closed form")
    record("touching, x1 sin phi1", x1 * np.sin(phi1), np.full(21, -0.2), rounding(), "Example 3.4.2", "closed form")
    record.erratum("Haug, Example 3.4.2", "intermediate expressions have lost signs; the final equations are right.")


def test_cam_and_roller(record):
    """Example 3.4.3: engine cam and roller.

    rho = 5/4 - 1/4 cos 3 alpha on [0, 2 pi/3], 1 elsewhere; roller of radius 1/4 whose centre moves on the y axis. The
    roller as a circle in a `CamPair`, with both contact angles, and as a `CamRoller`. The equations of the book are
    evaluated at the contact angles found.
    """
    alpha = np.linspace(0.05, 2.0, 9)
    tangent = Polar(_book_cam).derivatives(alpha)[1]
    rho, slope = 1.25 - 0.25 * np.cos(3 * alpha), 0.75 * np.sin(3 * alpha)
    c, s = np.cos(alpha), np.sin(alpha)
    g1 = np.stack([slope * c - rho * s, slope * s + rho * c], axis=1)
    record("tangent g1'", tangent, g1, rounding(), "equation 3.4.23", "closed form")

    pair, contacts = _roller(True)
    run = kinematics(pair, np.linspace(0.0, 0.9, 19))
    a1, a2 = run[contacts.contact_a].value, run[contacts.contact_b].value
    left = _tangency(a1, a2, run["cam"].angle, run["roller"].angle)
    record("tangency equation", left, np.zeros(19), rounding(), "after equation 3.4.23", "closed form")
    single, contact = _roller(False)
    other = kinematics(single, run.times)
    record(
        "contact angle alpha_1, both models",
        other[contact.contact].value,
        a1,
        rounding(10),
        "Example 3.4.3",
        "closed form",
    )
    height = _roller_height(run["cam"].angle)
    record("height of the roller", run["roller"].position[:, 1], height, rounding(10), "Example 3.4.3", "recomputed")
    ours = other["roller"].acceleration[:, 1]
    record(
        "acceleration, both models",
        run["roller"].acceleration[:, 1],
        ours,
        rounding(100),
        "Example 3.4.3",
        "closed form",
    )

    times = np.linspace(0.0, 4.0 * math.pi, 241)
    for as_pair in (True, False):
        kind = "CamPair" if as_pair else "CamRoller"
        whole = kinematics(_roller(as_pair)[0], times)
        height = _roller_height(whole["cam"].angle, _book_cam, _book_slope, 0.25)
        what = f"height of the roller, two turns, {kind}"
        record(what, whole["roller"].position[:, 1], height, rounding(100), "Example 3.4.3", "recomputed")
        passed = [jump.time + 0.2 for jump in whole.jumps]
        turns = [math.pi / 2 + 2.0 * math.pi * k - a for k in range(3) for a in (0.0, 2.0 * math.pi / 3.0)]
        wanted = sorted(phi for phi in turns if 0.2 < phi < 0.2 + times[-1])
        record(f"jumps of the acceleration, {kind}", passed, wanted, rounding(100), "rho'' at 0, 2 pi/3", "closed form")


def test_cam_and_flat_face(record):
    """Example 3.4.4: cam against a flat face.

    The book's cam is concave near alpha = 0 (curvature -1.25), so a flat face cannot follow it: it is refused. A convex
    cam of the same kind, rho = 5/4 - 1/20 cos 3 alpha, shows which tangency equation is right.
    """
    least = Polar(_book_cam).is_convex()
    record(
        "least curvature of the book's cam",
        least.curvature,
        -1.25,
        Within(1e-6, "sampled outline"),
        "rho^2 + 2 rho'^2 - rho rho'' at alpha = 0",
        "closed form",
    )
    with pytest.raises(ModelError) as refused:
        _flat(_book_cam)
    record.fact("refused as not convex", "not convex enough" in str(refused.value), True, "Example 3.4.4", "statement")

    model, contact = _flat(_convex_cam)
    run = kinematics(model, np.linspace(0.0, 3.0, 31))
    alpha, phi = run[contact.contact].value, run["cam"].angle
    rho, slope = 1.25 - 0.05 * np.cos(3 * alpha), 0.15 * np.sin(3 * alpha)
    gx = slope * np.cos(alpha) - rho * np.sin(alpha)
    gy = slope * np.sin(alpha) + rho * np.cos(alpha)
    record(
        "g1x sin phi1 + g1y cos phi1",
        gx * np.sin(phi) + gy * np.cos(phi),
        np.zeros(31),
        rounding(10),
        "equation 3.4.29",
        "closed form",
    )
    printed = -(slope * np.cos(alpha) + rho * np.sin(alpha)) * np.cos(phi) + gy * np.sin(phi)
    record.above("the printed expression, greatest value", float(np.max(np.abs(printed))), 0.1, "Example 3.4.4")
    height = rho * np.sin(alpha + phi)
    record("height of the face", run["follower"].position[:, 1], height, rounding(10), "equation 3.4.29", "closed form")
    record.erratum(
        "Haug, Example 3.4.4",
        "the printed equation does not follow from 3.4.29; right is "
        "g1x' sin phi1 + g1y' cos phi1 = 0. The example's cam is not convex, as 3.4.24 to 3.4.29 require.",
    )


def test_point_follower(record):
    """Example 3.4.5: the valve lifter as a pin in a slot.

    Slot rho = 5/4 - 1/4 cos 3 alpha; follower on the y axis with its pin l = 2 below its origin; phi1 = -0.3 + 1.2 t +
    0.5 t^2, while alpha stays in [0, 2 pi/3].
    """
    L = 2.0
    model = Model("valve lifter")
    cam = model.add(Body(angle=-0.3), name="cam")
    valve = model.add(Body(position=(0.0, L + 1.1)), name="valve")
    hinge = model.add(Revolute(model.ground.at(), cam.at()), name="O")
    model.add(Translational(model.ground.at(0, 0, math.pi / 2), valve.at(0, 0, math.pi / 2)), name="guide")
    slot = Polar(lambda a: 1.25 - 0.25 * math.cos(3.0 * a))
    follower = model.add(PointFollower(cam.profile(slot), valve.at(0, -L)), name="slot")
    model.add(Driver(hinge.angle, Polynomial(-0.3, 1.2, 0.5)), name="motor")
    run = kinematics(model, np.linspace(0.0, 1.0, 21))
    phi, rate = run[cam].angle, run[cam].angular_velocity
    turn = run[follower.contact].value + phi
    record("alpha1 + phi1", turn, np.full(21, math.pi / 2), rounding(), "Example 3.4.5", "closed form")
    height = L + 1.25 + 0.25 * np.sin(3 * phi)
    record("y2", run[valve].position[:, 1], height, rounding(), "Example 3.4.5", "closed form")
    speed = 0.75 * np.cos(3 * phi) * rate
    record("y2'", run[valve].velocity[:, 1], speed, rounding(10), "Example 3.4.5", "closed form")
    record.erratum("Haug, Example 3.4.5", "y2' lacks the factor phi1'.")


def test_polynomial_cam(record):
    """Problem 3.4.7: curvature of a polynomial cam.

    rho = 1 + 2 a^2 - 2 a^3 + a^4/2 on [0, 2], 1 elsewhere: the curvature at a = 0 is 1 - rho''(0) = -3, so the cam is
    concave there.
    """
    curvature = Polar(_polynomial_cam).curvature(np.array([1e-9]))[0]
    record(
        "curvature at alpha = 0",
        curvature,
        -3.0,
        Within(1e-6, "taken 1e-9 beside the corner of rho''"),
        "Problem 3.4.7",
        "recomputed",
    )
    with pytest.raises(ModelError):
        _flat(_polynomial_cam)
    model, contact = _roller(False, _polynomial_cam, 0.2)
    times = np.linspace(0.0, 4.0 * math.pi, 241)
    for coordinates in ("cartesian", "joint"):
        run = kinematics(model, times, coordinates=coordinates)
        height = _roller_height(run["cam"].angle, _polynomial_cam, _polynomial_slope, 0.2)
        what = f"height of a roller of radius 0.2, two turns, {coordinates} coordinates"
        record(what, run["roller"].position[:, 1], height, rounding(100), "Problem 3.4.7", "recomputed")
        turns = [math.pi / 2 + 2.0 * math.pi * k - a for k in range(3) for a in (0.0, 2.0)]
        wanted = sorted(phi for phi in turns if 0.2 < phi < 0.2 + times[-1])
        passed = [jump.time + 0.2 for jump in run.jumps]
        record(f"jumps, {coordinates} coordinates", passed, wanted, rounding(100), "rho'' at 0, 2", "closed form")


def _book_cam(alpha):
    return 1.25 - 0.25 * math.cos(3.0 * alpha) if alpha < 2.0 * math.pi / 3.0 else 1.0


def _convex_cam(alpha):
    return 1.25 - 0.05 * math.cos(3.0 * alpha)


def _polynomial_cam(alpha):
    return 1.0 + 2.0 * alpha**2 - 2.0 * alpha**3 + 0.5 * alpha**4 if alpha < 2.0 else 1.0


def _book_slope(alpha):
    return 0.75 * math.sin(3.0 * alpha) if alpha < 2.0 * math.pi / 3.0 else 0.0


def _polynomial_slope(alpha):
    return 4.0 * alpha - 6.0 * alpha**2 + 2.0 * alpha**3 if alpha < 2.0 else 0.0


def _roller(as_pair, rho=None, radius=0.25):
    """The cam of Example 3.4.3, or another one, turning under a roller on the y axis."""
    model = Model("cam and roller")
    cam = model.add(Body(angle=0.2), name="cam")
    roller = model.add(Body(position=(0.0, 1.7)), name="roller")
    hinge = model.add(Revolute(model.ground.at(), cam.at()), name="O")
    model.add(Translational(model.ground.at(0, 0, math.pi / 2), roller.at(0, 0, math.pi / 2)), name="guide")
    outline = cam.profile(Polar(rho or _book_cam))
    if as_pair:
        contact = model.add(CamPair(outline, roller.profile(Circle(radius))), name="contact")
    else:
        contact = model.add(CamRoller(outline, roller.at(), radius=radius), name="contact")
    model.add(Driver(hinge.angle, Ramp(1.0, 0.2)), name="motor")
    return model, contact


def _tangency(a1, a2, phi1, phi2):
    """The third of equations 3.4.20 as Example 3.4.3 writes it out."""
    gx = 0.75 * np.sin(3 * a1) * np.cos(a1) + (0.25 * np.cos(3 * a1) - 1.25) * np.sin(a1)
    gy = 0.75 * np.sin(3 * a1) * np.sin(a1) - (0.25 * np.cos(3 * a1) - 1.25) * np.cos(a1)
    first = gx * np.cos(phi1) - gy * np.sin(phi1)
    second = gx * np.sin(phi1) + gy * np.cos(phi1)
    roller_y = -0.25 * np.sin(a2) * np.sin(phi2) + 0.25 * np.cos(a2) * np.cos(phi2)
    roller_x = -0.25 * np.sin(a2) * np.cos(phi2) - 0.25 * np.cos(a2) * np.sin(phi2)
    return first * roller_y - second * roller_x


def _roller_height(phi, rho=None, slope=None, radius=0.25):
    """Where the offset curve of the cam meets the y axis, by bisection on the cam angle."""
    cam = rho or _book_cam, slope or _book_slope, radius
    heights = []
    for turn in phi:
        low, high = math.pi / 2 - turn - 0.7, math.pi / 2 - turn + 0.7
        for _ in range(60):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if _roller_center(middle, turn, *cam)[0] > 0.0 else (low, middle)
        heights.append(_roller_center(low, turn, *cam)[1])
    return np.array(heights)


def _roller_center(alpha, turn, rho, slope, radius):
    inside = alpha % (2.0 * math.pi)
    r, dr = rho(inside), slope(inside)
    a = alpha + turn
    tx, ty = dr * math.cos(a) - r * math.sin(a), dr * math.sin(a) + r * math.cos(a)
    size = math.hypot(tx, ty)
    return r * math.cos(a) + radius * ty / size, r * math.sin(a) - radius * tx / size


def _flat(rho):
    """A cam under a horizontal face that moves on the y axis; the face points along -x, as u2 of Example 3.4.4."""
    model = Model("cam and flat face")
    cam = model.add(Body(angle=0.1), name="cam")
    follower = model.add(Body(position=(0.0, 1.25)), name="follower")
    hinge = model.add(Revolute(model.ground.at(), cam.at()), name="O")
    model.add(Translational(model.ground.at(0, 0, math.pi / 2), follower.at(0, 0, math.pi / 2)), name="guide")
    contact = model.add(CamFlat(cam.profile(Polar(rho)), follower.at(0, 0, math.pi)), name="contact")
    model.add(Driver(hinge.angle, Ramp(1.0, 0.1)), name="motor")
    return model, contact
