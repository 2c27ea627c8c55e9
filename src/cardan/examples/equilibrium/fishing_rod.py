r"""Fishing rod: a carbon tube, clamped at an angle, bends far under the pull of a fish.

              . - - .                    E I phi'' = P cos(phi),  phi = alpha at the hand, phi' = 0 at the tip:
          . '         ` .                E I phi'^2 / 2 = P (sin(phi) - sin(beta)), and
        /                 \
      /                    | P           L = integral of dphi / sqrt(2 P / E I (sin(phi) - sin(beta))), beta to alpha,
     / alpha               v
                                         determines the angle beta of the tip (Euler 1744)

One call lays the rod; `-p pull=8` makes the fish smaller. The rod itself has no weight here.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cardan.examples import Headline
from cardan.planar import Load, Model, Section, add_rod

ANALYSIS = "equilibrium"
SHOW = ("rod 24.x", "rod 24.y")
LENGTH, ANGLE, PULL = 2.4, math.radians(60.0), 15.0
SECTION = Section.tube(0.009, 0.006, E=120e9, density=1600.0)


def build(pull: float = PULL, elements: int = 24) -> Model:
    """`pull` is the force of the fish in N, straight down."""
    model = Model("fishing-rod")
    end = LENGTH * math.cos(ANGLE), LENGTH * math.sin(ANGLE)
    rod = add_rod(model, [(0.0, 0.0), end], SECTION, elements=int(elements), start=model.ground)
    model.add(Load(rod.end, (0.0, -pull)), name="fish")
    return model


def _tip_angle() -> float:
    """beta by bisection, the integral by Gauss's rule with phi = beta + (alpha - beta) x^2."""
    nodes, weights = np.polynomial.legendre.leggauss(60)
    x, w = 0.5 * (nodes + 1.0), 0.5 * weights
    load = 2.0 * PULL / (SECTION.E * SECTION.Iz)
    low, high = -0.5 * math.pi + 1e-9, ANGLE - 1e-9
    for _ in range(60):
        beta = 0.5 * (low + high)
        span = ANGLE - beta
        rise = 2.0 * np.cos(beta + 0.5 * span * x**2) * np.sin(0.5 * span * x**2) / x**2
        reach = float(np.sum(w * 2.0 * span / np.sqrt(load * rise)))
        low, high = (beta, high) if reach > LENGTH else (low, beta)
    return 0.5 * (low + high)


def _angle(rest: Any) -> float:
    return float(rest[rest.model.bodies[-1]].angle)


# 24 elements: an error of the order of (1/n)^2 / 12, and the shear and stretch that the formula leaves out
HEADLINE = Headline("angle of the tip", "rad", _angle, expected=_tip_angle(), tolerance=1e-3)
