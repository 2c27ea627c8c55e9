"""Forks that a driven motion passed: instants at which several motions cross."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from cardan.results.snapshot import Snapshot

SHOWN = 4  # that a summary names


class Fork(NamedTuple):
    """At `time` several motions cross; the run went on along `branches[taken]`, 0 being the smooth one.

    Branches are snapshots a little behind the fork, which `at_fork=` of another run accepts.
    """

    time: float
    elements: tuple[str, ...]
    branches: tuple[Snapshot, ...]
    taken: int


def forks_in_words(forks: list[Fork]) -> str:
    """The clause of a summary."""
    ways = ["the smooth branch" if fork.taken == 0 else f"branch {fork.taken}" for fork in forks[:SHOWN]]
    first = ", ".join(f"t = {fork.time:.6g} s (along {way})" for fork, way in zip(forks, ways, strict=False))
    more = f" and {len(forks) - SHOWN} more" if len(forks) > SHOWN else ""
    return f"passes forks at {first}{more}"
