"""The numbers in the tables of a compiled model, and how they follow parameters.

    n_j(p) = n_j(p0) + sum_k s_jk (p_k - p0_k)     almost all: coordinates of points, offsets, coefficients of motions
    n_j(p) = n_j(p0) (L(p)/L(p0))^e                scales, which go with the size L of the mechanism
    n_j(p) = cos n_i(p),  sin n_i(p)               axes, which go with an angle

Which of these holds is read from the tables of a few designs and proved at others, corners of the parameters' ranges
among them. Where one number follows none of them, tables are made anew for each sample: slower, and as exact.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cardan.numerics.compiled.block import Block, block, tables_of
from cardan.system.system import System

SCRATCH = "scratch"  # fields that kernels write to
EXAMINED_CORNERS = 5  # parameters whose corners are all looked at
INNER_DESIGNS = 6  # designs inside the ranges that are looked at
EXACT = 64.0 * float(np.finfo(float).eps)  # of the largest size of a number: what rounding explains
POWERS = (-2, -1, 1, 2)
GOLDEN = 0.6180339887498949


@dataclass
class Law:
    """How numbers follow parameters; `varied` are those that do, by their places."""

    varied: np.ndarray
    base: np.ndarray  # numbers that vary, where p = p0
    p0: np.ndarray
    slopes: np.ndarray  # [numbers, parameters]; zero lines for those that other laws give
    powers: dict[int, int]  # place among the varied -> exponent of the size
    cosines: dict[int, int]  # -> the place of the angle among the varied
    sines: dict[int, int]
    size: Any  # function of all numbers that vary: the size of each sample
    length: float  # the size where p = p0

    def numbers(self, values: np.ndarray) -> np.ndarray:
        """The numbers that vary, one line for each sample."""
        found = self.base + (values - self.p0) @ self.slopes.T
        for place, angle in self.cosines.items():
            found[:, place] = np.cos(found[:, angle])
        for place, angle in self.sines.items():
            found[:, place] = np.sin(found[:, angle])
        if self.powers:
            ratio = self.size(found) / self.length
            for place, power in self.powers.items():
                found[:, place] = self.base[place] * ratio**power
        return found


def floats(tables: Any) -> Iterator[np.ndarray]:
    """All arrays of floats in a tree of tables, in a fixed order; scratch memory left out."""
    tables = tables_of(tables)
    for name, value in zip(tables._fields, tables, strict=True):
        if isinstance(value, np.ndarray):
            if value.dtype == np.float64 and name != SCRATCH:
                yield value
        elif isinstance(value, Block | tuple):
            yield from floats(value)


def structure(tables: Any) -> bytes:
    """What must not change with parameters: sizes, and all whole numbers but addresses."""
    tables = tables_of(tables)
    description = b""
    for name, value in zip(tables._fields, tables, strict=True):
        if isinstance(value, np.ndarray):
            description += f"{name}{value.shape}{value.dtype}".encode()
            description += value.tobytes() if value.dtype.kind in "iu" and value.dtype != np.uint64 else b""
        elif isinstance(value, Block | tuple):
            description += structure(value)
    return description


def with_storage(tables: Any, storage: Iterator[np.ndarray]) -> Any:
    """The same tree of tables, floats in the arrays of `storage`, scratch memory of its own."""
    tables = tables_of(tables)
    parts: list[Any] = []
    for name, value in zip(tables._fields, tables, strict=True):
        if isinstance(value, np.ndarray):
            housed = value.dtype == np.float64 and name != SCRATCH
            parts.append(next(storage) if housed else value.copy())
        else:
            parts.append(with_storage(value, storage) if isinstance(value, Block | tuple) else value)
    return block(type(tables)(*parts))


def probes(low: np.ndarray, high: np.ndarray, first: np.ndarray | None = None) -> np.ndarray:
    """Designs to look at: p0 inside, a step along each parameter, others inside, then corners of the ranges.

    `first` is p0 if a certain design is wanted there.
    """
    k = low.size
    spread = np.modf(np.outer(1.0 + np.arange(1 + INNER_DESIGNS), GOLDEN * (1.0 + np.sqrt(1.0 + np.arange(k)))))[0]
    inside = low + (high - low) * (0.1 + 0.8 * spread)
    if first is not None:
        inside[0], spread[0] = first, np.where(first - low < high - first, 0.0, 1.0)
    steps = np.tile(inside[0], (k, 1)) + np.diag(0.3 * (high - low)) * np.where(spread[0] < 0.5, 1.0, -1.0)
    if k <= EXAMINED_CORNERS:
        sides = np.array([*itertools.product((0.0, 1.0), repeat=k)])
    else:
        sides = np.random.default_rng(0).integers(0, 2, (2**EXAMINED_CORNERS, k)).astype(float)
    return np.concatenate([inside[:1], steps, inside[1:], low + (high - low) * sides])


def law_of(designs: np.ndarray, tables: Sequence[np.ndarray | None], lengths: Sequence[float], size: Any) -> Law | None:
    """The law behind the numbers of designs as `probes` lists them; None if there is none.

    A table is None where the structure is another, as in a corner in which two points fall together.
    """
    k = designs.shape[1]
    if any(table is None for table in tables[: 1 + k + INNER_DESIGNS]):
        return None
    known = [i for i, table in enumerate(tables) if table is not None]
    rows = np.array([tables[i] for i in known])
    p0 = designs[0]
    varied = np.flatnonzero((rows != rows[0]).any(axis=0))
    base, found = rows[0, varied], rows[:, varied]
    change = designs[1 : 1 + k] - p0
    steps = np.diag(change)
    slopes = np.zeros((varied.size, k))
    moved = steps != 0.0
    slopes[:, moved] = ((found[1 : 1 + k][moved] - base) / steps[moved, None]).T
    largest = np.abs(found).max(axis=0) + np.abs(slopes) @ np.abs(designs - p0).max(axis=0)
    predicted = base + (designs[known] - p0) @ slopes.T
    wrong = np.flatnonzero((np.abs(predicted - found) > EXACT * largest).any(axis=0))
    law = Law(varied, base, p0, slopes, {}, {}, {}, size(varied, rows[0]), lengths[0])
    straight = np.setdiff1d(np.arange(varied.size), wrong)
    ratio = np.array([lengths[i] for i in known]) / lengths[0]
    for j in wrong:
        slopes[j] = 0.0
        if not _follows(law, int(j), found, straight, ratio):
            return None
    checked = law.numbers(designs[known])
    return law if (np.abs(checked - found) <= 4.0 * EXACT * np.maximum(largest, np.abs(base))).all() else None


def _follows(law: Law, j: int, found: np.ndarray, straight: np.ndarray, ratio: np.ndarray) -> bool:
    """Note which law other than a straight one number j follows, if any."""
    column = found[:, j]
    for power in POWERS:
        if np.allclose(column, law.base[j] * ratio**power, rtol=EXACT, atol=0.0):
            law.powers[j] = power
            return True
    for i in straight:
        for function, places in ((np.cos, law.cosines), (np.sin, law.sines)):
            if np.allclose(column, function(found[:, i]), rtol=0.0, atol=EXACT):
                places[j] = int(i)
                return True
    return False


def sizes_of(system: System, local: slice, start: slice) -> Any:
    """A function that makes, of places and base of varied numbers, one that finds the size of the mechanism in each
    sample, as `compile` does: the longest arm, or the spread of bodies and of the ground's points."""
    d, stored = system.space.dimensions, system.space.stored
    body, bodies = np.array(system.geometry.body), 1 + len(system.bodies)

    def bound(varied: np.ndarray, base: np.ndarray) -> Any:
        def sizes(found: np.ndarray) -> np.ndarray:
            full = np.tile(base, (found.shape[0], 1))
            full[:, varied] = found
            points = full[:, local].reshape(found.shape[0], body.size, -1)[:, :, :d]
            poses = full[:, start][:, : stored * bodies].reshape(-1, bodies, stored)[:, 1:, :d]
            arms = np.sqrt((points[:, body > 0] ** 2).sum(axis=2)).max(axis=1, initial=0.0)
            places = np.concatenate([poses, points[:, body == 0]], axis=1)
            away = ((places - places.mean(axis=1, keepdims=True)) ** 2).sum(axis=2)
            far = np.take_along_axis(places, away.argmax(axis=1)[:, None, None], axis=1)
            spread = np.sqrt(((places - far) ** 2).sum(axis=2).max(axis=1))
            largest = np.maximum(arms, spread)
            return np.where(largest > 0.0, largest, 1.0)

        return sizes

    return bound
