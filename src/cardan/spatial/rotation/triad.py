"""Axes from points or directions: the books' P, Q, R, and individually given axes.

              z  Q                      y
              |  /                      |  R                 One direction is exact; the second is made
    "zx":     | /      R        "xy":   | /                  perpendicular to it; the third completes the
              |/____.                   |/_____ Q            right-handed frame A = [f, g, h].
              P       x                 P       x

"zx" is the joint definition frame (Haug 9.4.1), "xy" the frame of Example 9.1.6. Points of tables need not be at unit
distance, nor PR exactly perpendicular to PQ.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cardan.errors import ModelError
from cardan.model import check
from cardan.model.dimensions import Direction, Position
from cardan.spatial.rotation.parameters import ORTHOGONALITY_ERROR, from_matrix

NAMES = "xyz"
COINCIDENT_POINTS = 1e-9  # relative distance below which points coincide and directions are parallel
NEARLY_PARALLEL = 0.99  # cosine of about 8 degrees: closer to an axis, its projection is not useful

# With a single direction, the second axis is the projection of a frame axis, or of the other one if that is too close.
CHOSEN = {"z": ("x", "x", "y"), "x": ("z", "z", "y"), "y": ("z", "z", "x")}


def from_points(
    P: Position, Q: Position, R: Position | None = None, axes: str = "zx", what: str = "the frame"
) -> NDArray:
    """Euler parameters of the frame with its origin at P, Q on its first axis and R on the side of its second.

    `axes="zx"`: Q on z, R toward x (9.4.1); `axes="xy"`: Q on x, R in the xy plane toward y (Example 9.1.6). Without R
    the second axis is chosen as close as possible to that of the frame of the points.

    >>> from_points((0, 0, 0), (2, 0, 0), (0, 0.1, 0)).tolist()               # z along the old x, x along the old y
    [0.5, 0.5, 0.5, 0.5]
    >>> from_points((1, 1, 1), (2, 1, 1), axes="xy").tolist()
    [1.0, 0.0, 0.0, 0.0]
    """
    check.choice(axes, ("zx", "xy"), f"axes of {what}")
    p, q = (np.array(check.vector(point, 3, f"{name} of {what}")) for name, point in (("P", P), ("Q", Q)))
    if _same(p, q):
        raise ModelError(f"P and Q of {what} coincide at {_list(q)}; Q must be on the {axes[0]} axis, away from P")
    if R is None:
        return from_axes(**{axes[0]: q - p}, what=what)
    r = np.array(check.vector(R, 3, f"R of {what}"))
    if _same(p, r):
        raise ModelError(f"P and R of {what} coincide at {_list(r)}; R must be away from P, toward the {axes[1]} axis")
    if np.linalg.norm(np.cross(_unit(q - p), _unit(r - p))) <= COINCIDENT_POINTS:
        raise ModelError(f"R of {what}, {_list(r)}, is on the line PQ; move it off, toward the {axes[1]} axis")
    return from_axes(**{axes[0]: q - p, axes[1]: r - p}, what=what)


def from_axes(
    x: Direction | None = None, y: Direction | None = None, z: Direction | None = None, what: str = "the frame"
) -> NDArray:
    """Euler parameters of the frame whose axes have the given directions, of any length.

    Of those given, z is exact, else x, else y; another one is made perpendicular to it. A single direction leaves the
    rotation about it open: it is chosen as in `from_points`. Three must be perpendicular and right-handed.

    >>> from_axes(z=(1, 0, 0), x=(0, 1, 0)).tolist()
    [0.5, 0.5, 0.5, 0.5]
    >>> from_axes(z=(0, 0, 3)).tolist()
    [1.0, 0.0, 0.0, 0.0]
    """
    stated = {"z": z, "x": x, "y": y}  # in the order of precedence
    units = {name: _direction(given, name, what) for name, given in stated.items() if given is not None}
    if not units:
        return np.array([1.0, 0.0, 0.0, 0.0])
    if len(units) == 3:
        _check_triple(units, what)
    elif len(units) == 1:
        units |= _choose(*units.items())
    (first, u), (second, v), *_ = units.items()
    v = v - (u @ v) * u
    if np.linalg.norm(v) <= COINCIDENT_POINTS:
        raise ModelError(
            f"the {first} and {second} axes of {what} are parallel, {_list(stated[first])} and "
            f"{_list(stated[second])}; they must be perpendicular, or nearly so"
        )
    v = _unit(v)
    i, j = NAMES.index(first), NAMES.index(second)
    A = np.empty((3, 3))
    A[:, i], A[:, j] = u, v
    A[:, 3 - i - j] = np.cross(u, v) if (i + 1) % 3 == j else np.cross(v, u)
    return from_matrix(A)


def _choose(item: tuple[str, NDArray]) -> dict[str, NDArray]:
    """A second direction for a single given one."""
    name, u = item
    second, near, other = CHOSEN[name]
    source = NAMES.index(near)
    return {second: np.eye(3)[NAMES.index(other) if abs(u[source]) > NEARLY_PARALLEL else source]}


def _check_triple(units: dict[str, NDArray], what: str) -> None:
    A = np.column_stack([units[name] for name in NAMES])
    gap = np.abs(A.T @ A - np.eye(3)).max()
    if gap > ORTHOGONALITY_ERROR:
        raise ModelError(
            f"the axes x, y and z of {what} are not perpendicular, a cosine between them is {gap:.2g}; give two of them"
        )
    if np.linalg.det(A) < 0.0:
        raise ModelError(f"the axes x, y and z of {what} are left-handed; reverse one of them, or give two of them")


def _direction(given: Any, name: str, what: str) -> NDArray:
    direction = np.array(check.vector(given, 3, f"the {name} axis of {what}"))
    if not direction.any():
        raise ModelError(f"the {name} axis of {what} must be a direction, got a zero vector")
    return _unit(direction)


def _unit(a: NDArray) -> NDArray:
    a = a / np.abs(a).max()  # to keep squares from underflow and overflow
    return a / np.linalg.norm(a)


def _same(a: NDArray, b: NDArray) -> bool:
    """Whether two points coincide within the precision of their coordinates."""
    return bool(np.abs(a - b).max() <= COINCIDENT_POINTS * max(np.abs(a).max(), np.abs(b).max()))


def _list(a: Any) -> str:
    return "(" + ", ".join(f"{value:g}" for value in a) + ")"
