r"""Roads: the height h(x, y) of the ground under wheels, in the axes of a marker whose z axis points up.

       z ^      ___                      Road.flat()                          h = 0
         |  .--'   '--.                  Road.along(x, heights)               h(x) through points, for all y
         '-------------------> x         Road.tracks(x, left, right, y=...)   one such line for each side
                                         Road.bump(at, length, height)        one wave of a cosine on a flat road
                                         Road.grid(x, y, heights)             bicubic through a grid of points

Lines have continuous curvature in x. Those of kind "smooth" rise and fall where their points do and are level between
equal heights, so a few points define a ramp, a curb or a bump; kind "spline" is the natural cubic spline, for closely
spaced points measured on a smooth road; between distant points it oscillates. Between the tracks the height changes
smoothly from one to the other, and it is constant across beyond them. An evenly spaced grid has continuous slopes
(Catmull-Rom). A wheel that leaves the road stops the run with an error, unless ends="level", which makes the road level
at its edge and continues it at that height.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from cardan.errors import ModelError
from cardan.model import check
from cardan.model.dimensions import Length
from cardan.model.force import StartRange
from cardan.model.marker import Marker
from cardan.model.measure import Measure
from cardan.model.stated import Stated
from cardan.model.surfaces.surface_pair import SurfacePair, fixed
from cardan.numerics.curves.spline import evaluate, hermite, level_spline, pack, spline, unpack

FLAT_ROAD, LINE_ROAD, TRACKS_ROAD, GRID_ROAD = 0, 1, 2, 3
BUMP_PIECES = 32  # number of quintic pieces, for 1e-9 of the height
MAX_INITIAL_PENETRATION = 0.5  # largest initial penetration of a wheel, relative to its radius
MOST_CAMBER = 80.0  # degrees
ROAD_HEADER = 6  # packed form: type, 1 if level beyond its ends, least and greatest x and y, then the data


@dataclass(frozen=True, eq=False)
class Road(metaclass=Stated):
    """The height of the ground; create it with `flat`, `along`, `bump`, `tracks` or `grid`.

    >>> ramp = Road.along([0.0, 4.0, 6.0, 50.0], [0.0, 0.0, 0.1, 0.1], ends="level")
    >>> ramp.reach
    (0.0, 50.0, -inf, inf)
    >>> [round(float(h), 3) for h in ramp.height([2.0, 5.0, 30.0])]
    [0.0, 0.05, 0.1]
    """

    packed: tuple[float, ...]
    name: str = "road"

    @classmethod
    def flat(cls, name: str = "road") -> Road:
        """h = 0 everywhere."""
        return cls(_header(FLAT_ROAD, "level", (-np.inf, np.inf, -np.inf, np.inf), name), name)

    @classmethod
    def along(
        cls, x: ArrayLike, heights: ArrayLike, *, kind: str = "smooth", ends: str = "stop", name: str = "road"
    ) -> Road:
        """h(x) through points of increasing x, for all y; `kind` is "smooth" or "spline", see above."""
        line = _line(x, heights, kind, ends, name)
        return cls((*_header(LINE_ROAD, ends, (*_span(x), -np.inf, np.inf), name), *line), name)

    @classmethod
    def bump(cls, at: Length, length: Length, height: Length, *, name: str = "road") -> Road:
        """A flat road with a bump from x = at to at + length, h = height (1 - cos(2 pi (x - at) / length)) / 2; a
        negative height is a hole. Slopes are continuous; wheels much smaller than the bump follow it."""
        start, span = check.number(at, f"the start of the bump of road '{name}'"), f"the length of the bump of '{name}'"
        share = np.linspace(0.0, 1.0, BUMP_PIECES + 1)
        turn, wave = 2.0 * np.pi * share, 2.0 * np.pi / check.positive(length, span)
        half = 0.5 * check.number(height, f"the height of the bump of road '{name}'")
        jets = half * np.stack([1.0 - np.cos(turn), wave * np.sin(turn), wave**2 * np.cos(turn)], axis=1)
        jets[[0, -1], :2] = 0.0
        line, reach = pack(hermite(start + length * share, jets)), (start, start + length, -np.inf, np.inf)
        return cls((*_header(LINE_ROAD, "level", reach, name), *line), name)

    @classmethod
    def tracks(
        cls,
        x: ArrayLike,
        left: ArrayLike,
        right: ArrayLike,
        *,
        y: Any,
        kind: str = "smooth",
        ends: str = "stop",
        name: str = "road",
    ) -> Road:
        """Two lines h(x), the left one at y = y[0] and the right one at y = y[1]."""
        sides = check.vector(y, 2, f"the y of both tracks of road '{name}'")
        if sides[0] == sides[1]:
            raise ModelError(f"both tracks of road '{name}' have y = {sides[0]:g}; they must differ")
        one, two = _line(x, left, kind, ends, name), _line(x, right, kind, ends, name)
        head = _header(TRACKS_ROAD, ends, (*_span(x), -np.inf, np.inf), name)
        return cls((*head, *sides, float(len(one)), *one, *two), name)

    @classmethod
    def grid(cls, x: ArrayLike, y: ArrayLike, heights: ArrayLike, *, ends: str = "stop", name: str = "road") -> Road:
        """heights[i, j] at (x[i], y[j]), both evenly spaced."""
        (x0, dx, nx), (y0, dy, ny) = _even(x, "x", name), _even(y, "y", name)
        table = np.asarray(heights, float)
        if table.shape != (nx, ny) or not np.isfinite(table).all():
            raise ModelError(
                f"road '{name}' needs finite heights for {nx} values of x and {ny} of y, got shape {table.shape}"
            )
        # beyond the edges extrapolated, or mirrored to make the road level at the edge
        table = np.pad(table, 1, mode="reflect", reflect_type="even" if ends == "level" else "odd")
        head = _header(GRID_ROAD, ends, (x0, x0 + (nx - 1) * dx, y0, y0 + (ny - 1) * dy), name)
        return cls((*head, x0, dx, float(nx), y0, dy, float(ny), *table.ravel().tolist()), name)

    @property
    def reach(self) -> tuple[float, float, float, float]:
        """Least and greatest x, least and greatest y."""
        low, high, right, left = self.packed[2:ROAD_HEADER]
        return low, high, right, left

    def height(self, x: ArrayLike, y: ArrayLike = 0.0) -> np.ndarray:
        """h at x and y, numbers or arrays, as wheels see it; nan beyond the ends of the road."""
        x, y = np.broadcast_arrays(np.asarray(x, float), np.asarray(y, float))
        (low, high, right, left), level = self.reach, self.packed[1] != 0.0
        inx, iny = np.clip(x, low, high), np.clip(y, right, left)
        found = HEIGHTS[int(self.packed[0])](self.packed[ROAD_HEADER:], inx, iny)
        return np.where(level | ((inx == x) & (iny == y)), found, np.nan)[()]


@dataclass(frozen=True, eq=False)
class WheelRoadPair(SurfacePair):
    r"""A wheel on a road: see `wheel_on_road`."""

    def begins(self, allowed: bool) -> tuple[StartRange, ...]:
        """At the start of a run a wheel must stand on the road: not below it, and not flat."""
        sunk, lying, radius = -MAX_INITIAL_PENETRATION * self.numbers[0], math.radians(MOST_CAMBER), self.numbers[0]

        def below(gap: float) -> str:
            return f"starts with its wheel of radius {radius:g} m {-gap:.4g} m below the road"

        def flat(camber: float) -> str:
            degrees = abs(math.degrees(camber))
            return f"starts with its wheel lying flat on the road, its axle {degrees:.3g} degrees off the road's plane,"

        return (
            StartRange(self.gap, sunk, math.inf, below, "lift it, start from equilibrium(method='newton'),", allowed),
            StartRange(
                self.camber,
                -lying,
                lying,
                flat,
                "the z axis of the wheel's marker is its axle; make it horizontal,",
                allowed,
            ),
        )

    @property
    def advance(self) -> Measure:
        """The longitudinal velocity of the wheel's center, whether it spins or not: only a rate."""
        return self.measure("advance")

    @property
    def along(self) -> Measure:
        """The longitudinal velocity of the wheel's material point in contact: 0 in pure rolling. Only a rate."""
        return self.measure("rub", "x")

    @property
    def across(self) -> Measure:
        """The lateral velocity, to the left, of the wheel's material point in contact. Only a rate."""
        return self.measure("rub", "y")

    @property
    def yaw(self) -> Measure:
        """The angular velocity of the wheel about the road's normal. Only a rate."""
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


