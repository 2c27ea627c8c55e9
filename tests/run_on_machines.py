"""Run the suite the way other machines would: `make machines`, or in part

    python tests/run_on_machines.py --only generic Nehalem -- tests/unit/numerics -x

Each variant runs in its own process with the environment of another machine: kernels compiled for a generic processor
or a level of x86-64, other OpenBLAS kernels, thread counts and hash seeds; or a virtual environment with the oldest or
newest declared dependencies, or another Python. `--list` prints the variants.

By default every variant runs one test in eight. Consecutive variants run different eighths, which together are the
whole suite; name tests after `--` to run all of them in every variant. Variants that this machine cannot run are
listed as not tested. Kernel caches, environments and the full output of each variant are kept under `build/machines`.
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
LEVELS = {  # flags in /proc/cpuinfo that each level of x86-64 adds to the level before it
    "x86-64": "sse2",
    "x86-64-v2": "sse4_2 ssse3 popcnt cx16",
    "x86-64-v3": "avx2 fma bmi2 movbe f16c",
    "x86-64-v4": "avx512f avx512bw avx512cd avx512dq avx512vl",
}
TOOLS = ("all", "dev", "docs")  # extras for contributors, whose oldest versions are not tested
BLAS = {"Nehalem": "sse4_2", "Haswell": "avx2", "Zen": "avx2", "SkylakeX": "avx512f"}


@dataclass
class Variant:
    """An environment; `python` and `pins` select a virtual environment, `missing` is the reason it cannot run."""

    name: str
    environment: dict[str, str] = field(default_factory=dict)
    python: str = ""
    pins: tuple[str, ...] | None = None
    missing: str = ""


def main() -> int:
    parser = argparse.ArgumentParser(description="Run the tests the way other machines would.")
    parser.add_argument("--list", action="store_true", help="print the variants")
    parser.add_argument("--only", nargs="+", default=(), metavar="NAME", help="run these variants")
    parser.add_argument("--sample", type=int, default=8, metavar="N", help="run one test in N, if no tests are named")
    parser.add_argument("--workers", default="2", help="processes of pytest (2)")
    parser.add_argument("tests", nargs="*", help="arguments of pytest, after --")
    options = parser.parse_args()
    known = variants()
    unknown = set(options.only) - {variant.name for variant in known}
    if unknown:
        parser.error(f"unknown variant: {', '.join(sorted(unknown))}; --list prints the variants")
    chosen = [variant for variant in known if not options.only or variant.name in options.only]
    if options.list:
        for variant in known:
            setting = " ".join(f"{key}={value}" for key, value in variant.environment.items())
            print(f"{variant.name:14s} {variant.missing or setting or variant.python} {' '.join(variant.pins or ())}")
        return 0
    failed = []
    for variant in chosen:
        part = ["--sample", str(options.sample), "--sample-part", str(known.index(variant))]
        arguments = ["-n", options.workers, "--dist", "worksteal", *(options.tests or part)]
        if not variant.missing and not run(variant, arguments):
            failed.append(variant.name)
    untested = [f"{variant.name} ({variant.missing})" for variant in chosen if variant.missing]
    print(f"\nfailed: {', '.join(failed) or 'none'}; not tested: {', '.join(untested) or 'none'}")
    return 1 if failed else 0


def variants() -> list[Variant]:
    """All variants, the cheapest first."""
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


def run(variant: Variant, arguments: list[str]) -> bool:
    """Run pytest in a variant and return whether all tests passed."""
    begun = time.perf_counter()
    python = sys.executable if variant.pins is None else _environment(variant)
    if not python:
        print(f"{variant.name:14s} the environment cannot be installed", flush=True)
        return False
    setting = {**os.environ, **variant.environment}
    if variant.pins is not None or "NUMBA_CPU_NAME" in variant.environment:
        setting["CARDAN_CACHE"] = str(BUILD / "cache" / variant.name)
    command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    done = subprocess.run(command, cwd=ROOT, env=setting, capture_output=True, text=True)
    BUILD.mkdir(parents=True, exist_ok=True)
    (BUILD / f"{variant.name}.log").write_text(done.stdout + done.stderr)
    lines = done.stdout.splitlines()
    failures = [line for line in lines if re.match(r"(FAILED|ERROR) ", line)]
    last = (lines or done.stderr.strip().splitlines() or ["no output"])[-1]
    print(f"{variant.name:14s} {last} [{time.perf_counter() - begun:.0f} s]", flush=True)
    for line in failures:
        print(f"    {line}", flush=True)
    return done.returncode == 0


def _environment(variant: Variant) -> str:
    """The interpreter of a virtual environment with the package and its test dependencies; empty on failure."""
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
    """The dependencies of the package and its optional features at the oldest versions in pyproject.toml."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    optional = [
        line for extra, lines in project["optional-dependencies"].items() if extra not in TOOLS for line in lines
    ]
    stated = (re.match(r"([\w-]+)>=([\d.]+)", line) for line in [*project["dependencies"], *optional])
    return tuple(f"{found[1]}=={found[2]}.*" for found in stated if found)


def _python(version: str) -> str:
    """An interpreter of this version, from pyenv or the path."""
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
