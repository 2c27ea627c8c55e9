"""Suspension quantities: signs of single wheels, and a double wishbone against planar closed forms."""

import math

import numpy as np
import pytest

from cardan import AxleMotion, ModelError, SuspensionWheel, axle_sweep, kinematics
from cardan.postprocess.suspension import WheelMotion
from cardan.spatial import Body, Bushing, Distance, Fixed, Model, Revolute, Spherical, Spring

A, B, C = 0.40, 0.28, 0.26  # lower arm, upper arm, upright
LOWER, UPPER = (0.30, 0.20), (0.40, 0.44)  # pivots: across, up
THETA = -0.05  # stated angle of the lower arm
RADIUS, OUT = 0.3, 0.12  # of the wheel, and its center outside of the middle of the upright
TORSION = 6000.0


def places(theta):
    """Both ball joints in the plane across the car; complex steps pass."""
    low = LOWER[0] + A * np.cos(theta), LOWER[1] + A * np.sin(theta)
    dy, dz = UPPER[0] - low[0], UPPER[1] - low[1]
    far = np.sqrt(dy**2 + dz**2)
    cosine = (far**2 + C**2 - B**2) / (2.0 * far * C)
    # rotate the direction to the upper pivot by -acos(cosine)
    sine = np.sqrt(1.0 - cosine**2)
    y, z = (dy * cosine + dz * sine) / far, (dz * cosine - dy * sine) / far
    return low, (low[0] + C * y, low[1] + C * z)


def center(theta):
    """The wheel center: OUT along the axle, perpendicular to the upright, from its middle."""
    low, top = places(theta)
    out = (top[1] - low[1]) / C, (low[0] - top[0]) / C
    return tuple(0.5 * (p + q) + OUT * o for p, q, o in zip(low, top, out, strict=True))


def pad(theta):
    """The point of the upright that touches the pad in the stated position."""
    (y0, z0), (y, z) = center(THETA), center(theta)
    cosine, sine = _turn(theta)
    dy, dz = _lowest(THETA)[0] - y0, _lowest(THETA)[1] - z0
    return y + cosine * dy - sine * dz, z + sine * dy + cosine * dz


def _turn(theta):
    """Cosine and sine of the rotation of the upright about x from its stated position."""
    (l0, t0), (l1, t1) = places(THETA), places(theta)
    a, b = ((t0[0] - l0[0]) / C, (t0[1] - l0[1]) / C), ((t1[0] - l1[0]) / C, (t1[1] - l1[1]) / C)
    return a[0] * b[0] + a[1] * b[1], a[0] * b[1] - a[1] * b[0]


def _lowest(theta):
    """The lowest point of the wheel: R down along the upright's direction, in the plane across the car."""
    low, top = places(theta)
    y, z = center(theta)
    return y - RADIUS * (top[0] - low[0]) / C, z - RADIUS * (top[1] - low[1]) / C


def axle(stiff=True):
    model, wheels = Model("axle"), []
    low, top = places(THETA)
    for side, name in ((1.0, "left"), (-1.0, "right")):
        at = lambda p, ahead=0.0, side=side: (ahead, side * p[0], p[1])  # noqa: E731
        lower, upper = (model.add(Body(), name=f"{name} {part} arm") for part in ("lower", "upper"))
        middle = tuple(0.5 * (p + q) for p, q in zip(low, top, strict=True))
        upright = model.add(Body(position=at(middle)), name=f"{name} upright")
        if stiff:
            hinge = model.add(Revolute.between(model.ground, lower, at=at(LOWER), z=(side, 0, 0)), name=f"{name} low")
            model.add(Spring(hinge.angle, TORSION, rest_angle=0.0), name=f"{name} bar")
            model.add(Revolute.between(model.ground, upper, at=at(UPPER), z=(1, 0, 0)), name=f"{name} up")
        else:
            for ahead in (-0.15, 0.15):
                for arm, pivot in ((lower, LOWER), (upper, UPPER)):
                    place = at(pivot, ahead)
                    model.add(Bushing(model.ground.at(*place), arm.at(*place), (1e6, 1e6, 1e6, 50.0, 50.0, 50.0)))
        model.add(Spherical.between(lower, upright, at=at(low)), name=f"{name} lower ball")
        model.add(Spherical.between(upper, upright, at=at(top)), name=f"{name} upper ball")
        end = upright.world(*at(low, 0.12))
        model.add(Distance(model.ground.at(*at(LOWER, 0.12)), end, A), name=f"{name} tie rod")
        y, z = center(THETA)
        axis = ((top[1] - low[1]) / C * side, (low[0] - top[0]) / C)
        hub = upright.world(*at((y, z)), z=(0.0, *axis))
        wheels.append(SuspensionWheel(hub, RADIUS, upright.world(*at(low)), upright.world(*at(top))))
    return model, wheels


