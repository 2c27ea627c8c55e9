r"""Shaper torque: the crank torque of a quick-return shaper at constant speed.

    E __________ D ___            the crank turns once a second; C slides along the rocker AD, fast where it is near
====[tool]======/======           A, where tool, link and rocker are thrown back and must be caught again: a
               /  C               million N m and more, while nothing is cut (Haug 8.3.3)
              / [/]
             /  / o B             `-p tool=100` doubles the mass of the tool
            A ///////
          ///////
"""

from __future__ import annotations

import math
from typing import Any

from scipy.integrate import simpson

from cardan.examples import Headline
from cardan.planar import Body, Driver, Model, Ramp, Revolute, Translational

ANALYSIS = "inverse_dynamics"
TIMES = (0.0, 1.0, 1441)
SHOW = ("motor.force", "tool.x", "A.fx")
VARIATION = {"tool": (25.0, 50.0, 100.0)}  # Haug 8.3.3
CRANK, TURN = 1.5, 2.0 * math.pi


def build(tool: float = 50.0, flywheel: float = 2000.0) -> Model:
    """Haug's tables 5.4.1, 5.4.2 and 8.3.1, the crank upright; `tool` is a mass in kg, `flywheel` in kg m2."""
    model = Model("shaper-torque")
    ground, up = model.ground, math.pi / 2
    rocker = model.add(Body(mass=100.0, inertia=100.0, position=(0.0, 2.0), angle=up), name="rocker")
    wheel = model.add(Body(mass=1000.0, inertia=flywheel, position=(0.0, 2.0), angle=up), name="crank")
    block = model.add(Body(mass=5.0, inertia=0.05, position=(0.0, 2.0 + CRANK), angle=up), name="block")
    link = model.add(Body(mass=30.0, inertia=10.0, position=(-0.95, 4.0)), name="link")
    slide = model.add(Body(mass=tool, inertia=1.5, position=(-1.9, 4.0)), name="tool")
    model.add(Revolute(ground.at(), rocker.at(-2.0, 0.0)), name="A")
    hinge = model.add(Revolute(ground.at(0.0, 2.0), wheel.at()), name="B")
    model.add(Revolute(wheel.at(CRANK, 0.0), block.at()), name="C")
    model.add(Translational(rocker.at(), block.at()), name="slot")
    model.add(Revolute(rocker.at(2.0, 0.0), link.at(0.95, 0.0)), name="D")
    model.add(Revolute(link.at(-0.95, 0.0), slide.at()), name="E")
    model.add(Translational(ground.at(-3.0, 4.0), slide.at()), name="guide")
    model.add(Driver(hinge.angle, Ramp(TURN, start=up)), name="motor")
    return model


def work_of_half_a_turn(run: Any) -> float:
    half = run.times <= 0.5
    return float(simpson(run["motor"].power[half], x=run.times[half]))


# kinetic energy: with the crank up or down the rocker turns at r w / (2 +- r); link and tool move with D, 4 m from A
_MATTER = 100.0 + 100.0 * 2.0**2 + 0.05 + (30.0 + 50.0) * 4.0**2
HEADLINE = Headline(
    "work of the motor from crank up to crank down",
    "J",
    work_of_half_a_turn,
    expected=0.5 * _MATTER * (CRANK * TURN) ** 2 * (1.0 / (2.0 - CRANK) ** 2 - 1.0 / (2.0 + CRANK) ** 2),
    tolerance=5.0,  # of 310 kJ: Simpson's rule with 721 instants
)
