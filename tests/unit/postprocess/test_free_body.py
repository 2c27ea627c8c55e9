"""Free bodies: every force named and in its place, and a sum that is zero, also by another way of adding up."""

import math

import numpy as np
import pytest

from cardan import ModelError, equilibrium, inverse_dynamics, kinematics, simulate
from cardan.examples import load
from cardan.model.space import inertia_forces
from cardan.planar import Body, Contact, Disk, Driver, Face, Load, Model, Ramp, Revolute, Spring, Translational, length
from cardan.postprocess.free_body import loads_on
from cardan.spatial import Body as Body3, Model as Model3, Revolute as Revolute3

G = 9.81
ROUNDING = 1e-12  # of the largest force: sums of some ten numbers


@pytest.fixture(scope="module")
def engine():
    """A slider-crank under gas pressure: weight, inertia, pins, guide, driver and an applied force."""
    example = load("slider-crank-forces")
    return inverse_dynamics(example.build(), np.linspace(*example.TIMES[:2], 41))


def test_a_driven_arm_in_closed_form():
    """A rod of mass m, its center at c from the hinge, turned at w: F = m (g - w^2 c), T = m g c cos(angle)."""
    model = Model("arm", gravity=(0.0, -G))
    arm = model.add(Body(mass=2.0, inertia=0.3, center=(0.5, 0.0)), name="arm")
    hinge = model.add(Revolute(model.ground.at(), arm.at()), name="hinge")
    model.add(Driver(hinge.angle, Ramp(3.0)), name="motor")
    cut = inverse_dynamics(model, [0.0, 0.2]).free_body("arm", at=0.2)
    c, s = math.cos(0.6), math.sin(0.6)
    near = pytest.approx
    assert cut["weight"].force == near([0.0, -2.0 * G])
    assert cut["inertia"].force == near([2.0 * 9.0 * 0.5 * c, 2.0 * 9.0 * 0.5 * s])
    assert cut["hinge"].force == near([-9.0 * c, 2.0 * G - 9.0 * s])
    assert cut["motor"].torque == near(2.0 * G * 0.5 * c)
    assert cut["hinge"].point == near([0.0, 0.0], abs=1e-12)
    assert cut["weight"].point == near([0.5 * c, 0.5 * s])
    assert cut.closed
    assert [acting.kind for acting in cut] == ["weight", "inertia", "joint", "driver"]


def test_forces_add_up_about_any_point(engine):
    for time in (engine.times[7], 0.5 * (engine.times[7] + engine.times[8])):  # computed, and between
        for body in engine.system.bodies:
            cut = engine.free_body(body, at=float(time))
            force = sum(acting.force for acting in cut)
            about = np.array([0.31, -0.17])  # any point will do
            torque = sum(
                acting.torque
                + (acting.point[0] - about[0]) * acting.force[1]
                - (acting.point[1] - about[1]) * acting.force[0]
                for acting in cut
            )
            largest = max(np.hypot(*acting.force) for acting in cut)
            assert np.hypot(*force) <= ROUNDING * largest
            assert abs(torque) <= ROUNDING * largest
            assert cut.residual <= ROUNDING


def test_weight_and_inertia_are_those_of_the_equations_of_motion(engine):
    """The compiled equations have the same generalized forces, by another way."""
    system = engine.system
    matter = system.space.matter((system.model.ground, *system.bodies))
    gravity = np.array(system.model.gravity)
    for k in (0, 13, 29):
        out = system.speeds()
        inertia_forces(system.geometry, matter, gravity, engine.q[k], engine.v[k], engine.a[k], out)
        for body in system.bodies:
            first = 3 * system.number[id(body)]
            own = [a for a in loads_on(engine, body) if a.kind in ("weight", "inertia")]
            origin = engine[body].position
            force = sum(a.force[k] for a in own)
            torque = sum(a.about(origin)[k] for a in own)
            assert np.array([*force, torque]) == pytest.approx(out[first : first + 3], rel=1e-10, abs=1e-9)


@pytest.mark.parametrize("name", ["pendulum", "heavy-top"])
def test_simulations_are_in_balance(name):
    example = load(name)
    run = simulate(example.build(), example.TIMES[1] / 4, output=example.TIMES[1] / 40)
    for body in run.system.bodies:
        for time in (float(run.times[3]), 0.37 * float(run.times[-1])):
            assert run.free_body(body, at=time).residual < 1e-10  # the equations of motion are solved to rounding


def test_a_spinning_body_needs_the_gyroscopic_torque():
    """A disk whose axis is tilted to the one it turns about: omega x I omega is what the hinge must carry."""
    model = Model3("swash plate")
    axis = np.array([0.0, math.sin(0.3), math.cos(0.3)])
    disk = model.add(Body3(mass=1.0, inertia=(0.1, 0.1, 0.2), angular_velocity=tuple(5.0 * axis)), name="disk")
    ends = (body.at(0.0, 0.0, 0.0, z=tuple(axis)) for body in (model.ground, disk))
    model.add(Revolute3(*ends), name="hinge")
    run = simulate(model, 0.1, output=0.05)
    cut = run.free_body(disk, at=0.0)
    # omega x I omega = w^2 (I3 - I1) sin(0.3) cos(0.3) about x
    assert cut["hinge"].torque == pytest.approx([25.0 * 0.1 * math.sin(0.3) * math.cos(0.3), 0.0, 0.0], abs=1e-12)
    assert cut.closed


