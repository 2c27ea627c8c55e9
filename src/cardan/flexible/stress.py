"""Stress of a part from its modal coordinates: components, von Mises, principal stresses, and peaks over time.

    sigma = sum_k sigma_k eta_k        six components xx, yy, zz, xy, yz, zx at each point of the skin

Components are superposed before an invariant is taken: von Mises stress is not linear.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cardan.errors import ModelError
from cardan.model import check
from cardan.model.flexible_part import FlexiblePart

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

BLOCK = 1 << 22  # numbers of a block of times


def von_mises(stress: ArrayLike) -> np.ndarray:
    """The von Mises stress of components (..., 6).

    >>> von_mises([[3.0, 0, 0, 0, 0, 0], [0, 0, 0, 1.0, 0, 0]]).round(4)
    array([3.    , 1.7321])
    """
    xx, yy, zz, xy, yz, zx = np.moveaxis(_components(stress), -1, 0)
    normal = (xx - yy) ** 2 + (yy - zz) ** 2 + (zz - xx) ** 2
    return np.asarray(np.sqrt(0.5 * normal + 3.0 * (xy**2 + yz**2 + zx**2)))


def principal(stress: ArrayLike) -> np.ndarray:
    """The principal stresses (..., 3) of components (..., 6), the largest first.

    >>> principal([0.0, 0, 0, 2.0, 0, 0])
    array([ 2.,  0., -2.])
    """
    s = _components(stress)
    matrix = s[..., [[0, 3, 5], [3, 1, 4], [5, 4, 2]]]
    return np.asarray(np.linalg.eigvalsh(matrix)[..., ::-1]) + 0.0


def stress_at(part: FlexiblePart, eta: ArrayLike) -> np.ndarray:
    """The components (..., points, 6) for modal coordinates (..., n)."""
    return np.asarray(np.einsum("pck,...k->...pc", _modes(part), _coordinates(part, eta), optimize=True))


def strain_energy(part: FlexiblePart, eta: ArrayLike) -> np.ndarray:
    """The strain energy of each mode (..., n) in J; modes are orthogonal, their sum is that of the part."""
    coordinates = _coordinates(part, eta)
    return 0.5 * coordinates * (coordinates @ part.stiffness)


@dataclass(frozen=True, eq=False)
class StressPeaks:
    """The largest von Mises stress at each point of the skin, and when: `value` and `time`, one for each point."""

    part: FlexiblePart
    value: np.ndarray  # Pa
    time: np.ndarray  # s

    @property
    def point(self) -> int:
        """The point with the largest value."""
        return int(np.argmax(self.value))

    @property
    def position(self) -> np.ndarray:
        """Its position in the undeformed part."""
        assert self.part.surface is not None
        return np.asarray(self.part.surface.points[self.point])

    def __str__(self) -> str:
        x, y, z = self.position
        k = self.point
        return f"{self.value[k] / 1e6:.4g} MPa at ({x:.4g}, {y:.4g}, {z:.4g}) m, t = {self.time[k]:.6g} s"


def stress_peaks(part: FlexiblePart, times: ArrayLike, eta: ArrayLike) -> StressPeaks:
    """Peaks of the von Mises stress over modal coordinates (times, n); memory does not grow with the times."""
    grid, coordinates = check.times(times), _coordinates(part, eta)
    modes = _modes(part)
    if coordinates.shape != (len(grid), part.modes):
        raise ModelError(f"eta must have a row for each of the {len(grid)} times, got the shape {coordinates.shape}")
    value, at = np.full(len(modes), -1.0), np.zeros(len(modes))
    step = max(1, BLOCK // (6 * len(modes)))
    for first in range(0, len(grid), step):
        found = von_mises(np.einsum("pck,tk->tpc", modes, coordinates[first : first + step], optimize=True))
        best = np.argmax(found, axis=0)
        highest = found[best, np.arange(len(modes))]
        higher = highest > value
        value[higher], at[higher] = highest[higher], grid[first + best[higher]]
    return StressPeaks(part, value, at)


def _modes(part: FlexiblePart) -> np.ndarray:
    if part.stress is None:
        raise ModelError(f"{part.title} has no stress modes: reduce its model with stress=True")
    return np.asarray(part.stress)


def _coordinates(part: FlexiblePart, eta: ArrayLike) -> np.ndarray:
    found = np.asarray(eta, dtype=float)
    if found.ndim < 1 or found.shape[-1] != part.modes:
        raise ModelError(f"eta of {part.title} must have {part.modes} modal coordinates, got the shape {found.shape}")
    return found


def _components(stress: ArrayLike) -> np.ndarray:
    found = np.asarray(stress, dtype=float)
    if found.ndim < 1 or found.shape[-1] != 6:
        raise ModelError(f"stress must have six components xx, yy, zz, xy, yz, zx, got the shape {found.shape}")
    return found
