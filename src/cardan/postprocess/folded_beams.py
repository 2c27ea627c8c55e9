"""Warnings about folded beams, whose end b lies behind end a.

The direction of u, from end a to end b along the arc between them, differs from the axis at end a by the angle of
S-shaped bending and of shear, see `cardan.elements.rods.beam`. In a rod of sufficiently short elements it is small. If
the ends of an element change places, |u| is its length again and its energy vanishes, although no beam could be there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cardan.elements.rods.beam import AnyBeam
from cardan.errors import warn
from cardan.results.measure_series import measure_series
from cardan.results.trajectory import Trajectory

FOLDED = 90.0  # deg: end b is behind end a; cords of little bending stiffness hang at any angle below
LOOKED_AT = 100  # output times at most
ALL = slice(None)


def arcs(result: Trajectory, times: slice | np.ndarray = ALL) -> tuple[list[AnyBeam[Any]], np.ndarray, np.ndarray]:
    """All beams, and u_x and |u| of each at some of the output times: [time, beam]."""
    beams = [element for element in result.model if isinstance(element, AnyBeam)]
    read = [measure for beam in beams for measure in beam.arc()]
    motion = [np.ascontiguousarray(array[times]) for array in (result.times, result.q, result.v, result.a)]
    found = measure_series(result.system, read, *motion)
    values = np.stack([series[:, 0] for series in found], axis=1) if beams else np.zeros((len(motion[0]), 0))
    return beams, values[:, ::2], values[:, 1::2]


def warn_of_folded_beams(result: Trajectory) -> None:
    """Warn about the beam that is folded most, if any is."""
    if not len(result) or not any(isinstance(element, AnyBeam) for element in result.model):
        return
    looked_at = np.unique(np.linspace(0, len(result) - 1, LOOKED_AT).astype(int))
    beams, along, whole = arcs(result, looked_at)
    angle = np.degrees(np.arccos(np.clip(along / np.where(whole > 0.0, whole, 1.0), -1.0, 1.0)))
    if not angle.max() > FOLDED:
        return
    k, worst = np.unravel_index(int(np.argmax(angle)), angle.shape)
    others = int(np.sum(angle.max(axis=0) > FOLDED)) - 1
    more = f", and {others} other beams more than {FOLDED:g} deg" if others else ""
    time = result.times[looked_at[k]]
    warn(
        f"at t = {time:.6g} s {beams[worst].title} is folded: end b is {angle[k, worst]:.3g} deg away from the "
        f"axis at end a{more}, where the energy of a beam does not hold. Use shorter elements; if an end was moved by "
        "more than the length of an element at once, move it in several steps, start from equilibrium(), or lay the "
        "rod along its bent shape"
    )
