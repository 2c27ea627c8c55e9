"""Threads that share an object read what one thread reads."""

import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import cardan
from cardan import planar, spatial
from cardan.case import load_case
from cardan.spatial import x, y
from catalog_forces import bending
from invariants.population import random_case

MODELS = {
    "tree": lambda: load_case("spatial-slider-crank-torque", {}).model,
    "loop": lambda: load_case("slider-crank-forces", {}).model,
    "forces": lambda: load_case("vehicle", {}).model,
    "flexible": lambda: bending(planar),
    "flexible, spatial": lambda: bending(spatial),
    "random": lambda: random_case(1, spatial=True, driven=False).build(),
}
THREADS, STATES = 4, 8


@pytest.fixture
def switching_often():
    """Threads change places after 10 us instead of 5 ms."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def _same(read) -> None:
    """Whether `read(k)`, a list of arrays for state k, is the same in threads."""
    alone = [read(k) for k in range(STATES)]
    with ThreadPoolExecutor(THREADS) as pool:
        together = list(pool.map(read, [k % STATES for k in range(8 * STATES)]))
    for k, found in enumerate(together):
        for number, (its, mine) in enumerate(zip(found, alone[k % STATES], strict=True)):
            assert np.array_equal(its, mine), f"call {number} at state {k % STATES}"


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.usefixtures("switching_often")
def test_a_joint_space(name):
    space = cardan.joint_space(MODELS[name]())
    random = np.random.default_rng(0)
    steps = random.standard_normal((2, STATES, len(space.speeds)))
    states = [(space.moved(space.q, 0.05 * step), v) for step, v in zip(*steps, strict=True)]

    def read(k):
        q, v = states[k]
        return [
            space.mass_matrix(q),
            space.gravity(q),
            space.bias(q, v),
            space.torques(q, v, v),
            space.applied(q, v),
            space.accelerations(q, v),
            space.residual(q),
            space.constraint_jacobian(q),
            space.constraint_bias(q, v),
            space.snapshot(q, v).q,
        ]

    _same(read)


@pytest.mark.parametrize("closed", [False, True])
@pytest.mark.usefixtures("switching_often")
def test_a_task_space(closed):
    """Of an arm; closed by a rod, the terms come from several calls."""
    model = spatial.Model("arm", gravity=(0, 0, -9.81))
    before = model.ground
    for k in range(6):
        link = model.add(spatial.Body(1.0, (0.1, 0.1, 0.02), position=(0, 0, 0.3 * k)), name=f"link {k}")
        axis = ((0, 0, 1), (0, 1, 0))[k % 2]
        model.add(spatial.Revolute.between(before, link, (0, 0, 0.3 * k), z=axis), name=f"joint {k}")
        before = link
    if closed:
        model.add(spatial.Distance(model.ground.at(1, 0, 0.5), model["link 2"].at(), np.hypot(1.0, 0.1)), name="rod")
    task = cardan.task_space(model, [x(before.at(0.1, 0, 0.2)), y(before.at(0.1, 0, 0.2))], at=_bent(model))
    steps = 0.0 if closed else 0.05 * np.random.default_rng(0).standard_normal((STATES, 6))
    speeds = np.random.default_rng(1).standard_normal((STATES, 6))

    def read(k):
        there = task.at(task.q + (steps if closed else steps[k]), speeds[k])
        return [there.inertia, there.jacobian, there.velocity_terms, there.gravity, there.velocity]

    _same(read)


def _bent(model):
    """The arm after it has fallen for a while, away from its singular position."""
    return cardan.simulate(model, 0.3).at(0.3)
