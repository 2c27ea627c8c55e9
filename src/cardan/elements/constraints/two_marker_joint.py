"""What all joints between two markers share: their ends, the check that they lie on two bodies, world coordinates."""

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

AXES = ("x", "y", "z", "angle", "orientation")  # how the axes of a marker are stated, in the plane or in space
OTHERS = ("x_b", "y_b", "z_b")  # those of b where they differ


@dataclass(frozen=True, eq=False)
class TwoMarkerJoint(Constraint, Generic[M]):
    """A joint between marker `a` and marker `b`."""

    a: M
    b: M

    crossed: ClassVar[bool] = False  # True if the z axes of a and b are not parallel

    def __post_init__(self) -> None:
        for end in ("a", "b"):
            what = f"end {end} of a {type(self).__name__}"
            check.instance(getattr(self, end), Marker, what, hint="body.at(...) makes one")

    @classmethod
    def between(cls, a: RigidBody, b: RigidBody, at: Vector, *, to: Vector | None = None, **stated: Any) -> Self:
        """The joint between bodies a and b at a point of the world, where the bodies are stated.

        `to` is the point on b if it is another one. Axes are world directions: z= and x= in space, angle= in the plane;
        z_b= and x_b= are those of b where they are others. Everything else goes to the joint.
        """
        cls._check_stated(a, b, stated)
        axes = {name: stated.pop(name) for name in AXES if name in stated}
        others = {name[:-2]: stated.pop(name) for name in OTHERS if name in stated}
        if cls.crossed and "z" not in others:
            raise ModelError(f"{cls.__name__}.between() needs z_b=, the axis on b: it is not that on a")
        if "z" in others and "z" in axes:
            others.setdefault("x", axes["z"])  # what is square to the axis on b, in the joints where it matters
        ends: Any = a.world(at, **axes), b.world(at if to is None else to, **(axes | others))
        return cls(*ends, **stated)

    def bodies(self) -> tuple[RigidBody, ...]:
        return (self.a.body, self.b.body)

    def check(self) -> None:
        if self.a.body is self.b.body:
            raise ModelError(f"{self.title} joins body '{self.a.body.name}' to itself; its ends must lie on two bodies")

    @classmethod
    def _check_stated(cls, a: RigidBody, b: RigidBody, stated: dict[str, Any]) -> None:
        """Reject ends that are not bodies of one space, and unknown arguments."""
        where = f"{cls.__name__}.between()"
        for end, body in (("a", a), ("b", b)):
            if not isinstance(body, RigidBody):
                raise ModelError(
                    f"{where} takes bodies, but end {end} is {check.describe(body)}; {cls.__name__}(a, b) takes markers"
                )
        if type(a).world is not type(b).world:  # a user's own kind of body inherits it from the body of its space
            raise ModelError(f"{where} takes bodies of one space, got {a!r} and {b!r}")
        axes = [name for name in AXES if name in inspect.signature(a.world).parameters]
        axes += [name for name in OTHERS if name[0] in axes]
        own = [field.name for field in fields(cls) if field.init and field.name not in ("a", "b")]
        for name in stated:
            if name not in (*axes, *own):
                known = ", ".join(("at", "to", *axes, *own))
                raise ModelError(f"{where} does not know '{name}'; beside the bodies it takes {known}")
