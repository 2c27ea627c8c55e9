r"""Models from MJCF files of MuJoCo: nested bodies with joints and geoms.

    <mujoco> <worldbody>
      <body name="thigh" pos="0 0 1">                       frame of the body in its parent
        <joint name="hip_x" axis="1 0 0"/>                  none: welded; several: one after the other
        <joint name="hip_y" axis="0 1 0"/>
        <geom type="capsule" fromto="0 0 0 0 0 -.4" size=".05"/>     its mass, unless <inertial> states it
        <body name="shin" pos="0 0 -.4"> ... </body>
      </body>
    </worldbody> <equality> <connect body1="shin" body2="foot" anchor="0 0 0"/> </equality> </mujoco>

Equalities are exact constraints; in MuJoCo they are soft. Contacts between bodies,
sensors, and tendons that wrap around geoms are listed but not built.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from cardan.errors import ModelError
from cardan.io.building.build import Options, build
from cardan.io.building.velocities import RATES
from cardan.io.document import Node, near, read_document
from cardan.io.imported import FileModel
from cardan.io.meshes import MeshFinder
from cardan.io.mjcf.defaults import Classes, MjcfSettings
from cardan.io.mjcf.parts import (
    BODY,
    SITE,
    MeshAsset,
    bounded,
    geom_matter,
    geom_solid,
    has_mass,
    inertial_matter,
    joint_part,
    mesh_assets,
    touch_of,
)
from cardan.io.mjcf.relations import WORLD, key_values, take_actuator, take_contact, take_equality
from cardan.io.mjcf.tendons import take_tendon
from cardan.io.paint import geom_paint, materials
from cardan.io.parts import JointPart, LinkPart, Machine
from cardan.io.pose import Pose, pose
from cardan.model import check
from cardan.model.body import Vector
from cardan.untrusted import OutsideError, Reach

GRAVITY = (0.0, 0.0, -9.81)
QUIET = ("compiler", "option", "size", "visual", "statistic", "asset", "default", "custom", "keyframe")
BUILT = ("worldbody", "contact", "equality", "tendon", "actuator")
NOT_BUILT = ("sensor", "deformable", "extension", "skin")
INSIDE = ("inertial", "joint", "freejoint", "geom", "site", "body", "frame", "camera", "light")
TO_EXPAND = ("composite", "flexcomp", "replicate", "attach", "plugin")


def from_mjcf(
    path: str | Path,
    *,
    q: Mapping[str, float | Sequence[float]] | None = None,
    v: Mapping[str, float | Sequence[float]] | None = None,
    key: str | None = None,
    gravity: Vector | None = None,
    name: str | None = None,
    controls: Mapping[str, Any] | None = None,
    contacts: Mapping[str, Any] | None = None,
    limits: bool = False,
    stiffness: float | None = None,
    damping: float = 0.0,
    friction: bool = True,
    armature: bool = True,
    strict: bool = False,
    allow: Sequence[str | Path] = (),
) -> FileModel:
    """Import an MJCF file as a spatial model; bodies, joints and sites have the names of the file.

    Hinges become `Revolute`, slides `Translational`, balls `Spherical`; bodies without a joint are welded by `Fixed`,
    free bodies have no joint. Several joints of one body become a chain with massless bodies between them; each keeps
    its name and its coordinate, `model["hip_x"].angle`, which equals qpos of MuJoCo. Sites, and massless bodies that
    are welded, are markers, `model.frames["tip"]`, and `Point`s. Equalities: <connect> becomes a `Spherical`, <weld> a
    `Fixed`, <joint> a `Coupler`, `Hold` or a user constraint for its polynomial; they are exact.

    - `q`: values of joints by name, {"knee": 0.5}; balls take Euler parameters (e0, e1, e2, e3), free joints
      (x, y, z, e0, e1, e2, e3). `key` takes the others from a key frame.
    - `v`: initial velocities of joints by name; balls take the angular velocity in axes of the body, free joints the
      velocity of the origin in global axes and that angular velocity, as qvel of MuJoCo, which `key` contains.
    - `controls`: controls of actuators by name: a number, a motion or a signal, limited to ctrlrange, and their forces
      to forcerange. Motors, position and velocity servos and affine forces, also with filters, on joints and tendons,
      can be controlled; `model.actuators` lists all.
    - `contacts`: arguments of `Contact`, {"stiffness": 1e5, "restitution": 0.3}, for the contacts of spheres, capsules
      and boxes with the planes of the world; their friction is that of the file, unless stated.
    - Tendons are measures, `model.tendons["flexor"].measure`, with their springs, dampers and friction: sums of joint
      coordinates, and lines through sites.
    - `armature=False` omits the rotors of drives, `friction=False` dry friction.
    - `limits=True` adds a `Stop` at the limits of each joint, with `stiffness` and `damping`.
    - `gravity` replaces that of the file. `strict=True` raises if a mesh is missing.
    - `allow`: other folders from which it may include files and read meshes.

    >>> from cardan import from_mjcf, mobility
    >>> from cardan.examples import data
    >>> leg = from_mjcf(data("leg.xml"), key="crouched")
    >>> leg["knee"].title, round(leg.joints["knee"].upper, 4), mobility(leg).degrees_of_freedom
    ("Revolute 'knee'", 2.4435, 4)
    """
    source = check.path(path, "the path of from_mjcf()")
    reader = _Reader(source, check.flag(strict, "strict"), allow)
    machine = reader.machine
    if gravity is not None:
        machine.gravity = check.vector(gravity, 3, "gravity")
    if name is not None:
        machine.name = name
    if key is not None:
        for word, stated in (("q", q), ("v", v)):
            if stated is not None and not isinstance(stated, Mapping):
                raise ModelError(
                    f"{word} must be a dictionary of joints and their values, got {check.describe(stated)}"
                )
        q = key_values(reader.keys, key, machine) | dict(q or {})
        v = key_values(reader.keys, key, machine, "qvel", RATES) | dict(v or {})
    return build(
        machine,
        Options(
            q=q, v=v, limits=limits, stiffness=stiffness, damping=damping, friction=friction, armature=armature,
            controls=controls, contacts=contacts,
        ),
    )  # fmt: skip


@dataclass
class _Pending:
    """A body that is still to be read."""

    node: Node
    parent: str | None
    frame: Pose  # of the <frame> around it, in the parent
    childclass: str | None


@dataclass
class _Contents:
    """The elements of a body with their frames and classes."""

    joints: list[tuple[Node, Pose, str | None]] = field(default_factory=list)
    geoms: list[tuple[Node, Pose, str | None]] = field(default_factory=list)
    sites: list[tuple[Node, Pose, str | None]] = field(default_factory=list)
    bodies: list[tuple[Node, Pose, str | None]] = field(default_factory=list)
    inertial: Node | None = None


class _Reader:
    """Reads the file section by section."""

    def __init__(self, source: Path, strict: bool, allow: Sequence[str | Path]) -> None:
        root = read_document(source)
        if root.tag != "mujoco":
            raise root.error("an MJCF file begins with <mujoco>; from_urdf() reads <robot> files")
        reach = Reach(source.parent, allow)
        include(root, source.parent, reach, {source.resolve()})
        self.root, self.settings = root, MjcfSettings()
        self.machine = Machine(root.attributes.get("model", "").strip() or source.stem, source, GRAVITY)
        self.joints: dict[str, JointPart] = {}
        for section in root.children:
            if section.tag not in (*QUIET, *BUILT, *NOT_BUILT):
                raise section.error(
                    f"there is no such section in MJCF{near(section.tag, (*QUIET, *BUILT, *NOT_BUILT))}"
                )
        for compiler in root.all("compiler"):
            self.settings.take(compiler)
        self.classes = Classes(list(root.all("default")))
        self.keys = list(self._inside("keyframe", "key"))
        self._options()
        meshes = MeshFinder(source.parent, reach, None, strict)
        self.surfaces: dict[str, MeshAsset] = mesh_assets(
            list(self._inside("asset", "mesh")), self.classes, meshes, self.settings
        )
        self.paints = materials(self.classes.resolved(node, None) for node in self._inside("asset", "material"))
        self.links: dict[str, tuple[str | None, Pose]] = {WORLD: (None, pose())}
        self.sites: dict[str, tuple[str | None, Pose]] = {}
        self._bodies()
        self._scale()
        self._relations()
        self._note_ignored()

    def _inside(self, section: str, tag: str) -> Iterator[Node]:
        return (child for part in self.root.all(section) for child in part.all(tag))

    def _options(self) -> None:
        for option in self.root.all("option"):
            self.machine.gravity = option.vector("gravity", 3, self.machine.gravity)
            if any(any(option.numbers(word)) for word in ("density", "viscosity", "wind") if word in option.attributes):
                self.machine.left_out.append(f"fluid forces ({option.place})")
            for switch in option.all("flag"):
                if switch.choice("gravity", ("enable", "disable"), "enable") == "disable":
                    self.machine.gravity = (0.0, 0.0, 0.0)

    # --- bodies

    def _bodies(self) -> None:
        waiting: list[_Pending] = []
        for world in reversed(list(self.root.all("worldbody"))):
            contents = self._contents(world, None)
            self._shapes(self.machine.world, contents, None)
            if contents.joints or contents.inertial:
                raise world.error("the world has no joints and no inertia; put them into a <body>")
            waiting += [_Pending(node, None, frame, given) for node, frame, given in reversed(contents.bodies)]
        while waiting:  # depth first, in the order of the file
            seen = waiting.pop()
            link, contents = self._body(seen)
            self.machine.links.append(link)
            waiting += [_Pending(node, link.name, frame, given) for node, frame, given in reversed(contents.bodies)]
        if not self.machine.links:
            raise self.root.error("there is no <body> in its <worldbody>")

    def _body(self, pending: _Pending) -> tuple[LinkPart, _Contents]:
        node = pending.node
        node.only(BODY)
        name = self._name(node, self.links, "body")
        link = LinkPart(name, node.title, pending.parent, pending.frame.then(self.settings.place(node)))
        self.links[name] = name, pose()
        contents = self._contents(node, pending.childclass)
        self._joints(link, contents)
        self._shapes(link, contents, node)
        link.lifted = node.number("gravcomp", 0.0)
        if node.flag("mocap", False):
            self.machine.left_out.append(f"mocap of the body '{name}' ({node.place})")
        return link, contents

    def _contents(self, node: Node, childclass: str | None) -> _Contents:
        found = _Contents()
        waiting = [(node, pose(), childclass)]
        while waiting:
            around, frame, given = waiting.pop()
            given = self.classes.require(around, around.attributes.get("childclass", given or "main"))
            inner = []
            for child in around.children:
                if child.tag in TO_EXPAND:
                    raise child.error("it is expanded by MuJoCo alone: let it save the model, and read that file")
                if child.tag not in INSIDE:
                    raise child.error(f"there is no such element in a body{near(child.tag, INSIDE)}")
                if child.tag == "frame":
                    inner.append((child, frame.then(self.settings.place(child)), given))
                elif child.tag == "inertial":
                    if found.inertial is not None:
                        raise child.error("its body has another <inertial> already")
                    found.inertial = child
                elif child.tag not in ("camera", "light"):
                    kind = (
                        "joints"
                        if child.tag == "freejoint"
                        else f"{child.tag[:-1]}ies"
                        if child.tag == "body"
                        else f"{child.tag}s"
                    )
                    getattr(found, kind).append((child, frame, given))
            waiting += reversed(inner)
        return found

    def _joints(self, link: LinkPart, contents: _Contents) -> None:
        for plain, frame, given in contents.joints:
            node = plain if plain.tag == "freejoint" else self.classes.resolved(plain, given)
            number = f" {len(link.joints) + 1}" if len(contents.joints) > 1 else ""
            name = node.called(f"{link.name} joint{number}")
            if name in self.joints:
                raise node.error("there are two joints of this name; names must differ")
            joint = joint_part(node, name, frame, self.settings, self.machine.left_out)
            if joint.kind == "free" and (link.parent is not None or len(contents.joints) > 1):
                raise node.error("a free joint is the only one of its body, and its body is one of the world's")
            self.joints[name] = joint
            link.joints.append(joint)

    def _shapes(self, link: LinkPart, contents: _Contents, body: Node | None) -> None:
        """Solids, matter and sites."""
        weights = []
        weigh = body is not None and (contents.inertial is None or self.settings.from_geoms == "true")
        for plain, frame, given in contents.geoms:
            node = self.classes.resolved(plain, given)
            weighs = weigh and self.settings.from_geoms != "false" and has_mass(node, self.settings)
            solid = geom_solid(node, frame, self.settings, self.surfaces, weighs)
            if solid is not None:
                link.solids.append(replace(solid, paint=geom_paint(node, self.paints), touch=touch_of(node)))
            if weighs:
                missing = solid is None and node.attributes.get("type") == "mesh"
                try:
                    weights.append(geom_matter(node, solid, missing, self.settings))
                except ModelError:
                    if not self._immobile(link):
                        raise
                    node.warn("its mass is not known; its body does not move, and no motion depends on it")
        for plain, frame, given in contents.sites:
            node = self.classes.resolved(plain, given)
            node.only(SITE)
            if node.called(""):
                site = self._name(node, self.sites, "site")
                link.frames[site] = frame.then(self.settings.place(node))
                self.sites[site] = (None if body is None else link.name), link.frames[site]
        if body is not None:
            heavy = [weight for weight in weights if weight is not None]
            link.matter = sum(heavy[1:], heavy[0]) if heavy else None
            if contents.inertial is not None and self.settings.from_geoms != "true":
                link.matter = inertial_matter(contents.inertial, body, self.settings)
            link.matter = bounded(link.matter, self.settings)

    def _immobile(self, link: LinkPart) -> bool:
        """Whether a body and all bodies that carry it are fixed to the world, and no other mass depends on theirs."""
        if self.settings.total > 0.0:
            return False
        carriers = {other.name: other for other in self.machine.links}
        at: LinkPart | None = link
        while at is not None:
            if at.joints:
                return False
            at = None if at.parent is None else carriers[at.parent]
        return True

    def _name(self, node: Node, known: Mapping[str, Any], kind: str) -> str:
        count = len(known)
        while f"{kind}{count}" in known:
            count += 1
        name = node.called(f"{kind}{count}")
        if name in known:
            raise node.error(f"there are two elements {kind} called '{name}'; names must differ")
        return name

    def _scale(self) -> None:
        """Scale the machine to the mass of `settotalmass`."""
        heavy = [link for link in self.machine.links if link.matter is not None and link.matter.mass > 0.0]
        total = sum(link.matter.mass for link in heavy if link.matter is not None)
        if self.settings.total > 0.0 and total:
            for link in heavy:
                assert link.matter is not None
                link.matter = link.matter.scaled(mass=link.matter.mass * self.settings.total / total)

    # --- relations

    def _relations(self) -> None:
        for section in self.root.all("contact"):
            for node in section.children:
                take_contact(node, self.machine, self.links)
        for section in self.root.all("tendon"):
            for node in section.children:
                take_tendon(node, self.classes, self.joints, self.sites, self.machine, self.settings.autolimits)
        for section in self.root.all("equality"):
            for plain in section.children:
                node = self.classes.resolved(plain, None, "equality")
                take_equality(node, self.machine, self.joints, self.links, self.sites)
        for section in self.root.all("actuator"):
            for node in section.children:
                take_actuator(node, self.classes, self.joints, self.machine, self.settings.autolimits)

    def _note_ignored(self) -> None:
        """Note sections that are not built."""
        notes = self.machine.left_out
        for tag in NOT_BUILT:
            for section in self.root.all(tag):
                names = ", ".join(
                    f"'{child.attributes['name']}'" for child in section.children if "name" in child.attributes
                )
                if section.children:
                    notes.append(f"<{tag}> {names} ({section.place})".replace("  ", " "))


def include(root: Node, folder: Path, reach: Reach, read: set[Path]) -> None:
    """Replace <include> by the contents of the file; each file may be included once."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        children: list[Node] = []
        for child in node.children:
            children += [child] if child.tag != "include" else _included(child, folder, reach, read)
        node.children = children
        if any(child.tag == "include" for child in children):
            waiting.append(node)
        else:
            waiting += children


def _included(node: Node, folder: Path, reach: Reach, read: set[Path]) -> list[Node]:
    try:
        path = reach.found(folder, node.word("file"))
    except OutsideError as error:
        raise node.error(str(error)) from None
    if path in read:
        raise node.error(f"'{path.name}' is already included; each file may be included once")
    read.add(path)
    try:
        return read_document(path).children
    except ModelError as error:
        raise ModelError(f"{error} (included in {node.place})") from None
