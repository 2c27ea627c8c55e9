"""Polygons of velocity and acceleration against closed forms: four-bar, slider-crank, quick-return with Coriolis."""

import math

import numpy as np
import pytest

from cardan import ModelError, assemble, kinematics
from cardan.examples import load
from cardan.planar import Body, Driver, Gear, Model, Ramp, Revolute, RollingWheel
from cardan.results.snapshot import Snapshot
from cardan.system.compile import compile

NEAR = 1e-8  # joints are closed to 1e-11 of the size


@pytest.fixture(scope="module")
def slider_crank():
    return kinematics(load("slider-crank").build(), np.linspace(0.0, 0.6, 61))


@pytest.fixture(scope="module")
def shaper():
    return kinematics(load("quick-return").build(), np.linspace(0.0, 1.0, 101))


@pytest.fixture(scope="module")
def four_bar():
    return kinematics(load("four-bar").build(), np.linspace(0.0, 1.0, 101))


def test_slider_crank_in_closed_form(slider_crank):
    """x = r cos a + sqrt(l^2 - r^2 sin^2 a), r = 0.2, l = 0.5, a = 10 t."""
    r, rod, w, time = 0.2, 0.5, 10.0, 0.1
    c, s = math.cos(w * time), math.sin(w * time)
    root = math.sqrt(rod**2 - (r * s) ** 2)
    speed = -r * w * s - r * r * s * c * w / root
    turning = -r * w * c / root  # of the rod: l sin b = -r sin a
    velocities = slider_crank.velocity_polygon(time)
    assert velocities["B"] == pytest.approx([-r * w * s, r * w * c], abs=NEAR)
    assert velocities["C"] == pytest.approx([speed, 0.0], abs=NEAR)
    assert velocities.turning["rod"] == pytest.approx(turning, abs=NEAR)
    accelerations = slider_crank.acceleration_polygon(time)
    d = r * r * (c * c - s * s) / root + (r * r * s * c) ** 2 / root**3
    assert accelerations["C"] == pytest.approx([-w * w * (r * c + d), 0.0], abs=1e-6)
    normal = next(side for side in accelerations.parts("normal") if side.name == "C/B")
    assert normal.size == pytest.approx(turning**2 * rod, rel=1e-9)
    assert accelerations.parts("Coriolis") == ()  # the guide stands still


def test_quick_return_has_its_coriolis_part(shaper):
    """The pin, 1.5 m from (0, 2), slides on a rocker about the origin: rho^2 = (r c)^2 + (2 + r s)^2, v = rho'."""
    r, w, time = 1.5, 2.0 * math.pi, 0.1
    c, s = math.cos(w * time), math.sin(w * time)
    rho = math.hypot(r * c, 2.0 + r * s)
    sliding = 2.0 * r * c * w / rho  # rho' = (r c (-r s w) + (2 + r s) r c w) / rho
    turning = (r * c * r * c + (2.0 + r * s) * r * s) * w / rho**2  # (x y' - y x') / rho^2
    velocities = shaper.velocity_polygon(time)
    assert velocities.turning["rocker"] == pytest.approx(turning, rel=1e-9)
    along = next(side for side in velocities.parts("sliding") if side.name == "C/C'")
    assert along.size == pytest.approx(abs(sliding), rel=1e-9)
    assert velocities["C"] == pytest.approx([-r * w * s, r * w * c], abs=NEAR)
    (coriolis,) = shaper.acceleration_polygon(time).parts("Coriolis")
    assert coriolis.size == pytest.approx(2.0 * abs(turning * sliding), rel=1e-9)
    assert coriolis.name == "C/C'"
    assert coriolis.vector @ along.vector == pytest.approx(0.0, abs=NEAR)  # across the slot
    assert "2 omega v" in coriolis.words


def test_four_bar_turns_as_its_loop_says(four_bar):
    """A body's polygon is its image: c - b is perpendicular to CB and omega CB long."""
    polygon = four_bar.velocity_polygon(0.3)
    points = {corner.name: corner.point for corner in polygon.corners}
    arm, difference = points["C"] - points["B"], polygon["C"] - polygon["B"]
    assert arm @ difference == pytest.approx(0.0, abs=NEAR)
    assert np.hypot(*difference) == pytest.approx(abs(polygon.turning["coupler"]) * np.hypot(*arm))
    # E on the coupler makes a triangle similar to BCE in the polygon
    ratio = np.hypot(*(polygon["E"] - polygon["B"])) / np.hypot(*difference)
    assert ratio == pytest.approx(np.hypot(*(points["E"] - points["B"])) / np.hypot(*arm), rel=1e-9)


