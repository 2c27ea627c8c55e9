"""Where a motion comes to a stop: the instant at which J becomes singular, and what kind of instant it is.

At a singular position there are vectors with J phi = 0 and psi^T J = 0. Near it they come from the bordered matrix

    [ J   b ] [phi]   [0]         [ J^T  c ] [psi]   [0]
    [ c^T 0 ] [ g ] = [1],        [ b^T  0 ] [ g ] = [1]         g = 0 exactly where J is singular

* psi^T Phi_t != 0: a lock-up. The motion turns back in time (a fold); (q, t) solve Phi = 0, g = 0 together, which is
  regular there although J is not.
* psi^T Phi_t = 0: a fork. Several motions cross; g passes through zero along each of them and is extrapolated from the
  way already gone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from cardan.analysis.closing import Tolerances, vectors
from cardan.analysis.march import RUNNING, Record, State, begin, fresh_trial, march
from cardan.model.space import advance
from cardan.numerics.block import block
from cardan.system.evaluate import evaluate_position
from cardan.system.system import System

FORK = 1e-3  # psi^T Phi_t, relative to its size far from a fork, below which it counts as zero


@dataclass(frozen=True)
class Singularity:
    """A singular instant; `kind` is 'lock-up' or 'fork'."""

    time: float
    kind: str
    q: np.ndarray
    rows: np.ndarray  # psi, one for each row
    motion: np.ndarray  # phi, numbered as v


def locate(system: System, active: np.ndarray, state: State, way: tuple[np.ndarray, Record], span: float) -> Any:
    """The singular instant near the state in which a march got stuck, or None if there is none.

    `way` are the instants computed before and what was recorded there.
    """
    point = _Point(system, active, state.q, state.clock[0], state.reference)
    found = _fold(point, state, span)
    if found is not None:
        return found
    return _fork(system, active, state, way, span)


class _Point:
    """phi, J and Phi_t of the active rows at a position."""

    def __init__(self, system: System, active: np.ndarray, q: np.ndarray, t: float, reference: np.ndarray) -> None:
        self.system, self.active, self.reference = system, active.astype(bool), reference
        self.q, self.t = q.copy(), float(t)
        work = system.work()
        self.ok = evaluate_position(system.geometry, system.rows, self.q, self.t, reference, work) == 0
        import scipy.sparse as sp

        rows, columns, values, shape = system.jacobian(work)
        self.J = sp.csr_array(sp.coo_array((values, (rows, columns)), shape=shape))[self.active]
        self.phi, self.phi_t = work.phi[self.active], -work.nu[self.active]

    def moved(self, step: np.ndarray, dt: float) -> _Point:
        full = self.system.speeds()
        full[self.system.width :] = step
        q = self.q.copy()
        advance(self.system.geometry, q, full)
        return _Point(self.system, self.active, q, self.t + dt, self.reference)

    def bordered(self, b: np.ndarray, c: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
        """phi, psi and g."""
        import scipy.sparse as sp
        from scipy.sparse.linalg import splu

        n = self.J.shape[1]
        factors = splu(sp.csc_array(sp.block_array([[self.J, b[:, None]], [c[None], None]])))
        unit = np.zeros(n + 1)
        unit[n] = 1.0
        right, left = factors.solve(unit), factors.solve(unit, trans="T")
        return right[:n], left[:n], float(right[n])


def _fold(point: _Point, state: State, span: float) -> Singularity | None:
    """Newton's method on Phi(q, t) = 0, g(q, t) = 0."""
    import scipy.sparse as sp
    from scipy.sparse.linalg import splu

    width = point.system.width
    b, c = state.b[point.active], state.c[width:]
    start = point.t
    try:
        for _ in range(40):
            right, left, g = point.bordered(b, c)
            slope = float(left @ point.phi_t) / np.linalg.norm(left)
            if abs(slope) < FORK * np.linalg.norm(point.phi_t):
                return None
            b, c = left / np.linalg.norm(left), right / np.linalg.norm(right)
            right, left, g = point.bordered(b, c)
            # g_q = -psi^T (J phi)_q: the change of J^T psi along phi, by central differences. An error in it slows
            # the iteration down but does not move its end.
            h = 1e-5 * point.system.length / max(np.abs(right * np.sqrt(point.system.weights)).max(), 1e-300)
            up, down = point.moved(h * right, 0.0), point.moved(-h * right, 0.0)
            g_q = -(up.J - down.J).T @ left / (2.0 * h)
            later, sooner = point.moved(0.0 * right, 1e-6 * span), point.moved(0.0 * right, -1e-6 * span)
            g_t = -float(left @ ((later.J - sooner.J) @ right)) / (2e-6 * span)
            matrix = sp.block_array([[point.J, point.phi_t[:, None]], [g_q[None], np.array([[g_t]])]])
            step = splu(sp.csc_array(matrix)).solve(-np.append(point.phi, g))
            limit = 0.1 * point.system.length / max(np.abs(step[:-1] * np.sqrt(point.system.weights)).max(), 1e-300)
            step *= min(1.0, limit)
            point = point.moved(step[:-1], step[-1])
            if not np.isfinite(step).all() or not point.ok or abs(point.t - start) > 0.5 * span:
                return None
            if abs(step[-1]) < 1e-13 * span and np.abs(point.phi).max() < 1e-9 * point.system.length:
                return _result(point, "lock-up", left, right)
    except (RuntimeError, ValueError):  # an exactly singular matrix: no simple fold
        return None
    return None


