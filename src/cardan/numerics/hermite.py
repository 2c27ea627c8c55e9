"""The polynomial of fifth degree with given position, velocity and acceleration at both ends of a step.

    q(s) = q0 + v0 s + a0/2 s^2 + c3 s^3 + c4 s^4 + c5 s^5,    0 <= s <= 1

with d = q1 - q0; velocities are multiplied by the step h, accelerations by h^2.
"""

from __future__ import annotations

from typing import Any

from cardan.numerics.jit import kernel


def quintic(d: Any, v0: Any, v1: Any, a0: Any, a1: Any) -> tuple[Any, Any, Any]:
    """c3, c4 and c5, of numbers or arrays."""
    c3 = 10.0 * d - 6.0 * v0 - 4.0 * v1 - 1.5 * a0 + 0.5 * a1
    c4 = -15.0 * d + 8.0 * v0 + 7.0 * v1 + 1.5 * a0 - a1
    c5 = 6.0 * d - 3.0 * v0 - 3.0 * v1 - 0.5 * a0 + 0.5 * a1
    return c3, c4, c5


quintic_kernel = kernel(quintic, internal=True, inline=True)
