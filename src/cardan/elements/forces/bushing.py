r"""Bushings: elastic joints with stiffness in every direction, and the conversion of matrices to forces along measures.

A symmetric matrix is a sum of springs along combinations of the displacements z,

    K = sum_k w_k u_k u_k^T,        V = z^T K z / 2 = sum_k w_k (u_k . z)^2 / 2

and the law w_k (u_k . z) along the combination u_k . z, one for each k, is exactly -dV/dq: work-conjugate, with its own
energy and an exact stiffness for every solver. Dampers likewise. A matrix that is not symmetric has no energy; it is
computed row by row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from cardan.deprecation import renamed_arguments
from cardan.elements.forces.two_marker_force import TwoMarkerForce
from cardan.errors import ModelError
from cardan.model import check
from cardan.model.body import Vector
from cardan.model.curves.motion import Constant, Motion
from cardan.model.device import Device, Rate, Value
from cardan.model.force import Law
from cardan.model.marker import Marker
from cardan.model.measure import Measure

ZERO_STIFFNESS = 1e-12  # zero tolerance, relative to the largest entry or stiffness
AXES = {2: ("x", "y", "angle"), 3: ("x", "y", "z", "rotation x", "rotation y", "rotation z")}


@renamed_arguments(free="rest_displacement")
@dataclass(frozen=True, eq=False)
class Bushing(TwoMarkerForce[Marker]):
    """A bushing: forces and torques from the displacement of b in the axes of a, and from its rotation.

               y_a                    z = (x, y, angle)                                  in the plane
            .--|-[b]-.                z = (x, y, z, rotation x, rotation y, rotation z)  in space
            |  a---- | x_a
            '--------'                f = K (z - z0) + C z' + preload + curves(z)

    `stiffness` and `damping` are matrices, or their diagonals; a single number is repeated on the diagonal. x, y and z
    are the coordinates of b's point in the axes of a, the rotation is the rotation vector that takes a's axes to b's.
    f > 0 pulls b back; the force on b is -f, along a's axes (torques: along the components of the rotation vector,
    which are the axes for small rotations). `rest_displacement` is z0, `preload` is f at z0. `curves` adds a motion for
    each component, evaluated at the component, such as a hardening `Spline`, or None.

    The matrices must be symmetric, which makes -f the gradient of -z^T K z / 2, and positive semidefinite.
    `allow_negative=True` accepts repelling springs, `symmetric=False` cross-coupled ones, such as those of oil films.

    >>> from cardan.planar import Body, Bushing, Model
    >>> model = Model("engine mount", gravity=(0, -9.81))
    >>> engine = model.add(Body(mass=80.0, inertia=3.0), name="engine")
    >>> mount = model.add(Bushing(model.ground.at(), engine.at(), (2e5, 3e5, 500.0), (300.0, 300.0, 1.0)), name="mount")
    >>> from cardan import equilibrium
    >>> f"{equilibrium(model)[engine].position[1] * 1000:.3f} mm"
    '-2.616 mm'
    """

    stiffness: float | Vector | Sequence[Vector] = 0.0
    damping: float | Vector | Sequence[Vector] = 0.0
    preload: Sequence[float] | None = None
    rest_displacement: Sequence[float] | None = None
    curves: Sequence[Motion | None] | None = None
    symmetric: bool = True
    allow_negative: bool = False

    def check(self) -> None:
        super().check()
        check.flag(self.symmetric, f"symmetric of {self.title}")
        check.flag(self.allow_negative, f"allow_negative of {self.title}")
        for name in ("stiffness", "damping"):
            self._check_matrix(self._matrix(name), name)
        self._vector("preload")
        self._vector("rest_displacement")
        for k, curve in enumerate(self._curves()):
            if curve is not None:
                check.instance(curve, Motion, f"curve {k + 1} of {self.title}", hint="a Spline, for example")

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The components of the displacement."""
        a, b, dimensions = self.a, self.b, len(self.a.place)
        places = [Measure("component", a, b, axis) for axis in "xyz"[:dimensions]]
        if dimensions == 2:
            return (*places, Measure("angle", a, b))
        return (*places, *(Measure("rotation", a, b, axis) for axis in "xyz"))

    def laws(self) -> tuple[Law, ...]:
        z, preload, curves = self.measures, self._vector("preload"), self._curves()
        rest = self._vector("rest_displacement")
        K, C = self._matrix("stiffness"), self._matrix("damping")
        coupled = any(np.any(matrix != np.diag(np.diag(matrix))) for matrix in (K, C))
        laws = []
        for k, measure in enumerate(z):
            own = (0.0, 0.0) if coupled else (float(K[k, k]), float(C[k, k]))
            constant = Constant(preload[k]) if preload[k] else None
            name = AXES[len(self.a.place)][k]
            laws.append(Law(((1.0, measure),), own[0], rest[k], own[1], curves[k], motion=constant, label=name))
        if not coupled:
            return tuple(laws)
        stated = [law for law in laws if law.curve is not None or law.motion is not None]
        for k, (weight, u) in enumerate(principal(0.5 * (K + K.T)), 1):
            stated.append(Law(_along(u, z), stiffness=weight, rest=float(u @ rest), label=f"spring {k}"))
        for k, (weight, u) in enumerate(principal(0.5 * (C + C.T)), 1):
            stated.append(Law(_along(u, z), damping=weight, label=f"damper {k}"))
        for measure, row in zip(z, self._rows, strict=True):
            if row is not None:
                stated.append(Law(((1.0, measure),), signal=row["force"], label=row.name))
        return tuple(stated)

    def load(self, run: Any) -> np.ndarray:
        """f along a run, one row per output time: the force that holds b in its displaced position."""
        z = np.stack([run[measure].value for measure in self.measures], axis=-1)
        rate = np.stack([run[measure].rate for measure in self.measures], axis=-1)
        force = (z - self._vector("rest_displacement")) @ self._matrix("stiffness").T + rate @ self._matrix("damping").T
        for k, curve in enumerate(self._curves()):
            if curve is not None:
                force[..., k] += curve(z[..., k])
        found: np.ndarray = force + self._vector("preload")
        return found

    @cached_property
    def _rows(self) -> tuple[Device | None, ...]:
        """The unsymmetric parts of the matrices, one device per row."""
        K, C = self._matrix("stiffness"), self._matrix("damping")
        inputs = (*(Value(m) for m in self.measures), *(Rate(m) for m in self.measures))
        rest, found = np.array(self._vector("rest_displacement")), []
        for k, row in enumerate(0.5 * np.hstack([K - K.T, C - C.T])):
            numbers = (*row.tolist(), -float(row[: rest.size] @ rest))
            device = Device(_weighted, inputs, ("force",), (), numbers, f"row {AXES[len(self.a.place)][k]}")
            found.append(device if row.any() else None)
        return tuple(found)

    def _matrix(self, name: str) -> np.ndarray:
        """The stiffness or damping as a matrix."""
        stated, size = getattr(self, name), len(AXES[len(self.a.place)])
        what = f"the {name} of {self.title}"
        match check.shape(stated):
            case ():
                return check.number(stated, what) * np.eye(size)
            case (_,):
                return np.diag(check.vector(stated, size, f"{what}, as a diagonal,"))
            case (rows, columns) if rows == columns == size:
                return np.array([check.vector(row, size, f"a row of {what}") for row in stated])
            case shape:
                given = " x ".join(map(str, shape))
                raise ModelError(f"{what} must be a number, {size} numbers or a {size} x {size} matrix, got {given}")

    def _check_matrix(self, matrix: np.ndarray, name: str) -> None:
        """Reject a matrix that is not symmetric, or negative in some direction, unless this is allowed."""
        what, names = f"the {name} of {self.title}", AXES[len(self.a.place)]
        skew = np.abs(matrix - matrix.T)
        i, j = np.unravel_index(np.argmax(skew), skew.shape)
        if self.symmetric and skew[i, j] > ZERO_STIFFNESS * np.abs(matrix).max():
            raise ModelError(
                f"{what} must be symmetric, got {matrix[i, j]:g} from {names[j]} to {names[i]}, but {matrix[j, i]:g} "
                "back; symmetric=False allows it"
            )
        negative = [u for weight, u in principal(0.5 * (matrix + matrix.T)) if weight < 0.0]
        if negative and not self.allow_negative:
            words = ", ".join(f"{c:.3g} {name}" for c, name in zip(negative[0], names, strict=True) if c)
            raise ModelError(f"{what} is negative along ({words}), which is repelling; allow_negative=True allows it")

    def _vector(self, name: str) -> tuple[float, ...]:
        stated, size = getattr(self, name), len(AXES[len(self.a.place)])
        return (0.0,) * size if stated is None else check.vector(stated, size, f"{name} of {self.title}")

    def _curves(self) -> Sequence[Motion | None]:
        size = len(AXES[len(self.a.place)])
        if self.curves is None:
            return (None,) * size
        if not isinstance(self.curves, Sequence) or len(self.curves) != size:
            raise ModelError(
                f"curves of {self.title} must be {size} motions or None, got {check.short_repr(self.curves)}"
            )
        return self.curves


def principal(matrix: np.ndarray) -> list[tuple[float, np.ndarray]]:
    """Weights w and vectors u of a symmetric matrix, matrix = sum w u u^T; zero weights are omitted.

    Rows are scaled by the root of their diagonal entry to make lengths and angles comparable.
    """
    diagonal = np.abs(np.diag(matrix))
    size = np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0))
    weights, vectors = np.linalg.eigh(matrix / np.outer(size, size))
    vectors[np.abs(vectors) < ZERO_STIFFNESS] = 0.0
    heavy = np.abs(weights) > ZERO_STIFFNESS * np.abs(weights).max(initial=0.0)
    return [(float(w), size * u) for w, u, kept in zip(weights, vectors.T, heavy, strict=True) if kept]


def _along(u: np.ndarray, measures: Sequence[Measure]) -> tuple[tuple[float, Measure], ...]:
    return tuple((float(c), m) for c, m in zip(u, measures, strict=True) if c)


def _weighted(*numbers):
    """sum_i x_i c_i + c: as many factors as values before them, and a constant."""
    count = (len(numbers) - 1) // 2
    total = numbers[2 * count]
    for k in range(count):
        total += numbers[k] * numbers[count + k]
    return total
