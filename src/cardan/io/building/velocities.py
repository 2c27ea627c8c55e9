"""Initial velocities of links from rates of joints.

w = w_parent + rate axis,    v = v_parent + w_parent x (r - r_parent) + rate axis x (r - anchor)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from cardan.errors import ModelError
from cardan.io.building.placement import Values
from cardan.io.document import near
from cardan.io.parts import JointPart, Machine
from cardan.io.pose import Pose, axis_frame, pose
from cardan.model import check
from cardan.spatial import rotation

RATES = {"hinge": 1, "slide": 1, "ball": 3, "plane": 3, "free": 6}  # numbers in the velocity of a joint


class LinkMotion(NamedTuple):
    """The velocity of the origin of a frame and its angular velocity, in the global frame."""

    velocity: np.ndarray
    angular_velocity: np.ndarray


def stated_rates(machine: Machine, v: Mapping[str, Any] | None, values: Values) -> Values:
    """The rates of joints of the user, and of joints that are tied to others."""
    joints = machine.joints()
    if v is not None and not isinstance(v, Mapping):
        raise ModelError(f"v must be a dictionary of joints and their velocities, got {check.describe(v)}")
    rates: Values = {}
    for name, value in (v or {}).items():
        if name not in joints:
            raise ModelError(f"v: '{machine.path.name}' has no joint '{name}'{near(str(name), list(joints))}")
        what, size = f"v of joint '{name}'", RATES[joints[name].kind]
        rates[name] = (check.number(value, what),) if size == 1 else check.vector(value, size, what)
    following = {tie.joint: tie for tie in machine.ties if tie.other in joints}
    for _ in range(len(following) if rates else 0):  # a leader may follow another one
        for name, tie in following.items():
            assert tie.other is not None
            if v is not None and name not in v and tie.other in rates:
                x = values.get(tie.other, (joints[tie.other].start,))[0]
                slope = sum(k * c * x ** (k - 1) for k, c in enumerate(tie.coefficients) if k)
                rates[name] = (slope * rates[tie.other][0],)
    return rates


def move_links(machine: Machine, frames: Mapping[str, list[Pose]], rates: Values) -> dict[str, list[LinkMotion]]:
    """The motion of each frame of `place_links`."""
    still = LinkMotion(np.zeros(3), np.zeros(3))
    if not rates:
        return {link.name: [still] * len(frames[link.name]) for link in machine.links}
    found: dict[str, list[LinkMotion]] = {}
    for link in machine.links:
        base, moving = (pose(), still) if link.parent is None else (frames[link.parent][-1], found[link.parent][-1])
        here = base.then(link.place)
        moving = _carried(moving, base, here)
        motions = [] if link.joints else [moving]
        for joint, after in zip(link.joints, frames[link.name], strict=False):
            rate = rates.get(joint.name)
            moving = _moved(joint, rate, moving, here, after)
            here = after
            motions.append(moving)
        found[link.name] = motions
    return found


def _carried(moving: LinkMotion, here: Pose, there: Pose) -> LinkMotion:
    """The motion of another frame of the same body."""
    v = moving.velocity + np.cross(moving.angular_velocity, there.point - here.point)
    return LinkMotion(v, moving.angular_velocity)


def _moved(joint: JointPart, rate: Any, moving: LinkMotion, before: Pose, after: Pose) -> LinkMotion:
    """The motion after a joint."""
    if joint.kind == "free":
        if rate is None:
            return LinkMotion(np.zeros(3), np.zeros(3))
        return LinkMotion(np.array(rate[:3]), rotation.rotate(after.turn, np.array(rate[3:])))
    v, w = _carried(moving, before, after)
    if rate is None:
        return LinkMotion(v, w)
    axis, arm = rotation.rotate(before.turn, np.array(joint.axis)), after.point - after.at(joint.anchor)
    if joint.kind == "slide":
        return LinkMotion(v + rate[0] * axis, w)
    if joint.kind == "plane":
        frame = rotation.multiply(before.turn, axis_frame(np.array(joint.axis)))
        turning, v = rate[2] * axis, v + rotation.rotate(frame, np.array([rate[0], rate[1], 0.0]))
    else:
        turning = rate[0] * axis if joint.kind == "hinge" else rotation.rotate(after.turn, np.array(rate))
    return LinkMotion(v + np.cross(turning, arm), w + turning)
