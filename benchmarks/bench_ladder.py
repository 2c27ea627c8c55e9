"""Four-bars in a row, 10 to 1,000 of them, driven by one motor on the first lever: cost per body and time point.

          a      c      b            Levers turn on fixed pins X, d apart. Couplers join neighbours, above in even cells
          o-------------o            and below in odd ones, so that the second cell of a pair is the first one turned
          |             |            by half a turn: every other lever turns exactly alike, and a thousand cells move as
       ---X-------------X----------- easily as two.
          |             |     c
                        o----------- In each cell the arms a and b, the coupler c and the distance d differ, and so do
                        b            the cells of different pairs; all of them stay away from alignment.

N four-bars have N + 1 levers and N couplers: 2,001 bodies and 6,003 equations at N = 1,000. The positions are checked
against the closed form.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from marching import Loop
from mechanisms import SPACING, ladder, ladder_motion
from timing import at_most, conclude, interleaved, repeated, table

from cardan import mobility
from cardan.analysis.closing import Tolerances

SIZES = (10, 100, 1000)
TIMES = np.linspace(0.0, 2.0, 101)  # one period
CLOSED, CHANGED = 1e-10, 1e-5  # m, rad: the tolerances of equations and of steps, the same for every length
RUNS = 7


def main() -> None:
    loops = {n: Loop(ladder(n), TIMES, tolerances(n)) for n in SIZES}
    passes = {n: SIZES[-1] // n for n in SIZES}
    seconds = interleaved({str(n): repeated(loop, passes[n]) for n, loop in loops.items()}, RUNS)
    each = {n: seconds[str(n)] / passes[n] / (2 * n + 1) / (TIMES.size - 1) for n in SIZES}
    motions = {n: loop() for n, loop in loops.items()}
    errors = {n: float(np.abs(motion.q[:, 3:] - ladder_motion(n, TIMES)).max()) for n, motion in motions.items()}
    iterations = {n: float(motion.iterations[1:].mean()) for n, motion in motions.items()}
    table(
        f"four-bars in a row, CPU time per body and time point (medians of {RUNS} interleaved runs)",
        ("four-bars", "bodies", "ns", "against 10", "Newton iterations", "error in m, rad"),
        [(n, 2 * n + 1, 1e9 * each[n], each[n] / each[10], iterations[n], f"{errors[n]:.1e}") for n in SIZES],
    )
    report, ranked = rank_report(1000)
    print(f"  rank of 1000 four-bars: {report.rank} of {report.equations} joint equations, {report.freedoms} freedom")
    conclude(
        [
            at_most("cost per body of 1000 four-bars against 10", each[1000] / each[10], 1.5, "x"),
            at_most("rank report of 1000 four-bars, CPU time", ranked, 5.0, " s"),
            at_most("largest error against the closed form", max(errors.values()), 1e-9),
        ]
    )


def tolerances(n: int) -> Tolerances:
    """Cardan compares lengths with the size of the model: ask for the same in metres, however long the ladder is."""
    return Tolerances(CLOSED / (SPACING * n), CHANGED)


def rank_report(n: int) -> tuple[Any, float]:
    """The mobility report of a ladder, and the CPU time from the stated model to the report."""
    model = ladder(n)
    mobility(ladder(2))  # what is loaded on the first call does not count
    begun = time.process_time()
    report = mobility(model)
    return report, time.process_time() - begun


if __name__ == "__main__":
    main()
