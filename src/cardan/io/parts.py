"""The parts of a machine, for any file format: a tree of links with joints, and loop closures.

    world --place--> link frame, moved by its joints one after the other --> children, each placed in it

    link = parent o place o J_1(q_1) o J_2(q_2) ...        J(q): a turn by q - start about an axis through an anchor

Plain data, checked by the readers; `building` turns it into a model.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cardan.errors import ModelError, warn
from cardan.io.pose import Pose, pose
from cardan.io.solids import Solid
from cardan.spatial.matter import SpatialMatter

SIZES = {"hinge": 1, "slide": 1, "ball": 4, "plane": 3, "free": 7}  # numbers in the position of a joint

CONTROLLED = ("motor", "position", "velocity", "affine")  # actuators that can be built


@dataclass
class JointPart:
    """A joint, in the frame of the link that it moves."""

    name: str
    kind: str  # one of SIZES
    where: str  # file, line and element, for messages
    axis: tuple[float, ...] = (0.0, 0.0, 1.0)
    anchor: tuple[float, ...] = (0.0, 0.0, 0.0)
    start: float = 0.0  # the coordinate for which links are as placed
    lower: float | None = None
    upper: float | None = None
    effort: float | None = None
    velocity: float | None = None
    stiffness: float = 0.0
    rest: float = 0.0  # the rest position of the spring
    damping: float = 0.0
    friction: float = 0.0  # the maximum force or torque of dry friction
    armature: float = 0.0  # inertia of the coordinate, without weight

    @property
    def scalar(self) -> bool:
        """Whether its position is one number."""
        return SIZES[self.kind] == 1


@dataclass
class LinkPart:
    """A link; without joints it is welded to its parent, without a parent it belongs to the world."""

    name: str
    where: str
    parent: str | None
    place: Pose = field(default_factory=pose)
    joints: list[JointPart] = field(default_factory=list)
    matter: SpatialMatter | None = None
    solids: list[Solid] = field(default_factory=list)
    lifted: float = 0.0  # the part of its weight that a force balances
    frames: dict[str, Pose] = field(default_factory=dict)  # points of interest with axes


@dataclass
class Closure:
    """A connection of two links: "ball" joins points, "weld" frames, "hinge" and "slide" act along z axes.

    A frame that is None coincides with the other.
    """

    name: str
    where: str
    kind: str
    a: tuple[str | None, Pose]  # link (None: the world) and frame
    b: tuple[str | None, Pose | None]


@dataclass
class Tie:
    """y = sum c_k x^k of the coordinates y of `joint` and x of `other`; without `other`, y = c_0."""

    name: str
    where: str
    joint: str
    other: str | None
    coefficients: tuple[float, ...]


@dataclass
class TendonPart:
    """A length: a sum of joint coordinates, or that of lines through points of links, in branches with divisors."""

    name: str
    where: str
    joints: list[tuple[str, float]] = field(default_factory=list)
    branches: list[tuple[float, tuple[tuple[str | None, Pose], ...]]] = field(default_factory=list)
    range: tuple[float, float] | None = None
    stiffness: float = 0.0
    rest: tuple[float, float] | None = None  # between which its spring is slack; None: where those of joints are
    damping: float = 0.0
    friction: float = 0.0


@dataclass
class ActuatorPart:
    """A force along z = gear * coordinate of a joint, or length of a tendon.

    Of a "motor" it is the control u, of a "position" kp (u - z) - kv z', of a "velocity" kv (u - z'), of an "affine"
    gain u + b0 + b1 z + b2 z', with `bias` = b. `control` and `force` are their ranges; u lags by `lag` seconds.
    """

    name: str
    where: str
    kind: str
    joint: str
    tendon: str = ""
    gear: float = 1.0
    gain: float = 1.0  # of a motor: the part of its gear that converts control to force
    stiffness: float = 0.0
    damping: float = 0.0
    bias: tuple[float, float, float] = (0.0, 0.0, 0.0)
    lag: float = 0.0
    control: tuple[float, float] | None = None
    force: tuple[float, float] | None = None


@dataclass
class Machine:
    """The content of a file; links with parents before children. `left_out` lists parts that are not imported."""

    name: str
    path: Path
    gravity: tuple[float, ...]
    links: list[LinkPart] = field(default_factory=list)
    closures: list[Closure] = field(default_factory=list)
    ties: list[Tie] = field(default_factory=list)
    tendons: dict[str, TendonPart] = field(default_factory=dict)
    tendon_ties: list[Tie] = field(default_factory=list)  # of changes of lengths
    actuators: dict[str, ActuatorPart] = field(default_factory=dict)
    apart: set[frozenset[str | None]] = field(default_factory=set)  # two links that never touch; None: the world
    world: LinkPart = field(default_factory=lambda: LinkPart("ground", "", None))  # fixed in the world
    massless_motion: bool = False  # whether joints may move links without mass, with a warning
    left_out: list[str] = field(default_factory=list)
    noted: set[str] = field(default_factory=set)  # tags that are noted once

    def joints(self) -> dict[str, JointPart]:
        """All joints by name, in the order of the file."""
        return {joint.name: joint for link in self.links for joint in link.joints}

    def check_masses(self) -> None:
        """Joints that move massless links only have undetermined accelerations: an error, or a warning."""
        heavy: set[str | None] = set()
        held = {end[0] for closure in self.closures for end in (closure.a, closure.b)}
        idle: list[LinkPart] = []
        for link in reversed(self.links):
            if weighs(link.matter) or link.name in heavy or link.name in held:
                heavy |= {link.name, link.parent}
            elif link.joints:
                idle.insert(0, link)
        if not idle:
            return
        first, others = idle[0], ", ".join(f"'{link.joints[0].name}'" for link in idle[1:])
        fault = (
            f"{first.where}: link '{first.name}' and its children have no mass, but joint '{first.joints[0].name}' "
            f"moves them"
        )
        if not self.massless_motion:
            raise ModelError(
                f"{fault}; state their inertia, or make the joint fixed", elements=(first.name, first.joints[0].name)
            )
        also = f"; so do {others}" if others else ""
        warn(f"{fault}{also}. Without drivers on these joints simulate() needs the inertia")


def weighs(matter: Any) -> bool:
    """Whether there is any mass or inertia."""
    return matter is not None and (matter.mass > 0.0 or bool(matter.inertia.any()))
