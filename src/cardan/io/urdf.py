r"""Models from URDF files: a tree of links, each with one joint to its parent.

    link --origin--> joint frame = link frame of the child, turned by q about the axis, or moved along it

    <robot name="arm">
      <link name="base"/>
      <link name="upper"> <inertial> <origin xyz rpy/> <mass value/> <inertia ixx .../> </inertial> <visual/> </link>
      <joint name="shoulder" type="revolute"> <parent link/> <child link/> <origin/> <axis xyz/> <limit/> </joint>
    </robot>

Angles are in radians; rpy are turns about fixed axes x, y, z. Products of inertia have tensor sign, as in Cardan.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.errors import ModelError
from cardan.io.building.build import Options, build
from cardan.io.document import Node, near, read_document
from cardan.io.imported import FileModel
from cardan.io.inertia import checked_matter
from cardan.io.meshes import MeshFinder
from cardan.io.paint import materials, visual_paint
from cardan.io.parts import JointPart, LinkPart, Machine, Tie
from cardan.io.pose import Pose, pose
from cardan.io.solids import Solid
from cardan.model import check
from cardan.model.body import Vector
from cardan.spatial import rotation
from cardan.untrusted import Reach

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

KINDS = {"revolute": "hinge", "continuous": "hinge", "prismatic": "slide", "floating": "free", "planar": "plane"}
TYPES = (*KINDS, "fixed")
KNOWN = {  # known children; others are listed in a warning
    "robot": ("link", "joint", "material"),
    "link": ("inertial", "visual", "collision"),
    "joint": (
        "origin",
        "parent",
        "child",
        "axis",
        "limit",
        "dynamics",
        "mimic",
        "safety_controller",
        "calibration",
    ),  # fmt: skip
}


def from_urdf(
    path: str | Path,
    *,
    q: Mapping[str, float | Sequence[float]] | None = None,
    v: Mapping[str, float | Sequence[float]] | None = None,
    base: str = "fixed",
    position: Vector = (0.0, 0.0, 0.0),
    orientation: ArrayLike | None = None,
    gravity: Vector = (0.0, 0.0, -9.81),
    packages: str | Path | Mapping[str, str | Path] | None = None,
    name: str | None = None,
    limits: bool = False,
    stiffness: float | None = None,
    damping: float = 0.0,
    friction: bool = True,
    strict: bool = False,
    allow: Sequence[str | Path] = (),
) -> FileModel:
    """Import a URDF file as a spatial model; bodies and joints have the names of the file.

    Links become bodies in their own frames, revolute and continuous joints `Revolute`, prismatic joints
    `Translational`, planar joints `Planar`, fixed joints `Fixed`; floating links have no joint. Coordinates equal
    those of the file: `model["elbow"].angle`. A massless link on a fixed joint is a marker, `model.frames["tool"]`,
    and a `Point`.
    Dynamics are a `Spring` with damping and `Friction`, mimic joints a `Coupler`.

    - `q`: values of joints by name; {"elbow": 0.5}. Others are 0. Planar joints take (x, y, angle), floating ones
      (x, y, z, e0, e1, e2, e3) in the global frame.
    - `v`: initial velocities of joints by name; {"elbow": 2.0}. Planar joints take three numbers, floating ones the
      velocity of the origin in the global frame and the angular velocity in axes of the body.
    - `base`: "fixed" welds the root link to ground, "free" lets it float, at `position` and `orientation`.
    - `packages`: the folder that contains the packages of package:// names, or a dictionary of their folders. By
      default, folders with a package.xml at, beside and above the file are searched.
    - `allow`: other folders from which it may read meshes.
    - `limits=True` adds a `Stop` at the limits of each joint, with `stiffness` and `damping`. The limits are always
      available: `model.joints["elbow"].upper`, `.effort`, `.velocity`.
    - `friction=False` omits dry friction.
    - `strict=True` raises if a mesh is missing; otherwise a warning names it, and the link is drawn without it.

    >>> from cardan import from_urdf, joint_space
    >>> from cardan.examples import data
    >>> arm = from_urdf(data("arm.urdf"), q={"elbow": 0.5})
    >>> arm.joints["elbow"].upper, arm["elbow"].title
    (2.6, "Revolute 'elbow'")
    >>> joint_space(arm).coordinates[:3]
    ('base.angle', 'shoulder.angle', 'elbow.angle')
    """
    source = check.path(path, "the path of from_urdf()")
    root = read_document(source)
    meshes = MeshFinder(source.parent, Reach(source.parent, allow), packages, check.flag(strict, "strict"))
    machine = _read(root, source, meshes, base)
    machine.gravity = check.vector(gravity, 3, "gravity")
    if name is not None:
        machine.name = name
    place = check.vector(position, 3, "the position of the base")
    machine.links[0].place = pose(place, rotation.euler_parameters(orientation, "the orientation of the base"))
    return build(machine, Options(q=q, v=v, limits=limits, stiffness=stiffness, damping=damping, friction=friction))


def _read(root: Node, source: Path, meshes: MeshFinder, base: str) -> Machine:
    if root.tag != "robot":
        raise root.error("a URDF file begins with <robot>; from_mjcf() reads <mujoco> files")
    check.choice(base, ("fixed", "free"), "the base")
    machine = Machine(root.attributes.get("name", "").strip() or source.stem, source, (0.0, 0.0, 0.0))
    machine.massless_motion = True  # such files describe motion only
    _note_unknown(root, machine)
    links = _by_name(root, "link", machine)
    joints = _by_name(root, "joint", machine)
    if not links:
        raise root.error("there is no <link> in it")
    _add_world(links, joints)
    held, paints = _holders(links, joints), materials(root.all("material"))
    for name in _order(root, links, held):
        machine.links.append(_link(links[name], held.get(name), paints, meshes))
    if base == "free":
        first = machine.links[0]
        first.joints.append(JointPart(f"{first.name} pose", "free", first.where))
    _tie(machine, joints)
    return machine


def _by_name(root: Node, tag: str, machine: Machine) -> dict[str, Node]:
    found: dict[str, Node] = {}
    for node in root.all(tag):
        name = node.word("name")
        if name in found:
            raise node.error(f"line {found[name].line} has a {tag} of the same name; names must differ")
        _note_unknown(node, machine)
        found[name] = node
    return found


def _add_world(links: dict[str, Node], joints: dict[str, Node]) -> None:
    """A link "world" that is used but not defined, as some programs allow: the root, without mass."""
    for joint in joints.values():
        parent = joint.one("parent")
        if "world" not in links and parent is not None and parent.attributes.get("link") == "world":
            parent.warn("link 'world' is not defined; it is the root, without mass")
            links["world"] = Node("link", {"name": "world"}, parent.path, parent.line)


def _note_unknown(node: Node, machine: Machine) -> None:
    """Note unknown and unsupported elements, once for each tag."""
    for child in node.children:
        if child.tag.startswith("xacro:"):
            raise child.error("this is a xacro file: run `xacro file.xacro > file.urdf` first")
        if child.tag not in KNOWN[node.tag]:
            note = f"<{child.tag}> in <{node.tag}>" if node.tag != "robot" else f"<{child.tag}>"
            if note not in machine.noted:
                machine.noted.add(note)
                machine.left_out.append(f"{note} (line {child.line})")


# --- the tree --------------------------------------------------------------------------------------------------------


def _holders(links: dict[str, Node], joints: dict[str, Node]) -> dict[str, Node]:
    """The joint of each link to its parent, by the name of the link."""
    held: dict[str, Node] = {}
    for joint in joints.values():
        ends = [_end(joint, tag, links) for tag in ("parent", "child")]
        if ends[0] == ends[1]:
            raise joint.error(f"it joins link '{ends[0]}' to itself")
        if ends[1] in held:
            other = held[ends[1]]
            raise joint.error(
                f"link '{ends[1]}' is already the child of joint '{other.attributes['name']}' in line {other.line}; a "
                f"URDF is a tree: close the loop with a joint that you add to the model"
            )
        held[ends[1]] = joint
    return held


def _end(joint: Node, tag: str, links: dict[str, Node]) -> str:
    node = joint.one(tag)
    if node is None:
        raise joint.error(f"it has no <{tag}>")
    name = node.word("link")
    if name not in links:
        raise node.error(
            f"joint '{joint.attributes['name']}' refers to an unknown link '{name}'{near(name, list(links))}"
        )
    return name


def _order(root: Node, links: dict[str, Node], held: dict[str, Node]) -> list[str]:
    """Names of links, parents before children, children in the order of their joints; one root, no circles."""
    roots = [name for name in links if name not in held]
    if len(roots) > 1:
        second = links[roots[1]]
        raise second.error(
            f"neither it nor '{roots[0]}' is the child of a joint: links {_some(roots)} are not connected; join them, "
            f"or remove those that are not part of the machine"
        )
    children: dict[str, list[str]] = {}
    for child, joint in held.items():
        children.setdefault(_end(joint, "parent", links), []).append(child)
    order, waiting = [], list(roots)
    while waiting:
        name = waiting.pop()
        order.append(name)
        waiting += reversed(children.get(name, []))
    reached = set(order)
    lost = [name for name in links if name not in reached]
    if lost:
        raise links[lost[0]].error(f"links {_some(lost)} are joined in a circle; a URDF is a tree")
    return order


def _some(names: list[str]) -> str:
    """The first names, for a message."""
    more = f" and {len(names) - 10} more" if len(names) > 10 else ""
    return ", ".join(map(repr, names[:10])) + more


# --- links and joints ------------------------------------------------------------------------------------------------


def _link(node: Node, joint: Node | None, paints: dict[str, str], meshes: MeshFinder) -> LinkPart:
    link = LinkPart(node.attributes["name"], node.title, None)
    link.matter = _inertial(node)
    visual, collision = (list(node.all(tag)) for tag in ("visual", "collision"))
    for shape in visual or collision:
        solid = _solid(shape, meshes)
        if solid is not None:
            link.solids.append(replace(solid, paint=visual_paint(shape, paints)))
    if joint is not None:
        parent = joint.one("parent")
        assert parent is not None
        link.parent = parent.word("link")
        link.place = _origin(joint)
        moving = _joint(joint)
        link.joints = [moving] if moving is not None else []
    return link


def _inertial(link: Node) -> Any:
    node = link.one("inertial")
    if node is None:
        return None
    mass, inertia = node.one("mass"), node.one("inertia")
    if mass is None or inertia is None:
        raise link.error(f"its <inertial> in line {node.line} has no <{'mass' if mass is None else 'inertia'}>")
    xx, yy, zz = (inertia.number(f"i{a}{a}") for a in "xyz")
    xy, xz, yz = (inertia.number(name, 0.0) for name in ("ixy", "ixz", "iyz"))
    tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return checked_matter(link, mass.number("value"), tensor, _origin(node))


def _origin(node: Node) -> Pose:
    origin = node.one("origin")
    if origin is None:
        return pose()
    point, rpy = origin.vector("xyz", 3, (0.0, 0.0, 0.0)), origin.vector("rpy", 3, (0.0, 0.0, 0.0))
    return pose(point, rotation.from_angles("xyz", rpy))


def _joint(node: Node) -> JointPart | None:
    """The joint in the frame of its child; None if it is fixed."""
    kind = node.choice("type", TYPES)
    if kind == "fixed":
        return None
    joint = JointPart(node.attributes["name"], KINDS[kind], node.title)
    axis = _axis(node)
    stated = axis.vector("xyz", 3, (1.0, 0.0, 0.0)) if axis is not None else (1.0, 0.0, 0.0)
    size = math.hypot(*stated)
    if size < 1e-9 and kind != "floating":
        raise node.error("its axis has zero length; state a direction such as 0 0 1")
    joint.axis = tuple(component / size for component in stated) if size else (0.0, 0.0, 1.0)
    _limit(node, joint, kind)
    dynamics = node.one("dynamics")
    if dynamics is not None:
        joint.damping, joint.friction = (_not_negative(dynamics, name, node) for name in ("damping", "friction"))
        if joint.kind in ("plane", "free") and (joint.damping or joint.friction):
            raise node.error(f"its <dynamics> are not supported for the type {kind}; remove them")
    return joint


def _axis(node: Node) -> Node | None:
    """The axis of a joint; stated twice it counts once, unless the two differ."""
    axes = list(node.all("axis"))
    if len(axes) > 1 and len({axis.vector("xyz", 3, (1.0, 0.0, 0.0)) for axis in axes}) == 1:
        node.warn(f"it has {len(axes)} equal elements <axis>; one is used")
        return axes[0]
    return node.one("axis")


def _limit(node: Node, joint: JointPart, kind: str) -> None:
    limit = node.one("limit")
    if limit is None:
        if kind in ("revolute", "prismatic"):
            raise node.error(f"type {kind} needs a <limit>; a hinge without limits has the type continuous")
        return
    if kind in ("revolute", "prismatic"):
        joint.lower, joint.upper = limit.number("lower", 0.0), limit.number("upper", 0.0)
        if joint.lower > joint.upper:
            node.warn(f"its lower limit {joint.lower:g} is above its upper limit {joint.upper:g}; they are exchanged")
            joint.lower, joint.upper = joint.upper, joint.lower
    for name in ("effort", "velocity"):
        if name in limit.attributes:
            setattr(joint, name, _not_negative(limit, name, node))


def _not_negative(node: Node, name: str, joint: Node) -> float:
    value = node.number(name, 0.0)
    if value < 0.0:
        raise joint.error(f"{name} in <{node.tag}> must not be negative, got {value:g}")
    return value


def _tie(machine: Machine, nodes: dict[str, Node]) -> None:
    """Mimic joints: q = multiplier * q_other + offset."""
    joints = machine.joints()
    for name, node in nodes.items():
        mimic = node.one("mimic")
        if mimic is None:
            continue
        other = mimic.word("joint")
        if node.attributes.get("type", "").strip() == "fixed":
            node.warn(f"it mimics '{other}', but it is fixed; its <mimic> has no effect")
            continue
        if name not in joints or not joints[name].scalar:
            raise node.error("it cannot mimic another joint: it has no single coordinate")
        if other not in joints or not joints[other].scalar or other == name:
            raise mimic.error(
                f"joint '{name}' mimics '{other}', which is not another joint with one coordinate"
                f"{near(other, list(joints))}"
            )
        coefficients = mimic.number("offset", 0.0), mimic.number("multiplier", 1.0)
        machine.ties.append(Tie(f"{name} mimic", mimic.title, name, other, coefficients))
    leader = {tie.joint: tie.other for tie in machine.ties}
    ends: set[str | None] = set()  # already checked
    for tie in machine.ties:
        seen, at = {tie.joint}, tie.other
        while at in leader and at not in ends:
            if at in seen:
                raise ModelError(f"{tie.where}: joints {_some(sorted(seen))} mimic each other in a circle")
            seen.add(at)
            at = leader[at]
        ends |= seen


# --- shapes ----------------------------------------------------------------------------------------------------------


def _solid(node: Node, meshes: MeshFinder) -> Solid | None:
    geometry = node.one("geometry")
    shape = geometry.children[0] if geometry is not None and geometry.children else None
    if shape is None:
        raise node.error("it has no <geometry> with a shape")
    place, name = _origin(node), node.attributes.get("name", "")
    if shape.tag == "mesh":
        scale = _scale(shape)
        surface = meshes.surface(shape.word("filename"), scale, shape)
        return None if surface is None else Solid("mesh", (), place, surface, name)
    names = {"box": (), "sphere": ("radius",), "cylinder": ("radius", "length"), "capsule": ("radius", "length")}
    if shape.tag not in names:
        raise shape.error(f"the shape must be box, cylinder, sphere or mesh{near(shape.tag, list(names))}")
    sizes = shape.vector("size", 3) if shape.tag == "box" else tuple(shape.number(n) for n in names[shape.tag])
    if min(sizes) == 0.0:
        shape.warn(f"its size is zero, {', '.join(f'{size:g}' for size in sizes)}; it is not drawn")
        return None
    if min(sizes) < 0.0:
        raise shape.error(f"its sizes must be positive, got {', '.join(f'{size:g}' for size in sizes)}")
    return Solid(shape.tag, sizes, place, None, name)


def _scale(mesh: Node) -> tuple[float, ...]:
    """The scale of a mesh along three axes; a single number counts for all of them."""
    stated = mesh.numbers("scale") if "scale" in mesh.attributes else (1.0, 1.0, 1.0)
    if len(stated) == 1:
        mesh.warn(f"its scale is one number, {stated[0]:g}; it is used along all three axes")
        return (stated[0],) * 3
    if len(stated) > 3:
        mesh.warn(f"its scale has {len(stated)} numbers; the first three are used")
        return tuple(stated[:3])
    return mesh.vector("scale", 3, (1.0, 1.0, 1.0))
