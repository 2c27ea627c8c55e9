"""A linearized mechanism: matrices, modes, frequency and time responses."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import scipy.linalg
import scipy.signal
import scipy.sparse as sp

from cardan.errors import ModelError
from cardan.model import check
from cardan.model.model import Model
from cardan.results.linear.modes import Modes, sorted_eigenvalues
from cardan.results.linear.response_peaks import ResponsePeak, response_peaks
from cardan.shortcuts import LinearShortcuts
from cardan.system.system import System

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    Density = ArrayLike | Callable[[np.ndarray], np.ndarray]

CANCELLATION = 1e-9  # of numbers that cancel
MEANINGS = {
    "rest": "deviations from equilibrium",
    "steady motion": "deviations from a steady motion, in axes that rotate with it",
    "motion": "deviations from a motion, frozen at this time: eigenvalues are valid for short times only",
}


class Matrices(NamedTuple):
    """x' = A x + B u, y = C x + D u"""

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray


@dataclass(frozen=True)
class Motions:
    """Displacements and velocities of bodies and forces as functions of the states, and the unreduced equations."""

    system: System
    time: float
    q: np.ndarray
    v: np.ndarray
    turns: np.ndarray
    dq: np.ndarray  # [coordinates, states]
    dv: np.ndarray
    mass: sp.csr_array  # M da + C dv + K dq + J^T dlambda = 0
    damping: sp.csr_array
    stiffness: sp.csr_array
    jacobian: sp.csr_array
    stretch: np.ndarray  # [laws, states]: change of the measure of each force,
    stretching: np.ndarray  # of its rate,
    elastic: np.ndarray  # of the force with values of measures,
    viscous: np.ndarray  # of the force with their rates


