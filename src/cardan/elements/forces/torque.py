"""Torques on one body."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from cardan.elements.forces.load import FRAMES, components
from cardan.errors import ModelError
from cardan.model import check
from cardan.model.curves.motion import Motion, MotionLike, as_motion
from cardan.model.force import Force, Law
from cardan.model.marker import Marker
from cardan.model.measure import Measure


@dataclass(frozen=True, eq=False)
class Torque(Force):
    """A torque on a body (Haug 6.2.1, 11.3.5): a number in the plane, a vector in space.

    `marker` is any marker of the body. In space the components are global, or, with frame="body", along the axes of the
    marker. Each is a number, a motion, or a function of time.
    """

    marker: Marker
    torque: MotionLike | Sequence[MotionLike]
    frame: str = "global"
    motions: tuple[Motion, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        check.instance(self.marker, Marker, "the marker of a Torque", hint="create one with body.at(...)")
        many = isinstance(self.torque, Sequence | np.ndarray) and not isinstance(self.torque, str)
        what = "the torque of a Torque"
        motions = components(self.torque, what) if many else (as_motion(self.torque, what),)
        object.__setattr__(self, "motions", motions)

    def check(self) -> None:
        check.choice(self.frame, FRAMES, f"the frame of {self.title}")
        wanted = 1 if len(self.marker.place) == 2 else 3
        if len(self.motions) != wanted:
            words = "one number" if wanted == 1 else "three components, such as (0, 0, 5.0) or (0, 0, function)"
            raise ModelError(f"the torque of {self.title} must be {words}; got {len(self.motions)}")

    def laws(self) -> tuple[Law, ...]:
        axes = "z" if len(self.motions) == 1 else "xyz"
        kind = "turn" if self.frame == "global" else "spin"
        measures = [Measure(kind, None, self.marker, axis) for axis in axes]
        pairs = zip(measures, self.motions, strict=False)  # check() rejects other numbers of components
        return tuple(Law(((-1.0, m),), motion=motion) for m, motion in pairs)
