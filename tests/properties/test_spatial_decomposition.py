"""A joint of space is its decomposition: elementary joints with the massless link that it stands for, or its equations.

Tolerances as in `test_decomposition`. All mechanisms sit on a hand that tumbles; free coordinates are driven.
"""

import math

import numpy as np
import pytest

from cardan.spatial import (
    Circle,
    ConstantVelocity,
    Coupler,
    Cylindrical,
    Distance,
    Driver,
    Fixed,
    Gear,
    Harmonic,
    Helix,
    Hold,
    Orientation,
    Parallel,
    Perpendicular,
    Planar,
    PointInPlane,
    PointOnCurve,
    PointOnLine,
    RackPinion,
    Ramp,
    Revolute,
    RevoluteCylindrical,
    RevoluteRevolute,
    RevoluteSpherical,
    RevoluteTranslational,
    Screw,
    Spherical,
    Translational,
    Universal,
    angle,
    bearing,
    component,
    dot,
    length,
    rotation_component,
)
from catalog_spatial import SQUARE, TURN
from comparing import same_motion
from spatial_stage import LOOSE, SpatialStage, beside

TIMES = np.linspace(0.0, 1.0, 31)
DECOMPOSITIONS = []


def decomposition(state):
    """Keep a function that states a mechanism, `whole` with the joint and else with its parts."""
    DECOMPOSITIONS.append(state)
    return state


def _pair(stage, **placed):
    a = stage.wrist()
    return a, stage.mounted("part", a, LOOSE.at(-0.2, 0.1, 0.05, z=(1, 2, 0.5)), **placed)


def _hold(stage, *measures):
    for k, measure in enumerate(measures):
        stage.add(f"part {k}", Hold(measure, 0.0))


@decomposition
def revolute(stage, whole):
    a, b = _pair(stage)
    if whole:
        stage.add("hinge", Revolute(a, b))
    else:
        stage.add("ball", Spherical(a, b))
        stage.add("axes", Parallel(a, b))
    stage.add("motor", Driver(angle(a, b), Ramp(9.0)))


@decomposition
def revolute_as_planar(stage, whole):
    a, b = _pair(stage)
    if whole:
        stage.add("hinge", Revolute(a, b))
    else:
        table = stage.add("table", Planar(a, b))
        _hold(stage, table.x, table.y)
    stage.add("motor", Driver(angle(a, b), Ramp(9.0)))


@decomposition
def fixed(stage, whole):
    a, b = _pair(stage)
    if whole:
        stage.add("weld", Fixed(a, b))
    else:
        hinge = stage.add("hinge", Revolute(a, b))
        _hold(stage, hinge.angle)


@decomposition
def orientation(stage, whole):
    a, b = _pair(stage, turn=(0.1, 0.2, 0.1))
    stage.add("ball", Spherical(a, b))
    if whole:
        stage.add("axes", Orientation(a, b))
    else:
        _hold(stage, dot(a, b, "x", "z"), dot(a, b, "y", "z"), dot(a, b, "x", "y"))


@decomposition
def translational(stage, whole):
    a, b = _pair(stage, shift=(0.0, 0.0, 0.3))
    if whole:
        guide = stage.add("guide", Translational(a, b))
    else:
        guide = stage.add("guide", PointOnLine(a, b))
        stage.add("axes", Orientation(a, b))
    stage.add("cylinder", Driver(guide.travel, Harmonic(0.2, 5.0, offset=0.3)))


@decomposition
def cylindrical(stage, whole):
    """A sleeve between: it slides on a and turns on b."""
    a, b = _pair(stage, shift=(0.0, 0.0, 0.3))
    if whole:
        stage.add("joint", Cylindrical(a, b))
    else:
        sleeve = stage.mounted("sleeve", a, LOOSE.at(0.05, 0.0, 0.0), shift=(0.0, 0.0, 0.3))
        stage.add("slide", Translational(a, sleeve))
        stage.add("turn", Revolute(sleeve, b))
    stage.add("travel", Driver(component(a, b, "z"), Harmonic(0.2, 5.0, offset=0.3)))
    stage.add("angle", Driver(angle(a, b), Ramp(-12.0)))


@decomposition
def screw(stage, whole):
    a, b = _pair(stage, shift=(0.0, 0.0, 0.3))
    if whole:
        joint = stage.add("joint", Screw(a, b, pitch=0.2, start_angle=-0.3 * TURN / 0.2))
    else:
        joint = stage.add("joint", Cylindrical(a, b))
        stage.add("thread", Coupler(joint.travel - 0.2 / TURN * joint.angle, 0.3))
    stage.add("spanner", Driver(joint.angle, Ramp(-12.0)))


