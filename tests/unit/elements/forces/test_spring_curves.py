"""Springs and dampers by measured curves: the same as a law in Python, in every analysis that has forces."""

import numpy as np
import pytest

from cardan import ModelError, equilibrium, inverse_dynamics, simulate
from cardan.planar import Body, Driver, Harmonic, Model, Spline, Spring, Translational, length

STRETCH = np.linspace(-1.0, 3.0, 41)
HARD = Spline(tuple(STRETCH), tuple(20.0 * STRETCH + 30.0 * STRETCH**3), end="not-a-knot")
SPEEDS = np.linspace(-5.0, 5.0, 41)
DASHPOT = Spline(tuple(SPEEDS), tuple(0.5 * SPEEDS + 0.1 * SPEEDS**3), end="not-a-knot")  # a cubic is its own spline


def sliding(**spring):
    model = Model("slide")
    block = model.add(Body(1.0, 1.0, position=(0.8, 0.0)), name="block")
    guide = model.add(Translational(model.ground.at(), block.at()), name="guide")
    element = model.add(Spring(guide.travel, **spring), name="spring")
    return model, block, guide, element


CURVES = {"curve": HARD, "rate_curve": DASHPOT}
LAW = {"law": lambda z, v: 20.0 * z + 30.0 * z**3 + 0.5 * v + 0.1 * v**3}


@pytest.mark.parametrize("method", ["dop853", "radau", "generalized-alpha"])
def test_the_same_motion_as_by_a_law(method):
    options = {"step": 1e-3} if method == "generalized-alpha" else {"rtol": 1e-9}
    places = []
    for spring in (CURVES, LAW):
        model, block, _, element = sliding(**spring)
        run = simulate(model, 3.0, output=0.5, method=method, **options)
        places.append(run[block].position[:, 0])
        assert run.energy.drift < 1e-4  # of second order in the fixed step of 1 ms, else far less
        x, v = run[block].position[:, 0], run[block].velocity[:, 0]
        assert run[element].force == pytest.approx(LAW["law"](x, v), abs=1e-9)
    assert places[0] == pytest.approx(places[1], abs=1e-7)


def test_inverse_dynamics_and_rest():
    model, block, guide, _ = sliding(**CURVES)
    assert equilibrium(model)[block].position[0] == pytest.approx(0.0, abs=1e-9)
    motor = model.add(Driver(guide.travel, Harmonic(0.5, 2.0)), name="motor")
    run = inverse_dynamics(model, np.linspace(0.0, 1.0, 11))
    x, v, a = run[block].position[:, 0], run[block].velocity[:, 0], run[block].acceleration[:, 0]
    assert run[motor].force == pytest.approx(a + LAW["law"](x, v), abs=1e-9)


def test_a_curve_must_be_a_motion():
    model = Model("m")
    body = model.add(Body(1.0, 1.0, position=(1.0, 0.0)), name="body")
    with pytest.raises(ModelError, match="the curve of Spring 'spring' must be a Motion"):
        model.add(Spring(length(model.ground.at(), body.at()), curve=3.0), name="spring")
