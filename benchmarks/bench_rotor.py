"""A reduced flexible rotor in supports against Exudyn's reduced-order body: CPU time at equal error.

    python benchmarks/bench_rotor.py

The rotor is Exudyn's own test model, with an unbalance of 0.1 kg at 50 turns per second for 0.2 s. Both programs
integrate the same modes; errors are those of the displacement of the center at the end, relative to its magnitude
in a run at rtol 1e-12, to which both converge. Times are those of the loops, without reading and assembling the
model; those of Cardan are interpolated between tolerances.
"""

from __future__ import annotations

import json
import math
import site
import statistics
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
from exudyn_rival import environment_of, python_of
from timing import at_least, conclude, table

from cardan import simulate
from cardan.flexible import read_abaqus, reduce
from cardan.spatial import Bushing, FlexibleBody, Model

FILES = Path(__file__).parents[1] / "tests" / "data" / "rotor" / "rotorDiscTest"
UNBALANCE, CENTER = (0.0, 0.19598444, 0.15), (0.0, 0.0, 0.25)
SPIN, UNTIL, SOFT = 100.0 * math.pi, 0.2, 0.01
RUNS = [(8, 1e-4), (8, 5e-5), (8, 2e-5), (24, 2e-4), (24, 1e-4)]
TOLERANCES = [10.0**-k for k in (2, 3, 4, 5, 6, 7, 8)]
REPETITIONS = 3


def main() -> None:
    theirs: list[list[dict[str, Any]]] = []
    ours: dict[int, list[list[tuple[float, np.ndarray]]]] = {}
    exact: dict[int, np.ndarray] = {}
    models = {modes: rotor(modes) for modes in sorted({modes for modes, _ in RUNS})}
    for modes, model in models.items():
        exact[modes] = solved(model, 1e-12)[1]
    for _ in range(REPETITIONS):
        theirs.append(exudyn())
        for modes, model in models.items():
            ours.setdefault(modes, []).append([solved(model, rtol) for rtol in TOLERANCES])
    lines, verdicts = [], []
    for k, (modes, h) in enumerate(RUNS):
        reference = exact[modes]
        size = float(np.linalg.norm(reference))
        error = float(np.linalg.norm(np.array(theirs[0][k]["displacement"]) - reference)) / size
        errors = [float(np.linalg.norm(found - reference)) / size for _, found in ours[modes][0]]
        spent = [statistics.median(turn[j][0] for turn in ours[modes]) for j in range(len(TOLERANCES))]
        order = np.argsort(errors)
        here = float(np.exp(np.interp(np.log(error), np.log(np.array(errors)[order]), np.log(np.array(spent)[order]))))
        there = statistics.median(turn[k]["cpu"] for turn in theirs)
        lines.append((f"{modes} modes, h = {h:g} s", error, there, here, there / here))
        verdicts.append(
            at_least(f"{modes} modes, error {error:.1e}: Exudyn against Cardan", there / here, 10.0, " times")
        )
    table("CPU in s at equal error", ("", "error", "Exudyn", "Cardan", "ratio"), lines)
    conclude(verdicts)


def rotor(modes: int) -> Model:
    elements = read_abaqus(*(FILES.with_name(FILES.name + ending) for ending in ("STIF1.mtx", "MASS1.mtx", ".inp")))
    nodes, M = np.asarray(elements.nodes), elements.M.tolil(copy=True)
    unbalance, center = (int(np.linalg.norm(nodes - place, axis=1).argmin()) for place in (UNBALANCE, CENTER))
    for k in range(3 * unbalance, 3 * unbalance + 3):
        M[k, k] += 0.1
    ends = {name: np.flatnonzero(np.abs(nodes[:, 2] - z) < 1e-9) for name, z in (("left", 0.0), ("right", 0.5))}
    part = reduce(M.tocsc(), SOFT * elements.K, nodes, {**ends, "center": [center]}, modes=modes)
    model = Model("rotor", gravity=(0, 0, 0))
    body = model.add(FlexibleBody(part, modes=modes, angular_velocity=(0, 0, SPIN)), name="rotor")
    for name, z, axial in (("left", 0.0, 1.0), ("right", 0.5, 0.0)):
        shares = np.array([1.0, 1.0, axial, 0.0, 0.0, 0.0])
        model.add(Bushing(model.ground.at(0, 0, z), body.at(name), stiffness=2e8 * shares, damping=2e6 * shares))
    return model


def solved(model: Model, rtol: float) -> tuple[float, np.ndarray]:
    """CPU seconds of the loop, and the displacement of the center at the end."""
    run = simulate(model, UNTIL, output=UNTIL, method="radau", rtol=rtol, progress=False)
    return run.stats.seconds, np.asarray(run[model["rotor"].at("center")].position[-1] - CENTER)


def exudyn() -> list[dict[str, Any]]:
    request = {
        "packages": site.getsitepackages()[0],
        "files": str(FILES),
        "runs": RUNS,
        "unbalance": UNBALANCE,
        "center": CENTER,
        "spin": SPIN,
        "until": UNTIL,
        "soft": SOFT,
    }
    command = [str(python_of(environment_of())), str(Path(__file__).with_name("exudyn_rotor.py"))]
    answer = subprocess.run(command, input=json.dumps(request), capture_output=True, text=True, check=False)
    if answer.returncode:
        raise SystemExit(f"Exudyn failed:\n{answer.stderr}")
    return list(json.loads(answer.stdout.strip().splitlines()[-1]))


if __name__ == "__main__":
    main()
