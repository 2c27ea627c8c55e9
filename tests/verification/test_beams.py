"""Beams of large deflection 1: equilibria.

Mattiasson 1981: K. Mattiasson, Numerical results from large deflection beam and frame problems analysed by means of
elliptic integrals. Bathe and Bolourchi 1979: Large displacement analysis of three-dimensional beam structures. Dowell
and Traybar 1975: the Princeton beam experiments; with the data of Obrezkov, Mikkola and Matikainen 2022. Nachbagauer,
Pechstein, Irschik and Gerstmayr 2011: A new locking-free formulation for planar, shear deformable, linear and quadratic
beam finite elements. Timoshenko: Theory of Elastic Stability. Reissner's rod is solved by shooting in the tests.
"""

from __future__ import annotations

import math
import warnings

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq, fsolve

import cardan.planar as plane
import cardan.spatial as space
from cardan import equilibrium
from cardan.planar import Section
from verification.manual import Within

SOURCE = "Euler 1744, Reissner 1973"


def straight(words, section, elements, length=1.0, **stated):
    """A rod along x, clamped at the origin."""
    model = words.Model("cantilever", **stated)
    ends = [(0.0, 0.0, 0.0), (length, 0.0, 0.0)]
    points = [point[: 2 if words is plane else 3] for point in ends]
    return model, words.add_rod(model, points, section, elements=elements, start=model.ground)


def rest_of(model, **options):
    """The equilibrium; the way there is long on purpose, which the program warns about."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return equilibrium(model, **options)


def test_circle(record):
    """A moment 2 pi E I / L closes a straight rod to a circle: the tip is on the clamp, rotated by a full turn."""
    section = Section.of_stiffness(EA=1e4, EI=1.0, mass_per_length=1.0)
    within = Within(1e-12, "rounding, of a length of 1 of forces: 1e-16 of E A = 1e4 E I")
    rounded = Within(1e-11, "rounding of forces: 1e-16 of E A, which is 1e4 E I, times the number of elements")
    for words, torque in ((plane, 2.0 * math.pi), (space, (0.0, 0.0, 2.0 * math.pi))):
        for count in (3,):
            model, rod = straight(words, section, count)
            stated = {} if words is plane else {"frame": "body"}
            model.add(words.Torque(rod.end, torque, **stated), name="moment")
            rest = rest_of(model, tolerance=1e-14)
            title = f"distance of the tip from the clamp, {model.space.name}, {count} elements"
            missed = float(np.linalg.norm(rest[rod.nodes[-1]].position))
            record(title, missed, 0.0, within, "Euler", "closed form")
            if words is plane:
                turned = rest[rod.nodes[-1]].angle
                record(f"rotation of the tip, {count} elements", turned, 2.0 * math.pi, rounded, "Euler", "closed form")
                energy = rest.energy + 2.0 * math.pi * turned  # without that of the moment
                record(
                    f"elastic energy, {count} elements",
                    energy,
                    2.0 * math.pi**2,
                    Within(1e-10, "rounding of forces, as above, of 20"),
                    "Euler",
                    "closed form",
                )


def test_elastica(record):
    """A cantilever with a force at its tip, P L^2 / E I = 1 and 5: displacements u along and w across, and rotation."""
    printed = {1.0: (0.05643, 0.30172, 0.46135), 5.0: (0.38763, 0.71379, 1.21537)}
    reason = "half a unit of the last digit, and 1 % of the discretization: 1e-5 with 32 elements; stretch of 5e-6"
    for load, values in printed.items():
        model, rod = straight(plane, Section.of_stiffness(EA=1e6, EI=1.0, mass_per_length=1.0), 32)
        model.add(plane.Load(rod.end, (0.0, load)), name="force")
        tip = rest_of(model)[rod.nodes[-1]]
        found = (1.0 - tip.position[0], tip.position[1], tip.angle)
        for name, ours, theirs in zip(("u / L", "w / L", "slope"), found, values, strict=True):
            record(
                f"{name}, P L^2 / E I = {load:g}",
                ours,
                theirs,
                Within(2e-5, reason),
                "Mattiasson 1981, table 1",
                "printed",
            )


def test_timoshenko_cantilever(record):
    """A short cantilever by one element: P L^3 / 3 E I + P L / kappa A G."""
    L, width, height, E = 0.4, 0.025, 0.012, 200.2e9
    area, second, G, factor, P = width * height, width * height**3 / 12.0, 0.38 * E, 5.0 / 6.0, 1e-3
    section = Section(E=E, A=area, Iz=second, density=1.0, G=G, shear_factor=factor)
    model, rod = straight(plane, section, 1, L)
    model.add(plane.Load(rod.end, (0.0, P)), name="force")
    found = rest_of(model, method="newton")[rod.nodes[-1]].position[1]
    exact = P * L**3 / (3.0 * E * second) + P * L / (factor * area * G)
    record("deflection, relative", found / exact, 1.0, Within(1e-9, "rounding"), "Timoshenko 1921", "closed form")


def test_thick_cantilever(record):
    """A cantilever of 2 m with a section of 0.1 by 0.5 m under 62.5 MN."""
    L, width, height, E, nu = 2.0, 0.1, 0.5, 207e9, 0.3
    factor = 10.0 * (1.0 + nu) / (12.0 + 11.0 * nu)
    section = Section.rectangle(width, height, E=E, density=1.0, poisson=nu)
    assert abs(section.shear_factor - factor) < 1e-12
    model, rod = straight(plane, section, 32, L)
    model.add(plane.Load(rod.end, (0.0, -5e8 * height**3)), name="force")
    x, y = rest_of(model)[rod.nodes[-1]].position
    within = Within(1e-5, "discretization by 32 elements, which falls with the square: 1.1e-6 and 1.7e-6")
    source = "Nachbagauer et al. 2011, converged"
    record("displacement along, m", L - x, 0.150971, within, source, "printed")
    record("displacement across, m", -y, 0.710568, within, source, "printed")


def bent_rod(force, J):
    """The tip of the bend below as an initial value problem of Reissner's rod, its root moment by shooting."""
    R, E, G = 100.0, 1e7, 5e6
    axial, bending, free = (
        np.array([E, 5 / 6 * G, 5 / 6 * G]),
        np.array([G * J, E / 12, E / 12]),
        np.array([0, 0, 1 / R]),
    )

    def rates(_, y, n):
        A = space.rotation.matrix(y[3:7] / np.linalg.norm(y[3:7]))
        forward = A @ (np.array([1.0, 0.0, 0.0]) + A.T @ n / axial)
        return np.concatenate(
            [forward, space.rotation.rates(y[3:7], free + A.T @ y[7:] / bending), -np.cross(forward, n)]
        )

    def end(moment, n):
        start = np.concatenate([[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], moment])
        return solve_ivp(rates, (0.0, R * math.pi / 4), start, "DOP853", args=(n,), rtol=1e-11, atol=1e-10).y[:, -1]

    moment = np.zeros(3)
    for part in np.linspace(0.0, force, 5)[1:]:
        n = np.array([0.0, 0.0, part])
        moment = fsolve(lambda m, n=n, part=part: end(m, n)[7:] / part, moment, xtol=1e-12)
    return end(moment, n)[:3]


