"""Holds, drivers and couplers state one equation each."""

import math

import pytest

from cardan import assemble
from cardan.planar import Body, Constant, Coupler, Driver, Function, Hold, Model, Ramp, Revolute, angle, length, x, y


@pytest.fixture
def wheels():
    model = Model("wheels")
    pair = [model.add(Body(angle=start), name=f"wheel {k}") for k, start in enumerate((0.3, -0.2))]
    for k, wheel in enumerate(pair):
        model.add(Revolute(model.ground.at(k, 0.0), wheel.at()), name=f"pivot {k}")
    return model, *(angle(model.ground.at(), wheel.at()) for wheel in pair)


def test_equation_of_a_hold(wheels):
    _, one, two = wheels
    (equation,) = Hold(one - 2.0 * two, 0.5).equations()
    assert equation.terms == ((1.0, one), (-2.0, two)) and equation.offset == 0.5
    assert equation.motion is None and not equation.floating and equation.unit == "rad"


def test_number_or_function_as_motion(wheels):
    _, one, _ = wheels
    assert Driver(one, 2).motion == Constant(2.0)
    assert Driver(one, math.sin).motion == Function(math.sin)
    assert Driver(one, Ramp(1.0)).motion == Ramp(1.0)
    assert Driver.drives and not Hold.drives and not Coupler.drives


def test_labels_are_words_of_the_measure(wheels):
    model, one, two = wheels
    point = model["wheel 0"].at(1.0, 0.0)
    labels = [Hold(m, 1.0).equations()[0].label for m in (one, x(point), y(point), length(model.ground.at(), point))]
    assert labels == ["angle", "x", "y", "length"]
    assert Hold(one - two, 1.0).equations()[0].label == Coupler(one - two).equations()[0].label == "tie"


def test_coupler_keeps_the_assembled_value(wheels):
    """Floating: nothing is moved to satisfy it. With a value both angles give way equally to the pull."""
    model, one, two = wheels
    tie = model.add(Coupler(one + two), name="tie")
    found = assemble(model)
    assert found[model["wheel 0"]].angle == pytest.approx(0.3, abs=1e-10)
    assert found[tie.measure].value == pytest.approx(0.1, abs=1e-10)


def test_coupler_with_a_value(wheels):
    model, one, two = wheels
    model.add(Coupler(one + two, 0.5), name="tie")
    found = assemble(model)
    assert found[one].value == pytest.approx(0.5, abs=1e-5) and found[two].value == pytest.approx(0.0, abs=1e-5)
    assert found[one + two].value == pytest.approx(0.5, abs=1e-10)
