"""Reactions: on either body, in any axes, about any point; forces in tables, with units."""

import math

import numpy as np
import pytest

from cardan import inverse_dynamics
from cardan.planar import (
    Body,
    Driver,
    Load,
    Model,
    Ramp,
    Revolute,
    Spring,
    Torque,
    Translational,
    length,
)
from cardan.spatial import (
    Body as Body3,
    Driver as Driver3,
    Hold,
    Load as Load3,
    Model as Model3,
    Revolute as Revolute3,
    Spherical,
    Torque as Torque3,
    rotation,
    rotation_component,
)

G = 9.81
TIMES = np.linspace(0.0, 1.0, 11)
NEAR = 1e-9  # forces of order 10 from equations closed to 1e-11


@pytest.fixture(scope="module")
def run():
    """A double pendulum; the second arm hangs on the first by a hinge whose marker on the first is turned by 0.7."""
    model = Model("double pendulum", gravity=(0, -G))
    upper = model.add(Body(mass=1.0, inertia=0.1, center=(0.2, 0.0)), name="upper")
    lower = model.add(Body(mass=2.0, inertia=0.2, center=(0.3, 0.0), position=(0.4, 0.0)), name="lower")
    shoulder = model.add(Revolute(model.ground.at(), upper.at()), name="shoulder")
    elbow = model.add(Revolute(upper.at(0.4, 0.0, 0.7), lower.at(0.0, 0.0, 0.7)), name="elbow")
    model.add(Driver(shoulder.angle, Ramp(2.0)), name="first")
    model.add(Driver(elbow.angle, Ramp(3.0)), name="second")
    return inverse_dynamics(model, TIMES)


def carried():
    """What the elbow does to the lower arm, in global axes."""
    u, v = 2.0 * TIMES, 5.0 * TIMES
    ax = -0.4 * 4.0 * np.cos(u) - 0.3 * 25.0 * np.cos(v)
    ay = -0.4 * 4.0 * np.sin(u) - 0.3 * 25.0 * np.sin(v)
    return 2.0 * np.stack([ax, ay + G], axis=1)


def turned(vectors, angle):
    """Components in axes turned by `angle`."""
    c, s = np.cos(angle), np.sin(angle)
    return np.stack([c * vectors[:, 0] + s * vectors[:, 1], c * vectors[:, 1] - s * vectors[:, 0]], axis=1)


def test_usual_reaction_is_on_b_in_the_axes_of_a(run):
    expected = turned(carried(), 2.0 * TIMES + 0.7)
    assert run["elbow"].force == pytest.approx(expected, abs=NEAR)
    assert run["elbow"].in_frame("joint").force == pytest.approx(expected, abs=NEAR)
    assert run["elbow"].torque == pytest.approx(np.zeros(11), abs=NEAR)
    assert run["elbow"].first().force == pytest.approx(expected[0], abs=NEAR)


def test_frames(run):
    model, force = run.model, carried()
    assert run["elbow"].in_frame("global").force == pytest.approx(force, abs=NEAR)
    assert run["elbow"].in_frame(model["lower"]).force == pytest.approx(turned(force, 5.0 * TIMES), abs=NEAR)
    assert run["elbow"].in_frame(model["upper"]).force == pytest.approx(turned(force, 2.0 * TIMES), abs=NEAR)
    assert run["elbow"].in_frame(model.ground).force == pytest.approx(force, abs=NEAR)
    marker = model["lower"].at(1.0, 2.0, -0.3)
    assert run["elbow"].in_frame(marker).force == pytest.approx(turned(force, 5.0 * TIMES - 0.3), abs=NEAR)


def test_on_the_other_body(run):
    other = run["elbow"].on(run.model["upper"])
    assert other.in_frame("global").force == pytest.approx(-carried(), abs=NEAR)
    assert other.force == pytest.approx(-run["elbow"].force, abs=NEAR)  # the axes stay those of the joint
    assert other.torque == pytest.approx(np.zeros(11), abs=NEAR)
    assert run["elbow"].on("upper").force == pytest.approx(other.force)  # by its name


