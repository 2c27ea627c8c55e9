r"""Vehicle lane change: the car of `vehicle` at 55 mph with a prescribed rack motion (after Haug 12.5).

     rack ^   __                       sin^3 cos over 2.5 s: to the left, then as far to the right
          |  /  \
          '-'----\----/---> t          `-p bars=0` leaves the torsion bars out: the car rolls more
                  \__/

For small angles the yaw rate is a linear response to the rack travel, whose mean is zero: the car ends with its initial
heading, one lane to the left.
"""

from __future__ import annotations

import math

from cardan.examples import Headline
from cardan.examples.vehicles.vehicle import build as build_vehicle
from cardan.postprocess.vehicle import VehicleMotion
from cardan.spatial import Function, Model

ANALYSIS = "simulate"
TIMES = (0.0, 8.0, 801)
SHOW = ("chassis.y", "chassis.ay", "steering.force")
VARIATION = {"bars": (0.0, 1.0)}  # Haug 12.5, models 1 and 2
SPEED = 55.0 * 0.44704  # 24.587 m/s
BEGIN, PERIOD = 1.0, 2.5


def build(bars: float = 1.0, speed: float = SPEED, travel: float = 0.0036) -> Model:
    """`travel` is the greatest one of the rack, in m."""

    def rack(t: float) -> float:
        s = min(max((t - BEGIN) / PERIOD, 0.0), 1.0)
        rise = math.sin(math.pi * s)
        return travel * rise * rise * rise * math.cos(math.pi * s) * 3.0792  # no jump in rate or acceleration

    return build_vehicle(speed, bars, Function(rack))


HEADLINE = Headline(
    "heading after the lane change",
    "rad",
    lambda run: float(VehicleMotion(run, "chassis").yaw[-1]),
    expected=0.0,
    tolerance=2e-3,  # the tires are not quite linear
)
