"""Compilation of all kernels by the workers of a test run, before the first test.

Tests come in an order that makes both workers need the same kernels at the same time. Here one starts with the first
analysis and the other with the last; what one has compiled the other reads from the cache.
"""

from __future__ import annotations

import contextlib
import io
import warnings
from pathlib import Path

from cardan.numerics.announcement import COMPILED as REMEMBERED, table
from cardan.numerics.compiled.library import open_library
from cardan.numerics.compiled.settings import COMPILED


def compile_kernels(last_first: bool) -> None:
    """Compile the kernels of all analyses, unless most of them are in the cache or prebuilt."""
    if not COMPILED or open_library() is not None:
        return
    from cardan.numerics.compiled.compiler import OPTIONS
    from cardan.numerics.compiled.kernel_cache import cache_directory
    from cardan.prebuilt.costs import groups

    folder = cache_directory(OPTIONS)
    if folder is None or not _mostly_missing(folder):
        return
    runs = list(groups().values())
    with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")
        for run in reversed(runs) if last_first else runs:
            with contextlib.suppress(Exception):  # the tests of the analysis report what is wrong with it
                run()


def _mostly_missing(folder: Path) -> bool:
    """Do the kernels in the folder stand for less than half of the time of compilation?"""
    try:
        known = set((folder / REMEMBERED).read_text(encoding="utf-8").splitlines())
    except OSError:
        return True
    costs: dict[str, float] = table()["costs"]
    return sum(cost for key, cost in costs.items() if key in known) < 0.5 * sum(costs.values())
