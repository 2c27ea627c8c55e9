r"""Whipple's bicycle with the data of the benchmark of Meijaard, Papadopoulos, Ruina and Schwab (2007), table 1.

              _____.                  two wheels that roll, a frame with its rider, a fork
          ---/\    |\
         /  \  \---/ \                M q'' + v C1 q' + (g K0 + v^2 K2) q = 0,     q = (lean, steer)
        |  o |    | o |
        '\__/'====='\__/'             the source's z axis is turned up: products of inertia change their sign
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cardan import steady_motion
from cardan.spatial import Body, Model, Revolute, RollingWheel, rotation

BASE, TRAIL, TILT, GRAVITY = 1.02, 0.08, math.pi / 10, 9.81
RADII = {"rear": 0.3, "front": 0.35}
ACROSS = {"z": (0, 1, 0), "x": (1, 0, 0)}  # axes of an axle


def build(speed: float) -> Model:
    """The bicycle, upright, at a speed in m/s."""
    model = Model("bicycle", gravity=(0.0, 0.0, -GRAVITY))
    rider = ((9.2, 0.0, -2.4), (0.0, 11.0, 0.0), (-2.4, 0.0, 2.8))
    bar = ((0.05892, 0.0, 0.00756), (0.0, 0.06, 0.0), (0.00756, 0.0, 0.00708))
    ahead = {"velocity": (speed, 0.0, 0.0)}
    frame = model.add(Body(mass=85.0, inertia=rider, position=(0.3, 0.0, 0.9), **ahead), name="frame")
    fork = model.add(Body(mass=4.0, inertia=bar, position=(0.9, 0.0, 0.7), **ahead), name="fork")
    _wheel(model, "rear", frame, (2.0, 0.0603, 0.12), speed)
    _wheel(model, "front", fork, (3.0, 0.1405, 0.28), speed)
    up = np.array((-math.sin(TILT), 0.0, math.cos(TILT)))
    top = np.array((BASE + TRAIL, 0.0, 0.0)) + 0.8 * up
    model.add(Revolute.between(frame, fork, at=tuple(top), z=tuple(up)), name="head")
    return model


def _wheel(model: Model, name: str, holder: Any, matter: Any, speed: float) -> None:
    """A wheel on the frame or the fork, and the road under it."""
    (mass, across, spin), r = matter, RADII[name]
    place = (0.0 if name == "rear" else BASE, 0.0, r)
    stated = Body(
        mass=mass,
        inertia=(across, across, spin),
        position=place,
        orientation=rotation.from_axes(z=(0, 1, 0), x=(1, 0, 0)),
        velocity=(speed, 0.0, 0.0),
        angular_velocity=(0.0, speed / r, 0.0),
    )
    wheel = model.add(stated, name=f"{name} wheel")
    axle = holder.at(*np.subtract(place, holder.position), **ACROSS)
    model.add(Revolute(axle, wheel.at()), name=f"{name} axle")
    model.add(RollingWheel(model.ground.at(), wheel.at(), radius=r), name=f"{name} road")


def straight(model: Model, speed: float) -> Any:
    """The steady motion straight ahead."""
    rates: dict[Any, float] = {model[f"{name} axle"]: speed / r for name, r in RADII.items()}
    return steady_motion(model, 0.0, travel=(speed, 0.0, 0.0), spinning=rates)
