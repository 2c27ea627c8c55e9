r"""identify(model, parameters, measured): the parameters with which a model does what was measured.

    min sum_k w_k^2 |y_k(p) - measured_k|^2,    low <= p <= high

by SciPy's trust-region least squares. Derivatives are exact where sensitivities() and motion_sensitivities() know them,
of measures, points and bodies in positions, rests, driven motions and simulations, and differences elsewhere. Standard
errors follow from the scatter that remains: cov = s^2 (J^T J)^-1, s^2 = |r|^2/(n - k).

Exact derivatives of outputs by parameters, where sensitivities() or motion_sensitivities() know them.

"slider.vx"  ->  rate of a coordinate      "A.angle"  ->  measure of a joint      "P.x"  ->  coordinate of a point
":max"       ->  the derivative where the maximum is reached;  ":mean"  ->  the mean of the derivatives;  ...
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.optimize import least_squares

from cardan.errors import CardanError, CardanWarning, ModelError, SimulationError
from cardan.model import check
from cardan.model.measure import Readable
from cardan.model.model import Model
from cardan.results.columns import Columns
from cardan.results.simulation import Simulation
from cardan.shortcuts import SearchShortcuts
from cardan.study.monitor import StudyMonitor, Watched
from cardan.study.outputs import StudyOutput
from cardan.study.search.evaluator import Evaluator

DERIVATIVES = ("auto", "exact", "differences")
# output times of a driven motion whose exact derivatives cost little more than differences by the compiled loop
FEW = 8
RANGE_STEP = 1e-6  # of a range, where differences take their place
FAILED_RESIDUAL = 1e3  # times the size of the measured: the residual of a design that has none


@dataclass(frozen=True)
class Identified(SearchShortcuts):
    """The identified parameters, their standard errors, and the residuals."""

    values: dict[str, float]
    errors: dict[str, float]  # standard errors; infinite if the measurements do not depend on a parameter
    residuals: np.ndarray  # of all measured numbers, weighed
    analyses: int
    converged: bool
    message: str
    exact: bool  # whether derivatives were
    history: tuple[float, ...] = field(repr=False, default=())  # rms of what was left, each time it became less

    @property
    def complete(self) -> bool:
        """Whether the search has ended."""
        return bool(self.message)

    @property
    def rms(self) -> float:
        """The root of the mean square of what is left."""
        return float(np.sqrt(np.mean(self.residuals**2)))

    def __repr__(self) -> str:
        found = ", ".join(f"{name} = {value:.6g} +- {self.errors[name]:.2g}" for name, value in self.values.items())
        how = "exact derivatives" if self.exact else "differences"
        end = "" if self.converged else f"; not converged: {self.message or 'still searching'}"
        return f"identified {found}; rms of what is left {self.rms:.3g}; {self.analyses} analyses, {how}{end}"


def identify(
    model: Model,
    parameters: Mapping[Any, Any],
    measured: Mapping[Any, Any],
    analysis: str = "kinematics",
    *,
    weights: Mapping[Any, float] | None = None,
    tolerance: float = 1e-12,
    derivatives: str = "auto",
    watch: Watched = None,
    **options: Any,
) -> Identified:
    """Find the parameters, each within (low, high), for which outputs fit the measurements best.

    `measured` maps outputs, as in study(), to numbers or curves; NaN means not measured. `weights` are the weights of
    outputs, the reciprocals of their uncertainties. The search starts at the stated values. `derivatives` are "exact",
    "differences" or "auto": exact, or differences if exact ones do not exist or cost much more, as for driven motions
    with many output times. `watch=True` plots the progress; a function is called with the best fit from time to time.

    >>> from cardan.planar import Body, Model, Spring, Translational
    >>> from cardan.study import identify
    >>> model = Model("scale", gravity=(-9.81, 0.0))
    >>> pan = model.add(Body(mass=2.0, inertia=1.0), name="pan")
    >>> guide = model.add(Translational(model.ground.at(), pan.at()), name="guide")
    >>> spring = model.add(Spring(guide.travel, 100.0, rest_length=0.0), name="spring")
    >>> found = identify(model, {"spring.stiffness": (10.0, 500.0)}, {"pan.x": -0.0981}, "equilibrium")
    >>> round(found.values["spring.stiffness"], 6), found.exact                     # m g / 0.0981 m
    (200.0, True)
    """
    check.instance(measured, Mapping, "what identify() fits", hint="{'slider.x': [0.7, 0.69, ...]}")
    if not measured:
        raise ModelError("identify() is given nothing measured; state {'slider.x': [0.7, 0.69, ...]}")
    fit = _Fit(model, parameters, measured, analysis, weights or {}, options)
    fit.watch = StudyMonitor(watch, "identify()")
    fit.choose(check.choice(derivatives, DERIVATIVES, "the derivatives of identify()"))
    begin = fit.unit(fit.evaluator.stated())
    fit.require(begin)
    tolerance = check.positive(tolerance, "the tolerance of identify()")
    tight = {"xtol": tolerance, "ftol": tolerance, "gtol": tolerance}
    inside = np.clip(begin, 1e-9, 1.0 - 1e-9)
    found = least_squares(fit.residuals, inside, fit.jacobian, bounds=(0.0, 1.0), **tight)
    result = fit.result(found.x, found.fun, fit.errors(found), bool(found.success), str(found.message))
    fit.watch.last(result)
    return result


def _measured(data: Any, name: str) -> np.ndarray:
    try:
        return np.asarray(data, float)
    except (TypeError, ValueError):
        raise ModelError(f"what was measured of '{name}' must be numbers, got {check.describe(data)}") from None


class _Fit:
    def __init__(
        self, model: Model, parameters: Any, measured: Mapping, analysis: str, weights: Mapping, options: Mapping
    ) -> None:
        self.evaluator = Evaluator(model, parameters, analysis, [*measured], options, "identify()")
        self.low, self.range = self.evaluator.low, self.evaluator.high - self.evaluator.low
        self.measured: list[np.ndarray] = []
        self.weights: list[float] = []
        for (key, data), shape, output in zip(
            measured.items(), self.evaluator.shapes, self.evaluator.job.outputs, strict=True
        ):
            array = _measured(data, output.name)
            if array.shape != shape:
                raise ModelError(f"'{output.name}' has the shape {shape}, but {array.shape} was measured")
            if not np.isfinite(array).any():
                raise ModelError(f"nothing measured of '{output.name}' is a finite number")
            self.measured.append(array)
            self.weights.append(check.positive(weights.get(key, 1.0), f"the weight of '{output.name}'"))
        if unknown := [str(key) for key in weights if key not in measured]:
            raise ModelError(f"identify() is given a weight of '{unknown[0]}', which was not measured")
        self.known = np.concatenate([np.isfinite(array).ravel() for array in self.measured])
        if self.known.sum() < self.low.size:
            raise ModelError(
                f"{self.known.sum()} measured numbers cannot determine {self.low.size} parameters; measure more"
            )
        self.size = max(float(np.abs(self._flat(self.measured)).max()), 1e-300)
        self.exact = isinstance(model, Model) and analysis in ANALYSES
        self.watch = StudyMonitor(None, "identify()")
        self.history: list[float] = []

    def choose(self, derivatives: str) -> None:
        """Exact derivatives or differences."""
        driven = self.evaluator.job.analysis != "simulate"  # the derivatives of a simulation cost less than its runs
        many = driven and self.evaluator.runner.native and max(map(math.prod, self.evaluator.shapes)) > FEW
        self.exact &= derivatives != "differences" and (derivatives == "exact" or not many)
        self.required = derivatives == "exact"
        if self.required and not self.exact:
            raise ModelError("identify() has no exact derivatives of functions in place of a model or an analysis")

    def unit(self, design: np.ndarray) -> np.ndarray:
        return np.asarray((design - self.low) / self.range)

    def design(self, x: np.ndarray) -> np.ndarray:
        return self.low + self.range * np.clip(x, 0.0, 1.0)

    def require(self, x: np.ndarray) -> None:
        reason = self.evaluator(self.design(x)[None]).reasons[0]
        if reason:
            raise SimulationError(f"identify() cannot begin where the model is stated: {reason}")

    def residuals(self, x: np.ndarray) -> np.ndarray:
        found = self._many(x[None])[0]
        rms = float(np.sqrt(np.mean(found**2)))
        if not self.history or rms < self.history[-1]:
            self.history.append(rms)
            unknown = np.full(x.size, np.nan)
            self.watch.look(lambda: self.result(x, found, unknown, False, ""))
        return found

    def result(self, x: np.ndarray, left: np.ndarray, errors: np.ndarray, converged: bool, message: str) -> Identified:
        names, count = self.evaluator.names, self.evaluator.count
        deviations = dict(zip(names, errors.tolist(), strict=True))
        values = self.evaluator.named(self.design(x))
        return Identified(values, deviations, left, count, converged, message, self.exact, tuple(self.history))

    def jacobian(self, x: np.ndarray) -> np.ndarray:
        if self.exact:
            try:
                return self._exact(x)
            except (CardanError, LookupError) as error:  # a position, a motion or an output without derivatives
                if self.required:
                    raise ModelError(f"identify() has no exact derivatives: {error}") from error
                self.exact = False
        steps = np.where(x < 0.5, RANGE_STEP, -RANGE_STEP)
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
            found.append(np.full(self.known.sum(), FAILED_RESIDUAL * self.size) if reason else self._flat(misses))
        return np.array(found)

    def _flat(self, arrays: list[np.ndarray]) -> np.ndarray:
        return np.concatenate([w * a.ravel() for w, a in zip(self.weights, arrays, strict=True)])[self.known]

    def _exact(self, x: np.ndarray) -> np.ndarray:
        job = self.evaluator.job
        with warnings.catch_warnings(), job.stated(self.design(x)) as model:
            warnings.simplefilter("ignore", CardanWarning)
            result = job.compute(model)
            self.evaluator.count += 1
            slopes = exact_slopes(result, job.parameters, job.outputs, job.options.get("start"))
        columns = [self._flat([slope[..., k] for slope in slopes]) for k in range(x.size)]
        return np.stack(columns, axis=1) * self.range


ANALYSES = ("assemble", "equilibrium", "inverse_dynamics", "kinematics", "simulate", "steady_motion")
ORDERS = ("", "rate", "acceleration")


def exact_slopes(
    result: Any, parameters: Sequence[Any], outputs: Sequence[StudyOutput], start: Any
) -> list[np.ndarray]:
    """Of each output its derivatives, [..., parameters]; the model must be as it was when the result was computed.

    Raises `LookupError` where an output has no exact derivatives, and what sensitivities() raises.
    """
    ports = [port_of(result, output.source) for output in outputs]
    missing = [output.name for output, port in zip(outputs, ports, strict=True) if port is None]
    if missing:
        raise LookupError(f"'{missing[0]}' has no exact derivatives")
    unique = [port for k, port in enumerate(ports) if port not in ports[:k]]
    if isinstance(result, Simulation):
        from cardan.analysis.sensitivity.motion_sensitivities import motion_sensitivities

        found = motion_sensitivities(result, parameters, unique, start=start)
    else:
        from cardan.analysis.sensitivity.sensitivities import sensitivities

        found = sensitivities(result, parameters, unique)
    values = np.reshape(found.values, (-1, len(unique)))
    slopes = np.reshape(found.derivatives, (-1, len(unique), len(parameters)))
    single = found.values.ndim == 1  # a position or a rest
    read = []
    for output, port in zip(outputs, ports, strict=True):
        k = unique.index(port)
        y, dy = values[:, k], slopes[:, k]
        read.append(dy[0] if single else REDUCED[output.reduction](y, dy) if output.reduction else dy)
    return read


def port_of(result: Any, source: Any) -> Any:
    """What sensitivities() calls an output of a study; None if it has no name for it."""
    if isinstance(source, Readable):
        return source
    if not isinstance(source, str):
        return None
    columns = Columns(result.system, forces=False)
    found = columns[source].measure if source in columns else None
    if found is None:
        return None
    measure, order = found
    return (measure, ORDERS[order]) if order else measure


def _peak(y: np.ndarray, dy: np.ndarray) -> np.ndarray:
    k = int(np.abs(y).argmax())
    return np.asarray(np.sign(y[k]) * dy[k])


REDUCED: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "max": lambda y, dy: dy[int(y.argmax())],
    "min": lambda y, dy: dy[int(y.argmin())],
    "mean": lambda y, dy: dy.mean(axis=0),
    "peak": _peak,
    "rms": lambda y, dy: (y[:, None] * dy).mean(axis=0) / max(float(np.sqrt(np.mean(y * y))), 1e-300),
    "range": lambda y, dy: dy[int(y.argmax())] - dy[int(y.argmin())],
    "first": lambda y, dy: dy[0],
    "last": lambda y, dy: dy[-1],
}
