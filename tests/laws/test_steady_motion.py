"""Steady motions: closed forms of spinning and turning mechanisms, and that each of them lasts when it is simulated."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import fsolve

from cardan import initial_conditions, simulate, steady_motion
from cardan import planar as flat
from cardan import spatial as deep
from cardan.analysis.steady_twist import Twist, parts_of
from cardan.examples import heavy_top, rolling_coin
from cardan.model.space import advance
from cardan.system.compile import compile

G = 9.81
EXACT = 1e-10  # balance is found to 1e-12 of the forces; what is compared depends on it smoothly


def test_accelerations_are_the_rates_of_velocities():
    """A rotor in a gimbal on a turntable, in any position: a = dv/dt along v, by central differences (error h^2)."""
    model = _gyroscope(tilt=0.4)
    system = compile(model)
    parts = parts_of(model, [model["tilting"], model["spinning"]], system)
    axis = np.array([1.0, 2.0, 2.0]) / 3.0
    twist = Twist(system, axis, np.array([0.3, -0.2, 0.1]), 0.7 * axis, parts)
    for part, count in zip(parts, (2, 1), strict=True):
        assert len(part.bodies) == count, "what hangs beyond a hinge spins with it"

    def moved(h, v):
        q = system.start.copy()
        advance(system.geometry, q, h * v)
        return twist.motion(q, 1.3, (0.8, 5.0))[0]

    v, a = twist.motion(system.start, 1.3, (0.8, 5.0))
    h = 1e-5
    np.testing.assert_allclose((moved(h, v) - moved(-h, v)) / (2 * h), a, atol=1e-7)


@pytest.mark.parametrize("stated", ["height", "spin", "radius", "speed"])
def test_conical_pendulum(stated):
    """cos(theta) = g / (W^2 L)."""
    L, theta = 1.0, math.radians(60.0)
    spin, reach = math.sqrt(G / (L * math.cos(theta))), L * math.sin(theta)
    model, bob = _conical(theta=math.radians(40.0))
    asked = {
        "height": {"given": {deep.z(bob.at()): -0.5}},
        "spin": {"spin": spin},
        "radius": {"body": bob, "radius": reach, "through": (0, 0, 0)},
        "speed": {"body": bob.at(), "speed": spin * reach},
    }
    motion = steady_motion(model, **asked[stated])
    assert motion.spin == pytest.approx(spin, rel=EXACT)
    assert motion[bob].position[2] == pytest.approx(-0.5, abs=EXACT)
    assert np.linalg.norm(motion[bob].acceleration) == pytest.approx(spin**2 * reach, rel=EXACT)
    assert np.linalg.norm(motion["string"].force) == pytest.approx(2.0 * spin**2 * L, rel=EXACT)
    _lasts(model, motion, deep.z(bob.at()))


@pytest.mark.parametrize("signs", [(1.0, 1.0), (-1.0, 1.0)])
def test_rotating_double_pendulum(signs):
    """(m1 + m2) g tan(t1) = W^2 (m1 r1 + m2 r2), g tan(t2) = W^2 r2: the first and the second shape."""
    m1, m2, L1, L2, spin = 1.0, 0.7, 0.5, 0.8, 9.0
    model, hinges = _double(m1, m2, L1, L2, [sign * angle for sign, angle in zip(signs, (1.1, 1.3), strict=True)])

    def missed(angles):
        r1 = L1 * math.sin(angles[0])
        r2 = r1 + L2 * math.sin(angles[1])
        above = (m1 + m2) * G * math.tan(angles[0]) - spin**2 * (m1 * r1 + m2 * r2)
        return [above, G * math.tan(angles[1]) - spin**2 * r2]

    motion = steady_motion(model, spin)
    first, second = (motion[hinge.angle].value for hinge in hinges)
    np.testing.assert_allclose(missed([-first, -first - second]), 0.0, atol=1e-8)  # N, of forces of 100 N
    assert np.sign([-first, -first - second]).tolist() == list(signs)
    _lasts(model, motion, hinges[0].angle, hinges[1].angle)


@pytest.mark.parametrize("pace", ["slow", "fast"])
def test_heavy_top_in_steady_precession(pace):
    """W (C n - A W cos(tilt)) = m g l: a slow and a fast precession; n is the whole spin about the axis."""
    model = heavy_top.build()
    top, cosine, total = model["top"], math.cos(heavy_top.TILT), 120.0
    C, A = heavy_top.MASS * heavy_top.RADIUS**2 / 2, heavy_top.MASS * (heavy_top.RADIUS**2 / 4 + heavy_top.DISTANCE**2)
    roots = np.roots([-A * cosine, C * total, -heavy_top.MASS * G * heavy_top.DISTANCE])
    W = float(np.sort(roots.real)[0 if pace == "slow" else 1])
    assert np.isreal(roots).all()
    object.__setattr__(top, "angular_velocity_b", None)
    turning = (total - W * cosine) * np.array([math.sin(heavy_top.TILT), 0.0, cosine]) + np.array([0.0, 0.0, 1.1 * W])
    object.__setattr__(top, "angular_velocity", tuple(turning))  # says which of the two is sought
    height = deep.z(top.at(0, 0, 1.0))
    motion = steady_motion(model, spinning={top.at(): total - W * cosine}, given={height: cosine})
    assert motion.spin == pytest.approx(W, rel=1e-9)
    assert motion[top].angular_velocity_b[2] == pytest.approx(total, rel=1e-9)
    _lasts(model, motion, height)


def test_coin_on_its_circle():
    """W^2 cos(lean) (3/2 b + R/4 sin(lean)) = g sin(lean); it rolls at -W b / R beside its turn about its own axle."""
    model = rolling_coin.build()
    coin, lean, reach = model["coin"], math.radians(15.0), 0.3
    motion = steady_motion(
        *(model,), spinning=[coin.at()], body=coin, radius=reach, through=(0, 0, 0), given={model["table"].lean: lean}
    )
    radius = rolling_coin.RADIUS
    W = math.sqrt(G * math.tan(lean) / (1.5 * reach + radius * math.sin(lean) / 4))
    assert motion.spin == pytest.approx(W, rel=EXACT)
    rolling = -W * reach / radius
    assert motion[coin].angular_velocity_b[2] == pytest.approx(rolling, rel=EXACT)
    assert motion.rates[coin.at()] == pytest.approx(rolling - W * math.sin(lean), rel=EXACT)
    side = motion["table"].in_frame("global").force
    np.testing.assert_allclose(side[0], [-0.1 * W**2 * reach, 0.0, 0.1 * G], atol=1e-9)
    _lasts(model, motion, model["table"].lean)


def test_gyroscope_on_hinges():
    """A rotor with a level axle: W C p = m g l; the hinge may be stated from either side."""
    for swapped in (False, True):
        model = _gyroscope(swapped=swapped)
        rate = -200.0 if swapped else 200.0  # the angle then counts the other way round
        motion = steady_motion(model, spinning={model["spinning"]: rate}, given={model["tilting"].angle: 0.0})
        C, mass, reach = 0.5 * 2.0 * 0.1**2, 2.0, 0.25
        assert abs(motion.spin) == pytest.approx(mass * G * reach / (C * 200.0), rel=EXACT)
        assert motion[model["spinning"].angle].rate == pytest.approx(rate, rel=EXACT)
        _lasts(model, motion, model["tilting"].angle)


def test_mass_on_a_rotating_arm():
    """In the plane: k (s - s0) = m W^2 s, whichever of spin, place and stiffness is sought."""
    k, s0, m, W = 200.0, 0.4, 2.0, 5.0
    s = k * s0 / (k - m * W**2)
    model, slot = _arm(k, s0, m)
    motion = steady_motion(model, W)
    assert motion[slot.travel].value == pytest.approx(s, rel=EXACT)
    assert motion["spring"].force == pytest.approx(m * W**2 * s, rel=EXACT)
    _lasts(model, motion, slot.travel)
    assert steady_motion(model, given={slot.travel: s}).spin == pytest.approx(W, rel=EXACT)
    pulled = steady_motion(model, W, given={slot.travel: 0.7}, free=[model["spring"]])
    assert pulled.values[model["spring"]] == pytest.approx(m * W**2 * 0.7 - k * (0.7 - s0), rel=EXACT)
    assert pulled["spring"].force == pytest.approx(m * W**2 * 0.7, rel=EXACT)


def test_a_plane_anywhere_in_space():
    """The same arm, lifted to a slanted plane away from the origin, about the normal of that plane."""
    model, slot = _arm(200.0, 0.4, 2.0)
    flat_one = steady_motion(model, 5.0)
    normal, origin = (2.0, -1.0, 2.0), (0.3, 4.0, -1.0)
    lifted = deep.lift(model, origin=origin, x=(1, 2, 0), z=normal)
    motion = steady_motion(lifted, 5.0, axis=normal, through=origin)
    away = np.linalg.norm(motion["mass"].position - np.array(origin))
    assert away == pytest.approx(flat_one[slot.travel].value, rel=EXACT)
    for level in ("velocity", "acceleration"):
        size = np.linalg.norm(getattr(motion["mass"], level))
        assert size == pytest.approx(np.linalg.norm(getattr(flat_one["mass"], level)), rel=EXACT)
    np.testing.assert_allclose(motion["mass"].angular_velocity, 5.0 / 3.0 * np.array(normal), atol=1e-9)


def test_a_driver_says_how_fast_it_turns():
    """The spin of a driven shaft is that of its driver, and what the driver must supply balances a damper."""
    model = flat.Model("fan")
    rotor = model.add(flat.Body(mass=1.0, inertia=0.2), name="rotor")
    hinge = model.add(flat.Revolute(model.ground.at(), rotor.at()), name="hinge")
    model.add(flat.Spring(hinge.angle, damping=0.3), name="air")
    motor = model.add(flat.Driver(hinge.angle, flat.Ramp(7.0, 0.2)), name="motor")
    motion = steady_motion(model)
    assert motion.spin == pytest.approx(7.0, rel=EXACT)
    assert motion[motor].force == pytest.approx(2.1, rel=EXACT)


def test_torque_that_keeps_a_shaft_turning():
    """T = c W in space, where a torque has a direction; found as a free torque, and as the spin of a given torque."""
    for free in (True, False):
        model = deep.Model("fan")
        rotor = model.add(deep.Body(mass=1.0, inertia=(0.2, 0.2, 0.3)), name="rotor")
        hinge = model.add(deep.Revolute(model.ground.at(), rotor.at()), name="hinge")
        model.add(deep.Spring(hinge.angle, damping=0.3), name="air")
        torque = model.add(deep.Torque(rotor.at(), (0.0, 0.0, 0.6)), name="torque")
        motion = steady_motion(model, 5.0 if free else None, free=[torque] if free else [])
        assert motion.spin == pytest.approx(5.0 if free else 2.0, rel=EXACT)
        if free:
            assert motion.values[torque] == pytest.approx(1.5, rel=EXACT)


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


def test_rotor_with_a_motor():
    """A driver on a spinning hinge says its rate; the motor does no work on a rotor that nothing brakes."""
    model = _gyroscope()
    motor = model.add(deep.Driver(model["spinning"].angle, deep.Ramp(200.0, 0.3)), name="motor")
    motion = steady_motion(model, spinning=[model["spinning"]], given={model["tilting"].angle: 0.0})
    assert motion.rates[model["spinning"]] == pytest.approx(200.0, rel=EXACT)
    assert motion[model["spinning"].angle].value == pytest.approx(0.3, abs=EXACT)
    assert motion[motor].force == pytest.approx(0.0, abs=1e-9)
    assert motion.spin == pytest.approx(2.0 * G * 0.25 / (0.01 * 200.0), rel=EXACT)


def test_cart_on_two_wheels_that_roll():
    """Mass centre d before the axle: m W^2 d to be braked, m d W^2 R to be turned; wheels at W (R -+ b) / r.

    Both wheels keep the cart from sliding across: one equation is redundant.
    """
    speed, radius, d, b, r, mass = 3.0, 5.0, 0.2, 0.4, 0.3, 20.0
    model, wheels, push, yaw = _cart(d, b, r, mass)
    motion = steady_motion(model, body=model["chassis"], speed=speed, radius=radius, spinning=wheels, free=[push, yaw])
    W = speed / radius
    assert [motion.rates[hinge] for hinge in wheels] == pytest.approx([W * (radius - b) / r, W * (radius + b) / r])
    assert motion.values[push] == pytest.approx(-mass * W**2 * d, rel=1e-9)
    assert motion.values[yaw] == pytest.approx(mass * d * W**2 * radius, rel=1e-9)


def test_start_chooses_among_several():
    """Beside the cone a pendulum may hang down; a start leads to the one near it, and gives the spin to begin with."""
    model, bob = _conical(theta=1.0)
    hanging = initial_conditions(model, {deep.x(bob.at()): 0.0, deep.y(bob.at()): 0.0, bob: None})
    down = steady_motion(model, 5.0, start=hanging)
    assert down[bob].position[2] == pytest.approx(-1.0, abs=1e-9)
    assert steady_motion(model, 5.0)[bob].position[2] == pytest.approx(-G / 25.0, abs=EXACT)


def _lasts(model, motion, *measures):
    """Measures keep their values when the motion is simulated: drift below 1e-8 over two turns."""
    until = 4.0 * math.pi / abs(motion.spin)
    run = simulate(model, until, output=until / 50, start=motion, rtol=1e-12)
    for measure in measures:
        assert np.abs(run[measure].value - motion[measure].value).max() < 1e-8


def _conical(theta):
    model = deep.Model("conical pendulum", gravity=(0, 0, -G))
    place = (math.sin(theta), 0.0, -math.cos(theta))
    ball = {
        "mass": 2.0,
        "inertia": (0.01, 0.01, 0.01),
    }  # alike about all axes: turning about the vertical takes no torque
    bob = model.add(deep.Body(**ball, position=place), name="bob")
    model.add(deep.Spherical(model.ground.at(), bob.at(*(-c for c in place))), name="string")
    return model, bob


def _double(m1, m2, L1, L2, angles):
    """Two rods without mass, a point at the end of each, hinged in a plane that turns with a shaft."""
    model = deep.Model("rotating double pendulum", gravity=(0, 0, -G))
    shaft = model.add(deep.Body(mass=1.0, inertia=(0.1, 0.1, 0.1)), name="shaft")
    model.add(deep.Revolute(model.ground.at(), shaft.at()), name="bearing")
    axes, before, hinges = {"z": (0, 1, 0), "x": (1, 0, 0)}, shaft.at(z=(0, 1, 0), x=(1, 0, 0)), []
    point = np.zeros(3)
    for k, (m, L, angle) in enumerate(zip((m1, m2), (L1, L2), angles, strict=True)):
        turned = deep.rotation.from_axis_angle((0, 1, 0), -angle)
        matter = {"mass": m, "inertia": (0.0, 0.0, 0.0), "center": (0, 0, -L)}
        rod = model.add(deep.Body(**matter, position=tuple(point), orientation=turned), name=f"rod {k + 1}")
        hinges.append(model.add(deep.Revolute(before, rod.at(**axes)), name=f"hinge {k + 1}"))
        before, point = rod.at(0, 0, -L, **axes), point + L * np.array([math.sin(angle), 0.0, -math.cos(angle)])
    return model, hinges


def _gyroscope(tilt=0.0, swapped=False):
    model = deep.Model("gyroscope", gravity=(0, 0, -G))
    shaft = model.add(deep.Body(mass=0.0, inertia=(0, 0, 0)), name="shaft")
    along = np.array([math.cos(tilt), 0.0, -math.sin(tilt)])
    turned = deep.rotation.from_axis_angle((0, 1, 0), tilt)
    arm = model.add(deep.Body(mass=0.0, inertia=(0, 0, 0), orientation=turned), name="arm")
    disk = (2.0 * 0.1**2 / 2, 2.0 * 0.1**2 / 4, 2.0 * 0.1**2 / 4)
    rotor = model.add(deep.Body(mass=2.0, inertia=disk, position=tuple(0.25 * along), orientation=turned), name="rotor")
    model.add(deep.Revolute(model.ground.at(), shaft.at()), name="bearing")
    model.add(deep.Revolute(shaft.at(z=(0, 1, 0), x=(1, 0, 0)), arm.at(z=(0, 1, 0), x=(1, 0, 0))), name="tilting")
    ends = [arm.at(0.25, 0, 0, z=(1, 0, 0)), rotor.at(z=(1, 0, 0))]
    model.add(deep.Revolute(*(ends[::-1] if swapped else ends)), name="spinning")
    return model


def _arm(k, s0, m):
    model = flat.Model("arm")
    arm = model.add(flat.Body(mass=1.0, inertia=0.1), name="arm")
    model.add(flat.Revolute(model.ground.at(), arm.at()), name="hinge")
    mass = model.add(flat.Body(mass=m, inertia=0.01, position=(0.5, 0)), name="mass")
    slot = model.add(flat.Translational(arm.at(), mass.at()), name="slot")
    model.add(flat.Spring(slot.travel, k, free_length=s0), name="spring")
    return model, slot


A, B, M, CF, CR = 1.2, 1.4, 1500.0, 80e3, 100e3


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
        slips = flat.glide(road, marker, "x"), flat.glide(road, marker, "y")
        model.add(flat.Action(slips[1], law, of=slips), name=name)
    drive = model.add(flat.Load(car.at(-B, 0), (push, 0.0), "body"), name="drive")
    return model, steering, drive


def _turning(speed, radius):
    """Balance of the car along, across and about itself; unknown: steering, drive, slip angle of the centre."""

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
        model.add(deep.Action(across, _half_front if x > 0 else _half_rear, of=(along, across)), name=f"{name} tyre")
    steering = model.add(deep.Hold(turning[0].angle, angle), name="steering")
    model.add(deep.Coupler(turning[0].angle - turning[1].angle, 0.0), name="tie rod")
    drive = model.add(deep.Load(chassis.at(-B, 0, 0), (push, 0.0, 0.0), "body"), name="drive")
    return model, steering, drive, wheels


def _half_front(x, y, forward, aside):
    return -0.5 * CF * aside / forward


def _half_rear(x, y, forward, aside):
    return -0.5 * CR * aside / forward
