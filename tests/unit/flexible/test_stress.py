"""Stress invariants, peaks over time, and load cases that CalculiX solves for the same stress."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from bricks import tetrahedra
from cardan.errors import CardanWarning, ModelError
from cardan.flexible import (
    Connection,
    FiniteElementModel,
    Instant,
    Reduction,
    beam,
    box,
    circle,
    load_case,
    plate,
    principal,
    solid,
    strain_energy,
    stress_at,
    stress_peaks,
    von_mises,
)


def test_invariants_do_not_depend_on_axes() -> None:
    rng = np.random.default_rng(5)
    raw = rng.standard_normal((3, 3))
    sigma = raw + raw.T
    Q, _ = np.linalg.qr(rng.standard_normal((3, 3)))

    def six(m: np.ndarray) -> np.ndarray:
        return m[[0, 1, 2, 0, 1, 2], [0, 1, 2, 1, 2, 0]]

    assert von_mises(six(Q @ sigma @ Q.T)) == pytest.approx(von_mises(six(sigma)))
    s = principal(six(sigma))
    assert np.allclose(principal(six(Q @ sigma @ Q.T)), s)
    assert s[0] >= s[1] >= s[2] and s.sum() == pytest.approx(np.trace(sigma))
    expected = np.sqrt(((s[0] - s[1]) ** 2 + (s[1] - s[2]) ** 2 + (s[2] - s[0]) ** 2) / 2)
    assert von_mises(six(sigma)) == pytest.approx(expected)
    with pytest.raises(ModelError, match="six components"):
        von_mises([1.0, 2.0])


def test_peaks_have_place_and_time() -> None:
    rod = beam(0.5, circle(0.02), elements=10)
    part = rod.reduce(modes=4, frame="tangent", stress=True)
    tip = part.interfaces["right"]
    static = np.linalg.solve(part.stiffness, tip.translation.T @ [0, 100.0, 0])
    times = np.linspace(0, 1, 101)
    peaks = stress_peaks(part, times, np.sin(np.pi * times)[:, None] * static)
    assert peaks.value.max() == pytest.approx(100 * 0.5 * 0.01 / circle(0.02).Iz, rel=1e-6)  # M r / I at the root
    assert peaks.position[0] == 0.0 and peaks.time[peaks.point] == pytest.approx(0.5)
    assert "MPa at (0, " in str(peaks)
    whole = von_mises(stress_at(part, np.sin(np.pi * times)[:, None] * static))
    assert np.allclose(whole.max(axis=0), peaks.value)
    energy = strain_energy(part, static).sum()
    assert energy == pytest.approx(0.5 * 100.0 * (tip.translation @ static)[1])
    with pytest.raises(ModelError, match="stress=True"):
        stress_peaks(rod.reduce(modes=4), times, np.zeros((101, 16)))
    with pytest.raises(ModelError, match="modal coordinates"):
        stress_at(part, [1.0])


def loaded_bar(tets: bool = True) -> tuple[FiniteElementModel, Reduction, Instant, np.ndarray]:
    """A free bar pulled, bent and twisted at both ends, which accelerates: (model, reduction, instant, eta)."""
    pytest.importorskip("skfem")
    mesh = box(0.4, 0.05, 0.03, elements=(6, 2, 1))
    bar = solid(tetrahedra(mesh) if tets else mesh)
    ends = {"left": bar.select(x=0.0), "right": Connection(bar.select(x=0.4))}
    found = bar.reduction(ends, modes=6, stress=True)
    part = found.part
    forces = {
        "left": ([-900.0, 100.0, 30.0], [5.0, 0.0, 2.0]),
        "right": ([1500.0, 250.0, -80.0], [-8.0, 3.0, 12.0]),
    }
    wrench = np.zeros(6 + part.modes)
    for name, (force, torque) in forces.items():
        at = part.interfaces[name]
        wrench[:3] += force
        wrench[3:6] += np.cross(at.position, force) + torque
        wrench[6:] += at.translation.T @ force + at.rotation.T @ torque
    rigid = np.linalg.solve(part.mass_matrix()[:6, :6], wrench[:6])
    eta = np.linalg.solve(part.stiffness, wrench[6:] - part.mass_matrix()[6:, :6] @ rigid)
    return bar, found, Instant(forces, rigid[:3], angular_acceleration=rigid[3:]), eta


def test_load_case_is_in_equilibrium_and_has_the_modal_forces() -> None:
    bar, found, instant, eta = loaded_bar()
    case = load_case(bar, found, instant)
    assert case.unbalanced < 1e-12
    modal = np.einsum("idk,id->k", found.modes, case.loads)
    assert np.allclose(modal, found.part.stiffness @ eta, atol=1e-9 * np.abs(modal).max())


def test_forces_that_are_missing_warn() -> None:
    bar, found, instant, _ = loaded_bar()
    with pytest.warns(CardanWarning, match="out of balance"):
        load_case(bar, found, Instant({"left": instant.forces["left"]}, instant.acceleration))
    with pytest.raises(ModelError, match="the part has left, right"):
        load_case(bar, found, Instant({"middle": ([1, 0, 0], [0, 0, 0])}))


def test_inertia_of_a_spinning_bar() -> None:
    """Spin about its mass center: the forces on the nodes are rho omega^2 r, their sum over half m omega^2 L / 4."""
    pytest.importorskip("skfem")
    bar = solid(box(0.4, 0.05, 0.03, elements=(6, 1, 1), origin=(-0.2, -0.025, -0.015)))
    found = bar.reduction({}, modes=3)
    case = load_case(bar, found, Instant(angular_velocity=(0, 0, 50.0)))
    assert case.unbalanced < 1e-12
    mass = found.part.mass
    outward = case.loads[:, 0] @ np.sign(bar.nodes[:, 0])
    assert outward == pytest.approx(mass * 50.0**2 * 0.4 / 4, rel=2e-2)  # the shapes at the middle reach to both sides


@pytest.mark.skipif(shutil.which("ccx") is None, reason="CalculiX is not installed")
@pytest.mark.parametrize("tets", [True, False])
def test_calculix_computes_the_same_stress(tets: bool, tmp_path: Path) -> None:
    """The stress of the modes is that of CalculiX for the same load: static modes are exact. Six digits in its file;
    bricks are evaluated at other points (27 points of integration, extrapolated), hence their wider tolerance."""
    bar, found, instant, eta = loaded_bar(tets)
    load_case(bar, found, instant).save(tmp_path / "bar.inp")
    run = subprocess.run(["ccx", "bar"], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert "Job finished" in run.stdout, run.stdout[-2000:]
    nodes, theirs = nodal_stress(tmp_path / "bar.frd")
    assert nodes == list(range(1, len(bar.nodes) + 1))
    skin = np.unique(bar.elements.triangles())
    ours = stress_at(found.part, eta)
    assert np.abs(ours - theirs[skin]).max() < (2e-5 if tets else 2e-2) * np.abs(theirs).max()


def nodal_stress(path: Path) -> tuple[list[int], np.ndarray]:
    """Node numbers and components xx, yy, zz, xy, yz, zx of a result file."""
    nodes, rows, inside = [], [], False
    for line in path.read_text().splitlines():
        if line.startswith(" -4  STRESS"):
            inside = True
        elif inside and line.startswith(" -1"):
            nodes.append(int(line[3:13]))
            rows.append([float(line[13 + 12 * k : 25 + 12 * k]) for k in range(6)])
        elif inside and line.startswith(" -3"):
            break
    return nodes, np.array(rows)


def test_decks_of_both_programs(tmp_path: Path) -> None:
    pytest.importorskip("skfem")
    sheet = plate(0.2, 0.1, 0.01, elements=(2, 2))
    found = sheet.reduction(modes=2)
    case = load_case(sheet, found, Instant(angular_velocity=(0, 0, 1.0), acceleration=(0.1, 0.05, 0)))
    text = case.save(tmp_path / "case.inp", "abaqus").read_text()
    assert "*ELEMENT OUTPUT" in text and "TYPE=C3D20" in text
    assert "*EL FILE" in case.text("calculix")
    assert case.text().count("*BOUNDARY") == 1
    rod = beam(0.4, 0.02)
    plain = load_case(rod, rod.reduction(modes=2), Instant()).text()
    assert "*NODE," not in plain  # beams: loads and supports only
    with pytest.raises(ModelError, match="program must be"):
        case.save(tmp_path / "x.inp", "ansys")
