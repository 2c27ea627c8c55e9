"""Bead on a helix: a point that moves along a spatial curve.

The wire is a `Helix` fixed in the ground. The driven coordinate is the position u of the bead on the wire. At constant
speed the bead is accelerated toward the axis only, by R u'^2.
"""

from __future__ import annotations

import math

import numpy as np

from cardan.examples import Headline
from cardan.spatial import Body, Driver, Helix, Model, Orientation, PointOnCurve, Ramp

TIMES = (0.0, 3.0, 401)
SHOW = ("bead.x", "bead.z", "bead.ax")


def build(radius: float = 0.2, pitch: float = 0.15, speed: float = 2.0 * math.pi) -> Model:
    """A bead at the lower end of a wire of three turns."""
    model = Model("bead-on-helix")
    bead = model.add(Body(position=(radius, 0.0, 0.0)), name="bead")
    wire = model.add(PointOnCurve(model.ground.profile(Helix(radius, pitch, turns=3.0)), bead.at()), name="wire")
    model.add(Orientation(model.ground.at(), bead.at()), name="upright")
    model.add(Driver(wire.contact, Ramp(speed)), name="push")
    return model


HEADLINE = Headline(
    "acceleration of the bead",
    "m/s2",
    lambda run: float(np.linalg.norm(run["bead"].acceleration[123])),
    expected=0.2 * (2.0 * math.pi) ** 2,
    tolerance=1e-8,
)
