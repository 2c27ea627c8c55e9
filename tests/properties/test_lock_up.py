"""Dead points and forks: found between the instants, located to 1e-9 of the time span, told apart, never jumped over.

        o-----.                        crank longer than rod: the rod stands upright when r sin(phi) = l
       /  r    \\ l
      /  phi    \\
     A----------[C]-----
"""

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from cardan import LockUp, kinematics
from cardan.planar import Body, Driver, Harmonic, Model, Polynomial, Ramp, Revolute
from linkages import four_bar, slider_crank

LENGTH = st.floats(0.2, 2.0)
FEW = settings(max_examples=25, deadline=None, derandomize=True)


def stop(model, times):
    """The lock-up that a motion must run into."""
    with pytest.raises(LockUp) as caught:
        kinematics(model, times)
    return caught.value


def assert_clean(lock, times, expected, kind="locks up"):
    """Located to 1e-9 of the span, named, and with all instants before it, and only those, in the partial result."""
    span = times[-1] - times[0]
    assert abs(lock.time - expected) < 1e-9 * span
    assert kind in str(lock) and "\n" not in str(lock)
    partial = lock.partial
    hair = 1e-9 * span  # an instant as near as this may count or not
    assert np.count_nonzero(times < expected - hair) <= len(partial) <= np.count_nonzero(times < expected + hair)
    assert partial.stopped is lock
    assert partial.violations().max(initial=0.0) < 1e-10
    assert lock.elements and all(name in str(lock) for name in lock.elements)


@FEW
@given(r=LENGTH, ratio=st.floats(0.2, 0.95), rate=st.floats(0.3, 20.0), points=st.integers(10, 200))
def test_slider_crank_with_long_crank(r, ratio, rate, points):
    """sin(phi) = l / r: the rod is upright and the slider cannot follow."""
    times = np.linspace(0.0, 3.0 / rate, points)
    model = slider_crank(r, ratio * r, 0.0, Ramp(rate))
    assert_clean(stop(model, times), times, math.asin(ratio) / rate)


@FEW
@given(r=LENGTH, rod=LENGTH, share=st.floats(0.1, 0.9), points=st.integers(10, 200))
def test_slider_pulled_to_the_outer_dead_point(r, rod, share, points):
    """Crank and rod in one line: the slider is at r + l and can be pulled no further."""
    phi = 0.5 * math.asin(min(1.0, rod / r))
    start = slider_crank(r, rod, phi, Ramp(1.0), drive="slider")["slider"].position[0]
    duration = (r + rod - start) / share
    times = np.linspace(0.0, duration, points)
    model = slider_crank(r, rod, phi, Ramp(1.0, start=start), drive="slider")
    assert_clean(stop(model, times), times, r + rod - start)


@FEW
@given(
    a=st.floats(0.5, 1.5),
    b=st.floats(0.4, 0.8),
    c=st.floats(0.4, 0.8),
    d=st.floats(0.8, 1.2),
    points=st.integers(10, 200),
)
def test_four_bar_whose_coupler_and_rocker_stretch(a, b, c, d, points):
    """(b + c)^2 = a^2 + d^2 - 2 a d cos(phi) (law of cosines): coupler and rocker in one line."""
    cosine = (a * a + d * d - (b + c) ** 2) / (2.0 * a * d)
    least = (a * a + d * d - (b - c) ** 2) / (2.0 * a * d)  # folded: the motion starts beyond that
    if not -0.98 < cosine < 0.9:
        return
    end = math.acos(cosine)
    begin = math.acos(min(1.0, least))
    phi = begin + 0.4 * (end - begin)
    times = np.linspace(0.0, 1.3 * (end - phi), points)
    model = four_bar(a, b, c, d, phi, Ramp(1.0, start=phi))
    lock = stop(model, times)
    assert_clean(lock, times, end - phi)
    assert {"C", "motor"} <= set(lock.elements)


