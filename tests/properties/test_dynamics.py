"""Laws of motion under forces: joints hold, energy adds up, forward and inverse dynamics undo each other.

Every mechanism of the catalogs is run twice, loaded as in `test_inverse_dynamics`: as it is driven, where the motion
is that of kinematics, and released, all its drivers taken away, from random speeds.
"""

import numpy as np
import pytest

import properties.test_inverse_dynamics as inverse
from cardan import assemble, inverse_dynamics, simulate
from cardan.elements.constraints.driver import Driver
from cardan.spatial import rotation
from cardan.spatial.lifting import lift
from cardan.system.evaluate import evaluate_position, evaluate_velocity
from catalog import CASES as FLAT_CASES
from catalogs import CASES
from properties.test_lift import PARAMETERS, TILTED, R, in_space

pytestmark = pytest.mark.filterwarnings("ignore:.*would have to pull:cardan.CardanWarning")

METHODS = ("dop853",)
RTOL = {"dop853": 1e-9}
HOLDS = {"dop853": 1e-10}  # residuals of joints, relative to each equation's own size
TIMES = inverse.TIMES
SHORT = 0.4 * TIMES  # released mechanisms reach ends of curves and dead points later on


class Released:
    """A case without its drivers, in the position to which they lead it at t = 0, at random speeds."""

    def __init__(self, case):
        self.case = case

    def model(self, seed=0, pose=None):
        model, random = released_at_rest(self.case, seed, pose), np.random.default_rng(seed)
        flat = model.space.dimensions == 2
        for body in model.bodies:
            object.__setattr__(body, "velocity", tuple(random.uniform(-0.3, 0.3, model.space.dimensions)))
            spin = random.uniform(-1.0, 1.0, 3)
            object.__setattr__(body, "angular_velocity", float(spin[2]) if flat else tuple(spin))
        return model


def released_at_rest(case, seed=0, pose=None):
    start = assemble(case.model(seed, pose))
    stage = case.stage(case.name, seed, pose)
    case.state(stage)
    stage._elements = [(name, e) for name, e in stage._elements if not isinstance(e, Driver)]
    model = stage.model()
    turn, stated = ("angle", "angle") if model.space.dimensions == 2 else ("orientation", "parameters")
    for body in model.bodies:
        object.__setattr__(body, "position", tuple(start[body.name].position))
        object.__setattr__(body, stated, getattr(start[body.name], turn))
    return model


@pytest.fixture(scope="module", params=METHODS)
def method(request):
    return request.param


@pytest.fixture(scope="module", params=CASES, ids=str)
def driven(request, method):
    return simulate(inverse.loaded(request.param), TIMES[-1], output=TIMES, rtol=RTOL[method], method=method)


@pytest.fixture(scope="module", params=CASES, ids=str)
def released(request, method):
    model = inverse.loaded(Released(request.param))
    return simulate(model, SHORT[-1], output=SHORT, rtol=RTOL[method], method=method)


def violations(run):
    """Residuals of all equations at position and velocity level, each relative to its own size."""
    system, worst = run.system, [0.0, 0.0]
    work, reference, inverse_size = system.work(), system.reference.copy(), system.rows.inverse
    for t, q, v, turns in zip(run.times, run.q, run.v, run.turns, strict=True):
        reference[system.winding] = turns
        evaluate_position(system.geometry, system.rows, q, t, reference, work)
        evaluate_velocity(system.geometry, system.rows, v, t, work)
        worst[0] = max(worst[0], np.abs(work.phi * inverse_size).max(initial=0.0))
        worst[1] = max(worst[1], np.abs((work.rate - work.nu) * inverse_size).max(initial=0.0) / (1 + np.abs(v).max()))
    return worst


def test_joints_hold(released, method):
    assert max(violations(released)) < HOLDS[method]


def test_driven_joints_hold(driven, method):
    assert max(violations(driven)) < HOLDS[method]


def left_over(run):
    """What does not add up of the energy since the first instant, relative to the greatest share."""
    energy = run.energy
    shares = energy.total, -energy.work, energy.dissipated, -energy.driven
    error = np.abs(sum(share - share[0] for share in shares)).max()
    return error / max(energy.kinetic.max(), 1e-3, *(np.ptp(share) for share in shares))  # some mechanisms stand still


