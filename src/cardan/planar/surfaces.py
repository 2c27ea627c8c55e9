r"""Planar contact surfaces: disks and points, straight faces, and rims of any shape.

    y ^                     Face   the half plane below the x axis of its marker, y out of the material
______|___> x               Disk   a circle about its marker; radius 0 is a point; `hollow` is the ring around it
///////////                 Rim    an outline `body.profile(curve)`; closed ones run counter-clockwise around the
                                   material, open ones are sheets, touched on both sides and at their ends
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

import numpy as np

from cardan.errors import ModelError
from cardan.model.curves.curve import Profile
from cardan.model.dimensions import Length
from cardan.model.measure import Measure
from cardan.model.surfaces.round_surfaces import FlatSurface, RoundSurface, half, sheet_depth, sheet_thickness
from cardan.model.surfaces.surface_pair import (
    Surface,
    SurfacePair,
    no_pair,
    touch_bodies,
    touch_rates,
    touch_rows,
    touches_of,
)
from cardan.numerics.compiled.block import block
from cardan.numerics.compiled.indirect import pointer_to
from cardan.numerics.curves.profiles import profile_table
from cardan.planar.body import Body, Marker, Outline, require_outline
from cardan.planar.kernels.columns import PLANAR_COLUMNS
from cardan.planar.kernels.measures import PlanarTouches
from cardan.planar.kernels.outlines import FAN, curve_touch
from cardan.planar.kernels.surfaces import KINDS, touch_values
from cardan.planar.outline_tree import RimTree, crossing, rim_tree

KNOWN = "a Disk with a Disk, and a Face, Disk or Rim with a Rim or Face, but not two Faces"
PLANAR_STACK = 64  # stack of boxes during a tree search: more than twice the depth of the deepest tree


@dataclass(frozen=True)
class Face(FlatSurface):
    """The half plane below the x axis of a marker, its y axis out of the material."""

    marker: Marker

    known: ClassVar[str] = KNOWN

    def meet(self, other: object) -> SurfacePair:
        if isinstance(other, Rim):
            numbers = (0.5 * other.thickness,)
            return SurfacePair("face-rim", self.marker, other.frame, numbers, (other.outline.curve,), half(other.size))
        return super().meet(other)


@dataclass(frozen=True)
class Disk(RoundSurface):
    """A circle about a marker: with radius 0 a point, and with hollow=True the ring around the circle."""

    marker: Marker

    word: ClassVar[str] = "disk"
    known: ClassVar[str] = KNOWN


@dataclass(frozen=True)
class Rim(Surface):
    """The outline of a body, `body.profile(curve)`, without corners.

    A closed curve is solid. An open one is a sheet along the curve, with half of its `thickness` on either side: a
    disk touches it from both sides and at its ends. A body that penetrates deeper than its own radius plus half the
    thickness comes out on the other side; a point, of radius 0, needs a thickness. Terrain under thin bodies or large
    penetrations should be a closed curve.
    """

    outline: Outline
    thickness: Length = 0.0

    def __post_init__(self) -> None:
        require_outline(self.outline, "the outline of a Rim")
        curve, what = self.outline.curve, f"the Rim on '{self.outline.body.name}'"
        thickness = sheet_thickness(self.thickness, curve.closed, what)
        object.__setattr__(self, "thickness", thickness)
        angle, where = curve.corner()
        if angle > 1e-6:
            raise ModelError(
                f"{what} has a corner of {math.degrees(angle):.3g} degrees at u = {where:.4g}; round it off"
            )
        try:
            tree = rim_tree(curve)
        except ModelError as error:
            raise ModelError(f"{what} {error}") from None
        crossed = crossing(tree) if curve.closed else None
        if crossed is not None:
            raise ModelError(f"{what} crosses itself near u = {crossed:.4g} and has no inside; separate its loops")

    @property
    def body(self) -> Body:
        """The body it is fixed to."""
        return self.outline.body

    @property
    def frame(self) -> Marker:
        """The marker that is the frame of the curve."""
        return Marker(self.outline.body, self.outline.x, self.outline.y, self.outline.angle)

    @property
    def size(self) -> float:
        """Half of its smallest extent."""
        return 0.5 * float(np.ptp(self.outline.curve.outline(65), axis=0).min())

    def meet(self, other: object) -> SurfacePair:
        curve = self.outline.curve
        if isinstance(other, Disk) and not other.hollow:
            extra = 0.5 * self.thickness
            depth = half(other.radius, self.size) if curve.closed else sheet_depth(self, other, extra)
            through = math.inf if curve.closed else other.radius + extra
            return SurfacePair("rim-disk", self.frame, other.marker, (other.radius, extra), (curve,), depth, through)
        if isinstance(other, Face):
            return other.meet(self)
        if isinstance(other, Rim):
            for rim in (self, other):
                _require_round(rim.outline)
            depth = half(self.size, other.size)
            return SurfacePair("rim-rim", self.frame, other.frame, (), (curve, other.outline.curve), depth)
        raise no_pair(self, other, KNOWN)


def _require_round(outline: Outline) -> None:
    """Two rims touch at a single point only if both are convex, without straight parts."""
    body, curve = outline.body.name, outline.curve
    if not curve.closed:
        raise ModelError(f"the Rim on '{body}' is open: two Rims must be closed; a Disk touches an open one")
    shape = curve.is_convex()
    if not shape.convex:
        raise ModelError(
            f"the Rim on '{body}' has curvature {shape.curvature:.4g} at u = {shape.at:.4g}: two Rims must be convex, "
            "they would touch at two places; a Disk may touch such a Rim"
        )


def touch_table(number: dict[int, int], measures: Sequence[Measure], place: dict[Any, int]) -> Any:
    """The block of all pairs that `measures` belong to; `place` maps markers to numbers."""
    touches = touches_of(measures)
    return _table(touches, number, measures, place) if touches else _no_pairs()


@cache
def _no_pairs() -> Any:
    return _table((), {}, (), {})


def _table(
    touches: Sequence[SurfacePair], number: dict[int, int], measures: Sequence[Measure], place: dict[Any, int]
) -> Any:
    curves: list[Profile] = list(dict.fromkeys(curve for touch in touches for curve in touch.data))
    which = [[curves.index(curve) for curve in touch.data] + [0, 0] for touch in touches]
    first = np.cumsum([0, *(len(touch.numbers) for touch in touches)])
    stated = [
        (KINDS.index(t.kind), place[t.a], place[t.b], f, c[0], c[1])
        for t, f, c in zip(touches, first[:-1], which, strict=True)
    ]
    trees = [rim_tree(curve) for curve in curves]
    tables = PlanarTouches(
        pairs=np.array(stated, np.uint32).reshape(-1, 6),
        rows=touch_rows(touches, measures),
        ends=touch_bodies(number, measures, 3),
        numbers=np.array([x for touch in touches for x in touch.numbers], float),
        profiles=profile_table([curve.shape() for curve in curves]),
        trees=_places(trees),
        boxes=np.concatenate([np.zeros((0, 4)), *(tree.boxes for tree in trees)]),
        knots=np.concatenate([np.zeros((0, 9)), *(tree.knots for tree in trees)]),
        fans=np.concatenate([np.zeros((0, 3)), *(_fan(tree.knots[:, [0, 1, 5]]) for tree in trees)]),
        stack=np.zeros(PLANAR_STACK, np.uint32),
        scratch=np.zeros(24),
        address=np.zeros(3, np.uint64),
    )
    found = block(tables)
    if touches:
        table = np.zeros((1, 1))
        tables.address[0] = pointer_to(touch_values, found, np.zeros((1, PLANAR_COLUMNS)), table, table)
        tables.address[1] = pointer_to(touch_rates, tables.ends, np.zeros(1), table, table)
    if curves:
        tables.address[2] = pointer_to(curve_touch, found, np.zeros((1, PLANAR_COLUMNS)), np.int64(0))
    return found


def _places(trees: Sequence[RimTree]) -> np.ndarray:
    """The first box and knot of each curve, and its numbers of leaves and segments."""
    found = np.zeros((len(trees), 4), np.uint32)
    found[:, 0] = np.cumsum([0, *(len(tree.boxes) for tree in trees)])[:-1]
    found[:, 1] = np.cumsum([0, *(len(tree.knots) for tree in trees)])[:-1]
    found[:, 2], found[:, 3] = [tree.leaves for tree in trees], [len(tree.knots) - 1 for tree in trees]
    return found


def _fan(samples: np.ndarray) -> np.ndarray:
    """The knot farthest in each of FAN directions, starting at the x axis of the curve's frame."""
    angles = 2.0 * math.pi * np.arange(FAN) / FAN
    return samples[np.argmax(samples[:, 1:] @ np.array([np.cos(angles), np.sin(angles)]), axis=0)]
