"""The spatial measures in compiled form: value and jac of each kind, then rate and bias.

Relative to marker a, a measure is a function of the vector d = P_b - P_a and of the directions of b. Its variation is
one wrench: a force n on b at P_b and a torque tau, the opposite on a about the same point,

    dz = n . (dP_b - dP_a - dpi_a x d) + tau . (dpi_b - dpi_a)

so each kind defines n and tau, and `wrench` writes all columns. With u and c the velocity and acceleration of P_b
relative to a, w and alpha the relative angular velocity and acceleration, D a derivative relative to a,

    z' = n . u + tau . w,        bias = n . c + tau . alpha + Dn . u + Dtau . w        (Haug's -gamma)

Columns of jac: [r, pi' of a | r, pi' of b | u_a, u_b], pi' in the axes of the body; the columns of r_b are n.
"""

from __future__ import annotations

import math

from cardan.numerics.compiled.jit import kernel
from cardan.spatial.kernels.columns import ALPHA, KAPPA, OMEGA, A, C, P, S, T, V, X, Z

# The groups, in the order of the tables, with the meaning of the columns of `ends` after the two markers:
KINDS = (
    "coordinate",  # axis of the world
    "component",  # axis of a
    "length",
    "dot",  # axis of a, axis of b
    "angle",  # axes of a: zero, quarter turn; axis of b; 1 if the quarter turn is negative
    "bearing",  # axes of a: zero, quarter turn
    "tilt",  # axis of a, axis of b
    "rotation",  # axis
    "contact",
    "slide",  # axis of b
    "turn",  # axis of the world
    "spin",  # axis of b
    "upright",  # axis of a, axis of b
    "velocity_along",  # axis of b
    "angular_velocity_about",  # axis of a
    "course",  # 0: along, 1: across
    "helix",  # axis of a
    *("gap", "rub", "advance", "yaw", "camber"),  # surfaces: see `kernels.surfaces`
    "modal",  # see `kernels.flexible`
)
RARE = (
    "tilt",
    "rotation",
    "contact",
    "slide",
    "turn",
    "spin",
    "upright",
    "velocity_along",
    "angular_velocity_about",
    "course",
    "helix",
)
TURN = 2.0 * math.pi


@kernel(internal=True)
def values(ends, first, reference, frames, z, jac):
    """Fill z[:, 0] and jac."""
    _coordinates(ends, first[0], first[1], frames, z, jac)
    _components(ends, first[1], first[2], frames, z, jac)
    _lengths(ends, first[2], first[3], frames, z, jac)
    _dots(ends, first[3], first[4], frames, z, jac)
    _angles(ends, first[4], first[5], reference, frames, z, jac)
    _bearings(ends, first[5], first[6], reference, frames, z, jac)


@kernel(internal=True)
def rates(ends, first, frames, z, jac):
    """Fill z[:, 1:3] at the positions of the last call of `values`."""
    for m in range(first[0], first[1]):
        a, b, k = ends[m, 0], ends[m, 1], ends[m, 2]
        z[m, 1], z[m, 2] = frames[b, V + k], frames[b, C + k]
        if a != b:
            z[m, 1] -= frames[a, V + k]
            z[m, 2] -= frames[a, C + k]
    for m in range(first[1], first[3]):  # components and lengths
        ux, uy, uz, cx, cy, cz = place_rates(frames, ends[m, 0], ends[m, 1])
        nx, ny, nz = jac[m, 6], jac[m, 7], jac[m, 8]
        rate, bias = nx * ux + ny * uy + nz * uz, nx * cx + ny * cy + nz * cz
        if m >= first[2] and z[m, 0] > 0.0:
            bias += (ux * ux + uy * uy + uz * uz - rate * rate) / z[m, 0]
        z[m, 1], z[m, 2] = rate, bias
    for m in range(first[3], first[4]):
        z[m, 1], z[m, 2] = direction_along(frames, ends[m, 0], ends[m, 1], ends[m, 2], ends[m, 3])
    for m in range(first[4], first[5]):
        a, b, k = ends[m, 0], ends[m, 1], X + 3 * ends[m, 4]
        ux, uy, uz, cx, cy, cz = _direction_rates(frames, a, b, k)
        sign = 1.0 if ends[m, 5] == 0 else -1.0
        x, y, z_ = frames[b, k], frames[b, k + 1], frames[b, k + 2]
        _azimuth_rates(frames, a, ends[m, 2], ends[m, 3], sign, x, y, z_, ux, uy, uz, cx, cy, cz, z, m)
    for m in range(first[5], first[6]):
        a, b = ends[m, 0], ends[m, 1]
        ux, uy, uz, cx, cy, cz = place_rates(frames, a, b)
        x, y, z_ = _between(frames, a, b, P)
        _azimuth_rates(frames, a, ends[m, 2], ends[m, 3], 1.0, x, y, z_, ux, uy, uz, cx, cy, cz, z, m)


