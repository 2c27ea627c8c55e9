"""What is out of balance in a motion that is known: the compiled pass behind `steady_motion`."""

from __future__ import annotations

from cardan.numerics.jit import kernel
from cardan.system.acceleration import forces_at
from cardan.system.motion import evaluate_at


@kernel
def unbalanced(machine, t, q, v, a):
    """machine.force = Q - h - M a at positions q; all equations and measures are evaluated, too. Returns a status."""
    return evaluate_at(machine, t, q) or forces_at(machine, t, v, a, True)
