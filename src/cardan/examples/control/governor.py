r"""Flyball governor: heavy balls on a spinning shaft, held by springs stiff enough to need an implicit method.

                 | shaft                     spring-dampers of 8e5 N/m and 4e4 N s/m between the slider and the middles
             o---+---o                       of the rods; eigenvalues reach -8000 1/s, while the motion of interest
           /   \ | /   \                     takes a second (MBS benchmark A05)
          /     [ ]     \
        O     slider     O

`auto` starts with the explicit method, detects that stability and not accuracy limits its steps, tries Radau's implicit
method and keeps it; the result reports the choice. No torque acts on the shaft: its angular momentum is constant, while
the dampers remove the vibration. `--method dop853` stays explicit.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cardan.examples import Headline
from cardan.spatial import Body, Model, Revolute, Spring, Translational, length, matter, rotation

ANALYSIS = "simulate"
TIMES = (0.0, 10.0, 1001)
SHOW = ("slider.z", "shaft.wz", "right spring.force")
SPIN, DENSITY = (0.0, 0.0, 2.0 * math.pi), 3000.0


def build(stiffness: float = 8e5, damping: float = 4e4, ball: float = 5.0) -> Model:
    """`ball` is the mass at the end of each rod, a point."""
    model = Model("governor", gravity=(0.0, 0.0, -9.81))
    bar = matter.box(0.01, 0.01, 1.0, density=DENSITY).moved((0.0, 0.0, 0.5))
    drawn = [[(0.0, 0.0, 0.0), (0.0, 0.0, 1.0)], [(-0.05, 0.0, 1.0), (0.05, 0.0, 1.0)]]
    shaft = model.add(Body(mass=bar, angular_velocity=SPIN, outline=drawn), name="shaft")
    block = matter.cube(0.1, density=DENSITY)
    square = [(-0.05, 0.0, -0.05), (0.05, 0.0, -0.05), (0.05, 0.0, 0.05), (-0.05, 0.0, 0.05), (-0.05, 0.0, -0.05)]
    stated = Body(mass=block, position=(0.0, 0.0, 0.5), angular_velocity=SPIN, outline=square)
    slider = model.add(stated, name="slider")
    model.add(Revolute.between(model.ground, shaft, at=(0, 0, 0), z=(0, 0, 1)), name="bearing")
    model.add(Translational.between(shaft, slider, at=(0, 0, 0.5), z=(0, 0, 1)), name="guide")
    for side, name in ((1.0, "right"), (-1.0, "left")):
        along = np.array([side * math.cos(math.radians(30.0)), 0.0, -0.5])
        pin = np.array([side * 0.05, 0.0, 1.0])
        arm = matter.box(1.0, 0.01, 0.01, density=DENSITY).moved((0.5, 0.0, 0.0))
        weight = matter.sphere(1e-9, mass=ball).moved((1.0, 0.0, 0.0))
        stated = Body(
            mass=arm + weight,
            position=tuple(pin),
            orientation=rotation.from_axes(x=along, y=(0, 1, 0)),
            velocity=tuple(np.cross(SPIN, pin)),
            angular_velocity=SPIN,
            outline=[(0.0, 0.0, 0.0), (1.0, 0.0, 0.0)],
        )
        rod = model.add(stated, name=f"{name} rod")
        model.add(Revolute.between(shaft, rod, at=tuple(pin), z=(0, 1, 0)), name=f"{name} pin")
        span = length(slider.at(side * 0.05, 0.0, 0.0), rod.at(0.5, 0.0, 0.0))
        model.add(Spring(span, stiffness, damping, rest_length=0.5), name=f"{name} spring")
    return model


def angular_momentum(run: Any) -> Any:
    """About the shaft, at each instant: sum of m (x vy - y vx) and of A J' w' of all bodies."""
    total = np.zeros(len(run))
    for body in run.model.bodies:
        matter_of, series = body.matter, run[body]
        center = run[body.at(*matter_of.center)]
        orbit = np.cross(center.position, center.velocity)[:, 2]
        own = np.einsum("tij,jk,tk->ti", series.matrix, np.array(matter_of.inertia), series.angular_velocity_b)
        total += matter_of.mass * orbit + own[:, 2]
    return total


# w times the moments about the shaft: shaft m a^2 / 6 with a = 0.01 m, slider m b^2 / 6 with b = 0.1 m, and for each
# side 5 kg at 0.05 + cos 30, a rod of 0.3 kg whose middle is at 0.05 + cos(30) / 2, inclined by 30 degrees
_ARM = math.cos(math.radians(30.0))
_ROD = 0.3 * ((0.05 + _ARM / 2) ** 2 + (0.75 + 1.25 * 0.01**2) / 12)
HEADLINE = Headline(
    "angular momentum about the shaft after 10 s",
    "kg m2/s",
    lambda run: float(angular_momentum(run)[-1]),
    expected=2.0 * math.pi * (0.3 * 1e-4 / 6 + 3.0 * 0.01 / 6 + 2.0 * (5.0 * (0.05 + _ARM) ** 2 + _ROD)),
    tolerance=1e-5,
)
