"""Libraries of kernels: collected code linked for a platform, as files next to the package's sources."""

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
from cardan.prebuilt.targets import targets_of_wheel
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
    """The library, index and extension module of a platform, written into a package; returns their paths.

    With `cross` they are linked for any machine of the platform, otherwise by the system's compiler, for this machine.
    """
    index = collected(code)
    kernels, entry_folder = package / "_kernels", package / "numerics" / "compiled"
    written = []
    for folder in (kernels, entry_folder):
        folder.mkdir(parents=True, exist_ok=True)
    for target in targets_of_wheel(wheel):
        object_file = scratch / f"{target.file_name}.o"
        object_file.write_bytes(emit_object(link(code, index["entries"], target), target))
        link_library(object_file, target, kernels / target.file_name, cross)
        written.append(kernels / target.file_name)
    compile_entry(target, entry_folder / entry_name(target), scratch, cross)
    public = {key: index[key] for key in ("sources", "kernels")}
    public["entries"] = [entry[:-1] for entry in index["entries"]]
    (kernels / "index.json").write_text(json.dumps(public, separators=(",", ":")))
    return [*written, entry_folder / entry_name(target), kernels / "index.json"]
