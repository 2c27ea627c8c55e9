"""A result that was written and read is the same object: same class, same words, same numbers to the last digit."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from cardan import (
    Event,
    assemble,
    equilibrium,
    equilibrium_path,
    inverse_dynamics,
    kinematics,
    linearize,
    load_result,
    parameter,
    periodic_motion,
    quasi_static,
    root_locus,
    sensitivities,
    simulate,
    steady_motion,
)
from cardan.examples import load
from cardan.planar import Body, Driver, Harmonic, Impact, Model, Revolute, Spring, Translational, x, y
from cardan.storage.tables import table_of


def oscillator(stiffness: float = 50.0, damping: float = 0.0) -> Model:
    model = Model("oscillator", gravity=(0, -9.81))
    block = model.add(Body(mass=2.0, inertia=1.0, position=(0.3, 0.0)), name="block")
    guide = model.add(Translational(model.ground.at(), block.at()), name="guide")
    model.add(Spring(guide.travel, stiffness, damping=damping, rest_length=0.0), name="spring")
    return model


def arm() -> Model:
    model = Model("arm", gravity=(0, -9.81))
    rod = model.add(Body(mass=2.0, inertia=0.1, center=(0.5, 0)), name="arm")
    hinge = model.add(Revolute(model.ground.at(), rod.at()), name="hinge")
    model.add(Spring(hinge.angle, 30.0, rest_angle=0.0), name="spring")
    return model


def driven() -> Model:
    model = Model("driven")
    rod = model.add(Body(mass=2.0, inertia=0.1, center=(0.5, 0)), name="arm")
    hinge = model.add(Revolute(model.ground.at(), rod.at()), name="hinge")
    model.add(Driver(hinge.angle, Harmonic(0.5, 6.0)), name="motor")
    return model


def shaken() -> Model:
    """A block on a damped spring whose other end is moved to and fro."""
    model = oscillator(damping=1.0)
    base = model.add(Body(mass=1.0, inertia=1.0), name="base")
    rail = model.add(Translational(model.ground.at(), base.at()), name="rail")
    model.add(Driver(rail.travel, Harmonic(0.1, 3.0)), name="shaker")
    model.add(Spring(x(model["block"].at()) - x(base.at()), 20.0, rest_length=0.0), name="coupling")
    return model


def bouncing() -> Model:
    model = Model("ball", gravity=(0, -9.81))
    ball = model.add(Body(mass=1.0, inertia=1.0, position=(0.0, 0.5)), name="ball")
    model.add(Impact(y(ball.at()), restitution=0.7), name="floor")
    return model


def stopped(model: Model) -> Any:
    """A run that an event ends."""
    return simulate(model, 2.0, output=0.01, events=[Event(x(model["block"].at()), 0.0)], progress=False)


GRID = np.linspace(0.0, 0.5, 11)
KINDS: dict[str, tuple[Callable[[], Model], Callable[[Model], Any]]] = {
    "kinematics": (driven, lambda m: kinematics(m, GRID)),
    "inverse dynamics": (driven, lambda m: inverse_dynamics(m, GRID)),
    "spatial": (lambda: load("spatial-slider-crank").build(), lambda m: kinematics(m, GRID)),
    "simulation": (oscillator, lambda m: simulate(m, 1.0, output=0.05, progress=False)),
    "event": (oscillator, stopped),
    "impacts": (bouncing, lambda m: simulate(m, 1.5, output=0.05, progress=False)),
    "snapshot": (oscillator, assemble),
    "instant": (oscillator, lambda m: simulate(m, 1.0, output=0.5, progress=False).at(0.3)),
    "rest": (arm, lambda m: equilibrium(m, progress=False)),
    "equilibria": (arm, lambda m: equilibrium(m, starts=3, progress=False)),
    "quasi-static": (shaken, lambda m: quasi_static(m, GRID, progress=False)),
    "load path": (arm, lambda m: equilibrium_path(m, "gravity", progress=False)),
    "periodic": (shaken, lambda m: periodic_motion(m, period=2.0 * math.pi / 3.0, progress=False)),
    "linearization": (arm, lambda m: linearize(m, at=equilibrium(m, progress=False))),
    "modes": (arm, lambda m: linearize(m, at=equilibrium(m, progress=False)).modes()),
}


@pytest.fixture(scope="module", params=KINDS)
def pair(request, tmp_path_factory):
    """A result, and what its file gives back for a model that was stated anew."""
    build, analyze = KINDS[request.param]
    result = analyze(build())
    path = tmp_path_factory.mktemp("result") / "result.nc"
    result.save(path)
    return result, load_result(path, model=build())


def test_class_and_words_are_the_same(pair) -> None:
    one, other = pair
    assert type(one) is type(other)
    assert repr(one) == repr(other)


def test_numbers_are_the_same_to_the_last_digit(pair) -> None:
    one, other = pair
    if hasattr(one, "A"):
        for name in ("A", "B", "C", "D", "mass", "damping", "stiffness"):
            assert np.array_equal(getattr(one, name), getattr(other, name)), name
        return
    table, again = table_of(one), table_of(other)
    assert [*table] == [*again] and table.units == again.units
    for name, column in table.items():
        assert np.array_equal(column, again[name], equal_nan=True), name


def test_forces_and_what_lies_between_are_the_same(pair) -> None:
    one, other = pair
    if getattr(one, "loads", None) is not None:
        for name in ("multipliers", "strengths", "touched"):
            assert np.array_equal(getattr(one.loads, name), getattr(other.loads, name)), name
    if hasattr(one, "at"):
        middle = 0.5 * float(one.times[0] + one.times[-1]) + 1e-3
        assert np.array_equal(one.at(middle).q, other.at(middle).q)
    if hasattr(one, "modes") or hasattr(one, "shape"):
        modes = [found.modes() if hasattr(found, "modes") else found for found in pair]
        shapes = [[*found.shape(0).values()] for found in modes]
        assert all(np.array_equal(a, b) for a, b in zip(*shapes, strict=True))
        assert modes[0].energies(0) == modes[1].energies(0)


def test_a_file_states_its_model(pair, tmp_path) -> None:
    """Without a model given, the one in the file is taken; numbers of the model may differ in their last digit."""
    one, _ = pair
    one.save(tmp_path / "result.nc")
    other = load_result(tmp_path / "result.nc")
    model, again = (getattr(found, "model", None) for found in (one, other))
    if model is None:  # modes have it behind them, equilibria in each of them
        return
    assert [element.name for element in model] == [element.name for element in again]
    assert [type(element) for element in model] == [type(element) for element in again]
    if hasattr(one, "q"):
        assert np.array_equal(one.q, other.q)


def test_a_simulation_goes_on_from_its_file(tmp_path) -> None:
    """A checkpoint that was in a file goes on as the run itself does; events and their losses are told alike."""
    model = bouncing()
    run = simulate(model, 1.0, output=0.05, progress=False)
    run.save(tmp_path / "run.nc")
    again = load_result(tmp_path / "run.nc", model=bouncing())
    assert len(run.events) == len(again.events) > 1
    assert [repr(event) for event in run.events] == [repr(event) for event in again.events]
    floor, other = model["floor"], again.model["floor"]
    assert np.array_equal(run.energy.dissipated_by(floor), again.energy.dissipated_by(other))
    on, off = (simulate(r.model, 1.5, output=0.05, start=r.checkpoint, progress=False) for r in (run, again))
    assert np.array_equal(on.q, off.q)


def test_steady_motions_loci_and_derivatives(tmp_path) -> None:
    model = Model("conical", gravity=(0, 0))
    block = model.add(Body(mass=2.0, inertia=0.1, position=(0.5, 0.0)), name="block")
    hinge = model.add(Revolute(model.ground.at(), block.at(-0.5, 0.0)), name="hinge")
    steady = steady_motion(model, spin=2.0)
    steady.save(tmp_path / "steady.nc")
    again = load_result(tmp_path / "steady.nc", model=model)
    assert repr(again) == repr(steady) and np.array_equal(again[hinge].force, steady[hinge].force)
    locus = root_locus(oscillator, [10.0, 50.0, 90.0], at=equilibrium)
    locus.save(tmp_path / "locus.nc")
    assert np.array_equal(load_result(tmp_path / "locus.nc").roots, locus.roots)
    swing = arm()
    found = sensitivities(equilibrium(swing, progress=False), [parameter(swing["arm"], "mass")], [swing["hinge"].angle])
    found.save(tmp_path / "slopes.nc")
    assert repr(load_result(tmp_path / "slopes.nc", model=arm())) == repr(found)
