"""The equations of motion of space in the forms of two books, dense and in plain NumPy: theory to compare with.

    unknowns                 form                                                     size of the system
    r'', alpha', lambda      Newton-Euler: Haug 11.3.11, Nikravesh's III (11.49)      6 b + m
    r'', p'', lambda, l^p    Euler parameters: Haug 11.3.29                           8 b + m
    r'', p'', sigma, lambda  Nikravesh's I (11.42)                                    8 b + m
    r'', p'', lambda         Nikravesh's II (11.45)                                   7 b + m, not symmetric

b bodies, m equations. Symbols are Haug's: Nikravesh's L is G here, his G is E, and his multipliers have the other sign.
Body frames need not be at mass centers, as they are in both books: M then couples r'' and alpha', and J' is that about
the origin of the frame. Behind the bodies there may be own coordinates without inertia; all forms leave them as they
are. Everything follows from v = T q', with the block I, 2 G of T for each body.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

NO_SIGMA = np.zeros(0)


class Instant(NamedTuple):
    """A mechanism at one instant: what all forms start from."""

    mass: np.ndarray  # [b]
    center: np.ndarray  # [b, 3], body axes
    inertia: np.ndarray  # [b, 3, 3], about the mass center, body axes
    p: np.ndarray  # [b, 4]
    omega: np.ndarray  # [b, 3], body axes
    force: np.ndarray  # [6 b + own]: applied forces and torques n' about the frames' origins, gravity among them
    J: np.ndarray  # [m, 6 b + own]: Phi_r, Phi_pi', columns of own coordinates
    gamma: np.ndarray  # [m]: J a = gamma

    @property
    def bodies(self) -> int:
        return self.mass.size


class Answer(NamedTuple):
    """Accelerations, numbered as v, second rates of the Euler parameters, and multipliers in Haug's sign."""

    a: np.ndarray  # [6 b + own]: r'', alpha' (the rate of omega' in body axes)
    p2: np.ndarray  # [b, 4]
    multipliers: np.ndarray  # [m]
    sigma: np.ndarray = NO_SIGMA  # [b]: what multiplies p in the rotational equations
    condition: float = 0.0  # of the system that was solved


def newton_euler(at: Instant) -> Answer:
    """[[M, J^T], [J, 0]] [a; lambda] = [Q - h; gamma]: Haug 11.3.11."""
    n = at.force.size
    x, condition = solved(mass_matrix(at), at.J, at.J, at.force - quadratic(at), at.gamma)
    return Answer(x[:n], second_rates(at, x[:n]), x[n:], condition=condition)


def euler_parameters(at: Instant) -> Answer:
    """[[4 G^T J' G, Phi_p^T, 2 p], ...] [p''; lambda; lambda^p] = [2 G^T n' + 8 G'^T J' G' p; ...]: Haug 11.3.29.

    Phi_p = 2 Phi_pi' G (11.3.15), so that Phi_p p = 0 and gamma is that of the Newton-Euler form.
    """
    T, rate, normal = parameters_to_speeds(at), parameter_rates(at), normalization(at)
    right = T.T @ at.force - T.T @ centrifugal(at)
    for k, (p, p1, J) in enumerate(zip(at.p, rate, about_origin(at), strict=True)):
        right[turns(k, 7)] += 8.0 * G(p1).T @ J @ G(p1) @ p
    rows = np.concatenate([at.J @ T, 2.0 * normal])
    norm = -2.0 * np.sum(rate**2, axis=1)
    x, condition = solved(T.T @ mass_matrix(at) @ T, rows, rows, right, np.concatenate([at.gamma, norm]))
    m = at.gamma.size
    q2, rest = x[: T.shape[1]], x[T.shape[1] :]
    return Answer(T @ q2, split(at, q2), rest[:m], 2.0 * rest[m:], condition)


