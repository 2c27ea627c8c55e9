r"""Two surfaces that may touch: how far apart they are, and how they rub on each other.

            b
         .-----.              p_a, p_b   the points of both surfaces that are nearest to each other, or deepest inside
        (       )             n          the common normal, out of a toward b
         '--o--'  p_b         gap        n . (p_b - p_a): negative where they press into each other
            |  ^ n            rub        the velocity of b as seen from a at the point halfway between p_a and p_b,
    --------o--------  p_a               without its part along n
            a

All these are measures that are evaluated together, once for each pair of surfaces. A force along `gap` acts along n, a
force along `rub` along the surfaces, equal and opposite on a and b at one point. They serve forces, events and
outputs; an equation cannot hold them, for their second derivative is not known.
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

NONE = np.uint32(0xFFFFFFFF)  # a measure that nobody asked for
LOST = 1000  # status of the compiled pass from here on: 1000 + the pair for which no gap was found
ROWS = (("gap", ""), ("rub", "x"), ("rub", "y"), ("rub", "z"), ("advance", ""), ("yaw", ""), ("camber", ""))


@dataclass(frozen=True, eq=False)
class SurfacePair:
    """A pair of surfaces, on the bodies of markers a and b; `kind` says of which sort, the rest what they are like."""

    kind: str
    a: Marker
    b: Marker
    numbers: tuple[float, ...] = ()
    data: tuple[Any, ...] = ()  # curves, meshes or roads
    depth: float = np.inf  # m: half of what is thinnest; one inside the other by more might come out on the other side
    through: float = np.inf  # m: a body pressed so deep into a sheet comes out on the other side

    def measure(self, kind: str, axis: str = "") -> Measure:
        """One of the measures of the pair; see `ROWS`."""
        return Measure(kind, self.a, self.b, axis, touch=self)

    @property
    def gap(self) -> Measure:
        """The distance along the common normal, negative where the surfaces press into each other."""
        return self.measure("gap")

    @property
    def rubs(self) -> tuple[Measure, ...]:
        """The velocity of b as seen from a, without its part along the normal: a rate without value.

        In the plane one number, along n turned by +90 degrees; in space three, along the axes of marker a.
        """
        return tuple(self.measure("rub", axis) for axis in ("x" if len(self.a.place) == 2 else "xyz"))

    def lost(self, report: Sequence[float]) -> str:
        """Why there is no gap, in words; the compiled pass leaves numbers in its `report`."""
        return f"no place was found where {self.a} and {self.b} would touch; let an event end the run before"


class Surface(metaclass=Stated):
    """Something that can be touched: a body's face, a ball, an outline."""

    @abstractmethod
    def meet(self, other: Any) -> SurfacePair:
        """The pair of this surface, as a, and another."""


def meet(a: Any, b: Any, what: str) -> SurfacePair:
    """The pair of two surfaces on two bodies."""
    for end, surface in (("a", a), ("b", b)):
        hint = "for example Face(ground.at()) and a Ball or Disk"
        check.instance(surface, Surface, f"surface {end} of {what}", hint=hint)
    pair = a.meet(b)
    if pair.a.body is pair.b.body:
        raise ModelError(f"{what} lets body '{pair.a.body.name}' touch itself; its surfaces must lie on two bodies")
    return pair


def no_pair(a: Any, b: Any, known: str) -> ModelError:
    """The error of two surfaces that have no kernel."""
    return ModelError(f"a {type(a).__name__} cannot touch a {type(b).__name__}; known are {known}")


def fixed(marker: Any, what: str) -> None:
    """Refuse what is no marker fixed in a body."""
    check.instance(marker, Marker, what, hint="body.at(...) makes one")
    if marker.own is not None:
        raise ModelError(f"{what} must be fixed in its body, {marker} runs along a curve")


def touches_of(measures: Sequence[Measure]) -> tuple[SurfacePair, ...]:
    """The pairs that measures belong to, each once, in their order."""
    return tuple(dict.fromkeys(measure.touch for measure in measures if measure.touch is not None))


def touch_rows(touches: Sequence[SurfacePair], measures: Sequence[Measure]) -> np.ndarray:
    """For each pair the numbers of its measures in the order of `ROWS`, or NONE."""
    place = {id(touch): k for k, touch in enumerate(touches)}
    rows = np.full((len(touches), len(ROWS)), NONE, np.uint32)
    for m, measure in enumerate(measures):
        if measure.touch is not None:
            rows[place[id(measure.touch)], ROWS.index((measure.kind, measure.axes))] = m
    return rows


def touch_bodies(number: dict[int, int], measures: Sequence[Measure]) -> np.ndarray:
    """For each measure of a pair its number and those of both bodies, as `touch_rates` reads them."""
    pairs = [(m, z.touch) for m, z in enumerate(measures) if z.touch is not None]
    found = [(m, number[id(pair.a.body)], number[id(pair.b.body)]) for m, pair in pairs]
    return np.array(found, np.uint32).reshape(-1, 3)


@kernel(internal=True)
def touch_rates(ends, v, z, jac):
    """Fill z[:, 1:3] of all pairs: rates are jac v, in every space; biases are not known and stay zero."""
    width = jac.shape[1] // 2 - 1
    for k in range(ends.shape[0]):
        m, a, b = ends[k, 0], width * ends[k, 1], width * ends[k, 2]
        rate = 0.0
        for c in range(width):
            rate += jac[m, c] * v[a + c] + jac[m, width + c] * v[b + c]
        z[m, 1], z[m, 2] = rate, 0.0
    return 0
