r"""Spatial contact surfaces: balls and points, half spaces, and triangle meshes.

    z ^                     Face   the half space below the xy plane of its marker, z out of the material
______|______               Ball   a sphere about its marker; radius 0 is a point; `hollow` is what surrounds it
/////////////               Mesh   triangles in the axes of its marker: closed ones are solid, open ones sheets
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from cardan.errors import ModelError
from cardan.model import check
from cardan.model.dimensions import Length
from cardan.model.measure import Measure
from cardan.model.surfaces.round_surfaces import FlatSurface, RoundSurface, half, sheet_depth, sheet_thickness
from cardan.model.surfaces.surface_pair import (
    Surface,
    SurfacePair,
    fixed,
    no_pair,
    touch_bodies,
    touch_rates,
    touch_rows,
    touches_of,
)
from cardan.numerics.compiled.block import block
from cardan.numerics.compiled.indirect import pointer_to
from cardan.spatial.body import Body, Marker
from cardan.spatial.kernels.columns import SPATIAL_COLUMNS
from cardan.spatial.kernels.frames import SpatialTouches
from cardan.spatial.kernels.mesh import mesh_touch
from cardan.spatial.kernels.road import wheel_touch
from cardan.spatial.kernels.surfaces import KINDS, touch_values
from cardan.spatial.mesh_tree import MeshTree, is_closed, mesh_tree

KNOWN = "a Ball with a Face, a Mesh or another Ball"
SPATIAL_STACK = 128  # stack of boxes during a tree search, enough for a balanced tree of 2^60 triangles


@dataclass(frozen=True)
class Face(FlatSurface):
    """The half space below the xy plane of a marker, its z axis out of the material."""

    marker: Marker

    known: ClassVar[str] = KNOWN


@dataclass(frozen=True)
class Ball(RoundSurface):
    """A sphere about a marker: with radius 0 a point, and with hollow=True what surrounds the sphere."""

    marker: Marker

    word: ClassVar[str] = "ball"
    known: ClassVar[str] = KNOWN


@dataclass(frozen=True, eq=False)
class Mesh(Surface):
    """A surface of triangles in the axes of a marker: of a `trimesh` mesh, `Mesh(marker, mesh.vertices, mesh.faces)`.

    `vertices` are points, (n, 3); `triangles` number three of them each, (k, 3). A ball touches the surface where it is
    nearest: a ball in a groove touches one side at a time. A closed surface, its triangles counterclockwise as seen
    from outside, is solid. One with an open edge, such as terrain, is a sheet with half of its `thickness` on either
    side: a ball touches it from both sides and at its edges, and one that penetrates deeper than its radius plus half
    the thickness comes out on the other side. `.closed` is True for closed surfaces.
    """

    marker: Marker
    vertices: ArrayLike = field(repr=False)
    triangles: ArrayLike = field(repr=False)
    thickness: Length = 0.0
    closed: bool = field(init=False)

    def __post_init__(self) -> None:
        fixed(self.marker, "the marker of a Mesh")
        points, numbers = np.asarray(self.vertices, float), np.asarray(self.triangles)
        if points.ndim != 2 or points.shape[1:] != (3,) or not np.isfinite(points).all():
            raise ModelError(f"the vertices of a Mesh must be rows of three finite numbers, got shape {points.shape}")
        whole = (
            numbers.ndim == 2 and numbers.shape[1] == 3 and len(numbers) and np.issubdtype(numbers.dtype, np.integer)
        )
        if not whole or numbers.min() < 0 or numbers.max() >= len(points):
            raise ModelError(
                f"the triangles of a Mesh must be rows of three whole numbers, indices of its {len(points)} vertices "
                f"from 0, got {check.short_repr(self.triangles)}"
            )
        points, places = np.unique(points + 0.0, axis=0, return_inverse=True)  # STL repeats corners
        numbers = places.reshape(-1)[numbers]
        flat = np.linalg.norm(np.cross(*(points[numbers[:, i]] - points[numbers[:, 0]] for i in (1, 2))), axis=1)
        numbers = numbers[flat > 1e-15 * float(np.ptp(points, axis=0).max()) ** 2]  # degenerate triangles
        if not len(numbers):
            raise ModelError("the triangles of a Mesh have no area")
        what = f"the Mesh on '{self.marker.body.name}'"
        object.__setattr__(self, "closed", is_closed(points, numbers, what))
        object.__setattr__(self, "thickness", sheet_thickness(self.thickness, self.closed, what))
        object.__setattr__(self, "vertices", points)
        object.__setattr__(self, "triangles", numbers)

    @property
    def body(self) -> Body:
        """The body it is fixed to."""
        return self.marker.body

    @property
    def size(self) -> float:
        """Half of its smallest extent."""
        return 0.5 * float(np.ptp(np.asarray(self.vertices), axis=0).min())

    @cached_property
    def tree(self) -> MeshTree:
        """The boxes around its triangles."""
        return mesh_tree(np.asarray(self.vertices), np.asarray(self.triangles))

    def meet(self, other: object) -> SurfacePair:
        if isinstance(other, Ball) and not other.hollow:
            extra = 0.5 * self.thickness
            depth = half(other.radius, self.size) if self.closed else sheet_depth(self, other, extra)
            numbers = (other.radius, extra, float(not self.closed))
            through = math.inf if self.closed else other.radius + extra
            return SurfacePair("mesh-ball", self.marker, other.marker, numbers, (self,), depth, through)
        raise no_pair(self, other, KNOWN)


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
    meshes: list[Mesh] = list(dict.fromkeys(t.data[0] for t in touches if t.kind == "mesh-ball"))
    roads = list(dict.fromkeys(t.data[0] for t in touches if t.kind == "road-wheel"))
    trees = [mesh.tree for mesh in meshes]
    root = dict(zip(meshes, np.cumsum([0, *(len(tree.links) for tree in trees)]), strict=False))
    root |= dict(zip(roads, np.cumsum([0, *(len(road.packed) for road in roads)]), strict=False))
    first = np.cumsum([0, *(len(touch.numbers) for touch in touches)])
    stated = [
        (KINDS.index(t.kind), place[t.a], place[t.b], f, root[t.data[0]] if t.data else 0)
        for t, f in zip(touches, first[:-1], strict=True)
    ]
    tables = SpatialTouches(
        pairs=np.array(stated, np.uint32).reshape(-1, 5),
        rows=touch_rows(touches, measures),
        ends=touch_bodies(number, measures, 6),
        numbers=np.array([x for touch in touches for x in touch.numbers], float),
        boxes=np.concatenate([np.zeros((0, 6)), *(tree.boxes for tree in trees)]),
        links=_links(trees),
        corners=np.concatenate([np.zeros((0, 9)), *(tree.corners for tree in trees)]),
        normals=np.concatenate([np.zeros((0, 21)), *(tree.normals for tree in trees)]),
        stack=np.zeros(SPATIAL_STACK, np.uint32),
        roads=np.array([x for road in roads for x in road.packed], float),
        scratch=np.zeros(24),
        address=np.zeros(4, np.uint64),
    )
    found = block(tables)
    if touches:
        frames, table = np.zeros((1, SPATIAL_COLUMNS)), np.zeros((1, 1))
        tables.address[0] = pointer_to(touch_values, found, frames, table, table)
        tables.address[1] = pointer_to(touch_rates, tables.ends, np.zeros(1), table, table)
        if meshes:
            tables.address[2] = pointer_to(mesh_touch, found, frames, np.int64(0))
        if roads:
            tables.address[3] = pointer_to(wheel_touch, found, frames, np.int64(0), table, table)
    return found


def _links(trees: Sequence[MeshTree]) -> np.ndarray:
    """The links of all trees one after the other."""
    nodes = triangles = 0
    found = [np.zeros((0, 2), np.uint32)]
    for tree in trees:
        leaf = tree.links[:, 1:] > 0
        found.append((tree.links + np.where(leaf, [[triangles, 0]], [[nodes, 0]])).astype(np.uint32))
        nodes += len(tree.links)
        triangles += len(tree.corners)
    return np.concatenate(found)
