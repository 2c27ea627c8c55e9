"""Solids: their mass properties and their lines in pictures.

| kind        | sizes, as in `cardan.spatial.matter`                         |
|---|---|
| `box`       | three edges                                                  |
| `sphere`    | radius                                                       |
| `cylinder`  | radius, length along z                                       |
| `capsule`   | radius, length along z without its two half spheres          |
| `ellipsoid` | three semi-axes                                              |
| `plane`     | half its edges; it has no mass                             |
| `mesh`      | a surface                                                    |
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cardan.io.mjcf.mesh_matter import mesh_matter
from cardan.io.pose import Pose, pose
from cardan.io.surface import Surface, edges_of
from cardan.spatial import matter, rotation
from cardan.spatial.matter import SpatialMatter

ROUND = 24  # sides of a circle


class Touch(NamedTuple):
    """What MJCF states about the contacts of a solid."""

    kinds: int  # bits of contype,
    partners: int  # and of conaffinity
    friction: float
    directions: int = 3  # condim: 1 is without friction
    priority: int = 0


@dataclass
class Solid:
    """A solid in the frame of its link."""

    kind: str
    sizes: tuple[float, ...] = ()
    place: Pose = field(default_factory=pose)
    surface: Surface | None = None
    name: str = ""
    drawn: bool = True
    rule: str = "exact"  # for the mass properties of a mesh, see `mesh_matter`
    paint: str = ""  # its color in the file, as #rrggbb
    touch: Touch | None = None  # if it can touch others


def faces_of(solid: Solid) -> NDArray:
    """The faces of its surface in the frame of its link, with rows of NaN between them; none of a plane."""
    if solid.kind == "mesh" and solid.surface is not None:
        corners = solid.place.at(np.asarray(solid.surface.vertices, float))[np.asarray(solid.surface.triangles, int)]
        return np.concatenate([corners, np.full((len(corners), 1, 3), np.nan)], axis=1).reshape(-1, 3)[:-1]
    shape = () if solid.kind == "plane" else _shaped(solid, 1.0, None).shape
    parts = [part for lines in shape for part in (lines, np.full((1, 3), np.nan))]
    return np.vstack(parts)[:-1] if parts else np.zeros((0, 3))


def matter_of(solid: Solid, mass: float | None, density: float | None) -> SpatialMatter | None:
    """The mass properties in the frame of its link; None for planes and for zero mass or density."""
    if solid.kind == "plane" or mass == 0.0 or (mass is None and density == 0.0):
        return None
    stated = mass if mass is not None else density
    if solid.kind == "mesh" or stated is None or not min(*solid.sizes, stated) > 0.0:
        return _shaped(solid, mass, density)  # or an error that names what is wrong
    volume, squares = _moments(solid)
    total = mass if mass is not None else stated * volume
    axes, (x, y, z) = rotation.matrix(solid.place.turn), solid.place.point.tolist()
    return SpatialMatter(total, (x, y, z), total * (axes * np.array(squares)) @ axes.T)


def _moments(solid: Solid) -> tuple[float, tuple[float, float, float]]:
    """Volume, and moments about the center divided by the mass."""
    if solid.kind == "box":
        a, b, c = (size * size / 12.0 for size in solid.sizes)
        return math.prod(solid.sizes), (b + c, a + c, a + b)
    if solid.kind in ("sphere", "ellipsoid"):
        radii = solid.sizes if solid.kind == "ellipsoid" else solid.sizes * 3
        a, b, c = (radius * radius / 5.0 for radius in radii)
        return 4.0 / 3.0 * math.pi * math.prod(radii), (b + c, a + c, a + b)
    r, h = solid.sizes
    tube, ball = math.pi * r * r * h, 4.0 / 3.0 * math.pi * r**3 if solid.kind == "capsule" else 0.0
    across = tube * (3.0 * r * r + h * h) / 12.0 + ball * (0.4 * r * r + 0.25 * h * h + 0.375 * h * r)
    along = tube * r * r / 2.0 + 0.4 * ball * r * r
    volume = tube + ball
    return volume, (across / volume, across / volume, along / volume)


def _shaped(solid: Solid, mass: float | None, density: float | None) -> SpatialMatter:
    """The mass properties with faces for pictures."""
    weight = {"mass": mass} if mass is not None else {"density": density}
    if solid.kind == "mesh":
        assert solid.surface is not None
        own = mesh_matter(solid.surface, solid.rule, **weight)
    elif solid.kind == "capsule":
        own = _capsule(*solid.sizes, **weight)
    else:
        own = getattr(matter, solid.kind)(*solid.sizes, **weight)
    return own.turned(tuple(solid.place.turn)).moved(tuple(solid.place.point))


def _capsule(radius: float, length: float, mass: float | None = None, density: float | None = None) -> SpatialMatter:
    """A cylinder between two half spheres."""
    if mass is not None:
        volume = math.pi * radius**2 * length + 4.0 / 3.0 * math.pi * radius**3
        density = mass / volume
    dome = matter.hemisphere(radius, density=density)
    top, bottom = dome.moved((0.0, 0.0, length / 2)), dome.turned((0.0, 1.0, 0.0, 0.0)).moved((0.0, 0.0, -length / 2))
    return matter.cylinder(radius, length, density=density) + top + bottom


def has_lines(solid: Solid) -> bool:
    """Whether there is something to draw: planes are infinite, and meshes may be missing."""
    return solid.kind != "plane" and (solid.kind != "mesh" or solid.surface is not None)


def lines_of(solid: Solid) -> list[NDArray]:
    """The lines of its picture, in the frame of its link; closed plane lines are drawn as faces."""
    if not has_lines(solid):
        return []
    if solid.surface is not None:
        found = edges_of(solid.surface)
    elif solid.kind == "box":
        found = _faces(solid)
    else:
        found = _rounds(solid)
    return [solid.place.at(line) for line in found]


def _faces(solid: Solid) -> list[NDArray]:
    square = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1)], float)
    faces = []
    for axis in range(3):
        for side in (-1.0, 1.0):
            face = np.insert(square, axis, side, axis=1)
            faces.append(0.5 * face * np.array(solid.sizes))
    return faces


def _rounds(solid: Solid) -> list[NDArray]:
    """Circles about the axes, and the lines between those of a cylinder or a capsule."""
    phase = np.linspace(0.0, 2.0 * math.pi, ROUND + 1)
    circle = np.stack([np.cos(phase), np.sin(phase), np.zeros_like(phase)], axis=1)
    if solid.kind in ("sphere", "ellipsoid"):
        sizes = np.array(solid.sizes if solid.kind == "ellipsoid" else solid.sizes * 3)
        return [np.roll(circle, shift, axis=1) * sizes for shift in range(3)]
    radius, length = solid.sizes
    up = np.array([0.0, 0.0, length / 2])
    lines = [radius * circle + up, radius * circle - up]
    corners = radius * circle[:: ROUND // 4][:4]
    lines += [np.array([corner - up, corner + up]) for corner in corners]
    if solid.kind == "capsule":
        dome = radius * circle[: ROUND // 2 + 1]
        lines += [dome[:, order] * sign + sign * up for order in ([0, 2, 1], [2, 0, 1]) for sign in (1.0, -1.0)]
    return lines