def test_a_spring_pulls_along_its_line_and_a_load_acts_at_its_point():
    model = Model("block")
    block = model.add(Body(mass=1.0, inertia=0.1), name="block")
    model.add(Translational(model.ground.at(), block.at()), name="guide")
    model.add(Spring(length(model.ground.at(-1.0, 1.0), block.at(0.0, 0.2)), 10.0, rest_length=0.5), name="spring")
    model.add(Load(block.at(0.1, 0.0), (3.0, -2.0)), name="push")
    cut = simulate(model, 0.01, output=0.01).free_body("block", at=0.0)
    stretch = math.hypot(1.0, 0.8) - 0.5
    assert cut["spring"].force == pytest.approx(10.0 * stretch * np.array([-1.0, 0.8]) / math.hypot(1.0, 0.8))
    assert cut["spring"].torque == 0.0
    assert cut["spring"].point == pytest.approx([0.0, 0.2])
    assert cut["push"].point == pytest.approx([0.1, 0.0])
    assert cut["push"].force == pytest.approx([3.0, -2.0])
    assert cut.closed


@pytest.mark.filterwarnings("ignore:Contact 'floor' starts with its bodies")
def test_a_contact_pushes_where_it_touches():
    """A ball that rubs on the floor: normal force and friction in one point, no torque about it."""
    model = Model("ball", gravity=(0.0, -G))
    ball = model.add(Body(mass=1.0, inertia=0.01, position=(0.3, 0.0999), velocity=(1.0, 0.0)), name="ball")
    touch = Contact(Face(model.ground.at()), Disk(ball.at(), 0.1), stiffness=1e6, friction=0.3, allow_penetration=True)
    model.add(touch, name="floor")
    cut = simulate(model, 1e-3, output=5e-4).free_body("ball", at=5e-4)
    floor = cut["floor"]
    assert floor.point[1] == pytest.approx(0.0, abs=2e-4)
    assert floor.point[0] == pytest.approx(0.3005, abs=1e-5)
    assert floor.force[0] == pytest.approx(-0.3 * floor.force[1], rel=1e-5)  # it slides much faster than it creeps
    assert floor.torque == 0.0
    assert cut.closed


def test_the_ground_is_held_by_its_foundation():
    """At rest the foundation carries all weights."""
    model = Model("shelf", gravity=(0.0, -G))
    board = model.add(Body(mass=4.0, inertia=0.2, center=(0.5, 0.0)), name="board")
    model.add(Revolute(model.ground.at(), board.at()), name="hinge")
    model.add(Spring(length(model.ground.at(0.0, 1.0), board.at(1.0, 0.0)), 500.0, rest_length=1.3), name="chain")
    rest = equilibrium(model)
    cut = rest.free_body(model.ground)
    assert cut["foundation"].force == pytest.approx([0.0, 4.0 * G], abs=1e-6)
    assert rest.free_body("board").residual < 1e-9
    assert cut.closed


def test_the_table_says_all(engine):
    cut = engine.free_body("rod", at=0.004)
    assert [line["name"] for line in cut.table()] == ["weight", "inertia", "B", "C", "sum"]
    text = repr(cut)
    assert "free body 'rod'" in text
    assert "in balance" in text
    assert "torque [N m]" in text


def test_a_spoiled_reaction_is_seen(engine):
    row = engine.system.rows_of(engine.model["B"])[0]
    kept = engine.loads.multipliers[5, row]
    engine.loads.multipliers[5, row] = kept + 1.0
    try:
        cut = engine.free_body("rod", at=float(engine.times[5]))
        assert not cut.closed
        assert "NOT IN BALANCE" in repr(cut)
    finally:
        engine.loads.multipliers[5, row] = kept


def test_the_peak_is_where_a_joint_carries_most(engine):
    worst = engine.peak("C")
    sizes = np.linalg.norm(engine["C"].force, axis=1)
    assert (worst.index, worst.value) == (int(np.argmax(sizes)), float(sizes.max()))
    assert {cut.body.name for cut in worst.free_bodies()} == {"rod", "piston"}
    assert engine.peak("motor").unit == "N m"
    assert engine.peak("piston.ax").value == pytest.approx(engine["piston.ax"][engine.peak("piston.ax").index])
    assert engine.peak("gas").value == pytest.approx(engine["gas"].force.min())  # the largest by size, sign and all


def test_what_cannot_be_cut_free(engine):
    with pytest.raises(ModelError, match="must be a body of"):
        engine.free_body("B", at=0.0)
    with pytest.raises(ModelError, match="has 41 output times: pass at="):
        engine.free_body("rod")
    with pytest.raises(ModelError, match="outside the result"):
        engine.free_body("rod", at=9.0)
    with pytest.raises(ModelError, match="has no load 'X'; its loads are: .*'weight'"):
        engine.free_body("rod", at=0.0)["X"]
    with pytest.raises(ModelError, match="inverse_dynamics"):
        kinematics(engine.model, [0.0, 0.001]).free_body("rod", at=0.0)
    with pytest.raises(ModelError, match="cannot be read at t = 2"):
        engine.at(0.001).free_body("rod", at=2.0)
    with pytest.raises(ModelError, match="no element or column called 'nothing.x'"):
        engine.peak("nothing.x")


def test_a_ball_that_bounces() -> None:
    """Between two impacts it falls: weight and inertia close, and the impact has a place."""
    from cardan.case import load_case

    run = load_case("bouncing-ball", {}).compute(progress=False)
    ball = run.model.bodies[0]
    cut = run.free_body(ball, at=float(run.times[1]))
    assert cut.closed and cut["weight"].force[1] == pytest.approx(ball.matter.mass * run.model.gravity[1])
