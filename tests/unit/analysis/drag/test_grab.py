"""A hand on a mechanism: it comes as near as joints allow, they stay closed, lock-ups are named with their place."""

from __future__ import annotations

import math

import numpy as np
import pytest

from cardan import ModelError, kinematics
from cardan.analysis.drag.grab import Grab
from cardan.examples import load
from cardan.planar import Body, Contact, Disk, Face, Model, Revolute, Stop, Translational

CLOSED = 1e-9  # m: what a page is promised


def four_bar(crank: float, coupler: float, rocker: float, ground: float) -> Model:
    """A four-bar with the crank along x; the coupler's end by the law of cosines."""
    model = Model("four-bar")
    far = ground - crank
    lean = math.acos((coupler**2 + far**2 - rocker**2) / (2.0 * coupler * far))
    B = np.array([crank + coupler * math.cos(lean), coupler * math.sin(lean)])
    arm = model.add(Body(mass=1.0, inertia=0.1), name="crank")
    link = model.add(Body(mass=1.0, inertia=0.1, position=(crank, 0.0), angle=lean), name="coupler")
    back = B - (ground, 0.0)
    other = model.add(
        Body(mass=1.0, inertia=0.1, position=(ground, 0.0), angle=math.atan2(back[1], back[0])), name="rocker"
    )
    model.add(Revolute(model.ground.at(0.0, 0.0), arm.at(0.0, 0.0)), name="O")
    model.add(Revolute(arm.at(crank, 0.0), link.at(0.0, 0.0)), name="A")
    model.add(Revolute(link.at(coupler, 0.0), other.at(rocker, 0.0)), name="B")
    model.add(Revolute(model.ground.at(ground, 0.0), other.at(0.0, 0.0)), name="C")
    return model


def test_point_goes_to_the_nearest_place_of_its_path() -> None:
    model = four_bar(0.3, 1.0, 0.8, 1.1)
    hand = Grab(model)
    for turn in np.linspace(0.0, 2.0 * np.pi, 80):  # the crank of a Grashof four-bar turns fully
        held = hand.drag("crank", (0.3, 0.0), (0.5 * math.cos(turn), 0.5 * math.sin(turn)))
        assert not held.locked
        assert held.snapshot.violation < CLOSED
        assert held.distance == pytest.approx(0.2, abs=1e-4)  # from radius 0.5 to radius 0.3


def test_lock_is_told_with_its_angle() -> None:
    """A crank that cannot turn fully stops where coupler and rocker are in line: law of cosines."""
    crank, coupler, rocker, ground = 0.6, 0.5, 0.4, 0.9
    hand = Grab(four_bar(crank, coupler, rocker, ground))
    largest = math.acos((crank**2 + ground**2 - (coupler + rocker) ** 2) / (2.0 * crank * ground))
    held = None
    for turn in np.linspace(0.0, largest + 0.5, 60):
        held = hand.drag("crank", (crank, 0.0), (crank * math.cos(turn), crank * math.sin(turn)))
        assert held.snapshot.violation < CLOSED
        assert held.locked == (turn > largest + 0.05) or abs(turn - largest) <= 0.05
    assert held is not None
    assert held.locked
    assert "'crank' locks at O.angle" in held.text
    assert held.snapshot["crank"].angle == pytest.approx(largest, abs=2e-3)  # the last of the way is infinitely slow


def test_stretched_arm_locks_and_comes_back() -> None:
    model = Model("arm")
    upper = model.add(Body(mass=1.0, inertia=0.1), name="upper")
    lower = model.add(Body(mass=1.0, inertia=0.1, position=(1.0, 0.0), angle=1.0), name="lower")
    model.add(Revolute(model.ground.at(0.0, 0.0), upper.at(0.0, 0.0)), name="shoulder")
    model.add(Revolute(upper.at(1.0, 0.0), lower.at(0.0, 0.0)), name="elbow")
    hand = Grab(model)
    reached = hand.drag(lower, (1.0, 0.0), (0.6, 1.2))
    assert (reached.distance, reached.locked) == (pytest.approx(0.0, abs=1e-8), False)
    far = [hand.drag(lower, (1.0, 0.0), (0.0, 3.0)) for _ in range(3)][-1]
    assert far.locked
    assert far.at == pytest.approx([0.0, 2.0], abs=2e-3)
    assert hand.drag(lower, (1.0, 0.0), (0.3, 1.0)).distance < 1e-6


