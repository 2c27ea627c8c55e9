"""Settling: a mechanism let go comes to rest, as its motion is taken away whenever it is fastest.

    kinetic energy   /\\    /\\   /\\              at each peak all velocities are set to zero, and it falls again from
                    /  |  /  |  / |  ...         there: what it oscillates about is passed at the peak

Of all ways to an equilibrium this one needs no potential energy and no estimate of multipliers, and it ends only where
the mechanism stays. The place found is made exact by Newton's method.
"""

from __future__ import annotations

import numpy as np

from cardan.analysis.forward import ForwardRun, Settings
from cardan.analysis.newton import newton
from cardan.analysis.place import Place, Ways
from cardan.analysis.progress import Progress
from cardan.analysis.statics import Statics
from cardan.errors import SimulationError
from cardan.results.energy import kinetic_energy

LOOSE = 1e-6  # relative tolerance of the motion: only its end counts
STILL = 1e-5  # of the accelerations at first: the mechanism has settled
PEAKS = 2000  # before settling is given up


def settle(statics: Statics, place: Place, ways: Ways, tolerance: float, bar: Progress) -> Place:
    """The place at rest to which the mechanism moves from `place`."""
    system = statics.system
    run = ForwardRun(system, (place.q, system.speeds(), place.reference, statics.time), Settings("auto", LOOSE))
    run.let_go()
    first = hardest = run.hardest()
    for _ in range(PEAKS):
        if hardest <= STILL * first or first == 0.0:
            break
        run.until_slower(lambda q, v: kinetic_energy(system, q, v))
        hardest = run.hardest()
        bar.show(int(100.0 * np.log(max(hardest / first, STILL)) / np.log(STILL)))
    else:
        raise SimulationError(
            f"'{system.model.name}' does not settle: after {PEAKS} swings it still accelerates; is there a force that "
            "drives it on, or nothing that holds it?",
            time=statics.time,
            partial=run.snapshot(),
        )
    settled = ways.start(run.snapshot().q, run.machine.reference.copy())
    return newton(statics, settled, ways, tolerance, bar)
