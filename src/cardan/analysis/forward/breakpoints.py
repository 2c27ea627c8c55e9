"""The times at which inputs are not smooth: steps of an integration end there.

       f |      _______
         |     /                 A step that passed both ends of a short pulse would not notice it, and one that passes
         |____/                  a jump of the acceleration is not accurate.
         +----x--x---------- t

Inputs are the motions of drivers and forces, and motions of time that devices read.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cardan.model.curves.motion import Motion
from cardan.model.device import Clock, CurveSignal
from cardan.system.system import System


def breakpoints_of(system: System) -> np.ndarray:
    """float64[n, 2]: times, and the periods after which they repeat, or infinity."""
    found = {one for motion in _motions(system) for one in motion.breakpoints()}
    return np.array(sorted(found), float).reshape(-1, 2)


def _motions(system: System) -> Iterator[Motion]:
    stated = [equation.motion for equation in system.equations] + [law.motion for law in system.laws]
    yield from (motion for motion in stated if motion is not None)
    signals = [law.signal for law in system.laws] + [signal for reader in system.readers for signal in reader.inputs]
    for signal in signals:
        if isinstance(signal, CurveSignal) and isinstance(signal.at, Clock):
            yield signal.motion
