"""Mechanisms of space that cannot close, move or go on: who, how much, which way, when; against closed forms."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from bad_input import one_sentence
from cardan import AssemblyError, CardanError, LockUp, ModelError, assemble, kinematics, mobility
from cardan.spatial import (
    Body,
    Distance,
    Driver,
    Fixed,
    Hold,
    Model,
    Orientation,
    PointInPlane,
    Ramp,
    Revolute,
    RevoluteCylindrical,
    Spherical,
    Translational,
    Universal,
    angle,
    dot,
    length,
    rotation,
    rotation_component,
    tilt,
    z,
)

TIMES = np.linspace(0.0, 1.0, 11)
GAP = re.compile(r"'([^']*)' by ([-\d.e]+) (mm|m|rad) (along|about) \(([^)]*)\)")


def gaps(model: Model) -> dict[str, np.ndarray]:
    """What the error of an assembly says: for each open joint the gap as a vector, in m or rad."""
    with pytest.raises(AssemblyError) as caught:
        assemble(model)
    one_sentence(str(caught.value))
    found = {}
    for name, size, unit, kind, direction in GAP.findall(str(caught.value)):
        assert (unit == "rad") == (kind == "about")
        found[name] = float(size) * (1e-3 if unit == "mm" else 1.0) * np.array([float(c) for c in direction.split(",")])
    assert tuple(found) == caught.value.elements and caught.value.partial is not None
    return found


def close(gap, expected):
    """Sizes are told in four digits, directions in three."""
    return np.allclose(gap, expected, atol=2e-3 * np.linalg.norm(expected))


# Positions: gaps along a direction. Least squares share a gap equally among the joints that could take it.
def test_two_welds_apart():
    model = Model("welds")
    arm = model.add(Body(), name="arm")
    model.add(Fixed(model.ground.at(), arm.at()), name="left")
    model.add(Fixed(model.ground.at(0.03, 0.04, 0.0), arm.at()), name="right")
    found = gaps(model)
    assert close(found["left"], (0.015, 0.02, 0.0)) and close(found["right"], (-0.015, -0.02, 0.0))


def test_rod_too_short():
    """From (0, 2, 0) to a block on the x axis: the nearest point of the guide is 2 away, the rod is 1.5 long."""
    model = Model("rod")
    block = model.add(Body(position=(1.0, 0.0, 0.0)), name="block")
    model.add(Translational(model.ground.at(z=(1, 0, 0)), block.at(z=(1, 0, 0))), name="guide")
    model.add(Distance(model.ground.at(0.0, 2.0, 0.0), block.at(), 1.5), name="rod")
    found = gaps(model)
    assert close(found["guide"], (0.0, 0.25, 0.0)) and close(found["rod"], (0.0, -0.25, 0.0))


def test_two_arms_too_short():
    """Balls at both ends and in the middle, 2.3 to bridge with 1 + 1: a third of the gap for each."""
    model = Model("arms")
    left = model.add(Body(), name="left arm")
    right = model.add(Body(position=(2.3, 0.0, 0.0)), name="right arm")
    model.add(Spherical(model.ground.at(), left.at()), name="A")
    model.add(Spherical(model.ground.at(2.3, 0.0, 0.0), right.at()), name="B")
    model.add(Spherical(left.at(1.0, 0.0, 0.0), right.at(-1.0, 0.0, 0.0)), name="C")
    found = gaps(model)
    assert close(found["A"], (0.1, 0.0, 0.0)) and close(found["B"], (-0.1, 0.0, 0.0))
    assert close(found["C"], (0.1, 0.0, 0.0))


def test_two_planes_apart():
    model = Model("planes")
    plate = model.add(Body(), name="plate")
    normal = np.array([0.6, 0.0, 0.8])
    model.add(PointInPlane(model.ground.at(z=normal), plate.at()), name="below")
    model.add(PointInPlane(model.ground.at(0.004 * normal, z=normal), plate.at()), name="above")
    found = gaps(model)
    assert close(found["below"], 0.002 * normal) and close(found["above"], -0.002 * normal)


@pytest.mark.parametrize("axis", [(1.0, 0.0, 0.0), (0.0, -0.6, 0.8)])
def test_two_orientations_apart(axis):
    """0.2 rad about an axis: a tenth each, about this axis and back."""
    model = Model("turned")
    arm = model.add(Body(), name="arm")
    model.add(Fixed(model.ground.at(), arm.at()), name="weld")
    turned = model.ground.at(orientation=rotation.from_axis_angle(axis, 0.2))
    model.add(Orientation(turned, arm.at()), name="guide")
    found = gaps(model)
    assert close(found["weld"], 0.1 * np.array(axis)) and close(found["guide"], -0.1 * np.array(axis))


def test_hold_against_a_hinge():
    model = Model("held")
    arm = model.add(Body(), name="arm")
    model.add(Revolute(model.ground.at(), arm.at()), name="hinge")
    model.add(Hold(z(arm.at()), 0.5), name="culprit")
    found = gaps(model)
    assert close(found["hinge"], (0.0, 0.0, 0.25)) and close(found["culprit"], (0.0, 0.0, -0.25))


# Drivers
def fan() -> tuple[Model, Body, Revolute]:
    model = Model("fan")
    rotor = model.add(Body(), name="rotor")
    return model, rotor, model.add(Revolute(model.ground.at(), rotor.at()), name="hinge")


def said(model: Model, kind: type[CardanError], *words: str) -> CardanError:
    with pytest.raises(kind) as caught:
        kinematics(model, TIMES)
    one_sentence(str(caught.value))
    missing = [word for word in words if word not in str(caught.value)]
    assert not missing, f"{missing} not in: {caught.value}"
    return caught.value


def test_missing_driver():
    model, *_ = fan()
    said(model, ModelError, "fan", "1 more driver", "turn about z'", "rotor")


def test_body_that_nobody_holds():
    model, _, hinge = fan()
    model.add(Driver(hinge.angle, Ramp(1.0)), name="motor")
    model.add(Body(), name="loose")
    said(model, ModelError, "no joint or driver", "'loose'")


@pytest.mark.parametrize("culprit", [lambda h: Driver(h.angle, Ramp(2.0)), lambda h: Hold(h.angle, 0.3)])
def test_contradiction_on_one_measure(culprit):
    model, _, hinge = fan()
    model.add(Driver(hinge.angle, Ramp(1.0)), name="motor")
    model.add(culprit(hinge), name="culprit")
    error = said(model, ModelError, "'motor'", "'culprit'", "contradict")
    assert error.elements == ("motor", "culprit")


def test_contradiction_on_two_measures():
    """The angle the other way round, driven by -2 rad/s instead of -1."""
    model, rotor, hinge = fan()
    model.add(Driver(hinge.angle, Ramp(1.0)), name="motor")
    model.add(Driver(angle(rotor.at(), model.ground.at()), Ramp(-2.0)), name="culprit")
    said(model, ModelError, "'culprit'", "contradicts", "1 rad/s")


def test_driver_of_what_a_joint_holds():
    model, rotor, hinge = fan()
    model.add(Driver(hinge.angle, Ramp(1.0)), name="motor")
    model.add(Driver(z(rotor.at()), Ramp(1.0)), name="culprit")
    said(model, ModelError, "'culprit'", "contradicts", "1 m/s")


def test_redundant_driver_is_set_aside():
    model, rotor, hinge = fan()
    model.add(Driver(hinge.angle, Ramp(1.0)), name="motor")
    model.add(Driver(angle(rotor.at(), model.ground.at()), Ramp(-1.0)), name="twin")
    assert "set aside as redundant: 'twin'" in repr(kinematics(model, TIMES))


def test_distance_driven_through_zero():
    model = Model("winch")
    load = model.add(Body(position=(1.0, 0.0, 0.0)), name="load")
    model.add(Translational(model.ground.at(z=(1, 0, 0)), load.at(z=(1, 0, 0))), name="guide")
    model.add(Driver(length(model.ground.at(), load.at()), Ramp(-2.0, start=1.0)), name="culprit")
    assert said(model, ModelError, "'culprit'", "distance", "0.5 s").time == pytest.approx(0.5)


@pytest.mark.parametrize("ask", [lambda a, b: tilt(a, b), lambda a, b: rotation_component(a, b, "z")])
def test_driver_beyond_what_its_measure_can_be(ask):
    """A tilt ends at a quarter turn, a rotation component at half a turn; 4 rad are asked for at the start."""
    model = Model("lamp")
    lamp = model.add(Body(), name="lamp")
    model.add(Spherical(model.ground.at(), lamp.at()), name="ball")
    model.add(Driver(ask(model.ground.at(), lamp.at()), Ramp(1.0, start=4.0)), name="culprit")
    with pytest.raises(AssemblyError, match="'culprit' is off by .* rad") as caught:
        assemble(model)
    one_sentence(str(caught.value))


def test_times_that_are_none():
    model, _, hinge = fan()
    model.add(Driver(hinge.angle, Ramp(1.0)), name="motor")
    for times, word in (([0.0, math.nan], "nan"), ([0.0, 1.0, 0.5], "0.5"), ([], "at least one time")):
        with pytest.raises(ModelError, match=word):
            kinematics(model, times)


# Lock-ups
def slider_crank(rod: float, start: float) -> Model:
    """Haug's spatial slider-crank (section 10.2): a crank of 0.08 about x through (0, 0.1, 0.12), a slider on x."""
    model = Model("slider-crank")
    ground = model.ground
    crank = model.add(Body(position=(0.0, 0.1, 0.12), orientation=(0.71, 0.0, 0.0)), name="crank")
    link = model.add(Body(position=(0.1, 0.05, 0.1), orientation=(-0.21, 0.40, -0.1)), name="link")
    slider = model.add(Body(position=(0.2, 0.0, 0.0)), name="slider")
    hinge = Revolute(
        ground.marker((0, 0.1, 0.12), (1, 0.1, 0.12), (0, 0.1, 1)), crank.marker((0, 0, 0), (1, 0, 0), (0, 0, 1))
    )
    model.add(hinge, name="hinge")
    model.add(Spherical(crank.at(0, 0.08, 0), link.at(-rod / 2, 0, 0)), name="ball")
    fork = link.marker((rod / 2, 0, 0), (rod / 2, 1, 0), (1 + rod / 2, 0, 0))
    model.add(RevoluteCylindrical(fork, slider.marker((0, 0, 0), (1, 0, 0), (0, 1, 0))), name="sleeve")
    model.add(Translational(ground.at(z=(1, 0, 0)), slider.at(z=(1, 0, 0))), name="guide")
    model.add(Distance(link.at(rod / 2, 0, 0), slider.at(1, 0, 0), 1.0), name="stay")
    model.add(Driver(hinge.angle, Ramp(2.0 * math.pi, start=start)), name="motor")
    return model


