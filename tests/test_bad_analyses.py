"""Bad cams, models, user functions, times and questions: rejected like bad statements, before anything is solved."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from bad_input import INF, NAN, Bad, Bench, check_rejected, lines
from cardan import CardanError, ModelError, SimulationError, assemble, kinematics, mobility
from cardan.planar import (
    Body,
    CamFlat,
    CamPair,
    CamProfile,
    CamRoller,
    Circle,
    Curve,
    CurveThrough,
    Driver,
    Fixed,
    Harmonic,
    Hold,
    Model,
    MotionProgram,
    Move,
    PointFollower,
    Polar,
    PolarTable,
    Ramp,
    Revolute,
    RockerCamProfile,
    SwingingFlat,
    SwingingRoller,
    TranslatingFlat,
    TranslatingRoller,
    Translational,
    angle,
    component,
    constraint,
    length,
    x,
    y,
)
from folding import folded

CASES: list[Bad] = []
TURN = 2.0 * math.pi


def waist(alpha):
    """Concave where it is narrow: the curvature at alpha = pi/2 is (r^2 - r r'') / r^3 = -6 with r = 0.5, r'' = 2."""
    return 1.0 + 0.5 * math.cos(2.0 * alpha)


def slit(u):
    return u, 0.0 * u


ARC = Polar(waist, closed=False, span=(0.0, 1.0))
LIFT = MotionProgram([Move(0.02, 2.0), Move(0.0, TURN - 2.0)])


# Cams and profiles
CASES += lines(
    "cam",
    (lambda b: b.add(CamFlat(b.arm.profile(ARC), b.part.at())), "culprit", "arm", "closed"),
    (lambda b: b.add(CamRoller(b.arm.profile(ARC), b.part.at(), 0.1)), "culprit", "arm", "closed"),
    (lambda b: b.add(CamPair(b.arm.profile(ARC), b.part.profile(Circle(1.0)))), "culprit", "arm", "closed"),
    (lambda b: b.add(CamFlat(b.arm.profile(Polar(waist)), b.part.at())), "culprit", "arm", "convex", "-6"),
    (lambda b: b.add(CamRoller(b.arm.profile(Polar(waist)), b.part.at(), 2.0)), "culprit", "arm", "convex", "2"),
    (lambda b: b.add(CamPair(b.arm.profile(Polar(waist)), b.part.profile(Circle(2.0)))), "culprit", "arm", "convex"),
    (lambda b: b.add(CamPair(b.arm.profile(Circle(2.0)), b.part.profile(Polar(waist)))), "culprit", "convex"),
    (lambda b: b.add(CamRoller(b.arm.profile(Circle(1.0)), b.part.at(), 0.0)), "radius", "culprit", "0"),
    (lambda b: b.add(CamRoller(b.arm.profile(Circle(1.0)), b.part.at(), -0.2)), "radius", "culprit", "-0.2"),
    (lambda b: b.add(CamRoller(b.arm.profile(Circle(1.0)), b.part.at(), NAN)), "radius", "culprit", "nan"),
    (lambda b: b.add(CamRoller(b.arm.profile(Circle(1.0)), b.part.at(), 1.2, inside=True)), "culprit", "arm", "1.2"),
    (lambda b: b.add(CamRoller(Circle(1.0), b.part.at(), 0.2)), "CamRoller", "Outline", "Circle"),
    (lambda b: b.add(CamRoller(b.arm.at(), b.part.at(), 0.2)), "CamRoller", "Outline", "Marker"),
    (lambda b: b.add(CamRoller(b.arm.profile(Circle(1.0)), b.part, 0.2)), "CamRoller", "Marker", "part"),
    (lambda b: b.add(CamFlat(b.arm.profile(Circle(1.0)), b.part)), "CamFlat", "Marker", "part"),
    (lambda b: b.add(CamFlat(b.arm.profile(Circle(1.0)), b.part.at(), (0.5, -0.5))), "face", "culprit", "0.5"),
    (lambda b: b.add(CamFlat(b.arm.profile(Circle(1.0)), b.part.at(), (0.0, NAN))), "face", "culprit", "nan"),
    (lambda b: b.add(CamFlat(b.arm.profile(Circle(1.0)), b.part.at(), 0.5)), "face", "culprit", "0.5"),
    (lambda b: b.add(CamPair(b.arm.profile(Circle(1.0)), b.part.at())), "CamPair", "Outline", "Marker"),
    (lambda b: b.add(PointFollower(b.arm.at(), b.part.at())), "PointFollower", "Outline", "Marker"),
    (lambda b: b.add(PointFollower(b.arm.profile(Circle(1.0)), None)), "PointFollower", "Marker", "None"),
    (lambda b: b.add(CamRoller(b.arm.profile(Circle(1.0)), b.arm.at(2.0), 0.5)), "culprit", "arm", "two bodies"),
    (lambda b: b.add(CamFlat(b.arm.profile(Circle(1.0)), b.arm.at(2.0))), "culprit", "arm", "two bodies"),
    (
        lambda b: b.add(CamPair(b.arm.profile(Circle(1.0)), b.arm.profile(Circle(1.0), 2.0))),
        "culprit",
        "arm",
        "two bodies",
    ),
    (lambda b: b.add(PointFollower(b.arm.profile(Circle(1.0)), b.arm.at(1.0))), "culprit", "arm", "two bodies"),
    (lambda b: b.add(CamRoller(Bench().arm.profile(Circle(1.0)), b.part.at(), 0.2)), "culprit", "arm", "bench"),
)
CASES += lines(
    "profile",
    (lambda b: Circle(0.0), "Circle", "0"),
    (lambda b: Circle(-1.0), "Circle", "-1"),
    (lambda b: Circle(NAN), "Circle", "nan"),
    (lambda b: Circle(1.0, center=(0.0, INF)), "Circle", "inf"),
    (lambda b: Polar(lambda a: 1.0 + 0.01 * a), "Polar", "closed"),
    (lambda b: Polar(lambda a: math.cos(a)), "Polar", "positive"),
    (lambda b: Polar(lambda a: NAN), "Polar", "nan"),
    (lambda b: Polar(lambda a: 1.0 / 0.0), "Polar", "ZeroDivisionError"),
    (lambda b: Polar(1.0), "Polar", "1.0"),
    (lambda b: Curve(slit, (0.0, 1.0)), "Curve", "closed"),
    (lambda b: Curve(slit, (1.0, 0.0)), "Curve", "1", "0"),
    (lambda b: Curve(lambda u: (math.cos(u), -math.sin(u)), (0.0, TURN)), "Curve", "clockwise"),
    (lambda b: Curve(lambda u: u, (0.0, 1.0), closed=False), "Curve", "two"),
    (lambda b: CamProfile(LIFT, TranslatingFlat(), 0.001), "undercut", "degrees", "base_radius"),
    (lambda b: CamProfile(LIFT, TranslatingRoller(0.5), 0.005), "undercut", "smaller roller"),
    (lambda b: CamProfile(LIFT, TranslatingRoller(0.01, offset=0.1), 0.05), "offset", "0.1", "0.06"),
    (lambda b: CamProfile(LIFT, SwingingFlat(0.2), 0.05), "SwingingFlat", "RockerCamProfile"),
    (lambda b: CamProfile(Ramp(1.0), TranslatingFlat(), 0.05), "law", "MotionProgram", "Ramp"),
    (lambda b: CamProfile(LIFT, "flat", 0.05), "follower", "flat"),
    (lambda b: CamProfile(LIFT, TranslatingFlat(), -0.05), "base_radius", "-0.05"),
    (lambda b: CamProfile(LIFT, TranslatingFlat(), 0.05, "left"), "rotation", "left"),
    (lambda b: CamProfile(MotionProgram([Move(0.1, 90.0), Move(0.0, 270.0)]), TranslatingFlat(), 1.0), "degrees"),
    (lambda b: CamProfile(-1.0 * LIFT, TranslatingFlat(), 1.0), "MotionProgram", "ScaledMotion"),
    (lambda b: CamProfile(MotionProgram([Move(-0.1, 3.0), Move(0.0, TURN - 3.0)]), TranslatingFlat(), 1.0), "negative"),
    (lambda b: RockerCamProfile(LIFT, SwingingRoller(0.1, 0.5), 0.05), "SwingingRoller", "reach", "0.4"),
    (lambda b: RockerCamProfile(LIFT, SwingingFlat(0.04), 0.05), "SwingingFlat", "0.04"),
    (lambda b: TranslatingRoller(-1.0), "radius", "-1"),
    (lambda b: PolarTable([0.0, 1.0, 2.0, 3.0], [1.0, 1.0, 1.0, 1.0]), "PolarTable", "gap"),
    (lambda b: PolarTable([0.0, 2.0, 1.0, 5.0], [1.0] * 4), "PolarTable", "increase", "2", "1"),
    (lambda b: PolarTable(np.arange(0.0, 360.0, 10.0), np.ones(36)), "PolarTable", "degrees"),
    (lambda b: PolarTable([0.0, 1.5, 3.0, 4.5], [1.0, NAN, 1.0, 1.0]), "PolarTable", "nan"),
    (lambda b: PolarTable([0.0, 1.5, 3.0, 4.5], [1.0, -0.5, 1.0, 1.0]), "PolarTable", "-0.5"),
    (lambda b: CurveThrough([(0, 0), (1, 0), (1, 0), (0, 1)]), "CurveThrough", "(1, 0)"),
    (lambda b: CurveThrough([(0, 0), (1, 0)]), "CurveThrough", "2"),
    (lambda b: CurveThrough([(0, 0), (1, NAN), (2, 0), (1, 3)]), "CurveThrough", "nan"),
    (lambda b: CurveThrough("points"), "CurveThrough", "points"),
)

# Models
CASES += lines(
    "model",
    (lambda b: Model(""), "name", "''"),
    (lambda b: Model(3), "name", "3"),
    (lambda b: Model("m", gravity=9.81), "gravity", "9.81"),
    (lambda b: Model("m", gravity=(0.0, NAN)), "gravity", "nan"),
    (lambda b: Model("m", gravity=(0.0, 0.0, -9.81)), "gravity", "-9.81"),
    (lambda b: b.add(Body(), "arm"), "bench", "arm"),
    (lambda b: b.add(Body(), "ground"), "bench", "ground"),
    (lambda b: b.add(Revolute(b.ground.at(), b.part.at()), "hinge"), "bench", "hinge"),
    (lambda b: b.add(Body(), "  "), "name", "' '"),
    (lambda b: b.add(Body(), 5), "name", "5"),
    (lambda b: b.add(b.arm), "arm", "already"),
    (lambda b: Model("second").add(b.arm), "arm", "already"),
    (lambda b: b.add(b.hinge), "hinge", "already"),
    (lambda b: b.add(Ramp(1.0)), "Ramp", "element"),
    (lambda b: b.add(b.arm.at()), "Marker", "element"),
    (lambda b: b.add(b.hinge.angle), "angle", "element"),
    (lambda b: b.add(Body), "Body", "element"),
    (lambda b: b.add(None), "None", "element"),
    (lambda b: b.model["arn"], "bench", "arn", "'arm'"),
    (lambda b: kinematics(Model("void"), [0.0, 1.0]), "void", "empty"),
    (lambda b: assemble(Model("void")), "void", "empty"),
    (lambda b: mobility(Model("void")), "void", "empty"),
    (lambda b: kinematics("bench", [0.0, 1.0]), "model", "bench"),
    (lambda b: assemble(b.arm), "model", "arm"),
    (lambda b: mobility(None), "model", "None"),
)


def _loose(b: Bench) -> None:
    b.complete()
    b.add(Body(), "loose")
    kinematics(b.model, [0.0, 1.0])


def _disagree(b: Bench) -> None:
    b.complete()
    b.add(Driver(b.hinge.angle, Ramp(2.0)), "culprit")
    kinematics(b.model, [0.0, 1.0])


def _hold_and_drive(b: Bench) -> None:
    b.complete()
    b.add(Hold(b.hinge.angle, 0.3), "culprit")
    kinematics(b.model, [0.0, 1.0])


def _through_zero(b: Bench) -> None:
    b.add(Fixed(b.ground.at(1.0, 0.0), b.part.at()), "weld")
    b.add(Driver(length(b.arm.at(0.5, 0.0), b.part.at()), Ramp(-1.0, start=0.6)), "culprit")
    kinematics(b.model, np.linspace(0.0, 1.0, 11))


CASES += [
    Bad("a body nobody holds", _loose, ("loose", "no joint or driver")),
    Bad("contradictory drivers", _disagree, ("motor", "culprit", "contradict", "1", "2")),
    Bad("a hold against a driver", _hold_and_drive, ("motor", "culprit", "contradict", "0.3")),
    Bad("a distance driven through zero", _through_zero, ("culprit", "distance", "0.6 s")),
]


def _times(times):
    return lambda b: kinematics(b.complete(), times)


CASES += lines(
    "times",
    (_times([]), "times", "at least one time"),
    (_times([0.0, 1.0, 1.0]), "times", "1"),
    (_times([0.0, 2.0, 1.0]), "times", "1", "2"),
    (_times([0.0, NAN]), "times", "nan"),
    (_times([0.0, INF]), "times", "inf"),
    (_times("later"), "times", "later"),
    (_times([[0.0, 1.0]]), "times", "(1, 2)"),
    (_times(None), "times", "None"),
    (_times([0.0, 1j]), "times", "1j"),
)


def _options(**options):
    return lambda b: kinematics(b.complete(), [0.0, 1.0], **options)


def _assembled(**options):
    return lambda b: assemble(b.complete(), **options)


CASES += lines(
    "option",
    (_options(tolerance=0.0), "tolerance", "0"),
    (_options(tolerance=NAN), "tolerance", "nan"),
    (_options(step_tolerance=-1.0), "step_tolerance", "-1"),
    (_options(step_tolerance="tight"), "step_tolerance", "tight"),
    (_options(iterations=0), "iterations", "0"),
    (_options(iterations=2.5), "iterations", "2.5"),
    (_options(start="here"), "start", "here"),
    (_assembled(length=0.0), "length", "0"),
    (_assembled(length=NAN), "length", "nan"),
    (_assembled(time=NAN), "time", "nan"),
    (_assembled(time="noon"), "time", "noon"),
    (_assembled(tolerance=-1.0), "tolerance", "-1"),
    (_assembled(weights={"arm": -1.0}), "weight", "arm", "-1"),
    (_assembled(weights={"arm": (1.0, 2.0)}), "weight", "arm", "(1.0, 2.0)"),
    (_assembled(weights={"arm": NAN}), "weight", "arm", "nan"),
    (_assembled(weights={"arm": INF}), "weight", "arm", "inf"),
    (_assembled(weights={"arm": "heavy"}), "weight", "arm", "heavy"),
    (_assembled(weights={"leg": 1.0}), "leg", "bench"),
    (_assembled(weights={"hinge": 1.0}), "hinge"),
    (_assembled(weights=3.0), "weights", "3.0"),
    (_assembled(hold=["arm"]), "measure", "arm"),
    (_assembled(hold=5), "hold", "5"),
    (lambda b: assemble(b.complete(), hold=[x(Bench().arm.at())]), "arm", "bench"),
    (lambda b: assemble(b.complete(), hold=b.hinge.angle), "hold", "angle"),
    (lambda b: mobility(b.complete(), time=NAN), "time", "nan"),
)


# User functions
@constraint
def circle(px, py, radius=1.0):
    return px * px + py * py - radius * radius


@constraint
def raising(px, t):
    if t > 0.5:
        raise ValueError("too late")
    return px - t


@constraint
def rooted(px, t):
    return px - math.sqrt(0.25 - t)


CASES += lines(
    "own constraint",
    (lambda b: constraint(lambda *marks: 0.0), "args"),
    (lambda b: constraint(lambda px, **more: 0.0), "args"),
    (lambda b: constraint(lambda t: 0.0), "measure"),
    (lambda b: constraint(lambda c=1.0: 0.0), "measure"),
    (lambda b: constraint(7), "7"),
    (lambda b: circle(x(b.arm.at())), "circle", "px, py"),
    (lambda b: circle(x(b.arm.at()), y(b.arm.at()), x(b.part.at())), "circle", "px, py"),
    (lambda b: circle(x(b.arm.at()), y(b.arm.at()), color=2.0), "circle", "color"),
    (lambda b: circle(x(b.arm.at()), y(b.arm.at()), radius=NAN), "circle", "radius", "nan"),
    (lambda b: circle(x(b.arm.at()), y(b.arm.at()), radius="r"), "circle", "radius", "'r'"),
    (lambda b: circle(x(b.arm.at()), 3.0), "circle", "py", "3.0"),
    (lambda b: circle(x(b.arm.at()), b.arm), "circle", "py", "arm"),
    (lambda b: b.add(circle(x(b.arm.at()) - y(b.arm.at()), y(b.arm.at()))), "culprit", "plain"),
    (lambda b: b.add(circle), "circle"),
    (lambda b: b.add(circle(x(Bench().arm.at()), y(b.arm.at()))), "culprit", "arm", "bench"),
    (lambda b: b.add(constraint(lambda px: px, derivatives="guess")(x(b.arm.at()))), "guess"),
)


@folded("case", CASES, ids=str)
def test_rejected(case, monkeypatch):
    check_rejected(case, monkeypatch)


@pytest.mark.parametrize("measure", [lambda b: 2.0 * b.hinge.angle, lambda b: angle(b.arm.at(), b.ground.at())])
def test_drivers_that_part_later(measure):
    """Two drivers that agree at the start and on no measure in common: found by what they do, and named."""
    b = Bench()
    b.complete()
    b.add(Driver(measure(b), Ramp(5.0)), "culprit")
    with pytest.raises(CardanError, match="'culprit'") as caught:
        kinematics(b.model, np.linspace(0.0, 1.0, 11))
    assert "contradict" in str(caught.value) and "\n" not in str(caught.value)


def test_distance_driven_through_zero_between_instants():
    """0.9 - sin(pi t) is negative only between the two instants asked for: a block on a rail that passes through the
    point from which its distance is taken."""
    model = Model("rail")
    block = model.add(Body(position=(0.9, 0.0)), name="block")
    model.add(Translational(model.ground.at(), block.at()), name="guide")
    model.add(Driver(length(model.ground.at(), block.at()), Harmonic(-1.0, math.pi, offset=0.9)), name="culprit")
    with pytest.raises(CardanError, match="'culprit'") as caught:
        kinematics(model, [0.0, 1.0])
    if caught.value.time is not None:  # sin(pi t) = 0.9
        assert caught.value.time == pytest.approx(math.asin(0.9) / math.pi, abs=1e-3)


@pytest.mark.parametrize("own", [raising, rooted], ids=["raises", "NaN"])
def test_function_that_fails_on_the_way(own):
    """The analysis stops with what was computed; the sentence names the element and the time."""
    model = Model("bead")
    bead = model.add(Body(), name="bead")
    model.add(Hold(y(bead.at()), 0.0), name="rail")
    model.add(Hold(angle(model.ground.at(), bead.at()), 0.0), name="upright")
    model.add(own(x(bead.at())), name="culprit")
    times = np.linspace(0.0, 1.0, 101)
    with pytest.raises(SimulationError) as caught:
        kinematics(model, times)
    last = 0.5 if own is raising else 0.25
    error = caught.value
    assert "culprit" in str(error) and "\n" not in str(error)
    assert error.elements == ("culprit",)
    assert 0 < len(error.partial) and error.partial.times[-1] <= last
    assert error.time == pytest.approx(last, abs=0.011)


def _late(t):
    if t > 0.5:
        raise ValueError("too late")
    return t


def _undefined(t):
    return math.sqrt(0.25 - t)


@pytest.mark.parametrize("motion", [_late, _undefined])
def test_motion_that_fails(motion):
    with pytest.raises(CardanError) as caught:
        kinematics(Bench().complete(motion), np.linspace(0.0, 1.0, 101))
    message = str(caught.value)
    assert "motor" in message and "\n" not in message
    assert caught.value.time is not None and 0.2 < caught.value.time < 0.6


def _run():
    b = Bench()
    return b, kinematics(b.complete(), np.linspace(0.0, 1.0, 11))


@folded(
    ("ask", "words"),
    [
        (lambda b, run: run["elbow"], ("elbow", "bench")),
        (lambda b, run: run["hing"], ("hing", "'hinge'")),
        (lambda b, run: run[3], ("3",)),
        (lambda b, run: run[None], ("None",)),
        (lambda b, run: run[Ramp(1.0)], ("Ramp",)),
        (lambda b, run: run[Bench().arm].position, ("arm", "bench")),
        (lambda b, run: run[Bench().hinge], ("hinge",)),
        (lambda b, run: run[x(Bench().arm.at())].value, ("arm", "bench")),
        (lambda b, run: run[Bench().arm.at(0.5, 0.0)].position, ("arm", "bench")),
        (lambda b, run: run["hinge"].travel, ("hinge", "travel", "angle")),
        (lambda b, run: run["motor"].angel, ("motor", "angel")),
        (lambda b, run: run.at(1.5), ("1.5", "0 s to 1 s")),
        (lambda b, run: run.at(-0.1), ("-0.1",)),
        (lambda b, run: run.at(NAN), ("nan",)),
        (lambda b, run: run.at("end"), ("end",)),
        (lambda b, run: kinematics(Bench().complete(), [0.0], start=_other_snapshot()), ("another model",)),
    ],
)
def test_questions_that_a_result_cannot_answer(ask, words):
    with pytest.raises(ModelError) as caught:
        ask(*_run())
    message = str(caught.value)
    assert "\n" not in message
    assert not [word for word in words if word not in message], message


def _other_snapshot():
    model = Model("other")
    body = model.add(Body(), name="body")
    model.add(Fixed(model.ground.at(), body.at()), name="weld")
    return assemble(model)


def test_save_to_an_unknown_format(tmp_path: Path):
    _, run = _run()
    with pytest.raises(ModelError, match="run.xyz"):
        run.save(tmp_path / "run.xyz")


def test_component_of_a_measure_outside_the_slot_is_no_crash():
    """A frame on ground and a bead: the plain way must work, or the cases above say nothing."""
    b = Bench()
    b.complete()
    assert b.add(circle(component(b.ground.at(), b.arm.at(), "x"), y(b.arm.at())), "fine").name == "fine"
