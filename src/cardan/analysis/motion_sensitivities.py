r"""motion_sensitivities(run, parameters) and gradient(run, parameters): derivatives of simulated motions.

    x' = B T^+ (x - P) + F          deviations for one unit of each parameter, see `motion_slopes`

are integrated by Gauss collocation, four instants in each step of the run (order 8): directly, parameter by parameter,
or, of a single number G = integral g(y, t) dt + h(y(T)), backwards by its discrete adjoint, one solution in all:

    sigma = (H b mu B + H b g_y R) (1 - H a T^+ B)^-1          mu <- mu + sum sigma T^+
    dG/dp += H b (mu F + g_y S) + sigma T^+ (H a F - P)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cardan.analysis.linear_ports import is_swept, outputs_of
from cardan.analysis.motion_outputs import outputs_along
from cardan.analysis.motion_slopes import Slopes
from cardan.analysis.motion_weights import Counted
from cardan.analysis.simulate import simulate
from cardan.analysis.unknown import refuse_impacts
from cardan.errors import ModelError
from cardan.model import check
from cardan.model.parameter import Parameter, parameters_of
from cardan.results.sensitivity import Gradient, Sensitivities
from cardan.results.simulation import Simulation

STAGES = 4
PACE = 2  # steps of a run in a window of the adjoint
COMPLEX = 1e-30  # step of derivatives of a user's functional


def motion_sensitivities(run: Simulation, parameters: Any, outputs: Any = (), *, start: Any = None) -> Sensitivities:
    """Derivatives of a simulated motion by named parameters, at the instants of the run, by direct differentiation.

    `run` is a result of simulate(); `start` what it was started from, if anything. The start follows the parameters by
    the least displacement and the least change of speeds that close its joints again, or as parameters such as
    "rod.velocity.x" state it; a `start` that was handed over is not sought anew. Outputs are those of linearize():
    measures, rate(measure), `(measure, "acceleration")`, reaction(joint, "x"), forces, blocks; `coordinates[body]`,
    `velocities[body]` and `accelerations[body]` are always there. Accelerations are differentiated by differences of
    the sixth order, see `motion_slopes` and `motion_outputs`; results are as exact as the run. Where a law has a kink
    that the motion passes, such as the limit of a controller, two digits or three are what is left.

    >>> from cardan import motion_sensitivities, simulate
    >>> from cardan.planar import Body, Model, Spring, Translational
    >>> model = Model("oscillator")
    >>> mass = model.add(Body(mass=1.0, inertia=1.0, position=(0.1, 0.0)), name="mass")
    >>> guide = model.add(Translational(model.ground.at(), mass.at()), name="guide")
    >>> spring = model.add(Spring(guide.travel, 4.0, free_length=0.0), name="spring")
    >>> run = simulate(model, 1.0, output=0.5)
    >>> s = motion_sensitivities(run, "spring.stiffness", guide.travel)
    >>> s.derivatives[:, 0, 0].round(7).tolist()     # of 0.1 cos(t sqrt(k)): -0.1 sin(2 t) t / 4
    [0.0, -0.0105184, -0.0227324]
    """
    _, chosen, ports = _judged(run, parameters, outputs, "motion_sensitivities()")
    swept = [port for port in ports if is_swept(port)]
    H, nodes, ends = _windows(run, start, 0)
    slopes = Slopes(nodes, chosen, swept, start, 6)
    a, b, _ = _gauss()
    x, inside, n = slopes.x0, _inside(ends), slopes.n
    found = []
    for w in range(H.size + 1):
        if ends[w] >= 0:
            k = ends[w]
            xi = slopes.left[k] @ (x - slopes.P[k])
            rate = slopes.B[k] @ xi + slopes.F[k]
            found.append((slopes.values[k], slopes.R[k] @ xi + slopes.S[k], x, rate[n : 2 * n]))
        if w < H.size:
            G, left, F, P, B = (part[0] for part in _window(slopes, inside[w : w + 1], H[w : w + 1], a))
            right = left @ (x + H[w] * np.einsum("ij,jxp->ixp", a, F) - P)
            xi = np.linalg.solve(G, right.reshape(G.shape[0], -1)).reshape(right.shape)
            x = x + H[w] * np.einsum("j,jxp->xp", b, B @ xi + F)
    values, derivatives, states, accelerations = (np.stack(part) for part in zip(*found, strict=True))
    tangents = states[:, :n], states[:, n : 2 * n], accelerations
    values, derivatives = _in_order(run, chosen, ports, (values, derivatives), states)
    return Sensitivities(run.system, run.times, chosen, [p.name for p in ports], values, derivatives, tangents)


def _in_order(
    run: Simulation, chosen: list[Parameter], ports: list[Any], swept: tuple[np.ndarray, np.ndarray], states: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Values and derivatives of all outputs: those that were swept, and those that need accelerations or reactions."""
    solved = [k for k, port in enumerate(ports) if not is_swept(port)]
    if not solved:
        return swept
    values, derivatives = np.zeros((len(run), len(ports))), np.zeros((len(run), len(ports), len(chosen)))
    others = [k for k in range(len(ports)) if k not in solved]
    values[:, others], derivatives[:, others] = swept
    values[:, solved], derivatives[:, solved] = outputs_along(run, chosen, [ports[k] for k in solved], states)
    return values, derivatives


