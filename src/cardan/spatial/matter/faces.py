"""The faces of solids for pictures, one after the other, separated by rows of NaN."""

from __future__ import annotations

from typing import Any

import numpy as np

from cardan.model.matter.shape import Lines, circle

SECTORS = 16  # of solids of revolution


def flat(corners: Lines, level: float = 0.0) -> Lines:
    """Plane areas at a height."""
    return tuple(np.column_stack([area, np.full(len(area), level)]) for area in corners)


def prism(corners: np.ndarray, height: float) -> Lines:
    """A plane area, extruded by half the height to either side."""
    (top,), (bottom,) = flat((corners,), 0.5 * height), flat((corners,), -0.5 * height)
    after = np.roll(np.arange(len(corners)), -1)
    sides = [[bottom[k], bottom[n], top[n], top[k]] for k, n in enumerate(after)]
    return (_joined([bottom, top, *sides]),)


def revolved(profile: Any) -> Lines:
    """A solid of revolution about z, from points (radius, z) of its profile; flat at ends off the axis."""
    rings = [np.column_stack([r * _unit(), np.full(SECTORS, z)]) for r, z in np.asarray(profile, float).tolist()]
    ends = [ring for ring in (rings[0], rings[-1]) if np.ptp(ring[:, 0]) > 0.0]
    sides = [
        [low[k], low[k - 1], high[k - 1], high[k]]
        for low, high in zip(rings[:-1], rings[1:], strict=True)
        for k in range(SECTORS)
    ]
    return (_joined([*ends, *sides]),)


def ball(start: float = -0.5 * np.pi, radii: Any = (1.0, 1.0, 1.0)) -> Lines:
    """A ball, or an ellipsoid, from a latitude upward."""
    latitude = np.linspace(start, 0.5 * np.pi, 9 if start < 0.0 else 5)
    (faces,) = revolved(np.stack([np.cos(latitude), np.sin(latitude)], axis=1))
    return (faces * np.array(radii, float),)


def _unit() -> np.ndarray:
    return circle(1.0)[0][:: len(circle(1.0)[0]) // SECTORS]


def _joined(faces: list[Any]) -> np.ndarray:
    gap = np.full((1, 3), np.nan)
    return np.vstack([part for face in faces for part in (np.asarray(face, float), gap)])[:-1]
