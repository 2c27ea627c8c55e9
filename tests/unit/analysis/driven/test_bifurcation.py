"""Forks: told from lock-ups, with all branches, and passed along the one that is chosen."""

import math

import numpy as np
import pytest

from cardan import LockUp, ModelError, inverse_dynamics, kinematics
from cardan.analysis.driven.bifurcation import quadratic_roots
from cardan.errors import CardanWarning
from cardan.planar import Body, Driver, Model, Ramp, Revolute, Translational
from cardan.spatial import lift
from linkages import four_bar, slider_crank

CLOSE = 1e-9  # positions come from Newton's method, or beside the fork from polynomials: 1e-11 of a rad


def parallelogram(a=1.0, d=3.0, begin=1.0, rate=1.0):
    return four_bar(a, d, a, d, begin, Ramp(rate, start=begin))


def crossed(a, d, phi):
    """The coupler's angle of an antiparallelogram: its axis of symmetry is the diagonal from the crank's tip."""
    return 2.0 * np.arctan2(-a * np.sin(phi), d - a * np.cos(phi))


def fork_of(model, times, **options):
    with pytest.raises(LockUp) as stop:
        kinematics(model, times, **options)
    return stop.value


def difference(one, two):
    return np.abs((one - two + np.pi) % (2.0 * np.pi) - np.pi).max()


def test_a_lock_up_is_no_fork():
    stop = fork_of(slider_crank(1.0, 0.6, 0.1, Ramp(1.0, start=0.1)), np.linspace(0.0, 1.0, 11))
    assert stop.kind == "lock-up" and not stop.is_bifurcation and stop.branches == ()
    same = fork_of(
        slider_crank(1.0, 0.6, 0.1, Ramp(1.0, start=0.1)), np.linspace(0.0, 1.0, 11), at_bifurcation="smooth"
    )
    assert same.kind == "lock-up"


@pytest.mark.parametrize("coordinates", ["cartesian", "joint"])
@pytest.mark.parametrize("points", [8, 361])
def test_a_parallelogram_stays_one_or_crosses_over(points, coordinates):
    times = np.linspace(0.0, 4.0 * math.pi, points)
    smooth = kinematics(parallelogram(), times, at_bifurcation="smooth", coordinates=coordinates)
    assert difference(smooth["coupler"].angle, 0.0) < CLOSE
    assert np.abs(smooth["coupler"].angular_velocity).max() < 1e-6
    passed = [fork.time + 1.0 for fork in smooth.bifurcations]
    assert passed == pytest.approx([math.pi, 2.0 * math.pi, 3.0 * math.pi, 4.0 * math.pi], abs=1e-8)
    assert smooth.violations().max() < 1e-10 and "bifurcations" in repr(smooth)

    stop = fork_of(parallelogram(), times, coordinates=coordinates)
    assert (
        stop.is_bifurcation
        and stop.kind == "bifurcation"
        and len(stop.branches) == 2
        and "at_bifurcation='smooth'" in str(stop)
    )
    first, second = (
        kinematics(parallelogram(), times, at_bifurcation=[b, "smooth"], coordinates=coordinates) for b in stop.branches
    )
    assert difference(first["coupler"].angle, 0.0) < CLOSE
    behind = times + 1.0 > math.pi
    assert difference(second["coupler"].angle[behind], crossed(1.0, 3.0, times[behind] + 1.0)) < CLOSE
    assert [fork.taken for fork in second.bifurcations] == [1, 0, 0, 0]


def test_a_branch_alone_stops_at_the_next_fork():
    times = np.linspace(0.0, 8.0, 81)
    branch = fork_of(parallelogram(), times).branches[1]
    stop = fork_of(parallelogram(), times, at_bifurcation=branch)
    assert stop.time == pytest.approx(2.0 * math.pi - 1.0, abs=1e-8) and stop.is_bifurcation
    assert [fork.taken for fork in stop.partial.bifurcations] == [1]
    other = np.linspace(0.0, 4.0, 1001)  # another grid, the same branch
    assert (
        difference(
            kinematics(parallelogram(), other, at_bifurcation=branch)["coupler"].angle[-1], crossed(1.0, 3.0, 5.0)
        )
        < CLOSE
    )


