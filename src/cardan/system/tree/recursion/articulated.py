"""Accelerations of a tree by articulated bodies, and solutions with its mass matrix by the factors that are left.

    inward     U = J S,   D = S^T U + J_r,   u = tau - S^T F            J: inertia of node k with all that hangs on it,
               J_p += X^T (J - U D^-1 U^T) X                      F: the force that it takes to hold it
               F_p += X^T (F + J C + U D^-1 (u - U^T C))          J_r: of the rotor that it turns
    outward    A = X A_p + C,   a = D^-1 (u - U^T A),   A += S a

(Featherstone 2008, 7.3). `fold_inertias` needs positions alone; `fold_forces` and `spread` may then be repeated for
other forces, each time a solution of M a = b. A joint that is held, whose motion is prescribed, passes on all of J: its
D^-1 is zero, its acceleration part of C. J is kept as its 21 numbers:

    [ A   B ]  A: xx xy xz yy yz zz,   B: row by row,   M: xx xy xz yy yz zz
    [ B^T M ]
"""

from __future__ import annotations

from cardan.numerics.compiled.jit import kernel
from cardan.system.tree.recursion.kernels import (
    BALL,
    FREE,
    SCREW,
    SLIDE,
    add_force,
    at_parent,
    momentum_rate,
    symmetric_back,
)
from cardan.system.tree.recursion.vectors import back, cross, turned


@kernel(internal=True)
def fold_inertias(tree):
    """U, D and J of all nodes, where they were placed. Returns 0, or 1 + a node that has no inertia along its joint."""
    kind, parent, J = tree.kind, tree.parent, tree.articulated
    for k in range(kind.shape[0]):
        G, Jk = tree.inertia[k], J[k]
        m, hx, hy, hz = G[0], G[1], G[2], G[3]
        Jk[0], Jk[1], Jk[2], Jk[3], Jk[4], Jk[5] = G[4], G[7], G[8], G[5], G[9], G[6]
        Jk[6], Jk[7], Jk[8], Jk[9], Jk[10], Jk[11], Jk[12], Jk[13], Jk[14] = 0.0, -hz, hy, hz, 0.0, -hx, -hy, hx, 0.0
        Jk[15], Jk[16], Jk[17], Jk[18], Jk[19], Jk[20] = m, 0.0, 0.0, m, 0.0, m
    for k in range(kind.shape[0] - 1, -1, -1):
        if kind[k] <= SCREW:
            if not _divide_axis(tree, k):
                return 1 + k
            if parent[k] >= 0:
                _fold_axis(tree.frame[k], J[k], tree.U[k], tree.D[k], J[parent[k]])
        elif not _divide_point(tree, k):
            return 1 + k
        elif kind[k] == BALL and parent[k] >= 0:
            _fold_point(tree.frame[k], tree.left[k], J[parent[k]])
    return 0


@kernel(internal=True)
def start_forces(tree):
    """F of single nodes: what their velocities take, less the forces on them."""
    F = tree.F
    for k in range(F.shape[0]):
        Fk, o = F[k], tree.outer[k]
        dx, dy, dz, ex, ey, ez = momentum_rate(tree.inertia[k], tree.V[k])
        Fk[0], Fk[1], Fk[2], Fk[3], Fk[4], Fk[5] = dx - o[0], dy - o[1], dz - o[2], ex - o[3], ey - o[4], ez - o[5]


@kernel(internal=True)
def fold_forces(tree, tau, C):
    """u and F of all nodes, leaves first; C are their accelerations without those of the joints."""
    kind, parent, F, first = tree.kind, tree.parent, tree.F, tree.first_v
    for k in range(kind.shape[0] - 1, -1, -1):
        Fk, Ck, Jk, U, i = F[k], C[k], tree.articulated[k], tree.U[k], first[k]
        if kind[k] <= SCREW:
            along = Fk[5] if kind[k] == SLIDE else Fk[2] + (tree.lead[k] * Fk[5] if kind[k] == SCREW else 0.0)
            u = tree.sign[k] * tau[i] - along
            tree.u[k, 0] = u
            if parent[k] >= 0:
                share = (u - _dot(U, Ck)) * tree.D[k]
                nx, ny, nz, fx, fy, fz = articulated_times(Jk, Ck[0], Ck[1], Ck[2], Ck[3], Ck[4], Ck[5])
                handed = at_parent(
                    tree.frame[k],
                    Fk[0] + nx + U[0] * share,
                    Fk[1] + ny + U[1] * share,
                    Fk[2] + nz + U[2] * share,
                    Fk[3] + fx + U[3] * share,
                    Fk[4] + fy + U[4] * share,
                    Fk[5] + fz + U[5] * share,
                )
                add_force(F[parent[k]], *handed)
        else:
            _fold_point_force(tree, k, tau, C)


