"""A C program with an exported model on aarch64, run by the emulator qemu: the numbers of this machine."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from cardan.examples import load
from cardan.export.c_source import header, source
from cardan.export.exported_model import ExportedModel, exported_model
from cardan.export.platforms import target_of, this_platform
from cardan.numerics.compiled.settings import COMPILED, LIBRARY_REQUIRED
from falling_linkages import four_bar

QEMU = shutil.which("qemu-aarch64-static") or shutil.which("qemu-aarch64")
pytestmark = [
    pytest.mark.slow,  # the compiler for another platform takes a minute; `test_fmu_host` builds for all platforms
    pytest.mark.skipif(not COMPILED or LIBRARY_REQUIRED, reason="exports need the compiler of kernels"),
    pytest.mark.skipif(QEMU is None or sys.platform != "linux", reason="no emulator of aarch64"),
    pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler"),
    pytest.mark.skipif(importlib.util.find_spec("ziglang") is None, reason="no compiler for aarch64"),
]
STEPS = 100
PROGRAM = """
#include "exported.h"
#include <stdio.h>
int main(void)
{
    exported *m = exported_open();
    for (int k = 0; k < STEPS; k++) {
        int status = exported_step(m, 0.01);
        if (status) {
            printf("%s\\n", exported_message(status));
            return status;
        }
        for (int i = 0; i < EXPORTED_OUTPUTS; i++)
            printf("%.17g ", exported_get(m, i));
    }
    exported_close(m);
    return 0;
}
"""


ARM = [sys.executable, "-m", "ziglang", "cc", "-target", "aarch64-linux-musl", "-static"]


def outputs_of(exported: ExportedModel, platform: str, compiler: list[str], run: list[str], folder: Path) -> np.ndarray:
    """The outputs after each step, by a program for a platform that contains the C library."""
    folder.mkdir()
    (folder / "exported.h").write_text(header(exported))
    (folder / "exported.c").write_text(source(exported))
    (folder / "main.c").write_text(PROGRAM)
    (folder / "kernels.o").write_bytes(exported.code.compile(target_of(None, platform)))
    command = [*compiler, "-O2", f"-DSTEPS={STEPS}", "-o", "program", "main.c", "exported.c", "kernels.o", "-lm"]
    subprocess.run(command, check=True, cwd=folder)
    done = subprocess.run([*run, str(folder / "program")], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return np.array(done.stdout.split(), float).reshape(STEPS, -1)


@pytest.mark.parametrize("name", ["four-bar", "shunting"])
def test_the_numbers_of_this_machine(name: str, tmp_path: Path) -> None:
    """Processors fuse other products and sums, and C libraries round sines differently: some 1e-12 after a second."""
    model = load("shunting").build() if name == "shunting" else four_bar()  # with impacts; a closed loop
    outputs = ["wagon0.x", "wagon2.vx"] if name == "shunting" else ["crank.angle", "coupler.y"]
    exported = exported_model(model, (), outputs, "exported", "dop853", {})
    here = outputs_of(exported, this_platform(), ["cc"], [], tmp_path / "here")
    there = outputs_of(exported, "linux-aarch64", ARM, [str(QEMU)], tmp_path / "there")
    assert (tmp_path / "there" / "program").read_bytes()[18:20] == b"\xb7\0"  # EM_AARCH64
    assert np.ptp(here, axis=0).min() > 0.01, "the model moves"
    assert np.abs(there - here).max() <= 1e-9 * np.abs(here).max()
