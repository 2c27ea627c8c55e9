"""Every public element of space, each in a small mechanism that closes and is fully driven from 0 s to 1 s.

The counterpart of `catalog`, which says how to use it. Nearly all mechanisms sit on a hand that tumbles through the
air, so that nothing is planar in disguise, and most joints turn more than once.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import catalog as catalog_of_the_plane
from cardan.spatial import (
    Body,
    Bracket,
    Condition,
    Constant,
    ConstantVelocity,
    Cylindrical,
    Distance,
    Driver,
    Dwell,
    Fixed,
    Function,
    Harmonic,
    InLine,
    Marker,
    Model,
    MotionProgram,
    Move,
    MoveThrough,
    Orientation,
    Parallel,
    Perpendicular,
    Planar,
    Point,
    PointInPlane,
    PointOnLine,
    Polynomial,
    Ramp,
    Revolute,
    RevoluteCylindrical,
    RevoluteRevolute,
    RevoluteSpherical,
    RevoluteTranslational,
    Screw,
    Spherical,
    SphericalSpherical,
    Spline,
    Step,
    Strut,
    Translational,
    Universal,
    angle,
    component,
    length,
    lift,
    rotation,
    tilt,
)
from catalog_spatial_couplings import CASES as COUPLINGS
from spatial_stage import LOOSE, LiftedStage, SpatialStage, beside
from stage import Case, catalog

TURN = 2.0 * math.pi
UP = 0.5 * math.pi
SQUARE = (0.0, UP, 0.0)  # turns z into x, and x into -z

CASES, case = catalog(SpatialStage, "spatial-")


@case(Model, Body, Marker, Revolute, Driver, Ramp, angle, rotation)
def revolute(stage: SpatialStage) -> None:
    a = stage.wrist()
    b = stage.mounted("link", a, LOOSE.at(-0.3, 0.1, 0.05, z=(1, 2, 0.5)), turn=(0.05, 0.0, -1.0))
    knee = stage.add("knee", Revolute(a, b))
    stage.add("knee-motor", Driver(knee.angle, Ramp(-20.0, start=-1.0)))


@case(Translational, Point)
def translational(stage: SpatialStage) -> None:
    a = stage.wrist()
    b = stage.mounted("block", a, LOOSE.at(0.1, 0.02, -0.1, z=(1, 2, 0.5)), shift=(0.0, 0.02, 0.4))
    guide = stage.add("guide", Translational(a, b))
    stage.add("cylinder", Driver(guide.travel, Harmonic(0.1, 3.0, offset=stage.vary(0.4))))
    stage.add("corner", Point(b.body.at(0.1, 0.1, 0.1)))


@case(Cylindrical)
def cylindrical(stage: SpatialStage) -> None:
    a = stage.wrist()
    b = stage.mounted("sleeve", a, LOOSE.at(0.1, 0.02, -0.1, z=(1, 2, 0.5)), shift=(0.0, 0.02, 0.4))
    sleeve = stage.add("sleeve-joint", Cylindrical(a, b))
    stage.add("slide", Driver(sleeve.travel, Harmonic(0.1, 3.0, offset=stage.vary(0.4))))
    stage.add("turn", Driver(sleeve.angle, Ramp(15.0)))


@case(Screw)
def screw(stage: SpatialStage) -> None:
    """A nut that is turned, and a thread that is pushed: both many turns."""
    a = stage.wrist()
    b = stage.mounted("nut", a, LOOSE.at(0.1, 0.02, -0.1, z=(1, 2, 0.5)))
    turned = stage.add("thread", Screw(a, b, pitch=stage.vary(0.1), start_angle=0.0))
    stage.add("spanner", Driver(turned.angle, Ramp(18.0)))
    c = beside(b, 0.2, 0.0, 0.1, turn=(1.0, 0.5, 0.0))
    d = stage.mounted("spindle", c, LOOSE.at(0.0, 0.05, 0.0), shift=(0.0, 0.0, 0.2))
    pushed = stage.add("steep", Screw(c, d, pitch=-stage.vary(0.3)))
    stage.add("push", Driver(pushed.travel, Ramp(0.9, start=0.2)))


@case(Spherical, tilt)
def spherical(stage: SpatialStage) -> None:
    a = stage.wrist()
    b = stage.mounted("link", a, LOOSE.at(-0.3, stage.vary(0.1), 0.05, z=(1, 2, 0.5)), turn=(0.4, 0.3, 0.0))
    ball = stage.add("ball", Spherical(a, b))
    stage.add("about-x", Driver(ball.angle_x, Ramp(8.0, start=0.4)))
    stage.add("about-y", Driver(ball.angle_y, Harmonic(0.9, 4.0, offset=0.1)))
    stage.add("about-z", Driver(ball.angle_z, Ramp(-11.0)))


@case(Universal)
def universal(stage: SpatialStage) -> None:
    a = stage.wrist()
    b = stage.mounted("link", a, LOOSE.at(-0.3, stage.vary(0.1), 0.05, z=(1, 2, 0.5)), turn=SQUARE)
    cross = stage.add("cross", Universal(a, b))
    stage.add("about-a", Driver(cross.angle_a, Ramp(8.0)))
    stage.add("about-b", Driver(cross.angle_b, Ramp(-11.0, start=math.pi)))


@case(Universal)
def cardan_shaft(stage: SpatialStage) -> None:
    """Two shafts on ground, one telescopic between them with a cross at each end."""
    driving = stage.crank(Ramp(14.0), "driving", axis=(0.0, 0.0, 1.0), turn=0.0)
    driven = stage.rocker("driven", (0.2, stage.vary(0.1), 1.0), (0.2, 0.3, 1.0), 0.0)
    sleeve, spline = stage.body("sleeve", 0.05, 0.03, 0.3), stage.body("spline", 0.15, 0.08, 0.7)
    axis = (0.2, 0.1, 1.0)
    stage.add("telescope", Translational(stage.on(sleeve, 0, 0, 0, z=axis), stage.on(spline, 0, 0, 0, z=axis)))
    stage.add("near", Universal(stage.on(driving, 0, 0, 0, z=(1, 0, 0)), stage.on(sleeve, 0, 0, 0, z=(0, 1, -0.1))))
    far = (0.2, 0.1, 1.0)
    stage.add("far", Universal(stage.on(spline, far, z=(0, 1, -0.1)), stage.on(driven, far, z=(1, 0, -0.2))))


@case(ConstantVelocity)
def constant_velocity(stage: SpatialStage) -> None:
    a = stage.wrist()
    b = stage.mounted("link", a, LOOSE.at(-0.3, stage.vary(0.1), 0.05, z=(1, 2, 0.5)))
    joint = stage.add("joint", ConstantVelocity(a, b))
    stage.add("bend-x", Driver(joint.bend_x, Harmonic(0.9, 5.0)))
    stage.add("bend-y", Driver(joint.bend_y, Harmonic(0.7, 3.0)))


@case(ConstantVelocity)
def constant_velocity_shaft(stage: SpatialStage) -> None:
    """The driven shaft is led by an arm that swings meanwhile."""
    driving = stage.crank(Ramp(14.0), "driving", axis=(0.0, 0.0, 1.0), turn=0.0)
    swing = stage.crank(Harmonic(0.4, 3.0, offset=0.5), "swing", axis=(1.0, 0.0, 0.0), turn=0.5)
    driven = stage.mounted("driven", driving.at(), LOOSE.at(0.02, 0.0, -0.4), turn=(0.3, 0.2, 0.0))
    stage.add("joint", ConstantVelocity(driving.at(), driven))
    rail = stage.on(swing, 0.1, -0.1, stage.vary(0.5), z=(0.1, -0.3, 1.0))
    stage.add("rail", PointOnLine(rail, driven.body.at(0.0, 0.0, 0.1)))


@case(Planar)
def planar(stage: SpatialStage) -> None:
    a = stage.wrist()
    b = stage.mounted("puck", a, LOOSE.at(-0.1, 0.1, 0.05, z=(1, 2, 0.5)), shift=(0.2, 0.1, 0.02))
    table = stage.add("table", Planar(a, b))
    stage.add("along-x", Driver(table.x, Harmonic(0.3, 4.0, offset=0.2)))
    stage.add("along-y", Driver(table.y, Ramp(stage.vary(0.5), start=0.1)))
    stage.add("turning", Driver(table.angle, Ramp(-9.0)))


@case(Parallel, component)
def parallel(stage: SpatialStage) -> None:
    a = stage.wrist()
    b = stage.mounted("part", a, LOOSE.at(-0.1, 0.1, 0.05, z=(1, 2, 0.5)), shift=(0.2, 0.1, 0.3))
    axes = stage.add("axes", Parallel(a, b))
    stage.add("turning", Driver(axes.angle, Ramp(9.0)))
    for axis, start, rate in zip("xyz", (0.2, 0.1, 0.3), (0.3, stage.vary(-0.6), 0.4), strict=True):
        stage.add(f"along-{axis}", Driver(component(a, b, axis), Ramp(rate, start=start)))


@case(Perpendicular)
def perpendicular(stage: SpatialStage) -> None:
    a = stage.wrist()
    b = stage.mounted("part", a, LOOSE.at(-0.1, 0.1, 0.05, z=(1, 2, 0.5)), shift=(0.2, 0.1, 0.3), turn=SQUARE)
    stage.add("axes", Perpendicular(a, b))
    stage.add("about-a", Driver(angle(a, b, of="z"), Ramp(7.0)))
    stage.add("about-b", Driver(angle(b, a, of="z"), Ramp(-8.0, start=math.pi)))
    for axis, start, rate in zip("xyz", (0.2, 0.1, 0.3), (0.3, stage.vary(-0.6), 0.4), strict=True):
        stage.add(f"along-{axis}", Driver(component(a, b, axis), Ramp(rate, start=start)))


@case(PointOnLine, InLine, Strut, Orientation)
def point_on_line(stage: SpatialStage) -> None:
    """A ball that is pushed through a tube, and a rod in a sleeve whose end must stay in another tube."""
    a = stage.wrist()
    b = stage.mounted("ball", a, LOOSE.at(-0.1, 0.1, 0.05, z=(1, 2, 0.5)), shift=(0.0, 0.02, 0.3), turn=(0.1, 0.0, 0.0))
    tube = stage.add("tube", PointOnLine(a, b))
    stage.add("push", Driver(tube.travel, Harmonic(0.2, 5.0, offset=stage.vary(0.3))))
    stage.add("upright", Orientation(a, b))
    sleeve = stage.ground(0.0, 1.0, 0.0, z=(1.0, 0.2, 0.3))
    rod = stage.mounted("rod", sleeve, LOOSE.at())
    stage.add("sleeve", Cylindrical(sleeve, rod))
    swing = stage.crank(Harmonic(0.4, 3.0), "swing", at=(0.0, 1.4, 0.2), axis=(0.2, 0.1, 1.0), turn=0.0)
    stage.add("strut", Strut(stage.on(swing, 0.0, 1.4, 0.2, z=(0.1, 0.3, 1.0)), rod.body.at(0.0, 0.4, 0.0)))


@case(PointInPlane)
def point_in_plane(stage: SpatialStage) -> None:
    """A puck that is led over a table, and a rocker that rests on it with its tip."""
    a = stage.wrist()
    b = stage.mounted("puck", a, LOOSE.at(-0.1, 0.1, 0.05, z=(1, 2, 0.5)), shift=(0.2, 0.1, 0.02))
    table = stage.add("table", PointInPlane(a, b))
    stage.add("along-x", Driver(table.x, Harmonic(0.3, 4.0, offset=0.2)))
    stage.add("along-y", Driver(table.y, Ramp(stage.vary(0.5), start=0.1)))
    stage.add("upright", Orientation(a, b))
    plate = stage.crank(Harmonic(0.4, 3.0), "plate", at=(0.0, 2.0, 0.0), axis=(0.2, 0.1, 1.0), turn=0.0)
    finger = stage.rocker("finger", (0.5, 2.0, 0.0), (0.3, 1.0, 0.2), 0.0)
    face = stage.on(plate, 0.0, 2.0, 0.0, z=(1.0, 0.2, 0.4))
    stage.add("rest", PointInPlane(face, stage.on(finger, 0.1, 2.1, 0.6)))


@case(Fixed, Bracket)
def fixed(stage: SpatialStage) -> None:
    a = stage.wrist()
    b = stage.mounted("part", a, LOOSE.at(-0.1, stage.vary(0.1), 0.05, z=(1, 2, 0.5)), turn=(0.3, -0.2, 0.1))
    stage.add("weld", Fixed(a, b))


@case(Distance, SphericalSpherical)
def distance(stage: SpatialStage) -> None:
    """The RSSR linkage, its crank going round twice."""
    crank = stage.crank(Ramp(13.0, start=0.4), axis=(0.0, 0.2, 1.0))
    rocker = stage.rocker("rocker", (0.8, 0.1, 0.0), (0.3, 1.0, 0.1), 0.0)
    stage.add("rod", Distance(crank.at(0.2, 0.0, 0.05), stage.on(rocker, 0.7, 0.1, 0.5), stage.vary(0.85)))


@case(RevoluteSpherical)
def revolute_spherical(stage: SpatialStage) -> None:
    """A link that is turned on the hand, and one that leads a plunger round a shaft."""
    a = stage.wrist()
    b = stage.mounted("part", a, LOOSE.at(-0.1, 0.1, 0.05), shift=(0.4, 0.0, 0.02))
    link = stage.add("link", RevoluteSpherical(a, b, stage.vary(0.4)))
    stage.add("turn", Driver(link.angle, Ramp(9.0)))
    stage.add("upright", Orientation(a, b))
    crank = stage.crank(Ramp(8.0), "wheel", at=(0.0, 1.0, 0.0), axis=(0.0, 0.1, 1.0), turn=0.0)
    shaft = stage.ground(0.6, 1.0, 0.0, z=(1.0, 0.2, 0.1))
    plunger = stage.mounted("plunger", shaft, LOOSE.at())
    stage.add("sleeve", Cylindrical(shaft, plunger))
    hinge = stage.on(crank, 0.15, 1.0, 0.0, z=(0.0, 0.1, 1.0))
    stage.add("rod", RevoluteSpherical(hinge, stage.on(plunger.body, 0.6, 1.35, 0.05), stage.vary(0.55)))


@case(RevoluteRevolute)
def revolute_revolute(stage: SpatialStage) -> None:
    """A link with parallel hinges, and after it one whose second hinge runs along it."""
    a = stage.wrist()
    b = stage.mounted("part", a, LOOSE.at(-0.1, 0.1, 0.05, z=(1, 2, 0.5)), shift=(0.4, 0.0, 0.02))
    flat = stage.add("flat", RevoluteRevolute(a, b, stage.vary(0.4)))
    stage.add("flat-a", Driver(flat.angle_a, Ramp(9.0)))
    stage.add("flat-b", Driver(flat.angle_b, Ramp(-7.0, start=math.pi)))
    c = beside(b, 0.1, 0.2, 0.0, turn=(0.5, 0.3, 0.2))
    d = stage.mounted("second", c, LOOSE.at(-0.1, 0.1, 0.05, z=(1, 2, 0.5)), shift=(0.3, 0.0, 0.0), turn=SQUARE)
    square = stage.add("square", RevoluteRevolute(c, d, stage.vary(0.3), axes="orthogonal"))
    stage.add("square-c", Driver(square.angle_a, Ramp(-8.0)))
    stage.add("square-d", Driver(square.angle_b, Ramp(10.0, start=math.pi)))


@case(RevoluteCylindrical)
def revolute_cylindrical(stage: SpatialStage) -> None:
    a = stage.wrist()
    b = stage.mounted("bar", a, LOOSE.at(-0.1, 0.1, 0.05, z=(1, 2, 0.5)), shift=(-0.3, 0.0, 0.02), turn=SQUARE)
    joint = stage.add("joint", RevoluteCylindrical(a, b))
    stage.add("travel", Driver(joint.travel, Harmonic(0.2, 5.0, offset=stage.vary(0.3))))
    stage.add("about-a", Driver(joint.angle_a, Ramp(9.0)))
    stage.add("about-b", Driver(joint.angle_b, Ramp(-10.0, start=math.pi)))


@case(RevoluteTranslational)
def revolute_translational(stage: SpatialStage) -> None:
    a = stage.wrist()
    b = stage.mounted("bar", a, LOOSE.at(-0.1, 0.1, 0.05, z=(1, 2, 0.5)), shift=(-0.3, 0.0, 0.02), turn=SQUARE)
    joint = stage.add("joint", RevoluteTranslational(a, b))
    stage.add("travel", Driver(joint.travel, Harmonic(0.2, 5.0, offset=stage.vary(0.3))))
    stage.add("about-a", Driver(joint.angle, Ramp(9.0)))


@case(length)
def stewart_platform(stage: SpatialStage) -> None:
    """Six legs of given lengths."""
    platform = stage.body("platform", 0.1, 0.05, 0.6, turn=(0.1, 0.05, 0.2))
    for k in range(6):
        foot, eye = 1.05 * k, 1.05 * k + (0.35 if k % 2 else -0.35) + 0.5
        base = (0.5 * math.cos(foot), 0.5 * math.sin(foot), 0.03 * k)
        top = platform.at(0.3 * math.cos(eye), 0.3 * math.sin(eye), 0.0)
        here = LOOSE.at(base)
        there = rotation.rotate(rotation.from_rotation_vector((0.1, 0.05, 0.2)), np.array(top.place)) + (0.1, 0.05, 0.6)
        size = math.dist(here.place, there)
        motion = Harmonic(0.05, 3.0 + 0.5 * k, offset=size) if k % 2 else Harmonic(0.08, 4.0, offset=stage.vary(size))
        stage.add(f"leg-{k}", Driver(length(stage.ground(base), top), motion))


@case(Cylindrical)
def rccc(stage: SpatialStage) -> None:
    """A crank and three cylindrical joints about axes in all directions."""
    crank = stage.crank(Harmonic(0.6, 4.0), axis=(0.0, 0.1, 1.0), turn=0.0)
    rod, rocker = stage.body("rod", 0.4, 0.2, 0.3), stage.body("rocker", 0.8, 0.1, 0.1)
    axes = ((0.3, 0.0, 0.1), (0.1, 1.0, 0.3)), ((0.6, 0.4, 0.2), (1.0, 0.3, 0.5)), ((1.0, 0.0, 0.0), (0.2, -0.4, 1.0))
    bodies = (crank, rod, rocker, stage.empty.ground)
    for k, (at, axis) in enumerate(axes):
        near, far = stage.on(bodies[k], at, z=axis), stage.on(bodies[k + 1], at, z=axis)
        stage.add(f"sleeve-{k}", Cylindrical(near, beside(far, stage.vary(0.02) - 0.02)))


def rising(t):
    return 0.4 + t * math.exp(-t)


PARTS: dict[Any, tuple[Any, ...]] = {MotionProgram: (Condition, Dwell, Move, MoveThrough)}
MOTIONS = {
    Constant: Constant(0.7),
    Function: Function(rising),
    Harmonic: Harmonic(0.5, 4.0, phase=0.3, offset=0.2),
    MotionProgram: MotionProgram(
        [
            Dwell(0.1),
            Move(0.9, 0.3, "modified-sine"),
            MoveThrough([Condition(0.0, rate=0.0, acceleration=0.0), Condition(0.4, 0.4, 0.0, 0.0)]),
        ],
        start_value=0.4,
    ),
    Polynomial: Polynomial(0.4, 1.0, -0.5, 0.2),
    Ramp: Ramp(-9.0, start=0.4),
    Spline: Spline((0.0, 0.3, 0.65, 1.0), (0.4, 0.8, 0.6, 1.1)),
    Step: Step(0.25, 0.85, from_value=0.4, to_value=1.2),
}


def _driven_by(motion: Any) -> Callable[[SpatialStage], None]:
    def state(stage: SpatialStage) -> None:
        crank = stage.crank(motion, axis=(0.0, 0.2, 1.0))
        rocker = stage.rocker("rocker", (0.8, 0.1, 0.0), (0.3, 1.0, 0.1), 0.0)
        stage.add("rod", Distance(crank.at(0.2, 0.0, 0.05), stage.on(rocker, 0.7, 0.1, 0.5), stage.vary(0.85)))

    return state


CASES += [
    Case(f"spatial-driven by {kind.__name__}", SpatialStage, _driven_by(motion), (kind, *PARTS.get(kind, ())))
    for kind, motion in MOTIONS.items()
]

CASES.append(Case("spatial-lifted", LiftedStage, lambda stage: catalog_of_the_plane.revolute(stage.flat), (lift,)))
CASES += COUPLINGS
