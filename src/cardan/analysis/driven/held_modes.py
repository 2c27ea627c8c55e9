"""The deformation of flexible bodies in driven motions: as drivers prescribe it, otherwise as stated."""

from __future__ import annotations

from cardan.elements.constraints.driver import Hold
from cardan.errors import warn
from cardan.model.element import Constraint
from cardan.model.flexible.modal_coordinate import ModalMarker, modal_measure
from cardan.model.model import Model


def held_modes(model: Model, analysis: str, warns: bool) -> list[Constraint]:
    """Constraints that hold all modal coordinates that no constraint of the model reads.

    Forces do not deform bodies in a driven motion; where forces are computed from it, a warning says so.
    """
    bodies = [body for body in model.bodies if body.modal_coordinates]
    if not bodies:
        return []
    terms = (measure for element in model.constraints for e in element.equations() for _, measure in e.terms)
    stated = {id(measure.b.coordinate) for measure in terms if isinstance(measure.b, ModalMarker)}
    found: list[Constraint] = []
    held: list[str] = []
    for body in bodies:
        for coordinate, value in zip(body.modal_coordinates, body.deformation, strict=True):
            if id(coordinate) not in stated:
                hold = Hold(modal_measure(coordinate), value)
                object.__setattr__(hold, "name", f"hold {coordinate.name}")
                found.append(hold)
                held.append(body.name)
    if held and warns:
        warn(
            f"{analysis}() does not compute the deformation of flexible bodies: that of '{held[0]}' stays as stated; "
            "use simulate() with the same drivers for forces that include vibration"
        )
    return found
