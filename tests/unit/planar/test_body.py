"""Bodies, markers and outlines."""

import math

import numpy as np
import pytest

from cardan import assemble
from cardan.model.surfaces.contact_coordinate import ContactCoordinate, ContactMarker
from cardan.planar import Body, Circle, Curve, Fixed, Model, y


def test_marker_toward_a_second_point():
    """Haug's points P and Q: the x axis of a marker at P looks at Q."""
    marker = Body().at(1.0, 2.0, toward=(1.0, 5.0))
    assert (marker.x, marker.y, marker.angle) == (1.0, 2.0, pytest.approx(math.pi / 2))
    assert Body().at(0, 0, toward=(-1, 0)).angle == pytest.approx(math.pi)


def test_marker_defaults():
    body = Body()
    assert body.at() == body.at(0.0, 0.0, 0.0)
    assert body.at(3.0, 4.0).arm == 5.0


def test_markers_of_two_bodies_differ():
    """Bodies are told apart by who they are, not by what they weigh."""
    one, two = Body(mass=1.0), Body(mass=1.0)
    assert one != two and one.at(1.0, 0.0) != two.at(1.0, 0.0) and one.at(1.0, 0.0) == one.at(1.0, 0.0)


def test_point_of_a_turned_body():
    """r^P = r + A s' (Haug 2.4.8): at 90 degrees (0.5, 0.2) becomes (-0.2, 0.5)."""
    model = Model("post")
    post = model.add(Body(position=(1.0, 1.0), angle=1.4), name="post")
    model.add(Fixed(model.ground.at(1.0, 2.0, math.pi / 2), post.at()), name="weld")
    found = assemble(model)
    assert found[post.at(0.5, 0.2)].position == pytest.approx((0.8, 2.5), abs=1e-11)
    assert found[y(post.at(0.5, 0.2))].value == pytest.approx(2.5, abs=1e-11)


@pytest.mark.parametrize(
    ("outline", "count"),
    [(None, 0), ([], 0), ([(0, 0), (1, 0)], 1), ([[(0, 0), (1, 0)], [(0, 1), (1, 1)]], 2), (np.zeros((5, 2)), 1)],
)
def test_outlines(outline, count):
    body = Model("drawn").add(Body(outline=outline))
    assert len(body.outlines()) == count


def test_profile_is_stated_in_its_own_frame():
    outline = Body().profile(Circle(0.5), 1.0, 2.0, 0.3)
    assert (outline.x, outline.y, outline.angle) == (1.0, 2.0, 0.3)


def test_arm_of_a_running_marker_covers_the_outline():
    """sqrt(3^2 + 4^2) to the frame plus 2 to the farthest point of the ellipse around it."""
    curve = Curve(lambda u: (2.0 * math.cos(u), math.sin(u)), (0.0, 2.0 * math.pi))
    assert ContactMarker(ContactCoordinate(Body().profile(curve, 3.0, 4.0), "contact")).arm == pytest.approx(
        7.0, abs=1e-12
    )


@pytest.mark.parametrize("angle, warned", [(60.0, True), (-90, True), (6.0, False), (4.0 * math.pi, False)])
def test_an_angle_in_degrees(angle, warned, recwarn):
    Model("degrees").add(Body(angle=angle), name="part")
    found = [str(warning.message) for warning in recwarn]
    assert (
        found
        == [
            f"the angle of Body 'part' is {angle:g} rad, more than a full turn; angles are in radians: "
            f"math.radians({angle:g}) converts degrees, in a model file {angle:g} deg"
        ]
        * warned
    )
