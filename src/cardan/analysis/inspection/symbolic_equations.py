"""symbolic_equations(model): the equations of a small mechanism as SymPy expressions.

    M(q) v' + b(q, v) + g(q) + Phi_q^T lambda = Q(q, v)        Phi(q) = f(t)      Phi_q v = nu      Phi_q v' = gamma

Frames of all bodies are expressions of the coordinates; M, b and g follow from the Jacobians of mass centers and
angular velocities (Kane's equations), Phi_q and gamma by differentiation. q' = E v; E = 1 without Euler parameters.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from cardan.analysis.inspection.symbolic_frames import (
    Frames,
    MeasureExpressions,
    cartesian_frames,
    matrix,
    number,
    plain,
    tree_frames,
)
from cardan.analysis.joint.joint_space import joint_space
from cardan.errors import ModelError, warn
from cardan.model import check
from cardan.model.matter.added_inertia import TURNING_PART
from cardan.model.model import Model
from cardan.system.compile import compile
from cardan.system.system import System

MAX_SPEEDS = 24  # speeds: expressions of larger mechanisms take minutes and are not read by anyone
MAX_SIMPLIFIED = 100  # operations in an expression that is simplified


def symbolic_equations(
    model: Model, coordinates: str = "joint", *, symbols: bool = False, simplify: bool = True
) -> SymbolicEquations:
    """Phi, Phi_q, nu, gamma, M, b, g and Q as SymPy expressions, with the names of coordinates and equations.

    With `coordinates="joint"` q are the coordinates of the joints of a spanning tree, as in `joint_space`: a tree has
    no equations, closed loops have those of cut joints; drivers are released. With "cartesian" q are the positions of
    all bodies, as in `equations`, and drivers are functions f(t). `symbols=True` replaces masses, inertia and gravity
    by symbols, with their values in `values`. Q contains springs and dampers; a warning names forces left out.
    Expressions that are not too long are simplified.

    Needs SymPy: pip install cardan[symbolic].

    >>> from cardan import symbolic_equations
    >>> from cardan.planar import Body, Model, Revolute
    >>> model = Model("pendulum", gravity=(0, -10))
    >>> bob = model.add(Body(mass=2.0, inertia=0.5, center=(1.5, 0)), name="bob")
    >>> pin = model.add(Revolute(model.ground.at(), bob.at()), name="pin")
    >>> found = symbolic_equations(model, symbols=True)
    >>> found.M, found.g
    (Matrix([[J_bob + 9*m_bob/4]]), Matrix([[-3*gy*m_bob*cos(q_pin_angle)/2]]))
    >>> found.values
    {gy: -10.0, m_bob: 2.0, J_bob: 0.5}
    """
    try:
        import sympy as sp
    except ImportError:
        raise ModelError("symbolic_equations() needs SymPy: pip install cardan[symbolic]") from None
    check.instance(model, Model, "the model of symbolic_equations()")
    check.choice(coordinates, ("joint", "cartesian"), "coordinates of symbolic_equations()")
    check.flag(symbols, "symbols of symbolic_equations()")
    check.flag(simplify, "simplify of symbolic_equations()")
    for body in model.bodies:
        if body.modal_coordinates:
            raise ModelError(f"{body.title} is flexible: symbolic_equations() supports rigid bodies")
    if coordinates == "joint":
        space = joint_space(model)
        system, rows = space.system, space._rows.tolist()
        _require_small(model, len(space.speeds))
        frames = tree_frames(system, space._tables.spanning)
    else:
        system = compile(model, forces=True)
        rows = list(range(system.row_count))
        _require_small(model, system.coordinates)
        frames = cartesian_frames(system)
    if system.contact_coordinates:
        raise ModelError(f"'{model.name}' has contact coordinates, which symbolic_equations() does not support")
    made = _Derivation(system, frames, symbols)
    terms = made.masses() | made.constraints(rows) | {"Q": made.forces()}
    if simplify:
        terms = {name: term.applyfunc(_short) for name, term in terms.items()}
    return SymbolicEquations(
        model=model,
        coordinates=frames.q,
        speeds=frames.v,
        time=sp.Symbol("t", real=True),
        columns=frames.names,
        rows=tuple(system.row_name(r) for r in rows),
        E=frames.E,
        values=made.values,
        motions=made.motions,
        **terms,
    )


def _require_small(model: Model, size: int) -> None:
    if size > MAX_SPEEDS:
        raise ModelError(
            f"'{model.name}' has {size} speeds; symbolic_equations() takes at most {MAX_SPEEDS}: equations() and "
            "joint_space() give the numbers"
        )


def _short(term: Any) -> Any:
    import sympy as sp

    return sp.trigsimp(sp.expand(term)) if term.count_ops() <= MAX_SIMPLIFIED else term


class _Derivation:
    """Expressions of one mechanism."""

    def __init__(self, system: System, frames: Frames, symbols: bool) -> None:
        import sympy as sp

        self.system, self.frames, self.symbols = system, frames, symbols
        self.q, self.v = sp.Matrix(frames.q), sp.Matrix(frames.v)
        self.rates = frames.E * self.v  # q'
        self.values: dict[Any, float] = {}
        self.motions: dict[Any, Any] = {}
        self.measures = MeasureExpressions(system, frames.bodies)

    def masses(self) -> dict[str, Any]:
        """M, b and g: of each body m J_c^T J_c + J_w^T I J_w, with the angular velocity in body axes; of rotors too."""
        import sympy as sp

        size = self.v.rows
        M, b, g = sp.zeros(size, size), sp.zeros(size, 1), sp.zeros(size, 1)
        field = sp.zeros(3, 1)
        for k, value in enumerate(self.system.model.gravity):
            field[k] = self._quantity("g" + "xyz"[k], float(value)) if value else 0
        for body, (axes, origin) in zip(self.system.bodies, self.frames.bodies[1:], strict=True):
            mass, center, inertia = self._matter(body)
            linear = (origin + axes * center).jacobian(self.q) * self.frames.E
            turning = self._angular(axes)
            spin = turning * self.v
            M += mass * linear.T * linear + turning.T * inertia * turning
            bent = self._along(linear * self.v), self._along(spin)
            b += mass * linear.T * bent[0] + turning.T * (inertia * bent[1] + spin.cross(inertia * spin))
            g -= mass * linear.T * field
        for inertia, row in self._rotors():
            M += inertia * row.T * row
            b += inertia * row.T * self._along(row * self.v)
        return {"M": M, "b": b, "g": g}

    def _rotors(self) -> Iterator[tuple[Any, Any]]:
        """The inertia J of each rotor and w, with z' = w v."""
        space = self.system.space
        for rotor in self.system.added:
            inertia = self._quantity(f"J_{plain(rotor.element.name)}", rotor.inertia)
            (A, start), (B, end) = (self.frames.bodies[k] for k in rotor.ends(self.system.number))
            axis = A * matrix(space.marker_in_space(rotor.a)[0][:, "xyz".index(rotor.measure.axes or "z")])
            if rotor.kind == TURNING_PART:
                yield inertia, axis.T * (B * self._angular(B) - A * self._angular(A))
            else:
                travel = axis.T * (end + B * matrix(space.marker_in_space(rotor.b)[1]) - start)
                yield inertia, travel.jacobian(self.q) * self.frames.E

    def constraints(self, rows: list[int]) -> dict[str, Any]:
        """Phi, Phi_q, nu and gamma; a motion f(t) belongs to Phi."""
        import sympy as sp

        t = sp.Symbol("t", real=True)
        found: dict[str, list[Any]] = {"Phi": [], "nu": [], "gamma": []}
        jacobian = sp.zeros(len(rows), self.v.rows)
        for n, r in enumerate(rows):
            equation, owner = self.system.equations[r], self.system.row_name(r)
            if equation.function is not None or equation.velocity:
                raise ModelError(
                    f"{owner} is a user-defined or a velocity constraint: symbolic_equations() supports neither"
                )
            z = self.measures.combination(equation.terms, owner)
            moved = sp.Integer(0)
            if equation.motion is not None:
                moved = sp.Function("f_" + plain(self.system.elements[self.system.owner[r]].name))(t)
                self.motions[moved] = equation.motion
            row = sp.Matrix([z]).jacobian(self.q) * self.frames.E
            jacobian[n, :] = row
            found["Phi"].append(z - number(float(self.system.complete_rows.offset[r])) - moved)
            found["nu"].append(sp.diff(moved, t))
            found["gamma"].append(sp.diff(moved, t, 2) - self._along(row * self.v)[0])
        columns = {name: sp.Matrix(len(rows), 1, terms) for name, terms in found.items()}
        return columns | {"Phi_q": jacobian}

    def forces(self) -> Any:
        """Q of springs and dampers along measures."""
        import sympy as sp

        Q, left_out = sp.zeros(self.v.rows, 1), []
        for element, law in zip(self.system.forces, self.system.laws, strict=True):
            if (
                law.function is not None
                or law.curve
                or law.rate_curve
                or law.motion is not None
                or law.signal is not None
            ):
                left_out.append(element.title)
                continue
            try:
                z = self.measures.combination(law.terms, element.title)
            except ModelError:
                left_out.append(element.title)
                continue
            row = sp.Matrix([z]).jacobian(self.q) * self.frames.E
            strength = number(law.stiffness) * (z - number(law.rest)) + number(law.damping) * (row * self.v)[0]
            Q -= row.T * strength
        if left_out:
            names = ", ".join(dict.fromkeys(left_out))
            warn(f"Q of symbolic_equations() contains springs and dampers only, without {names}")
        return Q

    def _along(self, vector: Any) -> Any:
        """The derivative of a vector due to q' = E v, with constant v."""
        return vector.jacobian(self.q) * self.rates

    def _angular(self, axes: Any) -> Any:
        """J_w: the angular velocity in body axes, the vector of A^T A'."""
        import sympy as sp

        columns = []
        for q in self.frames.q:
            skew = axes.T * axes.diff(q)
            columns.append(sp.Matrix([skew[2, 1] - skew[1, 2], skew[0, 2] - skew[2, 0], skew[1, 0] - skew[0, 1]]) / 2)
        return sp.Matrix.hstack(*columns) * self.frames.E

    def _matter(self, body: Any) -> tuple[Any, Any, Any]:
        import sympy as sp

        mass, center, inertia = self.system.space.matter_in_space(body)
        name = plain(body.name)
        m = self._quantity(f"m_{name}", float(mass))
        if self.system.space.dimensions == 2:
            return m, matrix(center), sp.diag(0, 0, self._quantity(f"J_{name}", float(inertia[2, 2])))
        tensor = sp.zeros(3, 3)
        for i in range(3):
            for j in range(i, 3):
                entry = float(inertia[i, j])
                kept = i == j or entry != 0.0
                tensor[i, j] = tensor[j, i] = self._quantity(f"I{'xyz'[i]}{'xyz'[j]}_{name}", entry) if kept else 0
        return m, matrix(center), tensor

    def _quantity(self, name: str, value: float) -> Any:
        """A symbol with its value, or the value."""
        import sympy as sp

        if not self.symbols:
            return number(value)
        symbol = sp.Symbol(name, real=True)
        self.values[symbol] = value
        return symbol


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
