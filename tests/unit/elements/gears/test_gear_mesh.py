"""Elastic meshes: line of action, energy, frequency, backlash."""

import math

import numpy as np
import pytest

import cardan.planar as plane
import cardan.spatial as space
from cardan import equilibrium, inverse_dynamics, linearize, quasi_static, simulate
from cardan.errors import ModelError
from cardan.planar import Body, Driver, GearMesh, Model, Ramp, Revolute, Torque

ALPHA, BETA = math.radians(20.0), math.radians(15.0)
K = 2e8
M = 0.003


def pair(words=plane, teeth=(20, 40), fixed=False, **options):
    """Two wheels in bearings at their distance, 0.3 rad from the x axis; the first may be the ground."""
    model = words.Model("mesh")
    inner = -1.0 if options.get("internal") else 1.0
    d = 0.5 * M * (teeth[0] + inner * teeth[1])
    at = (d * math.cos(0.3), d * math.sin(0.3)) + ((0.0,) if words is space else ())
    inertias = [0.002, 0.01] if words is plane else [(0.002,) * 3, (0.01,) * 3]
    one = model.ground if fixed else model.add(words.Body(1.0, inertias[0]), name="one")
    two = model.add(words.Body(2.0, inertias[1], position=at), name="two")
    if not fixed:
        model.add(words.Revolute(model.ground.at(), one.at()), name="A")
    model.add(words.Revolute(model.ground.at(*at), two.at()), name="B")
    mesh = words.GearMesh(one.at(), two.at(), *teeth, M, stiffness=K, **options)
    return model, model.add(mesh, name="mesh")


@pytest.mark.parametrize("internal", [False, True])
@pytest.mark.parametrize("torque", [80.0, -80.0])
def test_forces_are_those_of_ideal_teeth(internal, torque):
    """The same reactions as those of a Gear with tooth forces, on either flank."""
    teeth = (60, 25) if internal else (20, 40)
    model, mesh = pair(space, teeth, fixed=True, internal=internal, helix_angle=BETA)
    model.add(space.Torque(model["two"].at(), (0.0, 0.0, torque)), name="load")
    rest = equilibrium(model)
    ideal = space.Model("ideal")
    two = ideal.add(space.Body(2.0, (0.01,) * 3, position=model["two"].position), name="two")
    ideal.add(space.Revolute(ideal.ground.at(*two.position), two.at()), name="B")
    sizes = mesh.radius_a, mesh.radius_b, internal
    ideal.add(space.Gear(ideal.ground.at(), two.at(), *sizes, pressure_angle=ALPHA, helix_angle=BETA), name="mesh")
    ideal.add(space.Torque(two.at(), (0.0, 0.0, torque)), name="load")
    expected = equilibrium(ideal)
    for part in ("force", "torque"):
        found, wanted = (getattr(e[e.model["B"]], part) for e in (rest, expected))
        assert np.asarray(found) == pytest.approx(np.asarray(wanted), rel=1e-8, abs=1e-5)
    normal = torque / (mesh.radius_b * math.cos(ALPHA) * math.cos(BETA))
    assert abs(float(rest[mesh.normal].value)) == pytest.approx(abs(normal), rel=1e-9)


@pytest.mark.parametrize("internal", [False, True])
@pytest.mark.parametrize("words", [plane, space])
def test_work_on_a_closed_path_vanishes(words, internal):
    """Wheel b moves around in all its coordinates, always in contact: k u^2 / 2 depends on the position alone."""
    teeth = (60, 25) if internal else (20, 40)
    inner = -1.0 if internal else 1.0
    d = 0.5 * M * (teeth[0] + inner * teeth[1])
    model, zero = words.Model("path"), (0.0,) if words is space else ()
    two = model.add(words.Body(position=(d, 0.0, *zero)), name="two")
    waves = {"stiffness_variation": 0.3, "transmission_error": 2e-5, "internal": internal}
    helix = {"helix_angle": BETA} if words is space else {}
    mesh = words.GearMesh(model.ground.at(), two.at(), *teeth, M, stiffness=K, **waves, **helix)
    model.add(mesh, name="mesh")
    w = 2.0 * math.pi
    turn = words.angle(model.ground.at(), two.at())
    # tilt is not part of the path: involutes of parallel shafts
    if words is space:
        model.add(words.Parallel(model.ground.at(), two.at()), name="parallel")
        model.add(words.Driver(words.z(two.at()), words.Harmonic(1e-3, w, phase=0.7)), name="z")
    start = 2e-3 * -inner
    drivers = {
        "x": words.Driver(words.x(two.at()), words.Harmonic(1e-4, w, offset=d)),
        "y": words.Driver(words.y(two.at()), words.Harmonic(2e-4, 2.0 * w, phase=1.1)),
        "turn": words.Driver(turn, words.Harmonic(3e-3, w, phase=0.4, offset=10.0 * start)),
    }
    for name, driver in drivers.items():
        model.add(driver, name=name)
    run = inverse_dynamics(model, np.linspace(0.0, 1.0, 201))
    assert np.abs(run[mesh.normal].value).min() > 1e3
    power = sum(run[f"{name}.power"] for name in (*drivers, *(["z"] if words is space else [])))
    # the trapezoidal rule converges exponentially for smooth periodic functions
    assert abs(power[:-1].mean()) < 1e-9 * np.abs(power).max()


