"""Closed forms 1: belts and ropes, beams, air and water.

Formulas that every handbook of mechanics has; each is stated in the test and evaluated apart from the program.
"""

from __future__ import annotations

import math

import numpy as np

import cardan.planar as plane
from cardan import equilibrium, simulate
from verification.manual import Within

SOURCE = "Euler 1769, Eytelwein 1808"
G = 9.81
INTEGRATED = Within(1e-6, "relative to numbers of order 1 to 10, with rtol 1e-9")
LINEAR = Within(1e-10, "what the linear formula leaves out: 1e-8 of a deflection of 1e-4 of the length, and less")


def _rope(pull: float, hold: float, friction: float, wrap: float):
    """Two bodies of 1 kg on a rope over a drum, pulled apart by two forces; they start where the rope carries these."""
    model = plane.Model("capstan")
    ends = []
    for name, side, load in (("hold", -1.0, hold), ("pull", 1.0, pull)):
        body = model.add(plane.Body(1.0, 1.0, position=(side * (1.0 + load / 1e5), 0.0)), name=name)
        model.add(plane.Translational(model.ground.at(), body.at()), name=f"rail of {name}")
        model.add(plane.Load(body.at(), (side * load, 0.0)), name=f"force on {name}")
        ends.append(body.at())
    stated = {"stiffness": 1e5, "damping": 100.0, "rest_length_a": 1.0}
    rope = plane.Capstan(*ends, drum=model.ground.at(), friction=friction, wrap=wrap, **stated)
    return model, model.add(rope, name="rope")


def test_belt_friction(record):
    """A rope around a drum: T_2 = T_1 exp(mu phi).

    mu = 0.25, half a turn, and mu = 0.1, two turns. Just below the formula's force it does not move at all. With twice
    that force it slides; the tensions have the ratio of the formula, and the two bodies the acceleration
    (F_2 - E F_1) / (m_2 + E m_1), E = exp(mu phi).
    """
    sliding = Within(1e-4, "relative: slip is a state integrated with rtol 1e-9, stretches of 1e-4 m known to 1e-9 m")
    for friction, wrap in ((0.25, math.pi), (0.1, 4.0 * math.pi)):
        ratio, words = math.exp(friction * wrap), f"mu {friction:g}, {wrap / math.pi:g} pi"
        model, rope = _rope(9.9 * ratio, 10.0, friction, wrap)
        run = simulate(model, 1.0, output=0.1)
        stuck = not run[rope.device]["slipped"].any()
        record.fact(f"sticks below by 1 %, {words}", stuck, True, SOURCE, "closed form")
        model, rope = _rope(20.0 * ratio, 10.0, friction, wrap)
        run = simulate(model, 0.4, output=0.01, rtol=1e-9)
        late = run.times > 0.2
        first, second = run[rope].force[late, :2].T
        share = second / first / ratio
        record(f"T_2 / T_1 exp(mu phi), {words}", share, 0.0 * share + 1.0, sliding, SOURCE, "closed form")
        found = (run["pull"].velocity[-1, 0] - run["pull"].velocity[-11, 0]) / 0.1
        exact = 10.0 * ratio / (1.0 + ratio)
        record(f"acceleration, {words}", found / exact, 1.0, sliding, "Newton, with that ratio", "closed form")


def test_cantilever(record):
    """A cantilever with a force and with a moment at its end.

    F L^3 / 3 E I and F L^2 / 2 E I, M L^2 / 2 E I and M L / E I; by one beam, and by five in a row.
    """
    L, rigidity = 2.0, 210e9 * 1e-7  # E I
    for count in (1, 5):
        for name, deflection, slope in (("force", L**3 / 3, L**2 / 2), ("moment", L**2 / 2, L)):
            model, tip = _beams(count, L)
            model.add(plane.Load(tip.at(), (0.0, 1.0)) if name == "force" else plane.Torque(tip.at(), 1.0), name=name)
            found = equilibrium(model, method="newton")[tip]
            words = f"{name} at the end, {count} beam{'s' if count > 1 else ''}"
            source = "Euler, Bernoulli"
            record(f"deflection, {words}", found.position[1], deflection / rigidity, LINEAR, source, "closed form")
            record(f"slope, {words}", found.angle, slope / rigidity, LINEAR, source, "closed form")


def _beams(count: int, length: float):
    """Beams in a row, and the body at their end."""
    model = plane.Model("cantilever")
    root, tip = model.ground.at(), None
    for k in range(count):
        tip = model.add(plane.Body(1.0, 1.0, position=((k + 1) * length / count, 0.0)), name=f"node {k}")
        model.add(plane.Beam(root, tip.at(), length / count, E=210e9, A=1e-3, I=1e-7), name=f"beam {k}")
        root = tip.at()
    return model, tip


def test_fall_with_drag(record):
    """A fall against quadratic drag: v = w tanh(g t / w), w = sqrt(2 m g / rho A c)."""
    model = plane.Model("fall", gravity=(0.0, -G))
    ball = model.add(plane.Body(2.0, 0.1), name="ball")
    model.add(plane.Drag(ball.at(), area=0.3, coefficient=0.9), name="drag")
    run = simulate(model, 4.0, output=0.1, rtol=1e-9)
    w = math.sqrt(2.0 * 2.0 * G / (1.225 * 0.3 * 0.9))
    record("speed", -run[ball].velocity[:, 1], w * np.tanh(G * run.times / w), INTEGRATED, "Newton", "closed form")
    fallen = w**2 / G * np.log(np.cosh(G * run.times / w))
    record("way", -run[ball].position[:, 1], fallen, INTEGRATED, "Newton", "closed form")


def test_floating_cylinder(record):
    """An upright cylinder in water: draught m / rho A, and bobbing with omega^2 = rho g A / m."""
    m, area = 50.0, 0.05
    model = plane.Model("float", gravity=(0.0, -G))
    buoy = model.add(plane.Body(m, 1.0, position=(0.0, 0.3)), name="buoy")
    model.add(plane.Buoyancy(buoy.at(), area=area, height=2.0), name="water")
    run = simulate(model, 5.0, output=0.1, rtol=1e-9)
    omega = math.sqrt(1000.0 * G * area / m)
    expected = 0.3 * np.cos(omega * run.times)
    record("height over rest", run[buoy].position[:, 1], expected, INTEGRATED, "Archimedes", "closed form")
    draught = 1.0 - equilibrium(model, method="newton")[buoy].position[1]
    exact = Within(1e-9, "equilibrium is found to 1e-10 of the size")
    record("draught", draught, m / (1000.0 * area), exact, "Archimedes", "closed form")