@kernel(internal=True)
def wrench(frames, a, b, m, nx, ny, nz, tx, ty, tz, jac):
    """The columns of a measure with force n at P_b and torque tau."""
    x, y, z = frames[b, S], frames[b, S + 1], frames[b, S + 2]
    bx, by, bz = tx + y * nz - z * ny, ty + z * nx - x * nz, tz + x * ny - y * nx
    dx, dy, dz = _between(frames, a, b, P)
    gx, gy, gz = tx + dy * nz - dz * ny, ty + dz * nx - dx * nz, tz + dx * ny - dy * nx  # torque about P_a
    x, y, z = frames[a, S], frames[a, S + 1], frames[a, S + 2]
    ax, ay, az = gx + y * nz - z * ny, gy + z * nx - x * nz, gz + x * ny - y * nx
    jac[m, 0], jac[m, 1], jac[m, 2], jac[m, 6], jac[m, 7], jac[m, 8] = -nx, -ny, -nz, nx, ny, nz
    for k in range(3):
        jac[m, 3 + k] = -(frames[a, A + k] * ax + frames[a, A + 3 + k] * ay + frames[a, A + 6 + k] * az)
        jac[m, 9 + k] = frames[b, A + k] * bx + frames[b, A + 3 + k] * by + frames[b, A + 6 + k] * bz
    along = nx * frames[a, T] + ny * frames[a, T + 1] + nz * frames[a, T + 2]
    turn = gx * frames[a, Z] + gy * frames[a, Z + 1] + gz * frames[a, Z + 2]
    jac[m, 12] = -along - frames[a, KAPPA] * turn
    along = nx * frames[b, T] + ny * frames[b, T + 1] + nz * frames[b, T + 2]
    turn = tx * frames[b, Z] + ty * frames[b, Z + 1] + tz * frames[b, Z + 2]
    jac[m, 13] = along + frames[b, KAPPA] * turn


@kernel(internal=True)
def _torque(frames, a, b, m, x, y, z, jac):
    """The same for a measure with a torque only, which does not depend on displacements."""
    for k in range(3):
        jac[m, k], jac[m, 6 + k] = 0.0, 0.0
        jac[m, 3 + k] = -(frames[a, A + k] * x + frames[a, A + 3 + k] * y + frames[a, A + 6 + k] * z)
        jac[m, 9 + k] = frames[b, A + k] * x + frames[b, A + 3 + k] * y + frames[b, A + 6 + k] * z
    jac[m, 12] = -frames[a, KAPPA] * (x * frames[a, Z] + y * frames[a, Z + 1] + z * frames[a, Z + 2])
    jac[m, 13] = frames[b, KAPPA] * (x * frames[b, Z] + y * frames[b, Z + 1] + z * frames[b, Z + 2])


@kernel(internal=True, inline=True)
def _between(frames, a, b, k):
    """A vector of b minus that of a."""
    return frames[b, k] - frames[a, k], frames[b, k + 1] - frames[a, k + 1], frames[b, k + 2] - frames[a, k + 2]


@kernel(internal=True)
def place_rates(frames, a, b):
    """u = d' - omega_a x d and its derivative c at zero coordinate accelerations, both relative to a."""
    dx, dy, dz = _between(frames, a, b, P)
    vx, vy, vz = _between(frames, a, b, V)
    cx, cy, cz = _between(frames, a, b, C)
    wx, wy, wz = frames[a, OMEGA], frames[a, OMEGA + 1], frames[a, OMEGA + 2]
    ax, ay, az = frames[a, ALPHA], frames[a, ALPHA + 1], frames[a, ALPHA + 2]
    ex, ey, ez = wy * dz - wz * dy, wz * dx - wx * dz, wx * dy - wy * dx
    ux, uy, uz = vx - ex, vy - ey, vz - ez
    ex, ey, ez = ex + 2.0 * ux, ey + 2.0 * uy, ez + 2.0 * uz
    return (
        ux,
        uy,
        uz,
        cx - (ay * dz - az * dy) - (wy * ez - wz * ey),
        cy - (az * dx - ax * dz) - (wz * ex - wx * ez),
        cz - (ax * dy - ay * dx) - (wx * ey - wy * ex),
    )


