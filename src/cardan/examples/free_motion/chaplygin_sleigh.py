r"""Chaplygin's sleigh: a blade behind the mass center; pushed and spun, it ends up sliding straight ahead.

             a                    the blade does not move sideways:  v its speed, w the spin
        ===o-----*  mass center   v' = a w^2,   w' = -m a v w / (J + m a^2)
         blade                    v = vm tanh(t / T + artanh(v0 / vm)),   vm^2 = v0^2 + (J + m a^2) w0^2 / m

Without friction energy is constant, and yet the motion has a limit: the spin decays and its energy goes into the speed.
With the blade in front, `-p ahead=-0.3`, it slows down, turns around, and slides with its mass center ahead again.
"""

from __future__ import annotations

import math

from cardan.examples import Headline
from cardan.planar import Body, KnifeEdge, Model, Point

ANALYSIS = "simulate"
TIMES = (0.0, 6.0, 601)
SHOW = ("runner.x", "runner.y", "sleigh.angular_velocity", "blade.fx", "blade.fy")
MASS, INERTIA, AHEAD, SPEED, SPIN = 2.0, 0.3, 0.3, 0.2, 3.0


def build(ahead: float = AHEAD, speed: float = SPEED, spin: float = SPIN) -> Model:
    """The frame is at the blade, the mass center `ahead` of it."""
    model = Model("chaplygin-sleigh")
    drawn = [[(-0.15, 0.0), (0.15, 0.0)], [(-0.2, -0.15), (0.4, -0.1), (0.4, 0.1), (-0.2, 0.15), (-0.2, -0.15)]]
    stated = Body(
        mass=MASS, inertia=INERTIA, center=(ahead, 0.0), velocity=(speed, 0.0), angular_velocity=spin, outline=drawn
    )
    sleigh = model.add(stated, name="sleigh")
    model.add(KnifeEdge(sleigh.at()), name="blade")
    model.add(Point(sleigh.at()), name="runner")
    return model


# v = vm tanh(m a vm t / (J + m a^2) + artanh(v0 / vm))
_J = INERTIA + MASS * AHEAD**2
_VM = math.sqrt(SPEED**2 + _J * SPIN**2 / MASS)
HEADLINE = Headline(
    "speed along the blade after 1 s",
    "m/s",
    lambda run: float(math.hypot(*run["runner"].velocity[100])),
    expected=_VM * math.tanh(MASS * AHEAD * _VM / _J + math.atanh(SPEED / _VM)),
    tolerance=1e-7,
)
