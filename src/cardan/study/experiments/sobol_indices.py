"""sobol_indices(): which share of the variance of an output each parameter causes.

    S_i  = V(E(f | x_i)) / V           of x_i alone                  f_B (f_ABi - f_A) averaged / V      (Saltelli 2010)
    ST_i = 1 - V(E(f | x_~i)) / V      with all its interactions     (f_A - f_ABi)^2 averaged / 2 V      (Jansen 1999)

Without interactions the S_i add up to 1. ST_i close to 0 means that x_i does not matter within its range. Errors are
those of 95 % intervals from repeated drawing of the samples (bootstrap).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cardan.errors import ModelError
from cardan.model import check
from cardan.study.experiments.numbers_of import numbers_of, text_table, warn_of_lost
from cardan.study.experiments.plans import SOBOL
from cardan.study.result import Study

CONFIDENCE = 1.959963984540054  # standard deviations of 95 %
CONSTANT = 1e-14  # relative to the largest value: a spread that is rounding


@dataclass(frozen=True)
class SobolIndices:
    """Shares of each parameter in the variance of an output."""

    output: str
    parameters: tuple[str, ...]
    first: np.ndarray  # S_i
    total: np.ndarray  # ST_i
    first_error: np.ndarray  # half widths of 95 % intervals
    total_error: np.ndarray
    mean: float
    variance: float
    samples: int  # pairs (A, B)

    def __repr__(self) -> str:
        order = np.argsort(-self.total, kind="stable")
        columns = self.first, self.first_error, self.total, self.total_error
        cells = [[self.parameters[k], *(column[k] for column in columns)] for k in order]
        return text_table([f"shares in {self.output}", "first", "+-", "total", "+-"], cells)


def sobol_indices(study: Study, output: str, *, resamples: int = 200, seed: int = 0) -> SobolIndices:
    """First-order and total indices of an output, from a study of a `sobol_plan`.

    Rows with a failed sample are left out, with a warning.
    """
    f = numbers_of(study, output, "sobol_indices()", SOBOL, "sobol_plan()")
    resamples = check.count(resamples, "the resamples of sobol_indices()")
    width = len(study.parameters)
    blocks = f.reshape(width + 2, -1)
    fine = np.isfinite(blocks).all(axis=0)
    warn_of_lost(study, "sobol_indices()", "rows", int((~fine).sum()), fine.size)
    return indices_of(study.parameters, output, blocks[:, fine], resamples, seed)


def indices_of(names: list[str], output: str, blocks: np.ndarray, resamples: int = 200, seed: int = 0) -> SobolIndices:
    """The indices from the values at A, B and all mixtures, one row each."""
    mean, largest = float(blocks[:2].mean()), float(np.abs(blocks).max())
    if np.ptp(blocks[:2]) <= CONSTANT * largest:
        raise ModelError(f"'{output}' is the same in all samples: it has no variance to share; widen the ranges")
    centered = blocks - mean
    random = np.random.default_rng(seed)
    count = blocks.shape[1]
    drawn = np.array([_estimates(centered[:, random.integers(0, count, count)]) for _ in range(resamples)])
    first, total = _estimates(centered)
    errors = CONFIDENCE * drawn.std(axis=0, ddof=1) if resamples > 1 else np.full((2, len(names)), np.nan)
    variance = float(centered[:2].var())
    return SobolIndices(output, tuple(names), first, total, errors[0], errors[1], mean, variance, count)


def _estimates(f: np.ndarray) -> np.ndarray:
    """First-order and total indices."""
    a, b, mixed = f[0], f[1], f[2:]
    variance = f[:2].var()
    return np.array([(b * (mixed - a)).mean(axis=1), 0.5 * ((a - mixed) ** 2).mean(axis=1)]) / variance
