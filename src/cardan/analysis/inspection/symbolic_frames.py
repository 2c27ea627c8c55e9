"""Frames of bodies as SymPy expressions: of Cartesian coordinates, or of the joint coordinates of a spanning tree.

Measures are expressions of the frames of their markers:

| | |
|---|---|
| coordinate | component of r_b, or of r_b - r_a, along a global axis |
| component  | along an axis of a                                       |
| length     | sqrt(d . d)                                              |
| dot        | of two axes                                              |
| angle, bearing | atan2, on the turn of the principal value            |
| tilt       | asin of a dot product                                    |
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from cardan.errors import ModelError
from cardan.model.marker import Marker
from cardan.model.measure import Measure
from cardan.system.system import System
from cardan.system.tree.recursion.kernels import BALL, FREE, SLIDE
from cardan.system.tree.spanning import Spanning

FRAME_ROUNDING = 1e-13  # rounding in constants of frames: such numbers are zero, or a fraction
DENOMINATOR = 10_000  # of the fractions that take the place of decimal numbers

Frame = tuple[Any, Any]  # axes as columns, and origin


class Frames(NamedTuple):
    """Coordinates q, speeds v with q' = E v, the frame of each body, and the names of the speeds."""

    q: tuple[Any, ...]
    v: tuple[Any, ...]
    E: Any
    bodies: list[Frame]  # the ground first
    names: tuple[str, ...]


def number(value: float) -> Any:
    """A number as an integer or a fraction if it is one, else as a decimal number."""
    import sympy as sp

    near = Fraction(float(value)).limit_denominator(DENOMINATOR)
    if abs(float(near) - value) <= FRAME_ROUNDING * max(1.0, abs(value)):
        return sp.Rational(near.numerator, near.denominator)
    return sp.Float(value, 17)


