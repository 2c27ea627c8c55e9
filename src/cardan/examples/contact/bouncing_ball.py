r"""Bouncing ball: an event reverses the velocity at each impact.

        o  .                        e: what is left of the speed at an impact
         .   .      . .             T = sqrt(2 h / g),  impacts at T, T (1 + 2 e), T (1 + 2 e + 2 e^2), ...
          .   .   .     .    .
        =======v=========v====v==   they pile up before T (1 + e) / (1 - e)

Each impact is located to rounding. The action of the event receives the state at impact and returns the rebound
velocity; the run continues from there. The last event stops the run before the impacts become too frequent. `-p
rebound=0.5` is a ball of clay.
"""

from __future__ import annotations

import math
from typing import Any

from cardan import Event
from cardan.examples import Headline
from cardan.planar import Body, Model, Point, matter, y

ANALYSIS = "simulate"
TIMES = (0.0, 3.6, 1441)
SHOW = ("center.y", "ball.vy")
RADIUS, HEIGHT, REBOUND = 0.05, 1.0, 0.8


def options(model: Any) -> dict[str, Any]:
    ball = model["ball"]

    def bounce(snapshot: Any) -> Any:
        vx, vy = snapshot[ball].velocity
        return {ball: {"velocity": (vx, -model.rebound * vy)}}

    return {"events": [Event(y(ball.at()), RADIUS, "falling", action=bounce, name="impact")]}


def build(rebound: float = REBOUND, height: float = HEIGHT, push: float = 0.4) -> Model:
    """`height` is that of its lowest point; no joint at all."""
    model = Model("bouncing-ball", gravity=(0.0, -9.81))
    model.rebound = rebound
    rim = [(RADIUS * math.cos(k * math.pi / 18), RADIUS * math.sin(k * math.pi / 18)) for k in range(37)]
    disk = matter.disk(RADIUS, mass=0.2)
    ball = model.add(Body(mass=disk, position=(0.0, RADIUS + height), velocity=(push, 0.0), outline=rim), name="ball")
    model.add(Point(ball.at()), name="center")
    return model


# T (1 + 2 e + 2 e^2 + 2 e^3 + 2 e^4), T = sqrt(2 h / g)
HEADLINE = Headline(
    "time of the fifth impact",
    "s",
    lambda run: float(run.events[4].time),
    expected=math.sqrt(2.0 / 9.81) * (1.0 + 2.0 * (0.8 + 0.8**2 + 0.8**3 + 0.8**4)),
    tolerance=1e-9,
)
