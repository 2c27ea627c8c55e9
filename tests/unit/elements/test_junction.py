"""Massless junctions between springs: closed forms in every analysis, and what they reject."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq

from cardan import (
    assemble,
    equilibrium,
    inverse_dynamics,
    kinematics,
    linearize,
    load_model,
    mobility,
    motion_sensitivities,
    planar,
    quasi_static,
    save_model,
    sensitivities,
    simulate,
    spatial,
)
from cardan.errors import ModelError

G = 9.81
SPACES = {"planar": planar, "spatial": spatial}
SOFT, HARD, MASS = 100.0, 300.0, 2.0
SERIES = SOFT * HARD / (SOFT + HARD)


def _series(space: Any, x: float = 1.1, speed: float = 0.0, driven: Any = None) -> Any:
    """ground --soft-- knot --hard-- mass along x, with rest lengths 0.5 and 0.4."""
    zeros = (0.0,) * (space.Model.space.dimensions - 1)
    model = space.Model("series")
    mass = model.add(space.PointMass(MASS, (x, *zeros), (speed, *zeros)), name="mass")
    knot = model.add(space.Junction((0.4, 0.05, *zeros[1:])), name="knot")
    for name, across in zip(("y", "z"), (space.y, getattr(space, "z", None)), strict=True):
        if across is not None:
            model.add(space.Hold(across(mass.at()), 0.0), name=name)
    if driven is not None:
        model.add(space.Driver(space.x(mass.at()), driven), name="driver")
    model.add(space.Spring(space.length(model.ground.at(), knot.at()), SOFT, rest_length=0.5), name="soft")
    model.add(space.Spring(space.length(knot.at(), mass.at()), HARD, rest_length=0.4), name="hard")
    return model


@pytest.mark.parametrize("coordinates", ["cartesian", "joint"])
@pytest.mark.parametrize("space", SPACES)
def test_two_springs_in_series_vibrate(space: str, coordinates: str) -> None:
    """x = 1.1 + v / w sin(w t), w^2 = k / m, k = k1 k2 / (k1 + k2), about the stretch by which a load pulls."""
    module = SPACES[space]
    model = _series(module, 1.1, 0.3)
    zeros = (0.0,) * (module.Model.space.dimensions - 1)
    model.add(module.Load(model["mass"].at(), (0.2 * SERIES, *zeros)), name="load")
    run = simulate(model, 1.0, output=0.1, rtol=1e-10, coordinates=coordinates)
    w = math.sqrt(SERIES / MASS)
    np.testing.assert_allclose(run["mass.x"], 1.1 + 0.3 / w * np.sin(w * run.times), atol=1e-8)
    np.testing.assert_allclose(run["soft.force"], run["hard.force"], atol=1e-9)
    np.testing.assert_allclose(run["knot.x"], 0.5 + run["soft.force"] / SOFT, atol=1e-12)
    assert not [name for name in run.columns if "balance" in name or "angle" in name or name.startswith("knot.f")]


def test_assembly_moves_the_junction_only() -> None:
    model = _series(planar)
    start = assemble(model)
    np.testing.assert_allclose(start[model["mass"]].position, (1.1, 0.0), atol=1e-9)
    np.testing.assert_allclose(start[model["knot"]].position, (0.5 + 0.2 * SERIES / SOFT, 0.0), atol=1e-9)
    report = mobility(model)
    assert report.degrees_of_freedom == 1 and not report.unconstrained_bodies


def test_ropes_that_meet() -> None:
    """A load W on two springs from (-a, 0) and (a, 0): 2 k (l - l0) h / l = W at the depth h, l^2 = a^2 + h^2."""
    a, k, rest, W = 0.5, 200.0, 0.4, 30.0
    model = planar.Model("ropes")
    knot = model.add(planar.Junction((0.05, -0.3)), name="knot")
    for name, x in (("left", -a), ("right", a)):
        spring = planar.Cable([model.ground.at(x, 0.0), knot.at()], k, rest_length=rest)
        model.add(spring, name=name)
    model.add(planar.Load(knot.at(), (0.0, -W)), name="load")
    depth = brentq(lambda h: 2.0 * k * (1.0 - rest / math.hypot(a, h)) * h - W, 0.01, 2.0)
    np.testing.assert_allclose(equilibrium(model)[knot].position, (0.0, -depth), atol=1e-9)
    assert mobility(model).degrees_of_freedom == 0


def test_hanging_mass_has_the_frequencies_of_one_spring_in_series() -> None:
    """Along the springs w^2 = k / m with k in series; across it is a pendulum of length l: w^2 = g / l."""
    model = planar.Model("hanging", gravity=(0.0, -G))
    mass = model.add(planar.PointMass(MASS, (0.0, -1.3)), name="mass")
    knot = model.add(planar.Junction((0.0, -0.6)), name="knot")
    model.add(planar.Spring(planar.length(model.ground.at(), knot.at()), SOFT, rest_length=0.5), name="soft")
    model.add(planar.Spring(planar.length(knot.at(), mass.at()), HARD, rest_length=0.4), name="hard")
    rest = equilibrium(model)
    length = 0.9 + MASS * G / SERIES
    np.testing.assert_allclose(rest[mass].position, (0.0, -length), atol=1e-7)
    assert rest.stable
    found = np.sort(np.abs(linearize(model, at=rest).eigenvalues().imag))
    expected = sorted([math.sqrt(G / length)] * 2 + [math.sqrt(SERIES / MASS)] * 2)
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    slopes = sensitivities(rest, ["soft.stiffness"], [planar.y(mass.at())])
    assert slopes.derivatives[0, 0] == pytest.approx(MASS * G / SOFT**2, rel=1e-6)  # of -m g / k1


@pytest.mark.parametrize("coordinates", ["cartesian", "joint"])
def test_driven_series(coordinates: str) -> None:
    """x = 1.2 + 0.1 sin(3 t): the driver carries k (x - 0.9) + m x''."""
    model = _series(planar, 1.2, driven=planar.Harmonic(0.1, 3.0, 0.0, 1.2))
    run = inverse_dynamics(model, np.linspace(0.0, 1.0, 5), coordinates=coordinates)
    x, a = 1.2 + 0.1 * np.sin(3.0 * run.times), -0.9 * np.sin(3.0 * run.times)
    np.testing.assert_allclose(run["driver.force"], SERIES * (x - 0.9) + MASS * a, atol=1e-9)
    again = kinematics(model, run.times, coordinates=coordinates)
    np.testing.assert_allclose(again["knot.x"], 0.5 + SERIES * (x - 0.9) / SOFT, atol=1e-11)
    np.testing.assert_allclose(again["knot.ax"], SERIES * a / SOFT, atol=1e-9)


def test_quasi_static() -> None:
    model = _series(planar, 1.2, driven=planar.Ramp(0.2, 1.1))
    run = quasi_static(model, [0.0, 0.5, 1.0])
    np.testing.assert_allclose(run["soft.force"], SERIES * (0.2 + 0.2 * run.times), atol=1e-8)


def test_sensitivities_of_driven_motions_and_what_is_rejected() -> None:
    """The force of the driver is k (x - 0.9): dF/dk1 = (k / k1)^2 (x - 0.9). A free start is rejected by name."""
    model = _series(planar, 1.2, driven=planar.Constant(1.2))
    found = sensitivities(kinematics(model, [0.0]), ["soft.stiffness"], [planar.x(model["knot"].at())])  # type: ignore[attr-defined]
    slope = 0.3 * ((SERIES / SOFT) ** 2 - SERIES / SOFT) / SOFT  # of k (x - 0.9) / k1
    assert found.derivatives[0, 0, 0] == pytest.approx(slope, rel=1e-6)
    free = _series(planar)
    for attempt in (
        lambda: motion_sensitivities(simulate(free, 0.1, output=0.1), "soft.stiffness", planar.x(free["mass"].at())),
        lambda: sensitivities(assemble(free), ["soft.stiffness"], [planar.x(free["mass"].at())]),
    ):
        with pytest.raises(ModelError, match="does not support Junction 'knot'.*use a PointMass"):
            attempt()


def test_files(tmp_path: Any) -> None:
    model = _series(spatial)
    save_model(model, tmp_path / "series.yaml")
    again = load_model(tmp_path / "series.yaml").model
    assert isinstance(again["knot"], spatial.Junction)
    np.testing.assert_allclose(assemble(again)[again["knot"]].position, assemble(model)[model["knot"]].position)


def test_what_it_rejects() -> None:
    model = _series(planar)
    knot, mass = model["knot"], model["mass"]
    span = planar.length(knot.at(), mass.at())  # type: ignore[attr-defined]
    for element, words in (
        (planar.Spring(span, 1.0, 2.0, rest_length=0.1), "acts on Junction 'knot' with damping"),
        (planar.Action(span, lambda z: z), "with a user function"),
        (planar.Actuator(span, planar.rate(span)), "with a signal"),
        (planar.Distance(knot.at(), mass.at(), 0.5), "constrains Junction 'knot'"),  # type: ignore[attr-defined]
        (planar.Bushing(mass.at(), knot.at(), stiffness=5.0), "neither a length nor|needs the orientation"),  # type: ignore[attr-defined]
        (planar.Torque(knot.at(), 1.0), "needs the orientation of Junction 'knot'"),  # type: ignore[attr-defined]
    ):
        with pytest.raises(ModelError, match=words):
            model.add(element)
    loose = planar.Model("loose")
    loose.add(planar.Junction(), name="knot")
    with pytest.raises(ModelError, match="'knot' needs springs"):
        assemble(loose)
