r"""Newton's cradle: steel balls on strings, a tenth of a millimeter apart, pass on the momentum of the first.

  |   | | | |            Each contact is that of Hertz, F = k d^(3/2). Because of the gaps balls meet one after the
 /    | | | |            other, and equal ones exchange their speeds: the last one takes it all.
O     O O O O
                         No step jumps over a gap: `-p balls=100` is a cradle of a hundred balls.
"""

from __future__ import annotations

import math
from typing import Any

from cardan.examples import Headline
from cardan.planar import Body, Contact, Disk, Model, Revolute, matter

ANALYSIS = "simulate"
TIMES = (0.0, 0.6, 601)
SHOW = ("ball 1.vx", "ball 5.vx")
RADIUS, STRING, GAP = 0.01, 0.2, 1e-4


def build(balls: int = 5, lift: float = 0.3, stiffness: float = 1e9, restitution: float = 1.0) -> Model:
    """`lift` is the angle of the first string."""
    model = Model("newtons-cradle", gravity=(0.0, -9.81))
    rim = [(RADIUS * math.cos(k * math.pi / 18), RADIUS * math.sin(k * math.pi / 18)) for k in range(37)]
    surfaces = []
    for k in range(int(balls)):
        x, turned = k * (2.0 * RADIUS + GAP), -lift if k == 0 else 0.0
        place = (x + STRING * math.sin(turned), -STRING * math.cos(turned))
        disk = matter.disk(RADIUS, mass=0.0325)
        ball = model.add(Body(mass=disk, position=place, angle=turned, outline=rim), name=f"ball {k + 1}")
        model.add(Revolute(model.ground.at(x, 0.0), ball.at(0.0, STRING)), name=f"string {k + 1}")
        surfaces.append(Disk(ball.at(), RADIUS))
    for k, (one, two) in enumerate(zip(surfaces[:-1], surfaces[1:], strict=True)):
        law = Contact(one, two, stiffness, restitution=restitution)
        model.add(law, name=f"contact {k + 1}")
    return model


def _passed_on(run: Any) -> float:
    """The largest speed of the last ball over the largest speed of the first."""
    first, last = (abs(run[f"ball {k}"].velocity).max() for k in (1, 5))
    return float(last / first)


HEADLINE = Headline("share of the speed that the last ball gets", "", _passed_on, expected=1.0, tolerance=2e-3)
