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
from marching import Loop
from mechanisms import slider_crank
from slider_crank_numpy import BY_JOINTS, SIZE, TOLERANCE, WRITTEN_OUT, Form, analyze, by_newton, by_root
from timing import at_least, at_most, conclude, interleaved, repeated, table

from cardan import kinematics

TIMES = np.linspace(0.0, 2.0 * np.pi, 3601)  # ten turns of the crank
FEW = TIMES[:361]
RUNS, PASSES = 5, 20
JUDGED = "root, joint by joint in NumPy"  # the rival to beat
BY_HAND = "root, written out by hand"  # shown next to it


def main() -> None:
    model = slider_crank()
    loop = Loop(model, TIMES)
    tasks = {
        JUDGED: (TIMES, lambda: analyze(TIMES, BY_JOINTS, by_root)),
        BY_HAND: (TIMES, lambda: analyze(TIMES, WRITTEN_OUT, by_root)),
        "Newton, written out by hand": (TIMES, lambda: analyze(TIMES, WRITTEN_OUT, by_newton)),
        "cardan, compiled loop": (TIMES, repeated(loop, PASSES)),
        "cardan, whole call": (TIMES, lambda: kinematics(model, TIMES, progress=False)),
        "cardan, whole call, fewer points": (FEW, lambda: kinematics(model, FEW, progress=False)),
    }
    seconds = interleaved({name: task for name, (_, task) in tasks.items()}, RUNS)
    seconds["cardan, compiled loop"] /= PASSES
    each = {name: seconds[name] / times.size for name, (times, _) in tasks.items()}
    ours = each["cardan, compiled loop"]
    table(
        f"slider-crank, CPU time per time point (medians of {RUNS} interleaved runs)",
        ("", "points", "us per point", "times the loop"),
        [(name, times.size, 1e6 * each[name], each[name] / ours) for name, (times, _) in tasks.items()],
    )
    conclude(
        [
            at_least(f"compiled loop against {JUDGED}", each[JUDGED] / ours, 100.0, "x"),
            at_most("difference of q, v, a to root joint by joint, relative", difference(loop, BY_JOINTS), 1e-9),
            at_most("difference to root written out, relative", difference(loop, WRITTEN_OUT), 1e-9),
            at_most("worst equation of root, relative to the mechanism's size", residual(), TOLERANCE),
        ]
    )


def difference(loop: Loop, form: Form) -> float:
    """The largest difference between Cardan and the rival, relative to the largest value of each kind."""
    motion = loop()
    ours = motion.q[:, 3:], motion.v[:, 3:], motion.a[:, 3:]
    theirs = analyze(TIMES, form, by_root)
    return max(float(np.abs(o - t).max() / np.abs(t).max()) for o, t in zip(ours, theirs, strict=True))


def residual() -> float:
    """The worst equation that `root` leaves."""
    q, _, _ = analyze(TIMES, WRITTEN_OUT, by_root)
    return max(float(np.abs(WRITTEN_OUT.equations(x, t)).max()) / SIZE for x, t in zip(q, TIMES, strict=True))


if __name__ == "__main__":
    main()
