"""The mechanisms that invariants run over: every catalog model, every example, and random mechanisms.

    @pytest.mark.parametrize("case", population("catalog", "example"), ids=str)
    def test_something(case): ...

    def test_something_random(invariant_seeds):
        for seed in invariant_seeds:
            case = random_case(seed)

`make test` takes a fixed sample of the random mechanisms; `make invariants` takes many with fresh seeds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from cardan import examples
from cardan.case import load_case
from catalog_forces import BODY_CASES, FORCE_CASES
from catalogs import CASES, ROLLING
from invariants.generator import random_mechanism


@dataclass(frozen=True)
class InvariantCase:
    """One mechanism. `analysis` is what it is made for; `until` how long it moves."""

    name: str
    source: str  # "catalog", "rolling", "forces", "example" or "random"
    build: Callable[[], Any]
    analysis: str = "simulate"  # "kinematics" and "inverse_dynamics" where every degree of freedom is driven
    until: float = 1.0
    options: Callable[[Any], dict[str, Any]] = lambda model: {}  # further arguments of that analysis

    def __str__(self) -> str:
        return f"{self.source}: {self.name}"


def population(*sources: str) -> list[InvariantCase]:
    """All cases of the sources named, of all but the random ones if none is."""
    makers = {"catalog": _catalog, "rolling": _rolling, "forces": _forces, "example": _examples}
    return [case for source in sources or makers for case in makers[source]()]


def random_case(seed: int, spatial: bool | None = None, driven: bool | None = None) -> InvariantCase:
    """The random mechanism of a seed."""
    mechanism = random_mechanism(seed, spatial, driven)
    analysis = "kinematics" if mechanism.driven else "simulate"
    return InvariantCase(
        f"seed {seed}", "random", lambda: random_mechanism(seed, spatial, driven).model, analysis, until=0.5
    )


def _catalog() -> list[InvariantCase]:
    return [InvariantCase(case.name, "catalog", case.model, "kinematics") for case in CASES]


def _rolling() -> list[InvariantCase]:
    return [InvariantCase(case.name, "rolling", case.model) for case in ROLLING]


def _forces() -> list[InvariantCase]:
    return [InvariantCase(case.name, "forces", case.make, until=0.2) for case in [*FORCE_CASES, *BODY_CASES]]


def _examples() -> list[InvariantCase]:
    cases = []
    for name in examples.names():
        module = examples.load(name)
        times = getattr(module, "TIMES", None)
        stated = getattr(module, "options", lambda model: {})
        cases.append(
            InvariantCase(
                name,
                "example",
                lambda name=name: load_case(name, {}).model,
                examples.analysis(module),
                times[1] if times else 0.0,
                stated,
            )
        )
    return cases
