"""A joint is its decomposition: the same mechanism stated with other elements moves in the same way.

Both statements hold the same equations, so their positions agree to the tolerance of closing, 1e-11 of the model, and
velocities and accelerations to that times the condition of the Jacobian, which is below 100 here.
"""

import math

import numpy as np
import pytest

from cardan.planar import (
    CamPair,
    CamRoller,
    Circle,
    Coupler,
    Curve,
    Distance,
    Driver,
    Fixed,
    Function,
    Gear,
    Harmonic,
    Hold,
    PointFollower,
    Polar,
    Polynomial,
    RackPinion,
    Ramp,
    Revolute,
    RevoluteTranslational,
    Step,
    Translational,
    angle,
    component,
    constraint,
    dot,
    length,
)
from catalog import TURN, UP, PlanarStage
from comparing import same_motion

TIMES = np.linspace(0.0, 1.0, 31)
POSE = (0.3, -0.2, 0.6)
DECOMPOSITIONS = []


def decomposition(state):
    """Keep a function that states a mechanism, `whole` with the joint and else with its parts."""
    DECOMPOSITIONS.append(state)
    return state


@decomposition
def revolute(stage, whole):
    arm, link = stage.crank(), stage.body("link", 0.5, 0.1)
    a, b = arm.at(0.4, 0.05, 0.3), link.at(-0.1, 0.02, -0.4)
    if whole:
        stage.add("pin", Revolute(a, b))
    else:
        stage.add("pin x", Hold(component(a, b, "x"), 0.0))
        stage.add("pin y", Hold(component(a, b, "y"), 0.0))
    stage.add("motor", Driver(angle(a, b), Harmonic(0.5, 2.0)))


@decomposition
def translational(stage, whole):
    arm, block = stage.crank(), stage.body("block", 0.4, 0.2, 0.4)
    a, b = arm.at(0.1, 0.05, 0.3), block.at(-0.1, 0.02, 0.4)
    if whole:
        stage.add("guide", Translational(a, b))
    else:
        stage.add("across", Hold(component(a, b, "y"), 0.0))
        stage.add("parallel", Hold(dot(a, b, "x", "y"), 0.0))
    stage.add("cylinder", Driver(component(a, b, "x"), Ramp(0.3, start=0.2)))


@decomposition
def fixed(stage, whole):
    arm, part = stage.crank(), stage.body("part", 0.4, 0.2, 0.4)
    a, b = arm.at(0.4, 0.05, 0.3), part.at(-0.1, 0.02, 0.4)
    if whole:
        stage.add("weld", Fixed(a, b))
    else:
        stage.add("pin", Revolute(a, b))
        stage.add("turn", Hold(angle(a, b), 0.0))


@decomposition
def revolute_translational(stage, whole):
    arm, rocker = stage.crank(), stage.rocker(0.0, -0.6, UP)
    a, b = rocker.at(0.1, 0.02, 0.05), arm.at(0.2, 0.0)
    stage.add("slot", RevoluteTranslational(a, b, offset=0.03) if whole else Hold(component(a, b, "y"), 0.03))


@decomposition
def rack_pinion(stage, whole):
    rack, wheel = stage.body("rack", 0.1, 0.0), stage.body("wheel", 0.0, 0.2, 0.3)
    guide = stage.add("guide", Translational(stage.ground(), rack.at()))
    stage.add("cylinder", Driver(guide.travel, Harmonic(0.1, 3.0, offset=0.1)))
    stage.add("slot", RevoluteTranslational(stage.ground(0.0, 0.0, UP), wheel.at()))
    a, b = rack.at(0.1, 0.0), wheel.at()
    if whole:
        stage.add("mesh", RackPinion(a, b, radius=0.2, contact=-0.1))
    else:
        stage.add("touching", Hold(component(a, b, "y"), 0.2))
        stage.add("rolling", Coupler(component(a, b, "x") + 0.2 * angle(a, b), -0.1))


@decomposition
def distance(stage, whole):
    arm, rocker = stage.crank(), stage.rocker(0.7, 0.0, 2.0)
    tip, eye = arm.at(0.2, 0.0), rocker.at(0.5, 0.0)
    if whole:
        stage.add("rod", Distance(tip, eye, 0.6))
    else:
        link = stage.body("link", 0.35, 0.3, 0.7)
        stage.add("near", Revolute(tip, link.at(-0.3, 0.0)))
        stage.add("far", Revolute(eye, link.at(0.3, 0.0)))


@decomposition
def distance_as_hold(stage, whole):
    arm, rocker = stage.crank(), stage.rocker(0.7, 0.0, 2.0)
    tip, eye = arm.at(0.2, 0.0), rocker.at(0.5, 0.0)
    stage.add("rod", Distance(tip, eye, 0.6) if whole else Hold(length(tip, eye), 0.6))


