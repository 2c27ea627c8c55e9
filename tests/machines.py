"""Mechanisms whose motion is hard to compute: singular positions, redundant joints, stiff forces, light bodies."""

from __future__ import annotations

import math

import numpy as np

import cardan.planar as plane
import cardan.spatial as space

G = 9.81


def four_bars(n: int, speed: float = 1.0, angle: float = 0.0) -> plane.Model:
    """n four-bars of equal thin bars of 1 m and 1 kg, upright or leaning by an angle; couplers move at `speed`."""
    model = plane.Model(f"{n} four-bars", gravity=(0.0, -G))
    top = np.array([math.sin(angle), math.cos(angle)])
    across = np.array([math.cos(angle), -math.sin(angle)]) * speed
    bars = []
    for i in range(n + 1):
        stated = plane.Body(
            mass=1.0,
            inertia=1.0 / 12.0,
            position=tuple(np.array([i, 0.0]) + 0.5 * top),
            angle=math.pi / 2.0 - angle,
            velocity=tuple(0.5 * across),
            angular_velocity=-speed,
        )
        bars.append(model.add(stated, name=f"bar {i}"))
        model.add(plane.Revolute(model.ground.at(i, 0.0), bars[i].at(-0.5, 0.0)), name=f"pivot {i}")
    for i in range(n):
        place = np.array([i + 0.5, 0.0]) + top
        stated = plane.Body(mass=1.0, inertia=1.0 / 12.0, position=tuple(place), velocity=tuple(across))
        coupler = model.add(stated, name=f"coupler {i}")
        model.add(plane.Revolute(bars[i].at(0.5, 0.0), coupler.at(-0.5, 0.0)), name=f"left {i}")
        model.add(plane.Revolute(coupler.at(0.5, 0.0), bars[i + 1].at(0.5, 0.0)), name=f"right {i}")
    return model


def tip(model: plane.Model, run) -> np.ndarray:
    """The tip of the first bar at the end of a run."""
    return run[model["bar 0"].at(0.5, 0.0)].position[-1]


def bricard() -> space.Model:
    """Bricard's linkage, MBS benchmark A04: five rods of 1 m and 1 kg, six hinges, one equation too many."""
    model = space.Model("Bricard", gravity=(0.0, -G, 0.0))
    corners = np.array([(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)], float)
    axes = ["y", "z", "x", "y", "z", "x"]
    along, across = 0.01 / 6.0, (1.0 + 0.01) / 12.0
    rods = []
    for i in range(5):
        direction = corners[i + 1] - corners[i]
        inertia = np.where(np.abs(direction) > 0.5, along, across)
        body = space.Body(mass=1.0, inertia=tuple(inertia), position=tuple(0.5 * (corners[i] + corners[i + 1])))
        rods.append(model.add(body, name=f"rod {i + 1}"))
    chain = [model.ground, *rods, model.ground]
    for i in range(6):
        hinge = space.Revolute.between(chain[i], chain[i + 1], at=tuple(corners[i]), z=_axis(axes[i]))
        model.add(hinge, name=f"hinge {i + 1}")
    return model


def _axis(name: str) -> tuple[float, float, float]:
    return tuple(float(name == axis) for axis in "xyz")


def stiff_oscillator(stiffness: float = 1e6, damping: float = 2e3) -> plane.Model:
    """A pendulum whose bob hangs on a very stiff spring and damper instead of a rod."""
    model = plane.Model("stiff", gravity=(0.0, -G))
    bob = model.add(plane.Body(mass=1.0, inertia=1.0, position=(1.0, 0.0)), name="bob")
    length = plane.length(model.ground.at(), bob.at())
    model.add(plane.Spring(length, stiffness, damping, rest_length=1.0), name="rod")
    return model


def light_rod(mass: float) -> plane.Model:
    """A slider-crank whose connecting rod has nearly no mass, or none."""
    model = plane.Model("light rod", gravity=(0.0, -G))
    crank = model.add(plane.Body(mass=1.0, inertia=0.02, position=(0.1, 0.0), angular_velocity=10.0), name="crank")
    rod = model.add(plane.Body(mass=mass, inertia=mass / 48.0, position=(0.45, 0.0)), name="rod")
    slider = model.add(plane.Body(mass=1.0, inertia=0.01, position=(0.7, 0.0)), name="slider")
    model.add(plane.Revolute(model.ground.at(), crank.at(-0.1, 0.0)), name="A")
    model.add(plane.Revolute(crank.at(0.1, 0.0), rod.at(-0.25, 0.0)), name="B")
    model.add(plane.Revolute(rod.at(0.25, 0.0), slider.at()), name="C")
    model.add(plane.Translational(model.ground.at(), slider.at()), name="guide")
    return model
