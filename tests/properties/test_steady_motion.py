"""Steady motions: closed forms of spinning and turning mechanisms, and that each of them lasts when it is simulated."""

from __future__ import annotations

import math

import numpy as np
import pytest

from cardan import initial_conditions, planar as flat, simulate, spatial as deep, steady_motion
from cardan.analysis.steady.twist import Twist, parts_of
from cardan.examples.free_motion import heavy_top, rolling_coin
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


@pytest.mark.parametrize("stated", ["height", "spin", "radius", "speed", "backwards"])
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
        "backwards": {"body": bob.at(), "speed": -spin * reach},
    }
    motion = steady_motion(model, **asked[stated])
    assert motion.spin == pytest.approx(-spin if stated == "backwards" else spin, rel=EXACT)
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


def test_rotor_with_a_motor():
    """A driver on a spinning hinge says its rate; the motor does no work on a rotor that nothing brakes."""
    model = _gyroscope()
    motor = model.add(deep.Driver(model["spinning"].angle, deep.Ramp(200.0, 0.3)), name="motor")
    motion = steady_motion(model, spinning=[model["spinning"]], given={model["tilting"].angle: 0.0})
    assert motion.rates[model["spinning"]] == pytest.approx(200.0, rel=EXACT)
    assert motion[model["spinning"].angle].value == pytest.approx(0.3, abs=EXACT)
    assert motion[motor].force == pytest.approx(0.0, abs=1e-9)
    assert motion.spin == pytest.approx(2.0 * G * 0.25 / (0.01 * 200.0), rel=EXACT)


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
    model.add(flat.Spring(slot.travel, k, rest_length=s0), name="spring")
    return model, slot
