r"""Rough road: a quarter car at 20 m/s on a random road of class B, and what its passengers feel.

         [ chassis ]         h(x) = sum_k A_k cos(2 pi n_k x + phi_k),   A_k from ISO 8608, phases at random
          k Z | |= c
          (  wheel  )        G(i w) = acceleration of the chassis over height of the road, of two masses
        _.-'-._.--._/        a_w^2 = sum_k |G(i w_k) W_k|^2 A_k^2 / 2          W_k: weighting of ISO 2631-1

The road repeats after 60 m. During its second period the response is periodic, and the weighted root mean square of the
chassis acceleration is a sum over its waves. `-p damping=600` is a worn damper, `-p roughness=2.56e-4` class C.
`linearize(model, inputs=[(model["tire"], "z")], ...)` gives the same transfer function from the model itself.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cardan.examples import Headline
from cardan.spatial import Body, Driver, Model, Ramp, Revolute, Spring, Tire, TireData, Translational, length, matter
from cardan.vehicles import WEIGHTINGS, RoadProfile, random_road, ride_comfort

ANALYSIS = "simulate"
TIMES = (0.0, 6.0, 1201)
SHOW = ("chassis.az", "wheel.z", "tire.Fz")
CHASSIS, HUB, WHEEL, G = 280.0, 20.0, 16.0, 9.81  # kg
STIFFNESS, DAMPING, FREE = 18e3, 1500.0, 0.45  # of the strut
SPEED, LENGTH, ROUGHNESS = 20.0, 60.0, 64e-6  # m/s, m, m3
AXLE, UP = (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
TIRE = TireData(radius=0.3, stiffness=180e3)


def build(speed: float = SPEED, roughness: float = ROUGHNESS, damping: float = DAMPING, seed: int = 0) -> Model:
    """`roughness` is G0 in m3; the road is the same for the same `seed`."""
    model = Model("rough-road", gravity=(0.0, 0.0, -G))
    start = profile(roughness, seed).left[0]
    low = start + TIRE.radius - TIRE.deflection((CHASSIS + HUB + WHEEL) * G)
    high = low + FREE - CHASSIS * G / STIFFNESS
    moving: dict[str, Any] = {"velocity": (speed, 0.0, 0.0)}
    sled = model.add(Body(mass=1.0, inertia=(1.0, 1.0, 1.0), position=(0, 0, high + 0.2), **moving), name="sled")
    body = matter.box(0.7, 0.4, 0.15, mass=CHASSIS)
    chassis = model.add(Body(mass=body, position=(0, 0, high), **moving), name="chassis")
    hub = model.add(Body(mass=HUB, inertia=(0.5, 0.5, 0.5), position=(0, 0, low), **moving), name="hub")
    rim = matter.cylinder(TIRE.radius, 0.2, mass=WHEEL).turned(z=AXLE)
    spin = {"angular_velocity": (0.0, speed / TIRE.radius, 0.0)}
    wheel = model.add(Body(mass=rim, position=(0, 0, low), **spin, **moving), name="wheel")
    track = model.add(Translational.between(model.ground, sled, at=(0, 0, high + 0.2), z=(1, 0, 0)), name="track")
    model.add(Driver(track.travel, Ramp(speed)), name="speed")
    model.add(Translational.between(sled, chassis, at=(0, 0, high), z=UP), name="chassis guide")
    model.add(Translational.between(sled, hub, at=(0, 0, low), z=UP), name="hub guide")
    model.add(Revolute.between(hub, wheel, at=(0, 0, low), z=AXLE), name="axle")
    strut = length(hub.at(), chassis.at())
    model.add(Spring(strut, STIFFNESS, damping, rest_length=FREE), name="strut")
    road = profile(roughness, seed).road(blend=0.0, repeats=2 + math.ceil(speed / SPEED))
    model.add(Tire(model.ground.at(), wheel.at(z=AXLE), road, TIRE), name="tire")
    return model


def profile(roughness: float = ROUGHNESS, seed: int = 0) -> RoadProfile:
    """Both tracks are alike; waves from 60 m to 0.67 m."""
    return random_road(LENGTH, roughness, distance=0.0, band=(1.0 / LENGTH, 1.5), seed=seed)


def options(model: Model) -> dict[str, Any]:
    return {"rtol": 1e-6}


def transfer(w: Any) -> np.ndarray:
    """The acceleration of the chassis over the height of the road, at angular frequencies: two masses, two springs."""
    s = 1j * np.asarray(w, float)
    weight = (CHASSIS + HUB + WHEEL) * G
    strut, tire = STIFFNESS + DAMPING * s, TIRE.stiffness + TIRE.damping * weight / TIRE.load * s
    below = (HUB + WHEEL) * s**2 + strut + tire
    return np.asarray(s**2 * strut * tire / ((CHASSIS * s**2 + strut) * below - strut**2))


def expected() -> float:
    """The weighted root mean square as a sum over all waves of the road."""
    lines = np.arange(1, round(1.5 * LENGTH) + 1)
    n = lines / LENGTH
    squares = 2.0 * ROUGHNESS * (n / 0.1) ** -2.0 / LENGTH  # A_k^2
    gains = np.abs(transfer(2.0 * math.pi * n * SPEED)) * WEIGHTINGS["Wk"].gain(n * SPEED)
    return math.sqrt(float(np.sum(gains**2 * squares) / 2.0))


def felt(run: Any) -> float:
    """The weighted root mean square over the second period of the road."""
    return ride_comfort(run, {"chassis.az": "Wk"}, after=LENGTH / SPEED)["chassis.az"].rms


# slopes of the road reach 0.05: the force of the tire is not quite vertical, and its damping grows with its load
HEADLINE = Headline("weighted acceleration of the chassis", "m/s2", felt, expected(), 0.01)
