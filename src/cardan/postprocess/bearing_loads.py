r"""Loads of pins and guides over a run: maximum, mean and root mean square, and the polar load diagram.

        fy |   .--.              in the pin frame, marker a:          the loaded side of the pin
           |  (    )  *          in the journal frame, marker b:      the loaded side of the bush
           |   '--'              in global axes
        ---+-------- fx
                                 F_mean = integral of F dt / T,   F_rms^2 = integral of F^2 dt / T

F is the magnitude of the force on body b; integrals over time use the trapezoidal rule between output times.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cardan.elements.constraints.two_marker_joint import TwoMarkerJoint
from cardan.errors import ModelError
from cardan.model import check
from cardan.model.element import Constraint
from cardan.results.reaction import Reaction, forces_of, reactions_of
from cardan.shortcuts import Diagram

if TYPE_CHECKING:
    from cardan.results.trajectory import Trajectory

FRAMES = ("pin", "journal", "world")


@dataclass(frozen=True, eq=False)
class Bearing(Diagram):
    """One joint over a run: forces in N, torques in N m, times in s.

    `unique` is False if the load of this joint is statically indeterminate: the values are then those of least norm.
    """

    joint: TwoMarkerJoint
    reaction: Reaction
    largest: float
    time: float  # of the largest force
    mean: float
    rms: float
    largest_torque: float
    unique: bool

    @property
    def name(self) -> str:
        return str(self.joint.name)

    @property
    def numbers(self) -> tuple[float, ...]:
        """Largest force, its time, mean, rms and largest torque."""
        return self.largest, self.time, self.mean, self.rms, self.largest_torque

    def load(self, frame: str = "pin") -> np.ndarray:
        """The force on body b at every output time in the frame of the "pin" (marker a), of the "journal" (marker b),
        or in global axes ("world")."""
        check.choice(frame, FRAMES, "the frame of a load diagram")
        axes = {"pin": self.joint.a, "journal": self.joint.b, "world": "global"}[frame]
        return self.reaction.in_frame(axes).force


class Bearings:
    """The loads of the joints of a run, by name; printed as a table."""

    def __init__(self, run: Trajectory, found: list[Bearing]) -> None:
        self.run, self._found = run, {bearing.name: bearing for bearing in found}

    def __getitem__(self, joint: Constraint | str) -> Bearing:
        word = joint if isinstance(joint, str) else joint.name
        if word not in self._found:
            raise ModelError(
                f"{check.short_repr(word)} is not a bearing of this result; the bearings are: {', '.join(self._found)}"
            )
        return self._found[word]

    def _ipython_key_completions_(self) -> list[str]:
        return [*self._found]

    def __iter__(self) -> Iterator[Bearing]:
        return iter(self._found.values())

    def __len__(self) -> int:
        return len(self._found)

    def heads(self) -> tuple[tuple[str, ...], tuple[float, ...]]:
        """The headings of the printed table, and the factors from SI to its units."""
        display = self.run.model.display
        words = ("largest", "N"), ("at t", "s"), ("mean", "N"), ("rms", "N"), ("torque", "N m")
        shown = [(word, *display.shown(unit)) for word, unit in words]
        return tuple(f"{word} [{unit}]" for word, _, unit in shown), tuple(factor for _, factor, _ in shown)

    def __repr__(self) -> str:
        wide = max((len(name) for name in self._found), default=0) + 2
        heads, factors = self.heads()
        lines = [f"bearings of '{self.run.model.name}'", " " * wide + "".join(f"{head:>14}" for head in heads)]
        for b in self:
            numbers = [f * x for f, x in zip(factors, b.numbers, strict=True)]
            remark = "" if b.unique else "   not unique"
            lines.append(f"{b.name:<{wide}}" + "".join(f"{number:14.5g}" for number in numbers) + remark)
        return "\n".join(lines)


def bearings(run: Trajectory, *joints: Constraint | str) -> Bearings:
    """The loads of the named joints, or of all joints between two markers."""
    loads = forces_of(run)
    chosen = [run.model[joint] if isinstance(joint, str) else joint for joint in joints]
    for joint in chosen:
        if not isinstance(joint, TwoMarkerJoint) or joint not in run.system.elements:
            raise ModelError(
                f"a bearing is a joint between two markers of '{run.model.name}', not {check.short_repr(joint)}"
            )
    reactions = reactions_of(run)
    wanted = [joint for joint in chosen if isinstance(joint, TwoMarkerJoint)] or [
        element for element in run.system.listed if isinstance(element, TwoMarkerJoint) and not element.drives
    ]
    indeterminate = {name for name, _ in loads.indeterminate}
    return Bearings(run, [_load(run, joint, reactions[joint], joint.name not in indeterminate) for joint in wanted])


def _load(run: Trajectory, joint: TwoMarkerJoint, reaction: Reaction, unique: bool) -> Bearing:
    size = np.linalg.norm(reaction.force, axis=1)
    torque = reaction.torque
    turning = np.abs(torque) if torque.ndim == 1 else np.linalg.norm(torque, axis=1)
    k = int(np.argmax(size)) if size.size else 0
    return Bearing(
        joint,
        reaction,
        largest=float(size.max(initial=0.0)),
        time=float(run.times[k]) if size.size else 0.0,
        mean=_mean(run.times, size),
        rms=float(np.sqrt(_mean(run.times, size**2))),
        largest_torque=float(turning.max(initial=0.0)),
        unique=unique,
    )


def _mean(times: np.ndarray, values: np.ndarray) -> float:
    """The mean over time, by the trapezoidal rule."""
    if values.size < 2:
        return float(values.sum())
    return float(np.sum(0.5 * (values[1:] + values[:-1]) * np.diff(times)) / (times[-1] - times[0]))
