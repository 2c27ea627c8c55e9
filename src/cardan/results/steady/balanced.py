"""An equilibrium or a steady motion: a snapshot with contacts that may be open."""

from __future__ import annotations

from typing import Any

from cardan.model.element import Constraint, Element
from cardan.model.force import Force
from cardan.results.snapshot import Snapshot


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
