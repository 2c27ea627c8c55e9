"""Do two platforms compute the same numbers? Positions and headlines of all examples, written on each and compared.

    python benchmarks/platforms.py write x86.npz                                  on one machine
    qemu-aarch64 -L ROOT ROOT/usr/bin/python3 benchmarks/platforms.py write arm.npz   on another, or under an emulator
    python benchmarks/platforms.py compare x86.npz arm.npz

Differences are relative to the largest value of the example. The exit status is 1 if one exceeds LIMIT.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np

LIMIT = 1e-8  # runs integrate to relative tolerances of 1e-8
CHAOTIC = {"chain-on-plane"}  # impacts in quick succession: rounding grows to the size of the motion


def write(path: Path) -> None:
    """Run all examples and store their positions and headlines."""
    from cardan.case import load_case
    from cardan.examples import load, names

    found: dict[str, Any] = {}
    for name in names():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = load_case(name, {}).compute(progress=False)
        found[f"{name}, headline"] = np.atleast_1d(np.asarray(load(name).HEADLINE.compute(result), float))
        positions = getattr(result, "q", None)
        if positions is not None:
            found[f"{name}, positions"] = np.asarray(positions)
    np.savez(path, **found)
    print(f"{len(names())} examples, {'with' if 'numba' in sys.modules else 'without'} Numba")


def compare(first: Path, second: Path) -> bool:
    """Print the largest differences; whether all but those of chaotic motions are within the limit."""
    with np.load(first) as a, np.load(second) as b:
        if set(a.files) != set(b.files):
            raise SystemExit(f"the files hold different examples: {sorted(set(a.files) ^ set(b.files))}")
        differences = sorted(((_difference(a[key], b[key]), key) for key in a.files), reverse=True)
    for difference, key in differences[:10]:
        print(f"{difference:8.1e}  {key}")
    return all(difference <= LIMIT for difference, key in differences if key.partition(",")[0] not in CHAOTIC)


def _difference(a: np.ndarray, b: np.ndarray) -> float:
    if a.shape != b.shape or not np.array_equal(np.isfinite(a), np.isfinite(b)):
        return np.inf
    finite = np.isfinite(a)
    scale = float(np.abs(a[finite]).max(initial=0.0))
    return float(np.abs(a[finite] - b[finite]).max(initial=0.0)) / (scale or 1.0)


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "write":
        write(Path(sys.argv[2]))
    elif len(sys.argv) == 4 and sys.argv[1] == "compare":
        sys.exit(not compare(Path(sys.argv[2]), Path(sys.argv[3])))
    else:
        sys.exit(__doc__)
