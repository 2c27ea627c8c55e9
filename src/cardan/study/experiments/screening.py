"""morris_effects(): which parameters matter, from few samples.

    d_i = (f(x + step e_i) - f(x)) / step         elementary effects, x in units of the ranges         (Morris 1991)

mu*: mean of |d_i|, the importance (Campolongo 2007); mu: mean of d_i; sigma: deviation of d_i, from curvature and
interaction. A parameter with a small mu* may be fixed; sigma of the size of mu* means that its effect varies.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cardan.errors import ModelError
from cardan.study.experiments.numbers_of import numbers_of, text_table, warn_of_lost
from cardan.study.experiments.plans import MORRIS, MorrisPlan
from cardan.study.result import Study


@dataclass(frozen=True)
class MorrisEffects:
    """Effects of each parameter on an output, for a change over its whole range."""

    output: str
    parameters: tuple[str, ...]
    mu_star: np.ndarray
    mu: np.ndarray
    sigma: np.ndarray
    trajectories: int

    def ranking(self) -> list[str]:
        """Parameters by falling importance."""
        return [self.parameters[k] for k in np.argsort(-self.mu_star, kind="stable")]

    def __repr__(self) -> str:
        order = np.argsort(-self.mu_star, kind="stable")
        cells = [[self.parameters[k], self.mu_star[k], self.mu[k], self.sigma[k]] for k in order]
        return text_table([f"effects on {self.output}", "mu*", "mu", "sigma"], cells)


def morris_effects(study: Study, output: str, plan: MorrisPlan | None = None) -> MorrisEffects:
    """Morris's measures of an output, from a study of a `morris_plan`; pass `plan` if the study was opened from files.

    Trajectories with a failed sample are left out, with a warning.
    """
    f = numbers_of(study, output, "morris_effects()", MORRIS, "morris_plan()")
    known = study.plan if plan is None else plan
    if not isinstance(known, MorrisPlan):
        raise ModelError("morris_effects() of a study from files needs its plan: pass plan=morris_plan(...)")
    low, high = (np.array(side) for side in zip(*known.ranges, strict=True))
    return effects_of(study.parameters, output, (study.samples.values - low) / (high - low), f, study)


def effects_of(
    names: list[str], output: str, u: np.ndarray, f: np.ndarray, study: Study | None = None
) -> MorrisEffects:
    """The measures from samples u, in units of the ranges, and the values there."""
    width = len(names)
    paths, values = u.reshape(-1, width + 1, width), f.reshape(-1, width + 1)
    fine = np.isfinite(values).all(axis=1)
    if study is not None:
        warn_of_lost(study, "morris_effects()", "trajectories", int((~fine).sum()), fine.size)
    paths, values = paths[fine], values[fine]
    steps, changes = np.diff(paths, axis=1), np.diff(values, axis=1)
    which = np.abs(steps).argmax(axis=2)
    effects = np.zeros((len(paths), width))
    along = np.take_along_axis(steps, which[..., None], axis=2)[..., 0]
    np.put_along_axis(effects, which, changes / along, axis=1)
    sigma = effects.std(axis=0, ddof=1) if len(effects) > 1 else np.full(width, np.nan)
    return MorrisEffects(output, tuple(names), np.abs(effects).mean(axis=0), effects.mean(axis=0), sigma, len(effects))
