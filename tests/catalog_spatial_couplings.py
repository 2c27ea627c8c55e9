"""Gears, wires, couplers, measures that are held, a user's own constraints: the second half of `catalog_spatial`."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from cardan.spatial import (
    BevelGear,
    Circle,
    Coupler,
    Curve,
    CurveCoupler,
    CurveThrough,
    Cylindrical,
    Driver,
    Gauge,
    Gear,
    Harmonic,
    Helix,
    Hold,
    Orientation,
    Planar,
    Point,
    PointOnCurve,
    RackPinion,
    Ramp,
    Revolute,
    SharedGear,
    Spherical,
    Spline,
    Translational,
    WormGear,
    angle,
    bearing,
    component,
    constraint,
    dot,
    helix_component,
    helix_length,
    length,
    rotation_component,
    tilt,
    x,
    y,
    z,
)
from spatial_stage import LOOSE, SpatialStage, beside
from stage import Case, catalog

TURN = 2.0 * math.pi
UP = 0.5 * math.pi
SQUARE = (0.0, UP, 0.0)  # turns z into x, and x into -z

CASES, case = catalog(SpatialStage, "spatial-")


@case(Gear)
def gear_external(stage: SpatialStage) -> None:
    shaft = stage.wrist()
    radius = stage.vary(0.3)
    wheel = stage.mounted("wheel", shaft, LOOSE.at(0.0, 0.0, 0.05))
    pinion = stage.mounted("pinion", beside(shaft, 0.5), LOOSE.at(0.02, 0.0, 0.0, z=(0.5, 0, 1)))
    driven = stage.add("wheel-hinge", Revolute(shaft, wheel))
    stage.add("pinion-hinge", Revolute(beside(shaft, 0.5), pinion))
    stage.add("motor", Driver(driven.angle, Ramp(15.0)))
    stage.add("mesh", Gear(wheel, pinion, radius_a=radius, radius_b=0.5 - radius, angle_a=0.1, angle_b=0.2))


@case(Gear, bearing)
def gear_planetary(stage: SpatialStage) -> None:
    """A sun that stands still on the hand, a planet on a carrier, and a wheel inside a ring."""
    sun = stage.wrist()
    arm = stage.mounted("carrier", sun, LOOSE.at(0.0, 0.0, 0.1))
    turning = stage.add("carrier-hinge", Revolute(sun, arm))
    stage.add("motor", Driver(turning.angle, Ramp(13.0)))
    planet = stage.mounted("planet", beside(arm, 0.2), LOOSE.at(z=(1, 0, 0)))
    stage.add("pin", Revolute(beside(arm, 0.2), planet))
    radius = stage.vary(0.12)
    stage.add("sun", Gear(sun, planet, radius_a=radius, radius_b=0.2 - radius))
    inner = stage.mounted("inner", beside(arm, 0.0, 0.15), LOOSE.at())
    stage.add("pin2", Revolute(beside(arm, 0.0, 0.15), inner))
    radius = stage.vary(0.1)
    stage.add("ring", Gear(sun, inner, radius_a=0.15 + radius, radius_b=radius, internal=True))


@case(Gear)
def gear_helical(stage: SpatialStage) -> None:
    shaft = stage.wrist()
    radius = stage.vary(0.3)
    wheel = stage.mounted("wheel", shaft, LOOSE.at(0.0, 0.0, 0.05))
    pinion = stage.mounted("pinion", beside(shaft, 0.5), LOOSE.at(0.02, 0.0, 0.0, z=(0.5, 0, 1)))
    driven = stage.add("wheel-hinge", Revolute(shaft, wheel))
    stage.add("pinion-hinge", Revolute(beside(shaft, 0.5), pinion))
    stage.add("motor", Driver(driven.angle, Ramp(15.0)))
    teeth = {"angle_a": 0.1, "angle_b": 0.2, "pressure_angle": 0.35, "helix_angle": stage.vary(-0.3)}
    stage.add("mesh", Gear(wheel, pinion, radius_a=radius, radius_b=0.5 - radius, **teeth))


@case(SharedGear)
def shared_gear(stage: SpatialStage) -> None:
    """A sun that stands still on the hand, two planets on a carrier, and a ring that they turn."""
    sun, radius = stage.wrist(), stage.vary(0.12)
    arm, ring = (stage.mounted(name, sun, LOOSE.at(0.0, 0.0, 0.1)) for name in ("carrier", "ring"))
    turning = stage.add("carrier-hinge", Revolute(sun, arm))
    stage.add("ring-hinge", Revolute(sun, ring))
    stage.add("motor", Driver(turning.angle, Ramp(13.0)))
    planets, teeth = [], {"pressure_angle": 0.35, "helix_angle": 0.2}
    for k, side in enumerate((0.2, -0.2), 1):
        planet = stage.mounted(f"planet {k}", beside(arm, side), LOOSE.at(z=(1, 0, 0)))
        stage.add(f"pin {k}", Revolute(beside(arm, side), planet))
        sizes = {"radius_a": 0.4 - radius, "radius_b": 0.2 - radius, "internal": True}
        stage.add(f"ring-mesh {k}", Gear(ring, planet, **sizes, **teeth))
        planets.append(planet)
    stage.add("sun-mesh", SharedGear(sun, planets, radius, 0.2 - radius, **(teeth | {"helix_angle": -0.2})))


@case(RackPinion)
def rack_helical(stage: SpatialStage) -> None:
    """A rack that slides on the hand, and a pinion on a hinge that it turns."""
    table, radius = stage.wrist(), stage.vary(0.2)
    along = beside(table, turn=SQUARE)  # its z axis is the x axis of the table
    rack = stage.mounted("rack", along, LOOSE.at(), shift=(0.0, 0.0, 0.1))
    guide = stage.add("guide", Translational(along, rack))
    stage.add("cylinder", Driver(guide.travel, Ramp(2.5, start=0.1)))
    wheel = stage.mounted("wheel", table, LOOSE.at(0.02, 0.0, 0.0), shift=(0.05, radius, 0.0))
    stage.add("hinge", Revolute(beside(table, 0.05, radius), wheel))
    teeth = {"pressure_angle": 0.35, "helix_angle": 0.3}
    stage.add("mesh", RackPinion(beside(rack, turn=(0.0, -UP, 0.0)), wheel, radius=radius, **teeth))


@case(BevelGear)
def bevel_gear(stage: SpatialStage) -> None:
    """Shafts at 1.2 rad that meet in the origin of the hand's marker."""
    apex = stage.wrist()
    first, second = beside(apex, 0.0, 0.0, 0.3), beside(beside(apex, turn=(0.0, 1.2, 0.0)), 0.0, 0.0, 0.2)
    wheel = stage.mounted("wheel", first, LOOSE.at(0.0, 0.0, 0.05))
    pinion = stage.mounted("pinion", second, LOOSE.at(z=(1, 0, 0)))
    driven = stage.add("wheel-hinge", Revolute(first, wheel))
    stage.add("pinion-hinge", Revolute(second, pinion))
    stage.add("motor", Driver(driven.angle, Ramp(12.0)))
    stage.add("mesh", BevelGear(wheel, pinion, radius_a=stage.vary(0.3), radius_b=0.2))


