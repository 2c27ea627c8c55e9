r"""Bricard's linkage: six hinges, each perpendicular to the next, that should not move by their count.

             o-------o              Five rods of 1 m along the edges of a cube, the sixth is ground. In a loop of six
            /|                      bodies six hinges leave 6 (6 - 1) - 5 6 = 0 dof; this one has one, because one
           / |                      of its thirty equations follows from the others. `mobility` names it, and the run
          o  o------o               sets it aside: reactions are then the least ones (MBS benchmark A04).
         ///        |
                    o

Released at rest, all hinges begin to turn at the same rate w in alternating directions. This determines the speeds of
all rods and the initial acceleration: the power of the weight is g w, the energy of the rods 5.01 w^2 / 2.
"""

from __future__ import annotations

import numpy as np

from cardan.examples import Headline
from cardan.spatial import Body, Model, Point, Revolute, matter

ANALYSIS = "simulate"
TIMES = (0.0, 10.0, 501)
SHOW = ("tip.x", "tip.y", "tip.z")
CORNERS = ((0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1))
AXES = ((0, 1, 0), (0, 0, 1), (1, 0, 0)) * 2


def build(thickness: float = 0.1, mass: float = 1.0) -> Model:
    """Square rods; their frames are those of the world at their first corner."""
    model = Model("bricard", gravity=(0.0, -9.81, 0.0))
    bodies = [model.ground]
    for i in range(5):
        start, along = np.array(CORNERS[i], float), np.subtract(CORNERS[i + 1], CORNERS[i]).astype(float)
        edges = np.where(along != 0.0, 1.0, thickness)
        rod = matter.box(*edges, mass=mass).moved(0.5 * along)
        drawn = [(0.0, 0.0, 0.0), tuple(along)]
        bodies.append(model.add(Body(mass=rod, position=tuple(start), outline=drawn), name=f"rod {i + 1}"))
    for i, axis in enumerate(AXES):
        ends = bodies[i], bodies[(i + 1) % 6]
        model.add(Revolute.between(*ends, at=CORNERS[i], z=axis), name=f"hinge {i + 1}")
    model.add(Point(bodies[3].at(0.0, 0.0, 1.0)), name="tip")
    return model


# virtual power at the start, all hinges turning at +-w: sum m v^2 = 4.5 w^2, rotation 6 I + 3 J with I = (1 + t^2) / 12
# across a rod and J = t^2 / 6 along it
HEADLINE = Headline(
    "angular acceleration of the first rod at the start",
    "rad/s2",
    lambda run: float(run["rod 1"].angular_acceleration[0, 1]),
    expected=9.81 / (4.5 + 6.0 * (1.0 + 0.1**2) / 12.0 + 3.0 * 0.1**2 / 6.0),
    tolerance=1e-9,
)