@pytest.mark.parametrize("motion", [Polynomial(0.1, 0.0, 2.0), Harmonic(2.0, 1.0, offset=0.1)], ids=["t^2", "sin"])
def test_lock_up_of_uneven_motions(motion):
    """asin(l/r) reached by 0.1 + 2 t^2 and by 0.1 + 2 sin t."""
    limit = math.asin(0.6)
    expected = math.sqrt((limit - 0.1) / 2.0) if isinstance(motion, Polynomial) else math.asin((limit - 0.1) / 2.0)
    times = np.linspace(0.0, 1.0, 57)
    assert_clean(stop(slider_crank(1.0, 0.6, 0.1, motion), times), times, expected)


@pytest.mark.parametrize("degrees", [1, 3, 10, 20, 30])
@pytest.mark.parametrize("offset", [0.1, 0.37, 0.5, 0.83, 0.99])
def test_coarse_grids_do_not_jump_over_a_lock_up(degrees, offset):
    """The dead point lies between two instants, up to 30 degrees of the crank apart."""
    step, limit = math.radians(degrees), math.asin(0.8)
    first = limit - offset * step - math.floor((limit - offset * step) / step) * step
    times = first + step * np.arange(3 + math.ceil(math.pi / step))
    model = slider_crank(1.0, 0.8, first, Ramp(1.0))
    assert_clean(stop(model, times), times, limit)


def test_lock_up_exactly_on_an_instant():
    limit = math.asin(0.8)
    times = np.linspace(0.0, 2.0 * limit, 41)
    lock = stop(slider_crank(1.0, 0.8, 0.0, Ramp(1.0)), times)
    assert abs(lock.time - limit) < 1e-9 * times[-1]
    assert len(lock.partial) in (20, 21)  # the instant itself may or may not count


def test_motion_that_turns_back_in_time_goes_on():
    """The crank swings to 99.9 percent of the dead point and back: no lock-up."""
    limit = math.asin(0.8)
    model = slider_crank(1.0, 0.8, 0.0, Harmonic(0.999 * limit, 1.0))
    times = np.linspace(0.0, 2.0 * math.pi, 201)
    run = kinematics(model, times)
    phi = 0.999 * limit * np.sin(times)
    exact = np.cos(phi) + np.sqrt(0.64 - np.sin(phi) ** 2)
    assert len(run) == times.size
    assert np.abs(run[run.model["slider"]].position[:, 0] - exact).max() < 1e-9


@FEW
@given(r=LENGTH, begin=st.floats(-1.2, 1.2), rate=st.floats(0.3, 20.0), points=st.integers(10, 200))
def test_equal_slider_crank_forks_upright(r, begin, rate, points):
    """r = l: at phi = pi/2 crank and rod lie on each other, and the rod may turn with the crank or against it."""
    times = np.linspace(0.0, (3.0 - begin) / rate, points)
    model = slider_crank(r, r, begin, Ramp(rate, start=begin))
    assert_clean(stop(model, times), times, (0.5 * math.pi - begin) / rate, kind="bifurcates")


@FEW
@given(a=LENGTH, d=LENGTH, begin=st.floats(0.3, 2.5), rate=st.floats(0.3, 20.0), points=st.integers(10, 200))
def test_parallelogram_forks_when_flat(a, d, begin, rate, points):
    """a = c, b = d: at phi = pi all links lie in one line, and the rocker may go on parallel or cross over."""
    times = np.linspace(0.0, (4.5 - begin) / rate, points)
    model = four_bar(a, d, a, d, begin, Ramp(rate, start=begin))
    assert_clean(stop(model, times), times, (math.pi - begin) / rate, kind="bifurcates")


