r"""Where the rim of a body touches a disc, a face or another rim.

    rim-disc    the point s(u) nearest to the centre C       (C - s) . s' = 0
    face-rim    the point s(u) deepest below the face        g . s' = 0, g the face's normal
    rim-rim     s_a(u), s_b(w) with parallel tangents        s_a' x s_b' = 0,  (s_b - s_a) . s_a' = 0

The best of fixed samples begins, Newton's method ends, held between the neighbours of that sample: the same answer
whatever was computed before. A rim may be concave where a disc or a face touches it; the nearest point counts then, and
it jumps where two are equally near: state another contact there. Two rims must be convex. The search for their pair
runs over directions n, of which each rim's farthest point is known: the gap is the largest n . (s_b - s_a) of all.
"""

from __future__ import annotations

import math

import numpy as np

from cardan.numerics.jit import kernel
from cardan.numerics.profiles import profile
from cardan.planar.kernels import FX, FY, PX, PY

FAN = 128  # directions in which the farthest point of a rim is known
CLOSE = 1e-14  # of the span: when u counts as found
_AT = 8  # scratch: n, gap and point; from here on a curve's derivatives, and those of a second one
_LOST = 1


@kernel(internal=True)
def curve_touch(touches, frames, pair):
    """Write n, the gap and the point in the middle to scratch[0:5]; called by address. Returns a status."""
    kind = touches.pairs[pair, 0]
    if kind == 4:
        return _rims(touches, frames, pair)
    a, b = touches.pairs[pair, 1], touches.pairs[pair, 2]
    rim, other = (a, b) if kind == 2 else (b, a)
    cx, cy = frames[rim, FX], frames[rim, FY]
    dx, dy = frames[other, PX] - frames[rim, PX], frames[other, PY] - frames[rim, PY]
    if kind == 2:
        return _disc(touches, pair, cx * dx + cy * dy, cx * dy - cy * dx, frames, rim)
    gx, gy = -frames[other, FY], frames[other, FX]
    return _face(touches, pair, cx * gx + cy * gy, cx * gy - cy * gx, dx * gx + dy * gy, frames, rim)


@kernel(internal=True)
def _disc(touches, pair, x, y, frames, rim):
    """The point of a rim nearest to the centre (x, y) of a disc, in the axes of the rim."""
    out, first, curve = touches.scratch, touches.pairs[pair, 3], touches.pairs[pair, 4]
    radius, side = touches.numbers[first], touches.numbers[first + 1]
    ended = _lowest(touches, curve, True, x, y)
    if ended < 0:
        return _LOST
    dx, dy, x1, y1 = x - out[_AT], y - out[_AT + 4], out[_AT + 1], out[_AT + 5]
    length = math.sqrt(x1 * x1 + y1 * y1)
    nx, ny = side * y1 / length, -side * x1 / length
    if ended == 1:  # beyond the end of an open rim there is only its last point
        length = math.sqrt(dx * dx + dy * dy)
        if length > 0.0:
            nx, ny = dx / length, dy / length
    gap = dx * nx + dy * ny - radius
    return _tell(touches, frames, rim, nx, ny, gap, x - (radius + 0.5 * gap) * nx, y - (radius + 0.5 * gap) * ny)


@kernel(internal=True)
def _face(touches, pair, gx, gy, height, frames, rim):
    """The point of a rim deepest below a face of normal g; the face's origin is `height` above that of the rim."""
    out, curve = touches.scratch, touches.pairs[pair, 4]
    if _lowest(touches, curve, False, gx, gy) < 0:
        return _LOST
    x, y = out[_AT], out[_AT + 4]
    gap = gx * x + gy * y - height
    return _tell(touches, frames, rim, gx, gy, gap, x - 0.5 * gap * gx, y - 0.5 * gap * gy)


@kernel(internal=True)
def _tell(touches, frames, rim, nx, ny, gap, x, y):
    """Write what was found in the axes of a rim, in world axes."""
    out, c, s = touches.scratch, frames[rim, FX], frames[rim, FY]
    out[0], out[1], out[2] = c * nx - s * ny, s * nx + c * ny, gap
    out[3], out[4] = frames[rim, PX] + c * x - s * y, frames[rim, PY] + s * x + c * y
    return 0


