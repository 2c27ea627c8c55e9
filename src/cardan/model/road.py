r"""Roads: the height h(x, y) of the ground under wheels, in the axes of a marker whose z axis points up.

       z ^      ___                      Road.flat()                          h = 0
         |  .--'   '--.                  Road.along(x, heights)               h(x), a cubic spline, the same for all y
         '-------------------> x         Road.tracks(x, left, right, y=...)   one such line for each side
                                         Road.grid(x, y, heights)             bicubic through a grid of points

Lines have continuous curvature in x. Between the tracks the height passes smoothly from one to the other, and stays
level across beyond them. A grid, of even steps, has continuous slopes (Catmull-Rom). A road ends: a wheel that leaves
it stops the run, which names it, or with ends="level" the road goes on at the height of its edge.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from cardan.errors import ModelError
from cardan.model import check
from cardan.model.measure import Measure
from cardan.model.touch import Touch, fixed
from cardan.numerics.spline import pack, spline

FLAT, LINE, TRACKS, GRID = 0, 1, 2, 3
HEADER = 6  # packed form: sort, 1 if it goes on level beyond its ends, least and greatest x and y; then the data


@dataclass(frozen=True, eq=False)
class Road:
    """The height of the ground; made by `flat`, `along`, `tracks` or `grid`.

    >>> bump = Road.along([0.0, 4.0, 5.0, 6.0, 50.0], [0.0, 0.0, 0.1, 0.0, 0.0], ends="level")
    >>> bump.reach
    (0.0, 50.0, -inf, inf)
    """

    packed: tuple[float, ...]
    name: str = "road"

    @classmethod
    def flat(cls, name: str = "road") -> Road:
        """h = 0 everywhere."""
        return cls(_header(FLAT, "level", (-np.inf, np.inf, -np.inf, np.inf), name), name)

    @classmethod
    def along(cls, x: ArrayLike, heights: ArrayLike, *, ends: str = "stop", name: str = "road") -> Road:
        """h(x) through points of growing x, the same for all y: a natural cubic spline, which swings beyond its points
        where heights change abruptly; state more of them there."""
        line = _line(x, heights, name)
        return cls((*_header(LINE, ends, (*_span(x), -np.inf, np.inf), name), *line), name)

    @classmethod
    def tracks(
        cls, x: ArrayLike, left: ArrayLike, right: ArrayLike, *, y: Any, ends: str = "stop", name: str = "road"
    ) -> Road:
        """Two lines h(x), the left one at y = y[0] and the right one at y = y[1]."""
        sides = check.vector(y, 2, f"the y of both tracks of road '{name}'")
        if sides[0] == sides[1]:
            raise ModelError(f"both tracks of road '{name}' have y = {sides[0]:g}; they must differ")
        one, two = _line(x, left, name), _line(x, right, name)
        head = _header(TRACKS, ends, (*_span(x), -np.inf, np.inf), name)
        return cls((*head, *sides, float(len(one)), *one, *two), name)

    @classmethod
    def grid(cls, x: ArrayLike, y: ArrayLike, heights: ArrayLike, *, ends: str = "stop", name: str = "road") -> Road:
        """heights[i, j] at (x[i], y[j]), both in even steps."""
        (x0, dx, nx), (y0, dy, ny) = _even(x, "x", name), _even(y, "y", name)
        table = np.asarray(heights, float)
        if table.shape != (nx, ny) or not np.isfinite(table).all():
            raise ModelError(
                f"road '{name}' needs finite heights for {nx} values of x and {ny} of y, got shape {table.shape}"
            )
        table = np.pad(table, 1, mode="reflect", reflect_type="odd")  # straight on beyond the edges
        head = _header(GRID, ends, (x0, x0 + (nx - 1) * dx, y0, y0 + (ny - 1) * dy), name)
        return cls((*head, x0, dx, float(nx), y0, dy, float(ny), *table.ravel().tolist()), name)

    @property
    def reach(self) -> tuple[float, float, float, float]:
        """Least and greatest x, least and greatest y."""
        low, high, right, left = self.packed[2:HEADER]
        return low, high, right, left


@dataclass(frozen=True, eq=False)
class WheelTouch(Touch):
    r"""A wheel on a road: see `wheel_on_road`."""

    @property
    def advance(self) -> Measure:
        """The velocity of the wheel's centre along its course, whether it turns or not: a rate without value."""
        return self.measure("advance")

    @property
    def along(self) -> Measure:
        """The velocity along the course of the wheel's own point in contact: 0 in pure rolling. A rate."""
        return self.measure("rub", "x")

    @property
    def across(self) -> Measure:
        """The velocity across the course, to the left, of the wheel's own point in contact. A rate."""
        return self.measure("rub", "y")

    @property
    def yaw(self) -> Measure:
        """The angular velocity of the wheel about the road's normal. A rate."""
        return self.measure("yaw")

    @property
    def camber(self) -> Measure:
        """The angle by which the axle rises above the road's tangent plane."""
        return self.measure("camber")

    def lost(self, report: Sequence[float]) -> str:
        road, (x, y) = self.data[0], report[:2]
        low, high, right, left = road.reach
        parts = [f"{axis} from {a:g} to {b:g} m" for axis, a, b in (("x", low, high), ("y", right, left)) if b < np.inf]
        return (
            f"the wheel on '{self.b.body.name}' has left road '{road.name}': it is at x = {x:.6g}, y = {y:.6g} m, the "
            f'road has {" and ".join(parts)}; make it longer, or state ends="level"'
        )


