"""Inertia forces and mass matrices of flexible spatial bodies: see `kernels.flexible` for the formulas.

Scratch memory of one body: E (9 n), C (3 n), H (3 n), sums over modal speeds (3 n each), and eight vectors.
"""

from __future__ import annotations

from cardan.numerics.compiled.jit import kernel
from cardan.spatial.kernels.flexible import SPATIAL_ENTRIES, SPATIAL_FIXED
from cardan.spatial.kernels.rotation import matrix_rows

SPATIAL_SCRATCH = 21  # numbers of scratch memory per mode
SPATIAL_VECTORS = 24  # and those that do not depend on the number of modes: S (3), J (9), F (3), n (3)


@kernel(internal=True)
def _shape(numbers, first, n, stiffened, q, eta, kept):
    """E, C, H, then S and J of the deformed part."""
    e, c, h, s = 0, 9 * n, 12 * n, SPATIAL_SCRATCH * n
    coupling, turning = first + SPATIAL_FIXED, first + SPATIAL_FIXED + 3 * n
    linear = turning + 3 * n
    square = linear + 9 * n + n * (n + 1) // 2
    for i in range(9 * n):
        kept[e + i] = numbers[linear + i]
    for i in range(3 * n):
        kept[c + i] = numbers[coupling + i]
    for k in range(n):
        at, by = square + 9 * n * k, q[eta + k]
        for i in range(9 * n):
            kept[e + i] += numbers[at + i] * by
    for i in range(3):
        kept[s + i] = numbers[first + 1 + i]
    if stiffened:
        curved = square + 12 * n * n
        for k in range(n):
            at, by = curved + 3 * n * k, q[eta + k]
            for i in range(3 * n):
                kept[c + i] += numbers[at + i] * by
    for k in range(n):  # S_0 + (C_0 + C) eta / 2
        by = 0.5 * q[eta + k]
        for i in range(3):
            kept[s + i] += (numbers[coupling + 3 * k + i] + kept[c + 3 * k + i]) * by
    for k in range(n):
        o, d = e + 9 * k, linear + 9 * k
        # H_k = H0_k + vex(E_k^T - D_0k)
        for i in range(3):
            j, other = (i + 1) % 3, (i + 2) % 3
            grown = kept[o + 3 * other + j] - kept[o + 3 * j + other]
            stated = numbers[d + 3 * other + j] - numbers[d + 3 * j + other]
            kept[h + 3 * k + i] = numbers[turning + 3 * k + i] + grown - stated
    _inertia(numbers, first, n, linear, q, eta, kept)


@kernel(internal=True)
def _inertia(numbers, first, n, linear, q, eta, kept):
    """J = J_0 + tr dD I - dD, with the symmetric part of dD = sum_k eta_k (E_k + D_0k)."""
    j = SPATIAL_SCRATCH * n + 3
    for i in range(9):
        kept[j + i] = numbers[first + 4 + i]
    for k in range(n):
        o, d, by = 9 * k, linear + 9 * k, q[eta + k]
        trace = 0.0
        for i in range(3):
            trace += kept[o + 4 * i] + numbers[d + 4 * i]
        for i in range(3):
            kept[j + 4 * i] += trace * by
            for other in range(3):
                grown = kept[o + 3 * i + other] + kept[o + 3 * other + i]
                grown += numbers[d + 3 * i + other] + numbers[d + 3 * other + i]
                kept[j + 3 * i + other] -= 0.5 * grown * by


@kernel(internal=True)
def flexible_inertia(flexible, matter, gravity, q, v, a, out):
    """Weight and inertia forces of flexible bodies and of their modes, in place of those of the undeformed bodies."""
    bodies, numbers, kept = flexible.bodies, flexible.numbers, flexible.scratch
    for b in range(bodies.shape[0]):
        body, n, first, stiffened = int(bodies[b, 0]), int(bodies[b, 1]), int(bodies[b, 4]), bodies[b, 6]
        eta, speed = int(bodies[b, 2]), int(bodies[b, 3])
        mass = matter[body, 0]
        scale = mass * numbers[first]  # of all integrals: 1, unless the mass was changed
        _shape(numbers, first, n, stiffened, q, eta, kept)
        i, j = 7 * body, 6 * body
        a11, a12, a13, a21, a22, a23, a31, a32, a33 = matrix_rows(q, i)
        gx, gy, gz = a[j] - gravity[0], a[j + 1] - gravity[1], a[j + 2] - gravity[2]
        bx, by, bz = (
            a11 * gx + a21 * gy + a31 * gz, a12 * gx + a22 * gy + a32 * gz, a13 * gx + a23 * gy + a33 * gz,
        )  # fmt: skip
        _of_frame(numbers, first, n, stiffened, speed, j, v, a, bx, by, bz, kept)
        f, t = SPATIAL_SCRATCH * n + 12, SPATIAL_SCRATCH * n + 15
        fx, fy, fz = -scale * kept[f], -scale * kept[f + 1], -scale * kept[f + 2]
        out[j] = a11 * fx + a12 * fy + a13 * fz
        out[j + 1] = a21 * fx + a22 * fy + a23 * fz
        out[j + 2] = a31 * fx + a32 * fy + a33 * fz
        for c in range(3):
            out[j + 3 + c] = -scale * kept[t + c]
        _of_modes(numbers, first, n, speed, j, v, a, bx, by, bz, scale, kept, out)
    return 0


