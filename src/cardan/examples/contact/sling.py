r"""Sling: a ball swings down and is released.

        o==========+ pin          from the level, w^2 = 2 m g l sin(phi) / (m l^2 + J)
                 . ' .
              . '   .             let go at phi = pi/4 past the level: from there on a parabola
             o---> v

An event opens the pin: `Change(release=[pin])`. Nothing jumps, the reaction of the pin is zero from then on, and the
same run continues; it ends when the ball strikes the ground. `-p angle=1.2` releases later.
"""

from __future__ import annotations

import math
from typing import Any

from cardan import Change, Event
from cardan.examples import Headline
from cardan.planar import Body, Model, Point, Revolute, y

ANALYSIS = "simulate"
TIMES = (0.0, 3.0, 601)
SHOW = ("ball.x", "ball.y")
LENGTH, HEIGHT, ANGLE, G = 1.0, 2.0, 0.25 * math.pi, 9.81
MASS, RADIUS = 0.5, 0.05
INERTIA = 0.4 * MASS * RADIUS**2  # let go, the ball turns on: it needs one


def options(model: Any) -> dict[str, Any]:
    pin, ball = model["pin"], model["ball"]
    return {
        "events": [
            Event(pin.angle, model.angle, "rising", action=lambda snapshot: Change(release=[pin]), name="let go"),
            Event(y(ball.at()), 0.0, "falling", name="ground"),
        ],
        "rtol": 1e-10,
    }


def build(length: float = LENGTH, height: float = HEIGHT, angle: float = ANGLE) -> Model:
    """`height` is that of the pin above ground."""
    model = Model("sling", gravity=(0.0, -G))
    model.angle = angle
    ball = model.add(Body(mass=MASS, inertia=INERTIA, position=(-length, height)), name="ball")
    model.add(Revolute(model.ground.at(0, height), ball.at(length, 0)), name="pin")
    model.add(Point(ball.at(), trace=True), name="path")
    return model


def _landing() -> float:
    speed = LENGTH * math.sqrt(2.0 * MASS * G * LENGTH * math.sin(ANGLE) / (MASS * LENGTH**2 + INERTIA))
    vx, vy = speed * math.sin(ANGLE), -speed * math.cos(ANGLE)
    x, y = -LENGTH * math.cos(ANGLE), HEIGHT - LENGTH * math.sin(ANGLE)
    return x + vx * (vy + math.sqrt(vy * vy + 2.0 * G * y)) / G


HEADLINE = Headline(
    "where the ball lands", "m", lambda run: float(run["ball"].position[-1, 0]), expected=_landing(), tolerance=1e-7
)
