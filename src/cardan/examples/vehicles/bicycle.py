r"""Bicycle: stable without a rider between 4.3 and 6.0 m/s; after a push it weaves.

            __.___                  lean and steer:  M q'' + v C q' + (g K0 + v^2 K2) q = 0
        _____\/__/\
       /  \  /\ /  \\__             weave    an oscillation, which decays above 4.292 m/s
      |   o-/--'|  \ o |            capsize  a slow fall to one side, which decays below 6.024 m/s
       \____/    \____/
          |<- 1.02 ->|              at 5 m/s: -0.775 +- 4.465 i, -0.323 and -14.08 per second

Whipple's bicycle with the data of the benchmark of Meijaard, Papadopoulos, Ruina and Schwab (2007), table 1; z points
up here, not down as there, which changes the sign of products of inertia. Two rolling wheels leave seven degrees of
freedom in position and three in velocity. Nobody steers: a push sets it leaning, the front wheel turns into the fall
and catches it. At `-p speed=4` the weave grows; at `-p speed=7` it decays, but a remaining lean grows slowly.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cardan.examples import Headline
from cardan.spatial import Body, Model, Revolute, RollingWheel, rotation

ANALYSIS = "simulate"
TIMES = (0.0, 5.0, 251)
SHOW = ("rear road.lean", "head.angle", "frame.y")
BASE, TRAIL, TILT = 1.02, 0.08, math.pi / 10
RADII = {"rear": 0.3, "front": 0.35}
WEAVE = 4.46486771378823  # rad/s: table 2 of the source


def build(speed: float = 5.0, push: float = 0.05) -> Model:
    """Upright, at a speed in m/s; `push` is the rate in rad/s at which all of it begins to lean about the road."""
    model = Model("bicycle", gravity=(0.0, 0.0, -9.81))
    rider = ((9.2, 0.0, -2.4), (0.0, 11.0, 0.0), (-2.4, 0.0, 2.8))
    bar = ((0.05892, 0.0, 0.00756), (0.0, 0.06, 0.0), (0.00756, 0.0, 0.00708))
    up = np.array((-math.sin(TILT), 0.0, math.cos(TILT)))
    top = np.array((BASE + TRAIL, 0.0, 0.0)) + 0.8 * up
    rear, front = ((x, 0.0, RADII[name]) for name, x in (("rear", 0.0), ("front", BASE)))
    tubes = np.array((rear, (0.4, 0.0, 0.3), top, (0.25, 0.0, 0.8), (0.2, 0.0, 0.95)))
    frame = _ahead(model, "frame", speed, push, position=(0.3, 0.0, 0.9), mass=85.0, inertia=rider, drawn=[tubes])
    blades = np.array((front, top, top + 0.1 * up))
    fork = _ahead(model, "fork", speed, push, position=(0.9, 0.0, 0.7), mass=4.0, inertia=bar, drawn=[blades])
    _wheel(model, "rear", frame, rear, (2.0, 0.0603, 0.12), speed, push)
    _wheel(model, "front", fork, front, (3.0, 0.1405, 0.28), speed, push)
    model.add(Revolute.between(frame, fork, at=tuple(top), z=tuple(up)), name="head")
    return model


def _wheel(model: Model, name: str, holder: Any, hub: Any, matter: Any, speed: float, push: float) -> None:
    """A wheel on the frame or the fork, and the road under it."""
    (mass, across, spin), r = matter, RADII[name]
    turn = np.linspace(0.0, 2.0 * math.pi, 37)
    around = np.stack([np.sin(turn), 0.0 * turn, np.cos(turn)], axis=1)
    drawn = [
        hub + r * around,
        hub + 0.92 * r * around,
        *(hub + 0.92 * r * around[[k, k + 18]] for k in range(0, 18, 3)),
    ]
    turned: dict[str, Any] = {"orientation": rotation.from_axes(z=(0, 1, 0), x=(1, 0, 0)), "spin": speed / r}
    matter = {"mass": mass, "inertia": (across, across, spin)}
    wheel = _ahead(model, f"{name} wheel", speed, push, position=hub, drawn=drawn, **matter, **turned)
    axle = holder.at(*np.subtract(hub, holder.position), z=(0, 1, 0), x=(1, 0, 0))
    model.add(Revolute(axle, wheel.at()), name=f"{name} axle")
    model.add(RollingWheel(model.ground.at(), wheel.at(), radius=r), name=f"{name} road")


def _ahead(
    model: Model, name: str, speed: float, push: float, position: Any, drawn: Any, spin: float = 0.0, **stated: Any
) -> Any:
    """A body that goes straight ahead and begins to lean about the line of the wheels, its lines drawn upright."""
    lines = [np.subtract(line, position) for line in drawn]
    if "orientation" in stated:  # a wheel: x ahead, y down, z to the left
        lines = [line @ np.array(((1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, -1.0, 0.0))) for line in lines]
    moving: dict[str, Any] = {"velocity": (speed, -push * position[2], 0.0), "angular_velocity": (push, spin, 0.0)}
    return model.add(Body(position=position, outline=[line.tolist() for line in lines], **moving, **stated), name=name)


def weave(run: Any) -> float:
    """The frequency of the oscillation, from the matrix that leads from each instant to the next."""
    table = run.table()
    states = np.array([table[name + rate] for rate in ("", ".rate") for name in ("rear road.lean", "head.angle")])
    steps = np.linalg.lstsq(states[:, :-1].T, states[:, 1:].T, rcond=None)[0]
    return float(np.max(np.log(np.linalg.eigvals(steps).astype(complex)).imag) / (run.times[1] - run.times[0]))


# of small motions: lean and steer reach a hundredth of a radian, and the error is in proportion to their squares
HEADLINE = Headline("frequency of the weave", "rad/s", weave, WEAVE, 0.002)
