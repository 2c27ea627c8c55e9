"""Small dense matrices in compiled loops: an orthogonal basis of rows and of their null space, and Cholesky factors.

    J^T P = [Q1 Q2] [R; 0]        rows of unit length, by Householder's reflections with column pivoting

Matrices of a few dozen rows, in memory of the caller.

The functions from `factorize_rows` on keep the reflections, with vectors as rows in memory: row k of the factors holds
column k of R up to its diagonal and, behind it, the rest of the vector of reflection k, which begins with `head[k]`.
"""

from __future__ import annotations

import numpy as np

from cardan.numerics.compiled.jit import kernel

# distance of a unit row from those before it: independent above, dependent below
INDEPENDENT_ROW, DEPENDENT_ROW = 1e-4, 1e-10
SWEEPS = 60  # of Jacobi's rotations
ORTHOGONAL = 1e-15  # cosine of two rows that need no rotation


@kernel(internal=True)
def orthogonal_basis(J, lengths, order, R, Q):
    """Fill R [n, m], Q [n, n], the order of rows and their lengths. Returns the rank, or -1 if it is not clear."""
    m, n = J.shape
    for i in range(n):
        for j in range(n):
            Q[i, j] = 1.0 if i == j else 0.0
    for r in range(m):
        total = 0.0
        for i in range(n):
            total += J[r, i] * J[r, i]
        lengths[r], order[r] = np.sqrt(total), r
        for i in range(n):
            R[i, r] = J[r, i] / lengths[r] if total > 0.0 else 0.0
    for k in range(min(m, n)):
        largest, best = -1.0, k
        for j in range(k, m):
            total = 0.0
            for i in range(k, n):
                total += R[i, j] * R[i, j]
            if total > largest:
                largest, best = total, j
        largest = np.sqrt(largest)
        if largest <= DEPENDENT_ROW:
            return k
        if not largest >= INDEPENDENT_ROW:
            return -1
        _exchange(R, order, k, best)
        _reflect(R, Q, k, largest)
    return min(m, n)


@kernel(internal=True)
def _exchange(R, order, k, best):
    """Exchange two columns of R."""
    order[k], order[best] = order[best], order[k]
    for i in range(R.shape[0]):
        R[i, k], R[i, best] = R[i, best], R[i, k]


@kernel(internal=True)
def _reflect(R, Q, k, size):
    """Reflect column k of R, of this length below row k, to its diagonal; v is kept below the diagonal meanwhile."""
    n, m = R.shape
    alpha = -size if R[k, k] > 0.0 else size
    first = R[k, k] - alpha
    beta = -1.0 / (alpha * first)  # 2 / v^T v, with v = (first, rest)
    R[k, k] = first
    for j in range(k + 1, m):
        total = 0.0
        for i in range(k, n):
            total += R[i, k] * R[i, j]
        for i in range(k, n):
            R[i, j] -= beta * total * R[i, k]
    for i in range(n):
        total = 0.0
        for j in range(k, n):
            total += Q[i, j] * R[j, k]
        for j in range(k, n):
            Q[i, j] -= beta * total * R[j, k]
    R[k, k] = alpha
    for i in range(k + 1, n):
        R[i, k] = 0.0


@kernel(internal=True)
def least_solution(R, Q, lengths, order, rank, right, y, x):
    """The least x with J x = right, for the independent rows; y is memory for as many numbers as rows."""
    for k in range(rank):
        total = right[order[k]] / lengths[order[k]]
        for j in range(k):
            total -= R[j, k] * y[j]
        y[k] = total / R[k, k]
    for i in range(x.shape[0]):
        total = 0.0
        for k in range(rank):
            total += Q[i, k] * y[k]
        x[i] = total


@kernel(internal=True)
def reduced(H, Q, rank, product, S):
    """S = Q2^T H Q2; `product` is memory of the shape of H."""
    n = H.shape[0]
    for i in range(n):
        for b in range(rank, n):
            total = 0.0
            for j in range(n):
                total += H[i, j] * Q[j, b]
            product[i, b] = total
    for a in range(rank, n):
        for b in range(rank, n):
            total = 0.0
            for i in range(n):
                total += Q[i, a] * product[i, b]
            S[a - rank, b - rank] = total


