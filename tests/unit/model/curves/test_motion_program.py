"""Motion programs: sequence, repetition, conditions, jumps, the kernel, model files and drivers."""

import math

import numpy as np
import pytest

from cardan import kinematics, load_model, save_model
from cardan.errors import DegreesWarning, ModelError
from cardan.model.curves.scalar_function import scalar
from cardan.numerics.curves.laws import LAWS
from cardan.numerics.curves.motions import motion, motion_table
from cardan.planar import (
    Body,
    Condition,
    Driver,
    Dwell,
    Model,
    MotionProgram,
    Move,
    MoveThrough,
    Ramp,
    Revolute,
)
from folding import folded

pytestmark = pytest.mark.usefixtures("kernels_called_directly")
REST = {"rate": 0.0, "acceleration": 0.0}


def lift(repeat="periodic", law="cycloidal") -> MotionProgram:
    return MotionProgram([Move(0.02, 0.3, law), Dwell(0.2), Move(0.0, 0.4, law), Dwell(0.1)], 0.0, 0.5, repeat)


def test_sequence():
    program = lift()
    value, rate, acceleration = program.derivatives([0.5, 0.65, 0.8, 0.9, 1.2, 1.4, 1.45])
    np.testing.assert_allclose(value, [0.0, 0.01, 0.02, 0.02, 0.01, 0.0, 0.0], atol=1e-17)
    np.testing.assert_allclose(rate, [0.0, 2 * 0.02 / 0.3, 0.0, 0.0, -2 * 0.02 / 0.4, 0.0, 0.0], atol=1e-15)
    np.testing.assert_array_equal(rate[[3, 6]], 0.0)  # exactly: a driver that rests does no power
    np.testing.assert_array_equal(acceleration[[3, 6]], 0.0)
    assert program.period == pytest.approx(1.0) and program.edges == pytest.approx((0.5, 0.8, 1.0, 1.4, 1.5))
    assert program.acceleration_jumps == ()


def test_repeats():
    t = np.linspace(0.5, 1.49, 40)
    np.testing.assert_allclose(lift()(t + 7.0), lift()(t), atol=1e-16)
    np.testing.assert_allclose(lift("none")([0.0, 0.1, 1.5, 9.0]), 0.0, atol=1e-18)
    table = MotionProgram([Move(0.25, 0.3, "modified-sine"), Dwell(0.7)], repeat="indexing")
    np.testing.assert_allclose(table([0.5, 1.5, 8.5]), [0.25, 0.5, 2.25], rtol=1e-15)
    np.testing.assert_allclose(table.derivatives([1.5, 8.5])[1], 0.0, atol=1e-15)
    np.testing.assert_allclose(table(t + 3.0), table(t) + 0.75, rtol=1e-14)


@folded("law", LAWS)
def test_kernel_and_devices_equal_plain_python(law):
    for program in (lift("periodic", law), lift("none", law), 2.0 * lift("indexing", law) + Ramp(0.1)):
        times, out = np.linspace(-1.0, 4.0, 83), np.empty(3)
        table, found = motion_table(program.terms()), np.zeros((3, 83))
        for i, t in enumerate(times):
            for k in range(len(table.kind)):
                assert motion(table, k, t, out) == 0
                found[:, i] += out
        np.testing.assert_allclose(found, program.derivatives(times), rtol=1e-12, atol=1e-13)
        plain = scalar(program, "a program")
        np.testing.assert_allclose([plain(t) for t in times], program(times), rtol=1e-12, atol=1e-15)


def test_acceleration_jumps_are_reported():
    assert lift(law="harmonic").acceleration_jumps == pytest.approx((0.5, 0.8, 1.0, 1.4))
    # rise and fall by double harmonics: no jump where the mirror image continues at the top
    smooth = MotionProgram(
        [Move(1.0, 0.5, "double-harmonic"), Move(0.0, 0.5, "double-harmonic", backward=True)], repeat="periodic"
    )
    assert smooth.acceleration_jumps == ()
    assert MotionProgram([Move(1.0, 0.5, "parabolic"), Dwell(1.0)]).acceleration_jumps == (0.0, 0.25, 0.5)


def test_polynomials_through_conditions():
    """Norton, example 8-8: rise and fall with one dwell in 180 degrees, 64 x^3 (1 - x)^3."""
    peak = MoveThrough([Condition(0.0, **REST), Condition(0.5, 1.0), Condition(1.0, 0.0, **REST)])
    x = np.linspace(0.0, 1.0, 21)
    np.testing.assert_allclose(MotionProgram([peak])(x), 64.0 * x**3 * (1.0 - x) ** 3, atol=2e-14)
    rise = MoveThrough([Condition(0.0, **REST), Condition(2.0, 3.0, **REST)])  # 3-4-5
    same = MotionProgram([Move(3.0, 2.0, "3-4-5")])
    np.testing.assert_allclose(MotionProgram([rise]).derivatives(x), same.derivatives(x), atol=1e-13)


