r"""gradient(run, parameters, outputs): the derivatives of one number that depends on a simulated motion.

    G = integral g(y, t) dt + h(y(T))          x' = B T^+ (x - P) + F,   y_p = R xi + S       see `tangents.slopes`

Deviations x are collocated in windows of some steps of the run, at two Gauss points per step; the discrete adjoint
runs backwards, one solution for all parameters, and weights their effects there (see `sensitivity.adjoint`):

    sigma = (H b mu B + H b g_y R) (1 - H a T^+ B)^-1          mu <- mu + sum sigma T^+
    dG/dp += H b (mu F + g_y S) + sigma T^+ (H a F - P)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cardan.analysis.linear.ports import Readings
from cardan.analysis.sensitivity.adjoint import DeviationWeights
from cardan.analysis.sensitivity.adjoint_kernels import Windows as Tables, go_back
from cardan.analysis.sensitivity.motion_sensitivities import checked_arguments
from cardan.analysis.sensitivity.slopes import MotionSlopes
from cardan.analysis.sensitivity.windows import Windows, gauss, products, slopes_along
from cardan.errors import ModelError, SimulationError
from cardan.model import check
from cardan.model.parameter import Parameters
from cardan.numerics.compiled.block import block
from cardan.results.linear.sensitivities import Gradient
from cardan.results.simulation import Simulation
from cardan.results.snapshot import Snapshot

PACES = ((4, 5), (12, 3))  # number of free deviations up to which windows have this many steps; two steps beyond
COMPLEX = 1e-30  # complex step for user functions


def gradient(
    run: Simulation,
    parameters: Parameters,
    outputs: Readings,
    running: Callable[[np.ndarray, float], float] | None = None,
    final: Callable[[np.ndarray, float], float] | None = None,
    *,
    start: Snapshot | None = None,
) -> Gradient:
    """G = integral of running(y, t) dt + final(y at the end), and dG/dp for any number of parameters, by the adjoint
    method.

    y are the outputs, an array: measures, rate(measure), `(measure, "acceleration")`, reaction(joint, "x"), forces,
    blocks and signals, as for motion_sensitivities(). Both functions return one number and are differentiated by the
    complex step, so they must be written with NumPy functions and without abs. Accelerations are differentiated by
    central differences, and deviations integrated over windows of two to five steps of the run: this gives six digits
    at the default tolerance, less if the motion itself is sensitive. The cost is about two and a half runs, plus two
    thirds of a run for each degree of freedom beyond the first. Parameters of masses, springs and gravity are then
    free, points and lengths cost a fifth of a run each; if forces depend on reactions, each parameter costs a run.

    >>> from cardan import gradient, simulate
    >>> from cardan.planar import Body, Model, Spring, Translational
    >>> model = Model("oscillator")
    >>> mass = model.add(Body(mass=1.0, inertia=1.0, position=(0.1, 0.0)), name="mass")
    >>> guide = model.add(Translational(model.ground.at(), mass.at()), name="guide")
    >>> spring = model.add(Spring(guide.travel, 4.0, rest_length=0.0), name="spring")
    >>> g = gradient(simulate(model, 1.0), ["spring.stiffness"], guide.travel, final=lambda y: y[0])
    >>> round(g.value, 8), round(g["spring.stiffness"], 7)
    (-0.04161468, -0.0227324)
    """
    chosen, ports = checked_arguments(run, parameters, outputs, "gradient()")
    if not ports:
        raise ModelError("gradient() needs outputs: list the arguments of running= and final=")
    if running is None and final is None:
        raise ModelError("gradient() has nothing to differentiate: pass running=, final=, or both")
    for what, function, count in (("running", running, 2), ("final", final, 1)):
        if function is not None:
            check.function(function, count, f"{what}= of gradient()")
    windows, slopes = slopes_along(run, 2 * (pace := _pace(run)), pace, ports, start, 2)
    if slopes.joined:
        slopes.follow(chosen)
    total, counted, felt, later, mu = _adjoint(slopes, windows, running, final)
    if slopes.joined:
        found = np.einsum("kx,kxp->p", later, slopes.F) - np.einsum("kx,kxp->p", felt, slopes.P) + mu @ slopes.x0
        return Gradient(total, chosen, found + np.einsum("ko,kop->p", counted.values, slopes.S))
    felt[0] -= counted.add_start(mu)
    counted.add(-felt, later)
    return Gradient(total, chosen, counted.by(chosen))


def _pace(run: Simulation) -> int:
    """The number of steps in a window: long windows are more accurate, but their cost is cubic in the number of
    unknowns."""
    system = run.system
    free = 2 * (system.coordinates - system.row_count) + system.states.start.size
    return next((pace for most, pace in PACES if free <= most), 2)


def _adjoint(
    slopes: MotionSlopes, windows: Windows, running: Callable[..., Any] | None, final: Callable[..., Any] | None
) -> tuple[float, DeviationWeights, np.ndarray, np.ndarray, np.ndarray]:
    """G, and the weights of outputs, deviations and their rates: at all times, then at the start."""
    count, m, size = slopes.left.shape
    stages = windows.inside.shape[1]
    a, b, _ = gauss(stages)
    last, inside, counted, total = windows.ends[-1], windows.inside, DeviationWeights(slopes), 0.0
    felt, later, row, mu = np.zeros((count, size)), np.zeros((count, size)), np.zeros((count, m)), np.zeros(size)
    if running is not None:
        at = inside.reshape(-1)
        values, slope = _derivatives(running, slopes.values[at], windows.run.times[at])
        weight = (windows.lengths[:, None] * b).reshape(-1)
        total = float(weight @ values)
        counted.values[at] = slope * weight[:, None]
        row = (counted.values[:, None] @ slopes.R)[:, 0]
    if final is not None:
        value, slope = _derivative(final, slopes.values[last])
        total += value
        mu += slope @ slopes.R[last] @ slopes.left[last]
        counted.values[last] += slope
        felt[last] += mu
    product, wide = products(slopes.left[inside], slopes.B[inside]), stages * m
    tables = windows.lengths, inside, a, b, product, slopes.left, slopes.B, row, felt, later
    memory = np.zeros((wide, wide)), np.zeros(wide, np.int64), np.zeros(wide)
    if not go_back(block(Tables(*(np.ascontiguousarray(part) for part in (*tables, *memory)))), mu):
        raise SimulationError(f"deviations of '{slopes.run.model.name}' grow too fast to be integrated")
    return total, counted, felt, later, mu


def _derivative(function: Callable[..., Any], y: np.ndarray) -> tuple[float, np.ndarray]:
    """Value and gradient of a function of an array, by the complex step."""
    value = np.asarray(function(y))
    if value.size != 1 or not np.isfinite(value).all():
        raise ModelError(f"a function of gradient() must return one finite number, got {check.describe(value)}")
    perturbed = [np.asarray(function(y + 1j * line)) for line in COMPLEX * np.eye(y.size)]
    if not any(map(np.iscomplexobj, perturbed)) and function(y + 1e-3 * (1.0 + np.abs(y))) != value:
        raise ModelError(
            "a function of gradient() returns real numbers for complex ones, as abs does: the complex step cannot "
            "differentiate it; write np.sqrt(y**2) for abs(y)"
        )
    return float(value.real.reshape(())), np.array([np.imag(number).item() / COMPLEX for number in perturbed])


def _derivatives(running: Callable[..., Any], y: np.ndarray, t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same at many times: at once if the function accepts arrays, otherwise one after the other."""
    last = running(y[-1], t[-1])
    try:
        values = np.asarray(running(y.T, t), float)
        lines = COMPLEX * np.eye(y.shape[1])
        perturbed = [np.asarray(running((y + 1j * line).T, t)) for line in lines]
        slopes = [np.imag(part) / COMPLEX for part in perturbed if np.iscomplexobj(part)]
        known = values.shape == t.shape and len(slopes) == len(lines) and np.isfinite(values).all()
        if known and all(s.shape == t.shape for s in slopes) and values[-1] == last:
            return values, np.stack(slopes, axis=1).reshape(t.size, -1)
    except (TypeError, ValueError):
        pass
    pairs = [_derivative(lambda x, now=now: running(x, now), line) for line, now in zip(y, t.tolist(), strict=True)]
    return np.array([p[0] for p in pairs]), np.stack([p[1] for p in pairs])
