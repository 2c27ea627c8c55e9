r"""Stabilizer bar: how a car leans in a turn, with and without a bar between its wheels.

            ___ F                  K = k t^2 / 2 + bar t^2,      sin(roll) = F h / K
        ___|_o_|___
       |           |  h            k: the springs, at the distance t from each other;
       Z           Z               bar: a torsion bar with a lever on either side, which feels the
     __Z_____t_____Z__ bar         difference of both: Spring(left - right, ...) on a combination of measures

In heave both springs move alike and the bar turns freely; in roll it is twisted. It needs no special element: a
coupling of coordinates is a spring along their combination. `-p bar=0` removes it, and the car leans twice as far.
Heights are measured from static equilibrium.
"""

from __future__ import annotations

import math

from cardan.examples import Headline
from cardan.planar import Body, Hold, Load, Model, Spring, x, y

ANALYSIS = "equilibrium"
SHOW = ("body.y", "body.angle", "bar.force")
MASS, TRACK, HEIGHT, STIFFNESS, BAR, SIDEWAYS = 1400.0, 1.5, 0.5, 50e3, 25e3, 5.0


def build(bar: float = BAR, stiffness: float = STIFFNESS, acceleration: float = SIDEWAYS) -> Model:
    """Seen from behind, in a turn to the left with `acceleration`."""
    model = Model("stabilizer-bar")
    shape = [(-0.8, 0.0), (0.8, 0.0), (0.75, 0.5), (0.55, 1.0), (-0.55, 1.0), (-0.75, 0.5), (-0.8, 0.0)]
    body = model.add(Body(mass=MASS, inertia=500.0, center=(0.0, HEIGHT), outline=shape), name="body")
    model.add(Hold(x(body.at()), 0.0), name="roll center")
    left, right = y(body.at(-TRACK / 2, 0.0)), y(body.at(TRACK / 2, 0.0))
    for name, side in (("left", left), ("right", right)):
        model.add(Spring(side, stiffness, rest_length=0.0), name=name)
    model.add(Spring(left - right, bar, rest_length=0.0), name="bar")
    model.add(Load(body.at(0.0, HEIGHT), (MASS * acceleration, 0.0)), name="turn")
    return model


# moments about the roll center: F h cos = (k t^2 / 2 + bar t^2) sin cos
HEADLINE = Headline(
    "angle of roll",
    "rad",
    lambda rest: -float(rest["body"].angle),
    expected=math.asin(MASS * SIDEWAYS * HEIGHT / (STIFFNESS * TRACK**2 / 2 + BAR * TRACK**2)),
    tolerance=1e-9,
)
