r"""The mechanisms of the dynamics benchmarks, as plain data: what Cardan and its rivals are given is the same.

    n_four_bar    o--o--o       pendulum  o---*      planar_chain   o--o--o-- ...      bricard   six hinges, each square
                  |  |  |                                           falls from rest              to the one before
                  ^  ^  ^       double_pendulum,     spatial_chain  hinges at +-45     governor  spins, stiff dampers
                                slider_crank         degrees to the vertical

Places, directions and velocities are global and those of the start, in m, kg, s. A planar mechanism has two entries in
a point, an angle as orientation and a number as spin; a spatial one three, a matrix whose columns are the body's axes,
and a vector. `reference.py` knows where the tips are at the end.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

G = 9.81  # m/s2
Point = tuple[float, ...]
GROUND = "ground"


@dataclass(frozen=True)
class Rigid:
    """A body; `inertia` is about the mass centre, which is its origin, in space along its own axes."""

    name: str
    mass: float
    inertia: Any
    position: Point
    orientation: Any
    velocity: Point
    spin: Any


@dataclass(frozen=True)
class Joint:
    """A revolute about `axis` or a slide along it, through `point`; in the plane a revolute needs no axis."""

    kind: str  # "revolute" or "slide"
    a: str
    b: str
    point: Point
    axis: Point = ()


@dataclass(frozen=True)
class SpringDamper:
    a: str
    b: str
    point_a: Point
    point_b: Point
    stiffness: float
    damping: float
    rest_length: float


@dataclass(frozen=True)
class Problem:
    """A mechanism, how long it runs, and the point whose place at the end is compared."""

    name: str
    until: float  # s
    gravity: Point
    bodies: tuple[Rigid, ...]
    joints: tuple[Joint, ...]
    tip: tuple[str, Point]  # a body and a point of it
    springs: tuple[SpringDamper, ...] = ()

    @property
    def planar(self) -> bool:
        return len(self.gravity) == 2


def n_four_bar(n: int, until: float = 10.0) -> Problem:
    """n four-bars of equal thin bars, 1 m and 1 kg, upright, the couplers moving at 1 m/s to the right.

    All bars fall in line again and again; there the freedom jumps from 1 to n + 1 (MBS benchmark A02 for n = 40).
    """
    bars = [_bar(f"bar {i}", (i, 0.0), (i, 1.0), spin=-1.0) for i in range(n + 1)]
    couplers = [_bar(f"coupler {i}", (i, 1.0), (i + 1, 1.0), velocity=(1.0, 0.0)) for i in range(n)]
    joints = [Joint("revolute", GROUND, f"bar {i}", (float(i), 0.0)) for i in range(n + 1)]
    for i in range(n):
        joints.append(Joint("revolute", f"bar {i}", f"coupler {i}", (float(i), 1.0)))
        joints.append(Joint("revolute", f"coupler {i}", f"bar {i + 1}", (i + 1.0, 1.0)))
    # Bodies in the order in which they stand, so that every solver finds a narrow band.
    order = [body for pair in zip(bars, couplers, strict=False) for body in pair] + [bars[-1]]
    return Problem(f"{n}-four-bar", until, (0.0, -G), tuple(order), tuple(joints), ("bar 0", (0.0, 1.0)))


def pendulum() -> Problem:
    """A point mass on a weightless rod of 1 m, let go at the horizontal."""
    mass = Rigid("mass", 1.0, 0.0, (1.0, 0.0), 0.0, (0.0, 0.0), 0.0)
    return Problem(
        "pendulum", 10.0, (0.0, -G), (mass,), (Joint("revolute", GROUND, "mass", (0.0, 0.0)),), ("mass", (1.0, 0.0))
    )


def double_pendulum() -> Problem:
    """Two thin bars of 1 m and 1 kg, let go at the horizontal. Errors grow a thousandfold in 5 s."""
    return replace(planar_chain(2), name="double pendulum", until=5.0)


def slider_crank_light_rod() -> Problem:
    """A crank of 0.3 m at 45 degrees and 5 rad/s, a rod of 1 m and 0.1 g, a slider of 1 kg; crank 1 kg."""
    crank, rod, theta, speed = 0.3, 1.0, math.pi / 4, 5.0
    phi = -math.asin(crank / rod * math.sin(theta))
    phi_rate = -crank * math.cos(theta) * speed / (rod * math.cos(phi))
    pin = crank * math.cos(theta), crank * math.sin(theta)
    end = pin[0] + rod * math.cos(phi)
    fast = -crank * math.sin(theta) * speed - rod * math.sin(phi) * phi_rate
    slider = Rigid("slider", 1.0, 0.01, (end, 0.0), 0.0, (fast, 0.0), 0.0)
    moving = -pin[1] * speed, pin[0] * speed
    bodies = (
        _bar("crank", (0.0, 0.0), pin, spin=speed),
        _bar("rod", pin, (end, 0.0), velocity=moving, spin=phi_rate, mass=1e-4),
        slider,
    )
    joints = (
        Joint("revolute", GROUND, "crank", (0.0, 0.0)),
        Joint("revolute", "crank", "rod", pin),
        Joint("revolute", "rod", "slider", (end, 0.0)),
        Joint("slide", GROUND, "slider", (end, 0.0), (1.0, 0.0)),
    )
    return Problem("light-rod slider-crank", 5.0, (0.0, -G), bodies, joints, ("crank", pin))


def planar_chain(n: int, until: float = 0.2) -> Problem:
    """n thin bars of 1 m and 1 kg, in a horizontal row, let go at rest."""
    bodies = tuple(_bar(f"bar {i}", (i, 0.0), (i + 1, 0.0)) for i in range(n))
    joints = tuple(Joint("revolute", f"bar {i - 1}" if i else GROUND, f"bar {i}", (float(i), 0.0)) for i in range(n))
    return Problem(f"planar chain of {n}", until, (0.0, -G), bodies, joints, (f"bar {n - 1}", (float(n), 0.0)))


def spatial_chain(n: int, until: float = 0.2) -> Problem:
    """n square rods of 1 m, 0.1 m and 1 kg in a horizontal row, let go at rest.

    The hinges stand square to the row, by turns 45 degrees to either side of the vertical: none of them may rest.
    """
    bodies = tuple(_rod(f"rod {i}", (i, 0.0, 0.0), (i + 1.0, 0.0, 0.0)) for i in range(n))
    axes = (0.0, math.sqrt(0.5), math.sqrt(0.5)), (0.0, math.sqrt(0.5), -math.sqrt(0.5))
    joints = tuple(
        Joint("revolute", f"rod {i - 1}" if i else GROUND, f"rod {i}", (float(i), 0.0, 0.0), axes[i % 2])
        for i in range(n)
    )
    tip = (f"rod {n - 1}", (float(n), 0.0, 0.0))
    return Problem(f"spatial chain of {n}", until, (0.0, 0.0, -G), bodies, joints, tip)


def bricard() -> Problem:
    """Bricard's linkage (MBS benchmark A04): five square rods of 1 m, 0.1 m and 1 kg, six hinges, let go at rest."""
    corners = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (1.0, -1.0, 0.0), (1.0, -1.0, 1.0), (0.0, -1.0, 1.0), (0.0, 0.0, 1.0)]
    x, y, z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
    bodies = tuple(_rod(f"rod {i + 1}", corners[i], corners[i + 1]) for i in range(5))
    names = [GROUND, *(body.name for body in bodies), GROUND]
    joints = tuple(
        Joint("revolute", names[i], names[i + 1], corners[i], axis) for i, axis in enumerate((y, z, x, y, z, x))
    )
    return Problem("Bricard", 10.0, (0.0, -G, 0.0), bodies, joints, ("rod 3", corners[3]))


