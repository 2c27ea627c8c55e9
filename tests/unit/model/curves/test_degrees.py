"""Hints at degrees: one per element, with its name; none for numbers that were converted."""

import math
import warnings

import pytest

from cardan import DegreesWarning, spatial
from cardan.files import load_model
from cardan.planar import Body, Constant, Driver, Harmonic, Hold, Model, Polynomial, Ramp, Revolute, Spline, Step

SUSPICIOUS = [
    (Ramp(360), "turns at 360 rad/s, 57.3 turns per second"),
    (Ramp(-90.0), "turns at -90 rad/s"),
    (Ramp(200.0), "turns at 200 rad/s, 31.8 turns per second"),
    (Ramp(350.0), "turns at 350 rad/s"),
    (Ramp(1.0, start=45.0), "an angle in the motion of Driver 'motor' is 45 rad"),
    (Step(0.0, 1.0, 0.0, 90.0), "is 90 rad, more than a full turn"),
    (Harmonic(30.0, 2.0), "is 30 rad"),
    (Constant(60.0), "is 60 rad"),
    (Polynomial(0.0, 180.0), "turns at 180 rad/s"),
    (Spline((0.0, 1.0, 2.0), (0.0, 45.0, 90.0)), "is 45 rad"),
    (0.1 + Ramp(720.0), "turns at 720 rad/s"),
]
PLAIN = [
    Ramp(math.radians(360.0)),
    Ramp(100.0 * math.pi),
    Ramp(100.0),  # a rotor: 100 is not a common number of degrees
    Ramp(209.0),  # an engine at 2000 revolutions per minute, rounded
    Ramp(10.0),
    Step(0.0, 1.0, 0.0, 4.0 * math.pi),
    math.radians(1.0) * Ramp(360.0),
    Harmonic(0.5, 360.0),  # a frequency
]


def driven(motion, mass=None):
    model = Model("fan")
    rotor = model.add(Body() if mass is None else Body(mass=mass, inertia=1.0), name="rotor")
    hinge = model.add(Revolute(model.ground.at(), rotor.at()), name="hinge")
    model.add(Driver(hinge.angle, motion), name="motor")
    return model


@pytest.mark.parametrize("motion, words", SUSPICIOUS, ids=lambda given: repr(given)[:30])
def test_one_hint_names_the_driver(motion, words):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        driven(motion)
    (hint,) = found
    assert hint.category is DegreesWarning and words in str(hint.message) and "'motor'" in str(hint.message)
    assert "math.radians(" in str(hint.message) and " deg" in str(hint.message)


@pytest.mark.parametrize("motion", PLAIN, ids=repr)
def test_no_hint_at_numbers_in_radians(motion, recwarn):
    driven(motion)
    assert not recwarn.list


def test_engines_have_masses(recwarn):
    """Round hundreds of rad/s are usual for them."""
    driven(Ramp(200.0), mass=2.0)
    assert not recwarn.list
    driven(Ramp(360.0), mass=2.0)
    assert len(recwarn.list) == 1


def test_lengths_are_not_angles(recwarn):
    model = Model("press")
    ram = model.add(Body(), name="ram")
    from cardan.planar import x

    model.add(Driver(x(ram.at()), Ramp(360.0)), name="push")
    model.add(Hold(x(ram.at(0.0, 1.0)), 90.0), name="held")
    assert not recwarn.list


def test_holds_markers_and_space():
    model = Model("gate")
    gate = model.add(Body(), name="gate")
    hinge = model.add(Revolute(model.ground.at(), gate.at()), name="hinge")
    with pytest.warns(DegreesWarning, match="the value of Hold 'open' is 30 rad"):
        model.add(Hold(hinge.angle, 30.0), name="open")
    with pytest.warns(DegreesWarning, match="the angle of a marker on body 'gate' is 90 rad"):
        gate.at(0.1, 0.0, angle=90)
    deep = spatial.Model("fan")
    rotor = deep.add(spatial.Body(), name="rotor")
    hinge = deep.add(spatial.Revolute(deep.ground.at(), rotor.at()), name="hinge")
    with pytest.warns(DegreesWarning, match="the motion of Driver 'motor' turns at 360 rad/s"):
        deep.add(spatial.Driver(hinge.angle, spatial.Ramp(360.0)), name="motor")


def test_model_files(tmp_path):
    text = "cardan: 1\nname: fan\nspace: planar\nbodies:\n  rotor: {angle: @}\n"
    path = tmp_path / "fan.yaml"
    path.write_text(text.replace("@", "60"))
    with pytest.warns(DegreesWarning, match="the angle of Body 'rotor' is 60 rad.*in a model file 60 deg"):
        load_model(path)
    path.write_text(text.replace("@", "60 deg"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load_model(path)


def test_the_hint_can_be_turned_off():
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", DegreesWarning)
        driven(Ramp(360.0))
    assert not found