@kernel(internal=True)
def spread(tree, C, gx, gy, gz, a):
    """a and A of all nodes, the root first; ground accelerates by -g, or not at all."""
    kind, parent, A = tree.kind, tree.parent, tree.A
    for k in range(kind.shape[0]):
        E, Ak, Ck, p, i = tree.frame[k], A[k], C[k], parent[k], tree.first_v[k]
        if p >= 0:
            Ap = A[p]
            cx, cy, cz = cross(Ap[0], Ap[1], Ap[2], E[9], E[10], E[11])
            wx, wy, wz = turned(E, Ap[0], Ap[1], Ap[2])
            ux, uy, uz = turned(E, Ap[3] + cx, Ap[4] + cy, Ap[5] + cz)
        else:
            wx, wy, wz = 0.0, 0.0, 0.0
            ux, uy, uz = turned(E, -gx, -gy, -gz)
        Ak[0], Ak[1], Ak[2] = wx + Ck[0], wy + Ck[1], wz + Ck[2]
        Ak[3], Ak[4], Ak[5] = ux + Ck[3], uy + Ck[4], uz + Ck[5]
        if kind[k] <= SCREW:
            x = (tree.u[k, 0] - _dot(tree.U[k], Ak)) * tree.D[k]
            a[i] = tree.sign[k] * x
            if kind[k] == SLIDE:
                Ak[5] += x
            else:
                Ak[2] += x
                if kind[k] == SCREW:
                    Ak[5] += tree.lead[k] * x
        else:
            _spread_point(tree, k, Ak, a)


@kernel(internal=True, inline=True)
def _dot(U, A):
    return U[0] * A[0] + U[1] * A[1] + U[2] * A[2] + U[3] * A[3] + U[4] * A[4] + U[5] * A[5]


@kernel(internal=True, inline=True)
def articulated_times(J, wx, wy, wz, ux, uy, uz):
    """J [w | u]."""
    return (
        J[0] * wx + J[1] * wy + J[2] * wz + J[6] * ux + J[7] * uy + J[8] * uz,
        J[1] * wx + J[3] * wy + J[4] * wz + J[9] * ux + J[10] * uy + J[11] * uz,
        J[2] * wx + J[4] * wy + J[5] * wz + J[12] * ux + J[13] * uy + J[14] * uz,
        J[6] * wx + J[9] * wy + J[12] * wz + J[15] * ux + J[16] * uy + J[17] * uz,
        J[7] * wx + J[10] * wy + J[13] * wz + J[16] * ux + J[18] * uy + J[19] * uz,
        J[8] * wx + J[11] * wy + J[14] * wz + J[17] * ux + J[19] * uy + J[20] * uz,
    )


@kernel(internal=True, inline=True)
def _divide_axis(tree, k):
    """U and 1 / D of a joint with one axis. False where it has no inertia."""
    kind, J, U = tree.kind[k], tree.articulated[k], tree.U[k]
    if kind == SLIDE:
        U[0], U[1], U[2], U[3], U[4], U[5] = J[8], J[11], J[14], J[17], J[19], J[20]
        D = J[20]
    else:
        U[0], U[1], U[2], U[3], U[4], U[5] = J[2], J[4], J[5], J[12], J[13], J[14]
        D = J[5]
        if kind == SCREW:
            lead = tree.lead[k]
            U[0], U[1], U[2] = U[0] + lead * J[8], U[1] + lead * J[11], U[2] + lead * J[14]
            U[3], U[4], U[5] = U[3] + lead * J[17], U[4] + lead * J[19], U[5] + lead * J[20]
            D = U[2] + lead * U[5]
    D += tree.armature[tree.first_v[k]]
    held = tree.held[k] != 0
    tree.D[k] = 1.0 / D if D > 0.0 and not held else 0.0
    return held or D > tree.nothing[k]


@kernel(internal=True)
def _fold_axis(E, J, U, share, out):
    """X^T (J - U D^-1 U^T) X, added to the parent's inertia."""
    a, b, c, d, e, f = U[0], U[1], U[2], U[3], U[4], U[5]
    sa, sb, sc, sd, se, sf = share * a, share * b, share * c, share * d, share * e, share * f
    xx, xy, xz, yy, yz, zz = symmetric_back(
        E, J[0] - sa * a, J[1] - sa * b, J[2] - sa * c, J[3] - sb * b, J[4] - sb * c, J[5] - sc * c
    )
    m00, m01, m02, m11, m12, m22 = symmetric_back(
        E, J[15] - sd * d, J[16] - sd * e, J[17] - sd * f, J[18] - se * e, J[19] - se * f, J[20] - sf * f
    )
    b00, b01, b02, b10, b11, b12, b20, b21, b22 = _square_back(
        E,
        J[6] - sa * d, J[7] - sa * e, J[8] - sa * f,
        J[9] - sb * d, J[10] - sb * e, J[11] - sb * f,
        J[12] - sc * d, J[13] - sc * e, J[14] - sc * f,
    )  # fmt: skip
    _shifted(E, xx, xy, xz, yy, yz, zz, b00, b01, b02, b10, b11, b12, b20, b21, b22, m00, m01, m02, m11, m12, m22, out)