def test_about_another_point(run):
    """On the upper arm at its origin, 0.4 from the elbow: torque 0.4 times the force across."""
    upper = run.model["upper"]
    across = turned(-carried(), 2.0 * TIMES)[:, 1]
    assert run["elbow"].on(upper).at(upper.at()).torque == pytest.approx(0.4 * across, abs=NEAR)
    lower = run.model["lower"]
    across = turned(carried(), 5.0 * TIMES)[:, 1]
    assert run["elbow"].at(lower.at(0.3, 0.0)).torque == pytest.approx(-0.3 * across, abs=NEAR)
    assert run["elbow"].at(lower.at(0.3, 0.0)).in_frame("global").force == pytest.approx(carried(), abs=NEAR)


def test_order_of_questions_does_not_matter(run):
    upper = run.model["upper"]
    one = run["elbow"].on(upper).at(upper.at(0.1, 0.1)).in_frame(upper)
    two = run["elbow"].on(upper).in_frame(upper).at(upper.at(0.1, 0.1))
    assert one.torque == pytest.approx(two.torque) and one.force == pytest.approx(two.force)


def test_on_ground(run):
    """The ground carries the opposite of what the shoulder does to the upper arm."""
    assert run["shoulder"].on(run.model.ground).force == pytest.approx(-run["shoulder"].force, abs=NEAR)


def test_driver_between_two_bodies(run):
    """The second motor turns the lower arm and, backward, the upper one; the first carries both."""
    u, v, force = 2.0 * TIMES, 5.0 * TIMES, carried()
    second = 0.3 * turned(force, v)[:, 1]  # J alpha = 0 = torque - 0.3 times the force across
    assert run["second"].force == pytest.approx(second, abs=NEAR)
    assert run["second"].on(run.model["lower"]).torque == pytest.approx(second, abs=NEAR)
    assert run["second"].on(run.model["upper"]).torque == pytest.approx(-second, abs=NEAR)
    first = second + 0.4 * turned(force, u)[:, 1] + 0.2 * G * np.cos(u)
    assert run["first"].force == pytest.approx(first, abs=NEAR)
    assert run["first"].power == pytest.approx(2.0 * first, abs=NEAR)
    assert run["second"].power == pytest.approx(3.0 * second, abs=NEAR)
    assert run["elbow"].power == pytest.approx(np.zeros(11), abs=NEAR)


def test_frames_and_points_in_space():
    """A ball under a turning arm carries a force; in space the torque turns with the axes, too."""
    model = Model3("swing")
    arm = model.add(Body3(), name="arm")
    hinge = model.add(Revolute3(model.ground.at(x=(0, 1, 0), z=(0, 0, 1)), arm.at(x=(0, 1, 0), z=(0, 0, 1))), name="O")
    model.add(Driver3(hinge.angle, Ramp(2.0)), name="motor")
    model.add(Load3(arm.at(0.5, 0.0, 0.0), (1.0, 2.0, 3.0)), name="push")
    run = inverse_dynamics(model, TIMES)
    A = run[arm].matrix
    force = np.tile((-1.0, -2.0, -3.0), (11, 1))
    torque = np.cross(A @ (0.5, 0.0, 0.0), force) * (1, 1, 0)
    found = run[hinge].in_frame("global")
    assert found.force == pytest.approx(force, abs=NEAR) and found.torque == pytest.approx(torque, abs=NEAR)
    axes = rotation.matrix(np.array(rotation.from_axes(x=(0, 1, 0), z=(0, 0, 1))))
    assert run[hinge].torque == pytest.approx(torque @ axes, abs=NEAR)
    assert run[hinge].force == pytest.approx(force @ axes, abs=NEAR)
    in_arm = run[hinge].in_frame(arm)
    assert in_arm.torque == pytest.approx(np.einsum("nij,ni->nj", A, torque), abs=NEAR)
    point = arm.at(0.2, 0.3, -0.1)
    moved = torque + np.cross(-(A @ (0.2, 0.3, -0.1)), force)
    assert run[hinge].at(point).in_frame("global").torque == pytest.approx(moved, abs=NEAR)
    on_ground = run[hinge].on(model.ground).in_frame("global")
    assert on_ground.force == pytest.approx(-force, abs=NEAR)
    assert on_ground.torque == pytest.approx(-torque, abs=NEAR)


