"""The model: names, order, membership."""

import re

import pytest

from cardan import ModelError, spatial
from cardan.planar import Body, Driver, Fixed, Model, PinInSlot, Ramp, Revolute, RevoluteTranslational


@pytest.fixture
def model():
    return Model("press")


def test_names_by_statement_and_by_kind(model):
    ram = model.add(Body(), name="ram")
    first, second = model.add(Body()), model.add(Body())
    assert (ram.name, first.name, second.name) == ("ram", "body1", "body2")
    slot = model.add(PinInSlot(ram.at(), first.at()))
    assert slot.name == "revolute-translational1" and PinInSlot is RevoluteTranslational
    assert model["ram"] is ram and model["body2"] is second and model["ground"] is model.ground


def test_free_name_avoids_stated_ones(model):
    model.add(Body(), name="body1")
    assert model.add(Body()).name == "body2"


def test_order_and_kinds(model):
    a, b = model.add(Body(), name="a"), model.add(Body(), name="b")
    weld = model.add(Fixed(a.at(), b.at()), name="weld")
    pin = model.add(Revolute(model.ground.at(), a.at()), name="pin")
    motor = model.add(Driver(pin.angle, Ramp(1.0)), name="motor")
    assert model.bodies == [a, b] and model.constraints == [weld, pin, motor]
    assert list(model) == [a, b, weld, pin, motor] and len(model) == 5
    assert repr(model) == "<planar model 'press': 2 bodies, 3 constraints>"


def test_membership(model):
    a = model.add(Body(), name="a")
    assert a in model and "a" in model and model.ground in model
    assert Body() not in model and "b" not in model


def test_rejected_element_leaves_no_trace(model):
    """An element that is rejected keeps no name and can be corrected and added again; the name stays free."""
    a = model.add(Body(), name="a")
    wrong = Revolute(a.at(), a.at(1.0, 0.0))
    with pytest.raises(ModelError, match="Revolute 'pin'"):
        model.add(wrong, name="pin")
    assert wrong.name == "" and wrong not in model and len(model) == 1
    assert model.add(Revolute(model.ground.at(), a.at()), name="pin") is model["pin"]


def test_gravity():
    assert Model("a").gravity == (0.0, 0.0)
    assert Model("b", gravity=[0, -9.81]).gravity == (0.0, -9.81)


def test_elements_are_frozen(model):
    a = model.add(Body(mass=1.0), name="a")
    with pytest.raises(AttributeError):
        a.mass = 2.0


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda: Body(mas=1.0), "Body has no argument 'mas'; did you mean 'mass'?"),
        (lambda: Driver(None, motoin=1.0), "Driver has no argument 'motoin'; did you mean 'motion'?"),
        (lambda: Revolute(qqq=1.0), "Revolute has no argument 'qqq'; it has: a, b"),
    ],
)
def test_misspelled_arguments_are_named(wrong, words):
    with pytest.raises(ModelError, match=re.escape(words)):
        wrong()


def test_missing_arguments_are_named():
    with pytest.raises(ModelError, match="Revolute needs a= and b="):
        Revolute()


def test_gravity_is_a_vector():
    with pytest.raises(ModelError, match=re.escape("write gravity=(0, -9.81), got 9.81")):
        Model("press", gravity=9.81)
    with pytest.raises(ModelError, match=re.escape("write gravity=(0, 0, -9.81), got -9.81")):
        spatial.Model("press", gravity=-9.81)