def wheel_on_road(a: Marker, b: Marker, radius: Length, road: Road) -> WheelRoadPair:
    r"""The pair of a road in the axes of a and a wheel with center C and axle k, the point and z axis of marker b.

            ^ n           k  axle                 n     normal of the road under C: at its x and y in the axes of a
            | C           e_x = k x n / c         c     cosine of the camber, sine n . k
         ---o--- k        d = -(n - (n . k) k) / c      from C to the road, in the plane of the wheel
            |             rho = distance from C to the road's tangent plane along d
          P o             gap = rho - radius,  P = C + rho d, where the road acts on the wheel

    Contact is at a single point: obstacles shorter than the contact patch are not smoothed.
    """
    fixed(a, "marker a of a road")
    fixed(b, "marker b of a wheel")
    check.instance(road, Road, "the road of a wheel", hint="for example Road.flat()")
    return WheelRoadPair("road-wheel", a, b, (check.positive(radius, "the radius of a wheel"),), (road,))


def _header(sort: int, ends: str, reach: tuple[float, ...], name: str) -> tuple[float, ...]:
    check.choice(ends, ("stop", "level"), f"ends of road '{name}'")
    return float(sort), float(ends == "level"), *reach


def _line(x: ArrayLike, heights: ArrayLike, kind: str, ends: str, name: str) -> tuple[float, ...]:
    places, levels = np.asarray(x, float), np.asarray(heights, float)
    if places.ndim != 1 or places.shape != levels.shape or places.size < 2:
        raise ModelError(
            f"road '{name}' needs one height per x, at least two, got {places.size} x and {levels.size} heights"
        )
    if not (np.isfinite(places).all() and np.isfinite(levels).all() and (np.diff(places) > 0.0).all()):
        raise ModelError(f"road '{name}' needs finite heights at increasing x")
    check.choice(kind, ("smooth", "spline"), f"kind of road '{name}'")
    level = ends == "level"
    if kind == "smooth":
        return pack(level_spline(places, levels, level))
    return pack(spline(places, levels, end="clamped" if level else "natural"))


