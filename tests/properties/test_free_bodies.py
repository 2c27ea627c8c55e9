"""On every body, at every instant, forces and torques add up to zero: contacts, friction, tires, ropes, space."""

import warnings

import pytest

from cardan.case import load_case
from cardan.errors import CardanWarning
from cardan.postprocess.free_body import residuals

BALANCE = 1e-9  # of the largest force on the body: forces are solved to rounding, stiff contacts cost some digits
EXAMPLES = (
    "belt-drive",
    "bouncing-ball",
    "compressor-transient",
    "damped-scale",
    "governor",
    "heavy-top",
    "newtons-cradle",
    "pendulum",
    "quarter-car",
    "slider-crank-forces",
    "sling",
    "spatial-slider-crank-torque",
    "stick-slip",
)


@pytest.mark.slow
@pytest.mark.parametrize("name", EXAMPLES)
def test_forces_on_every_body_add_up_to_zero(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CardanWarning)
        run = load_case(name, {}).compute()
    for body in run.system.bodies:
        assert residuals(run, body).max() < BALANCE
    middle = 0.37 * float(run.times[-1])  # between two instants
    for body in run.system.bodies:
        assert run.free_body(body, at=middle).residual < BALANCE