@case(BevelGear)
def bevel_teeth(stage: SpatialStage) -> None:
    """Spiral teeth on shafts at 1.2 rad, with both markers at the apex."""
    apex = stage.wrist()
    other = beside(apex, turn=(0.0, 1.2, 0.0))
    wheel, pinion = stage.mounted("wheel", apex, LOOSE.at()), stage.mounted("pinion", other, LOOSE.at(z=(1, 0, 0)))
    driven = stage.add("wheel-hinge", Revolute(apex, wheel))
    stage.add("pinion-hinge", Revolute(other, pinion))
    stage.add("motor", Driver(driven.angle, Ramp(12.0)))
    teeth = {"pressure_angle": 0.35, "spiral_angle": stage.vary(0.4)}
    stage.add("mesh", BevelGear(wheel, pinion, radius_a=stage.vary(0.3), radius_b=0.2, **teeth))


@case(WormGear)
def worm_gear(stage: SpatialStage) -> None:
    """A worm on the hand, and a wheel beside it on a shaft across."""
    shaft, radius = stage.wrist(), stage.vary(0.05)
    across = beside(beside(shaft, 0.2), turn=(0.5 * math.pi, 0.0, 0.0))
    worm, wheel = stage.mounted("worm", shaft, LOOSE.at()), stage.mounted("wheel", across, LOOSE.at(z=(1, 0, 0)))
    driven = stage.add("worm-hinge", Revolute(shaft, worm))
    stage.add("wheel-hinge", Revolute(across, wheel))
    stage.add("motor", Driver(driven.angle, Ramp(12.0)))
    sizes = {"lead": stage.vary(0.06), "radius_a": radius, "radius_b": 0.2 - radius, "friction": 0.1}
    stage.add("mesh", WormGear(worm, wheel, **sizes))


