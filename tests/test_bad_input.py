"""Bad statements are rejected in one sentence that names the element and the value, before anything is solved."""

from __future__ import annotations

from bad_input import INF, NAN, Bad, Bench, check_rejected, lines
from cardan.planar import (
    Body,
    Circle,
    Condition,
    Constant,
    Coupler,
    Distance,
    Driver,
    Dwell,
    Fixed,
    Function,
    Gear,
    Harmonic,
    Hold,
    Model,
    MotionProgram,
    Move,
    MoveThrough,
    Point,
    Polynomial,
    RackPinion,
    Ramp,
    Revolute,
    RevoluteTranslational,
    Spline,
    Step,
    Translational,
    angle,
    bearing,
    component,
    dot,
    length,
    x,
    y,
)
from folding import folded

CASES: list[Bad] = []

# Bodies and markers
CASES += lines(
    "body",
    (lambda b: b.add(Body(mass=-1.0)), "mass", "culprit", "-1"),
    (lambda b: b.add(Body(mass=-2.5)), "mass", "culprit", "-2.5"),
    (lambda b: b.add(Body(mass=NAN)), "mass", "culprit", "nan"),
    (lambda b: b.add(Body(mass=INF)), "mass", "culprit", "inf"),
    (lambda b: b.add(Body(mass="heavy")), "mass", "culprit", "heavy"),
    (lambda b: b.add(Body(mass=True)), "mass", "culprit", "True"),
    (lambda b: b.add(Body(inertia=-1)), "inertia", "culprit", "-1"),
    (lambda b: b.add(Body(inertia=-1e-3)), "inertia", "culprit", "-0.001"),
    (lambda b: b.add(Body(position=(NAN, 0.0))), "position", "culprit", "nan"),
    (lambda b: b.add(Body(position=(0.0, INF))), "position", "culprit", "inf"),
    (lambda b: b.add(Body(position=(0.0, 1.0, 2.0))), "position", "culprit", "(0.0, 1.0, 2.0)"),
    (lambda b: b.add(Body(position="here")), "position", "culprit", "here"),
    (lambda b: b.add(Body(position=3.0)), "position", "culprit", "3.0"),
    (lambda b: b.add(Body(position=("a", 0.0))), "position", "culprit", "a"),
    (lambda b: b.add(Body(angle=NAN)), "angle", "culprit", "nan"),
    (lambda b: b.add(Body(angle="up")), "angle", "culprit", "up"),
    (lambda b: b.add(Body(velocity=(1.0,))), "velocity", "culprit", "1.0"),
    (lambda b: b.add(Body(angular_velocity=INF)), "angular", "culprit", "inf"),
    (lambda b: b.add(Body(outline=[(0.0, NAN), (1.0, 1.0)])), "outline", "culprit", "nan"),
    (lambda b: b.add(Body(outline=[(0.0, 1.0, 2.0)])), "outline", "culprit", "2.0"),
    (lambda b: b.add(Body(outline="square")), "outline", "culprit"),
    (lambda b: b.add(Body(color="mauve-ish")), "color", "culprit", "mauve-ish"),
    (lambda b: b.add(Body(outline=7)), "outline", "culprit", "7"),
)
CASES += lines(
    "marker",
    (lambda b: b.arm.at(NAN, 0.0), "arm", "nan"),
    (lambda b: b.arm.at(0.0, INF), "arm", "inf"),
    (lambda b: b.arm.at("left", 0.0), "arm", "left"),
    (lambda b: b.arm.at((1.0, 2.0)), "arm", "(1.0, 2.0)"),
    (lambda b: b.arm.at(0.0, 0.0, NAN), "angle", "arm", "nan"),
    (lambda b: b.arm.at(0.0, 0.0, "steep"), "angle", "arm", "steep"),
    (lambda b: b.arm.at(1.0, 2.0, toward=(1.0, 2.0)), "arm", "(1, 2)"),
    (lambda b: b.arm.at(1.0, 2.0, toward=(1.0,)), "arm", "1.0"),
    (lambda b: b.arm.at(1.0, 2.0, toward=(NAN, 0.0)), "arm", "nan"),
    (lambda b: b.arm.at(1.0, 2.0, 0.5, toward=(0.0, 0.0)), "arm", "both"),
    (lambda b: b.arm.profile("circle"), "profile", "arm", "circle"),
    (lambda b: b.arm.profile(Circle(1.0), NAN), "profile", "arm", "nan"),
    (lambda b: b.arm.profile(Circle(1.0), 0.0, 0.0, "x"), "profile", "arm", "x"),
)