def _line_height(data: tuple[float, ...], x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.asarray(evaluate(unpack(data), x)[0, 0])


def _tracks_height(data: tuple[float, ...], x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """From one line to the other by 3 t^2 - 2 t^3."""
    t = np.clip((y - data[0]) / (data[1] - data[0]), 0.0, 1.0)
    one, two = _line_height(data[3:], x, y), _line_height(data[3 + int(data[2]) :], x, y)
    return np.asarray(one + t * t * (3.0 - 2.0 * t) * (two - one))


def _grid_height(data: tuple[float, ...], x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Catmull-Rom in both directions."""
    nx, ny = int(data[2]), int(data[5])
    table = np.array(data[6:]).reshape(nx + 2, ny + 2)
    p, q = (x - data[0]) / data[1], (y - data[3]) / data[4]
    i, j = np.minimum(p.astype(int), nx - 2), np.minimum(q.astype(int), ny - 2)
    f, g = _weights(p - i), _weights(q - j)
    return np.asarray(sum(f[k] * g[n] * table[i + k, j + n] for k in range(4) for n in range(4)))


def _weights(s: np.ndarray) -> tuple[np.ndarray, ...]:
    """Weights of four points at s between the second and third."""
    return (
        0.5 * s * (s * (2.0 - s) - 1.0),
        0.5 * (s * s * (3.0 * s - 5.0) + 2.0),
        0.5 * s * (s * (4.0 - 3.0 * s) + 1.0),
        0.5 * s * s * (s - 1.0),
    )


HEIGHTS = {
    FLAT_ROAD: lambda data, x, y: np.zeros_like(x),
    LINE_ROAD: _line_height,
    TRACKS_ROAD: _tracks_height,
    GRID_ROAD: _grid_height,
}


def _span(x: ArrayLike) -> tuple[float, float]:
    places = np.asarray(x, float)
    return float(places[0]), float(places[-1])


def _even(values: ArrayLike, axis: str, name: str) -> tuple[float, float, int]:
    """First value, step and number of evenly spaced values."""
    places = np.asarray(values, float)
    steps = np.diff(places) if places.ndim == 1 else np.zeros(0)
    if steps.size < 1 or not np.isfinite(places).all() or not steps.min() > 0.0 or np.ptp(steps) > 1e-9 * steps.max():
        raise ModelError(f"the {axis} of road '{name}' must be evenly spaced and increasing, with at least two values")
    return float(places[0]), float((places[-1] - places[0]) / steps.size), places.size
