r"""Exact derivatives of inertia forces from differences over long steps, by the compiled kernels of the model.

In a direction of displacement or speed of a body, the force f of weight and inertia on it and its modes is a polynomial
or a trigonometric polynomial of low degree, whose slope at the middle of a few points is a sum without any error but
rounding. With o(h) = (f(h) - f(-h)) / 2,

    speeds, modal coordinates     f = a + b h + c h^2                        b = o(h) / h
    rotation about a body axis    f = a + sum b_i sin(i h) + c_i cos(i h)    b_1 = o(pi/2), b_2 = o(pi/4) - b_1 / sqrt 2
    translation, its velocity     f does not change                          i = 1, 2; the slope is b_1 + 2 b_2

because forces A f'(A^T (g - r'')) contain the matrix A of the body twice, mass matrices the modal coordinates twice,
and inertia forces the speeds twice. All bodies are displaced together, because the forces on a body depend only on
itself. Rotors, whose forces depend on two bodies, are differentiated by dual numbers, see `slopes`.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import scipy.sparse as sp

from cardan.model.space import advance, inertia_forces
from cardan.numerics.compiled.block import block, tables_of
from cardan.system.system import System

HALF_ROOT = math.sqrt(0.5)


class InertiaSlopes:
    """The derivatives for any number of states of one system."""

    def __init__(self, system: System) -> None:
        self.system, self.geometry = system, system.geometry
        if system.added:
            tables = tables_of(system.geometry)
            rotors = tables_of(tables.rotors)
            rotors = rotors._replace(address=np.zeros_like(rotors.address))
            self.geometry = block(tables._replace(rotors=rotors))
        width, bodies = system.width, len(system.bodies)
        self.units = [np.array(unit, int) for unit in system.structure[0][:bodies]]  # those of modes come first
        self.modes = max((unit.size for unit in self.units), default=width) - width
        angular = np.flatnonzero(system.space.angular)
        self.turns = [self._line([width * (1 + b) + int(i) for b in range(bodies)]) for i in angular]
        deformed = [[width + int(unit[k]) for unit in self.units if unit.size > width + k] for k in range(self.modes)]
        self.bends = [self._line(places) for places in deformed]
        self.lanes = [*angular.tolist(), *range(width, width + self.modes)]  # of turns and bends

    def _line(self, places: list[int]) -> np.ndarray:
        found = self.system.speeds()
        found[places] = 1.0
        return found

    def blocks(
        self, matter: np.ndarray, q: np.ndarray, v: np.ndarray, a: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray | None]:
        """The derivatives of M a + h minus weight of each body, [body, w, w], with respect to its displacements and,
        if anything moves, its speeds; without modes."""
        width, bodies = self.system.width, len(self.system.bodies)
        found = self._slopes(matter, q, v, a)
        K, C = (None if x is None else -x[width : width * (1 + bodies), :width] for x in found)
        assert K is not None
        shape = bodies, width, width
        return K.reshape(shape), None if C is None else C.reshape(shape)

    def matrices(
        self, matter: np.ndarray, q: np.ndarray, v: np.ndarray, a: np.ndarray
    ) -> tuple[sp.csr_array, sp.csr_array]:
        """The same with modes, as matrices over the coordinates."""
        width, size = self.system.width, self.system.coordinates
        found = []
        for slopes in self._slopes(matter, q, v, a):
            rows, columns, values = [np.zeros(0, int)], [np.zeros(0, int)], [np.zeros(0)]
            for unit in self.units:
                if slopes is None:
                    break
                lanes = np.array([*range(width, unit.size), *range(width)])
                rows.append(np.repeat(unit, unit.size))
                columns.append(np.tile(unit, unit.size))
                values.append(-slopes[width + unit][:, lanes].ravel())
            entries = np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))
            found.append(sp.csr_array(entries, shape=(size, size)))
        return found[0], found[1]

    def _slopes(
        self, matter: np.ndarray, q: np.ndarray, v: np.ndarray, a: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray | None]:
        """The derivatives of the forces along the displacements of a body, then of its modes, and along its speeds."""
        system, gravity = self.system, np.array(self.system.model.gravity, float)

        def force(place: np.ndarray, motion: np.ndarray) -> np.ndarray:
            out = system.speeds()
            inertia_forces(self.geometry, matter, gravity, place, motion, a, out)
            return out

        def displaced(step: np.ndarray) -> np.ndarray:
            place = q.copy()
            advance(self.geometry, place, step)
            return force(place, v)

        def faster(step: np.ndarray) -> np.ndarray:
            return force(q, v + step)

        by_place = np.zeros((v.size, system.width + self.modes))
        for lane, line in zip(self.lanes, self.turns, strict=False):
            once = _odd(displaced, 0.5 * math.pi * line)
            by_place[:, lane] = once + 2.0 * (_odd(displaced, 0.25 * math.pi * line) - HALF_ROOT * once)
        bends = range(len(self.turns), len(self.lanes))
        offset = q.size - v.size
        for k in bends:
            by_place[:, self.lanes[k]] = self._parabola(displaced, self.bends[k - len(self.turns)], q[offset:])
        if not np.any(v):
            return by_place, None
        by_speed = np.zeros_like(by_place)
        for lane, line in zip(self.lanes, [*self.turns, *self.bends], strict=True):
            by_speed[:, lane] = self._parabola(faster, line, v)
        return by_place, by_speed

    def _parabola(self, force: Callable[[np.ndarray], np.ndarray], line: np.ndarray, now: np.ndarray) -> np.ndarray:
        """The slopes along a line of coordinates or speeds, each stepped by its size now, at least by its unit."""
        width = self.system.width
        unit = np.concatenate([np.ones(width), self.system.unit])
        unit[: width * (1 + len(self.units))] = 1.0
        steps = line * np.maximum(unit, np.abs(now))
        sizes = np.ones(now.size)  # of the step of the body that a force acts on
        for members in self.units:
            sizes[width + members] = steps[width + members].max(initial=0.0) or 1.0
        return _odd(force, steps) / sizes


def _odd(force: Callable[[np.ndarray], np.ndarray], step: np.ndarray) -> np.ndarray:
    return np.asarray(0.5 * (force(step) - force(-step)))
