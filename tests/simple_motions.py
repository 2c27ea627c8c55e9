"""Small models whose motion is known: a fall, a bounce, a pendulum, a wheel on a coil."""

import math

import cardan.spatial as space
from cardan import Event
from cardan.planar import Body, Model, Revolute, y

G = 9.81


def falling(height=1.0, **state):
    """A ball above ground."""
    model = Model("fall", gravity=(0, -G))
    ball = model.add(Body(mass=1.0, inertia=1.0, position=(0, height), **state), name="ball")
    return model, ball


def swinging(angle=1.0):
    """A point mass on a rod of 1 m, from an angle beside the downward vertical."""
    model = Model("pendulum", gravity=(0, -G))
    bob = model.add(
        Body(mass=1.0, position=(math.sin(angle), -math.cos(angle)), angle=angle - 0.5 * math.pi), name="bob"
    )
    pin = model.add(Revolute(model.ground.at(), bob.at(-1, 0)), name="pin")
    return model, bob, pin


def bouncing(height=1.0, keeps=0.5):
    """A ball that keeps a part of its speed at each impact."""
    model, ball = falling(height)

    def bounce(snapshot):
        vx, vy = snapshot[ball].velocity
        return {ball: {"velocity": (vx, -keeps * vy)}}

    return model, ball, Event(y(ball.at()), 0.0, "falling", action=bounce, name="ground")


def spinning():
    """A wheel in space on a torsion spring, several turns, and a torque that grows."""
    model = space.Model("wheel")
    wheel = model.add(space.Body(mass=1.0, inertia=(1, 1, 2.0), angular_velocity=(0, 0, 30.0)), name="wheel")
    hinge = model.add(space.Revolute(model.ground.at(), wheel.at()), name="hinge")
    model.add(space.Spring(hinge.angle, 8.0, 0.1, rest_angle=0.0), name="coil")
    model.add(space.Torque(wheel.at(), (0, 0, lambda t: t)), name="torque")
    return model
