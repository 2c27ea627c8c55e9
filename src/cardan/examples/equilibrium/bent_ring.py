r"""Bent ring: a strip of spring steel, rolled into a ring by a moment at its end.

                                    .-''-.
        |=====================)  M /      \          E I d(theta)/ds = M:  a circle of radius E I / M,
        0                    L    |.      |          closed where M = 2 pi E I / L
                                  '.____.'

The strip is a chain of beams between light bodies. Each has small elastic rotations; together they bend arbitrarily
far: eight of them turn by an eighth of the circle each, and their chords form an octagon.
"""

from __future__ import annotations

import math
from typing import Any

from cardan.examples import Headline
from cardan.planar import Beam, Body, Model, Torque

ANALYSIS = "equilibrium_path"
SHOW = ("tip.x", "tip.y", "tip.angle")
LENGTH, WIDTH, THICKNESS, MODULUS = 1.0, 0.02, 0.001, 210e9
STIFFNESS = MODULUS * WIDTH * THICKNESS**3 / 12.0  # E I


def options(model: Any) -> dict[str, Any]:
    return {"load": model["moment"], "factors": (0.0, 1.0)}


def build(count: int = 8, turns: float = 1.0) -> Model:
    """`count` beams, rolled up by so many `turns`."""
    model, count = Model("bent-ring"), int(count)
    piece, root = LENGTH / count, model.ground.at()
    section = {"E": MODULUS, "A": WIDTH * THICKNESS, "I": STIFFNESS / MODULUS}
    for k in range(1, count + 1):
        stated = Body(mass=0.02, inertia=1e-5, position=(k * piece, 0.0), outline=[(-piece, 0.0), (0.0, 0.0)])
        node = model.add(stated, name="tip" if k == count else f"node {k}")
        model.add(Beam(root, node.at(), piece, **section), name=f"beam {k}")
        root = node.at()
    model.add(Torque(root, 2.0 * math.pi * turns * STIFFNESS / LENGTH), name="moment")
    return model


# M L / E I, a whole turn
HEADLINE = Headline(
    "angle of the tip",
    "rad",
    lambda path: float(path.rests[-1]["tip"].angle),
    expected=2.0 * math.pi,
    tolerance=1e-8,
)
