"""Studies: what they cost beside a bare loop, on two cores beside one, and on a dask cluster.

The study is of slider-cranks: crank, rod and speed are drawn at random, each mechanism is assembled and moved through
100 instants, and its path and its largest acceleration are kept. The bare loop is the compiled one on the same tables,
called once, with nothing kept but the path: what a user would write who has all of this already.

    python benchmarks/bench_study.py           20,000 samples
    python benchmarks/bench_study.py 100000    as many as asked for
    python benchmarks/bench_study.py samples   what a sample costs outside the plain loop, alone
    python benchmarks/bench_study.py million   a million of two instants, streamed to disk: memory and time alone
    python benchmarks/bench_study.py simulations [COUNT]     simulations of 3 ms each: overhead, one core and two
"""

from __future__ import annotations

import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from timing import at_least, at_most, conclude, table

from cardan import kinematics, parameter, study, tied
from cardan.analysis.assembly.assemble import CLOSED
from cardan.examples import load
from cardan.study import random_samples
from cardan.study.batch.batch import batch_of
from cardan.study.batch.kernels import run_samples
from cardan.study.batch.simulation import simulation_batch_of
from cardan.study.batch.simulation_kernels import run_simulations
from cardan.study.job import Job
from cardan.study.outputs import outputs_of

TIMES = np.linspace(0.0, 0.2 * np.pi, 100)
OUTPUTS = ["slider.x", "slider.ax:peak"]
KINEMATICS = ("kinematics", OUTPUTS)
REPETITIONS = 3
PAIRS = 5  # of runs in turn, whose ratios are taken: what else the machine does comes and goes


def machine() -> tuple[Any, dict[Any, tuple[float, float]]]:
    model = load("slider-crank").build()
    rod = tied("rod", parameter(model, "C.a.x"), (-1.0, parameter(model, "B.b.x")))
    crank = tied("crank", parameter(model, "B.a.x"), (-1.0, parameter(model, "A.b.x")))
    return model, {rod: (0.2, 0.3), crank: (0.05, 0.12), "motor.motion.rate": (5.0, 20.0)}


def bare(model: Any, plan: Any) -> Callable[[], None]:
    """The compiled loop over tables that are at hand, in one call."""
    job = Job(model, plan.keys, "kinematics", outputs_of(["slider.x"]), {"times": TIMES})
    batch = batch_of(job, *plan.bounds())
    assert batch is not None and batch.law is not None
    workspace, numbers = batch.worker().workspace, batch.law.numbers(plan.values(0, plan.count))
    curves = np.zeros((plan.count, TIMES.size, 1))
    status = np.zeros(plan.count, np.int64)

    def run() -> None:
        run_samples(workspace, batch.tolerances, CLOSED, numbers, curves, status)
        assert not status.any()

    return run


def least(task: Callable[[], Any], clock: Callable[[], float]) -> float:
    """The least time of some repetitions: other work on the machine only adds to it."""
    times = []
    for _ in range(REPETITIONS):
        begun = clock()
        task()
        times.append(clock() - begun)
    return min(times)


