"""The mechanisms that several benchmarks share. Imports nothing but Cardan: start-up is timed with it."""

from __future__ import annotations

import math

import numpy as np

from cardan.planar import Body, Driver, Harmonic, Model, Ramp, Revolute, Translational

CRANK, ROD, SPEED = 0.2, 0.5, 10.0  # slider-crank: m, m, rad/s
SPACING, SWING = 2.0, 0.25  # ladder: m between the fixed pins, rad of the first lever


def slider_crank() -> Model:
    """Crank, rod and slider, driven at constant speed; each body's origin in its middle."""
    model = Model("slider-crank")
    crank = model.add(Body(position=(CRANK / 2, 0.0)), name="crank")
    rod = model.add(Body(position=(CRANK + ROD / 2, 0.0)), name="rod")
    slider = model.add(Body(position=(CRANK + ROD, 0.0)), name="slider")
    hinge = model.add(Revolute(model.ground.at(0, 0), crank.at(-CRANK / 2, 0)), name="A")
    model.add(Revolute(crank.at(CRANK / 2, 0), rod.at(-ROD / 2, 0)), name="B")
    model.add(Revolute(rod.at(ROD / 2, 0), slider.at(0, 0)), name="C")
    model.add(Translational(model.ground.at(0, 0), slider.at(0, 0)), name="guide")
    model.add(Driver(hinge.angle, Ramp(SPEED)), name="motor")
    return model


def ladder(n: int) -> Model:
    """n four-bars in a row, stated in the closed position; the sketch stands in `bench_ladder.py`."""
    model = Model(f"ladder of {n}")
    q = ladder_motion(n, np.zeros(1)).reshape(-1, 3)
    bodies = [
        model.add(Body(position=(x, y), angle=phi), name=f"coupler {k // 2}" if k % 2 else f"lever {k // 2}")
        for k, (x, y, phi) in enumerate(q)
    ]
    levers, couplers = bodies[::2], bodies[1::2]
    pins = [
        model.add(Revolute(model.ground.at(SPACING * i, 0.0), lever.at()), name=f"pin {i}")
        for i, lever in enumerate(levers)
    ]
    for i, coupler in enumerate(couplers):
        near, far, length, side = _cell(i)
        model.add(Revolute(levers[i].at(0.0, side * near), coupler.at()), name=f"near {i}")
        model.add(Revolute(coupler.at(length, 0.0), levers[i + 1].at(0.0, side * far)), name=f"far {i}")
    model.add(Driver(pins[0].angle, Harmonic(SWING, math.pi)), name="motor")
    return model


def ladder_motion(n: int, times: np.ndarray) -> np.ndarray:
    """x, y, phi of lever 0, coupler 0, lever 1, ... at each time in closed form, cell by cell.

    With the tip P of a lever and the pin O of the next one, the tip of the next is where the circles (P, coupler) and
    (O, arm) meet, above the line P O in even cells and below it in odd ones.
    """
    q = np.zeros((times.size, 2 * n + 1, 3))
    phi = SWING * np.sin(math.pi * times)
    q[:, 0, 2] = phi
    for i in range(n):
        near, far, length, side = _cell(i)
        pin = SPACING * (i + 1)
        tip = np.stack([SPACING * i - side * near * np.sin(phi), side * near * np.cos(phi)], axis=1)
        gap = np.array([pin, 0.0]) - tip
        square = np.sum(gap**2, axis=1)
        along = (square + length**2 - far**2) / (2.0 * square)
        across = side * np.sqrt(length**2 / square - along**2)
        joint = tip + along[:, None] * gap + across[:, None] * np.stack([-gap[:, 1], gap[:, 0]], axis=1)
        q[:, 2 * i + 1, :2] = tip
        q[:, 2 * i + 1, 2] = np.arctan2(joint[:, 1] - tip[:, 1], joint[:, 0] - tip[:, 0])
        phi = np.arctan2(-side * (joint[:, 0] - pin), side * joint[:, 1])
        q[:, 2 * i + 2, 0] = pin
        q[:, 2 * i + 2, 2] = phi
    return q.reshape(times.size, -1)


def _cell(i: int) -> tuple[float, float, float, float]:
    """Arms of lever i and of lever i + 1 toward coupler i, the coupler's length, and the side: 1 above, -1 below."""
    k = i // 2
    short, long = 0.8 + 0.1 * math.sin(k), 1.2 + 0.1 * math.cos(2.0 * k)
    length = math.hypot(SPACING, long - short) * (1.02 + 0.01 * math.sin(3.0 * k))
    return (short, long, length, 1.0) if i % 2 == 0 else (long, short, length, -1.0)
