"""The key of the kernel cache: it changes with everything that kernels are built from, and with little else."""

from __future__ import annotations

import dis
import importlib
import pkgutil
import time
import types
from pathlib import Path

import pytest

import cardan
from cardan.numerics.compiled import kernel_sources
from cardan.numerics.compiled.cache_folder import source_digest
from cardan.numerics.compiled.jit import COMPILED
from cardan.numerics.compiled.kernel_sources import kernel_digest

PACKAGE = Path(cardan.__file__).resolve().parent

SMALL = {
    "__init__.py": "from small.loops import walk\n",
    "numerics/__init__.py": "",
    "numerics/jit.py": "import numba\ndef kernel(f): return numba.njit(f)\n",
    "constants.py": "from small.deeper import BASE\nSTEP = 2.0 * BASE\nUNUSED = 3\nTABLE = {}\nTABLE['a'] = 1.0\n",
    "deeper.py": "BASE = 1.5\ndef unused():\n    return 1\n",
    "pages.py": "from small.loops import walk\nTITLE = 'page'\n",
    "tables.py": "from typing import NamedTuple\nclass Rows(NamedTuple):\n    first: int\n    second: int\n",
    "whole.py": "A = 1\n",
    "package/__init__.py": "from small.package.inner import DEEP\n",
    "package/inner.py": "DEEP = 4\n",
    "loops.py": """
from small.constants import STEP, TABLE
from small.numerics.jit import kernel
from small.package import DEEP
from small import whole
import small.deeper

LIMIT = len(TABLE)

@kernel
def inner(x):
    return x + STEP + DEEP + whole.A

@kernel
def walk(x):
    return inner(x) * LIMIT

def plain():
    return walk(1.0)
""",
}


@pytest.fixture
def small(tmp_path) -> Path:
    for name, text in SMALL.items():
        path = tmp_path / "small" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "small"


@pytest.mark.parametrize(
    ("file", "old", "new", "changes"),
    [
        ("loops.py", "inner(x) *", "inner(x) +", True),
        ("constants.py", "2.0 * BASE", "3.0 * BASE", True),
        ("deeper.py", "1.5", "2.5", True),  # through two modules
        ("constants.py", "= 1.0", "= 2.0", True),  # a table that is changed after it was made
        ("package/inner.py", "4", "5", True),  # offered by a package
        ("whole.py", "A = 1", "A = 2", True),  # read as an attribute of its module
        ("numerics/jit.py", "njit(f)", "njit(f) ", True),
        ("tables.py", "first: int\n    second: int", "second: int\n    first: int", True),
        ("pages.py", "'page'", "'title'", False),
        ("deeper.py", "return 1", "return 2", False),
        ("constants.py", "UNUSED = 3", "UNUSED = 4", False),
        ("loops.py", "walk(1.0)", "walk(2.0)", False),
        ("loops.py", "LIMIT =", "\n\nLIMIT =", False),
    ],
)
def test_what_changes_the_key(small, file, old, new, changes) -> None:
    before, all_before = kernel_digest(small), source_digest(small)
    text = (small / file).read_text()
    assert old in text
    (small / file).write_text(text.replace(old, new))
    assert (kernel_digest(small) != before) == changes
    assert source_digest(small) != all_before


def test_without_sources_there_is_no_key(tmp_path) -> None:
    assert source_digest(tmp_path / "nowhere") is None


@pytest.mark.skipif(not COMPILED, reason="nothing is compiled")
def test_every_name_in_every_kernel_is_covered() -> None:
    """What the kernels of the package really read, found in their bytecode, leads into the key."""
    reach = kernel_sources._Reach(PACKAGE)
    missing, kernels = [], 0
    for found in pkgutil.walk_packages([str(PACKAGE)], "cardan."):
        here = found.name.removeprefix("cardan.")
        if "kernel" not in reach.texts.get(here, ""):
            continue
        for value in vars(importlib.import_module(found.name)).values():
            function = getattr(value, "py_func", None)
            if not isinstance(function, types.FunctionType) or function.__module__ != found.name:
                continue
            kernels += 1
            for name in _globals(function.__code__) & function.__globals__.keys():
                meant = function.__globals__[name]
                if isinstance(meant, types.ModuleType) and meant.__name__.startswith("cardan."):
                    module = meant.__name__.removeprefix("cardan.")
                    statements = range(len(reach.module(module).statements))
                    missing += [module for number in statements if (module, number) not in reach.followed]
                elif (here, name) not in reach.asked:
                    missing.append((here, name))
    assert not missing
    assert kernels > 400


def test_the_sources_are_hashed_quickly() -> None:
    """It happens in every process: 10 ms of the processor, a fortieth of what importing Numba takes."""
    assert min(_seconds() for _ in range(5)) < 0.04  # on machines a few times slower


def _seconds() -> float:
    begun = time.process_time()
    source_digest(PACKAGE)
    return time.process_time() - begun


def _globals(code: types.CodeType) -> set[str]:
    inner = [_globals(c) for c in code.co_consts if isinstance(c, types.CodeType)]
    return {i.argval for i in dis.get_instructions(code) if i.opname in ("LOAD_GLOBAL", "LOAD_NAME")}.union(*inner)
