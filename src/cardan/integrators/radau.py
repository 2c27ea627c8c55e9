"""The implicit method of Radau with three stages, of order 5: for stiff forces.

    z_i = h sum_j a_ij f(y + z_j)          c = (4 - sqrt 6)/10, (4 + sqrt 6)/10, 1

f are the accelerations that the joints leave (index 1); Newton's matrix contains the stiffness and damping of applied
forces only. With w = T^-1 z the three stages fall apart into a real and a complex system (Hairer and Wanner, Solving
Ordinary Differential Equations II, section IV.8):

    (mu/h - f_y) dw = T^-1 f(y + z) - mu/h w

The end of a step is projected on the constraints, and so is its error.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cardan.integrators.stepper import (
    COLLAPSED,
)
from cardan.numerics.compiled.block import allocated, zeros
from cardan.numerics.compiled.jit import kernel
from cardan.numerics.compiled.record import Record
from cardan.numerics.linalg.vector import copy
from cardan.system.cartesian.matrix import OPEN
from cardan.system.implicit import factorize, freeze, solve, solve_complex
from cardan.system.mechanism import begin_step, error_norms, project, rates

ROOT = np.sqrt(6.0)
C = np.array([(4.0 - ROOT) / 10.0, (4.0 + ROOT) / 10.0, 1.0])
A = np.array(
    [
        [(88.0 - 7.0 * ROOT) / 360.0, (296.0 - 169.0 * ROOT) / 1800.0, (-2.0 + 3.0 * ROOT) / 225.0],
        [(296.0 + 169.0 * ROOT) / 1800.0, (88.0 + 7.0 * ROOT) / 360.0, (-2.0 - 3.0 * ROOT) / 225.0],
        [(16.0 - ROOT) / 36.0, (16.0 + ROOT) / 36.0, 1.0 / 9.0],
    ]
)
E = np.array([-13.0 - 7.0 * ROOT, -13.0 + 7.0 * ROOT, -1.0]) / 3.0  # the error, from the z_i
ITERATIONS = 7
RAW = 300.0  # by so much an error across the constraints counts less
SAFETY = 0.9


def _transformation() -> tuple[np.ndarray, np.ndarray, float, complex]:
    """T^-1, T and the eigenvalues of A^-1: rows of T^-1 are its left eigenvectors, real and imaginary parts apart."""
    values, vectors = np.linalg.eig(np.linalg.inv(A).T)
    real = int(np.argmin(np.abs(values.imag)))
    pair = int(np.argmax(values.imag))
    inverse = np.array([vectors[:, real].real, vectors[:, pair].real, vectors[:, pair].imag])
    return inverse, np.linalg.inv(inverse), float(values[real].real), complex(values[pair])


TI, TT, MU_REAL, MU_COMPLEX = _transformation()
POLYNOMIAL = np.linalg.inv(C[:, None] ** np.arange(1, 4))  # coefficients of x, x^2, x^3 from the z_i


class RadauControl(Record):
    """Tolerances."""

    rtol: float  # of speeds
    atol: float  # of positions
    newton_tolerance: float


class RadauHistory(Record):
    """What a step takes over from those before."""

    factor_step: float  # the step size that the factors belong to; 0: none
    last_step: float
    last_error: float
    convergence: float  # rate of Newton's method
    polynomial_known: float  # whether the polynomial of the last step is valid


class RadauMemory(NamedTuple):
    """The stages of the last step, and the mechanism with Newton's matrix."""

    newton: Any  # see `cardan.system.implicit`
    control: Any
    history: Any
    size: np.ndarray  # float64[nv]
    stored: np.ndarray  # float64[nq]: what one unit of each number of q counts as
    rest: np.ndarray  # float64: the same for what follows the speeds; 0 for work
    scales: Any  # of the mechanism
    TI: np.ndarray
    TT: np.ndarray
    C: np.ndarray
    E: np.ndarray
    P: np.ndarray
    z: np.ndarray = zeros(3, "ny")
    w: np.ndarray = zeros(3, "ny")
    f: np.ndarray = zeros(3, "ny")
    r: np.ndarray = zeros(3, "ny")
    polynomial: np.ndarray = zeros(3, "ny")  # of the last step
    trial: np.ndarray = zeros("ny")
    e: np.ndarray = zeros("ny")


def radau_memory(
    newton: Any,
    scales: Any,
    ny: int,
    size: np.ndarray,
    stored: np.ndarray,
    rest: np.ndarray,
    rtol: float,
    atol: float,
) -> Any:
    """Memory of a run; `newton` and `scales` are the mechanism with Newton's matrix."""
    enough = max(10.0 * np.finfo(float).eps / rtol, min(0.03, np.sqrt(rtol)))
    return allocated(
        RadauMemory,
        {"ny": ny},
        newton=newton,
        control=RadauControl(rtol=rtol, atol=atol, newton_tolerance=enough),
        history=RadauHistory(),
        size=size,
        stored=stored,
        rest=rest,
        scales=scales,
        TI=TI,
        TT=np.ascontiguousarray(TT),
        C=C,
        E=E,
        P=POLYNOMIAL,
    )


