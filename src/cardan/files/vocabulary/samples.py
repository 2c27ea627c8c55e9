"""A sample of every class, for the measures and signals that it offers and the ranges of its numbers."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from cardan.errors import CardanError
from cardan.model.element import Element

ALONG = ("length", "x")  # measures of samples
SAMPLE_ROUNDING = 1e-9
# Values of arguments for which that of the kind would be rejected.
VALUES: dict[tuple[str, str], Any] = {
    ("Bushing", "stiffness"): 1.0,
    ("Belt", "distance"): 3.0,
    ("Belt", "friction"): None,
    ("Sampled", "period"): 0.1,
    ("HydraulicCylinder", "areas"): (1e-3, 1e-3),
    ("HydraulicCylinder", "volumes"): (1e-3, 1e-3),
    ("HydraulicCylinder", "tank"): 0.0,
    ("KnifeEdge", "axis"): "y",
    ("Material", "nu"): 0.3,
    ("Saturation", "high"): 2.0,
    ("Rope", "stiffness"): 1.0,
    ("Cable", "stiffness"): 1.0,
    ("Capstan", "stiffness"): 1.0,
    ("SecondOrder", "M"): 1.0,
    ("Spring", "rest_length"): 1.0,
    ("Stop", "lower"): 1.0,
    ("Stop", "stiffness"): 1.0,
}


def sample(thing: Any, arguments: dict[str, Any], space: str, stage: Stage | None = None) -> Any:
    """An object of a class, or the result of a function, with 1 for every required number."""
    return thing(**_arguments(thing, arguments, stage or Stage(space)))


def _arguments(thing: Any, arguments: dict[str, Any], stage: Stage) -> dict[str, Any]:
    found = {}
    for name, (kind, *default) in arguments.items():
        key = (thing.__name__, name)
        lengths = kind.startswith(("number(length)", "number(V)")) and bool(default) and default[0] == 0.0
        if key in VALUES:
            found[name] = VALUES[key]
        elif not default or lengths or kind == "marker":
            found[name] = stage.of(kind, name)
    return {name: value for name, value in found.items() if value is not None or name == "b"}


def number_range(thing: Any, arguments: dict[str, Any], name: str, space: str) -> str:
    """The range of a number, as `kind` writes it: "" if a model accepts a sample of the class with a negative one.

    A value is accepted if a sample along any measure is: a length is never negative, a coordinate may be.
    """
    first = arguments[name][0].partition(" | ")[0]
    if not first.startswith(("number(", "numbers(")) or first == "number(V)":
        return ""

    def accepts(value: float, **more: Any) -> bool:
        return any(_accepts(thing, arguments, Stage(space, along), {name: value, **more}) for along in ALONG)

    usual = VALUES.get((thing.__name__, name)) or 1.0
    if (
        not accepts(usual) or not accepts(SAMPLE_ROUNDING * usual) or accepts(-usual)
    ):  # or its limit depends on other arguments
        return ""
    if "allow_negative" in arguments and accepts(-usual, allow_negative=True):
        return " >= 0 unless allow_negative"
    return " >= 0" if accepts(0.0) else " > 0"


def _accepts(thing: Any, arguments: dict[str, Any], stage: Stage, changes: dict[str, Any]) -> bool:
    matter = {"mass": 1.0} if {"mass", "density"} <= arguments.keys() else {}
    try:
        made = thing(**{**matter, **_arguments(thing, arguments, stage), **changes})
        if isinstance(made, Element):
            stage.model.add(made, name="sample")
    except (CardanError, TypeError, ValueError, KeyError):
        return False
    return True


class Stage:
    """Two bodies, and markers, measures, signals, ... on them."""

    def __init__(self, space: str, along: str = "length") -> None:
        self.along = along
        self.module = import_module(f"cardan.{space}")
        self.flat = space == "planar"
        self.model = self.module.Model("sample")
        self.body = self.model.add(
            self.module.Body(mass=1.0, inertia=1.0 if self.flat else (1.0, 1.0, 1.0)), name="body"
        )
        self.other = self.model.add(self.module.Body(), name="other")

    def of(self, kind: str, name: str) -> Any:
        if kind.startswith("["):
            inner = self.of(kind[1:-1], name)
            several = 3 if "marker" in kind else 1 if "signal" in kind else 2 if self.flat else 3
            return (inner,) * several
        plain = kind.partition(" | ")[0].partition("(")[0]
        made: dict[str, Callable[[], Any]] = {
            "number": lambda: 1.0,
            "numbers": lambda: ((1.0,),) if name in "ABCD" else (1.0, 2.0),
            "integer": lambda: 1,
            "material": lambda: "steel",
            "flag": lambda: True,
            "text": lambda: "x" if not name.startswith("axis_b") else "y",
            "marker": lambda: (self.other if name in ("b", "wheel") else self.body).at(),
            "measure": self._measure,
            "signal": lambda: self.module.rate(self.module.x(self.body.at())),
            "motion": lambda: self.module.Constant(1.0),
            "function": lambda: _identity,
            "element": lambda: self.module.Translational(self.body.at(), self.other.at()),
            "outline": lambda: self._outline(name),
            "surface": lambda: self._surface(name),
            "road": lambda: self.module.Road.flat(),
            "part": lambda: _part(self.flat),
            "connection": lambda: None,
        }
        return made[plain]()

    def _measure(self) -> Any:
        if self.along == "x":
            return self.module.x(self.body.at())
        return self.module.length(self.body.at(), self.other.at(*(1.0,) * (2 if self.flat else 3)))

    def _outline(self, name: str) -> Any:
        return (self.other if name == "b" else self.body).profile(self.module.Circle(1.0))

    def _surface(self, name: str) -> Any:
        round_ = self.module.Disk if self.flat else self.module.Ball
        return round_((self.other if name == "b" else self.body).at(), 1.0)


def _identity(value: float) -> float:
    return value


def _part(flat: bool) -> Any:
    """A flexible part of three modes."""
    from cardan.flexible import beam

    return beam(1.0, 0.1, elements=2).reduce({}, modes=3, planar=flat)