@case(BevelGear)
def differential(stage: SpatialStage) -> None:
    """A spider on a turning carrier between two side wheels, all about one axis of the hand."""
    axis = stage.wrist()
    cage = stage.mounted("cage", axis, LOOSE.at(0.0, 0.0, 0.05))
    cage_hinge = stage.add("cage-hinge", Revolute(axis, cage))
    stage.add("cage-motor", Driver(cage_hinge.angle, Ramp(10.0)))
    left_shaft, right_shaft = beside(axis, 0.0, 0.0, 0.2), beside(axis, 0.0, 0.0, -0.2, turn=(math.pi, 0.0, 0.0))
    left, right = stage.mounted("left", left_shaft, LOOSE.at()), stage.mounted("right", right_shaft, LOOSE.at())
    left_hinge = stage.add("left-hinge", Revolute(left_shaft, left))
    stage.add("right-hinge", Revolute(right_shaft, right))
    stage.add("left-motor", Driver(left_hinge.angle, Ramp(stage.vary(16.0))))
    spider_shaft = beside(beside(cage, turn=SQUARE), 0.0, 0.0, 0.1)
    spider = stage.mounted("spider", spider_shaft, LOOSE.at())
    stage.add("spider-hinge", Revolute(spider_shaft, spider))
    stage.add("left-mesh", BevelGear(left, spider, radius_a=0.2, radius_b=0.1))
    stage.add("right-mesh", BevelGear(right, spider, radius_a=0.2, radius_b=0.1))


@case(RackPinion)
def rack_pinion(stage: SpatialStage) -> None:
    """A rack that slides on the hand, and a pinion that it turns and keeps at its distance."""
    table, radius = stage.wrist(), stage.vary(0.2)
    along = beside(table, turn=SQUARE)  # its z axis is the x axis of the table
    rack = stage.mounted("rack", along, LOOSE.at(), shift=(0.0, 0.0, 0.1))
    guide = stage.add("guide", Translational(along, rack))
    stage.add("cylinder", Driver(guide.travel, Ramp(2.5, start=0.1)))
    wheel = stage.mounted("wheel", table, LOOSE.at(0.02, 0.0, 0.0), shift=(0.05, radius, 0.0))
    plane = stage.add("plane", Planar(table, wheel))
    stage.add("slot", Hold(plane.x, 0.05))
    stage.add("mesh", RackPinion(beside(rack, turn=(0.0, -UP, 0.0)), wheel, radius=radius))


def loop(u):
    return 0.3 * math.cos(u), 0.2 * math.sin(u), 0.1 * math.sin(2.0 * u) + 0.05 * math.cos(3.0 * u)


def knot(u):
    """A trefoil."""
    return (
        0.1 * (math.sin(u) + 2.0 * math.sin(2.0 * u)),
        0.1 * (math.cos(u) - 2.0 * math.cos(2.0 * u)),
        -0.1 * math.sin(3.0 * u),
    )


AROUND = np.linspace(0.0, TURN, 41)[:-1]

WIRES = {
    Helix: (Helix(0.3, 0.1, turns=3.0), Ramp(16.0, start=1.0)),
    Circle: (Circle(0.3), Ramp(14.0, start=0.5)),
    Curve: (Curve(loop, (0.0, TURN)), Ramp(9.0, start=0.5)),
    CurveThrough: (CurveThrough([knot(u) for u in AROUND], degree=5), Ramp(1.5, start=0.3)),
}


