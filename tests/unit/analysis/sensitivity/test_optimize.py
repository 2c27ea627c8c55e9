"""Designs: what is found, kept, rejected and reported."""

from __future__ import annotations

import math

import pytest

from cardan import CardanWarning, ModelError, assemble, equilibrium, modal_sensitivities, optimize
from cardan.model.model import Model as AnyModel
from cardan.planar import Body, Distance, Model, Revolute, Spring, Translational


def oscillator() -> Model:
    model = Model("oscillator", gravity=(-9.81, 0.0))
    mass = model.add(Body(mass=2.0, inertia=1.0), name="mass")
    guide = model.add(Translational(model.ground.at(), mass.at()), name="guide")
    model.add(Spring(guide.travel, 50.0, 4.0, rest_length=0.0), name="spring")
    return model


def test_a_damping_ratio_is_reached_with_exact_derivatives() -> None:
    """zeta = c/(2 sqrt(k m)) = 0.5 needs c = sqrt(k m) = 10."""

    def away(model: AnyModel) -> tuple[float, float]:
        found = modal_sensitivities(model, "spring.damping")
        miss = found.modes.damping_ratios[0] - 0.5
        return miss**2, 2.0 * miss * found.damping_ratios[0, 0]

    model = oscillator()
    design = optimize(model, {"spring.damping": (1.0, 15.0)}, away, tolerance=1e-14)
    assert design.values["spring.damping"] == pytest.approx(10.0, rel=1e-5)
    assert model["spring"].damping == 4.0  # type: ignore[attr-defined]
    with design.applied() as there:
        assert there["spring"].damping == design.values["spring.damping"]  # type: ignore[attr-defined]
    assert "spring.damping: 4 -> 10" in repr(design)
    assert design.gained > 0.0


def test_constraints_hold() -> None:
    """The softest spring that lets the mass sink by 0.2 m at most has k = m g/0.2."""
    model = oscillator()
    travel = model["guide"].travel  # type: ignore[attr-defined]

    def sinks_little(model: AnyModel) -> float:
        return 0.2 + float(equilibrium(model)[travel].value)

    def stiffness(model: AnyModel) -> tuple[float, list[float]]:
        return model["spring"].stiffness, [1.0]  # type: ignore[attr-defined]

    design = optimize(model, {"spring.stiffness": (20.0, 300.0)}, stiffness, constraints=[sinks_little])
    assert design.values["spring.stiffness"] == pytest.approx(2.0 * 9.81 / 0.2, rel=1e-4)
    assert design.constraints["sinks_little"] == pytest.approx(0.0, abs=1e-5)


def test_designs_that_do_not_close_are_trials_that_failed() -> None:
    """A four-bar whose coupler shall be as long as can be: beyond the reach of its rods nothing closes."""
    model = Model("four-bar")
    crank = model.add(Body(angle=1.0), name="crank")
    rocker = model.add(Body(position=(2.0, 0.0), angle=1.2), name="rocker")
    pivot = model.add(Revolute(model.ground.at(0, 0), crank.at(0, 0)), name="pivot")
    model.add(Revolute(model.ground.at(2, 0), rocker.at(0, 0)), name="other")
    model.add(Distance(crank.at(1, 0), rocker.at(1.5, 0), 2.0), name="rod")

    def shortness(model: AnyModel) -> tuple[float, list[float]]:
        assemble(model, hold=[pivot.angle])
        return -model["rod"].length, [-1.0]  # type: ignore[attr-defined]

    design = optimize(model, {"rod.length": (1.0, 5.0)}, shortness)
    reach = 1.5 + math.dist((2.0, 0.0), (math.cos(1.0), math.sin(1.0)))
    assert 2.0 < design.values["rod.length"] <= reach * (1.0 + 1e-6)  # so far joints may gape
    assert design.failures
    assert "rod" in design.failures[0].reason


def test_unstable_designs_are_named() -> None:
    """The least damping with which an oscillator is not unstable is none."""
    model = oscillator()
    object.__setattr__(model["spring"], "allow_negative", True)

    def damping(model: AnyModel) -> tuple[float, list[float]]:
        return model["spring"].damping, [1.0]  # type: ignore[attr-defined]

    design = optimize(model, {"spring.damping": (-7.0, 10.0)}, damping, stable=True, trials=20)
    assert -1e-5 <= design.values["spring.damping"] < 1.0
    assert any("unstable: a deviation grows by" in trial.reason for trial in design.failures)
    assert "unstable" in repr(design)


def test_bad_input_is_named() -> None:
    model = oscillator()
    with pytest.raises(ModelError, match="outside its limits"):
        optimize(model, {"spring.stiffness": (60.0, 70.0)}, lambda m: 1.0)
    with pytest.raises(ModelError, match="must increase"):
        optimize(model, {"spring.stiffness": (60.0, 10.0)}, lambda m: 1.0)
    with pytest.raises(ModelError, match="did you mean"):
        optimize(model, {"spring.stifness": (60.0, 70.0)}, lambda m: 1.0)


def test_the_best_design_is_named_unstable() -> None:
    """A negative damper at its limit: allowed, but told; and a design that keeps no constraint says so."""
    model = Model("flutter")
    mass = model.add(Body(mass=1.0, inertia=1.0), name="mass")
    guide = model.add(Translational(model.ground.at(), mass.at()), name="guide")
    model.add(Spring(guide.travel, 4.0, 1.0, rest_length=0.0, allow_negative=True), name="spring")
    with pytest.warns(CardanWarning, match="the best design of 'flutter' is unstable: a deviation grows"):
        design = optimize(model, {"spring.damping": (-1.0, 2.0)}, lambda m: m["spring"].damping)
    assert "its equilibrium is unstable" in repr(design) and design.values["spring.damping"] == pytest.approx(-1.0)
    options = {"constraints": [lambda m: -1.0], "stable": True, "trials": 3}
    held = optimize(model, {"spring.damping": (-1.0, 2.0)}, lambda m: m["spring"].damping, **options)
    assert not held.feasible and "no evaluated design satisfies all constraints" in repr(held)


def test_what_is_no_number_is_named() -> None:
    model = oscillator()
    limits = {"spring.damping": (0.1, 9.0)}
    with pytest.raises(ModelError, match="must return a number, or \\(number, derivatives\\), got"):
        optimize(model, limits, lambda m: "x")
    with pytest.raises(
        ModelError, match="a constraint of optimize\\(\\) has no value at the start: 'broken' returns nan"
    ):

        def broken(m: Model) -> float:
            return math.nan

        optimize(model, limits, lambda m: 1.0, constraints=[broken])
    with pytest.raises(ModelError, match="must be a list of names, got int 3"):
        modal_sensitivities(model, 3)
