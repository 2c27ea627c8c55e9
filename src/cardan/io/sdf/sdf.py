r"""Models from SDF files: links placed in the model, and joints between them.

    <sdf version="1.9"> <model name="arm">
      <link name="upper"> <pose>0 0 0.5 0 0 0</pose> <inertial> <mass>2</mass> <inertia> <ixx>0.1</ixx> ...
      <joint name="shoulder" type="revolute"> <parent>base</parent> <child>upper</child> <axis> <xyz>0 0 1</xyz> ...

All joints are at zero where links are placed. Links without a joint to the world float, unless the model is static.
"""

from __future__ import annotations

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
from cardan.io.paint import color_of
from cardan.io.parts import Closure, JointPart, LinkPart, Machine
from cardan.io.pose import Pose, pose
from cardan.io.sdf.frames import WORLD, Frames, flag_of, number_of, numbers_of, own_pose, text_of
from cardan.io.sdf.joints import closing_frames, joints_of
from cardan.io.solids import Solid
from cardan.model import check
from cardan.model.body import Vector
from cardan.spatial import rotation
from cardan.untrusted import Reach

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

KNOWN = {  # known children; others are listed in a warning
    "model": ("pose", "link", "joint", "frame", "static", "self_collide", "allow_auto_disable", "enable_wind"),
    "link": ("pose", "inertial", "visual", "collision", "gravity", "self_collide", "kinematic", "enable_wind"),
    "joint": ("pose", "parent", "child", "axis", "axis2", "screw_thread_pitch", "thread_pitch"),
}
GRAVITY = (0.0, 0.0, -9.8)  # of SDF worlds, unless stated


def from_sdf(
    path: str | Path,
    *,
    model: str | None = None,
    q: Mapping[str, float | Sequence[float]] | None = None,
    v: Mapping[str, float | Sequence[float]] | None = None,
    base: str = "free",
    position: Vector = (0.0, 0.0, 0.0),
    orientation: ArrayLike | None = None,
    gravity: Vector | None = None,
    packages: str | Path | Mapping[str, str | Path] | None = None,
    name: str | None = None,
    limits: bool = False,
    stiffness: float | None = None,
    damping: float = 0.0,
    friction: bool = True,
    strict: bool = False,
    allow: Sequence[str | Path] = (),
) -> FileModel:
    """Import a model of an SDF file, the format of Gazebo; bodies and joints have the names of the file.

    Links become bodies in their own frames, revolute, continuous, prismatic, ball and fixed joints those of Cardan.
    Universal and revolute2 joints are two hinges, `model.joints["name"]` and `model.joints["name 2"]`, a screw a slide
    and a hinge that a `Coupler` ties. A joint whose child already has one closes a loop. Frames with `relative_to`,
    `attached_to` and `expressed_in`, springs, dampers, friction, limits and mimic are imported; a gearbox, nested
    models and included files are rejected.

    - `model`: the model of the file, if it contains several.
    - `base`: links without a joint to the world are "free", or "fixed" to ground. Those of a static model are fixed.
    - `gravity`: by default that of the <world>, or (0, 0, -9.8), the default of the format.
    - The others are those of `from_urdf`; model:// names of meshes are found like package:// names.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from cardan import from_sdf
    >>> text = '''<sdf version="1.9"><model name="pendulum"><link name="rod"><inertial><pose>0 0 -0.5 0 0 0</pose>
    ... <mass>2</mass></inertial></link><joint name="pin" type="revolute"><parent>world</parent><child>rod</child>
    ... <axis><xyz>1 0 0</xyz></axis></joint></model></sdf>'''
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "pendulum.sdf")
    ...     _ = file.write_text(text)
    ...     pendulum = from_sdf(file, q={"pin": 0.5})
    >>> pendulum["rod"].mass, pendulum["pin"].title
    (2.0, "Revolute 'pin'")
    """
    source = check.path(path, "the path of from_sdf()")
    root = read_document(source)
    if root.tag != "sdf":
        raise root.error("an SDF file begins with <sdf>; from_urdf() reads <robot> and from_mjcf() <mujoco> files")
    check.choice(base, ("fixed", "free"), "the base")
    chosen, world = _chosen(root, model)
    meshes = MeshFinder(source.parent, Reach(source.parent, allow), packages, check.flag(strict, "strict"))
    usual = GRAVITY if world is None else numbers_of(world, "gravity", 3, GRAVITY)
    machine = Machine(chosen.called(source.stem), source, usual)
    for joint in () if world is None else world.all("joint"):
        machine.left_out.append(f"<joint> in <world> (line {joint.line})")
    if gravity is not None:
        machine.gravity = check.vector(gravity, 3, "gravity")
    if name is not None:
        machine.name = name
    _require_plain_placement(chosen)
    where = pose(
        check.vector(position, 3, "the position of the base"),
        rotation.euler_parameters(orientation, "the orientation of the base"),
    )
    _read(chosen, machine, meshes, (where.then(own_pose(chosen)), base, _version(root)))
    return build(machine, Options(q=q, v=v, limits=limits, stiffness=stiffness, damping=damping, friction=friction))


