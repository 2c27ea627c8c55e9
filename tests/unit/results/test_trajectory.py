"""Results: what they are read by, what they say, and how exact they are between instants."""

import math

import numpy as np
import pytest

from cardan import LockUp, ModelError, assemble, kinematics, simulate
from cardan.counts import counted
from cardan.planar import Body, Driver, Harmonic, Model, Point, Ramp, Revolute, angle, length, x, y
from linkages import four_bar, slider_crank

R, L = 0.2, 0.5


@pytest.fixture(scope="module")
def run():
    model = slider_crank(R, L, 0.0, Ramp(2.0))
    model.add(Point(model["rod"].at(0.25, 0.1)), name="E")
    return kinematics(model, np.linspace(0.0, 3.0, 301))


def slider(t):
    """x, x', x'' of the slider by the closed form x = r cos + sqrt(l^2 - r^2 sin^2), phi = 2 t."""
    p, w = 2.0 * t, 2.0
    s, c = np.sin(p), np.cos(p)
    root = np.sqrt(L * L - R * R * s * s)
    first = -R * s - R * R * s * c / root
    second = -R * c - R * R * (c * c - s * s) / root - R**4 * s * s * c * c / root**3
    return R * c + root, w * first, w * w * second


def test_body_against_closed_form(run):
    series = run["slider"]
    position, velocity, acceleration = slider(run.times)
    assert np.abs(series.position[:, 0] - position).max() < 1e-11
    assert np.abs(series.velocity[:, 0] - velocity).max() < 1e-10
    assert np.abs(series.acceleration[:, 0] - acceleration).max() < 1e-9
    assert np.abs(run["crank"].angle - 2.0 * run.times).max() < 1e-12
    assert run["crank"].angular_velocity == pytest.approx(2.0, abs=1e-12)
    assert np.abs(run["crank"].angular_acceleration).max() < 1e-9
    assert series.times is run.times and series.position.shape == (301, 2)


def test_marker_point_and_measures_agree(run):
    """One point, read as a marker, as a named point and as two measures; and by hand from its body."""
    rod = run.model["rod"]
    marker = rod.at(0.25, 0.1)
    by_hand = run[rod].position + np.stack(
        [
            0.25 * np.cos(run[rod].angle) - 0.1 * np.sin(run[rod].angle),
            0.25 * np.sin(run[rod].angle) + 0.1 * np.cos(run[rod].angle),
        ],
        axis=1,
    )
    assert np.abs(run[marker].position - by_hand).max() < 1e-14
    for name in ("position", "velocity", "acceleration"):
        assert np.array_equal(getattr(run["E"], name), getattr(run[marker], name))
    assert np.array_equal(run[x(marker)].value, run[marker].position[:, 0])
    assert np.array_equal(run[y(marker)].rate, run[marker].velocity[:, 1])
    assert np.array_equal(run[y(marker)].acceleration, run[marker].acceleration[:, 1])


def test_measures_that_took_no_part(run):
    """length(ground, slider) is its x, and a combination is the sum of its parts."""
    slider_point, ground = run.model["slider"].at(), run.model.ground.at()
    reach = run[length(ground, slider_point)]
    position, velocity, acceleration = slider(run.times)
    assert np.abs(reach.value - position).max() < 1e-11
    assert np.abs(reach.rate - velocity).max() < 1e-10
    assert np.abs(reach.acceleration - acceleration).max() < 1e-9
    both = run[2.0 * x(slider_point) - length(ground, slider_point)]
    assert np.abs(both.value - position).max() < 1e-11
    assert np.array_equal(np.asarray(both), both.value) and reach.unit == "m"


def test_coordinates_of_joints(run):
    assert np.abs(run["A"].angle.value - 2.0 * run.times).max() < 1e-12
    assert np.abs(run["guide"].travel.rate - slider(run.times)[1]).max() < 1e-10
    assert run[run.model["A"]].angle.value == pytest.approx(run["A"].angle.value)


def test_violation_of_each_joint(run):
    """Below the tolerance of closing, 1e-11 of 0.7 m, and made of the rows of that joint alone."""
    rows = run.violations()
    assert rows.shape == (301, 9)
    for k, name in enumerate(("A", "B", "C", "guide")):
        violation = run[name].violation
        assert violation.shape == (301,) and violation.max() < 1e-11
        assert violation == pytest.approx(np.hypot(rows[:, 2 * k], rows[:, 2 * k + 1]))
    assert run["motor"].violation == pytest.approx(rows[:, 8])


def test_violation_sees_a_wrong_position(run):
    """A body moved by 1 mm opens its pins by 1 mm."""
    from cardan.results.trajectory import Trajectory

    q = run.q.copy()
    place = 3 * run.system.number[id(run.model["rod"])]
    q[:, place] += 1e-3
    wrong = Trajectory(run.system, run.times, q, run.v, run.a)
    for name in "BC":
        assert wrong[name].violation == pytest.approx(1e-3, rel=1e-7)
    assert wrong["A"].violation.max() < 1e-11


