"""Impacts, sticking and sliding: closed forms.

Contacts with restitution, friction with true sticking, and joints that come and go have no numbers in the books; these
cases have closed forms. G = 9.81 m/s2.
"""

from __future__ import annotations

import math

import numpy as np

from cardan import Change, Event, simulate
from cardan.planar import Body, Friction, Hold, Impact, Load, Model, Spring, Translational, x, y
from verification.manual import Within

G = 9.81
ROUNDING = Within(1e-12, "a parabola is integrated exactly")


def test_fifty_impacts(record):
    """A ball dropped from 1 m, restitution 0.9: the first fifty impacts.

    t_n = T (1 + 2 e + ... + 2 e^n), T = sqrt(2 h / g). It comes to rest at T (1 + e) / (1 - e), where rebounds slower
    than 1e-4 m/s are not followed any more, and the floor carries its weight.
    """
    keeps = 0.9
    model = Model("ball", gravity=(0, -G))
    ball = model.add(Body(mass=1.0, inertia=1.0, position=(0, 1)), name="ball")
    floor = model.add(Impact(y(ball.at()), keeps), name="floor")
    run = simulate(model, 10.0, output=0.1)
    first = math.sqrt(2.0 / G)
    times = first * (2.0 * np.cumsum(keeps ** np.arange(50)) - 1.0)
    found = np.array([happening.time for happening in run.events[:50]])
    record("instants of impacts in s", found, times, Within(1e-9, "asked for"), "T (1 + 2 e + ...)", "closed form")
    rest = Within(3e-4, "2 v / (g (1 - e)) at v = 1e-4 m/s")
    record("comes to rest at, in s", run.events[-1].time, first * 19.0, rest, "T (1 + e)/(1 - e)", "closed form")
    record("force of the floor in N", float(run[floor].force[-1]), G, ROUNDING, "m g", "closed form")
    lost = float(run.energy.dissipated[-1])
    record("energy lost in J", lost, G, Within(1e-9, "rebounds left out have 5e-9 J"), "m g h", "closed form")


def test_incline(record):
    """A block on an incline with friction 0.3: below the friction angle it does not move, above it slides.

    The slope is 0.29 and 0.31. Displacement along it after 2 s, and the force of friction while it sticks.
    """
    for slope, sticks in ((0.29, True), (0.31, False)):
        tilt = math.atan(slope)
        model = Model("incline", gravity=(G * math.sin(tilt), -G * math.cos(tilt)))
        block = model.add(Body(mass=2.0, inertia=1.0), name="block")
        guide = model.add(Translational(model.ground.at(), block.at()), name="guide")
        dry = model.add(Friction(guide, 0.3, sticks=True), name="dry")
        run = simulate(model, 2.0)
        moved = 0.0 if sticks else 2.0 * G * (math.sin(tilt) - 0.3 * math.cos(tilt))
        near = Within(0.0, "it sticks") if sticks else ROUNDING
        where = f"slope {slope}"
        record(f"displacement in m, {where}", float(run[block].position[-1, 0]), moved, near, where, "closed form")
        force = 2.0 * G * (math.sin(tilt) if sticks else 0.3 * math.cos(tilt))
        record(f"friction in N, {where}", float(run[dry].force[-1]), force, ROUNDING, where, "closed form")


def test_stick_slip(record):
    """Stick-slip of a block drawn by a spring: instants of break-away.

    m = 2 kg, k = 80 N/m, the end of the spring moves at v = 0.1 m/s, friction 0.35 at rest and 0.2 when sliding. With
    d = (0.35 - 0.2) m g / k it slides for 2 (pi - atan(w d / v)) / w and sticks for 2 d / v.
    """
    m, k, v, mu, static = 2.0, 80.0, 0.1, 0.2, 0.35
    model = Model("stick-slip", gravity=(0, -G))
    block = model.add(Body(mass=m, inertia=1.0), name="block")
    guide = model.add(Translational(model.ground.at(), block.at()), name="guide")
    model.add(Spring(guide.travel, k, rest_length=0.0), name="spring")
    model.add(Load(block.at(), (lambda t: k * v * t, 0.0)), name="drawn")
    model.add(Friction(guide, mu, static_friction=static, sticks=True), name="dry")
    run = simulate(model, 12.0, rtol=1e-10)
    w, d = math.sqrt(k / m), (static - mu) * m * G / k
    sliding, sticking = 2.0 * (math.pi - math.atan(w * d / v)) / w, 2.0 * d / v
    expected = static * m * G / (k * v) + np.arange(3) * (sliding + sticking)
    found = np.array([h.time for h in run.events if h.event.word == "breaks away"][:3])
    near = Within(1e-8, "rtol 1e-10, and each instant depends on those before")
    record("breaks away at, in s", found, expected, near, "harmonic motion between rests", "closed form")


def test_hook(record):
    """A moving car hooks one at rest: joints engaged at an event are a plastic impact.

    2 kg at 3 m/s and 1 kg at rest: 2 m/s together, 3 J lost.
    """
    model = Model("cars")
    a = model.add(Body(mass=2.0, inertia=1.0, velocity=(3, 0)), name="a")
    b = model.add(Body(mass=1.0, inertia=1.0, position=(2, 0)), name="b")
    for car in (a, b):
        model.add(Translational(model.ground.at(), car.at()), name=f"rail {car.name}")
    between = x(b.at()) - x(a.at())
    hook = model.add(Hold(between, 1.0), name="hook")
    event = Event(between, 1.0, "falling", action=lambda snapshot: Change(engage=[hook]))
    run = simulate(model, 2.0, released=[hook], events=[event])
    speeds = np.array([run[a].velocity[-1, 0], run[b].velocity[-1, 0]])
    record("speeds in m/s", speeds, np.array([2.0, 2.0]), ROUNDING, "momentum 6 N s", "closed form")
    record("energy lost in J", float(run.energy.dissipated[-1]), 3.0, ROUNDING, "9 J - 6 J", "closed form")
