"""A result that depends on how redundant joints share their load comes with a warning."""

import warnings

import pytest

from cardan import equilibrium, linearize, simulate
from cardan.errors import CardanWarning
from cardan.planar import Body, Friction, Model, Revolute, Spring


def pendulum(hinges: int, normal: float | None = None) -> Model:
    model = Model("pendulum", gravity=(0.0, -10.0))
    bob = model.add(Body(mass=1.0, inertia=0.1, position=(1.0, 0.0)), name="bob")
    pins = [model.add(Revolute(model.ground.at(), bob.at(-1.0, 0.0)), name=f"pin {k}") for k in range(hinges)]
    model.add(Friction(pins[0], friction=0.3, radius=0.2, normal=normal), name="friction")
    return model


@pytest.mark.parametrize("coordinates", ["cartesian", "joint"])
def test_friction_in_one_of_two_hinges(coordinates):
    """Whether the first hinge carries all, half or nothing is open: so is its friction."""
    with pytest.warns(CardanWarning, match="depend on reactions of 'pin 0'.*'pin 0', 'pin 1' share.*normal="):
        simulate(pendulum(2), 0.1, output=0.1, coordinates=coordinates, progress=False)


@pytest.mark.parametrize("coordinates", ["cartesian", "joint"])
@pytest.mark.parametrize("hinges, normal", [(1, None), (2, 5.0)])
def test_what_is_determined_is_not_warned_of(hinges, normal, coordinates):
    """A single hinge carries all; a stated normal force depends on nothing."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        simulate(pendulum(hinges, normal), 0.1, output=0.1, coordinates=coordinates, progress=False)


@pytest.mark.parametrize("hinges", [1, 2])
def test_damping_of_friction_in_a_linearization(hinges):
    """Near rest friction damps by mu N R / speed: N of the first of two hinges is open."""
    model = pendulum(hinges)
    at = equilibrium(model, progress=False)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        linearize(model, at=at)
    assert [w.category for w in told if "depend on reactions" in str(w.message)] == [CardanWarning] * (hinges - 1)


def test_redundant_joints_elsewhere_do_not_matter():
    """Their reactions are open, but no force reads them."""
    model = pendulum(1)
    lid = model.add(Body(mass=1.0, inertia=0.1, position=(3.0, 0.0)), name="lid")
    hinges = [model.add(Revolute(model.ground.at(2.0, 0.0), lid.at(-1.0, 0.0)), name=f"hinge {k}") for k in range(2)]
    model.add(Spring(hinges[0].angle, stiffness=1.0, rest_angle=0.0), name="spring")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        simulate(model, 0.1, output=0.1, progress=False)