@kernel(internal=True)
def _lowest(touches, curve, near, x, y):
    """Leave in scratch[8:16] the point of least (s - p)^2 / 2, p = (x, y), or with not `near` of least p . s.

    Returns -1 if the curve has no finite point, 1 if the least is at an end of an open curve, 0 otherwise.
    """
    samples, out, profiles = touches.samples, touches.scratch[_AT:], touches.profiles
    start, stop = np.int64(touches.sample_start[curve]), np.int64(touches.sample_start[curve + 1])
    best, least = start, np.inf
    for i in range(start, stop):
        px, py = samples[i, 1], samples[i, 2]
        value = (px - x) ** 2 + (py - y) ** 2 if near else x * px + y * py
        if value < least:
            best, least = np.int64(i), value
    begin, end = profiles.span[curve, 0], profiles.span[curve, 1]
    u = samples[best, 0]
    low, high = u, u
    if profiles.closed[curve] != 0:
        low = samples[best - 1, 0] if best > start else samples[stop - 1, 0] - (end - begin)
        high = samples[best + 1, 0] if best + 1 < stop else end + samples[start, 0] - begin
    else:
        low, high = samples[max(best - 1, start), 0], samples[min(best + 1, stop - 1), 0]
    slope = 0.0
    for _ in range(60):
        if profile(profiles, curve, u, out):
            return -1
        x1, y1 = out[1], out[5]
        if near:
            slope = (out[0] - x) * x1 + (out[4] - y) * y1
            bend = x1 * x1 + y1 * y1 + (out[0] - x) * out[2] + (out[4] - y) * out[6]
        else:
            slope, bend = x * x1 + y * y1, x * out[2] + y * out[6]
        if slope > 0.0:
            high = u
        else:
            low = u
        step = -slope / bend if bend > 0.0 else np.inf
        there = u + step
        if not low <= there <= high:
            there = 0.5 * (low + high)
        if abs(there - u) <= CLOSE * (end - begin):
            break
        u = there
    at_end = profiles.closed[curve] == 0 and ((u <= begin and slope > 0.0) or (u >= end and slope < 0.0))
    return 1 if at_end else 0


@kernel(internal=True)
def _rims(touches, frames, pair):
    """Newton's method for u and w from the best pair of the fan, in the axes of a."""
    a, b, profiles = touches.pairs[pair, 1], touches.pairs[pair, 2], touches.profiles
    one, two = touches.pairs[pair, 4], touches.pairs[pair, 5]
    out = touches.scratch
    first, second = out[_AT:], out[_AT + 8 :]
    c = frames[a, FX] * frames[b, FX] + frames[a, FY] * frames[b, FY]
    s = frames[a, FX] * frames[b, FY] - frames[a, FY] * frames[b, FX]
    dx, dy = frames[b, PX] - frames[a, PX], frames[b, PY] - frames[a, PY]
    dx, dy = frames[a, FX] * dx + frames[a, FY] * dy, frames[a, FX] * dy - frames[a, FY] * dx
    u, w = _best(touches, one, two, c, s, dx, dy)
    span_u, span_w = profiles.span[one, 1] - profiles.span[one, 0], profiles.span[two, 1] - profiles.span[two, 0]
    for _ in range(60):
        if profile(profiles, one, u, first) or profile(profiles, two, w, second):
            return _LOST
        ax, ay, bx, by = first[1], first[5], c * second[1] - s * second[5], s * second[1] + c * second[5]
        ux, uy, wx, wy = first[2], first[6], c * second[2] - s * second[6], s * second[2] + c * second[6]
        ex = dx + c * second[0] - s * second[4] - first[0]
        ey = dy + s * second[0] + c * second[4] - first[4]
        apart, across = ax * ex + ay * ey, ax * by - ay * bx
        j11, j12 = ux * ex + uy * ey - ax * ax - ay * ay, ax * bx + ay * by
        j21, j22 = ux * by - uy * bx, ax * wy - ay * wx
        size = j11 * j22 - j12 * j21
        if size == 0.0:
            return _LOST
        du, dw = (j12 * across - j22 * apart) / size, (j21 * apart - j11 * across) / size
        far = max(abs(du) / span_u, abs(dw) / span_w)
        if far <= CLOSE:
            norm = math.sqrt(ax * ax + ay * ay)
            nx, ny = ay / norm, -ax / norm
            gap = nx * ex + ny * ey
            return _tell(touches, frames, a, nx, ny, gap, first[0] + 0.5 * gap * nx, first[4] + 0.5 * gap * ny)
        shorter = min(1.0, 0.05 / far)
        u, w = u + shorter * du, w + shorter * dw
    return _LOST


@kernel(internal=True)
def _best(touches, one, two, c, s, dx, dy):
    """u and w of the direction in which two rims are farthest apart, or least inside each other."""
    fans, angle = touches.fans, 2.0 * math.pi / FAN
    turned = math.atan2(s, c)
    i, j, most = np.int64(FAN) * one, np.int64(FAN) * two, -np.inf
    for k in range(FAN):
        nx, ny = math.cos(k * angle), math.sin(k * angle)
        opposite = np.int64(math.floor(k + 0.5 * FAN - turned / angle + 0.5)) % FAN
        p, q = np.int64(FAN) * one + k, np.int64(FAN) * two + opposite
        ex = dx + c * fans[q, 1] - s * fans[q, 2] - fans[p, 1]
        ey = dy + s * fans[q, 1] + c * fans[q, 2] - fans[p, 2]
        apart = nx * ex + ny * ey
        if apart > most:
            i, j, most = p, q, apart
    return fans[i, 0], fans[j, 0]
