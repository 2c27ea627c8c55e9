r"""Spatial slider-crank under a torque: it speeds up unevenly as the slider stores and returns energy.

           crank  o B          0.05 N m turn the crank, from rest. After each turn the mechanism stands as it began, so
           T ->  /  \          that all the work of the torque is energy of motion:
          A  -o-     \ rod
                      \        kinetic energy after a turn = 2 pi T
         ============[C]===

The masses are those of the book (Haug 12.2), weight is neglected. `initial_conditions` places the crank upright; an
event stops the run after one turn. Without torque, `-p torque=0 -p speed=6`, the mechanism keeps turning.
"""

from __future__ import annotations

import math
from typing import Any

from cardan import Event, initial_conditions
from cardan.examples import Headline
from cardan.results.energy import kinetic_energy
from cardan.spatial import Body, Model, Revolute, Spherical, Torque, Translational, Universal, rotation

ANALYSIS = "simulate"
TIMES = (0.0, 3.0, 601)
SHOW = ("crank.wx", "slider.x", "slider.vx")
VARIATION = {"rod": (0.3, 0.27, 0.24)}  # Haug 12.2
TORQUE = 0.05


def options(model: Any) -> dict[str, Any]:
    """One turn of the crank, from upright on, at the speed stated."""
    turn, speed = model["A"].angle, model["crank"].angular_velocity[0]
    start = initial_conditions(model, {turn: math.pi / 2}, {turn: speed})
    return {"start": start, "events": [Event(turn, 2.5 * math.pi, "rising", name="a turn")]}


def build(torque: float = TORQUE, speed: float = 0.0, rod: float = 0.3, crank: float = 0.08) -> Model:
    """The crank stands upright at the start."""
    model = Model("spatial-slider-crank-torque")
    ground = model.ground
    upright = rotation.from_axis_angle((1, 0, 0), math.pi / 2)
    stated = Body(
        mass=0.12,
        inertia=(1e-4, 1e-5, 1e-4),
        position=(0, 0.1, 0.12),
        orientation=upright,
        angular_velocity=(speed, 0, 0),
    )
    arm = model.add(stated, name="crank")
    thin = (0.004, 4e-4, 0.004)
    link = model.add(
        Body(mass=0.5, inertia=thin, position=(0.1, 0.05, 0.1), orientation=(-0.21, 0.4, -0.1)), name="rod"
    )
    slider = model.add(Body(mass=2.0, inertia=(1e-4, 1e-4, 1e-4), position=(0.2, 0.0, 0.0)), name="slider")
    hinge = Revolute(ground.at(0.0, 0.1, 0.12, z=(1, 0, 0), x=(0, 1, 0)), arm.at(z=(1, 0, 0), x=(0, 1, 0)))
    model.add(hinge, name="A")
    model.add(Spherical(arm.at(0.0, crank, 0.0), link.at(-rod / 2, 0.0, 0.0)), name="B")
    model.add(Universal(link.at(rod / 2, 0.0, 0.0, z=(0, 1, 0)), slider.at(z=(1, 0, 0))), name="C")
    model.add(Translational(ground.at(z=(1, 0, 0)), slider.at(z=(1, 0, 0))), name="guide")
    model.add(Torque(arm.at(), (torque, 0.0, 0.0)), name="motor")
    return model


def energy_of(snapshot: Any) -> float:
    """The kinetic energy of the mechanism at one instant."""
    return float(kinetic_energy(snapshot.system, snapshot.q[None], snapshot.v[None])[0])


# the work of the torque over a turn
HEADLINE = Headline(
    "kinetic energy after one turn",
    "J",
    lambda run: energy_of(run.events[0].snapshot),
    expected=2.0 * math.pi * TORQUE,
    tolerance=1e-7,
)
