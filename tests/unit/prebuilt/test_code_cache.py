"""Intermediate code kept between processes: the same object file, without compiling again."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

from cardan.numerics.compiled.signature import signature_of
from cardan.numerics.linalg.dense_kernels import cholesky, cholesky_solve

FACTORIZE = cholesky.name, signature_of((np.zeros((2, 2)), 0.0, np.zeros((2, 2))))
SOLVE = cholesky_solve.name, signature_of((np.zeros((2, 2)), np.zeros(2)))


def compiled(folder: Path, *kernels: tuple[str, str], kept: bool = True) -> bytes:
    """The object file of kernels, made in a process of its own."""
    asked, code = folder / "request.json", folder / "code"
    code.mkdir(exist_ok=True)
    asked.write_text(json.dumps([{"kernels": sorted(kernels), "kinds": []}]))
    command = [
        sys.executable,
        "-m",
        "cardan.prebuilt.web_objects",
        str(asked),
        str(folder),
        *([str(code)] if kept else []),
    ]
    done = subprocess.run(command, capture_output=True, text=True, env=dict(os.environ, CARDAN_PREBUILT="0"))
    assert done.returncode == 0, done.stderr
    return (folder / "0.o").read_bytes()


def test_kept_code_gives_the_same_object_file(tmp_path: Path) -> None:
    alone = compiled(tmp_path, FACTORIZE, kept=False)
    assert not [*(tmp_path / "code").iterdir()]
    assert compiled(tmp_path, FACTORIZE) == alone
    files = {path: path.stat().st_mtime_ns for path in (tmp_path / "code").iterdir()}
    assert files
    assert compiled(tmp_path, FACTORIZE) == alone
    assert {path: path.stat().st_mtime_ns for path in files} == files  # nothing was compiled again


def test_another_request_takes_what_is_kept(tmp_path: Path) -> None:
    both = compiled(tmp_path, FACTORIZE, SOLVE, kept=False)
    compiled(tmp_path, FACTORIZE)
    count = len([*(tmp_path / "code").iterdir()])
    assert len(compiled(tmp_path, FACTORIZE, SOLVE)) == len(both)
    assert len([*(tmp_path / "code").iterdir()]) > count


def test_damaged_files_are_compiled_again(tmp_path: Path) -> None:
    whole = compiled(tmp_path, FACTORIZE)
    for path in (tmp_path / "code").iterdir():
        path.write_bytes(path.read_bytes()[:-20])
    assert compiled(tmp_path, FACTORIZE) == whole


CONFLICT = """
from cardan.prebuilt.code_cache import CollectedCode, Conflict

class Library:
    name = "f"

code = CollectedCode(None)
code._add(Library(), 'define i32 @"f"(i32 %x) {\\n}')
code._add(Library(), 'define i32 @"f"(i32 %x) {\\n}')
try:
    code._add(Library(), 'define i32 @"f"(i32 %x) {\\n; other\\n}')
except Conflict:
    print("conflict")
"""


def test_functions_with_one_name_are_noticed() -> None:
    """In a process of its own: collecting code changes Numba."""
    done = subprocess.run([sys.executable, "-c", CONFLICT], capture_output=True, text=True)
    assert done.stdout.strip() == "conflict", done.stderr
