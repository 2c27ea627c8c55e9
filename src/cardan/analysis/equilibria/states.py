"""Equilibrium of a mechanism together with its devices: nothing moves, and no state changes.

    J^T lambda = Q(q, x),    phi(q) = 0,    x' = g(q, x) = 0

Without states this is `newton`. With states the equations are those of a steady motion without spin, `steady.balance`:
for example, the integral of a controller carries the weight, or the current of a motor is that of a locked rotor. The
eigenvalues of the coupled equations decide whether small disturbances decay:

    xi' = Z^T Y eta                                          q moves by Z xi, v by Y eta: J_phi Z = 0, J Y = 0
    Y^T M Y eta' = -Y^T [R_q Z xi + R_v Y eta + R_x x]       R = J^T lambda - Q
    x' = g_q Z xi + g_v Y eta + g_x x

A held value of a sampled controller counts as a state that its next sample changes within a period.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np
import scipy.linalg

from cardan.analysis.equilibria.newton import newton
from cardan.analysis.equilibria.place import Place, Ways
from cardan.analysis.equilibria.statics import Statics
from cardan.analysis.equilibria.stiffness import exact_balance, exact_rates
from cardan.analysis.linear.forces import ForceReading
from cardan.analysis.progress import Progress
from cardan.analysis.steady.balance import BALANCE_STEP, Asked, Balance, BalancePoint
from cardan.analysis.steady.messages import worst
from cardan.analysis.steady.search import Ending, search
from cardan.analysis.steady.twist import Twist
from cardan.analysis.unsupported import repeats
from cardan.errors import ModelError, SimulationError
from cardan.model.device import Device, Multiplier, upstream
from cardan.numerics.curves.curvature import leading_rows
from cardan.numerics.linalg.rank import null_space
from cardan.system.cartesian.masses import spread
from cardan.system.system import System

LASTING = 1e-8  # relative to the largest rate: a rate that counts as zero
DIFFERENCES = 1e-8  # relative to the largest entry: the error of a matrix from differences
LARGEST = 400  # number of coordinates up to which all eigenvalues are computed


def rest(statics: Statics, place: Place, ways: Ways, tolerance: float, bar: Progress) -> Place:
    """A position near `place` at which all forces balance and states of devices are constant: `statics.states`."""
    if not has_devices(statics):
        return newton(statics, place, ways, tolerance, bar)
    balance = still_balance(statics)
    ending = _searched(statics, balance, place, tolerance, bar)
    if not ending.converged:
        with suppress(SimulationError):  # with constant states, which may lead far away if they act like weights
            place = newton(statics, place, ways, tolerance, bar)
            balance = still_balance(statics)
            ending = _searched(statics, balance, place, tolerance, bar)
    if not ending.converged:
        raise _not_found(balance, ending)
    balance.at(ending.point.q, ending.point.p)
    statics.states[:] = balance.machine.forces.circuit.states
    statics.multipliers[:] = balance.machine.forces.circuit.multipliers
    reference = place.reference.copy()
    reference[:] = ending.point.z
    return ways.start(ending.point.q, reference)


def has_devices(statics: Statics) -> bool:
    """Whether equilibrium depends on states of devices or on reactions that they read; always False on a load path."""
    system = statics.system
    states = any(isinstance(owner, Device) for owner in system.states.owner)
    acting = [law.signal for law in system.laws if law.signal is not None and law.at_rest and not law.workless]
    reading = any(isinstance(signal, Multiplier) for device in upstream(acting) for signal in device.inputs)
    return not statics.varies and (states or reading or any(repeats(sampler) for sampler in system.samplers))


def still_balance(statics: Statics) -> Balance:
    """The equations of equilibrium, with the states of devices among the unknowns."""
    up, nowhere = np.array([0.0, 0.0, 1.0]), np.zeros(3)
    twist = Twist(statics.system, up, nowhere, nowhere, ())
    balance = Balance(statics.system, twist, Asked(0.0, (), (), ()), statics.time, still=True)
    balance.machine.forces.circuit.states[:] = statics.states
    return balance


def signals_at(statics: Statics, place: Place) -> np.ndarray:
    """The outputs of all devices in equilibrium, as a row."""
    if not statics.system.devices:
        return np.zeros((1, 0))
    balance = still_balance(statics)
    balance.machine.reference[:] = place.reference
    balance.at(place.q, statics.states[balance.moving])
    return np.asarray(balance.machine.forces.circuit.signals[None].copy())


def steadiness(statics: Statics, place: Place) -> tuple[bool | None, tuple[str, ...], str]:
    """Whether small disturbances of positions, speeds and states decay or stay bounded (True), or grow.

    None if one neither grows nor decays nor oscillates, with its coordinates; or for a reason that is returned third.
    """
    system = statics.system
    if system.coordinates > LARGEST:
        return None, (), f"eigenvalues are computed up to {LARGEST} coordinates, got {system.coordinates}"
    found = None
    if not any(repeats(sampler) for sampler in system.samplers):
        with suppress(ModelError):
            found = exact_rates(statics, place)
    if found is not None:
        rates, shown, states = _without_idle(*found)
        values, bounds = growth_rates(rates, system.rounding)
    else:  # by differences if samples are held, or something has no mass
        balance = still_balance(statics)
        balance.machine.reference[:] = place.reference
        rates, left, shown = _linear(balance, balance.at(place.q, statics.states[balance.moving]))
        states = balance.moving
        values, bounds = growth_rates(rates, DIFFERENCES, left)
    still = np.abs(values) <= bounds
    names = _still(system, rates, shown, states) if still.any() else ()
    return False if np.any(values.real > bounds) else None if still.any() else True, names, ""


def _without_idle(
    rates: np.ndarray, shown: np.ndarray, states: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The same without constant states of devices."""
    kept = np.ones(rates.shape[0], bool)
    kept[kept.size - states.size :] = rates[kept.size - states.size :].any(axis=1)
    return rates[np.ix_(kept, kept)], shown[:, kept], states[kept[kept.size - states.size :]]


