"""Reactions by Newton and Euler's recursion are those of Cartesian rows."""

import importlib

import numpy as np
import pytest

from cardan import inverse_dynamics, planar as plane, spatial as space
from cardan.case import load_case

page = importlib.import_module("cardan.analysis.driven.inverse_dynamics")  # a module with the name of its function


@pytest.fixture
def recursions(monkeypatch):
    """Whether loads were found by the recursion, one word for each analysis."""
    found, way = [], page.joint_loads

    def watched(*arguments):
        loads = way(*arguments)
        found.append(loads is not None)
        return loads

    monkeypatch.setattr(page, "joint_loads", watched)
    return found


def equal(one, two):
    """To 1e-10 of the largest: both solve linear equations of the same motion, which is closed to 1e-11."""
    largest = np.abs(two.loads.multipliers).max()
    assert np.abs(one.loads.multipliers - two.loads.multipliers).max() < 1e-10 * largest
    assert np.abs(one.loads.strengths - two.loads.strengths).max(initial=0.0) < 1e-9 * largest


@pytest.mark.parametrize("name", ["imported-arm", "slider-crank-forces", "unbalanced-rotor"])
def test_examples(name, recursions):
    times = np.linspace(*load_case(name, {}).times[:2], 21)
    equal(*(load_case(name, {}).compute(times, progress=False, coordinates=c) for c in ("joint", "cartesian")))
    assert recursions == [True]


def robot():
    """Hinges askew, a welded tool, a spring, and a closed loop of a strut that is cut."""
    model = space.Model("robot", gravity=(0.0, 0.0, -9.81))
    matter = {"mass": 2.0, "inertia": (0.1, 0.2, 0.2)}
    column = model.add(space.Body(**matter, position=(0, 0, 0.3)), name="column")
    boom = model.add(space.Body(**matter, position=(0.5, 0, 0.6)), name="boom")
    tool = model.add(space.Body(**matter, position=(1.0, 0.1, 0.6)), name="tool")
    rod = model.add(space.Body(**matter, position=(0.3, 0, 0.4)), name="rod")
    turn = model.add(space.Revolute.between(model.ground, column, (0, 0, 0), z=(0, 0, 1)), name="turn")
    model.add(space.Revolute.between(column, boom, (0, 0, 0.6), z=(0, 1, 0)), name="lift")
    model.add(space.Fixed.between(boom, tool, (1.0, 0, 0.6)), name="weld")
    foot = model.add(space.Revolute.between(column, rod, (0.1, 0, 0.2), z=(0, 1, 0)), name="foot")
    model.add(
        space.Spring(space.length(column.at(0, 0, 0), boom.at(0.2, 0, 0)), 300.0, 20.0, rest_length=0.4), name="s"
    )
    model.add(space.Driver(turn.angle, space.Function(lambda t: 0.4 * np.sin(2.0 * t))), name="motor 1")
    model.add(space.Driver(foot.angle, space.Function(lambda t: 0.3 * np.sin(3.0 * t))), name="motor 2")
    model.add(space.Distance(rod.at(0.2, 0, 0), boom.at(0, 0, 0), 0.2), name="strut")
    return model


def test_a_loop_in_space(recursions):
    """Welds carry six numbers, the strut one; the tree may be stated either way."""
    times = np.linspace(0.0, 1.0, 11)
    two = inverse_dynamics(robot(), times)
    for names in ((), ("turn", "lift"), ("foot", "weld")):
        model = robot()
        tree = [model[name] for name in names]
        equal(inverse_dynamics(model, times, coordinates="joint", tree=tree), two)
    assert recursions == [True] * 3


def test_a_long_chain(recursions):
    """Two hundred driven hinges: the drives hold what hangs on them."""
    times = [0.0, 0.5]
    runs = []
    for coordinates in ("joint", "cartesian"):
        model = plane.Model("chain", gravity=(0.0, -9.81))
        before = model.ground
        for k in range(200):
            link = model.add(plane.Body(mass=1.0, inertia=0.1, position=(k + 0.5, 0)), name=f"link {k}")
            hinge = model.add(plane.Revolute.between(before, link, (k, 0)), name=f"hinge {k}")
            model.add(plane.Driver(hinge.angle, plane.Harmonic(0.01, 3.0)), name=f"motor {k}")
            before = link
        runs.append(inverse_dynamics(model, times, coordinates=coordinates))
    equal(*runs)
    assert recursions == [True]


def test_redundant_equations_share_by_least_norm(recursions):
    """Two guides beside each other: how they share a load is no matter of the tree, and is left to Cartesian rows."""
    runs = []
    for coordinates in ("joint", "cartesian"):
        model = plane.Model("guides", gravity=(0.0, -9.81))
        table = model.add(plane.Body(mass=3.0, inertia=0.2), name="table")
        guide = model.add(plane.Translational(model.ground.at(), table.at()), name="guide")
        model.add(plane.Translational(model.ground.at(0, 0.5), table.at(0, 0.5)), name="second")
        model.add(plane.Driver(guide.travel, plane.Harmonic(0.2, 4.0)), name="motor")
        runs.append(inverse_dynamics(model, np.linspace(0.0, 1.0, 5), coordinates=coordinates))
    equal(*runs)
    assert recursions == [False] and runs[0].loads.indeterminate
