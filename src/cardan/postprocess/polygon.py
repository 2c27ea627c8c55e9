r"""Velocity and acceleration polygons of planar mechanisms.

            b                       v_B = v_A + omega x r_AB                          turning
           /|                       v_C = v_C' + v_rel                                sliding along a guide
          / | c
         o------- pole              a_B = a_A - omega^2 r_AB + alpha x r_AB           normal, tangential
                                    a_C = a_C' + 2 omega x v_rel + a_rel              Coriolis, sliding

Every joint and every named point is a corner, at the tip of its velocity or acceleration drawn from the pole o; points
of the ground are the pole itself. If a pin slides on a body, C is the pin and C' the coincident point of the body, with
a different velocity. If two circles roll on each other, their contact points P and P' have the same velocity, and
accelerations that differ along the common normal. Joints that cannot be drawn, such as cams, are listed as missing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.elements.point import Point
from cardan.errors import ModelError
from cardan.model import check
from cardan.postprocess.joint_points import Joined, joined_points, not_joined, require_plane
from cardan.shortcuts import Diagram

if TYPE_CHECKING:
    from cardan.model.body import RigidBody
    from cardan.results.trajectory import Trajectory

SAME_CORNER = 1e-9  # of the model's length: closer points are equal


@dataclass(frozen=True, eq=False)
class Corner:
    """A point of the mechanism and its velocity or acceleration; `bodies` are the names of its bodies."""

    name: str
    bodies: tuple[str, ...]
    point: np.ndarray
    value: np.ndarray


@dataclass(frozen=True, eq=False)
class Side:
    """A component of the difference of two corners: the `vector` from `start`, in the polygon.

    `kind` is "turning" or "sliding" of velocities, "normal", "tangential", "Coriolis" or "sliding" of accelerations;
    `words` is its formula with numbers.
    """

    name: str
    kind: str
    start: np.ndarray
    vector: np.ndarray
    words: str

    @property
    def size(self) -> float:
        return float(np.hypot(*self.vector))


class Polygon(Diagram):
    """`polygon["B"]` is the velocity or acceleration of a point; `turning` has the angular values of all bodies,
    `sides` the components between corners. `gap` is the largest difference between two bodies at a pin, zero if the
    polygon closes. `missing` lists joints that cannot be drawn, by name and kind."""

    def __init__(
        self, quantity: str, instant: Trajectory, corners: list[Corner], sides: list[Side], gap: float
    ) -> None:
        self.quantity, self.model, self.time = quantity, instant.model, float(instant.times[0])
        self.corners, self.sides, self.gap = tuple(corners), tuple(sides), gap
        turning = [body for body in instant.system.bodies if body.has_orientation]
        self.turning = {body.name: float(instant[body].turning(quantity)[0]) for body in turning}
        self.missing = tuple((element.name, type(element).__name__) for element in not_joined(instant))
        self.snapshot: Any = instant.at(self.time)

    @property
    def unit(self) -> str:
        return "m/s" if self.quantity == "velocity" else "m/s2"

    def __getitem__(self, name: str) -> np.ndarray:
        for corner in self.corners:
            if corner.name == name:
                return corner.value
        names = ", ".join(corner.name for corner in self.corners)
        raise ModelError(f"the polygon of '{self.model.name}' has no corner {check.short_repr(name)}; it has {names}")

    def parts(self, kind: str) -> tuple[Side, ...]:
        """All sides of a kind, for example "Coriolis"."""
        return tuple(side for side in self.sides if side.kind == kind)

    def __repr__(self) -> str:
        lines = [f"{self.quantity} polygon of '{self.model.name}' at t = {self.time:g} s, in {self.unit}"]
        for corner in self.corners:
            size = np.hypot(*corner.value)
            lines.append(f"  {corner.name:<14} {size:12.6g}   ({corner.value[0]:.6g}, {corner.value[1]:.6g})")
        for side in self.sides:
            lines.append(f"  {side.name:<14} {side.size:12.6g}   {side.kind}, {side.words}")
        lines += [f"  '{name}' ({kind}) is not drawn" for name, kind in self.missing]
        return "\n".join(lines)


def velocity_polygon(instant: Trajectory) -> Polygon:
    """The velocity polygon of a result with one output time."""
    require_plane(instant, "velocity polygons")
    return _Drawing(instant, "velocity").polygon()


def acceleration_polygon(instant: Trajectory) -> Polygon:
    """The acceleration polygon of a result with one output time."""
    require_plane(instant, "acceleration polygons")
    return _Drawing(instant, "acceleration").polygon()


class _Drawing:
    """A polygon under construction."""

    def __init__(self, instant: Trajectory, quantity: str) -> None:
        self.instant, self.quantity = instant, quantity
        self.joints = joined_points(instant)
        self.corners: list[Corner] = []
        self.sides: list[Side] = []
        self.gap = 0.0
        self.names = {body.name: body for body in (instant.model.ground, *instant.system.bodies)}

    def polygon(self) -> Polygon:
        for kind in ("pin", "weld", "roll", "slider", "slot", "rod"):
            for joint in self.joints:
                if joint.kind == kind:
                    self._place(joint)
            if kind == "pin":
                self._named_points()
        for body in self._outward():
            self._turn(body)
        for joint in self.joints:
            if joint.kind in ("slider", "slot"):
                self._slide(joint)
            elif joint.kind == "roll" and self.quantity == "acceleration":
                self._roll(joint)
            elif joint.kind == "rod" and joint.other is not None:
                start, end = self._corner(joint.bodies[0], joint.point), self._corner(joint.bodies[1], joint.other)
                self._between(joint.name, start, end, *self._rod(joint, joint.other))
        shown = [corner for corner in self.corners if self.instant.model.ground.name not in corner.bodies]
        return Polygon(self.quantity, self.instant, shown, self.sides, self.gap)

    def _place(self, joint: Joined) -> None:
        """The corners of a joint: one for a pin, two for all others."""
        a, b = joint.bodies
        if joint.kind in ("pin", "weld") or (joint.kind == "roll" and self.quantity == "velocity"):
            self._add(joint.name, joint.point, a, b)
        elif joint.kind == "rod" and joint.other is not None:
            self._add(f"{joint.name} ({a.name})", joint.point, a)
            self._add(f"{joint.name} ({b.name})", joint.other, b)
        else:
            self._add(joint.name, joint.point, b)
            self._add(f"{joint.name}'", joint.point, a)

    def _named_points(self) -> None:
        for element in self.instant.model:
            if isinstance(element, Point):
                self._add(element.name, self.instant[element].position[0], element.marker.body)

    def _add(self, name: str, point: np.ndarray, *bodies: Any) -> None:
        """Add a corner; if one of the bodies has a corner at this point, the bodies share it."""
        values = [self._value(body, point) for body in bodies]
        self.gap = max([self.gap, *(float(np.hypot(*(value - values[0]))) for value in values)])
        for k, corner in enumerate(self.corners):
            if self._same(corner.point, point) and any(body.name in corner.bodies for body in bodies):
                joined = (*corner.bodies, *(body.name for body in bodies if body.name not in corner.bodies))
                self.corners[k] = Corner(corner.name, joined, corner.point, corner.value)
                return
        self.corners.append(Corner(name, tuple(body.name for body in bodies), point, values[0]))

    def _value(self, body: RigidBody, point: np.ndarray) -> np.ndarray:
        """The velocity or acceleration of the point of a body that is at `point`."""
        series = self.instant[body]
        arm, turning = point - series.position[0], float(series.turning("velocity")[0])
        if self.quantity == "velocity":
            return np.asarray(series.velocity[0] + turning * _left(arm))
        alpha = float(series.turning("acceleration")[0])
        return np.asarray(series.acceleration[0] + alpha * _left(arm) - turning**2 * arm)

    def _corner(self, body: RigidBody, point: np.ndarray) -> Corner:
        return next(c for c in self.corners if body.name in c.bodies and self._same(c.point, point))

    def _same(self, one: np.ndarray, two: np.ndarray) -> bool:
        return float(np.hypot(*(one - two))) <= SAME_CORNER * self.instant.system.length

    def _outward(self) -> list[tuple[Any, Corner]]:
        """Moving bodies, each with the corner from which it is drawn: the one closest to the ground by joints."""
        reached: list[str] = [self.instant.model.ground.name]
        order: dict[str, Corner] = {}
        while True:
            new = [(name, corner) for corner in self.corners for name in corner.bodies if name not in reached]
            if not new:
                return [(self.names[name], corner) for name, corner in order.items()]
            pinned = [(name, corner) for name, corner in new if any(body in reached for body in corner.bodies)]
            sliding = [(name, corner) for name, corner in new if self._passes(corner, reached)]
            layer = pinned or sliding or new[:1]
            for name, corner in layer:
                order.setdefault(name, corner)
            reached += dict.fromkeys(name for name, _ in layer)

    def _passes(self, corner: Corner, reached: list[str]) -> bool:
        """Whether a body already reached has a corner at the same point: they slide on each other."""
        return any(self._same(corner.point, other.point) and set(other.bodies) & set(reached) for other in self.corners)

    def _turn(self, drawn: tuple[Any, Corner]) -> None:
        """The sides from the first corner of a body to its others."""
        body, first = drawn
        series = self.instant[body]
        turning = float(series.turning("velocity")[0]), float(series.turning("acceleration")[0])
        for corner in self.corners:
            if body.name in corner.bodies and corner is not first:
                self._between(body.name, first, corner, *turning)

    def _between(self, owner: str, start: Corner, end: Corner, omega: float, alpha: float) -> None:
        """v_B - v_A = omega x r, a_B - a_A = -omega^2 r + alpha x r."""
        arm, name = end.point - start.point, f"{end.name}/{start.name}"
        if self.quantity == "velocity":
            words = f"omega of {owner} {omega:.6g} rad/s x {np.hypot(*arm):.6g} m"
            self.sides.append(Side(name, "turning", start.value, omega * _left(arm), words))
            return
        words = f"omega^2 of {owner} ({omega:.6g} rad/s)^2 x {np.hypot(*arm):.6g} m"
        self.sides.append(Side(name, "normal", start.value, -(omega**2) * arm, words))
        words = f"alpha of {owner} {alpha:.6g} rad/s2 x {np.hypot(*arm):.6g} m"
        self.sides.append(Side(name, "tangential", start.value - omega**2 * arm, alpha * _left(arm), words))

    def _slide(self, joint: Joined) -> None:
        """v_C - v_C' = v_rel, a_C - a_C' = 2 omega x v_rel + a_rel; omega is that of the body with the guide."""
        carrier, rider = joint.bodies
        start, end = self._corner(carrier, joint.point), self._corner(rider, joint.point)
        name = f"{end.name}/{start.name}"
        omega = float(self.instant[carrier].turning("velocity")[0])
        if self.quantity == "velocity":
            words = f"along the guide of {joint.name} on {carrier.name}"
            self.sides.append(Side(name, "sliding", start.value, end.value - start.value, words))
            return
        velocities = _Drawing(self.instant, "velocity")
        relative = velocities._value(rider, joint.point) - velocities._value(carrier, joint.point)
        coriolis = 2.0 * omega * _left(relative)
        words = f"2 omega v: 2 x {omega:.6g} rad/s of {carrier.name} x {np.hypot(*relative):.6g} m/s"
        if omega != 0.0:
            self.sides.append(Side(name, "Coriolis", start.value, coriolis, words))
        words = f"along the guide of {joint.name} on {carrier.name}"
        self.sides.append(Side(name, "sliding", start.value + coriolis, end.value - start.value - coriolis, words))

    def _roll(self, joint: Joined) -> None:
        """a_P - a_P', along the common normal."""
        carrier, rider = joint.bodies
        start, end = self._corner(carrier, joint.point), self._corner(rider, joint.point)
        words = f"normal to the tangent of {joint.name}, {rider.name} rolling on {carrier.name}"
        self.sides.append(Side(f"{end.name}/{start.name}", "normal", start.value, end.value - start.value, words))

    def _rod(self, joint: Joined, other: np.ndarray) -> tuple[float, float]:
        """omega and alpha of a massless rod, from its ends."""
        arm, (a, b) = other - joint.point, joint.bodies
        found = []
        for quantity in ("velocity", "acceleration"):
            drawing = _Drawing(self.instant, quantity)
            across = drawing._value(b, other) - drawing._value(a, joint.point)
            found.append(float(across @ _left(arm) / (arm @ arm)))
        return found[0], found[1]


def _left(vector: np.ndarray) -> np.ndarray:
    """k x vector."""
    return np.array([-vector[1], vector[0]])
