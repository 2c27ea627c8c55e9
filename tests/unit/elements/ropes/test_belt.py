"""Belts: ratio, tensions, loads on the axles, and where they slip."""

import math

import numpy as np
import pytest

import cardan.planar as plane
import cardan.spatial as space
from cardan import ModelError, equilibrium, simulate
from folding import folded

RA, RB, C, K, T0 = 0.05, 0.15, 0.6, 5e4, 200.0


def drive(crossed=False, load=3.0, **belt):
    """A motor turns pulley a at 40 rad/s; a brake of `load` N m holds pulley b."""
    model = plane.Model("belt")
    a = model.add(plane.Body(1.0, 0.01, angular_velocity=40.0), name="a")
    turned = 40.0 * RA / RB * (-1.0 if crossed else 1.0)
    b = model.add(plane.Body(2.0, 0.1, position=(C, 0.0), angular_velocity=turned), name="b")
    pins = [
        model.add(plane.Revolute(model.ground.at(place, 0), body.at()), name=f"pin {body.name}")
        for place, body in ((0.0, a), (C, b))
    ]
    motor = model.add(plane.Driver(pins[0].angle, plane.Ramp(40.0)), name="motor")
    model.add(plane.Torque(b.at(), math.copysign(load, -turned)), name="brake")
    stated = {"stiffness": K, "damping": 100.0, "pretension": T0, "crossed": crossed} | belt
    element = plane.Belt(a.at(), b.at(), radius_a=RA, radius_b=RB, distance=C, **stated)
    return model, pins, motor, model.add(element, name="belt")


@pytest.mark.parametrize("crossed", [False, True])
def test_turns_pulls_and_axle_loads(crossed):
    """T_left - T_right = torque / R_b while their sum is 2 T_0; the motor gives torque R_a / R_b."""
    model, pins, motor, belt = drive(crossed)
    run = simulate(model, 2.0, output=0.5, rtol=1e-8)
    left, right = run[belt.device]["left"][-1], run[belt.device]["right"][-1]
    assert belt.ratio == pytest.approx((-1 if crossed else 1) * RA / RB)
    assert run["b"].angular_velocity[-1] == pytest.approx(40.0 * belt.ratio, rel=1e-6)
    assert left - right == pytest.approx(3.0 / RB, rel=1e-5) and left + right == pytest.approx(2 * T0, rel=1e-9)
    assert run[motor].force[-1] == pytest.approx(3.0 * RA / RB, rel=1e-5)
    assert [run.columns.units()[f"belt.{name}"] for name in ("pull", "apart", "left", "slipped")] == [
        "N",
        "N",
        "N",
        "m",
    ]
    lost = run[belt].power[-1]
    assert abs(lost) < 1e-3  # of 40 W carried: it turns steadily, so nothing is stored or damped
    # the tangents lean by asin(D / c): what the pin of a carries along and across the center line
    step = RA + RB if crossed else RA - RB
    lean = math.asin(step / C)
    across = (left - right) * math.sin(lean)
    force = run[pins[0]].in_frame("global").force[-1]
    assert force == pytest.approx([-(left + right) * math.cos(lean), across], rel=1e-4)


def test_carries_no_more_than_both_pretensions():
    """Beyond 2 T_0 R_b the slack strand goes slack and the other carries all of it, at half the stiffness."""
    load = 3.0 * T0 * RB
    model, _, _, belt = drive(load=load)
    run = simulate(model, 2.0, output=0.5, rtol=1e-8)
    assert run[belt.device]["right"][-1] == 0.0
    assert run[belt.device]["left"][-1] == pytest.approx(load / RB, rel=1e-4)


