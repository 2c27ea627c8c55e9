"""Beams: statics, frequencies, stress and stiffening against closed forms."""

from __future__ import annotations

import numpy as np
import pytest

from cardan.errors import ModelError
from cardan.flexible import Material, Section, beam, circle, rectangle, tube
from cardan.flexible.elements.beams import element_matrices
from cardan.flexible.rigid_motion import rigid_motions


def test_timoshenko_cantilever_with_one_element() -> None:
    """S10 of the notes (Chrono, utest_FEA_beams_static): P L^3 / 3 E I + P L / k A G, exact with one element."""
    L, E = 0.4, 200.2e9
    matter = Material(E, 1 / (2 * 0.38) - 1, 7800.0)
    assert matter.shear_modulus == pytest.approx(0.38 * E)
    section = rectangle(0.012, 0.025, matter.nu)
    K = element_matrices(L, section, matter)[1][6:, 6:]
    for axis, second in ((1, section.Iz), (2, section.Iy)):
        force = np.zeros(6)
        force[axis] = 100.0
        expected = 100.0 * L**3 / (3 * E * second) + 100.0 * L / (section.shear_y * section.area * 0.38 * E)
        assert np.linalg.solve(K, force)[axis] == pytest.approx(expected, rel=1e-9)


def test_elements_do_not_resist_rigid_motions_and_carry_the_mass_of_the_bar() -> None:
    section, matter, L = tube(0.05, 0.03), Material(70e9, 0.33, 2700.0), 0.3
    M, K = element_matrices(L, section, matter)
    R = rigid_motions(np.array([[0.0, 0, 0], [L, 0, 0]]), np.zeros(3), 6)
    assert np.abs(K @ R).max() < 1e-9 * np.abs(K).max()
    rigid = R.T @ M @ R
    mass = 2700 * section.area * L
    J = [2700 * L * 2 * section.Iy, *2 * [mass * L**2 / 3 + 2700 * L * section.Iy]]
    assert np.allclose(np.diag(rigid), [mass] * 3 + J, rtol=1e-12)


def test_cantilever_frequencies_converge_to_euler() -> None:
    """A slender bar: (beta L)^2 sqrt(E I / rho A L^4), beta L = 1.8751, 4.6941, 7.8548, 10.9955."""
    part = beam(1.0, rectangle(0.004, 0.002), elements=40).reduce(
        {"root": "left"}, modes=6, method="clamped", frame="tangent"
    )
    E, rho, A = 210e9, 7850.0, 8e-6
    exact = [
        b**2 * np.sqrt(E * second / (rho * A)) / (2 * np.pi)
        for b in (1.87510407, 4.69409113, 7.85475744, 10.99554073)
        for second in (0.004 * 0.002**3 / 12, 0.002 * 0.004**3 / 12)
    ]
    assert np.allclose(part.frequencies[:6], np.sort(exact)[:6], rtol=3e-4)  # shear and rotary inertia: (h / L)^2


def test_sections() -> None:
    """Torsion constants: 0.2287 a b^3 for 2:1 (Timoshenko and Goodier, article 109), polar moment for circles."""
    assert rectangle(0.02, 0.01).J == pytest.approx(0.2287 * 0.02 * 0.01**3, rel=2e-4)
    assert rectangle(0.01, 0.02).J == pytest.approx(rectangle(0.02, 0.01).J)
    assert circle(0.02).J == pytest.approx(np.pi * 0.02**4 / 32) and circle(0.02).Iy == pytest.approx(
        circle(0.02).J / 2
    )
    assert circle(0.02).shear_y == pytest.approx(6 * 1.3 / (7 + 6 * 0.3))  # Cowper 1966
    with pytest.raises(ModelError, match="inner diameter"):
        tube(0.02, 0.02)
    with pytest.raises(ModelError, match="area of a section must be positive"):
        Section(0.0, 1.0, 1.0, 1.0)
    with pytest.raises(ModelError, match="Poisson"):
        Material(1e9, 0.5, 1000.0)
    with pytest.raises(ModelError, match="material must be"):
        beam(1.0, 0.02, "unobtainium")


def test_bending_stress_of_a_tip_force() -> None:
    """sigma = -M y / I of the static deflection of a cantilever, which is exact in the nodes; torsion T r / J."""
    L, P, T, d = 0.5, 80.0, 12.0, 0.02
    rod = beam(L, circle(d), elements=10)
    part = rod.reduce(modes=4, frame="tangent", stress=True)
    tip = part.interfaces["right"]
    eta = np.linalg.solve(part.stiffness, tip.translation.T @ [0, P, 0] + tip.rotation.T @ [T, 0, 0])
    stress, points = part.stress @ eta, part.surface.points
    section = circle(d)
    expected = -P * (L - points[:, 0]) * points[:, 1] / section.Iz
    assert np.allclose(stress[:, 0], expected, atol=1e-6 * np.abs(expected).max())
    shear = np.hypot(stress[:, 3], stress[:, 5])
    assert np.allclose(shear, T * (d / 2) / section.J, rtol=1e-6)
    assert np.allclose(points[:, 1] * stress[:, 5] - points[:, 2] * stress[:, 3], shear * d / 2, rtol=1e-6)  # along T


def test_skin_moves_with_the_sections() -> None:
    rod = beam(0.4, rectangle(0.02, 0.01), elements=4)
    found = rod.reduction(modes=3)
    skin = found.part.surface
    assert skin.points.shape == (20, 3)
    u = found.modes[-1, :3]
    corners = skin.modes[-4:]
    assert np.allclose(corners.mean(axis=0), u, atol=1e-9)  # corners are symmetric about the node
    x = skin.points[skin.triangles]
    volume = np.einsum("ij,ij->", x[:, 0], np.cross(x[:, 1], x[:, 2])) / 6
    assert volume == pytest.approx(0.4 * 0.02 * 0.01)  # closed, outward


@pytest.mark.parametrize(
    ("speed", "flap"), [(0.0, 3.5160), (1.0, 3.6816), (2.0, 4.1373), (5.0, 6.4495), (10.0, 11.2023)]
)
def test_rotating_cantilever(speed: float, flap: float) -> None:
    """S7: flap frequencies of a rotating Euler beam (Wright et al. 1982), in units of sqrt(E I / rho A L^4)."""
    L, E, rho = 1.0, 2e11, 7800.0
    section = rectangle(0.004, 0.002, 0.0)
    blade = beam(L, section, Material(E, 0.0, rho), elements=40)
    part = blade.reduce({"root": "left"}, modes=16, method="clamped", frame="tangent", stiffening=True)
    unit = np.sqrt(E * section.Iy / (rho * section.area * L**4))
    omega = np.array([0.0, 0.0, speed * unit])
    assert part.stiffening is not None
    E_k = part.second_moment[1:, 1:] + part.stiffening[1].transpose(0, 1, 3, 2)
    spin = np.einsum("i,klij,j->kl", omega, E_k, omega) - omega @ omega * np.einsum("klii->kl", E_k)
    values = np.linalg.eigvalsh(part.stiffness + spin)
    across = np.sqrt(values) / unit
    assert np.abs(across - flap).min() < 1e-4 * flap + 5e-5
