"""Results on disk: 1e6 instants of 20 bodies written and read, against plain writing and reading of the same bytes.

    python benchmarks/bench_files.py [folder]

The motion is that of a chain of 20 bodies, computed for 1,000 instants and written over and over with later times, part
by part, as a run does that goes on. Plain writing is one `write` after the other of a block of that size, then `fsync`;
plain reading is `readinto`. Both drop the file from the page cache before they read. Each is done in turn with ours,
three times, and the best of each counts: what is on the disk's other plate is not our affair.

Startup: how long `cardan --help`, `cardan check` and a warm `cardan run` of the slider-crank file take.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from timing import at_least, at_most, conclude

from cardan import kinematics, open_result
from cardan.planar import Body, Driver, Model, Ramp, Revolute
from cardan.results.trajectory import Trajectory
from cardan.storage.recorder import save_parts

INSTANTS, BODIES, PART = 1_000_000, 20, 1000
BLOCK = 1 << 23


def main() -> None:
    verdicts = startup()
    with tempfile.TemporaryDirectory(dir=sys.argv[1] if len(sys.argv) > 1 else None) as folder:
        verdicts += disk(Path(folder))
    conclude(verdicts)


def disk(folder: Path) -> list[bool]:
    """The figures of a large result."""
    model = chain()
    run = kinematics(model, np.linspace(0.0, 1.0, PART), progress=False)
    ours, plain = folder / "run.nc", folder / "plain"
    best = {"write": [np.inf, np.inf], "read": [np.inf, np.inf]}
    for _ in range(3):
        wrote = timed(lambda: save_parts(parts(run), ours, overwrite=True))
        size = ours.stat().st_size
        tasks = {"write": (wrote, timed(lambda size=size: write_plain(plain, size)))}
        forget(ours, plain)
        read = timed(lambda: read_ours(ours, model))
        tasks["read"] = (read, timed(lambda: read_plain(plain)))
        for name, pair in tasks.items():
            best[name] = [min(old, new) for old, new in zip(best[name], pair, strict=True)]
    for name, (mine, bare) in best.items():
        print(f"{name}: {size / mine / 1e6:.0f} MB/s, plain {size / bare / 1e6:.0f} MB/s, {size / 1e9:.2f} GB")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    verdicts = [at_least(f"{name}, of the disk's speed", bare / mine, 0.6) for name, (mine, bare) in best.items()]
    return [*verdicts, at_most("peak memory", peak, 0.5, " GB")]


def chain() -> Model:
    """Twenty bodies, each hinged to the one before and driven."""
    model = Model("chain")
    before = model.ground
    for k in range(BODIES):
        body = model.add(Body(position=(k + 0.5, 0.0)), name=f"link{k}")
        hinge = model.add(Revolute(before.at(0.5 if k else 0.0, 0.0), body.at(-0.5, 0.0)), name=f"hinge{k}")
        model.add(Driver(hinge.angle, Ramp(0.1 * (k + 1))), name=f"motor{k}")
        before = body
    return model


def parts(run: Trajectory) -> Iterator[Trajectory]:
    """The run again and again, each time later."""
    for k in range(INSTANTS // PART):
        later = run.times + 1.001 * k
        yield Trajectory(run.system, later, run.q, run.v, run.a, run.iterations, run.steps, turns=run.turns)


def read_ours(path: Path, model: Model) -> None:
    """All of the result, part by part; its sum proves that it was read."""
    total = 0.0
    with open_result(path, model=model) as stored:
        for part in stored.parts(5000):
            total += float(part.q[:, 3].sum())
    assert np.isfinite(total)


def write_plain(path: Path, size: int) -> None:
    block = os.urandom(BLOCK)
    with path.open("wb") as file:
        for first in range(0, size, BLOCK):
            file.write(block[: min(BLOCK, size - first)])
        file.flush()
        os.fsync(file.fileno())


def read_plain(path: Path) -> None:
    block = bytearray(BLOCK)
    with path.open("rb", buffering=0) as file:
        while file.readinto(block):
            pass


def forget(*paths: Path) -> None:
    """Drop files from the page cache, so that the disk is read."""
    for path in paths:
        with path.open("rb") as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def timed(task: Callable[[], object]) -> float:
    begun = time.perf_counter()
    task()
    return time.perf_counter() - begun


def startup() -> list[bool]:
    """The figures of the command line, best of five whole processes."""
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "slider-crank.yaml"
        command([*"examples slider-crank --file".split(), "--out", str(model)])
        run = ["run", str(model), "--out", folder, "--force"]
        command(run)  # compiles, if that was not done before
        limits = {"--help": (["--help"], 0.3), "check": (["check", str(model)], 0.3), "warm run": (run, 2.0)}
        found = {}
        for name, (words, _) in limits.items():
            found[name] = min(timed(lambda words=words: command(words)) for _ in range(5))
    return [at_most(f"cardan {name}", found[name], limit, " s") for name, (_, limit) in limits.items()]


def command(words: list[str]) -> None:
    subprocess.run([sys.executable, "-m", "cardan", *words], check=True, capture_output=True)


if __name__ == "__main__":
    main()
