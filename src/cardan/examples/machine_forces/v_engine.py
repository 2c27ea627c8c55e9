"""V-engine: two cylinders at a right angle, balanced to first order by one counterweight.

     [ ]       [ ]        each piston moves by  s = r cos a + sqrt(l^2 - r^2 sin^2 a),  a: crank from its cylinder
       \\       /
      l \\     / l          the forces m r w^2 cos a of both together are one of constant size that turns with the
          \\ /             crank: a counterweight m r opposite the pin takes it away, which no engine with its
           o              cylinders in line can do; what stays is of second order, r / l times smaller
           |r
         --o--

A rod acts as two masses, the larger turning with the pin, the smaller going with the piston; the counterweight balances
the turning ones, too. The shaking force is the sum of the forces of crankshaft and pistons on the block.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cardan.examples import Headline
from cardan.planar import Body, Driver, Model, Ramp, Revolute, Translational, matter

ANALYSIS = "inverse_dynamics"
SPEED, CRANK, ROD = 400.0, 0.045, 0.15
TIMES = (0.0, 2.0 * math.pi / SPEED, 361)
SHOW = ("piston 1.ay", "piston 2.ay", "main bearing.fx", "main bearing.fy", "motor.force")
PISTON, BIG_END, SMALL_END = 0.5, 0.45, 0.2  # masses in kg


def build(speed: float = SPEED, crank: float = CRANK, rod: float = ROD, balance: float = 1.0) -> Model:
    """The pin starts at the top, between the cylinders; `balance` scales the counterweight, and is above zero."""
    model = Model("v-engine")
    ground = model.ground
    moment = (PISTON + SMALL_END + 2.0 * BIG_END) * crank  # mass times distance from the shaft
    weight = matter.disk(0.045, mass=balance * moment / 0.035).moved((-0.035, 0.0))
    shaft = model.add(Body(mass=weight, angle=math.pi / 2), name="crankshaft")
    hinge = model.add(Revolute(ground.at(), shaft.at()), name="main bearing")
    for k, tilt in ((1, math.radians(135.0)), (2, math.radians(45.0))):
        way = (math.cos(tilt), math.sin(tilt))
        reach = crank * math.sin(tilt) + math.sqrt(rod**2 - (crank * math.cos(tilt)) ** 2)
        place = (reach * way[0], reach * way[1])
        turn = math.atan2(place[1] - crank, place[0])
        bar = matter.PlanarMatter(BIG_END) + matter.PlanarMatter(SMALL_END).moved((rod, 0.0))
        link = model.add(Body(mass=bar, position=(0.0, crank), angle=turn), name=f"rod {k}")
        piston = model.add(Body(mass=PISTON, inertia=4e-4, position=place, angle=tilt), name=f"piston {k}")
        model.add(Revolute(shaft.at(crank, 0.0), link.at()), name=f"pin {k}")
        model.add(Revolute(link.at(rod, 0.0), piston.at()), name=f"wrist {k}")
        model.add(Translational(ground.at(0.0, 0.0, tilt), piston.at()), name=f"cylinder {k}")
    model.add(Driver(hinge.angle, Ramp(speed, start=math.pi / 2)), name="motor")
    return model


def shaking(run: Any) -> np.ndarray:
    """The force on the block over time: what it does to the shaft and to the pistons, turned round."""
    on_moving = [run[name].in_frame("global").force for name in ("main bearing", "cylinder 1", "cylinder 2")]
    return -np.sum(on_moving, axis=0)


# -2 cos 45 m s'' with both pistons 45 degrees from the pin; beyond first order s'' = -r^4 w^2 / 4 (l^2 - r^2/2)^1.5
HEADLINE = Headline(
    "vertical shaking force with the pin at the top",
    "N",
    lambda run: float(shaking(run)[0, 1]),
    expected=math.sqrt(2.0) * (PISTON + SMALL_END) * SPEED**2 * CRANK**4 / (4.0 * (ROD**2 - CRANK**2 / 2.0) ** 1.5),
    tolerance=1e-7,
)
