"""Bevel and worm gears: forces at the pitch point, efficiency, self-locking, and what is rejected.

The components are those of textbooks (Shigley, chapter 13): for a bevel pinion W_r = W_t tan(phi) cos(gamma) and
W_a = W_t tan(phi) sin(gamma), for a worm W_x = W (cos(phi) sin(lambda) + mu cos(lambda)), W_y = W sin(phi),
W_z = W (cos(phi) cos(lambda) - mu sin(lambda)).
"""

import math

import numpy as np
import pytest

from cardan import equilibrium, inverse_dynamics, quasi_static, simulate
from cardan.errors import CardanWarning, ModelError
from cardan.spatial import (
    BevelGear,
    Body,
    Driver,
    Model,
    Ramp,
    Revolute,
    Spring,
    Torque,
    WormGear,
)

ALPHA = math.radians(20.0)
NEAR = 1e-9  # relative: rounding of forces
RA, RB = 0.04, 0.07


def bevel(torque, sigma=1.4, spiral=0.0, driven=True):
    """Two bevel gears at an angle; a torque loads the second one."""
    model = Model("bevel gears")
    axis = (math.sin(sigma), 0.0, math.cos(sigma))
    one = model.add(Body(mass=1.0, inertia=(1e-3,) * 3), name="one")
    two = model.add(Body(mass=1.0, inertia=(2e-3,) * 3), name="two")
    drive = model.add(Revolute(model.ground.at(0, 0, 0.2), one.at(0, 0, 0.2)), name="drive")
    place = tuple(0.15 * x for x in axis)
    model.add(Revolute(model.ground.at(*place, z=axis), two.at(*place, z=axis)), name="bearing")
    teeth = BevelGear(one.at(), two.at(z=axis), RA, RB, pressure_angle=ALPHA, spiral_angle=spiral)
    model.add(teeth, name="mesh")
    model.add(Torque(two.at(), tuple(torque * x for x in axis)), name="load")
    if driven:
        model.add(Driver(drive.angle, Ramp(10.0)), name="motor")
    return model, np.array(axis), sigma


@pytest.mark.parametrize("spiral", [0.0, 0.6, -0.6])
@pytest.mark.parametrize("torque", [24.0, -24.0])
def test_bevel_forces_act_at_the_pitch_point(torque, spiral):
    """F_t = T / R, at the point on both cones, without a moment there; other components by the cone angles."""
    model, axis, sigma = bevel(torque, spiral=spiral)
    run = inverse_dynamics(model, [0.0, 0.05])
    delta = math.atan2(RA * math.sin(sigma), RB + RA * math.cos(sigma))
    e, t = np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])
    u = math.cos(delta) * np.array([0, 0, 1.0]) + math.sin(delta) * e
    n = -math.sin(delta) * np.array([0, 0, 1.0]) + math.cos(delta) * e
    tangential = -torque / RB
    on_b = (
        -tangential * t + abs(tangential) * math.tan(ALPHA) / math.cos(spiral) * n + tangential * math.tan(spiral) * u
    )
    place = RA / math.sin(delta) * u
    for name, sign in (("two", 1.0), ("one", -1.0)):
        held = run[model["mesh"]].on(name).in_frame("global")
        assert held.force == pytest.approx(np.tile(sign * on_b, (2, 1)), rel=NEAR, abs=1e-7)
        about = held.torque + np.cross(run[name].position - place, held.force)
        assert np.abs(about).max() < 1e-8
    apart, along = abs(tangential) * math.tan(ALPHA) / math.cos(spiral), tangential * math.tan(spiral)
    expected = {
        "tangential": tangential,
        "radial_a": apart * math.cos(delta) + along * math.sin(delta),
        "axial_a": apart * math.sin(delta) - along * math.cos(delta),
        "radial_b": apart * math.cos(sigma - delta) - along * math.sin(sigma - delta),
        "axial_b": apart * math.sin(sigma - delta) + along * math.cos(sigma - delta),
    }
    for name, value in expected.items():
        assert run[f"mesh teeth.{name}"] == pytest.approx(value, rel=NEAR)
    assert run["mesh teeth.axial_b"] == pytest.approx(float(on_b @ axis), rel=NEAR)


