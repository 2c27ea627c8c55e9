"""Trees of hinges in joint coordinates against Pinocchio and MuJoCo: accelerations of torques, and the reverse.

    python benchmarks/bench_tree.py

Ten thousand random states of an arm of 7 and of a tree of 30 joints through the public functions of each program, one
thread, and fewer of long chains; CPU time. `joint_space(model).accelerations` takes all states in one call, the others
are called for each. The kernel alone is the same call without the checks of its arguments.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import numpy as np
from timing import at_most, conclude, table

from cardan import joint_space
from cardan.spatial import Body, Model, Revolute
from cardan.system.tree.recursion.batch import accelerations_of, torques_of

VERSIONS = ("pin==4.1.0", "mujoco==4.0.0")
SIDE = Path(__file__).with_name("tree_rivals.py")


def main() -> None:
    verdicts = []
    lines = []
    for name, parents, states, rivals in (
        ("arm of 7", _chain(7), 10_000, ("pin", "mujoco")),
        ("tree of 30", _tree(30), 10_000, ("pin", "mujoco")),
        ("chain of 1,000", _chain(1000), 20, ("mujoco",)),
    ):
        found = _contest(name, parents, states, rivals)
        lines += found[0]
        verdicts += found[1]
    table("CPU in us per state", ("", "accelerations", "torques"), lines)
    conclude([*verdicts, *_growth()])


def _chain(n: int) -> list[int]:
    return list(range(-1, n - 1))


def _tree(n: int) -> list[int]:
    """A trunk of six, and four limbs of six, as of a body with arms and legs."""
    trunk = list(range(-1, 5))
    for start in (5, 5, 1, 1):
        first = len(trunk)
        trunk += [start, *range(first, first + 5)]
    return trunk[:n]


def _model(parents: list[int]) -> Model:
    random = np.random.default_rng(7)
    model = Model("tree", gravity=(0.0, 0.0, -9.81))
    bodies = []
    places = []
    for k, parent in enumerate(parents):
        before = np.zeros(3) if parent < 0 else places[parent]
        places.append(before + 0.3 * random.standard_normal(3))
        spread = random.standard_normal((3, 3))
        second = 0.02 * spread @ spread.T
        inertia = np.trace(second) * np.eye(3) - second
        body = model.add(Body(mass=random.uniform(0.5, 2.0), inertia=inertia, position=tuple(places[k])), name=f"b{k}")
        bodies.append(body)
        carrier = model.ground if parent < 0 else bodies[parent]
        z = random.standard_normal(3)
        at = tuple(0.5 * (before + places[k]))
        model.add(
            Revolute.between(carrier, body, at, z=tuple(z), x=tuple(np.cross(z, random.standard_normal(3)))),
            name=f"j{k}",
        )
    return model


def _contest(name: str, parents: list[int], states: int, rivals: tuple[str, ...]) -> tuple[list, list[bool]]:
    space = joint_space(_model(parents))
    random = np.random.default_rng(1)
    q, v, tau = random.uniform(-3.0, 3.0, (states, len(parents))), *random.standard_normal((2, states, len(parents)))
    tree = space._tree
    a, back = np.zeros_like(q), np.zeros_like(q)
    ours = np.array([_least(lambda: space.accelerations(q, v, tau)), _least(lambda: space.torques(q, v, tau))])
    kernel = np.array(
        [_least(lambda: accelerations_of(tree, q, v, tau, a)), _least(lambda: torques_of(tree, q, v, tau, back))]
    )
    theirs = _rivals(tree, q, v, tau, rivals)
    lines = [[f"{name}, cardan", *(1e6 * ours / states)], [f"{name}, cardan, kernel", *(1e6 * kernel / states)]]
    lines += [[f"{name}, {rival}", *(1e6 * theirs[f"{rival}_seconds"] / states)] for rival in rivals]
    verdicts = []
    fastest = np.min([theirs[f"{rival}_seconds"] for rival in rivals], axis=0)
    for k, what in enumerate(("accelerations", "torques")):
        label = f"{name}, {what}: CPU against the faster rival"
        verdicts.append(at_most(label, ours[k] / fastest[k], 1.0, "x"))
        verdicts.append(at_most(f"{name}, {what}: kernel alone", kernel[k] / fastest[k], 2.0, "x"))
    for rival in rivals:
        if len(parents) <= 100:
            error = np.abs(theirs[f"{rival}_a"] - a).max() / np.abs(a).max()
            verdicts.append(at_most(f"{name}, accelerations against {rival}", error, 1e-10, " relative"))
            error = np.abs(theirs[f"{rival}_tau"] - back).max() / np.abs(back).max()
            verdicts.append(at_most(f"{name}, torques against {rival}", error, 1e-10, " relative"))
    again = space.torques(q, v, a)
    scale = np.abs(space.torques(q, v, np.zeros_like(a))).max() + np.abs(tau).max()
    verdicts.append(at_most(f"{name}, torques of accelerations", np.abs(again - tau).max() / scale, 1e-9, " relative"))
    return lines, verdicts


def _growth() -> list[bool]:
    """Per link, up to 10,000 of them."""
    verdicts, first = [], {}
    for n in (100, 1000, 10_000):
        tree = joint_space_tree(n)
        random = np.random.default_rng(1)
        count = max(2, 20_000 // n)
        q, v, tau = random.uniform(-3.0, 3.0, (count, n)), *random.standard_normal((2, count, n))
        out = np.zeros_like(q)
        for name, task in (("accelerations", accelerations_of), ("torques", torques_of)):
            cost = _least(partial(task, tree, q, v, tau, out)) / count / n
            first.setdefault(name, cost)
            if n > 100:
                verdicts.append(at_most(f"{name}, per link of {n} against 100", cost / first[name], 1.5, "x"))
    return verdicts


def joint_space_tree(n: int):
    """The tables of a long chain, made of nodes: assembling 10,000 bodies would take longer than all the rest."""
    from cardan.system.tree.layout import Node, tree_table
    from cardan.system.tree.recursion.kernels import TURN

    random = np.random.default_rng(3)
    nodes = []
    for k in range(n):
        Q, _ = np.linalg.qr(random.standard_normal((3, 3)))
        nodes.append(
            Node(
                TURN,
                k - 1,
                Q * np.sign(np.linalg.det(Q)),
                0.1 * random.standard_normal(3),
                np.array([1.0, 0, 0, 0, 0.01, 0.01, 0.01, 0, 0, 0]),
            )
        )
    return tree_table(nodes, (0.0, 0.0, -9.81))


def _least(task) -> float:
    task()
    best = np.inf
    for _ in range(5):
        begun = time.process_time()
        task()
        best = min(best, time.process_time() - begun)
    return best


def _rivals(tree, q, v, tau, rivals) -> dict[str, np.ndarray]:
    folder = Path(tempfile.gettempdir()) / f"cardan-tree-rivals-{os.getuid()}"
    python = folder / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "-q", *VERSIONS], check=True)
    given, answer = folder / "given.npz", folder / "answer.npz"
    states = {"q": q * tree.sign, "v": v * tree.sign, "tau": tau * tree.sign}
    tables = {name: getattr(tree, name) for name in ("parent", "place", "inertia", "gravity")}
    np.savez(given, **tables, **states, rivals=np.array(rivals))
    environment = os.environ | {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL")}
    environment.pop("PYTHONPATH", None)
    subprocess.run([str(python), str(SIDE), str(given), str(answer)], check=True, env=environment)
    found = dict(np.load(answer))
    for rival in rivals:
        found[f"{rival}_a"] = found[f"{rival}_a"] * tree.sign
        found[f"{rival}_tau"] = found[f"{rival}_tau"] * tree.sign
    return found


if __name__ == "__main__":
    main()
