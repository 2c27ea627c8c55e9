"""The iterates of Newton's method on the position equations, one by one, to look at.

    Phi_q dq = -Phi,      q <- q + dq                                                          (Haug 4.2.1)

The step is the plain one of the book: the least in the metric of the coordinates, without a limit on its size.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np

from cardan.errors import ModelError
from cardan.model.space import advance
from cardan.numerics.linalg.rank import ROW_NOISE
from cardan.system.evaluate import evaluate_position
from cardan.system.system import System

PRINTED_DIGITS = 6  # digits of a printed coordinate


@dataclass(frozen=True)
class NewtonIterate:
    """One position, what it leaves of the equations, and the step that leads to the next."""

    q: np.ndarray  # positions as stored, without those of the ground
    Phi: np.ndarray  # of the equations that are solved
    step: np.ndarray  # dq, one for each speed; zero where the iteration ends
    error: float  # the largest equation, lengths relative to the size of the model


class NewtonIterates(Sequence[NewtonIterate]):
    """All iterates; `print` shows them as a table."""

    def __init__(self, items: Sequence[NewtonIterate], names: Sequence[str], converged: bool) -> None:
        self._items, self.names, self.converged = tuple(items), tuple(names), converged

    @overload
    def __getitem__(self, index: int) -> NewtonIterate: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[NewtonIterate, ...]: ...
    def __getitem__(self, index: int | slice) -> NewtonIterate | tuple[NewtonIterate, ...]:
        return self._items[index]

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[NewtonIterate]:
        return iter(self._items)

    @property
    def errors(self) -> np.ndarray:
        """The error of each iterate."""
        return np.array([item.error for item in self._items])

    def __str__(self) -> str:
        titles = ["k", *self.names, "error"]
        cells = [
            [str(k), *(f"{x + 0.0:.{PRINTED_DIGITS}g}" for x in np.round(item.q, 12)), f"{item.error:.1e}"]
            for k, item in enumerate(self._items)
        ]
        widths = [max(len(row[k]) for row in (titles, *cells)) for k in range(len(titles))]
        lines = ["  ".join(c.rjust(w) for c, w in zip(row, widths, strict=True)) for row in (titles, *cells)]
        return "\n".join(lines if self.converged else [*lines, "not converged"])


def newton_iterates(system: System, q: np.ndarray, time: float, iterations: int, tolerance: float) -> NewtonIterates:
    """The iterates from q, at most `iterations` steps, until the error is within `tolerance`."""
    q, reference, work, rows = q.copy(), system.reference.copy(), system.work(), system.complete_rows
    solved = np.flatnonzero(~system.on_velocities & ~system.floating)
    own, numbers, shown = system.own_columns, _stored(system), np.isin(solved, system.listed_rows)
    unit, scale = system.unit, rows.scale[solved]
    tolerance, items, converged = max(tolerance, system.rounding), [], False
    for k in range(iterations + 1):
        status = evaluate_position(system.geometry, rows, q, time, reference, work)
        if status:
            raise system.failure(status, time, work=work)
        phi = work.phi[solved].copy()
        error = float(np.abs(phi / scale).max(initial=0.0))
        if not np.isfinite(error):
            raise ModelError(f"Newton's method on '{system.model.name}' left the range of numbers after {k} steps")
        converged = error <= tolerance
        step = system.speeds()
        if not converged and k < iterations:
            scaled = system.dense_jacobian(work)[solved] * unit / scale[:, None]
            step[system.width :] = unit * np.linalg.lstsq(scaled, -phi / scale, rcond=ROW_NOISE)[0]
        items.append(NewtonIterate(q[numbers], phi[shown], step[system.width :][own], error))
        if converged or k == iterations:
            break
        reference[:] = work.z[:, 0]
        advance(system.geometry, q, step)
    return NewtonIterates(items, _names(system), converged)


def _names(system: System) -> list[str]:
    """Names of the stored coordinates."""
    names = [f"{name} of '{body.name}'" for body in system.bodies for name in system.space.names_of(body)]
    return names + [own.name for own in system.contact_coordinates]


def _stored(system: System) -> np.ndarray:
    """Their places in q."""
    stored = system.space.stored
    kept = [k < len(system.space.names_of(body)) for body in system.bodies for k in range(stored)]
    return stored + np.flatnonzero([*kept, *(True for _ in system.contact_coordinates)])
