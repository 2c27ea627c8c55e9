"""Forces of teeth: components, lines of action, either flank, in every analysis."""

import math

import numpy as np
import pytest

import cardan.planar as plane
import cardan.spatial as space
from cardan import equilibrium, gradient, inverse_dynamics, linearize, motion_sensitivities, sensitivities, simulate
from cardan.elements.control.signals import reaction
from cardan.errors import CardanWarning, ModelError
from cardan.storage.result_files import load_result

ALPHA, BETA = math.radians(20.0), math.radians(15.0)
SLOPE = math.tan(ALPHA) / math.cos(BETA)
BEARING = 0.3  # direction of the shafts from each other
NEAR = 1e-9  # relative: rounding of forces


def wheels(torque, internal=False, driven=True, helix=BETA):
    """A pinion or ring on ground, and a gear that a torque loads; both have inertia."""
    model = space.Model("helical gears")
    radii = (0.1, 0.04) if internal else (0.05, 0.1)
    d = radii[0] - radii[1] if internal else sum(radii)
    center = (d * math.cos(BEARING), d * math.sin(BEARING), 0.0)
    one = model.add(space.Body(mass=2.0, inertia=(0.002,) * 3), name="one")
    two = model.add(space.Body(mass=3.0, inertia=(0.01,) * 3, position=center), name="two")
    drive = model.add(space.Revolute(model.ground.at(), one.at()), name="drive")
    model.add(space.Revolute(model.ground.at(*center[:2], 0.03), two.at(0, 0, 0.03)), name="bearing")
    teeth = {"pressure_angle": ALPHA, "helix_angle": helix, "internal": internal}
    model.add(space.Gear(one.at(), two.at(), *radii, **teeth), name="mesh")
    model.add(space.Torque(two.at(), (0, 0, torque)), name="load")
    if driven:
        model.add(space.Driver(drive.angle, space.Ramp(10.0)), name="motor")
    return model, radii


@pytest.mark.parametrize("internal", [False, True])
@pytest.mark.parametrize("torque", [30.0, -30.0])
def test_the_force_acts_along_the_line_of_action_at_the_pitch_point(internal, torque):
    """F_t = T / R, F_r = F_t tan(alpha) / cos(beta), F_a = F_t tan(beta); without a moment about the pitch point."""
    model, (radius_a, radius_b) = wheels(torque, internal)
    run = inverse_dynamics(model, [0.0, 0.1])
    tangential = -torque / radius_b
    outward = np.array([math.cos(BEARING), math.sin(BEARING), 0.0])
    around = np.cross([0.0, 0.0, 1.0], outward)
    inner = -1.0 if internal else 1.0
    # b touches at -R_b along `outward` from its center, the ring at +R_b
    on_b = -inner * tangential * around + inner * abs(tangential) * SLOPE * outward
    on_b[2] = inner * tangential * math.tan(BETA)
    for body, sign in (("two", 1.0), ("one", -1.0)):
        found = run[model["mesh"]].on(body).in_frame("global")
        assert found.force == pytest.approx(np.tile(sign * on_b, (2, 1)), rel=NEAR, abs=1e-7)
        arm = run[body].position - radius_a * outward
        assert np.abs(found.torque + np.cross(arm, found.force)).max() < 1e-9
    assert run["mesh teeth.tangential"] == pytest.approx(tangential)
    assert run["mesh teeth.radial"] == pytest.approx(abs(tangential) * SLOPE)
    assert run["mesh teeth.axial"] == pytest.approx(on_b[2])
    held = run[model["bearing"]].on("two").in_frame("global").force
    assert held == pytest.approx(np.tile(-on_b, (2, 1)), rel=NEAR, abs=1e-7)


@pytest.mark.parametrize(
    "options",
    [{}, {"method": "radau"}, {"method": "generalized-alpha"}, {"coordinates": "joint"}, {"method": "dop853"}],
)
def test_flanks_change_where_the_load_changes_its_sign(options):
    """T = T_0 cos(w t) against inertia: I phi'' + (R_b / R_a)^2 J phi'' = T, F_t = J R_b / R_a^2 phi''."""
    model, (radius_a, radius_b) = wheels(space.Harmonic(20.0, 30.0, phase=0.5 * math.pi), driven=False)
    run = simulate(model, 0.2, output=0.005, **options)
    torque = model["load"].motions[2](run.times)
    ratio = radius_b / radius_a
    tangential = -torque / (0.01 + ratio**2 * 0.002) * 0.002 * ratio / radius_a
    assert np.sign(tangential).min() < 0.0 < np.sign(tangential).max()
    near = 1e-9 if options.get("method") != "generalized-alpha" else 1e-4  # a method of second order with tolerances
    scale = np.abs(tangential).max()
    assert np.abs(run["mesh teeth.tangential"] - tangential).max() < near * scale
    assert np.abs(run["mesh teeth.radial"] - np.abs(tangential) * SLOPE).max() < near * scale
    outward = np.array([math.cos(BEARING), math.sin(BEARING), 0.0])
    held = run[model["bearing"]].on("two").in_frame("global").force @ outward
    assert np.abs(held + np.abs(tangential) * SLOPE).max() < 10.0 * near * scale


