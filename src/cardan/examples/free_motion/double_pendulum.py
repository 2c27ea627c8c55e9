r"""Double pendulum: two rods released from the horizontal; the second swings over, and motion is chaotic.

        /////
          o===========o===========      at the moment of release: the first rod falls with 9/7 g / l, the second
          A           B                 turns the other way with 3/7, and A carries 2/7 of the weight of one rod

Nearby motions diverge a thousandfold in five seconds: an initial error of 1e-8 becomes 1e-5. A run is only as good as
its tolerance, as `-p lift=1e-6` shows, which raises the second rod by a millionth of a radian. The energy drift is
small either way.
"""

from __future__ import annotations

from cardan.examples import Headline
from cardan.planar import Body, Model, Point, Revolute, matter

ANALYSIS = "simulate"
TIMES = (0.0, 5.0, 501)
SHOW = ("tip.x", "tip.y", "A.fy", "B.fy")


def options(model: Model) -> dict[str, float]:
    return {"rtol": 1e-10}


def build(length: float = 1.0, mass: float = 1.0, lift: float = 0.0) -> Model:
    """Two equal thin rods at rest; `lift` is the angle of the second."""
    model = Model("double-pendulum", gravity=(0.0, -9.81))
    rod = matter.rod(length, mass=mass).moved((length / 2, 0.0))
    drawn = [(0.0, 0.0), (length, 0.0)]
    first = model.add(Body(mass=rod, outline=drawn), name="first")
    second = model.add(Body(mass=rod, position=(length, 0.0), angle=lift, outline=drawn), name="second")
    model.add(Revolute(model.ground.at(), first.at()), name="A")
    model.add(Revolute(first.at(length, 0.0), second.at()), name="B")
    model.add(Point(second.at(length, 0.0)), name="tip")
    return model


# 2 m g less what the falling mass centers take: m (9/14 + 15/14) g
HEADLINE = Headline(
    "force in A at the moment of release",
    "N",
    lambda run: float(run["A"].force[0, 1]),
    expected=2.0 / 7.0 * 9.81,
    tolerance=1e-9,
)
