"""The tests of what has changed: `make quick`.

Changed files are those that differ from the commit where this branch left main, or from HEAD on main itself. A module
`src/cardan/a/b.py` is tested by `tests/unit/a/test_b.py`, or by all of `tests/unit/a` if that does not exist; a changed
test tests itself. A few mechanisms with closed forms always run.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ALWAYS = ("tests/test_closed_forms.py", "tests/test_project.py::test_modules_are_pages", "tests/test_style.py")


def main() -> int:
    chosen = sorted({*ALWAYS, *(test for path in changed() for test in tests_of(path))})
    print("quick:", *chosen, sep="\n  ")
    command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "--maxfail=5", *chosen]
    return subprocess.run(command, cwd=ROOT).returncode


def changed() -> list[str]:
    base = _git("merge-base", "HEAD", "main") or ["HEAD"]
    untracked = _git("ls-files", "--others", "--exclude-standard")
    return [*_git("diff", "--name-only", "--diff-filter=d", base[0]), *untracked]


def tests_of(path: str) -> list[str]:
    parts = Path(path).parts
    if parts[0] == "tests" and Path(path).name.startswith("test_"):
        return [path]
    if parts[:2] != ("src", "cardan") or not path.endswith(".py"):
        return []
    folder = Path("tests/unit", *parts[2:-1])
    own = folder / f"test_{Path(path).stem}.py"
    if (ROOT / own).exists():
        return [str(own)]
    return [str(folder)] if (ROOT / folder).is_dir() and len(parts) > 3 else []


def _git(*arguments: str) -> list[str]:
    found = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
    return found.stdout.split() if found.returncode == 0 else []


if __name__ == "__main__":
    sys.exit(main())
