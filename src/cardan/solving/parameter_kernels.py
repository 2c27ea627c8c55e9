"""Other values of parameters written into tables, in machine code.

    n_j(p) = base_j + sum_k s_jk (p_k - p0_k),    cos n_i,    sin n_i,    or base_j (L(p) / L(p0))^e

`cardan.system.cartesian.numbers` finds these laws and proves them.

`follow_of` puts them into a block.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from cardan.numerics.compiled.block import block
from cardan.numerics.compiled.jit import kernel
from cardan.numerics.compiled.record import Record
from cardan.numerics.memory import store_number
from cardan.system.cartesian.numbers import Law
from cardan.system.system import System


class Size(Record):
    """What the size of a mechanism is computed from."""

    length: float  # where p = p0
    dimensions: int
    stored: int  # numbers of a body in the stated start


class Follow(NamedTuple):
    """The numbers that follow parameters."""

    place: np.ndarray  # uint64: their addresses
    number: np.ndarray
    base: np.ndarray
    start: np.ndarray  # uint32: slopes of number j are those from start[j] to start[j + 1]
    parameter: np.ndarray  # uint32
    slope: np.ndarray
    origin: np.ndarray  # p0
    cosine: np.ndarray  # uint32[.., 2]: a number, and the number whose cosine it is
    sine: np.ndarray
    power: np.ndarray  # int64[.., 2]: a number, and its exponent
    size: Any
    local: np.ndarray  # points on bodies, as in the geometry
    body: np.ndarray
    stated: np.ndarray  # positions of bodies


@kernel(internal=True)
def write_parameters(follow, values):
    """Write all numbers that follow the parameters."""
    number, start, slope, parameter = follow.number, follow.start, follow.slope, follow.parameter
    for j in range(number.shape[0]):
        total = follow.base[j]
        for e in range(start[j], start[j + 1]):
            total += slope[e] * (values[parameter[e]] - follow.origin[parameter[e]])
        number[j] = total
    for k in range(follow.cosine.shape[0]):
        number[follow.cosine[k, 0]] = math.cos(number[follow.cosine[k, 1]])
    for k in range(follow.sine.shape[0]):
        number[follow.sine[k, 0]] = math.sin(number[follow.sine[k, 1]])
    for j in range(number.shape[0]):
        store_number(follow.place[j], number[j])
    if follow.power.shape[0] > 0:
        ratio = _size(follow) / follow.size.length
        for k in range(follow.power.shape[0]):
            j, exponent, factor = follow.power[k, 0], follow.power[k, 1], 1.0
            for _ in range(abs(exponent)):
                factor *= ratio
            number[j] = follow.base[j] * factor if exponent > 0 else follow.base[j] / factor
            store_number(follow.place[j], number[j])


@kernel(internal=True)
def _size(follow):
    """The size of the mechanism: the longest arm, or the spread of bodies and of the ground's points."""
    local, body, stated = follow.local, follow.body, follow.stated
    d, stored = follow.size.dimensions, follow.size.stored
    bodies = stated.shape[0] // stored
    middle, far = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    longest, count = 0.0, 0
    for k in range(1, bodies + local.shape[0]):
        if k < bodies or body[k - bodies] == 0:
            p = _point(local, stated, d, stored, bodies, k)
            middle, count = (middle[0] + p[0], middle[1] + p[1], middle[2] + p[2]), count + 1
        else:
            longest = max(longest, _distance(_point(local, stated, d, stored, bodies, k), (0.0, 0.0, 0.0)))
    middle, away, spread = (middle[0] / count, middle[1] / count, middle[2] / count), -1.0, 0.0
    for k in range(1, bodies + local.shape[0]):
        if k < bodies or body[k - bodies] == 0:
            p = _point(local, stated, d, stored, bodies, k)
            if _distance(p, middle) > away:
                away, far = _distance(p, middle), p
    for k in range(1, bodies + local.shape[0]):
        if k < bodies or body[k - bodies] == 0:
            spread = max(spread, _distance(_point(local, stated, d, stored, bodies, k), far))
    largest = max(longest, spread)
    return largest if largest > 0.0 else 1.0


@kernel(internal=True)
def _point(local, stated, d, stored, bodies, k):
    """The position of body k as stated, or behind the bodies the coordinates of a point."""
    if k < bodies:
        first = k * stored
        return stated[first], stated[first + 1], stated[first + 2] if d == 3 else 0.0
    return local[k - bodies, 0], local[k - bodies, 1], local[k - bodies, 2] if d == 3 else 0.0


@kernel(internal=True)
def _distance(a, b):
    return math.sqrt((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2)


def follow_of(law: Law, addresses: np.ndarray, system: System, poses: np.ndarray) -> Any:
    """The block of a law; `addresses` are those of the numbers that vary, `poses` are those that the model states."""
    numbers, parameters = np.nonzero(law.slopes)
    geometry = system.geometry
    return block(
        Follow(
            place=addresses.astype(np.uint64),
            number=law.base.copy(),
            base=law.base.copy(),
            start=np.searchsorted(numbers, np.arange(law.base.size + 1)).astype(np.uint32),
            parameter=parameters.astype(np.uint32),
            slope=law.slopes[numbers, parameters],
            origin=law.p0.copy(),
            cosine=_pairs(law.cosines, np.uint32),
            sine=_pairs(law.sines, np.uint32),
            power=_pairs(law.powers, np.int64),
            size=Size(length=law.length, dimensions=system.space.dimensions, stored=system.space.stored),
            local=geometry.local,
            body=geometry.body,
            stated=poses,
        )
    )


def _pairs(table: dict[int, int], kind: Any) -> np.ndarray:
    return np.array([*table.items()], kind).reshape(-1, 2)
