r"""Connecting rod: its stress over one revolution of an engine.

          B                       where crank and rod are perpendicular the inertia of the rod is a triangular load,
         o\                       m w^2 r / (l/2) at B and zero at C; its largest bending moment, l / sqrt(3) from C:
        /  \
       o    \                        M = m w^2 r l / (9 sqrt(3)),       stress of bending M / W      ("whipping")
     /////   [C]
            =====                 m: mass of the rod, r: crank, l: rod, w: speed of the crank

Stress modes of the part give the stress at every point of its skin and at every instant; the page shows it in colors
and names the peak. At the dead points the piston adds tension and compression: `-p piston=1.5` makes it heavier.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cardan.examples import Headline
from cardan.flexible import Material, Rayleigh, beam, rectangle, stress_at
from cardan.planar import Body, Driver, FlexibleBody, Model, Ramp, Revolute, Translational

ANALYSIS = "simulate"
CRANK, ROD, HEIGHT, WIDTH, SPEED = 0.045, 0.15, 0.022, 0.014, 500.0
STEEL = Material(E=210e9, nu=0.3, density=7850.0)
TIMES = (0.0, 4.0 * math.pi / SPEED, 361)  # two turns: in the first one vibrations of the start die out
SHOW = ("rod.strain_energy", "B.fx", "B.fy")


def options(model: Any) -> dict[str, Any]:
    return {"method": "radau", "rtol": 1e-6}


def build(speed: float = SPEED, piston: float = 0.5) -> Model:
    """`speed` of the crank in rad/s, mass of the `piston` in kg."""
    part = beam(ROD, rectangle(HEIGHT, WIDTH), STEEL, name="rod").reduce(
        {"B": "left", "C": "right"}, modes=3, damping=Rayleigh(0.0, 3e-5), planar=True, stress=True
    )
    model = Model("connecting-rod")
    ground = model.ground
    crank = model.add(Body(2.0, 0.005, angular_velocity=speed), name="crank")
    rod = model.add(FlexibleBody(part, position=(CRANK, 0.0)), name="rod")
    slider = model.add(Body(piston, 1e-3, (CRANK + ROD, 0.0)), name="piston")
    hinge = model.add(Revolute(ground.at(), crank.at()), name="A")
    model.add(Revolute(crank.at(CRANK, 0.0), rod.at("B")), name="B")
    model.add(Revolute(rod.at("C"), slider.at()), name="C")
    model.add(Translational(ground.at(), slider.at()), name="cylinder")
    model.add(Driver(hinge.angle, Ramp(speed)), name="motor")
    return model


def _bending(run: Any) -> float:
    """Half the difference of the stresses along the upper and the lower edge, where crank and rod are perpendicular."""
    rod = run.model["rod"]
    turned = 2.0 * math.pi + math.atan(ROD / CRANK)
    time = turned / SPEED
    instant = run.at(time)
    eta = np.array([float(instant[rod.modal_coordinate(k + 1)].value) for k in range(rod.part.modes)])
    points, along = rod.part.surface.points, stress_at(rod.part, eta)[:, 0]
    upper, lower = points[:, 1] > 0.0, points[:, 1] < 0.0
    mean = {side: [along[chosen & (points[:, 0] == at)].mean() for at in np.unique(points[:, 0])]
            for side, chosen in (("upper", upper), ("lower", lower))}  # fmt: skip
    return float(np.abs(0.5 * (np.array(mean["upper"]) - np.array(mean["lower"]))).max()) / 1e6


_MASS = STEEL.density * ROD * HEIGHT * WIDTH
_MOMENT = _MASS * SPEED**2 * CRANK * ROD / (9.0 * math.sqrt(3.0))
# the load at rest is amplified as the rod follows it, and shear and damping delay it: about 1 %
HEADLINE = Headline(
    "bending stress where crank and rod are perpendicular",
    "MPa",
    _bending,
    expected=_MOMENT / (WIDTH * HEIGHT**2 / 6.0) / 1e6,
    tolerance=0.5,
)
