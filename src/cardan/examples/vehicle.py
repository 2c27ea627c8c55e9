r"""Vehicle: 18 bodies on four tyres follow a double lane change at 25 m/s, steered by a driver who looks ahead.

          upper arm o-----o upright              each corner: two wishbones, upright, wheel, a tie rod without mass,
      chassis       |     |==(O) wheel           spring and damper on the lower arm; a torsion bar ties the lower arms
          lower arm o-----o                      of an axle; in front the tie rods end on a rack, behind on the chassis

Freedoms: 6 of the chassis, 1 of the rack, 4 strokes and 4 spins of the wheels. All numbers are plausible choices for a
compact car; springs carry it as it is drawn. The driver is a function of position and yaw that wants a travel of the
rack, which a steering gear follows; a damper on the sum of both rear spins, a differential, holds the speed. x is
forward, y to the left. `-p bars=0` leaves the torsion bars out, `-p speed=20` drives slower.
"""

from __future__ import annotations

from inspect import isfunction
from typing import Any

from cardan.examples import Headline
from cardan.model.device import Device, Value
from cardan.spatial import (
    Body, Distance, Driver, Model, Revolute, Road, Servo, Spherical, Spring, Translational, Tyre, TyreData,
    angle, length, x, y,
)  # fmt: skip

ANALYSIS = "simulate"
TIMES = (0.0, 10.0, 1001)
SHOW = ("chassis.y", "chassis.ay", "steering.force")
G, AXLES, HEIGHT, TRACK = 9.81, {"front": 1.2, "rear": -1.4}, 0.55, 1.5  # x of the axles from the centre of mass
CHASSIS, RACK, UPRIGHT, WHEEL, LOWER, UPPER = 1300.0, 3.0, 20.0, 18.0, 4.0, 2.0  # kg
INNER, OUTER, STAND = 0.35, 0.70, 0.56  # y of the lower arm's hinge and ball, and of the spring that stands on it
STEER = 0.12  # m from the steering axis to the tie rod: travel of the rack over angle of steering
SPRING, DAMPER, BARS = 60e3, 4e3, {"front": 900.0, "rear": 500.0}  # N/m, N s/m, N m/rad
GEAR = {"stiffness": 1e6, "damping": 2e4}  # between the driver's hands and the rack
HOLD = 50.0  # N m s: torque of the drive over what the sum of both spins lacks
AXLE = (0.0, 1.0, 0.0)
LANE, WAY, STAY, LOOK = 3.5, 30.0, 25.0, 18.0  # m: between the lanes, from one to the other, in the second; sight


def look_ahead(x: float, y: float, yaw: float) -> float:
    """The driver steers toward where the lane will be in the distance of sight. Returns the wanted travel of the rack."""
    place = x + LOOK - 40.0
    out, home = min(max(place / WAY, 0.0), 1.0), min(max((place - WAY - STAY) / WAY, 0.0), 1.0)
    lane = LANE * (smooth(out) - smooth(home))
    return 0.005 * (lane - y - LOOK * yaw)


def smooth(s: float) -> float:
    """From 0 to 1 without a jump in curvature."""
    return s * s * s * (10.0 + s * (6.0 * s - 15.0))


def build(speed: float = 25.0, bars: float = 1.0, steer: Any = look_ahead, road: Any = None, tyre: Any = None) -> Model:
    """`steer` is a function (x, y, yaw) that gives the travel of the rack, a motion of the rack, or nothing."""
    model = Model("vehicle", gravity=(0.0, 0.0, -G))
    tyre, road = tyre or TyreData(), road or Road.flat()
    hull = {"outline": [(1.9, 0.7, 0), (1.9, -0.7, 0), (-2.1, -0.7, 0), (-2.1, 0.7, 0), (1.9, 0.7, 0)]}
    chassis = _part(model, "chassis", (CHASSIS, (450.0, 1900.0, 2100.0)), (0.0, 0.0, HEIGHT), speed, **hull)
    place = (AXLES["front"] + STEER, 0.0, tyre.radius - tyre.deflection(load("front")) - 0.1)
    rack = _part(model, "rack", (RACK, (0.1, 0.01, 0.1)), place, speed, outline=[(0, -INNER, 0), (0, INNER, 0)])
    guide = model.add(Translational.between(chassis, rack, at=place, z=AXLE), name="rack guide")
    for end, carrier in (("front", rack), ("rear", chassis)):
        for side, s in (("left", 1.0), ("right", -1.0)):
            _corner(model, carrier, end, f"{end} {side}", s, road, tyre, speed)
        if bars:
            arms = [model[f"{end} {side} arm"].angle for side in ("left", "right")]
            model.add(Spring(arms[0] + arms[1], bars * BARS[end], free_angle=0.0), name=f"{end} bar")
    spins = model["rear left spin"].angle + model["rear right spin"].angle
    turning = 2.0 * speed / (tyre.radius - tyre.deflection(load("rear")))
    model.add(Spring(spins, damping=HOLD, force=-HOLD * turning), name="drive")
    if isfunction(steer):
        seen = (Value(x(chassis.at())), Value(y(chassis.at())), Value(angle(model.ground.at(), chassis.at())))
        driver = Device(steer, seen, ("travel",), name="driver")
        model.add(Servo(guide.travel, driver["travel"], **GEAR), name="steering")
    elif steer is not None:
        model.add(Driver(guide.travel, steer), name="steering")
    return model


