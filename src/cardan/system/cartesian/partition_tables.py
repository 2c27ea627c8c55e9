"""The tables of a partition into independent and dependent coordinates."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cardan.errors import ModelError
from cardan.numerics.compiled.record import Record
from cardan.numerics.linalg.ldlt import values_size
from cardan.system.system import System

# When dependent coordinates are corrected before y' is evaluated: never, always, or where constraints are violated.
NEVER, ALWAYS, IF_VIOLATED = range(3)
LARGEST = 50_000_000  # numbers of the full matrix in which pivots are chosen: 400 MB


class PartitionControl(Record):
    """When the factors of a partition are valid, and the options of the hybrid method."""

    factor_time: float
    slow: float  # whether Newton's method converged slowly
    position_tolerance: float  # violations that the hybrid method accepts,
    velocity_tolerance: float
    alpha: float  # and reduces as Baumgarte's method does
    beta: float
    correction: int  # NEVER, ALWAYS or IF_VIOLATED


class Partition(NamedTuple):
    """Which coordinates are independent, and what corrects the others."""

    held: np.ndarray  # uint8[nc]: independent coordinates
    diagonal: np.ndarray  # float64[nc]: the metric in which these are heavy
    control: Any
    first: np.ndarray  # int64[nq]: for each number of a position, the first of the speeds that move it,
    last: np.ndarray  # int64[nq]: and the one behind the last
    unit: np.ndarray  # float64[nq]: what one unit of it counts as, relative to the model's length
    matrix: np.ndarray  # float64[nr, nc]: where pivots are chosen
    lines: np.ndarray  # int64[nr]
    columns: np.ndarray  # int64[nc]
    values: np.ndarray  # matrix and factors of the corrections
    lower: np.ndarray
    pivots: np.ndarray


def partition(system: System, size: np.ndarray, wanted: bool) -> Partition:
    """The tables of a system; those that take much memory are empty unless they are wanted."""
    nr, nc, n = system.row_count, system.coordinates, system.solver.place.size
    if wanted and nr * nc > LARGEST:
        raise ModelError(
            f"model '{system.model.name}' is too large for methods 'partition' and 'hybrid', which choose independent "
            f"coordinates in a full matrix of {nr} rows and {nc} columns; use method 'auto'"
        )
    first, last = _moved_by(system)
    turned = 2.0 if system.space.stored > system.width else 1.0  # Euler parameters are half as large as an angle
    unit = size[first] * np.where(last - first > 1, turned, 1.0)
    pattern = system.solver.pattern
    sizes = (values_size(pattern), pattern.Li.size, n) if wanted else (0, 0, 0)
    return Partition(
        held=np.zeros(nc, np.uint8),
        diagonal=np.array(system.weights, float),
        control=PartitionControl(factor_time=np.nan),
        first=first,
        last=last,
        unit=unit,
        matrix=np.zeros((nr, nc) if wanted else (0, 0)),
        lines=np.zeros(nr, np.int64),
        columns=np.zeros(nc, np.int64),
        values=np.zeros(sizes[0]),
        lower=np.zeros(sizes[1]),
        pivots=np.zeros(sizes[2]),
    )


def _moved_by(system: System) -> tuple[np.ndarray, np.ndarray]:
    """The range of speeds that move each number of a position: its own, or all that turn the body."""
    space, bodies = system.space, 1 + len(system.bodies)
    straight = space.dimensions
    first, last = [], []
    for body in range(bodies):
        base = space.width * body
        for k in range(space.stored):
            first.append(base + min(k, straight))
            last.append(base + (k + 1 if k < straight else space.width))
    own = space.width * bodies + np.arange(len(system.contact_coordinates))
    return np.concatenate([first, own]).astype(np.int64), np.concatenate([last, own + 1]).astype(np.int64)