@kernel(internal=True)
def _direction_rates(frames, a, b, k):
    """De = w x e and its derivative alpha x e + w x (w x e) for the axis e of b in column k, relative to a."""
    x, y, z = frames[b, k], frames[b, k + 1], frames[b, k + 2]
    wx, wy, wz, ax, ay, az = turn_between(frames, a, b)
    ux, uy, uz = wy * z - wz * y, wz * x - wx * z, wx * y - wy * x
    return (
        ux,
        uy,
        uz,
        ay * z - az * y + wy * uz - wz * uy,
        az * x - ax * z + wz * ux - wx * uz,
        ax * y - ay * x + wx * uy - wy * ux,
    )


@kernel(internal=True)
def turn_between(frames, a, b):
    """w = omega_b - omega_a and its derivative alpha_b - alpha_a - omega_a x omega_b, relative to a."""
    px, py, pz = frames[a, OMEGA], frames[a, OMEGA + 1], frames[a, OMEGA + 2]
    qx, qy, qz = frames[b, OMEGA], frames[b, OMEGA + 1], frames[b, OMEGA + 2]
    ax, ay, az = _between(frames, a, b, ALPHA)
    return (
        qx - px,
        qy - py,
        qz - pz,
        ax - (py * qz - pz * qy),
        ay - (pz * qx - px * qz),
        az - (px * qy - py * qx),
    )


@kernel(internal=True)
def direction_along(frames, a, b, i, j):
    """Rate and bias of e_a . e_b."""
    k = X + 3 * i
    ux, uy, uz, cx, cy, cz = _direction_rates(frames, a, b, X + 3 * j)
    x, y, z = frames[a, k], frames[a, k + 1], frames[a, k + 2]
    return x * ux + y * uy + z * uz, x * cx + y * cy + z * cz


@kernel(internal=True)
def _azimuth(frames, a, i, j, sign, x, y, z):
    """The direction of a vector in the plane of two axes of a: sine, cosine, and its derivative M."""
    i, j = X + 3 * i, X + 3 * j
    ix, iy, iz = frames[a, i], frames[a, i + 1], frames[a, i + 2]
    jx, jy, jz = sign * frames[a, j], sign * frames[a, j + 1], sign * frames[a, j + 2]
    cosine, sine = ix * x + iy * y + iz * z, jx * x + jy * y + jz * z
    square = max(cosine * cosine + sine * sine, 1e-300)  # a vector normal to the plane has no direction
    f, g = -sine / square, cosine / square
    return sine, cosine, f * ix + g * jx, f * iy + g * jy, f * iz + g * jz


@kernel(internal=True)
def _azimuth_rates(frames, a, i, j, sign, x, y, z, ux, uy, uz, cx, cy, cz, table, m):
    """Rate M . u and bias M . c - 2 (M . u) (e . u) / |e|^2, with e the component of the vector in the plane."""
    sine, cosine, mx, my, mz = _azimuth(frames, a, i, j, sign, x, y, z)
    i, j = X + 3 * i, X + 3 * j
    rate = mx * ux + my * uy + mz * uz
    ex = cosine * frames[a, i] + sign * sine * frames[a, j]
    ey = cosine * frames[a, i + 1] + sign * sine * frames[a, j + 1]
    ez = cosine * frames[a, i + 2] + sign * sine * frames[a, j + 2]
    spread = (ex * ux + ey * uy + ez * uz) / max(cosine * cosine + sine * sine, 1e-300)
    table[m, 1], table[m, 2] = rate, mx * cx + my * cy + mz * cz - 2.0 * rate * spread


@kernel(internal=True, inline=True)
def _on_turn(value, reference):
    """The value on the turn nearest the reference; NaN: no reference yet."""
    nearest = reference if reference == reference else 0.0
    return value + TURN * math.floor((nearest - value) / TURN + 0.5)


@kernel(internal=True)
def _coordinates(ends, start, stop, frames, z, jac):
    """z = e . P_b or, of two points, e . (P_b - P_a), with e a global axis."""
    for m in range(start, stop):
        a, b, k = ends[m, 0], ends[m, 1], ends[m, 2]
        jac[m, 13] = _push(frames, b, k, 1.0, m, 6, jac)
        z[m, 0] = frames[b, P + k]
        if a != b:
            jac[m, 12] = _push(frames, a, k, -1.0, m, 0, jac)
            z[m, 0] -= frames[a, P + k]
        else:
            jac[m, 12] = _push(frames, a, k, 0.0, m, 0, jac)