@kernel(internal=True, inline=True)
def _shifted(E, xx, xy, xz, yy, yz, zz, b00, b01, b02, b10, b11, b12, b20, b21, b22, m00, m01, m02, m11, m12, m22, out):
    """An inertia in the parent's axes about the node's origin, added to `out` about the parent's origin."""
    x, y, z = E[9], E[10], E[11]
    # about the parent's origin, P = p x:  B + P M,   A - B P + P (B + P M)^T
    c00, c10, c20 = cross(x, y, z, m00, m01, m02)
    c01, c11, c21 = cross(x, y, z, m01, m11, m12)
    c02, c12, c22 = cross(x, y, z, m02, m12, m22)
    c00, c01, c02 = b00 + c00, b01 + c01, b02 + c02
    c10, c11, c12 = b10 + c10, b11 + c11, b12 + c12
    c20, c21, c22 = b20 + c20, b21 + c21, b22 + c22
    # rows of -B P are p x (rows of B), since r P = r x p; columns of P C^T are p x (rows of C)
    r0x, r0y, r0z = cross(x, y, z, b00, b01, b02)
    _, r1y, r1z = cross(x, y, z, b10, b11, b12)
    _, _, r2z = cross(x, y, z, b20, b21, b22)
    k0x, _, _ = cross(x, y, z, c00, c01, c02)
    k1x, k1y, _ = cross(x, y, z, c10, c11, c12)
    k2x, k2y, k2z = cross(x, y, z, c20, c21, c22)
    out[0] += xx + r0x + k0x
    out[1] += xy + r0y + k1x
    out[2] += xz + r0z + k2x
    out[3] += yy + r1y + k1y
    out[4] += yz + r1z + k2y
    out[5] += zz + r2z + k2z
    out[6] += c00
    out[7] += c01
    out[8] += c02
    out[9] += c10
    out[10] += c11
    out[11] += c12
    out[12] += c20
    out[13] += c21
    out[14] += c22
    out[15] += m00
    out[16] += m01
    out[17] += m02
    out[18] += m11
    out[19] += m12
    out[20] += m22


@kernel(internal=True, inline=True)
def _square_back(E, b00, b01, b02, b10, b11, b12, b20, b21, b22):
    """E^T B E."""
    # columns of E^T B, then rows of (E^T B) E
    a00, a10, a20 = back(E, b00, b10, b20)
    a01, a11, a21 = back(E, b01, b11, b21)
    a02, a12, a22 = back(E, b02, b12, b22)
    c00, c01, c02 = back(E, a00, a01, a02)
    c10, c11, c12 = back(E, a10, a11, a12)
    c20, c21, c22 = back(E, a20, a21, a22)
    return c00, c01, c02, c10, c11, c12, c20, c21, c22


@kernel(internal=True)
def _divide_point(tree, k):
    """A^-1 of a ball, in `inverse`, and what it hands on, in `left`; or the factors of a body that is free."""
    J, L = tree.articulated[k], tree.inverse[k]
    if tree.kind[k] == FREE:
        return _factor_free(J, L, tree.nothing[k])
    a, b, c, d, e, f = J[0], J[1], J[2], J[3], J[4], J[5]
    xx, xy, xz = d * f - e * e, c * e - b * f, b * e - c * d
    det = a * xx + b * xy + c * xz
    if not det > tree.nothing[k] ** 3:
        return False
    L[0], L[1], L[2] = xx / det, xy / det, xz / det
    L[3], L[4], L[5] = (a * f - c * c) / det, (b * c - a * e) / det, (a * d - b * b) / det
    left = tree.left[k]  # M - B^T A^-1 B
    for i in range(3):
        x, y, z = _inverse_times(L, J[6 + i], J[9 + i], J[12 + i])
        for j in range(i, 3):
            left[3 * i + j] = x * J[6 + j] + y * J[9 + j] + z * J[12 + j]
    left[0], left[1], left[2] = J[15] - left[0], J[16] - left[1], J[17] - left[2]
    left[4], left[5], left[8] = J[18] - left[4], J[19] - left[5], J[20] - left[8]
    return True


@kernel(internal=True, inline=True)
def _inverse_times(L, x, y, z):
    return L[0] * x + L[1] * y + L[2] * z, L[1] * x + L[3] * y + L[4] * z, L[2] * x + L[4] * y + L[5] * z


