r"""modal_sensitivities(model, parameters): derivatives of eigenvalues, mode shapes, frequencies and damping.

    (A - s B) x = 0,  c^T x = 1          | A - s B   -B x | | x_p |     | (A_p - s B_p) x |
                                         |   c^T       0  | | s_p | = - |        0        |

A and B are the pencil of `eigenmodes`, before any reduction, so no basis has to be differentiated. A_p and B_p are
their derivatives along the equilibrium or steady motion as it follows the parameter. c selects the coordinate that
moves most.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg

from cardan.analysis.linear.eigenmodes import independent_rows, pencil
from cardan.analysis.linear.equations import Equations
from cardan.analysis.linear.linearize import linearize
from cardan.analysis.linear.point import LinearizationPoint
from cardan.analysis.sensitivity.perturbed import along
from cardan.analysis.sensitivity.sensitivities import resting, state_of, tangents_of
from cardan.analysis.sensitivity.steady import rest_of, steady_tangents
from cardan.analysis.unsupported import reject_impacts
from cardan.model import check
from cardan.model.model import Model
from cardan.model.parameter import Parameters, parameters_of
from cardan.results.linear.sensitivities import ModalSensitivities
from cardan.results.steady.equilibrium import Equilibrium
from cardan.results.steady.steady_motion import SteadyMotion

COINCIDE = 1e-6  # relative to the largest eigenvalue: closer ones count as equal


def modal_sensitivities(
    model: Model, parameters: Parameters, at: Equilibrium | SteadyMotion | None = None
) -> ModalSensitivities:
    """Derivatives of all modes about an equilibrium or steady motion, which itself changes, by named parameters.

    `at` is the equilibrium or steady motion; by default an equilibrium is computed from the given position. The
    conditions of a steady motion stay: a given spin is constant, an unknown one changes. Parameters as for
    sensitivities(). If eigenvalues coincide, the derivatives for each parameter are those of the eigenvalues that
    separate as it changes; shapes then have no derivatives, and neither have defective eigenvalues: NaN.

    >>> from cardan import modal_sensitivities
    >>> from cardan.planar import Body, Model, Spring, Translational
    >>> model = Model("oscillator", gravity=(-9.81, 0))
    >>> mass = model.add(Body(mass=2.0, inertia=1.0), name="mass")
    >>> guide = model.add(Translational(model.ground.at(), mass.at()), name="guide")
    >>> spring = model.add(Spring(guide.travel, 50.0, rest_length=0.0), name="spring")
    >>> s = modal_sensitivities(model, ["mass.mass", "spring.stiffness", "spring.damping"])
    >>> s.frequencies[0, :2].round(9).tolist()             # of w = sqrt(k/m) = 5: -w/2m, w/2k
    [-1.25, 0.05]
    >>> s.damping_ratios[0, 2].round(9)                    # of c/(2 m w)
    np.float64(0.05)
    """
    check.instance(model, Model, "the model of modal_sensitivities()")
    reject_impacts(model, "modal_sensitivities()")
    chosen = parameters_of(model, parameters, "modal_sensitivities()")
    rest = rest_of(model, at, "modal_sensitivities()")
    modes = linearize(model, rest).modes()
    known, point, equations = state_of(rest, [])
    assert equations is not None
    rows = independent_rows(equations)
    A, B = (part.toarray() for part in pencil(equations, rows))
    turns = isinstance(rest, SteadyMotion)
    tangents = steady_tangents(known, chosen) if turns else tangents_of(resting(known, equations, chosen))

    def matrices(perturbed: LinearizationPoint) -> np.ndarray:
        return np.stack([part.toarray() for part in pencil(Equations(perturbed, ()), rows)])

    slopes = [along([known], one, [t], matrices, [point.free])[0] for one, t in zip(chosen, tangents, strict=True)]
    n, size = point.system.coordinates, float(np.abs(modes.eigenvalues).max(initial=0.0))
    values = np.full((len(modes), len(chosen)), np.nan, complex)
    shapes = []
    for k, s in enumerate(modes.eigenvalues):
        dx = np.full((n, len(chosen)), np.nan, complex)
        together = np.flatnonzero(np.abs(modes.eigenvalues - s) <= COINCIDE * size)
        if together.size == 1 and _alone(modes.eigenvalues, k, COINCIDE * size):
            dx, values[k] = _slopes(A, B, s, slopes, n)
        elif k == together[0]:
            values[together] = _parting(A, B, s, slopes, together.size)
        shapes.append(_by_body(point, dx))
    return ModalSensitivities(modes, chosen, values, shapes)


def _slopes(
    A: np.ndarray, B: np.ndarray, s: complex, slopes: list[np.ndarray], n: int
) -> tuple[np.ndarray, np.ndarray]:
    """For one eigenvalue: the derivatives of its shape, whose largest displacement is one, and its own."""
    P = A - s * B
    rows, columns = _even(P, B)
    x = columns * scipy.linalg.svd(rows[:, None] * P * columns)[2][-1].conj()
    largest = int(np.argmax(np.abs(x[:n])))
    x = x / x[largest]
    size = P.shape[0]
    bordered = np.zeros((size + 1, size + 1), complex)
    bordered[:size, :size], bordered[:size, size] = rows[:, None] * P * columns, -rows * (B @ x)
    bordered[size, largest] = 1.0
    right = np.zeros((size + 1, len(slopes)), complex)
    for k, (A_p, B_p) in enumerate(slopes):
        right[:size, k] = -rows * (A_p @ x - s * (B_p @ x))
    found = np.linalg.solve(bordered, right)
    return columns[:n, None] * found[:n], found[size]


def _parting(A: np.ndarray, B: np.ndarray, s: complex, slopes: list[np.ndarray], count: int) -> np.ndarray:
    """For `count` equal eigenvalues: the derivatives of those into which they separate, one column per parameter.

    With as many shapes X and left shapes Y, they are the eigenvalues of (Y* B X)^-1 Y* (A_p - s B_p) X.
    """
    P = A - s * B
    rows, columns = _even(P, B)
    U, sizes, lines = np.linalg.svd(rows[:, None] * P * columns)
    found = np.full((count, len(slopes)), np.nan, complex)
    if count > sizes.size or sizes[-count] > COINCIDE * sizes[0]:
        return found
    X, Y = columns[:, None] * lines[-count:].conj().T, rows[:, None] * U[:, -count:]
    metric = Y.conj().T @ B @ X
    if np.linalg.cond(metric) > 1.0 / COINCIDE:
        return found
    for k, (A_p, B_p) in enumerate(slopes):
        parted = np.linalg.eigvals(np.linalg.solve(metric, Y.conj().T @ (A_p - s * B_p) @ X))
        found[:, k] = parted[np.lexsort((parted.real, parted.imag))]
    return found


def _even(P: np.ndarray, B: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Factors of rows and columns that balance the entries of P."""
    rows, columns = np.abs(P).max(axis=1), np.maximum(np.abs(P).max(axis=0), np.abs(B).max(axis=0))
    return 1.0 / np.where(rows > 0.0, rows, 1.0), 1.0 / np.where(columns > 0.0, columns, 1.0)


def _alone(values: np.ndarray, k: int, near: float) -> bool:
    others = np.concatenate([np.delete(values, k), values[values.imag != 0.0].conj()])
    return not np.any(np.abs(others - values[k]) <= near)


def _by_body(point: LinearizationPoint, table: np.ndarray) -> dict[Any, np.ndarray]:
    width = point.system.width
    return {body: table[width * k : width * (k + 1)] for k, body in enumerate(point.system.bodies)}
