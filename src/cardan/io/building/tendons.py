"""Building tendons: their lengths as measures, and springs, stops and friction along them.

fixed      L = sum_i c_i q_i
spatial    L = sum over branches (1 / divisor) sum |r_{k+1} - r_k|
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from cardan.elements.constraints.driver import Coupler, Hold
from cardan.elements.contact.friction import Friction
from cardan.elements.forces.spring import Spring
from cardan.elements.forces.stop import Stop
from cardan.io.building.closures import Carriers
from cardan.io.building.placement import Values, place_links
from cardan.io.imported import FileModel, ImportedTendon
from cardan.io.parts import Machine, TendonPart, Tie
from cardan.io.pose import Pose, pose
from cardan.model.measure import Readable
from cardan.spatial.measures import length


def add_tendons(
    model: FileModel,
    machine: Machine,
    carriers: Carriers,
    named: Callable[..., str],
    options: Any,
) -> None:
    """Add the tendons of a file."""
    slack: Values = {joint.name: (joint.rest,) for joint in machine.joints().values() if joint.scalar}
    lines = any(part.branches for part in machine.tendons.values())
    placed, relaxed = (place_links(machine, at) if lines else {} for at in ({}, slack))
    naturals: dict[str, float] = {}
    for part in machine.tendons.values():
        measure, constant = _length(model, carriers, part)
        if measure is None:
            machine.left_out.append(f"tendon '{part.name}', whose length is constant ({part.where})")
            continue
        naturals[part.name] = _length_at(machine, placed, {}, part) - constant
        rest = part.rest or (_length_at(machine, relaxed, slack, part),) * 2
        lower, upper = part.range or (None, None)
        model.tendons[part.name] = ImportedTendon(
            part.name, measure, constant, lower, upper, part.stiffness, rest, part.damping
        )
        low, high = (end - constant for end in rest)
        if part.stiffness and low < high:  # slack between both
            stop = Stop(measure, low, high, stiffness=part.stiffness, allow_penetration=True)
            model.add(stop, name=named(f"{part.name} spring", "force"))
        stiffness = part.stiffness if low == high else 0.0
        if stiffness or part.damping:
            free: dict[str, Any] = {"rest_angle" if measure.unit == "rad" else "rest_length": low} if stiffness else {}
            if stiffness and low < 0.0 and part.branches:  # shorter than its constant part: always tense
                free = {"rest_length": 0.0, "force": -stiffness * low}
            spring = Spring(measure, stiffness, part.damping, **free)
            model.add(spring, name=named(part.name, "tendon"))
        if part.friction and options.friction:
            dry = Friction(measure, 1.0, normal=part.friction)
            model.add(dry, name=named(f"{part.name} friction", "force"))
        if part.range is not None and options.limits:
            ends = (part.range[0] - constant, part.range[1] - constant)
            stop = Stop(measure, *ends, stiffness=options.stiffness, damping=options.damping)
            model.add(stop, name=named(f"{part.name} stop", "force"))
    for tie in machine.tendon_ties:
        _tie(model, machine, tie, naturals, named)


def _tie(
    model: FileModel, machine: Machine, tie: Tie, naturals: Mapping[str, float], named: Callable[..., str]
) -> None:
    """Tie the change of a length to a constant, or linearly to that of another."""
    c0, c1, *more = (*tie.coefficients, 0.0, 0.0)
    if tie.joint not in naturals or (tie.other or tie.joint) not in naturals or any(more):
        machine.left_out.append(f"equality of tendons '{tie.name}', which is not linear ({tie.where})")
        return
    y, value = model.tendons[tie.joint].measure, naturals[tie.joint] + c0
    if tie.other is None or c1 == 0.0:
        element: Any = Hold(y, value)
    else:
        element = Coupler(y - c1 * model.tendons[tie.other].measure, value=value - c1 * naturals[tie.other])
    model.closures[tie.name] = model.add(element, name=named(tie.name, "tie"))


def _length(model: FileModel, carriers: Carriers, part: TendonPart) -> tuple[Readable | None, float]:
    """The part of a length that varies, and the rest: between sites of one body."""
    terms: list[Readable] = [coefficient * model.coordinate(joint) for joint, coefficient in part.joints if coefficient]
    constant = 0.0
    for divisor, ends in part.branches:
        seats = [(carriers[link][0], carriers[link][1].then(frame).point) for link, frame in ends]
        for (a, here), (b, there) in pairwise(seats):
            if a is b:
                constant += float(np.linalg.norm(there - here)) / divisor
            else:
                terms.append((1.0 / divisor) * length(a.at(here), b.at(there)))
    return (sum(terms[1:], terms[0]) if terms else None), constant


def _length_at(machine: Machine, places: Mapping[str, list[Pose]], values: Values, part: TendonPart) -> float:
    """The length where links are placed, with these values of joints."""
    joints = machine.joints()
    total = sum(c * values.get(joint, (joints[joint].start,))[0] for joint, c in part.joints)
    for divisor, ends in part.branches:
        points = [(places[link][-1] if link is not None else pose()).at(frame.point) for link, frame in ends]
        total += sum(float(np.linalg.norm(b - a)) for a, b in pairwise(points)) / divisor
    return total
