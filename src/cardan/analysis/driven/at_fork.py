"""How an analysis passes bifurcations: `at_fork="stop"`, "smooth", a branch, or a list of these, one for each.

try:
    run = kinematics(model, times)
except LockUp as stop:                      # stop.is_fork, stop.branches: the smooth branch first
    run = kinematics(model, times, at_fork=stop.branches[1])
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cardan.analysis.driven.fork import Branches, chosen_branch
from cardan.errors import ModelError
from cardan.model import check
from cardan.results.snapshot import Snapshot
from cardan.system.system import System

STOP, SMOOTH = "stop", "smooth"
AtFork = str | Snapshot | Sequence[str | Snapshot]


class ForkChoice:
    """The given choices, one per bifurcation; the last one applies to all further ones if it is a string."""

    def __init__(self, stated: AtFork) -> None:
        listed = [stated] if isinstance(stated, str | Snapshot) or not isinstance(stated, Sequence) else list(stated)
        for choice in listed:
            if isinstance(choice, str):
                check.choice(choice, (STOP, SMOOTH), "at_fork, unless it is a branch,")
            else:
                check.instance(choice, Snapshot, "at_fork, unless it is a string,", hint="use one of LockUp.branches")
        if not listed:
            raise ModelError("at_fork must be 'stop', 'smooth' or a branch, or a list of these; got an empty list")
        self.listed: list[Any] = listed

    def take(self, system: System, fork: Branches) -> int | None:
        """The number of the branch to continue along; None to stop."""
        choice = self.listed[0]
        if len(self.listed) > 1:
            del self.listed[0]
        elif not isinstance(choice, str):
            self.listed = [STOP]
        if isinstance(choice, str):
            return fork.smooth if choice == SMOOTH else None
        taken = chosen_branch(system, fork, choice)
        if taken is None:
            raise ModelError(
                f"at_fork has a branch at t = {choice.time:.6g} s, but '{system.model.name}' bifurcates at "
                f"t = {fork.time:.6g} s: use one of the branches of that bifurcation, or list one choice for each"
            )
        return taken
