"""The frames of an SDF model: links, joints and named frames, each posed in another one.

<pose relative_to="arm">x y z  roll pitch yaw</pose>       attached_to, parent and child name frames, too
"""

from __future__ import annotations

import math

from cardan.io.document import Node, near
from cardan.io.pose import Pose, pose
from cardan.spatial import rotation

MODEL, WORLD = "__model__", "world"
TEXT = "text"
MAX_FRAME_DEPTH = 500  # frames in frames


def text_of(node: Node, tag: str, default: str | None = None) -> str:
    """The text of a child; without a default it is required."""
    child = node.one(tag)
    if child is None or not child.text:
        if default is None:
            raise node.error(f"its <{tag}> is missing or empty")
        return default
    return child.text


def numbers_of(node: Node, tag: str, size: int, default: tuple[float, ...]) -> tuple[float, ...]:
    """The numbers in a child."""
    child = node.one(tag)
    if child is None or not child.text:
        return default
    child.attributes[TEXT] = child.text
    return child.vector(TEXT, size)


def number_of(node: Node, tag: str, default: float) -> float:
    """The number in a child."""
    return numbers_of(node, tag, 1, (default,))[0]


def flag_of(node: Node, tag: str, default: bool) -> bool:
    """A child that is true or false, or 1 or 0."""
    child = node.one(tag)
    if child is None or not child.text:
        return default
    words = {"true": True, "1": True, "false": False, "0": False}
    if child.text.lower() not in words:
        raise child.error(f"it must be true or false, got {child.text!r}")
    return words[child.text.lower()]


def own_pose(node: Node) -> Pose:
    """The pose of an element in the frame it is relative to."""
    found = node.one("pose")
    if found is None or not found.text:
        return pose()
    if found.attributes.get("frame", "").strip():
        raise found.error("frame= belongs to SDF 1.5 and 1.6 and had no fixed meaning; write relative_to=, version 1.7")
    found.attributes[TEXT] = found.text
    form = found.choice("rotation_format", ("euler_rpy", "quat_xyzw"), "euler_rpy")
    if form == "quat_xyzw":
        x, y, z, e1, e2, e3, e0 = found.vector(TEXT, 7)
        return pose((x, y, z), rotation.euler_parameters((e0, e1, e2, e3), "the quaternion of a pose"))
    place = found.vector(TEXT, 6)
    unit = math.pi / 180.0 if found.flag("degrees", False) else 1.0
    return pose(place[:3], rotation.from_angles("xyz", tuple(unit * angle for angle in place[3:])))


class Frames:
    """The frames of a model by name, in the frame of the model."""

    def __init__(self, model: Node, links: dict[str, Node], joints: dict[str, Node], frames: dict[str, Node]) -> None:
        self.model, self.links, self.joints, self.frames = model, links, joints, frames
        self.known: dict[str, Pose] = {MODEL: pose()}

    def link_of(self, name: str, user: Node) -> str | None:
        """The link to which a frame is attached; None is the world."""
        seen: set[str] = set()
        while name not in self.links:
            if name == WORLD:
                return None
            if name == MODEL:
                return self.base(user)
            if name in seen:
                raise user.error(f"frame '{name}' is attached to itself")
            seen.add(name)
            if name in self.joints:
                name = text_of(self.joints[name], "child")
            elif name in self.frames:
                name = self.frames[name].attributes.get("attached_to", "").strip() or MODEL
            else:
                raise user.error(f"there is no frame '{name}'{near(name, self._names())}")
        return name

    def base(self, user: Node) -> str:
        """The link that carries the frame of the model: the canonical link."""
        stated = self.model.attributes.get("canonical_link", "").strip()
        if stated and stated not in self.links:
            raise self.model.error(f"its canonical_link is unknown: '{stated}'{near(stated, list(self.links))}")
        if not stated and not self.links:
            raise user.error("the model has no link")
        return stated or next(iter(self.links))

    def at(self, name: str, user: Node, depth: int = 0) -> Pose:
        """A frame in the frame of the model."""
        if name not in self.known:
            if depth > MAX_FRAME_DEPTH:
                raise user.error(f"the pose of '{name}' is relative to itself")
            node, usual = self._stated(name, user)
            stated = node.one("pose")
            base = stated.attributes.get("relative_to", "").strip() if stated is not None else ""
            if (base or usual) == WORLD:
                raise node.error("its pose is relative to the world; state it in the frame of the model")
            self.known[name] = self.at(base or usual, node, depth + 1).then(own_pose(node))
        return self.known[name]

    def of(self, node: Node, usual: str) -> Pose:
        """The pose of an element, by default relative to the frame `usual`, in the frame of the model."""
        stated = node.one("pose")
        base = stated.attributes.get("relative_to", "").strip() if stated is not None else ""
        return self.at(base or usual, node).then(own_pose(node))

    def _stated(self, name: str, user: Node) -> tuple[Node, str]:
        """The element of a frame, and the frame its pose is relative to unless it states another one."""
        if name in self.links:
            return self.links[name], MODEL
        if name in self.joints:
            return self.joints[name], text_of(self.joints[name], "child")
        if name in self.frames:
            node = self.frames[name]
            return node, node.attributes.get("attached_to", "").strip() or MODEL
        raise user.error(f"there is no frame '{name}'{near(name, self._names())}")

    def _names(self) -> list[str]:
        return [*self.links, *self.joints, *self.frames]