def crank_angle_of_reach(rod: float) -> float:
    """The crank pin is at (0.1 + 0.08 c, 0.12 + 0.08 s) from the slider's line, and the rod reaches it no more where
    that is its length: 0.0308 + 0.016 c + 0.0192 s = rod^2, on the rising side."""
    size = math.hypot(0.016, 0.0192)
    return math.atan2(0.0192, 0.016) - math.acos((rod * rod - 0.0308) / size)


def test_slider_crank_with_a_short_rod():
    """0.2 m, below the 0.2362 m of the book: it runs from half a turn to the angle at which the rod is straight."""
    expected = (crank_angle_of_reach(0.2) + math.pi) / (2.0 * math.pi)
    with pytest.raises(LockUp) as caught:
        kinematics(slider_crank(0.2, math.pi), np.linspace(0.0, 1.0, 101))
    lock = caught.value
    one_sentence(str(lock))
    assert lock.time == pytest.approx(expected, abs=1e-9)
    assert {"ball", "motor"} <= set(lock.elements) and "'motor'" in str(lock) and "locks up" in str(lock)
    assert len(lock.partial) == math.ceil(100 * expected)


def test_slider_crank_that_cannot_reach_its_start():
    with pytest.raises(AssemblyError, match="'motor' is off by .* rad") as caught:
        kinematics(slider_crank(0.2, 0.5 * math.pi), TIMES)
    one_sentence(str(caught.value))
    assert caught.value.elements == ("motor",)