def gradient(
    run: Simulation,
    parameters: Any,
    outputs: Any,
    running: Callable[..., Any] | None = None,
    final: Callable[..., Any] | None = None,
    *,
    start: Any = None,
) -> Gradient:
    """G = integral of running(y, t) dt + final(y at the end), and dG/dp for any number of parameters, by the adjoint.

    y are the outputs, an array; both functions return one number and are differentiated by the complex step, so they
    must be written with NumPy's functions and without abs. Accelerations are differentiated by central differences,
    and deviations integrated over windows of two steps of the run: five digits or more at its usual tolerance. Where a
    parameter moves forces and masses alone, it costs little more than an evaluation of forces along the run.

    >>> from cardan import gradient, simulate
    >>> from cardan.planar import Body, Model, Spring, Translational
    >>> model = Model("oscillator")
    >>> mass = model.add(Body(mass=1.0, inertia=1.0, position=(0.1, 0.0)), name="mass")
    >>> guide = model.add(Translational(model.ground.at(), mass.at()), name="guide")
    >>> spring = model.add(Spring(guide.travel, 4.0, free_length=0.0), name="spring")
    >>> g = gradient(simulate(model, 1.0), ["spring.stiffness"], guide.travel, final=lambda y: y[0])
    >>> round(g.value, 8), round(g["spring.stiffness"], 7)
    (-0.04161468, -0.0227324)
    """
    _, chosen, ports = _judged(run, parameters, outputs, "gradient()")
    _require_swept(ports)
    if running is None and final is None:
        raise ModelError("gradient() is given nothing to differentiate: state running=, final=, or both")
    for what, function, count in (("running", running, 2), ("final", final, 1)):
        if function is not None:
            check.function(function, count, f"{what}= of gradient()")
    H, nodes, ends = _windows(run, start, PACE)
    directly = chosen if nodes.system.devices else []  # forces of devices are found by solving for accelerations
    slopes = Slopes(nodes, directly, ports, start, 2)
    a, b, _ = _gauss()
    last, counted = ends[-1], Counted(slopes)
    total, mu = 0.0, np.zeros(slopes.x0.shape[0])
    if final is not None:
        total, slope = _derivative(final, slopes.values[last])
        mu = slope @ slopes.R[last] @ slopes.left[last]
        counted.values[last] += slope
        counted.add(last, -mu)
        reached = mu
    inside = _inside(ends)
    G, left, F, P, B = _window(slopes, inside, H, a)
    count, m, size = H.size, B.shape[3], B.shape[2]
    solved = np.linalg.solve(G, left.reshape(count, STAGES * m, size))  # what follows in a window from its start
    weight = H[:, None] * b
    push = (weight[:, :, None, None] * B).transpose(0, 2, 1, 3).reshape(count, size, STAGES * m)
    row = np.zeros((count, STAGES, m))
    if running is not None:
        values, slope = _derivatives(running, slopes.values[inside.reshape(-1)], nodes.times[inside.reshape(-1)])
        slope = slope.reshape(count, STAGES, -1) * weight[:, :, None]
        total += float(weight.reshape(-1) @ values)
        row = (slope[:, :, None, :] @ slopes.R[inside])[:, :, 0]
        counted.values[inside] += slope
    rows = row.reshape(count, STAGES * m)
    step, moved = push @ solved, (rows[:, None, :] @ solved)[:, 0]
    adjoint = np.zeros((count, size))
    for w in range(count - 1, -1, -1):
        adjoint[w] = mu
        mu = mu + mu @ step[w] + moved[w]
    sigma = np.linalg.solve(np.swapaxes(G, 1, 2), ((adjoint[:, None] @ push)[:, 0] + rows)[:, :, None])
    felt = (sigma.reshape(count, STAGES, 1, m) @ left)[:, :, 0]  # by x at each instant
    later = weight[:, :, None] * adjoint[:, None] + H[:, None, None] * np.einsum("ij,wix->wjx", a, felt)
    if not directly:
        counted.add(inside, -felt, later)
        counted.add_start(mu)
        return Gradient(float(total), chosen, counted.by(chosen))
    found = np.einsum("wjx,wjxp->p", later, F) - np.einsum("wix,wixp->p", felt, P) + mu @ slopes.x0
    found += np.einsum("ko,kop->p", counted.values, slopes.S)
    if final is not None:
        found -= reached @ slopes.P[last]
    return Gradient(float(total), chosen, found)