@kernel(internal=True)
def radau_step(mechanism, stepper, memory):
    """Take one step of a length that the error and Newton's method allow."""
    clock, history = stepper.clock, memory.history
    left = clock.stop - clock.now
    h = min(min(clock.step, clock.longest), stepper.limit[0])
    if h >= 0.999 * left:
        h = left
    # The mechanism may have been evaluated elsewhere since, for an output.
    status = rates(mechanism, clock.now, stepper.y, memory.e)
    if status:
        stepper.outcome.failure = status
        return status
    freeze(memory.newton, clock.now, stepper.y, memory.e)
    history.factor_step, rejected, opened = 0.0, False, 0
    if stepper.flags.forces_jumped:
        history.last_step, history.polynomial_known, stepper.flags.forces_jumped = 0.0, 0.0, 0
    while True:
        if h < clock.shortest:
            stepper.outcome.failure = stepper.outcome.failure or COLLAPSED
            return COLLAPSED
        stepper.outcome.failure = 0
        status, iterations = _solve_stages(mechanism, stepper, memory, h)
        t = clock.now + h
        if status == 0:
            status = project(mechanism, t, memory.trial, memory.e)
            opened += status == OPEN
            if status == OPEN and opened > 3:
                stepper.counters.unclosed += 1
                status = 0
        if status:
            stepper.outcome.failure = status
            stepper.counters.rejected += 1
            rejected = True
            h *= 0.5
            continue
        error = _error(mechanism, stepper, memory, h, rejected)
        safety = SAFETY * (2 * ITERATIONS + 1) / (2 * ITERATIONS + iterations)
        if error <= 1.0:
            break
        stepper.counters.rejected += 1
        rejected = True
        h *= max(0.2, safety * error**-0.25)
    factor = min(8.0, safety * _growth(h, error, history))
    history.last_step, history.last_error, history.polynomial_known = h, max(error, 1e-4), 1.0
    _keep_polynomial(stepper, memory)
    copy(memory.trial, stepper.y)
    clock.now = clock.stop if h == left else t
    clock.step_taken, clock.error = h, error
    proposed = h * (min(1.0, factor) if rejected else factor)
    clock.step = max(proposed, clock.step) if h == left else proposed
    status = begin_step(mechanism, clock.now, stepper.y, stepper.dy)
    if status:
        stepper.outcome.failure = status
    return status


@kernel(internal=True)
def radau_interpolate(mechanism, stepper, memory, t, out):
    """y at t within the last step: the polynomial through its stages, moved to where the projection has led."""
    y_old, Q = stepper.y_old, memory.polynomial
    x = (t - stepper.clock.step_start) / stepper.clock.step_taken
    for i in range(out.shape[0]):
        out[i] = y_old[i] + x * (Q[0, i] + x * (Q[1, i] + x * Q[2, i]))
    return 0


@kernel(once=True)
def _solve_stages(mechanism, stepper, memory, h):
    """Newton's method for z; y at the end in `trial`. Returns (status, iterations)."""
    control, history, z, w, f, r, TI = memory.control, memory.history, memory.z, memory.w, memory.f, memory.r, memory.TI
    y, trial, C, t = stepper.y, memory.trial, memory.C, stepper.clock.now
    if history.factor_step != h:
        scales, s, complex_s = memory.scales, h / MU_REAL, h / MU_COMPLEX
        scales.speed, scales.position = s, s * s
        scales.complex_speed, scales.complex_position = complex_s, complex_s * complex_s
        status = factorize(memory.newton, t, y, memory.e)
        if status:
            return status, 0
        history.factor_step = h
    _predict(stepper, memory, h)
    _times(TI, z, w)
    last, rate = 0.0, 0.0
    mu, re, im = MU_REAL / h, MU_COMPLEX.real / h, MU_COMPLEX.imag / h
    for iteration in range(ITERATIONS):
        for i in range(3):
            for k in range(trial.shape[0]):
                trial[k] = y[k] + z[i, k]
            status = rates(mechanism, t + C[i] * h, trial, f[i])
            if status:
                return status, iteration
        _times(TI, f, r)
        for k in range(trial.shape[0]):
            r[0, k] -= mu * w[0, k]
            r[1, k] -= re * w[1, k] - im * w[2, k]
            r[2, k] -= re * w[2, k] + im * w[1, k]
        solve(memory.newton, t, r[0], trial)
        copy(trial, r[0])
        solve_complex(memory.newton, t, r[1], r[2])
        change = _norm(stepper, memory, r)
        if last > 0.0:
            rate = change / last
            if rate >= 1.0 or rate ** (ITERATIONS - iteration) / (1.0 - rate) * change > control.newton_tolerance:
                return COLLAPSED, iteration
        if not change < np.inf:
            return COLLAPSED, iteration
        for i in range(3):
            for k in range(trial.shape[0]):
                w[i, k] += r[i, k]
        _times(memory.TT, w, z)
        if change == 0.0 or (last > 0.0 and rate / (1.0 - rate) * change < control.newton_tolerance):
            history.convergence = rate
            for k in range(trial.shape[0]):
                trial[k] = y[k] + z[2, k]
            return 0, iteration + 1
        last = change
    return COLLAPSED, ITERATIONS


