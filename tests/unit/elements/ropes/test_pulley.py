"""Ropes around pulleys with radii: lengths by geometry, forces on axles, machines."""

import math

import numpy as np
import pytest

import cardan.planar as plane
import cardan.spatial as space
from cardan import ModelError, inverse_dynamics, simulate

G, R = 9.81, 0.1


def atwood(words, light=1.0, heavy=2.0, k=1e5):
    """Two masses on vertical strands over a fixed pulley, each with the stretch that it will have."""
    flat = words is plane
    down = (0.0, -G) if flat else (0.0, -G, 0.0)
    model = words.Model("atwood", gravity=down)
    pull = 2.0 * light * heavy * G / (light + heavy)
    bodies = []
    for name, side, mass in (("light", -1.0, light), ("heavy", 1.0, heavy)):
        place = (side * R, -1.0 - 0.5 * pull / k)
        body = words.Body(mass, 1.0 if flat else (1.0, 1.0, 1.0), position=place if flat else (*place, 0.0))
        bodies.append(model.add(body, name=name))
    path = [bodies[0].at(), words.Pulley(model.ground.at(), R, clockwise=True), bodies[1].at()]
    rope = words.Rope(path, stiffness=k, rest_length=2.0 + math.pi * R)
    return model, bodies, model.add(rope, name="rope"), pull


@pytest.mark.parametrize("words", [plane, space])
def test_machine_of_atwood(words):
    """a = g (m2 - m1) / (m1 + m2), T = 2 m1 m2 g / (m1 + m2); half a turn of rope lies on the pulley."""
    model, (_, heavy), rope, pull = atwood(words)
    run = simulate(model, 0.4, output=0.05, rtol=1e-9)
    assert run[heavy].position[:, 1] - run[heavy].position[0, 1] == pytest.approx(-G / 6.0 * run.times**2, abs=1e-7)
    assert run[heavy].position[:, 0] == pytest.approx(R, abs=1e-7)
    assert run[rope.device]["tension"] == pytest.approx(pull, rel=1e-4)  # positions known to 1e-9 m times k
    assert run[rope.device]["length"] == pytest.approx(2.0 + math.pi * R + pull / 1e5, abs=1e-8)
    assert run.energy.drift < 1e-6


def test_length_around_two_pulleys():
    """From (-1, 0) over a pulley and back under another to (2, 0.4): tangents and arcs from their points of contact."""
    centers, radii, ends = [(0.0, 0.0), (1.0, 0.1)], [0.2, 0.15], [(-1.0, 0.1), (2.0, 0.4)]
    model = plane.Model("path")
    body = model.add(plane.Body(1.0, 1.0, position=ends[1]), name="body")
    slide = model.add(plane.Translational(model.ground.at(*ends[1]), body.at()), name="slide")
    model.add(plane.Driver(slide.travel, plane.Harmonic(0.2, 3.0)), name="motor")
    wheels = [plane.Pulley(model.ground.at(*centers[0]), radii[0], clockwise=True)]
    wheels.append(plane.Pulley(model.ground.at(*centers[1]), radii[1]))
    rope = plane.Rope([model.ground.at(*ends[0]), *wheels, body.at()], stiffness=1000.0, rest_length=1.0)
    rope = model.add(rope, name="rope")
    run = inverse_dynamics(model, np.linspace(0.0, 1.0, 11))
    found, force = run[rope.device]["length"], run["motor"].force
    for k, place in enumerate(run[body].position):
        length, lean = _by_tangents(ends[0], centers, [-radii[0], radii[1]], place)
        assert found[k] == pytest.approx(length, rel=1e-12)
        pull = 1000.0 * (length - 1.0) * lean[0]  # along the last tangent
        assert force[k] - run[body].acceleration[k, 0] == pytest.approx(pull, rel=1e-9)


def _by_tangents(start, centers, sigma, end):
    """The length by directions of tangents, and the direction of the last one."""
    stops = [np.array(p) for p in (start, *centers, end)]
    signed, length, before, direction = [0.0, *sigma, 0.0], 0.0, None, None
    for i in range(len(stops) - 1):
        d = stops[i + 1] - stops[i]
        distance, step = np.hypot(*d), signed[i + 1] - signed[i]
        delta = math.atan2(d[1], d[0]) - math.asin(step / distance)
        length += math.sqrt(distance**2 - step**2)
        if before is not None:
            length += abs(signed[i]) * abs(delta - before)
        before, direction = delta, (math.cos(delta), math.sin(delta))
    return length, direction


def test_pulley_carries_both_strands():
    """The axle of Atwood's pulley carries 2 T, whatever turns: here on a body that is held."""
    model = plane.Model("axle", gravity=(0.0, -G))
    block = model.add(plane.Body(0.0, 0.0), name="block")
    held = model.add(plane.Fixed(model.ground.at(), block.at()), name="held")
    body = model.add(plane.Body(3.0, 1.0, position=(R, -1.0)), name="body")
    path = [model.ground.at(-R, -0.5), plane.Pulley(block.at(), R, clockwise=True), body.at()]
    model.add(plane.Rope(path, EA=1e5, rest_length=1.5 + math.pi * R - 1e-3), name="rope")
    model.add(plane.Fixed(model.ground.at(R, -1.0), body.at()), name="stand")
    run = inverse_dynamics(model, [0.0])
    T = 1e5 / (1.5 + math.pi * R - 1e-3) * 1e-3
    assert run[held].in_frame("global").force[0] == pytest.approx([0.0, 2.0 * T], abs=1e-9)


def test_rejected():
    model = plane.Model("m")
    body = model.add(plane.Body(1.0, 1.0, position=(1.0, 0.0)), name="body")
    wheel = plane.Pulley(model.ground.at(), 0.1)
    with pytest.raises(ModelError, match="the radius of a Pulley must be positive"):
        plane.Pulley(body.at(), 0.0)
    with pytest.raises(ModelError, match="a Rope needs two ends with pulleys between them"):
        plane.Rope([body.at(), wheel], rest_length=1.0)
    with pytest.raises(ModelError, match="stop 3 of a Rope must be a Marker.*the ends of a rope are points"):
        plane.Rope([body.at(), wheel, wheel], rest_length=1.0)
    with pytest.raises(ModelError, match="Rope 'r' needs its stiffness or EA"):
        model.add(plane.Rope([model.ground.at(-1, 0), wheel, body.at()], rest_length=1.0), name="r")