def test_bend_of_45_degrees(record):
    """An eighth of a circle of radius 100 with a unit square section, loaded by 600 across its plane."""
    turns = np.linspace(0.0, math.pi / 4, 65)
    points = np.stack([100.0 * np.sin(turns), 100.0 * (1.0 - np.cos(turns)), 0.0 * turns], axis=1)
    for J, shot in ((1.0 / 6.0, True), (0.1406, False)):
        model = space.Model("bend")
        section = Section(E=1e7, A=1.0, Iz=1 / 12, density=1.0, Iy=1 / 12, J=J, G=5e6, shear_factor=5 / 6)
        rod = space.add_rod(model, points.tolist(), section, start=model.ground)
        model.add(space.Load(rod.end, (0.0, 0.0, 600.0)), name="force")
        tip = np.array(rest_of(model)[rod.nodes[-1]].position)
        exact = bent_rod(600.0, J) if shot else (46.891850, 15.557815, 53.607850)
        within = Within(2e-4, "discretization by 64 elements, which falls with the square, of a length of 79")
        record(f"tip, J = {J:.4f}", tip, exact, within, "Reissner's rod by shooting", "recomputed")
        if shot:
            moved, printed = tip - points[-1], (-23.5, -13.4, 53.4)
            within = Within(0.3, "the source used 8 elements; Simo and Vu-Quoc and others differ by as much")
            record("displacement of the tip", moved, printed, within, "Bathe and Bolourchi 1979", "printed")


