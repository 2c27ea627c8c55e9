"""Parts that fit to the precision of a file: assembled, reported, and moved by every analysis."""

import numpy as np
import pytest

from cardan import (
    AssemblyError,
    assemble,
    equilibrium,
    inverse_dynamics,
    kinematics,
    linearize,
    mobility,
    simulate,
)
from cardan.errors import CardanWarning
from cardan.planar import Ramp
from cardan.spatial import Body, Driver, Fixed, Model, Revolute
from invariants.imprecise import door, four_bar_in_space

pytestmark = pytest.mark.filterwarnings("ignore:.*do not fit exactly", "ignore:.*not an equilibrium")
TIMES = np.linspace(0.0, 6.0, 13)


@pytest.mark.parametrize("size", [1e-6, 1e-5])
@pytest.mark.parametrize("build", [door, four_bar_in_space])
def test_every_analysis_runs_and_moves_like_the_exact_model(build, size):
    """Bodies are where those of the exact model are, up to a few times the error of the data."""
    far = 30.0 * size
    exact, rough = kinematics(build(0.0), TIMES), kinematics(build(size), TIMES)
    joint = kinematics(build(size), TIMES, coordinates="joint")
    for body in exact.model.bodies:
        assert np.abs(rough[body.name].position - exact[body.name].position).max() < far
        assert np.abs(rough[body.name].position - joint[body.name].position).max() < 1e-9
    loads, plain = inverse_dynamics(build(size), TIMES), inverse_dynamics(build(0.0), TIMES)
    scale = np.abs(plain["motor"].force).max()
    assert np.abs(loads["motor"].force - plain["motor"].force).max() < 10.0 * far * scale
    assert mobility(build(size)).degrees_of_freedom == 1
    for coordinates in ("cartesian", "joint"):
        ends = [simulate(build(s, driven=False), 0.4, coordinates=coordinates) for s in (0.0, size)]
        for body in exact.model.bodies:
            speeds = [run[body.name].angular_velocity[-1] for run in ends]
            assert np.abs(speeds[1] - speeds[0]).max() < 10.0 * far
        assert ends[1].energy.drift < 1e-6
    equilibrium(build(size, driven=False))
    linearize(build(size, driven=False))


def test_what_does_not_fit_is_said_and_handed_on():
    with pytest.warns(CardanWarning, match="'door' do not fit exactly.*'upper' .* by .*absorb"):
        start = assemble(door(1e-5, driven=False))
    assert {element for element, _ in start.misfits} == {"upper"}
    assert all(0.0 < gap < 3e-4 for gap in start.misfits.values())
    run = simulate(door(1e-5, driven=False), 0.2, start=start)
    again = simulate(door(1e-5, driven=False), 0.2)
    assert np.abs(run["leaf"].angular_velocity[-1] - again["leaf"].angular_velocity[-1]).max() < 1e-9
    loose = assemble(door(1e-5, driven=False), tolerance=1e-4)  # what it closes, simulate runs
    simulate(door(1e-5, driven=False), 0.2, start=loose)


def test_bodies_stay_where_they_are_free():
    """Along the hinge's axis nothing says how far to turn: the leaf stays at its angle."""
    start = assemble(door(1e-5, driven=False))
    assert start.displacements["leaf"].angle < 1e-3 and start.displacements["leaf"].distance < 1e-3


def test_a_contradiction_that_is_no_matter_of_precision():
    with pytest.raises(AssemblyError, match="'upper'"):
        assemble(door(1e-2))


def test_exact_models_leave_nothing_out():
    for build in (door, four_bar_in_space):
        assert assemble(build(0.0)).misfits == {}


def test_a_singular_start_is_not_taken_for_a_misfit():
    """Two hinges whose axes cross: the second one holds the body, and must, though it misses by 1e-5 only."""
    model = Model("crossed")
    part = model.add(Body(), name="part")
    model.add(Revolute(model.ground.at(z=(0, 0, 1)), part.at(z=(0, 0, 1))), name="one")
    model.add(Revolute(model.ground.at(z=(1e-3, 0, 1)), part.at(z=(1e-3, 1e-3, 1))), name="two")
    with pytest.raises(AssemblyError):
        assemble(model)


def test_bodies_moved_far_are_named():
    model = Model("box")
    lid = model.add(Body(position=(0, 0, 1.0)), name="lid")
    model.add(Fixed(model.ground.at(0, 0, 0.5), lid.at(0, 0, -0.5, z=(0, 0, -1))), name="weld")
    with pytest.warns(CardanWarning, match="moved bodies of 'box' far .*'lid' by 1 m and 3.14 rad"):
        start = assemble(model)
    assert start.displacements["lid"] == pytest.approx((1.0, np.pi), abs=1e-9)


@pytest.mark.parametrize("angle", [0.0, 0.7, -2.0])
def test_a_weld_face_to_face(angle, recwarn):
    """z of b is opposed to z of a, x of b is x of a turned by the angle: the lid stays where it was stated."""
    model = Model("box")
    lid = model.add(Body(position=(0, 0, 1.0), mass=1.0, inertia=(1, 1, 1)), name="lid")
    x = (np.cos(angle), np.sin(angle), 0.0)
    weld = model.add(
        Fixed.facing(model.ground.at(0, 0, 0.5), lid.at(0, 0, -0.5, z=(0, 0, -1), x=x), angle), name="weld"
    )
    start = assemble(model)
    assert start.displacements["lid"] == pytest.approx((0.0, 0.0), abs=1e-12) and not recwarn
    assert start[weld].violation < 1e-12
    arm = model.add(Body(position=(0, 0, 1.0), mass=1.0, inertia=(1, 1, 1)), name="arm")
    hinge = model.add(Revolute(lid.at(), arm.at()), name="hinge")
    model.add(Driver(hinge.angle, Ramp(1.0)), name="motor")
    for coordinates in ("cartesian", "joint"):
        run = kinematics(model, [0.0, 1.0], coordinates=coordinates)
        assert np.abs(run[lid].position - (0.0, 0.0, 1.0)).max() < 1e-12
