r"""identify(model, parameters, measured): the parameters with which a model does what was measured.

    min sum_k w_k^2 |y_k(p) - measured_k|^2,    low <= p <= high

by SciPy's trust-region least squares. Derivatives are exact where sensitivities() knows them, measures of positions,
driven motions and rests, and differences elsewhere. Standard errors follow from the scatter that remains:
cov = s^2 (J^T J)^-1, s^2 = |r|^2/(n - k).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import least_squares

from cardan.errors import CardanError, ModelError, SimulationError
from cardan.model import check
from cardan.model.measure import Readable
from cardan.model.model import Model
from cardan.study.evaluator import Evaluator
from cardan.study.job import as_parameters

EXACT = ("assemble", "equilibrium", "kinematics")  # analyses whose sensitivities are known
STEP = 1e-6  # of a range, where differences take their place
FAILED = 1e3  # times the size of the measured: the residual of a design that has none


@dataclass(frozen=True)
class Identified:
    """Parameters found, how sure they are, and what is left."""

    values: dict[str, float]
    errors: dict[str, float]  # standard errors; infinite where the measured tells nothing of a parameter
    residuals: np.ndarray  # of all measured numbers, weighed
    analyses: int
    converged: bool
    message: str
    exact: bool  # whether derivatives were

    @property
    def rms(self) -> float:
        """The root of the mean square of what is left."""
        return float(np.sqrt(np.mean(self.residuals**2)))

    def __repr__(self) -> str:
        found = ", ".join(f"{name} = {value:.6g} +- {self.errors[name]:.2g}" for name, value in self.values.items())
        how = "exact derivatives" if self.exact else "differences"
        end = "" if self.converged else f"; not converged: {self.message}"
        return f"identified {found}; rms of what is left {self.rms:.3g}; {self.analyses} analyses, {how}{end}"


def identify(
    model: Any,
    parameters: Mapping[Any, Any],
    measured: Mapping[Any, Any],
    analysis: Any = "kinematics",
    *,
    weights: Mapping[Any, float] | None = None,
    tolerance: float = 1e-12,
    **options: Any,
) -> Identified:
    """Find the parameters, each within (low, high), with which outputs agree best with what was measured.

    `measured` maps outputs, as study() takes them, to numbers or curves; NaN: not measured there. `weights` say how
    much each counts, one over its uncertainty. The search begins at the stated values.
    """
    check.instance(measured, Mapping, "what identify() fits", hint="{'slider.x': [0.7, 0.69, ...]}")
    if not measured:
        raise ModelError("identify() is given nothing measured; state {'slider.x': [0.7, 0.69, ...]}")
    fit = _Fit(model, parameters, measured, analysis, weights or {}, options)
    begin = fit.unit(fit.evaluator.stated())
    fit.require(begin)
    tolerance = check.positive(tolerance, "the tolerance of identify()")
    tight = {"xtol": tolerance, "ftol": tolerance, "gtol": tolerance}
    inside = np.clip(begin, 1e-9, 1.0 - 1e-9)
    found = least_squares(fit.residuals, inside, fit.jacobian, bounds=(0.0, 1.0), **tight)
    design = fit.design(found.x)
    errors = dict(zip(fit.evaluator.names, fit.errors(found).tolist(), strict=True))
    named = fit.evaluator.named(design)
    return Identified(named, errors, found.fun, fit.evaluator.count, bool(found.success), str(found.message), fit.exact)


class _Fit:
    def __init__(
        self, model: Any, parameters: Any, measured: Mapping, analysis: Any, weights: Mapping, options: Mapping
    ) -> None:
        self.evaluator = Evaluator(model, parameters, analysis, [*measured], options, "identify()")
        self.low, self.range = self.evaluator.low, self.evaluator.high - self.evaluator.low
        self.measured: list[np.ndarray] = []
        self.weights: list[float] = []
        for (key, data), shape, output in zip(
            measured.items(), self.evaluator.shapes, self.evaluator.job.outputs, strict=True
        ):
            array = np.asarray(data, float)
            if array.shape != shape:
                raise ModelError(f"'{output.name}' has the shape {shape}, but {array.shape} was measured")
            if not np.isfinite(array).any():
                raise ModelError(f"nothing measured of '{output.name}' is a finite number")
            self.measured.append(array)
            self.weights.append(check.positive(weights.get(key, 1.0), f"the weight of '{output.name}'"))
        self.known = np.concatenate([np.isfinite(array).ravel() for array in self.measured])
        if self.known.sum() < self.low.size:
            raise ModelError(
                f"{self.known.sum()} measured numbers cannot tell {self.low.size} parameters; measure more"
            )
        self.size = max(float(np.abs(self._flat(self.measured)).max()), 1e-300)
        sources = [output.source for output in self.evaluator.job.outputs]
        plain = all(isinstance(s, Readable) for s in sources) and not any(
            output.reduction for output in self.evaluator.job.outputs
        )
        self.exact = plain and analysis in EXACT and isinstance(model, Model)

    def unit(self, design: np.ndarray) -> np.ndarray:
        return np.asarray((design - self.low) / self.range)

    def design(self, x: np.ndarray) -> np.ndarray:
        return self.low + self.range * np.clip(x, 0.0, 1.0)

    def require(self, x: np.ndarray) -> None:
        reason = self.evaluator(self.design(x)[None]).reasons[0]
        if reason:
            raise SimulationError(f"identify() cannot begin where the model is stated: {reason}")

    def residuals(self, x: np.ndarray) -> np.ndarray:
        return self._many(x[None])[0]

    def jacobian(self, x: np.ndarray) -> np.ndarray:
        if self.exact:
            try:
                return self._exact(x)
            except CardanError:  # a position without derivatives
                pass
        steps = np.where(x < 0.5, STEP, -STEP)
        moved = self._many(np.concatenate([x[None], x + np.diag(steps), x - np.diag(steps)]))
        k = x.size
        inside = (x - np.abs(steps) >= 0.0) & (x + np.abs(steps) <= 1.0)
        both = (moved[1 : 1 + k] - moved[1 + k :]) / (2.0 * steps[:, None])
        one = (moved[1 : 1 + k] - moved[0]) / steps[:, None]
        return np.where(inside[:, None], both, one).T

    def errors(self, found: Any) -> np.ndarray:
        """Standard errors of the parameters."""
        spare = found.fun.size - found.x.size
        scatter = float(found.fun @ found.fun) / spare if spare > 0 else np.nan
        _, sizes, V = np.linalg.svd(found.jac, full_matrices=False)
        if sizes[-1] <= 1e-12 * sizes[0]:
            return np.full(found.x.size, np.inf)
        return np.asarray(self.range * np.sqrt(scatter * ((V.T / sizes) ** 2).sum(axis=1)))

    def _many(self, x: np.ndarray) -> np.ndarray:
        chunk = self.evaluator(np.array([self.design(one) for one in x]))
        found = []
        for k, reason in enumerate(chunk.reasons):
            misses = [array[k] - data for array, data in zip(chunk.outputs, self.measured, strict=True)]
            found.append(np.full(self.known.sum(), FAILED * self.size) if reason else self._flat(misses))
        return np.array(found)

    def _flat(self, arrays: list[np.ndarray]) -> np.ndarray:
        return np.concatenate([w * a.ravel() for w, a in zip(self.weights, arrays, strict=True)])[self.known]

    def _exact(self, x: np.ndarray) -> np.ndarray:
        from cardan.analysis.sensitivities import sensitivities

        job = self.evaluator.job
        with job.stated(self.design(x)) as model:
            result = job.compute(model)
            self.evaluator.count += 1
            slopes = sensitivities(result, as_parameters(job), [output.source for output in job.outputs]).derivatives
        slopes = slopes.reshape(-1, len(job.outputs), x.size)  # instants, outputs, parameters
        columns = [self._flat([*np.moveaxis(slopes[:, :, k], 1, 0)]) for k in range(x.size)]
        return np.stack(columns, axis=1) * self.range
