r"""Stick-slip: a block pulled by a spring at constant speed alternately sticks and slides.

             k
        [ ]/\/\/\--> v          it breaks away where the spring reaches static m g,
        ===========             and slides against mu m g until its speed is zero

With true sticking the block does not creep: `Friction(guide, mu, static_friction=..., sticks=True)` takes its normal
force from the guide, holds the block by a constraint, and slides by Coulomb's law. Relative to the end of the spring,
at x, it oscillates about x_k = mu m g / k while it slides, with w^2 = k / m, starting at x_s = static m g / k with the
speed v.
"""

from __future__ import annotations

import math

from cardan.examples import Headline
from cardan.planar import Body, Friction, Model, Spring, Translational

ANALYSIS = "simulate"
TIMES = (0.0, 12.0, 1201)
SHOW = ("block.x", "block.vx")
MASS, STIFFNESS, SPEED, MU, STATIC, G = 2.0, 80.0, 0.1, 0.2, 0.35, 9.81


def build(speed: float = SPEED, mu: float = MU, static: float = STATIC) -> Model:
    """`speed` is that of the end of the spring."""
    model = Model("stick-slip", gravity=(0.0, -G))
    box = [(-0.1, -0.05), (0.1, -0.05), (0.1, 0.1), (-0.1, 0.1), (-0.1, -0.05)]
    block = model.add(Body(mass=MASS, inertia=0.02, outline=box), name="block")
    guide = model.add(Translational(model.ground.at(), block.at()), name="guide")

    def drawn(t: float) -> float:
        return -STIFFNESS * speed * t

    model.add(Spring(guide.travel, STIFFNESS, rest_length=0.0, force=drawn), name="spring")
    model.add(Friction(guide, mu, static_friction=static, sticks=True), name="dry")
    return model


def _period() -> float:
    """Slides for 2 (pi - atan(w d / v)) / w, sticks for 2 d / v, with d = x_s - x_k."""
    w, d = math.sqrt(STIFFNESS / MASS), (STATIC - MU) * MASS * G / STIFFNESS
    return 2.0 * (math.pi - math.atan(w * d / SPEED)) / w + 2.0 * d / SPEED


HEADLINE = Headline(
    "time from one break-away to the next",
    "s",
    lambda run: float(run.events[4].time - run.events[2].time),
    expected=_period(),
    tolerance=1e-7,
)