@kernel(internal=True)
def _push(frames, marker, k, factor, m, first, jac):
    """Write the columns from `first` on of a marker's global coordinate k; returns the column of its own u."""
    x, y, z = frames[marker, S], frames[marker, S + 1], frames[marker, S + 2]
    if k == 0:
        tx, ty, tz = 0.0, factor * z, -factor * y
    elif k == 1:
        tx, ty, tz = -factor * z, 0.0, factor * x
    else:
        tx, ty, tz = factor * y, -factor * x, 0.0
    for c in range(3):
        jac[m, first + c] = factor if c == k else 0.0
        jac[m, first + 3 + c] = (
            frames[marker, A + c] * tx + frames[marker, A + 3 + c] * ty + frames[marker, A + 6 + c] * tz
        )
    return factor * frames[marker, T + k]


@kernel(internal=True)
def _components(ends, start, stop, frames, z, jac):
    """z = e . d, n = e."""
    for m in range(start, stop):
        a, b, k = ends[m, 0], ends[m, 1], X + 3 * ends[m, 2]
        dx, dy, dz = _between(frames, a, b, P)
        nx, ny, nz = frames[a, k], frames[a, k + 1], frames[a, k + 2]
        wrench(frames, a, b, m, nx, ny, nz, 0.0, 0.0, 0.0, jac)
        z[m, 0] = nx * dx + ny * dy + nz * dz


@kernel(internal=True)
def _lengths(ends, start, stop, frames, z, jac):
    """z = |d|, n = d / z."""
    for m in range(start, stop):
        a, b = ends[m, 0], ends[m, 1]
        dx, dy, dz = _between(frames, a, b, P)
        length = math.sqrt(dx * dx + dy * dy + dz * dz)
        # Coincident points have no direction; use any until the next iterate separates them.
        nx, ny, nz = (dx / length, dy / length, dz / length) if length > 0.0 else (1.0, 0.0, 0.0)
        wrench(frames, a, b, m, nx, ny, nz, 0.0, 0.0, 0.0, jac)
        z[m, 0] = length


@kernel(internal=True)
def dot(frames, a, b, i, j):
    """e_a . e_b and tau = e_b x e_a."""
    i, j = X + 3 * i, X + 3 * j
    x, y, z = frames[a, i], frames[a, i + 1], frames[a, i + 2]
    p, q, r = frames[b, j], frames[b, j + 1], frames[b, j + 2]
    return x * p + y * q + z * r, q * z - r * y, r * x - p * z, p * y - q * x


@kernel(internal=True)
def _dots(ends, start, stop, frames, z, jac):
    for m in range(start, stop):
        a, b = ends[m, 0], ends[m, 1]
        value, tx, ty, tz = dot(frames, a, b, ends[m, 2], ends[m, 3])
        _torque(frames, a, b, m, tx, ty, tz, jac)
        z[m, 0] = value


@kernel(internal=True)
def _angles(ends, start, stop, reference, frames, z, jac):
    """The direction of an axis of b in a's plane, tau = e_b x M."""
    for m in range(start, stop):
        a, b, k = ends[m, 0], ends[m, 1], X + 3 * ends[m, 4]
        p, q, r = frames[b, k], frames[b, k + 1], frames[b, k + 2]
        sign = 1.0 if ends[m, 5] == 0 else -1.0
        sine, cosine, x, y, w = _azimuth(frames, a, ends[m, 2], ends[m, 3], sign, p, q, r)
        _torque(frames, a, b, m, q * w - r * y, r * x - p * w, p * y - q * x, jac)
        z[m, 0] = _on_turn(math.atan2(sine, cosine), reference[m])


@kernel(internal=True)
def _bearings(ends, start, stop, reference, frames, z, jac):
    """The direction of d in a's plane, n = M."""
    for m in range(start, stop):
        a, b = ends[m, 0], ends[m, 1]
        dx, dy, dz = _between(frames, a, b, P)
        sine, cosine, nx, ny, nz = _azimuth(frames, a, ends[m, 2], ends[m, 3], 1.0, dx, dy, dz)
        wrench(frames, a, b, m, nx, ny, nz, 0.0, 0.0, 0.0, jac)
        z[m, 0] = _on_turn(math.atan2(sine, cosine), reference[m])
