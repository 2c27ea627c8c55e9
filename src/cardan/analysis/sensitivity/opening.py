"""Parameters without a derivative: those whose change would open redundant joints, or change the phase of gears.

J dq = -phi_p          solved by the independent rows; the redundant ones must also hold, or the mechanism does not
    J dv = -rate_p - G dq  close or move at another value

Gears without reference angles mesh as in the assembled position. If a parameter moves that position, their phase
changes with it, and the motion at another value is not near the given one in the sense of J dq = -phi_p.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from cardan.errors import ModelError
from cardan.model.parameter import Parameter
from cardan.numerics.linalg.rank import SINE
from cardan.system.system import System

OPENING_TOLERANCE = 1e-5  # relative to the terms of a row: differences are accurate to 1e-9 or better
NEGLIGIBLE_EFFECT = 1e-9  # relative to the largest of these, and to the scale of a row
ESTIMATES = ("position", "angle", "orientation")  # fields of bodies from which the assembly starts


def reject_opening(system: System, J: Any, right: np.ndarray, found: np.ndarray, places: Sequence[Parameter]) -> None:
    """Raise a `ModelError` if `found` does not solve all rows of J x = right, [rows, parameters].

    Rows that absorb a misfit are not part of it.
    """
    left = np.abs(J @ found - right) / system.rows.scale[:, None]
    size = (abs(J) @ np.abs(found) + np.abs(right)) / system.rows.scale[:, None]
    left[list(system.misfits)] = 0.0
    opened = left > OPENING_TOLERANCE * size + NEGLIGIBLE_EFFECT * size.max(axis=0, initial=0.0)
    if not opened.any():
        return
    k = int(np.argmax(opened.any(axis=0)))
    names = dict.fromkeys(system.elements[system.owner[r]].name for r in np.flatnonzero(opened[:, k]))
    listed = ", ".join(f"'{name}'" for name in list(names)[:4])
    raise ModelError(
        f"'{system.model.name}' has no derivative with respect to '{places[k].name}': its joints are redundant, and "
        f"with another value {listed} would not close; tie it to the parameters that must change with it, tied(), or "
        "remove the redundant joints",
        elements=tuple(names),
    )


def reject_unstated_phase(system: System, J: Any, phi: np.ndarray, places: Sequence[Parameter]) -> None:
    """Raise a `ModelError` if a parameter would move gears or similar elements whose phase is not given.

    `phi` holds the derivatives of all rows, [rows, parameters]. The assembly changes by the least displacement that
    closes the other rows.
    """
    floating = np.flatnonzero(system.floating)
    moving = np.flatnonzero(np.any(phi != 0.0, axis=0))
    if not floating.size:
        return
    for one in places:
        if any(place.attribute in ESTIMATES for _, place in one.places):
            raise _phase(system, int(floating[0]), one)
    unit = system.unit
    rows = (J.toarray() if sp.issparse(J) else np.asarray(J)) * unit / system.rows.scale[:, None]
    right = phi / system.rows.scale[:, None]
    stated = ~(system.floating | system.on_velocities)
    for k in moving.tolist():
        step = np.linalg.lstsq(rows[stated], -right[stated, k], rcond=SINE)[0]
        change = np.abs(rows[floating] @ step + right[floating, k])
        size = np.abs(rows[floating]) @ np.abs(step) + np.abs(right[floating, k])
        if np.any(change > OPENING_TOLERANCE * size):
            raise _phase(system, int(floating[int(np.argmax(change))]), places[k])


def reject_changed_phase(before: System, after: System, one: Parameter) -> None:
    """Raise a `ModelError` if the phase of gears or similar elements differs in two systems of one model, `after` a
    change."""
    floating = np.flatnonzero(before.floating)
    if floating.size == 0 or not np.array_equal(before.floating, after.floating):
        return
    change = np.abs(after.rows.offset - before.rows.offset)[floating] / before.rows.scale[floating]
    if change.max() > NEGLIGIBLE_EFFECT:
        raise _phase(before, int(floating[int(np.argmax(change))]), one)


def _phase(system: System, row: int, one: Parameter) -> ModelError:
    gear = system.elements[system.owner[row]]
    return ModelError(
        f"'{system.model.name}' has no derivative with respect to '{one.name}': {gear.title} meshes as in the "
        "assembled position, which changes with this parameter; give its reference angles, angle_a and angle_b",
        elements=(gear.name,),
    )
