"""Run the tests of the code that changed: `make quick`.

Changed files are those that differ from the commit where this branch left main, or from HEAD on main itself.
`tests/unit` mirrors `src/cardan`. The tests of a module `src/cardan/a/b.py` are, in this order:

    tests/unit/a/test_b.py, the doctests of the module, test files that import it,
    tests/unit/a, or the nearest folder above it that exists, if tests/unit/a/test_b.py does not exist

A changed test file runs itself. A few mechanisms with closed forms always run. No test starts after 45 seconds
(`make quick SECONDS=300` for another limit); those left over are counted as skipped.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ALWAYS = ("tests/test_closed_forms.py", "tests/test_project.py::test_modules_are_pages", "tests/test_style.py")


def main() -> int:
    parser = argparse.ArgumentParser(description="Run the tests of the code that changed.")
    parser.add_argument("--seconds", type=float, default=45.0, help="start no test after this time (45)")
    parser.add_argument("--list", action="store_true", help="print the tests without running them")
    parser.add_argument("paths", nargs="*", help="changed files; by default as git reports them")
    options = parser.parse_args()
    chosen = selection(options.paths or changed_files())
    print("quick:", *chosen, sep="\n  ", flush=True)
    if options.list:
        return 0
    limits = ["--maxfail=5", "--time-limit", str(options.seconds)]
    command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "--maxschedchunk=8", *limits, *chosen]
    return subprocess.run(command, cwd=ROOT).returncode


def changed_files() -> list[str]:
    base = _git("merge-base", "HEAD", "main") or ["HEAD"]
    untracked = _git("ls-files", "--others", "--exclude-standard")
    return [*_git("diff", "--name-only", "--diff-filter=d", base[0]), *untracked]


def selection(paths: list[str]) -> list[str]:
    """Tests of all changed files, the most specific first, without those that are part of a selected folder."""
    found = [tests_of(path) for path in paths]
    own, importing, package = ([test for tests in found for test in tests[rank]] for rank in range(3))
    chosen = list(dict.fromkeys([*own, *ALWAYS, *importing, *package]))
    return [test for test in chosen if not any(str(parent) in chosen for parent in Path(test).parents)]


def tests_of(path: str) -> tuple[list[str], list[str], list[str]]:
    """The tests of one file by their distance from it: its own, those that import it, those of its package."""
    parts = Path(path).parts
    if parts[0] == "tests" and Path(path).name.startswith("test_"):
        return [path], [], []
    if parts[:2] != ("src", "cardan") or not path.endswith(".py"):
        return [], [], []
    folder = Path("tests/unit", *parts[2:-1])
    own = folder / f"test_{Path(path).stem}.py"
    if (ROOT / own).exists():
        return [str(own), path], _importing(path), []
    while not (ROOT / folder).is_dir():
        folder = folder.parent
    return [path], _importing(path), [str(folder)] if folder != Path("tests/unit") else []


def _importing(path: str) -> list[str]:
    """Test files that import a module of the package by its own name."""
    parent, _, name = ".".join(Path(path).with_suffix("").parts[1:]).rpartition(".")
    if name == "__init__":
        return []
    pattern = re.compile(rf"{re.escape(parent)}\.{name}\b|from {re.escape(parent)} import .*\b{name}\b")
    files = sorted((ROOT / "tests").rglob("test_*.py"))
    return [str(file.relative_to(ROOT)) for file in files if pattern.search(file.read_text())]


def _git(*arguments: str) -> list[str]:
    found = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
    return found.stdout.split() if found.returncode == 0 else []


if __name__ == "__main__":
    sys.exit(main())