@decomposition
def screw_as_groove(stage, whole):
    """A pin in a helical groove; it slides radially."""
    a = stage.wrist()
    b = stage.mounted("nut", a, LOOSE.at(), shift=(0.0, 0.0, 0.1))
    if whole:
        joint = stage.add("joint", Screw(a, b, pitch=0.3))
    else:
        joint = stage.add("joint", Cylindrical(a, b))
        slot = beside(b, 0.0, 0.0, -0.1, turn=SQUARE)
        pin = stage.mounted("pin", slot, LOOSE.at(), shift=(0.0, 0.0, 0.2))
        stage.add("slot", Translational(slot, pin))
        stage.add("groove", PointOnCurve(a.body.profile(Helix(0.2, 0.3, 4.0), a.place, orientation=a.orientation), pin))
    stage.add("spanner", Driver(joint.angle, Ramp(15.0)))


@decomposition
def universal(stage, whole):
    """A cross with a hinge along each arm."""
    a, b = _pair(stage, turn=SQUARE)
    if whole:
        stage.add("joint", Universal(a, b))
    else:
        arm = stage.mounted("cross", a, LOOSE.at(0.05, 0.02, 0.0))
        stage.add("arm a", Revolute(a, arm))
        stage.add("arm b", Revolute(beside(arm, turn=SQUARE), b))
    stage.add("about a", Driver(angle(a, b, of="z"), Ramp(8.0)))
    stage.add("about b", Driver(angle(b, a, of="z"), Ramp(-6.0, start=math.pi)))


@decomposition
def universal_as_equations(stage, whole):
    a, b = _pair(stage, turn=SQUARE)
    if whole:
        stage.add("joint", Universal(a, b))
    else:
        stage.add("ball", Spherical(a, b))
        stage.add("arms", Perpendicular(a, b))
    stage.add("about a", Driver(angle(a, b, of="z"), Ramp(8.0)))
    stage.add("about b", Driver(angle(b, a, of="z"), Ramp(-6.0, start=math.pi)))


@decomposition
def constant_velocity(stage, whole):
    """The rotation vector from a to b has no part about z."""
    a, b = _pair(stage)
    joint = ConstantVelocity(a, b)
    if whole:
        stage.add("joint", joint)
    else:
        stage.add("ball", Spherical(a, b))
        _hold(stage, rotation_component(a, b, "z"))
    stage.add("bend x", Driver(joint.bend_x, Harmonic(0.8, 5.0)))
    stage.add("bend y", Driver(joint.bend_y, Harmonic(0.6, 3.0)))


@decomposition
def planar(stage, whole):
    a, b = _pair(stage, shift=(0.2, 0.1, 0.0))
    if whole:
        table = stage.add("table", Planar(a, b))
    else:
        table = stage.add("table", PointInPlane(a, b))
        stage.add("axes", Parallel(a, b))
    stage.add("x", Driver(table.x, Harmonic(0.2, 5.0, offset=0.2)))
    stage.add("y", Driver(table.y, Ramp(0.5, start=0.1)))
    stage.add("angle", Driver(angle(a, b), Ramp(8.0)))


@decomposition
def revolute_spherical(stage, whole):
    a, b = _pair(stage, shift=(0.4, 0.0, 0.0))
    if whole:
        stage.add("joint", RevoluteSpherical(a, b, 0.4))
    else:
        end = stage.mounted("link", a, LOOSE.at(0.1, 0.0, 0.0))
        stage.add("hinge", Revolute(a, end))
        stage.add("ball", Spherical(beside(end, 0.4), b))
    stage.add("turn", Driver(bearing(a, b), Ramp(8.0)))
    for axis, rate in zip("xyz", (0.9, -0.5, 0.6), strict=True):
        stage.add(f"turn {axis}", Driver(rotation_component(a, b, axis), Ramp(rate)))


@decomposition
def revolute_revolute_parallel(stage, whole):
    a, b = _pair(stage, shift=(0.4, 0.0, 0.0))
    if whole:
        stage.add("joint", RevoluteRevolute(a, b, 0.4))
    else:
        end = stage.mounted("link", a, LOOSE.at(0.1, 0.0, 0.0))
        stage.add("near", Revolute(a, end))
        stage.add("far", Revolute(beside(end, 0.4), b))
    stage.add("about a", Driver(bearing(a, b), Ramp(8.0)))
    stage.add("about b", Driver(angle(a, b), Ramp(-6.0)))


@decomposition
def revolute_revolute_orthogonal(stage, whole):
    a, b = _pair(stage, shift=(0.4, 0.0, 0.0), turn=SQUARE)
    if whole:
        stage.add("joint", RevoluteRevolute(a, b, 0.4, axes="orthogonal"))
    else:
        end = stage.mounted("link", a, LOOSE.at(0.1, 0.0, 0.0))
        stage.add("near", Revolute(a, end))
        stage.add("far", Revolute(beside(end, 0.4, turn=SQUARE), b))
    stage.add("about a", Driver(bearing(a, b), Ramp(8.0)))
    stage.add("about b", Driver(angle(b, a, of="z"), Ramp(-6.0, start=math.pi)))


