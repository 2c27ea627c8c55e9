"""Surfaces of the plane: gaps in closed form, ends of open rims, and what is rejected."""

import math

import numpy as np
import pytest

from cardan.errors import ModelError
from cardan.model.force import Law
from cardan.model.surfaces.surface_pair import meet
from cardan.planar import Body, Circle, Curve, CurveThrough, Disk, Face, Hold, Model, Polar, Rim
from cardan.system.compile import compile
from cardan.system.evaluate import evaluate
from folding import folded

TURN = 2.0 * math.pi


def _ellipse(u):
    return 2.0 * math.cos(u), math.sin(u)


def _gap(pair, model):
    """The gap as stated, and the columns of b's displacement: the normal."""
    system = compile(model, watched=[Law(pair.gap.parts())])
    work = system.work()
    assert evaluate(system.geometry, system.rows, system.start, system.speeds(), 0.0, system.reference, work) == 0
    return float(work.z[0, 0]), work.jac[0, 3:5].copy()


def _model(position=(0.0, 0.0), angle=0.0):
    model = Model("touch")
    return model, model.ground, model.add(Body(mass=1.0, inertia=1.0, position=position, angle=angle), name="b")


def test_disk_on_a_slope():
    model, ground, b = _model((1.0, 3.0))
    found, normal = _gap(meet(Face(ground.at(0, 0, math.pi / 4)), Disk(b.at(), 0.5), "it"), model)
    assert found == pytest.approx(2.0 / math.sqrt(2.0) - 0.5, abs=1e-15)
    assert normal == pytest.approx([-math.sqrt(0.5), math.sqrt(0.5)], abs=1e-15)


@pytest.mark.parametrize("swapped", [False, True])
def test_disk_inside_a_ring(swapped):
    model, ground, b = _model((0.3, 0.4))
    ends = Disk(ground.at(), 1.0, hollow=True), Disk(b.at(), 0.2)
    pair = meet(*(ends[::-1] if swapped else ends), "it")
    found, normal = _gap(pair, model)
    assert found == pytest.approx(1.0 - 0.5 - 0.2, abs=1e-15)
    assert normal == pytest.approx([-0.6, -0.8], abs=1e-15)  # toward the middle


@pytest.mark.parametrize("u", [0.0, 0.4, 1.5, 3.0, 5.9])
@pytest.mark.parametrize("away", [0.5, 1e-9, -0.1])
def test_disk_beside_an_ellipse(u, away):
    """A center at s(u) + (r + away) n has that gap, as long as no other point is nearer: -0.1 < -1/2, the least radius
    of curvature. Newton leaves 1e-14 of the span."""
    x, y = _ellipse(u)
    n = np.array([math.cos(u), 2.0 * math.sin(u)])
    n /= np.linalg.norm(n)
    model, ground, b = _model(tuple(np.array([x, y]) + (0.3 + away) * n))
    pair = meet(Rim(ground.profile(Curve(_ellipse, (0.0, TURN)))), Disk(b.at(), 0.3), "it")
    found, normal = _gap(pair, model)
    assert found == pytest.approx(away, abs=1e-14)
    assert normal == pytest.approx(n, abs=1e-13)


def test_face_over_an_ellipse():
    """The support function of an ellipse is sqrt((2 cos)^2 + sin^2) of the direction."""
    for turned in np.linspace(0.0, 6.0, 13):
        model, ground, b = _model((0.5, 4.0), turned)
        pair = meet(Face(ground.at(0.0, 1.0)), Rim(b.profile(Curve(_ellipse, (0.0, TURN)))), "it")
        reach = math.hypot(2.0 * math.sin(turned), math.cos(turned))
        assert _gap(pair, model)[0] == pytest.approx(3.0 - reach, abs=1e-14)


@pytest.mark.parametrize("distance", [3.5, 3.0, 2.8])
def test_rims(distance):
    """Two ellipses side by side, turned by a right angle: 2 + 1 apart where they touch."""
    model, ground, b = _model((distance, 0.0), math.pi / 2)
    oval = Curve(_ellipse, (0.0, TURN))
    found, normal = _gap(meet(Rim(ground.profile(oval)), Rim(b.profile(oval)), "it"), model)
    assert found == pytest.approx(distance - 3.0, abs=1e-14)
    assert normal == pytest.approx([1.0, 0.0], abs=1e-13)


def test_rim_against_circle_is_rim_against_disk():
    random = np.random.default_rng(1)
    oval = Curve(_ellipse, (0.0, TURN))
    for _ in range(20):
        direction = random.uniform(0.0, TURN)
        place = random.uniform(1.0, 4.0) * np.array([math.cos(direction), math.sin(direction)])
        model, ground, b = _model(tuple(place), random.uniform(-3.0, 3.0))
        rim = Rim(ground.profile(oval, 0.1, 0.2, 0.3))
        one, two = (_gap(meet(rim, end, "it"), model) for end in (Disk(b.at(), 0.3), Rim(b.profile(Circle(0.3)))))
        assert one[0] == pytest.approx(two[0], abs=1e-13)


