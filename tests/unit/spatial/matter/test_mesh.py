"""Matter inside surfaces of triangles: against shapes with flat faces, and what is rejected."""

from __future__ import annotations

import builtins

import numpy as np
import pytest

from cardan.errors import ModelError
from cardan.spatial import matter, rotation
from cardan.spatial.matter import from_mesh, from_triangles
from folding import folded

ROUNDING = 1e-12

CORNERS = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-1.0, 1.0) for z in (-1.5, 1.5)])
FACES = np.array(
    [(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4)]
    + [(1, 5, 7), (1, 7, 3)]
)
BOX = matter.box(1, 2, 3, density=2)


def same(a, b, within=ROUNDING):
    size = np.abs(b.inertia).max()
    return (
        abs(a.mass - b.mass) <= within * b.mass
        and np.allclose(a.center, b.center, rtol=within, atol=within)
        and np.allclose(a.inertia, b.inertia, rtol=within, atol=within * size)
    )


def test_box():
    assert same(from_triangles(CORNERS, FACES, density=2), BOX)
    assert same(from_triangles(CORNERS.tolist(), FACES.tolist(), mass=12), BOX)


def test_box_anywhere():
    p = rotation.from_axis_angle((1, 2, 3), 0.8)
    made = from_triangles(rotation.rotate(p, CORNERS) + (10, 20, 30), FACES, density=2)
    assert same(made, BOX.turned(p).moved((10, 20, 30)), 1e-11)  # coordinates of 30 are rounded to 4e-15


def test_inside_out_encloses_the_same():
    assert same(from_triangles(CORNERS, FACES[:, ::-1], density=2), BOX)


def test_cavity():
    """A second surface that faces inward."""
    corners = np.concatenate([CORNERS, CORNERS / 2 + (0.1, 0, 0)])
    faces = np.concatenate([FACES, FACES[:, ::-1] + 8])
    void = matter.box(0.5, 1, 1.5, density=2).moved((0.1, 0, 0))
    assert same(from_triangles(corners, faces, density=2), BOX - void)


def test_triangles_that_share_no_corners():
    """As STL files list them."""
    soup = CORNERS[FACES].reshape(-1, 3)
    assert same(from_triangles(soup, np.arange(36).reshape(-1, 3), density=2), BOX)


def test_scale():
    made = from_triangles(1000 * CORNERS, FACES, density=2, scale=0.001)
    assert same(made, BOX)


def test_tetrahedron():
    """By its integrals: with corners 0, e1, e2, e3 those of x^2 and xy are 1/60 and 1/120, the center 1/4."""
    corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    made = from_triangles(corners, [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)], density=1)
    square, product = 1 / 60, 1 / 120
    about_origin = np.full((3, 3), -product) + np.eye(3) * (2 * square + product)
    assert made.mass == pytest.approx(1 / 6, rel=ROUNDING)
    assert np.allclose(made.about((0, 0, 0)), about_origin, rtol=ROUNDING)


def test_extrusion_is_its_mesh():
    """The same L-shaped prism as triangles: independent ways through the program."""
    outline = [(0, 0), (3, 0), (3, 1), (1, 1), (1, 2), (0, 2)]
    caps = [(0, 1, 2), (0, 2, 3), (0, 3, 5), (3, 4, 5)]
    corners = [(x, y, z) for z in (-0.5, 0.5) for x, y in outline]
    sides = [(i, (i + 1) % 6, i + 6) for i in range(6)] + [((i + 1) % 6, (i + 1) % 6 + 6, i + 6) for i in range(6)]
    faces = [(a + 6, b + 6, c + 6) for a, b, c in caps] + [(a, c, b) for a, b, c in caps] + sides
    assert same(from_triangles(corners, faces, density=3), matter.extrusion(outline, 1.0, density=3))


