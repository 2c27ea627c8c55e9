"""The quintic polynomial with given position, velocity and acceleration at both ends of a step.

    q(s) = q0 + v0 s + a0/2 s^2 + c3 s^3 + c4 s^4 + c5 s^5,    0 <= s <= 1

with d = q1 - q0; velocities are multiplied by the step h, accelerations by h^2.
"""

from __future__ import annotations

from typing import Any

from cardan.numerics.compiled.jit import kernel


def quintic(d: Any, v0: Any, v1: Any, a0: Any, a1: Any) -> tuple[Any, Any, Any]:
    """c3, c4 and c5 for numbers or arrays."""
    c3 = 10.0 * d - 6.0 * v0 - 4.0 * v1 - 1.5 * a0 + 0.5 * a1
    c4 = -15.0 * d + 8.0 * v0 + 7.0 * v1 + 1.5 * a0 - a1
    c5 = 6.0 * d - 3.0 * v0 - 3.0 * v1 - 0.5 * a0 + 0.5 * a1
    return c3, c4, c5


def interpolated(s: float, h: Any, d: Any, start: Any, end: Any) -> tuple[Any, Any, Any]:
    """q - q0, v and a at the fraction s of a step of length h, given d and (v, a) at both ends."""
    v0, v1, a0, a1 = h * start[0], h * end[0], h * h * start[1], h * h * end[1]
    c3, c4, c5 = quintic(d, v0, v1, a0, a1)
    q = s * (v0 + s * (0.5 * a0 + s * (c3 + s * (c4 + s * c5))))
    v = (v0 + s * (a0 + s * (3 * c3 + s * (4 * c4 + s * 5 * c5)))) / h
    a = (a0 + s * (6 * c3 + s * (12 * c4 + s * 20 * c5))) / (h * h)
    return q, v, a


quintic_kernel = kernel(quintic, internal=True, inline=True)
