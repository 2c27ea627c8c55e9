r"""Contact of the rim of a body with a disk, a face or another rim.

    rim-disk    the point s(u) nearest to the center C       (C - s) . s' = 0
    face-rim    the point s(u) deepest below the face        g . s' = 0, g the face's normal
    rim-rim     s_a(u), s_b(w) with parallel tangents        s_a' x s_b' = 0,  (s_b - s_a) . s_a' = 0

A closed rim is solid, and gaps are negative inside. An open one is a sheet with two sides and edges: its gap is the
distance minus half its thickness, on whichever side the disk is.

The nearest or deepest of all points is found by a tree of boxes (see `outline_tree`) and Newton's method within
segments, independent of earlier results. Where two points are equally near, the normal jumps and the gap does
not. Two rims must be convex. Their pair of points is searched over directions n, for which the farthest point of each
rim is known: the gap is the largest n . (s_b - s_a). Newton's method starts there; its result is kept if no point of
either rim is beyond it, otherwise the direction is found by bisection.
"""

from __future__ import annotations

import math

import numpy as np

from cardan.numerics.compiled.jit import kernel
from cardan.numerics.curves.profiles import profile
from cardan.planar.kernels.columns import FX, FY, PX, PY

FAN = 128  # number of directions in which the farthest point of a rim is known
PARAMETER_TOLERANCE = 1e-14  # relative to the span: convergence of u
MIN_PART = 8  # relative to the span: shortest segment to split when there may be two minima
# relative to the size of two rims: how far one may extend beyond the tangent found by Newton's method
RIM_OVERLAP = 1e-10
_AT = 8  # scratch: n, gap and point, then the derivatives of one curve and of a second one
_LOST = 1


@kernel(internal=True)
def curve_touch(touches, frames, pair):
    """Write n, the gap and the midpoint to scratch[0:5]; called by address. Returns a status."""
    kind = touches.pairs[pair, 0]
    if kind == 4:
        return _rims(touches, frames, pair)
    a, b = touches.pairs[pair, 1], touches.pairs[pair, 2]
    rim, other = (a, b) if kind == 2 else (b, a)
    cx, cy = frames[rim, FX], frames[rim, FY]
    dx, dy = frames[other, PX] - frames[rim, PX], frames[other, PY] - frames[rim, PY]
    if kind == 2:
        return _disk(touches, pair, cx * dx + cy * dy, cx * dy - cy * dx, frames, rim)
    gx, gy = -frames[other, FY], frames[other, FX]
    return _face(touches, pair, cx * gx + cy * gy, cx * gy - cy * gx, dx * gx + dy * gy, frames, rim)


@kernel(internal=True)
def _disk(touches, pair, x, y, frames, rim):
    """The point of a rim nearest to the center (x, y) of a disk, in the axes of the rim."""
    out, first, curve = touches.scratch, touches.pairs[pair, 3], touches.pairs[pair, 4]
    reach = touches.numbers[first] + touches.numbers[first + 1]  # radius and half the thickness
    ended = _lowest(touches, curve, True, x, y)
    if ended < 0:
        return _LOST
    dx, dy, x1, y1 = x - out[_AT], y - out[_AT + 4], out[_AT + 1], out[_AT + 5]
    length = math.sqrt(x1 * x1 + y1 * y1)
    nx, ny = y1 / length, -x1 / length
    if touches.profiles.closed[curve] == 0:
        if dx * nx + dy * ny < 0.0:
            nx, ny = -nx, -ny
        length = math.sqrt(dx * dx + dy * dy)
        if ended == 1 and length > 0.0:  # beyond the end of an open rim only its end point counts
            nx, ny = dx / length, dy / length
    gap = dx * nx + dy * ny - reach
    back = touches.numbers[first] + 0.5 * gap
    return _tell(touches, frames, rim, nx, ny, gap, x - back * nx, y - back * ny)


