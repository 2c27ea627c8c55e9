"""Steady turns of vehicles: the bicycle's formula and its exact equations, rolling carts, cars on spinning wheels."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import fsolve

from cardan import planar as flat, simulate, spatial as deep, steady_motion

G = 9.81
EXACT = 1e-10  # balance is found to 1e-12 of the forces; what is compared depends on it smoothly
A, B, M = 1.2, 1.4, 1500.0  # m, m, kg: the axles before and behind the mass center, and the mass
CF, CR = 80e3, 100e3  # N/rad: side force over slip angle of both axles


@pytest.mark.parametrize("speed", [8.0, 20.0, 30.0])
@pytest.mark.parametrize("radius", [100.0, -60.0])
def test_bicycle_in_a_turn(speed, radius):
    """delta = l / R + K v^2 / R with K = m (b C_r - a C_f) / (l C_f C_r), up to squares of the angles.

    Exactly: the forces of both wheels and the drive balance m v^2 / R, written down by hand and solved by SciPy.
    """
    model, delta, drive = _bicycle(speed)
    motion = steady_motion(model, body=model["car"], speed=speed, radius=radius, free=[delta, drive])
    K = M * (B * CR - A * CF) / ((A + B) * CF * CR)
    linear = ((A + B) + K * speed**2) / radius
    angles = max(abs(linear), speed**2 * M / (2 * CF) / abs(radius))
    assert motion.values[delta] == pytest.approx(linear, abs=2.0 * angles**3 + 2.0 * angles**2 * abs(linear))
    steer, push, slip = fsolve(_turning(speed, radius), (linear, 0.0, 0.0), xtol=1e-12)
    assert motion.values[delta] == pytest.approx(steer, abs=1e-9)
    assert motion.values[drive] == pytest.approx(push, abs=1e-5)  # N, of forces of 10 kN
    model, *_ = _bicycle(speed, motion.values[delta], motion.values[drive])
    run = simulate(model, abs(radius) / speed, output=0.1, start=motion, rtol=1e-11)
    for series in (run["car"].angular_velocity, np.linalg.norm(run["car"].velocity, axis=1)):
        assert np.ptp(series) < 1e-8 * np.abs(series).max()


def test_straight_ahead():
    """spin = 0 with travel: what drives a car against its drag, F = c v."""
    model = flat.Model("sled")
    sled = model.add(flat.Body(mass=3.0, inertia=0.1), name="sled")
    model.add(flat.Hold(flat.y(sled.at()), 0.0), name="rail")
    model.add(flat.Hold(flat.angle(model.ground.at(), sled.at()), 0.0), name="upright")
    model.add(flat.Spring(flat.x(sled.at()), damping=4.0), name="drag")
    rope = model.add(flat.Load(sled.at(), (1.0, 0.0)), name="rope")
    motion = steady_motion(model, 0.0, travel=(2.5, 0.0), free=[rope])
    assert motion.values[rope] == pytest.approx(10.0, rel=EXACT)
    assert motion[sled].velocity.tolist() == [2.5, 0.0]


def test_wheel_along_a_line():
    """It rolls at -v / r, as a wheel of the plane counts."""
    model = flat.Model("unicycle", gravity=(0, -G))
    wheel = model.add(flat.Body(mass=5.0, inertia=0.3, position=(0, 0.35)), name="wheel")
    road = model.add(flat.RollingWheel(model.ground.at(), wheel.at(), radius=0.35), name="road")
    motion = steady_motion(model, 0.0, travel=(7.0, 0.0), spinning=[road])
    assert motion.rates[road] == pytest.approx(-20.0, rel=EXACT)
    np.testing.assert_allclose(motion[road].force, [0.0, 5.0 * G], atol=1e-9)


def test_cart_on_two_wheels_that_roll():
    """Mass center d before the axle: m W^2 d to be braked, m d W^2 R to be turned; wheels at W (R -+ b) / r.

    Both wheels keep the cart from sliding across: one equation is redundant.
    """
    speed, radius, d, b, r, mass = 3.0, 5.0, 0.2, 0.4, 0.3, 20.0
    model, wheels, push, yaw = _cart(d, b, r, mass)
    motion = steady_motion(model, body=model["chassis"], speed=speed, radius=radius, spinning=wheels, free=[push, yaw])
    W = speed / radius
    assert [motion.rates[hinge] for hinge in wheels] == pytest.approx([W * (radius - b) / r, W * (radius + b) / r])
    assert motion.values[push] == pytest.approx(-mass * W**2 * d, rel=1e-9)
    assert motion.values[yaw] == pytest.approx(mass * d * W**2 * radius, rel=1e-9)


def test_car_with_four_spinning_wheels():
    """The bicycle's formula for a car in space; wheels that nothing brakes roll at the speed of their hubs, v / r."""
    speed, radius = 15.0, 80.0
    model, steering, drive, wheels = _car(speed)
    motion = steady_motion(
        *(model,), body=model["chassis"], speed=speed, radius=radius, spinning=wheels, free=[steering, drive]
    )
    K = M * (B * CR - A * CF) / ((A + B) * CF * CR)
    linear = ((A + B) + K * speed**2) / radius
    assert motion.values[steering] == pytest.approx(linear, rel=0.01)  # squares of angles, half the track over R
    for hinge in wheels:
        hub, axle = hinge.b.body, motion[hinge.b.body].matrix[:, 2]
        forward = np.cross(axle, (0.0, 0.0, 1.0)) @ motion[hub].velocity
        assert motion.rates[hinge] == pytest.approx(forward / 0.3, rel=1e-9)
    inner, outer = (motion.rates[wheels[k]] for k in (2, 3))
    assert outer / inner == pytest.approx((radius + 0.7) / (radius - 0.7), rel=1e-3)
    model, *_ = _car(speed, motion.values[steering], motion.values[drive])
    run = simulate(model, 2.0, output=0.1, start=motion, rtol=1e-11)
    chassis = run["chassis"]
    assert np.ptp(chassis.angular_velocity[:, 2]) < 1e-8
    assert np.ptp(np.linalg.norm(chassis.velocity, axis=1)) < 1e-8 * speed


