"""Surfaces of STL, OBJ and MSH files: ways to write the same wedge, half of a unit cube."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cardan import ModelError
from cardan.io.solids import Solid, lines_of, matter_of
from cardan.io.surface import Surface, edges_of, hull, read_surface, scaled
from cardan.spatial import matter

MESHES = Path(__file__).parents[2] / "data" / "machines" / "meshes"
WEDGES = ("wedge.stl", "wedge_ascii.stl", "wedge.obj")


@pytest.mark.parametrize("name", WEDGES)
def test_wedge(name: str) -> None:
    surface = read_surface(MESHES / name)
    assert surface.vertices.shape == (6, 3) and surface.triangles.shape == (8, 3)
    body = matter.from_triangles(*surface, density=2.0)
    assert body.mass == pytest.approx(1.0, rel=1e-14)  # half of the cube
    assert body.center == pytest.approx((1 / 3, 1 / 3, 1 / 2), rel=1e-14)


def test_wedge_of_mujoco(tmp_path: Path) -> None:
    """Three corners of each triangle, normals and texture coordinates: equal corners become one."""
    wedge = read_surface(MESHES / "wedge.stl")
    corners = wedge.vertices[wedge.triangles].reshape(-1, 3)
    count, triangles = len(corners), np.arange(len(corners), dtype="<i4")
    head = np.array([count, count, count, count // 3], "<i4")
    floats = (corners, np.zeros((count, 3)), np.zeros((count, 2)))
    file = tmp_path / "wedge.msh"
    file.write_bytes(head.tobytes() + b"".join(part.astype("<f4").tobytes() for part in floats) + triangles.tobytes())
    surface = read_surface(file)
    assert surface.vertices.shape == (6, 3)
    assert matter.from_triangles(*surface, density=2.0).mass == pytest.approx(1.0, rel=1e-14)


@pytest.mark.parametrize("name", WEDGES)
def test_edges_are_where_it_bends(name: str) -> None:
    """A wedge has nine edges; the diagonals of its sides are not drawn."""
    assert len(edges_of(read_surface(MESHES / name))) == 9


def test_mirrored_surfaces_are_turned_outside_again() -> None:
    surface = scaled(read_surface(MESHES / "wedge.stl"), (-2.0, 1.0, 1.0))
    corners = surface.vertices[surface.triangles]
    volume = np.einsum("ki,ki->", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6.0
    assert volume == pytest.approx(1.0, rel=1e-14)


def test_fine_surfaces_are_drawn_by_few_lines() -> None:
    random = np.random.default_rng(1)
    points = random.standard_normal((500, 3))
    ball = hull(points / np.linalg.norm(points, axis=1, keepdims=True))
    rough = Surface(ball.vertices * random.uniform(0.7, 1.0, (500, 1)), ball.triangles)
    assert 10 < len(edges_of(rough)) < 500


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.stl", b"nothing of a mesh", "is not a valid STL file"),
        ("a.stl", b"solid empty\nendsolid", "has no triangles"),
        ("a.stl", b"solid x\nvertex 1 2\n", "is not a valid STL file"),
        ("a.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 7\n", "triangles with unknown corners"),
        ("a.obj", b"v 0 0 0\nv 1 0 nan\nv 0 1 0\nf 1 2 3\n", "not finite"),
        ("a.obj", b"v 0 0 0\nf one two three\n", "is not a valid OBJ file"),
        ("a.msh", np.array([3, 0, 0, 9], "<i4").tobytes(), "is not a valid MSH file"),
        ("a.msh", np.array([-1, 0, 0, 0], "<i4").tobytes(), "is not a valid MSH file"),
        ("a.xyz", b"", "STL, OBJ and MSH are read directly"),
    ],
)
def test_broken_files(name: str, content: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ModelError, match=message):
        read_surface(tmp_path / name)


@pytest.mark.parametrize(
    ("solid", "lines"),
    [
        (Solid("box", (1.0, 2.0, 3.0)), 6),
        (Solid("sphere", (1.0,)), 3),
        (Solid("ellipsoid", (1.0, 2.0, 3.0)), 3),
        (Solid("cylinder", (1.0, 3.0)), 6),
        (Solid("capsule", (1.0, 3.0)), 10),
        (Solid("plane", (1.0, 1.0, 1.0)), 0),
    ],
)
def test_solids_are_drawn_within_their_size(solid: Solid, lines: int) -> None:
    found = lines_of(solid)
    assert len(found) == lines
    reach = {"box": (0.5, 1.0, 1.5), "cylinder": (1.0, 1.0, 1.5), "capsule": (1.0, 1.0, 2.5), "sphere": (1.0,) * 3}
    if found:
        points = np.concatenate([np.array(line) for line in found])
        assert np.abs(points).max(axis=0) == pytest.approx(reach.get(solid.kind, solid.sizes), rel=1e-12)


def test_a_capsule_is_a_cylinder_between_half_spheres() -> None:
    """m = rho pi r^2 (l + 4 r / 3); a long thin one has the inertia of a rod, m l^2 / 12."""
    body = matter_of(Solid("capsule", (0.1, 0.5)), None, 1000.0)
    assert body is not None and body.mass == pytest.approx(1000.0 * np.pi * 0.01 * (0.5 + 0.4 / 3.0), rel=1e-14)
    rod = matter_of(Solid("capsule", (1e-5, 6.0)), 2.0, None)
    assert rod is not None and rod.inertia[0, 0] == pytest.approx(6.0, rel=1e-4)
    assert matter_of(Solid("capsule", (0.1, 0.5)), 0.0, None) is None
