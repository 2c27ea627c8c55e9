"""Windshield wiper: a motor that turns one way swings two blades back and forth.

                 |blade        |blade        the crank r turns at A, its rod l swings the rocker c at D:
                 |             |
        rod l    o C --------- o             sin and cos of the rocker by the law of cosines in the
      B o------'  \\ c  tie      \\            triangle B, C, D
     r /           o D           o
    A o           ====          ====         a tie of the length DD' copies the swing to the second blade

The blade is slow at the ends of its sweep and fastest in between; the crank must be the shortest link for the motor to
rotate fully (Grashof). `-p crank=0.05` sweeps wider.
"""

from __future__ import annotations

import math

from cardan.examples import Headline
from cardan.planar import Body, Distance, Driver, Model, Point, Ramp, Revolute

TIMES = (0.0, 1.5, 601)
SHOW = ("blade 1.angle", "blade 1.angular_velocity", "tip 1.x", "tip 2.x")
CRANK, ROD, ROCKER, BASE, BLADE, SPEED = 0.04, 0.22, 0.06, 0.21, 0.5, 2.0 * math.pi / 1.5


def build(crank: float = CRANK, rod: float = ROD, speed: float = SPEED) -> Model:
    """The crank starts pointing at the first rocker; each blade is one body with its rocker, which stands upright."""
    model = Model("wiper")
    ground = model.ground
    up = _rocker_angle(crank, rod)
    pin = (BASE + ROCKER * math.cos(up), ROCKER * math.sin(up))
    motor = model.add(Body(), name="crank")
    link = model.add(Body(position=(crank, 0.0), angle=math.atan2(pin[1], pin[0] - crank)), name="rod")
    shaft = model.add(Revolute(ground.at(), motor.at()), name="A")
    model.add(Revolute(motor.at(crank, 0.0), link.at()), name="B")
    rockers = []
    for k in (1, 2):
        pivot = (BASE + 0.6 * (k - 1), 0.0)
        line = [(ROCKER, 0.0), (0.0, 0.0), (BLADE, 0.0)]
        rockers.append(model.add(Body(position=pivot, angle=up, outline=line), name=f"blade {k}"))
        model.add(Revolute(ground.at(*pivot), rockers[-1].at()), name=f"D{k}")
        model.add(Point(rockers[-1].at(BLADE, 0.0)), name=f"tip {k}")
    model.add(Revolute(link.at(rod, 0.0), rockers[0].at(ROCKER, 0.0)), name="C")
    model.add(Distance(rockers[0].at(ROCKER, 0.0), rockers[1].at(ROCKER, 0.0), 0.6), name="tie")
    model.add(Driver(shaft.angle, Ramp(speed)), name="motor")
    return model


def _rocker_angle(crank: float, rod: float) -> float:
    """Of the rocker while the crank points at its pivot, d away."""
    d = BASE - crank
    return math.pi - math.acos((d * d + ROCKER**2 - rod**2) / (2.0 * d * ROCKER))


# B moves square to AD with r w; along the rod C is as fast: w4 = w r sin(rod) / (c sin(rod - rocker))
_UP = _rocker_angle(CRANK, ROD)
_ROD = math.atan2(ROCKER * math.sin(_UP), BASE - CRANK + ROCKER * math.cos(_UP))
HEADLINE = Headline(
    "angular velocity of the blades while the crank points at them",
    "rad/s",
    lambda run: run["blade 2"].angular_velocity[0],
    expected=-SPEED * CRANK * math.sin(_ROD) / (ROCKER * math.sin(_UP - _ROD)),
    tolerance=1e-9,
)
