r"""The motion of a vehicle: attitude, path, side slip, and the loads of its tires.

R = Rz(yaw) Ry(pitch) Rx(roll)         rotates the axes of the road to those of the body: forward, left, up (ISO 8855)

          ^ left      side slip: from forward to the velocity, in the plane of the road, positive to the left
          |    v
       .--+---/-.     lateral acceleration: to the left of the body, in the plane of the road
       |  o--'---> forward
       '--------'     roll > 0 leans right, pitch > 0 lowers the nose, yaw > 0 turns left

What the motion of a body over a road has in common for vehicles on any road and for maneuvers in both spaces.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cardan.deprecation import renamed_arguments
from cardan.elements.tires.book_tire import BookTire
from cardan.elements.tires.tire import Tire
from cardan.errors import ModelError
from cardan.model import check
from cardan.model.body import RigidBody
from cardan.results.trajectory import Trajectory
from cardan.shortcuts import one_page

Curve = NDArray[np.float64]


class LevelMotion:
    """The motion of a point of a body in the plane of a road; `_ahead` and `_across` are directions in that plane.

    Classes that derive from it have `yaw`, the direction of the body in that plane.
    """

    run: Trajectory
    _point: Any  # its series
    _ahead: NDArray[np.float64]
    _across: NDArray[np.float64]

    @property
    def times(self) -> Curve:
        return self.run.times

    @property
    def yaw(self) -> Curve:
        """rad, full turns counted."""
        raise NotImplementedError

    @property
    def path(self) -> NDArray[np.float64]:
        """x and y in the plane of the road, shape (output times, 2)."""
        return np.column_stack(self._components(self._point.position))

    @property
    def speed(self) -> Curve:
        """In the plane of the road, m/s."""
        return np.hypot(*self._level(self._point.velocity))

    @property
    def side_slip(self) -> Curve:
        """rad, from forward to the velocity, positive to the left."""
        ahead, left = self._level(self._point.velocity)
        return np.arctan2(left, ahead)

    @property
    def lateral_acceleration(self) -> Curve:
        """To the left of the body, in the plane of the road, m/s2."""
        return self._level(self._point.acceleration)[1]

    @property
    def forward_acceleration(self) -> Curve:
        """Forward, in the plane of the road, m/s2."""
        return self._level(self._point.acceleration)[0]

    def _components(self, vectors: Any) -> tuple[Curve, Curve]:
        """Components of global vectors in the plane of the road."""
        found = np.asarray(vectors, float)
        return found @ self._ahead, found @ self._across

    def _level(self, vectors: Any) -> tuple[Curve, Curve]:
        """Forward and left components of global vectors, in the plane of the road."""
        along, across = self._components(vectors)
        c, s = np.cos(self.yaw), np.sin(self.yaw)
        return c * along + s * across, c * across - s * along


if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike


class TireMotion:
    """One tire along a run: `.load .slip .slip_angle .forward .side .torque`, forces on the wheel along its course."""

    def __init__(self, run: Trajectory, tire: Tire | BookTire) -> None:
        self._run, self.tire = run, tire

    @property
    def load(self) -> Curve:
        """Vertical load, N."""
        return self._read("Fz")

    @property
    def forward(self) -> Curve:
        """Force along the course, N."""
        return self._read("Fx")

    @property
    def side(self) -> Curve:
        """Force to the left of the course, N."""
        return self._read("Fy")

    @property
    def torque(self) -> Curve:
        """Aligning torque about the road's normal, N m."""
        return self._read("Mz")

    @property
    def slip(self) -> Curve:
        """Slip along the course: -1 is a locked wheel."""
        return self._read("kappa")

    @property
    def slip_angle(self) -> Curve:
        """Slip angle, rad, positive where the side force is."""
        return self._read("alpha")

    def _read(self, name: str) -> Curve:
        device = self.tire.device
        if name not in device.outputs:  # the book's tire has neither slip nor torque
            return np.zeros(self._run.times.size)
        found: Curve = self._run[device][name]
        return found


