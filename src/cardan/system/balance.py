"""What one unit of each coordinate counts as where ranks are decided: see `cardan.numerics.linalg.rank`.

A displacement of a body counts alike in all directions, and so does a rotation about all axes: columns are balanced in
groups of these. A radian counts as the distance by which it moves the points of its body, unless hinges compare it with
radians of other bodies: the distances of intersecting axes are often rounding of some file.
"""

from __future__ import annotations

import numpy as np

from cardan.model.flexible.modal_coordinate import ModalCoordinate
from cardan.numerics.linalg.rank import ROW_NOISE, SINE, SMALL_PIVOT, balanced_columns
from cardan.system.evaluate import evaluate_position
from cardan.system.system import System

UNEQUAL = SINE**-0.5  # halfway, in orders of magnitude, between equal terms and terms that would not count


def column_scale(system: System, q: np.ndarray | None = None, time: float = 0.0) -> np.ndarray:
    """Factors of the columns of J, at a position or where the model was stated."""
    work = system.work()
    evaluate_position(system.geometry, system.rows, system.start if q is None else q, time, system.reference, work)
    rows, columns, values, _ = system.jacobian(work)
    return balance(system, rows, columns, values)


def balance(system: System, rows: np.ndarray, columns: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Factors of the columns of J, of which these are the entries."""
    width, bodies, own = system.width, len(system.bodies), len(system.contact_coordinates)
    angular = np.array(system.space.angular)
    arms = arms_of(system)
    arms = np.where(arms > 0.0, arms, system.length)
    first = np.where(angular, 1.0 / arms[:, None], 1.0).ravel()
    group = (2 * np.arange(bodies)[:, None] + angular).ravel()
    reach = [c.reach if isinstance(c, ModalCoordinate) else system.length for c in system.contact_coordinates]
    first = np.concatenate([first, 1.0 / np.array(reach, float)])
    group = np.concatenate([group, 2 * bodies + np.arange(own)])
    first = _comparable(rows, columns, values, first, group, np.tile(angular, bodies), system.length)
    assert first.size == system.coordinates == width * bodies + own
    return balanced_columns(rows, columns, values, first, group)


def _comparable(
    rows: np.ndarray,
    columns: np.ndarray,
    values: np.ndarray,
    first: np.ndarray,
    group: np.ndarray,
    angular: np.ndarray,
    length: float,
) -> np.ndarray:
    """The factors `first`, those of rotations reduced until they exceed no other term of an equation by UNEQUAL.

    Otherwise a body with much larger factors than both neighbors would seem to have more equations than rotations, and
    one whose markers are a hair off its origin would alone decide about gears and racks. In equations between rotations
    all terms are compared; in others each rotation is compared with the largest displacement.
    """
    turning = np.zeros(first.size, bool)
    turning[: angular.size] = angular
    count = int(rows.max(initial=-1)) + 1
    sizes, kept = np.abs(values), np.isfinite(values) & (values != 0.0)
    turn, shift = kept & turning[columns], kept & ~turning[columns]
    if not turn.any():
        return first
    largest, straight = np.zeros(count), np.zeros(count)
    np.maximum.at(largest, rows[turn], sizes[turn])  # per radian
    np.maximum.at(straight, rows[shift], (sizes * first[columns])[shift])
    straight[straight * length <= SMALL_PIVOT * largest] = 0.0  # the rounding of an equation between rotations
    pairs, place = np.unique(np.stack([rows[turn], group[columns[turn]]]), axis=1, return_inverse=True)
    terms = np.zeros(pairs.shape[1])  # those of each body
    np.maximum.at(terms, place.ravel(), sizes[turn])
    chosen = terms > SMALL_PIVOT * largest[pairs[0]]
    row, part, size = pairs[0, chosen], pairs[1, chosen], terms[chosen]
    factor = np.zeros(int(group.max()) + 1)
    np.maximum.at(factor, group, first)
    for _ in range(factor.size):
        least = np.where(straight > 0.0, straight, np.inf)
        alone = straight[row] == 0.0
        np.minimum.at(least, row[alone], (size * factor[part])[alone])
        limit = UNEQUAL * least[row] / size
        if (factor[part] <= limit * (1.0 + ROW_NOISE)).all():
            break
        np.minimum.at(factor, part, limit)
    return np.minimum(first, factor[group])


def arms_of(system: System) -> np.ndarray:
    """How far the markers of each body are from its origin; distances that are rounding count as zero."""
    found = np.zeros(1 + len(system.bodies))
    for marker in {id(m): m for measure in system.measures for m in measure.markers()}.values():
        number = system.number[id(marker.body)]
        found[number] = max(found[number], marker.arm)
    return np.where(found > ROW_NOISE * system.length, found, 0.0)[1:]
