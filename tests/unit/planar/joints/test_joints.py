"""What each joint holds and offers: a page of facts beside the pages of joints."""

import math

import pytest

from cardan import assemble
from cardan.planar import (
    Body,
    CamFlat,
    CamPair,
    CamRoller,
    Circle,
    Curve,
    Distance,
    Fixed,
    Gear,
    Model,
    PinInSlot,
    PointFollower,
    RackPinion,
    Revolute,
    RevoluteRevolute,
    RevoluteTranslational,
    Translational,
    angle,
    component,
    length,
)


@pytest.fixture
def pair():
    model = Model("bench")
    a, b = model.add(Body(), name="a"), model.add(Body(position=(1.0, 0.0)), name="b")
    return model, a, b


def _labels(joint):
    return [equation.label for equation in joint.equations()]


def test_equations(pair):
    """How many degrees of freedom of the three each joint takes, and by what name."""
    _, a, b = pair
    p, q = a.at(), b.at()
    assert _labels(Revolute(p, q)) == ["x", "y"]
    assert _labels(Translational(p, q)) == ["across", "angle"]
    assert _labels(Fixed(p, q)) == ["x", "y", "angle"]
    assert _labels(Distance(p, q, 1.0)) == ["length"]
    assert _labels(RevoluteTranslational(p, q)) == ["across"]
    assert _labels(Gear(p, q, 1.0, 2.0)) == ["rolling"]
    assert _labels(RackPinion(p, q, 1.0)) == ["touching", "rolling"]
    assert _labels(CamRoller(a.profile(Circle(1.0)), q, 0.1)) == ["along", "gap"]
    assert _labels(CamFlat(a.profile(Circle(1.0)), q)) == ["gap", "tangent"]
    assert _labels(PointFollower(a.profile(Circle(1.0)), q)) == ["x", "y"]
    assert _labels(CamPair(a.profile(Circle(1.0)), b.profile(Circle(1.0)))) == ["x", "y", "tangent"]


def test_coordinates_offered(pair):
    _, a, b = pair
    p, q = a.at(), b.at()
    assert Revolute(p, q).angle == angle(p, q)
    assert Translational(p, q).travel == component(p, q, "x")
    assert Distance(p, q, 1.0).distance == length(p, q)
    assert RevoluteTranslational(p, q).travel == component(p, q, "x")
    assert RevoluteTranslational(p, q).angle == angle(p, q)
    assert PinInSlot is RevoluteTranslational and RevoluteRevolute is Distance


def test_each_cam_has_its_own_contact(pair):
    """Two rollers on one cam touch it at two places."""
    _, a, b = pair
    cam = a.profile(Circle(1.0))
    one, two = CamRoller(cam, b.at(), 0.1), CamRoller(cam, b.at(), 0.1)
    assert one.contact != two.contact and len(one.contact_coordinates()) == 1
    assert len(CamPair(cam, b.profile(Circle(1.0))).contact_coordinates()) == 2


@pytest.mark.parametrize(("body_angle", "turns"), [(0.3, 0), (6.0, 1), (-3.0, 0), (13.0, 2)])
def test_weld_takes_the_nearest_turn(body_angle, turns):
    model = Model("weld")
    part = model.add(Body(angle=body_angle), name="part")
    model.add(Fixed(model.ground.at(), part.at()), name="weld")
    assert assemble(model)[part].angle == pytest.approx(2.0 * math.pi * turns, abs=1e-10)


@pytest.mark.parametrize(("body_angle", "expected"), [(0.4, 0.0), (2.8, math.pi), (-2.8, -math.pi), (6.0, 2 * math.pi)])
def test_guide_may_point_either_way(body_angle, expected):
    model = Model("guide")
    block = model.add(Body(angle=body_angle), name="block")
    model.add(Translational(model.ground.at(), block.at()), name="guide")
    assert assemble(model)[block].angle == pytest.approx(expected, abs=1e-9)


def egg(u):
    return 2.0 * math.cos(u), math.sin(u)


def _pose(places):
    return lambda body: places[id(body)]


def test_roller_starts_at_the_nearest_place(pair):
    """Seen from (0, 5) in the frame of an ellipse turned by 90 degrees, the nearest point is its vertex u = 0."""
    _, a, b = pair
    roller = CamRoller(a.profile(Curve(egg, (0.0, 2.0 * math.pi)), angle=math.pi / 2), b.at(), 0.1)
    start = roller.contact_start(_pose({id(a): (0.0, 0.0, 0.0), id(b): (0.0, 5.0, 0.0)}))
    assert math.remainder(start[0], 2.0 * math.pi) == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize(("height", "place"), [(5.0, math.pi / 2), (-5.0, 3.0 * math.pi / 2)])
def test_flat_face_starts_on_its_side(pair, height, place):
    """A face above the cam touches its top, one below its bottom."""
    _, a, b = pair
    flat = CamFlat(a.profile(Curve(egg, (0.0, 2.0 * math.pi))), b.at())
    start = flat.contact_start(_pose({id(a): (0.0, 0.0, 0.0), id(b): (0.0, height, 0.0)}))
    assert start[0] == pytest.approx(place, abs=1e-8)


def test_pair_starts_where_outlines_face_each_other(pair):
    """Circles side by side: the right of one against the left of the other."""
    _, a, b = pair
    cams = CamPair(a.profile(Circle(1.0)), b.profile(Circle(0.5)))
    start = cams.contact_start(_pose({id(a): (0.0, 0.0, 0.0), id(b): (1.7, 0.0, 0.0)}))
    assert math.remainder(start[0], 2.0 * math.pi) == pytest.approx(0.0, abs=0.01)
    assert math.remainder(start[1] - math.pi, 2.0 * math.pi) == pytest.approx(0.0, abs=0.01)


def test_gear_reference_angles_say_which_teeth_meet():
    """External, a fixed: teeth at theta_a and theta_b meet when they face each other on the line of centers."""
    model = Model("gears")
    a, b = model.add(Body(), name="a"), model.add(Body(position=(3.0, 0.0), angle=0.2), name="b")
    model.add(Fixed(model.ground.at(), a.at()), name="weld")
    model.add(Revolute(model.ground.at(3.0, 0.0), b.at()), name="pivot")
    model.add(Gear(a.at(), b.at(), radius_a=2.0, radius_b=1.0, angle_a=0.0, angle_b=math.pi - 0.15), name="mesh")
    # tooth theta_a = 0 of a points at b, so tooth theta_b of b must point back: phi_b + theta_b = pi
    assert assemble(model)[b].angle == pytest.approx(0.15, abs=1e-10)
