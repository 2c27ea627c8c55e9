r"""Quarter car: one wheel of a car meets a bump, with a sampled skyhook damper on the chassis.

         [ chassis ]            1 kHz: f_k = -c z'_k acts between chassis and wheel, as if a damper hung from the sky
          k Z | |= f            speed held by a driver; the wheel rolls on its tire over a bump of 4 cm
          (  wheel  )
        ____.--.__________      at the end the tire carries all the weight again: (M + m + w) g

`Sampled` takes any Python function; its output is held for a millisecond. `-p skyhook=0` is the passive car, which
oscillates longer. `-p speed=20` takes the bump faster.
"""

from __future__ import annotations

from cardan.examples import Headline
from cardan.spatial import (
    Actuator,
    Body,
    Driver,
    Model,
    Ramp,
    Revolute,
    Road,
    Sampled,
    Spring,
    Tire,
    TireData,
    Translational,
    length,
    matter,
    rate,
)

ANALYSIS = "simulate"
TIMES = (0.0, 3.0, 301)
SHOW = ("chassis.z", "wheel.z", "tire.Fz")
CHASSIS, HUB, WHEEL, G = 280.0, 20.0, 16.0, 9.81  # kg
STIFFNESS, DAMPING, FREE = 18e3, 900.0, 0.45  # of the strut
AXLE, UP = (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def build(speed: float = 10.0, skyhook: float = 1500.0) -> Model:
    """`skyhook` is the damping against the sky in N s/m."""
    model, data = Model("quarter-car", gravity=(0.0, 0.0, -G)), TireData(radius=0.3, stiffness=180e3)
    low = data.radius - data.deflection((CHASSIS + HUB + WHEEL) * G)
    high = low + FREE - CHASSIS * G / STIFFNESS
    moving = {"velocity": (speed, 0.0, 0.0)}
    sled = model.add(Body(mass=1.0, inertia=(1.0, 1.0, 1.0), position=(0, 0, high + 0.2), **moving), name="sled")
    body = matter.box(0.7, 0.4, 0.15, mass=CHASSIS)
    chassis = model.add(Body(mass=body, position=(0, 0, high), **moving), name="chassis")
    hub = model.add(Body(mass=HUB, inertia=(0.5, 0.5, 0.5), position=(0, 0, low), **moving), name="hub")
    spinning = {"angular_velocity": (0.0, speed / low, 0.0), **moving}
    rim = matter.cylinder(data.radius, 0.2, mass=WHEEL).turned(z=AXLE)
    wheel = model.add(Body(mass=rim, position=(0, 0, low), **spinning), name="wheel")
    track = model.add(Translational.between(model.ground, sled, at=(0, 0, high + 0.2), z=(1, 0, 0)), name="track")
    model.add(Driver(track.travel, Ramp(speed)), name="speed")
    rise = model.add(Translational.between(sled, chassis, at=(0, 0, high), z=UP), name="chassis guide")
    model.add(Translational.between(sled, hub, at=(0, 0, low), z=UP), name="hub guide")
    model.add(Revolute.between(hub, wheel, at=(0, 0, low), z=AXLE), name="axle")
    strut = length(hub.at(), chassis.at())
    model.add(Spring(strut, STIFFNESS, DAMPING, rest_length=FREE), name="strut")
    model.add(Tire(model.ground.at(), wheel.at(z=AXLE), Road.bump(4.0, 0.6, 0.04), data), name="tire")

    def law(speed_of_chassis: float) -> float:
        return -skyhook * speed_of_chassis

    computer = model.add(Sampled(law, [rate(rise.travel)], period=1e-3), name="computer")
    model.add(Actuator(strut, computer), name="active strut")
    return model


HEADLINE = Headline(
    "load of the tire at the end",
    "N",
    lambda run: float(run["tire"].force[-1, 0]),
    expected=(CHASSIS + HUB + WHEEL) * G,
    tolerance=0.01,
)
