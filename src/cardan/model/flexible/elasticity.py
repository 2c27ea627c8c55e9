"""The elastic and damping forces of a flexible body as laws along its modal coordinates.

    K = sum_i k_i l_i l_i^T          a spring k_i along z_i = l_i . eta
    B = sum_i b_i l_i l_i^T          a damper b_i along z_i

with L D L^T of the symmetric matrices: a diagonal matrix has one law for each mode.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from cardan.model.flexible.modal_coordinate import modal_measure
from cardan.model.force import Force, Law
from cardan.model.measure import Measure

NEGLIGIBLE_COUPLING = 1e-12  # of the geometric mean of two diagonal entries


@dataclass(frozen=True, eq=False)
class Elasticity(Force):
    """The forces by which a flexible body resists deformation."""

    body: Any

    @property
    def title(self) -> str:
        return f"the elasticity of {self.body.title}"

    def laws(self) -> tuple[Law, ...]:
        part = self.body.part
        measures = [modal_measure(coordinate) for coordinate in self.body.modal_coordinates]
        K, B = tidy(part.stiffness), tidy(part.damping)
        found = []
        if _is_diagonal(K) and _is_diagonal(B):
            for k, measure in enumerate(measures):
                if K[k, k] > 0.0 or B[k, k] > 0.0:
                    stiffness, damping = float(K[k, k]), float(B[k, k])
                    law = Law(((1.0, measure),), stiffness=stiffness, damping=damping, label=f"mode{k + 1}")
                    found.append(law)
            return tuple(found)
        for k, (factor, line) in enumerate(_squares(K), 1):
            found.append(Law(_terms(line, measures), stiffness=factor, label=f"spring{k}"))
        for k, (factor, line) in enumerate(_squares(B), 1):
            found.append(Law(_terms(line, measures), damping=factor, label=f"damper{k}"))
        return tuple(found)


def tidy(matrix: np.ndarray) -> np.ndarray:
    """A symmetric positive matrix without entries that are rounding errors."""
    size = np.sqrt(np.abs(np.diag(matrix)))
    found = 0.5 * (matrix + matrix.T)
    return np.where(np.abs(found) > NEGLIGIBLE_COUPLING * np.outer(size, size), found, 0.0)


def _terms(line: np.ndarray, measures: list[Measure]) -> tuple[tuple[float, Measure], ...]:
    return tuple((float(c), measure) for c, measure in zip(line, measures, strict=True) if c != 0.0)


def _is_diagonal(matrix: np.ndarray) -> bool:
    return not np.any(matrix - np.diag(np.diag(matrix)))


def _squares(matrix: np.ndarray) -> list[tuple[float, np.ndarray]]:
    """L D L^T, column by column; columns of a semidefinite matrix without a pivot are zero."""
    rest, found = matrix.copy(), []
    least = NEGLIGIBLE_COUPLING * np.diag(matrix)
    for k in range(len(matrix)):
        pivot = rest[k, k]
        if pivot > least[k]:
            line = rest[:, k] / pivot
            line[:k] = 0.0
            found.append((float(pivot), line))
            rest -= pivot * np.outer(line, line)
    return found