def test_bodies_of_space_follow() -> None:
    model = load("spatial-slider-crank").build()
    hand = Grab(model)
    run = kinematics(model, np.linspace(0.0, 0.2, 21))
    crank = run.system.bodies[0]
    tip = next(joint for joint in model if getattr(joint, "a", None) is not None and joint.a.body is crank)
    aim = run[tip.a].position[-1]
    for share in np.linspace(0.1, 1.0, 10):
        place = run[tip.a].position[int(20 * share)]
        held = hand.drag(crank, tip.a.place, place)
    assert held.distance < 1e-6
    assert held.at == pytest.approx(aim, abs=1e-6)
    assert held.snapshot.q[: run.q.shape[1]] == pytest.approx(run.q[-1], abs=1e-5)
    assert held.snapshot.violation < CLOSED


def test_pivot_moves_until_nothing_closes() -> None:
    model = four_bar(0.3, 1.0, 0.8, 1.1)
    hand = Grab(model)
    held = hand.move_pivot("C", (1.2, 0.1))
    assert (held.distance, held.locked) == (0.0, False)
    assert held.snapshot.violation < CLOSED
    far = hand.move_pivot("C", (3.0, 0.0))
    assert far.locked
    assert "does not close" in far.text
    assert far.at[0] < 2.1 + 1e-9  # the links reach 0.3 + 1.0 + 0.8
    assert far.snapshot.violation < CLOSED


def test_a_guide_through_a_pivot_stays() -> None:
    """The pivot of a slider-crank lies on its guide: it moves without it, so that the slider is offset."""
    model = load("slider-crank").build()
    hand = Grab(model)
    held = hand.move_pivot("A", (0.0, 0.1))
    assert (held.distance, held.locked) == (0.0, False)
    assert held.snapshot.violation < CLOSED
    crank, slider = held.snapshot["crank"], held.snapshot["slider"]
    assert slider.position[1] == pytest.approx(0.0, abs=CLOSED)
    A = crank.position - 0.1 * np.array([math.cos(crank.angle), math.sin(crank.angle)])
    assert A == pytest.approx([0.0, 0.1], abs=CLOSED)
    assert model["A"].a.place == (0.0, 0.0)  # the model stays as it was stated


def test_stops_hold_a_hand_back_and_let_it_go() -> None:
    model = Model("drawer")
    drawer = model.add(Body(mass=1.0, inertia=0.1), name="drawer")
    rail = model.add(Translational(model.ground.at(0.0, 0.0), drawer.at(0.0, 0.0)), name="rail")
    model.add(Stop(rail.travel, lower=-0.2, upper=0.5, stiffness=1e5), name="ends")
    hand = Grab(model)
    held = hand.drag(drawer, (0.0, 0.0), (0.9, 0.0))
    assert held.snapshot["drawer"].position[0] == pytest.approx(0.5, abs=CLOSED)
    assert held.locked
    assert "'ends' stops it at 0.5 m" in held.text
    back = hand.drag(drawer, (0.0, 0.0), (0.1, 0.0))
    assert (back.distance, back.text) == (pytest.approx(0.0, abs=1e-8), "")
    assert "at -0.2 m" in hand.drag(drawer, (0.0, 0.0), (-3.0, 0.0)).text


def test_a_ball_rests_on_the_floor_under_a_hand() -> None:
    model = Model("floor")
    ball = model.add(Body(mass=1.0, inertia=0.1, position=(0.0, 0.5)), name="ball")
    model.add(Contact(Face(model.ground.at(0.0, 0.0)), Disk(ball.at(0.0, 0.0), 0.2), stiffness=1e6), name="floor")
    hand = Grab(model)
    held = hand.drag(ball, (0.0, 0.0), (0.3, -0.4))  # 0.6 m into the floor
    assert held.snapshot["ball"].position == pytest.approx([0.3, 0.2], abs=1e-6)  # its radius above it
    assert "'floor' stops it" in held.text


def test_what_cannot_be_held_is_rejected() -> None:
    model = four_bar(0.3, 1.0, 0.8, 1.1)
    hand = Grab(model)
    with pytest.raises(ModelError, match="move_pivot"):
        hand.drag(model.ground, (0.0, 0.0), (1.0, 0.0))
    with pytest.raises(ModelError, match="is not attached to the ground"):
        hand.move_pivot("A", (1.0, 0.0))
    with pytest.raises(ModelError, match="target"):
        hand.drag("crank", (0.0, 0.0), (np.nan, 0.0))
