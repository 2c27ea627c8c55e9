r"""motion_sensitivities(run, parameters): derivatives of a simulated motion, parameter by parameter.

    x' = B T^+ (x - P) + F          deviations for one unit of each parameter, see `tangents.slopes`

are integrated by Gauss collocation, four instants in each step of the run (order 8). Of a single number that depends on
the motion, `gradient` goes backwards instead, once for all parameters.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cardan.analysis.linear.ports import Readings, outputs_of
from cardan.analysis.sensitivity.windows import gauss, products, slopes_along
from cardan.analysis.unsupported import refuse_impacts
from cardan.errors import ModelError
from cardan.model import check
from cardan.model.parameter import Parameter, Parameters, parameters_of
from cardan.results.linear.sensitivities import Sensitivities
from cardan.results.simulation import Simulation
from cardan.results.snapshot import Snapshot

STAGES = 4  # of a window, about as long as a step


def motion_sensitivities(
    run: Simulation, parameters: Parameters, outputs: Readings = (), *, start: Snapshot | None = None
) -> Sensitivities:
    """Derivatives of a simulated motion by named parameters, at the output times of the run, by direct differentiation.

    `run` is a result of simulate(); `start` is its initial state, if the run does not have it. If points, lengths or
    stated initial conditions change, the initial state is found anew, as by simulate(); one that was passed follows by
    the least displacement and the least change of speeds that close its joints again. Outputs are those of linearize():
    measures, rate(measure), `(measure, "acceleration")`, reaction(joint, "x"), forces, blocks; `coordinates[body]`,
    `velocities[body]` and `accelerations[body]` are always there. Accelerations are differentiated by differences of
    the fourth order, see `tangents.slopes`; results are as exact as the run. Where a law has a kink that the motion
    passes, such as the limit of a controller or a tire that changes from driving to braking, steps are cut: four digits
    of the largest value are left, two where bodies strike each other. Where joints are redundant, reactions are those
    of one choice of independent equations.

    The cost is that of 24 evaluations for each step of the run and each free coordinate, free speed and state of a
    device, and of 24 solutions for each step and parameter; up to three times as much where there are kinks.

    >>> from cardan import motion_sensitivities, simulate
    >>> from cardan.planar import Body, Model, Spring, Translational
    >>> model = Model("oscillator")
    >>> mass = model.add(Body(mass=1.0, inertia=1.0, position=(0.1, 0.0)), name="mass")
    >>> guide = model.add(Translational(model.ground.at(), mass.at()), name="guide")
    >>> spring = model.add(Spring(guide.travel, 4.0, rest_length=0.0), name="spring")
    >>> run = simulate(model, 1.0, output=0.5)
    >>> s = motion_sensitivities(run, "spring.stiffness", guide.travel)
    >>> s.derivatives[:, 0, 0].round(7).tolist()     # of 0.1 cos(t sqrt(k)): -0.1 sin(2 t) t / 4
    [0.0, -0.0105184, -0.0227324]
    """
    chosen, ports = judged(run, parameters, outputs, "motion_sensitivities()")
    windows, slopes = slopes_along(run, STAGES, 0, ports, start, 4)
    slopes.follow(chosen)
    a, b, _ = gauss(STAGES)
    x, n, m, found = slopes.x0, slopes.n, slopes.left.shape[1], []
    for w in range(windows.lengths.size + 1):
        k = windows.ends[w]
        if k >= 0:
            xi = slopes.left[k] @ (x - slopes.P[k])
            rate = slopes.B[k] @ xi + slopes.F[k]
            found.append((slopes.values[k], slopes.R[k] @ xi + slopes.S[k], x, rate[n : 2 * n]))
        if w < windows.lengths.size:
            i, h = windows.inside[w], windows.lengths[w]
            left, B, F = slopes.left[i], slopes.B[i], slopes.F[i]
            G = np.eye(STAGES * m) - h * np.kron(a, np.ones((m, m))) * products(left[None], B[None])[0]
            right = left @ (x + h * np.einsum("ij,jxp->ixp", a, F) - slopes.P[i])
            xi = np.linalg.solve(G, right.reshape(STAGES * m, len(chosen))).reshape(right.shape)
            x = x + h * np.einsum("j,jxp->xp", b, B @ xi + F)
    values, derivatives, states, accelerations = (np.stack(part) for part in zip(*found, strict=True))
    tangents = states[:, :n], states[:, n : 2 * n], accelerations
    return Sensitivities(run.system, run.times, chosen, [p.name for p in ports], values, derivatives, tangents)


def judged(run: Any, parameters: Parameters, outputs: Readings, what: str) -> tuple[list[Parameter], list[Any]]:
    """Parameters and outputs of a run that can be differentiated."""
    check.instance(run, Simulation, f"the run of {what}", hint="simulate() gives one")
    model = run.model
    refuse_impacts(model, what)
    if run.events or len(run.shifts) > 1 or run.system.samplers:
        raise ModelError(
            f"{what} does not support events, contacts that switch and sampled controllers, which '{model.name}' has: "
            "end the run before the jump and start another after it, or compare runs"
        )
    if len(run) < 2:
        raise ModelError(f"the run of {what} has fewer than two output times: it cannot be differentiated")
    return parameters_of(model, parameters, what), outputs_of(model, outputs)
