"""Libraries of kernels: collected code linked for a platform, or as bitcode, next to the package's sources."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from cardan.numerics.compiled.kernel_sources import kernel_digest
from cardan.numerics.compiled.library import PACKAGE
from cardan.prebuilt.link import emit_object, link
from cardan.prebuilt.pieces import write_pieces
from cardan.prebuilt.targets import ANY, BITCODE, Target, targets_of_wheel
from cardan.prebuilt.toolchain import compile_entry, entry_name, link_library


def collected(folder: Path) -> dict[str, Any]:
    """The index of the code in a folder; it is collected first, in a process of its own, unless it is up to date."""
    path = folder / "index.json"
    if not path.exists() or json.loads(path.read_text())["kernels"] != kernel_digest(PACKAGE):
        script = "import sys, pathlib; from cardan.prebuilt.collect import collect; collect(pathlib.Path(sys.argv[1]))"
        environment = dict(os.environ, CARDAN_PREBUILT="0")
        subprocess.run([sys.executable, "-c", script, str(folder)], check=True, env=environment)
    return json.loads(path.read_text())


def build(code: Path, wheel: str, package: Path, scratch: Path, cross: bool) -> list[Path]:
    """The files of a wheel, written into a package: index, and libraries with an extension module, or bitcode.

    With `cross` they are linked for any machine of the platform, otherwise by the system's compiler, for this machine.
    """
    index = collected(code)
    kernels = package / "_kernels"
    kernels.mkdir(parents=True, exist_ok=True)
    public = {key: index[key] for key in ("sources", "kernels")}
    public["entries"] = [entry[:-1] for entry in index["entries"]]
    _write_index(kernels, json.dumps(public, separators=(",", ":")))
    if wheel == ANY:
        written = write_pieces(link(code, index["entries"], BITCODE), len(index["entries"]), kernels)
    else:
        written = _libraries(code, index["entries"], targets_of_wheel(wheel), package, scratch, cross)
    return [*written, kernels / "index.json"]


def _write_index(kernels: Path, text: str) -> None:
    """Write the index. Libraries of another index, whose entries have other numbers, are removed."""
    path = kernels / "index.json"
    if not path.exists() or path.read_text() != text:
        for old in kernels.iterdir():
            old.unlink()
    path.write_text(text)


def _libraries(
    code: Path, entries: list[list[Any]], targets: list[Target], package: Path, scratch: Path, cross: bool
) -> list[Path]:
    """The library of each level of processors, and the extension module."""
    written = []
    for target in targets:
        object_file, library = scratch / f"{target.file_name}.o", package / "_kernels" / target.file_name
        object_file.write_bytes(emit_object(link(code, entries, target), target))
        link_library(object_file, target, library, cross)
        written.append(library)
    entry = package / "numerics" / "compiled" / entry_name(targets[0])
    entry.parent.mkdir(parents=True, exist_ok=True)
    compile_entry(targets[0], entry, scratch, cross)
    return [*written, entry]
