r"""Measures of the common kinds, differentiated by running their kernels compiled on dual numbers.

                       live a --- still b        D jac along displacements of a
    a --- b   becomes
                       still a --- live b        D jac along displacements of b

A body has as many directions as speeds, which are the lanes of the dual numbers. To separate displacements of the two
ends, the table contains all markers twice, on moving bodies and on the same bodies held fixed, and also every measure.
The cost per measure does not depend on the rest of the mechanism.

`linear.slopes` handles rare kinds of measures, surfaces, and markers on curves, and all measures of models so small
that compiling would take longer.

Measures are processed in pieces of neighboring bodies, which makes the intermediate numbers of a piece fit the cache.

The kernels at the end pass dual numbers through those of the model, and add the results to sparse matrices.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from cardan.analysis.linear.repeated_measures import MeasureGroups
from cardan.model.flexible.modal_coordinate import deformed_bodies
from cardan.model.space import position_pass, position_rates, velocity_pass
from cardan.numerics.compiled.block import block, tables_of
from cardan.numerics.compiled.jit import COMPILED, Intrinsic, kernel
from cardan.system.system import System

MANY_MEASURES = 300  # number of measures from which a model is large
SPEEDS_PER_PIECE = 200  # number of speeds in a piece


class MeasurePiece:
    """Some measures: their indices among the common ones, the table above, and memory for one pass."""

    def __init__(self, usual: Usual, at: slice, tables: Any) -> None:
        self.at, self.lanes = at, usual.lanes
        measures, one = usual.measures[at], usual.one[at]
        used, ends = np.unique(tables.ends[measures, :2], return_inverse=True)
        markers, ends = used.size, np.concatenate([ends.reshape(-1, 2), tables.ends[measures, 2:]], axis=1)
        lines, first, before = [], [0], 0
        self.twin = np.zeros((measures.size, 2), np.int64)  # index of a measure, live at a and live at b
        for k in range(len(usual.system.space.usual)):
            mine = np.flatnonzero((measures >= tables.first[k]) & (measures < tables.first[k + 1]))
            live_a, live_b = ends[mine], ends[mine]
            live_a[:, 1] += markers
            live_a[one[mine], 0] += markers
            live_b[~one[mine], 0] += markers
            lines += [live_a, live_b]
            self.twin[mine, 0] = before + np.arange(mine.size)
            self.twin[mine, 1] = before + mine.size + np.arange(mine.size)
            before += 2 * mine.size
            first.append(before)
        first += [before] * (tables.first.size - len(first))
        curves, touches, body = tables_of(tables.curves), tables_of(tables.touches), tables.body[used]
        self.geometry = block(
            tables._replace(
                body=np.concatenate([body, body + np.uint32(usual.bodies)]),
                local=np.concatenate([tables.local[used], tables.local[used]]),
                ends=np.concatenate(lines).astype(np.uint32),
                first=np.array(first, np.uint32),
                curves=curves._replace(address=np.zeros_like(curves.address)),
                touches=touches._replace(address=np.zeros_like(touches.address)),
                rare=np.zeros_like(tables.rare),
            )
        )
        self.reference = np.zeros(before)
        self.sizes = 2 * markers, before

    def share(self, frames: np.ndarray, z: np.ndarray, bent: np.ndarray) -> None:
        """Use the first part of tables shared by all pieces."""
        markers, measures = self.sizes
        self.frames, self.z, self.bent = frames[:markers], z[:measures], bent[:measures]

    def turn(self, reference: np.ndarray) -> None:
        """Take the turns of angles from those of the common measures."""
        for side in range(2):
            self.reference[self.twin[:, side]] = reference[self.at]

    def slopes(self, table: np.ndarray) -> np.ndarray:
        """The derivatives of a table of this piece, [.., columns], along displacements of both ends."""
        nothing = np.zeros((*table.shape[1:-1], 2))[None].repeat(self.twin.shape[0], axis=0)
        return np.concatenate([table[self.twin[:, 0], ..., 1:], table[self.twin[:, 1], ..., 1:], nothing], axis=-1)


class Usual:
    """The common measures of a system, in pieces."""

    def __init__(self, system: System, compiled: bool = True) -> None:
        """Empty unless kernels are `compiled` for dual numbers, which does not pay off for a single state."""
        tables = tables_of(system.geometry)
        self.system, self.width = system, system.width
        self.bodies = 1 + len(system.bodies)
        self.lanes = (0.0,) * self.width
        self.flexible = bool(deformed_bodies(system.contact_coordinates))
        self.large = compiled and COMPILED and len(system.measures) >= MANY_MEASURES and not self.flexible
        fixed = tables.body.size - tables_of(tables.curves).moving.shape[0]
        usual = np.arange(tables.first[len(system.space.usual)] if self.large else 0)
        usual = usual[(tables.ends[usual, :2] < fixed).all(axis=1)]
        piece = tables.body[tables.ends[usual, :2]].max(axis=1, initial=0) // (SPEEDS_PER_PIECE // self.width)
        order = np.argsort(piece, kind="stable")
        self.measures = usual[order]
        self.rest = np.setdiff1d(np.arange(len(system.measures)), usual)
        self.alike = MeasureGroups(system, self.rest)
        self.one = tables.ends[self.measures, 0] == tables.ends[self.measures, 1]
        self.body = tables.body[tables.ends[self.measures, :2]].astype(np.int64)  # of either end
        self.body[self.one, 0] = 0  # a single point is end b
        self.columns = system.columns[self.measures]
        edges = np.concatenate([[0], 1 + np.flatnonzero(np.diff(piece[order])), [usual.size]]).tolist()
        runs = [slice(a, b) for a, b in zip(edges[:-1], edges[1:], strict=True) if b > a]
        self.pieces = [MeasurePiece(self, run, tables) for run in runs]
        markers, most = (max((piece.sizes[k] for piece in self.pieces), default=0) for k in range(2))
        deep, columns = 1 + self.width, system.space.marker_columns
        shared = [np.zeros((markers, columns, deep)), np.zeros((most, 3, deep))]
        shared.append(np.zeros((most, 2 * self.width + 2, deep)))
        for piece in self.pieces:
            piece.share(*shared)
        self.q = np.zeros((2 * system.space.stored * self.bodies, 1 + self.width))
        self.v = np.zeros((2 * self.width * self.bodies, 1 + self.width))

    def bent(self, q: np.ndarray, reference: np.ndarray) -> Iterator[MeasurePiece]:
        """Each piece with jac and its derivatives in `bent[twin]`."""
        if self.pieces:
            self._place(q, seeded=True)
            reference = reference[self.measures]
        for piece in self.pieces:
            piece.turn(reference)
            bend(piece.geometry, self.q, piece.reference, piece.frames, piece.z, piece.bent, self.lanes)
            yield piece

    def biases(self, q: np.ndarray, v: np.ndarray, reference: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """bias_q and bias_v."""
        half, reference = self.width * self.bodies, reference[self.measures]
        found = []
        for fast in (False, True):
            self._place(q, seeded=not fast)
            self.v[:half, 0] = self.v[half:, 0] = v[:half]
            self.v[:half, 1:] = np.tile(np.eye(self.width) if fast else 0.0 * np.eye(self.width), (self.bodies, 1))
            lines = [np.zeros((0, 2 * self.width + 2))]
            for piece in self.pieces:
                piece.turn(reference)
                memory = piece.frames, piece.z, piece.bent
                swing(piece.geometry, self.q, self.v, piece.reference, *memory, self.lanes)
                lines.append(piece.slopes(piece.z[:, 2]))
            found.append(np.concatenate(lines))
        return found[0], found[1]

    def _place(self, q: np.ndarray, seeded: bool) -> None:
        """Positions of moving bodies, in all directions or none, and of the same bodies held fixed."""
        half = self.q.shape[0] // 2
        self.q[:half, 0] = self.q[half:, 0] = q[:half]
        self.q[:half, 1:] = self._directions(q) if seeded else 0.0

    def _directions(self, q: np.ndarray) -> np.ndarray:
        """The position rates for each speed of every body."""
        system, width = self.system, self.width
        found, rate = np.zeros((self.q.shape[0] // 2, width)), np.zeros(q.size)
        for i in range(width):
            along = system.speeds()
            along[i : width * self.bodies : width] = 1.0
            position_rates(system.geometry, q, along, rate)
            found[:, i] = rate[: found.shape[0]]
        return found


as_duals: Any = Intrinsic("cardan.numerics.autodiff.dual_type", "as_duals")
add_slopes: Any = Intrinsic("cardan.numerics.autodiff.dual_type", "add_slopes")


@kernel
def bend(geometry, q, reference, frames, z, jac, lanes):
    """Values and jac of all measures with their derivatives. Returns a status."""
    q, frames, z, jac = as_duals(q, lanes), as_duals(frames, lanes), as_duals(z, lanes), as_duals(jac, lanes)
    return position_pass(geometry, q, reference, frames, z, jac)


@kernel
def swing(geometry, q, v, reference, frames, z, jac, lanes):
    """The same, then rates and biases."""
    q, v, frames, z, jac = (
        as_duals(q, lanes), as_duals(v, lanes), as_duals(frames, lanes), as_duals(z, lanes), as_duals(jac, lanes),
    )  # fmt: skip
    status = position_pass(geometry, q, reference, frames, z, jac)
    velocity_pass(geometry, v, frames, z, jac)
    return status


@kernel
def follow(columns, v, bent, twin, start, rate_q, lanes):
    """rate_q[m, c] = D_c (jac v) along displacements of end a, then of end b, for the measures of a piece."""
    length, bent = columns.shape[1], as_duals(bent, lanes)
    width = (length - 2) // 2
    for k in range(twin.shape[0]):
        m = start + k
        for row in range(length):
            speed = v[columns[m, row]]
            if speed != 0.0:
                for side in range(2):
                    add_slopes(rate_q, m * length + side * width, speed, bent[twin[k, side], row])


@kernel
def add_curvature(place, stride, weights, bent, twin, start, out, lanes):
    """Add sum_m w_m D jac_m^T over the measures of a piece."""
    bent = as_duals(bent, lanes)
    width = (bent.shape[1] - 2) // 2
    for k in range(twin.shape[0]):
        m = start + k
        if weights[m] != 0.0:
            for s in range(2):
                for t in range(2):
                    for i in range(width if place[m, s, t] >= 0 else 0):
                        at = place[m, s, t] + i * stride[m, s]
                        add_slopes(out, at, weights[m], bent[twin[k, t], s * width + i])


@kernel
def add_laws(pairs, factor, law, linear, place, stride, jac, rate_q, moves, K, C):
    """Add J_z^T (k dz + c dz') of linear laws, for each pair of measures in a law."""
    width = (jac.shape[1] - 2) // 2
    for p in range(pairs.shape[0]):
        e, f = pairs[p, 0], pairs[p, 1]
        stiffness, damping = factor[p] * linear[law[p], 0], factor[p] * linear[law[p], 2]
        for s in range(2):
            for t in range(2):
                if place[p, s, t] < 0:
                    continue
                for i in range(width):
                    g, first = jac[e, s * width + i], place[p, s, t] + i * stride[p, s]
                    if g == 0.0:
                        continue
                    for j in range(width):
                        c = t * width + j
                        K[first + j] += g * stiffness * jac[f, c]
                        C[first + j] += g * damping * jac[f, c]
                        if moves:
                            K[first + j] += g * damping * rate_q[f, c]
