r"""Free-body diagrams: all forces and torques on a body at one time, and their sum.

                 F_B                 weight        m g               at the mass center
              \ |                    inertia      -m a_c             at the mass center, with the torque
       A       \|                                 -(I alpha + omega x I omega)
    --> o=======o B                  joints, drivers, springs, loads, contacts: force at a point, and torque about it
        |   |
    F_A v   v m g                    sum of forces = 0,   sum of torques about the mass center = 0     (d'Alembert)

All vectors are in global axes. Weight and inertia are computed from mass, velocities and accelerations by the equations
of Newton and Euler, independently of the equations that gave the reactions: the residual checks both.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.deprecation import RenamedAttribute
from cardan.elements.constraints.driver import Driver, Hold
from cardan.errors import ModelError
from cardan.model import check
from cardan.model.element import Constraint
from cardan.model.space import inertia_forces
from cardan.postprocess.body_loads import places, strengths_on, upright
from cardan.results.reaction import forces_of, poses_of
from cardan.shortcuts import Diagram

if TYPE_CHECKING:
    from cardan.model.body import RigidBody
    from cardan.model.element import Element
    from cardan.results.snapshot import Snapshot
    from cardan.results.trajectory import Trajectory

BALANCE_ERROR = 1e-8  # of the largest force or torque: rounding and the tolerance of a run
PRINTED_ZERO = 1e-12  # of the largest of its kind: printed as 0
UNITS = ("m", "N", "N m")  # of points, forces and torques
AT_POINT = 1e-9  # of force times length: smaller torques are zero


@dataclass(frozen=True, eq=False)
class BodyLoad:
    """A force at a point and a torque about it on one body, one row for each output time, in global axes.

    `kind` is "weight", "inertia", "joint", "driver", "force" or "foundation".
    """

    name: str
    kind: str
    point: np.ndarray
    force: np.ndarray
    torque: np.ndarray

    def about(self, place: np.ndarray) -> np.ndarray:
        """The torque about another point."""
        return self.torque + moment(self.point - place, self.force)

    def at(self, k: int) -> BodyLoad:
        """The same at one output time."""
        return BodyLoad(self.name, self.kind, self.point[k], self.force[k], self.torque[k])


class FreeBody(Diagram):
    """The loads on one body at one time, by name; printed as a table.

    `force` and `torque` are the sums, the torque about `center`, the mass center. `residual` is their size relative to
    the largest force and torque; `closed` is True if it is zero to rounding. `draw()` draws the diagram.
    """

    def __init__(self, run: Trajectory, body: RigidBody) -> None:
        """`run` is a result with one output time."""
        found = loads_on(run, body)
        self.model, self.body, self.time = run.model, body, float(run.times[0])
        self.loads: tuple[BodyLoad, ...] = tuple(load.at(0) for load in found)
        self.center: np.ndarray = _center(run, body)[0]
        force, torque, residual = _sums(found, self.center[None], run.system.length)
        self.force: np.ndarray = force[0]
        self.torque: float | np.ndarray = float(torque[0]) if torque.ndim == 1 else torque[0]
        self.residual, self._snapshot = float(residual[0]), run.at(self.time)

    acting = RenamedAttribute("loads")

    @property
    def closed(self) -> bool:
        return self.residual <= BALANCE_ERROR

    def __iter__(self) -> Iterator[BodyLoad]:
        return iter(self.loads)

    def __len__(self) -> int:
        return len(self.loads)

    def __getitem__(self, name: str) -> BodyLoad:
        for load in self.loads:
            if load.name == name:
                return load
        names = ", ".join(repr(load.name) for load in self.loads)
        raise ModelError(f"'{self.body.name}' has no load {check.short_repr(name)}; its loads are: {names}")

    def _ipython_key_completions_(self) -> list[str]:
        return [load.name for load in self.loads]

    def table(self) -> list[dict[str, Any]]:
        """Name, kind, point, force and torque as plain numbers, the sums last."""
        lines = [_line(load.name, load.kind, load.point, load.force, load.torque) for load in self]
        return [*lines, _line("sum", "sum", self.center, self.force, self.torque)]

    def rows(self) -> list[tuple[Any, ...]]:
        """Name and numbers of each row of the printed table, in the units in which the model shows results; rounding
        errors are 0, except in the sums."""
        lines = self.table()
        sizes = [max(float(np.abs(line[key]).max()) for line in lines) for key in ("point", "force", "torque")]
        rows = []
        for line in lines:
            least = [0.0 if line["kind"] == "sum" else PRINTED_ZERO * size for size in sizes]
            groups = (np.atleast_1d(line[key]) for key in ("point", "force", "torque"))
            tidy = [np.where(np.abs(group) <= small, 0.0, group) for group, small in zip(groups, least, strict=True)]
            shown = [self.model.display.values(group, unit)[0] for group, unit in zip(tidy, UNITS, strict=True)]
            rows.append((line["name"], *np.concatenate(shown).tolist()))
        return rows

    @property
    def heads(self) -> tuple[str, ...]:
        """The column headings of the table, with units."""
        axes = "xyz"[: len(self.force)]
        turning = ("torque",) if np.ndim(self.torque) == 0 else tuple(f"t{axis}" for axis in axes)
        units = (self.model.display.shown(unit)[1] for unit in UNITS)
        parts = zip((axes, [f"f{axis}" for axis in axes], turning), units, strict=True)
        return tuple(f"{word} [{unit}]" for words, unit in parts for word in words)

    @property
    def snapshot(self) -> Snapshot:
        """The mechanism at this time."""
        return self._snapshot

    def __repr__(self) -> str:
        wide = max([len("sum"), *(len(load.name) for load in self)]) + 2
        lines = [f"free body '{self.body.name}' of '{self.model.name}' at t = {self.time:g} s, global axes"]
        lines.append(" " * wide + "".join(f"{head:>13}" for head in self.heads))
        for name, *numbers in self.rows():
            lines.append(f"{name:<{wide}}" + "".join(f"{number:13.5g}" for number in numbers))
        state = "in balance" if self.closed else "NOT IN BALANCE"
        return "\n".join([*lines, f"{state}: {self.residual:.1e} of the largest force remains"])


def free_body(instant: Trajectory, body: Any) -> FreeBody:
    """The free body of a result with one output time."""
    body = instant.model[body] if isinstance(body, str) else body
    if not isinstance(body, instant.model.body_type) or body not in instant.model:
        raise ModelError(f"a free body must be a body of '{instant.model.name}', got {check.short_repr(body)}")
    forces_of(instant)
    return FreeBody(instant, body)


def loads_on(run: Trajectory, body: RigidBody) -> list[BodyLoad]:
    """All loads on a body, at every output time."""
    found = [*_weight_and_inertia(run, body)] if body is not run.model.ground else []
    for element, force, torque in strengths_on(run, body):
        kind = (
            "driver"
            if isinstance(element, Driver | Hold)
            else ("joint" if isinstance(element, Constraint) else "force")
        )
        point, turning = at_best_point(run, element, body, force, torque)
        found.append(BodyLoad(element.name or type(element).__name__, kind, point, force, turning))
    if body is run.model.ground:
        center = _center(run, body)
        force, torque, _ = _sums(found, center, run.system.length)
        found.append(BodyLoad("foundation", "foundation", center, -force, -torque))
    return found


def residuals(run: Trajectory, body: RigidBody) -> np.ndarray:
    """The sum of the forces and torques on a body, relative to the largest, at every output time."""
    return _sums(loads_on(run, body), _center(run, body), run.system.length)[2]


def moment(arm: np.ndarray, force: np.ndarray) -> np.ndarray:
    """arm x force: a number for each row in the plane, a vector in space."""
    if arm.shape[-1] == 2:
        return np.asarray(arm[..., 0] * force[..., 1] - arm[..., 1] * force[..., 0])
    return np.cross(arm, force)


def _line(name: str, kind: str, point: np.ndarray, force: np.ndarray, torque: Any) -> dict[str, Any]:
    turning = float(torque) if np.ndim(torque) == 0 else torque.tolist()
    return {"name": name, "kind": kind, "point": point.tolist(), "force": force.tolist(), "torque": turning}


def _sums(found: list[BodyLoad], center: np.ndarray, length: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The sums of forces and of torques about the mass center, and their size relative to the largest of them."""
    force, flat = np.zeros_like(center), center.shape[1] == 2
    torque = np.zeros(len(center)) if flat else np.zeros_like(center)
    largest, turning = np.zeros(len(center)), np.zeros(len(center))
    for load in found:
        about = load.about(center)
        force, torque = force + load.force, torque + about
        largest = np.maximum(largest, np.linalg.norm(load.force, axis=1))
        turning = np.maximum(turning, _sizes(about))
    scale = np.maximum(np.maximum(largest, turning / length), 1e-300)
    left = np.maximum(np.linalg.norm(force, axis=1), _sizes(torque) / length)
    return force, torque, left / scale


