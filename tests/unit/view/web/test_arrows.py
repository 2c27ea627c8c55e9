"""Arrows of pages: forces and torques in global axes, at the points at which they act."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cardan import simulate
from cardan.planar import Body, Contact, Disk, Face, Load, Model
from cardan.spatial import Body as Solid, BookTire, Model as Space, Torque
from cardan.view.web.arrows import Drawn, drawn_forces
from cardan.view.web.shapes import make_scene


def drawn(run: Any, name: str, unit: str = "N") -> Drawn:
    found = drawn_forces(run, make_scene(run.at(0.0), run))
    (only,) = (each for each in found if each.element.name == name and each.unit == unit)
    return only


def test_a_thrust_turns_with_its_body() -> None:
    model = Model("rocket")
    rocket = model.add(Body(mass=10.0, inertia=3.0, angular_velocity=2.0), name="rocket")
    model.add(Load(rocket.at(-1.0, 0.0), (50.0, 20.0), frame="body"), name="thrust")
    run = simulate(model, 0.5, output=0.1)
    arrow, angle = drawn(run, "thrust"), run["rocket"].angle
    assert np.ptp(angle) > 0.2
    turned = np.stack(
        [np.cos(angle) * 50.0 - np.sin(angle) * 20.0, np.sin(angle) * 50.0 + np.cos(angle) * 20.0], axis=1
    )
    assert arrow.vectors == pytest.approx(turned, abs=1e-9)
    assert arrow.points == pytest.approx(run[rocket.at(-1.0, 0.0)].position, abs=1e-12)


@pytest.mark.filterwarnings("ignore:Contact 'floor' starts with its bodies")
def test_a_contact_pushes_at_the_floor() -> None:
    model = Model("ball", gravity=(0.0, -9.81))
    ball = model.add(Body(mass=1.0, inertia=0.01, position=(0.3, 0.0999), velocity=(1.0, 0.0)), name="ball")
    touch = Contact(Face(model.ground.at()), Disk(ball.at(), 0.1), stiffness=1e6, friction=0.3, allow_penetration=True)
    model.add(touch, name="floor")
    run = simulate(model, 2e-3, output=5e-4)
    arrow = drawn(run, "floor")
    assert arrow.points[:, 0] == pytest.approx(run["ball"].position[:, 0], abs=1e-12)
    assert arrow.points[:, 1] == pytest.approx(0.0, abs=2e-4)  # half of what they press into each other
    assert arrow.vectors[:, 1] == pytest.approx(run[touch.normal].value, rel=1e-12)
    assert (arrow.vectors[:, 0] < 0.0).all()  # it slides forward


def test_a_tire_carries_its_wheel_where_it_touches_the_road() -> None:
    model = Space("wheel", gravity=(0.0, 0.0, -9.81))
    wheel = model.add(Solid(mass=40.0, inertia=(1.0, 0.5, 1.0), position=(1.0, 2.0, 0.345)), name="wheel")
    tire = BookTire(model.ground.at(), wheel.at(z=(0, 1, 0)), radius=0.35, stiffness=2e5, cornering=5e4, friction=0.8)
    model.add(tire, name="tire")
    run = simulate(model, 0.02, output=0.005)
    arrow = drawn(run, "tire")
    assert arrow.vectors[:, 2] == pytest.approx(run[tire.device]["Fz"], rel=1e-12)
    assert arrow.points[:, :2] == pytest.approx(run["wheel"].position[:, :2], abs=1e-9)
    assert arrow.points[:, 2] == pytest.approx(0.0, abs=1e-9)  # the road


def test_a_torque_of_space_is_a_vector() -> None:
    model = Space("top")
    top = model.add(Solid(mass=1.0, inertia=(1.0, 1.0, 1.0)), name="top")
    model.add(Torque(top.at(), (0.0, 3.0, 4.0)), name="twist")
    run = simulate(model, 0.1, output=0.05)
    assert drawn(run, "twist", "N m").vectors == pytest.approx(np.tile([0.0, 3.0, 4.0], (len(run), 1)), abs=1e-12)
