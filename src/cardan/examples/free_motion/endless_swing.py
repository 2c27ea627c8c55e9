r"""Endless swing: a parallelogram of rods, released; a symplectic method neither adds nor removes energy.

      A o-------- ground --------o D        two equal rods carry a bar that stays level: one loop is closed,
         \                        \         and the bar's mass center swings on a circle
          \   l                    \
         B o======================o C       E = (m + M) g l (1 - cos start), from the lowest position

With step-by-step error control, energy drifts slowly but steadily. Symplectic methods conserve a quantity close to the
energy, whose error oscillates without growing, here for two thousand steps and equally for a million; `-p start=1.4`
swings farther. The price is a fixed step.
"""

from __future__ import annotations

import math

from cardan import Symplectic
from cardan.examples import Headline
from cardan.planar import Body, Model, Revolute, matter

ANALYSIS = "simulate"
TIMES = (0.0, 100.0, 1001)
SHOW = ("bar.x", "bar.y", "A.fy")
G = 9.81
ROD, BAR, LENGTH, START = 0.5, 2.0, 1.0, 1.0


def options(model: Model) -> dict[str, object]:
    return {"method": Symplectic(step=0.05, order=6)}


def build(rod: float = ROD, bar: float = BAR, length: float = LENGTH, start: float = START) -> Model:
    """Rods of mass `rod` and a bar of mass `bar`, all of one length, at `start`, in rad, from the vertical."""
    model = Model("endless-swing", gravity=(0.0, -G))
    x, y = length * math.sin(start), -length * math.cos(start)
    thin = matter.rod(length, mass=rod)
    drawn = [(-length / 2, 0.0), (length / 2, 0.0)]
    down = math.atan2(y, x)
    left = model.add(Body(mass=thin, position=(x / 2, y / 2), angle=down, outline=drawn), name="left")
    right = model.add(Body(mass=thin, position=(length + x / 2, y / 2), angle=down, outline=drawn), name="right")
    level = model.add(Body(mass=matter.rod(length, mass=bar), position=(x + length / 2, y), outline=drawn), name="bar")
    model.add(Revolute(model.ground.at(), left.at(-length / 2, 0.0)), name="A")
    model.add(Revolute(left.at(length / 2, 0.0), level.at(-length / 2, 0.0)), name="B")
    model.add(Revolute(level.at(length / 2, 0.0), right.at(length / 2, 0.0)), name="C")
    model.add(Revolute(model.ground.at(length, 0.0), right.at(-length / 2, 0.0)), name="D")
    return model


# (m + M) g l (1 - cos start), rods counting half each; the error of order 6 with forty steps in a swing is 1e-9 of it
HEADLINE = Headline(
    "energy after 100 s, from the lowest position",
    "J",
    lambda run: float(run.energy.total[-1]) + (ROD + BAR) * G * LENGTH,
    expected=(ROD + BAR) * G * LENGTH * (1.0 - math.cos(START)),
    tolerance=1e-7,
)