def test_bearings_of_bevel_gears_balance_the_whole():
    """All forces and moments on both bodies about the apex, loads and reactions of the ground, vanish."""
    model, _, _ = bevel(24.0, spiral=0.5)
    run = inverse_dynamics(model, [0.0])
    for name in ("one", "two"):
        parts = [
            run[model[joint]].on(name).in_frame("global") for joint in ("mesh", "drive" if name == "one" else "bearing")
        ]
        assert np.abs(sum(part.force for part in parts)).max() < 1e-8
    assert np.linalg.norm(run[model["bearing"]].force[0]) > 300.0


def test_bevel_motion_does_not_depend_on_its_tooth_forces():
    """They do no work: the motion is that of the ideal pair."""
    model, _, _ = bevel(0.3, spiral=0.4, driven=False)
    run = simulate(model, 0.4, rtol=1e-10)
    alpha = 0.3 / (2e-3 + 1e-3 * (RB / RA) ** 2)  # of two about its shaft
    # angles count on: theta_one = -theta_two R_b / R_a
    assert run["drive.angle"][-1] == pytest.approx(-0.5 * alpha * 0.4**2 * RB / RA, rel=1e-8)


def worm(torque, speed=None, left=False, side=1.0, friction=0.03, lead=0.0266):
    """A worm under a wheel; a torque loads the wheel, and a driver turns the worm."""
    model = Model("worm gear")
    one = model.add(Body(mass=1.0, inertia=(1e-3,) * 3), name="worm")
    two = model.add(Body(mass=2.0, inertia=(0.05,) * 3, position=(0, side * 0.0889, 0)), name="wheel")
    shaft = Revolute(model.ground.at(0.1, 0, 0, z=(1, 0, 0)), one.at(0.1, 0, 0, z=(1, 0, 0)))
    drive = model.add(shaft, name="drive")
    model.add(Revolute(model.ground.at(0, side * 0.0889, 0.05), two.at(0, 0, 0.05)), name="bearing")
    mesh = WormGear(
        one.at(z=(1, 0, 0)), two.at(), lead=lead, radius_a=0.0254, radius_b=0.0635, pressure_angle=math.radians(14.5),
        left_handed=left, friction=friction,
    )  # fmt: skip
    model.add(mesh, name="mesh")
    model.add(Torque(two.at(), (0, 0, torque)), name="load")
    if speed is not None:
        model.add(Driver(drive.angle, Ramp(speed)), name="motor")
    return model, mesh


@pytest.mark.parametrize("left", [False, True])
@pytest.mark.parametrize("side", [1.0, -1.0])
@pytest.mark.parametrize("speed", [125.0, -125.0])
@pytest.mark.parametrize("torque", [75.0, -75.0])
def test_worm_forces_and_efficiency(left, side, speed, torque):
    """Components at the pitch point by the textbook, the ratio of speeds, and power by the efficiency."""
    model, mesh = worm(torque, speed, left, side)
    run = inverse_dynamics(model, [0.0, 0.01])
    gamma, phi = math.atan(0.0266 / (2 * math.pi * 0.0254)), math.radians(14.5)
    assert mesh.lead_angle == pytest.approx(gamma)
    turn = run[model["bearing"].angle].rate
    hand = -1.0 if left else 1.0
    # a right-handed worm along x that turns counterclockwise pushes teeth toward -x; the wheel stands at side * y
    assert turn == pytest.approx(-hand * side * speed * 0.0266 / (2 * math.pi * 0.0635), rel=1e-12)
    wheel_power, worm_power = torque * turn[0], run[model["motor"]].force[0] * speed
    drives = wheel_power < 0.0  # the load brakes, the worm drives
    losses = 0.03
    grip = math.cos(phi)
    if drives:
        efficiency = (grip - losses * math.tan(gamma)) / (grip + losses / math.tan(gamma))
        assert mesh.efficiency == pytest.approx(efficiency)
        assert -wheel_power / worm_power == pytest.approx(efficiency, rel=1e-9)
    else:
        efficiency = (grip - losses / math.tan(gamma)) / (grip + losses * math.tan(gamma))
        assert mesh.back_efficiency == pytest.approx(efficiency)
        assert -worm_power / wheel_power == pytest.approx(efficiency, rel=1e-9)
    way = 1.0 if drives else -1.0
    W = run["mesh teeth.normal"][0]
    wheel = W * (grip * math.cos(gamma) - way * losses * math.sin(gamma))
    assert abs(run["mesh teeth.tangential_b"][0]) == pytest.approx(wheel, rel=1e-9)
    assert wheel * 0.0635 == pytest.approx(75.0, rel=1e-9)
    thrust = W * (grip * math.sin(gamma) + way * losses * math.cos(gamma))
    assert abs(run["mesh teeth.tangential_a"][0]) == pytest.approx(thrust, rel=1e-9)
    assert run["mesh teeth.separating"][0] == pytest.approx(W * math.sin(phi), rel=1e-9)
    place = np.array([0.0, side * 0.0254, 0.0])
    for name, sign in (("wheel", 1.0), ("worm", -1.0)):
        held = run[model["mesh"]].on(name).in_frame("global")
        assert held.force[0, 1] * sign * side == pytest.approx(W * math.sin(phi), rel=1e-9)
        about = held.torque + np.cross(run[name].position - place, held.force)
        assert np.abs(about).max() < 1e-7


