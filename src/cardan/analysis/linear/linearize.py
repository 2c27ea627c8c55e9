"""linearize(model): linear equations of small deviations from an equilibrium, a steady motion or any state of a run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cardan.analysis.coordinates import coordinates_of
from cardan.analysis.forward.checks.shared_loads import warn_of_shared_loads_at
from cardan.analysis.joint.chart import JointDisplacement, independent_joint_coordinates
from cardan.analysis.linear.equations import Equations, Response
from cardan.analysis.linear.point import LinearizationPoint, OperatingPoint, point_at, snapshot_of
from cardan.analysis.linear.ports import Inputs, Port, Readings, inputs_of, outputs_of, require_measure, watched
from cardan.analysis.unsupported import reject_impacts
from cardan.deprecation import renamed_arguments
from cardan.errors import ModelError, warn
from cardan.model import check
from cardan.model.element import Constraint
from cardan.model.force import Law
from cardan.model.measure import Readable, readable, require_terms, require_value
from cardan.model.model import Model, measure_name
from cardan.numerics.linalg.rank import ROW_NOISE, SINE, independent_rows
from cardan.postprocess.linear_range import warn_of_linear_range
from cardan.results.linear.linearization import Linearization, Matrices, Motions
from cardan.results.trajectory import Trajectory

MAX_RESIDUAL = 1e-6  # relative to the largest force: a larger residual is not an equilibrium
# Where forces vanish, what is left is rounding: positions are known to MATRIX_ROUNDING of the model's length, and
# stiffness makes forces of it.
MATRIX_ROUNDING = 1e-14


@renamed_arguments(freedoms="degrees_of_freedom")
def linearize(
    model: Model,
    at: OperatingPoint = None,
    *,
    inputs: Inputs = (),
    outputs: Readings = (),
    degrees_of_freedom: Sequence[Readable] | None = None,
    time: float = 0.0,
    coordinates: str = "auto",
    tree: Sequence[Constraint] = (),
) -> Linearization:
    """Linearize about a state: x' = A x + B u, y = C x + D u, with modes, frequency responses and energies.

    `at` is an equilibrium, a steady motion, a snapshot, `(run, t)` for a time of a run, or None for the given position
    at `time`. All derivatives are exact. States are independent displacements and their rates, found by QR of the
    Jacobian, then the states of devices. `degrees_of_freedom=[measures]` selects the displacements, one for each degree
    of freedom. With `coordinates="joint"` they are joint coordinates of a spanning tree, which contains the joints in
    `tree`, as many as are independent (rotations about body-fixed axes for ball joints, own coordinates for floating
    bodies), and mass, damping and stiffness are those of `joint_space`. With velocity constraints (rolling, blades)
    there are fewer rates than displacements: those of the first independent measures listed. Values held by sampled
    controllers stay constant, with a warning: a `Controller` instead is part of the linear equations.

    Inputs are forces, drivers, blocks, or `(element, "z")` for the ground under an element, such as the height of the
    road under a tire. Drivers and grounds have columns for their motion, its rate and its acceleration: u, u', u''.
    Outputs are measures, `rate(measure)`, `(measure, "acceleration")`, `reaction(joint, "x")`, forces and blocks.

    >>> from cardan import linearize
    >>> from cardan.planar import Body, Model, Revolute
    >>> model = Model("pendulum", gravity=(0, -9.81))
    >>> rod = model.add(Body(mass=2.0, inertia=0.1, position=(0, -0.5)), name="rod")
    >>> pin = model.add(Revolute(model.ground.at(), rod.at(0, 0.5)), name="pin")
    >>> linear = linearize(model, degrees_of_freedom=[pin.angle])
    >>> linear.mass.round(6).tolist(), linear.stiffness.round(6).tolist()
    ([[0.6]], [[9.81]])
    >>> linear.modes().frequencies.round(6).tolist()      # rad/s, sqrt(9.81 / 0.6)
    [4.043513]
    """
    check.instance(model, Model, "the model of linearize()")
    time = check.number(time, "the time of linearize()")
    reject_impacts(model, "linearize()")
    entering, leaving = inputs_of(model, inputs), outputs_of(model, outputs)
    by = coordinates_of(coordinates, tree, "linearize")
    chosen: list[Readable | JointDisplacement] | None = (
        None if degrees_of_freedom is None else _check_degrees_of_freedom(model, degrees_of_freedom)
    )
    if by.joint and chosen is None:
        chosen = independent_joint_coordinates(model, snapshot_of(at), time, by.tree)
    read = watched(leaving) + [Law(one.parts()) for one in chosen or () if isinstance(one, Readable)]
    point = point_at(model, snapshot_of(at), time, read)
    result = linear_equations(point, entering, leaving, chosen)
    warn_of_imbalance(model, point)
    warn_of_samplers(model, point)
    warn_of_shared_loads_at(point.system, point.q, point.time, point.reference)
    states = point.q[None], point.v[None], point.a[None]
    warn_of_linear_range(Trajectory(point.system, np.array([point.time]), *states, analysis="linearize"))
    return result


def linear_equations(
    point: LinearizationPoint,
    entering: list[Port],
    leaving: list[Port],
    chosen: list[Readable | JointDisplacement] | None = None,
) -> Linearization:
    """The linear equations about a state, with inputs and outputs, in chosen displacements."""
    equations = Equations(point, entering)
    point.residual = residual_of(equations)
    response = equations.response()
    rates, out = equations.state_matrix(response), equations.outputs(response, leaving)
    nx = rates.shape[0]
    change, names = _chosen(equations, response, chosen)
    back = np.linalg.inv(change)
    matrices = Matrices(A=change @ rates[:, :nx] @ back, B=change @ rates[:, nx:], C=out[:, :nx] @ back, D=out[:, nx:])
    return Linearization(
        matrices,
        (equations.Z.count, point.free.count, equations.states.size),
        states=names,
        inputs=[(port.name, port.orders) for port in entering],
        outputs=[port.name for port in leaving],
        motions=_motions(equations, response, back),
        about=point.about,
        residual=point.residual,
        acceleration=point.unbalanced,
    )


def residual_of(equations: Equations) -> float:
    """The residual of a point, relative to the largest force or to what rounding of positions may balance."""
    point, system = equations.point, equations.point.system
    unit, K = system.unit, equations.K.tocoo()
    stiffest = float(np.max(np.abs(K.data) * unit[K.row] * unit[K.col], initial=0.0))
    size = max(point.largest, MATRIX_ROUNDING / MAX_RESIDUAL * stiffest)
    return point.residual * point.largest / size if size else 0.0


def warn_of_samplers(model: Model, point: LinearizationPoint) -> None:
    """Warn about controllers that are not part of the equations."""
    for owner in point.system.sampler_owners[:1]:
        warn(
            f"linearize() keeps the output of {owner.title} of '{model.name}' constant: a sampled controller "
            "has no linear equations in continuous time; equilibrium(model, 'newton').stable includes it, and a "
            "Controller instead is part of them"
        )


def warn_of_imbalance(model: Model, point: LinearizationPoint) -> None:
    """Warn if a state is neither an equilibrium nor a steady motion."""
    if point.residual > MAX_RESIDUAL:
        what = {"rest": "an equilibrium", "motion": "in steady motion"}.get(point.about, "a steady motion")
        warn(
            f"'{model.name}' is linearized where it is not {what}: it accelerates by {point.fastest}, and "
            f"{point.residual:.3g} of the largest force is out of balance. The eigenvalues hold for short "
            "times only; use equilibrium() or steady_motion() to find a state at which they hold"
        )


def _check_degrees_of_freedom(model: Model, stated: Any) -> list[Readable | JointDisplacement]:
    """Check the measures of degrees_of_freedom=."""
    if isinstance(stated, Readable | str) or not isinstance(stated, Sequence):
        raise ModelError(f"degrees_of_freedom= of linearize() must be a list of measures, got {check.describe(stated)}")
    for measure in stated:
        readable(measure, "an item of degrees_of_freedom= of linearize()")
        require_terms("a measure in degrees_of_freedom= of linearize()", measure)
        require_value("a measure in degrees_of_freedom= of linearize()", measure)
        require_measure(model, measure, "a measure in degrees_of_freedom=")
    return list(stated)


def _chosen(
    equations: Equations, response: Response, chosen: list[Readable | JointDisplacement] | None
) -> tuple[np.ndarray, tuple[str, ...]]:
    """The transformation to the states selected by the user, and the names of all states."""
    system, Z, Y = equations.point.system, equations.Z, equations.point.free
    nz, ny, nx = Z.count, Y.count, Z.count + Y.count + equations.states.size
    owners = system.states
    of_devices = [f"{getattr(owners.owner[k], 'title', '')} {owners.name[k]}" for k in equations.states]
    if chosen is None:
        plain = [f"z{k + 1}" for k in range(nz)] + [f"z{k + 1}'" if ny == nz else f"y{k + 1}" for k in range(ny)]
        return np.eye(nx), (*plain, *of_devices)
    if len(chosen) != nz:
        speeds = "" if ny == nz else f" and {ny} speeds"
        raise ModelError(
            f"'{system.model.name}' has {nz} degrees of freedom{speeds}, but degrees_of_freedom= of linearize() "
            f"lists {len(chosen)}"
        )
    place = system.wiring.measures
    change = np.eye(nx)
    rates = np.zeros((nz, nx))
    for k, one in enumerate(chosen):
        if isinstance(one, JointDisplacement):
            change[k], rates[k] = one.row @ response.dq[:, :nx], one.row @ response.dv[:, :nx]
        else:
            change[k] = sum(c * response.value[place[m], :nx] for c, m in one.parts())
            rates[k] = sum(c * response.rate[place[m], :nx] for c, m in one.parts())
    moving = _independent(rates[:, nz : nz + ny])
    displaced = change[:nz, :nz]
    noise = ROW_NOISE / SINE * float(np.linalg.norm(displaced))  # lengths of rows that are rounding only
    if independent_rows(displaced, size=noise).size < nz or len(moving) < ny:
        raise ModelError(
            f"the measures of degrees_of_freedom= are not independent in this position of '{system.model.name}': "
            f"{', '.join(map(str, chosen))}; choose others"
        )
    change[nz : nz + ny] = rates[moving]
    names, rated = _names(system.model, chosen)
    return change, (*names, *(rated[k] for k in moving), *of_devices)


def _names(model: Model, chosen: list[Readable | JointDisplacement]) -> tuple[list[str], list[str]]:
    """The names of displacements and rates."""
    known = [one.name if isinstance(one, JointDisplacement) else measure_name(model, one) for one in chosen]
    pairs = list(zip(known, chosen, strict=True))
    names = [f"along {name}" if isinstance(one, JointDisplacement) else name for name, one in pairs]
    return names, [name if isinstance(one, JointDisplacement) else f"rate of {name}" for name, one in pairs]


def _independent(rates: np.ndarray) -> list[int]:
    """The first independent rows, as many as there are columns; all rows without rolling."""
    kept: list[int] = []
    spanned = np.zeros((0, rates.shape[1]))
    sizes = np.linalg.norm(rates, axis=1)
    noise = ROW_NOISE * float(sizes.max(initial=0.0))
    for k, line in enumerate(rates):
        left = line - spanned.T @ (spanned @ line)
        left -= spanned.T @ (spanned @ left)  # twice, against rounding
        size = float(np.linalg.norm(left))
        if len(kept) < rates.shape[1] and size > max(SINE * sizes[k], noise):
            kept.append(k)
            spanned = np.vstack([spanned, left / size])
    return kept


def _motions(equations: Equations, response: Response, back: np.ndarray) -> Motions:
    """The motion of bodies and forces for each state."""
    point, parts = equations.point, equations.reading.columns.parts
    nx = back.shape[0]
    seen = response.basics[:, :nx] @ back
    laws, T = equations.laws, equations.T
    return Motions(
        system=point.system,
        time=point.time,
        q=point.q,
        v=point.v,
        turns=point.reference[point.system.winding],
        dq=response.dq[:, :nx] @ back,
        dv=response.dv[:, :nx] @ back,
        mass=equations.M,
        damping=equations.C,
        stiffness=equations.K,
        jacobian=equations.J,
        stretch=T @ seen[parts["value"]],
        stretching=T @ seen[parts["rate"]],
        elastic=laws[:, parts["value"]] @ seen[parts["value"]],
        viscous=laws[:, parts["rate"]] @ seen[parts["rate"]],
    )
