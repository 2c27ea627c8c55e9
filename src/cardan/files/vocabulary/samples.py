"""A sample of every class, made from the roles of its arguments: it tells what measures and signals a class offers."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

# Samples by role where the general one would be refused, and arguments that stand in for each other.
OWN = {
    ("Bushing", "stiffness"): 1.0,
    ("Belt", "distance"): 3.0,
    ("Belt", "friction"): None,
    ("Sampled", "period"): 0.1,
    ("HydraulicCylinder", "areas"): (1e-3, 1e-3),
    ("HydraulicCylinder", "volumes"): (1e-3, 1e-3),
    ("HydraulicCylinder", "tank"): 0.0,
    ("KnifeEdge", "axis"): "y",
    ("Saturation", "high"): 2.0,
    ("Rope", "stiffness"): 1.0,
    ("Cable", "stiffness"): 1.0,
    ("Capstan", "stiffness"): 1.0,
    ("Stop", "lower"): 1.0,
    ("Stop", "stiffness"): 1.0,
}


def sample(thing: Any, arguments: dict[str, Any], space: str, stage: Stage | None = None) -> Any:
    """An object of a class, or what a function gives, with one as every number that must be stated."""
    made = stage or Stage(space)
    stated = {}
    for name, (role, *default) in arguments.items():
        key = (thing.__name__, name)
        lengths = role in ("number(length)", "number(V)") and bool(default) and default[0] == 0.0
        if key in OWN:
            stated[name] = OWN[key]
        elif not default or lengths or role == "marker":
            stated[name] = made.of(role, name)
    return thing(**{name: value for name, value in stated.items() if value is not None or name == "b"})


class Stage:
    """Two bodies of a space with what can be put on them."""

    def __init__(self, space: str) -> None:
        self.module = import_module(f"cardan.{space}")
        self.flat = space == "planar"
        self.model = self.module.Model("sample")
        self.body = self.model.add(
            self.module.Body(mass=1.0, inertia=1.0 if self.flat else (1.0, 1.0, 1.0)), name="body"
        )
        self.other = self.model.add(self.module.Body(), name="other")

    def of(self, role: str, name: str) -> Any:
        if role.startswith("["):
            inner = self.of(role[1:-1], name)
            several = 3 if "marker" in role else 1 if "signal" in role else 2 if self.flat else 3
            return (inner,) * several
        role = role.partition(" | ")[0]
        kind = role.partition("(")[0]
        made: dict[str, Callable[[], Any]] = {
            "number": lambda: 1.0,
            "numbers": lambda: ((1.0,),) if name in "ABCD" else (1.0, 2.0),
            "integer": lambda: 1,
            "flag": lambda: True,
            "text": lambda: "x" if not name.startswith("axis_b") else "y",
            "marker": lambda: (self.other if name in ("b", "wheel") else self.body).at(),
            "measure": lambda: self.module.length(self.body.at(), self.other.at(*(1.0,) * (2 if self.flat else 3))),
            "signal": lambda: self.module.rate(self.module.x(self.body.at())),
            "motion": lambda: self.module.Constant(1.0),
            "function": lambda: _same,
            "element": lambda: self.module.Translational(self.body.at(), self.other.at()),
            "outline": lambda: self._outline(name),
            "surface": lambda: self._surface(name),
            "road": lambda: self.module.Road.flat(),
        }
        return made[kind]()

    def _outline(self, name: str) -> Any:
        return (self.other if name == "b" else self.body).profile(self.module.Circle(1.0))

    def _surface(self, name: str) -> Any:
        round_ = self.module.Disk if self.flat else self.module.Ball
        return round_((self.other if name == "b" else self.body).at(), 1.0)


def _same(value: float) -> float:
    return value
