r"""Snap-through: a shallow truss of two springs under a growing load snaps through to the other side.

                 | load                     load |   .-.
            .----o----.                          | .'   '.        .'
        o-''           ''-o                      |'       '.    .'
       ///               ///                     +----------'..'---- height of the ridge, downward

The load has a maximum and a minimum along the path. Between them every equilibrium is unstable: under a real load the
truss snaps through. The path is followed by its arc length past both folds, where the load reverses. `path.folds`
contains them (von Mises 1923).
"""

from __future__ import annotations

import math
from typing import Any

from cardan.examples import Headline
from cardan.planar import Body, Hold, Load, Model, Spring, angle, length, x

ANALYSIS = "equilibrium_path"
SHOW = ("ridge.y",)
HALF, RISE, STIFFNESS, LOAD = 1.0, 0.5, 1000.0, 100.0


def options(model: Any) -> dict[str, Any]:
    return {"load": model["load"], "factors": (0.0, 2.0)}


def build(rise: float = RISE, stiffness: float = STIFFNESS) -> Model:
    """A ridge that moves up and down, on two springs that are free of force at the start."""
    model = Model("snap-through")
    block = [(-0.12, 0.0), (0.0, -0.06), (0.12, 0.0), (0.12, 0.08), (-0.12, 0.08), (-0.12, 0.0)]
    ridge = model.add(Body(mass=1.0, inertia=1.0, position=(0.0, rise), outline=block), name="ridge")
    model.add(Hold(angle(model.ground.at(), ridge.at()), 0.0), name="upright")
    model.add(Hold(x(ridge.at()), 0.0), name="middle")
    for name, foot in (("left", -HALF), ("right", HALF)):
        span = length(model.ground.at(foot, 0.0), ridge.at())
        model.add(Spring(span, stiffness, rest_length=math.hypot(HALF, rise)), name=name)
    model.add(Load(ridge.at(), (0.0, -LOAD)), name="load")
    return model


# 2 k (L0 - L) w / L with L^2 = b^2 + w^2 is greatest where L^3 = b^2 L0
_FREE = math.hypot(HALF, RISE)
_L = (HALF**2 * _FREE) ** (1.0 / 3.0)
HEADLINE = Headline(
    "factor at the first fold",
    "",
    lambda path: float(path.fold_factors[0]),
    expected=2.0 * STIFFNESS * (_FREE - _L) * math.sqrt(_L**2 - HALF**2) / _L / LOAD,
    tolerance=1e-9,
)
