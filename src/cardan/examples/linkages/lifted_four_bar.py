"""Lifted four-bar: a planar mechanism in space, where it moves identically.

`lift` places the planar four-bar of this gallery in the plane y = 0 and turns its pins into hinges. A closed loop of
parallel hinges has three redundant constraints: mobility names them, and the analysis omits them.
"""

from __future__ import annotations

import math

from cardan.examples import Headline, load
from cardan.spatial.lifting import lift
from cardan.spatial.model import Model

TIMES = (0.0, 1.0, 401)
SHOW = ("rocker.x", "rocker.z", "rocker.az")


def build(crank: float = 2.0, coupler: float = 4.0, rocker: float = 3.0) -> Model:
    """The four-bar linkage with its y axis pointing upward."""
    return lift(load("four-bar").build(crank, coupler, rocker), z=(0.0, -1.0, 0.0), name="lifted-four-bar")


# The rocker of the planar page, 3 m long with its pivot at the height -1 m; its frame is in its middle.
HEADLINE = Headline(
    "height of the middle of the rocker after half a turn",
    "m",
    lambda run: run["rocker"].position[200, 2],
    expected=-1.0 + 1.5 * math.sin(load("four-bar").HEADLINE.expected),
    tolerance=1e-9,
)
