"""Exact derivatives of the equations of all joints, at one state.

    phi = 0,    J v = nu,    J a + bias = drive            rows r, sums of measures or functions F of them

    J_h dq = df         J dv + G dq = df'         J da + (A + B) dq + V dv = df''

with G = D(J v), A = D(J) a, B = D bias and V = d bias/dv. A function F(x) of arguments x (values of measures, their
rates, the time) with rates r contributes its gradient g to J, and through its second and third derivatives H and T

    D(J^T lambda) += lambda H      D(J v - nu) += r H      bias = g x'' + r H r,    D bias += x'' H + T(r, r) + 2 r H Dr

H and T follow from its second and third derivatives along a rate, which are quadratic and cubic forms of the rate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from cardan.analysis.linear.slopes import Slopes
from cardan.model.element import RATE, TIME, VALUE
from cardan.numerics.functions.function import UserFunction
from cardan.system.system import System


@dataclass
class RowSlopes:
    """The matrices above; `R` maps measures to rows, `pressed` is the contribution of functions to D(J^T lambda)."""

    R: sp.csr_array
    G: sp.csr_array
    A: sp.csr_array
    B: sp.csr_array
    V: sp.csr_array
    pressed: sp.csr_array


def row_slopes(
    system: System, time: float, coefficient: np.ndarray, slopes: Slopes, a: np.ndarray, multipliers: np.ndarray
) -> RowSlopes:
    """The derivatives of all rows, which contain measures with these coefficients."""
    rows, n = system.rows, system.coordinates
    owner = np.repeat(np.arange(system.row_count), np.diff(rows.start.astype(int)))
    shape = (system.row_count, len(system.measures))
    R = sp.csr_array((coefficient, (owner, rows.measure.astype(int))), shape=shape)
    tables = _Tables(slopes)
    found = [R @ tables.rate, R @ slopes.turned(a), R @ tables.bias, R @ tables.bias_v]
    pressed = sp.csr_array((n, n))
    for k, r in enumerate(rows.function.tolist()):
        function = system.equations[r].function
        assert function is not None
        arguments = rows.argument[rows.argument_start[k] : rows.argument_start[k + 1]].astype(int)
        places = [(int(rows.measure[entry]), int(level)) for entry, level in arguments]
        law = _Function(function, places, slopes.z, time)
        parts = (law.on_speeds if rows.velocity[r] else law.on_positions)(tables, a[system.width :])
        unit = sp.csr_array(([1.0], ([r], [0])), shape=(system.row_count, 1))
        found = [table + unit @ part for table, part in zip(found, parts[:4], strict=True)]
        pressed = pressed + float(multipliers[r]) * sp.csr_array(parts[4])
    G, A, B, V = found
    return RowSlopes(R, G, A, B, V, pressed)


class _Tables:
    """The components of function rows, as matrices over the coordinates."""

    def __init__(self, slopes: Slopes) -> None:
        self.J, self.value = slopes.gradients, slopes.matrix(slopes.value_q)
        self.rate, self.bias = slopes.matrix(slopes.rate_q), slopes.matrix(slopes.bias_q)
        self.bias_v = slopes.matrix(slopes.bias_v)


class _Function:
    """A row that is a function of measures."""

    def __init__(self, function: UserFunction, places: Sequence[tuple[int, int]], z: np.ndarray, time: float) -> None:
        self.function, self.places = function, places
        self.x = [time if level == TIME else float(z[m, level]) for m, level in places]
        self.r = np.array([1.0 if level == TIME else float(z[m, level + 1]) for m, level in places])
        self.bias = np.array([0.0 if level == TIME else float(z[m, 2]) for m, level in places])
        n = len(places)
        self.g = self._at(np.zeros(n))[4 : 4 + n]
        along = [self._at(line)[2] for line in np.eye(n)]
        self.H = np.diag(along)
        for i in range(n):
            for j in range(i):
                both = self._at(np.eye(n)[i] + np.eye(n)[j])[2]
                self.H[i, j] = self.H[j, i] = 0.5 * (both - along[i] - along[j])

    def on_positions(self, t: _Tables, a: np.ndarray) -> tuple[Any, ...]:
        """The contribution of the row to G, A, B, V, and D(J^T)."""
        of_time = np.array([level == TIME for _, level in self.places])
        dx, J = self._lines(t.value, ~of_time), self._lines(t.J, ~of_time)
        H, r = self.H, self.r
        B = (self.bias @ H + self._third()) @ dx + 2.0 * (r @ H) @ self._lines(t.rate, ~of_time)
        return _row((r @ H) @ dx), _row((J @ a) @ H @ dx), _row(B), _row(2.0 * (r @ H) @ J), J.T @ (H @ dx)

    def on_speeds(self, t: _Tables, a: np.ndarray) -> tuple[Any, ...]:
        """The same for a velocity constraint, linear in the rates."""
        value, rate = (np.array([level == kind for _, level in self.places]) for kind in (VALUE, RATE))
        dx, J_rate = self._lines(t.value, value), self._lines(t.J, rate)
        H, r = self.H, self.r
        B = (r @ H) @ (dx + self._lines(t.rate, rate)) + self.g @ self._lines(t.rate, value)
        V = (r @ H) @ J_rate + self.g @ self._lines(t.J, value)
        return _row(self.g @ dx), _row((J_rate @ a) @ H @ dx), _row(B), _row(V), J_rate.T @ (H @ dx)

    def _at(self, rates: np.ndarray) -> np.ndarray:
        return np.asarray(self.function.evaluate(self.x, rates.tolist())[1][0])

    def _third(self) -> np.ndarray:
        """T(r, r, .)"""
        r, size = self.r, max(float(np.abs(self.r).max(initial=0.0)), 1e-300)
        lines = size * np.eye(r.size)
        return np.array(
            [(self._at(r + s)[3] - self._at(r - s)[3] - 2.0 * self._at(s)[3]) / (6.0 * size) for s in lines]
        )

    def _lines(self, table: sp.csr_array, kept: np.ndarray) -> np.ndarray:
        """The rows of a table that belong to the arguments, zero unless kept."""
        return np.array(table[[m for m, _ in self.places]].toarray() * kept[:, None])


def _row(line: np.ndarray) -> sp.csr_array:
    return sp.csr_array(line[None])
