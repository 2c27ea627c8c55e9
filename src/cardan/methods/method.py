"""What all methods have in common: a name, and steps that are fixed, limited or chosen by the tolerance."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any, ClassVar

from cardan.errors import ModelError
from cardan.model import check
from cardan.model.stated import Stated


@dataclass(frozen=True, kw_only=True, repr=False)
class Method(metaclass=Stated):
    """A method of `simulate`, see `cardan.methods`. `max_step` is the longest step that it may take, in s."""

    name: ClassVar[str]  # shorthand, and the name in results
    coordinates: ClassVar[tuple[str, ...]] = ("cartesian", "joint")  # that it can integrate

    max_step: float | None = None

    def __post_init__(self) -> None:
        self._check_positive("max_step")

    @property
    def scheme(self) -> str:
        """The name of the compiled scheme that begins the run."""
        return self.name

    @property
    def fixed_step(self) -> float | None:
        """The length of all steps; None if the tolerance controls it."""
        return None

    @property
    def longest_step(self) -> float:
        """The longest step that the method takes, in s."""
        return self.fixed_step or self.max_step or math.inf

    def __repr__(self) -> str:
        stated = [f for f in fields(self) if getattr(self, f.name) != f.default]
        return f"{type(self).__name__}({', '.join(f'{f.name}={getattr(self, f.name)!r}' for f in stated)})"

    def _option(self, name: str) -> str:
        return f"{name} of {type(self).__name__}"

    def _check_positive(self, *names: str) -> None:
        """Options that are positive numbers, or None."""
        for name in names:
            value = getattr(self, name)
            self._set(name, None if value is None else check.positive(value, self._option(name)))

    def _check_between(self, name: str, low: float, high: float) -> None:
        value = check.number(getattr(self, name), self._option(name))
        if not low <= value <= high:
            raise ModelError(f"{self._option(name)} must lie between {low:.4g} and {high:.4g}, got {value:g}")
        self._set(name, value)

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)


@dataclass(frozen=True, kw_only=True, repr=False)
class FixedOrAdaptive(Method):
    """Base of methods whose steps all have the length `step`, in s, or lengths that the tolerance controls."""

    step: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_positive("step")
        if self.step is not None and self.max_step is not None:
            raise ModelError(f"{type(self).__name__} takes step, the length of all steps, or max_step, not both")

    @property
    def fixed_step(self) -> float | None:
        return self.step
