"""Analyses with flexible bodies: long free motion, checkpoints, sensitivities."""

from dataclasses import replace

import numpy as np
import pytest

from cardan import motion_sensitivities, simulate
from cardan.flexible import beam, rectangle, reduce
from cardan.spatial import FlexibleBody, Model, Revolute, Spring, z
from flexible_parts import Points, brick_part


@pytest.mark.parametrize("until", [60.0, pytest.param(6800.0, marks=pytest.mark.slow)])
def test_free_motion_over_many_steps(until: float) -> None:
    """900 and 90,000 steps of dop853 at rtol 1e-10: energy to 1e-8, momentum to 1e-9 of its size."""
    part = Points(3).part
    part = replace(part, damping=0.0 * part.damping)
    model = Model("free")
    state = {"angular_velocity": (1.0, 2.0, 0.5), "deformation": (0.1, -0.2, 0.15, 0.05)}
    body = model.add(FlexibleBody(part, **state), name="body")
    run = simulate(model, until, output=until / 50.0, rtol=1e-10, method="dop853")
    assert run.energy.drift < 1e-8
    momenta = []
    for k in range(len(run)):
        S = part.first_moment[0] + part.coupling @ run.q[k, -4:]
        inside = np.cross(run[body].angular_velocity_b[k], S) + part.coupling @ run.v[k, -4:]
        momenta.append(part.mass * run[body].velocity[k] + run[body].matrix[k] @ inside)
    assert np.ptp(momenta, axis=0).max() < 1e-9 * np.abs(momenta).max()


def test_momentum_is_kept_to_rounding_in_a_frame_at_the_mass_center() -> None:
    """There the momentum is m v, linear in the state: Runge-Kutta methods keep it, whatever their error. In others it
    contains A omega' x S, which they keep as exactly as they integrate."""
    rod = beam(0.5, rectangle(0.02, 0.01), "nylon")
    nodes = rod.nodes - rod.nodes.mean(axis=0)
    part = reduce(rod.M, rod.K, nodes, {"end": [0]}, modes=2)
    model = Model("free")
    deformed = (1e-3, *[0.0] * (part.modes - 1))
    state = {"velocity": (1.0, -2.0, 3.0), "angular_velocity": (5.0, 20.0, 10.0), "deformation": deformed}
    body = model.add(FlexibleBody(part, **state), name="body")
    run = simulate(model, 0.3, output=0.03, rtol=1e-7, method="dop853")
    assert np.abs(run.q[:, -part.modes]).max() > 5e-4  # it vibrates
    assert np.ptp(run[body].velocity, axis=0).max() < 1e-12 * np.abs(run[body].velocity).max()


def arm(stiffness: float = 5.0) -> tuple[Model, FlexibleBody]:
    model = Model("arm", gravity=(0, 0, -9.81))
    bar = model.add(FlexibleBody(brick_part(modes=3), damping=0.02), name="bar")
    hinge = model.add(Revolute(model.ground.at(z=(0, 1, 0)), bar.at("root", z=(0, 1, 0))), name="hinge")
    model.add(Spring(hinge.angle, stiffness, rest_angle=0.0, damping=0.1), name="spring")
    return model, bar


@pytest.mark.filterwarnings("ignore::cardan.errors.CardanWarning")
def test_a_checkpoint_continues_the_motion() -> None:
    model, _ = arm()
    whole = simulate(model, 0.2, output=[0.1, 0.2], method="dop853")
    half = simulate(model, 0.1, output=[0.1], method="dop853")
    rest = simulate(model, 0.2, output=[0.2], start=half.checkpoint, method="dop853")
    assert np.abs(whole.q[-1] - rest.q[-1]).max() < 1e-7  # rtol is 1e-8


@pytest.mark.filterwarnings("ignore::cardan.errors.CardanWarning")
def test_sensitivities_of_the_motion_are_differences_of_runs() -> None:
    model, bar = arm()
    run = simulate(model, 0.1, output=0.005, rtol=1e-10)
    found = motion_sensitivities(run, "spring.stiffness", z(bar.at("tip"))).derivatives[-1, 0, 0]
    ends = []
    for stiffness in (4.999, 5.001):
        other, twin = arm(stiffness)
        ends.append(simulate(other, 0.1, output=[0.1], rtol=1e-11)[z(twin.at("tip"))].value[-1])
    assert found == pytest.approx((ends[1] - ends[0]) / 0.002, rel=1e-4)