def test_splines_through_conditions():
    places = [0.0, 0.3, 0.4, 0.8, 1.0]
    values = [0.0, 1.0, 1.2, 0.3, 0.0]
    middle = [Condition(at, value) for at, value in zip(places[1:-1], values[1:-1], strict=True)]
    ends = Condition(0.0, 0.0, **REST), Condition(1.0, 0.0, **REST)
    spline = MotionProgram([MoveThrough([ends[0], *middle, Condition(0.6, jerk=5.0), ends[1]], degree=5), Dwell(0.5)])
    np.testing.assert_allclose(spline(places), values, atol=1e-13)
    assert spline.jerk(0.6) == pytest.approx(5.0, abs=1e-9)  # rounding times the cubes of 1 / width
    assert spline.acceleration_jumps == ()
    h = 1e-5
    for edge in spline.edges[1:4]:  # a quintic spline has continuous jerk at its knots
        assert spline.jerk(edge + h) == pytest.approx(spline.jerk(edge - h), abs=0.5)  # 2 h times 1e4
    # the slope of a parabola in the middle is that of its chord
    with pytest.raises(ModelError, match="do not determine"):
        MotionProgram([MoveThrough([Condition(0.0, 0.0), Condition(0.5, rate=1.0), Condition(1.0, 0.0)])])


def test_jerk_is_the_derivative_of_the_acceleration():
    program, t, h = lift(law="modified-trapezoid"), np.linspace(0.511, 1.381, 37), 1e-6  # no edge
    difference = (program.derivatives(t + h)[2] - program.derivatives(t - h)[2]) / (2 * h)
    np.testing.assert_allclose(program.jerk(t), difference, atol=1e-6 * np.abs(difference).max())


def test_breakpoints():
    np.testing.assert_allclose(lift().breakpoints(), [(0.5, 1.0), (0.8, 1.0), (1.0, 1.0), (1.4, 1.0)], rtol=1e-15)
    once = MotionProgram([Move(1.0, 0.5, "parabolic")]).breakpoints()
    assert once == ((0.0, math.inf), (0.25, math.inf), (0.5, math.inf))


def test_degrees():
    model = Model("m")
    body = model.add(Body(), name="b")
    hinge = model.add(Revolute(model.ground.at(), body.at()), name="h")
    with pytest.warns(DegreesWarning, match="an angle in the motion of Driver 'motor' is 90 rad"):
        model.add(Driver(hinge.angle, MotionProgram([Move(90.0, 1.0)])), name="motor")


FILE = """
cardan: 1
name: indexer
space: planar
units: {length: mm, angle: deg}
bodies:
  table: {}
joints:
  shaft: {type: revolute, a: ground, b: table}
drivers:
  drive:
    measure: shaft.angle
    motion:
      type: motion_program
      repeat: indexing
      segments:
        - move(45, 0.3, 'modified-sine')
        - dwell(0.2)
        - type: move_through
          conditions: [{at: 0, rate: 0}, {at: 0.2, value: 30, rate: 0 deg/s, acceleration: 0}]
        - {type: move, to_value: 90, duration: 0.3 s}
"""


def test_model_files(tmp_path):
    """Values are in the unit of the driver's measure; what is written is read back as the same program."""
    path = tmp_path / "indexer.yaml"
    path.write_text(FILE)
    model = load_model(path).model
    program = model["drive"].motion
    assert program.segments[0] == Move(math.radians(45), 0.3, "modified-sine")
    assert program.segments[2].conditions[1] == Condition(0.2, math.radians(30), 0.0, 0.0)
    again = tmp_path / "again.yaml"
    save_model(model, again)
    assert load_model(again).model["drive"].motion == program
    model = Model("sum")
    body = model.add(Body(), name="b")
    hinge = model.add(Revolute(model.ground.at(), body.at()), name="h")
    model.add(Driver(hinge.angle, 2.0 * program + Ramp(0.5)), name="drive")
    save_model(model, again)
    assert load_model(again).model["drive"].motion == 2.0 * program + Ramp(0.5)


def test_a_driver_follows_it():
    model = Model("m")
    body = model.add(Body(), name="b")
    hinge = model.add(Revolute(model.ground.at(), body.at()), name="h")
    program = lift(law="modified-sine")
    model.add(Driver(hinge.angle, 10.0 * program), name="motor")
    times = np.linspace(0.0, 3.0, 61)
    run = kinematics(model, times)
    value, rate, acceleration = program.derivatives(times)
    np.testing.assert_allclose(run[body].angle, 10.0 * value, atol=1e-12)
    np.testing.assert_allclose(run[body].angular_velocity, 10.0 * rate, atol=1e-12)
    np.testing.assert_allclose(run[body].angular_acceleration, 10.0 * acceleration, atol=1e-11)