# Joints
PAIRS = (Revolute, Translational, Fixed, RevoluteTranslational)
for _joint in PAIRS:
    CASES += lines(
        _joint.__name__,
        (lambda b, j=_joint: b.add(j(b.arm.at(), b.arm.at(1.0, 0.0))), "culprit", "arm", "itself"),
        (lambda b, j=_joint: b.add(j(b.arm, b.part.at())), _joint.__name__, "Marker", "arm"),
        (lambda b, j=_joint: b.add(j(b.arm.at(), b.part)), _joint.__name__, "Marker", "part"),
        (lambda b, j=_joint: b.add(j(b.arm.at(), (1.0, 0.0))), _joint.__name__, "Marker", "(1.0, 0.0)"),
        (lambda b, j=_joint: b.add(j(b.arm.at(), x(b.part.at()))), _joint.__name__, "Marker"),
        (lambda b, j=_joint: b.add(j(b.arm.at(), b.part.profile(Circle(1.0)))), _joint.__name__, "Marker"),
        (lambda b, j=_joint: b.add(j(b.arm.at(), Body().at())), "culprit", "bench"),
        (lambda b, j=_joint: b.add(j(b.arm.at(), Bench().part.at())), "culprit", "part", "bench"),
        (lambda b, j=_joint: b.add(j(Model("other").ground.at(), b.arm.at())), "culprit", "ground", "bench"),
        (lambda b, j=_joint: b.add(j.between(b.arm, b.arm, at=(0.0, 0.0))), "culprit", "arm", "itself"),
        (lambda b, j=_joint: j.between(b.arm.at(), b.part, at=(0.0, 0.0)), "between()", "end a", "Marker arm"),
        (lambda b, j=_joint: j.between(b.arm, None, at=(0.0, 0.0)), "between()", "end b", "None"),
        (lambda b, j=_joint: j.between(b.arm, b.part, at=(0.0, 0.0, 0.0)), "arm", "2 numbers", "(0.0, 0.0, 0.0)"),
        (lambda b, j=_joint: j.between(b.arm, b.part, at=(0.0, 0.0), z=(0, 0, 1)), "'z'", "angle"),
    )


def _rod(value):
    return lambda b: b.add(Distance(b.arm.at(), b.part.at(), value))


def _gear(**data):
    return lambda b: b.add(Gear(b.arm.at(), b.part.at(), **data))


def _rack(**data):
    return lambda b: b.add(RackPinion(b.arm.at(), b.part.at(), **data))


CASES += lines(
    "dimension",
    (_rod(0.0), "length", "culprit", "0"),
    (_rod(-0.3), "length", "culprit", "-0.3"),
    (_rod(NAN), "length", "culprit", "nan"),
    (_rod(INF), "length", "culprit", "inf"),
    (_rod("long"), "length", "culprit", "long"),
    (_rod(None), "length", "culprit", "None"),
    (lambda b: b.add(Distance(b.arm.at(), b.part.at())), "Distance needs length="),
    (lambda b: b.add(Distance(b.arm.at(), b.arm.at(1.0), 1.0)), "culprit", "arm", "itself"),
    (lambda b: b.add(RevoluteTranslational(b.arm.at(), b.part.at(), offset=NAN)), "offset", "culprit", "nan"),
    (lambda b: b.add(RevoluteTranslational(b.arm.at(), b.part.at(), offset="far")), "offset", "culprit", "far"),
    (_gear(radius_a=0.0, radius_b=1.0), "radius_a", "culprit", "0"),
    (_gear(radius_a=1.0, radius_b=-1.5), "radius_b", "culprit", "-1.5"),
    (_gear(radius_a=NAN, radius_b=1.0), "radius_a", "culprit", "nan"),
    (_gear(radius_a="big", radius_b=1.0), "radius_a", "culprit", "big"),
    (_gear(radius_a=1.0, radius_b=2.0, internal=True), "internal", "culprit", "1", "2"),
    (_gear(radius_a=1.5, radius_b=1.5, internal=True), "internal", "culprit", "1.5"),
    (_gear(radius_a=1.0, radius_b=2.0, angle_a=0.5), "culprit", "angle_b"),
    (_gear(radius_a=1.0, radius_b=2.0, angle_a=NAN, angle_b=0.0), "angle_a", "culprit", "nan"),
    (_gear(radius_a=1.0, radius_b=2.0, angle_a=0.1, angle_b="top"), "angle_b", "culprit", "top"),
    (_gear(radius_a=2.0, radius_b=1.0, internal="no"), "internal", "culprit", "no"),
    (_rack(radius=0.0), "radius", "culprit", "zero"),
    (_rack(radius=NAN), "radius", "culprit", "nan"),
    (_rack(radius="round"), "radius", "culprit", "round"),
    (_rack(radius=1.0, contact=INF), "contact", "culprit", "inf"),
    (_rack(radius=1.0, contact="mid"), "contact", "culprit", "mid"),
)


