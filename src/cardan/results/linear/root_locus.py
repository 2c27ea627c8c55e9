"""Eigenvalues over a parameter."""

from __future__ import annotations

import numpy as np

from cardan.shortcuts import Drawable, Savable


class RootLocus(Drawable, Savable):
    """`roots[k]` are the eigenvalues for `values[k]`; each column is one branch."""

    def __init__(self, values: np.ndarray, roots: np.ndarray, name: str) -> None:
        self.values, self.roots, self.name = values, roots, name

    @property
    def stable(self) -> np.ndarray:
        """The parameter values without a growing mode."""
        size = np.abs(self.roots).max(axis=1, initial=0.0)
        return np.asarray(self.roots.real.max(axis=1, initial=-np.inf) <= 1e-7 * size)

    def __repr__(self) -> str:
        span = f"{self.values[0]:g} to {self.values[-1]:g}"
        growing = self.values[~self.stable]
        words = f"unstable for {', '.join(f'{v:g}' for v in growing)}" if growing.size else "stable everywhere"
        return f"root locus over {self.name}, {span}, {self.values.size} values: {words}"
