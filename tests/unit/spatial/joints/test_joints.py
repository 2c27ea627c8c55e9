"""A closed form for every joint of space.

Positions close to 1e-11 of mechanisms of about 1 m; angles are judged at 1e-9, their rates at 1e-8 and accelerations at
1e-7, because driven speeds of 10 rad/s enter them once and twice.
"""

import math

import numpy as np
import pytest

from cardan import kinematics
from cardan.spatial import (
    BevelGear,
    Body,
    ConstantVelocity,
    Cylindrical,
    Distance,
    Driver,
    Gear,
    Harmonic,
    Hold,
    Model,
    Orientation,
    Parallel,
    Planar,
    PointOnLine,
    RackPinion,
    Ramp,
    Revolute,
    RevoluteRevolute,
    Screw,
    Spherical,
    Translational,
    Universal,
    angle,
    rotation,
    rotation_component,
    x,
    z,
)

TIMES = np.linspace(0.0, 1.0, 61)
RATE = 11.0


def _shaft(model, name, axis=(0.0, 0.0, 1.0), at=(0.0, 0.0, 0.0), on=None):
    """A body that turns about its own z axis, on ground or on another body that was stated at the origin."""
    p = rotation.from_axes(z=axis)
    body = model.add(Body(position=at, orientation=p), name=name)
    hinge = model.add(Revolute((on or model.ground).at(*at, orientation=p), body.at()), name=f"{name} hinge")
    return body, hinge.angle


def _driving(model, rate=RATE):
    body, turned = _shaft(model, "driving")
    model.add(Driver(turned, Ramp(rate)), name="motor")
    return body


def _close(series, value, rate, acceleration):
    assert np.abs(series.value - value).max() < 1e-9
    assert np.abs(series.rate - rate).max() < 1e-8
    assert np.abs(series.acceleration - acceleration).max() < 1e-7


@pytest.mark.parametrize("bend", [0.0, 0.3, 0.9, 1.3, -0.7])
@pytest.mark.parametrize("first", ["along the bend's axis", "across it"])
def test_universal_joint(bend, first):
    """Shafts bent about x by phi. If the driving arm starts along x, tan(theta_2) = c tan(theta_1) with c = cos(phi);
    if across, c = 1 / cos(phi). theta_2' = c / D theta_1' with D = cos^2 + c^2 sin^2, and theta_2'' = c (1 - c^2)
    sin(2 theta_1) / D^2 theta_1'^2."""
    model, out = Model("joint"), (0.0, -math.sin(bend), math.cos(bend))
    driving = _driving(model)
    driven = model.add(Body(orientation=rotation.from_axes(z=out, x=(1, 0, 0))), name="driven")
    bearing = model.add(Parallel(model.ground.at(z=out, x=(1, 0, 0)), driven.at()), name="bearing")
    arms = ((1, 0, 0), (0, 1, 0)) if first.startswith("along") else ((0, 1, 0), (1, 0, 0))
    model.add(Universal(driving.at(z=arms[0]), driven.at(z=arms[1])), name="cross")
    run = kinematics(model, TIMES)
    c = math.cos(bend) if first.startswith("along") else 1.0 / math.cos(bend)
    theta = RATE * TIMES
    D = np.cos(theta) ** 2 + c**2 * np.sin(theta) ** 2
    value = theta + np.arctan2((c - 1.0) * np.tan(theta), 1.0 + c * np.tan(theta) ** 2)  # tan of the difference
    _close(run[bearing.angle], value, RATE * c / D, RATE**2 * c * (1.0 - c * c) * np.sin(2.0 * theta) / D**2)


@pytest.mark.parametrize("bend", [0.0, 0.5, 1.2, -1.5])
def test_constant_velocity_joint(bend):
    model, out = Model("joint"), (0.0, -math.sin(bend), math.cos(bend))
    driving = _driving(model)
    driven = model.add(Body(orientation=rotation.from_axes(z=out, x=(1, 0, 0))), name="driven")
    bearing = model.add(Parallel(model.ground.at(z=out, x=(1, 0, 0)), driven.at()), name="bearing")
    model.add(ConstantVelocity(driving.at(), driven.at()), name="joint")
    _close(kinematics(model, TIMES)[bearing.angle], RATE * TIMES, RATE, 0.0)