@kernel(internal=True)
def _of_frame(numbers, first, n, stiffened, speed, j, v, a, bx, by, bz, kept):
    """F' and n' of the frame, with (bx, by, bz) = a'."""
    c, h, s, o = 9 * n, 12 * n, SPATIAL_SCRATCH * n, SPATIAL_SCRATCH * n + 3
    f, t = s + 12, s + 15
    p, r, w = v[j + 3], v[j + 4], v[j + 5]
    x, y, z = kept[s], kept[s + 1], kept[s + 2]
    ax, ay, az = a[j + 3], a[j + 4], a[j + 5]
    dx, dy, dz, ex, ey, ez = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0  # S' and C eta''
    hx, hy, hz, kx, ky, kz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0  # H eta' and H eta''
    b11, b12, b13, b22, b23, b33 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0  # the symmetric part of sum eta_k' E_k, twice
    for k in range(n):
        one, two, at, e = v[speed + k], a[speed + k], 3 * k, 9 * k
        dx, dy, dz = dx + kept[c + at] * one, dy + kept[c + at + 1] * one, dz + kept[c + at + 2] * one
        ex, ey, ez = ex + kept[c + at] * two, ey + kept[c + at + 1] * two, ez + kept[c + at + 2] * two
        hx, hy, hz = hx + kept[h + at] * one, hy + kept[h + at + 1] * one, hz + kept[h + at + 2] * one
        kx, ky, kz = kx + kept[h + at] * two, ky + kept[h + at + 1] * two, kz + kept[h + at + 2] * two
        b11, b22, b33 = b11 + 2.0 * kept[e] * one, b22 + 2.0 * kept[e + 4] * one, b33 + 2.0 * kept[e + 8] * one
        b12 += (kept[e + 1] + kept[e + 3]) * one
        b13 += (kept[e + 2] + kept[e + 6]) * one
        b23 += (kept[e + 5] + kept[e + 7]) * one
    ux, uy, uz = r * z - w * y + 2.0 * dx, w * x - p * z + 2.0 * dy, p * y - r * x + 2.0 * dz
    m = 1.0 / numbers[first]
    kept[f] = m * bx + ay * z - az * y + ex + r * uz - w * uy
    kept[f + 1] = m * by + az * x - ax * z + ey + w * ux - p * uz
    kept[f + 2] = m * bz + ax * y - ay * x + ez + p * uy - r * ux
    gx = kept[o] * p + kept[o + 1] * r + kept[o + 2] * w + hx  # J omega + H eta'
    gy = kept[o + 3] * p + kept[o + 4] * r + kept[o + 5] * w + hy
    gz = kept[o + 6] * p + kept[o + 7] * r + kept[o + 8] * w + hz
    kx += kept[o] * ax + kept[o + 1] * ay + kept[o + 2] * az
    ky += kept[o + 3] * ax + kept[o + 4] * ay + kept[o + 5] * az
    kz += kept[o + 6] * ax + kept[o + 7] * ay + kept[o + 8] * az
    trace = b11 + b22 + b33  # J' = tr I - B - B^T, with these as B + B^T
    kept[t] = y * bz - z * by + kx + r * gz - w * gy + trace * p - (b11 * p + b12 * r + b13 * w)
    kept[t + 1] = z * bx - x * bz + ky + w * gx - p * gz + trace * r - (b12 * p + b22 * r + b23 * w)
    kept[t + 2] = x * by - y * bx + kz + p * gy - r * gx + trace * w - (b13 * p + b23 * r + b33 * w)
    if stiffened:
        _add_stiffening(numbers, first, n, speed, v, kept, f, t)


@kernel(internal=True)
def _add_stiffening(numbers, first, n, speed, v, kept, f, t):
    """G_S eta' eta' in F' and vex(G_D) eta' eta' in n'."""
    curved = first + SPATIAL_FIXED + 15 * n + n * (n + 1) // 2 + 12 * n * n
    for k in range(n):
        for other in range(n):
            both = v[speed + k] * v[speed + other]
            straight, turned = curved + 3 * (n * k + other), curved + 3 * n * n + 3 * (n * k + other)
            for i in range(3):
                kept[f + i] += numbers[straight + i] * both
                kept[t + i] += numbers[turned + i] * both