def _judged(run: Any, parameters: Any, outputs: Any, what: str) -> tuple[Any, list[Parameter], list[Any]]:
    check.instance(run, Simulation, f"the run of {what}", hint="simulate() gives one")
    model = run.model
    refuse_impacts(model, what)
    if run.events or len(run.shifts) > 1 or run.system.samplers:
        raise ModelError(
            f"{what} does not know events, contacts that switch and sampled controllers, which '{model.name}' has: "
            "what jumps has other derivatives"
        )
    if len(run) < 2:
        raise ModelError(f"the run of {what} has no two instants, between which it could be differentiated")
    return model, parameters_of(model, parameters, what), outputs_of(model, outputs)


def _require_swept(ports: list[Any]) -> None:
    """The adjoint knows what positions and speeds tell."""
    for port in ports:
        if not is_swept(port):
            raise ModelError(
                f"gradient() takes measures and rate(measure) as outputs, not '{port.name}'; motion_sensitivities() "
                "differentiates accelerations, reactions and forces"
            )


def _windows(run: Simulation, start: Any, pace: int) -> tuple[np.ndarray, Simulation, list[int]]:
    """The lengths of all windows, the run at their instants, and which of these are ends of windows, or -1.

    Windows are about as long as the steps of the run, and end where it has instants; or, with a pace, as so many steps.
    """
    times = run.times
    longest = (times[-1] - times[0]) / max(run.account.steps, 1)
    steps = len(run) == run.account.steps + 1  # instants are the steps themselves
    _, _, c = _gauss()
    if steps and pace:
        edges = [*times[:-1:pace].tolist(), float(times[-1])]
    elif pace:
        edges = np.linspace(times[0], times[-1], 1 + int(np.ceil(run.account.steps / pace))).tolist()
    else:
        edges = [float(times[0])]
        for begin, end in zip(times[:-1].tolist(), times[1:].tolist(), strict=True):
            count = 1 if steps else max(1, int(np.ceil(0.99 * (end - begin) / longest)))
            edges += [begin + (end - begin) * k / count for k in range(1, count)] + [end]
    looked_at = {edges[0], edges[-1]} if pace else set(times.tolist())
    marked = [edge in looked_at for edge in edges]
    instants: list[float] = []
    ends = []
    for k, edge in enumerate(edges):
        ends.append(len(instants) if marked[k] else -1)
        if marked[k]:
            instants.append(edge)
        if k + 1 < len(edges):
            instants += (edge + (edges[k + 1] - edge) * c).tolist()
    account = run.account
    nodes = simulate(
        run.model,
        float(times[-1]),
        output=instants,
        method=account.method,
        rtol=account.rtol,
        start=start,
        progress=False,
    )
    return np.diff(edges), nodes, ends