def test_counts(run):
    """Every instant after the first costs at least one step, and repr says the sums."""
    assert run.steps[0] == 0 and (run.steps[1:] >= 1).all()
    assert run.iterations.shape == (301,) and (run.iterations >= 0).all()
    text = repr(run)
    assert f"{run.steps.sum()} steps" in text and counted(run.iterations.sum(), "Newton iteration") in text
    assert "0 s to 3 s, 301 output times" in text and "'slider-crank'" in text and "\n" not in text


@pytest.mark.parametrize(("level", "order"), [("position", 6), ("velocity", 5), ("acceleration", 4)])
def test_order_of_interpolation(level, order):
    """Quintic through q, v, a at both ends: the error falls like h^6, and one order less for each derivative."""
    k = ("position", "velocity", "acceleration").index(level)
    errors = []
    for count in (16, 31, 61):
        model = slider_crank(R, L, 0.0, Ramp(2.0))
        run = kinematics(model, np.linspace(0.0, 3.0, count))
        step = run.times[1]
        # at a third of each interval; halfway the error of odd derivatives vanishes
        places = run.times[:-1] + step / 3.0
        found = np.array([getattr(run.at(t)[model["slider"]], level)[0] for t in places])
        errors.append(np.abs(found - slider(places)[k]).max())
    observed = np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
    assert observed[-1] == pytest.approx(order, abs=0.4)


def test_at_an_instant_is_that_instant(run):
    for k in (0, 17, 300):
        snapshot = run.at(run.times[k])
        assert np.abs(snapshot.q - run.q[k]).max() < 1e-15  # the last one is the end of an interval: rounding
        assert np.abs(snapshot.a - run.a[k]).max() < 1e-10  # of 1e-16 over the interval of 0.01 s, squared
        assert snapshot.time == run.times[k]
    assert run.at(1.2345)["slider"].position.shape == (2,) and isinstance(run.at(1.2345)["A"].violation, float)


def test_at_an_instant_but_for_rounding_is_that_instant():
    """No step can be made from one number to the next."""
    model = Model("fall", gravity=(0.0, -9.81))
    stone = model.add(Body(mass=1.0, inertia=1.0), name="stone")
    run = simulate(model, 0.2, output=0.01)
    for k in range(1, 20):
        for time in (np.nextafter(run.times[k], 0.0), np.nextafter(run.times[k], 1.0)):
            assert np.array_equal(run.at(time)[stone].position, run[stone].position[k])


def test_snapshot_prints_all_bodies(run):
    text = repr(run.at(1.0))
    assert all(f"  {body.name}: x " in text for body in run.model.bodies) and "t = 1 s" in text


def test_many_turns_are_counted():
    """Angles count all turns, the bearing of a point that goes round too."""
    from cardan.planar import bearing

    model = Model("rotor")
    rotor = model.add(Body(), name="rotor")
    hinge = model.add(Revolute(model.ground.at(), rotor.at()), name="hinge")
    model.add(Driver(hinge.angle, Ramp(20.0)), name="motor")
    run = kinematics(model, np.linspace(0.0, 3.0, 181))
    assert np.abs(run["hinge"].angle.value - 20.0 * run.times).max() < 1e-10
    seen = run[bearing(model.ground.at(), rotor.at(1.0, 0.0))].value
    assert np.abs(seen - 20.0 * run.times).max() < 1e-10


def test_stopped_result_says_so():
    with pytest.raises(LockUp) as caught:
        kinematics(slider_crank(1.0, 0.8, 0.0, Ramp(1.0)), np.linspace(0.0, 2.0, 41))
    partial = caught.value.partial
    assert "stopped early" in repr(partial) and str(caught.value) in repr(partial)
    assert partial.at(0.5)["crank"].angle == pytest.approx(0.5, abs=1e-9)


def test_driver_left_out_is_not_in_the_result():
    model = four_bar(0.5, 1.5, 1.2, 1.4, 0.7, Ramp(1.0, start=0.7))
    snapshot = assemble(model, drivers=False)
    with pytest.raises(ModelError, match="'motor' is not part of"):
        snapshot["motor"]


def test_element_offers_its_own_words(run):
    with pytest.raises(ModelError, match="guide.*'angle'.*travel"):
        run["guide"].angle  # noqa: B018 - reading it is the test
    assert not hasattr(run["guide"], "_private")


def test_swinging_angle_is_exact_in_all_derivatives():
    model = Model("swing")
    arm = model.add(Body(), name="arm")
    hinge = model.add(Revolute(model.ground.at(), arm.at()), name="hinge")
    model.add(Driver(hinge.angle, Harmonic(0.7, 3.0, phase=0.2)), name="motor")
    run = kinematics(model, np.linspace(0.0, 2.0, 51))
    turn = run[angle(model.ground.at(), arm.at(0.0, 0.0, 0.1))]
    phase = 3.0 * run.times + 0.2
    assert np.abs(turn.value - 0.7 * np.sin(phase) - 0.1).max() < 1e-11
    assert np.abs(turn.rate - 2.1 * np.cos(phase)).max() < 1e-11
    assert np.abs(turn.acceleration + 6.3 * np.sin(phase)).max() < 1e-10
    assert math.isclose(run.at(1.0)["arm"].angle, 0.7 * math.sin(3.2), abs_tol=1e-8)
