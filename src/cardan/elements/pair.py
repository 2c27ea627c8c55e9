"""What all joints between two markers share: their ends, the check that they lie on two bodies, world coordinates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from cardan.errors import ModelError
from cardan.model import check
from cardan.model.element import Constraint
from cardan.model.marker import Marker

AXES = ("x", "y", "z", "angle", "orientation")  # how the axes of a marker are stated, in the plane or in space


@dataclass(frozen=True, eq=False)
class Pair(Constraint):
    """A joint between marker `a` and marker `b`."""

    a: Any
    b: Any

    def __post_init__(self) -> None:
        for end in ("a", "b"):
            what = f"end {end} of a {type(self).__name__}"
            check.instance(getattr(self, end), Marker, what, hint="body.at(...) makes one")

    @classmethod
    def between(cls, a: Any, b: Any, at: Any, *, to: Any = None, **stated: Any) -> Self:
        """The joint between bodies a and b at a point of the world, where the bodies are stated.

        `to` is the point on b if it is another one. Axes are world directions: z= and x= in space, angle= in the plane.
        Everything else goes to the joint.
        """
        for end, body in (("a", a), ("b", b)):
            if isinstance(body, Marker):
                raise ModelError(f"{cls.__name__}.between() takes bodies, but end {end} is the marker {body}")
        axes = {name: stated.pop(name) for name in AXES if name in stated}
        return cls(a.world(at, **axes), b.world(at if to is None else to, **axes), **stated)

    def bodies(self) -> tuple[Any, ...]:
        return (self.a.body, self.b.body)

    def check(self) -> None:
        if self.a.body is self.b.body:
            raise ModelError(f"{self.title} joins body '{self.a.body.name}' to itself; its ends must lie on two bodies")
