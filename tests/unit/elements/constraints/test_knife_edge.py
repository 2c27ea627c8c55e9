"""Blades: their row in closed form, and the sleigh of Chaplygin at an instant."""

import math

import numpy as np
import pytest

import cardan.spatial as space
from cardan import ModelError, mobility
from cardan.planar import Body, Driver, KnifeEdge, Model, Ramp, Revolute
from cardan.spatial import rotation
from cardan.system.compile import compile
from cardan.system.evaluate import evaluate
from still import instant, jacobian

PHI, OMEGA, SPEED = 0.7, 1.3, 2.0  # heading, its rate, speed of the blade
AHEAD = 0.4  # from the blade to the mass center
ALONG, ASIDE = np.array([math.cos(PHI), math.sin(PHI)]), np.array([-math.sin(PHI), math.cos(PHI)])


def sleigh():
    """A sleigh whose frame stands in its mass center, with a blade behind it that moves along itself."""
    model = Model("sleigh")
    velocity = SPEED * ALONG + OMEGA * AHEAD * ASIDE
    body = model.add(Body(2.0, 0.3, angle=PHI, velocity=tuple(velocity), angular_velocity=OMEGA), name="sleigh")
    return model, body, model.add(KnifeEdge(body.at(-AHEAD, 0.0)), name="blade")


def test_row_in_closed_form():
    """-x' sin phi + y' cos phi - l phi' = 0; once more, J a = phi' (x' cos phi + y' sin phi)."""
    model, _, _ = sleigh()
    system = compile(model)
    work = system.work()
    v = np.array([0.0, 0.0, 0.0, 0.3, -0.8, OMEGA])
    assert evaluate(system.geometry, system.rows, system.start, v, 0.0, system.reference, work) == 0
    assert jacobian(system, work)[0] == pytest.approx([*ASIDE, -AHEAD], abs=1e-15)
    assert work.rate[0] == pytest.approx(ASIDE @ v[3:5] - AHEAD * OMEGA, abs=1e-15)
    assert work.gamma[0] == pytest.approx(OMEGA * (ALONG @ v[3:5]), abs=1e-15)
    assert work.phi[0] == work.nu[0] == 0.0


def test_sleigh_of_chaplygin():
    """u' = l w^2 and w' = -m l u w / (I + m l^2), u the speed of the blade (Chaplygin 1911). The blade holds the sleigh
    at its own point and across: F = m a . e, with a of the mass center = u w + l w' across."""
    model, body, blade = sleigh()
    run = instant(model)
    turning = -2.0 * AHEAD * SPEED * OMEGA / (0.3 + 2.0 * AHEAD**2)
    across = SPEED * OMEGA + AHEAD * turning
    along = AHEAD * OMEGA**2 - AHEAD * OMEGA**2  # u' - l w^2: nothing pushes the mass center along
    assert run[body].angular_acceleration[0] == pytest.approx(turning, rel=1e-12)
    assert run[body].acceleration[0] == pytest.approx(along * ALONG + across * ASIDE, abs=1e-12)
    assert run[blade].force[0] == pytest.approx(2.0 * across * ASIDE, abs=1e-12)
    assert run[blade].torque[0] == pytest.approx(0.0, abs=1e-12)
    assert run[blade].violation[0] < 1e-15


@pytest.mark.parametrize("axis", ["x", "y"])
def test_blade_on_a_table_that_turns(axis):
    """Seen from the table, what stands still in the world moves backwards: -w x d."""
    model = Model("table")
    table = model.add(Body(angle=0.2, angular_velocity=1.5), name="table")
    body = model.add(Body(position=(0.6, 0.8), angle=PHI), name="skate")
    model.add(KnifeEdge(table.at(0.3, 0.0), body.at(), axis=axis), name="blade")
    system = compile(model)
    work = system.work()
    evaluate(system.geometry, system.rows, system.start, system.stated_speeds(), 0.0, system.reference, work)
    seen = -1.5 * np.array([-0.8, 0.6])
    assert work.rate[0] == pytest.approx(seen @ (ALONG if axis == "x" else ASIDE), abs=1e-14)


def test_mobility_of_a_sleigh():
    model, _, _ = sleigh()
    report = mobility(model)
    assert (report.coordinates, report.equations, report.velocity_equations) == (3, 1, 1)
    assert (report.degrees_of_freedom, report.position_degrees_of_freedom) == (2, 3)
    assert "1 joint equation is a velocity constraint: positions have 3 degrees of freedom, velocities 2." in repr(
        report
    )


def test_blade_in_space():
    """A body that turns about its blade's own axes: only its velocity along z of the marker is held."""
    model = space.Model("blade")
    p = rotation.from_rotation_vector((0.3, -0.4, 0.5))
    body = model.add(space.Body(orientation=p, velocity=(0.1, 0.2, 0.3), angular_velocity_b=(1.0, 2.0, 3.0)), name="b")
    model.add(space.KnifeEdge(body.at(0.0, 0.5, 0.0, z=(1, 0, 0)), axis="z"), name="blade")
    system = compile(model)
    work = system.work()
    evaluate(system.geometry, system.rows, system.start, system.stated_speeds(), 0.0, system.reference, work)
    x = rotation.matrix(p)[:, 0]
    assert work.rate[0] == pytest.approx(x @ (0.1, 0.2, 0.3) - 0.5 * 3.0, abs=1e-14)  # x' . (w' x s') = -w_z' s_y'
    assert mobility(model).degrees_of_freedom == 5


def test_driver_and_blade_contradict_each_other():
    """A blade across a hinge's arm blocks it: the driver is redundant, and asks for another velocity."""
    model = Model("blocked")
    arm = model.add(Body(), name="arm")
    hinge = model.add(Revolute(model.ground.at(), arm.at()), name="hinge")
    model.add(Driver(hinge.angle, Ramp(2.0)), name="motor")
    model.add(KnifeEdge(arm.at(0.5, 0.0)), name="blade")
    report = mobility(model)
    assert report.redundant == () and report.redundant_drivers == (("motor", "angle"),)
    ((name, _, gap),) = report.separating
    assert name == "motor" and gap == pytest.approx(2.0) and "blade" in report.implied_by["motor", "angle"]


def test_rejected():
    model = Model("m")
    body = model.add(Body(), name="body")
    with pytest.raises(ModelError, match="marker a of a KnifeEdge"):
        KnifeEdge(body)
    with pytest.raises(ModelError, match="marker a of a KnifeEdge"):
        KnifeEdge(3.0, body.at())
    with pytest.raises(ModelError, match="axis of KnifeEdge 'blade'"):
        model.add(KnifeEdge(body.at(), axis="z"), name="blade")
    with pytest.raises(ModelError, match="joins body 'body' to itself"):
        model.add(KnifeEdge(body.at(), body.at(1.0, 0.0)), name="blade")
