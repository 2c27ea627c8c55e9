"""How a mechanism gets its start: positions and velocities of the same mechanism while it is driven."""

from __future__ import annotations

from typing import Any

from cardan import kinematics
from cardan.elements.constraints.driver import Driver
from cardan.model.model import Model


def released(model: Model) -> Model:
    """The model itself, its drivers taken away, moving as they move it at t = 0."""
    start: Any = kinematics(model, [0.0]).at(0.0)
    turn, stated = ("angle", "angle") if model.space.dimensions == 2 else ("orientation", "parameters")
    found = {name: (start[name].position, start[name].velocity, getattr(start[name], turn),
                    start[name].angular_velocity) for name in (body.name for body in model.bodies)}  # fmt: skip
    for body in model.bodies:
        names = "position", "velocity", stated, "angular_velocity"
        for name, value in zip(names, found[body.name], strict=True):
            object.__setattr__(body, name, tuple(value) if hasattr(value, "__len__") else value)
    model._elements = {name: e for name, e in model._elements.items() if not isinstance(e, Driver)}
    return model
