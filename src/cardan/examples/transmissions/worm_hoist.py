"""Worm hoist: a motor lifts a load over bevel gears and a self-locking worm.

motor ==[bevel]      Power is lost at the thread of the worm only: the torque of the motor is that of the load by the
          |          ratios of the gears and the efficiency of the worm,
    ===[worm]===
        (wheel)      eta = (cos(alpha) - mu tan(gamma)) / (cos(alpha) + mu cot(gamma))
          |
         load        The bearings carry the radial and axial forces of all teeth.
"""

from __future__ import annotations

import math

from cardan.examples import Headline
from cardan.spatial import BevelGear, Body, Driver, Model, Point, Ramp, Revolute, Torque, WormGear

TIMES = (0.0, 1.0, 201)
ANALYSIS = "inverse_dynamics"
SHOW = ("motor.force", "screw teeth.normal", "corner teeth.radial_a")
PINION, CROWN = 0.02, 0.04  # mean pitch radii of the bevel gears
WORM, WHEEL, LEAD = 0.02, 0.1, 0.0126
ALPHA = math.radians(20.0)


def build(load: float = 150.0, speed: float = 30.0, friction: float = 0.12) -> Model:
    """The worm lies on the x axis, the motor on the y axis, and the wheel below; `load` is its torque."""
    model = Model("worm-hoist")
    ground = model.ground
    shaft = model.add(Body(outline=[[(0.0, 0.0, 0.0), (0.0, 0.15, 0.0)]]), name="motor shaft")
    worm = model.add(Body(outline=[[(0.0, 0.0, 0.0), (0.4, 0.0, 0.0)]]), name="worm")
    wheel = model.add(Body(position=(0.25, 0.0, -WORM - WHEEL)), name="wheel")
    drive = model.add(Revolute.between(ground, shaft, at=(0.0, 0.1, 0.0), z=(0, 1, 0)), name="bearing 1")
    model.add(Revolute.between(ground, worm, at=(0.1, 0.0, 0.0), z=(1, 0, 0)), name="bearing 2")
    model.add(Revolute.between(ground, wheel, at=(0.25, 0.0, -WORM - WHEEL), z=(0, 1, 0)), name="bearing 3")
    corner = shaft.at(z=(0, 1, 0)), worm.at(z=(1, 0, 0))
    model.add(BevelGear(*corner, PINION, CROWN, pressure_angle=ALPHA, spiral_angle=0.6), name="corner")
    ends = worm.at(0.25, 0.0, 0.0, z=(1, 0, 0)), wheel.at(z=(0, 1, 0))
    sizes = {"lead": LEAD, "radius_a": WORM, "radius_b": WHEEL}
    model.add(WormGear(*ends, **sizes, pressure_angle=ALPHA, friction=friction), name="screw")
    model.add(Driver(drive.angle, Ramp(speed)), name="motor")
    model.add(Torque(wheel.at(), (0.0, -load, 0.0)), name="load")
    model.add(Point(wheel.at(WHEEL, 0.0, 0.0)), name="hook")
    return model


def _efficiency(friction: float) -> float:
    slope = LEAD / (2.0 * math.pi * WORM)
    return (math.cos(ALPHA) - friction * slope) / (math.cos(ALPHA) + friction / slope)


HEADLINE = Headline(
    "torque of the motor that lifts the load",
    "N m",
    lambda run: abs(float(run["motor.force"][-1])),
    expected=150.0 * LEAD / (2.0 * math.pi * WHEEL) * PINION / CROWN / _efficiency(0.12),
    tolerance=1e-9,
)