def test_frequency():
    """w^2 = k (r_a^2 / I_a + r_b^2 / I_b) with the base radii."""
    model, mesh = pair()
    base = [r * math.cos(ALPHA) for r in (mesh.radius_a, mesh.radius_b)]
    expected = math.sqrt(K * (base[0] ** 2 / 0.002 + base[1] ** 2 / 0.01))
    assert np.abs(np.linalg.eigvals(linearize(model).A)).max() == pytest.approx(expected, rel=1e-6)


def test_rattle_in_the_backlash():
    """Free flight across the backlash and half a period of the contact, on either flank in turn."""
    model, mesh = pair(fixed=True, backlash=2e-4)
    model["two"].__dict__["angular_velocity"] = 1.0
    frequency = mesh.radius_b * math.cos(ALPHA) * math.sqrt(K / 0.01)
    period = 2.0 * (2e-4 / mesh.radius_b) / 1.0 + 2.0 * math.pi / frequency
    run = simulate(model, 3.0 * period, output=np.linspace(0.0, 3.0 * period, 7), rtol=1e-10, atol=1e-12)
    assert run["two"].angular_velocity[::2] == pytest.approx(1.0, rel=1e-7)
    assert run["two"].angular_velocity[1::2] == pytest.approx(-1.0, rel=1e-7)
    assert run["two"].angle[2::2] == pytest.approx(0.0, abs=1e-9)


def test_backlash_grows_with_the_distance():
    """Moved apart by e, each flank recedes by sin(alpha) e along its normal, to first order."""
    found = []
    for e in (0.0, 1e-5):
        model = plane.Model("apart")
        two = model.add(plane.Body(position=(0.09 + e, 0.0)), name="two")
        hinge = model.add(plane.Revolute(model.ground.at(0.09 + e, 0.0), two.at()), name="B")
        mesh = model.add(plane.GearMesh(model.ground.at(), two.at(), 20, 40, M, stiffness=K), name="mesh")
        model.add(plane.Driver(hinge.angle, plane.Constant(1e-3)), name="hold")
        found.append(abs(float(inverse_dynamics(model, [0.0])[mesh.normal].value[0])))
    assert found[0] == pytest.approx(K * mesh.radius_b * math.cos(ALPHA) * 1e-3, rel=1e-9)
    assert (found[0] - found[1]) / K == pytest.approx(math.sin(ALPHA) * 1e-5, rel=1e-3)


def test_teeth_repeat_after_a_pitch():
    """Stated with the wheel turned by whole turns or on another bearing: the same motion."""
    runs = []
    for turns in (0.0, 2.0 * math.pi):
        model, mesh = pair(backlash=1e-4)
        model["two"].__dict__.update(angle=turns, angular_velocity=0.5)
        runs.append(simulate(model, 2e-3, output=1e-4, rtol=1e-11, atol=1e-13)["two"].angular_velocity)
    assert runs[0] == pytest.approx(runs[1], rel=1e-6, abs=1e-9)