def wheel_on_road(a: Any, b: Any, radius: float, road: Road) -> WheelTouch:
    r"""The pair of a wheel, its centre C and axle k the point and z axis of marker b, and a road in the axes of a.

            ^ n           k  axle                 n     normal of the road under C: at its x and y in the axes of a
            | C           e_x = k x n / c         c     cosine of the camber, sine n . k
         ---o--- k        d = -(n - (n . k) k) / c      from C to the road, in the plane of the wheel
            |             rho = distance from C to the road's tangent plane along d
          P o             gap = rho - radius,  P = C + rho d, where the road acts on the wheel

    One point is looked at: obstacles shorter than the contact patch are felt as they are.
    """
    fixed(a, "marker a of a road")
    fixed(b, "marker b of a wheel")
    check.instance(road, Road, "the road of a wheel", hint="for example Road.flat()")
    return WheelTouch("road-wheel", a, b, (check.positive(radius, "the radius of a wheel"),), (road,))


def _header(sort: int, ends: str, reach: tuple[float, ...], name: str) -> tuple[float, ...]:
    check.choice(ends, ("stop", "level"), f"ends of road '{name}'")
    return float(sort), float(ends == "level"), *reach


def _line(x: ArrayLike, heights: ArrayLike, name: str) -> tuple[float, ...]:
    places, levels = np.asarray(x, float), np.asarray(heights, float)
    if places.ndim != 1 or places.shape != levels.shape or places.size < 2:
        raise ModelError(
            f"road '{name}' needs one height for each x, two at least, got {places.size} x and {levels.size} heights"
        )
    if not (np.isfinite(places).all() and np.isfinite(levels).all() and (np.diff(places) > 0.0).all()):
        raise ModelError(f"road '{name}' needs finite heights at growing x")
    return pack(spline(places, levels))


def _span(x: ArrayLike) -> tuple[float, float]:
    places = np.asarray(x, float)
    return float(places[0]), float(places[-1])


def _even(values: ArrayLike, axis: str, name: str) -> tuple[float, float, int]:
    """First value, step and count of values in even steps."""
    places = np.asarray(values, float)
    steps = np.diff(places) if places.ndim == 1 else np.zeros(0)
    if steps.size < 1 or not np.isfinite(places).all() or not steps.min() > 0.0 or np.ptp(steps) > 1e-9 * steps.max():
        raise ModelError(f"the {axis} of road '{name}' must grow in even steps, two values at least")
    return float(places[0]), float((places[-1] - places[0]) / steps.size), places.size
