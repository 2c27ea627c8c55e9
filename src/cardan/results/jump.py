"""Instants at which accelerations jump because a contact passes from one smooth piece of its curve to the next."""

from __future__ import annotations

from typing import NamedTuple

SHOWN = 4  # that a summary names


class Jump(NamedTuple):
    """At `time` the place of contact `contact`, an element and which of its contacts ('valve.contact'), passed `u`.

    There the curvature of its curve jumps, or its parameter speed s': accelerations of bodies jump with the curvature,
    the rate of u with both. Velocities of bodies are continuous. Results at this very instant are those before it.
    """

    time: float
    contact: str
    u: float

    @property
    def element(self) -> str:
        """The name of the element that has this contact."""
        return self.contact.rpartition(".")[0]


def jumps_in_words(jumps: list[Jump]) -> str:
    """The clause of a summary."""
    first = ", ".join(f"t = {jump.time:.6g} s ('{jump.element}')" for jump in jumps[:SHOWN])
    more = f" and {len(jumps) - SHOWN} more" if len(jumps) > SHOWN else ""
    return f"accelerations may jump at {first}{more}, where the curvature of a contact's curve does"