def _fork(system: System, active: np.ndarray, state: State, way: tuple[np.ndarray, Record], span: float) -> Any:
    """Extrapolate g along the way to its zero."""
    times, record = way
    t_stuck = float(state.clock[0])
    before = np.flatnonzero(times < t_stuck - 1e-4 * span)
    if before.size == 0:
        return None
    k = int(before[-1])
    delta = min(2e-3 * span, (t_stuck - times[k]) / 8.0)
    nodes = t_stuck - delta * np.arange(7.0, 0.0, -1.0)
    clock = np.array([times[k], np.inf, state.clock[2], 0.0, 0.0])
    again = block(State(clock, record.q[k].copy(), record.v[k].copy(), record.a[k].copy(), 0.0 * state.nu, 0.0 * state.ahead,
                  state.reference.copy(), state.b.copy(), state.c.copy()))  # fmt: skip
    tables = (system.geometry, system.rows, system.solver, system.weights, active, Tolerances())
    work, scratch = system.work(active), vectors(system)
    begin(tables, again, work, scratch)
    kept = block(Record(*(np.zeros((nodes.size, a.size)) for a in (again.q, again.v, again.a)),
                  np.zeros(nodes.size, np.int64), np.zeros(nodes.size, np.int64)))  # fmt: skip
    status, _ = march(*tables, nodes, 0, nodes.size, again, fresh_trial(again), kept, work, scratch)
    if status != RUNNING:
        return None
    points = [_Point(system, active, kept.q[j], nodes[j], again.reference) for j in range(nodes.size)]
    b, c = state.b[points[-1].active], state.c[system.width :]
    g = np.array([p.bordered(b, c)[2] for p in points])
    s = (nodes - t_stuck) / delta
    roots = np.roots(np.polyfit(s, g, nodes.size - 1))
    real = roots[np.abs(roots.imag) < 1e-6].real
    real = real[np.abs(real) < 1.0]
    if real.size == 0:
        return None
    right, left, _ = points[-1].bordered(b, c)
    end = _Point(system, active, state.q, t_stuck + delta * float(real[np.argmin(np.abs(real))]), state.reference)
    return _result(end, "fork", left, right)


def _result(point: _Point, kind: str, left: np.ndarray, right: np.ndarray) -> Singularity:
    rows = np.zeros(point.active.size)
    rows[point.active] = left / np.linalg.norm(left)
    motion = point.system.speeds()
    motion[point.system.width :] = right / np.linalg.norm(right)
    return Singularity(point.t, kind, point.q, rows, motion)
