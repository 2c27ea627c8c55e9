"""The joints of an SDF model, in the frames of their children.

revolute, continuous, prismatic, ball    one joint         universal, revolute2    two hinges, the first on the parent
screw                                    a slide and a hinge, tied by the pitch         fixed    none
"""

from __future__ import annotations

import math

import numpy as np

from cardan.io.document import Node
from cardan.io.parts import JointPart, Machine, Tie
from cardan.io.pose import Pose, axis_frame, pose
from cardan.io.sdf.frames import MODEL, Frames, flag_of, number_of, numbers_of, text_of
from cardan.spatial import rotation

KINDS = {"revolute": "hinge", "continuous": "hinge", "prismatic": "slide", "ball": "ball"}
TYPES = (*KINDS, "universal", "revolute2", "screw", "fixed")
UNSUPPORTED = {"gearbox": "join the links by hinges and add a Gear or a Coupler to the model"}
UNLIMITED = 1e15  # limits beyond count as none


def joints_of(node: Node, frames: Frames, version: float, machine: Machine) -> list[JointPart]:
    """The joints that stand for one of the file, in the frame of the child link; none if it is fixed."""
    kind = node.word("type")
    if kind in UNSUPPORTED:
        raise node.error(f"type {kind} is not supported: {UNSUPPORTED[kind]}")
    node.choice("type", TYPES)
    if kind == "fixed":
        return []
    child = frames.link_of(text_of(node, "child"), node)
    assert child is not None
    name, back = node.attributes["name"].strip(), frames.at(child, node).inverse()
    anchor = tuple(back.at(_place(node, frames).point).tolist())
    if kind == "ball":
        return [JointPart(name, "ball", node.title, anchor=anchor)]
    first = JointPart(name, KINDS.get(kind, "hinge"), node.title, anchor=anchor)
    _along(node, "axis", first, frames, back, version, limited=kind != "continuous")
    if kind in KINDS:
        _mimic(node, first, machine)
        return [first]
    if kind == "screw":
        return _screw(node, first, machine)
    second = JointPart(f"{name} 2", "hinge", node.title, anchor=anchor)
    _along(node, "axis2", second, frames, back, version, limited=True)
    return [first, second]


def closing_frames(node: Node, frames: Frames, version: float) -> tuple[str, Pose, Pose]:
    """What closes a loop: its kind, and its frame in the parent and in the child."""
    kind = node.choice("type", TYPES)
    kinds = {"fixed": "weld"} | KINDS
    if kind not in kinds:
        raise node.error(f"type {kind} cannot close a loop of links; let another joint close it")
    parent, child = (frames.link_of(text_of(node, end), node) for end in ("parent", "child"))
    there = _place(node, frames)
    if kinds[kind] in ("hinge", "slide"):
        part = JointPart(node.attributes["name"], kinds[kind], node.title)
        _along(node, "axis", part, frames, pose(), version, limited=True)
        if part.stiffness or part.damping or part.friction:
            raise node.error("its <dynamics> are not supported, because it closes a loop; add a Spring to the model")
        there = Pose(there.point, axis_frame(part.axis))
    ends = [pose() if link is None else frames.at(link, node) for link in (parent, child)]
    return kinds[kind], ends[0].inverse().then(there), ends[1].inverse().then(there)


def _place(node: Node, frames: Frames) -> Pose:
    """The frame of a joint, in the frame of the model."""
    return frames.of(node, text_of(node, "child"))


def _along(
    node: Node, tag: str, joint: JointPart, frames: Frames, back: Pose, version: float, *, limited: bool
) -> None:
    """Read the axis of a joint, with limits and dynamics."""
    axis = node.one(tag)
    if axis is None:
        raise node.error(f"its type needs <{tag}>")
    stated = numbers_of(axis, "xyz", 3, (0.0, 0.0, 1.0))
    size = math.hypot(*stated)
    if size < 1e-9:
        raise node.error(f"the direction of its <{tag}> has zero length; state one such as 0 0 1")
    place, xyz = _place(node, frames), axis.one("xyz")
    base = "" if xyz is None else xyz.attributes.get("expressed_in", "").strip()
    if base:
        place = frames.at(base, node)
    elif flag_of(axis, "use_parent_model_frame", version < 1.5):
        place = frames.at(MODEL, node)
    turned = rotation.rotate(rotation.multiply(back.turn, place.turn), np.array(stated) / size)
    joint.axis = tuple(turned.tolist())
    limit, dynamics = axis.one("limit"), axis.one("dynamics")
    if limit is not None:
        _limits(node, limit, joint, limited)
    if dynamics is not None:
        joint.damping = _not_negative(node, dynamics, "damping")
        joint.friction = _not_negative(node, dynamics, "friction")
        joint.stiffness = _not_negative(node, dynamics, "spring_stiffness")
        joint.rest = number_of(dynamics, "spring_reference", 0.0)


def _limits(node: Node, limit: Node, joint: JointPart, limited: bool) -> None:
    lower, upper = number_of(limit, "lower", -math.inf), number_of(limit, "upper", math.inf)
    if lower > upper:
        node.warn(f"its lower limit {lower:g} is above its upper limit {upper:g}; they are exchanged")
        lower, upper = upper, lower
    if limited:
        joint.lower = lower if lower > -UNLIMITED else None
        joint.upper = upper if upper < UNLIMITED else None
    effort, velocity = (number_of(limit, tag, -1.0) for tag in ("effort", "velocity"))
    joint.effort = effort if 0.0 <= effort < UNLIMITED else None
    joint.velocity = velocity if 0.0 <= velocity < UNLIMITED else None


def _not_negative(node: Node, dynamics: Node, tag: str) -> float:
    value = number_of(dynamics, tag, 0.0)
    if value < 0.0:
        raise node.error(f"{tag} in <dynamics> must not be negative, got {value:g}")
    return value


def _screw(node: Node, hinge: JointPart, machine: Machine) -> list[JointPart]:
    """A slide before the hinge: travel = pitch / (2 pi) angle."""
    if node.one("screw_thread_pitch") is None:
        raise node.error(
            "a screw needs <screw_thread_pitch>, its travel per turn in meters; <thread_pitch> is obsolete"
        )
    pitch = number_of(node, "screw_thread_pitch", 0.0)
    if pitch == 0.0:
        raise node.error("its screw_thread_pitch must not be zero")
    slide = JointPart(f"{hinge.name} travel", "slide", node.title, axis=hinge.axis, anchor=hinge.anchor)
    coefficients = (0.0, pitch / (2.0 * math.pi))
    machine.ties.append(Tie(f"{hinge.name} thread", node.title, slide.name, hinge.name, coefficients))
    return [slide, hinge]


def _mimic(node: Node, joint: JointPart, machine: Machine) -> None:
    """q = multiplier (q_other - reference) + offset."""
    axis = node.one("axis")
    mimic = None if axis is None else axis.one("mimic")
    if mimic is None:
        return
    other, factor = mimic.word("joint"), number_of(mimic, "multiplier", 1.0)
    offset = number_of(mimic, "offset", 0.0) - factor * number_of(mimic, "reference", 0.0)
    machine.ties.append(Tie(f"{joint.name} mimic", node.title, joint.name, other, (offset, factor)))
