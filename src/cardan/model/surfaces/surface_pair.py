r"""Two contact surfaces: their distance and sliding velocity.

            b
         .-----.              p_a, p_b   the points of both surfaces that are nearest to each other, or deepest inside
        (       )             n          the common normal, out of a toward b
         '--o--'  p_b         gap        n . (p_b - p_a): negative for penetration
            |  ^ n            rub        the velocity of b relative to a at the point halfway between p_a and p_b,
    --------o--------  p_a               without its component along n
            a

These are measures, evaluated together once per pair of surfaces. A force along `gap` acts along n, a force along `rub`
along the surfaces, equal and opposite on a and b at one point. They can be used in forces, events and outputs, but not
in equations, because their second derivative is not available.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cardan.errors import ModelError
from cardan.model import check
from cardan.model.marker import Marker
from cardan.model.measure import Measure
from cardan.model.stated import Stated
from cardan.numerics.compiled.jit import kernel

NONE = np.uint32(0xFFFFFFFF)  # a measure that is not used
NO_GAP = 1000  # status of the compiled pass: 1000 + the index of the pair without a gap
ROWS = (("gap", ""), ("rub", "x"), ("rub", "y"), ("rub", "z"), ("advance", ""), ("yaw", ""), ("camber", ""))


@dataclass(frozen=True, eq=False)
class SurfacePair:
    """A pair of surfaces of type `kind`, on the bodies of markers a and b, with its data."""

    kind: str
    a: Marker
    b: Marker
    numbers: tuple[float, ...] = ()
    data: tuple[Any, ...] = ()  # curves, meshes or roads
    depth: float = np.inf  # m: half of the smallest dimension; beyond it a body might come out on the other side
    through: float = np.inf  # m: penetration of a sheet at which a body comes out on the other side

    def measure(self, kind: str, axis: str = "") -> Measure:
        """One of the measures of the pair; see `ROWS`."""
        return Measure(kind, self.a, self.b, axis, touch=self)

    @property
    def gap(self) -> Measure:
        """The distance along the common normal, negative for penetration."""
        return self.measure("gap")

    @property
    def rubs(self) -> tuple[Measure, ...]:
        """The velocity of b relative to a, without its component along the normal: only a rate.

        In the plane one number, along n rotated by +90 degrees; in space three, along the axes of marker a.
        """
        return tuple(self.measure("rub", axis) for axis in ("x" if len(self.a.place) == 2 else "xyz"))

    def lost(self, report: Sequence[float]) -> str:
        """The message about a missing gap, with the numbers that the compiled pass wrote to its `report`."""
        return f"no contact point of {self.a} and {self.b} was found; end the run before with an event"


class Surface(metaclass=Stated):
    """A contact surface: a face, a ball, an outline."""

    @abstractmethod
    def meet(self, other: object) -> SurfacePair:
        """The pair of this surface, as a, and another."""


def meet(a: Any, b: Any, what: str) -> SurfacePair:
    """The pair of two surfaces on two bodies."""
    for end, surface in (("a", a), ("b", b)):
        hint = "for example Face(ground.at()) and a Ball or Disk"
        check.instance(surface, Surface, f"surface {end} of {what}", hint=hint)
    pair = a.meet(b)
    if pair.a.body is pair.b.body:
        raise ModelError(f"{what} has both surfaces on body '{pair.a.body.name}'; they must be on two bodies")
    return pair


def no_pair(a: Any, b: Any, known: str) -> ModelError:
    """The error for two surfaces without a kernel."""
    return ModelError(f"a {type(a).__name__} cannot touch a {type(b).__name__}; supported are {known}")


def fixed(marker: Marker, what: str) -> None:
    """Require a body-fixed marker."""
    check.instance(marker, Marker, what, hint="create one with body.at(...)")
    if marker.contact_coordinate is not None:
        raise ModelError(f"{what} must be fixed in its body, but {marker} moves along a curve")


def touches_of(measures: Sequence[Measure]) -> tuple[SurfacePair, ...]:
    """The pairs that measures belong to, each once, in order."""
    return tuple(dict.fromkeys(measure.touch for measure in measures if measure.touch is not None))


def touch_rows(touches: Sequence[SurfacePair], measures: Sequence[Measure]) -> np.ndarray:
    """The indices of the measures of each pair in the order of `ROWS`, or NONE."""
    place = {id(touch): k for k, touch in enumerate(touches)}
    rows = np.full((len(touches), len(ROWS)), NONE, np.uint32)
    for m, measure in enumerate(measures):
        if measure.touch is not None:
            rows[place[id(measure.touch)], ROWS.index((measure.kind, measure.axes))] = m
    return rows


def touch_bodies(number: dict[int, int], measures: Sequence[Measure], width: int) -> np.ndarray:
    """The index of each measure of a pair and of both bodies, and the speeds of a body, as input of `touch_rates`."""
    pairs = [(m, z.touch) for m, z in enumerate(measures) if z.touch is not None]
    found = [(m, number[id(pair.a.body)], number[id(pair.b.body)], width) for m, pair in pairs]
    return np.array(found, np.uint32).reshape(-1, 4)


@kernel(internal=True)
def touch_rates(ends, v, z, jac):
    """Fill z[:, 1:3] of all pairs: rates are jac v, in every space; biases are not available and stay zero."""
    for k in range(ends.shape[0]):
        width = int(ends[k, 3])
        m, a, b = ends[k, 0], width * ends[k, 1], width * ends[k, 2]
        rate = 0.0
        for c in range(width):
            rate += jac[m, c] * v[a + c] + jac[m, width + c] * v[b + c]
        z[m, 1], z[m, 2] = rate, 0.0
    return 0