def test_ball_carries_no_torque():
    model = Model3("pendulum", gravity=(0, 0, -G))
    bob = model.add(Body3(mass=2.0, inertia=(0.1, 0.1, 0.1)), name="bob")
    ball = model.add(Spherical(model.ground.at(0, 0, 1), bob.at(0, 0, 1)), name="ball")
    for k, axis in enumerate("xyz"):
        model.add(Hold(rotation_component(model.ground.at(), bob.at(), axis)), name=f"upright {k}")
    run = inverse_dynamics(model, [0.0])
    assert run[ball].force[0] == pytest.approx((0, 0, 2.0 * G), abs=NEAR)
    assert run[ball].torque[0] == pytest.approx((0, 0, 0), abs=NEAR)


def machine():
    model = Model("machine", gravity=(0, -G))
    arm = model.add(Body(mass=1.0, inertia=0.1, center=(0.2, 0.0)), name="arm")
    sled = model.add(Body(mass=1.0, inertia=0.1), name="sled")
    hinge = model.add(Revolute(model.ground.at(), arm.at()), name="hinge")
    rail = model.add(Translational(model.ground.at(), sled.at()), name="rail")
    model.add(Driver(hinge.angle, Ramp(2.0)), name="motor")
    model.add(Driver(rail.travel, Ramp(2.0, 1.0)), name="piston")
    model.add(Spring(length(model.ground.at(0, 1), sled.at()), 10.0, rest_length=0.1), name="spring")
    model.add(Spring(hinge.angle, 10.0, rest_angle=0.1), name="torsion")
    model.add(Load(sled.at(), (1.0, 2.0)), name="load")
    model.add(Torque(arm.at(), 1.0), name="couple")
    return inverse_dynamics(model, TIMES)


def test_table_and_units():
    run = machine()
    table, told = run.table(), run.columns.units()
    assert table["hinge.fx"] == pytest.approx(run["hinge"].force[:, 0])
    assert table["rail.torque"] == pytest.approx(run["rail"].torque)
    assert table["motor.force"] == pytest.approx(run["motor"].force)
    assert table["piston.power"] == pytest.approx(run["piston"].power)
    assert table["spring.force"] == pytest.approx(run["spring"].force)
    assert table["load.fy"] == pytest.approx(np.full(11, 2.0))
    expected = {
        "hinge.fx": "N",
        "hinge.fy": "N",
        "hinge.torque": "N m",
        "motor.force": "N m",
        "motor.power": "W",
        "piston.force": "N",
        "piston.power": "W",
        "spring.force": "N",
        "torsion.force": "N m",
        "load.fx": "N",
    }
    assert {name: told[name] for name in expected} == expected
    assert told.keys() == table.keys()


def test_units_of_torques():
    run = machine()
    units = run.columns.units()
    assert [unit for name, unit in units.items() if name.startswith("couple.") and unit != "W"] == ["N m"]
    model = Model3("arm")
    arm = model.add(Body3(), name="arm")
    hinge = model.add(Revolute3(model.ground.at(), arm.at()), name="hinge")
    model.add(Driver3(hinge.angle, Ramp(2.0)), name="motor")
    model.add(Torque3(arm.at(), (1.0, 2.0, 3.0)), name="couple")
    run = inverse_dynamics(model, TIMES)
    units = run.columns.units()
    found = {name: unit for name, unit in units.items() if name.startswith(("couple.", "hinge.t", "hinge.f"))}
    joint = {f"hinge.f{axis}": "N" for axis in "xyz"} | {f"hinge.t{axis}": "N m" for axis in "xyz"}
    assert joint.items() <= found.items()
    assert {unit for name, unit in found.items() if name.startswith("couple.") and unit != "W"} == {"N m"}


def test_saved_table(tmp_path):
    run = machine()
    run.save(tmp_path / "run.csv")
    header, first = (tmp_path / "run.csv").read_text().splitlines()[:2]
    values = dict(zip(header.split(","), map(float, first.split(",")), strict=True))
    assert values["spring.force"] == pytest.approx(10.0 * (math.sqrt(2.0) - 0.1))
    assert values["motor.force"] == pytest.approx(0.2 * G + 10.0 * -0.1 - 1.0)
