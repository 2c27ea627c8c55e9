"""Quantities of a linearization by name: arrays of its eigenvalues, for studies."""

from __future__ import annotations

from typing import Any

import numpy as np

from cardan.results.linear.modes import Modes, sorted_eigenvalues

# name: unit, in the order of the eigenvalues or of the modes that oscillate
EIGENVALUE_OUTPUTS = {
    "eigenvalues.real": "1/s",
    "eigenvalues.imag": "1/s",
    "frequencies": "rad/s",
    "damped_frequencies": "rad/s",
    "damping_ratios": "",
}


def eigenvalue_output(name: str, values: np.ndarray) -> np.ndarray:
    """The quantity of this name, of eigenvalues in any order."""
    if name.startswith("eigenvalues."):
        return np.asarray(getattr(sorted_eigenvalues(values), name.removeprefix("eigenvalues.")))
    nothing: Any = None  # shapes and energies are not needed
    return np.asarray(getattr(Modes(nothing, values, np.zeros((0, values.size))), name))
