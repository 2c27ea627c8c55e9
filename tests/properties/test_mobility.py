"""Mobility: degrees of freedom counted and named, redundancy told from singular positions, drivers missing or too
many."""

import math
import time

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from cardan import ModelError, kinematics, mobility
from cardan.planar import Body, Coupler, Driver, Fixed, Hold, Model, Ramp, Revolute, Translational, angle, x
from linkages import four_bar, ladder, slider_crank


def parallelogram(couplers=1, driven=True):
    """Crank and rocker 0.5 m, couplers of 1 m between them at different heights."""
    model = Model("parallelogram")
    crank = model.add(Body(angle=0.7), name="crank")
    rocker = model.add(Body(position=(1.0, 0.0), angle=0.7), name="rocker")
    hinge = model.add(Revolute(model.ground.at(), crank.at()), name="A")
    model.add(Revolute(model.ground.at(1.0, 0.0), rocker.at()), name="D")
    for k in range(couplers):
        at = 0.5 - 0.2 * k
        place = (at * math.cos(0.7), at * math.sin(0.7))
        bar = model.add(Body(position=place), name=f"coupler {k + 1}")
        model.add(Revolute(crank.at(at, 0.0), bar.at()), name=f"B{k + 1}")
        model.add(Revolute(bar.at(1.0, 0.0), rocker.at(at, 0.0)), name=f"C{k + 1}")
    if driven:
        model.add(Driver(hinge.angle, Ramp(1.0, start=0.7)), name="motor")
    return model


def test_second_parallel_coupler_is_redundant():
    """5 bars: 12 coordinates, 12 joint equations of rank 11 (Haug 4.2: the five-bar parallelogram)."""
    report = mobility(parallelogram(2))
    assert (report.coordinates, report.equations, report.rank, report.degrees_of_freedom) == (12, 12, 11, 1)
    assert len(report.redundant) == 1 and report.redundant[0][0] == "C2"
    assert {"A", "D", "B1", "C1", "B2"} & set(report.implied_by[report.redundant[0]])
    assert report.undriven == 0 and report.conflicting == report.singular == report.redundant_drivers == ()
    assert "'C2'" in repr(report)


def test_imperfect_parallelogram_locks():
    report = mobility(parallelogram(2), imperfect=True)
    assert report.degrees_of_freedom == 1 and report.imperfect_degrees_of_freedom == 0
    assert "wrong dimensions" in repr(report)
    plain = mobility(parallelogram(1), imperfect=True)
    assert plain.degrees_of_freedom == plain.imperfect_degrees_of_freedom == 1


def test_three_couplers_have_two_redundancies():
    report = mobility(parallelogram(3), imperfect=True)
    assert report.degrees_of_freedom == 1 and [name for name, _ in report.redundant] == ["C2", "C3"]
    assert report.imperfect_degrees_of_freedom == 0  # fewer do not exist: the equations then contradict


def test_kinematics_goes_on_with_redundant_rows_set_aside():
    model = parallelogram(2)
    run = kinematics(model, np.linspace(0.0, 1.0, 21))
    assert len(run.set_aside) == 1 and "redundant" in repr(run) and "'C2'" in repr(run)
    assert np.abs(run[model["rocker"]].angle - 0.7 - run.times).max() < 1e-10
    assert run.violations().max() < 1e-10  # the row that was set aside included


def test_duplicate_joint_is_named():
    model = four_bar(0.5, 1.5, 1.2, 1.4, 0.7, Ramp(1.0, start=0.7))
    model.add(Revolute(model["crank"].at(0.5, 0.0), model["coupler"].at()), name="B again")
    report = mobility(model)
    assert report.degrees_of_freedom == 1
    assert report.redundant == (("B again", "x"), ("B again", "y"))
    assert all(report.implied_by[row] == ("B",) or "B" in report.implied_by[row] for row in report.redundant)


