"""How an analysis passes bifurcations: `at_bifurcation="stop"`, "smooth", a branch, or a list of these, one for each.

try:
    run = kinematics(model, times)
except LockUp as stop:                      # stop.is_bifurcation, stop.branches: the smooth branch first
    run = kinematics(model, times, at_bifurcation=stop.branches[1])
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cardan.analysis.driven.bifurcation import Branches, chosen_branch
from cardan.errors import ModelError
from cardan.model import check
from cardan.results.snapshot import Snapshot
from cardan.system.system import System

STOP, SMOOTH = "stop", "smooth"
AtBifurcation = str | Snapshot | Sequence[str | Snapshot]


class BifurcationChoice:
    """The given choices, one per bifurcation; the last one applies to all further ones if it is a string."""

    def __init__(self, stated: AtBifurcation) -> None:
        listed = [stated] if isinstance(stated, str | Snapshot) or not isinstance(stated, Sequence) else list(stated)
        for choice in listed:
            if isinstance(choice, str):
                check.choice(choice, (STOP, SMOOTH), "at_bifurcation, unless it is a branch,")
            else:
                check.instance(
                    choice, Snapshot, "at_bifurcation, unless it is a string,", hint="use one of LockUp.branches"
                )
        if not listed:
            raise ModelError(
                "at_bifurcation must be 'stop', 'smooth' or a branch, or a list of these; got an empty list"
            )
        self.listed: list[Any] = listed

    def take(self, system: System, bifurcation: Branches) -> int | None:
        """The number of the branch to continue along; None to stop."""
        choice = self.listed[0]
        if len(self.listed) > 1:
            del self.listed[0]
        elif not isinstance(choice, str):
            self.listed = [STOP]
        if isinstance(choice, str):
            return bifurcation.smooth if choice == SMOOTH else None
        taken = chosen_branch(system, bifurcation, choice)
        if taken is None:
            raise ModelError(
                f"at_bifurcation has a branch at t = {choice.time:.6g} s, but '{system.model.name}' bifurcates at "
                f"t = {bifurcation.time:.6g} s: use one of the branches of that bifurcation, or list one choice for "
                "each"
            )
        return taken