@pytest.mark.parametrize("kind", ["stl", "obj", "ply", "glb", "off"])
def test_files(tmp_path, kind):
    trimesh = pytest.importorskip("trimesh")
    path = tmp_path / f"part.{kind}"
    trimesh.Trimesh(1000 * CORNERS + 500, FACES).export(path)
    made = from_mesh(str(path), density=2, scale=1e-3)
    assert same(made, BOX.moved((0.5, 0.5, 0.5)), 1e-6)  # some formats keep single precision
    assert same(from_mesh(path, density=2, scale=1e-3), made)


def test_several_meshes_in_a_file(tmp_path):
    trimesh = pytest.importorskip("trimesh")
    scene = trimesh.Scene([trimesh.Trimesh(CORNERS, FACES), trimesh.Trimesh(CORNERS + (5, 0, 0), FACES)])
    path = tmp_path / "two.glb"
    scene.export(path)
    assert same(from_mesh(path, density=2), BOX + BOX.moved((5, 0, 0)), 1e-6)


def test_agrees_with_trimesh():
    trimesh = pytest.importorskip("trimesh")
    mesh = trimesh.creation.annulus(0.2, 0.5, 0.7)
    made = from_mesh(mesh, density=1)
    assert made.mass == pytest.approx(mesh.volume, rel=1e-10)
    assert np.allclose(made.inertia, mesh.moment_inertia, atol=1e-10)


def test_trimesh_missing(monkeypatch):
    real = builtins.__import__

    def without(name, *args, **kwargs):
        if name == "trimesh":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match=r"meshes need trimesh: pip install 'cardan\[mesh\]'"):
        from_mesh("part.stl", density=1)


REFUSED = {
    "open": (lambda: from_triangles(CORNERS, FACES[:-1], density=1), "is not closed along 3 of its 18 edges"),
    "flipped": (
        lambda: from_triangles(CORNERS, np.concatenate([FACES[:-1], FACES[-1:, ::-1]]), density=1),
        "face opposite sides along 3 of its 18 edges",
    ),
    "flat": (lambda: from_triangles(CORNERS[:3], [(0, 1, 2), (2, 1, 0)], density=1), "encloses no volume"),
    "beyond": (lambda: from_triangles(CORNERS, FACES + 1, density=1), "8 vertices from 0 to 7, got 1 to 8"),
    "fractions": (lambda: from_triangles(CORNERS, FACES + 0.5, density=1), "must be whole numbers"),
    "no triangles": (lambda: from_triangles(CORNERS, [], density=1), "the triangles of a mesh must be rows of three"),
    "plane corners": (lambda: from_triangles([(0, 0)], FACES, density=1), "the vertices of a mesh must be rows of"),
    "words": (lambda: from_triangles("cube", FACES, density=1), "got str 'cube'"),
    "nan": (lambda: from_triangles(CORNERS * np.nan, FACES, density=1), "three finite coordinates"),
    "no density": (lambda: from_triangles(CORNERS, FACES), "the mesh needs mass= or density="),
    "bad scale": (lambda: from_triangles(CORNERS, FACES, density=1, scale=0), "the scale of the mesh must be positive"),
    "no file": (lambda: from_mesh("nowhere.stl", density=1), "mesh file 'nowhere.stl' does not exist"),
    "no mesh": (lambda: from_mesh(3, density=1), "a mesh must be a Trimesh, got int 3; or the path of a mesh file"),
}


@folded("case", REFUSED)
def test_rejected(case):
    pytest.importorskip("trimesh")
    make, words = REFUSED[case]
    with pytest.raises(ModelError) as refusal:
        make()
    text = str(refusal.value)
    assert words in text and "\n" not in text and len(text) < 300


@pytest.mark.parametrize(
    ("name", "content"), [("a.stl", b"hello"), ("a.obj", b"v 1"), ("a.ply", b"?"), ("a.xyz2", b"")]
)
def test_unreadable_files(tmp_path, name, content):
    pytest.importorskip("trimesh")
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(ModelError, match=name) as refusal:
        from_mesh(path, density=1)
    assert "\n" not in str(refusal.value)
