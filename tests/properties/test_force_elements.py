"""What every force element keeps: momentum, where it acts between bodies; the balance of energy; the motion, whatever
method computes it, wherever it takes place, and whether in the plane or in space."""

import math

import numpy as np
import pytest

import cardan.planar as plane
import cardan.spatial as space
from cardan import inverse_dynamics, simulate

SPACES = {"plane": plane, "space": space}
SECTION = {"E": 2e5, "A": 1e-2, "damping": 1e-3}


def full(size):
    root = np.random.default_rng(size).uniform(-1.0, 1.0, (size, size))
    return root @ root.T + np.eye(size)


def bushing(words, a, b, c):
    size = 3 if words is plane else 6
    return words.Bushing(a, b, 30.0 * full(size), 0.3 * full(size), preload=np.linspace(-1.0, 2.0, size))


def unsymmetric(words, a, b, c):
    size = 3 if words is plane else 6
    K = 30.0 * full(size)
    K[0, 1] += 8.0
    return words.Bushing(a, b, K, symmetric=False)


def beam(words, a, b, c):
    section = {"I": 1e-4} if words is plane else {"G": 8e4, "Iy": 1e-4, "Iz": 2e-4, "J": 1e-4}
    return words.Beam(a, b, 1.1, **SECTION, **section)


def cable(words, a, b, c):
    return words.Cable([a, c, b], stiffness=80.0, rest_length=2.0, damping=1.0)


def belt(words, a, b, c):
    return words.Belt(a, b, radius_a=0.2, radius_b=0.3, distance=1.1, stiffness=60.0, pretension=10.0, friction=0.1)


def capstan(words, a, b, c):
    return words.Capstan(a, b, drum=c, stiffness=80.0, rest_length_a=0.7, damping=1.0, friction=0.2, wrap=math.pi)


def rope(words, a, b, c):
    return words.Rope([a, words.Pulley(c, 0.1, clockwise=True), b], stiffness=80.0, rest_length=1.4, damping=1.0)


def gear_mesh(words, a, b, c):
    teeth = {"stiffness_variation": 0.3, "transmission_error": 0.01, "pressure_angle": 0.6}
    helix = {} if words is plane else {"helix_angle": 0.2}
    return words.GearMesh(a, b, 20, 24, 0.05, stiffness=80.0, damping=1.0, backlash=0.01, **teeth, **helix)


def bearing(words, a, b, c):
    axial = {} if words is plane else {"axial_stiffness": 40.0, "axial_clearance": 0.01, "tilt_stiffness": 3.0}
    return words.ShaftBearing(a, b, stiffness=60.0, clearance=0.9, exponent=1.5, damping=0.5, **axial)


INTERNAL = {f.__name__: f for f in (bushing, unsymmetric, beam, cable, rope, belt, capstan, gear_mesh, bearing)}


def drag(words, a, b, c):
    return words.Drag(a, area=2.0, wind=(1.0, 2.0) if words is plane else (1.0, 2.0, 3.0))


def wing(words, a, b, c):
    polar = words.Spline((-4.0, -0.5, 0.5, 4.0), (-1.0, -2.0, 2.0, 1.0))
    return words.Wing(a, area=10.0, lift=polar, drag=lambda alpha: 0.1 + alpha * alpha / 10.0)


def buoyancy(words, a, b, c):
    return words.Buoyancy(a, radius=0.2, density=100.0, damping=2.0, level=0.1)


EXTERNAL = {f.__name__: f for f in (drag, wing, buoyancy)}


def floating(words, element, turn=0.0, at=(0.0, 0.0)):
    """Three bodies in free flight, one force among them; all of it turned and displaced if asked for."""
    model = words.Model("floating")
    flat = words is plane
    c, s = math.cos(turn), math.sin(turn)

    def turned(x, y, *z):
        return (c * x - s * y, s * x + c * y, *z)

    markers = []
    for k, (x, y) in enumerate([(0.0, 0.0), (1.1, 0.1), (0.4, 0.6)]):
        px, py = turned(x, y)
        px, py = px + at[0], py + at[1]
        v, w = turned(0.3 - 0.2 * k, 0.4 * k - 0.5), 0.4 - 0.3 * k
        if flat:
            body = words.Body(1.0 + k, 0.2, position=(px, py), angle=turn, velocity=v, angular_velocity=w)
        else:
            spin = turned(0.2, 0.1 * k, w)
            orientation = space.rotation.from_axis_angle((0.0, 0.0, 1.0), turn)
            stated = {"position": (px, py, 0.0), "velocity": (*v, 0.1 * k), "angular_velocity": spin}
            body = words.Body(1.0 + k, (0.2, 0.2, 0.2), orientation=orientation, **stated)
        body = model.add(body, name=f"body {k}")
        markers.append(body.at(0.02, 0.03) if flat else body.at(0.02, 0.03, -0.01))
    return model, model.add(element(words, *markers), name="force")


def momenta(run):
    """Linear momentum, and angular momentum about the origin."""
    linear, angular = 0.0, 0.0
    for body in run.model.bodies:
        m, J = body.mass, body.inertia if np.ndim(body.inertia) == 0 else body.inertia[0]
        r, v, w = run[body].position, run[body].velocity, run[body].angular_velocity
        linear = linear + m * v
        spin = np.cross(r, v) if r.shape[1] == 3 else r[:, 0] * v[:, 1] - r[:, 1] * v[:, 0]
        angular = angular + m * spin + J * w
    return np.column_stack([linear, angular])