def nikravesh_one(at: Instant, along: np.ndarray) -> Answer:
    """J* p'' + sigma p + 2 H p' - Phi_p^T lambda = n*, p.p'' + p'.p' = 0: 11.22, 11.15, together 11.42.

    `along` is Phi_p p, the part of Phi_p along p: [m, b], whatever the constraints are off the unit sphere.
    """
    T, rate, normal = parameters_to_speeds(at), parameter_rates(at), normalization(at)
    right = T.T @ at.force - T.T @ centrifugal(at)
    for k, (p, p1, J) in enumerate(zip(at.p, rate, about_origin(at), strict=True)):
        right[turns(k, 7)] -= 2.0 * H(p, p1, J) @ p1
    rows = np.concatenate([at.J @ T + along @ normal, normal])
    second = np.concatenate([raw_gamma(at, along), -np.sum(rate**2, axis=1)])
    x, condition = solved(T.T @ mass_matrix(at) @ T, rows, rows, right, second)
    m = at.gamma.size
    q2, rest = x[: T.shape[1]], x[T.shape[1] :]
    return Answer(T @ q2, split(at, q2), rest[:m], rest[m:], condition)


def nikravesh_two(at: Instant, along: np.ndarray) -> Answer:
    """2 J' L p'' + L H p' - 1/2 L Phi_p^T lambda = n', p.p'' + p'.p' = 0: 11.23, 11.15, together 11.45."""
    T, rate, normal = parameters_to_speeds(at), parameter_rates(at), normalization(at)
    right = at.force - centrifugal(at)
    for k, (p, p1, J) in enumerate(zip(at.p, rate, about_origin(at), strict=True)):
        right[turns(k, 6)] -= G(p) @ H(p, p1, J) @ p1
    rows = np.concatenate([normal, at.J @ T + along @ normal])
    second = np.concatenate([-np.sum(rate**2, axis=1), raw_gamma(at, along)])
    x, condition = solved(mass_matrix(at) @ T, at.J, rows, right, second)
    q2 = x[: T.shape[1]]
    return Answer(T @ q2, split(at, q2), x[T.shape[1] :], condition=condition)


def nikravesh_three(at: Instant, along: np.ndarray) -> Answer:
    """[[M, B^T], [B, 0]] [h'; -lambda] + [b; 0] = [g; gamma#]: 11.49, B = [Phi_r, 1/2 Phi_p L^T]."""
    T, normal = parameters_to_speeds(at), normalization(at)
    raw = at.J @ T + along @ normal
    B = np.zeros_like(at.J)
    for k, p in enumerate(at.p):
        B[:, places(k, 6)], B[:, turns(k, 6)] = raw[:, places(k, 7)], 0.5 * raw[:, turns(k, 7)] @ G(p).T
    B[:, 6 * at.bodies :] = raw[:, 7 * at.bodies :]
    sharp = raw_gamma(at, along) + 0.25 * along @ np.sum(at.omega**2, axis=1)
    return newton_euler(at._replace(J=B, gamma=sharp))


# Parts -------------------------------------------------------------------------------------------------------------


def mass_matrix(at: Instant) -> np.ndarray:
    """[[m I, -m A c~], [m c~ A^T, J'_O]] of each body; zero for own coordinates."""
    M = np.zeros((at.force.size, at.force.size))
    for k, (m, c, J) in enumerate(zip(at.mass, at.center, about_origin(at), strict=True)):
        coupling = -m * matrix(at.p[k]) @ skew(c)
        M[places(k, 6), places(k, 6)], M[turns(k, 6), turns(k, 6)] = m * np.eye(3), J
        M[places(k, 6), turns(k, 6)], M[turns(k, 6), places(k, 6)] = coupling, coupling.T
    return M


def quadratic(at: Instant) -> np.ndarray:
    """h = (m A w~ w~ c', w~ J'_O w): inertia forces at zero acceleration, w = omega'."""
    h = centrifugal(at)
    for k, (w, J) in enumerate(zip(at.omega, about_origin(at), strict=True)):
        h[turns(k, 6)] = np.cross(w, J @ w)
    return h


def centrifugal(at: Instant) -> np.ndarray:
    """The part of h that acts on places: m A w~ w~ c'. Books with frames at mass centers do not have it."""
    h = np.zeros(at.force.size)
    for k, (m, c, w) in enumerate(zip(at.mass, at.center, at.omega, strict=True)):
        h[places(k, 6)] = m * matrix(at.p[k]) @ np.cross(w, np.cross(w, c))
    return h