def test_an_instant_at_the_fork_itself():
    """Velocities and accelerations there are those of the arriving motion."""
    times = np.array([0.0, 1.0, math.pi - 1.0, 3.0])
    branch = fork_of(parallelogram(), times).branches[1]
    run = kinematics(parallelogram(), times, at_bifurcation=branch)
    assert difference(run["coupler"].angle[2], 0.0) < CLOSE
    assert abs(run["coupler"].angular_velocity[2]) < 1e-7
    w = run["coupler"].angular_velocity[3]
    step = 1e-5
    assert w == pytest.approx((crossed(1.0, 3.0, 4.0 + step) - crossed(1.0, 3.0, 4.0 - step)) / (2.0 * step), abs=1e-8)


@pytest.mark.parametrize("count", [2, 3])
def test_several_forks_at_one_instant(count):
    """Each of the parallelograms may cross over: 2^n branches."""
    times = np.linspace(0.0, 5.0, 51)
    model = beside_each_other(count)
    stop = fork_of(model, times)
    assert len(stop.branches) == 2**count
    ends = set()
    for branch in stop.branches:
        run = kinematics(model, times, at_bifurcation=[branch, "smooth"])
        angles = [float(run[f"coupler {k}"].angle[-1]) for k in range(count)]
        kinds = tuple(difference(angle, crossed(1.0, 2.0, 5.4)) < CLOSE for angle in angles)
        assert all(kind or difference(angle, 0.0) < CLOSE for kind, angle in zip(kinds, angles, strict=True))
        ends.add(kinds)
    assert len(ends) == 2**count


def beside_each_other(count, begin=0.4):
    model = Model("parallelograms")
    for k in range(count):
        crank = model.add(Body(position=(0, 5.0 * k), angle=begin), name=f"crank {k}")
        rocker = model.add(Body(position=(2, 5.0 * k), angle=begin), name=f"rocker {k}")
        coupler = model.add(Body(position=(math.cos(begin), 5.0 * k + math.sin(begin))), name=f"coupler {k}")
        hinge = model.add(Revolute(model.ground.at(0, 5.0 * k), crank.at()), name=f"A{k}")
        model.add(Revolute(model.ground.at(2, 5.0 * k), rocker.at()), name=f"D{k}")
        model.add(Revolute(crank.at(1, 0), coupler.at()), name=f"B{k}")
        model.add(Revolute(coupler.at(2, 0), rocker.at(1, 0)), name=f"C{k}")
        model.add(Driver(hinge.angle, Ramp(1.0, start=begin)), name=f"motor {k}")
    return model


@pytest.mark.parametrize("coordinates", ["cartesian", "joint"])
def test_forks_in_space(coordinates):
    """A parallelogram in an oblique plane, with the redundant rows that hinges in space have."""
    times = np.linspace(0.0, 5.0, 26)
    model = lift(parallelogram(0.7, 1.0), z=(1, 2, 0.5), x=(2.0, -1.0, 0.3))
    stop = fork_of(model, times)
    assert stop.is_bifurcation and len(stop.branches) == 2
    flat = parallelogram(0.7, 1.0)
    for branch, plane in zip(stop.branches, fork_of(flat, times).branches, strict=True):
        run = kinematics(model, times, at_bifurcation=[branch, "smooth"], coordinates=coordinates)
        same = kinematics(flat, times, at_bifurcation=[plane, "smooth"])
        spun = np.linalg.norm(run["coupler"].angular_velocity, axis=1)
        assert np.abs(spun - np.abs(same["coupler"].angular_velocity)).max() < 1e-6