@pytest.mark.parametrize("which", ["slider_crank", "shaper", "four_bar"])
@pytest.mark.parametrize("quantity", ["velocity", "acceleration"])
def test_sides_lead_from_corner_to_corner(which, quantity, request):
    """The parts between two corners add up to their difference, and pins move with both of their bodies."""
    run = request.getfixturevalue(which)
    polygon = getattr(run, f"{quantity}_polygon")(float(run.times[17]))
    values = {corner.name: corner.value for corner in polygon.corners}
    largest = max(np.hypot(*value) for value in values.values())
    sums = {}
    for side in polygon.sides:
        sums[side.name] = sums.get(side.name, 0.0) + side.vector
    assert sums
    for name, vector in sums.items():
        end, start = (values.get(word, np.zeros(2)) for word in name.split("/"))  # points of the ground are the pole
        assert vector == pytest.approx(end - start, abs=1e-7 * largest)
    assert polygon.gap <= 1e-9 * largest


def test_polygons_speak(four_bar):
    assert "turning, omega of coupler" in repr(four_bar.velocity_polygon(0.3))
    with pytest.raises(ModelError, match="no corner 'Z'; it has B"):
        four_bar.velocity_polygon(0.3)["Z"]
    with pytest.raises(ModelError, match="need velocities"):
        assemble(four_bar.model).velocity_polygon()
    assert four_bar.at(0.3).velocity_polygon()["B"] == pytest.approx(four_bar.velocity_polygon(0.3)["B"])


def test_space_has_no_polygon():
    system = compile(load("spatial-slider-crank").build())
    with pytest.raises(ModelError, match="planar mechanisms; 'spatial-slider-crank' is spatial"):
        Snapshot(system, 0.0, system.start).velocity_polygon()


def test_gears_share_the_velocity_of_their_pitch_point():
    """v_P = omega_a R_a of both; a_P - a_P' = omega_a^2 R_a + omega_b^2 R_b, along the line of centers."""
    model = Model("gears")
    small = model.add(Body(mass=1.0, inertia=0.1), name="small")
    large = model.add(Body(mass=1.0, inertia=0.1, position=(0.3, 0.0)), name="large")
    hinge = model.add(Revolute(model.ground.at(0.0, 0.0), small.at()), name="A")
    model.add(Revolute(model.ground.at(0.3, 0.0), large.at()), name="B")
    model.add(Gear(small.at(), large.at(), radius_a=0.1, radius_b=0.2), name="mesh")
    model.add(Driver(hinge.angle, Ramp(6.0)), name="motor")
    run = kinematics(model, [0.0, 0.1])
    assert run.velocity_polygon(0.1)["mesh"] == pytest.approx([0.0, 0.6], abs=NEAR)
    polygon = run.acceleration_polygon(0.1)
    assert polygon["mesh"] - polygon["mesh'"] == pytest.approx([3.0**2 * 0.2 + 6.0**2 * 0.1, 0.0], abs=NEAR)
    assert run.instant_centers(0.1)["small", "large"].point == pytest.approx([0.1, 0.0], abs=NEAR)
    assert polygon.missing == ()


def test_the_lowest_point_of_a_wheel_stands_still():
    model = Model("wheel")
    wheel = model.add(Body(mass=1.0, inertia=0.1, position=(0.0, 0.5)), name="wheel")
    road = model.add(RollingWheel(model.ground.at(), wheel.at(), radius=0.5), name="road")
    model.add(Driver(road.travel, Ramp(2.0)), name="motor")
    run = kinematics(model, [0.0, 0.1])
    assert run.instant_centers(0.1)["ground", "wheel"].point == pytest.approx([0.2, 0.0], abs=1e-6)
    assert run.acceleration_polygon(0.1)["road"] == pytest.approx([0.0, 2.0**2 / 0.5], abs=1e-6)  # toward the center


def test_what_has_no_picture_is_named():
    run = kinematics(load("cam-roller").build(), np.linspace(0.0, 0.1, 5))
    polygon = run.velocity_polygon(0.1)
    assert [kind for _, kind in polygon.missing] == ["CamRoller"]
    assert "is not drawn" in repr(polygon)
