"""Equilibria of rods of few and of many elements: the error falls with their number, to rounding."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import cardan.planar as plane
import cardan.spatial as space
from cardan import eigenmodes, equilibrium, linearize, quasi_static, simulate
from cardan.analysis.equilibria import mixed_newton
from cardan.analysis.linear import eigenmodes as module
from cardan.elements.rods.section import Section

E, A, SECOND = 210e9, 2e-5, 0.02 * 0.001**3 / 12.0  # a strip of 20 x 1 mm, without shear
STRIP = Section(E=E, A=A, Iz=SECOND, density=7850.0)


def cantilever(load: float) -> np.ndarray:
    """The tip of a cantilever of 1 m under a force across it, with stretch; shooting to 1e-13."""

    def tip(curvature: float) -> np.ndarray:
        def slopes(_: float, y: np.ndarray) -> list[float]:
            angle, stretched = y[2], 1.0 - load * np.sin(y[2]) / (E * A)
            return [
                *(stretched * np.cos(angle), stretched * np.sin(angle), y[3]),
                load * np.cos(angle) * stretched / (E * SECOND),
            ]

        found = solve_ivp(slopes, (0.0, 1.0), [0.0, 0.0, 0.0, curvature], method="DOP853", rtol=1e-13, atol=1e-15)
        return np.asarray(found.y[:, -1])

    bend = load / (E * SECOND)
    return tip(float(brentq(lambda k: tip(k)[3], -bend, -0.2 * bend, xtol=1e-14)))[:2]


@pytest.mark.parametrize("elements", [3, 10, 100, 1000])
def test_elastica(elements: int) -> None:
    """P L^2 / EI = 1: of fourth order in the nodes, 8.6e-6 m with three elements; rounding is 1e-16 EA / P = 1e-9."""
    load = E * SECOND
    model = plane.Model("cantilever")
    rod = plane.add_rod(model, [(0, 0), (1, 0)], STRIP, elements=elements, start=model.ground)
    model.add(plane.Load(rod.end, (0.0, -load)), name="load")
    rest = equilibrium(model)
    assert rest.stable
    assert np.abs(rest[rod.nodes[-1]].position - cantilever(load)).max() < 1e-3 / elements**4 + 1e-9


@pytest.mark.parametrize("elements", [10, 100, pytest.param(1000, marks=pytest.mark.slow)])
def test_catenary(elements: int) -> None:
    """A cord that hangs from two pins: y = a cosh(x / a), of second order; stretch and bending are below 1e-6."""
    cord = Section(E=1e12, A=1e-6, Iz=1e-20, density=7850.0)
    model = plane.Model("cord", gravity=(0.0, -9.81))
    places = np.linspace(0.0, 1.0, 21)
    rod = plane.add_rod(model, [(x, -1.6 * x * (1.0 - x)) for x in places], cord, elements=elements)
    for name, end in (("left", rod.start), ("right", rod.end)):
        place = end.body.position
        model.add(plane.Revolute(model.ground.at(*place), end), name=name)
    a = brentq(lambda a: 2.0 * a * np.sinh(0.5 / a) - rod.length, 0.1, 10.0, xtol=1e-14)
    lowest = rod.positions(equilibrium(model))[:, 1].min()
    assert lowest == pytest.approx(-a * (np.cosh(0.5 / a) - 1.0), abs=0.3 / elements**2 + 1e-6)


def test_a_fine_rod_in_space_and_in_the_plane() -> None:
    tips = []
    for words in (plane, space):
        model = words.Model("cantilever")
        section = Section.rectangle(0.02, 0.001, E=E, density=7850.0)
        ends = [(0, 0), (1, 0)] if words is plane else [(0, 0, 0), (1, 0, 0)]
        rod = words.add_rod(model, ends, section, elements=60, start=model.ground)
        force = 2.0 * E * section.Iz
        model.add(words.Load(rod.end, (0.0, -force) if words is plane else (0.0, -force, 0.0)), name="load")
        tips.append(equilibrium(model)[rod.nodes[-1]].position[:2])
    assert np.abs(tips[0] - tips[1]).max() < 1e-9


def test_a_column_leaves_the_straight_equilibrium() -> None:
    """Beyond Euler's load the straight column is unstable; elastica: P / P_E = (2 K(sin(alpha / 2)) / pi)^2."""
    from scipy.special import ellipk

    load = 1.5 * np.pi**2 / 4.0 * E * SECOND
    model = plane.Model("column")
    rod = plane.add_rod(model, [(0, 0), (1, 0)], STRIP, elements=20, start=model.ground)
    model.add(plane.Load(rod.end, (-load, 0.0)), name="load")
    rest = equilibrium(model)
    alpha = 2.0 * np.arcsin(np.sqrt(brentq(lambda m: ellipk(m) - 0.5 * np.pi * np.sqrt(1.5), 0.0, 0.9)))
    assert rest.stable
    assert abs(rest[rod.nodes[-1]].angle) == pytest.approx(alpha, abs=1e-4)  # of fourth order: 20 elements


@pytest.mark.parametrize("words", [plane, space])
def test_iterations_do_not_depend_on_the_number_of_elements(words, monkeypatch) -> None:
    """All of the load at once, within 16 iterations: P L^2 / EI = 5, and a full circle in the plane."""
    counts = []
    step = mixed_newton.Search.step
    monkeypatch.setattr(mixed_newton.Search, "step", lambda *given: counts.append(1) or step(*given))
    slender = Section.of_stiffness(EA=1e6, EI=1.0, GJ=1.0, mass_per_length=1.0)
    deep = (0.0,) if words is space else ()
    for elements in (20, 500):
        model = words.Model("cantilever")
        rod = words.add_rod(model, [(0, 0, *deep), (1, 0, *deep)], slender, elements=elements, start=model.ground)
        model.add(words.Load(rod.end, (0.0, 5.0, *deep)), name="load")
        assert equilibrium(model).stable
        assert len(counts) <= 16
        counts.clear()


