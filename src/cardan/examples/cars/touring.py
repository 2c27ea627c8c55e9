r"""A motorcycle of six bodies on two tires, without a rider's hands.

            __.__                    frame with rider, swing arm, head, fork legs, two wheels
       ____/  \__//                  steering: a hinge at the head, tilted by the caster angle, with a damper
      (_o_)-----/(_o_)               legs slide in the head along the steering axis; a spring turns the swing arm
        |<- 1.45 ->|

All numbers are plausible choices. Springs are set to carry the weight as drawn: moments about the rear contact give the
load of the front tire. x is forward, y to the left, the rear contact is at the origin. Elements by name: "frame",
"steering" (the hinge of the head), "fork", "swing", "front axle", "rear axle", "front tire", "rear tire", "drive".
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cardan.spatial import Body, Model, Revolute, Road, Spring, Tire, TireData, Translational

G, BASE, CASTER, TRAIL, PIVOT = 9.81, 1.45, math.radians(25.0), 0.1, (0.45, 0.0, 0.36)
AXIS = np.array((-math.sin(CASTER), 0.0, math.cos(CASTER)))  # up along the steering axis
TOP, LEG = (np.array((BASE + TRAIL, 0.0, 0.0)) + s * AXIS for s in (0.85, 0.45))
LEFT = (0.0, 1.0, 0.0)
PARTS: dict[str, Any] = {  # mass, moments of inertia, position
    "frame": (240.0, (22.0, 35.0, 24.0), (0.66, 0.0, 0.62)),
    "arm": (10.0, (0.1, 0.3, 0.3), (0.22, 0.0, 0.34)),
    "head": (8.0, (0.3, 0.2, 0.2), tuple(TOP)),
    "legs": (8.0, (0.3, 0.3, 0.1), tuple(LEG)),
}
WHEELS = {"rear": (18.0, 0.35, 0.65, 0.0), "front": (14.0, 0.28, 0.5, BASE)}  # mass, inertia across and of spin, x
COMMON: dict[str, float] = {
    "stiffness": 160e3, "damping": 300.0, "load": 1500.0, "friction_x": 1.2, "friction_y": 1.2, "camber": 0.065,
    "cornering_stiffness": 27e3, "cornering_load": 2.0, "trail": 0.02, "relaxation_y": 0.25,
}  # fmt: skip
TIRES = {name: TireData(radius=radius, **COMMON) for name, radius in (("rear", 0.32), ("front", 0.3))}
FORK, ARM, HOLD = (9e3, 700.0), (6e3, 350.0), 30.0  # N/m, N s/m; N m, N m s; N m s of the drive
MASSES = {name: (mass, at[0]) for name, (mass, _, at) in PARTS.items()}
MASSES |= {name: (mass, x) for name, (mass, _, _, x) in WHEELS.items()}
LOADS = {"front": float(G * sum(mass * x for mass, x in MASSES.values()) / BASE)}
LOADS["rear"] = float(G * sum(mass for mass, _ in MASSES.values()) - LOADS["front"])


def touring(speed: float, steering_damper: float) -> Model:
    """The motorcycle at a speed, upright and straight ahead."""
    model = Model("motorcycle", gravity=(0.0, 0.0, -G))
    seat = [(0.1, 0, 0.85), (0.4, 0, 0.75), (0.5, 0, 1.3), TOP]
    lines: dict[str, Any] = {
        "frame": [[PIVOT, (0.4, 0, 0.75), TOP, PIVOT], seat],
        "arm": [[(0.0, 0.0, 0.31), PIVOT]],
        "head": [[LEG + 0.1 * AXIS, TOP + 0.1 * AXIS]],
        "legs": [[(BASE, 0.0, 0.29), LEG]],
    }
    for name, (mass, inertia, at) in PARTS.items():
        _moving(model, name, speed, at, mass, inertia, lines[name])
    frame, arm, head, legs = (model[name] for name in PARTS)
    steer = model.add(Revolute.between(frame, head, at=tuple(TOP), z=tuple(AXIS)), name="steering")
    model.add(Spring(steer.angle, damping=steering_damper), name="steering damper")
    slide = model.add(Translational.between(head, legs, at=tuple(LEG), z=tuple(AXIS)), name="fork")
    carried = (LOADS["front"] - G * (PARTS["legs"][0] + WHEELS["front"][0])) * math.cos(CASTER)
    model.add(Spring(slide.travel, *FORK, rest_length=-carried / FORK[0]), name="fork springs")
    swing = model.add(Revolute.between(frame, arm, at=PIVOT, z=LEFT), name="swing")
    lifted = (LOADS["rear"] - G * WHEELS["rear"][0]) * PIVOT[0] - G * PARTS["arm"][0] * (PIVOT[0] - PARTS["arm"][2][0])
    model.add(Spring(swing.angle, *ARM, rest_angle=-lifted / ARM[0]), name="rear spring")
    for name, holder in (("rear", arm), ("front", legs)):
        _wheel(model, name, holder, speed)
    spin = speed / _hub("rear")[2]
    model.add(Spring(model["rear axle"].angle, damping=HOLD, force=-HOLD * spin), name="drive")
    return model


def _hub(name: str) -> tuple[float, float, float]:
    """The center of a wheel at rest."""
    return WHEELS[name][3], 0.0, TIRES[name].radius - TIRES[name].deflection(LOADS[name])


def _wheel(model: Model, name: str, holder: Body, speed: float) -> None:
    mass, across, about, _ = WHEELS[name]
    tire, hub = TIRES[name], _hub(name)
    wheel = _moving(model, f"{name} wheel", speed, hub, mass, (across, about, across), (), speed / hub[2])
    model.add(Revolute.between(holder, wheel, at=hub, z=LEFT), name=f"{name} axle")
    model.add(Tire(model.ground.at(), wheel.at(z=LEFT), Road.flat(), tire), name=f"{name} tire")


def _moving(
    model: Model, name: str, speed: float, at: Any, mass: float, inertia: Any, lines: Any, spin: float = 0.0
) -> Body:
    """A body that goes straight ahead, with lines drawn in global axes."""
    drawn = [np.subtract(line, at).tolist() for line in lines] or None
    moving: dict[str, Any] = {"velocity": (speed, 0.0, 0.0), "angular_velocity": (0.0, spin, 0.0)}
    return model.add(Body(mass, inertia, position=tuple(at), outline=drawn, **moving), name=name)