@pytest.mark.parametrize("degrees", [1, 5, 15, 30])
@pytest.mark.parametrize("offset", [0.13, 0.5, 0.71])
@pytest.mark.parametrize("family", ["parallelogram", "slider-crank"])
def test_coarse_grids_do_not_jump_over_a_fork(family, degrees, offset):
    step = math.radians(degrees)
    singular = math.pi if family == "parallelogram" else 0.5 * math.pi
    begin = singular - step * (offset + math.floor(1.0 / step))
    times = step * np.arange(3 + math.floor(2.0 / step))
    motion = Ramp(1.0, start=begin)
    model = four_bar(0.7, 1.0, 0.7, 1.0, begin, motion) if family == "parallelogram" else None
    model = model or slider_crank(0.7, 0.7, begin, motion)
    assert_clean(stop(model, times), times, singular - begin, kind="bifurcates")


def test_near_fork_is_passed_on_its_branch():
    """Almost a parallelogram: no fork, but two branches that come within a few milliradians of each other. The exact
    branch by the law of cosines."""
    a, b, c, d = 0.5, 1.0, 0.5 + 1e-4, 1.0  # a + b < c + d: the crank turns fully (Grashof)
    times = np.linspace(0.0, 2.0 * math.pi, 721)
    phi = 0.3 + times
    run = kinematics(four_bar(a, b, c, d, 0.3, Ramp(1.0, start=0.3)), times)
    reach2 = a * a + d * d - 2.0 * a * d * np.cos(phi)
    bend = np.arccos((c * c + reach2 - b * b) / (2.0 * c * np.sqrt(reach2)))
    toward = np.arctan2(a * np.sin(phi), a * np.cos(phi) - d)
    rocker = run[run.model["rocker"]].angle
    assert np.abs(np.cos(rocker) - np.cos(toward - bend)).max() < 1e-7
    assert np.abs(np.sin(rocker) - np.sin(toward - bend)).max() < 1e-7


@pytest.mark.parametrize("degrees", [10, 20, 40, 60])
@pytest.mark.parametrize("a", [0.3, 0.7, 0.95])
def test_coarse_and_fine_grids_stay_on_one_branch(a, degrees):
    """A crank-rocker (a + d < b + c) whose branches come near each other as a approaches 1."""
    step = math.radians(degrees)
    times = step * np.arange(math.ceil(4.0 * math.pi / step))
    fine = np.linspace(0.0, times[-1], 3601)
    model = four_bar(a, 1.6, 1.2, 1.5, 0.3, Ramp(1.0, start=0.3))
    coarse_run, fine_run = kinematics(model, times), kinematics(model, np.union1d(fine, times))
    at = np.searchsorted(fine_run.times, times)
    assert np.abs(coarse_run.q - fine_run.q[at]).max() < 1e-9


def test_start_at_a_bifurcation():
    """A parallelogram that starts flat: its driver does not determine how it moves from there."""
    model = four_bar(0.5, 1.0, 0.5, 1.0, math.pi, Ramp(1.0, start=math.pi))
    lock = stop(model, np.linspace(0.0, 1.0, 11))
    assert lock.is_bifurcation and len(lock.branches) == 2 and lock.time == 0.0


def test_lock_up_before_the_second_instant():
    """One giant step: the dead point lies before the first instant asked for."""
    lock = stop(slider_crank(1.0, 0.8, 0.0, Ramp(1.0)), np.array([0.0, 1.5]))
    assert abs(lock.time - math.asin(0.8)) < 1e-9 * 1.5
    assert len(lock.partial) == 1


def test_jump_of_a_driver_is_no_lock_up():
    """An input that jumps is told from a lock-up: no singular position is made up."""
    from cardan import CardanError

    def jump(t):
        return t if t < 0.5 else t + 0.7

    with pytest.raises(CardanError) as caught:
        kinematics(four_bar(0.5, 1.3, 1.0, 1.2, 0.3, lambda t: 0.3 + jump(t)), np.linspace(0.0, 1.0, 101))
    assert not isinstance(caught.value, LockUp)
    assert caught.value.time == pytest.approx(0.5, abs=1e-6)
    assert caught.value.partial.times[-1] < 0.5 + 1e-9


