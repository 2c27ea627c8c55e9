"""Laws of the kinematic analysis over the catalog: velocities and accelerations are derivatives, and what does not
change the mechanism (grid, frame, order of statement) does not change its motion."""

import numpy as np
import pytest

import catalog
from cardan import assemble, kinematics
from cardan.planar import Body, Driver, Gear, Model, Ramp, Revolute
from cardan.spatial import rotation
from catalogs import CASES
from comparing import difference, motion_of
from linkages import four_bar

TIMES = np.linspace(0.0, 1.0, 41)
# Central differences of order six on seven points.
STENCIL = np.array([-1.0, 9.0, -45.0, 0.0, 45.0, -9.0, 1.0]) / 60.0


@pytest.mark.parametrize("case", CASES, ids=str)
def test_velocity_and_acceleration_are_derivatives(case):
    """Differences over 3 h on either side, h = 2e-4 s. Smooth motions: rounding and the tolerance of closing, 1e-15/h
    and 1e-12/h. Where a spline's knot falls into the window, its third derivative jumps and costs h^2 times the jump of
    up to 100 /s^3 in a velocity, h times the jump in an acceleration: 4e-6 and 2e-2; knots lie elsewhere for the
    motions, and profiles of degree 3 are decided by the median instant."""
    h = 2e-4
    middles = np.array([0.11, 0.23, 0.47, 0.58, 0.77, 0.93])
    times = (middles[:, None] + h * np.arange(-3, 4)).ravel()
    run = kinematics(case.model(), np.append(0.0, times), tolerance=1e-13)
    for body in run.model.bodies:
        moved = motion_of(run, body)[:, :, 1:].transpose(1, 2, 0, 3).reshape(3, middles.size, 7, -1)
        for level, tolerance in ((0, 1e-8), (1, 1e-7)):
            exact = moved[level + 1, :, 3]
            slope = np.einsum("k,ikj->ij", STENCIL, moved[level]) / h
            error = np.abs(slope - exact) / (1.0 + np.abs(exact).max())
            assert np.median(error.max(axis=1)) < tolerance
            if "Table" not in case.name and "Through" not in case.name:
                assert error.max() < tolerance


@pytest.mark.parametrize("case", CASES, ids=str)
def test_own_coordinates_and_angular_velocities_are_derivatives(case):
    """As above, for the numbers of q that are their own derivatives' integrals: own coordinates, angles of the plane;
    in space p' = G^T omega' / 2."""
    h, middle = 2e-4, 0.47
    run = kinematics(case.model(), np.append(0.0, middle + h * np.arange(-3, 4)), tolerance=1e-13)
    slope, space = STENCIL @ run.q[1:] / h, run.system.space
    bodies = run.q.shape[1] - run.v.shape[1] if space.stored > space.width else run.v.shape[1] // space.width
    expected = run.v[4].copy()
    if space.stored > space.width:
        poses, speeds = space.stored * bodies, space.width * bodies
        p = run.q[4, :poses].reshape(bodies, -1)[:, 3:]
        omega = run.v[4, :speeds].reshape(bodies, -1)[:, 3:]
        expected = np.concatenate([slope[:poses].reshape(bodies, -1), np.zeros((bodies, 0))], axis=1)
        expected[:, 3:] = 0.5 * np.einsum("bji,bj->bi", rotation.G(p), omega)
        expected = np.concatenate([expected.ravel(), run.v[4, speeds:]])
    assert np.abs(slope - expected).max() / (1.0 + np.abs(expected).max()) < 1e-8


@pytest.mark.parametrize("case", CASES, ids=str)
def test_grid_does_not_matter(case):
    """The same instants reached through others: the same values to the tolerance of closing, 1e-11, times the
    condition of the Jacobian; rates and accelerations lose a digit or two more."""
    model, thirds = case.model(), np.array([0.0, 0.3, 0.55, 1.0])
    fine = np.unique(np.concatenate([np.linspace(0.0, 1.0, 121), thirds]))
    one, two = kinematics(model, thirds), kinematics(model, fine)
    at = np.searchsorted(fine, thirds)
    assert np.abs(one.q - two.q[at]).max() < 1e-10
    assert np.abs(one.v - two.v[at]).max() < 1e-9
    assert np.abs(one.a - two.a[at]).max() < 1e-8


def test_single_instant_equals_first_of_many():
    model = CASES[0].model()
    one, many = kinematics(model, [0.0]), kinematics(model, TIMES)
    assert np.abs(one.q[0] - many.q[0]).max() < 1e-12
    assert np.abs(one.v[0] - many.v[0]).max() < 1e-12
    assert np.abs(one.a[0] - many.a[0]).max() < 1e-12


