"""FMUs in a C program that loads their library: several instances in threads, states serialized."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

from cardan import export_fmu, simulate
from cardan.examples import load
from cardan.numerics.compiled.settings import COMPILED, LIBRARY_REQUIRED

pytestmark = [
    pytest.mark.skipif(not COMPILED or LIBRARY_REQUIRED, reason="exports need the compiler of kernels"),
    pytest.mark.skipif(shutil.which("cc") is None or sys.platform != "linux", reason="links as on Linux"),
]
HOST = Path(__file__).with_name("host.c")


@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_threads_of_a_c_program(version: str, tmp_path: Path) -> None:
    """Wagons that strike each other: the instances share nothing, and equal `simulate`."""
    model, names = load("shunting").build(), ["wagon0.x", "wagon1.x", "wagon2.vx"]
    path = export_fmu(model, tmp_path / "wagons.fmu", outputs=names, version=version, derivatives=False)
    with zipfile.ZipFile(path) as archive:
        archive.extractall(tmp_path)
        text = archive.read("modelDescription.xml").decode()
    token = re.search(r'(?:guid|instantiationToken)="([^"]+)"', text)
    assert token is not None
    references = [re.search(rf'name="{name}" valueReference="(\d+)"', text)[1] for name in names]  # type: ignore[index]
    library = next(tmp_path.glob("binaries/*/*.so"))
    program = tmp_path / "host"
    flags = ["-Wall", "-Wextra", "-Werror", "-pthread"]
    subprocess.run(["cc", *flags, "-o", str(program), str(HOST), "-ldl"], check=True)
    command = [str(program), str(library), version, token[1], "4", "199", "0.01003", *references]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    assert lines[1] == "1"  # all threads found the same bits
    found = np.array(lines[0].split(), float).reshape(199, len(names))
    run = simulate(model, 199 * 0.01003, output=0.01003, method="dop853")
    for k, name in enumerate(names):
        assert np.abs(found[:, k] - run[name][1:]).max() <= 1e-9


def test_binaries_for_other_platforms(tmp_path: Path) -> None:
    """All that ziglang links without compiling a run time of its own; the formats and processors of their headers."""
    pytest.importorskip("ziglang")
    model, platforms = load("double-pendulum").build(), ["linux-x86-64", "linux-aarch64", "macos-arm64", "macos-x86-64"]
    path = export_fmu(
        model, tmp_path / "pair.fmu", outputs=["first.x"], name="pair", platforms=platforms, derivatives=False
    )
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        linux, arm, macos = (
            archive.read(f"binaries/{place}")
            for place in ("linux64/pair.so", "aarch64-linux/pair.so", "darwin64/pair.dylib")
        )
    assert len(names) == 4
    assert linux[:4] == arm[:4] == b"\x7fELF"
    assert [int.from_bytes(data[18:20], "little") for data in (linux, arm)] == [62, 183]  # EM_X86_64, EM_AARCH64
    assert macos[:8] == bytes.fromhex("cafebabe00000002")  # universal, two processors
    for place in (8, 28):
        processor, _, offset, size, _ = (int.from_bytes(macos[place + 4 * k :][:4], "big") for k in range(5))
        assert offset % 16384 == 0 and offset + size <= len(macos)
        assert macos[offset : offset + 4] == bytes.fromhex("cffaedfe")  # Mach-O, 64 bits
        assert int.from_bytes(macos[offset + 4 : offset + 8], "little") == processor
