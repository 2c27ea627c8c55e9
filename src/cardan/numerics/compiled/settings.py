"""Settings of compilation, from environment variables.

NUMBA_DISABLE_JIT=1          kernels run as plain Python, for debugging and coverage
CARDAN_BOUNDSCHECK=1         kernels check every index: an access outside an array raises IndexError instead of
                             touching foreign memory; for tests (`make sanitize`), several times slower
CARDAN_PREBUILT=0            the library of prebuilt kernels is not used
CARDAN_PREBUILT=require      compiling a kernel of Cardan is an error; for tests
CARDAN_CPU_LEVEL=x86-64      use the library for this level of processors; "bitcode": compile it from bitcode
"""

from __future__ import annotations

import os


def _is_set(variable: str) -> bool:
    return os.environ.get(variable, "0") not in ("", "0")


COMPILED = not _is_set("NUMBA_DISABLE_JIT")
CHECKED = _is_set("CARDAN_BOUNDSCHECK")
USE_LIBRARY = os.environ.get("CARDAN_PREBUILT", "1") != "0" and not CHECKED
LIBRARY_REQUIRED = USE_LIBRARY and os.environ.get("CARDAN_PREBUILT") == "require"
CPU_LEVEL = os.environ.get("CARDAN_CPU_LEVEL")
