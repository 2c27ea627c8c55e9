"""Arrows of a page: what joints, drivers and applied forces do, as forces and torques at the points where they act.

    --->      a force                     a round arrow about its direction, by the right hand: a torque
              on the usual body of a joint, on every moving body of an applied force, all in global axes

Points that stay where they are on their body are stored once; those of contacts, tires and cams go along a path.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.model.measure import Readable
from cardan.postprocess.body_loads import applied_on
from cardan.postprocess.free_body import at_best_point
from cardan.results.reaction import poses_of, reactions_of
from cardan.view.web.encode import Blob
from cardan.view.web.shapes import Scene

if TYPE_CHECKING:
    from cardan.model.body import RigidBody
    from cardan.model.element import Element

NEGLIGIBLE = 1e-6  # of the largest of its unit, and torques of force times length: no arrow
STAYS = 1e-6  # of the model's length: a point that moves less on its body is one of it
CROWD = 12  # torques: of more, those of joints are left to the numbers
MAX_ARROWS = 400  # arrows of a page; the largest stay


@dataclass(frozen=True)
class Drawn:
    """A force or a torque on a body at every frame: vectors in global axes at points in the world."""

    element: Any
    kind: str  # "reaction", "driver" or "applied"
    body: Any
    unit: str  # "N" or "N m"
    points: np.ndarray
    vectors: np.ndarray

    @property
    def largest(self) -> float:
        return float(np.abs(self.vectors).max(initial=0.0))


def describe_arrows(part: Any, scene: Scene, blob: Blob) -> list[dict[str, Any]]:
    """The arrows of a result, with one frame per output time; empty if forces are unknown."""
    if part.loads is None:
        return []
    number = {id(body): k for k, body in enumerate(scene.bodies)}
    place = {id(element): k for k, element in enumerate(scene.elements)}
    return [
        {
            "name": drawn.element.name,
            "kind": drawn.kind,
            "unit": drawn.unit,
            "element": place[id(drawn.element)],
            **_placed(part, drawn, number[id(drawn.body)], blob),
            "values": blob.values(drawn.vectors),
        }
        for drawn in drawn_forces(part, scene)
        if id(drawn.element) in place
    ]


def drawn_forces(part: Any, scene: Scene) -> list[Drawn]:
    """All forces and torques that are worth an arrow."""
    found = [*_reactions(part), *_applied(part, scene)]
    known = [drawn for drawn in found if np.isfinite(drawn.vectors).all() and np.isfinite(drawn.points).all()]
    return _seen(known, part.system.length)


def _seen(found: list[Drawn], length: float) -> list[Drawn]:
    """Without those that are none but for rounding; of very many the largest."""
    force = max((drawn.largest for drawn in found if drawn.unit == "N"), default=0.0)
    torque = max((drawn.largest for drawn in found if drawn.unit != "N"), default=0.0)
    least = {"N": NEGLIGIBLE * force, "N m": NEGLIGIBLE * max(torque, force * length)}
    scale = {"N": max(force, 1e-300), "N m": max(torque, 1e-300)}
    seen = [drawn for drawn in found if drawn.largest > least[drawn.unit]]
    if sum(drawn.unit == "N m" for drawn in seen) > CROWD:
        seen = [drawn for drawn in seen if drawn.unit == "N" or drawn.kind != "reaction"]
    kept = sorted(seen, key=lambda drawn: -drawn.largest / scale[drawn.unit])[:MAX_ARROWS]
    return [drawn for drawn in seen if any(drawn is other for other in kept)] if len(seen) > MAX_ARROWS else seen


def _reactions(part: Any) -> Iterator[Drawn]:
    """Joints and drivers, on their usual bodies."""
    owners = {held: element for element in part.model for held in element.reserve()}
    for element, reaction in reactions_of(part).items():
        driven = isinstance(getattr(element, "measure", None), Readable) and element not in owners
        force, torque = reaction.in_world()
        points = part.system.space.frame(reaction.marker, poses_of(part, reaction.body))[0]
        yield from _both(
            owners.get(element, element), "driver" if driven else "reaction", reaction.body, points, force, torque
        )


def _applied(part: Any, scene: Scene) -> Iterator[Drawn]:
    """Springs, loads, contacts, tires: all that has a law, on the bodies that move."""
    touched = {id(marker.body) for law in part.system.laws for _, z in law.terms for marker in z.markers()}
    for body in scene.bodies[1:]:
        if id(body) in touched:
            for element, force, torque in applied_on(part, body):
                points, about = at_best_point(part, element, body, force, torque)
                yield from _both(element, "applied", body, points, force, about)


def _both(
    element: Element, kind: str, body: RigidBody, points: np.ndarray, force: np.ndarray, torque: np.ndarray
) -> Iterator[Drawn]:
    yield Drawn(element, kind, body, "N", points, force)
    yield Drawn(element, kind, body, "N m", points, torque.reshape(len(points), -1))


def _placed(part: Any, drawn: Drawn, number: int, blob: Blob) -> dict[str, Any]:
    """Where an arrow begins: a point of its body, or a path in the world."""
    origin, axes = part.system.space.frame(drawn.body.at(), poses_of(part, drawn.body))
    local = np.einsum("nij,ni->nj", axes, drawn.points - origin)
    if np.ptp(local, axis=0).max() <= STAYS * part.system.length:
        return {"at": {"body": number, "point": local[0].tolist()}, "path": None}
    return {"at": {"body": 0, "point": [0.0] * local.shape[1]}, "path": blob.values(drawn.points)}
