"""Bad statements in space are rejected in one sentence that names the element, the value and the way out."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bad_input import INF, NAN, Bad, check_rejected, lines, one_sentence
from bad_spatial import ARGUMENTS, SAME, Bench, junk
from cardan import CardanError, planar, spatial
from cardan.spatial import (
    BevelGear,
    Body,
    Circle,
    ConstantVelocity,
    Coupler,
    Curve,
    CurveThrough,
    Cylindrical,
    Distance,
    Driver,
    Fixed,
    Gear,
    Helix,
    Hold,
    Marker,
    Model,
    Orientation,
    Parallel,
    Perpendicular,
    Planar,
    Point,
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
    lift,
    rotation,
    rotation_component,
    tilt,
    x,
    y,
    z,
)
from catalogs import CONTROL, LOADING, TOUCHING
from folding import folded

CASES: list[Bad] = []
PI = math.pi
LEFT = [[1, 0, 0], [0, 1, 0], [0, 0, -1]]

# Bodies
CASES += lines(
    "body",
    (lambda b: b.add(Body(mass=-1.0)), "mass", "culprit", "-1"),
    (lambda b: b.add(Body(mass="heavy")), "mass", "culprit", "heavy"),
    (lambda b: b.add(Body(inertia=(1.0, 1.0, -1.0))), "inertia", "culprit", "-1"),
    (lambda b: b.add(Body(inertia=(1.0, 1.0))), "inertia", "culprit", "three moments", "(1.0, 1.0)"),
    (lambda b: b.add(Body(inertia=[[1, 2], [3]])), "inertia", "culprit", "3 x 3", "[[1, 2], [3]]"),
    (lambda b: b.add(Body(inertia=[[1, 2, 0], [0, 1, 0], [0, 0, 1]])), "inertia", "culprit", "symmetric"),
    (lambda b: b.add(Body(position=(0.0, 1.0))), "position", "culprit", "3 numbers", "(0.0, 1.0)"),
    (lambda b: b.add(Body(position=(0.0, NAN, 1.0))), "position", "culprit", "finite", "nan"),
    (lambda b: b.add(Body(position=[[0.0, 1.0, 2.0]] * 3)), "position", "culprit", "3 numbers"),
    (lambda b: b.add(Body(position=np.ones((3, 3)))), "position", "culprit", "3 numbers", "array"),
    (lambda b: b.add(Body(position=(10**400, 0, 0))), "position", "culprit", "inf"),
    (lambda b: b.add(Body(velocity=3.0)), "velocity", "culprit", "3.0"),
    (lambda b: b.add(Body(angular_velocity=(0, 0, INF))), "angular_velocity", "culprit", "inf"),
    (lambda b: b.add(Body(angular_velocity=(0, 0, 1), angular_velocity_b=(0, 0, 1))), "culprit", "not both"),
    (lambda b: b.add(Body(outline=np.array(1.0))), "outline", "culprit", "points (x, y, z)"),
    (lambda b: b.add(Body(outline=[(0.0, 0.0), (1.0, 1.0)])), "outline", "culprit", "3 numbers", "(0.0, 0.0)"),
)

# Orientations
CASES += lines(
    "orientation",
    (lambda b: Body(orientation=(0, 0, 0, 0)), "all zero", "(1, 0, 0, 0)"),
    (lambda b: Body(orientation=(1.0, 0.2, 0.0, 0.0)), "norm 1", "1.02", "divide"),
    (lambda b: Body(orientation=(0.9, 0.9, 0.0)), "at most 1", "1.273", "from_angles"),
    (lambda b: Body(orientation=(NAN, 0, 0, 0)), "orientation", "finite", "nan"),
    (lambda b: Body(orientation=(1j, 0, 0)), "orientation", "3 numbers", "1j"),
    (lambda b: Body(orientation=0.5), "four Euler parameters", "float 0.5"),
    (lambda b: Body(orientation="up"), "four Euler parameters", "'up'"),
    (lambda b: Body(orientation=[[1, 0, 0], [0, 1]]), "3 x 3", "[[1, 0, 0], [0, 1]]"),
    (lambda b: Body(orientation=LEFT), "left-handed", "reverse"),
    (lambda b: Body(orientation=np.ones((3, 3))), "perpendicular", "from_axes"),
    (lambda b: Body(orientation=2.0 * np.eye(3)), "unit columns", "3"),
    (lambda b: b.arm.at(orientation=(0, 0, 0, 0)), "arm", "all zero"),
    (lambda b: b.arm.at(orientation=LEFT), "arm", "left-handed"),
    (lambda b: b.arm.world(orientation="up"), "arm", "'up'"),
    (lambda b: b.arm.at(orientation=(1, 0, 0, 0), z=(0, 0, 1)), "arm", "not both"),
)

# Markers
CASES += lines(
    "marker",
    (lambda b: b.arm.at(1.0), "arm", "3 numbers", "1.0"),
    (lambda b: b.arm.at(1.0, 2.0), "arm", "3 numbers", "(1.0, 2.0)"),
    (lambda b: b.arm.at(1.0, NAN, 2.0), "arm", "nan"),
    (lambda b: b.arm.at("left", 0.0, 0.0), "arm", "left"),
    (lambda b: b.arm.at(z=(0, 0, 0)), "z axis", "arm", "direction", "zero vector"),
    (lambda b: b.arm.at(z=(0, 1)), "z axis", "arm", "3 numbers", "(0, 1)"),
    (lambda b: b.arm.at(z="up"), "z axis", "arm", "up"),
    (lambda b: b.arm.at(z=(0, 0, 1), x=(0, 0, -2)), "z and x axes", "arm", "parallel", "(0, 0, 1) and (0, 0, -2)"),
    (lambda b: b.arm.at(x=(1, 0, 0), y=(1, 0, 0)), "x and y axes", "arm", "parallel"),
    (lambda b: b.arm.at(x=(1, 0, 0), y=(0, 1, 0), z=(0, 0, -1)), "arm", "left-handed", "give two"),
    (lambda b: b.arm.at(x=(1, 0, 0), y=(1, 1, 0), z=(0, 0, 1)), "arm", "not perpendicular", "0.71"),
    (lambda b: b.arm.world((0, 0)), "arm", "3 numbers", "(0, 0)"),
    (lambda b: b.arm.world(0, 0, 0, z=(0, 0, 0)), "z axis", "arm", "direction"),
    (lambda b: Body(position="here").world(0, 0, 0), "position", "here"),
    (lambda b: b.arm.marker((1, 2, 3), (1, 2, 3)), "P and Q", "arm", "coincide", "(1, 2, 3)"),
    (lambda b: b.arm.marker((1, 2, 3), (1, 2, 4), (1, 2, 3)), "P and R", "arm", "coincide"),
    (lambda b: b.arm.marker((0, 0, 0), (0, 0, 1), (0, 0, 2)), "R of", "arm", "line PQ", "(0, 0, 2)"),
    (lambda b: b.arm.marker((0, 0, 0), None, (1, 0, 0)), "arm", "needs Q"),
    (lambda b: b.arm.marker((0, 0, 0), (0, 0, 1), axes="yz"), "arm", "'zx' or 'xy'", "'yz'"),
    (lambda b: b.arm.marker((0, 0, 0), (0, 0, 1), axes=np.zeros(3)), "arm", "'zx' or 'xy'", "array"),
    (lambda b: b.arm.marker((0, 0), (0, 0, 1)), "arm", "3 numbers", "(0, 0)"),
    (lambda b: b.arm.profile("circle"), "profile", "arm", "circle"),
    (lambda b: b.arm.profile(Circle(1.0), z=(0, 0, 0)), "z axis", "arm"),
    (lambda b: Marker("arm", (0, 0, 0)), "Body", "'arm'"),
    (lambda b: Marker(b.leaf, (0, 0, 0)), "Body", "leaf"),
    (lambda b: Marker(b.arm, (0, 0)), "arm", "(0, 0)"),
)

# Joints
JOINTS = (
    ConstantVelocity,
    Cylindrical,
    Fixed,
    Orientation,
    Parallel,
    Perpendicular,
    Planar,
    PointInPlane,
    PointOnLine,
    Revolute,
    RevoluteCylindrical,
    RevoluteTranslational,
    Spherical,
    Translational,
    Universal,
)


def other(joint):
    """The axis on b, where a joint needs one of its own."""
    return {"z_b": (1, 0, 0)} if joint.crossed else {}


for _joint in JOINTS:
    CASES += lines(
        _joint.__name__,
        (lambda b, j=_joint: b.add(j(b.arm.at(), b.arm.at(1, 0, 0))), "culprit", "arm", "itself"),
        (lambda b, j=_joint: b.add(j(b.arm, b.part.at())), _joint.__name__, "Marker", "arm"),
        (lambda b, j=_joint: b.add(j(b.arm.at(), b.leaf.at())), "culprit", "not spatial", "leaf"),
        (lambda b, j=_joint: b.flat.add(j(b.arm.at(), b.part.at()), "culprit"), "culprit", "not planar", "arm"),
        (lambda b, j=_joint: b.add(j(b.arm.at(), Bench("other").part.at())), "culprit", "part", "bench"),
        (lambda b, j=_joint: b.add(j.between(b.arm, b.arm, at=(0, 0, 0), **other(j))), "culprit", "arm", "itself"),
        (lambda b, j=_joint: j.between(b.arm.at(), b.part, at=(0, 0, 0)), "between()", "end a", "Marker arm"),
        (lambda b, j=_joint: j.between(b.arm, b.hinge, at=(0, 0, 0)), "between()", "end b", "hinge"),
        (lambda b, j=_joint: j.between(b.arm, b.leaf, at=(0, 0, 0)), "one space", "arm", "leaf"),
        (lambda b, j=_joint: j.between(b.arm, b.part, at=None, **other(j)), "arm", "3 numbers", "None"),
        (lambda b, j=_joint: j.between(b.arm, b.part, at=(0, 0), **other(j)), "arm", "3 numbers", "(0, 0)"),
        (lambda b, j=_joint: j.between(b.arm, b.part, at=(0, 0, 0), axis=(0, 0, 1)), "'axis'", "z, orientation"),
        (lambda b, j=_joint: j.between(b.arm, b.part, at=(0, 0, 0), angle=0.5), "'angle'", "z, orientation"),
    )


def _made(kind, **data):
    return lambda b: b.add(kind(b.arm.at(), b.part.at(), **data))


CASES += lines(
    "dimension",
    (_made(Distance, length=0.0), "length", "culprit", "0", "Spherical"),
    (_made(Distance, length=-0.3), "length", "culprit", "-0.3"),
    (_made(Distance), "Distance needs length="),
    (lambda b: Distance.between(b.arm, b.part, at=(0, 0, 0)), "Distance.between()", "to=", "length"),
    (lambda b: Distance.between(b.arm, b.part, at=(0, 0, 0), to=1.0), "part", "3 numbers", "1.0"),
    (lambda b: b.add(Distance.between(b.arm, b.part, at=(1, 0, 0), to=(1, 0, 0))), "length", "culprit", "0"),
    (_made(RevoluteSpherical, length=NAN), "length", "culprit", "nan"),
    (_made(RevoluteRevolute, length=1.0, axes="skew"), "axes", "culprit", "'parallel' or 'orthogonal'", "skew"),
    (_made(Screw), "Screw needs pitch="),
    (_made(Screw, pitch=0.0), "pitch", "culprit", "zero", "Revolute"),
    (_made(Screw, pitch=INF), "pitch", "culprit", "inf"),
    (_made(Screw, pitch=1.0, start_angle="top"), "start_angle", "culprit", "top"),
    (_made(Gear, radius_a=0.0, radius_b=1.0), "radius_a", "culprit", "0"),
    (_made(Gear, radius_a=1.0, radius_b=INF), "radius_b", "culprit", "inf"),
    (_made(BevelGear, radius_a=0.0, radius_b=1.0), "radius_a", "culprit", "0"),
    (_made(BevelGear, radius_a=1.0, radius_b=-2.0), "radius_b", "culprit", "-2"),
    (_made(RackPinion, radius=0.0), "radius", "culprit", "zero"),
)

# Curves
CASES += lines(
    "curve",
    (lambda b: Helix(0.0, 1.0), "radius", "Helix", "0"),
    (lambda b: Helix(1.0, 0.0), "pitch", "Helix", "Circle(1)"),
    (lambda b: Helix(1.0, 1.0, turns=-1.0), "turns", "Helix", "-1"),
    (lambda b: Curve(lambda u: (1.0, 2.0, 3.0), (0.0, 1.0), closed=False), "Curve", "single point", "(1, 2, 3)"),
    (lambda b: Curve(lambda u: (u, u), (0.0, 1.0), closed=False), "Curve", "three finite numbers", "(0.0, 0.0)"),
    (lambda b: Curve(lambda u: (u, u, u), (0.0, 1.0)), "Curve", "closed"),
    (lambda b: CurveThrough([(0, 0, 0), (1, 0, 0), (1, 0, 0), (1, 1, 1)]), "CurveThrough", "(1, 0, 0)"),
    (lambda b: CurveThrough([(0, 0), (1, 0), (1, 1), (0, 1)]), "CurveThrough", "(x, y, z)"),
    (lambda b: PointOnCurve(b.arm.at(), b.part.at()), "wire", "Outline", "arm"),
    (lambda b: PointOnCurve(b.leaf.profile(Circle(1.0)), b.part.at()), "wire", "Outline", "leaf"),
    (lambda b: PointOnCurve(b.arm.profile(Circle(1.0)), b.leaf.at()), "PointOnCurve", "spatial body", "leaf"),
    (lambda b: b.add(PointOnCurve(b.arm.profile(Circle(1.0)), b.arm.at())), "culprit", "arm", "itself"),
)

# Measures, and what acts on them
CASES += lines(
    "measure",
    (lambda b: x(b.arm), "x()", "Marker", "arm"),
    (lambda b: y(b.leaf.at()), "y()", "spatial body", "leaf"),
    (lambda b: z((0, 0, 1)), "z()", "Marker", "(0, 0, 1)"),
    (lambda b: length(b.arm.at(), b.leaf.at()), "length()", "spatial body", "leaf"),
    (lambda b: bearing(None, b.part.at()), "bearing()", "Marker", "None"),
    (lambda b: component(b.arm.at(), b.part.at(), "w"), "component()", "'x', 'y' or 'z'", "'w'"),
    (lambda b: component(b.arm.at(), b.part.at(), ""), "component()", "''"),
    (lambda b: dot(b.arm.at(), b.part.at(), "x", "yz"), "dot()", "'yz'"),
    (lambda b: dot(b.arm.at(), b.part.at(), "x", np.zeros(3)), "dot()", "array"),
    (lambda b: angle(b.arm.at(), b.part.at(), about="x"), "angle()", "about 'x' from 'x'", "differ"),
    (lambda b: angle(b.arm.at(), b.part.at(), of=0), "angle()", "0"),
    (lambda b: tilt(b.arm.at(), b.part.at(), "q"), "tilt()", "'q'"),
    (lambda b: rotation_component(b.arm.at(), b.part.at(), "xyz"), "rotation_component()", "'xyz'"),
    (lambda b: planar.x(b.arm.at()), "x()", "planar body"),
    (lambda b: b.add(Hold(b.pin.angle, 0.5)), "culprit", "not spatial", "ground"),
    (lambda b: b.flat.add(Hold(b.hinge.angle, 0.5), "culprit"), "culprit", "not planar"),
    (lambda b: b.add(Point(b.leaf.at())), "culprit", "not spatial", "leaf"),
)


def _held(measure, value, factor=1.0):
    return lambda b: b.add(Hold(factor * measure(b.ground.at(), b.part.at()), value))


def _cosine(a, b):
    return dot(a, b, "z", "z")


def _turn(a, b):
    return rotation_component(a, b, "z")


CASES += lines(
    "singular",
    (_held(length, 0.0), "culprit", "distance", "0 m", "Spherical"),
    (_held(length, 0.3, -1.0), "culprit", "distance", "-0.3 m"),
    (_held(_cosine, 1.0), "culprit", "dot product", "at 1;", "-1 and 1", "Parallel"),
    (_held(_cosine, -1.0), "culprit", "dot product", "at -1;", "Parallel"),
    (_held(_cosine, 1.5), "culprit", "dot product", "at 1.5;"),
    (_held(_cosine, 2.0, -2.0), "culprit", "dot product", "at -1;"),
    (_held(tilt, 0.5 * PI), "culprit", "tilt", "1.5708 rad", "Parallel"),
    (_held(tilt, -0.5 * PI), "culprit", "tilt", "-1.5708 rad"),
    (_held(tilt, 90), "culprit", "tilt", "90 rad"),
    (_held(_turn, PI), "culprit", "rotation component", "3.14159 rad", "Orientation"),
    (_held(_turn, -4.0), "culprit", "rotation component", "-4 rad"),
    (lambda b: b.add(Hold(b.hinge.angle - b.hinge.angle)), "culprit", "no effect", "cancel"),
    (lambda b: b.add(Driver(0.0 * b.hinge.angle, Ramp(1.0))), "culprit", "no effect"),
    (lambda b: b.add(Coupler(b.hinge.angle + x(b.part.at()) - b.hinge.angle)), "culprit", "single", "Hold"),
    (lambda b: b.add(Coupler(b.hinge.angle + x(b.part.at()), np.zeros(3))), "culprit", "value", "array"),
    (lambda b: b.add(Hold(dot(b.arm.at(), b.arm.at(), "x", "y"))), "culprit", "would have no effect", "arm"),
)

# Lifting, and rotations
CASES += lines(
    "lift",
    (lambda b: lift(b.model), "planar Model", "spatial model 'bench'"),
    (lambda b: lift(b.leaf), "planar Model", "leaf"),
    (lambda b: lift(b.flat, z=(0, 0, 0)), "z axis of the plane", "zero vector"),
    (lambda b: lift(b.flat, z=(1, 0, 0)), "z and x axes of the plane", "parallel"),
    (lambda b: lift(b.flat, origin=(0, 0)), "origin of the plane", "(0, 0)"),
    (lambda b: Model("m", gravity=(0, -9.81)), "gravity", "3 numbers", "-9.81"),
)
CASES += lines(
    "rotation",
    (lambda b: rotation.matrix((1, 0, 0)), "Euler parameters", "4 numbers", "(1, 0, 0)"),
    (lambda b: rotation.matrix("p"), "Euler parameters", "'p'"),
    (lambda b: rotation.rotate((1, 0, 0, 0), [[1, 2], [3]]), "vector", "[[1, 2], [3]]"),
    (lambda b: rotation.from_axis_angle((0, 0, 0), 1.0), "axis", "zero vector"),
    (lambda b: rotation.from_axis_angle((0, 0, 1), "half"), "angle", "'half'"),
    (lambda b: rotation.from_axis_angle((0, 0, 1), NAN), "angle", "nan"),
    (lambda b: rotation.from_angles("XXY", (0, 0, 0)), "sequence", "'XXY'"),
    (lambda b: rotation.from_angles("ZXZ", (0, 0)), "3 numbers", "(0, 0)"),
    (lambda b: rotation.from_matrix(LEFT), "left-handed"),
    (lambda b: rotation.from_matrix(np.eye(2)), "3 x 3", "(2, 2)"),
    (lambda b: rotation.from_points((0, 0, 0), (0, 0, 0)), "P and Q", "coincide"),
    (lambda b: rotation.from_scipy("r"), "scipy", "'r'"),
    (lambda b: rotation.to_scipy((0, 0, 0, 0)), "not all zero", "(0, 0, 0, 0)"),
    (lambda b: rotation.continuous((1, 0, 0, 0)), "(n, ..., 4)", "(1, 0, 0, 0)"),
)


@folded("case", CASES, ids=str)
def test_rejected(case, monkeypatch):
    check_rejected(case, monkeypatch, Bench)


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")  # rotations of infinite p are NaN, as in NumPy
@folded("argument", ARGUMENTS)
def test_no_foreign_error(argument):
    """Whatever stands in its place: an argument is taken, or rejected in one sentence of our own."""
    b = Bench(culprit=None)  # each gets a name of its own
    for value in junk(b):
        try:
            ARGUMENTS[argument](b, value)
        except CardanError as error:
            one_sentence(str(error))
            assert len(str(error)) < 600


def test_every_public_name_is_tried():
    tried = {argument.partition(".")[0] for argument in ARGUMENTS}
    elsewhere = {*LOADING, *CONTROL, *TOUCHING}  # see test_bad_forces.py and tests of the elements
    assert not {SAME.get(name, name) for name in spatial.__all__} - tried - elsewhere


def test_orientations_of_tables_are_taken():
    """Rounded to two digits, as the books print them: near unit is made unit; e1, e2, e3 of half a turn too."""
    assert math.hypot(*Body(orientation=(0.71, 0.71, 0.0, 0.0)).parameters) == pytest.approx(1.0, abs=1e-15)
    assert Body(orientation=(0.71, 0.0, 0.71)).parameters[0] == 0.0


def test_a_kind_of_body_of_the_users_own_is_a_body():
    class Wheel(Body):
        """Inherits everything."""

    b = Bench()
    wheel = b.model.add(Wheel(), name="wheel")
    assert b.add(Revolute.between(b.arm, wheel, at=(0, 0, 0))).name == "culprit"
