"""Finite turns of balls: the exponential of rotations by a vector, and its tangent.

    e <- e exp(th):  Euler parameters times (cos |th|/2, sin(|th|/2) th / |th|)
    T(th) x = x - (1 - cos a) / a^2  th x x + (a - sin a) / a^3  th x (th x x),          a = |th|

Axes are those of the body. Joints with one axis travel along straight lines, and T is 1 for them.
"""

from __future__ import annotations

import math

from cardan.numerics.compiled.jit import kernel
from cardan.system.tree.recursion.kernels import BALL, FREE
from cardan.system.tree.recursion.vectors import cross

SERIES_ANGLE = 0.05  # angles below which series are more exact than formulas


@kernel(internal=True)
def travel(tree, q, h, w, out):
    """out = q after a time h at the constant speeds w."""
    kind = tree.kind
    for k in range(kind.shape[0]):
        i, j = tree.first_q[k], tree.first_v[k]
        if kind[k] < BALL:
            out[i] = q[i] + h * w[j]
            continue
        if kind[k] == FREE:
            for m in range(3):
                out[i + m] = q[i + m] + h * w[j + m]
            i, j = i + 3, j + 3
        x, y, z = 0.5 * h * w[j], 0.5 * h * w[j + 1], 0.5 * h * w[j + 2]
        a = math.sqrt(x * x + y * y + z * z)
        c, s = math.cos(a), _sine_over(a)
        x, y, z = s * x, s * y, s * z
        e0, e1, e2, e3 = q[i], q[i + 1], q[i + 2], q[i + 3]
        out[i] = c * e0 - e1 * x - e2 * y - e3 * z
        out[i + 1] = c * e1 + e0 * x - e3 * y + e2 * z
        out[i + 2] = c * e2 + e3 * x + e0 * y - e1 * z
        out[i + 3] = c * e3 - e2 * x + e1 * y + e0 * z


@kernel(internal=True)
def _sine_over(a):
    """sin a / a."""
    s = a * a
    return math.sin(a) / a if a > SERIES_ANGLE else 1.0 - s / 6.0 * (1.0 - s / 20.0 * (1.0 - s / 42.0))


@kernel(internal=True)
def twisted(tree, h, w, x, out):
    """out = T(h w) x."""
    _along(tree, h, w, x, out, False)


@kernel(internal=True)
def untwisted(tree, h, w, x, out):
    """out = T(h w)^-1 x."""
    _along(tree, h, w, x, out, True)


@kernel(internal=True)
def _along(tree, h, w, x, out, back):
    kind = tree.kind
    for i in range(x.shape[0]):
        out[i] = x[i]
    for k in range(kind.shape[0]):
        if kind[k] < BALL:
            continue
        j = tree.first_v[k] + tree.count_v[k] - 3
        tx, ty, tz = h * w[j], h * w[j + 1], h * w[j + 2]
        first, second = _inverse_factors(tx, ty, tz) if back else _factors(tx, ty, tz)
        ax, ay, az = cross(tx, ty, tz, x[j], x[j + 1], x[j + 2])
        bx, by, bz = cross(tx, ty, tz, ax, ay, az)
        out[j] += first * ax + second * bx
        out[j + 1] += first * ay + second * by
        out[j + 2] += first * az + second * bz


@kernel(internal=True)
def _factors(x, y, z):
    """-(1 - cos a) / a^2 and (a - sin a) / a^3."""
    s = x * x + y * y + z * z
    if s < SERIES_ANGLE * SERIES_ANGLE:
        return (
            -0.5 * (1.0 - s / 12.0 * (1.0 - s / 30.0 * (1.0 - s / 56.0))),
            (1.0 - s / 20.0 * (1.0 - s / 42.0 * (1.0 - s / 72.0))) / 6.0,
        )
    a = math.sqrt(s)
    half = math.sin(0.5 * a)
    return -2.0 * half * half / s, (a - math.sin(a)) / (s * a)


@kernel(internal=True)
def _inverse_factors(x, y, z):
    """1/2 and (1 - a/2 cot(a/2)) / a^2."""
    s = x * x + y * y + z * z
    if s < SERIES_ANGLE * SERIES_ANGLE:
        return 0.5, (1.0 + s / 60.0 * (1.0 + s / 42.0 * (1.0 + s / 40.0))) / 12.0
    half = 0.5 * math.sqrt(s)
    return 0.5, (1.0 - half * math.cos(half) / math.sin(half)) / s
