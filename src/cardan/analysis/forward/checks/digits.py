"""Warnings at the start of a run: tolerances below rounding, or too loose for the size of the bodies.

eps |r|        rounding of a position r: far from the origin a mechanism is known less exactly
rtol L         default tolerance of positions: L is the size of the whole model
"""

from __future__ import annotations

import warnings

import numpy as np

from cardan.errors import CardanWarning
from cardan.system.cartesian.softness import lengths_of
from cardan.system.system import System

APART = 1e5  # times the size of its largest body: a model whose tolerance says little of its bodies
ROUNDED = 0.1  # of the tolerance: rounding up to here does not show


def warn_of_lost_digits(system: System, rtol: float, atol: float | None) -> None:
    """Warn if rounding of positions exceeds their tolerance, or if the tolerance is a large part of a body's size."""
    name, length = system.model.name, system.length
    allowed = rtol * length if atol is None else atol
    rounded = system.rounding * length / 16.0
    if rounded > ROUNDED * allowed:
        far = rounded / float(np.finfo(float).eps)
        warnings.warn(
            f"'{name}' stands {far:.3g} m from the origin, where positions are rounded to {rounded:.1g} m, but a "
            f"tolerance of {allowed:.1g} m is requested: results are not more exact than that; move the origin nearer",
            CardanWarning,
            stacklevel=4,
        )
    bodies = lengths_of(system)
    largest = float(bodies.max(initial=0.0))
    if atol is None and 0.0 < APART * largest < length:
        warnings.warn(
            f"'{name}' reaches {length:.3g} m, its largest body {largest:.3g} m: positions are held to rtol times the "
            f"reach, {allowed:.1g} m; state atol, in m, if they are to be held more closely",
            CardanWarning,
            stacklevel=4,
        )