@decomposition
def revolute_cylindrical(stage, whole):
    a, b = _pair(stage, shift=(-0.3, 0.0, 0.0), turn=SQUARE)
    joint = RevoluteCylindrical(a, b)
    if whole:
        stage.add("joint", joint)
    else:
        sleeve = stage.mounted("sleeve", a, LOOSE.at(0.05, 0.0, 0.0))
        stage.add("hinge", Revolute(a, sleeve))
        stage.add("slide", Cylindrical(beside(sleeve, turn=SQUARE), b))
    stage.add("travel", Driver(joint.travel, Harmonic(0.2, 5.0, offset=0.3)))
    stage.add("about a", Driver(joint.angle_a, Ramp(8.0)))
    stage.add("about b", Driver(joint.angle_b, Ramp(-6.0, start=math.pi)))


@decomposition
def revolute_translational(stage, whole):
    a, b = _pair(stage, shift=(-0.3, 0.0, 0.0), turn=SQUARE)
    joint = RevoluteTranslational(a, b)
    if whole:
        stage.add("joint", joint)
    else:
        block = stage.mounted("block", a, LOOSE.at(0.05, 0.0, 0.0))
        stage.add("hinge", Revolute(a, block))
        stage.add("slide", Translational(beside(block, turn=SQUARE), b))
    stage.add("travel", Driver(joint.travel, Harmonic(0.2, 5.0, offset=0.3)))
    stage.add("about a", Driver(joint.angle, Ramp(8.0)))


@decomposition
def spherical_spherical(stage, whole):
    """A rod with a ball at each end; its own spin is held."""
    a, b = _pair(stage, shift=(0.4, 0.0, 0.0))
    if whole:
        stage.add("rod", Distance(a, b, 0.4))
    else:
        end = stage.mounted("rod", a, LOOSE.at(0.1, 0.0, 0.0))
        stage.add("near", Spherical(a, end))
        stage.add("far", Spherical(beside(end, 0.4), b))
        stage.add("spin", Hold(dot(a, end, "z", "y"), 0.0))
    stage.add("round", Driver(bearing(a, b), Ramp(8.0)))
    stage.add("up", Driver(component(a, b, "z"), Harmonic(0.2, 5.0)))
    for axis, rate in zip("xyz", (0.9, -0.5, 0.6), strict=True):
        stage.add(f"turn {axis}", Driver(rotation_component(a, b, axis), Ramp(rate)))


@decomposition
def distance_as_hold(stage, whole):
    crank = stage.crank(Ramp(13.0, start=0.4), axis=(0.0, 0.2, 1.0))
    rocker = stage.rocker("rocker", (0.8, 0.1, 0.0), (0.3, 1.0, 0.1), 0.0)
    tip, eye = crank.at(0.2, 0.0, 0.05), stage.on(rocker, 0.7, 0.1, 0.5)
    stage.add("rod", Distance(tip, eye, 0.85) if whole else Hold(length(tip, eye), 0.85))


@decomposition
def point_on_circle(stage, whole):
    """A point on a ring is at the radius of its axis, in its plane."""
    a, b = _pair(stage, shift=(0.3, 0.0, 0.0))
    if whole:
        ring = a.body.profile(Circle(0.3), a.place, orientation=a.orientation)
        stage.add("ring", PointOnCurve(ring, b))
    else:
        stage.add("plane", PointInPlane(a, b))
        stage.add("radius", Distance(a, b, 0.3))
    stage.add("round", Driver(bearing(a, b), Ramp(8.0)))
    stage.add("axes", Orientation(a, b))


@decomposition
def gear(stage, whole):
    """Between bearings on one body a gear is a coupler of the two angles."""
    shaft = stage.wrist()
    other = beside(shaft, 0.5)
    wheel, pinion = stage.mounted("wheel", shaft, LOOSE.at()), stage.mounted("pinion", other, LOOSE.at())
    one, two = stage.add("wheel-hinge", Revolute(shaft, wheel)), stage.add("pinion-hinge", Revolute(other, pinion))
    stage.add("motor", Driver(one.angle, Ramp(12.0)))
    coupled = Coupler(0.3 * one.angle + 0.2 * two.angle, 0.0)
    stage.add("mesh", Gear(wheel, pinion, radius_a=0.3, radius_b=0.2) if whole else coupled)


@decomposition
def rack_pinion(stage, whole):
    table = stage.wrist()
    wheel = stage.mounted("wheel", table, LOOSE.at(), shift=(0.1, 0.2, 0.0))
    plane = stage.add("plane", Planar(table, wheel))
    stage.add("pull", Driver(plane.x, Ramp(2.0, start=0.1)))
    if whole:
        stage.add("mesh", RackPinion(table, wheel, radius=0.2, contact=0.1))
    else:
        stage.add("touching", Hold(plane.y, 0.2))
        stage.add("rolling", Coupler(plane.x + 0.2 * plane.angle, 0.1))


@pytest.mark.parametrize("pose", [SpatialStage.here, SpatialStage.poses[0]], ids=["here", "moved"])
@pytest.mark.parametrize("state", DECOMPOSITIONS, ids=lambda s: s.__name__)
def test_joint_is_its_decomposition(state, pose):
    same_motion(SpatialStage, state, pose, TIMES)
