"""Calls that a controller makes for one state at a time, and inverse kinematics, against Pinocchio.

    python benchmarks/bench_robots.py

An arm of 7 and a tree of 30 hinges, one state per call, through the public functions of both programs; CPU time per
call. Along six tasks Pinocchio finds J and M^-1, and NumPy the inverse of J M^-1 J^T; `task.at` finds all terms of a
task space. Inverse kinematics follows a path of the hand of an arm with seven axes, and of a platform on six legs.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from bench_stewart import platform
from bench_tree import VERSIONS, _chain, _model, _tree
from timing import at_most, conclude, table

from cardan import assemble, inverse_kinematics, joint_space, task_space
from cardan.spatial import Model, angular_velocity_about, rotation_component, x, y, z

SIDE = Path(__file__).with_name("robot_rivals.py")
CALLS = ("M", "g", "torques", "accelerations", "J", "tasks")
TARGETS = 5000
ONCE = 20  # us for one solution


def main() -> None:
    lines, verdicts = [], []
    for name, parents in (("arm of 7", _chain(7)), ("tree of 30", _tree(30))):
        model = _model(parents)
        ours, theirs = _ours(model), _rival(model)
        lines += [[f"{name}, cardan", *ours], [f"{name}, Pinocchio", *theirs]]
        for call, mine, other in zip(CALLS, ours, theirs, strict=True):
            verdicts.append(at_most(f"{name}, {call}: CPU against Pinocchio", mine / other, 2.0, "x"))
    table("CPU in us per call", ("", *CALLS), lines)
    for name, machine, hand in (("arm", _model(_chain(7)), "b6"), ("platform on six legs", platform(), "platform")):
        cost = _inverse(machine, machine[hand])
        verdicts.append(at_most(f"inverse kinematics of the {name}, per target", cost, ONCE, " us"))
    conclude(verdicts)


def _ours(model: Model) -> list[float]:
    space, random = joint_space(model), np.random.default_rng(1)
    n = len(space.speeds)
    q, v, a = random.uniform(-3.0, 3.0, n), *random.standard_normal((2, n))
    hand, ground = model[f"b{n - 1}"].at(), model.ground.at()
    task = task_space(model, [f(hand) for f in (x, y, z)] + [angular_velocity_about(ground, hand, k) for k in "xyz"])
    calls = (
        partial(space.mass_matrix, q),
        partial(space.gravity, q),
        partial(space.torques, q, v, a),
        partial(space.accelerations, q, v, a),
        partial(space.jacobian, hand, q, rotation=True),
        partial(task.at, q, v),
    )
    return [1e6 * seconds_of(call) for call in calls]


def _inverse(model: Model, body) -> float:
    """Microseconds per target on a closed path of small motions about the stated position."""
    hand, start = body.at(), assemble(model, drivers=False)
    targets = [f(hand) for f in (x, y, z)] + [rotation_component(model.ground.at(), hand, k) for k in "xyz"]
    phase = np.linspace(0.0, 2.0 * np.pi, TARGETS)
    path = {m: start[m].value + 0.02 * (np.sin(phase + k) - np.sin(k)) for k, m in enumerate(targets)}
    inverse_kinematics(model, {m: values[:2] for m, values in path.items()}, start=start)
    begun = time.process_time()
    found = inverse_kinematics(model, path, start=start)
    spent = time.process_time() - begun
    assert max(np.abs(found[m].value - values).max() for m, values in path.items()) < 1e-9
    return 1e6 * spent / TARGETS


def seconds_of(call: Callable[[], object], count: int = 2000) -> float:
    """The least CPU time of a call in five rounds."""
    call()
    best = np.inf
    for _ in range(5):
        begun = time.process_time()
        for _ in range(count):
            call()
        best = min(best, (time.process_time() - begun) / count)
    return best


def _rival(model: Model) -> list[float]:
    folder = Path(tempfile.gettempdir()) / f"cardan-tree-rivals-{os.getuid()}"
    python = folder / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "-q", *VERSIONS], check=True)
    given, answer = folder / "robot.npz", folder / "robot_answer.npz"
    tree = joint_space(model)._tree
    np.savez(given, **{name: getattr(tree, name) for name in ("parent", "place", "inertia", "gravity")})
    environment = os.environ | {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL")}
    environment.pop("PYTHONPATH", None)
    subprocess.run([str(python), str(SIDE), str(given), str(answer)], check=True, env=environment)
    return (1e6 * np.load(answer)["seconds"]).tolist()


if __name__ == "__main__":
    main()
