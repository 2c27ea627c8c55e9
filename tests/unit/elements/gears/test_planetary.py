"""Planetary sets: Willis' equation, torques, load sharing, tooth numbers."""

import math

import numpy as np
import pytest

import cardan.planar as plane
import cardan.spatial as space
from cardan import inverse_dynamics, mobility, simulate
from cardan.errors import CardanWarning, ModelError

ALPHA = math.radians(20.0)
Z = (24, 18, 60)
M = 0.002


def around(words, value):
    """A torque about the axis."""
    return value if words is plane else (0.0, 0.0, value)


@pytest.mark.parametrize("words", [plane, space])
@pytest.mark.parametrize("count", [1, 3, 4])
@pytest.mark.parametrize("held", ["sun", "ring", "carrier"])
def test_speeds_follow_willis(words, count, held):
    model = words.Model("set")
    gears = words.add_planetary(model, Z, M, planets=count, **{held: model.ground})
    first, last = (part for part in ("sun", "ring", "carrier") if part != held)
    model.add(words.Driver(gears.shafts[first].angle, words.Ramp(9.0)), name="motor")
    model.add(words.Torque(getattr(gears, last).at(), around(words, -7.0)), name="load")
    run = inverse_dynamics(model, np.linspace(0.0, 2.0, 9))
    speeds = dict(zip(("sun", "ring", "carrier"), gears.speeds(**{first: 9.0, held: 0.0}), strict=True))
    assert run[gears.shafts[last].angle].rate == pytest.approx(speeds[last], rel=1e-9)  # tolerance of positions
    # power in = power out
    assert run["motor.force"] * 9.0 == pytest.approx(7.0 * speeds[last], rel=1e-9)
    assert not mobility(model).redundant


@pytest.mark.parametrize("words", [plane, space])
def test_planets_carry_equal_loads(words):
    """T_sun / (3 R_sun) in each mesh; the pin of a planet carries twice that, the radial forces cancel."""
    model = words.Model("set")
    gears = words.add_planetary(model, Z, M, ring=model.ground, pressure_angle=ALPHA)
    model.add(words.Driver(gears.shafts["sun"].angle, words.Ramp(70.0)), name="motor")
    model.add(words.Torque(gears.carrier.at(), around(words, -35.0)), name="load")
    run = inverse_dynamics(model, [0.0, 0.01])
    tangential = 10.0 / (3 * 0.5 * M * Z[0])
    assert run["planetary sun mesh teeth.tangential"] == pytest.approx(-tangential, rel=1e-9)
    assert run["planetary sun mesh teeth.radial"] == pytest.approx(tangential * math.tan(ALPHA), rel=1e-9)
    for mesh, pin in zip(gears.ring_meshes, gears.pins, strict=True):
        assert np.abs(run[f"{mesh.name} teeth.tangential"]) == pytest.approx(tangential, rel=1e-9)
        assert np.linalg.norm(run[pin].force, axis=1) == pytest.approx(2.0 * tangential, rel=1e-9)
    # three equal forces at equal angles: the bearing of the sun carries none of them
    assert np.abs(run[gears.shafts["sun"]].force).max() < 1e-8 * tangential


def test_helical_planets_push_the_sun_along_its_axis():
    model, beta = space.Model("set"), 0.2
    gears = space.add_planetary(
        model, Z, M, ring=model.ground, pressure_angle=ALPHA, helix_angle=beta, at=(1.0, 2.0, 3.0), axis=(1.0, 1.0, 0.0)
    )
    model.add(space.Driver(gears.shafts["sun"].angle, space.Ramp(70.0)), name="motor")
    model.add(space.Torque(gears.carrier.at(), (0.0, 0.0, -35.0), frame="body"), name="load")
    run = inverse_dynamics(model, [0.0, 0.01])
    push = 10.0 / (0.5 * M * Z[0]) * math.tan(beta)
    axis = np.array([1.0, 1.0, 0.0]) / math.sqrt(2.0)
    found = run[gears.shafts["sun"]].on(gears.sun).in_frame("global").force @ axis
    assert np.abs(found) == pytest.approx(push, rel=1e-9)
    # a planet is pushed by sun and ring in opposite directions: its pin carries no axial force, only a moment
    pin = run[gears.pins[0]].on(gears.planets[0]).in_frame("global")
    assert np.abs(pin.force @ axis).max() < 1e-8 * push
    arm = 10.0 / (3 * 0.5 * M * Z[0]) * math.tan(beta) * M * Z[1]  # F_a times the diameter of the planet
    assert np.linalg.norm(pin.torque, axis=1) == pytest.approx(arm, rel=1e-9)