def test_wrong_data_is_rejected():
    model = plane.Model("wrong")
    two = model.add(plane.Body(position=(0.5, 0.0)), name="two")
    ends = model.ground.at(), two.at()
    with pytest.raises(ModelError, match="stated at a distance of 0.5 m, but its gears mesh at 0.09 m"):
        model.add(plane.GearMesh(*ends, 20, 40, M, stiffness=K), name="mesh")
    for options, words in (
        ({"stiffness": 0.0}, "the stiffness of a GearMesh"),
        ({"backlash": -1.0}, "the backlash of a GearMesh must not be negative"),
        ({"internal": True}, "a ring a with more teeth than b, got 20 and 40"),
        ({"helix_angle": 0.1}, "a planar GearMesh has no axial force"),
        ({"stiffness_variation": 1.0}, "must be at least 0 and below 1, got 1"),
        ({"pressure_angle": 20.0}, "pressure_angle of a GearMesh must be between 0 and 80 degrees"),
    ):
        with pytest.raises(ModelError, match=words):
            plane.GearMesh(*ends, 20, 40, M, **({"stiffness": K} | options))


def test_standard_contact_ratio():
    """Two gears of 20 and 40 teeth at 20 degrees: by the path of contact in terms of radii, in units of the module.

    Also where it is simple: a gear of very many teeth on another has 2 / (pi sin(alpha) cos(alpha)).
    """
    model = Model("gears")
    far = model.add(Body(mass=1.0, inertia=1.0, position=(0.09, 0.0)), name="far")
    mesh = GearMesh(model.ground.at(), far.at(), 20, 40, 0.003, stiffness=1e8)
    c = math.cos(math.radians(20.0))
    path = math.sqrt(11**2 - (10 * c) ** 2) + math.sqrt(21**2 - (20 * c) ** 2) - 30 * math.sin(math.radians(20.0))
    assert mesh.standard_contact_ratio == pytest.approx(path / (math.pi * c), rel=1e-12)
    many = GearMesh(model.ground.at(), far.at(), 1000000, 1000000, 0.003, stiffness=1e8)
    limit = 2.0 / (math.pi * math.sin(math.radians(20.0)) * c)
    assert many.standard_contact_ratio == pytest.approx(limit, rel=1e-5)  # 1 / teeth times 10


def test_stiffness_follows_the_contact_ratio():
    """The mean is the stated stiffness; the rectangle of one and two pairs is met within the Lanczos smoothing.

    A locked pinion and a wheel under a torque: u = N / k(psi) as the pinion is turned.
    """
    ratio = 1.6
    model = Model("gears")
    pinion = model.add(Body(mass=1.0, inertia=1e-3), name="pinion")
    wheel = model.add(Body(mass=1.0, inertia=0.01, position=(0.09, 0.0)), name="wheel")
    drive = model.add(Revolute(model.ground.at(), pinion.at()), name="drive")
    model.add(Revolute(model.ground.at(0.09, 0.0), wheel.at()), name="bearing")
    mesh = model.add(GearMesh(pinion.at(), wheel.at(), 20, 40, 0.003, stiffness=1e8, contact_ratio=ratio), name="mesh")
    psi = np.linspace(0.0, 2.0 * math.pi, 64, endpoint=False)
    model.add(Driver(drive.angle, Ramp(-1.0 / 20)), name="motor")  # psi = time: the bearing turns in the pinion
    model.add(Torque(wheel.at(), -10.0), name="load")
    run = quasi_static(model, psi)
    k = run[mesh.normal].value / run[mesh.deflection].value / 1e8
    assert np.mean(k) == pytest.approx(1.0, rel=1e-9)
    pairs = np.where(np.minimum(psi, 2.0 * math.pi - psi) < math.pi * (ratio - 1.0), 2.0, 1.0) / ratio
    away = np.abs(np.minimum(psi, 2.0 * math.pi - psi) - math.pi * (ratio - 1.0)) > 0.6
    assert np.abs(k - pairs)[away].max() < 0.04
    assert GearMesh(pinion.at(), wheel.at(), 20, 40, 0.003, stiffness=1e8, contact_ratio=2.0).harmonics() == (
        pytest.approx((0.0,) * 4, abs=1e-15)
    )
    twice = {"contact_ratio": 1.5, "stiffness_variation": 0.1}
    for given, words in (({"contact_ratio": 0.9}, "at least 1"), (twice, "not both")):
        with pytest.raises(ModelError, match=words):
            GearMesh(pinion.at(), wheel.at(), 20, 40, 0.003, stiffness=1e8, **given)