def _inside(ends: list[int]) -> np.ndarray:
    """The instants within each window."""
    before = np.cumsum([k >= 0 for k in ends[:-1]])
    return np.asarray(np.arange(STAGES) + (STAGES * np.arange(before.size) + before)[:, None])


def _window(slopes: Slopes, i: np.ndarray, h: np.ndarray, a: np.ndarray) -> tuple[np.ndarray, ...]:
    """1 - h a T^+ B of the instants i of windows, and T^+, F, P, B there."""
    left, B = slopes.left[i], slopes.B[i]
    count, m = i.shape[0], B.shape[3]
    coupled = left[:, :, None] @ B[:, None]  # [windows, stage, stage, m, m]
    G = (-h[:, None, None, None, None] * a[:, :, None, None]) * coupled
    G = G.transpose(0, 1, 3, 2, 4).reshape(count, STAGES * m, STAGES * m) + np.eye(STAGES * m)
    return G, left, slopes.F[i], slopes.P[i], B


def _gauss() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Coefficients a, b, c of Gauss collocation: integrals of Lagrange's polynomials."""
    x, w = np.polynomial.legendre.leggauss(STAGES)
    c, b = 0.5 * (x + 1.0), 0.5 * w
    powers = np.arange(STAGES)
    lagrange = np.linalg.inv(c[:, None] ** powers)  # [power, stage]
    a = (c[:, None] ** (powers + 1) / (powers + 1)) @ lagrange
    return a, b, c


def _derivative(function: Callable[..., Any], y: np.ndarray) -> tuple[float, np.ndarray]:
    """Value and gradient of a function of an array, by the complex step."""
    value = np.asarray(function(y))
    if value.size != 1 or not np.isfinite(value).all():
        raise ModelError(f"a function of gradient() must return one finite number, got {check.shown(value)}")
    beside = [np.asarray(function(y + 1j * line)) for line in COMPLEX * np.eye(y.size)]
    if not any(map(np.iscomplexobj, beside)) and function(y + 1e-3 * (1.0 + np.abs(y))) != value:
        raise ModelError(
            "a function of gradient() gives real numbers of complex ones, as abs does, so that the complex step cannot "
            "differentiate it: write np.sqrt(y**2) for abs(y)"
        )
    return float(value.real.reshape(())), np.array([np.imag(number).item() / COMPLEX for number in beside])


def _derivatives(running: Callable[..., Any], y: np.ndarray, t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same at many instants: all at once if the function takes arrays, one after the other if not."""
    last = running(y[-1], t[-1])
    try:
        values = np.asarray(running(y.T, t), float)
        lines = COMPLEX * np.eye(y.shape[1])
        beside = [np.asarray(running((y + 1j * line).T, t)) for line in lines]
        slopes = [np.imag(part) / COMPLEX for part in beside if np.iscomplexobj(part)]
        known = values.shape == t.shape and len(slopes) == len(lines) and np.isfinite(values).all()
        if known and all(s.shape == t.shape for s in slopes) and values[-1] == last:
            return values, np.stack(slopes, axis=1).reshape(t.size, -1)
    except (TypeError, ValueError):
        pass
    pairs = [_derivative(lambda x, now=now: running(x, now), line) for line, now in zip(y, t.tolist(), strict=True)]
    return np.array([p[0] for p in pairs]), np.stack([p[1] for p in pairs])