@pytest.mark.parametrize("words", SPACES.values(), ids=SPACES)
@pytest.mark.parametrize("element", INTERNAL.values(), ids=INTERNAL)
def test_forces_between_bodies_keep_momentum(words, element):
    model, force = floating(words, element)
    run = simulate(model, 1.0, output=0.1, rtol=1e-9)
    kept = momenta(run)
    assert np.abs(kept - kept[0]).max() < 1e-6  # 1000 times rtol, of momenta of about 1
    assert np.ptp(run[force].force, axis=0).max() > 0.1
    assert run.energy.drift < 1e-6


@pytest.mark.parametrize("words", SPACES.values(), ids=SPACES)
@pytest.mark.parametrize("element", EXTERNAL.values(), ids=EXTERNAL)
def test_work_of_outer_forces_is_accounted_for(words, element):
    model, force = floating(words, element)
    run = simulate(model, 1.0, output=0.1, rtol=1e-9)
    assert run.energy.drift < 1e-6 and np.abs(run.energy.work_of(force)).max() > 1e-3


@pytest.mark.parametrize("words", SPACES.values(), ids=SPACES)
@pytest.mark.parametrize("element", INTERNAL.values(), ids=INTERNAL)
def test_the_same_wherever_it_stands(words, element):
    runs = [simulate(floating(words, element, *where)[0], 0.7, output=0.1, rtol=1e-9) for where in ((), (2.1, (3, -2)))]
    forces = [run["force"].force for run in runs]
    assert forces[1] == pytest.approx(forces[0], abs=1e-5 * np.abs(forces[0]).max())


@pytest.mark.parametrize("words", SPACES.values(), ids=SPACES)
@pytest.mark.parametrize("element", [*INTERNAL.values(), *EXTERNAL.values()], ids=[*INTERNAL, *EXTERNAL])
def test_stiff_method_agrees(words, element):
    """Newton's matrix may know a force in part; the motion is the same."""
    runs = [simulate(floating(words, element)[0], 0.5, output=0.1, rtol=1e-8, method=m) for m in ("dop853", "radau")]
    assert runs[1].q == pytest.approx(runs[0].q, abs=1e-5)


@pytest.mark.parametrize("words", SPACES.values(), ids=SPACES)
@pytest.mark.parametrize("element", [*INTERNAL.values(), *EXTERNAL.values()], ids=[*INTERNAL, *EXTERNAL])
def test_power_is_minus_force_times_rate(words, element):
    """run[force].power against the rate of the energy of all bodies, along a motion that the force alone changes."""
    model, force = floating(words, element)
    run = simulate(model, 0.2, output=1e-3, rtol=1e-10)
    rate = np.gradient(run.energy.kinetic, run.times, edge_order=2)[1:-1]
    power = np.asarray(run[force].power)[1:-1]
    smooth = np.abs(np.diff(np.asarray(run[force].power), 2)).max()  # what a central difference may miss
    assert rate == pytest.approx(power, abs=2.0 * smooth + 1e-6)


@pytest.mark.parametrize("element", [*INTERNAL.values(), *EXTERNAL.values()], ids=[*INTERNAL, *EXTERNAL])
def test_lifted_to_space_it_moves_identically(element):
    model, force = floating(plane, element)
    flat = simulate(model, 0.5, output=0.1, rtol=1e-9)
    lifted = simulate(space.lift(model, z=(0.0, -1.0, 0.0)), 0.5, output=0.1, rtol=1e-9)
    assert lifted["force"].force == pytest.approx(flat[force].force, abs=1e-5 * np.abs(flat[force].force).max())


def test_forces_stand_in_inverse_dynamics():
    """A driven mechanism holds against a bushing, a drag and a cable: the motor does what they do not."""
    model = plane.Model("arm")
    arm = model.add(plane.Body(2.0, 0.1, position=(0.5, 0.0)), name="arm")
    pin = model.add(plane.Revolute(model.ground.at(), arm.at(-0.5, 0.0)), name="pin")
    motor = model.add(plane.Driver(pin.angle, plane.Harmonic(0.4, 3.0)), name="motor")
    tip = arm.at(0.5, 0.0)
    forces = [
        plane.Bushing(model.ground.at(1.0, 0.0), tip, (100.0, 200.0, 3.0)),
        plane.Drag(tip, area=2.0),
        plane.Cable([model.ground.at(1.0, -0.3), tip], stiffness=500.0, rest_length=0.4),
    ]
    for k, force in enumerate(forces):
        model.add(force, name=f"force {k}")
    times = np.linspace(0.0, 2.0, 201)
    run = inverse_dynamics(model, times)
    phi, phid, phidd = plane.Harmonic(0.4, 3.0).derivatives(times)
    x, y = np.cos(phi) - 1.0, np.sin(phi)
    torque = -x * 100.0 * np.sin(phi) + 200.0 * y * np.cos(phi) + 3.0 * phi + 0.5 * 1.225 * 2.0 * phid * np.abs(phid)
    span = np.hypot(x, y + 0.3)
    pull = np.where(span > 0.4, 500.0 * (span - 0.4), 0.0) / span
    torque += pull * (-x * np.sin(phi) + (y + 0.3) * np.cos(phi))
    assert run[motor].force == pytest.approx((0.1 + 2.0 * 0.25) * phidd + torque, abs=1e-8)
