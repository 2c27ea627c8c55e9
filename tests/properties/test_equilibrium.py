"""Laws of rest on every mechanism: V_q = -Q, minima are minima, no driver has to hold what rests, frames do not matter.

Drivers are left out. Every body has matter and hangs in a spring without free length, so that the energy of any
mechanism has a minimum.
"""

import numpy as np
import pytest

from cardan import equilibrium, inverse_dynamics
from cardan.analysis.assembly.assemble import assembled
from cardan.analysis.equilibria.place import Ways
from cardan.analysis.equilibria.potential import Potential
from cardan.analysis.equilibria.statics import Statics
from cardan.planar import Action, Constant, Load as FlatLoad, Spring, Torque as FlatTorque, length as flat_length
from cardan.spatial import Load, length
from cardan.system.compile import compile
from catalogs import CASES
from comparing import corners

# Some of the cams would have to pull under these loads; the laws hold all the same.
pytestmark = pytest.mark.filterwarnings("ignore:.*would have to pull:cardan.CardanWarning")

GRAVITY = np.array([0.7, -9.0, 2.0])


def pushing(z):
    return 3.0 * z - 0.4 * z * z


def hanging(case, pose=None, backwards=False):
    """The mechanism of a case, each body in a spring; the world turned and moved by `pose`."""
    model = case.model(pose=pose, backwards=backwards)
    n = model.space.dimensions
    A, shift = case.stage.motion_of(case.stage.here if pose is None else pose)
    random = np.random.default_rng(3)
    model.gravity = tuple(A @ GRAVITY[:n])
    span = flat_length if n == 2 else length
    for body in sorted(model.bodies, key=lambda body: body.name):
        spread = random.uniform(-0.3, 0.3, (4, 3))
        tensor = sum((p @ p) * np.eye(3) - np.outer(p, p) for p in spread) + 0.01 * np.eye(3)
        place, point = random.uniform(-1.0, 1.0, n), random.uniform(-0.3, 0.3, n)
        matter = (
            random.uniform(0.5, 2.0),
            tuple(random.uniform(-0.2, 0.2, n)),
            float(tensor[2, 2]) if n == 2 else tensor,
        )
        for name, value in zip(("mass", "center", "inertia"), matter, strict=True):
            object.__setattr__(body, name, value)
        model.add(Spring(span(model.ground.at(*(A @ place + shift)), body.at(*point)), 30.0, rest_length=0.0))
    model.drivers = [element for element in model.constraints if element.drives]
    for driver in model.drivers:
        del model._elements[driver.name]
    return model


# A rotation component ends at half a turn, where this mechanism is drawn to: it has no place of rest.
ENDED = "spatial-rotation-vector"
# Two stable places lie beside the stated one, and the way down begins between them: rounding decides which is found.
TWOFOLD = "spatial-bead on Curve"


@pytest.fixture(scope="module", params=[case for case in CASES if case.name != ENDED], ids=str)
def case(request):
    return request.param


@pytest.fixture(scope="module")
def rest(case):
    return equilibrium(hanging(case))


def test_forces_are_slopes_of_the_energy(case):
    """V_q = -Q for weight, springs, functions of their own measure, loads, and in the plane torques."""
    model = hanging(case)
    first, last = model.bodies[0], model.bodies[-1]
    flat = model.space.dimensions == 2
    here = (0.1, -0.2) if flat else (0.1, -0.2, 0.3)
    far = (2.5, 2.0) if flat else (2.5, 2.0, -2.2)
    measure = (flat_length if flat else length)(model.ground.at(*far), first.at(*here))
    model.add(Action(measure, pushing))
    model.add(Spring(measure, 12.0, damping=3.0, rest_length=1.0, force=2.0, law=pushing))
    model.add((FlatLoad if flat else Load)(last.at(*here), far))
    if flat:
        model.add(FlatTorque(first.at(), 1.7))
    system = compile(model, forces=True)
    q, reference = assembled(system, 0.0)
    statics = Statics(system, 0.0)
    statics.workless = False  # forces of teeth act only where joints prevent motion: they have no energy
    stated = statics.at(q, reference)
    potential = Potential(statics, reference)
    slopes = []
    h = 1e-5
    for k in range(system.coordinates):
        step = np.zeros(system.coordinates)
        step[k] = h
        ends = [statics.moved(q, sign * step) for sign in (1.0, -1.0)]
        up, down = (potential.at(end, statics.at(end, reference)) for end in ends)
        slopes.append((up - down) / (2.0 * h))
    size = max(stated.size, np.abs(stated.force).max())
    # central differences: h^2 = 1e-10, and rounding of V over h, 1e-11 of its size
    assert np.abs(slopes + stated.force).max() < 1e-8 * max(size, 1.0)


def test_minimum(rest):
    """Stable, balanced, closed, and lower than any place near it."""
    assert rest.stable is not False and rest.imbalance < 1e-11 and rest.violation < 1e-10
    statics = Statics(rest.system, 0.0)
    reference = rest.system.reference.copy()
    reference[rest.system.winding] = rest.turns
    ways = Ways(statics)
    place = ways.start(rest.q, statics.at(rest.q, reference).z)
    potential = Potential(statics, place.reference)
    random = np.random.default_rng(5)
    for _ in range(6):
        near = ways.moved(place, 0.02 * random.standard_normal(rest.system.coordinates))
        if near is not None:
            rise, noise = potential.change((place.q, near.q), (place.point, near.point))
            assert rise > -noise


def test_drivers_need_not_hold_what_rests(case, rest):
    """Held by its drivers where it rests, the mechanism takes no force from them, and its joints carry the same."""
    model = rest.model
    for driver in model.drivers:
        object.__setattr__(driver, "motion", Constant(float(rest[driver.measure].value)))
        model._elements[driver.name] = driver
    try:
        run = inverse_dynamics(model, [0.0], start=rest)
    finally:
        for driver in model.drivers:
            del model._elements[driver.name]
    if np.any(run.v):
        return  # an equation of its own depends on time: it does not rest
    size = max(float(np.abs(run.loads.multipliers).max()), 1.0)
    assert max(abs(float(run[driver].force[0])) for driver in model.drivers) < 1e-9 * size
    if not run.set_aside:
        joints = run.loads.multipliers[0, ~run.system.driving]
        assert np.abs(joints - rest.loads.multipliers[0]).max(initial=0.0) < 1e-8 * size


@pytest.mark.parametrize("k", [1, None])
def test_frame_and_order_do_not_matter(case, rest, k):
    """Moved and turned with everything that acts on it, or stated backwards, it rests in the same place."""
    if rest.stable is None or (k is not None and (not case.moves_with_frame or rest.system.floating.any())):
        return  # a place among many; and the metric in which gears are assembled knows the axes of the world
    if k is not None and case.name == TWOFOLD:
        return
    pose = None if k is None else case.stage.poses[k]
    A, shift = case.stage.motion_of(case.stage.here if pose is None else pose)
    other = equilibrium(hanging(case, pose, backwards=k is None))
    for body in rest.model.bodies:
        there = [other[point].position for point in corners(other.model[body.name])]
        here = [A @ rest[point].position + shift for point in corners(body)]
        # places are found where forces balance to 1e-12; the softest directions magnify that
        assert np.abs(np.subtract(there, here)).max() < 1e-8 * rest.system.length
    mass = sum(body.mass for body in rest.model.bodies)
    raised = -mass * (A @ GRAVITY[: A.shape[0]]) @ shift
    assert abs(other.energy - raised - rest.energy) < 1e-9 * (abs(rest.energy) + abs(raised) + 1.0)