def test_duplicate_is_named_whichever_comes_last():
    model = Model("weld")
    part = model.add(Body(), name="part")
    model.add(Revolute(model.ground.at(), part.at()), name="pin")
    model.add(Fixed(model.ground.at(), part.at()), name="weld")
    report = mobility(model)
    assert (
        report.degrees_of_freedom == 0
        and {name for name, _ in report.redundant} == {"weld"}
        and len(report.redundant) == 2
    )


def test_singular_position_is_not_redundancy():
    """A parallelogram lying flat: the rank is low there and nowhere else."""
    report = mobility(four_bar(0.5, 1.0, 0.5, 1.0, math.pi, Ramp(1.0, start=math.pi)))
    assert report.redundant == () and report.redundant_drivers == ()
    assert report.singular and report.degrees_of_freedom == 1
    assert "Singular" in repr(report)


def test_dead_point_is_singular_with_its_driver_only():
    """Slider-crank stretched out and driven at the slider: the joints are fine, the driver is not."""
    model = slider_crank(0.4, 1.0, 0.0, Ramp(-1.0, start=1.4), drive="slider")
    report = mobility(model)
    assert report.degrees_of_freedom == 1 and report.redundant == ()
    assert {name for name, _ in report.singular} == {"motor"}


def test_missing_drivers():
    model = parallelogram(1, driven=False)
    report = mobility(model)
    assert report.degrees_of_freedom == report.undriven == 1 and len(report.independent) == 1
    assert "Missing drivers: 1" in repr(report)
    with pytest.raises(ModelError, match="1 more driver"):
        kinematics(model, [0.0, 1.0])


def test_suggested_coordinates_can_be_driven():
    """Driving the suggested coordinates leaves no degree of freedom."""
    model = Model("five-bar")
    bodies = []
    places = [(0.0, 0.0), (0.3, 0.8), (1.2, 0.9), (1.5, 0.0)]
    corners = [*places[1:], None]
    for k, (place, end) in enumerate(zip(places[:3], corners[:3], strict=True)):
        lean = math.atan2(end[1] - place[1], end[0] - place[0])
        bodies.append((model.add(Body(position=place, angle=lean), name=f"bar {k}"), math.dist(place, end)))
    tail = model.add(Body(position=(1.2, 0.9), angle=math.atan2(0.5, 0.7)), name="tail")
    model.add(Revolute(model.ground.at(), bodies[0][0].at()), name="P0")
    model.add(Revolute(bodies[0][0].at(bodies[0][1], 0.0), bodies[1][0].at()), name="P1")
    model.add(Revolute(bodies[1][0].at(bodies[1][1], 0.0), bodies[2][0].at()), name="P2")
    model.add(Revolute(bodies[2][0].at(bodies[2][1], 0.0), model.ground.at(1.5, 0.0)), name="P3")
    model.add(Revolute(bodies[1][0].at(bodies[1][1], 0.0), tail.at()), name="P4")
    report = mobility(model)
    assert report.degrees_of_freedom == report.undriven == len(report.independent) == 2
    names = {"x": lambda b: x(b.at()), "angle": lambda b: angle(model.ground.at(), b.at())}
    from cardan.planar import y

    names["y"] = lambda b: y(b.at())
    for word in report.independent:
        kind, body = word.split(" of ")
        body = model[body.strip("'")]
        start = {"x": body.position[0], "y": body.position[1], "angle": body.angle}[kind]
        model.add(Driver(names[kind](body), Ramp(0.1, start=start)))
    assert mobility(model).undriven == 0


def test_drivers_too_many():
    model = four_bar(0.5, 1.5, 1.2, 1.4, 0.7, Ramp(1.0, start=0.7))
    rocker = model["rocker"]
    model.add(Driver(angle(model.ground.at(), rocker.at()), rocker.angle), name="second")
    report = mobility(model)
    assert report.undriven == 0 and report.degrees_of_freedom == 1
    assert [name for name, _ in report.redundant_drivers] == ["second"]
    assert "Redundant drivers" in repr(report) and "'second'" in repr(report)


