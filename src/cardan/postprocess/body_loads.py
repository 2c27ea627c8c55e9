"""The forces and torques of joints and applied forces on one body, about its origin, and points to draw them at.

joints    -Phi_q^T lambda          forces    -f dz/dq,  dz/dq = the rate of z under a unit speed of the body
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.elements.constraints.two_marker_joint import TwoMarkerJoint
from cardan.model.element import Constraint
from cardan.model.flexible.elasticity import Elasticity
from cardan.model.force import Force
from cardan.model.surfaces.surface_pair import SurfacePair
from cardan.results.loads import gradients, laws_on
from cardan.results.reaction import forces_of, poses_of
from cardan.results.series import PointSeries

if TYPE_CHECKING:
    from cardan.model.body import RigidBody
    from cardan.model.element import Element
    from cardan.results.trajectory import Trajectory


def strengths_on(run: Trajectory, body: RigidBody) -> Iterator[tuple[Any, np.ndarray, np.ndarray]]:
    """Every element that acts on a body, with its force and its torque about the body origin, in global axes."""
    system, loads = run.system, forces_of(run)
    touching = [element for element in system.listed if any(body is other for other in element.bodies())]
    found = loads.on_each(touching, [body] * len(touching), (run.times, run.q, run.turns))
    owners = {part: element for element in run.model for part in element.reserve()}
    sums: dict[Any, np.ndarray] = {}
    for k, element in enumerate(touching):
        _add(sums, owners.get(element, element), found[:, k])
    for element, generalized in _applied(run, body).items():
        _add(sums, element, generalized)
    for element, generalized in sums.items():
        yield element, *system.space.wrench(poses_of(run, body), generalized)


def applied_on(run: Trajectory, body: RigidBody) -> Iterator[tuple[Any, np.ndarray, np.ndarray]]:
    """The same for applied forces only, without those of teeth, which belong to the reactions of their gears."""
    for element, generalized in _applied(run, body).items():
        if isinstance(element, Constraint):
            continue
        yield element, *run.system.space.wrench(poses_of(run, body), generalized)


def places(run: Trajectory, element: Element, body: RigidBody) -> Iterator[np.ndarray]:
    """Points of an element at all output times: first those on the body, then those on others."""
    touch = getattr(element, "pair", getattr(element, "touch", None))
    if isinstance(touch, SurfacePair):
        yield _touched(run, touch, body)
    markers = list(dict.fromkeys(_markers(element)))
    for marker in sorted(markers, key=lambda marker: marker.body is not body):
        yield PointSeries(run, marker).position


def _applied(run: Trajectory, body: RigidBody) -> dict[Any, np.ndarray]:
    """The generalized forces of all laws on a body, by element; those of teeth count as their gears'."""
    outer = [element for element in run.system.forces if not isinstance(element, Elasticity)]
    owners = {force: element for element in run.system.elements for force in element.forces()}
    sums: dict[Any, np.ndarray] = {}
    for element, generalized in laws_on(run, forces_of(run), body, outer).items():
        _add(sums, owners.get(element, element), generalized)
    return sums


def _add(sums: dict[Any, np.ndarray], element: Element, more: np.ndarray) -> None:
    sums[element] = sums[element] + more if element in sums else more


def _touched(run: Trajectory, touch: SurfacePair, body: RigidBody) -> np.ndarray:
    """The contact point of two surfaces: the point p at which unit forces along the normal n and along the surface, t,
    have the torques of their gradients, p x n = m_n and p x t = m_t."""
    space, poses = run.system.space, poses_of(run, body)
    flat = space.dimensions == 2
    rubs = [touch.measure("rub", axis) for axis in ("x" if flat else "xy")]
    found = [space.wrench(poses, gradient) for gradient in gradients(run, [touch.gap, *rubs], body)]
    (normal, about), *along = [(upright(force), upright(torque)) for force, torque in found]
    across = np.cross(normal, about)  # p without its component along the normal
    sides = [np.cross(normal, way) for way, _ in along]
    missing = [turn - np.cross(across, way) for way, turn in along]
    share = sum(np.sum(left * side, axis=1) for left, side in zip(missing, sides, strict=True))
    size = sum(np.sum(side * side, axis=1) for side in sides)
    arm = across + (share / np.maximum(size, 1e-300))[:, None] * normal
    return np.asarray(poses[:, : space.dimensions] + arm[:, : space.dimensions])


def upright(values: np.ndarray) -> np.ndarray:
    """Planar vectors, or torques about the normal of the plane, as spatial vectors."""
    if values.ndim == 1:
        return np.stack([np.zeros_like(values), np.zeros_like(values), values], axis=1)
    return values if values.shape[1] == 3 else np.column_stack([values, np.zeros(len(values))])


def _markers(element: Element) -> Iterator[Any]:
    """The markers of an element; contact points of a cam come first."""
    if isinstance(element, TwoMarkerJoint):
        yield from (element.a, element.b)
    if isinstance(element, Force):
        measures = [measure for law in element.laws() for _, measure in law.terms if measure.kind != "modal"]
    else:  # an impact acts through the constraints that it engages
        holding = [element] if isinstance(element, Constraint) else element.reserve()
        measures = [measure for held in holding for equation in held.equations() for _, measure in equation.terms]
    yield from sorted(
        (m for measure in measures for m in measure.markers()), key=lambda marker: marker.contact_coordinate is None
    )