def _cart(d, b, r, mass):
    model = deep.Model("cart", gravity=(0, 0, -G))
    chassis = model.add(deep.Body(mass=mass, inertia=(1, 1, 2), position=(0, 0, r), center=(d, 0, 0)), name="chassis")
    model.add(deep.Hold(deep.z(chassis.at()), r), name="height")
    model.add(deep.Parallel(model.ground.at(), chassis.at()), name="level")
    wheels = []
    for name, y in (("left", b), ("right", -b)):
        stated = {"position": (0, y, r), "orientation": deep.rotation.from_axes(z=(0, 1, 0), x=(1, 0, 0))}
        wheel = model.add(deep.Body(mass=1.0, inertia=(0.02, 0.02, 0.04), **stated), name=name)
        axle = chassis.at(0, y, 0, z=(0, 1, 0), x=(1, 0, 0))
        wheels.append(model.add(deep.Revolute(axle, wheel.at()), name=f"{name} hinge"))
        model.add(deep.RollingWheel(model.ground.at(), wheel.at(), radius=r, contact=False), name=f"{name} road")
    push = model.add(deep.Load(chassis.at(), (1.0, 0, 0), "body"), name="push")
    yaw = model.add(deep.Torque(chassis.at(), (0, 0, 1.0)), name="yaw")
    return model, wheels, push, yaw


def _front(x, y, forward, aside):
    return -CF * aside / forward


def _rear(x, y, forward, aside):
    return -CR * aside / forward


