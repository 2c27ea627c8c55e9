"""Dead points and forks of space, where they have closed forms: located to 1e-9 of the time span, on any grid."""

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from cardan import LockUp, SimulationError, kinematics
from cardan.spatial import (
    Body,
    Cylindrical,
    Distance,
    Driver,
    Model,
    Ramp,
    Revolute,
    Spherical,
    Translational,
    lift,
    rotation,
)
from linkages import four_bar, slider_crank

FEW = settings(max_examples=20, deadline=None, derandomize=True)


def stop(model, times, expected, kind="locks up"):
    with pytest.raises(LockUp) as caught:
        kinematics(model, times)
    lock = caught.value
    span = times[-1] - times[0]
    assert abs(lock.time - expected) < 1e-9 * span
    assert kind in str(lock) and "\n" not in str(lock) and lock.elements
    hair = 1e-9 * span
    done = len(lock.partial)
    assert np.count_nonzero(times < expected - hair) <= done <= np.count_nonzero(times < expected + hair)
    assert lock.partial.violations().max(initial=0.0) < 1e-10
    return lock


@FEW
@given(
    r=st.floats(0.2, 0.5),
    d=st.floats(0.5, 1.0),
    share=st.floats(0.2, 0.9),
    lean=st.floats(-2.0, 2.0),
    points=st.integers(5, 90),
)
def test_crank_rod_and_slider_on_parallel_axes(r, d, share, lean, points):
    """RSSP: crank about z, slider along z at a distance d, rod l with balls: h^2 = l^2 - r^2 - d^2 + 2 r d cos(theta).
    The rod lies flat where h = 0, for l between d - r and d + r. All of it leans."""
    rod = d - r + 2.0 * r * share
    end = math.acos((r * r + d * d - rod * rod) / (2.0 * r * d))
    axis, side = (math.sin(lean), 0.0, math.cos(lean)), (math.cos(lean), 0.0, -math.sin(lean))
    model = Model("RSSP")
    height = math.sqrt(rod**2 - (d - r) ** 2)
    crank = model.add(Body(), name="crank")
    place = [d * side[k] + height * axis[k] for k in range(3)]
    slider = model.add(Body(position=place), name="slider")
    hinge = model.add(Revolute.between(model.ground, crank, at=(0, 0, 0), z=axis, x=side), name="hinge")
    base = model.ground.at([d * c for c in side], z=axis)
    model.add(Translational(base, slider.at(z=axis)), name="guide")
    model.add(Distance(crank.at([r * c for c in side]), slider.at(), rod), name="rod")
    model.add(Driver(hinge.angle, Ramp(1.0)), name="motor")
    stop(model, np.linspace(0.0, 1.3 * end, points), end)


@pytest.mark.parametrize("points", [2, 7, 100])
@pytest.mark.parametrize("start", [-0.3, 0.4, 1.2])
def test_gimbal_lock(start, points):
    """The second Cardan angle cannot pass a quarter turn: there the first and third turn about one axis."""
    model = Model("ball")
    bob = model.add(Body(), name="bob")
    ball = model.add(Spherical(model.ground.at(), bob.at()), name="ball")
    model.add(Driver(ball.angle_x, Ramp(3.0)), name="first")
    model.add(Driver(ball.angle_y, Ramp(1.0, start=start)), name="second")
    model.add(Driver(ball.angle_z, Ramp(-2.0)), name="third")
    times = np.linspace(0.0, 3.0, points)
    with pytest.raises((LockUp, SimulationError)) as caught:
        kinematics(model, times)
    expected = 0.5 * math.pi - start
    # near its end an arcsine knows its argument to the root of what it closes to, 1e-11
    assert abs(caught.value.time - expected) < 1e-5
    assert len(caught.value.partial) == np.count_nonzero(times < expected)
    assert caught.value.partial.violations().max() < 1e-10


@pytest.mark.parametrize("points", [3, 30])
def test_rod_pulled_straight(points):
    """A sleeve on the x axis is pulled, and spun, at one end of a rod of 1 m; its other end goes round on an arm of
    0.3 m about an axis parallel to x at 0.5 m, so never nearer than 0.2 m: x reaches sqrt(1 - 0.04)."""
    model = Model("pull")
    link = model.add(Body(position=(0.7, 0.0, 0.0)), name="link")
    sleeve = model.add(Cylindrical(model.ground.at(z=(1, 0, 0)), link.at(z=(1, 0, 0))), name="sleeve")
    turned = rotation.from_axis_angle((1, 0, 0), math.acos((0.34 - 0.51) / 0.3))  # law of cosines: 1 m apart
    arm = model.add(Body(position=(0.0, 0.5, 0.0), orientation=turned), name="arm")
    model.add(Revolute(model.ground.at(0.0, 0.5, 0.0, z=(1, 0, 0)), arm.at(z=(1, 0, 0))), name="hinge")
    model.add(Distance(arm.at(0.0, -0.3, 0.0), link.at(), 1.0), name="rod")
    model.add(Driver(sleeve.travel, Ramp(1.0, start=0.7)), name="pull")
    model.add(Driver(sleeve.angle, Ramp(5.0)), name="spin")
    stop(model, np.linspace(0.0, 1.0, points), math.sqrt(0.96) - 0.7)


@pytest.mark.parametrize("points", [5, 40])
@pytest.mark.parametrize("normal", [(0, 0, 1), (1, 2, 0.5)], ids=str)
def test_lifted_linkages_stop_where_those_of_the_plane_do(normal, points):
    """The dead point of a slider-crank with a long crank, and the fork of a parallelogram."""
    plane = {"z": normal, "x": (2.0, -1.0, 0.3)}
    times = np.linspace(0.0, 2.0, points)
    stop(lift(slider_crank(1.0, 0.6, 0.1, Ramp(1.0, start=0.1)), **plane), times, math.asin(0.6) - 0.1)
    times = np.linspace(0.0, 3.0, points)
    crossing = four_bar(0.7, 1.0, 0.7, 1.0, 1.0, Ramp(1.0, start=1.0))
    stop(lift(crossing, **plane), times, math.pi - 1.0, kind="bifurcates")
