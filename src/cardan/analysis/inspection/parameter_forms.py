r"""Nikravesh's three forms of the equations of motion in space (Nikravesh 11.42, 11.45, 11.49).

    I     [[M*, P^T, B^T], [P, 0, 0], [B, 0, 0]] [q''; sigma; -lambda] = [g* - b*; -c; gamma]     8 b + m unknowns
    II    [[M, B#^T], [P, 0], [B, 0]] [q''; -lambda] = [g - b; -c; gamma]                         7 b + m
    III   [[M, B#^T], [B#, 0]] [h'; -lambda] = [g - b; gamma#]                                    6 b + m

q'' contains r'' and p'', h' contains r'' and the rate of omega'. With v = T q', T = diag(I, 2 L), L = G of Haug,

    B# = Phi_q,  B = Phi_q T,  M (II) = M T,  M* = T^T M T,  g* = T^T Q,  P: rows p^T,  c = p'.p'
    b* = T^T h of places, and 2 H p' with H = 4 L'^T J' L (11.12);  b = h

Phi_p p = 0, hence gamma# = gamma. Multipliers have the sign of the book, opposite to Haug's. Origins of bodies need
not be mass centers: M then couples r'' and the rate of omega', and J' is that about the origin.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from cardan.errors import ModelError

FORMS = ("I", "II", "III")


@dataclass(frozen=True, repr=False)
class ParameterForm:
    """One of the forms: `matrix` times the unknowns is `right`; `unknowns` names them.

    `q2` are second rates of the coordinates r and p (in form III of r and p, from those of omega'), `sigma` those that
    multiply p in form I, and `multipliers` have the sign of the book. Redundant equations share their multipliers
    with least norm.
    """

    form: str
    unknowns: tuple[str, ...]
    matrix: np.ndarray
    right: np.ndarray
    p: np.ndarray  # [bodies, 4]
    omega: np.ndarray  # [bodies, 3], in body axes

    @cached_property
    def solution(self) -> np.ndarray:
        """The unknowns."""
        found: np.ndarray = np.linalg.lstsq(self.matrix, self.right)[0]
        return found

    @property
    def r2(self) -> np.ndarray:
        """r'' of each body, in global axes."""
        return np.array([self.solution[self._step * k : self._step * k + 3] for k in range(len(self.p))])

    @property
    def p2(self) -> np.ndarray:
        """p'' of each body."""
        turns = [self.solution[self._step * k + 3 : self._step * (k + 1)] for k in range(len(self.p))]
        if self.form != "III":
            return np.array(turns)
        each = zip(turns, self.p, self.omega, strict=True)
        return np.array([0.5 * half_rates(p).T @ turn - 0.25 * (w @ w) * p for turn, p, w in each])

    @property
    def sigma(self) -> np.ndarray:
        """sigma of form I, one for each body."""
        if self.form != "I":
            raise ModelError(f"only form I has sigma, and this is form {self.form}")
        first = self.right.size - self._rows - len(self.p)
        return self.solution[first : first + len(self.p)]

    @property
    def multipliers(self) -> np.ndarray:
        """lambda in the sign of the book."""
        return -self.solution[self.right.size - self._rows :]

    @property
    def _step(self) -> int:
        return 6 if self.form == "III" else 7

    @property
    def _rows(self) -> int:
        return sum(name.startswith("-lambda") for name in self.unknowns)

    def __repr__(self) -> str:
        return f"<form {self.form}: {self.right.size} equations>"


def parameter_form(
    form: str,
    names: tuple[tuple[str, ...], tuple[str, ...]],
    state: tuple[np.ndarray, np.ndarray],
    terms: tuple[np.ndarray, ...],
) -> ParameterForm:
    """A form from bodies and rows by name, p and omega', and M, h, Q, Phi_q and gamma of `equations`."""
    (bodies, rows), (p, omega) = names, state
    M, h, Q, Phi_q, gamma = terms
    b, own = len(bodies), M.shape[0] - 6 * len(bodies)
    others = [f"own coordinate {k + 1}" for k in range(own)]
    loads = [f"-lambda of {name}" for name in rows]
    if form == "III":
        unknowns = [f"{part} of '{name}'" for name in bodies for part in (*_axes("r''"), *_axes("omega' rate"))]
        matrix = np.block([[M, Phi_q.T], [Phi_q, np.zeros((len(rows), len(rows)))]])
        right = np.concatenate([Q - h, gamma])
        return ParameterForm(form, (*unknowns, *others, *loads), matrix, right, p, omega)
    turns = [f"p{k}''" for k in range(4)]
    unknowns = [f"{part} of '{name}'" for name in bodies for part in (*_axes("r''"), *turns)]
    T, P, rate = _to_speeds(p, own), _along(p, own), [0.5 * half_rates(p[k]).T @ omega[k] for k in range(b)]
    B, c = Phi_q @ T, np.array([e @ e for e in rate])
    if form == "II":
        low = np.zeros((b + len(rows), len(rows)))
        matrix = np.hstack([np.vstack([M @ T, P, B]), np.vstack([Phi_q.T, low])])
        right = np.concatenate([Q - h, -c, gamma])
        return ParameterForm(form, (*unknowns, *others, *loads), matrix, right, p, omega)
    inertias = [M[6 * k + 3 : 6 * k + 6, 6 * k + 3 : 6 * k + 6] for k in range(b)]
    rest = h.copy()  # such as those of modes that change
    for k, inertia in enumerate(inertias):
        rest[6 * k + 3 : 6 * k + 6] -= np.cross(omega[k], inertia @ omega[k])
    load = T.T @ (Q - rest)
    for k, inertia in enumerate(inertias):
        load[7 * k + 3 : 7 * k + 7] -= 8.0 * half_rates(rate[k]).T @ inertia @ half_rates(p[k]) @ rate[k]
    lower = np.vstack([P, B])
    matrix = np.block([[T.T @ M @ T, lower.T], [lower, np.zeros((lower.shape[0], lower.shape[0]))]])
    sigmas = [f"sigma of '{name}'" for name in bodies]
    right = np.concatenate([load, -c, gamma])
    return ParameterForm(form, (*unknowns, *others, *sigmas, *loads), matrix, right, p, omega)


def half_rates(p: np.ndarray) -> np.ndarray:
    """L = [-e, -~e + e0 I]: omega' = 2 L p'. Analyses serve both spaces and cannot import `spatial.rotation.G`."""
    e0, e1, e2, e3 = p
    return np.array([[-e1, e0, e3, -e2], [-e2, -e3, e0, e1], [-e3, e2, -e1, e0]])


def _axes(name: str) -> tuple[str, ...]:
    return tuple(f"{name} {axis}" for axis in "xyz")


def _to_speeds(p: np.ndarray, own: int) -> np.ndarray:
    """T of v = T q' and, as L' p' = 0, of a = T q''."""
    b = len(p)
    T = np.zeros((6 * b + own, 7 * b + own))
    for k, each in enumerate(p):
        T[6 * k : 6 * k + 3, 7 * k : 7 * k + 3] = np.eye(3)
        T[6 * k + 3 : 6 * k + 6, 7 * k + 3 : 7 * k + 7] = 2.0 * half_rates(each)
    T[6 * b :, 7 * b :] = np.eye(own)
    return T


def _along(p: np.ndarray, own: int) -> np.ndarray:
    """P, the rows p^T."""
    P = np.zeros((len(p), 7 * len(p) + own))
    for k, each in enumerate(p):
        P[k, 7 * k + 3 : 7 * k + 7] = each
    return P