@pytest.mark.parametrize("frame", ["global", "body"])
def test_torque_without_potential(frame: str) -> None:
    """A moment about the direction of the bending bends a rod in space into an arc, with any number of elements."""
    section = Section.of_stiffness(EA=1e6, EI=(3.0, 1.0), GJ=1.0, mass_per_length=1.0)
    moment = 1.5
    for elements in (4, 70, 300):
        model = space.Model("cantilever")
        rod = space.add_rod(model, [(0, 0, 0), (1, 0, 0)], section, elements=elements, start=model.ground)
        model.add(space.Torque(rod.end, (0.0, 0.0, moment), frame=frame), name="torque")
        rest = equilibrium(model, method="newton")
        tip = np.array([np.sin(moment), 1.0 - np.cos(moment), 0.0]) / moment
        assert np.abs(rest[rod.nodes[-1]].position - tip).max() < 1e-9


@pytest.mark.parametrize("stiff", [1e2, 1e4, 1e6, 1e8])
def test_a_torque_about_the_axis_makes_a_rod_unstable_however_stiff_its_axis_is(stiff: float) -> None:
    """A tangential torque at a free end has no potential and excites an undamped shaft at any magnitude (Ziegler)."""
    section = Section.of_stiffness(EA=stiff, EI=1.0, GJ=1.0, mass_per_length=1.0)
    for loaded in (True, False):
        model = space.Model("shaft", gravity=(0, 0, 0))
        rod = space.add_rod(model, [(0, 0, 0), (1, 0, 0)], section, elements=20, start=model.ground)
        if loaded:
            model.add(space.Torque(rod.end, (1.0, 0.0, 0.0), frame="body"), name="torque")
        else:  # below pi^2 / 4, with a potential
            model.add(space.Load(rod.end, (-2.0, 0.0, 0.0)), name="compression")
        rest = equilibrium(model, method="newton")
        assert rest.stable is not loaded
        assert list(quasi_static(model, [0.0, 1.0, 2.0]).stable) == [not loaded] * 3
        if loaded:
            assert linearize(model, at=rest).eigenvalues().real.max() > 0.5


@pytest.mark.parametrize("words", [plane, space])
def test_folded_element(words) -> None:
    """An element whose ends change places has its length and no energy: a warning names it."""
    deep = (0.0,) if words is space else ()
    model = words.Model("pushed")
    slender = Section.of_stiffness(EA=1e6, EI=1.0, GJ=1.0, mass_per_length=1.0)
    rod = words.add_rod(model, [(0, 0, *deep), (1, 0, *deep)], slender, elements=10, start=model.ground)
    model.add(words.Fixed(model.ground.at(0.8, 0, *deep), rod.end), name="hold")
    with pytest.warns(UserWarning, match="Beam 'rod beam 10' is folded: end b is 180 deg away.*move it in several"):
        simulate(model, 1e-6)


@pytest.mark.parametrize("words", [plane, space])
@pytest.mark.parametrize("moved", [0.01, 0.05, 0.3])
def test_an_end_moved_by_many_elements(words, moved: float) -> None:
    """A clamped rod of 40 elements whose other clamp is moved inward at once buckles in its first mode.

    With quarters of the elastica, moved = 2 - 2 E(m) / K(m) and P = 16 K(m)^2 EI; stretch of P / EA = 1e-4.
    """
    from scipy.special import ellipe, ellipk

    deep = (0.0,) if words is space else ()
    bending = 1.0 if words is plane else (2.0, 1.0)  # in space in a plane of its own
    model = words.Model("buckled")
    slender = Section.of_stiffness(EA=1e6, EI=bending, GJ=1.0, mass_per_length=1.0)
    rod = words.add_rod(model, [(0, 0, *deep), (1, 0, *deep)], slender, elements=40, start=model.ground)
    clamp = model.add(words.Fixed(model.ground.at(1.0 - moved, 0, *deep), rod.end), name="clamp")
    rest = equilibrium(model)
    m = brentq(lambda m: 2.0 - 2.0 * ellipe(m) / ellipk(m) - moved, 1e-9, 0.9)
    assert rest.stable
    assert abs(rest[clamp].force[0]) == pytest.approx(16.0 * ellipk(m) ** 2, rel=1e-3)


def test_eigenmodes_of_fine_rods_converge(monkeypatch) -> None:
    """(1.8751)^2 and the next four with 60 and 240 elements, by one space of 40 vectors, without restarts."""
    counts = []
    factorize = module.splu

    def counted(matrix):
        solve = factorize(matrix).solve
        return SimpleNamespace(solve=lambda right: counts.append(1) or solve(right))

    monkeypatch.setattr(module, "splu", counted)
    exact = np.array([1.875104069, 4.694091133, 7.854757438, 10.99554073, 14.13716839]) ** 2
    for elements in (60, 240):
        model = plane.Model("cantilever")
        slender = Section.of_stiffness(EA=1e6, EI=1.0, mass_per_length=1.0)
        plane.add_rod(model, [(0, 0), (1, 0)], slender, elements=elements, start=model.ground)
        found = np.sort(eigenmodes(model).frequencies)
        assert found == pytest.approx(exact, rel=3.0 / elements + 1e-3)
        assert len(counts) < 100
        counts.clear()
