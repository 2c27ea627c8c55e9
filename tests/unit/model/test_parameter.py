"""Named parameters: found by path, changed for a while, rejected where there is none."""

from __future__ import annotations

import pytest

from cardan import ModelError, equilibrium, parameter, tied
from cardan.model.parameter import changed, parameters_of
from cardan.planar import Body, Distance, Model, Revolute, Spring, length
from cardan.spatial import Body as SpatialBody, Model as SpatialModel, Spherical
from folding import folded


def swing() -> Model:
    model = Model("swing", gravity=(0.0, -9.81))
    seat = model.add(Body(mass=2.0, inertia=0.3, position=(0.0, -1.0), center=(0.1, 0.0)), name="seat")
    model.add(Revolute(model.ground.at(), seat.at(0.0, 1.0)), name="pin")
    model.add(
        Spring(length(model.ground.at(1.0, 0.0), seat.at(0.2, 0.3)), 30.0, rest_length=0.5, force=2.0), name="rope"
    )
    return model


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("seat.mass", 2.0),
        ("seat.center.x", 0.1),
        ("pin.b.y", 1.0),
        ("rope.stiffness", 30.0),
        ("rope.b.y", 0.3),
        ("rope.measure.a.x", 1.0),
        ("gravity.y", -9.81),
    ],
)
def test_paths_lead_to_numbers(path: str, value: float) -> None:
    assert parameter(swing(), path).value == value


def test_components_of_space() -> None:
    model = SpatialModel("top")
    top = model.add(SpatialBody(mass=1.0, inertia=(1.0, 2.0, 3.0)), name="top")
    ball = model.add(Spherical(model.ground.at(), top.at(0.0, 0.0, -0.4)), name="ball")
    assert parameter(top, "inertia.z").value == 3.0
    assert parameter(ball.b, "z").value == -0.4


@folded(
    ("path", "words"),
    [
        ("seat.mas", "did you mean 'mass'"),
        ("set.mass", "did you mean 'seat.mass'"),
        ("seat.center", "append one of x, y"),
        ("pin.b", "is not a number"),
        ("seat.mass.x", "is a single number"),
        ("rope.rest_angle", "is not set"),
        ("seat", "'seat' is an element, not a number; its parameters: seat.mass, "),
        ("nothing", "has no parameter called 'nothing'"),
    ],
)
def test_what_is_no_parameter_is_named(path: str, words: str) -> None:
    with pytest.raises(ModelError, match=words):
        parameter(swing(), path)


def test_a_model_is_changed_for_a_while_alone() -> None:
    model = swing()
    force = parameter(model, "rope.force")
    before = equilibrium(model)[model["pin"]].force
    with changed(model, {force: 20.0, parameter(model, "seat.mass"): 3.0}):
        assert model["rope"].motion(0.0) == 20.0  # type: ignore[attr-defined]
        assert abs(equilibrium(model)[model["pin"]].force - before).max() > 1.0
    assert (equilibrium(model)[model["pin"]].force == before).all()
    assert force.value == 2.0


def test_values_that_elements_reject_are_rejected() -> None:
    model = swing()
    with (
        pytest.raises(ModelError, match="negative ones need"),
        changed(model, {parameter(model, "rope.stiffness"): -1.0}),
    ):
        pass
    assert parameter(model, "rope.stiffness").value == 30.0


def test_tied_numbers_move_together() -> None:
    model = swing()
    long = tied("length", parameter(model, "pin.b.y"), (0.5, parameter(model, "seat.center.x")))
    with changed(model, {long: 1.4}):
        assert parameter(model, "pin.b.y").value == pytest.approx(1.4)
        assert parameter(model, "seat.center.x").value == pytest.approx(0.3)


def test_lists_are_judged() -> None:
    model, other = swing(), swing()
    with pytest.raises(ModelError, match="are the same number"):
        parameters_of(model, ["seat.mass", parameter(model["seat"], "mass", "m")], "a test")
    with pytest.raises(ModelError, match="is not a number of model 'swing'"):
        parameters_of(model, [parameter(other, "seat.mass")], "a test")
    with pytest.raises(ModelError, match="needs parameters"):
        parameters_of(model, [], "a test")


def test_distances_have_lengths() -> None:
    model = swing()
    model.add(Distance(model.ground.at(-1.0, 0.0), model["seat"].at(), 1.4), name="stay")  # type: ignore[attr-defined]
    assert parameter(model, "stay.length").value == 1.4