def _bead_on(curve: Any, motion: Any) -> Callable[[SpatialStage], None]:
    """A bead driven along a wire on the hand, parallel to it."""

    def state(stage: SpatialStage) -> None:
        frame = stage.wrist()
        start = [*curve.points([motion(0.0)])[0], 0.0][:3]
        bead = stage.mounted("bead", frame, LOOSE.at(stage.vary(0.05), 0.0, 0.02), shift=start)
        wire = frame.body.profile(curve, frame.place, orientation=frame.orientation)
        joint = stage.add("wire", PointOnCurve(wire, bead))
        stage.add("push", Driver(joint.contact, motion))
        stage.add("upright", Orientation(frame, bead))

    return state


@case(PointOnCurve, Helix)
def point_on_helix(stage: SpatialStage) -> None:
    """A nut led by a pin in a helical groove: as on a thread, its travel follows its angle. The pin slides radially."""
    shaft = stage.wrist()
    nut = stage.mounted("nut", shaft, LOOSE.at(0.0, 0.0, 0.02), shift=(0.0, 0.0, 0.1), turn=(0.0, 0.0, 0.3))
    sleeve = stage.add("sleeve", Cylindrical(shaft, nut))
    slot = beside(nut, 0.0, 0.0, stage.vary(-0.05), turn=SQUARE)
    pin = stage.mounted("pin", slot, LOOSE.at(0.01, 0.0, 0.0), shift=(0.0, 0.0, 0.2))
    stage.add("slot", Translational(slot, pin))
    groove = shaft.body.profile(Helix(0.2, 0.3, turns=3.0), shaft.place, orientation=shaft.orientation)
    stage.add("groove", PointOnCurve(groove, pin))
    stage.add("turn", Driver(sleeve.angle, Ramp(10.0, start=1.0)))


@case(Hold, x, y, z, moves_with_frame=False)
def hold_coordinates(stage: SpatialStage) -> None:
    """Three points of a plate: all coordinates of one, two of the next, one of the last."""
    plate = stage.body("plate", 0.3, 0.4, 0.2, turn=(0.1, 0.2, 0.0))
    p, q, r = plate.at(0.1, 0.2, 0.0), plate.at(0.5, 0.1, 0.0), plate.at(0.0, 0.6, 0.1)
    stage.add("p-x", Hold(x(p), stage.vary(0.3)))
    stage.add("p-y", Driver(y(p), Ramp(0.5, start=0.6)))
    stage.add("p-z", Driver(z(p), Harmonic(0.3, 4.0, offset=0.2)))
    stage.add("q-y", Driver(y(q), Ramp(0.7, start=0.5)))
    stage.add("q-z", Hold(z(q) - 0.5 * z(p) - 0.2 * x(r), 0.05))
    stage.add("r-z", Driver(z(r), Harmonic(0.2, 5.0, offset=0.3)))


@case(Hold, bearing, length, component, dot, tilt, angle)
def hold_relative(stage: SpatialStage) -> None:
    """A plate in cylindrical coordinates of the hand, turned by Cardan angles; a second one held by direction cosines.

    From the hand's axes about x and y, z_b = (sin beta, -sin alpha cos beta, cos alpha cos beta).
    """
    a = stage.wrist()
    b = stage.mounted("plate", a, LOOSE.at(0.05, 0.02, -0.1), shift=(0.4, 0.1, 0.2), turn=(0.3, 0.2, 0.1))
    stage.add("distance", Hold(length(a, b), stage.vary(0.5)))
    stage.add("direction", Driver(bearing(a, b), Ramp(8.0, start=0.2)))
    stage.add("height", Hold(component(a, b, "z"), 0.2))
    stage.add("first", Driver(angle(a, b, about="x", zero="z", of="z"), Ramp(7.0, start=0.3)))
    stage.add("second", Hold(tilt(a, b, "x", "z"), 0.2))
    stage.add("third", Driver(angle(b, a, about="z", zero="y", of="x"), Ramp(-6.0, start=-1.6)))
    c = stage.mounted("pointer", b, LOOSE.at(0.3, 0.0, 0.0), turn=(0.3, 0.2, 0.4))
    stage.add("ball", Spherical(b, c))
    stage.add("cosine-x", Hold(dot(b, c, "x", "z"), 0.2))
    stage.add("cosine-y", Driver(dot(b, c, "y", "z"), Harmonic(0.4, 4.0, offset=-0.3)))
    stage.add("roll", Driver(angle(c, b, about="z", zero="x", of="x"), Ramp(-9.0, start=-0.4)))


