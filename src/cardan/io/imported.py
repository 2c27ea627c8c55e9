"""What a model from a file tells beyond its elements: joints with their limits, frames, solids, actuators."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cardan.errors import ModelError
from cardan.io.document import near
from cardan.io.solids import Solid
from cardan.model import check
from cardan.model.element import Constraint
from cardan.model.measure import Readable
from cardan.spatial.body import Marker
from cardan.spatial.model import Model


@dataclass(frozen=True)
class ImportedJoint:
    """A joint of the file: its element, its coordinate, and what the file says about it, in SI units and radians.

    `coordinate` is the measure that equals the file's own: `hinge.angle` or `guide.travel`; joints of several freedoms
    have none, and a free body has no element either. Limits that are not stated are None.
    """

    name: str
    kind: str  # "hinge", "slide", "ball", "plane" or "free"
    element: Constraint | None
    coordinate: Readable | None
    body: Any  # that it moves
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
class ImportedActuator:
    """An actuator of the file, along `measure` = gear * coordinate of its joint.

    A "motor" pushes with its control, a "position" servo with stiffness (control - measure) - damping rate. Others are
    told, and not built. `control` and `force` are ranges, None where none is stated.
    """

    name: str
    kind: str
    joint: str
    measure: Readable
    stiffness: float = 0.0
    damping: float = 0.0
    control: tuple[float, float] | None = None
    force: tuple[float, float] | None = None


class FileModel(Model):
    """A spatial model read from a file; a `Model` like any other, with what the file says beside.

    | | |
    |---|---|
    | `source`    | the path of the file                                                                       |
    | `joints`    | `ImportedJoint` by the names in the file, in its order                                       |
    | `frames`    | markers by name: sites, and links without mass that are welded to others                    |
    | `solids`    | by name of the body: what is drawn of it                                                     |
    | `actuators` | `ImportedActuator` by name                                                                   |
    | `closures`  | what closes loops, by name; cut=model.closures.values() keeps the file's tree               |
    | `left_out`  | what was not understood, in words; the same that the warning says                            |
    """

    def __init__(self, name: str, gravity: Any = None, *, source: Path = Path()) -> None:
        super().__init__(name, gravity)
        self.source = source
        self.joints: dict[str, ImportedJoint] = {}
        self.frames: dict[str, Marker] = {}
        self.solids: dict[str, tuple[Solid, ...]] = {}
        self.actuators: dict[str, ImportedActuator] = {}
        self.closures: dict[str, Constraint] = {}
        self.left_out: tuple[str, ...] = ()

    def coordinate(self, joint: str) -> Readable:
        """The coordinate of a joint by its name in the file: an angle in rad, or a travel in m."""
        if joint not in self.joints:
            raise ModelError(
                f"model '{self.name}' has no joint {check.told(joint)}{near(str(joint), list(self.joints))}"
            )
        found = self.joints[joint].coordinate
        if found is None:
            raise ModelError(f"the {self.joints[joint].kind} joint '{joint}' of '{self.name}' has no single coordinate")
        return found
