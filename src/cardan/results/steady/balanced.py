"""A mechanism in balance, at rest or in steady motion: a snapshot with contacts that may be open."""

from __future__ import annotations

from typing import Any

from cardan.model.element import Constraint, Element
from cardan.model.force import Force
from cardan.results.snapshot import Snapshot


class OpenContact:
    """An impact that is open: it pushes nothing."""

    force = 0.0


class Balanced(Snapshot):
    """A snapshot of which contacts are read whether they take part or not."""

    def __getitem__(self, key: Any) -> Any:
        """As of any snapshot; of a contact that is open the force is none."""
        element = self.model[key] if isinstance(key, str) and key in self.model else key
        if isinstance(element, Element) and not isinstance(element, Constraint | Force):
            reserve = element.reserve()
            if reserve and reserve[0] not in self.system.elements:
                return OpenContact()
        return super().__getitem__(key)
