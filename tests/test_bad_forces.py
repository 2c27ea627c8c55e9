"""Bad forces, matter and questions about reactions: rejected in one sentence that names element, value and way out."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bad_input import INF, NAN, Bad, Bench, check_rejected, lines, one_sentence
from bad_spatial import Bench as SpatialBench
from cardan import CardanError, ModelError, SimulationError, inverse_dynamics, kinematics
from cardan.planar import Action, Body, Load, Spring, Torque, matter, x
from cardan.spatial import Body as Body3, Load as Load3, Torque as Torque3, matter as matter3
from folding import folded

CASES: list[Bad] = []
SPATIAL: list[Bad] = []


def spring(*stated, **options):
    return lambda b: b.add(Spring(b.hinge.angle, *stated, **options))


CASES += lines(
    "spring",
    (lambda b: b.add(Spring("angle", 1.0)), "Spring", "measure", "angle"),
    (lambda b: b.add(Spring(b.arm, 1.0)), "Spring", "measure", "arm"),
    (lambda b: b.add(Spring(b.arm.at(), 1.0)), "Spring", "measure", "Marker"),
    (lambda b: b.add(Spring(None, 1.0)), "Spring", "measure", "None"),
    (spring(NAN, rest_angle=0.0), "stiffness", "culprit", "nan"),
    (spring(INF, rest_angle=0.0), "stiffness", "culprit", "inf"),
    (spring("5", rest_angle=0.0), "stiffness", "culprit", "'5'"),
    (spring(None, rest_angle=0.0), "stiffness", "culprit", "None"),
    (spring([1.0], rest_angle=0.0), "stiffness", "culprit", "[1.0]"),
    (spring(1.0, NAN, rest_angle=0.0), "damping", "culprit", "nan"),
    (spring(1.0, "c", rest_angle=0.0), "damping", "culprit", "'c'"),
    (spring(1.0, rest_angle=NAN), "rest_angle", "culprit", "nan"),
    (lambda b: b.add(Spring(x(b.arm.at()), 1.0, rest_length="long")), "rest_length", "culprit", "long"),
    (spring(1.0, rest_length=1.0), "culprit", "rad", "rest_angle"),
    (lambda b: b.add(Spring(x(b.arm.at()), 1.0, rest_angle=1.0)), "culprit", "rest_length"),
    (spring(1.0), "culprit", "rest_length", "rest_angle"),
    (spring(1.0, rest_angle=0.0, rest_length=1.0), "culprit", "rest_length", "rest_angle", "not"),
    (spring(force="hard"), "force", "Spring", "hard"),
    (spring(force=NAN), "force", "Spring", "nan"),
    (spring(force=(1.0, 2.0)), "force", "Spring", "(1.0, 2.0)"),
    (spring(law="f"), "law", "Spring", "'f'"),
    (spring(law=5.0), "law", "Spring", "5"),
    (spring(law=lambda: 1.0), "law", "Spring", "0 arguments"),
    (spring(law=lambda a, b, c, d: 1.0), "law", "Spring", "4 arguments"),
    (spring(law=max), "law", "max", "Spring", "wrap"),
    (spring(law=lambda *z: 1.0), "law", "Spring", "*z"),
    (spring(law=lambda z, k=2.0: k * z), "law", "Spring", "default", "'k'"),
    (lambda b: b.add(Spring(2.0 * b.hinge.angle, law=lambda z: z)), "culprit", "law", "plain", "2 angle"),
    (lambda b: b.add(Spring(b.hinge.angle - b.hinge.angle, 1.0, rest_angle=0.0)), "culprit", "no effect", "cancel"),
    (lambda b: b.add(Spring(0.0 * b.hinge.angle, 1.0, rest_angle=0.0)), "culprit", "no effect", "zero"),
    (lambda b: b.add(Spring(Bench().hinge.angle, 1.0, rest_angle=0.0)), "culprit", "another model"),
)


CASES += lines(
    "load",
    (lambda b: b.add(Load(b.arm, (1.0, 2.0))), "Load", "Marker", "arm", "at("),
    (lambda b: b.add(Load(None, (1.0, 2.0))), "Load", "Marker", "None"),
    (lambda b: b.add(Load(b.arm.at(), 5.0)), "Load", "components", "5"),
    (lambda b: b.add(Load(b.arm.at(), "up")), "Load", "components", "up"),
    (lambda b: b.add(Load(b.arm.at(), None)), "Load", "components", "None"),
    (lambda b: b.add(Load(b.arm.at(), (1.0,))), "culprit", "2 components", "1"),
    (lambda b: b.add(Load(b.arm.at(), (1.0, 2.0, 3.0))), "culprit", "2 components", "3"),
    (lambda b: b.add(Load(b.arm.at(), (1.0, 2.0, 3.0, 4.0))), "culprit", "2 components", "4"),
    (lambda b: b.add(Load(b.arm.at(), (1.0, NAN))), "component", "Load", "nan"),
    (lambda b: b.add(Load(b.arm.at(), (1.0, "y"))), "component", "Load", "'y'"),
    (lambda b: b.add(Load(b.arm.at(), np.zeros((2, 2)))), "component", "Load", "[0.0, 0.0]"),
    (lambda b: b.add(Load(b.arm.at(), (1.0, 2.0), frame="local")), "frame", "culprit", "local", "'body'"),
    (lambda b: b.add(Load(b.arm.at(), (1.0, 2.0), frame=b.arm)), "frame", "culprit", "'global'"),
    (lambda b: b.add(Load(Bench().arm.at(), (1.0, 2.0))), "culprit", "arm", "another model"),
    (lambda b: b.add(Load(Body3().at(), (1.0, 2.0, 3.0))), "culprit", "planar"),
)


CASES += lines(
    "torque",
    (lambda b: b.add(Torque(b.arm, 1.0)), "Torque", "Marker", "arm"),
    (lambda b: b.add(Torque(b.arm.at(), "T")), "Torque", "'T'"),
    (lambda b: b.add(Torque(b.arm.at(), None)), "Torque", "None"),
    (lambda b: b.add(Torque(b.arm.at(), NAN)), "Torque", "nan"),
    (lambda b: b.add(Torque(b.arm.at(), (1.0, 2.0, 3.0))), "culprit", "one number", "3"),
    (lambda b: b.add(Torque(b.arm.at(), 1.0, frame="x")), "frame", "culprit", "'x'"),
    (lambda b: b.add(Torque(Bench().arm.at(), 1.0)), "culprit", "arm", "another model"),
)


def action(function, **options):
    return lambda b: b.add(Action(b.hinge.angle, function, **options))


CASES += lines(
    "action",
    (lambda b: b.add(Action("angle", lambda z: z)), "Action", "measure", "angle"),
    (action(5.0), "function", "Action", "5"),
    (action(None), "function", "Action", "None"),
    (action(lambda: 1.0), "Action", "0 arguments"),
    (action(lambda a, b, c, d: a), "Action", "4 arguments", "1 value", "3 with the time"),
    (action(max), "max", "Action", "wrap"),
    (action(lambda *z: 1.0), "Action", "*z"),
    (action(lambda z, *, k: k * z), "Action", "k"),
    (action(lambda z, k=2.0: k * z), "Action", "default", "'k'"),
    (action(lambda z: z, of="x"), "of", "Action", "measure", "'x'"),
    (action(lambda z: z, of=(3,)), "measure 1", "of", "Action", "3"),
    (lambda b: b.add(Action(b.hinge.angle, lambda z: z, of=b.hinge.angle)), "of", "Action", "list", "brackets"),
    (lambda b: b.add(Action(b.hinge.angle, lambda z: z, of=(2.0 * b.hinge.angle,))), "Action", "plain", "2 angle"),
    (lambda b: b.add(Action(2.0 * b.hinge.angle, lambda z: z)), "Action", "2 angle", "of="),
    (lambda b: b.add(Action(b.hinge.angle - b.hinge.angle, lambda z: z, of=(b.hinge.angle,))), "culprit", "no effect"),
    (lambda b: b.add(Action(b.hinge.angle, lambda z: z, of=(Bench().hinge.angle,))), "culprit", "another model"),
    (lambda b: b.add(Action(b.hinge.angle, lambda z: z, of=(b.hinge.angle, x(b.arm.at())))), "2 measures", "4", "5"),
)


def body(**stated):
    return lambda b: b.add(Body(**stated))


CASES += lines(
    "matter",
    (body(mass=-1.0), "culprit", "mass", "negative", "-1"),
    (body(mass=NAN), "culprit", "mass", "nan"),
    (body(mass=INF), "culprit", "mass", "inf"),
    (body(mass="5"), "culprit", "mass", "'5'"),
    (body(mass=[1.0]), "culprit", "mass", "[1.0]"),
    (body(mass=True), "culprit", "mass", "True"),
    (body(mass=False), "culprit", "mass", "False"),
    (body(mass=1.0, inertia=""), "culprit", "inertia", "''"),
    (body(mass=matter.disk(1.0, mass=1.0), inertia_at="origin"), "matter", "inertia_at="),
    (body(mass=matter.disk(1.0, mass=1.0), center=np.zeros(2)), "matter", "center="),
    (body(mass=1.0, inertia=-1.0), "culprit", "inertia", "negative", "-1"),
    (body(mass=1.0, inertia=NAN), "culprit", "inertia", "nan"),
    (body(mass=1.0, inertia=(1.0, 2.0, 3.0)), "culprit", "inertia", "(1.0, 2.0, 3.0)"),
    (body(mass=1.0, inertia=1.0, center=(1.0, 2.0, 3.0)), "culprit", "center", "2 numbers"),
    (body(mass=1.0, inertia=1.0, center=1.0), "culprit", "center", "1"),
    (body(mass=1.0, inertia=1.0, center=(0.0, NAN)), "culprit", "center", "nan"),
    (body(mass=1.0, inertia=1.0, inertia_at="pin"), "inertia_at", "culprit", "'pin'", "'origin'"),
    (body(mass=1.0, inertia=0.1, center=(1.0, 0.0), inertia_at="origin"), "culprit", "inertia", "-0.9"),
    (body(mass=matter.disk(1.0, mass=1.0), inertia=2.0), "matter", "inertia="),
    (body(mass=matter.disk(1.0, mass=1.0), center=(1.0, 0.0)), "matter", "center="),
    (body(mass=matter3.box(1, 1, 1, mass=1.0)), "culprit", "mass", "SpatialMatter"),
)


def body3(**stated):
    return lambda b: b.add(Body3(**stated))


SPATIAL += lines(
    "spatial",
    (body3(mass=-1.0), "culprit", "mass", "-1"),
    (body3(mass=1.0, inertia=3.0), "culprit", "inertia", "three moments", "3"),
    (body3(mass=1.0, inertia=(1.0, 1.0, -1.0)), "culprit", "inertia", "-1"),
    (body3(mass=1.0, inertia=(1.0, 1.0, NAN)), "culprit", "inertia", "nan"),
    (body3(mass=1.0, inertia=[[1, 0.1, 0], [0, 1, 0], [0, 0, 1]]), "culprit", "symmetric", "0.1"),
    (body3(mass=1.0, inertia=[[1, 2, 0], [2, 1, 0], [0, 0, 1]]), "culprit", "principal", "-1"),
    (body3(mass=1.0, inertia=(1, 1, 1), center=(1, 2)), "culprit", "center", "3 numbers"),
    (body3(mass=1.0, inertia=(1, 1, 1), center=(5, 0, 0), inertia_at="origin"), "culprit", "principal", "-24"),
    (body3(mass=matter3.box(1, 1, 1, mass=1.0), inertia=(1, 1, 1)), "matter", "inertia="),
    (body3(mass=matter.disk(1.0, mass=1.0)), "culprit", "mass", "PlanarMatter"),
    (lambda b: b.add(Load3(b.arm.at(), (1.0, 2.0))), "culprit", "3 components", "2"),
    (lambda b: b.add(Load3(b.arm.at(), (1.0, 2.0, 3.0, 4.0))), "culprit", "3 components", "4"),
    (lambda b: b.add(Torque3(b.arm.at(), 1.0)), "culprit", "three components", "1"),
    (lambda b: b.add(Torque3(b.arm.at(), (1.0, 2.0))), "culprit", "three components", "2"),
    (lambda b: b.add(Torque3(b.arm.at(), (1.0, 2.0, NAN))), "component", "Torque", "nan"),
    (lambda b: b.add(Load3(Body().at(), (1.0, 2.0))), "culprit", "spatial"),
)


@folded("case", CASES, ids=str)
def test_rejected(case, monkeypatch):
    check_rejected(case, monkeypatch)


@folded("case", SPATIAL, ids=str)
def test_rejected_in_space(case, monkeypatch):
    check_rejected(case, monkeypatch, SpatialBench)


@pytest.fixture(scope="module")
def run():
    bench = Bench()
    bench.add(Spring(bench.hinge.angle, 1.0, rest_angle=0.0), "spring")
    bench.add(Load(bench.arm.at(), (1.0, 2.0)), "load")
    return inverse_dynamics(bench.complete(), [0.0, 0.5, 1.0])


@folded(
    ("ask", "words"),
    [
        (lambda r: r["hinge"].on(r.model["part"]), ("hinge", "'arm'", "'part'")),
        (lambda r: r["hinge"].on(None), ("hinge", "'arm'", "None")),
        (lambda r: r["hinge"].on(Bench().arm), ("hinge", "'arm'")),
        (lambda r: r["hinge"].at((0.0, 0.0)), ("Marker", "(0.0, 0.0)", "at(")),
        (lambda r: r["hinge"].at(r.model["part"].at()), ("'arm'", "part(0, 0)")),
        (lambda r: r["hinge"].at(r.model.ground.at()), ("'arm'", "ground")),
        (lambda r: r["hinge"].at(Bench().arm.at()), ("'arm'",)),
        (lambda r: r["hinge"].in_frame("world"), ("'global'", "'joint'", "'world'")),
        (lambda r: r["hinge"].in_frame(None), ("'global'", "None")),
        (lambda r: r["hinge"].in_frame(3), ("'global'", "3")),
        (lambda r: r["hinge"].in_frame(Bench().arm).force, ("arm", "bench")),
        (lambda r: r["hinge"].in_frame(Bench().arm.at()).force, ("arm", "bench")),
        (lambda r: r["hinge"].in_frame(Body3()), ("'global'", "spatial")),
        (lambda r: r["motor"].in_frame("joint").force, ("motor", "joint frame", "'global'")),
        (lambda r: r["hinge"].in_frame(np.zeros(2)), ("'global'", "array")),
        (lambda r: r["hinge"].on("part"), ("hinge", "'arm'", "part")),
        (lambda r: r["hinge"].on("amr"), ("amr", "bench")),
        (lambda r: r["arm"].force, ("arm", "'force'", ".position")),
        (lambda r: r["load"].length, ("load", "length")),
        (lambda r: r["spring"].torque, ("spring", "'torque'", ".force")),
        (lambda r: r["spring"].on(r.model["arm"]), ("spring", "'on'", ".force")),
    ],
)
def test_wrong_questions_about_reactions(run, ask, words):
    with pytest.raises(ModelError) as caught:
        ask(run)
    one_sentence(str(caught.value))
    assert not [word for word in words if word not in str(caught.value)], str(caught.value)


@pytest.mark.parametrize("name", ["hinge", "motor", "spring", "weld"])
@pytest.mark.parametrize("what", ["force", "power"])
def test_kinematics_has_no_forces(name, what):
    bench = Bench()
    bench.add(Spring(bench.hinge.angle, 1.0, rest_angle=0.0), "spring")
    kinematic = kinematics(bench.complete(), [0.0, 1.0])
    assert kinematic.loads is None
    with pytest.raises(ModelError, match=r"inverse_dynamics\(") as caught:
        getattr(kinematic[name], what)
    one_sentence(str(caught.value))


def test_kinematics_has_no_reactions():
    kinematic = kinematics(Bench().complete(), [0.0, 1.0])
    with pytest.raises(ModelError, match=r"inverse_dynamics\("):
        _ = kinematic["hinge"].on(kinematic.model["arm"]).force
    assert not [name for name in kinematic.table() if name.endswith((".force", ".power", ".fx", ".torque"))]


def raising(z):
    if z > 0.55:
        raise ValueError("no")
    return z


def rooted(z):
    return math.sqrt(0.55 - z)


def failing(function):
    """The arm turns as t: the function fails beyond 0.55 rad, first at t = 0.6 s."""
    bench = Bench()
    bench.add(Action(bench.hinge.angle, function))
    with pytest.raises(SimulationError) as caught:
        inverse_dynamics(bench.complete(), np.linspace(0.0, 1.0, 11))
    return caught.value


@pytest.mark.parametrize("function", [raising, rooted])
def test_force_that_fails(function):
    error = failing(function)
    one_sentence(str(error))
    assert "culprit" in str(error) and "t = 0.6 s" in str(error)
    assert error.time == pytest.approx(0.6) and error.elements == ("culprit",)
    assert error.partial["arm"].angle[:6] == pytest.approx(np.linspace(0.0, 0.5, 6))


@pytest.mark.parametrize("function", [raising, rooted])
def test_partial_has_the_forces_before(function):
    partial = failing(function).partial
    assert partial.times == pytest.approx(np.linspace(0.0, 0.5, 6))
    assert partial["motor"].force == pytest.approx([-function(z) for z in np.linspace(0.0, 0.5, 6)])


@pytest.mark.parametrize("function", [lambda z: (z, z), lambda z: None, lambda z: 1j * z, lambda z: z[0]])
def test_functions_that_are_no_force(function):
    bench = Bench()
    with pytest.raises(CardanError, match="culprit"):
        bench.add(Action(bench.hinge.angle, function))
        inverse_dynamics(bench.complete(), [0.0, 1.0])


@pytest.mark.parametrize("law", [{"force": lambda t: math.sqrt(0.55 - t)}, {"force": lambda t: math.log(0.55 - t)}])
def test_motion_that_fails(law):
    bench = Bench()
    bench.add(Spring(bench.hinge.angle, **law))
    with pytest.raises(SimulationError, match="culprit") as caught:
        inverse_dynamics(bench.complete(), np.linspace(0.0, 1.0, 11))
    assert caught.value.time == pytest.approx(0.6)
