"""Parameters that redundant joints allow no change of: where one changes, some joint opens, and nothing follows it.

J dq = -phi_p          solved by the independent rows; the redundant ones must be left with nothing, or the
J dv = -rate_p - G dq  mechanism neither closes nor moves at another value
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cardan.errors import ModelError
from cardan.model.parameter import Parameter
from cardan.system.system import System

OPEN = 1e-5  # of what a row is made of: differences are exact to 1e-9 and better
NOTHING = 1e-9  # of the largest of these


def refuse_opening(system: System, J: Any, right: np.ndarray, found: np.ndarray, places: Sequence[Parameter]) -> None:
    """Raise a `ModelError` if `found` does not solve all rows of J x = right, [rows, parameters].

    Rows left out because the data do not fit are no part of it.
    """
    left = np.abs(J @ found - right) / system.rows.scale[:, None]
    size = (abs(J) @ np.abs(found) + np.abs(right)) / system.rows.scale[:, None]
    left[list(system.misfits)] = 0.0
    opened = left > OPEN * size + NOTHING * size.max(axis=0, initial=0.0)
    if not opened.any():
        return
    k = int(np.argmax(opened.any(axis=0)))
    names = dict.fromkeys(system.elements[system.owner[r]].name for r in np.flatnonzero(opened[:, k]))
    listed = ", ".join(f"'{name}'" for name in list(names)[:4])
    raise ModelError(
        f"'{system.model.name}' has no derivative by '{places[k].name}': its joints are redundant, and with another "
        f"value {listed} would not close; tie it to the parameters that must change with it, tied(), or leave out the "
        "redundant joints",
        elements=tuple(names),
    )