def test_axes_that_become_parallel():
    """cos = 0.2 + 0.5 t is 1 at t = 1.6: there the driver has no lever."""
    model = Model("lamp")
    lamp = model.add(Body(), name="lamp")
    model.add(Revolute(model.ground.at(), lamp.at()), name="hinge")
    model.add(Driver(dot(model.ground.at(), lamp.at(), "x", "x"), Ramp(0.5, start=0.2)), name="culprit")
    with pytest.raises(LockUp, match="'culprit'") as caught:
        kinematics(model, np.linspace(0.0, 3.0, 31))
    assert caught.value.time == pytest.approx(1.6, abs=1e-9)


def cross(arm_in, arm_out) -> Model:
    """Shafts along z and x with a universal joint between them, driven at the first."""
    model = Model("cross")
    first, second = model.add(Body(), name="in"), model.add(Body(), name="out")
    bearing = model.add(Revolute(model.ground.at(), first.at()), name="in bearing")
    model.add(Revolute.between(model.ground, second, at=(0, 0, 0), z=(1, 0, 0)), name="out bearing")
    model.add(Universal(first.at(z=arm_in), second.at(z=arm_out)), name="joint")
    model.add(Driver(bearing.angle, Ramp(1.0)), name="motor")
    return model


def test_universal_joint_between_square_shafts():
    """The out shaft stands still until the arm of the in shaft lies along it, a quarter turn on; then it is free."""
    with pytest.raises(LockUp, match="bifurcates.*'out'") as caught:
        kinematics(cross((0, 1, 0), (0, 0, 1)), np.linspace(0.0, 3.0, 31))
    one_sentence(str(caught.value))
    assert caught.value.time == pytest.approx(0.5 * math.pi, abs=3e-9)


def test_universal_joint_that_starts_square():
    """The arm of the in shaft along the out shaft: the in shaft cannot turn, the out shaft is free."""
    with pytest.raises(CardanError, match="'out'") as caught:
        kinematics(cross((1, 0, 0), (0, 1, 0)), np.linspace(0.0, 3.0, 31))
    one_sentence(str(caught.value))


def test_universal_joint_stated_with_parallel_arms():
    """The worst estimate, where the gradient of z_a . z_b vanishes: it assembles all the same."""
    model = Model("cross")
    arm = model.add(Body(), name="arm")
    model.add(Universal(model.ground.at(), arm.at()), name="joint")
    start = assemble(model)
    assert abs(start[dot(model.ground.at(), arm.at(), "z", "z")].value) < 1e-9
    assert mobility(model).degrees_of_freedom == 2