def test_constant_velocity_while_the_bend_changes():
    """The bearing of the driven shaft is turned by a rotation vector (alpha, beta, 0) that wanders: R_1^T exp(alpha,
    beta, 0) R_1 has no part about z for any R_1 about z, so in its bearing the driven shaft turns as the driving."""
    model = Model("joint")
    driving, yoke = _driving(model), model.add(Body(), name="yoke")
    ground = model.ground.at()
    model.add(Spherical(ground, yoke.at()), name="pivot")
    for axis, motion in zip("xyz", (Harmonic(0.9, 4.0), Harmonic(0.7, 7.0), 0.0), strict=True):
        model.add(Driver(rotation_component(ground, yoke.at(), axis), motion), name=f"steer {axis}")
    driven = model.add(Body(), name="driven")
    bearing = model.add(Parallel(yoke.at(), driven.at()), name="bearing")
    model.add(ConstantVelocity(driving.at(), driven.at()), name="joint")
    run = kinematics(model, TIMES)
    assert np.ptp(run[driven].matrix[:, 2, 2]) > 0.2  # it does bend
    _close(run[bearing.angle], RATE * TIMES, RATE, 0.0)


@pytest.mark.parametrize("bend", [0.3, 0.8])
def test_double_cardan_shaft(bend):
    """Parallel shafts with a telescopic one between them, bent by the same angle at both ends, yokes in line: the
    second cross undoes what the first one does."""
    model, aside = Model("shaft"), math.tan(bend)
    driving = _driving(model)
    driven, turned = _shaft(model, "driven", at=(0.0, -aside, 1.0))
    along = (0.0, -math.sin(bend), math.cos(bend))
    near, far = (model.add(Body(orientation=rotation.from_axes(z=along)), name=name) for name in ("near", "far"))
    model.add(Universal(driving.at(z=(1, 0, 0)), near.at(z=(0, 1, 0))), name="first")
    model.add(Translational(near.at(), far.at()), name="telescope")
    reach = math.hypot(aside, 1.0)
    model.add(Universal(far.at(0, 0, reach, z=(0, 1, 0)), driven.at(z=(1, 0, 0))), name="second")
    run = kinematics(model, TIMES)
    assert np.ptp(run[angle(model.ground.at(z=along), near.at())].value - RATE * TIMES) > 0.03  # uneven between them
    _close(run[turned], RATE * TIMES, RATE, 0.0)


@pytest.mark.parametrize("pitch", [0.1, -0.25])
@pytest.mark.parametrize("start", [None, 0.0, 2.0])
def test_screw(pitch, start):
    """travel = pitch (angle - start_angle) / (2 pi), over several turns."""
    model = Model("vice")
    nut = model.add(Body(position=(0.0, 0.0, -(start or 0.0) * pitch / (2.0 * math.pi))), name="nut")
    joint = model.add(Screw(model.ground.at(), nut.at(), pitch=pitch, start_angle=start), name="thread")
    model.add(Driver(joint.angle, Ramp(40.0)), name="spanner")
    run = kinematics(model, TIMES)
    rise = pitch / (2.0 * math.pi)
    _close(run[joint.travel], rise * (40.0 * TIMES - (start or 0.0)), rise * 40.0, 0.0)


def test_cylindrical():
    """A helix of its own: turned and pushed independently. A point at radius 0.2 has r (cos, sin) and the push."""
    model = Model("sleeve")
    rod = model.add(Body(), name="rod")
    joint = model.add(Cylindrical(model.ground.at(), rod.at()), name="sleeve")
    model.add(Driver(joint.angle, Ramp(RATE)), name="turn")
    model.add(Driver(joint.travel, Harmonic(0.3, 4.0)), name="push")
    point = kinematics(model, TIMES)[rod.at(0.2, 0.0, 0.0)]
    theta = RATE * TIMES
    circle = np.stack([np.cos(theta), np.sin(theta)], axis=1)
    assert np.abs(point.position[:, :2] - 0.2 * circle).max() < 1e-11
    assert np.abs(point.acceleration[:, :2] + 0.2 * RATE**2 * circle).max() < 1e-8
    assert np.abs(point.acceleration[:, 2] + 0.3 * 16.0 * np.sin(4.0 * TIMES)).max() < 1e-8