@pytest.mark.parametrize("radius", [0.05, -0.05])
@pytest.mark.parametrize("torque", [30.0, -30.0])
def test_a_rack_is_pushed_away(radius, torque):
    model = space.Model("rack")
    rack = model.add(space.Body(), name="rack")
    pinion = model.add(space.Body(position=(0.01, radius, 0.0)), name="pinion")
    guide = space.Translational(model.ground.at(z=(1, 0, 0)), rack.at(z=(1, 0, 0)))
    model.add(guide, name="guide")
    model.add(space.Revolute(model.ground.at(0.01, radius, 0.0), pinion.at()), name="bearing")
    teeth = {"pressure_angle": ALPHA, "helix_angle": BETA}
    mesh = model.add(space.RackPinion(rack.at(), pinion.at(), radius, **teeth), name="mesh")
    model.add(space.Driver(guide.travel, space.Ramp(1.0)), name="motor")
    model.add(space.Torque(pinion.at(), (0, 0, torque)), name="load")
    run = inverse_dynamics(model, [0.0, 0.1])
    side, tangential = math.copysign(1.0, radius), -torque / abs(radius)
    force = [side * tangential, side * abs(tangential) * SLOPE, tangential * math.tan(BETA)]
    for body, sign in (("pinion", 1.0), ("rack", -1.0)):
        found = run[mesh].on(body).in_frame("global")
        assert found.force == pytest.approx(np.tile(sign * np.array(force), (2, 1)), rel=NEAR)
        touching = run["pinion"].position * [1.0, 0.0, 1.0]
        arm = run[body].position - touching
        assert np.abs(found.torque + np.cross(arm, found.force)).max() < 1e-9


def test_helical_teeth_turn_a_gear_that_slides_along_its_shaft():
    """R_b phi = -s tan(beta) for a shift s of b, a held: right-handed teeth of a"""
    model = space.Model("helical shift")
    gear = model.add(space.Body(position=(0.15, 0.0, 0.0)), name="gear")
    pinion = model.add(space.Body(), name="pinion")
    model.add(space.Fixed(model.ground.at(), pinion.at()), name="held")
    shaft = model.add(space.Cylindrical(model.ground.at(0.15, 0.0, 0.0), gear.at()), name="shaft")
    model.add(space.Gear(pinion.at(), gear.at(), 0.05, 0.1, pressure_angle=ALPHA, helix_angle=BETA), name="mesh")
    model.add(space.Driver(shaft.travel, space.Ramp(0.01)), name="push")
    model.add(space.Torque(gear.at(), (0.0, 0.0, 5.0)), name="load")
    run = inverse_dynamics(model, [0.0, 0.5, 1.0])
    assert run["shaft.angle"] == pytest.approx(-0.01 * run.times * math.tan(BETA) / 0.1, abs=1e-12)
    # virtual work: push * ds + 5 * dphi = 0
    assert run["push.force"] == pytest.approx(5.0 * math.tan(BETA) / 0.1, rel=1e-9)


def flat_pair(torque=12.0):
    """Spur gears in the plane, a rotary spring on the second one."""
    model = plane.Model("spur gears")
    one = model.add(plane.Body(mass=1.0, inertia=0.002), name="one")
    two = model.add(plane.Body(mass=1.0, inertia=0.01, position=(0.15, 0.0)), name="two")
    model.add(plane.Revolute(model.ground.at(), one.at()), name="drive")
    bearing = model.add(plane.Revolute(model.ground.at(0.15, 0.0), two.at()), name="bearing")
    gear = plane.Gear(one.at(), two.at(), 0.05, 0.1, angle_a=0.0, angle_b=math.pi, pressure_angle=ALPHA)
    mesh = model.add(gear, name="mesh")
    model.add(plane.Torque(one.at(), torque), name="load")
    model.add(plane.Spring(bearing.angle, 100.0, rest_angle=0.0, damping=2.0), name="spring")
    return model, mesh, bearing