@pytest.mark.parametrize("which", [0, 1, 2])
@pytest.mark.parametrize("case", [c for c in CASES if c.moves_with_frame], ids=str)
def test_moved_copy_moves_alike(case, which):
    """The whole model moved and turned. What is asked for is the nearest closed position, in a metric that does not
    know where the origin is, so even the assembled branch is the same."""
    pose = case.stage.poses[which]
    here, there = kinematics(case.model(), TIMES), kinematics(case.model(pose=pose), TIMES)
    assert (difference(here, there, *case.stage.motion_of(pose)) < (1e-10, 1e-8, 1e-7)).all()


@pytest.mark.parametrize("case", CASES, ids=str)
def test_order_of_statement_does_not_matter(case):
    one, two = kinematics(case.model(), TIMES), kinematics(case.model(backwards=True), TIMES)
    assert (difference(one, two) < (1e-10, 1e-8, 1e-7)).all()


@pytest.mark.parametrize("case", CASES, ids=str)
def test_asking_changes_nothing(case):
    """A model is data: a second analysis of it, and one after an assembly, give the same numbers to the last digit."""
    model = case.model()
    first = kinematics(model, TIMES)
    assemble(model)
    assemble(model, drivers=False)
    again = kinematics(model, TIMES)
    assert np.array_equal(first.q, again.q) and np.array_equal(first.v, again.v) and np.array_equal(first.a, again.a)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_going_on_from_a_snapshot(case):
    """An analysis that starts from a computed instant goes on as if it had never stopped."""
    model = case.model()
    whole = kinematics(model, TIMES)
    second = kinematics(model, TIMES[20:], start=whole.at(TIMES[20]))
    assert np.abs(whole.q[20:] - second.q).max() < 1e-10
    assert np.abs(whole.a[20:] - second.a).max() < 1e-8


@pytest.mark.parametrize("faster", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("larger", [1e-4, 1e-2, 1e3])
def test_units_do_not_matter(larger, faster):
    """Lengths in other units scale positions, a faster clock scales rates: nothing else changes."""
    links, times = np.array([0.5, 1.5, 1.2, 1.4]), np.linspace(0.0, 7.0, 71)
    plain = kinematics(four_bar(*links, 0.3, Ramp(1.0, start=0.3)), times)
    scaled = kinematics(four_bar(*(larger * links), 0.3, Ramp(faster, start=0.3)), times / faster)
    for body in plain.model.bodies:
        a, b = plain[body], scaled[body.name]
        assert np.abs(larger * a.position - b.position).max() < 1e-10 * larger
        assert np.abs(a.angle - b.angle).max() < 1e-10
        assert np.abs(larger * faster * a.velocity - b.velocity).max() < 1e-9 * larger * faster
        assert np.abs(faster**2 * a.angular_acceleration - b.angular_acceleration).max() < 1e-8 * faster**2


@pytest.mark.parametrize("place", [1e3, 1e6])
def test_far_from_the_origin(place):
    """A mechanism far away loses the digits that its coordinates lose, 1e-16 of the distance, and no more."""
    case = next(c for c in catalog.CASES if c.name == "distance")
    here, there = kinematics(case.model(), TIMES), kinematics(case.model(pose=(place, -place, 0.0)), TIMES)
    for body in here.model.bodies:
        a, b = here[body], there[body.name]
        assert np.abs(a.angle - b.angle).max() < 1e-14 * place + 1e-10
        assert np.abs(a.position + (place, -place) - b.position).max() < 1e-14 * place + 1e-10


def test_backwards_in_time():
    """Reversing the motor retraces the motion."""
    there = kinematics(four_bar(0.5, 1.5, 1.2, 1.4, 0.3, Ramp(1.0, start=0.3)), TIMES)
    back = kinematics(four_bar(0.5, 1.5, 1.2, 1.4, 1.3, Ramp(-1.0, start=1.3)), TIMES)
    for body in there.model.bodies:
        assert np.abs(there[body].angle - back[body.name].angle[::-1]).max() < 1e-10
        assert np.abs(there[body].velocity + back[body.name].velocity[::-1]).max() < 1e-9


def test_violations_on_a_coarse_grid():
    """A planet that goes round eight times between two instants: its turns are known from the steps in between."""
    model = Model("planetary")
    carrier, planet = model.add(Body(), name="carrier"), model.add(Body(position=(0.2, 0.0)), name="planet")
    hinge = model.add(Revolute(model.ground.at(), carrier.at()), name="hinge")
    model.add(Driver(hinge.angle, Ramp(50.0)), name="motor")
    model.add(Revolute(carrier.at(0.2, 0.0), planet.at()), name="pin")
    model.add(Gear(model.ground.at(), planet.at(), radius_a=0.12, radius_b=0.08), name="mesh")
    run = kinematics(model, np.linspace(0.0, 10.0, 11))
    assert np.abs(run["planet"].angle - 2.5 * run["carrier"].angle).max() < 1e-9  # (r_a + r_b) / r_b = 2.5
    assert run.violations().max() < 1e-9  # angles of 1250 rad lose four digits
