"""Common base of joints between two markers: their ends, the check for two bodies, global coordinates."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Generic, Self, TypeVar

from cardan.errors import ModelError
from cardan.model import check
from cardan.model.body import RigidBody, Vector
from cardan.model.element import Constraint
from cardan.model.marker import Marker

M = TypeVar("M", bound=Marker)

AXES = ("x", "y", "z", "angle", "orientation")  # arguments for the axes of a marker, in the plane or in space
OTHERS = ("x_b", "y_b", "z_b")  # those of b, if different


@dataclass(frozen=True, eq=False)
class TwoMarkerJoint(Constraint, Generic[M]):
    """A joint between marker `a` and marker `b`."""

    a: M
    b: M

    crossed: ClassVar[bool] = False  # True if the z axes of a and b are not parallel

    def __post_init__(self) -> None:
        for end in ("a", "b"):
            what = f"end {end} of a {type(self).__name__}"
            check.instance(getattr(self, end), Marker, what, hint="create one with body.at(...)")

    @classmethod
    def between(cls, a: RigidBody, b: RigidBody, at: Vector, *, to: Vector | None = None, **stated: Any) -> Self:
        """The joint between bodies a and b at a global point, with the bodies in their given positions.

        `to` is the point on b if it differs. Axes are global directions: z= and x= in space, angle= in the plane; z_b=
        and x_b= are those of b if they differ. All other arguments are passed to the joint.
        """
        cls._check_stated(a, b, stated)
        axes = {name: stated.pop(name) for name in AXES if name in stated}
        others = {name[:-2]: stated.pop(name) for name in OTHERS if name in stated}
        if cls.crossed and "z" not in others:
            raise ModelError(f"{cls.__name__}.between() needs z_b=, the axis on b, which differs from that on a")
        if "z" in others and "z" in axes:
            others.setdefault("x", axes["z"])  # perpendicular to the axis on b, for joints in which it matters
        ends: Any = a.world(at, **axes), b.world(at if to is None else to, **(axes | others))
        return cls(*ends, **stated)

    def bodies(self) -> tuple[RigidBody, ...]:
        return (self.a.body, self.b.body)

    def check(self) -> None:
        if self.a.body is self.b.body:
            raise ModelError(f"{self.title} joins body '{self.a.body.name}' to itself; its ends must be on two bodies")

    @classmethod
    def _check_stated(cls, a: RigidBody, b: RigidBody, stated: dict[str, Any]) -> None:
        """Reject ends that are not bodies of one space, and unknown arguments."""
        where = f"{cls.__name__}.between()"
        for end, body in (("a", a), ("b", b)):
            if not isinstance(body, RigidBody):
                raise ModelError(
                    f"{where} takes bodies, but end {end} is {check.describe(body)}; {cls.__name__}(a, b) takes markers"
                )
        if len(type(a).center) != len(type(b).center):  # type: ignore[attr-defined]
            raise ModelError(f"{where} takes bodies of one space, got {a!r} and {b!r}")
        axes = [name for name in AXES if name in inspect.signature(a.world).parameters]
        axes += [name for name in OTHERS if name[0] in axes]
        own = [field.name for field in fields(cls) if field.init and field.name not in ("a", "b")]
        for name in stated:
            if name not in (*axes, *own):
                known = ", ".join(("at", "to", *axes, *own))
                raise ModelError(f"{where} has no argument '{name}'; besides the bodies it takes {known}")
