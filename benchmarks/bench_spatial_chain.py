"""Links in a row, 10 to 1,000 of them, a motor in every hinge: cost per body and time point in space.

       y    y              The axes of the hinges change: x, y, y, x, and of four hinges the last two turn back what the
    x  |    |  x           first two turned, so that a thousand links move as easily as four. The amplitudes differ from
    o--o----o--o--...      group to group. 1,000 links have 6,000 coordinates, 5,000 joint equations and 1,000 motors.

The positions and orientations are checked against the product of rotations. Beside it, the CPU time of everything that
is done once: stating the model, compiling it to arrays, assembling it, the rank report.
"""

from __future__ import annotations

import time
from functools import partial

import numpy as np
from growth import costs, report_time, verdicts
from spatial_mechanisms import LINK, chain, chain_motion
from timing import at_most, conclude, table

from cardan import assemble, mobility
from cardan.results.trajectory import Trajectory
from cardan.spatial import rotation
from cardan.system.compile import compile

TIMES = np.linspace(0.0, 2.0, 101)  # one period


def main() -> None:
    found = costs("chain of space", chain, TIMES, lambda n: n, lambda n: LINK * n, error)
    begun = time.process_time()
    chain(1000)
    stated = time.process_time() - begun
    once = {name: report_time(task, chain)[1] for name, task in (("compiled", compile), ("assembled", assemble))}
    report, ranked = report_time(partial(mobility), chain)
    lines = [("stated", stated), *once.items(), ("ranked", ranked)]
    table("chain of 1000 links, CPU time of what is done once", ("", "s"), lines)
    print(f"  rank: {report.rank} of {report.equations} joint equations, {report.degrees_of_freedom} freedoms")
    ranked_in_time = at_most("rank report of 1000 links, CPU time", ranked, 5.0, " s")
    conclude([*verdicts(found, "links"), ranked_in_time])


def error(n: int, motion: Trajectory) -> float:
    """The largest error of a position in m, or of a direction cosine."""
    r, A = chain_motion(n, TIMES)
    bodies = motion.q.reshape(TIMES.size, n + 1, 7)[:, 1:]
    return float(max(np.abs(bodies[..., :3] - r).max(), np.abs(rotation.matrix(bodies[..., 3:]) - A).max()))


if __name__ == "__main__":
    main()