def _sizes(torque: np.ndarray) -> np.ndarray:
    return np.abs(torque) if torque.ndim == 1 else np.linalg.norm(torque, axis=1)


def _center(run: Trajectory, body: RigidBody) -> np.ndarray:
    """The mass center at every output time."""
    return run.system.space.frame(body.center_marker(), poses_of(run, body))[0]


def _weight_and_inertia(run: Trajectory, body: RigidBody) -> Iterator[BodyLoad]:
    """m g, and -m a_c with -(I alpha + omega x I omega), from the motion only."""
    if body.modal_coordinates:
        yield from _of_flexible(run, body)
        return
    space, dimensions = run.system.space, run.system.space.dimensions
    mass, arm_b, inertia_b = space.matter_in_space(body)
    if not mass and not inertia_b.any():
        return
    center, series = _center(run, body), run[body]
    gravity = np.broadcast_to(np.array(run.model.gravity, float), center.shape)
    nothing = np.zeros(len(center)) if dimensions == 2 else np.zeros_like(center)
    if mass and gravity.any():
        yield BodyLoad("weight", "weight", center, mass * gravity, nothing)
    turned = np.stack([space.in_space(pose)[0] for pose in poses_of(run, body)])
    omega, alpha = (upright(series.turning(word)) for word in ("velocity", "acceleration"))
    arm = np.einsum("nij,j->ni", turned, arm_b)
    inertia = np.einsum("nij,jk,nlk->nil", turned, inertia_b, turned)
    origin = upright(series.acceleration)
    acceleration = origin + np.cross(alpha, arm) + np.cross(omega, np.cross(omega, arm))
    momentum = np.einsum("nij,nj->ni", inertia, omega)
    torque = np.einsum("nij,nj->ni", inertia, alpha) + np.cross(omega, momentum)
    turning = -torque[:, 2] if dimensions == 2 else -torque
    yield BodyLoad("inertia", "inertia", center, -mass * acceleration[:, :dimensions], turning)


