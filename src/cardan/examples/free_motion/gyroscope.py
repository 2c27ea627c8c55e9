"""Gyroscope: a fast rotor in two gimbals precesses under a weight.

             |outer ring's axis         C n W = m g l :  weight m at the end of the axle, l from the middle,
         .---+---.                      makes the axle turn level with the speed W, instead of falling
       .' .--+--. '.
      |  |==(o)==|--|--* m              C: inertia about the axle, n: speed of the rotor
       '. '--+--' .'
         '---+---'

Released with the precession speed W, the axle stays horizontal. Without it, `-p start=0`, it begins to fall and nutates
about this motion; with the rotor at rest, `-p spin=0.01`, it falls.
"""

from __future__ import annotations

import math

from cardan.examples import Headline
from cardan.spatial import Body, Model, Point, Revolute, matter

ANALYSIS = "simulate"
TIMES = (0.0, 6.0, 601)
SHOW = ("weight.x", "weight.y", "weight.z")
ROTOR, RADIUS, WEIGHT, ARM, SPIN = 1.0, 0.06, 0.2, 0.1, 300.0


def build(spin: float = SPIN, start: float = 1.0) -> Model:
    """The axle is x, the inner ring turns about y, the outer one about z; the speed at the start is `start` times W."""
    model = Model("gyroscope", gravity=(0.0, 0.0, -9.81))
    turn = start * WEIGHT * 9.81 * ARM / (ROTOR * RADIUS**2 / 2.0 * spin)
    wheel = matter.disk(RADIUS, mass=ROTOR).turned(z=(1, 0, 0))
    hanging = matter.SpatialMatter(WEIGHT).moved((ARM, 0.0, 0.0)) + matter.ring(0.07, mass=0.1)
    spun = {"angular_velocity": (0.0, 0.0, turn)}
    frame = matter.ring(0.08, mass=0.15).turned(z=(1, 0, 0))
    outer = model.add(Body(mass=frame, outline=[_ring(0.083, "yz"), _ring(0.077, "yz")], **spun), name="outer ring")
    inner = model.add(
        Body(mass=hanging, outline=[_ring(0.073, "xy"), _ring(0.067, "xy"), *_AXLE], **spun), name="inner ring"
    )
    rotor = model.add(Body(mass=wheel, angular_velocity=(spin, 0.0, turn)), name="rotor")
    model.add(Revolute.between(model.ground, outer, at=(0, 0, 0), z=(0, 0, 1)), name="column")
    model.add(Revolute.between(outer, inner, at=(0, 0, 0), z=(0, 1, 0)), name="trunnion")
    model.add(Revolute.between(inner, rotor, at=(0, 0, 0), z=(1, 0, 0)), name="axle")
    model.add(Point(inner.at(ARM, 0.0, 0.0)), name="weight")
    return model


_AXLE = [[(-0.067, 0.0, 0.0), (0.067, 0.0, 0.0)], [(0.073, 0.0, 0.0), (ARM, 0.0, 0.0)]]


def _ring(radius: float, plane: str) -> list[tuple[float, float, float]]:
    return [_circle(radius, k, plane) for k in range(37)]


def _circle(radius: float, k: int, plane: str) -> tuple[float, float, float]:
    c, s = radius * math.cos(math.pi * k / 18), radius * math.sin(math.pi * k / 18)
    return (c, s, 0.0) if plane == "xy" else (0.0, c, s)


# level all the way: x = l cos W t
_TURN = WEIGHT * 9.81 * ARM / (ROTOR * RADIUS**2 / 2.0 * SPIN)
HEADLINE = Headline(
    "where the weight is after 6 s, along x",
    "m",
    lambda run: float(run["weight"].position[-1, 0]),
    expected=ARM * math.cos(6.0 * _TURN),
    tolerance=1e-7,
)
