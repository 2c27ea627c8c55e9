"""The motion and the forces of a flexible body at one time of a run, for load cases."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.errors import ModelError
from cardan.flexible.load_cases import Instant
from cardan.model import check
from cardan.model.element import Constraint
from cardan.model.force import Force
from cardan.postprocess.body_loads import strengths_on, upright

if TYPE_CHECKING:
    from cardan.model.body import RigidBody
    from cardan.model.element import Element
    from cardan.results.trajectory import Trajectory


def instant_of(run: Trajectory, body: Any, time: float) -> Instant:
    """The `Instant` of a flexible body, planar or spatial, in a run that has forces.

        case = load_case(model, reduction, instant_of(run, rod, 0.2))

    Every joint, spring and load on the body must act at one of its interfaces.
    """
    part = getattr(body, "part", None)
    if part is None:
        raise ModelError(f"{check.describe(body)} is not a flexible body")
    snap = run.instant(check.number(time, "time"))
    series = snap[body]
    A = _axes(series, len(body.position) == 2)
    gravity = np.zeros(3)
    gravity[: len(body.position)] = run.model.gravity
    measures = [body.modal_coordinate(k + 1) for k in range(part.modes)]
    eta, rate, second = (
        np.array([float(getattr(snap[measure], name)[0]) for measure in measures])
        for name in ("value", "rate", "acceleration")
    )
    return Instant(
        _forces(snap, body, A),
        A.T @ (upright(series.acceleration)[0] - gravity),
        A.T @ upright(series.angular_velocity)[0],
        A.T @ upright(series.angular_acceleration)[0],
        eta,
        rate,
        second,
    )


def _forces(snap: Any, body: RigidBody, A: np.ndarray) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Force and torque on each interface, in the axes of the part."""
    origin = upright(snap[body].position)[0]
    sums: dict[str, np.ndarray] = {}
    for element, force, torque in strengths_on(snap, body):
        if element is body.elasticity:
            continue
        found = _interfaces(element, body)
        if len(found) != 1 or "" in found:
            where = " and ".join(sorted(found - {""})) or "no interface"
            raise ModelError(
                f"{getattr(element, 'title', element)} acts on '{body.name}' at {where}: a load case needs elements "
                "that act at one interface each"
            )
        name = found.pop()
        arm = upright(snap[body.at(name)].position)[0] - origin
        push = upright(force)[0]
        turn = upright(torque)[0] - np.cross(arm, push)
        sums[name] = sums.get(name, np.zeros(6)) + np.concatenate([A.T @ push, A.T @ turn])
    return {name: (six[:3], six[3:]) for name, six in sums.items()}


def _interfaces(element: Element, body: RigidBody) -> set[str]:
    """The interfaces at which an element acts on the body; "" is its frame."""
    if isinstance(element, Force):
        measures = [measure for law in element.laws() for _, measure in law.terms]
    else:  # an impact acts through the constraints that it engages
        holding = [element] if isinstance(element, Constraint) else element.reserve()
        measures = [measure for held in holding for equation in held.equations() for _, measure in equation.terms]
    markers = [marker for measure in measures for marker in measure.markers()]
    return {getattr(marker, "interface", "") for marker in markers if marker.body is body}


def _axes(series: Any, planar: bool) -> np.ndarray:
    if not planar:
        return np.asarray(series.matrix[0])
    c, s = float(np.cos(series.angle[0])), float(np.sin(series.angle[0]))
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