@kernel(internal=True)
def cholesky(S, shift, L):
    """The factor of S + shift, from the lower triangle of S. Returns whether it is positive definite."""
    n = S.shape[0]
    for j in range(n):
        total = S[j, j] + shift
        for k in range(j):
            total -= L[j, k] * L[j, k]
        if not total > 0.0:
            return False
        L[j, j] = np.sqrt(total)
        for i in range(j + 1, n):
            total = S[i, j]
            for k in range(j):
                total -= L[i, k] * L[j, k]
            L[i, j] = total / L[j, j]
    return True


@kernel(internal=True)
def cholesky_solve(L, x):
    """Solve L L^T x = x in place."""
    n = L.shape[0]
    for i in range(n):
        total = x[i]
        for k in range(i):
            total -= L[i, k] * x[k]
        x[i] = total / L[i, i]
    for back in range(n):
        i = n - 1 - back
        total = x[i]
        for k in range(i + 1, n):
            total -= L[k, i] * x[k]
        x[i] = total / L[i, i]


@kernel(internal=True)
def factorize_rows(A, rank, order, head, beta):
    """Factorize `rank` rows of J, which is in A. Returns the least diagonal of R relative to the largest."""
    m, n = A.shape
    for r in range(m):
        order[r] = r
    for k in range(rank):
        largest, best = -1.0, k
        for r in range(k, m):
            total = 0.0
            for j in range(k, n):
                total += A[r, j] * A[r, j]
            if total > largest:
                largest, best = total, r
        if not largest > 0.0:
            return 0.0
        order[k], order[best] = order[best], order[k]
        for j in range(n):
            A[k, j], A[best, j] = A[best, j], A[k, j]
        size = np.sqrt(largest)
        alpha = -size if A[k, k] > 0.0 else size
        head[k] = A[k, k] - alpha
        beta[k] = -1.0 / (alpha * head[k])
        A[k, k] = alpha
        for r in range(k + 1, m):
            reflect(A, head, beta, k, A[r])
    return abs(A[rank - 1, rank - 1] / A[0, 0]) if rank else 1.0


@kernel(internal=True)
def reflect(A, head, beta, k, x):
    """x <- H_k x"""
    row, total = A[k], head[k] * x[k]
    for j in range(k + 1, x.shape[0]):
        total += row[j] * x[j]
    total *= beta[k]
    x[k] -= total * head[k]
    for j in range(k + 1, x.shape[0]):
        x[j] -= total * row[j]


@kernel(internal=True)
def null_columns(A, rank, head, beta, X, along):
    """An orthonormal basis of the null space of J, a column for each vector; `along` is memory for one number each."""
    n, free = X.shape
    for i in range(n):
        for a in range(free):
            X[i, a] = 1.0 if i == rank + a else 0.0
    for back in range(rank):
        k = rank - 1 - back
        v, first = A[k], X[k]
        for a in range(free):
            along[a] = head[k] * first[a]
        for j in range(k + 1, n):
            line, factor = X[j], v[j]
            for a in range(free):
                along[a] += factor * line[a]
        for a in range(free):
            along[a] *= beta[k]
            first[a] -= head[k] * along[a]
        for j in range(k + 1, n):
            line, factor = X[j], v[j]
            for a in range(free):
                line[a] -= factor * along[a]


@kernel(internal=True)
def shortest_step(A, rank, order, head, beta, right, x):
    """The least x with J x = right, for the independent rows."""
    for i in range(x.shape[0]):
        x[i] = 0.0
    for k in range(rank):
        total = right[order[k]]
        for j in range(k):
            total -= A[k, j] * x[j]
        x[k] = total / A[k, k]
    for back in range(rank):
        reflect(A, head, beta, rank - 1 - back, x)


