"""Machines from URDF and MJCF files against Pinocchio and MuJoCo, which read the same files.

    python benchmarks/bench_import.py
    python benchmarks/bench_import.py --write      the numbers of the others for the tests, two states of each file

Of each file, at random states: the mass matrix, the forces of gravity and the joint forces of given accelerations,
those of springs and dampers among them with MuJoCo; for closed loops, the equations of closure; for drives with
armature, accelerations. MuJoCo keeps meshes in single precision: those of the files have whole binary fractions.
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


CASES = (
    (MACHINES / "seven.urdf", {}),
    (MACHINES / "tree.urdf", {"base": "fixed"}),
    (MACHINES / "tree.urdf", {"base": "free"}),
    (data("arm.urdf"), {}),
    (MACHINES / "walker.xml", {}),
    (MACHINES / "loop.xml", {}),
    (MACHINES / "drives.xml", {"friction": False}),
    (data("leg.xml"), {}),
)


def main() -> None:
    if sys.argv[1:] == ["--write"]:
        write_references()
        return
    verdicts = []
    for path, options in CASES:
        verdicts += compare(path, options)
    conclude([*verdicts, rotors(), *mimicking()])


def opened(path: Path, **options):
    """The model, and the file's tree in joint coordinates."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CardanWarning)
        model = (from_urdf if path.suffix == ".urdf" else from_mjcf)(path, **options)
    return model, joint_space(model, cut=tuple(model.closures.values()))


def compare(path: Path, options: dict) -> list[bool]:
    model, space = opened(path, **options)
    states = random_states(space, STATES)
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


def rotors() -> bool:
    """Accelerations of drives with armature against MuJoCo."""
    model, space = opened(MACHINES / "drives.xml", friction=False)
    states = random_states(space, STATES)
    theirs = rival(model, space, states, free=False)["accelerations"]
    q, v, tau = (np.array([state[key] for state in states]) for key in ("q", "v", "a"))
    ours = space.accelerations(q, v, tau)
    error = np.abs(ours - theirs).max() / np.abs(theirs).max()
    return at_most("drives.xml, accelerations with rotors against MuJoCo", error, 1e-10, " relative")


def mimicking() -> list[bool]:
    """A joint that follows another: eliminated here by the equation that ties it, and by Pinocchio on its own."""
    model, space = opened(MACHINES / "tree.urdf")
    follower = int(space.places("left_wrist")[0])
    states = random_states(space, STATES)
    kept = np.delete(np.arange(len(space.speeds)), follower)
    ours, masses = [], []
    for state in states:
        q, v, a = (np.array(state[key]) for key in ("q", "v", "a"))
        q[follower] -= space.residual(q)[0] / space.constraint_jacobian(q)[0, follower]
        row = space.constraint_jacobian(q)[0]
        G = np.eye(len(space.speeds))[:, kept]
        G[follower] = -row[kept] / row[follower]
        v, a = G @ v[kept], G @ a[kept]
        masses.append(G.T @ space.mass_matrix(q) @ G)
        ours.append(G.T @ (space.mass_matrix(q) @ a + space.bias(q, v) + space.gravity(q)))
        state |= {"q": q[kept].tolist(), "v": v[kept].tolist(), "a": a[kept].tolist()}
    theirs = rival(model, space, states, free=False, without=follower)
    verdicts = []
    for word, mine, key in (("mass matrix", masses, "mass"), ("joint forces", ours, "torques")):
        error = np.abs(np.array(mine) - theirs[key]).max() / np.abs(theirs[key]).max()
        verdicts.append(at_most(f"tree.urdf with its mimic, {word} against Pinocchio", error, 1e-10, " relative"))
    return verdicts


def write_references() -> None:
    """The numbers of Pinocchio and MuJoCo at two states of each file."""
    found = []
    for path, options in CASES:
        model, space = opened(path, **options)
        states = random_states(space, 2)
        theirs = rival(model, space, states, free=options.get("base") == "free")
        for k, state in enumerate(states):
            state |= {key: theirs[key][k].tolist() for key in ("mass", "gravity", "torques")}
        names = {"coordinates": space.coordinates, "speeds": space.speeds}
        found.append({"file": path.name, "options": options, **names, "states": states})
    note = f"Numbers of {' and '.join(VERSIONS)}, written by benchmarks/bench_import.py --write"
    text = json.dumps({"source": note, "machines": found}, indent=None, separators=(",", ":"))
    (MACHINES / "reference.json").write_text(text.replace('{"file"', '\n{"file"') + "\n")


def random_states(space, count: int) -> list[dict]:
    random = np.random.default_rng(5)
    states = []
    for _ in range(count):
        step, v, a = random.standard_normal((3, len(space.speeds)))
        states.append({"q": space.moved(space.q, step).tolist(), "v": v.tolist(), "a": a.tolist()})
    return states


def rival(model, space, states: list[dict], free: bool, without: int | None = None) -> dict[str, np.ndarray]:
    folder = Path(tempfile.gettempdir()) / f"cardan-tree-rivals-{os.getuid()}"
    python = folder / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "-q", *VERSIONS], check=True)
    joints = []
    for joint in model.joints.values():
        name = (joint.element or joint.body).name
        q, v = int(space.places(name)[0]), int(space.speed_places(name)[0])
        if without is not None:  # the number of a joint with one coordinate that follows another
            if q == without:
                continue
            q, v = q - (q > without), v - (v > without)
        joints.append({"name": joint.name, "kind": joint.kind, "q": q, "v": v})
    given, answer = folder / "machine.json", folder / "machine.npz"
    stated = {"path": str(model.source), "free": free, "gravity": model.gravity}
    stated |= {"mimic": without is not None, "size": len(states[0]["v"])}
    given.write_text(json.dumps(stated | {"joints": joints, "states": states}))
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    environment.pop("PYTHONPATH", None)
    subprocess.run([str(python), str(SIDE), str(given), str(answer)], check=True, env=environment)
    return dict(np.load(answer))


if __name__ == "__main__":
    main()