def about_origin(at: Instant) -> np.ndarray:
    """J'_O = J' + m (c.c I - c c^T) = J' - m c~ c~."""
    return np.array([J - m * skew(c) @ skew(c) for m, c, J in zip(at.mass, at.center, at.inertia, strict=True)])


def parameters_to_speeds(at: Instant) -> np.ndarray:
    """T of v = T q' and, as G' p' = 0, of a = T q''."""
    b, own = at.bodies, at.force.size - 6 * at.bodies
    T = np.zeros((6 * b + own, 7 * b + own))
    for k, p in enumerate(at.p):
        T[places(k, 6), places(k, 7)], T[turns(k, 6), turns(k, 7)] = np.eye(3), 2.0 * G(p)
    T[6 * b :, 7 * b :] = np.eye(own)
    return T


def normalization(at: Instant) -> np.ndarray:
    """P with the row p^T of each body: half the Jacobian of p.p - 1."""
    P = np.zeros((at.bodies, 7 * at.bodies + at.force.size - 6 * at.bodies))
    for k, p in enumerate(at.p):
        P[k, turns(k, 7)] = p
    return P


def raw_gamma(at: Instant, along: np.ndarray) -> np.ndarray:
    """gamma of Phi_q q'' = gamma where Phi_p has parts along p: those feel p.p'' = -p'.p' = -w.w / 4."""
    return at.gamma - 0.25 * along @ np.sum(at.omega**2, axis=1)


def parameter_rates(at: Instant) -> np.ndarray:
    return np.array([0.5 * G(p).T @ w for p, w in zip(at.p, at.omega, strict=True)])


def second_rates(at: Instant, a: np.ndarray) -> np.ndarray:
    """p'' = 1/2 G^T w' - 1/4 (w.w) p: Haug 11.3.21, put right."""
    terms = zip(at.p, at.omega, strict=True)
    return np.array([0.5 * G(p).T @ a[turns(k, 6)] - 0.25 * (w @ w) * p for k, (p, w) in enumerate(terms)])


def split(at: Instant, q2: np.ndarray) -> np.ndarray:
    return np.array([q2[turns(k, 7)] for k in range(at.bodies)])


def solved(M, columns, rows, right, second) -> tuple[np.ndarray, float]:
    """x of [[M, columns^T], [rows, 0]] x = [right; second], and the condition of the matrix."""
    K = np.zeros((M.shape[0] + rows.shape[0], M.shape[1] + columns.shape[0]))
    K[: M.shape[0], : M.shape[1]], K[: M.shape[0], M.shape[1] :], K[M.shape[0] :, : M.shape[1]] = M, columns.T, rows
    return np.linalg.solve(K, np.concatenate([right, second])), float(np.linalg.cond(K))


def H(p: np.ndarray, p1: np.ndarray, J: np.ndarray) -> np.ndarray:  # noqa: N802
    """4 L'^T J' L: Nikravesh 11.12."""
    return 4.0 * G(p1).T @ J @ G(p)


def G(p: np.ndarray) -> np.ndarray:  # noqa: N802
    """[-e, -e~ + e0 I] (Haug 9.3.19), Nikravesh's L; linear in p, so that its rate is G(p')."""
    return np.column_stack([-p[1:], p[0] * np.eye(3) - skew(p[1:])])


def E(p: np.ndarray) -> np.ndarray:  # noqa: N802
    """[-e, e~ + e0 I] (Haug 9.3.18), Nikravesh's G."""
    return np.column_stack([-p[1:], p[0] * np.eye(3) + skew(p[1:])])


def matrix(p: np.ndarray) -> np.ndarray:
    """A = E G^T (Haug 9.3.26): a quadratic form in p, off the unit sphere, too."""
    return E(p) @ G(p).T


def skew(a: np.ndarray) -> np.ndarray:
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def places(k: int, width: int) -> slice:
    """Where a vector of `width` numbers for each body has the place of body k."""
    return slice(width * k, width * k + 3)


def turns(k: int, width: int) -> slice:
    """Where it has its turn: three numbers of the speeds, four of the coordinates."""
    return slice(width * k + 3, width * (k + 1))