@kernel(once=True)
def _predict(stepper, memory, h):
    """Start values of z: the polynomial of the last step goes on, or nothing happens."""
    z, Q, history, C = memory.z, memory.polynomial, memory.history, memory.C
    for i in range(3):
        x = 1.0 + C[i] * h / history.last_step if history.polynomial_known != 0.0 else 1.0
        for k in range(z.shape[1]):
            whole = Q[0, k] + Q[1, k] + Q[2, k]
            z[i, k] = x * (Q[0, k] + x * (Q[1, k] + x * Q[2, k])) - whole if history.polynomial_known != 0.0 else 0.0


@kernel(internal=True)
def _times(M, a, out):
    """out = M a for three rows."""
    for k in range(a.shape[1]):
        x, y, z = a[0, k], a[1, k], a[2, k]
        for i in range(3):
            out[i, k] = M[i, 0] * x + M[i, 1] * y + M[i, 2] * z


@kernel(once=True)
def _norm(stepper, memory, d):
    """The size of a correction of all stages relative to the tolerances; work does not count."""
    control, size, stored, y, first = memory.control, memory.size, memory.stored, stepper.y, stepper.sizes.positions
    rest = memory.rest
    total = 0.0
    for i in range(3):
        for k in range(first):
            total += (d[i, k] * stored[k] / control.atol) ** 2
        for k in range(size.shape[0]):
            v = y[first + k] * size[k]
            total += (d[i, first + k] * size[k] / (control.rtol * (1.0 + abs(v)))) ** 2
        for k in range(rest.shape[0]):
            j = first + size.shape[0] + k
            total += (d[i, j] * rest[k] / (control.rtol * (1.0 + abs(y[j] * rest[k])))) ** 2
    return np.sqrt(total / (3.0 * (first + size.shape[0])))


@kernel(once=True)
def _error(mechanism, stepper, memory, h, rejected):
    """The error of the step relative to what is allowed, filtered by the real matrix and by the constraints."""
    z, e, r, E, dy = memory.z, memory.e, memory.r, memory.E, stepper.dy
    for k in range(e.shape[0]):
        r[0, k] = dy[k] + (E[0] * z[0, k] + E[1] * z[1, k] + E[2] * z[2, k]) / h
    solve(memory.newton, stepper.clock.now, r[0], e)
    copy(e, r[1])
    error_norms(mechanism, stepper.clock.now + h, memory.trial, e)
    error = max(np.sqrt(e[0]), np.sqrt(e[1]) / RAW)
    if error <= 1.0 or not rejected:
        return error
    for k in range(e.shape[0]):  # stiff parts are overrated: once more, with f where the error would lead
        r[2, k] = stepper.y[k] + r[1, k]
    status = rates(mechanism, stepper.clock.now, r[2], r[1])
    if status == 0:
        for k in range(e.shape[0]):
            r[0, k] += r[1, k] - dy[k]
        solve(memory.newton, stepper.clock.now, r[0], e)
        project(mechanism, stepper.clock.now + h, memory.trial, r[2])
        error_norms(mechanism, stepper.clock.now + h, memory.trial, e)
        error = max(np.sqrt(e[0]), np.sqrt(e[1]) / RAW)
    return error


@kernel(once=True)
def _growth(h, error, history):
    """The factor for the next step from the errors of this one and of the one before (Gustafsson).

    A step that a contact has cut short has almost no error; the next one need not be shorter.
    """
    error = max(error, 1e-30)
    plain = error**-0.25
    if history.last_step == 0.0:
        return plain
    return max(0.2, min(1.0, h / history.last_step * (history.last_error / error) ** 0.25) * plain)


@kernel(once=True)
def _keep_polynomial(stepper, memory):
    """The polynomial through the stages; at its end it leads to where the projection has led."""
    z, Q, P, y, end = memory.z, memory.polynomial, memory.P, stepper.y, memory.trial
    for k in range(z.shape[1]):
        for i in range(3):
            Q[i, k] = P[i, 0] * z[0, k] + P[i, 1] * z[1, k] + P[i, 2] * z[2, k]
        Q[0, k] += end[k] - y[k] - z[2, k]