def load(end: str) -> float:
    """The vertical load of one tyre at rest: moments of all weights about the other axle."""
    here, other = (AXLES[e] for e in (("front", "rear") if end == "front" else ("rear", "front")))
    moments = CHASSIS * (0.0 - other) + RACK * (AXLES["front"] + STEER - other)
    return G * (0.5 * moments / (here - other) + UPRIGHT + WHEEL + LOWER + UPPER)


def _corner(model: Model, carrier: Body, end: str, name: str, s: float, road: Road, tyre: TyreData, speed: float) -> None:
    """Wishbones, upright, wheel, tie rod, spring and tyre; s is 1 on the left, -1 on the right. All arms are level."""
    chassis, at, hub = model["chassis"], AXLES[end], tyre.radius - tyre.deflection(load(end))
    low, high, centre, ahead = hub - 0.1, hub + 0.15, (at, s * TRACK / 2, hub), at + STEER
    inner, outer, top = (at, s * INNER, low), (at, s * OUTER, low), (at - 0.02, s * 0.66, high)
    lower = _part(model, f"{name} lower arm", (LOWER, (0.05, 0.02, 0.06)), _middle(inner, outer), speed)
    upper = _part(model, f"{name} upper arm", (UPPER, (0.02, 0.01, 0.02)), (at, s * 0.55, high), speed)
    upright = _part(model, f"{name} upright", (UPRIGHT, (0.3, 0.3, 0.2)), (at, s * 0.68, hub), speed)
    wheel = _part(model, f"{name} wheel", (WHEEL, (0.6, 1.0, 0.6)), centre, speed, angular_velocity=(0, speed / hub, 0))
    model.add(Revolute.between(chassis, lower, at=inner, z=(1, 0, 0)), name=f"{name} arm")
    model.add(Revolute.between(chassis, upper, at=(at, s * 0.44, high), z=(1, 0, 0)), name=f"{name} upper hinge")
    model.add(Spherical.between(lower, upright, at=outer), name=f"{name} lower ball")
    model.add(Spherical.between(upper, upright, at=top), name=f"{name} upper ball")
    model.add(Revolute.between(upright, wheel, at=centre, z=AXLE), name=f"{name} spin")
    rod = Distance.between(carrier, upright, at=(ahead, s * INNER, low), to=(ahead, s * OUTER, low), length=OUTER - INNER)
    model.add(rod, name=f"{name} tie rod")
    lever = (STAND - INNER) / (OUTER - INNER)  # stroke of the spring over stroke of the wheel
    carried = (load(end) - G * (UPRIGHT + WHEEL + 0.5 * (LOWER + UPPER))) / lever
    foot, head = lower.world((at, s * STAND, low)), chassis.world((at, s * STAND, low + 0.5))
    model.add(Spring(length(foot, head), SPRING, DAMPER, free_length=0.5 + carried / SPRING), name=f"{name} spring")
    model.add(Tyre(model.ground.at(), wheel.at(z=AXLE), road, tyre), name=f"{name} tyre")


def _part(model: Model, name: str, matter: Any, place: Any, speed: float, **stated: Any) -> Body:
    mass, inertia = matter
    return model.add(Body(mass, inertia, position=place, velocity=(speed, 0, 0), **stated), name=name)


def _middle(a: Any, b: Any) -> tuple[float, ...]:
    return tuple((p + q) / 2 for p, q in zip(a, b, strict=True))


# the driver comes back to the first lane
HEADLINE = Headline("distance from the lane at the end", "m", lambda run: float(run["chassis"].position[-1, 1]), 0.0, 1e-3)
