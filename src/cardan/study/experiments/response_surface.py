"""response_surface(): a polynomial in place of a model, fitted to the samples of a study by least squares.

    f(x) = b_0 + sum b_i u_i + sum b_ij u_i u_j (i <= j)        u: x scaled to -1 .. 1 over the samples

`r_squared` is the share of the variance that the fit explains; `q_squared` the same with each sample predicted by the
fit to all others, from the diagonal of the hat matrix: it drops if the fit follows noise or misses curvature.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from cardan.errors import ModelError, warn
from cardan.model import check
from cardan.numerics.linalg.rank import ROW_NOISE
from cardan.study.experiments.numbers_of import numbers_of, text_table, warn_of_lost
from cardan.study.result import Study

MIN_FIT_QUALITY = 0.9  # q_squared below which a fit is reported


@dataclass(frozen=True)
class ResponseSurface:
    """A polynomial of degree 1 or 2 in the parameters of a study."""

    output: str
    parameters: tuple[str, ...]
    terms: tuple[tuple[int, ...], ...]  # the parameters that a term multiplies, by number; () is the constant
    coefficients: np.ndarray  # in scaled parameters, -1 .. 1
    low: np.ndarray
    high: np.ndarray
    r_squared: float
    q_squared: float
    residual: float = field(default=0.0)  # standard deviation of the samples from the fit

    def __call__(self, values: Mapping[str, float] | np.ndarray) -> float | np.ndarray:
        """The fitted output at values by name, or at rows of values in the order of `parameters`.

        Values outside the samples are rejected: a polynomial says nothing about them.
        """
        if isinstance(values, Mapping):
            stated = check.known(values, self.parameters, "a response surface")
            if missing := [name for name in self.parameters if name not in stated]:
                raise ModelError(f"the response surface of '{self.output}' needs a value of '{missing[0]}'")
            row = [check.number(stated[name], f"the value of '{name}'") for name in self.parameters]
            return float(self(np.array([row]))[0])  # type: ignore[index]
        x = np.asarray(values, float)
        if x.ndim != 2 or x.shape[1] != len(self.parameters):
            raise ModelError(f"a response surface takes rows of {len(self.parameters)} values, got shape {x.shape}")
        slack = 1e-9 * (self.high - self.low)
        outside = (x < self.low - slack) | (x > self.high + slack) | ~np.isfinite(x)
        if outside.any():
            k, j = (int(i) for i in np.argwhere(outside)[0])
            raise ModelError(
                f"{self.parameters[j]} = {x[k, j]:g} is outside the samples of the response surface, "
                f"{self.low[j]:g} to {self.high[j]:g}"
            )
        return _columns(self._scaled(x), self.terms) @ self.coefficients

    def gradient(self, values: Mapping[str, float]) -> dict[str, float]:
        """The derivatives with respect to the parameters, in their units."""
        self(values)
        u = self._scaled(np.array([[float(values[name]) for name in self.parameters]]))[0]
        slope = np.zeros(u.size)
        for term, b in zip(self.terms, self.coefficients, strict=True):
            for k, one in enumerate(term):
                slope[one] += b * np.prod([u[other] for j, other in enumerate(term) if j != k])
        return dict(zip(self.parameters, (slope * 2.0 / (self.high - self.low)).tolist(), strict=True))

    def _scaled(self, x: np.ndarray) -> np.ndarray:
        return np.asarray((2.0 * x - self.low - self.high) / (self.high - self.low))

    def __repr__(self) -> str:
        named = [" * ".join(self.parameters[k] for k in term) or "constant" for term in self.terms]
        order = [0, *(1 + np.argsort(-np.abs(self.coefficients[1:]), kind="stable"))]
        table = text_table([f"{self.output}, scaled", "coefficient"], [[named[k], self.coefficients[k]] for k in order])
        return f"{table}\nR2 {self.r_squared:.6f}, predicted R2 {self.q_squared:.6f}"


def response_surface(study: Study, output: str, degree: int = 2) -> ResponseSurface:
    """Fit a polynomial of `degree` 1 or 2 to an output of a study of any plan.

    Failed samples are left out, with a warning; another warns if the fit predicts samples poorly.
    """
    f = numbers_of(study, output, "response_surface()")
    if degree not in (1, 2):
        raise ModelError(f"the degree of response_surface() must be 1 or 2, got {degree!r}")
    fine = np.isfinite(f)
    warn_of_lost(study, "response_surface()", "samples", int((~fine).sum()), fine.size)
    x, f, names = study.samples.values[fine], f[fine], tuple(study.parameters)
    low, high = x.min(axis=0), x.max(axis=0)
    if np.any(low == high):
        constant = names[int(np.argmax(low == high))]
        raise ModelError(f"'{constant}' has one value in all samples: response_surface() needs several")
    terms = tuple(
        term for size in range(degree + 1) for term in itertools.combinations_with_replacement(range(len(names)), size)
    )
    if f.size <= len(terms):
        raise ModelError(
            f"a response surface of degree {degree} in {len(names)} parameters has {len(terms)} coefficients, and the "
            f"study has {f.size} samples; take more, or degree=1"
        )
    columns = _columns((2.0 * x - low - high) / (high - low), terms)
    left, sizes, right = np.linalg.svd(columns, full_matrices=False)
    if sizes[-1] <= ROW_NOISE * sizes[0]:
        raise ModelError(
            "the samples do not determine all terms of the response surface: some parameter takes too few values; use "
            "latin_hypercube() or quasi_random(), or degree=1"
        )
    coefficients = right.T @ ((left.T @ f) / sizes)
    rest, leverage = f - columns @ coefficients, np.sum(left**2, axis=1)
    spread = float(np.sum((f - f.mean()) ** 2)) or 1.0
    alone = np.divide(rest, 1.0 - leverage, out=np.full_like(rest, np.inf), where=leverage < 1.0 - ROW_NOISE)
    r_squared, q_squared = 1.0 - float(rest @ rest) / spread, 1.0 - float(alone @ alone) / spread
    if q_squared < MIN_FIT_QUALITY:
        warn(
            f"the response surface of '{output}' predicts samples poorly: predicted R2 is {q_squared:.3f}; narrow the "
            "ranges, or use the model itself"
        )
    deviation = float(np.sqrt(rest @ rest / (f.size - len(terms))))
    return ResponseSurface(output, names, terms, coefficients, low, high, r_squared, q_squared, deviation)


def _columns(u: np.ndarray, terms: tuple[tuple[int, ...], ...]) -> np.ndarray:
    """The value of each term at each row."""
    return np.column_stack([np.prod(u[:, list(term)], axis=1) if term else np.ones(len(u)) for term in terms])
