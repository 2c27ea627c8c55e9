"""The tables and memory with which a thread finds equilibria: see `static_search`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

SIZE, ACTING, IMBALANCE = range(3)  # numbers of a position
TIME, CLOSED, TOLERANCE, SEARCH = range(4)  # numbers of the analysis


class StaticPlace(NamedTuple):
    """A position with its forces, scaled as in `cardan.analysis.equilibria.statics`."""

    q: np.ndarray
    reference: np.ndarray  # turns of angles
    z: np.ndarray
    phi: np.ndarray
    J: np.ndarray  # [rows, coordinates]
    force: np.ndarray
    multipliers: np.ndarray
    residual: np.ndarray
    strengths: np.ndarray  # not scaled
    energies: np.ndarray  # of laws, then of weights
    numbers: np.ndarray


class StaticModel(NamedTuple):
    """The energy near a position as a quadratic function, and the basis of free motions."""

    H: np.ndarray
    Q: np.ndarray
    R: np.ndarray
    lengths: np.ndarray
    order: np.ndarray
    product: np.ndarray
    S: np.ndarray  # Q2^T H Q2
    T: np.ndarray  # memory of the same shape,
    L: np.ndarray  # and for factors
    first: np.ndarray  # the least step that closes the rows
    y: np.ndarray
    w: np.ndarray  # one for each free motion
    step: np.ndarray
    more: np.ndarray
    correction: np.ndarray
    zero: np.ndarray  # one for each row


class Energy(NamedTuple):
    """The potential energy: springs along laws, weights along coordinates of mass centers, and functions by
    quadrature."""

    law: np.ndarray  # [laws, 3]: stiffness, rest, and constant force
    turned: np.ndarray  # int64[laws, 1]: measure below that is the angle of a torque, or -1
    curved: np.ndarray  # uint8[laws]: whether a force depends on its measure otherwise
    body: np.ndarray  # int64[measures, 2]: body and axis of a weight along a measure below; -1: none
    geometry: Any  # of these measures
    frames: np.ndarray
    z: np.ndarray
    jac: np.ndarray
    reference: np.ndarray
    nodes: np.ndarray  # of quadrature between 0 and 1,
    weights: np.ndarray  # and their weights


class StaticBench(NamedTuple):
    """All tables and memory of one thread; numbers that parameters change stand in `flat`."""

    flat: np.ndarray
    place: np.ndarray  # uint32: where the numbers of a sample go in `flat`
    plan: np.ndarray  # TIME, CLOSED, TOLERANCE, SEARCH
    geometry: Any
    rows: Any
    solver: Any
    weights: np.ndarray
    closing: np.ndarray  # uint8: rows that the first position must close
    active: np.ndarray  # uint8: all rows
    floating: np.ndarray  # uint32: rows whose offset is what that position gives
    start: np.ndarray
    turns: np.ndarray
    winding: np.ndarray
    unit: np.ndarray
    angular: np.ndarray  # float64: 1 for angles
    columns: np.ndarray
    forces: Any
    none: Any  # a table without forces
    matter: np.ndarray
    gravity: np.ndarray
    factors: np.ndarray
    work: Any
    vectors: Any
    scratch: Any
    step: np.ndarray  # numbered as v
    moves: np.ndarray  # [groups, speeds]: 1 for coordinates that differences move together
    steps: np.ndarray
    found: np.ndarray
    entry: np.ndarray  # int64[entries, 3]: row and column of H, and group
    here: Any
    there: Any
    model: Any
    energy: Any
    drift: np.ndarray
    trust: np.ndarray  # trusted length, shift, usual size of forces, error of joints, rank of J
    times: np.ndarray
    q: np.ndarray  # [1, ..]: what outputs read
    v: np.ndarray
    record_turns: np.ndarray
    loads: np.ndarray
    reading: Any
