"""What forward dynamics keeps or gives back: momentum, the way back, the motion behind a torque, the tolerance.

Errors of a run are some rtol times its length in characteristic times; tolerances here are 1e3 to 1e4 times rtol.
"""

import math

import numpy as np
import pytest

import cardan.planar as plane
import cardan.spatial as space
from cardan import inverse_dynamics, kinematics, simulate
from closed_forms import pendulum

METHODS = ("dop853",)
TIGHT = {"dop853": 1e-11}
LEVELS = {"dop853": (1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11)}


@pytest.fixture(params=METHODS)
def method(request):
    return request.param


def slider_crank(gravity=(0.0, -9.81), drive=None, load=None):
    """Crank 0.2 m, rod 0.5 m, a spring on the slider."""
    model = plane.Model("slider-crank", gravity=gravity)
    crank = model.add(plane.Body(mass=2.0, inertia=0.05, position=(0, 0.1), angle=0.5 * math.pi), name="crank")
    reach = math.sqrt(0.21)
    rod = model.add(plane.Body(mass=1.0, inertia=0.02, position=(0.5 * reach, 0.1), angle=-math.asin(0.4)), name="rod")
    slider = model.add(plane.Body(mass=1.5, inertia=0.01, position=(reach, 0)), name="slider")
    hinge = model.add(plane.Revolute(model.ground.at(), crank.at(-0.1, 0)), name="hinge")
    model.add(plane.Revolute(crank.at(0.1, 0), rod.at(-0.25, 0)), name="B")
    model.add(plane.Revolute(rod.at(0.25, 0), slider.at()), name="C")
    guide = model.add(plane.Translational(model.ground.at(), slider.at()), name="guide")
    model.add(plane.Spring(guide.travel, 50.0, 2.0 if load else 0.0, rest_length=0.4), name="spring")
    if drive is not None:
        model.add(plane.Driver(hinge.angle, drive), name="motor")
    if load is not None:
        model.add(plane.Torque(crank.at(), load), name="torque")
    return model


def arm(drives=None, torques=None):
    """Two links in space: an elbow on a shoulder, both inclined, one axis square to the other."""
    model = space.Model("arm", gravity=(0.5, 0, -9.81))
    inertia = {"mass": 2.0, "inertia": (0.02, 0.08, 0.09), "center": (0.2, 0.01, -0.02)}
    upper = model.add(space.Body(**inertia), name="upper")
    lower = model.add(space.Body(**inertia, position=(0.5, 0, 0)), name="lower")
    shoulder = model.add(space.Revolute(model.ground.at(z=(0.2, 0, 1)), upper.at(z=(0.2, 0, 1))), name="shoulder")
    elbow = model.add(space.Revolute(upper.at(0.5, 0, 0, z=(0, 1, 0.1)), lower.at(z=(0, 1, 0.1))), name="elbow")
    for k, joint in enumerate((shoulder, elbow)):
        if drives is not None:
            model.add(space.Driver(joint.angle, drives[k]), name=f"motor {k}")
        if torques is not None:
            model.add(space.Spring(joint.angle, force=torques[k]), name=f"torque {k}")
    return model


def test_momentum_of_free_bodies(method):
    """Three bodies, a ball joint, a hinge and springs between them, nothing outside: momentum stays, both kinds."""
    random = np.random.default_rng(4)
    model = space.Model("free")
    bodies = []
    for k in range(3):
        tensor = np.diag([0.1, 0.2, 0.25]) + 0.02 * (np.ones((3, 3)) - np.eye(3))
        state = {"velocity": tuple(random.normal(size=3)), "angular_velocity": tuple(random.normal(size=3))}
        place = {"position": (0.4 * k, 0.1 * k, 0.0), "center": (0.05, 0.02, -0.03)}
        bodies.append(model.add(space.Body(mass=1.0 + k, inertia=tensor, **place, **state), name=f"body {k}"))
    one, two, three = bodies
    model.add(space.Spherical(one.at(0.2, 0, 0), two.at(-0.2, -0.1, 0)), name="ball")
    model.add(space.Revolute(two.at(0.2, 0, 0, z=(1, 1, 0)), three.at(-0.2, -0.1, 0, z=(1, 1, 0))), name="hinge")
    model.add(space.Spring(space.length(one.at(0, 0.3, 0), three.at(0, 0, 0.4)), 30.0, 0.5, rest_length=0.5), name="s")
    run = simulate(model, 3.0, output=0.1, rtol=TIGHT[method], method=method)
    linear, angular = np.zeros((len(run), 3)), np.zeros((len(run), 3))
    for body in bodies:
        point, A = run[body.at(*body.center)], run[body].matrix
        J = A @ np.array(body.inertia) @ np.swapaxes(A, 1, 2)
        linear += body.mass * point.velocity
        angular += np.cross(point.position, body.mass * point.velocity)
        angular += np.einsum("nij,nj->ni", J, run[body].angular_velocity)
    size = np.abs(angular).max()
    assert np.abs(linear - linear[0]).max() < 1e4 * TIGHT[method] * np.abs(linear).max()
    assert np.abs(angular - angular[0]).max() < 1e4 * TIGHT[method] * size
    assert np.ptp(run.energy.dissipated) > 0.01  # the damper works, and momentum stays all the same


