"""Compiler and linker: that of the system for this machine, that of the package `ziglang` for other platforms."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path

from cardan.numerics.compiled.library import PACKAGE
from cardan.prebuilt.targets import Target

ENTRY_SOURCE = PACKAGE / "numerics" / "compiled" / "entry.c"


def link_library(object_file: Path, target: Target, out: Path, cross: bool) -> None:
    """A shared library of an object file."""
    _run([*_compiler(target, cross), "-shared", "-s", "-o", str(out), str(object_file), *_libraries(target)])


def compile_source(source: Path, target: Target, out: Path, cross: bool) -> None:
    """The object file of a C source, for a static or a shared library."""
    _run(
        [
            *_compiler(target, cross),
            "-O2",
            "-std=c99",
            "-fPIC",
            "-fvisibility=hidden",
            "-c",
            "-o",
            str(out),
            str(source),
        ]
    )


def link_objects(objects: Sequence[Path], target: Target, out: Path, cross: bool) -> None:
    """A shared library of object files."""
    files = [str(path) for path in objects]
    _run([*_compiler(target, cross), "-shared", "-o", str(out), *files, *_libraries(target)])


def archive(objects: Sequence[Path], out: Path) -> None:
    """A static library of object files."""
    system = shutil.which("ar")
    out.unlink(missing_ok=True)
    _run([*([system] if system else [*_zig(), "ar"]), "rcs", str(out), *(str(path) for path in objects)])


def compile_entry(target: Target, out: Path, scratch: Path, cross: bool) -> None:
    """The extension module that calls kernels, for all versions of Python from 3.11 on."""
    headers = Path(sysconfig.get_path("include"))
    command = [*_compiler(target, cross), "-O2", "-s", "-shared", "-fPIC", "-o", str(out), str(ENTRY_SOURCE)]
    if target.platform == "darwin":
        command += ["-undefined", "dynamic_lookup"]
    elif target.platform == "win32":
        headers = _windows_headers(headers, scratch / "include")
        command += [str(_python_import_library(scratch))]
    _run([*command, f"-I{headers}"])


def entry_name(target: Target) -> str:
    """The file name of the extension module."""
    return "_entry.pyd" if target.platform == "win32" else "_entry.abi3.so"


def _compiler(target: Target, cross: bool) -> list[str]:
    system = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if not cross and system:
        return [system]
    return [*_zig(), "cc", "-target", target.zig]


def _zig() -> list[str]:
    if importlib.util.find_spec("ziglang") is None:
        raise RuntimeError("no C compiler: install one of the system, or the package ziglang")
    return [sys.executable, "-m", "ziglang"]


def _libraries(target: Target) -> list[str]:
    return ["-lm"] if target.platform == "linux" else []


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.stderr}")


# --- Windows ---------------------------------------------------------------------------------------------------------

_WINDOWS_CONFIGURATION = """
#define MS_WIN64
#define MS_WINDOWS
#define NT_THREADS
#define WITH_THREAD
#define Py_ENABLE_SHARED 1
#define HAVE_DECLSPEC_DLL 1
#define HAVE_STDDEF_H 1
#define HAVE_SYS_TYPES_H 1
#define HAVE_SYS_STAT_H 1
#define HAVE_UINTPTR_T 1
#define SIZEOF_SHORT 2
#define SIZEOF_INT 4
#define SIZEOF_LONG 4
#define SIZEOF_LONG_LONG 8
#define SIZEOF_SIZE_T 8
#define SIZEOF_VOID_P 8
#define SIZEOF_WCHAR_T 2
#define SIZEOF_TIME_T 8
#define SIZEOF_PID_T 4
#define ALIGNOF_SIZE_T 8
#define PLATFORM "win32"
typedef long long Py_ssize_t;
#define HAVE_PY_SSIZE_T 1
#define PY_SSIZE_T_MAX 9223372036854775807LL
"""


def _windows_headers(headers: Path, folder: Path) -> Path:
    """Python's headers with the configuration of Windows: the limited API is the same everywhere."""
    shutil.copytree(headers, folder, dirs_exist_ok=True)
    (folder / "pyconfig.h").write_text(_WINDOWS_CONFIGURATION)
    return folder


def _python_import_library(scratch: Path) -> Path:
    """An import library for the names of python3.dll that the extension module uses."""
    source = ENTRY_SOURCE.read_text()
    names = {
        "_Py_Dealloc", "_Py_NoneStruct", "_Py_TrueStruct", "_Py_FalseStruct", "_PyArg_ParseTuple_SizeT",
        "PyEval_SaveThread", "PyEval_RestoreThread", "PyModule_Create2", "PyType_IsSubtype", "PyType_GetFlags",
        "PyFloat_Type DATA", "PyBool_Type DATA", "PyLong_Type DATA", "PyComplex_Type DATA",
        "PyExc_RuntimeError DATA", "PyExc_ValueError DATA",
    }  # fmt: skip
    names |= set(re.findall(r"\bPy[A-Z][A-Za-z]*_[A-Z][A-Za-z0-9]*\b(?=\()", source))
    definition, library = scratch / "python3.def", scratch / "python3.lib"
    definition.write_text("LIBRARY python3.dll\nEXPORTS\n" + "".join(f"    {name}\n" for name in sorted(names)))
    tool = [sys.executable, "-m", "ziglang", "dlltool"]
    _run([*tool, "-m", "i386:x86-64", "-d", str(definition), "-l", str(library)])
    return library
