"""Plane parametric curves for the compiled loop: the point s(u) and its first three derivatives.

    s(u) = center + one of
        CIRCLE_PROFILE           R [cos u, sin u]
        POLAR_PROFILE            rho(u) [cos u, sin u], rho a user function
        POLAR_PIECEWISE_PROFILE  the same, rho a spline
        CURVE_PROFILE            [x(u), y(u)], two outputs of a user function, selected by the parameters
        CURVE_PIECEWISE_PROFILE  [x(u), y(u)], a spline

A closed curve is periodic: u may run over many turns. An open curve continues along the tangent at its ends, which
allows iterations to pass them; the caller checks the result against `span`. A curve in space is two shapes over
one parameter: its plan [x(u), y(u)] and its rise [z(u), unused].
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cardan.numerics.compiled.jit import kernel
from cardan.numerics.curves.spline import NOT_FINITE, piecewise, wrap
from cardan.numerics.functions.function import call_address

if TYPE_CHECKING:
    from cardan.numerics.functions.function import UserFunction

CIRCLE_PROFILE, POLAR_PROFILE, POLAR_PIECEWISE_PROFILE, CURVE_PROFILE, CURVE_PIECEWISE_PROFILE = 0, 1, 2, 3, 4
_RESULT = 2  # scratch: u, its rate 1, then results
_BLOCK = 5  # numbers per output of a user function: v, d, c, e and the gradient
_OUTPUTS = 3  # largest number of outputs of a user function


class Shape(NamedTuple):
    """One curve in the form of the compiled loop."""

    kind: int
    span: tuple[float, float]
    closed: bool
    center: tuple[float, float] = (0.0, 0.0)
    parameters: tuple[float, ...] = ()
    function: UserFunction | None = None


class ProfileTable(NamedTuple):
    """All curves of a model; the parameters of curve k begin at `parameters[start[k]]`."""

    kind: NDArray[np.uint32]
    closed: NDArray[np.uint32]
    span: NDArray[np.float64]  # (n, 2): first and last u
    center: NDArray[np.float64]  # (n, 2)
    start: NDArray[np.uint32]
    parameters: NDArray[np.float64]
    address: NDArray[np.uint64]
    scratch: NDArray[np.float64]  # one table per thread


def profile_table(shapes: Sequence[Shape]) -> ProfileTable:
    """The table of `shapes`, in their order. The shapes own the code at the addresses and must outlive the table."""
    start = np.cumsum([0, *(len(shape.parameters) for shape in shapes)])
    addresses = [shape.function.address if shape.function else 0 for shape in shapes]
    return ProfileTable(
        kind=np.array([shape.kind for shape in shapes], dtype=np.uint32),
        closed=np.array([shape.closed for shape in shapes], dtype=np.uint32),
        span=np.array([shape.span for shape in shapes], dtype=float).reshape(-1, 2),
        center=np.array([shape.center for shape in shapes], dtype=float).reshape(-1, 2),
        start=start.astype(np.uint32),
        parameters=np.array([p for shape in shapes for p in shape.parameters], dtype=float),
        address=np.array(addresses, dtype=np.uint64),
        scratch=np.zeros(_RESULT + _BLOCK * _OUTPUTS),
    )


@kernel(inline=True)
def profile(table, k, u, out):
    """Write x, x', x'', x''', y, y', y'', y''' of curve k at u into out[0:8]; return a status, 0 for success."""
    # read fields before the first branch: afterwards each read costs a reference count
    low, high = table.span[k, 0], table.span[k, 1]
    center_x, center_y = table.center[k, 0], table.center[k, 1]
    kind, closed, start = table.kind[k], table.closed[k] != 0, np.intp(table.start[k])
    p, work, address = table.parameters, table.scratch, table.address[k]
    inside = wrap(u, low, high) if closed else min(max(u, low), high)
    status = 0
    if kind == CURVE_PIECEWISE_PROFILE:
        status = piecewise(p, start, inside, out, np.intp(0))
    elif kind == POLAR_PIECEWISE_PROFILE:
        status = piecewise(p, start, inside, work, np.intp(_RESULT))
    elif kind == CIRCLE_PROFILE:
        work[_RESULT] = p[start]
        work[_RESULT + 1], work[_RESULT + 2], work[_RESULT + 3] = 0.0, 0.0, 0.0
    else:
        work[0] = inside
        work[1] = 1.0
        status = call_address(address, work[0:1], work[1:2], work[_RESULT:])
    if kind == CURVE_PROFILE:
        first, second = _RESULT + _BLOCK * np.intp(p[start]), _RESULT + _BLOCK * np.intp(p[start + 1])
        for i in range(4):
            out[i] = work[first + i]
            out[4 + i] = work[second + i]
    elif kind != CURVE_PIECEWISE_PROFILE:
        _polar(inside, work[_RESULT], work[_RESULT + 1], work[_RESULT + 2], work[_RESULT + 3], out)
    out[0] += center_x
    out[4] += center_y
    beyond = 0.0 if closed else u - inside
    return _extend(out, u, beyond, status)


@kernel(internal=True, inline=True)
def _extend(out, u, beyond, status):
    """Continue the curve along its tangent, and return the status of the result."""
    total = u
    for i in range(0, 8, 4):
        if beyond != 0.0:
            out[i] += out[i + 1] * beyond
            out[i + 2] = 0.0
            out[i + 3] = 0.0
        total += out[i] + out[i + 1] + out[i + 2] + out[i + 3]
    return status if status != 0 or math.isfinite(total) else NOT_FINITE


@kernel(internal=True, inline=True)
def _polar(a, r0, r1, r2, r3, out):
    """rho [cos a, sin a] and three derivatives, from rho and its derivatives."""
    c, s = math.cos(a), math.sin(a)
    # in the turning axes u = [cos a, sin a] and its perpendicular, each derivative is p u + q u_perp
    out[0], out[4] = r0 * c, r0 * s
    out[1], out[5] = r1 * c - r0 * s, r1 * s + r0 * c
    p, q = r2 - r0, 2.0 * r1
    out[2], out[6] = p * c - q * s, p * s + q * c
    p, q = r3 - 3.0 * r1, 3.0 * r2 - r0
    out[3], out[7] = p * c - q * s, p * s + q * c