def test_momentum_in_the_plane(method):
    model = plane.Model("free")
    one = model.add(plane.Body(mass=1.0, inertia=0.1, velocity=(1, 0.5), angular_velocity=3.0), name="one")
    two = model.add(plane.Body(mass=2.0, inertia=0.3, position=(0.5, 0.1), center=(0.1, 0)), name="two")
    model.add(plane.Revolute(one.at(0.3, 0), two.at(-0.2, -0.1)), name="pin")
    model.add(plane.Spring(plane.angle(one.at(), two.at()), 2.0, 0.1, rest_angle=0.4), name="coil")
    run = simulate(model, 4.0, output=0.1, rtol=TIGHT[method], method=method)
    linear, angular = 0.0, 0.0
    for body in (one, two):
        point = run[body.at(*body.center)]
        (px, py), (vx, vy) = point.position.T, point.velocity.T
        linear = linear + body.mass * point.velocity
        angular = angular + body.mass * (px * vy - py * vx) + body.inertia * run[body].angular_velocity
    assert np.ptp(linear, axis=0).max() < 1e4 * TIGHT[method] and np.ptp(angular) < 1e4 * TIGHT[method]


@pytest.mark.parametrize("build", [lambda: slider_crank((1.0, -9.81)), arm], ids=["slider-crank", "arm"])
def test_the_way_back(build, method):
    """Without damping a motion with its speeds reversed retraces itself."""
    there = simulate(build(), 1.5, output=[0.0, 1.5], rtol=TIGHT[method], method=method)
    turned = there.at(1.5)
    turned.v, turned.time = -turned.v, 0.0
    back = simulate(there.model, 1.5, start=turned, rtol=TIGHT[method], method=method)
    assert np.abs(back.q[-1] - there.q[0]).max() < 1e4 * TIGHT[method]
    assert np.abs(back.v[-1] + there.v[0]).max() < 1e5 * TIGHT[method]


def test_the_motion_behind_a_torque(method):
    """Haug's project 8.4: the torque that inverse dynamics finds, applied as a function of time, gives the motion back.

    The spline through 2001 values of the torque errs by 1e-8 near its ends, and the mechanism is left to itself for 2 s
    with this error: some 1e-7 rad.
    """
    times = np.linspace(0.0, 2.0, 2001)
    motion = plane.Harmonic(0.8, 4.0, offset=0.5 * math.pi)
    known = inverse_dynamics(slider_crank(drive=motion, load=plane.Constant(0.0)), times)
    free, start = slider_crank(load=plane.Spline(times, known["motor"].force)), known.at(0.0)
    for body in free.bodies:
        for name in ("position", "velocity", "angle", "angular_velocity"):
            object.__setattr__(body, name, getattr(start[body.name], name))
    run = simulate(free, 2.0, output=times[::100], rtol=TIGHT[method], method=method)
    expected = 0.5 * math.pi + 0.8 * np.sin(4.0 * run.times)
    assert np.abs(run["hinge"].angle.value - expected).max() < 1e-6
    assert np.abs(run["hinge"].angle.rate - 3.2 * np.cos(4.0 * run.times)).max() < 1e-5


def test_the_torque_behind_a_motion(method):
    """Two torques move an arm; drivers along that motion find the same torques, and one without torque finds none."""
    torques = plane.Harmonic(4.0, 3.0), plane.Polynomial(-2.0, 1.5)
    run = simulate(arm(torques=torques), 1.0, output=0.002, rtol=TIGHT[method], method=method)
    motions = [plane.Spline(run.times, run[name].angle.value) for name in ("shoulder", "elbow")]
    known = inverse_dynamics(arm(drives=motions), run.times[50:-50])
    t = known.times
    # Second derivatives of a cubic spline with steps h err by h^2 / 12 times the fourth one: 1e-3 of the torque here.
    for k, expected in enumerate((4.0 * np.sin(3.0 * t), -2.0 + 1.5 * t)):
        assert np.abs(known[f"motor {k}"].force + expected).max() < 5e-3 * 4.0


def test_errors_follow_the_tolerance(method):
    """A pendulum over three swings: between 1e-5 and 1e-11 the error is of the order of the tolerance throughout."""
    model = plane.Model("pendulum", gravity=(0, -9.81))
    bob = model.add(plane.Body(mass=1.0, position=(1, 0)), name="bob")
    pin = model.add(plane.Revolute(model.ground.at(), bob.at(-1, 0)), name="pin")
    errors = []
    for rtol in LEVELS[method]:
        run = simulate(model, 7.0, output=0.1, rtol=rtol, method=method)
        exact = pendulum(run.times, math.sqrt(9.81), 0.5 * math.pi).value - 0.5 * math.pi
        errors.append(np.abs(run[pin.angle].value - exact).max() / rtol)
    assert max(errors) < 500.0
    # From the loosest to the tightest each factor of ten in rtol gains on average at least a factor of five.
    gain = errors[0] * LEVELS[method][0] / (errors[-1] * LEVELS[method][-1])
    assert gain > 5.0 ** (len(errors) - 1)


def test_a_driven_run_is_kinematics(method):
    """A driver at some joints alone: those go as told, forces of drivers add up with the motion of the others."""
    drives = plane.Ramp(3.0), plane.Harmonic(0.5, 5.0)
    run = simulate(arm(drives=drives), 1.0, output=0.05, rtol=TIGHT[method], method=method)
    known = kinematics(arm(drives=drives), run.times)
    assert np.abs(run.q - known.q).max() < 1e-9 and np.abs(run.a - known.a).max() < 1e-7
