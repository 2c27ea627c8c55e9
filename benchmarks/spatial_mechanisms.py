"""The mechanisms of space that several benchmarks share. Imports nothing but Cardan: start-up is timed with it."""

from __future__ import annotations

import math

import numpy as np

from cardan.spatial import (
    Body,
    Distance,
    Driver,
    Harmonic,
    Model,
    Ramp,
    Revolute,
    RevoluteCylindrical,
    Spherical,
    Translational,
    rotation,
)

CRANK, ROD, SPEED = 0.08, 0.3, 2.0 * math.pi  # slider-crank: m, m, rad/s
HINGE = (0.0, 0.1, 0.12)  # of the crank
ESTIMATE = (-0.21, 0.4, -0.1)  # e1, e2, e3 of the rod
LINK, PERIOD = 0.1, 2.0  # chain: m, s


def spatial_slider_crank() -> Model:
    """Crank, rod and slider of Haug 10.2, driven at constant speed from the upright position."""
    model, half = Model("spatial slider-crank"), ROD / 2
    ground = model.ground
    upright = rotation.from_axis_angle((1, 0, 0), math.pi / 2)
    crank = model.add(Body(position=HINGE, orientation=upright), name="crank")
    rod = model.add(Body(position=(0.1, 0.05, 0.1), orientation=ESTIMATE), name="rod")
    slider = model.add(Body(position=(0.2, 0.0, 0.0)), name="slider")
    hinge = Revolute(ground.at(*HINGE, z=(1, 0, 0), x=(0, 1, 0)), crank.at(z=(1, 0, 0), x=(0, 1, 0)))
    model.add(hinge, name="A")
    model.add(Spherical(crank.at(0.0, CRANK, 0.0), rod.at(-half, 0.0, 0.0)), name="B")
    model.add(RevoluteCylindrical(rod.at(half, 0, 0, z=(0, 1, 0)), slider.at(0.2, 0, 0, z=(1, 0, 0))), name="C")
    model.add(Translational(slider.at(z=(1, 0, 0)), ground.at(0.2, 0, 0, z=(1, 0, 0))), name="D")
    model.add(Distance(rod.at(half, 0, 0), slider.at(1, 0, 0), 1.0), name="CD")
    model.add(Driver(hinge.angle, Ramp(SPEED, start=math.pi / 2)), name="motor")
    return model


def chain(n: int) -> Model:
    """n links in a row, a motor in the hinge before each; the sketch stands in `bench_spatial_chain.py`."""
    model = Model(f"chain of {n}")
    r, A = chain_motion(n, np.zeros(1))
    before, end = model.ground, (0.0, 0.0, 0.0)
    for k in range(n):
        axis, swing = _hinge(k)
        link = model.add(Body(position=r[0, k], orientation=A[0, k]), name=f"link {k}")
        hinge = model.add(Revolute(before.at(*end, z=axis), link.at(z=axis)), name=f"hinge {k}")
        model.add(Driver(hinge.angle, Harmonic(swing, 2.0 * math.pi / PERIOD, phase=0.5)), name=f"motor {k}")
        before, end = link, (0.0, 0.0, LINK)
    return model


def chain_motion(n: int, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Positions and matrices of all links at each time, A_k = A_(k-1) R(axis, angle), R by Rodrigues' formula."""
    r, A = np.zeros((times.size, n, 3)), np.zeros((times.size, n, 3, 3))
    place, turned = np.zeros((times.size, 3)), np.broadcast_to(np.eye(3), (times.size, 3, 3))
    phase = np.sin(2.0 * math.pi / PERIOD * times + 0.5)
    for k in range(n):
        axis, swing = _hinge(k)
        K = np.cross(axis, np.eye(3)).T  # K s = axis x s
        angle = (swing * phase)[:, None, None]
        turned = turned @ (np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * K @ K)
        r[:, k], A[:, k] = place, turned
        place = place + LINK * turned[:, :, 2]
    return r, A


def _hinge(k: int) -> tuple[tuple[float, float, float], float]:
    """Axis and amplitude of hinge k. Of four hinges the last two turn back what the first two turned."""
    group, place = divmod(k, 4)
    swing = 0.3 + 0.1 * math.sin(group), 0.4 + 0.1 * math.cos(2.0 * group)
    x, y = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
    return ((x, swing[0]), (y, swing[1]), (y, -swing[1]), (x, -swing[0]))[place]
