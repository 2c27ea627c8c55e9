"""The result of `symbolic_equations`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from cardan.errors import ModelError
from cardan.model import check
from cardan.model.model import Model

TERMS = ("M", "b", "g", "Q", "Phi", "Phi_q", "nu", "gamma", "E")


@dataclass(frozen=True, repr=False, eq=False)
class SymbolicEquations:
    """M v' + b + g + Phi_q^T lambda = Q, Phi = 0, Phi_q v = nu, Phi_q v' = gamma and q' = E v, as SymPy matrices.

    `coordinates`, `speeds` and `time` are the symbols; `columns` and `rows` name speeds and equations. `values` has the
    values of symbols for masses and gravity, `motions` those of the functions f(t) of drivers. `numbers` evaluates all.
    """

    model: Model
    coordinates: tuple[Any, ...]
    speeds: tuple[Any, ...]
    time: Any
    columns: tuple[str, ...]
    rows: tuple[str, ...]
    M: Any
    b: Any
    g: Any
    Q: Any
    Phi: Any
    Phi_q: Any
    nu: Any
    gamma: Any
    E: Any
    values: dict[Any, float]
    motions: dict[Any, Any]
    _compiled: dict[str, Any] = field(default_factory=dict, init=False)

    def numbers(self, q: ArrayLike, v: ArrayLike | None = None, time: float = 0.0) -> dict[str, np.ndarray]:
        """All terms at a state."""
        place = np.asarray(q, float)
        speeds = np.zeros(len(self.speeds)) if v is None else np.asarray(v, float)
        if place.shape != (len(self.coordinates),) or speeds.shape != (len(self.speeds),):
            raise ModelError(
                f"a state of '{self.model.name}' has {len(self.coordinates)} coordinates and {len(self.speeds)} "
                f"speeds, got the shapes {place.shape} and {speeds.shape}"
            )
        found = {}
        for name in TERMS:
            term = getattr(self, name)
            result = np.asarray(self._function(name)(*place, *speeds, *self._motion(time)), float)
            found[name] = result.reshape(term.shape) if name in ("M", "Phi_q", "E") else result.ravel()
        return found

    def _motion(self, time: float) -> list[float]:
        """Value, rate and acceleration of each driver."""
        time = check.number(time, "the time of symbolic equations")
        return [float(part) for motion in self.motions.values() for part in motion.derivatives(time)]

    def _function(self, name: str) -> Any:
        import sympy as sp

        if name not in self._compiled:
            term, extra = getattr(self, name).subs(self.values), []
            for k, function in enumerate(self.motions):
                stand = sp.symbols(f"f{k}_0 f{k}_1 f{k}_2")
                for order in (2, 1, 0):  # the highest derivative contains the others
                    term = term.subs(sp.diff(function, self.time, order) if order else function, stand[order])
                extra += stand
            self._compiled[name] = sp.lambdify([*self.coordinates, *self.speeds, *extra], term, "numpy", cse=True)
        return self._compiled[name]

    def __repr__(self) -> str:
        return f"<symbolic equations of '{self.model.name}': {len(self.rows)} x {len(self.columns)}>"
