"""A wheel on a line: down a slope, on a plank that moves, in the plane and lifted into space."""

import math

import numpy as np
import pytest

import cardan.spatial as space
from cardan import ModelError, assemble, inverse_dynamics, kinematics, mobility
from cardan.planar import Body, Driver, Harmonic, KnifeEdge, Model, RackPinion, RollingWheel, Translational
from cardan.results.trajectory import Trajectory
from cardan.system.compile import compile
from cardan.system.evaluate import evaluate
from still import instant

R, SLOPE, G = 0.3, 0.2, 9.81


def wheel_on_a_slope(speed=1.5):
    """A disk, I = m r^2 / 2, that rolls down a line turned by -SLOPE."""
    model = Model("slope", gravity=(0.0, -G))
    down, normal = np.array([math.cos(SLOPE), -math.sin(SLOPE)]), np.array([math.sin(SLOPE), math.cos(SLOPE)])
    disk = Body(2.0, 0.5 * 2.0 * R**2, tuple(R * normal), 0.4, tuple(speed * down), -speed / R)
    wheel = model.add(disk, name="wheel")
    rolling = model.add(RollingWheel(model.ground.at(angle=-SLOPE), wheel.at(), R), name="rolling")
    return model, wheel, rolling, down


def test_disk_rolls_down_a_slope():
    """a = 2/3 g sin(slope); friction m g sin(slope) / 3 up the slope, m g cos(slope) from the line; both act R below
    the hub."""
    model, wheel, rolling, down = wheel_on_a_slope()
    run = instant(model)
    expected = 2.0 / 3.0 * G * math.sin(SLOPE)
    assert run[wheel].acceleration[0] == pytest.approx(expected * down, abs=1e-12)
    assert run[wheel].angular_acceleration[0] == pytest.approx(-expected / R, abs=1e-11)
    friction, pressing = run[rolling].force[0]
    assert friction == pytest.approx(-2.0 * G * math.sin(SLOPE) / 3.0, abs=1e-11)
    assert pressing == pytest.approx(2.0 * G * math.cos(SLOPE), abs=1e-11)
    assert run[rolling].torque[0] == pytest.approx(R * friction, abs=1e-11)
    assert run[rolling].on("ground").force[0] == pytest.approx([-friction, -pressing], abs=1e-11)


def test_counts():
    """v = R w: touching leaves two degrees of freedom, rolling one; positions know only the first."""
    model, _, _, _ = wheel_on_a_slope()
    report = mobility(model)
    assert (report.degrees_of_freedom, report.position_degrees_of_freedom, report.velocity_equations, report.rank) == (
        1,
        2,
        1,
        2,
    )


def test_violation_is_the_slip():
    """Velocity 1.5, but the rim turns with 1.0: the lowest point slides with 0.5."""
    model = Model("slipping")
    wheel = model.add(Body(position=(0.0, R), velocity=(1.5, 0.0), angular_velocity=-1.0 / R), name="wheel")
    rolling = model.add(RollingWheel(model.ground.at(), wheel.at(), R), name="rolling")
    system = compile(model)
    v = system.stated_speeds()[None]
    run = Trajectory(system, np.zeros(1), system.start[None], v, 0.0 * v)
    assert run.violations()[0] == pytest.approx([0.0, 0.5], abs=1e-15)
    assert run[rolling].violation[0] == pytest.approx(0.5)


def test_rack_and_pinion_say_the_same_on_positions():
    """Beside the pinion's equations those of the wheel are redundant, whichever is stated first: what positions say,
    they say of velocities too, but not the other way round."""
    for first in (0, 1):
        model = Model("both")
        wheel = model.add(Body(position=(0.4, R)), name="wheel")
        joints = [
            ("teeth", RackPinion(model.ground.at(), wheel.at(), radius=R)),
            ("wheel-on-line", RollingWheel(model.ground.at(), wheel.at(), R, contact=False)),
        ]
        for name, joint in joints[:: 1 - 2 * first]:
            model.add(joint, name=name)
        report = mobility(model)
        assert report.redundant == (("wheel-on-line", "rolling"),)
        assert report.degrees_of_freedom == report.position_degrees_of_freedom == 1 and report.velocity_rank == 0


