"""Equilibria."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, overload

import numpy as np

from cardan.counts import counted
from cardan.deprecation import renamed_names
from cardan.model.element import Constraint, Element
from cardan.model.force import Force
from cardan.results.loads import Loads
from cardan.results.snapshot import Snapshot
from cardan.shortcuts import Savable
from cardan.system.system import System
from cardan.table import Table


class OpenContact:
    """An open impact: its force is zero."""

    force = 0.0


class Balanced(Snapshot):
    """A snapshot whose contacts can be read whether they are closed or open."""

    def _read(self, key: object) -> Any:
        element = self.model[key] if isinstance(key, str) and key in self.model else key
        if isinstance(element, Element) and not isinstance(element, Constraint | Force):
            reserve = element.reserve()
            if reserve and reserve[0] not in self.system.elements:
                return OpenContact()
        return super()._read(key)


__getattr__ = renamed_names(__name__, {"Rest": "Equilibrium"})

PLACES = 4  # bodies of each equilibrium in a list
WORDS = {True: "stable", False: "unstable", None: "neutral"}


class Equilibrium(Balanced):
    """An equilibrium: a snapshot with its forces.

    `rest[joint].force`, `rest[driver].force` and `rest[spring].force` are the forces. `energy` is the potential energy,
    None if some force has no potential; that of user functions is relative to the stated position. `stable` is True at
    a minimum of the energy, False if there is a direction of descent, None if some motion needs no force or the
    stability is undecided: `reason` explains it, and `neutral` names a coordinate for each motion that needs no force.
    `stiffnesses` are the curvatures of the energy along the free motions, smallest first, in N/m, with rotations scaled
    by the model's length; they are omitted for more than 200 free motions. With devices or forces without a potential,
    `stable` is True if small motions decay and False if they grow.
    """

    def __init__(
        self,
        system: System,
        time: float,
        q: np.ndarray,
        turns: np.ndarray,
        states: np.ndarray,
        loads: Loads,
        *,
        method: str,
        energy: float | None,
        stable: bool | None,
        stiffnesses: np.ndarray,
        imbalance: float,
        neutral: tuple[str, ...] = (),
        reason: str = "",
    ) -> None:
        super().__init__(system, time, q, system.speeds(), turns=turns, states=states)
        self.loads = loads
        self.method, self.energy, self.stable = method, energy, stable
        self.stiffnesses, self.imbalance = stiffnesses, imbalance
        self.neutral, self.reason = neutral, reason

    def table(self) -> Table:
        """The columns of this equilibrium, one row; the energy first."""
        return equilibrium_table([self])

    @property
    def verdict(self) -> str:
        """ "stable", "unstable", "neutral", or "undecided", with a `reason` other than neutral motions."""
        return "undecided" if self.stable is None and self.reason and not self.neutral else WORDS[self.stable]

    def __repr__(self) -> str:
        first, *bodies = super().__repr__().splitlines()
        energy = "" if self.energy is None else f", energy {self.energy:.6g} J"
        state = f"equilibrium ({self.method}): {self.verdict}{energy}, {self.imbalance:.1e} of the forces unbalanced"
        reason = [f"  {self.verdict}: {self.reason}"] if self.reason else []
        return "\n".join([first, f"  {state}", *reason, *bodies])


class Equilibria(Savable, Sequence[Equilibrium]):
    """Equilibria found from several starts, the lowest energy first; printed as a list."""

    def __init__(self, found: Sequence[Equilibrium], starts: int) -> None:
        self._found, self.starts = tuple(found), starts

    @overload
    def __getitem__(self, index: int) -> Equilibrium: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Equilibrium]: ...
    def __getitem__(self, index: Any) -> Any:
        return self._found[index]

    def __len__(self) -> int:
        return len(self._found)

    def table(self) -> Table:
        """The columns of all equilibria, one row each; the energy first."""
        return equilibrium_table(self._found)

    def __repr__(self) -> str:
        name = self._found[0].model.name if self._found else ""
        lines = [f"{len(self)} equilibria of '{name}' from {self.starts} starts"]
        for k, rest in enumerate(self):
            energy = "no energy" if rest.energy is None else f"energy {rest.energy:.6g} J"
            lines += [f"  {k}: {rest.verdict}, {energy}", *(f"     {place}" for place in rest.places()[:PLACES])]
            if (more := len(rest.system.bodies) - PLACES) > 0:
                lines.append(f"     and {counted(more, 'body')} more: print one equilibrium for all")
        return "\n".join(lines)


def equilibrium_table(equilibria: Sequence[Equilibrium]) -> Table:
    """The columns of equilibria, one row each; the energy first."""
    energies = np.array([np.nan if rest.energy is None else rest.energy for rest in equilibria])
    return stacked_tables({"energy": energies}, {"energy": "J"}, [rest.as_trajectory().table() for rest in equilibria])


def stacked_tables(first: dict[str, np.ndarray], units: dict[str, str], tables: Sequence[Table]) -> Table:
    """The tables of snapshots as one, a row each, after the columns `first`."""
    names = [name for name in tables[0] if name not in ("time", "iterations", "steps")] if tables else []
    columns = {name: np.concatenate([table[name] for table in tables]) for name in names}
    return Table(first | columns, (tables[0].units if tables else {}) | units)