def _bicycle(speed, angle=0.01, push=1.0):
    """A car with one wheel at each axle, and side forces C times slip; the drive pushes along the car at the rear."""
    model = flat.Model("bicycle")
    car = model.add(flat.Body(mass=M, inertia=2500.0, velocity=(speed, 0)), name="car")
    wheel = model.add(flat.Body(mass=0.0, inertia=0.0, position=(A, 0), velocity=(speed, 0)), name="wheel")
    fork = model.add(flat.Revolute(car.at(A, 0), wheel.at()), name="fork")
    steering = model.add(flat.Hold(fork.angle, angle), name="steering")
    road = model.ground.at()
    for marker, law, name in ((wheel.at(), _front, "front"), (car.at(-B, 0), _rear, "rear")):
        slips = flat.velocity_along(road, marker, "x"), flat.velocity_along(road, marker, "y")
        model.add(flat.Action(slips[1], law, of=slips), name=name)
    drive = model.add(flat.Load(car.at(-B, 0), (push, 0.0), "body"), name="drive")
    return model, steering, drive


def _turning(speed, radius):
    """Balance of the car along, across and about itself; unknown: steering, drive, slip angle of the center."""

    def missed(unknown):
        delta, push, slip = unknown
        spin = speed / radius
        vx, vy = speed * math.cos(slip), speed * math.sin(slip)
        c, s, aside = math.cos(delta), math.sin(delta), vy + A * spin
        fx, fy = vx * c + aside * s, -vx * s + aside * c
        front, rear = -CF * fy / fx, -CR * (vy - B * spin) / vx
        along, across = push - front * s + M * spin * vy, front * c + rear - M * spin * vx
        return [along / M, across / M, (A * front * c - B * rear) / M]

    return missed


def _car(speed, angle=0.02, push=1.0):
    """A chassis that stays level, two front wheels on knuckles that turn alike, and two rear wheels."""
    model = deep.Model("car", gravity=(0, 0, -G))
    moving = {"velocity": (speed, 0, 0)}
    chassis = model.add(deep.Body(mass=M, inertia=(500, 2400, 2500), position=(0, 0, 0.3), **moving), name="chassis")
    ground = model.ground.at()
    model.add(deep.Hold(deep.z(chassis.at()), 0.3), name="height")
    model.add(deep.Parallel(ground, chassis.at()), name="level")
    level, wheels, turning = {"z": (0, 1, 0), "x": (1, 0, 0)}, [], []
    for name, x, y in (
        ("front left", A, 0.7),
        ("front right", A, -0.7),
        ("rear left", -B, 0.7),
        ("rear right", -B, -0.7),
    ):
        carrier, place = chassis, (x, y, 0.0)
        if x > 0.0:
            carrier = model.add(
                deep.Body(mass=0.0, inertia=(0, 0, 0), position=(x, y, 0.3), **moving), name=f"{name} knuckle"
            )
            turning.append(model.add(deep.Revolute(chassis.at(x, y, 0), carrier.at()), name=f"{name} pin"))
            place = (0.0, 0.0, 0.0)
        stated = {"position": (x, y, 0.3), "orientation": deep.rotation.from_axes(z=(0, 1, 0), x=(1, 0, 0))}
        wheel = model.add(deep.Body(mass=0.1, inertia=(0.01, 0.01, 0.02), **stated, **moving), name=name)
        wheels.append(model.add(deep.Revolute(carrier.at(*place, **level), wheel.at()), name=f"{name} hinge"))
        slips = deep.RollingWheel(ground, wheel.at(), radius=0.3).slips()
        model.add(deep.Spring(slips["along"], damping=20.0), name=f"{name} traction")
        along, across = (part for slip in slips.values() for _, part in slip.parts() if part.kind == "course")
        model.add(deep.Action(across, _half_front if x > 0 else _half_rear, of=(along, across)), name=f"{name} tire")
    steering = model.add(deep.Hold(turning[0].angle, angle), name="steering")
    model.add(deep.Coupler(turning[0].angle - turning[1].angle, 0.0), name="tie rod")
    drive = model.add(deep.Load(chassis.at(-B, 0, 0), (push, 0.0, 0.0), "body"), name="drive")
    return model, steering, drive, wheels


def _half_front(x, y, forward, aside):
    return -0.5 * CF * aside / forward


def _half_rear(x, y, forward, aside):
    return -0.5 * CR * aside / forward
