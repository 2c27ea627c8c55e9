r"""Compressor transient: a flywheel that carries a slider-crank through the peak of its gas force.

                 B                ____________
                o                |            |        gas force while the piston moves in, growing to 220 kN
      crank, fly-\\  rod         |___         |        41450 N m turn the crank; it starts at its inner dead point
      wheel   o    \\            |   |  -->   |        with 30 rad/s (Haug 8.2, weight along the stroke)
             A       '---------- o C |  gas   |
          ///////                |___|________|

In each turn the motor supplies 2 pi 41450 = 260,438 J, and the gas takes 260,439 J: the mean speed is constant, and the
flywheel supplies the difference during the stroke. With `-p inertia=225` its energy does not suffice, and the crank
stops in the first stroke, at 0.1149 s; with 900 the speed varies less.
"""

from __future__ import annotations

import math
from typing import Any

from cardan import Event
from cardan.examples import Headline
from cardan.planar import Action, Body, Model, Revolute, Torque, Translational

ANALYSIS = "simulate"
TIMES = (0.0, 0.75, 601)
SHOW = ("crank.angular_velocity", "slider.x", "gas.force", "A.fx")
VARIATION = {"inertia": (225.0, 450.0, 900.0)}  # Haug 8.2: the lightest flywheel does not come round
TORQUE = 41450.0


def options(model: Any) -> dict[str, Any]:
    """The dead points are noted as they are passed; a crank that stands still ends the run."""
    turn = model["A"].angle
    passed = [Event(turn, k * math.pi, "rising", action=note, name=f"{k} pi") for k in (2, 3)]
    return {"events": [*passed, Event(turn, 1e-3, "falling", of_rate=True, name="standstill")]}


def note(snapshot: Any) -> None:
    """The run goes on as if nothing had happened."""


def build(inertia: float = 450.0, speed: float = 30.0) -> Model:
    """The book's masses; `inertia` is that of the crank with its flywheel, whose mass center is at the pivot."""
    model = Model("compressor-transient", gravity=(9.81, 0.0))
    ground = model.ground
    drawn = [(0.0, 0.0), (2.0, 0.0)]
    crank = Body(mass=200.0, inertia=inertia, angle=math.pi, angular_velocity=speed, outline=drawn)
    arm = model.add(crank, name="crank")
    rod = model.add(Body(mass=35.0, inertia=35.0, position=(-0.25, 0.0)), name="rod")
    slider = model.add(Body(mass=25.0, inertia=0.02, position=(1.5, 0.0)), name="slider")
    model.add(Revolute(ground.at(), arm.at()), name="A")
    model.add(Revolute(arm.at(2.0, 0.0), rod.at(-1.75, 0.0)), name="B")
    model.add(Revolute(rod.at(1.75, 0.0), slider.at()), name="C")
    guide = model.add(Translational(ground.at(), slider.at()), name="guide")
    model.add(Torque(arm.at(), TORQUE), name="motor")

    def gas(x: float, rate: float) -> float:
        """Pressed together up to 5 m, then let out; nothing on the way back."""
        if rate <= 0.0 or x < 1.5 or x > 5.5:
            return 0.0
        if x <= 5.0:
            return 62857.0 - 282857.0 / (6.0 - x)
        return -110000.0 * (1.0 - math.sin(2.0 * math.pi * (x - 5.25)))

    model.add(Action(guide.travel, gas), name="gas")
    return model


# energy from one dead point to the next: the motor gives pi T, the gas takes W, rod and slider fall by 4 m; at a dead
# point they add 35 1^2 + 35 (4/7)^2 to the inertia of the crank
_W = 282857.0 * math.log(4.5) - 62857.0 * 3.5 + 55000.0
HEADLINE = Headline(
    "speed of the crank after half a turn",
    "rad/s",
    lambda run: float(run.events[0].snapshot["crank"].angular_velocity),
    expected=math.sqrt(900.0 + 2.0 * (math.pi * TORQUE - _W + 60.0 * 4.0 * 9.81) / (450.0 + 35.0 + 35.0 * 16 / 49)),
    tolerance=1e-5,
)
