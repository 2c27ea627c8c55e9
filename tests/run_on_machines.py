"""The suite, run the way other machines would run it: `make machines`, or for a part of it

    python tests/run_on_machines.py --only generic Nehalem -- tests/unit/numerics -x

Each variant is a process of its own with an environment that another machine would have: kernels compiled for a generic
processor or a level of x86-64, other OpenBLAS kernels, numbers of threads, hash seeds; or a virtual environment with
the oldest or newest declared dependencies, or another Python. `--list` prints them. What this machine cannot run is
listed as not tested. Numba's cache is keyed by processor and features; variants that compile have caches of their own
all the same, under `build/machines`, so that those of the user do not grow.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build" / "machines"
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
LEVELS = {  # flags of /proc/cpuinfo that a level of x86-64 needs beside those of the level before
    "x86-64": "sse2",
    "x86-64-v2": "sse4_2 ssse3 popcnt cx16",
    "x86-64-v3": "avx2 fma bmi2 movbe f16c",
    "x86-64-v4": "avx512f avx512bw avx512cd avx512dq avx512vl",
}
BLAS = {"Nehalem": "sse4_2", "Haswell": "avx2", "Zen": "avx2", "SkylakeX": "avx512f"}


@dataclass
class Variant:
    """An environment; `python` and `pins` ask for a virtual environment, `missing` says why it cannot be run."""

    name: str
    environment: dict[str, str] = field(default_factory=dict)
    python: str = ""
    pins: tuple[str, ...] | None = None
    missing: str = ""


def main() -> int:
    parser = argparse.ArgumentParser(description="Run the tests the way other machines would.")
    parser.add_argument("--list", action="store_true", help="print the variants")
    parser.add_argument("--only", nargs="+", default=(), metavar="NAME", help="run these variants")
    parser.add_argument("tests", nargs="*", help="arguments of pytest, after --; by default all tests, two at a time")
    options = parser.parse_args()
    known = variants()
    unknown = set(options.only) - {variant.name for variant in known}
    if unknown:
        parser.error(f"no variant is called {', '.join(sorted(unknown))}; --list prints them")
    chosen = [variant for variant in known if not options.only or variant.name in options.only]
    if options.list:
        for variant in known:
            setting = " ".join(f"{key}={value}" for key, value in variant.environment.items())
            print(f"{variant.name:14s} {variant.missing or setting or variant.python} {' '.join(variant.pins or ())}")
        return 0
    failed = [variant.name for variant in chosen if not variant.missing and not run(variant, options.tests)]
    untested = [f"{variant.name} ({variant.missing})" for variant in chosen if variant.missing]
    print(f"\nfailed: {', '.join(failed) or 'none'}; not tested: {', '.join(untested) or 'none'}")
    return 1 if failed else 0


def variants() -> list[Variant]:
    """All variants, those first that cost least."""
    flags = _flags()
    found = [Variant("generic", {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""})]
    needed: set[str] = set()
    for level, more in LEVELS.items():
        needed |= set(more.split())
        missing = "" if needed <= flags else f"this processor lacks {' '.join(sorted(needed - flags))}"
        found.append(Variant(level, {"NUMBA_CPU_NAME": level, "NUMBA_CPU_FEATURES": ""}, missing=missing))
    for core, flag in BLAS.items():
        missing = "" if flag in flags else f"this processor lacks {flag}"
        found.append(Variant(core, {"OPENBLAS_CORETYPE": core}, missing=missing))
    for count in ("1", "2", "4"):
        names = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "NUMBA_NUM_THREADS")
        found.append(Variant(f"threads-{count}", dict.fromkeys(names, count)))
    found += [Variant(f"seed-{seed}", {"PYTHONHASHSEED": seed}) for seed in ("0", "1", "12345")]
    found.append(Variant("oldest", python=_python(PYTHONS[0]), pins=_lowest()))
    found.append(Variant("newest", python=sys.executable, pins=()))
    for version in PYTHONS:
        python = _python(version)
        missing = "" if python else "this interpreter is not installed"
        found.append(Variant(f"python-{version}", python=python, pins=(), missing=missing))
    return found


def run(variant: Variant, tests: list[str]) -> bool:
    """Run pytest in a variant; returns whether all tests passed."""
    begun = time.perf_counter()
    python = sys.executable if variant.pins is None else _environment(variant)
    if not python:
        print(f"{variant.name:14s} its environment cannot be installed", flush=True)
        return False
    setting = {**os.environ, **variant.environment}
    if variant.pins is not None or "NUMBA_CPU_NAME" in variant.environment:  # other kernels than those of this machine
        setting["CARDAN_CACHE"] = str(BUILD / "cache" / variant.name)
    command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *(tests or ["-n", "2", "--dist", "worksteal"])]
    done = subprocess.run(command, cwd=ROOT, env=setting, capture_output=True, text=True)
    lines = done.stdout.splitlines()
    failures = [line for line in lines if re.match(r"(FAILED|ERROR) ", line)]
    last = lines[-1] if lines else done.stderr.strip().splitlines()[-1:]
    print(f"{variant.name:14s} {last} [{time.perf_counter() - begun:.0f} s]", flush=True)
    for line in failures:
        print(f"    {line}", flush=True)
    return done.returncode == 0


def _environment(variant: Variant) -> str:
    """The interpreter of a virtual environment with the package and what its tests need; empty if that fails."""
    home = BUILD / variant.name
    python = home / "bin" / "python"
    if not (home / "ready").exists():
        shutil.rmtree(home, ignore_errors=True)
        subprocess.run([variant.python, "-m", "venv", str(home)], check=True)
        install = [str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check"]
        done = subprocess.run([*install, "-e", f"{ROOT}[dev]", *(variant.pins or ())], check=False)
        if done.returncode:
            return ""
        (home / "ready").touch()
    return str(python)


def _lowest() -> tuple[str, ...]:
    """What the base needs, at the oldest versions that pyproject.toml declares."""
    stated = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    return tuple(re.sub(r"^([\w-]+)>=([\d.]+).*$", r"\1==\2.*", line) for line in stated)


def _python(version: str) -> str:
    """An interpreter of a version: on the path, or among those of pyenv."""
    places = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python3"))
    candidates = [*map(str, places), shutil.which(f"python{version}") or ""]
    for path in filter(None, candidates):
        asked = [path, "-c", "import sys, venv; print('%d.%d' % sys.version_info[:2])"]
        if subprocess.run(asked, capture_output=True, text=True).stdout.strip() == version:
            return path
    return ""


def _flags() -> set[str]:
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return set()
    found = re.search(r"^flags\s*:(.*)$", text, re.MULTILINE)
    return set(found.group(1).split()) if found else set()


if __name__ == "__main__":
    sys.exit(main())
