"""Piecewise polynomials as characteristics of forces, exact in every analysis, including their energies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cardan.model.curves.motion import Array, Derivatives, Motion
from cardan.numerics.curves.motions import PIECEWISE, Term
from cardan.numerics.curves.spline import Pieces, evaluate, pack


@dataclass(frozen=True)
class Characteristic(Motion):
    """Between breaks x_i: c_i0 + c_i1 s + ..., s = (x - x_i) / (x_i+1 - x_i); beyond both ends along the tangent."""

    breaks: tuple[float, ...]
    coefficients: tuple[tuple[float, ...], ...]

    @property
    def _pieces(self) -> Pieces:
        return Pieces(np.array(self.breaks), np.array(self.coefficients)[:, None, :])

    def terms(self) -> list[Term]:
        return [Term(PIECEWISE, (1.0, *pack(self._pieces)))]

    def _evaluate(self, t: Array) -> Derivatives:
        value, rate, acceleration, _ = evaluate(self._pieces, t)[:, 0]
        return value, rate, acceleration