def slope(function, theta):
    """By a complex step: exact to rounding."""
    return np.imag(function(theta + 1e-30j)) / 1e-30


@pytest.fixture(scope="module")
def swept():
    model, wheels = axle()
    return axle_sweep(model, *wheels, kind="parallel", size=0.05, points=41, progress=False)


def test_double_wishbone_against_its_four_bar(swept):
    """Camber, kingpin inclination, scrub radius, track and travel of the four-bar across the car."""
    theta = THETA + swept.run["left low.angle"] - swept.run["left low.angle"][20]
    low, top = places(theta)
    assert np.allclose(pad(theta)[1] - pad(THETA)[1], np.linspace(-0.05, 0.05, 41), atol=1e-9)
    lean = np.arctan2(top[0] - low[0], top[1] - low[1])
    for wheel in (swept.left, swept.right):
        assert np.allclose(wheel.camber, lean, atol=1e-9)
        assert np.allclose(wheel.kingpin_inclination, -lean, atol=1e-9)
        assert np.allclose(wheel.caster, 0.0, atol=1e-9) and np.allclose(wheel.toe, 0.0, atol=1e-9)
        assert np.allclose(wheel.trail, 0.0, atol=1e-9)
        assert np.allclose(wheel.travel, center(theta)[1] - center(theta[20])[1], atol=1e-9)
        y, z = _lowest(theta)
        ground = low[0] + (z - low[1]) * (top[0] - low[0]) / (top[1] - low[1])  # of the kingpin axis
        assert np.allclose(wheel.scrub_radius, y - ground, atol=1e-9)
    assert np.allclose(swept.track, 2.0 * _lowest(theta)[0], atol=1e-9)


def test_roll_center_is_on_the_line_to_the_instant_center(swept):
    """The instant center of the upright is where the lines of both arms meet."""
    theta = THETA + swept.run["left low.angle"] - swept.run["left low.angle"][20]
    low, top = places(theta)
    ends = np.array([[low[0] - LOWER[0], UPPER[0] - top[0]], [low[1] - LOWER[1], UPPER[1] - top[1]]])
    share = np.linalg.solve(ends.transpose(2, 0, 1), np.subtract(UPPER, LOWER)[:, None])
    pole = np.array(LOWER) + share[:, 0] * np.array([low[0] - LOWER[0], low[1] - LOWER[1]]).T
    y, z = _lowest(theta)
    height = -y * (pole[:, 1] - z) / (pole[:, 0] - y)
    assert np.allclose(swept.roll_center_height, height, atol=1e-8)
    assert np.allclose(swept.roll_center[:, 0], 0.0, atol=1e-8)


def test_wheel_rate_by_virtual_work(swept):
    """F dz = k (theta - theta0) d theta at the pad; the rate at the middle is its derivative, by complex steps."""
    k = 20
    stated = swept.run["left low.angle"]
    theta = THETA + stated - stated[k]
    moment = TORSION * stated
    assert np.allclose(swept.left.force, moment / slope(lambda x: pad(x)[1], theta), rtol=1e-8, atol=1e-6)
    h = 1e-5  # central differences of a smooth function: errors of h^2
    force = lambda x: TORSION * (x - THETA + stated[k]) / slope(lambda u: pad(u)[1], x)  # noqa: E731
    rate = (force(THETA + h) - force(THETA - h)) / (2.0 * h) / slope(lambda u: pad(u)[1], THETA)
    assert swept.left.wheel_rate[k] == pytest.approx(rate, rel=1e-5)  # of the spline: third power of the spacing
    assert swept.right.wheel_rate[k] == pytest.approx(rate, rel=1e-5)


def test_opposite_travel_mirrors(swept):
    model, wheels = axle()
    roll = axle_sweep(model, *wheels, kind="opposite", size=0.05, points=41, progress=False)
    assert np.allclose(roll.left.camber, swept.left.camber, atol=1e-9)
    assert np.allclose(roll.right.camber, swept.right.camber[::-1], atol=1e-9)
    assert np.allclose(roll.left.force, swept.left.force, atol=1e-5)


