r"""Rolling coin: leaning inward, it rolls in a circle.

           z |    / /               W^2 cos(lean) (3/2 b + R/4 sin(lean)) = g sin(lean)
             |   / /  coin
             |  /_/                 W: how fast it goes round,   b: distance of its center from the middle
        =====+==*=======
             |<-b->                 w = -W b / R about its axle, for rolling without slip

Five degrees of freedom in position, three in velocity: the coin can reach any place in any direction, but not along any
path. `RollingWheel` has one equation on positions, the contact, and two on velocities. The reaction of the table keeps
it on its circle. `-p push=0.05` makes it wobble.
"""

from __future__ import annotations

import math

import numpy as np

from cardan.examples import Headline
from cardan.spatial import Body, Model, Point, RollingWheel, matter, rotation

ANALYSIS = "simulate"
TIMES = (0.0, 3.0, 601)
SHOW = ("center.x", "center.y", "table.fx", "table.fy", "table.fz")
RADIUS, AWAY, LEAN = 0.05, 0.25, math.radians(25.0)
PACE = math.sqrt(9.81 * math.tan(LEAN) / (1.5 * AWAY + RADIUS * math.sin(LEAN) / 4.0))


def build(mass: float = 0.1, push: float = 0.0) -> Model:
    """A thin coin whose axle points outward and up; `push` is an extra angular velocity about the way it runs."""
    model = Model("rolling-coin", gravity=(0.0, 0.0, -9.81))
    axle, up = np.array([math.cos(LEAN), 0.0, math.sin(LEAN)]), np.array([-math.sin(LEAN), 0.0, math.cos(LEAN)])
    turning = -PACE * AWAY / RADIUS * axle + PACE * math.cos(LEAN) * up + np.array([0.0, push, 0.0])
    rim = [(RADIUS * math.cos(k * math.pi / 18), RADIUS * math.sin(k * math.pi / 18), 0.0) for k in range(37)]
    place = np.array([AWAY, 0.0, RADIUS * math.cos(LEAN)])
    stated = Body(
        mass=matter.disk(RADIUS, mass=mass),
        position=tuple(place),
        orientation=rotation.from_axes(z=tuple(axle), y=(0, 1, 0)),
        velocity=tuple(np.cross(turning, RADIUS * up)),
        angular_velocity=tuple(turning),
        outline=[rim, [(-RADIUS, 0.0, 0.0), (RADIUS, 0.0, 0.0)]],
    )
    coin = model.add(stated, name="coin")
    model.add(RollingWheel(model.ground.at(), coin.at(), radius=RADIUS), name="table")
    model.add(Point(coin.at()), name="center")
    return model


# a circle at constant speed: W^2 cos(lean) (3/2 b + R/4 sin(lean)) = g sin(lean)
HEADLINE = Headline(
    "x of the center after 3 s",
    "m",
    lambda run: float(run["center"].position[-1, 0]),
    expected=AWAY * math.cos(3.0 * PACE),
    tolerance=1e-6,
)