def on_cores(count: int) -> list[bool]:
    model, ranges = machine()
    plan = random_samples(ranges, count, seed=1)

    def run(threads: int) -> Any:
        return study(model, plan, "kinematics", OUTPUTS, times=TIMES, threads=threads)

    loop = bare(model, plan)
    loop()
    run(2)
    floor = least(loop, time.process_time)
    one = least(lambda: run(1), time.process_time)
    pairs = np.array([[elapsed(lambda n=n: run(n)) for n in (1, 2)] for _ in range(PAIRS)])
    halves = [bare(model, random_samples(ranges, count // 2, seed=seed)) for seed in (1, 2)]
    beside = np.median([elapsed(loop) / elapsed(lambda: side_by_side(halves)) for _ in range(PAIRS)])
    lines = [["bare loop", floor, 1e6 * floor / count], ["study on one core", one, 1e6 * one / count]]
    for n, seconds in zip((1, 2), np.median(pairs, axis=0), strict=True):
        lines.append([f"wall clock, {n} threads", seconds, 1e6 * seconds / count])
    table(f"{count:,} slider-cranks of {TIMES.size} instants", ["", "s", "us a sample"], lines)
    print(f"two bare loops side by side do the work of one {beside:.2f} times as fast: what this machine gives")
    return [
        at_most("overhead over the bare loop", 100.0 * (one / floor - 1.0), 20.0, " %"),
        at_least("faster on two cores than on one", float(np.median(pairs[:, 0] / pairs[:, 1])), 1.8, " times"),
    ]


def elapsed(task: Callable[[], Any]) -> float:
    begun = time.perf_counter()
    task()
    return time.perf_counter() - begun


def side_by_side(tasks: list[Callable[[], None]]) -> None:
    with ThreadPoolExecutor(len(tasks)) as pool:
        for done in [pool.submit(task) for task in tasks]:
            done.result()


def one_by_one(samples: int = 300) -> None:
    """What a sample costs that the plain loop does not serve, in CPU time."""
    model, ranges = machine()
    plan = random_samples(ranges, samples, seed=1)
    rod = next(iter(ranges))
    kinds: dict[str, tuple[Any, ...]] = {
        "the plain loop": (model, plan, "kinematics", OUTPUTS),
        "a function of the result": (model, plan, "kinematics", {"far": lambda run: run["slider"].position.max()}),
        "a model built for each": (
            load("slider-crank").build,
            random_samples({"rod": (0.3, 0.5)}, samples),
            *KINEMATICS,
        ),
        "one that locks up": (model, random_samples({rod: (0.03, 0.04)}, samples), *KINEMATICS),
        "the ordinary analysis": (model, plan, lambda model: kinematics(model, TIMES, progress=False), OUTPUTS),
    }
    lines = []
    for name, stated in kinds.items():
        whole, half = (
            least(lambda s=s, k=k: study(s[0], designs_of(s[1], k), *s[2:], times=TIMES, threads=1), time.process_time)
            for s, k in ((stated, samples), (stated, samples // 2))
        )
        lines.append([name, 1e3 * (whole - half) / (samples - samples // 2)])
    table("what one more sample costs", ["", "ms"], lines)


def designs_of(plan: Any, count: int) -> Any:
    """The first samples of a plan."""
    return replace(plan, size=count)


def in_constant_memory() -> list[bool]:
    """Four times as many samples, streamed to disk, must not take more memory."""
    peaks = [streamed(count)[0] for count in (20_000, 80_000)]
    return [at_most("memory that four times the samples add", peaks[1] - peaks[0], 10.0, " MB")]


def streamed(count: int) -> tuple[float, float, float]:
    """The largest memory of this process so far, in MB, after a study that goes to disk; its seconds and megabytes."""
    model, ranges = machine()
    with tempfile.TemporaryDirectory() as folder:
        plan = random_samples(ranges, count, seed=1)
        options: dict[str, Any] = {"times": TIMES[:2], "store": Path(folder) / "study", "chunk": 2048}
        begun = time.perf_counter()
        found = study(model, plan, "kinematics", ["slider.x:max"], **options)
        seconds = time.perf_counter() - begun
        assert found.complete
        stored = sum(file.stat().st_size for file in Path(folder).rglob("*.nc")) / 2.0**20
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0, seconds, stored


def a_million() -> list[bool]:
    few, many = streamed(20_000), streamed(1_000_000)
    lines = [[name, *numbers] for name, numbers in (("20,000 samples", few), ("1,000,000 samples", many))]
    table("slider-cranks of two instants, streamed", ["", "peak MB", "s", "stored MB"], lines)
    return [at_most("memory that a million samples add to 20,000", many[0] - few[0], 20.0, " MB")]


RUN = 3e-3  # s of CPU time of a simulation


def of_simulations(count: int) -> list[bool]:
    """Simulations of slider-cranks: the study against its compiled loop, in CPU time; two threads against one."""
    model, ranges = machine()
    until = 1.0

    def stated(size: int) -> tuple[Any, dict[str, Any]]:
        return random_samples(ranges, size, seed=1), {"until": until, "output": until / 10}

    def loop(size: int) -> Callable[[], None]:
        plan, options = stated(size)
        job = Job(model, plan.keys, "simulate", outputs_of(["slider.x"]), options)
        batch = simulation_batch_of(job, *plan.bounds())
        assert batch is not None
        workspace, numbers = batch.worker().workspace, batch.law.numbers(plan.values(0, size))
        curves, status = np.zeros((size, batch.times.size, 1)), np.zeros(size, np.int64)
        return lambda: run_simulations(workspace, numbers, curves, status)

    def run(size: int, threads: int) -> Any:
        plan, options = stated(size)
        return study(model, plan, "simulate", ["slider.x"], threads=threads, progress=False, **options)

    loop(10)()
    short = loop(100)
    until *= RUN / (least(short, time.process_time) / 100)
    run(10, 2)
    bare = loop(count)
    pairs = [(spent(bare), spent(lambda: run(count, 1))) for _ in range(REPETITIONS)]
    overhead = float(np.median([100.0 * (study / plain - 1.0) for plain, study in pairs]))
    each = 1e3 * float(np.median([plain for plain, _ in pairs])) / count
    print(f"{count:,} simulations of {until:.3g} s, {each:.2f} ms of CPU each")
    ratio = float(
        np.median([elapsed(lambda: run(count, 1)) / elapsed(lambda: run(count, 2)) for _ in range(REPETITIONS)])
    )
    return [
        at_most("overhead over the bare loop", overhead, 10.0, " %"),
        at_least("faster on two cores than on one", ratio, 1.8, " times"),
    ]


def spent(task: Callable[[], Any]) -> float:
    begun = time.process_time()
    task()
    return time.process_time() - begun


def pause(model: Any) -> float:
    """A run of 50 ms."""
    begun = time.perf_counter()
    while time.perf_counter() - begun < 0.05:
        pass
    return float(model["crank"].mass)


def on_a_cluster(samples: int = 160) -> list[bool]:
    """Runs of 50 ms in chunks of ten on one worker, against the same chunks without it."""
    from distributed import Client, LocalCluster

    model, _ = machine()
    plan = random_samples({"crank.mass": (1.0, 2.0)}, samples, seed=1)
    output = {"mass": lambda value: value}
    os.environ["PYTHONPATH"] = os.pathsep.join(sys.path)
    options: dict[str, Any] = {"n_workers": 1, "threads_per_worker": 1, "dashboard_address": None}
    with LocalCluster(host="127.0.0.1", **options) as cluster, Client(cluster) as client:

        def run(where: Any) -> Any:
            return study(model, plan, pause, output, chunk=10, threads=1, client=where)

        run(client)
        here, there = (least(lambda w=w: run(w), time.perf_counter) for w in (None, client))
    table(f"{samples} runs of 50 ms in chunks of ten", ["", "s"], [["here", here], ["one dask worker", there]])
    return [at_most("overhead of dask", 100.0 * (there / here - 1.0), 5.0, " %")]


def main() -> None:
    asked = sys.argv[1] if len(sys.argv) > 1 else "20000"
    if asked == "million":
        conclude(a_million())
    if asked == "simulations":
        conclude(of_simulations(int(sys.argv[2]) if len(sys.argv) > 2 else 10_000))
    if asked == "samples":
        one_by_one()
        return
    count = int(asked)
    one_by_one()
    conclude([*on_cores(count), *in_constant_memory(), *on_a_cluster()])


if __name__ == "__main__":
    main()
