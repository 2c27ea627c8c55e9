"""Impulses of simultaneous impacts: Newton's law with restitution, and Coulomb friction along the surfaces.

    u = b + A p          p >= 0,   u >= u*,   p (u - u*) = 0           u* = restitution times the speed of approach

A is the effect of unit impulses on the speeds u of all contacts, with joints closed; b are the speeds before. Along a
surface either sliding ends, if |p_t| <= mu p suffices, or p_t = mu p acts against it. The active contacts and their
modes are found by pivoting: contacts that would pull are removed, those that would continue to close are added (Judice
and Pires).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cardan.numerics.compiled.block import allocated, zeros
from cardan.numerics.compiled.jit import kernel
from cardan.numerics.compiled.record import Record
from cardan.numerics.linalg.minimum_norm import minimum_norm
from cardan.numerics.linalg.rank import SQUARE

TRIES = 200
TINY = 1e-9  # relative to the largest speed or impulse


class Count(Record):
    """How much of the tables is in use."""

    contacts: int
    speeds: int  # those of contacts, then those along surfaces


class ImpulseTables(NamedTuple):
    """A problem of at most m contacts and n speeds, and where it is solved."""

    count: Any
    A: np.ndarray = zeros("n", "n")
    b: np.ndarray = zeros("n")
    wanted: np.ndarray = zeros("m")  # u*
    friction: np.ndarray = zeros("m")
    slides: np.ndarray = zeros("m", dtype=np.int64, value=-1)  # the speed along the surface of each contact, or -1
    p: np.ndarray = zeros("n")  # the impulses
    u: np.ndarray = zeros("n")  # speeds after
    taking: np.ndarray = zeros("m", dtype=np.uint8)  # contacts with an impulse
    wrong: np.ndarray = zeros("m", dtype=np.uint8)
    mode: np.ndarray = zeros("m")  # 0: sliding ends; 1, -1: it continues in this direction
    rows: np.ndarray = zeros("n", dtype=np.int64)
    columns: np.ndarray = zeros("n", "n")
    matrix: np.ndarray = zeros("n", "n")
    basis: np.ndarray = zeros("n", "n")
    right: np.ndarray = zeros("n")
    x: np.ndarray = zeros("n")
    size: np.ndarray = zeros("n")


def impulse_tables(contacts: int, speeds: int) -> Any:
    """Tables for so many contacts and speeds."""
    return allocated(ImpulseTables, {"m": contacts, "n": speeds}, count=Count(contacts=contacts, speeds=speeds))


@kernel
def find_impulses(tables, slow):
    """Solve the problem in the tables. Returns whether there is a solution; u are the speeds after it."""
    m, taking, wrong = tables.count.contacts, tables.taking, tables.wrong
    for i in range(m):
        taking[i], tables.mode[i] = 1 if tables.b[i] < tables.wanted[i] else 0, 0.0
    fewest, patience = m + 1, 3
    for _ in range(TRIES):
        _solve(tables)
        _speeds_after(tables)
        scale_u, scale_p = max(slow, TINY * _largest(tables.b, tables)), TINY * _largest(tables.p, tables)
        count = 0
        for i in range(m):
            bad = tables.p[i] < -scale_p if taking[i] else tables.u[i] < tables.wanted[i] - scale_u
            wrong[i] = 1 if bad else 0
            count += wrong[i]
        if count == 0:
            if _same_modes(tables, scale_p, scale_u):
                return True
            continue
        if count < fewest:
            fewest, patience = count, 3
        else:
            patience -= 1
        for i in range(m):
            if wrong[i]:
                taking[i] = 1 - taking[i]
                if patience < 0:  # changing one at a time always terminates
                    break
    for i in range(m):
        if tables.friction[i] != 0.0:
            return False
    _nearest(tables)
    _speeds_after(tables)
    return True


@kernel(internal=True)
def _largest(x, tables):
    found = 0.0
    for i in range(tables.count.speeds):
        found = max(found, abs(x[i]))
    return found


@kernel(internal=True)
def _speeds_after(tables):
    """u = b + A p"""
    n, A, p, u = tables.count.speeds, tables.A, tables.p, tables.u
    for i in range(n):
        u[i] = tables.b[i]
        for j in range(n):
            u[i] += A[i, j] * p[j]


@kernel(internal=True)
def _solve(tables):
    """Impulses that give all active contacts the wanted speeds."""
    m, n, A = tables.count.contacts, tables.count.speeds, tables.A
    rows, columns, right, slides, mode = tables.rows, tables.columns, tables.right, tables.slides, tables.mode
    k = 0
    for i in range(m):
        if tables.taking[i]:
            for j in range(n):
                columns[j, k] = 0.0
            rows[k], columns[i, k], right[k] = i, 1.0, tables.wanted[i] - tables.b[i]
            if slides[i] >= 0 and mode[i] != 0.0:
                columns[slides[i], k] = -mode[i] * tables.friction[i]
            k += 1
    for i in range(m):
        if tables.taking[i] and slides[i] >= 0 and mode[i] == 0.0:
            for j in range(n):
                columns[j, k] = 0.0
            rows[k], columns[slides[i], k], right[k] = slides[i], 1.0, -tables.b[slides[i]]
            k += 1
    for i in range(k):
        for j in range(k):
            tables.matrix[i, j] = 0.0
            for s in range(n):
                tables.matrix[i, j] += A[rows[i], s] * columns[s, j]
    _solve_scaled(tables, k)
    for i in range(n):
        tables.p[i] = 0.0
        for j in range(k):
            tables.p[i] += columns[i, j] * tables.x[j]


@kernel(internal=True)
def _solve_scaled(tables, k):
    """x of the leading k equations, each scaled to a unit diagonal."""
    matrix, size, right, x = tables.matrix, tables.size, tables.right, tables.x
    for i in range(k):
        size[i] = 1.0 / np.sqrt(abs(matrix[i, i]) + 1e-300)
    for i in range(k):
        right[i] *= size[i]
        for j in range(k):
            matrix[i, j] *= size[i] * size[j]
    minimum_norm(matrix, tables.basis, right, x, k, SQUARE)
    for i in range(k):
        x[i] *= size[i]


@kernel(internal=True)
def _same_modes(tables, scale_p, scale_u):
    """Whether all contacts slide as assumed; corrects the assumption otherwise."""
    same, mode, p = True, tables.mode, tables.p
    for i in range(tables.count.contacts):
        if not tables.taking[i] or tables.slides[i] < 0:
            continue
        along = p[tables.slides[i]]
        if mode[i] == 0.0 and abs(along) > tables.friction[i] * p[i] + scale_p:
            mode[i], same = -1.0 if along > 0.0 else 1.0, False
        elif mode[i] * tables.u[tables.slides[i]] < -scale_u:
            mode[i], same = 0.0, False
    return same


@kernel(internal=True)
def _nearest(tables):
    """The best impulses p >= 0 if contacts depend on each other: min p A p / 2 + p (b - u*), by active sets (Lawson and
    Hanson)."""
    m, A, p, taking, rows, x = tables.count.contacts, tables.A, tables.p, tables.taking, tables.rows, tables.x
    limit = TINY * _largest(tables.b, tables)
    for i in range(tables.count.speeds):
        p[i] = 0.0
    for i in range(m):
        taking[i] = 0
    for _ in range(TRIES):
        _speeds_after(tables)
        best, steepest = -1, limit
        for i in range(m):
            if not taking[i] and tables.wanted[i] - tables.u[i] > steepest:
                best, steepest = i, tables.wanted[i] - tables.u[i]
        if best < 0:
            return
        taking[best] = 1
        for _ in range(m + 1):
            k = 0
            for i in range(m):
                if taking[i]:
                    rows[k], tables.right[k] = i, tables.wanted[i] - tables.b[i]
                    k += 1
            for i in range(k):
                for j in range(k):
                    tables.matrix[i, j] = A[rows[i], rows[j]]
            _solve_scaled(tables, k)
            share = 1.0
            for i in range(k):
                if x[i] <= 0.0:
                    share = min(share, p[rows[i]] / (p[rows[i]] - x[i]) if p[rows[i]] > 0.0 else 0.0)
            for i in range(k):
                p[rows[i]] += share * (x[i] - p[rows[i]])
                if share < 1.0 and x[i] <= 0.0 and p[rows[i]] <= 1e-300 + TINY * abs(x[i]):
                    taking[rows[i]], p[rows[i]] = 0, 0.0
            if share == 1.0:
                break
