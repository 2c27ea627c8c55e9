"""What one unit of each coordinate counts as where ranks are decided: see `cardan.numerics.linalg.rank`.

A displacement of a body counts alike in all directions, and so does a rotation about all axes: columns are balanced in
groups of these.
"""

from __future__ import annotations

import numpy as np

from cardan.model.flexible.modal_coordinate import ModalCoordinate
from cardan.numerics.linalg.rank import balanced_columns
from cardan.system.evaluate import evaluate_position
from cardan.system.system import System


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
    assert first.size == system.coordinates == width * bodies + own
    return balanced_columns(rows, columns, values, first, group)


def arms_of(system: System) -> np.ndarray:
    """How far the markers of each body are from its origin."""
    found = np.zeros(1 + len(system.bodies))
    for marker in {id(m): m for measure in system.measures for m in measure.markers()}.values():
        number = system.number[id(marker.body)]
        found[number] = max(found[number], marker.arm)
    return found[1:]