def test_a_set_with_masses_accelerates():
    """T = (J_s + n (J_p (w_p / w_s)^2 + m_p (w_c r / w_s)^2) + J_c (w_c / w_s)^2) w_s'"""
    model = plane.Model("set")
    gears = plane.add_planetary(model, Z, M, ring=model.ground, width=0.02, pressure_angle=ALPHA)
    model.add(plane.Torque(gears.sun.at(), 0.5), name="motor")
    run = simulate(model, 0.1)
    w_c = 1.0 / gears.ratio
    w_p = w_c * (1.0 - Z[2] / Z[1])
    orbit = 0.5 * M * (Z[0] + Z[1])
    planet = gears.planets[0]
    inertia = gears.sun.inertia + gears.carrier.inertia * w_c**2
    inertia += 3 * (planet.inertia * w_p**2 + planet.mass * (w_c * orbit) ** 2)
    assert run["planetary sun"].angular_velocity[-1] == pytest.approx(0.05 / inertia, rel=1e-8)


def test_names_and_bodies():
    model = plane.Model("set")
    cage = model.add(plane.Body(), name="cage")
    hinge = model.add(plane.Revolute(model.ground.at(0.1, 0.2), cage.at(0.1, 0.2)), name="hinge")
    gears = plane.add_planetary(model, Z, M, carrier=cage, at=(0.1, 0.2), name="first", planets=2)
    assert gears.bodies == ("first sun", "first ring", "first planet 1", "first planet 2")
    assert gears.joints[:2] == ("first sun shaft", "first ring shaft") and set(gears.joints) < {e.name for e in model}
    assert gears.carrier is cage and set(gears.shafts) == {"sun", "ring"} and gears.ratio == 3.5
    model.add(plane.Driver(hinge.angle, plane.Ramp(1.0)), name="motor")
    model.add(plane.Driver(gears.shafts["ring"].angle, plane.Ramp(0.0)), name="brake")
    run = inverse_dynamics(model, [0.0, 1.0])
    assert run["first sun"].angular_velocity == pytest.approx(3.5)
    assert repr(gears) == "<planetary set 'first': sun 24, 2 planets 18, ring 60>"


def test_tooth_numbers_are_checked():
    model = plane.Model("set")
    with pytest.warns(
        CardanWarning, match=r"\(23 \+ 59\) / 3 is not an integer; with planets of 18 teeth, suns with \["
    ):
        plane.add_planetary(model, (23, 59), M, name="uneven")
    with pytest.warns(CardanWarning, match="neighboring planets of set 'tight' collide"):
        plane.add_planetary(model, (12, 84), M, planets=6, name="tight")
    with pytest.raises(ModelError, match="a ring with 60 fits"):
        plane.add_planetary(model, (24, 18, 61), M)
    with pytest.raises(ModelError, match="the ring must have more than the sun"):
        plane.add_planetary(model, (24, 20), M)
    with pytest.raises(ModelError, match=r"\(ring - sun\) / 2 teeth, got a sun with 24 and a ring with 61"):
        plane.add_planetary(model, (24, 61), M)
    with pytest.raises(ModelError, match="the ring of planetary set 'planetary' must be a body of model"):
        plane.add_planetary(model, Z, M, ring=plane.Body())
    with pytest.raises(ModelError, match="takes two of sun, ring and carrier"):
        plane.add_planetary(plane.Model("other"), Z, M).speeds(sun=1.0)
