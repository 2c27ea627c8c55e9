"""The columns of a result: listing them computes nothing, reading one computes that one alone."""

from __future__ import annotations

from collections import Counter

import matplotlib
import numpy as np
import pytest

from cardan import kinematics, simulate
from cardan.planar import Body, Contact, Disk, Face, Model, Revolute
from cardan.results.simulation import Simulation
from cardan.results.trajectory import Trajectory

matplotlib.use("agg")


@pytest.fixture
def run() -> Simulation:
    """A double pendulum that starts level."""
    model = Model("pendulum", gravity=(0.0, -9.81))
    marker = model.ground.at()
    for k, name in enumerate(("upper", "lower")):
        body = model.add(Body(mass=1.0, inertia=0.1, position=(0.5 + k, 0.0)), name=name)
        model.add(Revolute(marker, body.at(-0.5, 0.0)), name=f"pin{k}")
        marker = body.at(0.5, 0.0)
    return simulate(model, 0.1, output=0.01)


@pytest.fixture
def calls(run: Simulation, monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often a result computes forces, residuals and measures."""
    count: Counter[str] = Counter()

    def counted(name: str, function):
        def call(*arguments, **options):
            count[name] += 1
            return function(*arguments, **options)

        return call

    monkeypatch.setattr(run, "_find_loads", counted("forces", run._find_loads))
    for name in ("violations", "sample"):
        monkeypatch.setattr(Trajectory, name, counted(name, getattr(Trajectory, name)))
    return count


def test_listing_computes_nothing(run, calls) -> None:
    assert "pin1.fx" in run.columns and "pin1.violation" in run.columns
    assert run.columns.units()["pin1.fx"] == "N"
    assert run.columns.of("pin0")[0] == "pin0.angle"
    assert set(run.columns) <= set(run._ipython_key_completions_())
    assert not calls


@pytest.mark.parametrize("read", [lambda run: run["lower.ay"], lambda run: run.plot("lower.ay")])
def test_a_stored_column_computes_nothing(run, calls, read) -> None:
    read(run)
    assert not calls


def test_a_coordinate_computes_no_forces(run, calls) -> None:
    run["pin1.angle.rate"]
    assert calls == {"sample": 1}


def test_a_table_computes_shared_parts_once(run, calls) -> None:
    """One pass over all measures; forces once."""
    run.table()
    assert calls["sample"] == calls["forces"] == 1


def test_one_reaction_is_computed_alone(run, monkeypatch) -> None:
    """A reaction column collects the forces of its joint, not those of all joints."""
    from cardan.results.loads import Loads

    collected: list[int] = []
    on_each = Loads.on_each

    def counted(loads, elements, *more):
        collected.append(len(elements))
        return on_each(loads, elements, *more)

    monkeypatch.setattr(Loads, "on_each", counted)
    run["pin1.fx"]
    assert collected == [1]


def test_columns_have_units_and_dimensions(run) -> None:
    expected = {
        "time": ("s", "time"),
        "lower.x": ("m", "length"),
        "lower.ax": ("m/s2", "acceleration"),
        "pin0.angle.rate": ("rad/s", "angular velocity"),
        "pin0.fy": ("N", "force"),
        "pin0.torque": ("N m", "torque"),
        "steps": ("", ""),
    }
    assert {name: (run.columns[name].unit, run.columns[name].dimension) for name in expected} == expected


def test_results_with_forces_have_more_columns(run) -> None:
    still = Trajectory(run.system, run.times, run.q, run.v, run.a)
    assert not still.has_forces and set(run.columns) - set(still.columns) == {
        f"pin{k}.{part}" for k in (0, 1) for part in ("fx", "fy", "torque")
    }
    still.loads = run.loads
    assert set(still.columns) == set(run.columns)


def test_a_contact_has_its_gap() -> None:
    """A ball of radius 0.1 m falls from 1 m: gap = 0.9 - g t^2 / 2, its rate -g t."""
    model = Model("drop", gravity=(0.0, -9.81))
    ball = model.add(Body(mass=1.0, inertia=0.01, position=(0.0, 1.0)), name="ball")
    model.add(Contact(Face(model.ground.at()), Disk(ball.at(), 0.1), 1e6), name="floor")
    run = simulate(model, 0.2, output=0.05, rtol=1e-10)
    np.testing.assert_allclose(run["floor.gap"], 0.9 - 9.81 * run.times**2 / 2, atol=1e-9)
    np.testing.assert_allclose(run["floor.gap.rate"], -9.81 * run.times, atol=1e-9)
    assert run.columns["floor.gap"].unit == "m"


def test_columns_of_a_snapshot_are_numbers(run) -> None:
    assert run.at(0.1)["lower.x"] == run["lower.x"][-1]


def test_driven_motion_has_no_forces() -> None:
    from cardan.examples import load

    run = kinematics(load("slider-crank").build(), [0.0, 0.05])
    assert "A.fx" not in run.columns and "A.angle" in run.columns
