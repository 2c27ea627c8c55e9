"""Warnings at the start of a run: tolerances below rounding, or too loose for the size of the bodies.

eps |r|        rounding of a position r, which is larger far from the origin
rtol L         default tolerance of positions: L is the size of the whole model
"""

from __future__ import annotations

import numpy as np

from cardan.errors import warn
from cardan.system.cartesian.softness import lengths_of
from cardan.system.system import System

APART = 1e5  # times the size of its largest body: beyond this the tolerance is too loose for the bodies
ROUNDED = 0.1  # relative to the tolerance: less rounding is not visible


def warn_of_lost_digits(system: System, rtol: float, atol: float | None) -> None:
    """Warn if rounding of positions exceeds their tolerance, or if the tolerance is a large part of a body's size."""
    name, length = system.model.name, system.length
    allowed = rtol * length if atol is None else atol
    rounded = system.rounding * length / 16.0
    if rounded > ROUNDED * allowed:
        far = rounded / float(np.finfo(float).eps)
        warn(
            f"'{name}' is {far:.3g} m from the origin, where positions are rounded to {rounded:.1g} m, but a "
            f"tolerance of {allowed:.1g} m is requested: results cannot be more accurate; move the origin closer"
        )
    bodies = lengths_of(system)
    largest = float(bodies.max(initial=0.0))
    if atol is None and 0.0 < APART * largest < length:
        warn(
            f"'{name}' reaches {length:.3g} m, its largest body {largest:.3g} m: the tolerance of positions is rtol "
            f"times the reach, {allowed:.1g} m; pass atol, in m, for a smaller one"
        )