def _version(root: Node) -> float:
    text = root.attributes.get("version", "").strip()
    try:
        major, minor = (int(part) for part in text.split(".")[:2])
    except ValueError:
        raise root.error(f"its version must be two numbers such as 1.9, got {text!r}") from None
    return major + 0.01 * minor if minor >= 10 else major + 0.1 * minor


def _chosen(root: Node, wanted: str | None) -> tuple[Node, Node | None]:
    """The model, and the world around it."""
    worlds = list(root.all("world"))
    found = [(each, None) for each in root.all("model")] + [
        (each, world) for world in worlds for each in world.all("model")
    ]
    if not found:
        more = (
            "; <include> is not supported: import the file of the model"
            if any(w.one("include") for w in worlds)
            else ""
        )
        raise root.error(f"there is no <model> in it{more}")
    names = [each.called("") for each, _ in found]
    if wanted is not None:
        check.instance(wanted, str, "the model of from_sdf()")
        if wanted not in names:
            raise root.error(f"there is no model '{wanted}'{near(wanted, names)}; it has {', '.join(names)}")
        return found[names.index(wanted)]
    if len(found) > 1:
        raise root.error(f"it contains {len(found)} models, {', '.join(names)}: choose one, model='{names[0]}'")
    return found[0]


def _require_plain_placement(model: Node) -> None:
    """Reject models that the file does not place by their own frame in the world."""
    if model.attributes.get("placement_frame", "").strip():
        raise model.error("placement_frame= is not supported: state the pose of the model itself")
    stated = model.one("pose")
    base = "" if stated is None else stated.attributes.get("relative_to", "").strip()
    if stated is not None and base not in ("", WORLD):
        raise stated.error(f"the pose of a model relative to '{base}' is not supported: state it in the world")


def _read(model: Node, machine: Machine, meshes: MeshFinder, options: tuple[Pose, str, float]) -> None:
    where, base, version = options
    for tag in ("model", "include"):
        inner = next(model.all(tag), None)
        if inner is not None:
            raise inner.error(f"<{tag}> in a <model> is not supported: import each model separately")
    _note_unknown(model, machine)
    links, joints, named = (_by_name(model, tag, machine) for tag in ("link", "joint", "frame"))
    frames = Frames(model, links, joints, named)
    static = flag_of(model, "static", False)
    held, closing = _tree(links, joints, frames, version)
    children: dict[str | None, list[str]] = {}
    for link in links:
        children.setdefault(held[link][0] if link in held else None, []).append(link)
    waiting = children.get(None, [])[::-1]
    while waiting:
        link = waiting.pop()
        part = _link(links[link], machine, meshes)
        parent, joint = held.get(link, (None, None))
        part.parent = parent
        here = frames.at(link, links[link])
        part.place = where.then(here) if parent is None else frames.at(parent, links[link]).inverse().then(here)
        if joint is not None and not static:
            part.joints = joints_of(joint, frames, version, machine)
        elif joint is None and not static and base == "free":
            part.joints = [JointPart(f"{link} pose", "free", part.where)]
        machine.links.append(part)
        waiting += children.get(link, [])[::-1]
    for joint in [] if static else closing:
        _close(joint, machine, frames, (where, version))
    _check_ties(machine)
    for name, node in named.items():
        carrier = frames.link_of(name, node)
        if carrier is None:
            machine.left_out.append(f"frame '{name}', which is attached to the world (line {node.line})")
        else:
            part = next(each for each in machine.links if each.name == carrier)
            part.frames[name] = frames.at(carrier, node).inverse().then(frames.at(name, node))


