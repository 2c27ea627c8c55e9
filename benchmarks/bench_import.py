"""Machines from URDF and MJCF files against Pinocchio and MuJoCo, which read the same files.

    python benchmarks/bench_import.py

Of each file, at random states: the mass matrix, the forces of gravity and the joint forces of given accelerations, those
of springs and dampers among them with MuJoCo; for closed loops, the equations of closure.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
from timing import at_most, conclude

from cardan import CardanWarning, from_mjcf, from_urdf, joint_space
from cardan.examples import data

VERSIONS = ("pin==4.1.0", "mujoco==4.0.0")
SIDE = Path(__file__).with_name("machine_rivals.py")
MACHINES = Path(__file__).parents[1] / "tests" / "data" / "machines"
STATES = 20


def main() -> None:
    verdicts = []
    for path, options in (
        (MACHINES / "seven.urdf", {}),
        (MACHINES / "tree.urdf", {"base": "fixed"}),
        (MACHINES / "tree.urdf", {"base": "free"}),
        (data("arm.urdf"), {}),
        (MACHINES / "walker.xml", {}),
        (MACHINES / "loop.xml", {"armature": False}),
        (data("leg.xml"), {}),
    ):
        verdicts += compare(path, options)
    conclude(verdicts)


def compare(path: Path, options: dict) -> list[bool]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CardanWarning)
        model = (from_urdf if path.suffix == ".urdf" else from_mjcf)(path, **options)
    space = joint_space(model, cut=tuple(model.closures.values()))
    states = random_states(space)
    theirs = rival(model, space, states, free=options.get("base") == "free")
    q, v, a = (np.array([state[key] for state in states]) for key in ("q", "v", "a"))
    ours = {"mass": space.mass_matrix(q), "gravity": space.gravity(q)}
    ours["torques"] = space.torques(q, v, a)
    if path.suffix == ".urdf":  # Pinocchio has no springs and dampers
        ours["torques"] = space.bias(q, v) + ours["gravity"] + np.einsum("sij,sj->si", ours["mass"], a)
    who, verdicts = ("Pinocchio" if path.suffix == ".urdf" else "MuJoCo"), []
    title = " ".join((path.name, *(f"{key}={value}" for key, value in options.items())))
    for key, word in (("mass", "mass matrix"), ("gravity", "gravity"), ("torques", "joint forces")):
        mine, other = ours[key], theirs[key]
        if key == "mass":
            other = other - np.diag([_armature(model, name) for name in space.speeds])
        elif key == "torques":
            other = other - a * [_armature(model, name) for name in space.speeds]
        error = np.abs(mine - other).max() / np.abs(mine).max()
        verdicts.append(at_most(f"{title}, {word} against {who}", error, 1e-10, " relative"))
    if "rows" in theirs and theirs["rows"].size and path.name == "loop.xml":
        verdicts.append(_closure(title, space, q, theirs["rows"]))
    return verdicts


def _closure(title: str, space, q: np.ndarray, rows: np.ndarray) -> bool:
    """Rows of a ball and of a tie; those of a weld are scaled otherwise there."""
    ours = space.constraint_jacobian(q)
    error = 0.0
    for mine, other in ((slice(0, 3), slice(0, 3)), (slice(9, 10), slice(9, 10))):
        error = max(error, min(np.abs(ours[:, mine] - sign * rows[:, other]).max() for sign in (1.0, -1.0)))
    return at_most(f"{title}, equations of closure against MuJoCo", error, 1e-10, "")


def _armature(model, speed: str) -> float:
    joint = model.joints.get(speed.rpartition(".")[0])
    return joint.armature if joint is not None else 0.0


def random_states(space) -> list[dict]:
    random = np.random.default_rng(5)
    states = []
    for _ in range(STATES):
        step, v, a = random.standard_normal((3, len(space.speeds)))
        states.append({"q": space.moved(space.q, step).tolist(), "v": v.tolist(), "a": a.tolist()})
    return states


def rival(model, space, states: list[dict], free: bool) -> dict[str, np.ndarray]:
    folder = Path(tempfile.gettempdir()) / f"cardan-tree-rivals-{os.getuid()}"
    python = folder / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "-q", *VERSIONS], check=True)
    joints = []
    for joint in model.joints.values():
        name = (joint.element or joint.body).name
        q, v = int(space.places(name)[0]), int(space.speed_places(name)[0])
        joints.append({"name": joint.name, "kind": joint.kind, "q": q, "v": v})
    given, answer = folder / "machine.json", folder / "machine.npz"
    stated = {"path": str(model.source), "free": free, "gravity": model.gravity, "size": len(space.speeds)}
    given.write_text(json.dumps(stated | {"joints": joints, "states": states}))
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    environment.pop("PYTHONPATH", None)
    subprocess.run([str(python), str(SIDE), str(given), str(answer)], check=True, env=environment)
    return dict(np.load(answer))


if __name__ == "__main__":
    main()
