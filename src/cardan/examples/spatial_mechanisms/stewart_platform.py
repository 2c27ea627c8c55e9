"""Stewart platform: six legs of variable length move a platform along a prescribed path.

The length of each leg is the distance of its two ends in the desired position, a function of time that a driver uses
directly. The resulting position of the platform has no closed form; the analysis solves for it at every time. Here the
platform is to move around a circle without tilting, and it does.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from cardan.examples import Headline
from cardan.spatial import Body, Driver, Function, Model, Point, length

TIMES = (0.0, 1.0, 201)
SHOW = ("leg 1", "leg 2", "leg 3")


def build(radius: float = 0.15, height: float = 0.8, base: float = 0.6, top: float = 0.4) -> Model:
    """Feet in pairs on the ground, heads in pairs on the platform, a sixth of a turn apart."""
    model = Model("stewart-platform")
    feet = [_on_circle(base, 120.0 * (k // 2) + (10.0 if k % 2 else -10.0)) for k in range(6)]
    heads = [_on_circle(top, 120.0 * (k // 2) + (50.0 if k % 2 else -50.0)) for k in range(6)]
    deck = model.add(Body(position=(radius, 0.0, height)), name="platform")
    for k, (foot, head) in enumerate(zip(feet, heads, strict=True)):
        leg = length(model.ground.at(*foot, 0.0), deck.at(*head, 0.0))
        wanted = _reach(head[0] - foot[0], head[1] - foot[1], radius, height)
        model.add(Driver(leg, Function(wanted)), name=f"leg {k + 1}")
    model.add(Point(deck.at()), name="middle")
    return model


def _on_circle(radius: float, degrees: float) -> tuple[float, float]:
    return radius * math.cos(math.radians(degrees)), radius * math.sin(math.radians(degrees))


def _reach(dx: float, dy: float, radius: float, height: float) -> Callable[[float], float]:
    """The length of a leg over time; from above its head is (dx, dy) from its foot if the platform is centerd."""

    def wanted(t: float) -> float:
        x, y = dx + radius * np.cos(2.0 * np.pi * t), dy + radius * np.sin(2.0 * np.pi * t)
        return np.sqrt(x * x + y * y + height * height)

    return wanted


# a = w^2 r on a circle run round once a second
HEADLINE = Headline(
    "acceleration of the platform",
    "m/s2",
    lambda run: float(np.linalg.norm(run["platform"].acceleration[30])),
    expected=(2.0 * math.pi) ** 2 * 0.15,
    tolerance=1e-8,
)