def test_revolute_revolute_with_parallel_axes():
    """The link at alpha, b at psi about z: seen from b, a lies at alpha + pi - psi."""
    model = Model("link")
    part = model.add(Body(position=(0.5, 0.0, 0.0)), name="part")
    joint = model.add(RevoluteRevolute(model.ground.at(), part.at(), 0.5), name="link")
    model.add(Driver(joint.angle_a, Ramp(7.0)), name="alpha")
    model.add(Driver(joint.angle_b, Ramp(-9.0, start=math.pi)), name="beta")
    run = kinematics(model, TIMES)
    alpha = 7.0 * TIMES
    assert np.abs(run[part].position[:, :2] - 0.5 * np.stack([np.cos(alpha), np.sin(alpha)], axis=1)).max() < 1e-11
    assert np.abs(run[part].position[:, 2]).max() < 1e-11
    _close(run[angle(model.ground.at(), part.at())], 16.0 * TIMES, 16.0, 0.0)


def test_revolute_revolute_with_orthogonal_axes():
    """z_b runs along the link; from b's x axis to z_a about z_b is beta: z_a = cos(beta) x_b + sin(beta) y_b."""
    model = Model("link")
    square = rotation.from_axes(z=(1, 0, 0), x=(0, 0, 1))
    part = model.add(Body(position=(0.5, 0.0, 0.0), orientation=square), name="part")
    joint = model.add(RevoluteRevolute(model.ground.at(), part.at(), 0.5, axes="orthogonal"), name="link")
    model.add(Driver(joint.angle_a, Ramp(7.0)), name="alpha")
    model.add(Driver(joint.angle_b, Ramp(-9.0)), name="beta")
    run = kinematics(model, TIMES)
    alpha, beta, A = 7.0 * TIMES, -9.0 * TIMES, run[part].matrix
    along = np.stack([np.cos(alpha), np.sin(alpha), np.zeros_like(alpha)], axis=1)
    assert np.abs(run[part].position - 0.5 * along).max() < 1e-11
    assert np.abs(A[:, :, 2] - along).max() < 1e-11
    assert np.abs(A[:, 2, 0] - np.cos(beta)).max() < 1e-11
    assert np.abs(A[:, 2, 1] - np.sin(beta)).max() < 1e-11
    # omega = alpha' z + beta-turn: z_a turns by beta' as seen from b, so b turns by -beta' about its axis
    spin = np.array([0.0, 0.0, 7.0]) + 9.0 * along
    assert np.abs(run[part].angular_velocity - spin).max() < 1e-8


def test_ball_in_a_turning_tube():
    """A strut: radial and Coriolis acceleration, s'' - s w^2 and 2 s' w."""
    model = Model("tube")
    tube, ball = _driving(model), model.add(Body(position=(0.5, 0.0, 0.0)), name="ball")
    strut = model.add(PointOnLine(tube.at(z=(1, 0, 0)), ball.at()), name="strut")
    model.add(Driver(strut.travel, Harmonic(0.2, 3.0, offset=0.5)), name="push")
    model.add(Orientation(model.ground.at(), ball.at()), name="upright")
    run = kinematics(model, TIMES)
    theta, s = RATE * TIMES, 0.5 + 0.2 * np.sin(3.0 * TIMES)
    ds, dds = 0.6 * np.cos(3.0 * TIMES), -1.8 * np.sin(3.0 * TIMES)
    radial = (dds - s * RATE**2)[:, None] * np.stack([np.cos(theta), np.sin(theta)], axis=1)
    across = (2.0 * ds * RATE)[:, None] * np.stack([-np.sin(theta), np.cos(theta)], axis=1)
    assert np.abs(run[ball].acceleration[:, :2] - radial - across).max() < 1e-8