@decomposition
def gear_between_pivots(stage, whole):
    """Between fixed pivots the bearing of b seen from wheel a is minus the angle of a: a gear is a coupler."""
    wheel, pinion = stage.crank(Ramp(8.0, start=0.4)), stage.rocker(0.5, 0.0, 0.1, "pinion")
    if whole:
        stage.add("mesh", Gear(wheel.at(), pinion.at(), radius_a=0.3, radius_b=0.2))
    else:
        ground = stage.ground()
        stage.add("mesh", Coupler(0.3 * angle(ground, wheel.at()) + 0.2 * angle(ground, pinion.at())))


@decomposition
def internal_gear_between_pivots(stage, whole):
    ring, pinion = stage.crank(Ramp(8.0, start=0.4)), stage.rocker(0.2, 0.0, 0.1, "pinion")
    if whole:
        stage.add("mesh", Gear(ring.at(), pinion.at(), radius_a=0.4, radius_b=0.2, internal=True))
    else:
        ground = stage.ground()
        stage.add("mesh", Coupler(0.4 * angle(ground, ring.at()) - 0.2 * angle(ground, pinion.at())))


def lobed(alpha):
    return 0.3 + 0.03 * math.cos(2.0 * alpha)


def egg(u):
    return 0.33 * math.cos(u) + 0.02, 0.3 * math.sin(u)


@decomposition
def cam_roller(stage, whole):
    """A roller that does not turn on its follower is a second outline, a circle."""
    cam, lifter = stage.crank(Ramp(4.0, start=0.4)), stage.lifter(0.42)
    outline = cam.profile(Polar(lobed), 0.02, 0.01, 0.1)
    roller = CamRoller(outline, lifter.at(0.03, 0.0), 0.1)
    stage.add("contact", roller if whole else CamPair(outline, lifter.profile(Circle(0.1), 0.03, 0.0)))


@decomposition
def cam_pair_either_way(stage, whole):
    cam, rocker = stage.crank(), stage.rocker(0.5, 0.35, math.pi)
    one, two = cam.profile(Curve(egg, (0.0, TURN))), rocker.profile(Polar(lobed), 0.7, 0.0, 0.3)
    stage.add("contact", CamPair(one, two) if whole else CamPair(two, one))


@decomposition
def two_circles(stage, whole):
    """Circles that touch from outside keep their centers at the sum of their radii."""
    cam, rocker = stage.crank(), stage.rocker(0.6, 0.35, math.pi)
    one, two = cam.profile(Circle(0.3), 0.05, 0.0), rocker.profile(Circle(0.1), 0.5, 0.0)
    apart = Distance(cam.at(0.05, 0.0), rocker.at(0.5, 0.0), 0.4)
    stage.add("contact", CamPair(one, two) if whole else apart)


@decomposition
def follower_on_circle(stage, whole):
    cam, lifter = stage.crank(), stage.lifter(0.35)
    slot = cam.profile(Circle(0.3, center=(0.02, 0.0)), 0.05, 0.0, 0.7)
    centre = cam.at(0.05 + 0.02 * math.cos(0.7), 0.02 * math.sin(0.7))
    pin = lifter.at(0.0, 0.0)
    stage.add("slot", PointFollower(slot, pin) if whole else Distance(centre, pin, 0.3))


@constraint
def apart(ax, ay, distance=0.6):
    return math.sqrt(ax * ax + ay * ay) - distance


@constraint
def following(phi, t):
    return phi - 0.4 - 1.5 * t * t


@decomposition
def own_constraint(stage, whole):
    arm, rocker = stage.body("arm", 0.0, 0.0, 0.4), stage.rocker(0.7, 0.0, 2.0)
    hinge = stage.add("hinge", Revolute(stage.ground(), arm.at()))
    tip, eye = arm.at(0.2, 0.0), rocker.at(0.5, 0.0)
    if whole:
        stage.add("rod", Distance(tip, eye, 0.6))
        stage.add("motor", Driver(hinge.angle, Polynomial(0.4, 0.0, 1.5)))
    else:
        stage.add("rod", apart(component(tip, eye, "x"), component(tip, eye, "y"), distance=0.6))
        stage.add("motor", following(hinge.angle))


@decomposition
def motion_as_function(stage, whole):
    arm, rocker = stage.crank(Step(-0.5, 2.0) if whole else Function(_smooth)), stage.rocker(0.7, 0.0, 2.0)
    stage.add("rod", Distance(arm.at(0.2, 0.0), rocker.at(0.5, 0.0), 0.6))


def _smooth(t):
    s = (t + 0.5) / 2.5
    return s**3 * (10.0 + s * (-15.0 + 6.0 * s))


@pytest.mark.parametrize("pose", [PlanarStage.here, POSE], ids=["here", "moved"])
@pytest.mark.parametrize("state", DECOMPOSITIONS, ids=lambda s: s.__name__)
def test_joint_is_its_decomposition(state, pose):
    same_motion(PlanarStage, state, pose, TIMES)
