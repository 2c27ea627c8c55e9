"""Cardan shaft: two universal joints that cancel each other's variation of speed.

              ____________
      input  /   middle   \\  output          tan(theta_2) = tan(theta_1) / cos(bend)
      ______/              \\______

One joint alone makes the speed vary: the middle shaft turns between cos(bend) and 1 / cos(bend) times as fast as the
input. The second joint, bent by the same angle with its yoke aligned with the first, cancels the variation. With the
yokes a quarter turn apart the variations add up: `-p twist=1.5708`.
"""

from __future__ import annotations

import math

from cardan.examples import Headline
from cardan.spatial import Body, Cylindrical, Driver, Model, Ramp, Revolute, Universal, rotation

TIMES = (0.0, 1.0, 401)
SHOW = ("A.angle.rate", "D.angle.rate", "middle.wx")


def build(bend: float = 0.6, twist: float = 0.0, speed: float = 2.0 * math.pi) -> Model:
    """Shafts in the xz plane; the middle one lies along x, both others slope by `bend`."""
    model = Model("cardan-shaft")
    ground = model.ground
    slope = rotation.from_axis_angle((0, 1, 0), -bend)
    along = (math.cos(bend), 0.0, math.sin(bend))  # the direction of the outer shafts
    start = (-0.5 - 0.4 * along[0], 0.0, -0.4 * along[2])
    end = (0.5 + 0.4 * along[0], 0.0, 0.4 * along[2])
    first = model.add(Body(position=start, orientation=slope), name="input")
    middle = model.add(Body(), name="middle")
    last = model.add(Body(position=end, orientation=slope), name="output")
    hinge = model.add(Revolute.between(ground, first, at=start, z=along, y=(0, 1, 0)), name="A")
    model.add(Universal(first.at(0.4, 0.0, 0.0, z=(0, 1, 0)), middle.at(-0.5, 0.0, 0.0, z=(0, 0, 1))), name="B")
    fork = middle.at(0.5, 0.0, 0.0, z=(0.0, -math.sin(twist), math.cos(twist)))
    across = rotation.rotate(slope, (0.0, math.cos(twist), math.sin(twist)))
    model.add(Universal(fork, last.world((0.5, 0, 0), z=across)), name="C")
    model.add(Cylindrical.between(ground, last, at=end, z=along, y=(0, 1, 0)), name="D")
    model.add(Driver(hinge.angle, Ramp(speed)), name="motor")
    return model


HEADLINE = Headline(
    "unevenness of the middle shaft, its fastest turn over the slowest: 1 / cos^2(bend)",
    "",
    lambda run: float(run["middle"].angular_velocity[:, 0].max() / run["middle"].angular_velocity[:, 0].min()),
    expected=1.0 / math.cos(0.6) ** 2,
    tolerance=1e-9,
)