def test_self_locking_worm_holds_its_load():
    """mu >= cos(alpha) tan(gamma): the load creeps; with less friction it falls and turns the worm."""
    creep = 1e-3 / (0.0254 / math.cos(math.atan(0.005 / (2 * math.pi * 0.0254))))  # of the worm, in rad/s
    gamma = math.atan(0.005 / (2 * math.pi * 0.0254))
    limit = math.cos(math.radians(14.5)) * math.tan(gamma)
    locked, steep = worm(75.0, lead=0.005, friction=1.05 * limit)[1], worm(75.0, lead=0.005, friction=0.95 * limit)[1]
    assert locked.self_locking and not steep.self_locking
    assert locked.back_efficiency < 0.0 < steep.back_efficiency
    held = simulate(worm(75.0, lead=0.005, friction=1.5 * limit)[0], 0.5)
    assert abs(held["drive.angle"][-1]) < creep * 0.5
    assert abs(simulate(worm(75.0, lead=0.005, friction=0.95 * limit)[0], 0.5)["drive.angle"][-1]) > 5.0


def test_rejected():
    with pytest.raises(ModelError, match="spiral_angle of a BevelGear has no effect without pressure_angle"):
        model, axis, _ = bevel(1.0)
        BevelGear(model["one"].at(), model["two"].at(z=tuple(axis)), 1.0, 2.0, spiral_angle=0.3)
    with pytest.raises(ModelError, match="lead of a WormGear must be positive"):
        worm(1.0, lead=0.0)
    with pytest.raises(ModelError, match="friction of a WormGear must not be negative"):
        worm(1.0, friction=-0.1)
    far = Model("far")
    one, two = far.add(Body(), name="one"), far.add(Body(position=(0, 0.2, 0)), name="two")
    far.add(Revolute(far.ground.at(z=(1, 0, 0)), one.at(z=(1, 0, 0))), name="drive")
    far.add(Revolute(far.ground.at(0, 0.2, 0), two.at()), name="bearing")
    far.add(WormGear(one.at(z=(1, 0, 0)), two.at(), 0.01, 0.02, 0.1), name="mesh")
    far.add(Driver(far["drive"].angle, Ramp(1.0)))
    with pytest.warns(CardanWarning, match="not at the sum of its pitch radii"):
        inverse_dynamics(far, [0.0])


@pytest.mark.parametrize(
    "analysis",
    [
        lambda model: simulate(model, 0.1),
        lambda model: simulate(model, 0.1, coordinates="joint"),
        equilibrium,
        lambda model: quasi_static(model, [0.0, 1.0]),
    ],
)
def test_gears_that_do_not_touch_are_reported_by_every_analysis(analysis):
    """The apex is 0.1 m from the shaft of b: forces of the teeth would be wrong, and every analysis says so."""
    model = Model("apart")
    one = model.add(Body(mass=1.0, inertia=(1, 1, 1)), name="one")
    two = model.add(Body(mass=1.0, inertia=(1, 1, 1), position=(0, 0.1, 0)), name="two")
    drive = model.add(Revolute(model.ground.at(), one.at()), name="drive")
    model.add(Revolute(model.ground.at(0, 0.1, 0, z=(1, 0, 0)), two.at(z=(1, 0, 0))), name="bearing")
    model.add(BevelGear(one.at(), two.at(z=(1, 0, 0)), 0.04, 0.08, pressure_angle=ALPHA), name="mesh")
    model.add(Spring(drive.angle, 10.0, rest_angle=0.1), name="spring")
    with pytest.warns(CardanWarning, match="markers of BevelGear 'mesh'.*do not both stand at the apex"):
        analysis(model)
