"""Rotations that tests try: at random, and where formulas break, at no turn, at half a turn, and near both."""

from __future__ import annotations

import math

import numpy as np
from numpy.testing import assert_allclose

from cardan.spatial import rotation

CLOSE = 1e-14
AXES = [(1, 0, 0), (0, 1, 0), (0, 0, 1), (-1, 0, 0), (0, -1, 0), (0, 0, -1), (1, 1, 1), (1, -2, 3), (0, -1, 1)]
TURNS = [0.0, 1e-200, 1e-15, 1e-8, 1e-3, math.pi / 2, math.pi - 1e-3, math.pi - 1e-8, math.pi - 1e-15, math.pi]


def random(seed: int, count: int = 200) -> np.ndarray:
    p = np.random.default_rng(seed).normal(size=(count, 4))
    return p / np.linalg.norm(p, axis=1, keepdims=True)


def special() -> np.ndarray:
    """No turn, half a turn, and those near both, about axes of all kinds; each with both signs."""
    p = np.array([rotation.from_axis_angle(axis, turn) for axis in AXES for turn in TURNS])
    return np.concatenate([p, -p])


ALL = np.concatenate([random(1), special()])


def same(p: np.ndarray, q: np.ndarray, within: float = CLOSE) -> None:
    """The same rotations: p and -p are one."""
    sign = np.where(np.sum(p * q, axis=-1, keepdims=True) < 0, -1.0, 1.0)
    assert_allclose(p * sign, q, rtol=0, atol=within)