def test_the_equal_slider_crank_can_stand_still():
    """r = l: at pi/2 the slider goes on through the pivot, or stays there while the rod turns with the crank."""
    times = np.linspace(0.0, 3.0, 31)
    model = slider_crank(1.0, 1.0, 0.3, Ramp(1.0, start=0.3))
    stop = fork_of(model, times)
    straight, still = (kinematics(model, times, at_bifurcation=b) for b in stop.branches)
    assert np.abs(straight["slider"].position[:, 0] - 2.0 * np.cos(times + 0.3)).max() < CLOSE
    assert np.abs(still["slider"].position[times + 0.3 > math.pi / 2, 0]).max() < CLOSE


def test_forces_at_a_fork_are_not_made_up():
    """The loads of a parallelogram whose coupler and rocker have no mass: nothing is carried, except at the fork."""
    model = Model("parallelogram", gravity=(0.0, -9.81))
    crank = model.add(Body(angle=1.0, mass=2.0, inertia=0.1, center=(0.5, 0.0)), name="crank")
    rocker = model.add(Body(position=(3, 0), angle=1.0), name="rocker")
    coupler = model.add(Body(position=(math.cos(1.0), math.sin(1.0))), name="coupler")
    hinge = model.add(Revolute(model.ground.at(), crank.at()), name="A")
    model.add(Revolute(crank.at(1, 0), coupler.at()), name="B")
    model.add(Revolute(coupler.at(3, 0), rocker.at(1, 0)), name="C")
    model.add(Revolute(model.ground.at(3, 0), rocker.at()), name="D")
    model.add(Driver(hinge.angle, Ramp(1.0, 1.0)), name="motor")
    times = np.array([0.0, 1.0, math.pi - 1.0, 2.5])
    with pytest.warns(CardanWarning, match=r"t = 2\.14159265 s the motion of 'parallelogram' bifurcates.*nan"):
        run = inverse_dynamics(model, times, at_bifurcation="smooth")
    known = [0, 1, 3]
    assert np.isnan(run["motor"].force[2])
    assert run["motor"].force[known] == pytest.approx(9.81 * np.cos(times[known] + 1.0), abs=1e-9)


def test_what_at_fork_rejects():
    times = np.linspace(0.0, 4.0, 41)
    with pytest.raises(ModelError, match="at_bifurcation.*'straight'"):
        kinematics(parallelogram(), times, at_bifurcation="straight")
    with pytest.raises(ModelError, match="empty list"):
        kinematics(parallelogram(), times, at_bifurcation=[])
    late = fork_of(parallelogram(rate=0.5), np.linspace(0.0, 9.0, 41)).branches[1]
    with pytest.raises(ModelError, match=r"a branch at t = 4\.\d+ s, but 'four-bar' bifurcates at t = 2\.14159 s"):
        kinematics(parallelogram(), times, at_bifurcation=late)


def flat_start(begin, rate):
    """A parallelogram that starts flat."""
    return parallelogram(1.0, 3.0, begin, rate)


@pytest.mark.parametrize("coordinates", ["cartesian", "joint"])
@pytest.mark.parametrize("begin", [0.0, math.pi])
def test_a_motion_starts_at_a_bifurcation(begin, coordinates):
    """Flat parallelograms continue as such, or as antiparallelograms: the error offers both, and both can be run."""
    times = np.linspace(0.0, 2.0, 9)
    stop = fork_of(flat_start(begin, 1.0), times, coordinates=coordinates)
    assert (
        stop.is_bifurcation
        and stop.time == 0.0
        and len(stop.branches) == 2
        and "at_bifurcation=error.branches" in str(stop)
    )
    again = fork_of(flat_start(begin, 1.0), times, at_bifurcation="smooth", coordinates=coordinates)
    assert again.is_bifurcation and len(again.branches) == 2  # nothing tells which motion is meant
    kinds = []
    for branch in stop.branches:
        run = kinematics(flat_start(begin, 1.0), times, at_bifurcation=branch, coordinates=coordinates)
        angle = run["coupler"].angle
        straight = difference(angle, 0.0) < CLOSE
        assert straight or difference(angle, crossed(1.0, 3.0, begin + times)) < CLOSE
        assert run.violations().max() < 1e-10 and [fork.time for fork in run.bifurcations] == [0.0]
        assert run["crank"].angular_velocity == pytest.approx(np.ones(9), abs=1e-7)
        kinds.append(straight)
    assert sorted(kinds) == [False, True]


