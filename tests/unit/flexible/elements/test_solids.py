"""Solids and meshes: mass properties, frequencies, stress, stiffening; wrong meshes are rejected."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bricks import bricks, tetrahedra
from cardan.errors import ModelError
from cardan.flexible import Connection, Material, Mesh, box, cylinder, mesh_stl, plate, read_mesh, solid
from cardan.flexible.elements.meshes import EDGES

pytest.importorskip("skfem")


def test_bar_of_calculix() -> None:
    """S13: ten C3D20, steel; CalculiX 2.20: 515.0216 (double), 1349.476 (double), 1603.840, 2485.660 Hz; 78.5 kg."""
    bar = solid(box(1.0, 0.1, 0.1, elements=(10, 1, 1)))
    part = bar.reduce({}, modes=7)
    expected = [515.0216, 515.0216, 1349.476, 1349.476, 1603.840, 2485.660, 2485.660]
    assert part.mass == pytest.approx(78.5)
    assert np.allclose(part.frequencies, expected, rtol=1e-6)


@pytest.mark.parametrize("inner", [0.0, 0.06])
def test_cylinder_has_the_mass_and_inertia_of_the_solid(inner: float) -> None:
    """The mass is exact; the inertia of a polygon of equal area differs by (pi / n)^4 / 5."""
    part = solid(cylinder(0.1, 0.4, inner=inner, along=4)).reduce({}, modes=3)
    r2 = 0.05**2 - (inner / 2) ** 2
    mass = 7850 * np.pi * r2 * 0.4
    assert part.mass == pytest.approx(mass, rel=1e-9)
    assert np.allclose(part.center, [0.2, 0, 0], atol=1e-12)
    assert part.inertia[0, 0] == pytest.approx(0.5 * mass * (0.05**2 + (inner / 2) ** 2), rel=1e-3)


def test_free_square_plate() -> None:
    """Leissa (J. Sound Vib. 31, 1973): omega a^2 sqrt(rho h / D) = 13.489, 19.789, 24.432 for nu = 0.3; thickness 1/100
    lowers them by shear and rotary inertia, up to 1 %."""
    t = 0.01
    part = plate(1.0, 1.0, t, elements=(12, 12)).reduce({}, modes=3)
    D = 210e9 * t**3 / (12 * (1 - 0.09))
    found = 2 * np.pi * part.frequencies * np.sqrt(7850 * t / D)
    assert np.allclose(found, [13.489, 19.789, 24.432], rtol=0.01)
    with pytest.raises(ModelError, match="too stiff; state elements"):
        plate(1.0, 1.0, 0.001)


def test_uniform_tension_is_exact() -> None:
    """Patch test: a stretched bar has the stress E / L everywhere, in tetrahedra and in bricks."""
    steel = Material(210e9, 0.3, 7850.0)
    for mesh in (box(1.0, 0.2, 0.1, elements=(3, 2, 1)), tetrahedra(box(1.0, 0.2, 0.1, elements=(3, 2, 1)))):
        data = solid(mesh, steel).elements
        u = (data.nodes * [1.0, -0.3, -0.3])[:, :, None]
        stress = data.stress(u)
        expected = np.array([210e9, 0, 0, 0, 0, 0])[:, None]
        assert np.allclose(stress, expected, atol=1e-6 * 210e9)
        assert len(stress) == len(data.surface(u).points)


def test_linear_bricks_converge_to_quadratic_ones() -> None:
    """An independent assembly: trilinear bricks approach the same frequency from above."""
    exact = solid(box(1.0, 0.2, 0.2, elements=(8, 2, 2))).reduce({}, modes=1).frequencies[0]
    from cardan.flexible import reduce

    found = [
        reduce(*bricks((1.0, 0.2, 0.2), (8 * n, 2 * n, 2 * n), 210e9, 0.3, 7850.0), modes=1).frequencies[0]
        for n in (1, 2)
    ]
    assert 3.0 < (found[0] / exact - 1) / (found[1] / exact - 1) < 5.0  # order two


def test_skin_is_closed_and_outward() -> None:
    for mesh in (box(1.0, 0.2, 0.1, elements=(3, 2, 1)), tetrahedra(box(1.0, 0.2, 0.1, elements=(4, 2, 1)))):
        data = solid(mesh).elements
        x = data.nodes[data.triangles()]
        assert np.einsum("ij,ij->", x[:, 0], np.cross(x[:, 1], x[:, 2])) / 6 == pytest.approx(0.02)


def test_stiffening_of_a_spinning_bar() -> None:
    """Bricks against the rotating Euler beam (S7): flap 6.4495 at speed 5; shear of this bar takes 0.1 %."""
    L, a, b, E, rho = 1.0, 0.02, 0.04, 2e11, 7800.0
    bar = solid(box(L, b, a, elements=(16, 1, 1)), Material(E, 0.0, rho))
    root = {"root": Connection("left", "rigid")}
    part = bar.reduce(root, modes=10, method="clamped", frame="tangent", stiffening=True)
    unit = np.sqrt(E * (b * a**3 / 12) / (rho * a * b * L**4))
    omega = np.array([0.0, 0.0, 5 * unit])
    assert part.stiffening is not None
    E_k = part.second_moment[1:, 1:] + part.stiffening[1].transpose(0, 1, 3, 2)
    spin = np.einsum("i,klij,j->kl", omega, E_k, omega) - omega @ omega * np.einsum("klii->kl", E_k)
    found = np.sqrt(np.linalg.eigvalsh(part.stiffness + spin)) / unit
    assert np.abs(found - 6.4495).min() < 2e-3 * 6.4495
    with pytest.raises(ModelError, match="frame='tangent'"):
        bar.reduce(root, modes=2, stiffening=True)


def test_wrong_meshes_are_rejected() -> None:
    mesh = box(1.0, 1.0, 1.0, elements=(2, 1, 1))
    turned = mesh.cells.copy()
    turned[1] = turned[1][[4, 5, 6, 7, 0, 1, 2, 3]]
    with pytest.raises(ModelError, match=r"element 1 of the mesh .* is inverted \(1 in all\)"):
        Mesh(mesh.points, turned)
    with pytest.raises(ModelError, match="all of them; their corners are in the reverse order"):
        Mesh(mesh.points, mesh.cells[:, [4, 5, 6, 7, 0, 1, 2, 3]])
    with pytest.raises(ModelError, match="is flat"):
        Mesh(mesh.points * [1, 1, 0], mesh.cells)
    with pytest.raises(ModelError, match="refer to points"):
        Mesh(mesh.points[:-1], mesh.cells)
    with pytest.raises(ModelError, match="rows of 4 or 8"):
        Mesh(mesh.points, mesh.cells[:, :6])
    with pytest.raises(ModelError, match="no node set 'lft'; did you mean 'left'"):
        solid(mesh).reduce({"a": "lft"}, modes=1)


def test_gmsh_file_with_physical_groups(tmp_path: Path) -> None:
    meshio = pytest.importorskip("meshio")
    mesh = tetrahedra(box(1.0, 0.2, 0.1, elements=(4, 2, 1)))
    left = np.array([face for face in _skin(mesh) if (mesh.points[face, 0] == 0).all()])
    tags = [np.full(len(mesh.cells), 1), np.full(len(left), 7)]
    meshio.Mesh(
        mesh.points,
        [("tetra", mesh.cells), ("triangle", left)],
        cell_data={"gmsh:physical": tags, "gmsh:geometrical": tags},
        field_data={"body": np.array([1, 3]), "root": np.array([7, 2])},
    ).write(tmp_path / "bar.msh", file_format="gmsh22", binary=False)
    bar = solid(read_mesh(tmp_path / "bar.msh"))
    assert list(bar.sets) == ["root"]
    assert set(bar.sets["root"]) == set(bar.select(x=0.0))
    (tmp_path / "broken.msh").write_text("$MeshFormat\n9")
    with pytest.raises(ModelError, match="cannot be read as a mesh"):
        read_mesh(tmp_path / "broken.msh")
    with pytest.raises(ModelError, match="cannot be read"):
        read_mesh(tmp_path / "absent.msh")


def _skin(mesh: Mesh) -> np.ndarray:
    from cardan.flexible.elements.meshes import facets

    return facets(mesh.cells)


def test_stl_is_filled_by_gmsh(tmp_path: Path) -> None:
    pytest.importorskip("gmsh")
    mesh = box(0.3, 0.1, 0.1, elements=(3, 1, 1))
    faces = _skin(mesh)
    x = mesh.points[np.vstack([faces[:, [0, 1, 2]], faces[:, [0, 2, 3]]])]
    lines = ["solid bar"]
    for triangle in x:
        corners = "".join(f"vertex {a:.9g} {b:.9g} {c:.9g}\n" for a, b, c in triangle)
        lines.append(f"facet normal 0 0 0\nouter loop\n{corners}endloop\nendfacet")
    (tmp_path / "bar.stl").write_text("\n".join([*lines, "endsolid bar"]))
    part = solid(mesh_stl(tmp_path / "bar.stl", 0.05)).reduce({}, modes=2)
    assert part.mass == pytest.approx(7850 * 0.003, rel=1e-6)
    assert np.allclose(part.center, [0.15, 0.05, 0.05], atol=1e-6)
    (tmp_path / "open.stl").write_text("\n".join([*lines[:-2], "endsolid bar"]))
    with pytest.raises(ModelError, match="closed"):
        mesh_stl(tmp_path / "open.stl", 0.05)


def curved_tetrahedron(off: float) -> tuple[np.ndarray, np.ndarray]:
    """Corners and nodes on edges of a tetrahedron; one is off the middle of its edge, which is 1 m long."""
    corners = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    pairs = ((0, 1), (1, 2), (0, 2), (0, 3), (1, 3), (2, 3))
    middles = np.array([0.5 * (corners[a] + corners[b]) for a, b in pairs])
    middles[0, 1] -= off
    return corners, middles


PAIRS = np.array([[0, 1], [1, 2], [0, 2], [0, 3], [1, 3], [2, 3]])


@pytest.mark.parametrize("off", [0.0, 0.1])
def test_a_second_order_mesh_keeps_the_nodes_on_its_edges(off: float, tmp_path: Path) -> None:
    """The volume of a tetrahedron of ten nodes grows by what its curved edge adds."""
    meshio = pytest.importorskip("meshio")
    corners, middles = curved_tetrahedron(off)
    meshio.Mesh(np.vstack([corners, middles]), [("tetra10", np.arange(10)[None])]).write(tmp_path / "one.vtk")
    mesh = read_mesh(tmp_path / "one.vtk")
    assert (mesh.middles is None) == (off == 0.0)
    model = solid(mesh)
    assert np.allclose(model.nodes[4:], middles[np.lexsort(np.sort(PAIRS, axis=1).T[::-1])], atol=1e-15)
    # y = L2 - 4 off x L0, L0 = 1 - x - L2 - z:   det J = 1 + 4 off x,   volume = 1/6 + 4 off / 24
    mass = np.ones(len(model.nodes)) @ model.M[::3][:, ::3] @ np.ones(len(model.nodes))
    assert mass == pytest.approx(7850 * (1 / 6 + 4 * off / 24), rel=1e-12)


def test_curved_bricks_pass_the_patch_test() -> None:
    """A linear displacement has the same stress everywhere, and no forces on nodes within a round bar."""
    straight = cylinder(0.1, 0.3, around=8, radial=2, along=3)
    curved = rounded(straight)
    model = solid(curved, Material(1.0, 0.3, 1.0))
    gradient = np.array([[0.1, 0.2, -0.1], [0.05, -0.2, 0.3], [0.1, 0.0, 0.15]])
    u = model.nodes @ gradient.T
    strain = 0.5 * (gradient + gradient.T)
    lam, mu = 0.3 / 1.3 / 0.4, 0.5 / 1.3
    stress = lam * np.trace(strain) * np.eye(3) + 2.0 * mu * strain
    forces = (model.K @ u.ravel()).reshape(-1, 3)
    skin = np.unique(model.elements.triangles())
    inner = np.setdiff1d(np.arange(len(model.nodes)), skin)
    assert np.abs(forces[inner]).max() < 1e-14
    volume = np.ones(len(model.nodes)) @ model.M[::3][:, ::3] @ np.ones(len(model.nodes))
    assert u.ravel() @ model.K @ u.ravel() == pytest.approx(volume * np.sum(stress * strain), rel=1e-12)
    found = model.elements.nodal_stress(u[:, :, None], skin)[:, :, 0]
    expected = [stress[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0))]
    assert np.abs(found - expected).max() < 1e-13
    assert volume == pytest.approx(np.pi * 0.05**2 * 0.3, rel=2e-3)  # eight parabolas for a circle; eight chords: 10 %


def rounded(mesh: Mesh) -> Mesh:
    """The cylinder with its outer corners, and the nodes between these, on the circle."""
    radius = np.linalg.norm(mesh.points[:, 1:], axis=1)
    outer = radius > 0.99 * radius.max()
    points = mesh.points.copy()
    points[outer, 1:] *= 0.05 / radius[outer, None]
    edges = np.array(EDGES[8])
    a, b = mesh.cells[:, edges[:, 0]], mesh.cells[:, edges[:, 1]]
    middles = 0.5 * (points[a] + points[b])
    arc = outer[a] & outer[b]
    middles[arc, 1:] *= 0.05 / np.linalg.norm(middles[arc, 1:], axis=1, keepdims=True)
    return Mesh(points, mesh.cells, mesh.sets, middles)


def test_elements_that_curved_edges_turn_inside_out_are_rejected() -> None:
    corners, middles = curved_tetrahedron(-0.6)
    with pytest.raises(ModelError, match="element 0 of the mesh is inverted in part"):
        solid(Mesh(corners, np.arange(4)[None], {}, middles[None]))
    with pytest.raises(ModelError, match="1 x 6 x 3 coordinates"):
        Mesh(corners, np.arange(4)[None], {}, middles)
