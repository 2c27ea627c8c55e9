"""What is out of balance in a motion that is known: the compiled passes behind `steady_motion` and `equilibrium`."""

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
    """Let all samplers that are due write what is held, where the machine was evaluated last. Returns a status."""
    circuit = machine.forces.circuit
    return call_pointer(circuit.kernels.sample, (circuit, t, machine.work.z))
