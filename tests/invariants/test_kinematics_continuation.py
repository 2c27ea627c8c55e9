"""Driven motions go on wherever they are regular: cams of arcs and flanks turn round, models of CAD precision run."""

from __future__ import annotations

import math

import numpy as np
import pytest

from arc_cams import cam_and_roller, curve, random_belt, roller_height
from cardan import inverse_dynamics, kinematics, simulate
from invariants.imprecise import crank_rocker, four_bar_in_space

SAMPLE = 3  # cams in `make test`: each compiles two outlines


def seeds_of(request_count, seed):
    return range(seed, seed + (request_count or SAMPLE))


@pytest.mark.filterwarnings("ignore:.*would have to pull")
def test_every_cam_of_arcs_and_flanks_turns_round(invariant_count, invariant_seed):
    """A roller, or a pin in a slot of the same form, with u the arc length or faster along every other piece.

    Heights have a closed form; Newton's method closes them to 1e-11 of the model. Every junction is passed once a turn.
    """
    for seed in seeds_of(invariant_count, invariant_seed):
        random = np.random.default_rng(seed)
        shape, kind = random_belt(random), ("roller", "slot")[seed % 2]
        radius = float(random.uniform(0.1, 0.4)) if kind == "roller" else 0.0
        outline = curve(shape, float(random.choice([1.0, 3.0, 0.2])))
        speed = float(random.choice([-1.0, 1.0]) * random.uniform(0.5, 20.0))
        model, _ = cam_and_roller(outline, radius, speed, kind)
        times = np.linspace(0.0, 2.0 * math.pi * 2.0 / abs(speed), int(random.choice([9, 60, 300])))
        runs = [inverse_dynamics(model, times, coordinates=c) for c in ("cartesian", "joint")]
        heights = np.array([roller_height(shape, radius, angle) for angle in runs[0]["cam"].angle])
        for run in runs:
            assert np.abs(run["follower"].position[:, 1] - heights).max() < 1e-10, seed
            passed = np.array([jump.time for jump in run.jumps])
            assert abs(passed.size - 2 * len(shape.ends)) <= 1, seed  # one may lie at the start and the end
            turn = 2.0 * math.pi / abs(speed)
            first = np.sort(passed[: len(shape.ends)] % turn)
            again = np.sort(passed[len(shape.ends) : 2 * len(shape.ends)] % turn)
            assert np.abs(first[: again.size] - again).max() < 1e-9 * turn or passed.size % 2, seed
        scale = np.abs(runs[0]["motor"].force).max()
        assert runs[0]["motor"].force == pytest.approx(runs[1]["motor"].force, abs=1e-8 * scale), seed
        assert np.abs(runs[0]["follower"].acceleration - runs[1]["follower"].acceleration).max() < 1e-8 * speed**2, seed


@pytest.mark.filterwarnings("ignore:.*do not fit exactly")
def test_every_model_of_a_file_s_precision_assembles_and_runs(invariant_count, invariant_seed):
    """Markers off by 1e-6 to 1e-5 of the size: the motion is the exact one up to some ten times that."""
    for seed in seeds_of(invariant_count, invariant_seed):
        random = np.random.default_rng(seed)
        size, links = float(10.0 ** random.uniform(-6.0, -5.0)), crank_rocker(random)
        times = np.linspace(0.0, 7.0, 15)
        exact = kinematics(four_bar_in_space(0.0, links=links), times)
        for coordinates in ("cartesian", "joint"):
            run = inverse_dynamics(four_bar_in_space(size, seed, links=links), times, coordinates=coordinates)
            off = max(np.abs(run[b.name].position - exact[b.name].position).max() for b in exact.model.bodies)
            assert off < 50.0 * size, seed
            free = simulate(four_bar_in_space(size, seed, False, links), 0.1, coordinates=coordinates)
            ideal = simulate(four_bar_in_space(0.0, seed, False, links), 0.1, coordinates=coordinates)
            gap = np.abs(free["rocker"].angular_velocity[-1] - ideal["rocker"].angular_velocity[-1]).max()
            assert gap < 500.0 * size, seed
