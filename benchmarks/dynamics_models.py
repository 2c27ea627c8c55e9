"""The problems of `dynamics_problems.py` as Cardan's models."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from dynamics_problems import Problem

from cardan import planar, spatial
from cardan.model.model import Model


class Stated(NamedTuple):
    """A model, and the marker that is compared."""

    model: Model
    tip: Any


def state(problem: Problem) -> Stated:
    """The model with everything placed and moving as the problem says."""
    space: Any = planar if problem.planar else spatial
    model = space.Model(problem.name, gravity=problem.gravity)
    sides = {"ground": model.ground}
    for body in problem.bodies:
        turned = {"angle" if problem.planar else "orientation": body.orientation}
        moving = {"velocity": body.velocity, "angular_velocity": body.spin}
        stated = space.Body(mass=body.mass, inertia=body.inertia, position=body.position, **turned, **moving)
        sides[body.name] = model.add(stated, name=body.name)
    for k, joint in enumerate(problem.joints):
        kind = space.Revolute if joint.kind == "revolute" else space.Translational
        axis = _axis(problem, joint.axis)
        ends = (sides[side].world(joint.point, **axis) for side in (joint.a, joint.b))
        model.add(kind(*ends), name=f"{joint.kind} {k + 1}")
    for k, spring in enumerate(problem.springs):
        along = space.length(sides[spring.a].world(spring.point_a), sides[spring.b].world(spring.point_b))
        law = space.Spring(along, spring.stiffness, spring.damping, rest_length=spring.rest_length)
        model.add(law, name=f"spring {k + 1}")
    name, point = problem.tip
    return Stated(model, sides[name].world(point))


def _axis(problem: Problem, axis: tuple[float, ...]) -> dict[str, Any]:
    """How a marker is told the axis of its joint."""
    if not axis:
        return {}
    return {"angle": math.atan2(axis[1], axis[0])} if problem.planar else {"z": axis}
