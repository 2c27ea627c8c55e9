r"""Bicycle: between two speeds it stays upright by itself, with nobody's hands on the bar.

              _____.                  two wheels that roll, a frame with its rider, a fork: Whipple's bicycle, 1899
          ---/\    |\
         /  \  \---/ \                M q'' + v C1 q' + (g K0 + v^2 K2) q = 0,     q = (lean, steer)
        |  o |    | o |
        '\__/'====='\__/'             weave decays above 4.292 m/s, capsizing below 6.024 m/s

Data and equations: the benchmark of Meijaard, Papadopoulos, Ruina and Schwab (2007). Seven freedoms of position, three
of velocity. The run begins with a knock on the frame, `push`, in rad/s: the bicycle steers into the fall and recovers,
on another course. `-p speed=3.5` lets it weave until it falls. `linearize(model, straight(model))` is the theory.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cardan import linearize, steady_motion
from cardan.examples import Headline
from cardan.spatial import Body, Model, Point, Revolute, RollingWheel, rotation

ANALYSIS = "simulate"
TIMES = (0.0, 6.0, 301)
SHOW = ("saddle.x", "saddle.y", "head.angle", "rear road.lean")
BASE, TRAIL, TILT, GRAVITY = 1.02, 0.08, math.pi / 10, 9.81
RADII = {"rear": 0.3, "front": 0.35}
ACROSS = {"z": (0, 1, 0), "x": (1, 0, 0)}  # axes of an axle


def build(speed: float = 5.0, push: float = 0.1) -> Model:
    """`speed` in m/s; `push` is the rate at which it begins to lean to the right."""
    model = Model("bicycle", gravity=(0.0, 0.0, -GRAVITY))
    rider = ((9.2, 0.0, -2.4), (0.0, 11.0, 0.0), (-2.4, 0.0, 2.8))
    bar = ((0.05892, 0.0, 0.00756), (0.0, 0.06, 0.0), (0.00756, 0.0, 0.00708))
    up = np.array((-math.sin(TILT), 0.0, math.cos(TILT)))
    top = np.array((BASE + TRAIL, 0.0, 0.0)) + 0.8 * up
    frame = _part(model, "frame", (85.0, rider), (0.3, 0.0, 0.9), [(0.0, 0.0, 0.3), tuple(top)], (speed, push))
    fork = _part(model, "fork", (4.0, bar), (0.9, 0.0, 0.7), [(BASE, 0.0, 0.35), tuple(top)], (speed, push))
    _wheel(model, "rear", frame, (2.0, 0.0603, 0.12), (speed, push))
    _wheel(model, "front", fork, (3.0, 0.1405, 0.28), (speed, push))
    model.add(Revolute.between(frame, fork, at=tuple(top), z=tuple(up)), name="head")
    model.add(Point(frame.at(0.0, 0.0, 0.1)), name="saddle")
    return model


def _part(model: Model, name: str, matter: Any, place: Any, line: Any, motion: tuple[float, float]) -> Any:
    """A body that goes ahead and begins to lean about the line on which the wheels touch the road."""
    speed, push = motion
    outline = [tuple(np.subtract(point, place)) for point in line]
    velocity = (speed, -push * place[2], 0.0)
    stated = Body(*matter, position=place, velocity=velocity, angular_velocity=(push, 0.0, 0.0), outline=[outline])
    return model.add(stated, name=name)


def _wheel(model: Model, name: str, holder: Any, matter: Any, motion: tuple[float, float]) -> None:
    """A wheel on the frame or the fork, and the road under it."""
    (mass, across, spin), (speed, push), r = matter, motion, RADII[name]
    place = (0.0 if name == "rear" else BASE, 0.0, r)
    rim = [(r * math.cos(k * math.pi / 18), r * math.sin(k * math.pi / 18), 0.0) for k in range(37)]
    stated = Body(
        mass=mass,
        inertia=(across, across, spin),
        position=place,
        orientation=rotation.from_axes(z=(0, 1, 0), x=(1, 0, 0)),
        velocity=(speed, -push * r, 0.0),
        angular_velocity=(push, speed / r, 0.0),
        outline=[rim, [(-r, 0.0, 0.0), (r, 0.0, 0.0)]],
    )
    wheel = model.add(stated, name=f"{name} wheel")
    axle = holder.at(*np.subtract(place, holder.position), **ACROSS)
    model.add(Revolute(axle, wheel.at()), name=f"{name} axle")
    model.add(RollingWheel(model.ground.at(), wheel.at(), radius=r), name=f"{name} road")


def straight(model: Model, speed: float = 5.0) -> Any:
    """The steady motion straight ahead."""
    rates: dict[Any, float] = {model[f"{name} axle"]: speed / r for name, r in RADII.items()}
    return steady_motion(model, 0.0, travel=(speed, 0.0, 0.0), spinning=rates)


def weave(run: Any) -> float:
    """The rate at which the oscillation of lean and steer decays, of the bicycle at 5 m/s."""
    model = build(push=0.0)
    modes = linearize(model, straight(model)).modes()
    return float(modes.eigenvalues[np.argmax(modes.eigenvalues.imag)].real)


# table 2 of the benchmark, 5 m/s: -0.77534188219585 +- 4.46486771378823i
HEADLINE = Headline("decay of weaving at 5 m/s", "1/s", weave, expected=-0.77534188219585, tolerance=1e-8)