def test_side_force_on_bushings():
    """Both bushings of each arm share the side force: by symmetry both wheels move alike, against the force."""
    model, wheels = axle(stiff=False)
    pushed = axle_sweep(model, *wheels, kind="side force", size=1000.0, points=5, progress=False)
    y = pushed.left.contact[:, 1] - pushed.left.contact[2, 1]
    assert np.all(np.diff(y) > 0.0)
    assert np.allclose(y, pushed.right.contact[:, 1] - pushed.right.contact[2, 1], rtol=0.05, atol=1e-6)


def rigid(toe=0.0, camber=0.0, caster=0.0, inclination=0.0, side=1.0):
    """A wheel carrier fixed to ground with given angles; its axle and kingpin axis by hand."""
    model = Model("rigid")
    carrier = model.add(Body(position=(0, side * 0.7, 0.3)), name="carrier")
    model.add(Fixed(model.ground.at(0, side * 0.7, 0.3), carrier.at()), name="weld")
    flat = math.cos(camber)
    axis = flat * math.sin(toe), side * flat * math.cos(toe), -math.sin(camber)
    up = (-math.tan(caster), -side * math.tan(inclination), 1.0)
    upper = tuple(0.1 * u for u in up)
    lower = tuple(-0.1 * u for u in up)
    wheel = SuspensionWheel(carrier.at(z=axis), 0.3, carrier.at(*lower), carrier.at(*upper))
    return WheelMotion(kinematics(model, [0.0]), wheel)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_signs(side):
    wheel = rigid(0.02, -0.03, 0.08, 0.15, side)
    found = [x[0] for x in (wheel.toe, wheel.camber, wheel.caster, wheel.kingpin_inclination)]
    assert found == pytest.approx([0.02, -0.03, 0.08, 0.15], abs=1e-12)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_scrub_and_trail(side):
    """A kingpin axis through the center of an upright wheel, of radius 0.3, meets the ground at 0.3 tan."""
    wheel = rigid(caster=0.08, inclination=0.15, side=side)
    assert wheel.scrub_radius[0] == pytest.approx(-0.3 * math.tan(0.15), abs=1e-12)
    assert wheel.trail[0] == pytest.approx(0.3 * math.tan(0.08), abs=1e-12)


def test_anti_dive_of_trailing_arms():
    """Arms pivoted d behind and h above the contact points, about axes across the car: v_x / v_z = h / d there."""
    model, wheels, d, h = Model("arms"), [], 0.5, 0.15
    for side, name in ((1, "left"), (-1, "right")):
        arm = model.add(Body(position=(0, side * 0.7, 0.3)), name=name)
        pivot = Revolute.between(model.ground, arm, at=(-d, side * 0.7, h), z=(0, 1, 0))
        model.add(Spring(model.add(pivot, name=f"{name} pivot").angle, 5000.0, rest_angle=0.0))
        wheels.append(SuspensionWheel(arm.at(z=(0, 1, 0)), 0.3, arm.at(0, 0, -0.1), arm.at(0, 0, 0.1)))
    axle = axle_sweep(model, *wheels, size=0.02, points=5, progress=False)
    assert axle.anti_dive(0.6, 2.7, 0.55)[2] == pytest.approx(0.6 * h / d * 2.7 / 0.55, rel=1e-9)


def test_wrong_wheels():
    model, wheels = axle()
    with pytest.raises(ModelError, match="left wheel, at y > 0, first"):
        axle_sweep(model, *wheels[::-1], size=0.01, progress=False)
    with pytest.raises(ModelError, match="markers of one body"):
        SuspensionWheel(wheels[0].center, 0.3, wheels[1].lower, wheels[0].upper)
    with pytest.raises(ModelError, match="kind of axle_sweep"):
        axle_sweep(model, *wheels, size=0.01, kind="bounce")
    other, _ = axle()
    with pytest.raises(ModelError, match="not part of model"):
        axle_sweep(other, *wheels, size=0.01)


def test_table_and_figure(swept):
    table = swept.table()
    assert np.array_equal(table["left.camber"], swept.left.camber) and "track" in table
    assert len(swept.plot().axes) == 6
    assert isinstance(swept, AxleMotion)