def _by_name(model: Node, tag: str, machine: Machine) -> dict[str, Node]:
    found: dict[str, Node] = {}
    for node in model.all(tag):
        name = node.word("name")
        if name in found:
            raise node.error(f"line {found[name].line} has a {tag} of the same name; names must differ")
        if name in (WORLD, "__model__"):
            raise node.error(f"'{name}' is reserved: give it another name")
        if tag in KNOWN:
            _note_unknown(node, machine)
        found[name] = node
    return found


def _note_unknown(node: Node, machine: Machine) -> None:
    """Note unknown and unsupported elements, once for each tag."""
    for child in node.children:
        note = f"<{child.tag}> in <{node.tag}>"
        if child.tag not in KNOWN[node.tag] and note not in machine.noted:
            machine.noted.add(note)
            machine.left_out.append(f"{note} (line {child.line})")


def _tree(
    links: dict[str, Node], joints: dict[str, Node], frames: Frames, version: float
) -> tuple[dict[str, tuple[str | None, Node]], list[Node]]:
    """Parent and joint of each link, from the world and from links that no joint moves; other joints close loops."""
    ends: dict[str, tuple[str | None, str]] = {}
    for name, joint in joints.items():
        parent, child = (frames.link_of(text_of(joint, end), joint) for end in ("parent", "child"))
        if child is None:
            raise joint.error("its child is the world: exchange parent and child")
        if parent == child:
            raise joint.error(f"it joins link '{child}' to itself")
        ends[name] = parent, child
    led: dict[str | None, list[str]] = {}
    for name, (parent, _) in ends.items():
        led.setdefault(parent, []).append(name)
    moved = {child for _, child in ends.values()}
    roots = [None, *(link for link in links if link not in moved), *links]
    held: dict[str, tuple[str | None, Node]] = {}
    reached: set[str | None] = set()
    used: set[str] = set()
    for root in roots:
        waiting = [] if root in reached else [root]
        reached.add(root)
        while waiting:
            at = waiting.pop(0)
            for name in led.get(at, []):
                child = ends[name][1]
                if child not in reached:
                    held[child] = at, joints[name]
                    reached.add(child)
                    used.add(name)
                    waiting.append(child)
    return held, [joint for name, joint in joints.items() if name not in used]


def _close(joint: Node, machine: Machine, frames: Frames, options: tuple[Pose, float]) -> None:
    """A joint that closes a loop."""
    where, version = options
    parent, child = (frames.link_of(text_of(joint, end), joint) for end in ("parent", "child"))
    kind, on_parent, on_child = closing_frames(joint, frames, version)
    first = (parent, on_parent if parent is not None else where.then(on_parent))
    machine.closures.append(Closure(joint.attributes["name"].strip(), joint.title, kind, first, (child, on_child)))


def _check_ties(machine: Machine) -> None:
    joints = machine.joints()
    for tie in machine.ties:
        if tie.other not in joints or not joints[tie.other].scalar or tie.other == tie.joint:
            raise ModelError(
                f"{tie.where}: it mimics '{tie.other}', which is not another joint with one coordinate"
                f"{near(str(tie.other), list(joints))}"
            )


