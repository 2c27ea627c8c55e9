"""Applied forces as tables, and their evaluation: Q = -sum f dz/dq, added to a vector numbered as v."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from cardan.model.device import Device
from cardan.model.force import Law
from cardan.numerics.compiled.block import block
from cardan.numerics.compiled.indirect import call_pointer
from cardan.numerics.compiled.jit import kernel
from cardan.numerics.curves.motions import MotionTable, motion, motion_table
from cardan.numerics.functions.function import call_address
from cardan.system.circuit import SIGNAL, circuit
from cardan.system.system import System
from cardan.system.tables import starts


class Forces(NamedTuple):
    """The laws f_k = stiffness (z - rest) + damping z' + sum motion(t) + F(arguments, t) + signal,

    along z = sum_e c_e z_m(e).
    """

    start: np.ndarray  # uint32[n + 1]: entries of a force
    measure: np.ndarray  # uint32[ne]: the measure of an entry
    coefficient: np.ndarray  # float64[ne]
    linear: np.ndarray  # float64[n, 3]: stiffness, rest, damping
    motion_start: np.ndarray  # uint32[n + 1]: terms of the force's motion
    motions: MotionTable
    curve_start: np.ndarray  # uint32[2 n + 1]: terms of the curves over z of all forces, then of those over z'
    curves: MotionTable
    function: np.ndarray  # uint32[nf]: forces that have a function
    address: np.ndarray  # uint64[nf]
    argument_start: np.ndarray  # uint32[nf + 1]
    argument: np.ndarray  # uint32[na, 2]: measure, and 0 for its value or 1 for its rate
    timed: np.ndarray  # uint32[nf]: whether the time follows the arguments
    columns: np.ndarray  # uint32[nz, 2 width + 2]: where each column of a measure's jac belongs in v
    last: np.ndarray  # uint32[nz]: how many of these columns may belong to a coordinate
    circuit: Any  # devices whose outputs are forces
    scratch: np.ndarray  # float64[3, most]: arguments, rates and results of functions; one for each thread
    out: np.ndarray  # float64[3]


def force_table(
    system: System,
    laws: Sequence[Law] | None = None,
    devices: Sequence[Device] = (),
    states: np.ndarray | None = None,
    multipliers: np.ndarray | None = None,
) -> Any:
    """The block of the system's laws, or of others between its measures, with all devices that they need.

    `devices` are wanted besides. Blocks may share the states and the multipliers that devices read.
    """
    samplers = system.samplers if laws is None else ()
    laws = system.laws if laws is None else laws
    place = system.wiring.measures
    motions = [law.motion.terms() if law.motion is not None else [] for law in laws]
    curves = [
        curve.terms() if curve is not None else []
        for curve in (*(w.curve for w in laws), *(w.rate_curve for w in laws))
    ]
    functions = [(k, law) for k, law in enumerate(laws) if law.function is not None]
    most = max((len(law.arguments) for _, law in functions), default=0)
    tables = Forces(
        start=starts(len(law.terms) for law in laws),
        measure=np.array([place[m] for law in laws for _, m in law.terms], np.uint32),
        coefficient=np.array([c for law in laws for c, _ in law.terms], float),
        linear=np.array([(law.stiffness, law.rest, law.damping) for law in laws], float).reshape(-1, 3),
        motion_start=starts(len(terms) for terms in motions),
        motions=motion_table([term for terms in motions for term in terms]),
        curve_start=starts(len(terms) for terms in curves),
        curves=motion_table([term for terms in curves for term in terms]),
        function=np.array([k for k, _ in functions], np.uint32),
        address=np.array([law.function.address for _, law in functions if law.function], np.uint64),
        argument_start=starts(len(law.arguments) for _, law in functions),
        argument=np.array([(place[m], level) for _, law in functions for m, level in law.arguments], np.uint32).reshape(
            -1, 2
        ),
        timed=np.array([law.timed for _, law in functions], np.uint32),
        columns=system.columns.astype(np.uint32),
        last=_last(system.columns),
        circuit=circuit(laws, devices, system.wiring, states, multipliers, samplers),
        scratch=np.zeros((3, most + 6)),
        out=np.zeros(3),
    )
    return block(tables)


def _last(columns: np.ndarray) -> np.ndarray:
    """How many columns of each measure may belong to a coordinate: the rest are for modes that it does not have."""
    used = np.where(columns > 0, 1 + np.arange(columns.shape[1]), 0)
    return np.asarray(used.max(axis=1, initial=0), np.uint32)


@kernel
def apply_forces(forces, t, work, strength, out):
    """Fill `strength` with all f and add their generalized forces to `out`. Returns 0, or 1 + the force that failed;
    devices count after all forces.

    Measures must have been evaluated, rates included.
    """
    status = strengths(forces, t, work, strength)
    if status:
        return status
    jac, start, measure, coefficient, columns, last = (
        work.jac, forces.start, forces.measure, forces.coefficient, forces.columns, forces.last,
    )  # fmt: skip
    for k in range(strength.shape[0]):
        for e in range(start[k], start[k + 1]):
            m, factor = measure[e], -strength[k] * coefficient[e]
            for c in range(last[m]):
                out[columns[m, c]] += factor * jac[m, c]
    return 0


@kernel(internal=True)
def strengths(forces, t, work, strength):
    """Fill `strength` with all f. Returns 0, or 1 + the force that failed."""
    z, f = work.z, forces.out
    linear, motion_start, motions = forces.linear, forces.motion_start, forces.motions
    curve_start, curves, laws = forces.curve_start, forces.curves, strength.shape[0]
    for k in range(strength.shape[0]):
        value, rate = along(forces, z, k)
        strength[k] = linear[k, 0] * (value - linear[k, 1]) + linear[k, 2] * rate
        for j in range(motion_start[k], motion_start[k + 1]):
            if motion(motions, j, t, f):
                return 1 + k
            strength[k] += f[0]
        for level in range(2):
            at = k + level * laws
            for j in range(curve_start[at], curve_start[at + 1]):
                if motion(curves, j, rate if level else value, f):
                    return 1 + k
                strength[k] += f[0]
    return _functions(forces, t, z, strength) or _signals(forces, t, z, strength)


@kernel(internal=True, inline=True)
def along(forces, z, k):
    """The value and the rate of what force k acts along."""
    start, measure, coefficient = forces.start, forces.measure, forces.coefficient
    value, rate = 0.0, 0.0
    for e in range(start[k], start[k + 1]):
        value += coefficient[e] * z[measure[e], 0]
        rate += coefficient[e] * z[measure[e], 1]
    return value, rate


@kernel(once=True)
def _signals(forces, t, z, strength):
    circuit = forces.circuit
    if circuit.devices[0]:
        failed = call_pointer(circuit.kernels.run, (circuit, t, z))
        if failed:
            return strength.shape[0] + failed
    law, signals, states = circuit.law, circuit.signals, circuit.states
    for k in range(law.shape[0]):
        strength[law[k, 0]] += signals[law[k, 2]] if law[k, 1] == SIGNAL else states[law[k, 2]]
    return 0


@kernel(once=True)
def _functions(forces, t, z, strength):
    function, address, first, timed = forces.function, forces.address, forces.argument_start, forces.timed
    argument, scratch = forces.argument, forces.scratch
    arguments, rates, results = scratch[0], scratch[1], scratch[2]
    for k in range(function.shape[0]):
        n = 0
        for j in range(first[k], first[k + 1]):
            arguments[n] = z[argument[j, 0], argument[j, 1]]
            n += 1
        if timed[k]:
            arguments[n] = t
        results[0] = np.nan
        call_address(address[k], arguments, rates, results)
        if not math.isfinite(results[0]):  # a force needs its value alone: derivatives may be infinite
            return 1 + function[k]
        strength[function[k]] += results[0]
    return 0