@case(rotation_component)
def rotation_vector(stage: SpatialStage) -> None:
    """A body held by its rotation vector, which grows from 0.3 rad to nearly half a turn."""
    a = stage.wrist()
    b = stage.mounted("part", a, LOOSE.at(0.05, 0.02, -0.1), turn=(0.2, 0.1, 0.1))
    stage.add("ball", Spherical(a, b))
    stage.add("about-x", Driver(rotation_component(a, b, "x"), Ramp(1.6, start=0.2)))
    stage.add("about-y", Driver(rotation_component(a, b, "y"), Harmonic(1.2, 5.0, offset=0.1)))
    stage.add("about-z", Hold(rotation_component(a, b, "z"), stage.vary(0.8)))


@case(CurveCoupler, Gauge)
def curve_coupler(stage: SpatialStage) -> None:
    stage.crank(Ramp(3.0, start=0.4))
    stage.rocker("two", (0.5, 0.1, 0.0), (1.0, 0.3, 0.2), 0.3)
    table = Spline((0.0, 1.0, 2.5, 4.0), (0.3, stage.vary(0.6), 0.5, 0.9))
    stage.add("table", CurveCoupler(stage.hinge("two").angle, stage.hinge("crank").angle, table))
    stage.add("gauge", Gauge(stage.hinge("two").angle))


@case(helix_component, helix_length)
def helix(stage: SpatialStage) -> None:
    """A body held at the end of a helix, which bends and twists as the arm rotates."""
    a = stage.wrist()
    b = stage.mounted("part", a, LOOSE.at(0.05, 0.02, -0.1), shift=(0.4, 0.1, 0.1), turn=(0.2, 0.1, 0.1))
    stage.add("along", Hold(helix_length(a, b) + 0.3 * helix_component(a, b, "x"), stage.vary(0.6)))
    stage.add("across-y", Driver(helix_component(a, b, "y"), Harmonic(0.1, 4.0, offset=0.05)))
    stage.add("across-z", Hold(helix_component(a, b, "z"), 0.1))
    turned = stage.hinge("arm").angle
    stage.add("about-x", Coupler(rotation_component(a, b, "x") - 0.4 * turned, 0.3))
    stage.add("about-y", Coupler(rotation_component(a, b, "y") + 0.3 * turned, -0.2))
    stage.add("about-z", Hold(rotation_component(a, b, "z"), 0.8))


@case(Coupler)
def coupler(stage: SpatialStage) -> None:
    one = stage.crank(Ramp(9.0, start=0.4))
    two = stage.rocker("two", (0.5, 0.1, 0.0), (1.0, 0.3, 0.2), 0.3)
    three = stage.rocker("three", (0.2, 0.6, 0.3), (0.1, 1.0, -0.4), -0.2)
    chain = stage.hinge("crank").angle + stage.vary(2.5) * stage.hinge("two").angle
    stage.add("chain", Coupler(chain))
    stage.add("belt", Coupler(stage.hinge("three").angle - 1.7 * stage.hinge("two").angle, -0.7))
    stage.add("marks", Point(one.at(0.1, 0.0, 0.0)))
    stage.add("mark-two", Point(two.at(0.1, 0.0, 0.0)))
    stage.add("mark-three", Point(three.at(0.1, 0.0, 0.0)))


@constraint
def bowl(across, aside, along, height=1.5):
    return along - height * (across * across + 2.0 * aside * aside)


@constraint
def meeting(t, across, speed=0.2):
    return across - speed * t - 0.1 * math.sin(2.0 * t)


@case(constraint)
def own_constraint(stage: SpatialStage) -> None:
    frame = stage.wrist()
    bead = stage.mounted("bead", frame, LOOSE.at(0.02, 0.0, 0.05), shift=(0.0, 0.1, 0.0))
    across, aside, along = (component(frame, bead, axis) for axis in "xyz")
    stage.add("bowl", bowl(across, aside, along, height=stage.vary(1.2)))
    stage.add("clock", meeting(across, speed=0.3))
    stage.add("side", Driver(aside, Harmonic(0.2, 6.0, offset=0.1)))
    stage.add("upright", Orientation(frame, bead))


CASES += [
    Case(f"spatial-bead on {kind.__name__}", SpatialStage, _bead_on(*wire), (PointOnCurve, kind))
    for kind, wire in WIRES.items()
]
