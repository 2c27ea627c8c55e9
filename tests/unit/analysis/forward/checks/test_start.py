"""Accelerations that are wrong are not integrated."""

import warnings

import numpy as np
import pytest

from cardan import Auto, SimulationError, simulate, spatial
from cardan.analysis.forward.advance import begin, new_run
from cardan.analysis.forward.checks.start import check_start
from cardan.analysis.forward.simulate import first_state
from cardan.analysis.forward.state import Settings
from cardan.planar import Body, Model, Revolute


def double_pendulum():
    model = Model("double pendulum", gravity=(0.0, -9.81))
    last = model.ground.at(0, 0)
    for k in range(2):
        body = model.add(Body(mass=1.0, inertia=0.1, position=(k + 0.5, 0.0)), name=f"rod {k}")
        model.add(Revolute(last, body.at(-0.5, 0.0)), name=f"pin {k}")
        last = body.at(0.5, 0.0)
    return model


def begun(joint=False):
    system, state = first_state(double_pendulum(), (), None, ())
    run = new_run(system, state, Settings(Auto(), 1e-8), joint=joint)
    begin(run, 1.0)
    return run


@pytest.mark.parametrize("joint", [False, True])
def test_wrong_accelerations_are_named(joint):
    """By a thousandth: an equation, or the forces along a coordinate, miss by as much."""
    run = begun(joint)
    first, count = run.sizes.positions, run.sizes.speeds
    check_start(run)
    run.stepper.dy[first + count - 1] *= 1.001
    with pytest.raises(SimulationError, match=r"are inaccurate: they violate .*(pin 1|rod 1)"):
        check_start(run)


def test_wrong_multipliers_are_found():
    run = begun()
    run.machine.multipliers[:] *= 1.001
    with pytest.raises(SimulationError, match="balance of forces along"):
        check_start(run)


def test_a_lost_freedom_is_found():
    """As if a row of rounding had been kept as an equation."""
    run = begun()
    run.machine.active[0] = 0
    with pytest.raises(SimulationError, match="degrees of freedom, of which the equations leave 2 and the run has 3"):
        check_start(run)


def test_bodies_at_rest_and_in_free_fall_pass():
    """Where all terms vanish, or cancel, rounding is left."""
    model = Model("falling", gravity=(0.0, -9.81))
    model.add(Body(mass=1.0, inertia=1.0), name="stone")
    run = simulate(model, 0.1, output=[0.1], progress=False)
    assert run.v[-1][4] == pytest.approx(-0.981, rel=1e-12)
    still = Model("still", gravity=(0.0, 0.0))
    still.add(Body(mass=1.0, inertia=1.0), name="stone")
    assert np.abs(simulate(still, 0.1, progress=False).v).max() == 0.0


@pytest.mark.parametrize("coordinates", ["cartesian", "joint"])
@pytest.mark.parametrize("off", [1e-7, 5e-5])
def test_hinges_that_are_nearly_in_line_pass(off, coordinates):
    """A door whose upper hinge is off by as much as parts may miss: 10 N m on 1 kg m2 for 0.5 s give 1.25 rad."""
    model = spatial.Model("door")
    leaf = model.add(spatial.Body(2.0, (1.0, 1.0, 1.0)), name="leaf")
    lower = model.add(spatial.Revolute.between(model.ground, leaf, at=(0, 0, 0), z=(0, 0, 1)), name="lower")
    model.add(spatial.Revolute.between(model.ground, leaf, at=(0, off, 1.6), z=(0, 0, 1)), name="upper")
    model.add(spatial.Torque(leaf.at(), (0, 0, 10.0)), name="push")
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        run = simulate(model, 0.5, output=0.1, coordinates=coordinates)
    assert run[lower.angle].value[-1] == pytest.approx(1.25, rel=1e-6)
    assert any("do not fit exactly" in str(warning.message) for warning in told) == (off > 1e-6)
