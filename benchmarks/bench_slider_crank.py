r"""Slider-crank of three bodies: position, velocity and acceleration per time point, against NumPy and SciPy.

           B
          / \            The same nine equations in the same nine coordinates, the same tolerance, the same prediction
        /     \          and the same time points (a degree apart) for all; see `slider_crank_numpy.py`.
    ---A-------C===

The rival to beat writes these equations joint by joint in NumPy, as a program for any mechanism must, and solves them
by `scipy.optimize.root` (hybr) with the analytic Jacobian. Beside it, shown but not judged: the same equations written
out by hand for this one mechanism in Python scalars, with `root` and with Newton's method in its place.
"""

from __future__ import annotations

import numpy as np
from contest import contest
from mechanisms import slider_crank
from slider_crank_numpy import BY_JOINTS, WRITTEN_OUT
from timing import conclude

TIMES = np.linspace(0.0, 2.0 * np.pi, 3601)  # ten turns of the crank


def main() -> None:
    conclude(contest(slider_crank(), TIMES, {"joint by joint in NumPy": BY_JOINTS, "written out by hand": WRITTEN_OUT}))


if __name__ == "__main__":
    main()