@pytest.mark.parametrize("faster", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("larger", [1e-4, 1e-2, 1.0, 1e4])
def test_units_do_not_matter(larger, faster):
    """Tenths of a millimeter or kilometers, microseconds or days: the same dead point and the same fork."""
    limit = math.asin(0.6)
    times = np.linspace(0.0, 2.0, 37) / faster
    model = slider_crank(larger, 0.6 * larger, 0.0, Ramp(faster))
    lock = stop(model, times)
    assert abs(lock.time * faster - limit) < 2e-9
    times = np.linspace(0.0, 3.0, 37) / faster
    lock = stop(four_bar(0.7 * larger, larger, 0.7 * larger, larger, 0.5, Ramp(faster, start=0.5)), times)
    assert abs(lock.time * faster - (math.pi - 0.5)) < 3e-9 and "bifurcates" in str(lock)


@pytest.mark.parametrize("short", [1e-2, 1e-4, 1e-6])
def test_lock_up_beside_a_fork(short):
    """A rod that is shorter than the crank by a hair: a dead point just before the fork of equal lengths."""
    times = np.linspace(0.0, 7.0, 141)
    lock = stop(slider_crank(1.0, 1.0 - short, 0.3, Ramp(1.0, start=0.3)), times)
    assert_clean(lock, times, math.asin(1.0 - short) - 0.3)


@pytest.mark.parametrize("longer", [1e-3, 1e-6, 1e-9])
def test_passage_beside_a_fork(longer):
    """A rod that is longer by a hair passes; x = cos + sqrt(l^2 - sin^2), whose root loses half the digits upright."""
    rod, times = 1.0 + longer, np.linspace(0.0, 7.0, 141)
    run = kinematics(slider_crank(1.0, rod, 0.3, Ramp(1.0, start=0.3)), times)
    exact = np.cos(0.3 + times) + np.sqrt(rod * rod - np.sin(0.3 + times) ** 2)
    assert np.abs(run["slider"].position[:, 0] - exact).max() < 1e-8


def coupled_wheels(apart):
    """Two wheels and two coupling rods, the second `apart` (rad) behind the first, as on a locomotive."""
    model, phi = Model("wheels"), 0.7
    first = model.add(Body(angle=phi), name="first")
    second = model.add(Body(position=(1.0, 0.0), angle=phi), name="second")
    hinge = model.add(Revolute(model.ground.at(), first.at()), name="A")
    model.add(Revolute(model.ground.at(1.0, 0.0), second.at()), name="D")
    for k, turn in enumerate((0.0, apart)):
        pin = (0.5 * math.cos(turn), 0.5 * math.sin(turn))
        place = (0.5 * math.cos(phi + turn), 0.5 * math.sin(phi + turn))
        rod = model.add(Body(position=place), name=f"rod {k}")
        model.add(Revolute(first.at(*pin), rod.at()), name=f"B{k}")
        model.add(Revolute(rod.at(1.0, 0.0), second.at(*pin)), name=f"C{k}")
    model.add(Driver(hinge.angle, Ramp(1.0, start=phi)), name="motor")
    return model


@pytest.mark.parametrize("points", [11, 101, 1001])
def test_second_coupler_carries_it_through(points):
    """Rods at a right angle: where one lies flat the other decides. The redundancy is there for that."""
    run = kinematics(coupled_wheels(0.5 * math.pi), np.linspace(0.0, 10.0, points))
    assert np.abs(run["second"].angle - run["first"].angle).max() < 1e-9
    assert run.violations().max() < 1e-9


def test_second_coupler_that_is_flat_too_does_not():
    """Rods on one diameter lie flat together: the wheels fork at phi = pi in spite of the redundancy."""
    times = np.linspace(0.0, 10.0, 101)
    assert_clean(stop(coupled_wheels(math.pi), times), times, math.pi - 0.7, kind="bifurcates")
