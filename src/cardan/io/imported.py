"""An imported model: joints with their limits, frames, solids and actuators by the names of the file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cardan.errors import ModelError
from cardan.io.document import near
from cardan.io.solids import Solid
from cardan.model import check
from cardan.model.body import Vector
from cardan.model.element import Constraint
from cardan.model.measure import Readable
from cardan.spatial.body import Marker
from cardan.spatial.model import Model


@dataclass(frozen=True)
class ImportedJoint:
    """A joint of the file: its element, its coordinate and its data, in SI units and radians.

    `coordinate` is the measure that equals the coordinate of the file: `hinge.angle` or `guide.travel`. Joints with
    several degrees of freedom have none, and a free body has no element. Limits that are not stated are None.
    """

    name: str
    kind: str  # "hinge", "slide", "ball", "plane" or "free"
    element: Constraint | None
    coordinate: Readable | None
    body: Any  # moved by the joint
    lower: float | None = None
    upper: float | None = None
    effort: float | None = None
    velocity: float | None = None
    stiffness: float = 0.0
    rest: float = 0.0
    damping: float = 0.0
    friction: float = 0.0
    armature: float = 0.0


@dataclass(frozen=True)
class ImportedTendon:
    """A tendon of the file: its length is `measure` + `constant`, the latter between points of one body.

    Its spring, called as the tendon, is slack between both values of `rest`. Limits that are not stated are None.
    """

    name: str
    measure: Readable
    constant: float = 0.0
    lower: float | None = None
    upper: float | None = None
    stiffness: float = 0.0
    rest: tuple[float, float] = (0.0, 0.0)
    damping: float = 0.0


@dataclass(frozen=True)
class ImportedActuator:
    """An actuator of the file, along `measure` = gear * coordinate of its joint, or length of its tendon.

    The force of a "motor" is its control u, that of a "position" stiffness (u - z) - damping z', of a "velocity"
    damping (u - z'), of an "affine" gain u + bias[0] + bias[1] z + bias[2] z', with z = `measure` and the constant part
    of a tendon. u follows the control with the time constant `lag`. Others are listed but not built. `control` and
    `force` are ranges, None if not stated.
    """

    name: str
    kind: str
    joint: str
    measure: Readable
    stiffness: float = 0.0
    damping: float = 0.0
    control: tuple[float, float] | None = None
    force: tuple[float, float] | None = None
    tendon: str = ""
    gain: float = 1.0
    bias: tuple[float, float, float] = (0.0, 0.0, 0.0)
    lag: float = 0.0


class FileModel(Model):
    """A spatial model imported from a file, with data of the file.

    | | |
    |---|---|
    | `source`    | the path of the file                                                                       |
    | `joints`    | `ImportedJoint` by the names in the file, in its order                                       |
    | `frames`    | markers by name: sites, and links without mass that are welded to others                    |
    | `solids`    | shapes by the name of the body                                                               |
    | `tendons`   | `ImportedTendon` by name                                                                     |
    | `actuators` | `ImportedActuator` by name                                                                   |
    | `closures`  | loop closures by name; cut=model.closures.values() keeps the tree of the file               |
    | `left_out`  | parts that were not imported, as in the warning                                              |
    """

    def __init__(self, name: str, gravity: Vector | None = None, *, source: Path = Path()) -> None:
        super().__init__(name, gravity)
        self.source = source
        self.joints: dict[str, ImportedJoint] = {}
        self.frames: dict[str, Marker] = {}
        self.solids: dict[str, tuple[Solid, ...]] = {}
        self.tendons: dict[str, ImportedTendon] = {}
        self.actuators: dict[str, ImportedActuator] = {}
        self.closures: dict[str, Constraint] = {}
        self.left_out: tuple[str, ...] = ()

    def coordinate(self, joint: str) -> Readable:
        """The coordinate of a joint by its name in the file: an angle in rad, or a travel in m."""
        if joint not in self.joints:
            raise ModelError(
                f"model '{self.name}' has no joint {check.short_repr(joint)}{near(str(joint), list(self.joints))}"
            )
        found = self.joints[joint].coordinate
        if found is None:
            raise ModelError(f"the {self.joints[joint].kind} joint '{joint}' of '{self.name}' has no single coordinate")
        return found
