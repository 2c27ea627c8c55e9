"""Any measure of a computed motion: value, rate and acceleration at every output time.

    z,    z' = jac v,    z'' = jac a + bias

The measure need not be part of the analysis: its tables are built when it is read, and evaluated by the same kernels.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cardan.errors import ModelError, warn
from cardan.model.measure import Measure, Readable
from cardan.results.motion_kernels import measures_along
from cardan.system.compile import columns_of, grouped
from cardan.system.system import System
from cardan.system.turns import known_turns

STRAY = 1.0  # rad by which an angle may differ from the integral of its rate between two times


def measure_series(
    system: System,
    readables: Sequence[Readable],
    times: np.ndarray,
    q: np.ndarray,
    v: np.ndarray,
    a: np.ndarray,
    turns: np.ndarray | None = None,
) -> list[np.ndarray]:
    """For each measure or combination an array (output times, 3) of value, rate and acceleration.

    `turns` are the values of the system's multi-turn angles, from which those about parallel axes follow. The turns of
    other angles are counted between output times by the rates at both ends, with a warning if these are ambiguous.
    """
    if not readables:
        return []
    measures = grouped(system.space, (m for readable in readables for _, m in readable.parts()))
    for measure in measures:
        for marker in measure.markers():
            if id(marker.body) not in system.number:
                raise ModelError(
                    f"{measure} refers to '{marker.body.name}' of another model than '{system.model.name}'; use the "
                    "elements of the analyzed model"
                )
    base = system.width * (1 + len(system.bodies))
    geometry = system.space.geometry(system.number, measures, system.contact_coordinates, base)
    columns = columns_of(system.space, system.number, measures, system.contact_coordinates, base)
    winding = np.array([k for k, m in enumerate(measures) if m.kind in system.space.winding], np.uint32)
    hints = np.full((q.shape[0], len(measures)), np.nan)
    if turns is not None:
        for k in winding:
            hints[:, k] = known_turns(system, measures[k], turns)
    reference = np.full(len(measures), np.nan)
    table = np.zeros((q.shape[0], len(measures), 3))
    frames = np.zeros((geometry.body.size, system.space.marker_columns))
    jac = np.zeros(columns.shape)
    unknown = [k for k, measure in enumerate(measures) if measure.kind in Measure.TOUCHES]
    measures_along(geometry, columns.astype(np.uint32), times, q, v, a, hints, winding, reference, frames, jac, table)
    for k in winding:
        if np.isnan(hints[1:, k]).any():
            _warn_of_lost_turns(measures[k], times, table[:, k])
    table[:, unknown, 2] = np.nan  # second derivatives of contact measures are not computed
    place = {measure: k for k, measure in enumerate(measures)}
    nothing = np.zeros((q.shape[0], 3))
    return [sum((c * table[:, place[m]] for c, m in readable.parts()), nothing) for readable in readables]


def _warn_of_lost_turns(measure: Measure, times: np.ndarray, table: np.ndarray) -> None:
    """Warn that an angle may be off by whole turns if the rates at two output times are ambiguous."""
    h, value, rate = np.diff(times), table[:, 0], table[:, 1]
    miss = np.abs(np.diff(value) - 0.5 * h * (rate[1:] + rate[:-1]))
    far = h * np.maximum(np.abs(rate[1:]), np.abs(rate[:-1]))
    lost = np.flatnonzero((miss > STRAY) | (far > np.pi))
    if lost.size:
        warn(
            f"{measure} changes too much between t = {times[lost[0]]:.6g} and {times[lost[0] + 1]:.6g} s to count its "
            "turns, and it is not the angle of a joint or force: whole turns may be missing; request more output times"
        )
