"""Mechanisms with redundant joints whose data are rounded, as in a file."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import linkages
from cardan.planar import Ramp
from cardan.spatial import Body, Driver, Model, Revolute, rotation

UP = (0.0, 0.0, 1.0)


def door(size: float, seed: int = 0, driven: bool = True) -> Model:
    """A leaf on two hinges 2 m apart: five equations too many."""
    at = _rounded(size, seed, 2.0)
    model = Model("door", gravity=(0.0, -9.81, 0.0))
    leaf = model.add(Body(mass=10.0, inertia=(1, 1, 1), center=(0.5, 0, 0)), name="leaf")
    hinge = model.add(Revolute(at(model.ground, (0, 0, 0)), at(leaf, (0, 0, 0))), name="lower")
    model.add(Revolute(at(model.ground, (0, 0, 2)), at(leaf, (0, 0, 2))), name="upper")
    if driven:
        model.add(Driver(hinge.angle, Ramp(1.0)), name="motor")
    return model


def four_bar_in_space(
    size: float, seed: int = 0, driven: bool = True, links: tuple[float, ...] = (0.4, 1.0, 0.8, 1.1)
) -> Model:
    """A planar four-bar of hinges in space: three equations too many."""
    at, phi, (a, b, c, d) = _rounded(size, seed, 1.0), 0.9, links
    flat = linkages.four_bar(a, b, c, d, phi, Ramp(1.0, start=phi))
    model, parts = Model("four-bar", gravity=(0.0, -9.81, 0.0)), []
    for name in ("crank", "coupler", "rocker"):
        turned = rotation.from_axis_angle(UP, flat[name].angle)
        body = Body(position=(*flat[name].position, 0.0), orientation=turned, mass=1.0, inertia=(0.1, 0.1, 0.1))
        parts.append(model.add(body, name=name))
    crank, coupler, rocker = parts
    hinge = model.add(Revolute(at(model.ground, (0, 0, 0)), at(crank, (0, 0, 0))), name="A")
    model.add(Revolute(at(crank, (a, 0, 0)), at(coupler, (0, 0, 0))), name="B")
    model.add(Revolute(at(coupler, (b, 0, 0)), at(rocker, (c, 0, 0))), name="C")
    model.add(Revolute(at(model.ground, (d, 0, 0)), at(rocker, (0, 0, 0))), name="D")
    if driven:
        model.add(Driver(hinge.angle, Ramp(1.0, start=phi)), name="motor")
    return model


def crank_rocker(random: np.random.Generator) -> tuple[float, ...]:
    """Links by Grashof's rule, far from change points, so that the crank turns round."""
    while True:
        a, b, c, d = random.uniform(0.2, 0.4), *random.uniform(0.8, 1.3, 3)
        longest = max(b, c, d)
        if a + longest < b + c + d - longest - 0.15:
            return float(a), float(b), float(c), float(d)


def _rounded(size: float, seed: int, length: float) -> Callable[..., Any]:
    """Markers off by `size` of the length, and rad."""
    random = np.random.default_rng(seed)

    def at(body: Any, point: tuple[float, float, float]) -> Any:
        place = np.array(point, float) + size * length * random.uniform(-1.0, 1.0, 3) / math.sqrt(3.0)
        return body.at(*place, z=tuple(np.array(UP) + size * random.uniform(-1.0, 1.0, 3)))

    return at
