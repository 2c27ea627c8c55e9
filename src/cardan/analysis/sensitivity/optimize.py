r"""optimize(model, parameters, objective): the design that minimizes a number, within limits and constraints.

    min f(p)    low <= p <= high,    g_k(p) >= 0

by SciPy's constrained optimizers, with parameters scaled from 0 to 1 between their limits. A design that cannot be
assembled, balanced or simulated, or is unstable, is a failed trial, with its reason; the search turns back from it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from scipy.optimize import minimize

from cardan.analysis.equilibria.equilibrium import equilibrium
from cardan.analysis.linear.linearize import linearize
from cardan.errors import CardanError, CardanWarning, Interrupted, ModelError, warn
from cardan.model import check
from cardan.model.curves.function_code import function_name
from cardan.model.model import Model
from cardan.model.parameter import Parameter, changed, parameters_of
from cardan.results.design import VIOLATED, Design, Trial

Value: TypeAlias = float | tuple[float, Sequence[float] | np.ndarray]  # a number, or with its derivatives

METHODS = ("SLSQP", "trust-constr", "COBYLA", "COBYQA")
WITH_SLOPES = ("SLSQP", "trust-constr")
FAILED_OBJECTIVE = 10.0  # times the worst objective so far: objective of a failed design
DIFFERENCE = 1e-6  # difference step, relative to the range of a parameter, for objectives without derivatives


def optimize(
    model: Model,
    parameters: Mapping[Any, Sequence[float]],
    objective: Callable[[Model], Value],
    *,
    constraints: Sequence[Callable[[Model], Value]] = (),
    stable: bool = False,
    method: str = "SLSQP",
    tolerance: float = 1e-8,
    trials: int = 200,
) -> Design:
    """Find the parameter values, each within its (low, high), that minimize objective(model).

    `objective` and each of `constraints`, which must be nonnegative, run analyses of the given model and return a
    number, or (number, derivatives) with one derivative per parameter, for example from sensitivities(), gradient() or
    modal_sensitivities(); by default differences are used. With `stable=True` designs whose equilibrium is unstable are
    rejected; otherwise a warning reports if the best one is unstable. The model itself is not changed: see
    `Design.applied`.

    >>> from cardan import equilibrium, optimize, sensitivities
    >>> from cardan.planar import Body, Model, Spring, Translational
    >>> model = Model("scale", gravity=(-10, 0))
    >>> pan = model.add(Body(mass=2.0, inertia=1.0), name="pan")
    >>> guide = model.add(Translational(model.ground.at(), pan.at()), name="guide")
    >>> spring = model.add(Spring(guide.travel, 100.0, rest_length=0.0), name="spring")
    >>> def sinks_by_a_tenth(model):
    ...     rest = equilibrium(model)
    ...     miss = rest[guide.travel].value + 0.1
    ...     return miss**2, 2.0 * miss * sensitivities(rest, "spring.stiffness", guide.travel).derivatives[0]
    >>> design = optimize(model, {"spring.stiffness": (50.0, 400.0)}, sinks_by_a_tenth, tolerance=1e-12)
    >>> round(design.values["spring.stiffness"], 2), spring.stiffness
    (200.0, 100.0)
    """
    check.instance(model, Model, "the model of optimize()")
    check.instance(parameters, Mapping, "the parameters of optimize()", hint="{'spring.stiffness': (low, high)}")
    check.choice(method, METHODS, "the method of optimize()")
    check.function(objective, 1, "the objective of optimize()")
    if not isinstance(constraints, Sequence):
        raise ModelError(f"constraints of optimize() must be a list of functions, got {check.describe(constraints)}")
    for function in constraints:
        check.function(function, 1, "a constraint of optimize()")
    chosen = parameters_of(model, parameters, "optimize()")
    limits = [_limits(one, pair) for one, pair in zip(chosen, parameters.values(), strict=True)]
    search = _Search(model, chosen, limits, check.flag(stable, "stable of optimize()"))
    evaluate = search.evaluator(objective)
    begin = np.array([(p.value - low) / (high - low) for p, (low, high) in zip(chosen, limits, strict=True)])
    first = evaluate(begin)[0]
    if search.trials[0].reason:
        raise ModelError(f"optimize() cannot start from '{model.name}' as given: {search.trials[0].reason}")
    held = [search.evaluator(function, False) for function in constraints]
    search.constrain(held, begin)
    exact = method in WITH_SLOPES
    size = abs(first) or 1.0
    try:
        found = minimize(
            lambda x: evaluate(x)[0] / size,
            begin,
            jac=(lambda x: evaluate(x)[1] / size) if exact else None,
            method=method,
            bounds=[(0.0, 1.0)] * len(chosen),
            constraints=[
                {"type": "ineq", "fun": lambda x, g=g: g(x)[0]} | ({"jac": lambda x, g=g: g(x)[1]} if exact else {})
                for g in held
            ],
            tol=check.positive(tolerance, "the tolerance of optimize()"),
            options={"maxiter": check.count(trials, "the trials of optimize()")},
        )
    except KeyboardInterrupt:
        best = search.best()
        partial = Design(model, chosen, best, search.trials, limits, {}, "interrupted", False)
        words = f"interrupted after {len(search.trials)} trials: .partial is the best design so far"
        raise Interrupted(words, partial=partial) from None
    best = search.best()
    names = [_called(function, k) for k, function in enumerate(constraints)]
    x = search.between(best.values)
    kept = {name: float(g(x)[0]) for name, g in zip(names, held, strict=True)}
    design = Design(model, chosen, best, search.trials, limits, kept, str(found.message), bool(found.success))
    design.unstable = search.growth(best.values)
    _warn_of_growth(design)
    return design


def _warn_of_growth(design: Design) -> None:
    """Warn if the best design is unstable."""
    if design.unstable:
        warn(
            f"the best design of '{design.model.name}' is {design.unstable} about its equilibrium; stable=True rejects "
            "such designs"
        )


class _Search:
    """All trials, each evaluated once."""

    def __init__(self, model: Model, parameters: list[Parameter], limits: list[tuple[float, float]], stable: bool):
        self.model, self.parameters, self.stable = model, parameters, stable
        self.low, self.range = np.array([a for a, _ in limits]), np.array([b - a for a, b in limits])
        self.trials: list[Trial] = []
        self.constraints: list[Any] = []
        self.worst = 0.0

    def constrain(self, constraints: list[Any], begin: np.ndarray) -> None:
        """Add constraints, which must have values at the start of the search."""
        for g in constraints:
            g(begin)
            if self.trials[-1].reason:
                raise ModelError(f"a constraint of optimize() has no value at the start: {self.trials[-1].reason}")
        self.constraints = constraints

    def between(self, values: Any) -> np.ndarray:
        return np.asarray((np.array(values) - self.low) / self.range)

    def evaluator(self, function: Callable[[Model], Any], noted: bool = True) -> Any:
        """A function of x that caches its last evaluation; `noted` if its value is the objective."""
        known: dict[bytes, tuple[float, np.ndarray]] = {}

        def evaluate(x: np.ndarray) -> tuple[float, np.ndarray]:
            x = np.clip(x, 0.0, 1.0)
            key = x.tobytes()
            if key not in known:
                value, slopes, reason = self._evaluated(function, x)
                if noted or reason:
                    self.trials.append(Trial(tuple((self.low + x * self.range).tolist()), value, reason))
                if reason:  # far above all known values, and flat: the search turns back
                    value, slopes = (
                        (self.worst + FAILED_OBJECTIVE * (1.0 + abs(self.worst))) if noted else -1.0,
                        np.zeros(x.size),
                    )
                elif noted:
                    self.worst = max(self.worst, value)
                if slopes is None:
                    slopes = self._differences(function, x, value)
                known[key] = value, slopes
            return known[key]

        return evaluate

    def _evaluated(self, function: Callable[[Model], Any], x: np.ndarray) -> tuple[float, np.ndarray | None, str]:
        values = (self.low + x * self.range).tolist()
        try:
            with warnings.catch_warnings(), changed(self.model, dict(zip(self.parameters, values, strict=True))):
                warnings.simplefilter("ignore", CardanWarning)
                growing = self._instability() if self.stable else ""
                if growing:
                    return np.inf, None, growing
                found = function(self.model)
        except CardanError as error:
            return np.inf, None, str(error)
        value, slopes = found if isinstance(found, tuple) and len(found) == 2 else (found, None)
        value = _number(value, function)
        if not np.isfinite(value):
            return np.inf, None, f"'{function_name(function)}' returns {check.short_repr(found)}"
        if slopes is not None:
            slopes = np.asarray(slopes, float).reshape(-1)
            if slopes.size != x.size:
                raise ModelError(
                    f"{len(self.parameters)} parameters of optimize() need as many derivatives, got {slopes.size}"
                )
            slopes = slopes * self.range
        return value, slopes, ""

    def _instability(self) -> str:
        """A description of the instability of the current equilibrium, if it is unstable."""
        modes = linearize(self.model, equilibrium(self.model, progress=False)).modes()
        if modes.stable is not False:
            return ""
        return f"unstable: a deviation grows by exp({float(modes.eigenvalues.real.max()):.4g} t)"

    def growth(self, values: Sequence[float]) -> str:
        """The same for a design; an empty string if no equilibrium is found."""
        try:
            with warnings.catch_warnings(), changed(self.model, dict(zip(self.parameters, values, strict=True))):
                warnings.simplefilter("ignore", CardanWarning)
                return self._instability()
        except CardanError:
            return ""

    def _differences(self, function: Callable[[Model], Any], x: np.ndarray, value: float) -> np.ndarray:
        """Difference derivatives of a function that returns none; inward at limits."""
        slopes = np.zeros(x.size)
        for k in range(x.size):
            step = DIFFERENCE if x[k] < 0.5 else -DIFFERENCE
            moved = x.copy()
            moved[k] += step
            perturbed, _, reason = self._evaluated(function, moved)
            slopes[k] = 0.0 if reason else (perturbed - value) / step
        return slopes

    def best(self) -> Trial:
        """The least objective among designs that satisfy all constraints, or the design that violates them least."""
        valid = [trial for trial in self.trials if not trial.reason]

        def missed(trial: Trial) -> float:
            x = self.between(trial.values)
            return max([0.0, *(-VIOLATED - g(x)[0] for g in self.constraints)])

        return min(valid, key=lambda trial: (missed(trial), trial.objective))


def _called(function: Any, k: int) -> str:
    """The name of a constraint in the report on a design."""
    name = getattr(function, "__name__", "<lambda>")
    return f"constraint {k}" if name == "<lambda>" else name


def _number(value: Any, function: Any) -> float:
    """The number and derivatives that an objective or a constraint returned."""
    try:
        table = np.asarray(value, float).reshape(-1)
    except (TypeError, ValueError):
        table = np.zeros(0)
    if table.size != 1:
        raise ModelError(
            f"'{function_name(function)}' of optimize() must return a number, or (number, derivatives), got "
            f"{check.describe(value)}"
        )
    return float(table[0])


def _limits(parameter: Parameter, pair: Any) -> tuple[float, float]:
    low, high = check.vector(pair, 2, f"the limits of '{parameter.name}'")
    if not low < high:
        raise ModelError(f"the limits of '{parameter.name}' must increase, got {low:g} to {high:g}")
    if not low <= parameter.value <= high:
        raise ModelError(f"'{parameter.name}' is {parameter.value:g}, outside its limits {low:g} to {high:g}")
    return low, high