def test_wheel_on_a_plank_lies_still_where_the_plank_goes():
    """A plank that moves with 0.7 under a wheel whose hub stands still: it turns with 0.7 / R, counter-clockwise as the
    plank moves to the right under it."""
    model = Model("plank")
    plank = model.add(Body(velocity=(0.7, 0.0)), name="plank")
    wheel = model.add(Body(position=(0.0, R), angular_velocity=0.7 / R), name="wheel")
    model.add(RollingWheel(plank.at(), wheel.at(), R), name="rolling")
    system = compile(model)
    work = system.work()
    evaluate(system.geometry, system.rows, system.start, system.stated_speeds(), 0.0, system.reference, work)
    assert work.rate == pytest.approx([0.0, 0.0], abs=1e-15)


def test_lifted_it_is_the_wheel_of_space():
    """The axle along the normal of the plane, the ground's normal along y: the same equations, along the other way."""
    model, wheel, _, _ = wheel_on_a_slope()
    random = np.random.default_rng(0)
    lifted = space.lift(model)
    hub, line = lifted["wheel"], lifted.ground.at(z=(math.sin(SLOPE), math.cos(SLOPE), 0.0))
    lifted.add(space.RollingWheel(line, hub.at(), R), name="of space")
    system = compile(lifted)
    rows = [int(system.rows_of(lifted[name])[k]) for name, k in (("rolling", 1), ("of space", 1))]
    work, v = system.work(), system.speeds()
    v[[6, 7, 11]] = random.standard_normal(3)  # in the plane
    evaluate(system.geometry, system.rows, system.start, v, 0.0, system.reference, work)
    assert work.rate[rows[0]] == pytest.approx(-work.rate[rows[1]], abs=1e-14)
    assert mobility(lifted).degrees_of_freedom == 1


def test_driven_motion():
    """A wheel pushed along its slope turns as far as it travels, and the push carries its inertia (m + J / r^2) a."""
    model, wheel, rolling, _ = wheel_on_a_slope()
    push = model.add(Driver(rolling.travel, Harmonic(0.5, 2.0)), name="push")
    times = np.linspace(0.0, 2.0, 21)
    run = inverse_dynamics(model, times)
    travel = 0.5 * np.sin(2.0 * times)
    assert np.abs(run[rolling.travel].value - travel).max() < 1e-9
    assert np.abs(run[rolling.angle].value - run[rolling.angle].value[0] + travel / rolling.radius).max() < 1e-9
    assert np.abs(kinematics(model, times).q - run.q).max() == 0.0
    still = inverse_dynamics(model, [0.0])[push].force[0]  # at rest in acceleration: the weight along the slope
    inertia = wheel.mass + wheel.inertia / rolling.radius**2
    assert np.abs(run[push].force - still + 2.0 * inertia * np.sin(2.0 * times)).max() < 1e-7


def test_contact_may_be_left_to_others():
    model = Model("cart")
    cart, wheel = model.add(Body(), name="cart"), model.add(Body(position=(0.0, R)), name="wheel")
    model.add(Translational(model.ground.at(), cart.at()), name="rail")
    rolling = model.add(RollingWheel(model.ground.at(), wheel.at(), R, contact=False), name="rolling")
    assert [e.label for e in rolling.equations()] == ["rolling"] and rolling.presses() == ()
    assert mobility(model).position_degrees_of_freedom == 4


def test_picture():
    """A disk and its hatched line; a blade is a stroke."""
    pytest.importorskip("matplotlib")
    model, wheel, _, _ = wheel_on_a_slope()
    model.add(KnifeEdge(wheel.at()), name="blade")
    kinds = {str(artist.get_gid()).partition(":")[2] for artist in assemble(model).draw().get_children()}
    assert {"disk", "spoke", "rail", "hatch", "face"} <= kinds


@pytest.mark.parametrize(
    ("radius", "contact", "words"), [(0.0, True, "radius"), (0.2, "yes", "contact"), (-1, True, "r")]
)
def test_rejected(radius, contact, words):
    model = Model("m")
    body = model.add(Body(), name="body")
    with pytest.raises(ModelError, match=words):
        model.add(RollingWheel(model.ground.at(), body.at(), radius, contact), name="culprit")
