"""Common base class of planar and spatial bodies: mass properties and outlines."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import isfinite
from numbers import Real
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from cardan.errors import ModelError
from cardan.model import check
from cardan.model.element import Constraint, Element

if TYPE_CHECKING:
    from cardan.model.force import Force
    from cardan.model.marker import Marker
    from cardan.model.model import Model

Vector: TypeAlias = Sequence[float] | np.ndarray
# a list of points, or several such lists
OutlineLike: TypeAlias = Sequence[Vector] | Sequence[Sequence[Vector]] | np.ndarray


@dataclass(frozen=True, eq=False)
class RigidBody(Element):
    """A planar or spatial body; each space has its own class."""

    color: str = field(default="", kw_only=True)  # in pictures; unless stated, the next one of a palette

    if TYPE_CHECKING:

        @property
        def position(self) -> Vector: ...

        @property
        def velocity(self) -> Vector: ...

        @property
        def outline(self) -> OutlineLike | None: ...

        @property
        def matter(self) -> Any: ...

        def at(self, *point: Any, **axes: Any) -> Marker: ...

        def world(self, *point: Any, **axes: Any) -> Marker: ...

        def center_marker(self) -> Marker: ...

        def outlines(self) -> list[Any]: ...

    @property
    def has_orientation(self) -> bool:
        """Whether it can turn: a point mass cannot."""
        return True

    @property
    def follows(self) -> bool:
        """Whether its position follows from those of others: it is moved first where joints are closed."""
        return False

    def implied(self, model: Model) -> tuple[Constraint, ...]:
        """Constraints that are part of the body; the model adds them with it, under its name."""
        return ()

    def check_attached(self, element: Element) -> None:
        """Reject an element that cannot act on the body."""

    # of flexible bodies: the coordinates of their modes, and the forces by which they resist deformation

    @property
    def modal_coordinates(self) -> tuple[Any, ...]:
        return ()

    @property
    def elasticity(self) -> Force | None:
        return None

    def bodies(self) -> tuple[RigidBody, ...]:
        return (self,)


def take_matter(body: Any, kind: type[Any]) -> None:
    """Take mass, mass center and inertia from a `matter` object given as mass."""
    matter = body.mass
    if not isinstance(matter, kind):
        return
    if body.inertia is not None or body.center is not type(body).center or body.inertia_at != "center":
        raise ModelError(
            "a body whose mass is a matter object takes no inertia=, center= or inertia_at=: matter includes them"
        )
    for name in ("mass", "center", "inertia"):
        object.__setattr__(body, name, getattr(matter, name))
    object.__setattr__(body, "shape", matter.shape)


def matter_of(body: Any, kind: type[Any], nothing: Any) -> Any:
    """Mass, mass center and inertia of a body; `nothing` is the default inertia.

    Computed once, and again when the numbers change; arrays may change and are compared each time.
    """
    numbers = (body.mass, body.center, body.inertia, body.inertia_at)
    before, kept = vars(body).get("_matter", ((), None))
    if before and all(a is b for a, b in zip(before, numbers, strict=True)):
        return kept
    stated = {
        "mass": 0.0 if body.mass is None else body.mass,
        "center": body.center,
        "inertia": nothing if body.inertia is None else body.inertia,
    }
    about_origin = body.inertia_at == "origin"
    found = kind.taken_about((0.0,) * len(type(body).center), **stated) if about_origin else kind(**stated)
    if all(part is None or isinstance(part, float | int | str | tuple) for part in numbers):
        object.__setattr__(body, "_matter", (numbers, found))
    return found


class LaterLines(Sequence[Any]):
    """An outline that is computed when it is first drawn: lines as `function` returns them for its arguments."""

    def __init__(self, function: Callable[..., list[Any]], *arguments: Any) -> None:
        self._function, self._arguments = function, arguments

    @cached_property
    def _lines(self) -> list[Any]:
        return self._function(*self._arguments)

    def __len__(self) -> int:
        return len(self._lines)

    def __getitem__(self, place: Any) -> Any:
        return self._lines[place]


def check_body(body: Any) -> None:
    """Reject impossible mass properties and outlines that cannot be drawn."""
    check.choice(body.inertia_at, ("center", "origin"), f"inertia_at of {body.title}")
    check.color_code(body.color, f"the color of {body.title}")
    try:
        _ = body.matter
    except ModelError as error:
        message, own = str(error), re.search(r"\bof a (Planar|Spatial)Matter\b", str(error))
        whose = message.replace(own[0], f"of {body.title}") if own else f"the matter of {body.title}: {message}"
        raise ModelError(whose) from None
    if isinstance(body.outline, LaterLines):
        return
    dimensions, what = len(type(body).center), f"the outline of {body.title}"
    for line in lines_of(body.outline) if _is_list(body.outline, dimensions, what) else ():
        for point in line if _is_list(line, dimensions, f"a line in {what}") else ():
            if not _plain(point, dimensions):
                check.vector(point, dimensions, f"a point in {what}")


def lines_of(outline: OutlineLike | None) -> list[Any]:
    """The lines to draw as a list of point lists: an outline is one such list, or several."""
    if outline is None or len(outline) == 0:
        return []
    first = outline[0]
    several = _listed(first) and len(first) and not isinstance(first[0], Real)
    return list(outline) if several else [outline]


def _plain(point: Any, dimensions: int) -> bool:
    """Whether it is a tuple of finite floats, a fast path for the thousands of points of drawn solids."""
    return type(point) is tuple and len(point) == dimensions and all(type(x) is float and isfinite(x) for x in point)


def _is_list(value: object, dimensions: int, what: str) -> bool:
    """Whether there are points; anything other than a list is rejected."""
    if value is not None and not _listed(value):
        point = ", ".join("xyz"[:dimensions])
        raise ModelError(
            f"{what} must be a list of points ({point}), or several such lists, got {check.short_repr(value)}"
        )
    return value is not None


def _listed(value: object) -> bool:
    if isinstance(value, np.ndarray):
        return value.ndim > 0
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)
