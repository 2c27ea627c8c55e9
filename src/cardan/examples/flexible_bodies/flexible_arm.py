r"""Flexible robot arm: two slender links swing a load up to the front, and vibrate where they stop.

             .                    at rest again the arm is a cantilever of length L with a load at its tip:
          . '  o---___
       o~'           ---[]           sag = g (rho A L^4 / 8 + m L^3 / 3) / E I
     shoulder  elbow    load
                                  with both links in line, L is their sum; the motors hold the angles of the joints

The motors follow smooth laws of motion and do not regard the flexibility: the tip overshoots and swings out.
`-p seconds=0.4` is faster, and worse.
"""

from __future__ import annotations

import math
from typing import Any

from cardan.examples import Headline
from cardan.flexible import Material, Rayleigh, beam, tube
from cardan.planar import Body, Driver, Fixed, FlexibleBody, Model, Point, Revolute, Step

ANALYSIS = "simulate"
LINK, OUTER, INNER, LOAD, G = 0.8, 0.05, 0.044, 4.0, 9.81
ALUMINUM, PROFILE = Material(E=70e9, nu=0.33, density=2700.0), tube(OUTER, INNER)
TIMES = (0.0, 2.5, 501)
SHOW = ("tip.y", "shoulder motor.force")


def options(model: Any) -> dict[str, Any]:
    return {"method": "radau", "rtol": 1e-6}


def build(seconds: float = 0.8, load: float = LOAD) -> Model:
    """`seconds` that the motion takes, and the mass of the `load` in kg."""
    model = Model("flexible-arm", gravity=(0.0, -G))
    down, back = -math.pi / 2, 0.75 * math.pi
    part = beam(LINK, PROFILE, ALUMINUM, name="link").reduce(
        {"inner": "left", "outer": "right"}, modes=3, damping=Rayleigh(0.0, 0.004), planar=True, stress=True
    )
    elbow = LINK * math.cos(down), LINK * math.sin(down)
    upper = model.add(FlexibleBody(part, angle=down), name="upper arm")
    fore = model.add(FlexibleBody(part, position=elbow, angle=down + back), name="forearm")
    end = elbow[0] + LINK * math.cos(down + back), elbow[1] + LINK * math.sin(down + back)
    hand = model.add(Body(load, 0.004 * load, end, down + back), name="load")
    shoulder = model.add(Revolute(model.ground.at(), upper.at("inner")), name="shoulder")
    joint = model.add(Revolute(upper.at("outer"), fore.at("inner")), name="elbow")
    model.add(Fixed(fore.at("outer"), hand.at()), name="grip")
    model.add(Driver(shoulder.angle, Step(0.1, 0.1 + seconds, down, 0.0)), name="shoulder motor")
    model.add(Driver(joint.angle, Step(0.1, 0.1 + seconds, back, 0.0)), name="elbow motor")
    model.add(Point(hand.at(), trace=True), name="tip")
    return model


_EI, _PER_LENGTH, _L = ALUMINUM.E * PROFILE.Iz, ALUMINUM.density * PROFILE.area, 2.0 * LINK
# shear adds 0.2 %, vibrations that are left less
HEADLINE = Headline(
    "sag of the load at the end",
    "m",
    lambda run: -float(run["tip"].position[-1, 1]),
    expected=G * (_PER_LENGTH * _L**4 / 8.0 + LOAD * _L**3 / 3.0) / _EI,
    tolerance=1e-4,
)
