"""Machines from files against the numbers that Pinocchio and MuJoCo give for the same files.

`tests/data/machines/reference.json` was written by `benchmarks/bench_import.py --write`, which runs both programs; it
says which versions. States and forces are mapped by the names of coordinates, so that their order may change.
"""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cardan import CardanWarning, from_mjcf, from_urdf, joint_space
from cardan.examples import data

MACHINES = Path(__file__).parents[2] / "data" / "machines"
REFERENCE = json.loads((MACHINES / "reference.json").read_text())
TOLERANCE = 1e-10  # of the largest entry, what the issue of imports asks for; 1e-14 is met where no mesh takes part


def opened(name: str, **options: Any) -> Any:
    path = MACHINES / name if (MACHINES / name).exists() else data(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CardanWarning)
        return (from_urdf if path.suffix == ".urdf" else from_mjcf)(path, **options)


@pytest.mark.parametrize("case", REFERENCE["machines"], ids=lambda c: f"{c['file']}-{'-'.join(map(str, c['options']))}")
def test_equations_of_motion(case: dict[str, Any]) -> None:
    model = opened(case["file"], **case["options"])
    space = joint_space(model, cut=tuple(model.closures.values()))
    assert set(space.coordinates) == set(case["coordinates"])
    places = [case["coordinates"].index(name) for name in space.coordinates]
    speeds = [case["speeds"].index(name) for name in space.speeds]
    for state in case["states"]:
        q = np.array(state["q"])[places]
        v, a, gravity, torques = (np.array(state[key])[speeds] for key in ("v", "a", "gravity", "torques"))
        mass = np.array(state["mass"])[np.ix_(speeds, speeds)]
        found = space.torques(q, v, a)
        if case["file"].endswith(".urdf"):  # Pinocchio has no dampers
            found = space.mass_matrix(q) @ a + space.bias(q, v) + space.gravity(q)
        for mine, theirs in ((space.mass_matrix(q), mass), (space.gravity(q), gravity), (found, torques)):
            assert mine == pytest.approx(theirs, abs=TOLERANCE * np.abs(theirs).max(), rel=0.0)


def test_rotors_are_added_to_the_mass_matrix() -> None:
    plain = joint_space(opened("drives.xml", armature=False, friction=False))
    model = opened("drives.xml", friction=False)
    space = joint_space(model)
    assert space.speeds == plain.speeds  # they add no coordinates
    armature = np.array([model.joints[name.rpartition(".")[0]].armature for name in plain.speeds])
    assert armature.min() > 0.0
    q, v, tau = np.random.default_rng(2).standard_normal((3, len(plain.speeds)))
    bias = plain.torques(q, v, np.zeros_like(v))
    expected = np.linalg.solve(plain.mass_matrix(q) + np.diag(armature), tau - bias)
    assert space.accelerations(q, v, tau) == pytest.approx(expected, rel=1e-10)