@pytest.mark.parametrize("torque", [12.0, -12.0])
def test_equilibrium_and_its_sensitivities(torque):
    model, mesh, bearing = flat_pair(torque)
    rest = equilibrium(model)
    tangential = torque / 0.05
    assert rest[bearing].force == pytest.approx([-abs(tangential) * math.tan(ALPHA), -tangential], rel=1e-9)
    s = sensitivities(rest, ["mesh.pressure_angle", "load.torque"], [reaction(bearing, "x"), reaction(bearing, "y")])
    slopes = [[-abs(tangential) / math.cos(ALPHA) ** 2, -math.copysign(20.0, torque) * math.tan(ALPHA)], [0.0, -20.0]]
    assert s.derivatives == pytest.approx(np.array(slopes), rel=1e-7, abs=1e-6)
    found = linearize(model, at=rest, inputs=[model["load"]], outputs=[reaction(bearing, "x")])
    share = (0.01 / 0.1) / (2.0 * 0.002 + 0.01 * 0.5)  # F_t / T before anything moves: inertias only
    assert found.D[0, 0] == pytest.approx(-math.copysign(share, torque) * math.tan(ALPHA), rel=1e-9)


def test_motion_sensitivities():
    """By differences: with respect to the pressure angle only the bearings change."""
    model, mesh, bearing = flat_pair()
    run = simulate(model, 0.05, output=0.01, rtol=1e-10, atol=1e-12)
    (slopes,) = motion_sensitivities(run, ["mesh.pressure_angle"], [reaction(bearing, "x")]).derivatives.T
    h = 1e-4
    sides = []
    for sign in (1.0, -1.0):
        other, _, hinge = flat_pair()
        object.__setattr__(other["mesh"], "pressure_angle", ALPHA + sign * h)
        other["mesh"].__post_init__()
        sides.append(simulate(other, 0.05, output=0.01, rtol=1e-10, atol=1e-12)[hinge].force[:, 0])
    expected = (sides[0] - sides[1]) / (2.0 * h)
    assert np.abs(expected).max() > 1.0
    assert slopes.ravel() == pytest.approx(expected, rel=1e-5, abs=1e-4)
    found = gradient(run, ["mesh.pressure_angle", "mesh.radius_b"], [reaction(bearing, "x")], final=lambda y: y[0])
    assert found["mesh.pressure_angle"] == pytest.approx(expected[-1], rel=1e-4)


def test_files_keep_the_forces(tmp_path):
    model, mesh, _ = flat_pair()
    run = simulate(model, 0.05, output=0.01)
    run.save(tmp_path / "run.nc")
    again = load_result(tmp_path / "run.nc")
    assert again["mesh teeth.radial"].tolist() == run["mesh teeth.radial"].tolist()
    assert again["mesh.fx"] == pytest.approx(run["mesh.fx"], rel=1e-12)


def test_wrong_angles_are_rejected():
    a, b = plane.Body().at(), plane.Body().at()
    with pytest.raises(ModelError, match="pressure_angle of a Gear must be between 0 and 80 degrees, got 1145.92"):
        plane.Gear(a, b, 1.0, 1.0, pressure_angle=20.0)
    with pytest.raises(ModelError, match="planar Gear has no axial force"):
        plane.Gear(a, b, 1.0, 1.0, helix_angle=0.2)
    with pytest.raises(ModelError, match="planar RackPinion has no axial force"):
        plane.RackPinion(a, b, 1.0, helix_angle=0.2)


def test_shafts_of_helical_gears_that_point_in_opposite_directions_are_reported():
    model = space.Model("opposite")
    one = model.add(space.Body(), name="one")
    two = model.add(space.Body(position=(0.15, 0.0, 0.0)), name="two")
    drive = model.add(space.Revolute(model.ground.at(), one.at()), name="drive")
    model.add(space.Revolute(model.ground.at(0.15, 0, 0), two.at()), name="bearing")
    model.add(space.Gear(one.at(), two.at(z=(0, 0, -1)), 0.05, 0.1, helix_angle=BETA), name="mesh")
    model.add(space.Driver(drive.angle, space.Ramp(1.0)), name="motor")
    with pytest.warns(CardanWarning, match="which is helical, must point the same way"):
        inverse_dynamics(model, [0.0, 0.1])
