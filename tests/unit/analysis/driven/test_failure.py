"""What is said where a motion cannot be followed."""

import numpy as np
import pytest

from cardan import LockUp, ModelError, inverse_dynamics, kinematics
from cardan.planar import Body, Driver, Model, RackPinion, Ramp, Revolute, Translational


def test_a_body_that_runs_away_is_named() -> None:
    """With its ends swapped the point of the rack must lie 0.05 m along an axis that turns: R (1 + sin)/cos away."""
    model = Model("lift")
    pinion = model.add(Body(), name="pinion")
    rack = model.add(Body(position=(0.05, 0), angle=np.pi / 2), name="rack")
    axle = model.add(Revolute(model.ground.at(), pinion.at()), name="axle")
    model.add(Translational(model.ground.at(0.05, 0, np.pi / 2), rack.at()), name="guide")
    model.add(RackPinion(pinion.at(), rack.at(), 0.05), name="mesh")
    model.add(Driver(axle.angle, Ramp(2.0)), name="motor")
    for count in (3, 61):
        with pytest.raises(LockUp, match="'rack' moves to infinity.*'mesh'.*may be swapped") as stop:
            kinematics(model, np.linspace(0.0, 1.2, count))
        assert stop.value.kind == "lock-up"
        assert stop.value.time == pytest.approx(np.pi / 4, abs=1e-9)  # a quarter turn at 2 rad/s; x = C / (t* - t)


def test_a_missing_driver_is_said_of_the_model() -> None:
    """The same sentence serves inverse dynamics."""
    model = Model("fan")
    rotor = model.add(Body(mass=1.0, inertia=1.0), name="rotor")
    model.add(Revolute(model.ground.at(), rotor.at()), name="axle")
    for analysis in (kinematics, inverse_dynamics):
        with pytest.raises(ModelError, match="^'fan' needs 1 more driver: .*can be driven: axle.angle"):
            analysis(model, [0.0, 1.0])


def test_a_misspelled_reaction_is_told_what_there_is() -> None:
    model = Model("fan")
    rotor = model.add(Body(mass=1.0, inertia=1.0), name="rotor")
    axle = model.add(Revolute(model.ground.at(), rotor.at()), name="axle")
    model.add(Driver(axle.angle, Ramp(2.0)), name="motor")
    with pytest.raises(ModelError, match=r"'torqe'; its coordinates: angle; it also has \.force, \.torque"):
        _ = inverse_dynamics(model, [0.0, 1.0])[axle].torqe
