"""A sequence of equilibria in time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from cardan.results.trajectory import Trajectory

LISTED = 4  # in a summary


class Snap(NamedTuple):
    """At `time` an equilibrium ended or became unstable, and the mechanism moved to another one.

    `distance` is the largest displacement of a coordinate, `coordinate` its name, `unit` "m" or "rad".
    """

    time: float
    coordinate: str
    distance: float
    unit: str

    @property
    def motion(self) -> str:
        """The displacement in words."""
        return f"{self.coordinate} by {self.distance:.4g} {self.unit}"

    def __str__(self) -> str:
        return f"t = {self.time:.9g} s ({self.motion})"


class QuasiStatic(Trajectory):
    """A trajectory of equilibria: all columns, tables and plots of a trajectory, with forces.

    Velocities and accelerations are derivatives of the equilibrium by time; forces do not depend on them. `stable` is
    the stability at each output time as in `Equilibrium`, with `reasons` where it is None. `lowest_stiffness` is the
    lowest curvature of the energy along the free motions, in N/m with rotations scaled by the model's length; infinite
    if there is no free motion, nan if there are too many. `snaps` are the times at which the mechanism jumped.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.stable: tuple[bool | None, ...] = (True,) * len(self)
        self.reasons: tuple[str, ...] = ("",) * len(self)
        self.lowest_stiffness = np.full(len(self), np.inf)
        self.snaps: list[Snap] = []

    def until(self, count: int) -> QuasiStatic:
        """The sequence at the first `count` output times."""
        part = super().until(count)
        found = QuasiStatic(part.system, part.times, part.q, part.v, part.a, part.iterations, part.steps)
        found.set_aside, found.analysis, found.turns = part.set_aside, part.analysis, part.turns
        found.stable, found.reasons = self.stable[:count], self.reasons[:count]
        found.lowest_stiffness = self.lowest_stiffness[:count]
        found.snaps = [snap for snap in self.snaps if count and snap.time <= self.times[count - 1]]
        return found

    def _remarks(self) -> list[str]:
        counts = {word: self.stable.count(value) for word, value in WORDS}
        states = [", ".join(f"{count} {word}" for word, count in counts.items() if count)]
        return [*states, snaps_in_words(self.snaps)] if self.snaps else states


WORDS = (("stable", True), ("unstable", False), ("neutral or undecided", None))


def snaps_in_words(snaps: Sequence[Any]) -> str:
    """The text of a summary."""
    more = f" and {len(snaps) - LISTED} more" if len(snaps) > LISTED else ""
    return f"jumps to another equilibrium at {', '.join(map(str, snaps[:LISTED]))}{more}"