def test_planar_joint_on_a_turning_table():
    """x' and y' on the table and the angle there; in the world the table's turn is added."""
    model = Model("table")
    table, puck = _driving(model), model.add(Body(position=(0.3, 0.1, 0.0)), name="puck")
    joint = model.add(Planar(table.at(), puck.at()), name="plane")
    for measure, motion in ((joint.x, Ramp(0.2, start=0.3)), (joint.y, 0.1), (joint.angle, Ramp(-RATE))):
        model.add(Driver(measure, motion))
    run = kinematics(model, TIMES)
    px, c, s = 0.3 + 0.2 * TIMES, np.cos(RATE * TIMES), np.sin(RATE * TIMES)
    exact = np.stack([c * px - 0.1 * s, s * px + 0.1 * c, 0.0 * px], axis=1)
    assert np.abs(run[puck].position - exact).max() < 1e-11
    assert np.abs(run[puck].matrix - np.eye(3)).max() < 1e-10  # turned back as fast as the table turns


@pytest.mark.parametrize("internal", [False, True])
@pytest.mark.parametrize("carrier_rate", [0.0, 5.0, -13.0])
def test_gears_with_a_carrier(carrier_rate, internal):
    """Willis: (w_b - w_c) / (w_a - w_c) = -R_a / R_b outside, +R_a / R_b inside the ring; axes skew to the world's."""
    model, axis = Model("gears"), (1.0, 2.0, 0.5)
    radius = 0.3 if internal else 0.2
    frame = model.ground.at(z=axis)
    bodies = [model.add(Body(orientation=frame.orientation), name=name) for name in ("carrier", "a", "b")]
    carrier, a, b = bodies
    model.add(Driver(model.add(Revolute(frame, carrier.at()), name="main").angle, Ramp(carrier_rate)), name="motor")
    turned = model.add(Revolute(frame, a.at()), name="sun")
    model.add(Driver(turned.angle, Ramp(RATE)), name="second motor")
    apart = radius - 0.1 if internal else radius + 0.1
    model.add(Revolute(carrier.at(apart, 0, 0), b.at()), name="pin")
    model.add(Gear(a.at(), b.at(), radius_a=radius, radius_b=0.1, internal=internal), name="mesh")
    run = kinematics(model, TIMES)
    ratio = (1.0 if internal else -1.0) * radius / 0.1
    speed = carrier_rate + ratio * (RATE - carrier_rate)
    unit = np.array(axis) / np.linalg.norm(axis)
    assert np.abs(run[b].angular_velocity - speed * unit).max() < 1e-8
    _close(run[angle(frame, b.at())], speed * TIMES, speed, 0.0)


@pytest.mark.parametrize("between", [0.6, math.pi / 2, 2.2])
def test_bevel_gears_between_fixed_shafts(between):
    """Both axes point away from where the shafts meet: theta_b = -R_a / R_b theta_a."""
    model = Model("bevel")
    a, turned_a = _shaft(model, "a", at=(0.0, 0.0, 0.4))
    leaning = (math.sin(between), 0.0, math.cos(between))
    b, turned_b = _shaft(model, "b", axis=leaning, at=tuple(0.3 * c for c in leaning))
    model.add(BevelGear(a.at(), b.at(), radius_a=30, radius_b=12), name="mesh")
    model.add(Driver(turned_a, Ramp(RATE)), name="motor")
    _close(kinematics(model, TIMES)[turned_b], -2.5 * RATE * TIMES, -2.5 * RATE, 0.0)


@pytest.mark.parametrize(("cage_rate", "left_rate"), [(0.0, 9.0), (7.0, 7.0), (7.0, 0.0), (-4.0, 10.0)])
def test_differential(cage_rate, left_rate):
    """Willis: left + right = 2 cage about one axis; on its pin the spider turns by -R_left / R_spider (left - cage)."""
    model = Model("differential")
    cage, turned = _shaft(model, "cage")
    model.add(Driver(turned, Ramp(cage_rate)), name="cage motor")
    left, left_turned = _shaft(model, "left", at=(0.0, 0.0, 0.2))
    model.add(Driver(left_turned, Ramp(left_rate)), name="left motor")
    right, right_turned = _shaft(model, "right", axis=(0.0, 0.0, -1.0), at=(0.0, 0.0, -0.2))
    spider, spider_turned = _shaft(model, "spider", axis=(1.0, 0.0, 0.0), at=(0.1, 0.0, 0.0), on=cage)
    model.add(BevelGear(left.at(), spider.at(), radius_a=20, radius_b=10), name="left mesh")
    model.add(BevelGear(right.at(), spider.at(), radius_a=20, radius_b=10), name="right mesh")
    run = kinematics(model, TIMES)
    right_rate = 2.0 * cage_rate - left_rate
    _close(run[right_turned], -right_rate * TIMES, -right_rate, 0.0)  # its axis points the other way
    own = -2.0 * (left_rate - cage_rate)
    _close(run[spider_turned], own * TIMES, own, 0.0)
    assert np.abs(run[right].angular_velocity[:, 2] - right_rate).max() < 1e-8