def test_slips_at_the_limit_of_euler():
    """It carries 2 T_0 tanh(mu phi / 2), phi = pi - 2 asin((R_b - R_a) / c) on the small pulley: sticks below that
    torque, slips above; below it the state stays zero to the last bit."""
    mu = 0.3
    phi = math.pi - 2.0 * math.asin((RB - RA) / C)
    limit = 2.0 * T0 * math.tanh(0.5 * mu * phi) * RB
    model, _, _, belt = drive(load=0.5 * limit, friction=mu)  # what starts suddenly pulls up to twice as much
    run = simulate(model, 0.5, output=0.05, rtol=1e-8)
    assert not run[belt.device]["slipped"].any()
    model, _, motor, belt = drive(load=1.3 * limit, friction=mu)
    run = simulate(model, 0.2, output=0.01, rtol=1e-8)
    left, right = run[belt.device]["left"][2:], run[belt.device]["right"][2:]
    near = 1e-4  # positions known to 1e-8 m times k are 5e-4 N of 100 N; the step at which slip began is one of them
    assert np.log(left / right) == pytest.approx(mu * phi, rel=near)
    assert (left - right) * RB == pytest.approx(limit, rel=near)
    assert run[motor].force[2:] == pytest.approx(limit * RA / RB, rel=near)
    assert run["b"].angular_acceleration[2:] == pytest.approx(-0.3 * limit / 0.1, rel=1e-3)
    stretched = run[belt.device]["drawn"] - run[belt.device]["slipped"]  # what the pulleys drew and has not slipped
    assert stretched[2:] == pytest.approx((left - right) / (2.0 * K), rel=near) and run[belt.device]["drawn"][-1] > 0.2
    assert run.energy.drift < 1e-6


def test_tension_from_the_distance_of_the_centres():
    """A sprung idler: at rest both strands carry F / (2 cos), and half the belt's length has the closed form g(c)."""
    model = plane.Model("tension")
    a = model.add(plane.Body(1.0, 0.01), name="a")
    b = model.add(plane.Body(1.0, 0.01, position=(C, 0.0)), name="b")
    model.add(plane.Revolute(model.ground.at(), a.at()), name="pin")
    model.add(plane.Translational(model.ground.at(), b.at()), name="slide")
    model.add(plane.Load(b.at(), (300.0, 0.0)), name="load")
    belt = plane.Belt(a.at(), b.at(), radius_a=RA, radius_b=RB, distance=C, stiffness=K)
    belt = model.add(belt, name="belt")
    c = equilibrium(model, method="newton")[b].position[0]

    def half(c):
        return math.sqrt(c**2 - (RB - RA) ** 2) + (RB - RA) * math.asin((RB - RA) / c)

    stretch = half(c) - half(C)
    assert 2.0 * K * stretch * math.sqrt(1.0 - ((RB - RA) / c) ** 2) == pytest.approx(300.0, rel=1e-8)


def test_in_space_as_in_the_plane():
    runs = []
    for vocabulary in (plane, space):
        flat = vocabulary is plane
        model = vocabulary.Model("belt")
        stated = {"mass": 1.0, "inertia": 0.02 if flat else (0.01, 0.01, 0.02)}
        first = {"angular_velocity": 30.0 if flat else (0.0, 0.0, 30.0)}
        a = model.add(vocabulary.Body(**stated, **first), name="a")
        b = model.add(vocabulary.Body(**stated, position=(C, 0.0) if flat else (C, 0.0, 0.0)), name="b")
        model.add(vocabulary.Revolute(model.ground.at(), a.at()), name="pin a")
        model.add(
            vocabulary.Revolute(model.ground.at(C, 0) if flat else model.ground.at(C, 0, 0), b.at()), name="pin b"
        )
        belt = vocabulary.Belt(a.at(), b.at(), radius_a=RA, radius_b=RB, distance=C, stiffness=1e3, pretension=10.0)
        belt = model.add(belt, name="belt")
        run = simulate(model, 1.0, output=0.1, rtol=1e-9)
        runs.append(run[belt.device]["left"])
        assert run.energy.drift < 1e-7
    assert np.ptp(runs[0]) > 10.0
    assert runs[1] == pytest.approx(runs[0], rel=1e-5)


@folded(
    ("stated", "message"),
    [
        ({"distance": 0.05}, "the distance of Belt 'b' must exceed 0.1 m"),
        ({"distance": 0.15, "crossed": True}, "must exceed 0.2 m"),
        ({"radius_a": -1.0}, "radius_a of Belt 'b' must be positive"),
        ({"friction": -0.1}, "friction of Belt 'b' must not be negative"),
        ({"pretension": -1.0}, "pretension of Belt 'b' must not be negative"),
        ({"crossed": "no"}, "crossed of Belt 'b' must be True or False"),
    ],
)
def test_rejected(stated, message):
    model = plane.Model("m")
    body = model.add(plane.Body(1.0, 1.0), name="body")
    with pytest.raises(ModelError, match=message):
        usual = {"radius_a": RA, "radius_b": RB, "distance": C, "stiffness": K}
        model.add(plane.Belt(model.ground.at(), body.at(), **(usual | stated)), name="b")
