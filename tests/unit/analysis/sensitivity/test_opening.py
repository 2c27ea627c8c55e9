"""Parameters of redundant joints: where another value would open the mechanism there is no derivative."""

import numpy as np
import pytest

from cardan import assemble, kinematics, parameter, sensitivities, tied
from cardan.errors import ModelError
from cardan.examples.spatial_mechanisms import bennett
from cardan.spatial import Body, Driver, Model, Ramp, Revolute, y


def door():
    """A leaf on two hinges, 2 m apart."""
    model = Model("door")
    leaf = model.add(Body(mass=10.0, inertia=(1, 1, 1)), name="leaf")
    hinge = model.add(Revolute(model.ground.at(0.1, 0, 0), leaf.at(0.1, 0, 0)), name="lower")
    model.add(Revolute(model.ground.at(0.1, 0, 2), leaf.at(0.1, 0, 2)), name="upper")
    model.add(Driver(hinge.angle, Ramp(1.0)), name="motor")
    return model, leaf


def test_hinges_that_would_open():
    model, _ = door()
    for found in (assemble(model), kinematics(model, [0.0, 0.5])):
        with pytest.raises(
            ModelError, match=r"no derivative with respect to 'upper\.b\.x'.*redundant.*'upper' would not close"
        ):
            sensitivities(found, "upper.b.x")


def test_what_moves_together_stays_closed():
    """Both hinges moved on the leaf: leaf = ground's point - R b, so that dy = -sin(angle) for a turn about z."""
    model, leaf = door()
    run = kinematics(model, [0.0, 0.5])
    s = sensitivities(run, tied("b", *(parameter(model[name], "b.x") for name in ("lower", "upper"))), [y(leaf.at())])
    assert s.derivatives[:, 0, 0] == pytest.approx(-np.sin([0.0, 0.5]), abs=1e-9)


def test_bennett_s_mechanism_closes_for_its_proportions_alone():
    run = kinematics(bennett.build(), [0.0, 0.1])
    with pytest.raises(ModelError, match=r"'bennett' has no derivative with respect to 'D\.a\.x'"):
        sensitivities(run, "D.a.x")
