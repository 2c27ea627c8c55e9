"""A user's own equation on velocities: its arguments, its row, and what is rejected."""

import math

import numpy as np
import pytest

from cardan import ModelError, assemble, mobility
from cardan.planar import (
    Body,
    Coupler,
    Driver,
    Hold,
    KnifeEdge,
    Model,
    Ramp,
    Spring,
    angle,
    constraint,
    velocity_along,
    velocity_constraint,
    x,
    y,
)
from cardan.system.compile import compile
from cardan.system.evaluate import evaluate
from still import instant, jacobian


@velocity_constraint
def skate(px_rate, py_rate, heading):
    """A blade."""
    return py_rate * math.cos(heading) - px_rate * math.sin(heading)


@velocity_constraint
def winding(px_rate, t, px, py_rate, gain=2.0):
    return gain * px_rate * (1.0 + px * px) - py_rate * t - math.sin(3.0 * t)


@velocity_constraint
def drag(px_rate):
    return px_rate * px_rate - 1.0


@velocity_constraint
def switched(px_rate):
    return px_rate if px_rate > 0.0 else 2.0 * px_rate


@velocity_constraint(derivatives="differences")
def by_differences(px_rate, py_rate):
    return px_rate - 3.0 * py_rate


@pytest.fixture
def puck():
    model = Model("puck")
    return model, model.add(Body(position=(0.3, 0.2), angle=0.4), name="puck")


def rows(model, v, time=0.0):
    system = compile(model, time=time)
    work = system.work()
    speeds = np.array([0.0, 0.0, 0.0, *v])
    assert evaluate(system.geometry, system.rows, system.start, speeds, time, system.reference, work) == 0
    return work, jacobian(system, work)


def test_arguments_by_name_and_in_order(puck):
    _, body = puck
    assert skate.measures == ["px", "py", "heading"] and skate.__doc__ == "A blade."
    one = winding(x(body.at()), y(body.at()))
    two = winding(py=y(body.at()), px=x(body.at()), gain=4)
    assert one.measures == two.measures and dict(two.parameters) == {"gain": 4.0}
    (equation,) = one.equations()
    assert equation.velocity and equation.timed and equation.arguments == ((0, 1), (0, 2), (0, 0), (1, 1))
    assert "velocity constraint 'winding'" in repr(winding)


def test_own_blade_is_a_knife_edge(puck):
    model, body = puck
    tip = body.at(0.5, 0.1, 0.3)
    model.add(skate(x(tip), y(tip), angle(model.ground.at(), tip)), name="own")
    model.add(KnifeEdge(tip), name="blade")
    work, J = rows(model, (0.7, -0.4, 1.9))
    assert J[0] == pytest.approx(J[1], abs=1e-15)
    for one, two in (work.rate, work.gamma, work.nu, work.phi):
        assert one == pytest.approx(two, abs=1e-14)
    report = mobility(model)
    assert report.redundant == (("blade", "across"),) and report.degrees_of_freedom == 2 and report.separating == ()


def test_time_value_and_rate_of_one_measure(puck):
    """2 x' (1 + x^2) - y' t = sin 3t: J = (2 (1 + x^2), -t), and J a = 3 cos 3t + y' - 4 x x'^2."""
    model, body = puck
    model.add(winding(x(body.at()), y(body.at())), name="own")
    t, vx, vy = 0.6, 0.7, -0.4
    work, J = rows(model, (vx, vy, 1.9), t)
    assert J[0] == pytest.approx([2.0 * 1.09, -t, 0.0], abs=1e-14)
    assert work.nu[0] == pytest.approx(math.sin(3.0 * t), abs=1e-14)
    assert work.rate[0] == pytest.approx(2.18 * vx - vy * t, abs=1e-14)
    assert work.gamma[0] == pytest.approx(3.0 * math.cos(3.0 * t) + vy - 4.0 * 0.3 * vx * vx, abs=1e-13)
    assert work.phi[0] == 0.0


def test_assembly_leaves_it_alone(puck):
    """The stated position stands, and the snapshot, whose velocities nobody knows, violates nothing."""
    model, body = puck
    own = model.add(winding(x(body.at()), y(body.at())), name="own")
    there = assemble(model, time=0.6)
    assert there[body].position == pytest.approx([0.3, 0.2], abs=0.0)
    assert there[own].violation == 0.0 and there.violation == 0.0


@velocity_constraint
def winch(along_rate, t, speed=2.0):
    return along_rate - speed - t


def test_force_and_power():
    """A sleigh drawn along its blade, from speed 2 with acceleration 1: F = m (1 - l w^2), l from the blade to the mass
    center; it puts in F times the speed, and the blade nothing."""
    model = Model("sleigh")
    body = model.add(Body(2.0, 0.3, velocity=(2.0, 0.4 * 1.3), angular_velocity=1.3), name="sleigh")
    blade = model.add(KnifeEdge(body.at(-0.4, 0.0)), name="blade")
    rope = model.add(winch(velocity_along(model.ground.at(), body.at(-0.4, 0.0), "x")), name="rope")
    run = instant(model)
    force = 2.0 * (1.0 - 0.4 * 1.3**2)
    assert run[rope].force[0] == pytest.approx([force, 0.0], abs=1e-12)
    assert run[rope].power[0] == pytest.approx(2.0 * force, abs=1e-12)
    assert run[blade].power[0] == pytest.approx(0.0, abs=1e-12)


def test_by_differences(puck):
    """First derivatives by differences of values: good to 1e-8."""
    model, body = puck
    model.add(by_differences(x(body.at()), y(body.at())), name="own")
    work, J = rows(model, (0.7, -0.4, 1.9))
    assert J[0] == pytest.approx([1.0, -3.0, 0.0], abs=1e-8)
    assert work.rate[0] == pytest.approx(1.9, abs=1e-7)


@pytest.mark.parametrize("function", [drag, switched])
def test_what_is_not_linear_is_rejected(puck, function):
    model, body = puck
    with pytest.raises(ModelError, match="velocity constraint 'own' is not linear in the rates") as caught:
        model.add(function(x(body.at())), name="own")
    assert "Action" in str(caught.value)


def test_no_rate_is_rejected():
    with pytest.raises(ModelError, match="'still' takes no rate; name an argument px_rate, or use @constraint"):

        @velocity_constraint
        def still(px):
            return px


@pytest.mark.parametrize(
    "use",
    [
        lambda z: Hold(z, 0.0),
        lambda z: Driver(z, Ramp(1.0)),
        lambda z: Coupler(z + z.parts()[0][1].__class__("coordinate", None, z.b, "x"), 0.0),
        lambda z: Spring(z, 100.0),
        lambda z: constraint(lambda place: place)(z),
        lambda z: velocity_constraint(lambda place, place_rate: place + place_rate)(z),
    ],
)
def test_velocities_alone_have_no_value(puck, use):
    model, body = puck
    with pytest.raises(ModelError, match="needs a value, but velocity_along.* has only a rate"):
        model.add(use(velocity_along(model.ground.at(), body.at(), "x")), name="culprit")


def test_time_comes_before_parameters():
    with pytest.raises(ModelError, match="must take the time t before its parameters"):

        @constraint
        def late(px, c=1.0, t=0.0):
            return px - c * t
