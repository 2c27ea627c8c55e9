"""Haug, sections 6.3 and 7.2: equations of motion of the pendulum, and its motion."""

from __future__ import annotations

import math

import numpy as np
import pytest

from cardan import Event, simulate
from cardan.planar import Body, Model, Revolute
from closed_forms import physical_pendulum
from verification.curves import left_over
from verification.manual import Within, digits

G = 9.81  # the book prints no value
RTOL = 1e-10
NEAR = Within(1e-7, "rtol 1e-10, over several swings")


@pytest.mark.parametrize("speed", [2 * math.pi, 1.0, 9.0])
def test_pendulum(record, speed):
    """Examples 6.3.4, 6.3.6 and 7.3.1: the pendulum from phi = 3 pi/2 at 2 pi, 1 and 9 rad/s.

    A uniform bar of length 2 l, m = 3 kg and l = 1 m. Closed form (J' + m l^2) phi'' = -m g l cos phi, elliptic
    functions; accelerations and multipliers of equation 6.3.20 along the motion.
    """
    m = 3.0
    model, pin = _pendulum(m, speed)
    run = simulate(model, 4.0, output=0.05, rtol=RTOL)
    exact = physical_pendulum(run.times, m, 1.0, m / 3, 0.0, speed, G)
    case = f"phi'(0) = {speed:.4g}"
    record(f"phi - 3 pi/2, {case}", run[pin.angle].value - 1.5 * math.pi, exact.value, NEAR, "6.3.6", "closed form")
    record(f"phi', {case}", run[pin.angle].rate, exact.rate, Within(1e-6, NEAR.reason), "6.3.6", "closed form")
    phi = 1.5 * math.pi + exact.value
    s, c, w2 = np.sin(phi), np.cos(phi), exact.rate**2
    growth = -0.75 * G * c
    a = np.stack([-s * growth - c * w2, c * growth - s * w2], axis=1)
    near = Within(2e-5, "accelerations of a motion that errs by 1e-7, times the square of its speed")
    record(f"x'', y'', {case}", run["bar"].acceleration, a, near, "equation 6.3.20", "closed form")
    force = m * (a + (0.0, G))
    record(f"pin on the bar, {case}", run[pin].in_frame("global").force, force, near, "equation 6.3.20", "closed form")
    drift = Within(1e-8, "100 rtol")
    record(f"energy left over, {case}", left_over(run), 0 * run.times, drift, "T + V is constant", "closed form")


@pytest.mark.parametrize(("g", "amplitude", "period"), [(9.81, 0.370788, 2.336469), (9.80665, 0.370852, 2.336875)])
def test_period(record, g, amplitude, period):
    """Example 7.2.1: amplitude and period of the pendulum from 1 rad/s at its lowest place."""
    model, pin = _pendulum(1.0, 1.0, g)
    events = [Event(pin.angle, 0.0, way, of_rate=True, action=lambda snapshot: None) for way in ("falling", "rising")]
    run = simulate(model, 4.0, rtol=1e-11, events=events)
    first, half, last = [happening for k, happening in enumerate(run.events) if not _again(run.events, k)][:3]
    swings = np.abs([h.snapshot[pin.angle].value - 1.5 * math.pi for h in (first, half, last)]).round(9)
    source, case = "Example 7.2.1", f"g = {g}"
    record(f"amplitudes in rad, {case}", swings, np.full(3, amplitude), digits(6), source, "recomputed")
    exact = 2 * math.asin(1 / (2 * math.sqrt(0.75 * g)))
    record(f"amplitudes in rad, {case}", swings, np.full(3, exact), Within(2e-9, "rtol 1e-11"), source, "closed form")
    record(f"period in s, {case}", round(last.time - first.time, 8), period, digits(6), source, "recomputed")
    record.erratum("Haug, Example 7.3.1", "the initial values are swapped: s(0) = 3 pi/2 and r(0) = 1 are meant.")


def _again(events, k):
    """Whether an event is the one before it, found once more within rounding."""
    return k > 0 and events[k].time - events[k - 1].time < 1e-9


def _pendulum(m, speed, g=G):
    model = Model("pendulum", gravity=(0, -g))
    state = {"velocity": (speed, 0), "angular_velocity": speed}
    bar = model.add(Body(mass=m, inertia=m / 3, position=(0, -1), angle=1.5 * math.pi, **state), name="bar")
    return model, model.add(Revolute(model.ground.at(), bar.at(-1, 0)), name="pin")
