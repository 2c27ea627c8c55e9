"""Laws of forces: every body's Newton-Euler equations, the power balance, reactions in any frame, on every mechanism.

Bodies get random masses, mass centers and inertias; springs and loads act between them. The checks are made in plain
NumPy from positions and velocities of the result alone: they know nothing of multipliers or Jacobians.
"""

import numpy as np
import pytest

from cardan import inverse_dynamics
from cardan.planar import Load as FlatLoad, Torque as FlatTorque, length as flat_length
from cardan.spatial import Action, Load, Spring, Torque, length, rotation
from catalogs import CASES

# Some of the cams would have to pull under these loads; the laws hold all the same.
pytestmark = pytest.mark.filterwarnings("ignore:.*would have to pull:cardan.CardanWarning")

TIMES = np.linspace(0.05, 0.95, 10)
GRAVITY = np.array([0.7, -9.0, 2.0])


def loaded(case, seed=1):
    """The mechanism of a case with matter on all bodies, a spring and loads."""
    random = np.random.default_rng(seed)
    model = case.model()
    flat = model.space.dimensions == 2
    model.gravity = tuple(GRAVITY[: model.space.dimensions])
    for body in model.bodies:
        spread = random.uniform(-0.3, 0.3, (4, 3))
        tensor = sum((p @ p) * np.eye(3) - np.outer(p, p) for p in spread) + 0.01 * np.eye(3)
        state = {
            "mass": random.uniform(0.5, 2.0),
            "center": tuple(random.uniform(-0.2, 0.2, model.space.dimensions)),
            "inertia": float(tensor[2, 2]) if flat else tensor,
        }
        for name, value in state.items():
            object.__setattr__(body, name, value)
    first, last = model.bodies[0], model.bodies[-1]
    point = tuple(random.uniform(-0.3, 0.3, model.space.dimensions))
    far = tuple(random.uniform(2.0, 3.0, model.space.dimensions))
    span = flat_length if flat else length
    load, torque = (FlatLoad, FlatTorque) if flat else (Load, Torque)
    model.add(Spring(span(model.ground.at(*far), first.at(*point)), 20.0, 3.0, rest_length=1.0), name="a spring")
    model.add(Action(model["a spring"].measure, pushing), name="an action")
    model.add(load(last.at(*point), point, frame="body"), name="a follower")
    model.add(load(last.at(*point), far), name="a load")
    model.add(torque(first.at(), 1.5 if flat else far, frame="body"), name="a torque")
    return model


def pushing(z, rate):
    return 2.0 * z + 0.5 * rate


@pytest.fixture(scope="module", params=CASES, ids=str)
def run(request):
    return inverse_dynamics(loaded(request.param), TIMES)


def vectors(values):
    """Vectors of the plane as vectors of space; numbers as vectors along z."""
    full = np.zeros((len(values), 3))
    if values.ndim == 1:
        full[:, 2] = values
    else:
        full[:, : values.shape[1]] = values
    return full


def matrices(run, body):
    if run.system.space.dimensions == 3:
        return run[body].matrix
    return rotation.matrix(rotation.from_rotation_vector(vectors(run[body].angle)))


def inertia(run, body):
    """The tensor about the mass center in global axes."""
    tensor = np.diag([0.0, 0.0, body.inertia]) if np.ndim(body.inertia) == 0 else np.array(body.inertia)
    A = matrices(run, body)
    return A @ tensor @ np.swapaxes(A, 1, 2)


def applied(run, body):
    """Force, and torque about the mass center, of what the test put on the bodies."""
    model = run.model
    force, torque = np.zeros((TIMES.size, 3)), np.zeros((TIMES.size, 3))
    center = vectors(run[body.at(*body.center)].position)
    spring, follower = model["a spring"], model["a follower"]
    load, couple = model["a load"], model["a torque"]
    if spring.measure.b.body is body:
        here, there = (vectors(run[m].position) for m in (spring.measure.b, spring.measure.a))
        away, rate = there - here, vectors(run[spring.measure.b].velocity)
        stretch = np.linalg.norm(away, axis=1)
        growing = -np.sum(rate * away, axis=1) / stretch
        pull = 20.0 * (stretch - 1.0) + 3.0 * growing - pushing(stretch, growing)
        force += (pull / stretch)[:, None] * away
        torque += np.cross(here - center, (pull / stretch)[:, None] * away)
    if follower.marker.body is body:
        here = vectors(run[follower.marker].position)
        push = np.einsum("nij,j->ni", matrices(run, body), vectors(np.array([follower.force]))[0])
        push = push + vectors(np.array([load.force]))
        force += push
        torque += np.cross(here - center, push)
    if couple.marker.body is body:
        moment = vectors(np.array([np.ravel(couple.torque)]) if np.ndim(couple.torque) else np.array([couple.torque]))
        torque += np.einsum("nij,j->ni", matrices(run, body), moment[0])
    return force, torque