def test_princeton_beam(record):
    """A cantilever with a flat section, loaded by 8.896 N at an angle beta from its strong direction."""
    L, height, width, E, nu = 0.508, 12.3777e-3, 3.2024e-3, 71.7e9, 0.31
    Iz, Iy, G = width * height**3 / 12.0, height * width**3 / 12.0, 0.5 * E / (1.0 + nu)
    J = 0.198 * (Iy + Iz)
    section = Section(E=E, A=height * width, Iz=Iz, density=2700.0, Iy=Iy, J=J, G=G, shear_factor=1.0)
    ansys = {0: (10.714, 0.0), 30: (10.112, 79.395), 60: (6.605, 129.888), 90: (0.0, 146.246)}
    for beta, printed in ansys.items():
        model, rod = straight(space, section, 16, L)
        turned = math.radians(beta)
        model.add(space.Load(rod.end, (0.0, -8.896 * math.cos(turned), 8.896 * math.sin(turned))), name="force")
        across = 1000.0 * np.abs(np.array(rest_of(model)[rod.nodes[-1]].position)[1:])
        source, reason = "Obrezkov et al. 2022, ANSYS", "another torsion constant; relative to the source"
        for name, ours, theirs, share in zip(("y", "z"), across, printed, (0.025, 0.003), strict=True):
            within = Within(share * theirs + 1e-3, reason)
            record(f"displacement along {name}, beta = {beta} deg, mm", ours, theirs, within, source, "printed")


def test_lateral_buckling(record):
    """A deep cantilever with a force at the centroid of its tip buckles sideways at P L^2 / sqrt(E I G J) = 4.0126."""

    def softest(load):
        section = Section.of_stiffness(EA=1e6, EI=(1.0, 1e5), GJ=1.0, mass_per_length=1.0)
        model, rod = straight(space, section, 32)
        model.add(space.Load(rod.end, (0.0, -load, 0.0)), name="force")
        return float(rest_of(model, method="newton").stiffnesses[0])

    critical = brentq(softest, 3.9, 4.1, xtol=1e-5)  # where the least stiffness changes its sign
    reason = "1e-3 of the load: half of it is the error of 32 elements, which falls with the square"
    source = "Timoshenko, Theory of Elastic Stability, 6.5"
    record("P L^2 / sqrt(E I G J)", critical, 4.0126, Within(4e-3, reason), source, "printed")


def test_catenary(record):
    """A cable between two points of equal height, by a rod with almost no bending stiffness.

    y = a cosh(x / a): with the span b and the length s, 2 a sinh(b / 2 a) = s; the sag is a (cosh(b / 2 a) - 1).
    """
    span, length, weight, count = 8.0, 10.0, 2.0 * 9.81, 40
    a = brentq(lambda a: 2.0 * a * math.sinh(0.5 * span / a) - length, 1.0, 100.0, xtol=1e-13)
    model = plane.Model("cable", gravity=(0.0, -9.81))
    along = np.linspace(-0.5 * length, 0.5 * length, count + 1) / a
    points = a * np.stack([np.arcsinh(along), np.hypot(1.0, along) - math.cosh(0.5 * span / a)], axis=1)
    section = Section.of_stiffness(EA=1e7, EI=1e-2, mass_per_length=2.0)
    rod = plane.add_rod(model, points.tolist(), section)
    for marker, point, name in ((rod.start, points[0], "left"), (rod.end, points[-1], "right")):
        model.add(plane.Revolute(model.ground.at(*point.tolist()), marker), name=name)
    rest = rest_of(model)
    source = "Bernoulli, Huygens, Leibniz 1691"
    sag = a * (math.cosh(0.5 * span / a) - 1.0)
    within = Within(5e-3, "a polygon of 40 pieces: about s / 12 n^2; stretch of H / E A = 7e-6")
    record("sag, m", -rod.positions(rest)[count // 2, 1], sag, within, source, "closed form")
    reactions = rest["left"].force
    within = Within(0.1, "the same, of 70 N")
    record("horizontal pull, N", abs(reactions[0]), weight * a, within, source, "closed form")
    within = Within(1e-5, "what is left of the balance of forces: 1e-12 of E A = 1e7 N")
    record("vertical reaction, N", abs(reactions[1]), 0.5 * 9.81 * rod.mass, within, "Newton", "closed form")
