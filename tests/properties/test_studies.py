"""Samples of a study are those of the ordinary analysis: numbers to rounding, failures with the same reasons, wherever
they are computed and whatever was computed before them."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from cardan import CardanWarning, ModelError, parameter
from cardan.examples import analysis, load, names
from cardan.planar import Body, Hold, Point, angle, x, y
from cardan.study.batch.chunk import Chunk
from cardan.study.job import Job
from cardan.study.outputs import outputs_of
from cardan.study.runner import Runner
from cardan.study.sampling import Plan, designs, random_samples
from cardan.system.compile import compile

# plane and space, joints, gears, cams, curves, functions of a user's own, laws of all kinds; the rest takes longer
SOON = ("slider-crank", "four-bar", "quick-return", "geneva", "gear-slider", "cam-roller", "bead-on-wire",
        "spatial-slider-crank", "cardan-shaft", "sarrus")  # fmt: skip
DRIVEN = [
    pytest.param(name, marks=() if name in SOON else pytest.mark.slow)
    for name in names()
    if analysis(load(name)) == "kinematics"
]
PLACES = ("motion.rate", "a.x", "b.y", "length", "ratio", "a.angle", "radius", "motion.amplitude", "b.x")
SAMPLES = 3
# Accelerations are solved for with factors of J: rounding times its condition, up to 1e4 in these mechanisms
ROUNDING = 1e-11


def parameters(model: Any, most: int = 3) -> dict[Any, tuple[float, float]]:
    """Some numbers of a model, each with a range of some thousandths about it."""
    found: dict[Any, tuple[float, float]] = {}
    for place in PLACES:
        for element in model:
            try:
                one = parameter(element, place)
            except ModelError:
                continue
            width = 2e-3 * abs(one.value) or 1e-4
            found[one] = (one.value - width, one.value + width)
            break
        if len(found) == most:
            break
    return found


def job_and_plan(name: str) -> tuple[Job, Plan]:
    module = load(name)
    model = module.build()
    start, end, _ = module.TIMES
    plan = random_samples(parameters(model), SAMPLES, seed=len(name))
    bodies = [f"{body.name}.{column}" for body in model.bodies for column in ("x", "vx", "vy", "ax", "ay")]
    outputs = [*bodies, *(f"{e.name}.acceleration" for e in model.constraints if e.drives), f"{bodies[0]}:peak"]
    times = np.linspace(start, end, 21)
    return Job(model, plan.keys, "kinematics", outputs_of(outputs), {"times": times}).checked(), plan


def ordinary(job: Job, values: np.ndarray) -> tuple[list[list[np.ndarray] | None], list[str]]:
    found = [job.sample(line) for line in values]
    return [arrays for arrays, _ in found], [reason for _, reason in found]


def assert_same(job: Job, chunk: Chunk, arrays: list[list[np.ndarray] | None], reasons: list[str]) -> None:
    """Numbers are compared with the largest of their kind: one that should be zero is rounding of the others."""
    assert chunk.reasons == reasons
    kinds = [output.name.rpartition(".")[2][0] for output in job.outputs]  # positions, velocities, accelerations
    for s, expected in enumerate(arrays):
        if expected is None:
            continue
        sizes: dict[str, float] = {}
        for kind, value in zip(kinds, expected, strict=True):
            sizes[kind] = max(sizes.get(kind, 1e-3), float(np.abs(value).max()))
        for kind, output, value in zip(kinds, chunk.outputs, expected, strict=True):
            assert np.abs(output[s] - value).max() <= ROUNDING * sizes[kind], kind


@pytest.mark.parametrize("name", DRIVEN)
def test_batched_samples_are_the_ordinary_analyses(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CardanWarning)
        job, plan = job_and_plan(name)
        values = plan.values(0, SAMPLES)
        shapes = [np.shape(a) for a in job.result()[1]]
        runner = Runner(job, plan, shapes)
        chunk = runner.of(values)
    assert_same(job, chunk, *ordinary(job, values))


def _room(runner: Runner) -> list[np.ndarray]:
    return [np.zeros((SAMPLES, *shape)) for shape in runner.shapes]


def test_most_mechanisms_are_served_by_the_compiled_loop() -> None:
    """Without this the law above would hold for nothing."""
    served = []
    for name in ("slider-crank", "four-bar", "quick-return", "scotch-yoke", "spatial-slider-crank"):
        job, plan = job_and_plan(name)
        runner = Runner(job, plan, [np.shape(a) for a in job.result()[1]])
        assert runner.batch is not None
        left, reasons = runner.batch.run(runner.batch.worker(), plan.values(0, SAMPLES), _room(runner))
        served.append(not left.any() and not reasons and runner.batch.law is not None)
    assert all(served)


def served(job: Job, plan: Plan, count: int) -> Chunk:
    """Samples that the compiled loop computes without any help."""
    runner = Runner(job, plan, [np.shape(a) for a in job.result()[1]])
    assert runner.batch is not None
    runner._ordinary = None  # type: ignore[assignment, method-assign]
    return runner(0, count)


def test_what_locks_up_says_so_in_the_words_of_the_ordinary_analysis() -> None:
    model = load("slider-crank").build()
    keys = {parameter(model, "C.a.x"): (-0.14, 0.2), parameter(model, "motor.motion.rate"): (5.0, 20.0)}
    plan = random_samples(keys, 8, seed=4)
    outputs = outputs_of(["slider.x", "slider.ax:peak"])
    job = Job(model, plan.keys, "kinematics", outputs, {"times": np.linspace(0.0, 0.6, 31)})
    chunk = served(job, plan, 8)
    assert 2 <= sum("locks up" in reason for reason in chunk.reasons) <= 6
    assert_same(job, chunk, *ordinary(job, chunk.values))


def test_functions_of_the_result_and_columns_of_all_kinds_are_served() -> None:
    """They see the motion, and the model with the numbers of their sample."""
    model = load("slider-crank").build()
    plan = random_samples({"B.b.x": (-0.3, -0.2), "crank.mass": (1.0, 2.0), "A.a.x": (0.0, 0.1)}, 5, seed=1)
    outputs = {
        "x": "slider.x",
        "reach": lambda run: run["slider"].position[:, 0].max(),
        "mass": lambda run: run.model["crank"].mass,
        "open": "C.violation",
        "pin": lambda run: run[run.model["B"].b].position[3],
        "turn": lambda run: run["A"].angle.acceleration,
    }
    job = Job(model, plan.keys, "kinematics", outputs_of(outputs), {"times": np.linspace(0.0, 0.6, 31)})
    chunk = served(job, plan, 5)
    assert_same(job, chunk, *ordinary(job, chunk.values))
    np.testing.assert_array_equal(chunk.outputs[2], chunk.values[:, 1])
    assert model["crank"].mass not in chunk.values[:, 1]  # and stays as it was stated


def test_models_that_a_function_builds_are_served() -> None:
    plan = random_samples({"rod": (0.15, 0.5), "motor.motion.rate": (5.0, 20.0)}, 8, seed=3)
    outputs = {"x": "slider.x", "peak": "slider.ax:peak", "far": lambda run: run["slider"].position[:, 0].max()}
    job = Job(
        load("slider-crank").build, plan.keys, "kinematics", outputs_of(outputs), {"times": np.linspace(0, 1, 41)}
    )
    chunk = served(job, plan, 8)
    assert 0 < sum(map(bool, chunk.reasons)) < 8
    assert_same(job, chunk, *ordinary(job, chunk.values))


def test_a_function_may_build_another_mechanism_where_it_likes() -> None:
    """Designs of another structure, wherever they lie between those that were looked at, are computed as they are."""

    def build(rod: float = 0.5) -> Any:
        model = load("slider-crank").build(rod=rod)
        if 0.41 < rod < 0.42:
            model.add(Point(model["rod"].at(0.1, 0.0)), name="P")
            model.add(Body(position=(0.0, 1.0)), name="stone")
            model.add(Hold(x(model["stone"].at()), 0.0), name="x")
            model.add(Hold(y(model["stone"].at()), 1.0), name="y")
            model.add(Hold(angle(model.ground.at(), model["stone"].at()), 0.0), name="turn")
        return model

    plan = designs({"rod": [0.4, 0.415, 0.43]})
    job = Job(build, plan.keys, "kinematics", outputs_of(["slider.x"]), {"times": np.linspace(0.0, 0.6, 11)})
    chunk = Runner(job, plan, [(11,)])(0, 3)
    assert_same(job, chunk, *ordinary(job, chunk.values))
    assert not any(chunk.reasons)


@pytest.mark.parametrize("name", ["rack-pinion", "bevel-differential"])
def test_offsets_that_the_first_position_gives_are_served(name: str) -> None:
    job, plan = job_and_plan(name)
    system = compile(job.model)
    assert system.floating.any()
    chunk = served(job, plan, SAMPLES)
    assert_same(job, chunk, *ordinary(job, chunk.values))


def test_a_sample_does_not_depend_on_those_before_it() -> None:
    """To the last digit, in any order and in any company, failures among them."""
    model = load("slider-crank").build()
    keys = {parameter(model, "C.a.x"): (-0.1, 0.2), parameter(model, "motor.motion.rate"): (5.0, 20.0)}
    plan = random_samples(keys, 20, seed=4)
    outputs = outputs_of(["slider.x", "slider.ax:peak", "A.angle.acceleration"])
    job = Job(model, plan.keys, "kinematics", outputs, {"times": np.linspace(0.0, 0.6, 31)})
    shapes = [np.shape(a) for a in job.result()[1]]
    together = Runner(job, plan, shapes)(0, 20)
    assert 0 < sum(map(bool, together.reasons)) < 20
    alone = Runner(job, plan, shapes)
    for k in (7, 3, 19, 0, 12):
        one = alone(k, k + 1)
        assert one.reasons[0] == together.reasons[k]
        for a, b in zip(one.outputs, together.outputs, strict=True):
            np.testing.assert_array_equal(a[0], b[k])


def test_axes_that_turn_with_an_angle_follow_it_exactly() -> None:
    """The guide's angle enters tables as cosine and sine; x of the slider on a line at angle w is known."""
    model = load("slider-crank").build()
    plan = random_samples({"guide.a.angle": (-0.3, 0.3)}, 8, seed=2)
    job = Job(model, plan.keys, "kinematics", outputs_of(["slider.x"]), {"times": np.linspace(0.0, 0.1, 5)})
    runner = Runner(job, plan, [(5,)])
    assert runner.batch is not None and runner.batch.law is not None
    assert runner.batch.law.cosines and runner.batch.law.sines
    chunk = runner(0, 8)
    for s, (w,) in enumerate(chunk.values):
        phi = 10.0 * np.linspace(0.0, 0.1, 5)
        along, across = 0.2 * np.cos(phi - w), 0.2 * np.sin(phi - w)
        reach = along + np.sqrt(0.5**2 - across**2)
        np.testing.assert_allclose(chunk.outputs[0][s], reach * np.cos(w), rtol=1e-11)