def test_only_drivers_are_redundant_against_joints():
    """A driver stated before the joints that imply it is the one that is redundant."""
    model = Model("order")
    block = model.add(Body(), name="block")
    model.add(Driver(x(block.at()), 0.0), name="early")
    model.add(Fixed(model.ground.at(), block.at()), name="weld")
    report = mobility(model)
    assert report.redundant == () and [name for name, _ in report.redundant_drivers] == ["early"]


def test_contradicting_equations_are_named_with_their_gap():
    """Two holds of one coordinate that differ by 0.2: nothing closes them, each stays open by half of it."""
    model = Model("torn")
    block = model.add(Body(), name="block")
    model.add(Translational(model.ground.at(), block.at()), name="guide")
    model.add(Hold(x(block.at()), 0.1), name="one")
    model.add(Hold(x(block.at()), 0.3), name="two")
    report = mobility(model)
    assert {name for name, _, _ in report.conflicting} <= {"one", "two"} and report.conflicting
    assert sum(gap for _, _, gap in report.conflicting) == pytest.approx(0.2, rel=1e-6)
    assert report.degrees_of_freedom == 0 and "Contradicting" in repr(report)


def test_unheld_body_is_named():
    model = four_bar(0.5, 1.5, 1.2, 1.4, 0.7, Ramp(1.0, start=0.7))
    model.add(Body(), name="loose")
    report = mobility(model)
    assert report.unconstrained_bodies == ("loose",) and report.undriven == 3 and "'loose'" in repr(report)


def test_coupler_removes_one_freedom():
    model = Model("two wheels")
    wheels = [model.add(Body(), name=f"wheel {k}") for k in range(2)]
    for k, wheel in enumerate(wheels):
        model.add(Revolute(model.ground.at(k, 0.0), wheel.at()), name=f"pivot {k}")
    before = mobility(model).degrees_of_freedom
    ground = model.ground.at()
    model.add(Coupler(angle(ground, wheels[0].at()) + 2.0 * angle(ground, wheels[1].at())), name="chain")
    assert (before, mobility(model).degrees_of_freedom) == (2, 1)


@settings(max_examples=30, deadline=None, derandomize=True)
@given(scale=st.floats(1e-4, 1e4), couplers=st.integers(1, 3))
def test_size_does_not_matter(scale, couplers):
    """Millimetres or kilometers: the rank is a matter of geometry, not of units."""
    model = Model("scaled")
    crank = model.add(Body(angle=0.7), name="crank")
    rocker = model.add(Body(position=(scale, 0.0), angle=0.7), name="rocker")
    model.add(Revolute(model.ground.at(), crank.at()), name="A")
    model.add(Revolute(model.ground.at(scale, 0.0), rocker.at()), name="D")
    for k in range(couplers):
        at = scale * (0.5 - 0.1 * k)
        bar = model.add(Body(position=(at * math.cos(0.7), at * math.sin(0.7))), name=f"coupler {k + 1}")
        model.add(Revolute(crank.at(at, 0.0), bar.at()), name=f"B{k + 1}")
        model.add(Revolute(bar.at(scale, 0.0), rocker.at(at, 0.0)), name=f"C{k + 1}")
    report = mobility(model)
    assert report.degrees_of_freedom == 1 and len(report.redundant) == couplers - 1


def test_large_ladder_is_quick():
    """200 four-bars, 401 bodies: the report is sparse. A dense one of 1203 x 1203 would still take seconds, so the
    limit of 3 s of computing guards against cubic work, not against slow machines."""
    model = ladder(200)
    mobility(ladder(40))  # compiled before the clock starts
    begun = time.process_time()
    report = mobility(model)
    assert time.process_time() - begun < 3.0
    assert (report.coordinates, report.equations, report.degrees_of_freedom, report.undriven) == (1203, 1202, 1, 0)
    assert report.redundant == report.singular == report.conflicting == ()
