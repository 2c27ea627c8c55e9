"""Special times of a driven motion: bifurcations, and jumps of accelerations."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from cardan.deprecation import renamed_names

if TYPE_CHECKING:
    from cardan.results.snapshot import Snapshot

LISTED = 4  # in a summary

__getattr__ = renamed_names(__name__, {"Fork": "Bifurcation"})


class Bifurcation(NamedTuple):
    """A bifurcation: several motions cross at `time`. The run continued along `branches[taken]`; 0 is the smooth one.

    Branches are snapshots shortly after the bifurcation, for `at_bifurcation=` of another run.
    """

    time: float
    elements: tuple[str, ...]
    branches: tuple[Snapshot, ...]
    taken: int


def bifurcations_in_words(bifurcations: list[Bifurcation]) -> str:
    """The text of a summary."""
    ways = [
        "the smooth branch" if bifurcation.taken == 0 else f"branch {bifurcation.taken}"
        for bifurcation in bifurcations[:LISTED]
    ]
    first = ", ".join(
        f"t = {bifurcation.time:.6g} s (along {way})" for bifurcation, way in zip(bifurcations, ways, strict=False)
    )
    more = f" and {len(bifurcations) - LISTED} more" if len(bifurcations) > LISTED else ""
    return f"passes bifurcations at {first}{more}"


class Jump(NamedTuple):
    """At `time` the contact point `contact`, an element and one of its contacts ('valve.contact'), passed `u`.

    There the curvature of the curve or its parametric speed s' is discontinuous: accelerations of bodies jump with the
    curvature, the rate of u with both. Velocities of bodies are continuous. Results at this time are those before it.
    """

    time: float
    contact: str
    u: float

    @property
    def element(self) -> str:
        """The name of the element of this contact."""
        return self.contact.rpartition(".")[0]


def jumps_in_words(jumps: list[Jump]) -> str:
    """The text of a summary."""
    first = ", ".join(f"t = {jump.time:.6g} s ('{jump.element}')" for jump in jumps[:LISTED])
    more = f" and {len(jumps) - LISTED} more" if len(jumps) > LISTED else ""
    return f"accelerations may jump at {first}{more}, where the curvature of a contact's curve does"