@kernel(internal=True)
def _face(touches, pair, gx, gy, height, frames, rim):
    """The point of a rim deepest below a face with normal g; the face's origin is `height` above that of the rim."""
    out, curve, half = touches.scratch, touches.pairs[pair, 4], touches.numbers[touches.pairs[pair, 3]]
    if _lowest(touches, curve, False, gx, gy) < 0:
        return _LOST
    x, y = out[_AT], out[_AT + 4]
    gap = gx * x + gy * y - half - height
    back = half + 0.5 * gap
    return _tell(touches, frames, rim, gx, gy, gap, x - back * gx, y - back * gy)


@kernel(internal=True)
def _tell(touches, frames, rim, nx, ny, gap, x, y):
    """Write the result, found in the axes of a rim, in global axes."""
    out, c, s = touches.scratch, frames[rim, FX], frames[rim, FY]
    out[0], out[1], out[2] = c * nx - s * ny, s * nx + c * ny, gap
    out[3], out[4] = frames[rim, PX] + c * x - s * y, frames[rim, PY] + s * x + c * y
    return 0


@kernel(internal=True)
def _lowest(touches, curve, near, x, y):
    """Write to scratch[8:16] the point of least (s - p)^2, p = (x, y), or of least p . s if not `near`.

    Returns -1 if the curve has no finite point, 1 if the least is at an end of an open curve, 0 otherwise.
    """
    boxes, stack, profiles, out = touches.boxes, touches.stack, touches.profiles, touches.scratch[_AT:]
    root, first = np.int64(touches.trees[curve, 0]), np.int64(touches.trees[curve, 1])
    leaves, count = np.int64(touches.trees[curve, 2]), np.int64(touches.trees[curve, 3])
    best, where = np.inf, np.nan
    stack[0] = 0
    top = 1
    while top > 0:
        top -= 1
        node = np.int64(stack[top])
        if _bound(boxes, root + node, near, x, y) >= best:
            continue
        if node < leaves - 1:
            nearer, other = 2 * node + 1, 2 * node + 2
            if _bound(boxes, root + other, near, x, y) < _bound(boxes, root + nearer, near, x, y):
                nearer, other = other, nearer
            stack[top], stack[top + 1] = other, nearer
            top += 2
            continue
        leaf = node - leaves + 1
        for i in range(leaf * count // leaves, (leaf + 1) * count // leaves):
            least, u = _within(touches, curve, first + i, near, x, y)
            if least < best:
                best, where = least, u
    if not math.isfinite(where) or profile(profiles, curve, where, out):
        return -1
    inside = profiles.span[curve, 0] < where < profiles.span[curve, 1]
    return 0 if inside or profiles.closed[curve] != 0 else 1


@kernel(internal=True)
def _bound(boxes, node, near, x, y):
    """A lower bound for the points in a box."""
    if near:
        dx = max(max(boxes[node, 0] - x, x - boxes[node, 2]), 0.0)
        dy = max(max(boxes[node, 1] - y, y - boxes[node, 3]), 0.0)
        return dx * dx + dy * dy
    return x * boxes[node, 0 if x > 0.0 else 2] + y * boxes[node, 1 if y > 0.0 else 3]


@kernel(internal=True)
def _within(touches, curve, i, near, x, y):
    """The least value on the segment that starts at knot i, and its u; -inf and nan if the curve is not finite.

    If the curvature has opposite signs at the two ends there may be two minima, and the segment is split.
    """
    knots, out = touches.knots, touches.scratch[_AT:]
    low, high = knots[i, 0], knots[i + 1, 0]
    value, slope, bend = _objective(knots[i, 1:], near, x, y)
    last, rise, turn = _objective(knots[i + 1, 1:], near, x, y)
    parts = 1 if bend * turn > 0.0 else MIN_PART
    best, where, u0 = (value, low, low) if value <= last else (last, high, low)
    for k in range(1, parts + 1):
        u1, rise1 = high, rise
        if k < parts:
            u1 = low + (high - low) * k / parts
            if profile(touches.profiles, curve, u1, out):
                return -np.inf, np.nan
            value, rise1, _ = _objective(out, near, x, y)
            if value < best:
                best, where = value, u1
        if slope < 0.0 < rise1:
            value, u = _descend(touches, curve, near, x, y, u0, u1, slope, rise1)
            if value < best:
                best, where = value, u
        u0, slope = u1, rise1
    return best, where


@kernel(internal=True)
def _objective(at, near, x, y):
    """The value and its first two derivatives along a curve, from the output of `profile`."""
    if near:
        dx, dy, x1, y1 = at[0] - x, at[4] - y, at[1], at[5]
        return dx * dx + dy * dy, dx * x1 + dy * y1, x1 * x1 + y1 * y1 + dx * at[2] + dy * at[6]
    return x * at[0] + y * at[4], x * at[1] + y * at[5], x * at[2] + y * at[6]


@kernel(internal=True)
def _descend(touches, curve, near, x, y, low, high, fall, rise):
    """The least value between two u where it falls and rises: Newton's method with bisection as a fallback."""
    out, profiles = touches.scratch[_AT:], touches.profiles
    close = PARAMETER_TOLERANCE * (profiles.span[curve, 1] - profiles.span[curve, 0])
    u, value = low - fall * (high - low) / (rise - fall), np.inf
    for _ in range(60):
        if profile(profiles, curve, u, out):
            return -np.inf, np.nan
        value, slope, bend = _objective(out, near, x, y)
        if slope > 0.0:
            high = u
        else:
            low = u
        there = u - slope / bend if bend > 0.0 else np.inf
        if not low <= there <= high:
            there = 0.5 * (low + high)
        if abs(there - u) <= close:
            break
        u = there
    return value, u


@kernel(internal=True)
def _rims(touches, frames, pair):
    """n, in the axes of a, and the points of both rims that are farthest along it."""
    a, b, out = touches.pairs[pair, 1], touches.pairs[pair, 2], touches.scratch
    one, two = touches.pairs[pair, 4], touches.pairs[pair, 5]
    c = frames[a, FX] * frames[b, FX] + frames[a, FY] * frames[b, FY]
    s = frames[a, FX] * frames[b, FY] - frames[a, FY] * frames[b, FX]
    dx, dy = frames[b, PX] - frames[a, PX], frames[b, PY] - frames[a, PY]
    dx, dy = frames[a, FX] * dx + frames[a, FY] * dy, frames[a, FX] * dy - frames[a, FY] * dx
    angle, u, w = _best(touches, one, two, c, s, dx, dy)
    status, nx, ny, gap = _newton(touches, one, two, c, s, dx, dy, u, w)
    if status == 0:
        apart, _ = _apart(touches, one, two, c, s, dx, dy, nx, ny)
        if not abs(apart - gap) <= RIM_OVERLAP * (abs(out[_AT]) + abs(out[_AT + 4]) + abs(gap)):
            status = 1
    if status != 0:
        nx, ny = _turn_to(touches, one, two, c, s, dx, dy, angle)
        gap, _ = _apart(touches, one, two, c, s, dx, dy, nx, ny)
    if not math.isfinite(gap):
        return _LOST
    x, y = out[_AT], out[_AT + 4]  # on a, where it was last evaluated
    return _tell(touches, frames, a, nx, ny, gap, x + 0.5 * gap * nx, y + 0.5 * gap * ny)


@kernel(internal=True)
def _newton(touches, one, two, c, s, dx, dy, u, w):
    """Newton's method for u and w. Returns a status, 0 if it converges, n and the gap."""
    profiles = touches.profiles
    first, second = touches.scratch[_AT:], touches.scratch[_AT + 8 :]
    span_u, span_w = profiles.span[one, 1] - profiles.span[one, 0], profiles.span[two, 1] - profiles.span[two, 0]
    for _ in range(30):
        if profile(profiles, one, u, first) or profile(profiles, two, w, second):
            break
        ax, ay, bx, by = first[1], first[5], c * second[1] - s * second[5], s * second[1] + c * second[5]
        ux, uy, wx, wy = first[2], first[6], c * second[2] - s * second[6], s * second[2] + c * second[6]
        ex = dx + c * second[0] - s * second[4] - first[0]
        ey = dy + s * second[0] + c * second[4] - first[4]
        apart, across = ax * ex + ay * ey, ax * by - ay * bx
        j11, j12 = ux * ex + uy * ey - ax * ax - ay * ay, ax * bx + ay * by
        j21, j22 = ux * by - uy * bx, ax * wy - ay * wx
        size = j11 * j22 - j12 * j21
        if size == 0.0:
            break
        du, dw = (j12 * across - j22 * apart) / size, (j21 * apart - j11 * across) / size
        far = max(abs(du) / span_u, abs(dw) / span_w)
        if far <= PARAMETER_TOLERANCE:
            norm = math.sqrt(ax * ax + ay * ay)
            return 0, ay / norm, -ax / norm, (ay * ex - ax * ey) / norm
        shorter = min(1.0, 0.05 / far)
        u, w = u + shorter * du, w + shorter * dw
    return 1, 0.0, 0.0, np.nan


@kernel(internal=True)
def _apart(touches, one, two, c, s, dx, dy, nx, ny):
    """The distance of two rims along n, and its derivative as n rotates; the point of a stays in scratch[8:16]."""
    out = touches.scratch
    if _lowest(touches, two, False, c * nx + s * ny, c * ny - s * nx) < 0:
        return np.nan, 0.0
    ex, ey = dx + c * out[_AT] - s * out[_AT + 4], dy + s * out[_AT] + c * out[_AT + 4]
    if _lowest(touches, one, False, -nx, -ny) < 0:
        return np.nan, 0.0
    ex, ey = ex - out[_AT], ey - out[_AT + 4]
    return nx * ex + ny * ey, nx * ey - ny * ex


@kernel(internal=True)
def _turn_to(touches, one, two, c, s, dx, dy, angle):
    """The direction near an angle in which two rims are farthest apart, by bisection."""
    step = 2.0 * math.pi / FAN
    low, high = angle - step, angle + step
    for _ in range(FAN // 2):
        if _apart(touches, one, two, c, s, dx, dy, math.cos(low), math.sin(low))[1] > 0.0:
            break
        low, high = low - step, low
    for _ in range(FAN // 2):
        if _apart(touches, one, two, c, s, dx, dy, math.cos(high), math.sin(high))[1] < 0.0:
            break
        low, high = high, high + step
    for _ in range(60):
        middle = 0.5 * (low + high)
        if middle == low or middle == high:
            break
        if _apart(touches, one, two, c, s, dx, dy, math.cos(middle), math.sin(middle))[1] > 0.0:
            low = middle
        else:
            high = middle
    middle = 0.5 * (low + high)
    return math.cos(middle), math.sin(middle)


@kernel(internal=True)
def _best(touches, one, two, c, s, dx, dy):
    """The direction of greatest distance or least penetration of two rims, and u and w there."""
    fans, angle = touches.fans, 2.0 * math.pi / FAN
    turned = math.atan2(s, c)
    i, j, most, best = np.int64(FAN) * one, np.int64(FAN) * two, -np.inf, 0.0
    for k in range(FAN):
        nx, ny = math.cos(k * angle), math.sin(k * angle)
        opposite = np.int64(math.floor(k + 0.5 * FAN - turned / angle + 0.5)) % FAN
        p, q = np.int64(FAN) * one + k, np.int64(FAN) * two + opposite
        ex = dx + c * fans[q, 1] - s * fans[q, 2] - fans[p, 1]
        ey = dy + s * fans[q, 1] + c * fans[q, 2] - fans[p, 2]
        apart = nx * ex + ny * ey
        if apart > most:
            i, j, most, best = p, q, apart, k * angle
    return best, fans[i, 0], fans[j, 0]
