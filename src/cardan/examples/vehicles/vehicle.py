r"""Vehicle: a car of 18 bodies on four tires in a double lane change at 25 m/s.

               .--------------.                  3.5 m to the left within 30 m, 25 m there, and back within 30 m
       ------'                 '---------
                                                 rack travel = 0.005 (lane(x + 18 m) - y - 18 m yaw)
     40 m      30     25     30

Wishbones, rack, springs, torsion bars and tires are in `cardan.examples.cars.compact`. The driver is a function of
position and yaw, compiled like everything else; a steering gear, a servo of 1e6 N/m, follows its command. After the
maneuver the car is back in its lane. `-p bars=0` leaves the torsion bars out, `-p speed=20` drives slower.
`VehicleMotion(run, "chassis").plot()` shows roll, side slip, loads and slip angles.
"""

from __future__ import annotations

from inspect import isfunction
from typing import Any

from cardan.examples import Headline
from cardan.examples.cars.compact import compact
from cardan.model.device import Device, Value
from cardan.spatial import Driver, Model, Servo, angle, x, y

ANALYSIS = "simulate"
TIMES = (0.0, 10.0, 1001)
SHOW = ("chassis.y", "chassis.ay", "steering.force")
LANE, BEGIN, WAY, STAY, SIGHT = 3.5, 40.0, 30.0, 25.0, 18.0
GEAR = {"stiffness": 1e6, "damping": 2e4}  # between the driver's hands and the rack


def look_ahead(x: float, y: float, yaw: float) -> float:
    """The driver steers toward where the lane will be: the wanted travel of the rack, in m."""
    place = x + SIGHT - BEGIN
    lane = LANE * (smooth(place / WAY) - smooth((place - WAY - STAY) / WAY))
    return 0.005 * (lane - y - SIGHT * yaw)


def smooth(s: float) -> float:
    """From 0 to 1 without a jump in curvature."""
    s = min(max(s, 0.0), 1.0)
    return s * s * s * (10.0 + s * (6.0 * s - 15.0))


def build(
    speed: float = 25.0,
    bars: float = 1.0,
    steer: Any = look_ahead,
    road: Any = None,
    tire: Any = None,
    transient: bool = True,
) -> Model:
    """`steer` is a function (x, y, yaw) that gives the travel of the rack, a motion of the rack, or None."""
    model = compact(speed, bars, road, tire, transient)
    chassis, travel = model["chassis"], model["rack guide"].travel
    if isfunction(steer):
        seen = (Value(x(chassis.at())), Value(y(chassis.at())), Value(angle(model.ground.at(), chassis.at())))
        driver = Device(steer, seen, ("travel",), name="driver")
        model.add(Servo(travel, driver["travel"], **GEAR), name="steering")
    elif steer is not None:
        model.add(Driver(travel, steer), name="steering")
    return model


# the driver comes back to the first lane; what is left of the swing dies out
HEADLINE = Headline(
    "distance from the lane at the end", "m", lambda run: float(run["chassis"].position[-1, 1]), 0.0, 1e-3
)
