"""Checks of results: a number, its limit, and an explanation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cardan.model import check

GOOD, FLAGGED, NOT_UNIQUE, OMITTED = "good", "flagged", "not unique", "not computed"
ORDER = (OMITTED, GOOD, NOT_UNIQUE, FLAGGED)  # from least to worst


@dataclass(frozen=True)
class Check:
    """One number, its limit, and an explanation; `verdict` is "good", "flagged", "not unique" or
    "not computed"."""

    name: str
    value: float | None
    limit: float | None
    verdict: str
    words: str


@dataclass(frozen=True)
class SelfCheck:
    """All checks of a result. `good` is True if none is flagged; results that are not unique are reported only."""

    model: str
    checks: tuple[Check, ...]

    @property
    def good(self) -> bool:
        return all(item.verdict != FLAGGED for item in self.checks)

    def __getitem__(self, name: str) -> Check:
        return next(item for item in self.checks if item.name == check.choice(name, self.names, "a check"))

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(item.name for item in self.checks)

    def __repr__(self) -> str:
        lines = [f"self-check of '{self.model}': {'all good' if self.good else 'FLAGGED'}"]
        for item in self.checks:
            value = "" if item.value is None else f"{item.value:.1e}"
            lines.append(f"  {item.name:<12} {value:>8}  {item.verdict:<12} {item.words}")
        return "\n".join(lines)


def compared(name: str, value: float, limit: float, words: str) -> Check:
    """Good up to the limit; NaN is flagged."""
    return Check(name, value, limit, GOOD if value <= limit else FLAGGED, words)


def worst_of(several: Sequence[SelfCheck], what: str) -> SelfCheck:
    """The worst of several results for each check; `what` names the results."""
    first = several[0]
    found = []
    for name in first.names:
        k = max(range(len(several)), key=lambda k: _severity(several[k][name]))
        item = several[k][name]
        words = item.words if len(several) == 1 else f"{what} {k}: {item.words}"
        found.append(Check(name, item.value, item.limit, item.verdict, words))
    return SelfCheck(first.model, tuple(found))


def _severity(item: Check) -> tuple[int, float]:
    return ORDER.index(item.verdict), item.value or 0.0