def governor() -> Problem:
    """The stiff flyball governor (MBS benchmark A05), spinning at one turn per second; eigenvalues to -8000 1/s."""
    density, arm, half, sunk, s, spin = 3000.0, 0.05, 0.5, math.radians(30.0), 0.5, (0.0, 0.0, 2.0 * math.pi)
    shaft = _box("shaft", density, (0.01, 0.01, 1.0), (0.0, 0.0, 0.5), np.eye(3), spin)
    slider = _box("slider", density, (0.1, 0.1, 0.1), (0.0, 0.0, s), np.eye(3), spin)
    bodies, joints, springs = [shaft, slider], [], []
    joints.append(Joint("revolute", GROUND, "shaft", (0.0, 0.0, 0.0), (0.0, 0.0, 1.0)))
    joints.append(Joint("slide", "shaft", "slider", (0.0, 0.0, s), (0.0, 0.0, 1.0)))
    for side, name in ((1.0, "right"), (-1.0, "left")):
        along = np.array([side * math.cos(sunk), 0.0, -math.sin(sunk)])
        pin = np.array([side * arm, 0.0, 1.0])
        across = np.array([0.0, 1.0, 0.0])
        axes = np.column_stack([along, across, np.cross(along, across)])
        middle, end = pin + half * along, pin + 2.0 * half * along
        rod = _box(f"{name} rod", density, (1.0, 0.01, 0.01), middle, axes, spin)
        bodies.append(_with_point(rod, 5.0, end))
        joints.append(Joint("revolute", "shaft", rod.name, _floats(pin), (0.0, 1.0, 0.0)))
        start = (side * arm, 0.0, s)
        springs.append(SpringDamper("slider", rod.name, start, _floats(middle), 8e5, 4e4, 0.5))
    tip = ("slider", (0.0, 0.0, s))
    return Problem("governor", 10.0, (0.0, 0.0, -G), tuple(bodies), tuple(joints), tip, tuple(springs))


