"""Every public element of the plane, each in a small mechanism that closes and is fully driven from 0 s to 1 s.

    for case in CASES:
        model = case.model()                       as stated
        model = case.model(seed=3)                 with other dimensions
        model = case.model(pose=(1, 2, 0.3))       the whole mechanism moved and turned
        model = case.model(backwards=True)         the same, stated in the opposite order

A mechanism is stated on a `PlanarStage`: `stage.ground(x, y)` is a marker that does not move, `stage.body("arm", x, y)`
a body, `stage.add("hinge", Revolute(...))` an element. `covers` lists the public names that a case stands for.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from cardan.planar import (
    Body,
    CamFlat,
    CamPair,
    CamProfile,
    CamRoller,
    Circle,
    Condition,
    Constant,
    Coupler,
    Curve,
    CurveCoupler,
    CurveThrough,
    Distance,
    Driver,
    Dwell,
    Fixed,
    Function,
    Gauge,
    Gear,
    Harmonic,
    Hold,
    Marker,
    Model,
    MotionProgram,
    Move,
    MoveThrough,
    PinInSlot,
    Point,
    PointFollower,
    Polar,
    PolarTable,
    Polynomial,
    RackPinion,
    Ramp,
    Revolute,
    RevoluteRevolute,
    RevoluteTranslational,
    RockerCamProfile,
    SharedGear,
    Spline,
    Step,
    SwingingFlat,
    SwingingRoller,
    TranslatingFlat,
    TranslatingRoller,
    Translational,
    angle,
    bearing,
    component,
    constraint,
    dot,
    helix_component,
    helix_length,
    length,
    x,
    y,
)
from stage import Case, Stage, catalog

TURN = 2.0 * math.pi
UP = 0.5 * math.pi
Pose = tuple[float, float, float]


class PlanarStage(Stage):
    """A pose is x, y and an angle."""

    here = (0.0, 0.0, 0.0)
    poses = ((1.0, -2.0, 0.7), (-0.4, 0.1, -2.9), (0.0, 0.0, math.pi))

    def __init__(self, name: str, seed: int = 0, pose: Pose | None = None) -> None:
        super().__init__(Model(name), seed, pose)

    @staticmethod
    def motion_of(pose: Pose) -> tuple[np.ndarray, np.ndarray]:
        c, s = math.cos(pose[2]), math.sin(pose[2])
        return np.array([[c, -s], [s, c]]), np.array(pose[:2])

    def ground(self, x: float = 0.0, y: float = 0.0, turn: float = 0.0) -> Marker:
        return self.empty.ground.at(*self._place(x, y, turn))

    def body(self, name: str, x: float = 0.0, y: float = 0.0, turn: float = 0.0) -> Body:
        px, py, phi = self._place(x, y, turn)
        return self.keep(name, Body(mass=1.0, inertia=0.1, position=(px, py), angle=phi))

    def crank(self, motion: Any = None, name: str = "crank", x: float = 0.0, y: float = 0.0, turn: float = 0.4) -> Body:
        """A body that turns about its own origin as a motion says."""
        body = self.body(name, x, y, turn)
        hinge = self.add(f"{name}-hinge", Revolute(self.ground(x, y), body.at()))
        self.add(f"{name}-motor", Driver(hinge.angle, Ramp(1.3, start=turn) if motion is None else motion))
        return body

    def rocker(self, x: float, y: float, turn: float, name: str = "rocker") -> Body:
        """A body that turns freely about its own origin."""
        body = self.body(name, x, y, turn)
        self.add(f"{name}-hinge", Revolute(self.ground(x, y), body.at()))
        return body

    def lifter(self, height: float, name: str = "lifter") -> Body:
        """A body that moves up and down above the origin."""
        body = self.body(name, 0.0, height)
        self.add(f"{name}-guide", Translational(self.ground(0.0, 0.0, UP), body.at(0.0, 0.0, UP)))
        return body

    def _place(self, x: float, y: float, turn: float) -> Pose:
        px, py, phi = self.pose
        c, s = math.cos(phi), math.sin(phi)
        return px + c * x - s * y, py + s * x + c * y, phi + turn


CASES, case = catalog(PlanarStage)


@case(Model, Body, Marker, Revolute, Driver, Ramp, angle)
def revolute(stage: PlanarStage) -> None:
    upper, lower = stage.crank(), stage.body("lower", 0.4, 0.2, -0.5)
    knee = stage.add("knee", Revolute(upper.at(stage.vary(0.45), 0.02, 0.3), lower.at(-0.1, 0.05, 0.1)))
    stage.add("knee-motor", Driver(knee.angle, Ramp(-2.0, start=-1.0)))


@case(Translational, Point)
def translational(stage: PlanarStage) -> None:
    arm, block = stage.crank(), stage.body("block", 0.3, 0.2, 0.5)
    guide = stage.add("guide", Translational(arm.at(0.05, stage.vary(0.1), 0.2), block.at(0.02, -0.03, 0.1)))
    stage.add("cylinder", Driver(guide.travel, Harmonic(0.1, 3.0, offset=0.4)))
    stage.add("corner", Point(block.at(0.1, 0.1)))


@case(Fixed)
def fixed(stage: PlanarStage) -> None:
    arm, part = stage.crank(), stage.body("part", 0.3, 0.1, 0.4)
    stage.add("weld", Fixed(arm.at(stage.vary(0.3), 0.1, 0.2), part.at(0.05, 0.0, -0.1)))


@case(Distance)
def distance(stage: PlanarStage) -> None:
    arm, rocker = stage.crank(), stage.rocker(stage.vary(0.7), 0.0, 2.0)
    stage.add("rod", Distance(arm.at(0.2, 0.0), rocker.at(0.5, 0.0), stage.vary(0.6)))


@case(RevoluteRevolute, length)
def strut(stage: PlanarStage) -> None:
    arm, rocker = stage.crank(0.4), stage.rocker(0.7, 0.0, 2.0)
    tip, eye = arm.at(0.2, 0.0), rocker.at(0.5, 0.0)
    stage.add("strut-driver", Driver(length(tip, eye), Harmonic(0.1, 2.0, offset=stage.vary(0.6))))
    third = stage.body("third", 0.0, 0.6)
    stage.add("tip", Revolute(eye, third.at(0.2, 0.1)))
    stage.add("composite", RevoluteRevolute(stage.ground(0.0, 1.0), third.at(-0.2, 0.1), stage.vary(0.8)))


@case(RevoluteTranslational, PinInSlot)
def pin_in_slot(stage: PlanarStage) -> None:
    arm, rocker = stage.crank(), stage.rocker(0.0, stage.vary(-0.6), UP)
    stage.add("slot", RevoluteTranslational(rocker.at(0.1, 0.02, 0.05), arm.at(0.2, 0.0), offset=0.03))
    pin, block = arm.at(-0.2, 0.1), stage.lifter(0.1, "block")
    stage.add("yoke", PinInSlot(block.at(0.0, 0.0, 0.2), pin))


@case(Gear)
def gear_external(stage: PlanarStage) -> None:
    wheel, pinion = stage.crank(), stage.rocker(0.5, 0.0, 0.1, "pinion")
    radius = stage.vary(0.3)
    stage.add("mesh", Gear(wheel.at(), pinion.at(), radius_a=radius, radius_b=0.5 - radius, angle_a=0.1, angle_b=0.2))


@case(Gear, bearing)
def gear_planetary(stage: PlanarStage) -> None:
    carrier = stage.crank(Ramp(7.0, start=0.4))
    planet, inner = stage.body("planet", 0.2, 0.1, 0.2), stage.body("inner", 0.2, 0.1, 0.0)
    stage.add("pin", Revolute(carrier.at(0.2, 0.0), planet.at(0.0, 0.0, 0.3)))
    radius = stage.vary(0.12)
    stage.add("sun", Gear(stage.ground(), planet.at(), radius_a=radius, radius_b=0.2 - radius))
    stage.add("pin2", Revolute(carrier.at(0.2, 0.1), inner.at()))
    radius = stage.vary(0.1)
    reach = math.hypot(0.2, 0.1)
    stage.add("ring", Gear(stage.ground(), inner.at(), radius_a=reach + radius, radius_b=radius, internal=True))


@case(Gear)
def gear_teeth(stage: PlanarStage) -> None:
    wheel, pinion = stage.crank(), stage.rocker(0.5, 0.0, 0.1, "pinion")
    radius = stage.vary(0.3)
    teeth = {"angle_a": 0.1, "angle_b": 0.2, "pressure_angle": stage.vary(0.35)}
    stage.add("mesh", Gear(wheel.at(), pinion.at(), radius_a=radius, radius_b=0.5 - radius, **teeth))


@case(SharedGear)
def shared_gear(stage: PlanarStage) -> None:
    """A sun that stands still, two planets on a carrier, and a ring that they turn."""
    carrier, ring = stage.crank(Ramp(7.0, start=0.4)), stage.rocker(0.0, 0.0, 0.1, "ring")
    radius, planets = stage.vary(0.12), []
    for k, side in enumerate((1.0, -1.0), 1):
        planet = stage.body(f"planet {k}", 0.2 * side, 0.1 * side, 0.2)
        stage.add(f"pin {k}", Revolute(carrier.at(0.2 * side, 0.0), planet.at(0.0, 0.0, 0.3)))
        sizes = {"radius_a": 0.4 - radius, "radius_b": 0.2 - radius, "internal": True}
        stage.add(f"ring-mesh {k}", Gear(ring.at(), planet.at(), **sizes, pressure_angle=0.35))
        planets.append(planet.at())
    stage.add("sun-mesh", SharedGear(stage.ground(), planets, radius, 0.2 - radius, pressure_angle=0.35))


@case(RackPinion)
def rack_teeth(stage: PlanarStage) -> None:
    """A pinion that turns in ground, below a rack that it pushes away."""
    rack, pinion = stage.body("rack", 0.1, 0.0), stage.rocker(0.0, -0.3, 0.1, "pinion")
    guide = stage.add("guide", Translational(stage.ground(), rack.at()))
    stage.add("cylinder", Driver(guide.travel, Harmonic(0.1, 3.0, offset=0.1)))
    stage.add("mesh", RackPinion(rack.at(), pinion.at(), radius=-0.3, pressure_angle=stage.vary(0.35)))


@case(RackPinion)
def rack_pinion(stage: PlanarStage) -> None:
    """Two pinions on a rack that slides, left and right of it, each center held in an upright slot."""
    rack = stage.body("rack", 0.1, 0.0)
    guide = stage.add("guide", Translational(stage.ground(), rack.at()))
    stage.add("cylinder", Driver(guide.travel, Harmonic(0.1, 3.0, offset=0.1)))
    left, right = stage.body("left", 0.0, 0.2, 0.3), stage.body("right", 0.0, -0.3, 0.1)
    stage.add("mesh-left", RackPinion(rack.at(0.1, 0.0), left.at(), radius=stage.vary(0.2)))
    stage.add("mesh-right", RackPinion(rack.at(0.1, 0.0), right.at(), radius=-0.3, contact=-0.1))
    for wheel, name in ((left, "left"), (right, "right")):
        stage.add(f"slot-{name}", PinInSlot(stage.ground(0.0, 0.0, UP), wheel.at()))


def lobed(alpha):
    return 0.3 + 0.03 * math.cos(2.0 * alpha)


def egg(u):
    return 0.33 * math.cos(u) + 0.02, 0.3 * math.sin(u)


def slot_line(u):
    return u, 0.4 + 0.1 * math.sin(3.0 * u)


AROUND = np.linspace(0.0, TURN, 25)[:-1]


@case(CamRoller, Polar)
def cam_roller(stage: PlanarStage) -> None:
    cam, follower = stage.crank(Ramp(4.0, start=0.4)), stage.lifter(0.4)
    stage.add("contact", CamRoller(cam.profile(Polar(lobed), 0.02, 0.0, 0.1), follower.at(0.03, 0.0), stage.vary(0.1)))


@case(CamRoller, CurveThrough)
def cam_roller_inside(stage: PlanarStage) -> None:
    ring, follower = stage.crank(), stage.lifter(0.15)
    outline = ring.profile(CurveThrough([egg(u) for u in AROUND], degree=5))
    stage.add("contact", CamRoller(outline, follower.at(0.02, 0.0), stage.vary(0.1), inside=True))


@case(CamFlat, PolarTable)
def cam_flat(stage: PlanarStage) -> None:
    cam, follower = stage.crank(), stage.lifter(0.4)
    outline = PolarTable(AROUND, [lobed(a) for a in AROUND], degree=5)
    stage.add("contact", CamFlat(cam.profile(outline, stage.vary(0.03)), follower.at(0.0, 0.02, 0.1), (-0.5, 0.5)))


@case(CamPair, Curve, Circle)
def cam_pair(stage: PlanarStage) -> None:
    cam, rocker = stage.crank(), stage.rocker(0.5, 0.35, math.pi)
    outline = rocker.profile(Circle(stage.vary(0.1)), 0.5, 0.0)
    stage.add("contact", CamPair(cam.profile(Curve(egg, (0.0, TURN))), outline))


@case(PointFollower, Curve)
def point_follower(stage: PlanarStage) -> None:
    plate, pin = stage.crank(Harmonic(0.4, 2.0)), stage.lifter(0.4)
    stage.add("slot", PointFollower(plate.profile(Curve(slot_line, (-1.0, 1.0), closed=False)), pin.at(0.0, 0.0)))


@case(Hold, x, y, moves_with_frame=False)
def hold_coordinates(stage: PlanarStage) -> None:
    plate = stage.body("plate", 0.3, 0.4, 0.2)
    stage.add("in-x", Hold(x(plate.at(0.1, 0.2)), stage.vary(0.3)))
    stage.add("in-y", Driver(y(plate.at(0.3, -0.1)), Harmonic(0.05, 4.0, offset=0.4)))
    stage.add("turning", Hold(y(plate.at(-0.2, 0.0)) - 2.0 * x(plate.at(0.0, 0.1)), 0.1))


@case(Hold, component, dot, bearing, length)
def hold_relative(stage: PlanarStage) -> None:
    arm, plate, other = stage.crank(), stage.body("plate", 0.5, 0.4, 0.2), stage.body("other", 0.2, -0.4, 0.1)
    stage.add("distance", Hold(length(arm.at(0.1, 0.0), plate.at(0.05, 0.02)), stage.vary(0.5)))
    stage.add("direction", Hold(bearing(arm.at(0.1, 0.0, 0.1), plate.at(0.05, 0.02)), 0.6))
    stage.add("square", Hold(dot(arm.at(), plate.at(0.0, 0.0, 0.3), "x", "y"), 0.1))
    stage.add("along", Hold(component(plate.at(0.0, 0.1, 0.2), other.at(0.1, 0.0), "x"), 0.2))
    stage.add("across", Driver(component(plate.at(0.0, 0.1, 0.2), other.at(0.1, 0.0), "y"), Ramp(0.2, start=-0.9)))
    stage.add("leaning", Hold(angle(arm.at(), other.at()), -0.3))


@case(CurveCoupler, Gauge)
def curve_coupler(stage: PlanarStage) -> None:
    one, two = stage.crank(), stage.rocker(0.5, 0.0, 0.3, "two")
    ground, table = stage.ground(), Spline((0.0, 1.0, 2.5, 4.0), (0.3, stage.vary(0.6), 0.5, 0.9))
    stage.add("table", CurveCoupler(angle(ground, two.at()), angle(ground, one.at()), table))
    stage.add("gauge", Gauge(angle(one.at(), two.at())))


@case(helix_component, helix_length)
def hold_arc(stage: PlanarStage) -> None:
    """A body held at the end of an arc, which bends as the arm rotates."""
    arm, plate = stage.crank(), stage.body("plate", 0.5, 0.4, 0.2)
    a, b = arm.at(0.1, 0.0, 0.3), plate.at(0.05, 0.02, -0.2)
    stage.add("turning", Coupler(angle(a, b) - 0.4 * angle(stage.ground(), arm.at()), stage.vary(0.7)))
    stage.add("along", Hold(helix_length(a, b) + 0.3 * helix_component(a, b, "x"), 0.8))
    stage.add("across", Driver(helix_component(a, b, "y"), Harmonic(0.1, 4.0, offset=0.1)))


@case(Coupler)
def coupler(stage: PlanarStage) -> None:
    one, two = stage.crank(), stage.rocker(0.5, 0.0, 0.3, "two")
    ground = stage.ground()
    stage.add("chain", Coupler(angle(ground, one.at()) + stage.vary(2.5) * angle(ground, two.at())))


@constraint
def parabola(across, along, height=1.5):
    return along - height * across * across


@constraint
def meeting(t, across, speed=0.2):
    return across - speed * t - 0.1 * math.sin(2.0 * t)


@case(constraint)
def own_constraint(stage: PlanarStage) -> None:
    arm, bead = stage.crank(), stage.body("bead", 0.05, 0.1, 0.4)
    frame, point = arm.at(0.0, 0.1, 0.2), bead.at(0.02, 0.0)
    across, along = component(frame, point, "x"), component(frame, point, "y")
    stage.add("wire", parabola(across, along, height=stage.vary(1.2)))
    stage.add("clock", meeting(across, speed=0.3))
    stage.add("upright", Hold(angle(stage.ground(), bead.at()), 0.2))


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
    Ramp: Ramp(2.0, start=0.4),
    Spline: Spline((0.0, 0.3, 0.65, 1.0), (0.4, 0.8, 0.6, 1.1)),
    Step: Step(0.25, 0.85, from_value=0.4, to_value=1.2),
}

LIFT = MotionProgram([Move(0.05, 2.0), Dwell(1.0), Move(0.0, 2.0, "3-4-5"), Dwell(TURN - 5.0)])
TILT = MotionProgram([Move(0.2, 2.0), Move(0.0, TURN - 2.0)])
FOLLOWERS = (TranslatingFlat, TranslatingRoller, SwingingFlat, SwingingRoller)
PROFILES = {
    CamProfile: CamProfile(LIFT, TranslatingRoller(0.05), 0.3),
    RockerCamProfile: RockerCamProfile(TILT, SwingingFlat(0.9), 0.3),
    Circle: Circle(0.3, center=(0.03, 0.02)),
    Curve: Curve(egg, (0.0, TURN)),
    CurveThrough: CurveThrough([egg(u) for u in AROUND]),
    Polar: Polar(lobed),
    PolarTable: PolarTable(AROUND, [lobed(a) for a in AROUND]),
}


def _driven_by(motion: Any) -> Callable[[PlanarStage], None]:
    def state(stage: PlanarStage) -> None:
        arm, rocker = stage.crank(motion), stage.rocker(0.7, 0.0, 2.0)
        stage.add("rod", Distance(arm.at(0.2, 0.0), rocker.at(0.5, 0.0), stage.vary(0.6)))

    return state


def _rolling_on(profile: Any) -> Callable[[PlanarStage], None]:
    def state(stage: PlanarStage) -> None:
        cam, follower = stage.crank(), stage.lifter(0.4)
        stage.add("contact", CamRoller(cam.profile(profile, 0.0, 0.01, 0.2), follower.at(0.03, 0.0), stage.vary(0.08)))

    return state


CASES += [
    Case(f"driven by {kind.__name__}", PlanarStage, _driven_by(motion), (kind, *PARTS.get(kind, ())))
    for kind, motion in MOTIONS.items()
]
CASES += [
    Case(
        f"rolling on {kind.__name__}",
        PlanarStage,
        _rolling_on(profile),
        (kind, *(FOLLOWERS if kind is CamProfile else ())),
    )
    for kind, profile in PROFILES.items()
]
