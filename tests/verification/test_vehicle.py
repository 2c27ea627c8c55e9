"""Vehicles on tires, against closed forms and equations written by hand: loads at rest, steady turns, a bump."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicSpline

from cardan import VehicleMotion, simulate, steady_motion
from cardan.examples.cars.compact import AXLES, CHASSIS, LOWER, MASS, RACK, UPPER, UPRIGHT, WHEEL, G, load
from cardan.examples.vehicles.vehicle import build
from cardan.examples.vehicles.vehicle_circle import build as circle, final_radius, steering_angle
from cardan.spatial import Body, BookTire, Driver, Model, Ramp, Road, Spring, Translational, length
from verification.manual import Within

AXLE = (0.0, 1.0, 0.0)


def test_settles_on_a_flat_road(record):
    """The example car, put down 3 cm too high and at rest: loads by moments of all weights."""
    model = build(speed=0.0, steer=0.0)
    for body in model.bodies:
        x, y, z = body.position
        object.__setattr__(body, "position", (x, y, z + 0.03))
    run = simulate(model, 8.0, output=0.5, rtol=1e-7)
    car = VehicleMotion(run, "chassis")
    words = "its oscillation dies out within 8 s to 1e-6; rtol 1e-7 of some thousand newtons"
    loads = [tire.load[-1] for tire in car.tires.values()]
    expected = [load(end) for end in ("front", "front", "rear", "rear")]
    record("loads, N", loads, expected, Within(0.05, words), "moments of all weights", "closed form")
    record("sum of loads, N", sum(loads), MASS * G, Within(0.05, words), "weight", "closed form")
    record(
        "height of the chassis, m", run["chassis"].position[-1, 2], 0.55, Within(1e-6, words), "as drawn", "closed form"
    )
    record("height at first, m", run["chassis"].position[0, 2], 0.58, Within(1e-12, "stated"), "stated", "closed form")


@pytest.mark.parametrize("speed", [5.0, 10.0, 15.0])
def test_steady_turn(record, speed):
    """delta = L / R + K v^2 / R of the example car on a circle of 200 m.

    K = m_f / C_f - m_r / C_r, from the cornering stiffnesses of the axles and the masses that their side forces carry;
    the pneumatic trail moves these backward. The lateral acceleration is up to 1.1 m/s2, where tires are linear to a
    percent. Camber, load transfer and the different angles of the inner and outer wheel are not in the formula.
    """
    run = simulate(circle(mph=speed / 0.44704, radius=200.0), 20.0, output=0.05, rtol=1e-7)
    car = VehicleMotion(run, "chassis")
    now, radius = float(car.speed[-1]), final_radius(run)
    expected = 200.0 * steering_angle(now, 200.0) / steering_angle(speed, 200.0)  # it goes a little slower in the end
    words = "1 %: camber thrust and load transfer are not in the formula"
    record(
        f"radius at {speed:g} m/s, m", radius, expected, Within(0.01 * expected, words), "bicycle model", "closed form"
    )
    side = sum(tire.side[-1] for tire in car.tires.values())
    record(
        f"side forces over m v^2 / R at {speed:g} m/s",
        side / (MASS * now**2 / radius),
        1.0,
        Within(0.01, "the side forces of steered wheels point a little backward"),
        "Newton",
        "closed form",
    )


@pytest.mark.parametrize(("speed", "radius"), [(5.0, 200.0), (10.0, 200.0), (15.0, 200.0), (5.0, 50.0)])
def test_steady_turn_at_a_stated_radius(record, speed, radius):
    """The same formula against `steady_motion`, which finds the travel of the rack for speed and radius.

    Tires are without relaxation, which changes nothing in steady rolling. The steering angle is the mean of both
    wheels.
    """
    model = build(speed=speed, steer=0.0, transient=False)
    wheels = [model[f"{end} {side} wheel"] for end in AXLES for side in ("left", "right")]
    hinges = [model[f"{wheel.name.removesuffix('wheel')}spin"] for wheel in wheels]
    sought = {"spinning": hinges, "free": [model["steering"], model["drive"]]}
    motion = steady_motion(model, body=model["chassis"], speed=speed, radius=radius, **sought)
    axles = [motion[wheel].matrix[:, 1] for wheel in wheels[:2]]
    ahead = motion["chassis"].matrix[:, 0]
    angles = [math.atan2(-axle[0], axle[1]) - math.atan2(ahead[1], ahead[0]) for axle in axles]
    expected = steering_angle(speed, radius)
    words = "1 %: camber thrust, load transfer and the circle's own geometry are not in the formula"
    case = f"{speed:g} m/s, {radius:g} m"
    mean = float(np.mean(angles))
    record(
        f"steering angle, rad, {case}", mean, expected, Within(0.01 * expected, words), "bicycle model", "closed form"
    )


def test_understeer_grows_with_speed(record):
    """The rack held, the radius grows with the square of the speed by K / L."""
    radii = []
    for speed in (5.0, 15.0):
        run = simulate(circle(mph=speed / 0.44704, radius=200.0), 20.0, output=0.05, rtol=1e-7)
        now = float(VehicleMotion(run, "chassis").speed[-1])
        radii.append(final_radius(run) * steering_angle(speed, 200.0) / steering_angle(now, 200.0))
    ratio = radii[1] / radii[0]
    record(
        "radius at 15 over that at 5 m/s, as the formula has it",
        ratio,
        1.0,
        Within(0.01, "as above"),
        "K",
        "closed form",
    )
    record.above("K v^2 / L at 15 m/s", steering_angle(15.0, 2.6) - 1.0, 0.02, "understeer", "closed form")


def test_bump_against_a_quarter_car(record):
    """A wheel and a body on it are drawn over a bump at 10 m/s; SciPy integrates the same two equations.

    The road is a natural cubic spline, its normal tilts: gap = (z - h) / s - R, and N / s lifts, s^2 = 1 + h'^2. The
    wheel leaves the road behind the bump.
    """
    M, m, k, c, kt, R, V = 300.0, 40.0, 22e3, 1500.0, 2e5, 0.32, 10.0
    places = [-5.0, 0.0, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 10.0, 40.0]
    heights = [0.0, 0.0, 0.0, 0.02, 0.1, 0.14, 0.1, 0.02, 0.0, 0.0, 0.0]
    rest, free = R - (M + m) * G / kt, 0.5
    model = Model("quarter car", gravity=(0, 0, -G))
    stated = {"inertia": (9.0, 9.0, 9.0), "velocity": (V, 0.0, 0.0)}
    sled = model.add(Body(mass=10.0, **stated), name="sled")
    track = model.add(Translational.between(model.ground, sled, at=(0, 0, 0), z=(1, 0, 0)), name="track")
    model.add(Driver(track.travel, Ramp(V)), name="speed")
    wheel = model.add(Body(mass=m, position=(0, 0, rest), **stated), name="wheel")
    body = model.add(Body(mass=M, position=(0, 0, rest + free - M * G / k), **stated), name="body")
    for part in (wheel, body):
        model.add(
            Translational.between(sled, part, at=(0, 0, 0), to=part.position, z=(0, 0, 1)), name=f"{part.name} guide"
        )
    model.add(Spring(length(wheel.at(), body.at()), k, c, rest_length=free), name="spring")
    road = Road.along(places, heights, kind="spline")
    tire = BookTire(model.ground.at(), wheel.at(z=AXLE), road, radius=R, stiffness=kt, cornering=0.0, friction=0.0)
    model.add(tire, name="tire")
    run = simulate(model, 2.0, output=0.01, rtol=1e-9)
    line = CubicSpline(places, heights, bc_type="natural")

    def load_at(t, z):
        s = math.hypot(1.0, line(V * t, 1))
        return kt * max(0.0, R - (z - line(V * t)) / s), s

    def rates(t, state):
        z, up, vz, vup = state
        spring = k * (up - z - free) + c * (vup - vz)
        push, s = load_at(t, z)
        return vz, vup, (push / s + spring) / m - G, -spring / M - G

    start = (rest, rest + free - M * G / k, 0.0, 0.0)
    own = solve_ivp(rates, (0.0, 2.0), start, "DOP853", run.times, rtol=1e-10, atol=1e-12, max_step=0.005)
    words = "rtol 1e-9 and 1e-10; each kink of the force, where the wheel lifts off, costs some digits"
    record(
        "height of the wheel, m",
        run["wheel"].position[:, 2],
        own.y[0],
        Within(1e-7, words),
        "own equations",
        "recomputed",
    )
    record(
        "height of the body, m",
        run["body"].position[:, 2],
        own.y[1],
        Within(1e-7, words),
        "own equations",
        "recomputed",
    )
    loads = [load_at(t, z)[0] for t, z in zip(run.times, own.y[0], strict=True)]
    record(
        "load, N", run[tire.device]["Fz"], loads, Within(0.02, "2e5 N/m times 1e-7 m"), "own equations", "recomputed"
    )
    record("least load, N", min(loads), 0.0, Within(0.0, "it leaves the road"), "own equations", "recomputed")


def test_axles(record):
    """The example's loads add up, and their moment about the centre of mass of all parts vanishes."""
    parts = [(CHASSIS, 0.0), (RACK, AXLES["front"] + 0.12)]
    parts += [(2 * (UPRIGHT + WHEEL + LOWER + UPPER), at) for at in AXLES.values()]
    moment = sum(mass * G * at for mass, at in parts) - 2.0 * sum(load(end) * at for end, at in AXLES.items())
    record("moment left over, N m", moment, 0.0, Within(1e-9, "rounding"), "moments of all weights", "closed form")
