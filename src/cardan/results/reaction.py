"""Reactions: force and torque of a joint on a body, about any point, in any axes.

    run[hinge].force, .torque                      on body b at its marker, in the axes of marker a: the joint frame
    run[hinge].on(crank).in_frame("global")        on another body, in global axes
    run[hinge].on(crank).at(crank.at(0.1, 0))      about another point: torque + (P - P') x force

A reaction is immutable: each method returns a new one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from cardan.elements.constraints.two_marker_joint import TwoMarkerJoint
from cardan.errors import ModelError
from cardan.model import check
from cardan.model.body import RigidBody
from cardan.model.element import Constraint
from cardan.model.marker import Marker
from cardan.results.loads import laws_on

if TYPE_CHECKING:
    from cardan.results.loads import Loads
    from cardan.results.trajectory import Trajectory

Frame: TypeAlias = str | RigidBody | Marker  # "global", "joint", or that of a body or marker


class Reaction:
    """Force and torque of a constraint on one body."""

    def __init__(
        self,
        run: Trajectory,
        element: Constraint,
        body: RigidBody | None = None,
        frame: Frame | None = None,
        point: Marker | None = None,
    ) -> None:
        self.run, self.element = run, element
        self.body: RigidBody = _usual_body(element) if body is None else body
        self.frame: Frame = ("joint" if isinstance(element, TwoMarkerJoint) else "global") if frame is None else frame
        self.point = point
        self._found: np.ndarray | None = None  # generalized forces on the body, once computed

    def on(self, body: RigidBody | str) -> Reaction:
        """The reaction on another body of the element, at its own marker."""
        found = self.run.model[body] if isinstance(body, str) else body
        if not isinstance(found, RigidBody) or all(found is not other for other in self.element.bodies()):
            names = " and ".join(repr(other.name) for other in self.element.bodies())
            raise ModelError(
                f"{self.element.title} acts on {names} of '{self.run.model.name}', not on {check.short_repr(found)}"
            )
        return Reaction(self.run, self.element, found, self.frame, None)

    def in_frame(self, frame: Frame) -> Reaction:
        """In "global" axes, in those of the "joint" (marker a), or in those of a body or marker."""
        named = isinstance(frame, str) and frame in ("global", "joint")
        if not named and not isinstance(frame, Marker | self.run.model.body_type):
            words = "a reaction is given in the 'global' or 'joint' frame, in that of a body or of a marker"
            raise ModelError(f"{words}, not in {check.short_repr(frame)}")
        return Reaction(self.run, self.element, self.body, frame, self.point)

    def at(self, point: Marker) -> Reaction:
        """About the point of a marker on the same body."""
        check.instance(point, Marker, "the point of a reaction", hint="create one with body.at(...)")
        if point.body is not self.body:
            raise ModelError(f"the reaction on '{self.body.name}' is taken at one of its points, not at {point}")
        return Reaction(self.run, self.element, self.body, self.frame, point)

    @property
    def force(self) -> np.ndarray:
        """The force, one row for each output time."""
        return _in_axes(self._axes(), self.in_world()[0])

    @property
    def torque(self) -> np.ndarray:
        """The torque about the point: a number in the plane, a vector in space."""
        torque = self.in_world()[1]
        return torque if torque.ndim == 1 else _in_axes(self._axes(), torque)

    @property
    def marker(self) -> Marker:
        """The point of the body about which the torque is taken."""
        return self.point or _own_marker(self.element, self.body)

    def in_world(self) -> tuple[np.ndarray, np.ndarray]:
        """Force, and torque about the point, in global axes, regardless of the frame."""
        run, system = self.run, self.run.system
        if self._found is None:
            (self._found,) = _generalized(run, [self])
        poses = poses_of(run, self.body)
        force, torque = system.space.wrench(poses, self._found)
        arm = system.space.frame(self.marker, poses)[0] - poses[:, : system.space.dimensions]
        return force, torque - np.cross(arm, force) if torque.ndim == 2 else torque - _flat_cross(arm, force)

    def _axes(self) -> np.ndarray | None:
        """The axes of the frame as columns; None for global axes."""
        run, frame = self.run, self.frame
        if frame == "global":
            return None
        if frame == "joint":
            if not isinstance(self.element, TwoMarkerJoint):
                raise ModelError(f"{self.element.title} has no joint frame; use in_frame('global')")
            frame = self.element.a
        assert not isinstance(frame, str)
        marker = frame if isinstance(frame, Marker) else frame.at()
        return run.system.space.frame(marker, poses_of(run, marker.body))[1]


def reactions_of(run: Trajectory, elements: Sequence[Constraint] | None = None) -> dict[Constraint, Reaction]:
    """The reactions of some constraints, or of all, each on its default body, computed in one pass over the run."""
    reactions = {element: Reaction(run, element) for element in (run.system.listed if elements is None else elements)}
    for reaction, found in zip(reactions.values(), _generalized(run, [*reactions.values()]), strict=True):
        reaction._found = found
    return reactions


def _generalized(run: Trajectory, reactions: Sequence[Reaction]) -> list[np.ndarray]:
    """The generalized forces of each reaction."""
    elements, bodies = [reaction.element for reaction in reactions], [reaction.body for reaction in reactions]
    loads = forces_of(run)
    found = loads.on_each(elements, bodies, (run.times, run.q, run.turns))
    sums = [found[:, k] for k in range(len(reactions))]
    for k, (element, body) in enumerate(zip(elements, bodies, strict=True)):
        if forces := element.forces():  # of teeth, which the equation does not contain
            sums[k] = sum(laws_on(run, loads, body, forces).values(), sums[k])
    return sums


def forces_of(run: Trajectory) -> Loads:
    """The forces of a run; raises if there are none."""
    if run.loads is None:
        words = f"{run.analysis} computes no forces" if run.analysis == "kinematics" else "this result has no forces"
        raise ModelError(f"{words}; inverse_dynamics(model, times) computes them")
    return run.loads


def _usual_body(element: Constraint) -> RigidBody:
    """Body b of a joint, or the last of an element's bodies."""
    return element.b.body if isinstance(element, TwoMarkerJoint) else element.bodies()[-1]


def _own_marker(element: Constraint, body: RigidBody) -> Marker:
    """The first marker of the element on the body."""
    if isinstance(element, TwoMarkerJoint):
        return element.a if element.a.body is body else element.b
    for equation in element.equations():
        for _, measure in equation.terms:
            for marker in measure.markers():
                if marker.body is body and marker.contact_coordinate is None:
                    return marker
    return body.at()


def poses_of(run: Trajectory, body: RigidBody) -> np.ndarray:
    """Positions of a body, followed by its modal coordinates if it is flexible."""
    return run.q[:, run.system.pose_columns(body)]


def _in_axes(axes: np.ndarray | None, vectors: np.ndarray) -> np.ndarray:
    return vectors if axes is None else np.einsum("nij,ni->nj", axes, vectors)


def _flat_cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
