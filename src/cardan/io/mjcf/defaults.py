"""Settings and default classes of MJCF.

    <default> <joint damping="1"/> <default class="knee"> <joint armature="0.1"/> </default> </default>

A class inherits the attributes of the class around it. An element takes those of the class that it names, otherwise of
the nearest `childclass` around it, otherwise of the outermost class.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cardan.errors import ModelError
from cardan.io.document import Node, near
from cardan.io.pose import Pose, pose, turn_about
from cardan.model import check
from cardan.spatial import rotation

MAIN = "main"
MAX_CLASSES = 50  # nested classes
TURNS = ("quat", "axisangle", "euler", "xyaxes", "zaxis")  # ways to state an orientation
Attributes = dict[str, dict[str, str]]  # by tag


@dataclass
class MjcfSettings:
    """The settings of <compiler>; angles are in degrees by default."""

    degrees: bool = True
    sequence: str = "XYZ"  # upper case: rotations about moving axes
    autolimits: bool = True
    from_geoms: str = "auto"
    groups: tuple[float, float] = (0, 5)
    meshes: str = ""
    mesh_inertia: str = "legacy"  # of meshes without a rule
    strip: bool = False
    least_mass: float = 0.0
    least_inertia: float = 0.0
    balance: bool = False
    total: float = -1.0

    def take(self, node: Node) -> None:
        """The settings of one <compiler> element."""
        if node.choice("coordinate", ("local", "global"), "local") == "global":
            raise node.error(
                "coordinate='global' is not supported by MJCF any more; state positions in the frames of parents"
            )
        if "angle" in node.attributes:
            self.degrees = node.choice("angle", ("degree", "radian")) == "degree"
        if "eulerseq" in node.attributes:
            self.sequence = node.word("eulerseq").swapcase()  # in MJCF, lower case is about moving axes
            try:
                rotation.from_angles(self.sequence, (0.0, 0.0, 0.0))
            except ModelError:
                raise node.error(f"eulerseq must be three axes such as xyz, got {node.word('eulerseq')!r}") from None
        for name, key in (("autolimits", "autolimits"), ("strip", "strippath"), ("balance", "balanceinertia")):
            setattr(self, name, node.flag(key, getattr(self, name)))
        if node.flag("exactmeshinertia", False):  # of older versions
            self.mesh_inertia = "exact"
        self.from_geoms = node.choice("inertiafromgeom", ("auto", "true", "false"), self.from_geoms)
        low, high = node.vector("inertiagrouprange", 2, self.groups)
        self.groups = low, high
        self.meshes = node.attributes.get("meshdir", node.attributes.get("assetdir", self.meshes))
        for name, key in (("least_mass", "boundmass"), ("least_inertia", "boundinertia"), ("total", "settotalmass")):
            setattr(self, name, node.number(key, getattr(self, name)))

    def angle(self, value: float) -> float:
        """An angle of the file in radians."""
        return math.radians(value) if self.degrees else value

    def place(self, node: Node) -> Pose:
        """Position and orientation of an element in its parent."""
        return pose(node.vector("pos", 3, (0.0, 0.0, 0.0)), self.turn(node))

    def turn(self, node: Node) -> NDArray:
        """The orientation, stated in one of five ways."""
        stated = [name for name in TURNS if name in node.attributes]
        if len(stated) > 1:
            raise node.error(f"its orientation is stated twice, by {' and '.join(stated)}; remove one")
        if not stated:
            return np.array([1.0, 0.0, 0.0, 0.0])
        return {
            "quat": self._quat, "axisangle": self._axisangle, "euler": self._euler, "xyaxes": self._xyaxes,
            "zaxis": lambda node: z_axis(node, np.array(node.vector("zaxis", 3))),
        }[stated[0]](node)  # fmt: skip

    def _quat(self, node: Node) -> NDArray:
        return unit(node, np.array(node.vector("quat", 4)), "quat")

    def _axisangle(self, node: Node) -> NDArray:
        *axis, angle = node.vector("axisangle", 4)
        return turn_about(unit(node, np.array(axis), "the axis of axisangle"), self.angle(angle))

    def _euler(self, node: Node) -> NDArray:
        return rotation.from_angles(self.sequence, [self.angle(value) for value in node.vector("euler", 3)])

    def _xyaxes(self, node: Node) -> NDArray:
        six = node.vector("xyaxes", 6)
        return rotation.from_axes(x=six[:3], y=six[3:], what=node.title)


def unit(node: Node, vector: NDArray, what: str) -> NDArray:
    """A vector with length 1."""
    size = float(np.linalg.norm(vector))
    if size < 1e-9:
        raise node.error(f"{what} has zero length")
    return vector / size


def z_axis(node: Node, axis: NDArray) -> NDArray:
    """The smallest rotation of the z axis to a direction."""
    z = unit(node, axis, "zaxis")
    across = np.array([-z[1], z[0], 0.0])
    size = float(np.linalg.norm(across))
    if size < 1e-12:
        return np.array([1.0, 0.0, 0.0, 0.0] if z[2] > 0.0 else [0.0, 1.0, 0.0, 0.0])
    return turn_about(across / size, math.atan2(size, z[2]))


class Classes:
    """Attributes by class and tag."""

    def __init__(self, sections: list[Node]) -> None:
        self.known: dict[str, Attributes] = {MAIN: {}}
        for section in sections:
            self._take(section, section.attributes.get("class", MAIN), {}, outermost=True)

    def _take(self, node: Node, name: str, around: Attributes, outermost: bool = False, depth: int = 1) -> None:
        if depth > MAX_CLASSES:
            raise node.error(f"classes are nested deeper than {MAX_CLASSES} levels")
        if outermost:
            name = MAIN  # the class of elements that name none
            own = self.known[MAIN]
        elif name in self.known:
            raise node.error(f"there are two classes '{name}'; names must differ")
        else:
            own = {tag: dict(attributes) for tag, attributes in around.items()}
        for child in node.children:
            if child.tag != "default":
                own[child.tag] = merged(own.get(child.tag, {}), child.attributes)
        self.known[name] = own
        if outermost and "class" in node.attributes:
            self.known[node.attributes["class"]] = own
        for child in node.all("default"):
            self._take(child, child.word("class"), own, depth=depth + 1)

    def resolved(self, node: Node, childclass: str | None, tag: str | None = None) -> Node:
        """The element with the attributes of its class."""
        name = node.attributes.get("class", childclass) or MAIN
        self.require(node, name)
        found = Node(node.tag, merged(self.known[name].get(tag or node.tag, {}), node.attributes), node.path, node.line)
        found.children = node.children
        return found

    def require(self, node: Node, name: str) -> str:
        """The name of a class, which must exist."""
        if name not in self.known:
            raise node.error(f"there is no class {check.short_repr(name)}{near(name, list(self.known))}")
        return name


def merged(class_attributes: dict[str, str], own: dict[str, str]) -> dict[str, str]:
    """The attributes of a class, replaced by those of an element; an orientation replaces any other form of it."""
    kept: dict[str, Any] = dict(class_attributes)
    if any(name in own for name in TURNS) or "fromto" in own:
        kept = {name: value for name, value in kept.items() if name not in TURNS}
    return kept | own