def _of_flexible(run: Trajectory, body: RigidBody) -> Iterator[BodyLoad]:
    """Weight and inertia of a flexible body, whose modes move too: about the origin of its frame."""
    system, gravity = run.system, np.array(run.model.gravity, float)
    matter = system.matter()
    first = system.width * system.body_number(body)
    own, still = slice(first, first + system.width), system.speeds()
    weight, whole = (np.zeros((len(run.times), system.width)) for _ in range(2))
    for k in range(len(run.times)):
        out = system.speeds()
        inertia_forces(system.geometry, matter, gravity, run.q[k], still, still, out)
        weight[k] = out[own]
        inertia_forces(system.geometry, matter, gravity, run.q[k], run.v[k], run.a[k], out)
        whole[k] = out[own]
    poses = poses_of(run, body)
    origin = poses[:, : system.space.dimensions]
    if gravity.any():
        yield BodyLoad("weight", "weight", origin, *system.space.wrench(poses, weight))
    yield BodyLoad("inertia", "inertia", origin, *system.space.wrench(poses, whole - weight))


def at_best_point(
    run: Trajectory, element: Element, body: RigidBody, force: np.ndarray, torque: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """A point of the element on the line of action of the force, if there is one, otherwise on the body; and the torque
    about it.

    `torque` is about the origin of the body.
    """
    origin = run.system.space.frame(body.at(), poses_of(run, body))[0]
    first = None
    small = AT_POINT * run.system.length * np.linalg.norm(force, axis=1).max(initial=0.0)
    for place in places(run, element, body):
        about = torque - moment(place - origin, force)
        if first is None:
            first = place, about
        if float(_sizes(about).max(initial=0.0)) <= small:
            return place, np.zeros_like(about)
    return (origin, torque) if first is None else first
