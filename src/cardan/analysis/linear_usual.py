r"""Measures of the usual kinds, differentiated by their own kernels, which run compiled on dual numbers.

                       live a --- still b        D jac by displacements of a
    a --- b   becomes
                       still a --- live b        D jac by displacements of b

A body has as many directions as speeds, and these are the lanes of the dual numbers. So that displacements of either
end are told apart, all markers stand in the table twice, on bodies that move and on the same bodies held, and so does
every measure. One pass then costs the same, for each measure, whatever the rest of the mechanism looks like.

Seldom kinds of measures, surfaces, and markers that run along curves are left to `linear_slopes`, and so is everything
in models that are so small that compiling would take longer.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cardan.analysis.linear_kernels import bend, follow, push_back, swing
from cardan.model.space import position_rates
from cardan.numerics.block import Block, block
from cardan.numerics.jit import COMPILED
from cardan.system.system import System

MANY = 300  # measures from which on a model is large


class Usual:
    """The usual measures of a system: their numbers, the table above, and memory."""

    def __init__(self, system: System) -> None:
        tables = _opened(system.geometry)
        self.system, self.width = system, system.width
        self.bodies = 1 + len(system.bodies)
        self.lanes = (0.0,) * self.width
        self.large = COMPILED and len(system.measures) >= MANY
        count = len(system.space.usual) if self.large else 0
        fixed = tables.body.size - _opened(tables.curves).moving.shape[0]
        usual = np.arange(tables.first[count]) if self.large else np.zeros(0, int)
        self.measures = usual[(tables.ends[usual, :2] < fixed).all(axis=1)]
        self.rest = np.setdiff1d(np.arange(len(system.measures)), self.measures)
        self.body = tables.body[tables.ends[self.measures, :2]].astype(int)  # of either end,
        self.one = tables.ends[self.measures, 0] == tables.ends[self.measures, 1]
        self.body[self.one, 0] = 0  # a single point counts as the end b
        self.columns = system.columns[self.measures]
        self.holder: Any = None  # whose state `bent` belongs to
        if self.measures.size:
            self._double(tables, count)

    def _double(self, tables: Any, kinds: int) -> None:
        markers, stored = tables.body.size, self.system.space.stored
        ends = tables.ends.astype(np.int64)
        lines, first, at = [], [0], 0
        self.twin = np.zeros((self.measures.size, 2), np.int64)  # where a measure stands, live at a and live at b
        for k in range(kinds):
            mine = np.flatnonzero((self.measures >= tables.first[k]) & (self.measures < tables.first[k + 1]))
            live_a, live_b = ends[self.measures[mine]], ends[self.measures[mine]]
            live_a[:, 1] += markers
            live_a[self.one[mine], 0] += markers
            live_b[~self.one[mine], 0] += markers
            lines += [live_a, live_b]
            self.twin[mine, 0] = at + np.arange(mine.size)
            self.twin[mine, 1] = at + mine.size + np.arange(mine.size)
            at += 2 * mine.size
            first.append(at)
        first += [at] * (tables.first.size - len(first))
        curves, touches = _opened(tables.curves), _opened(tables.touches)
        self.geometry = block(
            tables._replace(
                body=np.concatenate([tables.body, tables.body + np.uint32(self.bodies)]),
                local=np.concatenate([tables.local, tables.local]),
                ends=np.concatenate(lines).astype(np.uint32),
                first=np.array(first, np.uint32),
                curves=curves._replace(address=np.zeros_like(curves.address)),
                touches=touches._replace(address=np.zeros_like(touches.address)),
                seldom=np.zeros_like(tables.seldom),
            )
        )
        deep, half = 1 + self.width, stored * self.bodies
        self.q, self.v = np.zeros((2 * half, deep)), np.zeros((2 * self.width * self.bodies, deep))
        self.frames = np.zeros((2 * markers, self.system.space.marker_columns, deep))
        self.z, self.bent = np.zeros((at, 3, deep)), np.zeros((at, 2 * self.width + 2, deep))
        self.reference = np.zeros(at)

    def bend(self, q: np.ndarray, reference: np.ndarray) -> None:
        """Fill `bent[twin, c]` with jac and its derivatives by the speeds of one end."""
        self.q[:] = 0.0
        self._place(q, reference)
        self._seed(q)
        bend(self.geometry, self.q, self.reference, self.frames, self.z, self.bent, self.lanes)

    def rates(self, v: np.ndarray) -> np.ndarray:
        """rate_q of usual measures, where `bend` has been."""
        found = np.zeros((self.measures.size, 2 * self.width + 2))
        follow(self.columns, v, self.bent, self.twin, found)
        return found

    def curvature(self) -> np.ndarray:
        """jac_q of usual measures, [measures, columns, displacements]."""
        width = self.width
        found = np.zeros((self.measures.size, 2 * width + 2, 2 * width + 2))
        for side in range(2):
            found[:, :, side * width : (side + 1) * width] = self.bent[self.twin[:, side], :, 1:]
        return found

    def biases(self, q: np.ndarray, v: np.ndarray, reference: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """bias_q and bias_v of usual measures."""
        width, half = self.width, self.width * self.bodies
        found = []
        for fast in (False, True):
            self.q[:], self.v[:] = 0.0, 0.0
            self._place(q, reference)
            self.v[:half, 0] = self.v[half:, 0] = v[:half]
            if fast:
                self.v[:half, 1:] = np.tile(np.eye(width), (self.bodies, 1))
            else:
                self._seed(q)
            bent = np.zeros_like(self.bent)  # second derivatives of the place stay at hand
            args = self.geometry, self.q, self.v, self.reference, self.frames, self.z, bent, self.lanes
            swing(*args)
            slopes = np.zeros((self.measures.size, 2 * width + 2))
            for side in range(2):
                slopes[:, side * width : (side + 1) * width] = self.z[self.twin[:, side], 2, 1:]
            found.append(slopes)
        return found[0], found[1]

    def inertia(self, matter: np.ndarray, q: np.ndarray, v: np.ndarray, a: np.ndarray, fast: bool) -> np.ndarray:
        """Weight and inertia forces with their derivatives by displacements or, if `fast`, by speeds."""
        system, width, bodies = self.system, self.width, self.bodies
        places, speeds = np.zeros((system.space.stored * bodies, 1 + width)), np.zeros((width * bodies, 1 + width))
        places[:, 0], speeds[:, 0] = q[: places.shape[0]], v[: speeds.shape[0]]
        if fast:
            speeds[:, 1:] = np.tile(np.eye(width), (bodies, 1))
        else:
            places[:, 1:] = self._directions(q)
        out, gravity = np.zeros_like(speeds), np.array(system.model.gravity, float)
        push_back(system.geometry, matter, gravity, places, speeds, a, out, self.lanes)
        return out

    def _place(self, q: np.ndarray, reference: np.ndarray) -> None:
        half = self.q.shape[0] // 2
        self.q[:half, 0] = self.q[half:, 0] = q[:half]
        for side in range(2):
            self.reference[self.twin[:, side]] = reference[self.measures]

    def _seed(self, q: np.ndarray) -> None:
        self.q[: self.q.shape[0] // 2, 1:] = self._directions(q)

    def _directions(self, q: np.ndarray) -> np.ndarray:
        """The rates of positions for each speed of every body."""
        system, width = self.system, self.width
        found, rate = np.zeros((system.space.stored * self.bodies, width)), np.zeros(q.size)
        for i in range(width):
            along = system.speeds()
            along[i : width * self.bodies : width] = 1.0
            position_rates(system.geometry, q, along, rate)
            found[:, i] = rate[: found.shape[0]]
        return found


def _opened(tables: Any) -> Any:
    return tables.tables if isinstance(tables, Block) else tables
