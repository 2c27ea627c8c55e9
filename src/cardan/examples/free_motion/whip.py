r"""Whip: a folded rope is let go at one end; the free end falls faster than a stone and cracks.

     o   o           x: how far the free end has fallen, l the length of the rope. For a thin rope all energy goes
     |   |           into the part that still falls (Calkin and March 1989):
     |   |
     |   |              v^2 = g x (2 l - x) / (l - x)
      `-'
                     without bound at x = l: the last piece has the energy of all

The rope is a rod with almost no bending stiffness, folded over a narrow bend.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cardan.examples import Headline
from cardan.planar import Model, Point, Revolute, Section, add_rod

ANALYSIS = "simulate"
LENGTH, GAP, G = 1.0, 0.1, 9.81
STOP = 0.8  # of the length: up to here the headline compares speeds
TIMES = (0.0, 0.372, 187)
SHOW = ("rope 40.y", "rope 40.vy")
SECTION = Section.of_stiffness(EA=500.0, EI=2e-6, mass_per_length=0.05)


def options(model: Any) -> dict[str, Any]:
    return {"method": "radau", "rtol": 1e-4}


def build(elements: int = 40) -> Model:
    """A rope of so many elements."""
    model, count = Model("whip", gravity=(0.0, -G)), int(elements)
    bend = 0.5 * GAP
    straight = 0.5 * (LENGTH - math.pi * bend)
    points = []
    for s in np.linspace(0.0, LENGTH, count + 1):
        if s <= straight:
            points.append((0.0, -s))
        elif s >= LENGTH - straight:
            points.append((GAP, s - LENGTH))
        else:
            turned = (s - straight) / bend
            points.append((bend * (1.0 - math.cos(turned)), -straight - bend * math.sin(turned)))
    rope = add_rod(model, points, SECTION, name="rope", damping=1e-5)
    model.add(Revolute(model.ground.at(), rope.start), name="hand")
    model.add(Point(rope.end, trace=True), name="tip")
    return model


def _speed(run: Any) -> float:
    """The speed of the tip where it has fallen by STOP, relative to that of a stone."""
    tip = run.model.bodies[-1]
    fallen = -run[tip].position[:, 1]
    k = int(np.argmax(fallen > STOP * LENGTH))
    part = (STOP * LENGTH - fallen[k - 1]) / (fallen[k] - fallen[k - 1])
    speed = -run[tip].velocity[k - 1 : k + 1, 1]
    return float((1.0 - part) * speed[0] + part * speed[1]) / math.sqrt(2.0 * G * STOP * LENGTH)


# relative to sqrt(2 g x); the bend, stretch and bending stiffness take about 1 % of it
HEADLINE = Headline(
    "speed of the tip after 0.8 m, relative to a stone",
    "",
    _speed,
    expected=math.sqrt((2.0 - STOP) / (1.0 - STOP) / 2.0),
    tolerance=0.03,
)