@kernel(internal=True)
def row_forces(A, rank, order, head, beta, x, found):
    """The least squares solution of J^T found = x, zero for dependent rows; changes x."""
    for k in range(rank):
        reflect(A, head, beta, k, x)
    for r in range(found.shape[0]):
        found[r] = 0.0
    for back in range(rank):
        k = rank - 1 - back
        total = x[k]
        for j in range(k + 1, rank):
            total -= A[j, k] * found[order[j]]
        found[order[k]] = total / A[k, k]


@kernel(internal=True)
def orthonormalize(F, T, along):
    """Orthonormal rows in place of those of F, which were T^T F with T upper triangular; `along` is memory."""
    for a in range(F.shape[0]):
        row = F[a]
        for b in range(F.shape[0]):
            T[b, a] = 0.0
        for _ in range(2):  # the second time removes what rounding left
            multiply(F, a, row, along)
            for b in range(a):
                other, factor = F[b], along[b]
                for i in range(row.shape[0]):
                    row[i] -= factor * other[i]
                T[b, a] += factor
        total = 0.0
        for i in range(row.shape[0]):
            total += row[i] * row[i]
        T[a, a] = np.sqrt(total)
        for i in range(row.shape[0]):
            row[i] /= T[a, a]


@kernel(internal=True)
def multiply(A, count, x, found):
    """found = A x for the first `count` rows; four at a time, whose sums do not wait for each other."""
    n = x.shape[0]
    for block in range(count // 4):
        i = 4 * block
        one, two, three, four = A[i], A[i + 1], A[i + 2], A[i + 3]
        s, t, u, v = 0.0, 0.0, 0.0, 0.0
        for j in range(n):
            s += one[j] * x[j]
            t += two[j] * x[j]
            u += three[j] * x[j]
            v += four[j] * x[j]
        found[i], found[i + 1], found[i + 2], found[i + 3] = s, t, u, v
    for i in range(count - count % 4, count):
        total = 0.0
        for j in range(n):
            total += A[i, j] * x[j]
        found[i] = total


@kernel(internal=True)
def product_of(A, B, C):
    """C = A B"""
    for i in range(A.shape[0]):
        row = C[i]
        for j in range(row.shape[0]):
            row[j] = 0.0
        for k in range(A.shape[1]):
            factor, other = A[i, k], B[k]
            for j in range(row.shape[0]):
                row[j] += factor * other[j]


@kernel(internal=True)
def singular_values(A, W, sizes):
    """A = W^T S V, W and V orthogonal, by Jacobi's rotations of rows; A becomes S V."""
    n = A.shape[0]
    for i in range(n):
        for j in range(n):
            W[i, j] = 1.0 if i == j else 0.0
    for _ in range(SWEEPS):
        rotated = False
        for p in range(n):
            for q in range(p + 1, n):
                pp, qq, pq = 0.0, 0.0, 0.0
                for j in range(n):
                    pp += A[p, j] * A[p, j]
                    qq += A[q, j] * A[q, j]
                    pq += A[p, j] * A[q, j]
                if abs(pq) <= ORTHOGONAL * np.sqrt(pp * qq):
                    continue
                rotated = True
                ratio = (qq - pp) / (2.0 * pq)
                tangent = 1.0 / (abs(ratio) + np.sqrt(1.0 + ratio * ratio))
                tangent = tangent if ratio >= 0.0 else -tangent
                c = 1.0 / np.sqrt(1.0 + tangent * tangent)
                s = c * tangent
                for j in range(n):
                    A[p, j], A[q, j] = c * A[p, j] - s * A[q, j], s * A[p, j] + c * A[q, j]
                    W[p, j], W[q, j] = c * W[p, j] - s * W[q, j], s * W[p, j] + c * W[q, j]
        if not rotated:
            break
    for p in range(n):
        total = 0.0
        for j in range(n):
            total += A[p, j] * A[p, j]
        sizes[p] = np.sqrt(total)
