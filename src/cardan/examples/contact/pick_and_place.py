r"""Pick and place: a swinging arm catches a part, carries it up, and releases it.

        pivot +----------             released at the level, w1^2 = 3 g / l at the bottom
              |`.
              |  `.                   there the grip closes: the part, at rest, is caught in a plastic impact,
              |                       w2 = w1 (M / 3) / (M / 3 + m)
            [part]                    at the highest place on the other side the grip opens

Two events engage and release two joints of one model: a pedestal that holds the part, and the grip of the arm. Joints
that are open from the beginning are passed as `simulate(released=[grip])`. The impact loss is part of
`run.energy.dissipated`.
"""

from __future__ import annotations

import math
from typing import Any

from cardan import Change, Event
from cardan.examples import Headline
from cardan.planar import Body, Fixed, Model, Point, Revolute, matter

ANALYSIS = "simulate"
TIMES = (0.0, 1.5, 601)
SHOW = ("arm.angle", "center.y")
LENGTH, ARM, PART, G = 1.0, 2.0, 0.5, 9.81


def options(model: Any) -> dict[str, Any]:
    pivot, pedestal, grip = model["pivot"], model["pedestal"], model["grip"]

    def catch(snapshot: Any) -> Change | None:
        caught = snapshot[model["part"]].position[0] != 0.0
        return None if caught else Change(release=[pedestal], engage=[grip])

    def let_go(snapshot: Any) -> Change:
        return Change(release=[grip])

    return {
        "released": [grip],
        "events": [
            Event(pivot.angle, -0.5 * math.pi, "falling", action=catch, name="catch"),
            Event(pivot.angle, 0.0, "rising", of_rate=True, action=let_go, name="let go"),
        ],
        "rtol": 1e-10,
    }


def build(part: float = PART, arm: float = ARM, length: float = LENGTH) -> Model:
    """Masses of part and arm, and the length of the arm."""
    model = Model("pick-and-place", gravity=(0.0, -G))
    rod = model.add(
        Body(mass=arm, inertia=arm * length**2 / 12.0, center=(0.5 * length, 0.0), outline=[(0, 0), (length, 0)]),
        name="arm",
    )
    box = [(-0.05, -0.05), (0.05, -0.05), (0.05, 0.05), (-0.05, 0.05), (-0.05, -0.05)]
    piece = matter.disk(1e-4, mass=part)
    held = model.add(Body(mass=piece, position=(0.0, -length), outline=box), name="part")
    model.add(Revolute(model.ground.at(), rod.at()), name="pivot")
    model.add(Fixed(model.ground.at(0, -length), held.at()), name="pedestal")
    model.add(Fixed(rod.at(length, 0, angle=0.5 * math.pi), held.at()), name="grip")
    model.add(Point(held.at(), trace=True), name="center")
    return model


def _highest() -> float:
    """The angle past the vertical: (M/2 + m) g l (1 - cos b) = (M/3 + m) l^2 w2^2 / 2."""
    third = ARM / 3.0
    speed = math.sqrt(3.0 * G / LENGTH) * third / (third + PART)
    return math.acos(1.0 - 0.5 * (third + PART) * LENGTH * speed**2 / ((0.5 * ARM + PART) * G))


HEADLINE = Headline(
    "angle past the vertical at which the part is let go",
    "rad",
    lambda run: -0.5 * math.pi - float(run.events[1].snapshot["pivot"].angle.value),
    expected=_highest(),
    tolerance=1e-7,
)