@renamed_arguments(tyres="tires")
class VehicleMotion(LevelMotion):
    """The motion of a vehicle in a computed run.

    `chassis` is the body, or its name; `forward` and `up` are body-fixed directions, `road_up` is global. `tires`
    default to all tires of the model. Positions and accelerations are those of the point `at` of the chassis.

    >>> from cardan import VehicleMotion, simulate
    >>> from cardan.examples import load
    >>> run = simulate(load("vehicle").build(steer=0.0), 0.2, output=0.1, rtol=1e-6)
    >>> car = VehicleMotion(run, "chassis")
    >>> car.speed.round(1).tolist(), [round(t.load[0]) for t in car.tires.values()]
    ([25.0, 25.0, 25.0], [3881, 3881, 3374, 3374])
    """

    def __init__(
        self,
        run: Trajectory,
        chassis: RigidBody | str,
        tires: Sequence[Tire | BookTire] | None = None,
        *,
        forward: ArrayLike = (1.0, 0.0, 0.0),
        up: ArrayLike = (0.0, 0.0, 1.0),
        road_up: ArrayLike = (0.0, 0.0, 1.0),
        at: Any = (0.0, 0.0, 0.0),
    ) -> None:
        check.instance(run, Trajectory, "the run of a VehicleMotion", hint="simulate() returns one")
        self.run = run
        body = run.model[chassis] if isinstance(chassis, str) else chassis
        self.chassis: RigidBody = check.instance(body, RigidBody, "the chassis of a VehicleMotion")
        self._body = _axes(forward, up, "forward and up of a VehicleMotion")
        self._road = _road_axes(check.vector(road_up, 3, "road_up of a VehicleMotion"))
        self._ahead, self._across = self._road[:, 0], self._road[:, 1]
        self._point = run[self.chassis.at(*check.vector(at, 3, "the point of a VehicleMotion"))]
        found = tuple(e for e in run.model if isinstance(e, Tire | BookTire)) if tires is None else tires
        for tire in found:
            check.instance(tire, (Tire, BookTire), "a tire of a VehicleMotion")
        self.tires: Mapping[str, TireMotion] = {tire.name: TireMotion(run, tire) for tire in found}

    @cached_property
    def _turned(self) -> NDArray[np.float64]:
        """Forward, left and up of the body, as columns, in the axes of the road."""
        turned: NDArray[np.float64] = np.einsum("ji,tjk,kl->til", self._road, self.run[self.chassis].matrix, self._body)
        return turned

    @property
    def yaw(self) -> Curve:
        """rad, with all turns counted."""
        return np.unwrap(np.arctan2(self._turned[:, 1, 0], self._turned[:, 0, 0]))

    @property
    def pitch(self) -> Curve:
        return -np.arcsin(np.clip(self._turned[:, 2, 0], -1.0, 1.0))

    @property
    def roll(self) -> Curve:
        return np.arctan2(self._turned[:, 2, 1], self._turned[:, 2, 2])

    @property
    def yaw_rate(self) -> Curve:
        """rad/s about the road's normal."""
        rate: Curve = self.run[self.chassis].angular_velocity @ self._road[:, 2]
        return rate

    def table(self) -> dict[str, Curve]:
        """All quantities as named columns, time first: "roll", ..., "front left tire.load", ..."""
        words = (
            "speed",
            "yaw",
            "pitch",
            "roll",
            "yaw_rate",
            "side_slip",
            "forward_acceleration",
            "lateral_acceleration",
        )
        columns = {"time": self.times, "x": self.path[:, 0], "y": self.path[:, 1]}
        columns |= {word: getattr(self, word) for word in words}
        for name, tire in self.tires.items():
            for word in ("load", "slip", "slip_angle", "forward", "side", "torque"):
                columns[f"{name}.{word}"] = getattr(tire, word)
        return columns

    def plot(self) -> Figure:
        """A figure of path, attitude, side slip, acceleration, loads and slip angles."""
        return one_page(self)

    def __repr__(self) -> str:
        if not len(self.run):
            return f"<'{self.chassis.name}' in '{self.run.model.name}': empty>"
        roll, side = np.degrees(np.abs(self.roll).max()), np.abs(self.lateral_acceleration).max()
        return (
            f"<'{self.chassis.name}' in '{self.run.model.name}': {self.times[-1] - self.times[0]:g} s from "
            f"{self.speed[0]:.3g} to {self.speed[-1]:.3g} m/s, roll up to {roll:.2g} deg, lateral acceleration up to "
            f"{side:.3g} m/s2, {len(self.tires)} tires>"
        )


def _axes(forward: Any, up: Any, what: str) -> NDArray[np.float64]:
    """Forward, left and up as columns; up is made perpendicular to forward."""
    first, third = (np.array(check.vector(v, 3, what)) for v in (forward, up))
    left = np.cross(third, first)
    if np.linalg.norm(left) < 1e-9 * np.linalg.norm(first) * np.linalg.norm(third) or not left.any():
        raise ModelError(f"{what} must be two directions, not parallel, got {forward} and {up}")
    first, left = first / np.linalg.norm(first), left / np.linalg.norm(left)
    return np.column_stack([first, left, np.cross(first, left)])


def _road_axes(up: ArrayLike) -> NDArray[np.float64]:
    """The axes of the road as columns: its x axis is the global x axis, or the global y axis if x points up."""
    normal = np.array(up)
    ahead = np.eye(3)[0 if abs(normal[0]) < 0.9 * np.linalg.norm(normal) else 1]
    left = np.cross(normal, ahead)
    return _axes(np.cross(left, normal), normal, "road_up of a VehicleMotion")