def matrix(values: np.ndarray) -> Any:
    """An array of numbers as a matrix."""
    import sympy as sp

    table = np.asarray(values, float)
    return sp.Matrix(table.shape[0], table.size // table.shape[0], [number(value) for value in table.ravel()])


def cartesian_frames(system: System) -> Frames:
    """Positions of origins, and angles or Euler parameters, of all bodies."""
    import sympy as sp

    q: list[Any] = []
    v: list[Any] = []
    frames: list[Frame] = [_fixed(system, 0)]
    blocks = []
    for body in system.bodies:
        name = plain(body.name)
        if system.space.dimensions == 2:
            x, y, angle = own = sp.symbols(f"x_{name} y_{name} phi_{name}", real=True)
            frames.append((_about_z(angle), sp.Matrix([x, y, 0])))
            v += sp.symbols(f"vx_{name} vy_{name} w_{name}", real=True)
            blocks.append(sp.eye(3))
        else:
            own = sp.symbols(" ".join(f"{k}_{name}" for k in ("x", "y", "z", "e0", "e1", "e2", "e3")), real=True)
            frames.append((euler_matrix(own[3:]), sp.Matrix(own[:3])))
            v += sp.symbols(" ".join(f"{k}_{name}" for k in ("vx", "vy", "vz", "wx", "wy", "wz")), real=True)
            blocks.append(sp.diag(sp.eye(3), euler_rates(own[3:])))
        q += own
    names = tuple(system.coordinate_name(k) for k in range(system.coordinates))
    return Frames(tuple(q), tuple(v), sp.diag(*blocks), frames, names)


def tree_frames(system: System, spanning: Spanning) -> Frames:
    """The joint coordinates of a spanning tree."""
    import sympy as sp

    q = [sp.Symbol(f"q_{plain(name)}", real=True) for name in spanning.coordinates]
    v = tuple(sp.Symbol(f"v_{plain(name)}", real=True) for name in spanning.speeds)
    nodes: list[Frame] = []
    blocks, place = [], 0
    for node in spanning.nodes:
        start = (sp.eye(3), sp.zeros(3, 1)) if node.parent < 0 else nodes[node.parent]
        here = composed(start, (matrix(node.rotation.T), matrix(node.point)))
        size = {BALL: 4, FREE: 7}.get(node.kind, 1)
        own = q[place : place + size]
        place += size
        if node.kind in (BALL, FREE):
            turned = (euler_matrix(own[-4:]), sp.Matrix(own[:3]) if node.kind == FREE else sp.zeros(3, 1))
            rates = euler_rates(own[-4:])
            blocks.append(sp.diag(sp.eye(3), rates) if node.kind == FREE else rates)
        else:
            way = number(node.sign) * own[0]
            turn, travel = (0, way) if node.kind == SLIDE else (way, number(node.lead) * way)
            turned = (_about_z(turn), sp.Matrix([0, 0, travel]))
            blocks.append(sp.eye(1))
        axes, origin = composed(here, turned)
        nodes.append((axes.applyfunc(sp.trigsimp) if system.space.dimensions == 2 else axes, origin))  # sums of angles
    frames: list[Frame] = []
    for k in range(1 + len(system.bodies)):
        seat = spanning.seats[k]
        base = (sp.eye(3), sp.zeros(3, 1)) if seat.node < 0 else nodes[seat.node]
        frames.append(composed(base, (matrix(seat.axes), matrix(seat.origin))))
    return Frames(tuple(q), v, sp.diag(*blocks), frames, spanning.speeds)


def composed(first: Frame, second: Frame) -> Frame:
    """The second frame, stated in the first."""
    return first[0] * second[0], first[1] + first[0] * second[1]


def plain(name: str) -> str:
    """A name as part of a symbol."""
    return "".join(c if c.isalnum() else "_" for c in name)


def euler_matrix(e: Any) -> Any:
    """A(e), the rotation matrix of Euler parameters (Haug 9.3.2)."""
    import sympy as sp

    e0, e1, e2, e3 = e
    half = sp.Rational(1, 2)
    return 2 * sp.Matrix(
        [
            [e0**2 + e1**2 - half, e1 * e2 - e0 * e3, e1 * e3 + e0 * e2],
            [e1 * e2 + e0 * e3, e0**2 + e2**2 - half, e2 * e3 - e0 * e1],
            [e1 * e3 - e0 * e2, e2 * e3 + e0 * e1, e0**2 + e3**2 - half],
        ]
    )


def euler_rates(e: Any) -> Any:
    """G^T / 2: e' = G^T omega' / 2 with the angular velocity in body axes (Haug 9.3.34)."""
    import sympy as sp

    e0, e1, e2, e3 = e
    return sp.Rational(1, 2) * sp.Matrix([[-e1, -e2, -e3], [e0, -e3, e2], [e3, e0, -e1], [-e2, e1, e0]])


def _about_z(angle: Any) -> Any:
    import sympy as sp

    c, s = sp.cos(angle), sp.sin(angle)
    return sp.Matrix([[c, -s, 0], [s, c, 0], [0, 0, 1]])


def _fixed(system: System, k: int) -> Frame:
    """The stated frame of a body."""
    stored = system.space.stored
    axes, origin = system.space.in_space(system.start[stored * k : stored * (k + 1)])
    return matrix(axes), matrix(origin)


KINDS = ("coordinate", "component", "length", "dot", "angle", "bearing", "tilt")


class MeasureExpressions:
    """Values of measures for given frames of bodies."""

    def __init__(self, system: System, frames: list[Frame]) -> None:
        self.system, self.frames = system, frames
        self.known: dict[int, Frame] = {}

    def combination(self, terms: tuple[tuple[float, Measure], ...], owner: str) -> Any:
        """Sum of c z."""
        import sympy as sp

        return sum((number(c) * self.value(measure, owner) for c, measure in terms), sp.Integer(0))

    def value(self, measure: Measure, owner: str) -> Any:
        """z; `owner` is what needs it, for messages."""
        import sympy as sp

        if measure.kind not in KINDS or not all(type(marker).__name__ == "Marker" for marker in measure.markers()):
            raise ModelError(
                f"{owner} uses {measure}, which symbolic_equations() does not support; it supports {', '.join(KINDS)} "
                "of markers on rigid bodies"
            )
        axes_b, b = self._frame(measure.b)
        if measure.a is None:
            return b["xyz".index(measure.axes)]
        axes_a, a = self._frame(measure.a)
        d = b - a
        if measure.kind == "coordinate":
            return d["xyz".index(measure.axes)]
        if measure.kind == "length":
            return sp.sqrt(sum(c**2 for c in d))
        if measure.kind == "component":
            return axes_a[:, "xyz".index(measure.axes)].dot(d)
        if measure.kind in ("dot", "tilt"):
            first, second = ("xyz".index(axis) for axis in measure.axes)
            product = axes_a[:, first].dot(axes_b[:, second])
            return product if measure.kind == "dot" else sp.asin(product)
        about, zero, of = ("xyz".index(axis) for axis in measure.axes or "zxx")
        quarter = axes_a[:, about].cross(axes_a[:, zero])
        seen = axes_b[:, of] if measure.kind == "angle" else d
        return sp.atan2(quarter.dot(seen), axes_a[:, zero].dot(seen))

    def _frame(self, marker: Marker) -> Frame:
        if id(marker) not in self.known:
            axes, place = self.system.space.marker_in_space(marker)
            body = self.frames[self.system.number[id(marker.body)]]
            self.known[id(marker)] = composed(body, (matrix(axes), matrix(place)))
        return self.known[id(marker)]
