"""wiggles(report): each free motion of a mechanism, back and forth, with all joints closed.

    J Z = 0,    B = Z (Z_f)^-1      column k of B moves only the free coordinate f_k

Along each column the mechanism is moved by a sine, and closed again at every step (`nearest`) with the free coordinates
held: a wiggle is a finite motion that the joints allow, up to a lock-up.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from cardan.analysis.assembly.assemble import CLOSED
from cardan.analysis.assembly.mobility import Mobility, rank_at
from cardan.analysis.assembly.nearest import Closing
from cardan.errors import ModelError
from cardan.model.space import advance
from cardan.results.snapshot import Snapshot

MAX_WIGGLE = 0.15  # relative to the model's length, or rad: the largest displacement of a wiggle
WIGGLE_POSITIONS = 41
MAX_WIGGLES = 12  # wiggles
HELD_WEIGHT = 1e8  # weight of a held coordinate, relative to the others


@dataclass(frozen=True)
class Wiggle:
    """A free motion: its coordinate, and positions over one period."""

    coordinate: str
    body: str
    positions: tuple[Snapshot, ...]


def wiggles(report: Mobility, *, drivers: bool = True, size: float = MAX_WIGGLE) -> list[Wiggle]:
    """The free motions at the position of a mobility report; without `drivers`, those that the joints allow."""
    if report.position is None:
        raise ModelError("this mobility report has no position; compute it with mobility(model)")
    here = report.position
    system = here.system
    reference = system.turned(here.turns)
    kept = np.ones(system.row_count, bool) if drivers else ~system.driving
    found = rank_at(system, here.q, here.time, reference, kept)
    if found.null_space is None or not found.nullity:
        return []
    free = found.independent[: found.nullity]
    basis = found.null_space @ np.linalg.pinv(found.null_space[free])
    active = (kept & ~system.on_velocities).astype(np.uint8)
    made = []
    for k, coordinate in enumerate(free[:MAX_WIGGLES]):
        motion = basis[:, k] / np.abs(basis[:, k] * np.sqrt(system.weights)).max(initial=1e-300) * size * system.length
        weights = system.weights.copy()
        weights[free] *= HELD_WEIGHT
        closing = Closing(system, here.time, weights, active)
        name = system.coordinate_name(int(coordinate))
        made.append(Wiggle(name, _body_of(system, int(coordinate)), _mirrored_period(closing, here, reference, motion)))
    return made


def _mirrored_period(
    closing: Closing, here: Snapshot, reference: np.ndarray, motion: np.ndarray
) -> tuple[Snapshot, ...]:
    """Both halves of the motion are computed; a period passes each twice."""
    quarter = WIGGLE_POSITIONS // 4
    out = {
        sign: _positions_along(
            closing, here, reference.copy(), sign * motion, np.sin(0.5 * np.pi * np.arange(quarter + 1) / quarter)
        )
        for sign in (1.0, -1.0)
    }
    there, back = out[1.0], out[-1.0]
    return (*there, *there[-2::-1], *back[1:], *back[-2::-1])


def _positions_along(
    closing: Closing, here: Snapshot, reference: np.ndarray, motion: np.ndarray, shares: np.ndarray
) -> list[Snapshot]:
    """Positions along a motion, each closed from the previous one; after a lock-up, the last one is repeated."""
    system, q, before = closing.system, here.q.copy(), 0.0
    positions = []
    for share in shares:
        trial, turns, step = q.copy(), reference.copy(), system.speeds()
        step[system.width :] = (share - before) * motion
        advance(system.geometry, trial, step)
        trial, error, status = closing.close(trial, turns, max(CLOSED, system.rounding))
        if not status and error <= 1e-6:
            q, reference, before = trial, turns, share
        positions.append(Snapshot(system, here.time, q.copy(), turns=reference[system.winding]))
    return positions


def _body_of(system: Any, coordinate: int) -> str:
    k = coordinate // system.width
    return system.bodies[k].name if k < len(system.bodies) else ""
