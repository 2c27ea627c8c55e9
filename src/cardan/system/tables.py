"""The containers that compiled loops work on: a few named tuples of arrays, the same for every space."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from cardan.numerics.compiled.block import zeros
from cardan.numerics.curves.motions import MotionTable
from cardan.numerics.linalg.ldlt import Pattern
from cardan.numerics.linalg.small_lu import SmallLU


class Rows(NamedTuple):
    """The equations phi_r = sum_e c_e z_m(e) - offset_r - sum f(t), or phi_r = F(z, t) for the rows in `function`.

    Those on velocities have phi_r = 0 and sum_e c_e z_m(e)' = offset_r + sum f(t), or F(z, z', t) = 0.
    """

    start: np.ndarray  # uint32[nr + 1]: entries of a row
    measure: np.ndarray  # uint32[ne]: the measure of an entry
    coefficient: np.ndarray  # float64[ne]
    offset: np.ndarray  # float64[nr]
    velocity: np.ndarray  # uint8[nr]: 1 for equations on velocities
    motion_start: np.ndarray  # uint32[nr + 1]: terms of the row's motion
    motions: MotionTable
    function: np.ndarray  # uint32[nf]: rows that are functions
    address: np.ndarray  # uint64[nf]
    call: np.ndarray  # uint64[1]: the address of `cardan.system.evaluate.functions`, 0 where there are none
    argument_start: np.ndarray  # uint32[nf + 1]
    argument: np.ndarray  # uint32[na, 2]: the entry whose measure it is, and VALUE, RATE or TIME
    parameter_start: np.ndarray  # uint32[nf + 1]
    parameter: np.ndarray  # float64
    scale: np.ndarray  # float64[nr]: the size of an error that counts as one (the model's length, or 1 rad)
    inverse: np.ndarray  # float64[nr]: 1 / scale


class Solver(NamedTuple):
    """Where each number goes in the factorization of [[W, J^T], [J, -E]]; coordinates first, then rows.

    In place of the diagonal metric W there may be the mass matrix M, one block for each body.
    """

    pattern: Pattern
    place: np.ndarray  # uint32[n]: an unknown's place in the order of elimination
    diagonal: np.ndarray  # uint32[n]: the slot of its diagonal value
    slot: np.ndarray  # uint32[nk]: for each non-zero of J: its slot,
    entry: np.ndarray  # uint32[nk]: the entry of the rows table that gives its coefficient,
    measure: np.ndarray  # uint32[nk]: the measure
    part: np.ndarray  # uint32[nk]: and the column of its jac that gives its value,
    row: np.ndarray  # uint32[nk]: its row,
    column: np.ndarray  # uint32[nk]: its column, numbered as in v
    mass_slot: np.ndarray  # uint32[nm]: for each entry of the mass matrix: its slot,
    mass_source: np.ndarray  # uint32[nm]: and its place in the flat table of the bodies' blocks


class Work(NamedTuple):
    """Scratch memory of one thread, allocated once."""

    jac: np.ndarray  # float64[nz, 2 width + 2]
    flat: np.ndarray  # the same, as one row of numbers
    unit: np.ndarray  # float64[nc]: what a solution of one means in each coordinate
    square: SmallLU  # J of a small mechanism all of whose degrees of freedom are driven; empty otherwise
    target: np.ndarray  # uint32: places of its non-zeros in the flat matrix,
    source: np.ndarray  # uint32: where they come from in the flat table of measures' jac,
    factor: np.ndarray  # float64: what they are multiplied by to be independent of units,
    entry: np.ndarray  # uint32: and for the last of them, which add to others or belong to functions, their entry
    frames: np.ndarray = zeros("markers", "columns")
    z: np.ndarray = zeros("nz", 3)  # value, rate, bias
    coefficient: np.ndarray = zeros("ne")  # as in Rows, gradients for functions, zero for rows set aside
    phi: np.ndarray = zeros("nr")
    rate: np.ndarray = zeros("nr")  # J v
    nu: np.ndarray = zeros("nr")  # what J v must be
    gamma: np.ndarray = zeros("nr")  # what J a must be
    drive: np.ndarray = zeros("nr")  # the accelerations that motions prescribe
    values: np.ndarray = zeros("values")  # the matrix
    lower: np.ndarray = zeros("lower")  # its factor
    pivots: np.ndarray = zeros("n")
    scratch: np.ndarray = zeros("n")
    x: np.ndarray = zeros("n")  # right-hand side and solution in the order of elimination
    mode: np.ndarray = zeros(2, dtype=np.int64)  # 1 if J itself is factorized, and the sign of its determinant
    motion: np.ndarray = zeros(3)
    arguments: np.ndarray = zeros("arguments")  # arguments, their rates and results of user functions
    rates: np.ndarray = zeros("rates")
    results: np.ndarray = zeros("results")


def starts(counts: Iterable[int]) -> np.ndarray:
    """Where each run of entries begins, and where the last one ends."""
    return np.concatenate([[0], np.cumsum(list(counts), dtype=np.int64)]).astype(np.uint32)
