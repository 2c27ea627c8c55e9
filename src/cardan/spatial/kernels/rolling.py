"""Measures of wheels, balls and blades on a body a: the inclination of an axle, and velocities relative to a.

With k the z axis of b, the axle, n the z axis of a, the normal of its plane, s = n . k and c = sqrt(1 - s^2),

    t = k x n / c                    along: the direction in which the wheel rolls        n |   / k
    m = n x t = (k - s n) / c        across: the axle seen from above                       |__/___ m

Relative to a, t and m rotate about n with  p = w . (n - s/c m),  w the relative angular velocity: t' = p m, m' = -p t.
"""

from __future__ import annotations

import math

from cardan.numerics.compiled.jit import kernel
from cardan.spatial.kernels.columns import X, Z
from cardan.spatial.kernels.measures import direction_along, dot, place_rates, turn_between, wrench

FLAT_WHEEL_SQUARE = 1e-24  # squared sine for an axle normal to the plane, whose wheel has no direction


@kernel(internal=True)
def rolling_values(ends, first, frames, z, jac):
    """Fill z[:, 0] and jac of the kinds from upright to course, which are consecutive in the tables."""
    for m in range(first[12], first[13]):  # c = sqrt(1 - s^2)
        a, b = ends[m, 0], ends[m, 1]
        s, tx, ty, tz = dot(frames, a, b, ends[m, 2], ends[m, 3])
        c = math.sqrt(max(1.0 - s * s, FLAT_WHEEL_SQUARE))
        f = -s / c
        wrench(frames, a, b, m, 0.0, 0.0, 0.0, f * tx, f * ty, f * tz, jac)
        z[m, 0] = c
    for m in range(first[13], first[14]):  # b's point along its own axis
        a, b, k = ends[m, 0], ends[m, 1], X + 3 * ends[m, 2]
        wrench(frames, a, b, m, frames[b, k], frames[b, k + 1], frames[b, k + 2], 0.0, 0.0, 0.0, jac)
        z[m, 0] = 0.0
    for m in range(first[14], first[15]):  # b's rotation about an axis of a
        a, b, k = ends[m, 0], ends[m, 1], X + 3 * ends[m, 2]
        wrench(frames, a, b, m, 0.0, 0.0, 0.0, frames[a, k], frames[a, k + 1], frames[a, k + 2], jac)
        z[m, 0] = 0.0
    for m in range(first[15], first[16]):  # b's point along t or m
        a, b = ends[m, 0], ends[m, 1]
        _, tx, ty, tz, mx, my, mz = _directions(frames, a, b)
        x, y, w = (tx, ty, tz) if ends[m, 2] == 0 else (mx, my, mz)
        wrench(frames, a, b, m, x, y, w, 0.0, 0.0, 0.0, jac)
        z[m, 0] = 0.0


@kernel(internal=True)
def rolling_rates(ends, first, frames, z):
    """Fill z[:, 1:3] of the same."""
    for m in range(first[12], first[13]):
        c = z[m, 0]
        s, _, _, _ = dot(frames, ends[m, 0], ends[m, 1], ends[m, 2], ends[m, 3])
        rate, bias = direction_along(frames, ends[m, 0], ends[m, 1], ends[m, 2], ends[m, 3])
        z[m, 1], z[m, 2] = -s * rate / c, -rate * rate / (c * c * c) - s * bias / c
    for m in range(first[13], first[14]):
        a, b, k = ends[m, 0], ends[m, 1], X + 3 * ends[m, 2]
        ux, uy, uz, cx, cy, cz = place_rates(frames, a, b)
        wx, wy, wz, _, _, _ = turn_between(frames, a, b)
        x, y, w = frames[b, k], frames[b, k + 1], frames[b, k + 2]
        z[m, 1] = x * ux + y * uy + w * uz
        turned = (wy * w - wz * y) * ux + (wz * x - wx * w) * uy + (wx * y - wy * x) * uz  # (w x e) . u
        z[m, 2] = x * cx + y * cy + w * cz + turned
    for m in range(first[14], first[15]):
        a, b, k = ends[m, 0], ends[m, 1], X + 3 * ends[m, 2]
        wx, wy, wz, ax, ay, az = turn_between(frames, a, b)
        x, y, w = frames[a, k], frames[a, k + 1], frames[a, k + 2]
        z[m, 1], z[m, 2] = x * wx + y * wy + w * wz, x * ax + y * ay + w * az
    for m in range(first[15], first[16]):
        z[m, 1], z[m, 2] = _course_rates(frames, ends[m, 0], ends[m, 1], ends[m, 2])


@kernel(internal=True)
def _directions(frames, a, b):
    """s / c, t and m."""
    s, tx, ty, tz = dot(frames, a, b, 2, 2)  # k x n
    c = math.sqrt(max(1.0 - s * s, FLAT_WHEEL_SQUARE))
    x, y, z = frames[b, Z] - s * frames[a, Z], frames[b, Z + 1] - s * frames[a, Z + 1], frames[b, Z + 2]
    return s / c, tx / c, ty / c, tz / c, x / c, y / c, (z - s * frames[a, Z + 2]) / c


@kernel(internal=True)
def _course_rates(frames, a, b, across):
    """Rate and bias of t . u or m . u."""
    slope, tx, ty, tz, mx, my, mz = _directions(frames, a, b)
    ux, uy, uz, cx, cy, cz = place_rates(frames, a, b)
    wx, wy, wz, _, _, _ = turn_between(frames, a, b)
    turn = (
        wx * (frames[a, Z] - slope * mx) + wy * (frames[a, Z + 1] - slope * my) + wz * (frames[a, Z + 2] - slope * mz)
    )
    along, aside = tx * ux + ty * uy + tz * uz, mx * ux + my * uy + mz * uz
    if across:
        return aside, mx * cx + my * cy + mz * cz - turn * along
    return along, tx * cx + ty * cy + tz * cz + turn * aside