RAMP = Curve(lambda u: (-u, 0.0), (-1.0, 0.0), closed=False)


def test_open_rim_ends():
    """A ramp of length 1 has two sides and an end on each: the gap is the distance less the radius everywhere."""
    for place, expected, direction in (
        ((0.5, 0.3), 0.2, (0.0, 1.0)),
        ((1.3, 0.4), 0.4, (0.6, 0.8)),
        ((1.3, -0.4), 0.4, (0.6, -0.8)),
        ((0.5, 0.04), -0.06, (0.0, 1.0)),
        ((0.5, -0.04), -0.06, (0.0, -1.0)),
        ((0.5, -0.7), 0.6, (0.0, -1.0)),
    ):
        model, ground, b = _model(place)
        found, normal = _gap(meet(Rim(ground.profile(RAMP)), Disk(b.at(), 0.1), "it"), model)
        assert found == pytest.approx(expected, abs=1e-15)
        assert normal == pytest.approx(direction, abs=1e-14)


def test_thick_sheet():
    """Half of the thickness lies on either side; a point is held by it, a face by its edge."""
    for place, expected in (((0.5, 0.3), 0.25), ((0.5, -0.02), -0.03), ((1.3, 0.4), 0.45)):
        model, ground, b = _model(place)
        pair = meet(Rim(ground.profile(RAMP), thickness=0.1), Disk(b.at()), "it")
        assert _gap(pair, model)[0] == pytest.approx(expected, abs=1e-15)
    model, ground, b = _model((0.0, 2.0), -math.pi / 2)
    assert _gap(meet(Face(ground.at()), Rim(b.profile(RAMP), thickness=0.1), "it"), model)[0] == pytest.approx(0.95)


def _looped():
    """A closed line that turns around once in all, but crosses itself."""
    a, b = np.random.default_rng(1).uniform(-1.0, 1.0, (2, 4, 2))
    u, k = np.linspace(0.0, TURN, 41)[:-1, None], np.arange(1, 5)
    return CurveThrough((np.cos(k * u) / k) @ a + (np.sin(k * u) / k) @ b)


def _rough(u):
    return 1.0 + 1e-5 * math.cos(60000.0 * u)


def _folded(u):
    return 1.0 + 0.5 * math.cos(3.0 * u)


REFUSED = [
    (lambda g, b: meet(Face(g.at()), Face(b.at()), "Contact"), "a Face cannot touch a Face"),
    (lambda g, b: meet(Disk(g.at(), 0.1), Disk(g.at(1, 0), 0.1), "Contact"), "has both surfaces on body 'ground'"),
    (lambda g, b: meet(g.at(), Disk(b.at(), 0.1), "Contact"), "surface a of Contact must be a Surface"),
    (lambda g, b: Disk(b.at(), -0.1), "radius of a Disk must be positive"),
    (lambda g, b: Disk(b.at(), 0.0, hollow=True), "radius of a Disk must be positive"),
    (lambda g, b: meet(Disk(g.at(), 0.1, hollow=True), Disk(b.at(), 0.2), "it"), "0.2 does not fit into a hollow one"),
    (lambda g, b: Rim(g.profile(Circle(1.0)), thickness=0.1), "the Rim on 'ground' is closed"),
    (lambda g, b: Rim(g.profile(RAMP), thickness=-0.1), "thickness of the Rim on 'ground' must not be negative"),
    (lambda g, b: meet(Rim(g.profile(RAMP)), Disk(b.at()), "it"), "a Disk of radius 0 would pass through the open Rim"),
    (lambda g, b: Rim(g.profile(_looped())), "the Rim on 'ground' crosses itself near u = "),
    (lambda g, b: Rim(g.profile(Polar(_rough))), "the Rim on 'ground' has details too fine for contact"),
    (
        lambda g, b: meet(Rim(g.profile(Polar(_folded))), Rim(b.profile(Circle(1.0))), "it"),
        "two Rims must be convex",
    ),
]


@folded("make, words", REFUSED, ids=[words for _, words in REFUSED])
def test_rejected(make, words):
    _, ground, b = _model()
    with pytest.raises(ModelError, match=words):
        make(ground, b)


def test_no_equation_holds_a_gap():
    model, ground, b = _model((0.0, 1.0))
    pair = meet(Face(ground.at()), Disk(b.at(), 0.1), "it")
    with pytest.raises(ModelError, match="whose second derivative is not known"):
        model.add(Hold(pair.gap, 0.0))
    with pytest.raises(ModelError, match="only a rate"):
        model.add(Hold(pair.rubs[0], 0.0))