@kernel(internal=True)
def _of_modes(numbers, first, n, speed, j, v, a, bx, by, bz, scale, kept, out):
    """-Q_k of all modes."""
    c, h, gyro = 9 * n, 12 * n, 15 * n
    p, r, w = v[j + 3], v[j + 4], v[j + 5]
    ax, ay, az = a[j + 3], a[j + 4], a[j + 5]
    masses = first + SPATIAL_FIXED + 15 * n
    turned = masses + n * (n + 1) // 2 + 9 * n * n
    for i in range(3 * n):
        kept[gyro + i] = 0.0
    for other in range(n):
        at, by_l = turned + 3 * n * other, v[speed + other]
        for i in range(3 * n):
            kept[gyro + i] += numbers[at + i] * by_l
    square = p * p + r * r + w * w
    xx, yy, zz, xy, xz, yz = p * p - square, r * r - square, w * w - square, p * r, p * w, r * w
    for k in range(n):
        at, e = 3 * k, 9 * k
        force = kept[c + at] * bx + kept[c + at + 1] * by + kept[c + at + 2] * bz
        force += kept[h + at] * ax + kept[h + at + 1] * ay + kept[h + at + 2] * az
        force += kept[e] * xx + kept[e + 4] * yy + kept[e + 8] * zz
        force += (kept[e + 1] + kept[e + 3]) * xy + (kept[e + 2] + kept[e + 6]) * xz + (kept[e + 5] + kept[e + 7]) * yz
        force += 2.0 * (kept[gyro + at] * p + kept[gyro + at + 1] * r + kept[gyro + at + 2] * w)
        out[speed + k] = -scale * force
    place = masses
    for k in range(n):
        for other in range(k):
            entry = scale * numbers[place + other]
            out[speed + k] -= entry * a[speed + other]
            out[speed + other] -= entry * a[speed + k]
        out[speed + k] -= scale * numbers[place + k] * a[speed + k]
        place += k + 1


@kernel(internal=True)
def flexible_masses(flexible, matter, q, out):
    """The mass matrix of flexible bodies: their own block, then for each mode A C_k and H_k, then M."""
    bodies, numbers, kept = flexible.bodies, flexible.numbers, flexible.scratch
    for b in range(bodies.shape[0]):
        body, n, first, stiffened = int(bodies[b, 0]), int(bodies[b, 1]), int(bodies[b, 4]), bodies[b, 6]
        _shape(numbers, first, n, stiffened, q, int(bodies[b, 2]), kept)
        scale = matter[body, 0] * numbers[first]
        s, o = SPATIAL_SCRATCH * n, SPATIAL_SCRATCH * n + 3
        x, y, z = scale * kept[s], scale * kept[s + 1], scale * kept[s + 2]
        place = 9
        for i in range(3):  # J, and the rows of A with their cross products with S
            for other in range(i + 1):
                out[body, place + other] = scale * kept[o + 3 * i + other]
            place += 4 + i
        rows = matrix_rows(q, 7 * body)
        for row in range(3):
            ax, ay, az = rows[3 * row], rows[3 * row + 1], rows[3 * row + 2]
            out[body, 6 + row] = az * y - ay * z
            out[body, 10 + row] = ax * z - az * x
            out[body, 15 + row] = ay * x - ax * y
        at, c, h = int(bodies[b, 5]), 9 * n, 12 * n
        for k in range(n):
            cx, cy, cz = kept[c + 3 * k], kept[c + 3 * k + 1], kept[c + 3 * k + 2]
            for i in range(3):
                p = at + 6 * k + i
                out[p // SPATIAL_ENTRIES, p % SPATIAL_ENTRIES] = scale * (
                    rows[3 * i] * cx + rows[3 * i + 1] * cy + rows[3 * i + 2] * cz
                )
                p += 3
                out[p // SPATIAL_ENTRIES, p % SPATIAL_ENTRIES] = scale * kept[h + 3 * k + i]
        masses = first + SPATIAL_FIXED + 15 * n
        for k in range(n * (n + 1) // 2):
            p = at + 6 * n + k
            out[p // SPATIAL_ENTRIES, p % SPATIAL_ENTRIES] = scale * numbers[masses + k]
    return 0


@kernel(internal=True)
def modal_energy(flexible, mass, v, energy):
    """Add the kinetic energy that involves modal speeds, from the mass matrix of `flexible_masses`."""
    bodies = flexible.bodies
    for b in range(bodies.shape[0]):
        body, n, speed, at = int(bodies[b, 0]), int(bodies[b, 1]), int(bodies[b, 3]), int(bodies[b, 5])
        for k in range(n):
            momentum = 0.0
            for i in range(6):
                p = at + 6 * k + i
                momentum += mass[p // SPATIAL_ENTRIES, p % SPATIAL_ENTRIES] * v[6 * body + i]
            for other in range(k + 1):
                p = at + 6 * n + k * (k + 1) // 2 + other
                momentum += (
                    (0.5 if other == k else 1.0) * mass[p // SPATIAL_ENTRIES, p % SPATIAL_ENTRIES] * v[speed + other]
                )
            energy[0] += momentum * v[speed + k]
    return 0
