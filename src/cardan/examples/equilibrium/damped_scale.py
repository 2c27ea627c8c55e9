r"""Damped scale: the best damper for a scale, found by optimize() with exact gradients.

   |   | guide
  _|___|_                 minimize  integral (z - z_rest)^2 dt  over the damping c
 |  pan  |  m
 '-------'                of  m z'' + c z' + k z = 0 the integral is  z0^2 (zeta + 1/(4 zeta)) / w,
   /\  |                  least for zeta = c / (2 sqrt(k m)) = 1/2
 k \/ [=] c
   /\  |                  each trial costs a simulation and its adjoint, however many parameters there are
----------
"""

from __future__ import annotations

import math
from typing import Any

from cardan import gradient, optimize, simulate
from cardan.examples import Headline
from cardan.planar import Body, Model, Spring, Translational

ANALYSIS = "simulate"
TIMES = (0.0, 2.0, 201)
SHOW = ("pan.y",)
MASS, STIFFNESS, DROP, G = 2.0, 200.0, 0.05, 9.81
REST = -MASS * G / STIFFNESS


def build(damping: float = 8.0) -> Model:
    """The scale with a `damping` in N s/m, from which the search begins; the pan is let go above its rest."""
    model = Model("damped-scale", gravity=(0.0, -G))
    dish = [(-0.1, 0.02), (-0.1, 0.0), (0.1, 0.0), (0.1, 0.02)]
    pan = model.add(Body(mass=MASS, inertia=0.01, position=(0.0, REST + DROP), outline=dish), name="pan")
    upward = math.pi / 2.0
    guide = model.add(Translational(model.ground.at(angle=upward), pan.at(angle=upward)), name="guide")
    model.add(Spring(guide.travel, STIFFNESS, damping, rest_length=0.0), name="spring")
    return model


def best(model: Model) -> Any:
    """The design whose pan deviates least from its rest, as an integral over time."""
    guide: Any = model["guide"]
    travel = guide.travel

    def deviation(trial: Any) -> Any:
        run = simulate(trial, TIMES[1], progress=False)
        found = gradient(run, ["spring.damping"], travel, running=lambda y, t: (y[0] - REST) ** 2)
        return found.value, found.derivatives

    return optimize(model, {"spring.damping": (2.0, 60.0)}, deviation, tolerance=1e-12)


HEADLINE = Headline(
    "the best damping",
    "N s/m",
    lambda run: float(best(run.model).values["spring.damping"]),
    expected=math.sqrt(STIFFNESS * MASS),
    tolerance=1e-2,  # the optimum is flat
)
