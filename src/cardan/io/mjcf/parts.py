"""Joints, geoms, meshes and inertias of MJCF, in the frame of their body."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from cardan.errors import ModelError
from cardan.io.document import Node, near
from cardan.io.inertia import checked_matter
from cardan.io.meshes import MeshFinder
from cardan.io.mjcf.defaults import TURNS, Classes, MjcfSettings, unit, z_axis
from cardan.io.mjcf.mesh_matter import RULES
from cardan.io.parts import JointPart
from cardan.io.pose import Pose, pose
from cardan.io.solids import Solid, Touch, matter_of
from cardan.io.surface import Surface, hull, scaled
from cardan.spatial import rotation
from cardan.spatial.matter import SpatialMatter

KINDS = ("free", "ball", "slide", "hinge")
SIZES = {"sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "box": 3, "plane": 3}  # numbers of a geom's size
ALONG = ("capsule", "cylinder", "ellipsoid", "box")  # may be stated by fromto
LAST_DRAWN_GROUP = 2  # the last group of geoms that is drawn, as in the viewer of MuJoCo

_TURNED = frozenset({"name", "class", "pos", *TURNS})
JOINT = frozenset(
    "name class type group pos axis springdamper limited actuatorfrclimited solreflimit solimplimit solreffriction "
    "solimpfriction stiffness range actuatorfrcrange actuatorgravcomp margin ref springref armature damping "
    "frictionloss user align".split()
)
GEOM = _TURNED | frozenset(
    "type contype conaffinity condim group priority size material rgba friction mass density shellinertia solmix "
    "solref solimp margin gap fromto hfield mesh fitscale fluidshape fluidcoef user".split()
)
INERTIAL = _TURNED | {"mass", "diaginertia", "fullinertia"}
SITE = _TURNED | frozenset("type group material rgba size fromto user".split())
BODY = _TURNED | frozenset("childclass mocap gravcomp user sleep".split())


def joint_part(node: Node, name: str, frame: Pose, settings: MjcfSettings, notes: list[str]) -> JointPart:
    """A joint; `frame` is the frame in which it is stated, in that of the body."""
    node.only(JOINT)
    kind = "free" if node.tag == "freejoint" else node.choice("type", KINDS, "hinge")
    joint = JointPart(name, kind, node.title)
    joint.anchor = tuple(frame.at(node.vector("pos", 3, (0.0, 0.0, 0.0))))
    if kind in ("hinge", "slide"):
        axis = unit(node, np.array(node.vector("axis", 3, (0.0, 0.0, 1.0))), "axis")
        joint.axis = tuple(rotation.rotate(frame.turn, axis))
    angular = settings.angle if kind in ("hinge", "ball") else float
    joint.start = angular(node.number("ref", 0.0)) if joint.scalar else 0.0
    joint.rest = angular(node.number("springref", 0.0)) if joint.scalar else 0.0
    for ours, theirs in (
        ("stiffness", "stiffness"), ("damping", "damping"), ("friction", "frictionloss"), ("armature", "armature"),
    ):  # fmt: skip
        value = node.number(theirs, 0.0)
        if value < 0.0:
            raise node.error(f"{theirs} must not be negative, got {value:g}")
        setattr(joint, ours, value)
    _range(node, joint, settings, angular)
    _note_forces(node, joint, notes)
    return joint


def _range(node: Node, joint: JointPart, settings: MjcfSettings, angular: Callable[[float], float]) -> None:
    limited = node.choice("limited", ("true", "false", "auto"), "auto")
    stated = "range" in node.attributes
    if limited == "true" and not stated:
        raise node.error("it is limited, but has no range")
    if stated and limited == "auto" and not settings.autolimits:
        raise node.error("it has a range, but neither limited='true' nor 'false', and autolimits are off")
    if stated and limited != "false" and joint.kind != "free":
        low, high = (angular(value) for value in node.vector("range", 2))
        if low > high or (low == high and joint.kind == "ball"):
            raise node.error(f"its lower limit {low:g} is above its upper limit {high:g}; exchange them")
        joint.lower, joint.upper = (None if joint.kind == "ball" else low), high
    if "actuatorfrcrange" in node.attributes:
        joint.effort = max(map(abs, node.vector("actuatorfrcrange", 2)))


def _note_forces(node: Node, joint: JointPart, notes: list[str]) -> None:
    """Note forces that are not supported for joints with several degrees of freedom."""
    lost = []
    if joint.kind == "ball":
        lost = [word for word in ("friction", "armature") if getattr(joint, word)]
    elif joint.kind == "free":
        lost = [word for word in ("stiffness", "damping", "friction", "armature") if getattr(joint, word)]
    if "springdamper" in node.attributes:
        lost.append("springdamper")
    if lost:
        notes.append(f"{' and '.join(lost)} of the {joint.kind} joint '{joint.name}' ({node.place})")


def inertial_matter(node: Node, body: Node, settings: MjcfSettings) -> SpatialMatter | None:
    """The mass properties of <inertial>."""
    node.only(INERTIAL)
    mass = node.number("mass")
    if "fullinertia" in node.attributes:
        xx, yy, zz, xy, xz, yz = node.vector("fullinertia", 6)
        if "diaginertia" in node.attributes or any(name in node.attributes for name in TURNS):
            raise node.error("fullinertia is in the axes of the body: remove diaginertia and the orientation")
        tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    else:
        tensor = np.diag(node.vector("diaginertia", 3, (0.0, 0.0, 0.0)))
    return checked_matter(body, mass, tensor, settings.place(node))


class MeshAsset(NamedTuple):
    """A surface, or None if it is missing, and the rule of its mass properties."""

    surface: Surface | None
    rule: str


def geom_solid(
    node: Node, frame: Pose, settings: MjcfSettings, surfaces: dict[str, MeshAsset], weighs: bool = True
) -> Solid | None:
    """The solid of a geom; None for height fields and missing meshes. `weighs`: the mass of its body depends on it."""
    node.only(GEOM)
    kind = node.choice("type", (*SIZES, "mesh", "hfield", "sdf"), "sphere")
    if kind in ("hfield", "sdf"):
        return None
    name, drawn = node.attributes.get("name", ""), node.number("group", 0.0) <= LAST_DRAWN_GROUP
    if kind == "mesh":
        asset = node.word("mesh")
        if asset not in surfaces:
            raise node.error(f"there is no mesh '{asset}'{near(asset, list(surfaces))}")
        surface, rule = surfaces[asset]
        place = frame.then(settings.place(node))
        return None if surface is None else Solid("mesh", (), place, surface, name, drawn, rule)
    if "mesh" in node.attributes and not weighs:
        node.warn(f"a {kind} fitted to a mesh is not supported; it is not drawn, and no mass depends on it")
        return None
    if "mesh" in node.attributes:
        raise node.error(f"a {kind} fitted to a mesh is not supported; use type='mesh', or state its size")
    if "fromto" in node.attributes:
        place, sizes = _from_to(node, kind)
    else:
        place = settings.place(node)
        sizes = node.numbers("size")[: SIZES[kind]]
    if len(sizes) < SIZES[kind] or (min(sizes) <= 0.0 and kind != "plane"):
        raise node.error(f"the size of a {kind} must be {SIZES[kind]} positive numbers, got {sizes}")
    doubled = {"box": (2, 2, 2), "capsule": (1, 2), "cylinder": (1, 2)}.get(kind, (1,) * len(sizes))
    sizes = tuple(factor * size for factor, size in zip(doubled, sizes, strict=True))  # MJCF states half lengths
    return Solid(kind, sizes, frame.then(place), None, name, drawn)


def _from_to(node: Node, kind: str) -> tuple[Pose, tuple[float, ...]]:
    if kind not in ALONG:
        raise node.error(f"fromto is for {', '.join(ALONG)}, not for a {kind}")
    ends = np.array(node.vector("fromto", 6)).reshape(2, 3)
    along = ends[0] - ends[1]
    half = 0.5 * float(np.linalg.norm(along))
    if half < 1e-12:
        raise node.error("the points of fromto coincide")
    size = node.numbers("size")[0]
    place = pose(ends.mean(axis=0), z_axis(node, along))
    return place, (size, half) if SIZES[kind] == 2 else (size, size, half)


def has_mass(node: Node, settings: MjcfSettings) -> bool:
    """Whether a geom contributes to the mass of its body, if that is computed from geoms."""
    low, high = settings.groups
    mass, density = node.optional("mass"), node.number("density", 1000.0)
    weightless = mass == 0.0 or (mass is None and density == 0.0)
    return low <= node.number("group", 0.0) <= high and not weightless


def touch_of(node: Node) -> Touch | None:
    """What a geom states about its contacts; None if it never touches."""
    kinds, partners = int(node.number("contype", 1.0)), int(node.number("conaffinity", 1.0))
    friction = node.numbers("friction")[0] if "friction" in node.attributes else 1.0
    directions, priority = int(node.number("condim", 3.0)), int(node.number("priority", 0.0))
    return Touch(kinds, partners, friction, directions, priority) if kinds or partners else None


def geom_matter(node: Node, solid: Solid | None, missing: bool, settings: MjcfSettings) -> SpatialMatter | None:
    """The mass properties of a geom, for bodies without <inertial>."""
    mass, density = node.optional("mass"), node.number("density", 1000.0)
    if not has_mass(node, settings):
        return None
    if missing:
        raise node.error("its mesh is missing, and the mass of its body depends on it; state an <inertial>")
    if solid is None or solid.kind == "plane":
        return None
    if node.flag("shellinertia", False):
        way = "use inertia='shell' in its <mesh>" if solid.kind == "mesh" else "state an <inertial> in the body"
        raise node.error(f"shellinertia is not supported; {way}")
    try:
        return matter_of(solid, mass, density)
    except ModelError as error:
        raise node.error(f"{error}; or state an <inertial> in the body") from None


def bounded(matter: SpatialMatter | None, settings: MjcfSettings) -> SpatialMatter | None:
    """The mass properties with the minimum mass and moments of the settings, in principal axes."""
    if not (settings.least_mass or settings.least_inertia or settings.balance):
        return matter
    own = matter if matter is not None else SpatialMatter(0.0)
    moments, axes = own.principal()
    if settings.balance and moments[0] + moments[1] < moments[2]:
        moments = np.full(3, moments.mean())
    moments = np.maximum(moments, settings.least_inertia)
    return SpatialMatter(max(own.mass, settings.least_mass), own.center, axes @ np.diag(moments) @ axes.T)


def mesh_assets(
    nodes: list[Node], classes: Classes, meshes: MeshFinder, settings: MjcfSettings
) -> dict[str, MeshAsset]:
    """The surfaces of all <mesh> assets by name; None if a file is missing."""
    found: dict[str, MeshAsset] = {}
    for plain in nodes:
        node = classes.resolved(plain, None)
        file = node.attributes.get("file", "").replace("\\", "/")
        name = node.attributes.get("name") or file.rpartition("/")[2].rpartition(".")[0]
        if not name:
            raise node.error("it has neither a name nor a file")
        if name in found:
            raise node.error(f"there are two meshes '{name}'; names must differ")
        scale = node.vector("scale", 3, (1.0, 1.0, 1.0))
        if file:
            stripped = file.rpartition("/")[2] if settings.strip else file
            folder = "" if stripped.startswith("/") or not settings.meshes else f"{settings.meshes.rstrip('/')}/"
            surface = meshes.surface(folder + stripped, scale, node)
        else:
            surface = _inline(node, scale)
        rule = node.choice("inertia", RULES, settings.mesh_inertia)
        found[name] = MeshAsset(_referred(surface, node), rule)
    return found


def _inline(node: Node, scale: tuple[float, ...]) -> Surface:
    """A mesh that is stated by its points and triangles; without triangles, the hull of the points."""
    points = np.array(node.numbers("vertex"))
    if points.size % 3 or points.size < 12:
        raise node.error("vertex must be four points or more, three numbers each")
    if not all(scale):
        raise node.error("it is scaled by zero")
    points = points.reshape(-1, 3)
    if "face" not in node.attributes:
        return hull(points * np.array(scale))
    corners = np.array(node.numbers("face"))
    inside = (corners == np.round(corners)) & (corners >= 0) & (corners < len(points))
    if corners.size % 3 or not inside.all():
        raise node.error(f"face must be triples of integers from 0 to {len(points) - 1}, the indices of its points")
    return scaled(Surface(points, corners.astype(int).reshape(-1, 3)), scale)


def _referred(surface: Surface | None, node: Node) -> Surface | None:
    """The surface in the frame of refpos and refquat."""
    if surface is None or not {"refpos", "refquat"} & set(node.attributes):
        return surface
    turn = unit(node, np.array(node.vector("refquat", 4, (1.0, 0.0, 0.0, 0.0))), "refquat")
    frame = pose(node.vector("refpos", 3, (0.0, 0.0, 0.0)), turn).inverse()
    return Surface(frame.at(surface.vertices), surface.triangles)
