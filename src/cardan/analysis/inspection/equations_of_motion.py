"""The result of `equations`: the terms of the equations at one state, with names, residuals and tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from cardan.analysis.inspection.newton_iterates import NewtonIterates, newton_iterates
from cardan.analysis.inspection.parameter_forms import FORMS, ParameterForm, parameter_form
from cardan.errors import ModelError
from cardan.model import check
from cardan.model.model import Model
from cardan.system.system import System

BY_ROW, BY_COLUMN = ("Phi", "nu", "gamma", "multipliers"), ("v", "h", "Q", "accelerations")
MATRICES = ("Phi_q", "M")
PRINTED_AS_ZERO = 1e-14  # of the largest number in a table: printed as 0


class Known(NamedTuple):
    """Accelerations and multipliers that the result passed as `at` contains."""

    a: np.ndarray | None
    multipliers: np.ndarray | None


class Residuals(NamedTuple):
    """What the state leaves of each set of equations; zero up to rounding if it satisfies them."""

    position: np.ndarray  # Phi, one for each row
    velocity: np.ndarray  # Phi_q v - nu
    acceleration: np.ndarray  # Phi_q a - gamma
    force: np.ndarray  # M a + h + Phi_q^T lambda - Q, one for each column


@dataclass(frozen=True, repr=False)
class EquationsOfMotion:
    """The terms of the equations at one state; `rows` names equations, `columns` coordinates.

    >>> from cardan import equations
    >>> from cardan.planar import Body, Model
    >>> model = Model("falling", gravity=(0, -10))
    >>> stone = model.add(Body(mass=2.0, inertia=0.1), name="stone")
    >>> found = equations(model)
    >>> found.columns, found.accelerations.tolist()
    (("x of 'stone'", "y of 'stone'", "angle of 'stone'"), [0.0, -10.0, 0.0])
    """

    model: Model
    time: float
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    q: np.ndarray  # positions as stored, with those of the ground first
    v: np.ndarray
    Phi: np.ndarray
    Phi_q: np.ndarray
    nu: np.ndarray
    gamma: np.ndarray
    M: np.ndarray
    h: np.ndarray  # velocity terms of inertia: zero in the plane where origins are mass centers
    Q: np.ndarray  # weight and applied forces
    system: System
    solved: tuple[np.ndarray, np.ndarray] | None
    unsolved: str  # why accelerations are not determined
    known: Known

    @property
    def accelerations(self) -> np.ndarray:
        """a of the equations at this state; raises if a motion moves no mass."""
        return self._solution()[0]

    @property
    def multipliers(self) -> np.ndarray:
        """lambda of the same solution; zero for redundant equations."""
        return self._solution()[1]

    @property
    def residuals(self) -> Residuals:
        """What is left of each set of equations, for the accelerations and multipliers of the result passed as `at`.

        Where that result has none, the solution at this state takes their place.
        """
        a = self.accelerations if self.known.a is None else self.known.a
        own = self.known.a is not None and self.known.multipliers is not None
        multipliers = self.known.multipliers if own else None
        if multipliers is None:
            multipliers = self.multipliers
        return Residuals(
            self.Phi,
            self.Phi_q @ self.v - self.nu,
            self.Phi_q @ a - self.gamma,
            self.M @ a + self.h + self.Phi_q.T @ multipliers - self.Q,
        )

    def newton_iterates(self, iterations: int = 20, tolerance: float = 1e-12) -> NewtonIterates:
        """The iterates of Newton's method on Phi = 0 from this position, without the safeguards of `assemble`.

        Phi_q dq = -Phi,  q <- q + dq. If Phi_q has more columns than independent rows, dq is the least such step.
        """
        iterations = check.count(iterations, "iterations")
        return newton_iterates(self.system, self.q, self.time, iterations, check.positive(tolerance, "tolerance"))

    def parameter_form(self, form: str) -> ParameterForm:
        """Nikravesh's form "I", "II" or "III" of these equations, with Euler parameters; in space.

        >>> from cardan import equations
        >>> from cardan.spatial import Body, Model
        >>> model = Model("top")
        >>> top = model.add(Body(mass=1.0, inertia=(1.0, 2.0, 3.0), angular_velocity=(1.0, 0.0, 2.0)), name="top")
        >>> found = equations(model).parameter_form("I")
        >>> found.matrix.shape, found.sigma.tolist()  # 2 omega' J' omega'
        ((8, 8), [26.0])
        """
        check.choice(form, FORMS, "the form of parameter_form()")
        bodies = self.system.bodies
        if self.model.space.dimensions != 3 or len(self.columns) < 6 * len(bodies):
            raise ModelError(
                f"parameter_form() is for models in space whose bodies have six coordinates; '{self.model.name}' has "
                "other ones: use Phi_q, M and Q"
            )
        stored = self.system.space.stored
        p = np.array([self.q[stored * k + 3 : stored * k + 7] for k in range(1, 1 + len(bodies))])
        omega = np.array([self.v[6 * k + 3 : 6 * k + 6] for k in range(len(bodies))])
        names = tuple(body.name for body in bodies), self.rows
        terms = self.M, self.h, self.Q, self.Phi_q, self.gamma
        return parameter_form(form, names, (p.reshape(-1, 4), omega.reshape(-1, 3)), terms)

    def table(self, name: str) -> str:
        """One of the terms as text: Phi_q or M, with names of rows and columns, or a vector with the names of its
        entries."""
        if name in MATRICES:
            rows = self.rows if name == "Phi_q" else self.columns
            return _table(name, self.columns, rows, getattr(self, name))
        if name in BY_ROW or name in BY_COLUMN:
            return _table("", (name,), self.rows if name in BY_ROW else self.columns, getattr(self, name)[:, None])
        known = ", ".join((*MATRICES, *BY_ROW, *BY_COLUMN))
        raise ModelError(f"equations() has no term {name!r}; its terms are {known}")

    def __str__(self) -> str:
        """All terms, for small mechanisms."""
        by_row = np.stack([self.Phi, self.nu, self.gamma], axis=1)
        forces = np.stack([self.v, self.h, self.Q], axis=1)
        parts = [
            f"'{self.model.name}' at t = {self.time:g} s: {len(self.columns)} coordinates, {len(self.rows)} equations",
            _table("constraints", ("Phi", "nu", "gamma"), self.rows, by_row),
            _table("Phi_q", self.columns, self.rows, self.Phi_q),
            _table("M", self.columns, self.columns, self.M),
            _table("forces", ("v", "h", "Q"), self.columns, forces),
        ]
        return "\n\n".join(parts)

    def __repr__(self) -> str:
        return f"<equations of '{self.model.name}' at t = {self.time:g} s: {len(self.rows)} x {len(self.columns)}>"

    def _solution(self) -> tuple[np.ndarray, np.ndarray]:
        if self.solved is None:
            raise ModelError(f"accelerations are not determined: {self.unsolved}")
        return self.solved


def _table(corner: str, titles: tuple[str, ...], names: tuple[str, ...], values: Any) -> str:
    """Numbers in columns of equal width, with titles above and names on the left."""
    tiny = PRINTED_AS_ZERO * float(np.abs(values).max(initial=0.0))
    cells = [[f"{value:.6g}" for value in np.where(np.abs(row) <= tiny, 0.0, row)] for row in values]
    left = max(len(text) for text in (corner, *names))
    widths = [max(len(text) for text in (title, *(row[k] for row in cells))) for k, title in enumerate(titles)]
    lines = [corner.ljust(left) + "".join("  " + t.rjust(w) for t, w in zip(titles, widths, strict=True))]
    for name, row in zip(names, cells, strict=True):
        lines.append(name.ljust(left) + "".join("  " + c.rjust(w) for c, w in zip(row, widths, strict=True)))
    return "\n".join(lines)