class Linearization(LinearShortcuts):
    """Small deviations from a state: x' = A x + B u, y = C x + D u.

    `states`, `inputs`, `outputs` name the rows and columns; a prescribed motion (a driver, a road) has three columns,
    u, u' and u''. `mass`, `damping` and `stiffness` are M, C and K of M z'' + C z' + K z = 0, if there are as
    many rates as displacements. `about` is the kind of state, `residual` the imbalance relative to the largest force.
    """

    def __init__(
        self,
        matrices: Matrices,
        counts: tuple[int, int, int],
        *,
        states: Sequence[str],
        inputs: Sequence[tuple[str, int]],
        outputs: Sequence[str],
        motions: Motions,
        about: str,
        residual: float,
        acceleration: float,
    ) -> None:
        self.A, self.B, self.C, self.D = matrices
        self.displacements, self.rates, self.device_states = counts
        self.states, self.outputs = tuple(states), tuple(outputs)
        self._orders = tuple(inputs)
        self.motions = motions
        self.about, self.residual, self.acceleration = about, residual, acceleration

    @property
    def model(self) -> Model:
        return self.motions.system.model

    @property
    def inputs(self) -> tuple[str, ...]:
        """The columns of B and D."""
        return tuple(name + "'" * k for name, orders in self._orders for k in range(orders))

    @property
    def mass(self) -> np.ndarray:
        """M of M z'' + C z' + K z = 0."""
        self._require_second_order()
        n = self.displacements
        Y = self.motions.dv[:, n : 2 * n]
        return np.asarray(Y.T @ (self.motions.mass @ Y))

    @property
    def damping(self) -> np.ndarray:
        """C of M z'' + C z' + K z = 0; gyroscopic forces included."""
        n, M = self.displacements, self.mass
        return -M @ self.A[n : 2 * n, n : 2 * n]

    @property
    def stiffness(self) -> np.ndarray:
        """K of M z'' + C z' + K z = 0; with the curvature of loaded constraints and of the reference motion."""
        n, M = self.displacements, self.mass
        return -M @ self.A[n : 2 * n, :n]

    def _require_second_order(self) -> None:
        n = self.displacements
        if n != self.rates:
            raise ModelError(
                f"'{self.model.name}' has {n} displacements and {self.rates} rates, because some equations constrain "
                "velocities only: M, C and K do not exist; use A"
            )
        plain = np.allclose(self.A[:n, : 2 * n], np.hstack([np.zeros((n, n)), np.eye(n)]), atol=1e-9, rtol=0.0)
        if not plain:
            raise ModelError(
                f"the displacements of '{self.model.name}' are measured in rotating directions: their rates are not "
                "the second states; pass degrees_of_freedom= for M, C and K, or use A"
            )

    def eigenvalues(self) -> np.ndarray:
        """The eigenvalues of A, the slowest first."""
        return sorted_eigenvalues(np.linalg.eigvals(self.A))

    def modes(self) -> Modes:
        """Frequencies, damping, stability, shapes and energies of all modes."""
        return Modes(self.motions, *np.linalg.eig(self.A))

    def frequency_response(self, frequencies: ArrayLike) -> np.ndarray:
        """G(i w) at angular frequencies w: (frequencies, outputs, inputs). A prescribed motion has one column, u."""
        w = angular_frequencies(frequencies, "frequency_response()")
        n, out = self.A.shape[0], np.zeros((w.size, len(self.outputs), len(self._orders)), complex)
        triangle, Q = scipy.linalg.schur(self.A, "complex") if n else (self.A + 0j, self.A + 0j)
        left, right = self.C @ Q, Q.conj().T @ self.B
        for k, s in enumerate(1j * w):
            B, D = self._at(right, s), self._at(self.D + 0j, s)
            x = scipy.linalg.solve_triangular(s * np.eye(n) - triangle, B) if n else B
            out[k] = left @ x + D
        return out

    def response_derivatives(self, frequency: float) -> np.ndarray:
        """G(i w), dG/dw and d2G/dw2 at an angular frequency w: (3, outputs, inputs).

        With R = (s - A)^-1 and B(s), D(s) of order two in s for prescribed motions,
        G' = C (R B' - R^2 B) + D' and G'' = C (R B'' - 2 R^2 B' + 2 R^3 B) + D'', times i and i^2.
        """
        s, n = 1j * check.number(frequency, "the frequency of response_derivatives()"), self.A.shape[0]
        B, D = ([self._at(columns + 0j, s, order) for order in range(3)] for columns in (self.B, self.D))

        def solved(right: np.ndarray) -> np.ndarray:
            return np.linalg.solve(s * np.eye(n) - self.A, right) if n else right

        x = solved(B[0])
        first = solved(B[1] - x)
        second = solved(B[2] - 2.0 * first)
        parts = zip((x, first, second), D, (1.0, 1j, -1.0), strict=True)
        return np.array([factor * (self.C @ each + own) for each, own, factor in parts])

    def decibels(self, hertz: ArrayLike) -> np.ndarray:
        """20 log10 |G| at frequencies in Hz: (frequencies, outputs, inputs); gains of zero are -inf."""
        gains = np.abs(self.frequency_response(2.0 * np.pi * angular_frequencies(hertz, "decibels()")))
        with np.errstate(divide="ignore"):
            return np.asarray(20.0 * np.log10(gains))

    def response_peaks(self, low: float, high: float) -> list[ResponsePeak]:
        """The maxima of all responses between two frequencies in Hz, the largest gain of each response first.

        >>> from cardan import linearize
        >>> from cardan.planar import Body, Model, Spring, Translational
        >>> model = Model("oscillator")
        >>> mass = model.add(Body(mass=1.0, inertia=1.0), name="mass")
        >>> guide = model.add(Translational(model.ground.at(), mass.at()), name="guide")
        >>> spring = model.add(Spring(guide.travel, 100.0, 2.0, rest_length=0.0), name="spring")
        >>> (peak,) = linearize(model, inputs=[spring], outputs=[guide.travel]).response_peaks(0.1, 10.0)
        >>> f"{peak.hertz:.4f} Hz, {peak.decibels:.3f} dB"      # sqrt(98) / 2 pi
        '1.5756 Hz, -25.977 dB'
        """
        return response_peaks(self, low, high)

    def _at(self, columns: np.ndarray, s: complex, derivative: int = 0) -> np.ndarray:
        """u + s u' + s^2 u'' of the columns of each input, or a derivative of it by s."""
        found, first = np.zeros((columns.shape[0], len(self._orders)), complex), 0
        for k, (_, orders) in enumerate(self._orders):
            for order in range(orders):
                if order >= derivative:
                    found[:, k] += math.perm(order, derivative) * s ** (order - derivative) * columns[:, first + order]
            first += orders
        return found

    def step(self, until: float, count: int = 501) -> tuple[np.ndarray, np.ndarray]:
        """Times and outputs after a unit step of each input: shape (times, outputs, inputs).

        A step of a driver or a road is a step of its position, including the effect of its derivatives at that time.
        """
        return self._time_response(until, count, scipy.signal.step, "step()")

    def impulse(self, until: float, count: int = 501) -> tuple[np.ndarray, np.ndarray]:
        """Times and outputs after a unit impulse of each input: the derivative of step()."""
        return self._time_response(until, count, scipy.signal.impulse, "impulse()")

    def _time_response(self, until: float, count: int, method: Callable[..., Any], what: str) -> Any:
        A, B, C, D = self._joined(what)
        times = np.linspace(
            0.0, check.positive(until, f"the end of {what}"), check.count(count, f"the count of {what}")
        )
        found = np.zeros((times.size, len(self.outputs), len(self._orders)))
        for i, j in np.ndindex(found.shape[1:]):
            found[:, i, j] = method((A, B[:, [j]], C[[i]], D[[i]][:, [j]]), T=times)[1]
        return times, found

    def _joined(self, what: str) -> Matrices:
        """One column for each input; u, u' and u'' of prescribed motions are combined.

        C (s - A)^-1 (B0 + s B1 + s^2 B2) = C (s - A)^-1 (B0 + A B1 + A^2 B2) + C B1 + C A B2 + s C B2
        """
        A, C, inputs = self.A, self.C, len(self._orders)
        B, D = np.zeros((A.shape[0], inputs)), np.zeros((len(self.outputs), inputs))
        first = 0
        for j, (name, orders) in enumerate(self._orders):
            columns = [part[:, first : first + orders] for part in (self.B, self.D)]
            b, d = (np.pad(part, ((0, 0), (0, 3 - orders))) for part in columns)
            B[:, j] = b[:, 0] + A @ (b[:, 1] + A @ b[:, 2])
            D[:, j] = d[:, 0] + C @ (b[:, 1] + A @ b[:, 2])
            faster = np.abs(d[:, 1] + C @ b[:, 2]) > CANCELLATION * (np.abs(d[:, 1]) + np.abs(C) @ np.abs(b[:, 2]))
            endless = np.flatnonzero(faster | (d[:, 2] != 0.0))
            if endless.size:
                raise ModelError(
                    f"{what} cannot combine the position, rate and acceleration of input '{name}': output "
                    f"'{self.outputs[endless[0]]}' depends directly on its rate and would be infinite at the step; use "
                    "frequency_response(), or lsim of to_scipy() with its motion, rate and acceleration"
                )
            first += orders
        return Matrices(A, B, C, D)

    def spectrum(self, psd: Density | Sequence[Density], frequencies: ArrayLike) -> np.ndarray:
        """Power spectral densities of all outputs, shape (frequencies, outputs), from those of the inputs.

        `psd` is a function of w for a single input, or one for each of several uncorrelated inputs:
        S_y = sum_j |G_ij|^2 S_j. Correlated inputs, such as the road under two axles, have cross spectra: a function of
        w, as returned by `road_spectrum()`, or an array of shape (frequencies, inputs, inputs), S_y = G S G*. Mean
        squares are the integrals over w.
        """
        w = angular_frequencies(frequencies, "spectrum()")
        inputs = len(self._orders)
        given = list(psd) if isinstance(psd, Sequence) else [psd]
        tables = [np.asarray(f(w) if callable(f) else f) for f in given]
        response = self.frequency_response(w)
        if len(tables) == 1 and tables[0].ndim == 3:
            return np.einsum("wij,wjk,wik->wi", response, self._crossed(tables[0], w), response.conj()).real
        if len(given) != inputs:
            raise ModelError(f"spectrum() needs a density for each of {inputs} inputs, got {len(given)}")
        densities = np.stack([np.broadcast_to(np.asarray(table, float), w.shape) for table in tables], 1)
        if not (densities >= 0.0).all():
            raise ModelError(f"a spectral density must not be negative, but spectrum() got {np.nanmin(densities):g}")
        return np.einsum("wij,wj->wi", np.abs(response) ** 2, densities)

    def _crossed(self, table: np.ndarray, w: np.ndarray) -> np.ndarray:
        """Check cross spectra: one for each pair of inputs, Hermitian, positive semidefinite."""
        inputs = len(self._orders)
        if table.shape != (w.size, inputs, inputs):
            raise ModelError(
                f"cross spectra of {inputs} inputs at {w.size} frequencies have the shape {(w.size, inputs, inputs)}, "
                f"spectrum() got {table.shape}"
            )
        turned = table.conj().transpose(0, 2, 1)
        size = float(np.abs(table).max(initial=0.0))
        if not np.isfinite(size) or np.abs(table - turned).max(initial=0.0) > CANCELLATION * size:
            raise ModelError("the cross spectra of spectrum() must be finite, and S_jk the conjugate of S_kj")
        if np.linalg.eigvalsh(table).min(initial=0.0) < -CANCELLATION * size:
            raise ModelError(
                "the cross spectra of spectrum() must be positive semidefinite: some combination has negative power"
            )
        return table

    def to_scipy(self, joined: bool = False) -> scipy.signal.StateSpace:
        """A `scipy.signal.StateSpace`; prescribed motions have columns for u, u' and u'', or one with `joined`."""
        matrices = self._joined("to_scipy()") if check.flag(joined, "joined of to_scipy()") else self._apart
        return scipy.signal.StateSpace(*matrices)

    def to_control(self, joined: bool = False) -> Any:
        """A `control.ss` of python-control, which must be installed; `joined` as for to_scipy()."""
        try:
            import control
        except ImportError:
            raise ModelError("to_control() needs python-control: pip install control") from None
        whole = check.flag(joined, "joined of to_control()")
        matrices, inputs = (self._joined("to_control()"), self.input_names) if whole else (self._apart, self.inputs)
        return control.ss(
            *matrices,
            states=_plain_names(self.states),
            inputs=_plain_names(inputs),
            outputs=_plain_names(self.outputs),
        )  # fmt: skip

    @property
    def _apart(self) -> Matrices:
        return Matrices(self.A, self.B, self.C, self.D)

    @property
    def input_names(self) -> tuple[str, ...]:
        """The inputs, each once."""
        return tuple(name for name, _ in self._orders)

    def __repr__(self) -> str:
        counted = (self.displacements, "displacement"), (self.rates, "rate"), (self.device_states, "device state")
        counts = ", ".join(f"{number} {word}{'' if number == 1 else 's'}" for number, word in counted)
        head = f"linearization of '{self.model.name}' at t = {self.motions.time:g} s: {counts}; {MEANINGS[self.about]}"
        if self.about != "motion":
            head += f", {self.residual:.1e} of the largest force out of balance"
        return "\n".join([head, *repr(self.modes()).splitlines()[1:]])


def angular_frequencies(stated: Any, what: str) -> np.ndarray:
    """Checked angular frequencies."""
    try:
        w = np.atleast_1d(np.asarray(stated, float))
    except (TypeError, ValueError):
        w = np.full(1, np.nan)
    if not np.isfinite(w).all() or w.ndim != 1 or not w.size:
        raise ModelError(f"{what} needs finite frequencies in rad/s, one or a list, got {check.describe(stated)}")
    return w


def _plain_names(names: Sequence[str]) -> list[str]:
    """Names for other programs: without dots."""
    return [name.replace(".", "_") for name in names]
