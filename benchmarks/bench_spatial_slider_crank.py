r"""Slider-crank of space, three bodies: position, velocity and acceleration per time point, against NumPy and SciPy.

        B o             Haug 10.2. The crank turns about the x axis, the slider runs along it, the rod has a ball at B,
         / \            a hinge on a sleeve at C and, so that C stays with the slider, a distance to a point of it.
        A   \           Cardan has 18 equations in 18 speeds. The rivals have the book's: seven coordinates for each
     ========C===       body, its Euler parameters among them, and 18 + 3 equations (`spatial_slider_crank_numpy.py`).

Two rivals are to be beaten, both in NumPy for any mechanism: one goes through the conditions joint by joint, one takes
all conditions of a kind in one array operation. Both are solved by `scipy.optimize.root` (hybr) with the analytic
Jacobian. Beside them, shown but not judged: the same equations written out by hand for this one mechanism in Python
scalars, with `root` and with Newton's method in its place.
"""

from __future__ import annotations

import numpy as np
from contest import contest
from spatial_mechanisms import spatial_slider_crank
from spatial_slider_crank_by_hand import WRITTEN_OUT
from spatial_slider_crank_by_kinds import BY_KINDS
from spatial_slider_crank_numpy import BY_JOINTS, as_cardan
from timing import conclude

TIMES = np.linspace(0.0, 10.0, 3601)  # ten turns of the crank


def main() -> None:
    forms = {
        "joint by joint in NumPy": BY_JOINTS,
        "kind by kind in NumPy": BY_KINDS,
        "written out by hand": WRITTEN_OUT,
    }
    conclude(contest(spatial_slider_crank(), TIMES, forms, as_cardan))


if __name__ == "__main__":
    main()
