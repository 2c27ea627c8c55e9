"""The forces of a computed motion: multipliers of all equations, strengths of all applied forces."""

from __future__ import annotations

import numpy as np

from cardan.model.element import Constraint
from cardan.numerics.jit import kernel
from cardan.system.evaluate import evaluate_position
from cardan.system.system import System


class Loads:
    """Multipliers lambda of M a + Phi_q^T lambda = Q, one line for each instant, and the strengths f of all laws."""

    def __init__(
        self,
        system: System,
        multipliers: np.ndarray,
        strengths: np.ndarray,
        touched: np.ndarray,
        signals: np.ndarray | None = None,
    ) -> None:
        self.system, self.multipliers, self.strengths, self.touched = system, multipliers, strengths, touched
        self.signals = np.zeros((len(multipliers), 0)) if signals is None else signals  # outputs of all devices

    @property
    def indeterminate(self) -> tuple[tuple[str, str], ...]:
        """Element and equation of the reactions that rigid bodies leave open; their values are the least ones."""
        system = self.system
        rows = np.flatnonzero(self.touched)
        return tuple((system.elements[system.owner[r]].name, system.equations[r].label) for r in rows)

    def on_bodies(self, element: Constraint, times: np.ndarray, q: np.ndarray, turns: np.ndarray) -> np.ndarray:
        """-Phi_q^T lambda of one element: generalized forces on all bodies, numbered as v, at each instant."""
        system = self.system
        columns = system.columns.astype(np.uint32)
        out = np.zeros((times.size, system.speeds().size))
        rows, reference = system.rows_of(element), system.reference.copy()
        tables = (system.geometry, system.rows, columns, rows, times, q, turns, system.winding, reference)
        _on_bodies(*tables, self.multipliers, system.work(), out)
        return out


@kernel
def _on_bodies(geometry, rows, columns, selected, times, q, turns, winding, reference, multipliers, work, out):
    start, measure = rows.start, rows.measure
    for i in range(times.shape[0]):
        for k in range(winding.shape[0]):
            if turns[i, k] == turns[i, k]:
                reference[winding[k]] = turns[i, k]
        evaluate_position(geometry, rows, q[i], times[i], reference, work)
        jac, coefficient = work.jac, work.coefficient
        for s in range(selected.shape[0]):
            r = selected[s]
            for e in range(start[r], start[r + 1]):
                m, factor = measure[e], -multipliers[i, r] * coefficient[e]
                for c in range(columns.shape[1]):
                    out[i, columns[m, c]] += factor * jac[m, c]
        for m in range(reference.shape[0]):
            reference[m] = work.z[m, 0]
