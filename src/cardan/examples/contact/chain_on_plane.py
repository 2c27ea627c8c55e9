r"""Chain on a plane: a straight chain, released at an angle, falls to the ground link by link.

  o                          o  pins, round: each touches the ground with Hertz's force, damping and friction
    `o
      `o
        `o                   The energy that impacts and friction dissipate is integrated along with the motion,
=============                and the balance closes: `-p links=100` is a chain of a hundred links.
"""

from __future__ import annotations

import math

from cardan.examples import Headline
from cardan.planar import Body, Contact, Disk, Face, Model, Revolute

ANALYSIS = "simulate"
TIMES = (0.0, 0.5, 501)
SHOW = ("link 1.y", "link 10.y")
LINK, RADIUS = 0.04, 0.005


def build(links: int = 10, slant: float = 0.5, height: float = 0.02, restitution: float = 0.4) -> Model:
    """`slant` is the angle at which the chain is let go, `height` that of its lower end."""
    model = Model("chain-on-plane", gravity=(0.0, -9.81))
    floor = Face(model.ground.at())
    c, s = math.cos(slant), math.sin(slant)
    last = None
    for k in range(int(links)):
        middle = (k + 0.5) * LINK
        place = (middle * c, RADIUS + height + middle * s)
        line = [(-0.5 * LINK, 0.0), (0.5 * LINK, 0.0)]
        link = model.add(
            Body(mass=0.01, inertia=0.01 * LINK**2 / 12.0, position=place, angle=slant, outline=line),
            name=f"link {k + 1}",
        )
        if last is not None:
            model.add(Revolute(last.at(0.5 * LINK, 0.0), link.at(-0.5 * LINK, 0.0)), name=f"pin {k}")
        law = {"stiffness": 1e7, "restitution": restitution, "friction": 0.3, "creep_speed": 0.01}
        model.add(Contact(floor, Disk(link.at(-0.5 * LINK, 0.0), RADIUS), **law), name=f"contact {k + 1}")
        last = link
    model.add(Contact(floor, Disk(last.at(0.5 * LINK, 0.0), RADIUS), **law), name=f"contact {int(links) + 1}")
    return model


HEADLINE = Headline(
    "energy that does not add up, of all that was moved", "", lambda run: run.energy.drift, expected=0.0, tolerance=1e-6
)
