"""equations(model): the constraints and the equations of motion of a mechanism at one state, as numbers with names.

    Phi(q, t) = 0                         positions                                            (Haug 3.6.3)
    Phi_q v   = nu                        velocities          nu = -Phi_t                      (Haug 3.6.10)
    Phi_q a   = gamma                     accelerations                                        (Haug 3.6.11)
    M a + h + Phi_q^T lambda = Q          forces              h: velocity terms of inertia     (Haug 6.3.18, 11.3.29)

Columns are speeds: velocities of origins, and angular velocities, in space about body axes.
"""

from __future__ import annotations

import numpy as np

from cardan.analysis.inspection.equations_of_motion import EquationsOfMotion, Known
from cardan.analysis.linear.point import (
    SEATED,
    OperatingPoint,
    engaged_joints,
    mass_matrix,
    point_in_motion,
    seat,
    snapshot_of,
    take_states,
)
from cardan.errors import ModelError
from cardan.model import check
from cardan.model.model import Model
from cardan.model.space import inertia_forces
from cardan.results.snapshot import Snapshot
from cardan.results.steady.steady_motion import SteadyMotion
from cardan.system.cartesian.mechanism_tables import mechanism_tables
from cardan.system.compile import compile
from cardan.system.evaluate import evaluate_position, evaluate_velocity
from cardan.system.forces import apply_forces
from cardan.system.system import System

MAX_COORDINATES = 500  # coordinates: larger matrices are neither read nor printed by anyone


def equations(model: Model, at: OperatingPoint = None, *, time: float = 0.0) -> EquationsOfMotion:
    """Phi, Phi_q, nu, gamma, M, h and Q at a state, with the names of rows and columns, and the residuals.

    `at` is a snapshot, an equilibrium or (run, time). Without it the state is exactly the one stated in the model at
    `time`: joints are not closed first, and `Phi` shows how far they are open. `newton_iterates()` then closes them.

    >>> from cardan import equations
    >>> from cardan.planar import Body, Model, Revolute
    >>> model = Model("pendulum", gravity=(0, -10))
    >>> bob = model.add(Body(mass=2.0, inertia=0.5, position=(3, -4), velocity=(4, 3), angular_velocity=1), name="bob")
    >>> pin = model.add(Revolute(model.ground.at(), bob.at(-3, 4)), name="pin")
    >>> found = equations(model)
    >>> print(found.table("Phi_q"))
    Phi_q        x of 'bob'  y of 'bob'  angle of 'bob'
    'pin' (x)             1           0              -4
    'pin' (y)             0           1              -3
    >>> found.gamma.tolist(), found.Q.tolist()
    ([-3.0, 4.0], [0.0, -20.0, 0.0])
    >>> round(float(found.accelerations[2]), 6)       # -m g x / (J + m l^2)
    -1.188119
    """
    check.instance(model, Model, "the model of equations()")
    time = check.number(time, "the time of equations()")
    state = snapshot_of(at, "equations()")
    if isinstance(state, SteadyMotion) and state.values:
        named = ", ".join(f"'{element.name}'" for element in state.values)
        raise ModelError(
            f"at= of equations() is a steady motion that found the values of {named}; put these values into "
            f"'{model.name}' and pass at=None"
        )
    time = time if state is None else state.time
    extra, without = engaged_joints(model, state)
    start = None if state is None else state.as_start(model)
    system = compile(model, extra, forces=True, time=time, start=start, without=without)
    if system.coordinates > MAX_COORDINATES:
        raise ModelError(
            f"'{model.name}' has {system.coordinates} coordinates; equations() returns full matrices, of at most "
            f"{MAX_COORDINATES}: use linearize() or eigenmodes() for large mechanisms"
        )
    seat(system, state)
    states = system.states.start.copy()
    if state is not None:
        take_states(system, state, states)
    v = system.stated_speeds() if state is None else state.v.copy()
    found = _evaluated(system, time, (system.start, v, states), _known(system, state))
    if state is not None and state.shifts and np.any(np.abs(found.Phi) > SEATED * system.rows.scale):
        raise ModelError(
            f"at t = {time:g} s joints of '{model.name}' are engaged in positions that differ from the model; state a "
            "model with their markers there"
        )
    return found


def _evaluated(
    system: System, time: float, state: tuple[np.ndarray, np.ndarray, np.ndarray], known: Known
) -> EquationsOfMotion:
    """All terms at a state (q, v, states of devices)."""
    q, v, states = state
    work, rows, width = system.work(), system.complete_rows, system.width
    status = evaluate_position(system.geometry, rows, q, time, system.reference, work)
    status = status or evaluate_velocity(system.geometry, rows, v, time, work)
    if status:
        raise system.failure(status, time, work=work)
    Phi_q = np.zeros((system.row_count, system.coordinates))
    places_rows, places_columns, values, _ = system.jacobian(work)
    np.add.at(Phi_q, (places_rows, places_columns), values)
    try:
        point, unsolved = point_in_motion(system, time, (q, v, states), system.reference.copy()), ""
    except ModelError as error:  # a motion without mass: forces still have values unless they depend on reactions
        point, unsolved = None, str(error)
        if mechanism_tables(system).forces.circuit.row.size:
            raise
    machine = mechanism_tables(system)
    circuit = machine.forces.circuit
    circuit.states[:] = states
    if point is not None:
        circuit.multipliers[: point.multipliers.size] = point.multipliers
    weight, inertia, applied, zero = (system.speeds() for _ in range(4))
    inertia_forces(system.geometry, machine.matter, machine.gravity, q, zero, zero, weight)
    inertia_forces(system.geometry, machine.matter, machine.gravity, q, v, zero, inertia)
    bodies = width * (1 + len(system.bodies))
    weight[bodies:] = inertia[bodies:] = 0.0  # own coordinates have no inertia
    failed = apply_forces(machine.forces, time, work, machine.strength, applied)
    if failed:
        who = system.forces[failed - 1].title if failed <= len(system.forces) else "a device"
        raise ModelError(f"{who} returns no finite force at the state of equations(), at t = {time:g} s")
    own, shown = system.own_columns, system.listed_rows
    return EquationsOfMotion(
        model=system.model,
        time=time,
        rows=tuple(system.row_name(r) for r in shown),
        columns=tuple(system.coordinate_name(k) for k in own),
        v=v[width:][own],
        Phi=work.phi[shown],
        Phi_q=Phi_q[np.ix_(shown, own)],
        nu=work.nu[shown],
        gamma=work.gamma[shown],
        M=mass_matrix(system, q).toarray()[np.ix_(own, own)],
        h=(weight - inertia)[width:][own],
        Q=(weight + applied)[width:][own],
        solved=None if point is None else (point.a[width:][own], point.multipliers[shown]),
        unsolved=unsolved,
        known=known,
        system=system,
        q=q.copy(),
    )


def _known(system: System, state: Snapshot | None) -> Known:
    """Accelerations and multipliers that the result at hand contains."""
    if state is None or not state.moves:
        return Known(None, None)
    a, loads = state.a[system.width :][system.own_columns], state.as_trajectory().loads
    if loads is None:
        return Known(a, None)
    theirs = {state.system.row_name(r): loads.multipliers[0, r] for r in range(state.system.row_count)}
    return Known(a, np.array([theirs.get(system.row_name(r), 0.0) for r in system.listed_rows]))
