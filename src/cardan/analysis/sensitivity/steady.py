r"""Derivatives of a steady motion with respect to parameters: the equations of `steady.balance`, differentiated.

    R(x, p) = 0,    x = (q, spin, rates, free values, states of devices, lambda)        R_x x_p = -R_p

The conditions of the motion stay: a given spin is constant, an unknown one changes, conditions continue to hold. The
whole may be rotated about its axis, and spinning parts about theirs: the shortest of all such solutions is used. R_x
and R_p are sixth-order central differences of R, an explicit formula (see `perturbed`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from cardan.analysis.equilibria.equilibrium import equilibrium
from cardan.analysis.sensitivity.perturbed import Known, Tangent, step_of
from cardan.analysis.steady.balance import Balance
from cardan.errors import ModelError, SimulationError
from cardan.model import check
from cardan.model.model import Model
from cardan.model.parameter import Parameter, changed
from cardan.numerics.differences import PARAMETER_STEP, differentiated
from cardan.numerics.linalg.least_squares import least_squares
from cardan.numerics.linalg.rank import FREE_PIVOT
from cardan.results.steady.equilibrium import Equilibrium
from cardan.results.steady.steady_motion import SteadyMotion

SOLVED = 1e-6  # relative to the largest entry: larger residuals mean that there is no solution


def steady_tangents(known: Known, parameters: Sequence[Parameter]) -> list[Tangent]:
    """The derivatives of a steady motion by each parameter."""
    motion = known.at
    assert isinstance(motion, SteadyMotion)
    if motion.equations is None:
        raise ModelError(
            f"the steady motion of '{motion.model.name}' does not contain its conditions; compute it by "
            "steady_motion(), then differentiate"
        )
    base = motion.equations(known.system())
    p = _unknowns(motion, base)
    base.weigh(base.at(motion.q, p))
    lam = known.multipliers
    matrix = _matrix(base, motion.q, p, lam)
    found = []
    for one in parameters:
        right = -_along(known, one, lambda b, _: b.residual(b.at(motion.q, p), _scaled(b, lam)), base, Tangent())
        x = least_squares(matrix, right, FREE_PIVOT)
        missed = float(np.abs(matrix @ x - right).max(initial=0.0))
        if missed > SOLVED * float(np.abs(right).max(initial=0.0)) + 1e-9:
            raise SimulationError(
                f"the steady motion of '{motion.model.name}' has no derivative with respect to '{one.name}': its "
                "conditions cannot be satisfied as this changes; leave an unknown open, or give fewer conditions"
            )
        found.append(_tangent(known, one, base, p, x))
    return found


def _tangent(known: Known, one: Parameter, base: Balance, p: np.ndarray, x: np.ndarray) -> Tangent:
    """The solution as derivatives of the state, including speeds and accelerations."""
    q, n = known.at.q, base.system.coordinates
    dp, width = x[n : n + p.size] * base.steps, base.system.width
    spin, rates, values = base.split(dp)
    dstates = np.zeros(known.at.states.size)
    dstates[base.moving] = dp[p.size - base.moving.size :]
    dlambda = x[n + p.size :] / base.system.rows.scale
    unturned = Tangent(dq=x[:n] * base.unit)

    def motion(b: Balance, step: float) -> np.ndarray:
        point = b.at(base.moved(q, step * x[:n]), p + step * dp)
        return np.concatenate([point.v[width:], point.a[width:]])

    dv, da = np.split(_along(known, one, motion, base, unturned), 2)
    dspin = 0.0 if base.asked.spin is not None else spin
    return Tangent(unturned.dq, dv, da, dlambda, dstates, dspin, tuple(values))


def _unknowns(motion: SteadyMotion, balance: Balance) -> np.ndarray:
    """The unknowns besides positions and multipliers, at the solution."""
    asked = balance.asked
    parts = zip(balance.twist.parts, asked.rates, strict=True)
    rates = [motion.rates[part.key] for part, rate in parts if rate is None]
    spin = [motion.spin] if asked.spin is None else []
    return np.array([*spin, *rates, *motion.values.values(), *motion.states[balance.moving]], float)


def _along(
    known: Known, one: Parameter, read: Callable[[Balance, float], Any], base: Balance, tangent: Tangent
) -> np.ndarray:
    """d/ds of the equations at other values of a parameter."""
    motion = known.at
    assert isinstance(motion, SteadyMotion)

    def aside(step: float) -> np.ndarray:
        assert motion.equations is not None
        with changed(motion.model, {one: one.value + step}, check=False):
            perturbed = motion.equations(known.system())
            perturbed.unit, perturbed.size, perturbed.pace, perturbed.steps = (
                base.unit,
                base.size,
                base.pace,
                base.steps,
            )
            return np.asarray(read(perturbed, step))

    return differentiated(aside, step_of(known, one, tangent))


def _matrix(balance: Balance, q: np.ndarray, p: np.ndarray, lam: np.ndarray) -> np.ndarray:
    """R_x: with respect to scaled displacements, the unknowns in their units, and multipliers scaled as in
    `Balance`."""
    n, scaled = balance.system.coordinates, _scaled(balance, lam)
    columns = []
    for k in range(n + p.size):

        def perturbed(step: float, k: int = k) -> np.ndarray:
            there = balance.moved(q, step * np.eye(1, n, k)[0]) if k < n else q
            unknowns = p if k < n else p + step * balance.steps * np.eye(1, p.size, k - n)[0]
            return np.asarray(balance.residual(balance.at(there, unknowns), scaled))

        columns.append(differentiated(perturbed, PARAMETER_STEP))
    forces = np.zeros((columns[0].size, lam.size))
    forces[:n] = balance.at(q, p).J.T / balance.size
    return np.column_stack([*columns, forces])


def _scaled(balance: Balance, lam: np.ndarray) -> np.ndarray:
    """Multipliers as energies."""
    return np.asarray(lam * balance.system.rows.scale)


def rest_of(model: Model, at: Any, what: str) -> Equilibrium | SteadyMotion:
    """The state at which `what` is computed: as stated, or the equilibrium of the model."""
    rest = equilibrium(model) if at is None else at
    if not isinstance(rest, Equilibrium | SteadyMotion):
        raise ModelError(
            f"at= of {what} must be an equilibrium or a steady motion of the model, got {check.describe(rest)}"
        )
    if rest.model is not model:
        raise ModelError(f"at= of {what} was computed for another model, '{rest.model.name}', not for '{model.name}'")
    return rest