def test_energy_adds_up(released, method):
    """Work of springs, dampers, loads and functions against kinetic energy: what is left is the integration error."""
    assert left_over(released) < 100 * RTOL[method]


def test_driven_energy_adds_up(driven):
    """What drivers put in is integrated along the run. Steps are chosen for the motion, which drivers tell exactly:
    over such long steps the quadrature of the work is good to some 1e-6."""
    assert left_over(driven) < 1e-5


def test_newton_and_euler(released):
    """Reactions along the run carry every body, as in `test_inverse_dynamics`."""
    inverse.test_newton_and_euler(released)


def test_power_balance(released):
    inverse.test_power_balance(released)


def test_driven_motion_is_that_of_kinematics(driven):
    """A run with all its drivers has no freedom: positions, accelerations and all forces are those of inverse dynamics.

    Both close joints to 1e-11; multipliers are as good as accelerations, times the condition of the mechanism.
    """
    known = inverse_dynamics(driven.model, [0.0, *TIMES])  # gears mesh as they stand at the start
    for found, expected, near in (
        (driven.q, known.q[1:], 1e-9),
        (driven.v, known.v[1:], 1e-9),
        (driven.a, known.a[1:], 1e-8),
        (driven.loads.multipliers, known.loads.multipliers[1:], 1e-8),
    ):
        assert np.abs(found - expected).max() < near * (1 + np.abs(expected).max())


@pytest.mark.parametrize("case", [case for case in CASES if case.moves_with_frame], ids=str)
def test_moved_as_a_whole(case, method):
    """A mechanism that is moved and turned, its weight with it, falls likewise: both runs err by some rtol."""
    runs = []
    for pose in (case.stage.here, case.stage.poses[0]):
        runs.append(simulate(_moved(case, pose), SHORT[-1], output=SHORT, rtol=RTOL[method], method=method))
    A, d = case.stage.motion_of(case.stage.poses[0])
    here, there = runs
    for body, other in zip(here.model.bodies, there.model.bodies, strict=True):
        expected = here[body].position @ A.T + d
        assert np.abs(there[other].position - expected).max() < 1e-6
        assert np.abs(there[other].velocity - here[body].velocity @ A.T).max() < 1e-5


def _moved(case, pose):
    """Released at rest under its own weight."""
    model = released_at_rest(case, 0, pose)
    n = model.space.dimensions
    model.gravity = tuple(case.stage.motion_of(pose)[0] @ inverse.GRAVITY[:n])
    for k, body in enumerate(model.bodies):
        object.__setattr__(body, "mass", 1.0 + 0.2 * k)
        object.__setattr__(body, "center", (0.1, -0.05, 0.07)[:n])
        object.__setattr__(body, "inertia", 0.1 if n == 2 else (0.1, 0.12, 0.15))
    return model


@pytest.mark.parametrize("case", FLAT_CASES, ids=str)
def test_lifted_to_space(case, method):
    """A planar mechanism moves in a tilted plane of space as it does in its own.

    Velocities that do not fit the joints are changed in a metric that knows the size of the mechanism: where the frame
    of the lifted plane adds to it, the start differs.
    """
    if case.name == "hold-coordinates":
        return
    model = inverse.loaded(Released(case))
    tolerance = {"rtol": RTOL[method], "method": method}
    flat = simulate(model, SHORT[-1], output=SHORT, **tolerance)
    run = simulate(lift(model, **TILTED), SHORT[-1], output=SHORT, **tolerance)
    for body in model.bodies:
        here, there = flat[body], run[body.name]
        half = 0.5 * here.angle
        turn = np.stack([np.cos(half), 0 * half, 0 * half, np.sin(half)], axis=1)
        assert np.abs(there.position - in_space(here.position) - TILTED["origin"]).max() < 1e-6
        assert np.abs(there.matrix - rotation.matrix(rotation.multiply(PARAMETERS, turn))).max() < 1e-6
        assert np.abs(there.velocity - in_space(here.velocity)).max() < 1e-5
        assert np.abs(there.angular_velocity - here.angular_velocity[:, None] * R[:, 2]).max() < 1e-5