def growth_rates(A: np.ndarray, precision: float, left: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """The finite eigenvalues of A x = s B x (B: `left`, or the identity), and their error bounds.

    Entries are known to `precision` of the largest after balancing; an eigenvalue shifts by that times its condition
    number, 1 / |y^H B x|, which is large for defective zero eigenvalues.
    """
    if not A.size:
        return np.zeros(0), np.zeros(0)
    if left is None:
        A, left = scipy.linalg.matrix_balance(A, permute=False)[0], np.eye(A.shape[0])
    values, y, x = scipy.linalg.eig(A, left, left=True, right=True)
    finite = np.isfinite(values)
    values, y, x = values[finite], y[:, finite], x[:, finite]
    y, x = y / np.linalg.norm(y, axis=0), x / np.linalg.norm(x, axis=0)
    size = np.linalg.norm(A, 2) + np.abs(values) * np.linalg.norm(left, 2)
    condition = 1.0 / np.maximum(np.abs(np.sum(y.conj() * (left @ x), axis=0)), 1e-300)
    return values, precision * size * condition


def _still(system: System, rates: np.ndarray, shown: np.ndarray, states: np.ndarray) -> tuple[str, ...]:
    """Coordinates and states of devices, one for each constant disturbance."""
    balanced, (scale, _) = scipy.linalg.matrix_balance(rates, permute=False, separate=True)
    _, sizes, lines = np.linalg.svd(balanced)
    lasting = scale[:, None] * lines[(sizes <= LASTING * sizes[0]) | (sizes == sizes.min())].T
    lasting /= np.linalg.norm(lasting, axis=0)
    changed = lasting[lasting.shape[0] - states.size :] / system.states.scale[states, None]
    n = shown.shape[0]
    rows = leading_rows(np.concatenate([shown @ lasting, changed]))
    return tuple(system.coordinate_name(k) if k < n else f"state {system.state_name(int(states[k - n]))}" for k in rows)


def _searched(statics: Statics, balance: Balance, place: Place, tolerance: float, bar: Progress) -> Ending:
    """Search by differences and, if these fail, by exact derivatives: differences straddle the kinks of valves and
    limits, where equilibria often are."""
    balance.machine.reference[:] = place.reference
    begun = statics.states.copy()
    states = balance.machine.forces.circuit.states[balance.moving]
    balance.idle = _idle(balance, place.q, states)
    ending = search(balance, place.q, states, tolerance, bar, daring=False)
    reads = balance.machine.forces.circuit.row.size or any(repeats(sampler) for sampler in statics.system.samplers)
    if not ending.converged and not reads:
        reference = balance.machine.reference
        balance.exact = lambda point, multipliers: exact_balance(statics, reference, balance, point, multipliers)
        with suppress(ModelError):
            ending = search(balance, ending.point.q, ending.point.p, tolerance, bar, daring=False)
        balance.exact = None
        statics.states[:] = begun
    return ending


def _idle(balance: Balance, q: np.ndarray, states: np.ndarray) -> np.ndarray:
    """Constant states, such as the integral of a controller without integral action."""
    balance.at(q, states)
    machine, system = balance.machine, balance.system
    circuit = machine.forces.circuit
    reactions = circuit.multipliers[: system.row_count]
    try:
        reading = ForceReading(system, balance.time, machine.work.z, circuit.states, reactions, quiet=True)
    except SimulationError:  # a device without slopes here
        return np.zeros(states.size, bool)
    lines = reading.state_rates()[balance.moving]
    return np.asarray((np.diff(lines.indptr) == 0) & (balance.periods == 0.0))


def _not_found(balance: Balance, ending: Ending) -> SimulationError:
    most, elements = worst(balance, ending)
    k = int(np.argmax(np.abs(ending.residual)))
    found = _strongest(balance, ending.point, k) if k < balance.system.coordinates else None
    if found is not None:
        force, size = found
        turning = balance.system.space.angular[k % balance.system.width]
        most += f", where {force.title} has the largest force, {size:.3g} {'N m' if turning else 'N'}"
        elements = (*elements, force.name)
    return SimulationError(
        f"Newton's method found no equilibrium of '{balance.system.model.name}' near its start: {most}; start nearer "
        "to it, or check that driving forces vanish in equilibrium and that all device states can be constant",
        time=balance.time,
        elements=elements,
    )


def _strongest(balance: Balance, point: BalancePoint, coordinate: int) -> tuple[Any, float] | None:
    """The force with the largest component along a coordinate of a body, and its size; None if there is none."""
    system = balance.system
    if coordinate >= system.width * len(system.bodies):
        return None
    balance.at(point.q, point.p)
    jac, there = balance.machine.work.jac, system.width + coordinate
    pushes: dict[Any, float] = {}
    for force, law, strength in zip(system.forces, system.laws, point.strengths, strict=True):
        for factor, measure in law.terms:
            m = balance.place[measure]
            push = -strength * factor * float(jac[m] @ (balance.columns[m] == there))
            pushes[force] = pushes.get(force, 0.0) + push
    hardest = max(pushes, key=lambda force: abs(pushes[force]), default=None)
    return None if hardest is None or pushes[hardest] == 0.0 else (hardest, pushes[hardest])


def _linear(balance: Balance, point: BalancePoint) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The matrices of the linearized equations above, and the displacements of their unknowns."""
    system, n = balance.system, balance.system.coordinates
    scale = balance.machine.column_scale[system.width :] / balance.unit
    Z, Y = null_space(point.J[balance.closed], scale), null_space(point.J, scale)
    multipliers, size = balance.multipliers(point), Z.shape[1] + Y.shape[1] + point.p.size
    if not size:
        return np.zeros((0, 0)), np.zeros((0, 0)), np.zeros((n, 0))
    by_q = [_slope(balance, point, multipliers, q=z) for z in Z.T]
    by_v = [_slope(balance, point, multipliers, v=y) for y in Y.T]
    by_x = [_slope(balance, point, multipliers, x=x) for x in np.eye(point.p.size)]
    columns = np.column_stack([*by_q, *by_v, *by_x])
    mass = spread(system, balance.machine.mass).toarray()
    mass = Y.T @ (mass * np.outer(balance.unit, balance.unit)) @ Y
    xi, eta = Z.shape[1], Y.shape[1]
    matrix, left = np.zeros((size, size)), np.eye(size)
    matrix[:xi, xi : xi + eta] = Z.T @ Y
    matrix[xi : xi + eta] = -Y.T @ columns[:n]
    matrix[xi + eta :] = columns[n:]
    left[xi : xi + eta, xi : xi + eta] = mass
    shown = np.zeros((n, size))
    shown[:, :xi] = Z
    return matrix, left, shown


def _slope(
    balance: Balance,
    point: BalancePoint,
    multipliers: np.ndarray,
    q: np.ndarray | None = None,
    v: np.ndarray | None = None,
    x: np.ndarray | None = None,
) -> np.ndarray:
    """The derivatives of R and of the rates of states along a direction of positions, speeds or states."""
    sides, scale = [], balance.system.states.scale[balance.moving]
    for sign in (BALANCE_STEP, -BALANCE_STEP):
        place = point.q if q is None else balance.moved(point.q, sign * q)
        states = point.p if x is None else point.p + sign * scale * x
        there = balance.at(place, states, speeds=None if v is None else sign * v)
        rates = there.slip[balance.system.row_count :]
        sides.append(np.concatenate([there.J.T @ multipliers - there.force, rates]))
    return np.asarray((sides[0] - sides[1]) / (2.0 * BALANCE_STEP))
