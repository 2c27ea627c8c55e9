"""Flexible parts: frequencies and deflections of reduced finite element models.

Beams and plates have closed forms; matrices of Abaqus, CalculiX 2.20 and tests of other programs have numbers. A body
of bricks is compared with the full model. The rotor is a test model of Exudyn, with its license in tests/data/rotor.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.linalg import eigh

from bricks import bricks
from cardan import simulate
from cardan.flexible import Material, beam, box, plate, read_abaqus, rectangle, reduce, solid
from cardan.spatial import Bushing, FlexibleBody, Model
from verification.manual import Within, digits

ROTOR = Path(__file__).parents[1] / "data" / "rotor"


def test_timoshenko_cantilever(record):
    """A cantilever with one element under a tip force: P L^3 / 3 E I + P L / k A G.

    Chrono, `utest_FEA_beams_static`: L = 0.4, 12 x 25 mm, E = 200.2 GPa, G = 0.38 E.
    """
    L, E, P = 0.4, 200.2e9, 100.0
    section = rectangle(0.012, 0.025, 1 / 0.76 - 1)
    part = beam(L, section, Material(E, 1 / 0.76 - 1, 7800.0), elements=1).reduce(modes=0, frame="tangent")
    tip = part.interfaces["right"].translation
    for axis, second in ((1, section.Iz), (2, section.Iy)):
        found = float(tip[axis] @ np.linalg.solve(part.stiffness, tip[axis] * P))
        exact = P * L**3 / (3 * E * second) + P * L / (section.shear_y * section.area * 0.38 * E)
        near = Within(1e-9 * exact, "statics are exact in the nodes")
        record(f"deflection along {'xyz'[axis]} in m", found, exact, near, "beam theory", "closed form")


def test_soft_beam(record):
    """Four trilinear bricks of 1 x 0.12 x 0.08 m, E = 2 MPa: the first three of 54 frequencies, as computed apart."""
    M, K, nodes = bricks((1.0, 0.12, 0.08), (4, 1, 1), 2e6, 0.3, 1000.0)
    part = reduce(M, K, nodes, {"corner": [0]}, modes=54)
    near = digits(5)
    record("frequencies in Hz", part.frequencies[:3], [8.44175, 9.29223, 13.17087], near, "all modes", "dense solution")


def test_bar_of_calculix(record):
    """A steel bar of 1 x 0.1 x 0.1 m, ten C3D20, free: CalculiX 2.20."""
    pytest.importorskip("skfem")
    part = solid(box(1.0, 0.1, 0.1, elements=(10, 1, 1))).reduce({}, modes=6)
    record("mass in kg", part.mass, 78.5, Within(1e-9, "rounding"), "mass", "closed form")
    theirs = [515.0216, 515.0216, 1349.476, 1349.476, 1603.840, 2485.660]  # the first of a pair
    near = Within(2e-3, "seven digits are printed")
    record(
        "frequencies in Hz", part.frequencies[:6], theirs, near, "eigenfrequencies", "CalculiX 2.20"
    )  # a pair follows


def test_rotor_of_abaqus(record):
    """A rotor of steel with 115 nodes, by the matrices that Abaqus wrote: mass and the first elastic frequencies."""
    rotor = [ROTOR / f"rotorDiscTest{ending}" for ending in ("STIF1.mtx", "MASS1.mtx", ".inp")]
    part = read_abaqus(*rotor).reduce({}, modes=4)
    source = "Exudyn, test objectFFRFreducedOrder"
    record("mass in kg", part.mass, 77.966051, digits(6), source, "printed")
    theirs = [1046.37013, 1046.37013, 1878.24090, 2123.29703]
    record("frequencies in Hz", part.frequencies[:4], theirs, digits(5), source, "recomputed")


def test_rotor_in_supports(record):
    """The rotor with 1 % of its stiffness, eight modes and an unbalance of 0.1 kg, spun at 100 pi rad/s in supports.

    Exudyn 1.13.6, `objectFFRFreducedOrder`, generalized-alpha: its displacements of the center after 10 ms with steps
    of 2 and 1 us, extrapolated, as its errors are of second order. The displacements printed with that test, -0.320727,
    -0.251419 and -0.00248926 mm, agree across the axis to 2e-4 of their size; along it neither program gives the
    printed value today.
    """
    finite_elements = read_abaqus(*(ROTOR / f"rotorDiscTest{ending}" for ending in ("STIF1.mtx", "MASS1.mtx", ".inp")))
    nodes, M = np.asarray(finite_elements.nodes), finite_elements.M.tolil(copy=True)
    unbalance = int(np.linalg.norm(nodes - (0, 0.19598444, 0.15), axis=1).argmin())
    center = int(np.linalg.norm(nodes - (0, 0, 0.25), axis=1).argmin())
    for k in range(3 * unbalance, 3 * unbalance + 3):
        M[k, k] += 0.1
    ends = {name: np.flatnonzero(np.abs(nodes[:, 2] - z) < 1e-9) for name, z in (("left", 0.0), ("right", 0.5))}
    part = reduce(M.tocsc(), 0.01 * finite_elements.K, nodes, {**ends, "center": [center]}, modes=8)
    source = "Exudyn, test objectFFRFreducedOrder"
    record("frequencies in Hz", part.frequencies[:3], [104.38284, 104.61719, 187.80081], digits(5), source, "printed")
    model = Model("rotor", gravity=(0, 0, 0))
    rotor = model.add(FlexibleBody(part, modes=8, angular_velocity=(0, 0, 100 * np.pi)), name="rotor")
    for name, z, axial in (("left", 0.0, 1.0), ("right", 0.5, 0.0)):
        shares = np.array([1, 1, axial, 0, 0, 0])
        model.add(Bushing(model.ground.at(0, 0, z), rotor.at(name), stiffness=2e8 * shares, damping=2e6 * shares))
    run = simulate(model, 0.01, output=[0.0, 0.01], method="radau", rtol=1e-9)
    found = 1e3 * (run[rotor.at("center")].position[-1] - (0, 0, 0.25))
    theirs = [-0.32070113679, -0.25137502315, -6.7741453294e-4]
    near = Within(1e-7, "extrapolated from two steps; rtol = 1e-9")
    record("displacement in mm", found, theirs, near, source, "recomputed")


def test_free_plate(record):
    """A free square plate, nu = 0.3: omega a^2 sqrt(rho h / D) of three modes (Leissa, J. Sound Vib. 31, 1973)."""
    pytest.importorskip("skfem")
    t = 0.01
    part = plate(1.0, 1.0, t, elements=(12, 12)).reduce({}, modes=3)
    found = 2 * np.pi * part.frequencies * np.sqrt(7850 * t * 12 * (1 - 0.09) / (210e9 * t**3))
    near = Within(0.2, "thickness 1/100: shear and rotary inertia, which thin plates lack, take up to 0.8 %")
    record("frequency parameters", found, [13.489, 19.789, 24.432], near, "free square plate", "Leissa")


def test_reduced_against_full_model(record):
    """Frequencies of a reduced bar below half of the limit, against the full model of 702 unknowns."""
    M, K, nodes = bricks((1.0, 0.1, 0.06), (25, 2, 2), 210e9, 0.3, 7850.0)
    x = nodes[:, 0]
    limit = 8000.0
    exact = np.sqrt(eigh(K.toarray(), M.toarray(), eigvals_only=True)[6:]) / (2 * np.pi)
    exact = exact[exact < limit / 2]
    near = Within(1e-6, "what is asked of a reduction")
    for method in ("free", "craig-bampton"):
        part = reduce(M, K, nodes, {"a": x == 0.0, "b": x == 1.0}, up_to=limit, method=method)
        errors = part.frequencies[: len(exact)] / exact - 1
        record("relative errors", errors, 0 * exact, near, f"{method} modes", "dense solution")