def _bar(
    name: str, start: Point, end: Point, velocity: Point = (0.0, 0.0), spin: float = 0.0, mass: float = 1.0
) -> Rigid:
    """A thin bar of the plane whose start moves at `velocity`."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    middle = start[0] + dx / 2, start[1] + dy / 2
    moving = velocity[0] - spin * dy / 2, velocity[1] + spin * dx / 2
    return Rigid(name, mass, mass * (dx * dx + dy * dy) / 12, middle, math.atan2(dy, dx), moving, spin)


def _rod(name: str, start: Point, end: Point) -> Rigid:
    """A rod of 1 m, square 0.1 m, 1 kg at rest; its x axis runs along it."""
    along = np.subtract(end, start)
    across = np.roll(along, 1)  # the rods lie along the axes of space
    axes = np.column_stack([along, across, np.cross(along, across)])
    return _box(name, 100.0, (1.0, 0.1, 0.1), np.add(start, end) / 2, axes, (0.0, 0.0, 0.0))


def _box(name: str, density: float, edges: Point, middle: Any, axes: np.ndarray, spin: Point) -> Rigid:
    """A homogeneous box turning with everything else about the z axis through the origin."""
    a, b, c = edges
    mass = density * a * b * c
    inertia = tuple(mass / 12 * square for square in (b * b + c * c, a * a + c * c, a * a + b * b))
    return Rigid(name, mass, inertia, _floats(middle), _rows(axes), _floats(np.cross(spin, middle)), spin)


def _with_point(rod: Rigid, mass: float, place: np.ndarray) -> Rigid:
    """The rod with a point mass on its own x axis: mass centre and inertia of both."""
    whole = rod.mass + mass
    middle = (rod.mass * np.array(rod.position) + mass * place) / whole
    squared = rod.mass * mass / whole * float(np.sum((place - rod.position) ** 2))
    inertia = rod.inertia[0], rod.inertia[1] + squared, rod.inertia[2] + squared
    velocity = _floats(np.cross(rod.spin, middle))
    return Rigid(rod.name, whole, inertia, _floats(middle), rod.orientation, velocity, rod.spin)


def _floats(values: Any) -> Point:
    return tuple(float(value) for value in values)


def _rows(matrix: np.ndarray) -> tuple[Point, ...]:
    return tuple(_floats(row) for row in matrix)
