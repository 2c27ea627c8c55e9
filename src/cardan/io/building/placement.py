"""Frames of links for given joint coordinates.

link = parent o place o J_1(q_1) o J_2(q_2) ...
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from cardan.errors import ModelError, warn
from cardan.io.document import near
from cardan.io.parts import SIZES, JointPart, Machine
from cardan.io.pose import Pose, axis_frame, pose, turn_about
from cardan.model import check
from cardan.spatial import rotation

Values = dict[str, tuple[float, ...]]  # of joints by name; others are as the file places them


def stated_values(machine: Machine, q: Mapping[str, Any] | None) -> Values:
    """The joint values of the user, and of joints that are tied to others."""
    joints = machine.joints()
    if q is not None and not isinstance(q, Mapping):
        raise ModelError(f"q must be a dictionary of joints and their values, got {check.describe(q)}")
    values: Values = {}
    for name, value in (q or {}).items():
        if name not in joints:
            raise ModelError(f"q: '{machine.path.name}' has no joint '{name}'{near(str(name), list(joints))}")
        what, size = f"q of joint '{name}'", SIZES[joints[name].kind]
        values[name] = (check.number(value, what),) if size == 1 else check.vector(value, size, what)
        _warn_outside(joints[name], values[name][0])
    _follow(machine, joints, values)
    return values


def _follow(machine: Machine, joints: Mapping[str, JointPart], values: Values) -> None:
    """Compute values of tied joints that are not stated, leaders first."""
    free = {tie.joint: tie for tie in machine.ties if tie.joint not in values}
    while free:
        chain = [next(iter(free.values()))]
        seen = {chain[0].joint}
        while (leader := chain[-1].other) in free and leader not in seen:
            seen.add(leader)
            chain.append(free[leader])
        for tie in reversed(chain):
            del free[tie.joint]
            x = _scalar(joints[tie.other], values) if tie.other is not None else 0.0
            value = 0.0
            for c in reversed(tie.coefficients):
                value = value * x + c
            if not math.isfinite(value):
                raise ModelError(f"{tie.where}: the value of joint '{tie.joint}' is not finite: {value}")
            values[tie.joint] = (value,)


def _warn_outside(joint: JointPart, value: float) -> None:
    low, high = (end if end is not None else value for end in (joint.lower, joint.upper))
    if joint.scalar and not low <= value <= high:
        warn(f"q of joint '{joint.name}', {value:g}, is outside its limits {low:g} and {high:g}")


def _scalar(joint: JointPart, values: Values) -> float:
    return values.get(joint.name, (joint.start,))[0]


def place_links(machine: Machine, values: Values) -> dict[str, list[Pose]]:
    """The frames of each link after each of its joints, in the global frame; the last is that of the link."""
    found: dict[str, list[Pose]] = {}
    for link in machine.links:
        here = (found[link.parent][-1] if link.parent is not None else pose()).then(link.place)
        frames = [] if link.joints else [here]
        for joint in link.joints:
            if joint.kind == "free":
                here = _free(here, values.get(joint.name))
            else:
                here = here.then(motion_of(joint, values.get(joint.name)))
            frames.append(here)
        found[link.name] = frames
    return found


def motion_of(joint: JointPart, value: tuple[float, ...] | None) -> Pose:
    """J(q): the motion of a link by its joint, in the frame of the link."""
    if value is None:
        return pose()
    axis, anchor = np.array(joint.axis), np.array(joint.anchor)
    if joint.kind == "slide":
        return pose((value[0] - joint.start) * axis)
    if joint.kind == "plane":
        frame = axis_frame(axis)
        shift = rotation.rotate(frame, np.array([value[0], value[1], 0.0]))
        turn = turn_about(axis, value[2])
        return pose(anchor + shift - rotation.rotate(turn, anchor), turn)
    turn = turn_about(axis, value[0] - joint.start) if joint.kind == "hinge" else _unit(joint, value)
    return pose(anchor - rotation.rotate(turn, anchor), turn)


def _free(start: Pose, value: tuple[float, ...] | None) -> Pose:
    """The frame of a free link, stated in the global frame."""
    return start if value is None else pose(value[:3], rotation.euler_parameters(value[3:], "q of a free joint"))


def _unit(joint: JointPart, value: tuple[float, ...]) -> np.ndarray:
    return np.array(rotation.euler_parameters(value, f"q of joint '{joint.name}'"))