def test_a_motion_continues_another_one_at_a_bifurcation():
    """The velocity of the snapshot tells which branch is smooth."""
    for sign in (0, 1):
        first, second = np.linspace(0.0, math.pi, 21), np.linspace(math.pi, 5.0, 9)
        branch = fork_of(flat_start(0.0, 1.0), first).branches[sign]
        end = kinematics(flat_start(0.0, 1.0), first, at_bifurcation=[branch, "smooth"]).at(math.pi)
        rest = kinematics(flat_start(0.0, 1.0), second, start=end, at_bifurcation="smooth")
        whole = kinematics(flat_start(0.0, 1.0), np.append(0.0, second), at_bifurcation=[branch, "smooth"])
        assert difference(rest["coupler"].angle, whole["coupler"].angle[1:]) < CLOSE


def test_forces_after_a_start_at_a_bifurcation():
    """Only the crank has mass: its motor carries the weight, m g cos(phi) / 2."""
    model = Model("parallelogram", gravity=(0.0, -9.81))
    crank = model.add(Body(mass=2.0, inertia=0.1, center=(0.5, 0.0)), name="crank")
    rocker = model.add(Body(position=(3, 0)), name="rocker")
    coupler = model.add(Body(position=(1, 0)), name="coupler")
    hinge = model.add(Revolute(model.ground.at(), crank.at()), name="A")
    model.add(Revolute(crank.at(1, 0), coupler.at()), name="B")
    model.add(Revolute(coupler.at(3, 0), rocker.at(1, 0)), name="C")
    model.add(Revolute(model.ground.at(3, 0), rocker.at()), name="D")
    model.add(Driver(hinge.angle, Ramp(1.0)), name="motor")
    times = np.linspace(0.0, 2.0, 5)
    for branch in fork_of(model, times).branches:
        with pytest.warns(CardanWarning, match="t = 0 s the motion .* bifurcates.*nan"):
            run = inverse_dynamics(model, times, at_bifurcation=branch)
        assert np.isnan(run["motor"].force[0])
        assert run["motor"].force[1:] == pytest.approx(9.81 * np.cos(times[1:]), abs=1e-8)


@pytest.mark.parametrize("count", [2, 3])
def test_several_mechanisms_start_at_a_bifurcation(count):
    model = beside_each_other(count, 0.0)
    stop = fork_of(model, np.linspace(0.0, 1.0, 5))
    assert len(stop.branches) == 2**count


def test_a_start_at_a_dead_point_is_not_a_bifurcation():
    """The crank of a folded slider-crank cannot be moved by its slider: no velocity satisfies the driver."""
    model = Model("dead point")
    crank = model.add(Body(), name="crank")
    rod = model.add(Body(position=(1, 0)), name="rod")
    slider = model.add(Body(position=(3, 0)), name="slider")
    model.add(Revolute(model.ground.at(), crank.at()), name="A")
    model.add(Revolute(crank.at(1, 0), rod.at()), name="B")
    model.add(Revolute(rod.at(2, 0), slider.at()), name="C")
    guide = model.add(Translational(model.ground.at(), slider.at()), name="guide")
    model.add(Driver(guide.travel, Ramp(-1.0, start=3.0)), name="push")
    stop = fork_of(model, np.linspace(0.0, 0.1, 3), at_bifurcation="smooth")
    assert stop.kind == "lock-up" and stop.branches == () and "singular configuration" in str(stop)


def test_all_solutions_of_decoupled_quadratics():
    """c1 (c1 - 2) = 0, c2 (c2 + 3) = 0: three besides zero."""
    square = np.zeros((2, 2, 2))
    square[0, 0, 0] = square[1, 1, 1] = 1.0
    found = quadratic_roots(np.diag([-2.0, 3.0]), square)
    assert np.allclose(sorted(map(tuple, found)), [(0.0, -3.0), (2.0, -3.0), (2.0, 0.0)], atol=1e-9)