# Measures and what acts on them
CASES += lines(
    "measure",
    (lambda b: x(b.arm), "x()", "Marker", "arm"),
    (lambda b: y((1.0, 2.0)), "y()", "Marker", "(1.0, 2.0)"),
    (lambda b: angle(b.arm, b.part.at()), "angle()", "Marker", "arm"),
    (lambda b: angle(b.arm.at(), 3.0), "angle()", "Marker", "3.0"),
    (lambda b: length(b.arm.at(), "part"), "length()", "Marker", "part"),
    (lambda b: bearing(None, b.part.at()), "bearing()", "Marker", "None"),
    (lambda b: component(b.arm.at(), b.part.at(), "z"), "component()", "z"),
    (lambda b: component(b.arm.at(), b.part.at(), "X"), "component()", "X"),
    (lambda b: component(b.arm.at(), b.part.at(), 0), "component()", "0"),
    (lambda b: dot(b.arm.at(), b.part.at(), "x", "q"), "dot()", "q"),
    (lambda b: dot(b.arm.at(), b.part.at(), "xy", "x"), "dot()", "xy"),
    (lambda b: b.hinge.angle + 1.0, "measure", "1.0"),
    (lambda b: b.hinge.angle - b.arm, "measure", "arm"),
    (lambda b: b.hinge.angle * NAN, "factor", "nan"),
    (lambda b: b.hinge.angle * "two", "factor", "two"),
    (lambda b: b.hinge.angle * b.hinge.angle, "factor"),
    (lambda b: b.hinge.angle / 0.0, "0"),
)
CASES += lines(
    "driver",
    (lambda b: b.add(Hold(b.hinge, 1.0)), "Hold", "measure", "hinge.angle"),
    (lambda b: b.add(Hold(b.arm.at(), 1.0)), "Hold", "measure", "Marker"),
    (lambda b: b.add(Hold(b.hinge.angle, NAN)), "value", "culprit", "nan"),
    (lambda b: b.add(Hold(b.hinge.angle, "half")), "value", "culprit", "half"),
    (lambda b: b.add(Hold(b.hinge.angle, Ramp(1.0))), "value", "culprit", "Ramp"),
    (lambda b: b.add(Hold(length(b.arm.at(), b.part.at()), 0.0)), "culprit", "distance", "0"),
    (lambda b: b.add(Hold(length(b.arm.at(), b.part.at()), -0.5)), "culprit", "distance", "-0.5"),
    (lambda b: b.add(Hold(dot(b.arm.at(), b.part.at(), "x", "x"), 1.0)), "culprit", "dot product", "1", "angle"),
    (lambda b: b.add(Driver(b.arm, Ramp(1.0))), "Driver", "measure", "arm"),
    (lambda b: b.add(Driver(Ramp(1.0), b.hinge.angle)), "Driver", "measure", "Ramp"),
    (lambda b: b.add(Driver(b.hinge.angle, b.hinge.angle)), "motion", "angle"),
    (lambda b: b.add(Driver(b.hinge.angle, "fast")), "motion", "fast"),
    (lambda b: b.add(Driver(b.hinge.angle, None)), "motion", "None"),
    (lambda b: b.add(Driver(b.hinge.angle, NAN)), "motion", "nan"),
    (lambda b: b.add(Driver(b.hinge.angle, lambda: 0.0)), "one argument"),
    (lambda b: b.add(Coupler(b.hinge.angle)), "culprit", "single", "Hold"),
    (lambda b: b.add(Coupler(b.hinge)), "Coupler", "measure"),
    (lambda b: b.add(Coupler(b.hinge.angle + angle(b.ground.at(), b.part.at()), NAN)), "value", "culprit", "nan"),
    (lambda b: b.add(Coupler(b.hinge.angle - b.hinge.angle)), "culprit"),
    (lambda b: b.add(Driver(b.hinge.angle - b.hinge.angle, Ramp(1.0))), "culprit"),
    (lambda b: b.add(Hold(0.0 * b.hinge.angle, 1.0)), "culprit"),
    (lambda b: b.add(Hold(angle(b.arm.at(), b.arm.at(0.0, 0.0, 1.0)), 0.5)), "culprit", "arm"),
    (lambda b: b.add(Hold(x(b.ground.at(1.0, 0.0)), 0.5)), "culprit", "ground"),
    (lambda b: b.add(Driver(angle(Bench().arm.at(), b.part.at()), Ramp(1.0))), "culprit", "arm", "bench"),
    (lambda b: b.add(Point(b.arm)), "Point", "Marker", "arm"),
    (lambda b: b.add(Point((1.0, 2.0))), "Point", "Marker", "(1.0, 2.0)"),
    (lambda b: b.add(Point(Bench().arm.at())), "culprit", "arm", "bench"),
)
CASES += lines(
    "motion",
    (lambda b: Ramp(NAN), "Ramp", "nan"),
    (lambda b: Ramp("quick"), "Ramp", "quick"),
    (lambda b: Ramp(1.0, start=INF), "Ramp", "inf"),
    (lambda b: Constant("c"), "Constant", "c"),
    (lambda b: Constant(b.hinge.angle), "Constant", "angle"),
    (lambda b: Harmonic(1.0, NAN), "Harmonic", "frequency", "nan"),
    (lambda b: Harmonic("wide", 1.0), "Harmonic", "amplitude", "wide"),
    (lambda b: Polynomial(), "Polynomial"),
    (lambda b: Polynomial(1.0, NAN), "Polynomial", "nan"),
    (lambda b: Polynomial([1.0, 2.0]), "Polynomial", "[1.0, 2.0]"),
    (lambda b: Step(1.0, 0.5), "Step", "1", "0.5"),
    (lambda b: Step(1.0, 1.0), "Step", "1"),
    (lambda b: Step(0.0, 1.0, order=3), "Step", "3"),
    (lambda b: Step(0.0, NAN), "Step", "nan"),
    (lambda b: Spline((0.0, 1.0, 1.0), (0.0, 1.0, 2.0)), "Spline", "1"),
    (lambda b: Spline((0.0, 1.0), (0.0, 1.0, 2.0)), "Spline", "2", "3"),
    (lambda b: Spline((0.0, 1.0), (0.0, NAN)), "Spline", "nan"),
    (lambda b: Spline((0.0, 1.0, 2.0, 3.0), (0.0, 1.0, 2.0, 3.0), end="periodic"), "Spline", "3"),
    (lambda b: Spline((0.0, 1.0), (0.0, 1.0), end="loose"), "Spline", "loose"),
    (lambda b: Spline((0.0, 1.0), (0.0, 1.0), outside="guess"), "Spline", "guess"),
    (lambda b: Move(1.0, 0.0), "Move", "duration", "0"),
    (lambda b: Move(1.0, 1.0, "cubic"), "Move", "cubic"),
    (lambda b: Dwell(-1.0), "Dwell", "-1"),
    (lambda b: Condition(0.0), "Condition", "nothing"),
    (lambda b: MoveThrough([Condition(0.5, 1.0), Condition(1.0, 1.0)]), "MoveThrough", "0.5"),
    (lambda b: MoveThrough([Condition(0.0, 1.0), Condition(1.0, rate=1.0)]), "MoveThrough", "value"),
    (lambda b: MoveThrough([Condition(0.0, 1.0), Condition(1.0, 0.0)], degree=5), "MoveThrough", "5", "2"),
    (lambda b: MoveThrough([Condition(0.1 * k, 0.0) for k in range(20)]), "20", "degree=5"),
    (lambda b: MotionProgram([]), "MotionProgram"),
    (lambda b: MotionProgram([1.0]), "MotionProgram", "1.0"),
    (lambda b: MotionProgram([Move(1.0, 1.0)], repeat="periodic"), "MotionProgram", "1", "indexing"),
    (lambda b: MotionProgram([Move(1.0, 1.0)], repeat="often"), "MotionProgram", "often"),
    (lambda b: MotionProgram([Dwell(1.0), MoveThrough([Condition(0, rate=2.0), Condition(1, 1.0)])]), "rate", "2"),
    (lambda b: MotionProgram([MoveThrough([Condition(0, 3.0), Condition(1, 1.0)])]), "MoveThrough", "3", "0"),
    (lambda b: Function(3.0), "Function", "3.0"),
    (lambda b: Function(lambda t, u: t), "Function", "one argument"),
    (lambda b: Ramp(1.0) * "two", "factor", "two"),
    (lambda b: Ramp(1.0) + "two", "motion", "two"),
    (lambda b: Ramp(1.0)(NAN), "motion", "nan"),
)


@folded("case", CASES, ids=str)
def test_rejected(case, monkeypatch):
    check_rejected(case, monkeypatch)
