"""The compiled passes of `steady_motion` and `equilibrium`: the imbalance of forces in a known motion."""

from __future__ import annotations

from cardan.numerics.compiled.indirect import call_pointer
from cardan.numerics.compiled.jit import kernel
from cardan.system.cartesian.acceleration import forces_at
from cardan.system.cartesian.motion import evaluate_at


@kernel
def unbalanced(machine, t, q, v, a):
    """machine.force = Q - h - M a at positions q; all equations and measures are evaluated, too. Returns a status."""
    return evaluate_at(machine, t, q) or forces_at(machine, t, v, a, True)


@kernel
def sampled(machine, t):
    """Let all due samplers write their held values, at the last evaluation. Returns a status."""
    circuit = machine.forces.circuit
    return call_pointer(circuit.kernels.sample, (circuit, t, machine.work.z))
