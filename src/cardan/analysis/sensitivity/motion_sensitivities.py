r"""motion_sensitivities(run, parameters): derivatives of a simulated motion, parameter by parameter.

    x' = B T^+ (x - P) + F          deviations for one unit of each parameter, see `sensitivity.slopes`

are integrated by Gauss collocation, with four points in each step of the run (order 8). For a single number that
depends on the motion, `gradient` integrates backwards instead, once for all parameters.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cardan.analysis.linear.ports import Readings, outputs_of
from cardan.analysis.sensitivity.windows import gauss, products, slopes_along
from cardan.analysis.unsupported import reject_impacts, reject_junctions
from cardan.errors import ModelError
from cardan.model import check
from cardan.model.parameter import Parameter, Parameters, parameters_of
from cardan.results.linear.sensitivities import Sensitivities
from cardan.results.simulation import Simulation
from cardan.results.snapshot import Snapshot

STAGES_OF_WINDOW = 4  # stages of a window, about as long as a step


def motion_sensitivities(
    run: Simulation, parameters: Parameters, outputs: Readings = (), *, start: Snapshot | None = None
) -> Sensitivities:
    """Derivatives of a simulated motion by named parameters, at the output times of the run, by direct differentiation.

    `run` is a result of simulate(); `start` is its initial state, if the run does not contain it. If points, lengths or
    given initial conditions change, the initial state is computed again, as by simulate(); a passed state changes by
    the least displacement and the least change of speeds that close its joints. Outputs are those of linearize():
    measures, rate(measure), `(measure, "acceleration")`, reaction(joint, "x"), forces, blocks; `coordinates[body]`,
    `velocities[body]` and `accelerations[body]` are always available. Accelerations are differentiated by fourth-order
    differences, see `sensitivity.slopes`; results are as accurate as the run. If the motion passes a kink of a law,
    such as the limit of a controller or a tire that changes from driving to braking, steps are divided: four digits of
    the largest value remain, two if bodies strike each other. If joints are redundant, reactions are those of one
    choice of independent equations.

    The cost is 24 evaluations per step of the run for each free coordinate, free speed and state of a device, and 24
    solutions per step and parameter; up to three times as much with kinks.

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
    chosen, ports = checked_arguments(run, parameters, outputs, "motion_sensitivities()")
    windows, slopes = slopes_along(run, STAGES_OF_WINDOW, 0, ports, start, 4)
    slopes.follow(chosen)
    a, b, _ = gauss(STAGES_OF_WINDOW)
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
            G = np.eye(STAGES_OF_WINDOW * m) - h * np.kron(a, np.ones((m, m))) * products(left[None], B[None])[0]
            right = left @ (x + h * np.einsum("ij,jxp->ixp", a, F) - slopes.P[i])
            xi = np.linalg.solve(G, right.reshape(STAGES_OF_WINDOW * m, len(chosen))).reshape(right.shape)
            x = x + h * np.einsum("j,jxp->xp", b, B @ xi + F)
    values, derivatives, states, accelerations = (np.stack(part) for part in zip(*found, strict=True))
    tangents = states[:, :n], states[:, n : 2 * n], accelerations
    return Sensitivities(run.system, run.times, chosen, [p.name for p in ports], values, derivatives, tangents)


def checked_arguments(
    run: Any, parameters: Parameters, outputs: Readings, what: str
) -> tuple[list[Parameter], list[Any]]:
    """Parameters and outputs of a run that can be differentiated."""
    check.instance(run, Simulation, f"the run of {what}", hint="use the result of simulate()")
    model = run.model
    reject_impacts(model, what)
    reject_junctions(model, what)
    if run.events or len(run.shifts) > 1 or run.system.samplers:
        raise ModelError(
            f"{what} does not support events, switching contacts and sampled controllers, which '{model.name}' has: "
            "end the run before the jump and start another after it, or compare runs"
        )
    if len(run) < 2:
        raise ModelError(f"the run of {what} has fewer than two output times: it cannot be differentiated")
    return parameters_of(model, parameters, what), outputs_of(model, outputs)
