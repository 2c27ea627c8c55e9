"""How large are all kernels as one module of WebAssembly?

    python -c "from cardan.prebuilt.build import collected; import pathlib; collected(pathlib.Path('code'))"
    python benchmarks/web_kernels.py code

Pages that solve contain only what their model needs; this is the module that would serve every model.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
from pathlib import Path

from timing import at_most, conclude

from cardan.prebuilt.link import _thunks, emit_object, link_parts
from cardan.prebuilt.web_objects import TARGET
from cardan.solving.linker import functions_in, link
from cardan.solving.object_file import read_object

TABLES = ("cardan_thunks", "cardan_kernels")


def main() -> None:
    folder = Path(sys.argv[1])
    entries = json.loads((folder / "index.json").read_text())["entries"]
    parts = (path.read_text() for path in sorted(folder.glob("*.ll"), key=lambda path: int(path.stem)))
    file = read_object(
        emit_object(link_parts(_with_pointers(_thunks(entries)), parts, TARGET, TABLES, small=True), TARGET)
    )
    needed = [(0, function) for table in TABLES for function in functions_in(file, table).values()]
    module = link([file], {}, list(dict.fromkeys(needed))).module(b"")
    print(f"{len(entries)} kernels, {len(module) / 1e3:.0f} kB, {len(gzip.compress(module, 9)) / 1e3:.0f} kB by gzip")
    conclude([at_most("all kernels, compressed", len(gzip.compress(module, 9)) / 1e6, 0.3, " MB")])


def _with_pointers(text: str) -> str:
    """The tables of addresses as pointers, which have 32 bits."""
    lines = text.splitlines()
    for k, line in enumerate(lines):
        if line.startswith("@cardan_"):
            line = re.sub(r"i64 ptrtoint \(ptr (@\S+) to i64\)", r"ptr \1", line)
            lines[k] = line.replace("i64 0", "ptr null").replace("x i64]", "x ptr]")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
