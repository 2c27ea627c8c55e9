r"""Pendulum: a rod released from the horizontal, its energy and the force in its pin.

        /////                 w^2 = 3 g / l sin(phi)          from the energy
          o================   force at the lowest point: m g + m w^2 l / 2 = 5/2 m g
           \  phi         |
            \             v   the same for every length: only mass and gravity remain

One degree of freedom, three coordinates: the pin removes two. The time to the lowest point is a complete elliptic
integral, which the output times hit exactly. `run.energy` contains kinetic and potential energy; its drift measures the
accuracy of the run. `-p mass=2` doubles the force and does not change the motion.
"""

from __future__ import annotations

import math

from cardan.examples import Headline
from cardan.planar import Body, Model, Point, Revolute, matter

# sqrt(l / g') K(1/2) with g' = 3 g / 2, the rod as a mathematical pendulum of length 2 l / 3: from the level to the
# lowest point
_QUARTER = math.sqrt(2.0 / (3.0 * 9.81)) * 1.8540746773013719

ANALYSIS = "simulate"
TIMES = (0.0, 4.0 * _QUARTER, 401)
SHOW = ("rod.angle", "pin.fx", "pin.fy")


def build(length: float = 1.0, mass: float = 1.0, angle: float = 0.0) -> Model:
    """A thin rod, let go at rest where `angle` says."""
    model = Model("pendulum", gravity=(0.0, -9.81))
    rod = matter.rod(length, mass=mass).moved((length / 2, 0.0))
    drawn = [(0.0, 0.0), (length, 0.0)]
    body = model.add(Body(mass=rod, angle=angle, outline=drawn), name="rod")
    model.add(Revolute(model.ground.at(), body.at()), name="pin")
    model.add(Point(body.at(length, 0.0)), name="tip")
    return model


# m g + m w^2 l / 2 with w^2 = 3 g / l
HEADLINE = Headline(
    "force in the pin at the lowest point",
    "N",
    lambda run: float(run["pin"].in_frame("global").force[100, 1]),
    expected=2.5 * 9.81,
    tolerance=1e-6,
)
