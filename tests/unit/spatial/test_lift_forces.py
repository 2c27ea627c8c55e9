"""Forces, contacts and controllers of the plane, lifted into space: they move it as in the plane."""

from __future__ import annotations

import numpy as np
import pytest

from cardan import ModelError, SimulationError, planar, simulate
from cardan.planar import (
    PID,
    Actuator,
    Body,
    Cable,
    Contact,
    Disk,
    Drag,
    Face,
    Friction,
    Impact,
    Model,
    Revolute,
    Rim,
    Sampled,
    Spring,
    Stop,
    Translational,
    rate,
    reaction,
    x,
    y,
)
from cardan.spatial import lift

UPRIGHT = {"origin": (1.0, 2.0, 3.0), "x": (0.0, 1.0, 0.0), "z": (1.0, 0.0, 0.0)}  # the plane's y points up
G = 9.81


def balls():
    """Two balls that meet each other and an inclined floor, with friction."""
    model = Model("balls", gravity=(0.0, -G))
    first = model.add(Body(mass=1.0, inertia=0.004, position=(0.0, 0.2), velocity=(1.0, 0.0)), name="first")
    second = model.add(Body(mass=2.0, inertia=0.01, position=(0.3, 0.25)), name="second")
    floor = Face(model.ground.at(0.0, 0.0, angle=0.1))
    ends = (
        (floor, Disk(first.at(), 0.1)),
        (floor, Disk(second.at(), 0.12)),
        (Disk(first.at(), 0.1), Disk(second.at(), 0.12)),
    )
    for k, (a, b) in enumerate(ends):
        model.add(Contact(a, b, stiffness=1e5, damping=0.2, friction=0.3), name=f"contact {k}")
    return model


def cart():
    """A cart with a sampled controller, an integral one, dry friction in its guide and a stop."""
    model = Model("cart", gravity=(0.0, -G))
    block = model.add(Body(mass=2.0, inertia=1.0, velocity=(1.0, 0.0)), name="block")
    rail = model.add(Translational(model.ground.at(), block.at()), name="rail")
    model.add(Friction(rail, 0.05, sticks=True), name="dry")
    model.add(Stop(rail.travel, upper=0.3, stiffness=2e3, damping=10.0), name="stop")
    pid = model.add(PID(rail.travel, 0.1, kp=20.0, ki=5.0), name="pid")

    def law(speed):
        return -3.0 * speed

    computer = model.add(Sampled(law, [rate(rail.travel)], period=0.01), name="computer")
    model.add(Actuator(rail.travel, 1.0 * pid), name="push")
    model.add(Actuator(rail.travel, computer), name="brake")
    return model


def sling():
    """A pendulum on a cable, in air, with friction in the pin of a second one."""
    model = Model("sling", gravity=(0.0, -G))
    bob = model.add(Body(mass=1.0, inertia=0.1, position=(0.8, -0.61)), name="bob")
    model.add(Cable([model.ground.at(), bob.at()], EA=1e4, rest_length=1.0), name="cable")
    model.add(Drag(bob.at(), area=0.5, wind=(3.0, 0.0)), name="air")
    arm = model.add(
        Body(mass=1.0, inertia=0.1, position=(0.2, 0.0), angular_velocity=2.0, velocity=(0.0, 0.4)), name="arm"
    )
    pin = model.add(Revolute(model.ground.at(), arm.at(-0.2, 0.0)), name="pin")
    model.add(Friction(pin, 0.3, radius=0.02), name="rubs")
    return model


def drop():
    """A ball that bounces, slides and comes to rest by friction of the closed impact."""
    model = Model("drop", gravity=(0.0, -G))
    ball = model.add(Body(mass=1.0, inertia=1.0, position=(0.0, 0.1), velocity=(1.0, 0.0)), name="ball")
    floor = model.add(Impact(y(ball.at()), 0.3, rest_speed=0.05), name="floor")
    model.add(Friction(x(ball.at()), 0.2, normal=floor.push), name="rubs")
    return model


@pytest.mark.parametrize("build", [balls, cart, sling, drop])
def test_moves_as_in_the_plane(build):
    """Both runs have rtol 1e-9; what impacts and friction switch costs some digits."""
    model = build()
    flat, run = (
        simulate(model, 0.6, output=0.02, rtol=1e-9),
        simulate(lift(model, **UPRIGHT), 0.6, output=0.02, rtol=1e-9),
    )
    for body in model.bodies:
        here, there = flat[body].position, run[body.name].position
        assert there[:, 1:] - (2.0, 3.0) == pytest.approx(here, abs=1e-6)
        assert np.ptp(here, axis=0).max() > 0.02
    assert np.abs(run.energy.drift) < 1e-6


def test_blocks_keep_their_outputs():
    model = cart()
    flat, run = simulate(model, 0.2, output=0.05), simulate(lift(model), 0.2, output=0.05)
    for name in ("pid", "computer"):
        assert run[run.model[name]].value == pytest.approx(flat[model[name]].value, abs=1e-5)


def test_what_begins_inside_is_rejected_in_space_too():
    model = Model("buffer")
    car = model.add(Body(mass=1.0, inertia=1.0, position=(0.5, 0.0)), name="car")
    rail = model.add(Translational(model.ground.at(), car.at()), name="rail")
    model.add(Stop(rail.travel, upper=0.2, stiffness=100.0), name="buffer")
    with pytest.raises(SimulationError, match="Stop 'buffer' starts 0.3 m beyond its upper end"):
        simulate(lift(model), 0.1)


def test_what_has_no_counterpart_is_named():
    model = Model("cam")
    wheel = model.add(Body(mass=1.0, inertia=1.0, position=(0.0, 1.0)), name="wheel")
    rim = Rim(wheel.profile(planar.Circle(0.1)))
    model.add(Contact(Face(model.ground.at()), rim, 1e5), name="touch")
    with pytest.raises(ModelError, match="Contact 'touch' cannot be lifted: a Rim has no counterpart in space"):
        lift(model)
    model = Model("pin")
    arm = model.add(Body(mass=1.0, inertia=1.0), name="arm")
    pin = model.add(Revolute(model.ground.at(), arm.at()), name="pin")
    model.add(Spring(pin.angle, 1.0, rest_angle=0.0), name="spring")
    model.add(Actuator(pin.angle, reaction(pin, "x")), name="odd")
    with pytest.raises(ModelError, match="the reaction 'x' of Revolute 'pin': in space it is not the same equation"):
        lift(model)