@pytest.mark.parametrize("radius", [0.2, -0.3])
def test_rack_and_pinion(radius):
    """A pinion that rolls along a rack in any direction of space turns by -distance / R about the rack's z axis."""
    model = Model("rack")
    rack = model.ground.at(0.1, 0.2, 0.3, z=(1, 1, 0.3), x=(0, 0.3, -1))
    middle = rotation.rotate(np.array(rack.orientation), np.array([0.0, radius, 0.0])) + np.array(rack.place)
    wheel = model.add(Body(position=middle, orientation=rack.orientation), name="wheel")
    plane = model.add(Planar(rack, wheel.at()), name="plane")
    model.add(RackPinion(rack, wheel.at(), radius=radius), name="mesh")
    model.add(Driver(plane.x, Ramp(3.0)), name="pull")
    _close(kinematics(model, TIMES)[plane.angle], -3.0 * TIMES / radius, -3.0 / radius, 0.0)


def test_spatial_crank_and_rod():
    """RSSP: a crank about z, a rod with balls, a slider along z at (d, 0): |tip - slider|^2 = l^2 gives its height."""
    model, r, d, rod = Model("RSSP"), 0.2, 0.5, 0.9
    crank, slider = _driving(model), model.add(Body(position=(d, 0.0, 0.8)), name="slider")
    model.add(Translational(model.ground.at(d, 0, 0), slider.at()), name="guide")
    model.add(Distance(crank.at(r, 0, 0), slider.at(), rod), name="rod")
    run = kinematics(model, TIMES)
    theta = RATE * TIMES
    height = np.sqrt(rod**2 - r * r - d * d + 2.0 * r * d * np.cos(theta))
    rate = -r * d * np.sin(theta) * RATE / height
    second = (-r * d * np.cos(theta) * RATE**2 - rate**2) / height
    _close(run[z(slider.at())], height, rate, second)


def test_spherical_pendulum_angles():
    """Cardan angles about x, y, z: R = Rx(alpha) Ry(beta) Rz(gamma), against the product of the three matrices."""
    model = Model("ball")
    bob = model.add(Body(), name="bob")
    ball = model.add(Spherical(model.ground.at(), bob.at()), name="ball")
    motions = (Ramp(8.0), Harmonic(1.2, 3.0), Ramp(-11.0))
    for measure, motion in zip((ball.angle_x, ball.angle_y, ball.angle_z), motions, strict=True):
        model.add(Driver(measure, motion))
    run = kinematics(model, TIMES)
    turns = [8.0 * TIMES, 1.2 * np.sin(3.0 * TIMES), -11.0 * TIMES]
    p = np.array([1.0, 0.0, 0.0, 0.0])
    for axis, turned in zip(np.eye(3), turns, strict=True):
        p = rotation.multiply(p, rotation.from_rotation_vector(turned[:, None] * axis))
    assert np.abs(run[bob].matrix - rotation.matrix(p)).max() < 1e-10


def test_slider_may_be_held_where_it_is():
    """A translational joint leaves one degree of freedom, along z of a, and nothing else."""
    model = Model("slider")
    block = model.add(Body(position=(0.1, 0.0, 0.4)), name="block")
    guide = model.add(Translational(model.ground.at(z=(1, 0, 1)), block.at(z=(1, 0, 1))), name="guide")
    model.add(Hold(x(block.at()), 0.3), name="stop")
    run = kinematics(model, [0.0])
    assert run[block].position[0] == pytest.approx((0.3, 0.0, 0.3), abs=1e-11)
    assert run[guide.travel].value[0] == pytest.approx(0.3 * math.sqrt(2.0), abs=1e-11)
    assert np.abs(run[block].matrix[0] - np.eye(3)).max() < 1e-11
