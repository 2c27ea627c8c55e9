"""Haug, chapter 8: a valve lifter whose follower may leave its cam.

The book finds by inverse dynamics that the cam would have to pull. Here the contact can only push, and the follower
lifts off and comes back in forward dynamics.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq

from cardan import simulate
from cardan.planar import Circle, Contact, Driver, Face, Ramp, Rim, Spring, angle
from verification.manual import Within
from verification.test_haug_ch5_transmissions import _valve_lifter
from verification.test_haug_ch8_inverse import TURN, _give

SOURCE = "section 8.5"


@pytest.mark.parametrize(
    ("rate", "rpm", "lifts"),
    [(10, 3000, True), (25, 3000, False), (40, 3000, False), (25, 1500, False), (25, 4500, True)],
)
def test_valve_lifter_in_motion(record, rate, rpm, lifts):
    """Section 8.5: loss of contact of the valve lifter in forward dynamics, springs of 10, 25, 40 N/cm, three speeds.

    Data as in the inverse dynamics of the same section: the spring is compressed by 3 cm with the valve closed. Cam and
    follower touch with 1e6 N/cm, linear, and a damping of 0.2 s/cm, so that the start, at which the spring is let go
    on a contact without load, has died out after a quarter of a turn. Without elasticity the contact is lost where the
    force of the closed form becomes zero.
    """
    model, w = _valve_lifter(0.25, held=False), rpm * TURN / 60
    model.gravity = (0.0, -981.0)
    _give(model, {"cam": (30.0, 15.0), "follower": (120.0, 2250.0), "rocker": (150.0, 1800.0), "valve": (60.0, 800.0)})
    model.add(Driver(angle(model.ground.at(), model["cam"].at()), Ramp(w)), name="motor")
    model.add(Spring(model["valve guide"].travel, rate * 1e5, rest_length=-3.0), name="spring")  # g, cm, s
    face, rim = Face(model["follower"].at(-15, 0, toward=(-15, 1))), Rim(model["cam"].profile(Circle(1.25)))
    touch = model.add(Contact(face, rim, 1e11, 1.0, damping=0.2), name="contact")
    run = simulate(model, TURN / w, output=TURN / w / 2000)
    case = f"{rate} N/cm, {rpm} rpm"
    later = run.times > 0.25 * TURN / w
    gap, normal = run[touch.gap].value, run[touch.normal].value
    apart = later & (gap > 0.0)
    record.fact(f"the follower leaves the cam, {case}", bool(apart.any()), lifts, SOURCE)
    force = _force(w, rate * 1e5)
    size = Within(0.01 * np.abs(force(run.times)).max(), "1 % of the largest force: the contact swings with 4 kHz")
    held = later & ~np.logical_or.accumulate(apart)
    record(
        f"force while in contact, {case}",
        normal[held],
        np.maximum(force(run.times[held]), 0.0),
        size,
        SOURCE,
        "closed form",
    )
    if lifts:
        first = run.times[np.argmax(apart)]
        instant = brentq(force, 0.25 * TURN / w, 0.5 * TURN / w)
        near = Within(0.01 * TURN / w, "1 % of a turn: the force goes through zero slowly, and swings a little")
        record(f"instant of loss in s, {case}", first, instant, near, SOURCE, "closed form")
        if rate == 10:
            about = Within(0.0035, "'near t = 0.01 s', read from a curve; the follower is at its top there")
            record(f"instant of loss in s, {case}", round(float(first), 4), 0.01, about, SOURCE)


def _force(w, k):
    """The force of the cam on the follower, by virtual work: lift h = 0.25 (1 - cos w t), rocker angle -atan(h/6)."""

    def force(t):
        h, hv, ha = 0.25 * (1 - np.cos(w * t)), 0.25 * w * np.sin(w * t), 0.25 * w**2 * np.cos(w * t)
        p1, p2 = -6 / (36 + h**2), 12 * h / (36 + h**2) ** 2
        return 180.0 * ha + 1800.0 * (p1 * p2 * hv**2 + p1**2 * ha) + 60.0 * 981.0 + k * (3.0 + h)

    return force