@kernel(internal=True)
def _fold_point(E, left, out):
    """What a ball hands on is a mass at its point: X^T [0, 0; 0, M'] X, added to the parent's inertia."""
    m00, m01, m02, m11, m12, m22 = symmetric_back(E, left[0], left[1], left[2], left[4], left[5], left[8])
    nothing = 0.0, 0.0, 0.0
    _shifted(E, *nothing, *nothing, *nothing, *nothing, *nothing, m00, m01, m02, m11, m12, m22, out)


@kernel(internal=True)
def _fold_point_force(tree, k, tau, C):
    """u of a ball or a free body; a ball hands on tau, and the force at its point."""
    F, u, i, p = tree.F[k], tree.u[k], tree.first_v[k], tree.parent[k]
    if tree.kind[k] == FREE:
        E0 = tree.place[k]
        x, y, z = back(E0, tau[i], tau[i + 1], tau[i + 2])
        x, y, z = turned(tree.frame[k], x, y, z)
        u[3], u[4], u[5] = x - F[3], y - F[4], z - F[5]
        i += 3
    u[0], u[1], u[2] = tau[i] - F[0], tau[i + 1] - F[1], tau[i + 2] - F[2]
    if tree.kind[k] == BALL and p >= 0:
        J, left, Ck = tree.articulated[k], tree.left[k], C[k]
        x, y, z = _inverse_times(tree.inverse[k], u[0], u[1], u[2])
        handed = at_parent(
            tree.frame[k],
            tau[i],
            tau[i + 1],
            tau[i + 2],
            F[3] + J[6] * x + J[9] * y + J[12] * z + left[0] * Ck[3] + left[1] * Ck[4] + left[2] * Ck[5],
            F[4] + J[7] * x + J[10] * y + J[13] * z + left[1] * Ck[3] + left[4] * Ck[4] + left[5] * Ck[5],
            F[5] + J[8] * x + J[11] * y + J[14] * z + left[2] * Ck[3] + left[5] * Ck[4] + left[8] * Ck[5],
        )
        add_force(tree.F[p], *handed)


@kernel(internal=True)
def _spread_point(tree, k, A, a):
    """Accelerations of a ball or a free body, whose A is that without them."""
    J, u, i = tree.articulated[k], tree.u[k], tree.first_v[k]
    nx, ny, nz, fx, fy, fz = articulated_times(J, A[0], A[1], A[2], A[3], A[4], A[5])
    if tree.kind[k] == BALL:
        x, y, z = _inverse_times(tree.inverse[k], u[0] - nx, u[1] - ny, u[2] - nz)
    else:
        b = tree.six
        b[0], b[1], b[2], b[3], b[4], b[5] = u[0] - nx, u[1] - ny, u[2] - nz, u[3] - fx, u[4] - fy, u[5] - fz
        _solve_free(tree.inverse[k], b)
        x, y, z = b[0], b[1], b[2]
        rx, ry, rz = back(tree.frame[k], b[3], b[4], b[5])
        a[i], a[i + 1], a[i + 2] = turned(tree.place[k], rx, ry, rz)
        A[3], A[4], A[5] = A[3] + b[3], A[4] + b[4], A[5] + b[5]
        i += 3
    a[i], a[i + 1], a[i + 2] = x, y, z
    A[0], A[1], A[2] = A[0] + x, A[1] + y, A[2] + z


@kernel(internal=True)
def _factor_free(J, L, nothing):
    """Cholesky's factor of the 6 x 6 matrix J, row by row. False if it is singular."""
    for r in range(6):
        for c in range(r + 1):
            value = _entry(J, r, c)
            for j in range(c):
                value -= L[6 * r + j] * L[6 * c + j]
            if r > c:
                L[6 * r + c] = value / L[7 * c]
            elif value > nothing * 1e-3:
                L[7 * r] = value**0.5
            else:
                return False
    return True


@kernel(internal=True)
def _entry(J, r, c):
    """Entry (r, c), r >= c, of a matrix kept as 21 numbers."""
    if r < 3:
        return J[_SYMMETRIC[3 * r + c]]
    if c >= 3:
        return J[15 + _SYMMETRIC[3 * (r - 3) + c - 3]]
    return J[6 + 3 * c + r - 3]  # B^T


_SYMMETRIC = (0, 1, 2, 1, 3, 4, 2, 4, 5)  # where xx xy xz yy yz zz keep the entries of a symmetric matrix


@kernel(internal=True)
def _solve_free(L, b):
    for r in range(6):
        for c in range(r):
            b[r] -= L[6 * r + c] * b[c]
        b[r] /= L[7 * r]
    for r in range(5, -1, -1):
        for c in range(r + 1, 6):
            b[r] -= L[6 * c + r] * b[c]
        b[r] /= L[7 * r]
