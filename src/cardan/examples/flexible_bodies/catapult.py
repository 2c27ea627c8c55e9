r"""Catapult: a bent beam throws a ball.

         . o  ball                k = 3 E I / L^3,   m' = m + 33/140 rho A L     (Rayleigh)
      .'  /
     /   /  drawn back by d       strain energy k d^2 / 2 becomes kinetic energy m' v^2 / 2:
    |   |
    |  /     let go               v = d sqrt(k / m')     where the beam is straight again, and the ball flies on
  ///////

The ball is welded to the tip until an event releases it as the beam passes straight. What is left in the beam, its own
kinetic energy, is lost to vibrations. `-p ball=0.2` throws a lighter ball.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cardan import Change, Event
from cardan.examples import Headline
from cardan.flexible import Material, beam, rectangle
from cardan.planar import Body, Fixed, FlexibleBody, Model, Point, x, y

ANALYSIS = "simulate"
LENGTH, WIDTH, THICKNESS, DRAWN, BALL, G = 1.0, 0.06, 0.02, 0.09, 0.5, 9.81
ASH = Material(E=12e9, nu=0.35, density=680.0)
TIMES = (0.0, 0.6, 301)
SHOW = ("ball.x", "ball.y", "beam.strain_energy")


def options(model: Any) -> dict[str, Any]:
    weld, ball = model["cup"], model["ball"]
    return {
        "events": [
            Event(x(ball.at()), 0.0, "falling", action=lambda snapshot: Change(release=[weld]), name="straight"),
            Event(y(ball.at()), 0.0, "falling", name="ground"),
        ],
        "method": "radau",
        "rtol": 1e-7,
    }


def build(drawn: float = DRAWN, ball: float = BALL) -> Model:
    """`drawn` is how far the tip is drawn back in m, `ball` the mass of the ball in kg."""
    part = beam(LENGTH, rectangle(THICKNESS, WIDTH), ASH, name="beam").reduce(
        {"root": "left", "cup": "right"},
        modes=3,
        method="clamped",
        frame="tangent",
        damping=0.002,
        planar=True,
        stress=True,
    )
    across = part.interfaces["cup"].translation[1]
    bent = np.linalg.solve(part.stiffness, across)  # by a unit force at the tip
    bent *= -drawn / float(across @ bent)  # the y axis of the upright beam points to the left
    model = Model("catapult", gravity=(0.0, -G))
    arm = model.add(FlexibleBody(part, angle=math.pi / 2, deformation=bent), name="beam")
    stone = model.add(Body(ball, 0.4 * ball * 0.04**2, (drawn, LENGTH)), name="ball")
    model.add(Fixed(model.ground.at(0.0, 0.0, math.pi / 2), arm.at("root")), name="root")
    model.add(Fixed(arm.at("cup"), stone.at()), name="cup")
    model.add(Point(stone.at(), trace=True), name="path")
    return model


def _speed(run: Any) -> float:
    return float(np.abs(run["ball"].velocity[-1, 0]))  # constant in flight


_K = 3.0 * ASH.E * WIDTH * THICKNESS**3 / 12.0 / LENGTH**3
_MASS = BALL + 33.0 / 140.0 * ASH.density * WIDTH * THICKNESS * LENGTH
# Rayleigh's mass is that of the deflection by a force; higher modes and the weight change the speed by about 1 %
HEADLINE = Headline(
    "horizontal speed of the ball", "m/s", _speed, expected=DRAWN * math.sqrt(_K / _MASS), tolerance=0.06
)
