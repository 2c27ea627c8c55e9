r"""A compact car of 18 bodies on four tires.

          upper arm o-----o upright              each corner: two wishbones, upright, wheel, a tie rod without mass,
      chassis       |     |==(O) wheel           spring and damper on the lower arm; a torsion bar ties the lower arms
          lower arm o-----o                      of an axle; in front the tie rods end on a rack, behind on the chassis

Degrees of freedom: 6 of the chassis, 1 of the rack, 4 strokes and 4 spins of the wheels. x is forward, y to the left.
All numbers are plausible choices. All arms are level: wheels move straight up and the springs carry the car as it is
drawn. Elements by name: "chassis", "rack", "rack guide" (its .travel steers), "front left spin" and so on (hinges of
the wheels), "front left tire", "front left spring", "front bar", "drive".
"""

from __future__ import annotations

from typing import Any

from cardan.spatial import (
    Body,
    Distance,
    Model,
    Revolute,
    Road,
    Spherical,
    Spring,
    Tire,
    TireData,
    Translational,
    length,
)

G, AXLES, HEIGHT, TRACK = 9.81, {"front": 1.2, "rear": -1.4}, 0.55, 1.5  # x of the axles from the chassis' center
CHASSIS, RACK, UPRIGHT, WHEEL, LOWER, UPPER = 1300.0, 3.0, 20.0, 18.0, 4.0, 2.0  # kg
MASS = CHASSIS + RACK + 4.0 * (UPRIGHT + WHEEL + LOWER + UPPER)
INNER, OUTER, STAND = 0.35, 0.70, 0.56  # y of the lower arm's hinge and ball, and of the spring that stands on it
STEER = 0.12  # m from the steering axis to the tie rod: travel of the rack over angle of steering
SPRING, DAMPER, BARS = 60e3, 4e3, {"front": 900.0, "rear": 500.0}  # N/m, N s/m, N m/rad
HOLD = 50.0  # N m s: torque of the drive on each wheel over what the sum of both rear spins lacks
AXLE = (0.0, 1.0, 0.0)


def compact(
    speed: float, bars: float, road: Road | None = None, tire: TireData | None = None, transient: bool = True
) -> Model:
    """The car at a speed; nothing holds its rack yet. `bars` is a factor of the torsion bars, 0 leaves them out.

    The drive is a damper between the sum of both rear spins, a differential, and a shaft that turns as the speed asks.
    """
    model = Model("vehicle", gravity=(0.0, 0.0, -G))
    tire, road = tire or TireData(), road or Road.flat()
    chassis = _part(model, "chassis", CHASSIS, (450.0, 1900.0, 2100.0), (0.0, 0.0, HEIGHT), speed)
    place = (AXLES["front"] + STEER, 0.0, _hub("front", tire) - 0.1)
    bar = {"outline": [(0, -INNER, 0), (0, INNER, 0)]}
    rack = _part(model, "rack", RACK, (0.1, 0.01, 0.1), place, speed, **bar)
    model.add(Translational.between(chassis, rack, at=place, z=AXLE), name="rack guide")
    for end, carrier in (("front", rack), ("rear", chassis)):
        for side, s in (("left", 1.0), ("right", -1.0)):
            _corner(model, carrier, end, f"{end} {side}", s, tire, speed)
            wheel = model[f"{end} {side} wheel"].at(z=AXLE)
            model.add(Tire(model.ground.at(), wheel, road, tire, transient), name=f"{end} {side} tire")
        if bars:
            left, right = (model[f"{end} {side} arm"].angle for side in ("left", "right"))  # of one sign where it rolls
            model.add(Spring(left + right, bars * BARS[end], rest_angle=0.0), name=f"{end} bar")
    spins = model["rear left spin"].angle + model["rear right spin"].angle
    turning = 2.0 * speed / _hub("rear", tire)
    model.add(Spring(spins, damping=HOLD, force=-HOLD * turning), name="drive")
    return model


def load(end: str) -> float:
    """The vertical load of one tire at rest: moments of all weights about the other axle."""
    here, other = (AXLES[e] for e in (("front", "rear") if end == "front" else ("rear", "front")))
    moments = CHASSIS * (0.0 - other) + RACK * (AXLES["front"] + STEER - other)
    return G * (0.5 * moments / (here - other) + UPRIGHT + WHEEL + LOWER + UPPER)


def _hub(end: str, tire: TireData) -> float:
    """The height of the wheels' centers at rest."""
    return tire.radius - tire.deflection(load(end))


def _corner(model: Model, carrier: Body, end: str, name: str, s: float, tire: TireData, speed: float) -> None:
    """Wishbones, upright, wheel, tie rod to the `carrier` and spring; s is 1 on the left, -1 on the right."""
    chassis, at, hub = model["chassis"], AXLES[end], _hub(end, tire)
    low, high, ahead, center = hub - 0.1, hub + 0.15, at + STEER, (at, s * TRACK / 2, hub)
    inner, outer, middle = ((at, s * y, low) for y in (INNER, OUTER, (INNER + OUTER) / 2))
    lower = _part(model, f"{name} lower arm", LOWER, (0.05, 0.02, 0.06), middle, speed)
    upper = _part(model, f"{name} upper arm", UPPER, (0.02, 0.01, 0.02), (at, s * 0.55, high), speed)
    upright = _part(model, f"{name} upright", UPRIGHT, (0.3, 0.3, 0.2), (at, s * 0.68, hub), speed)
    spin = {"angular_velocity": (0.0, speed / hub, 0.0)}
    wheel = _part(model, f"{name} wheel", WHEEL, (0.6, 1.0, 0.6), center, speed, **spin)
    model.add(Revolute.between(chassis, lower, at=inner, z=(1, 0, 0)), name=f"{name} arm")
    model.add(Revolute.between(chassis, upper, at=(at, s * 0.44, high), z=(1, 0, 0)), name=f"{name} upper hinge")
    model.add(Spherical.between(lower, upright, at=outer), name=f"{name} lower ball")
    model.add(Spherical.between(upper, upright, at=(at - 0.02, s * 0.66, high)), name=f"{name} upper ball")
    model.add(Revolute.between(upright, wheel, at=center, z=AXLE), name=f"{name} spin")
    inside, outside = (ahead, s * INNER, low), (ahead, s * OUTER, low)  # as long as the lower arm: bumps do not steer
    rod = Distance.between(carrier, upright, at=inside, to=outside, length=OUTER - INNER)
    model.add(rod, name=f"{name} tie rod")
    lever = (STAND - INNER) / (OUTER - INNER)  # stroke of the spring over stroke of the wheel
    carried = (load(end) - G * (UPRIGHT + WHEEL + 0.5 * (LOWER + UPPER))) / lever
    foot, head = lower.world((at, s * STAND, low)), chassis.world((at, s * STAND, low + 0.5))
    model.add(Spring(length(foot, head), SPRING, DAMPER, rest_length=0.5 + carried / SPRING), name=f"{name} spring")


def _part(model: Model, name: str, mass: float, inertia: Any, place: Any, speed: float, **stated: Any) -> Body:
    return model.add(Body(mass, inertia, position=place, velocity=(speed, 0, 0), **stated), name=name)
