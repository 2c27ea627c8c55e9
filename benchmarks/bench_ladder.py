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

import numpy as np
from growth import costs, report_time, verdicts
from mechanisms import SPACING, ladder, ladder_motion
from timing import at_most, conclude

from cardan import mobility
from cardan.results.trajectory import Trajectory

TIMES = np.linspace(0.0, 2.0, 101)  # one period


def main() -> None:
    found = costs("four-bars in a row", ladder, TIMES, lambda n: 2 * n + 1, lambda n: SPACING * n, error)
    report, ranked = report_time(mobility, ladder)
    print(
        f"  rank of 1000 four-bars: {report.rank} of {report.equations} joint equations, {report.degrees_of_freedom} "
        "degree of freedom"
    )
    ranked_in_time = at_most("rank report of 1000 four-bars, CPU time", ranked, 5.0, " s")
    conclude([*verdicts(found, "four-bars"), ranked_in_time])


def error(n: int, motion: Trajectory) -> float:
    """The largest error of x, y, phi."""
    return float(np.abs(motion.q[:, 3:] - ladder_motion(n, TIMES)).max())


if __name__ == "__main__":
    main()