def reactions(run, body):
    """Force, and torque about the mass center, of all constraints on a body."""
    force, torque = np.zeros((TIMES.size, 3)), np.zeros((TIMES.size, 3))
    for element in run.system.elements:
        if all(body is not other for other in element.bodies()):
            continue
        found = run[element].on(body).in_frame("global").at(body.at(*body.center))
        force += vectors(found.force)
        torque += vectors(found.torque)
    return force, torque


def test_newton_and_euler(run):
    """m a_c is the sum of all forces, J alpha + omega x J omega that of all torques about the mass center."""
    for body in run.model.bodies:
        (f1, t1), (f2, t2) = applied(run, body), reactions(run, body)
        weight = body.mass * (GRAVITY if run.system.space.dimensions == 3 else GRAVITY * (1, 1, 0))
        omega, alpha = vectors(run[body].angular_velocity), vectors(run[body].angular_acceleration)
        J = inertia(run, body)
        change = body.mass * vectors(run[body.at(*body.center)].acceleration)
        spin = np.einsum("nij,nj->ni", J, alpha) + np.cross(omega, np.einsum("nij,nj->ni", J, omega))
        scale = max(np.abs(change).max(), np.abs(f2).max(), 1.0)
        arm = max(1.0, np.abs(t2).max() / scale)
        # Reactions are a solution of the equations to rounding, times the condition of the mechanism (below 1e5).
        assert np.abs(change - weight - f1 - f2).max() < 1e-9 * scale
        assert np.abs(spin - t1 - t2).max() < 1e-9 * scale * arm


def test_power_balance(run):
    """What drivers, springs, loads and gravity put in is the rate of the kinetic energy: joints do no work."""
    power, rate, scale = np.zeros(TIMES.size), np.zeros(TIMES.size), 1.0
    for element in (*run.system.elements, *run.model.forces):
        given = run[element].power
        power += given
        scale = max(scale, np.abs(given).max())
        moves = element in run.model.forces or any(e.timed for e in element.equations())
        assert moves or np.abs(given).max() < 1e-9 * scale
    for body in run.model.bodies:
        point, omega = run[body.at(*body.center)], vectors(run[body].angular_velocity)
        alpha, J = vectors(run[body].angular_acceleration), inertia(run, body)
        velocity, acceleration = vectors(point.velocity), vectors(point.acceleration)
        flat = run.system.space.dimensions == 2
        power += body.mass * velocity @ (GRAVITY * (1, 1, 0) if flat else GRAVITY)
        # d/dt (omega . J omega / 2) = omega . J alpha: the gyroscopic part does no work
        rate += body.mass * np.sum(velocity * acceleration, axis=1) + np.einsum("ni,nij,nj->n", omega, J, alpha)
        scale = max(scale, np.abs(rate).max())
    assert np.abs(power - rate).max() < 1e-8 * scale


def test_action_and_reaction(run):
    """On its two bodies a joint exerts opposite wrenches, taken about one point."""
    for element in run.system.elements:
        bodies = element.bodies()
        if len(bodies) != 2 or element.contact_coordinates():
            continue
        total, turn = np.zeros((TIMES.size, 3)), np.zeros((TIMES.size, 3))
        size = 1.0
        for body in bodies:
            found = run[element].on(body).in_frame("global").at(body.at())
            force, torque = vectors(found.force), vectors(found.torque)
            total += force
            turn += torque + np.cross(vectors(run[body].position), force)
            size = max(size, np.abs(force).max(), np.abs(torque).max())
        if any(m.a is None for e in element.equations() for _, m in e.terms):
            continue  # a condition on global coordinates is held by ground, which it does not name
        assert np.abs(total).max() < 1e-9 * size and np.abs(turn).max() < 1e-8 * size
