r"""Desk lamp: the equilibria of a spring-balanced arm with its shade, found from many initial estimates.

        P o.                    V = m g s sin(phi) + k/2 (L - L0)^2,    L^2 = h^2 + b^2 - 2 h b sin(phi)
          | ''..  spring
        h |     ''.o---- shade  at rest:  L = L0 / (1 - m g s / (k h b)),   or phi = +-90 degrees
          |  b .'  |
          o-'     hangs         s: distance of the mass, m: arm and shade together, seen from the pivot

The energy has two minima, to the right and to the left, and between them the arm would balance upright or hang:
equilibria that are not stable. Energy minimization finds the stable ones; `--method newton` finds those near each
initial estimate.
"""

from __future__ import annotations

import math
from typing import Any

from cardan.examples import Headline
from cardan.planar import Body, Model, Revolute, Spring, length, matter

ANALYSIS = "equilibrium"
SHOW = ("hinge.angle", "spring.force")
ARM, POST, HOLD, FREE, STIFFNESS = 0.5, 0.3, 0.2, 0.15, 250.0
ARM_MASS, SHADE_MASS = 0.8, 0.6


def options(model: Any) -> dict[str, Any]:
    return {"starts": 12}


def build(stiffness: float = STIFFNESS, free: float = FREE) -> Model:
    """Stated level, to the right; the shade hangs freely from the end of the arm."""
    model = Model("lamp-equilibrium", gravity=(0.0, -9.81))
    rod = matter.rod(ARM, mass=ARM_MASS).moved((ARM / 2, 0.0))
    arm = model.add(Body(mass=rod, outline=[(0.0, 0.0), (ARM, 0.0)]), name="arm")
    shape = [(0.0, 0.0), (-0.08, -0.12), (0.08, -0.12), (0.0, 0.0)]
    stated = Body(mass=SHADE_MASS, inertia=0.002, center=(0.0, -0.08), position=(ARM, 0.0), outline=shape)
    shade = model.add(stated, name="shade")
    model.add(Revolute(model.ground.at(), arm.at()), name="hinge")
    model.add(Revolute(arm.at(ARM, 0.0), shade.at()), name="hook")
    spring = Spring(length(model.ground.at(0.0, POST), arm.at(HOLD, 0.0)), stiffness, rest_length=free)
    model.add(spring, name="spring")
    return model


# the spring's length at rest, from L = L0 / (1 - m g s / (k h b)), gives sin(phi)
_MOMENT = 9.81 * (ARM_MASS * ARM / 2 + SHADE_MASS * ARM)
_L = FREE / (1.0 - _MOMENT / (STIFFNESS * POST * HOLD))
HEADLINE = Headline(
    "sine of the arm's angle in the lowest equilibrium",
    "",
    lambda found: math.sin(found[0]["arm"].angle),
    expected=(POST**2 + HOLD**2 - _L**2) / (2.0 * POST * HOLD),
    tolerance=1e-9,
)