# --- links -----------------------------------------------------------------------------------------------------------


def _link(node: Node, machine: Machine, meshes: MeshFinder) -> LinkPart:
    link = LinkPart(node.attributes["name"].strip(), node.title, None)
    if not flag_of(node, "gravity", True):
        raise node.error("<gravity>false</gravity> is not supported: add a Load against its weight, or set gravity=")
    if flag_of(node, "kinematic", False):
        raise node.error("a kinematic link is not supported: drive a joint of it instead")
    link.matter = _inertial(node)
    visual, collision = (list(node.all(tag)) for tag in ("visual", "collision"))
    for shape in visual or collision:
        solid = _solid(shape, machine, meshes)
        if solid is not None:
            link.solids.append(replace(solid, paint=color_of(shape)))
    return link


def _inertial(link: Node) -> Any:
    """Mass and inertia; by the format, 1 kg and 1 kg m^2 where they are not stated."""
    node = link.one("inertial")
    if node is None:
        link.warn("it has no <inertial>: by the format its mass is 1 kg and its inertia 1 kg m^2 about all axes")
        return checked_matter(link, 1.0, np.eye(3), pose())
    if node.attributes.get("auto", "").strip().lower() in ("true", "1"):
        raise node.error("auto= is not supported: state mass and inertia")
    if node.one("fluid_added_mass") is not None:
        raise node.error("<fluid_added_mass> is not supported")
    given = node.one("inertia")
    tensor = np.eye(3)
    if given is not None:
        xx, yy, zz = (number_of(given, f"i{a}{a}", 1.0) for a in "xyz")
        xy, xz, yz = (number_of(given, name, 0.0) for name in ("ixy", "ixz", "iyz"))
        tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return checked_matter(link, number_of(node, "mass", 1.0), tensor, _local(node, "an <inertial>"))


def _local(node: Node, what: str) -> Pose:
    """A pose in the frame of the link."""
    stated = node.one("pose")
    if stated is not None and stated.attributes.get("relative_to", "").strip():
        raise stated.error(f"relative_to= of {what} is not supported: state its pose in the frame of the link")
    return own_pose(node)


def _solid(node: Node, machine: Machine, meshes: MeshFinder) -> Solid | None:
    geometry = node.one("geometry")
    shape = geometry.children[0] if geometry is not None and geometry.children else None
    if shape is None:
        raise node.error("it has no <geometry> with a shape")
    place, name = _local(node, f"a <{node.tag}>"), node.called("")
    if shape.tag == "mesh":
        uri = text_of(shape, "uri").replace("model://", "package://", 1)
        surface = meshes.surface(uri, numbers_of(shape, "scale", 3, (1.0, 1.0, 1.0)), shape)
        return None if surface is None else Solid("mesh", (), place, surface, name)
    sizes: tuple[float, ...]
    if shape.tag == "box":
        sizes = numbers_of(shape, "size", 3, (1.0, 1.0, 1.0))
    elif shape.tag == "ellipsoid":
        sizes = numbers_of(shape, "radii", 3, (1.0, 1.0, 1.0))
    elif shape.tag in ("sphere", "cylinder", "capsule"):
        tags = ("radius",) if shape.tag == "sphere" else ("radius", "length")
        sizes = tuple(number_of(shape, tag, 1.0 if shape.tag != "capsule" else 0.5) for tag in tags)
    else:
        note = f"<{shape.tag}> in <geometry>"
        if note not in machine.noted:
            machine.noted.add(note)
            machine.left_out.append(f"{note} (line {shape.line})")
        return None
    if min(sizes) == 0.0:
        shape.warn(f"its size is zero, {', '.join(f'{size:g}' for size in sizes)}; it is not drawn")
        return None
    if min(sizes) < 0.0:
        raise shape.error(f"its sizes must be positive, got {', '.join(f'{size:g}' for size in sizes)}")
    return Solid(shape.tag, sizes, place, None, name)
