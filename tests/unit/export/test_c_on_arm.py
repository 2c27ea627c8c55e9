"""A C program with an exported model on aarch64, run by the emulator qemu: the numbers of this machine."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from cardan import simulate
from cardan.examples import load
from cardan.export.c_source import header, source
from cardan.export.exported_model import exported_model
from cardan.export.platforms import target_of
from cardan.methods import Method
from cardan.model.model import Model
from cardan.numerics.compiled.settings import COMPILED, LIBRARY_REQUIRED
from falling_linkages import four_bar

QEMU = shutil.which("qemu-aarch64-static") or shutil.which("qemu-aarch64")
pytestmark = [
    pytest.mark.skipif(not COMPILED or LIBRARY_REQUIRED, reason="exports need the compiler of kernels"),
    pytest.mark.skipif(QEMU is None or sys.platform != "linux", reason="no emulator of aarch64"),
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


def on_arm(model: Model, outputs: list[str], steps: int, method: Method | str, folder: Path) -> np.ndarray:
    """The outputs after each step, by a program that contains its C library."""
    exported = exported_model(model, (), outputs, "exported", method, {})
    (folder / "exported.h").write_text(header(exported))
    (folder / "exported.c").write_text(source(exported))
    (folder / "main.c").write_text(PROGRAM)
    (folder / "kernels.o").write_bytes(exported.code.compile(target_of(None, "linux-aarch64")))
    command = [
        sys.executable,
        "-m",
        "ziglang",
        "cc",
        "-target",
        "aarch64-linux-musl",
        "-static",
        "-O2",
        f"-DSTEPS={steps}",
    ]
    subprocess.run([*command, "-o", "program", "main.c", "exported.c", "kernels.o", "-lm"], check=True, cwd=folder)
    assert (folder / "program").read_bytes()[18:20] == b"\xb7\0"  # EM_AARCH64
    done = subprocess.run([str(QEMU), str(folder / "program")], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return np.array(done.stdout.split(), float).reshape(steps, len(outputs))


@pytest.mark.parametrize("name", ["four-bar", "shunting"])
def test_the_numbers_of_this_machine(name: str, tmp_path: Path) -> None:
    """Processors fuse other products and sums, and C libraries round sines differently: some 1e-12 after a second."""
    if name == "shunting":  # impacts
        model, outputs = load("shunting").build(), ["wagon0.x", "wagon2.vx"]
    else:
        model, outputs = four_bar(), ["crank.angle", "coupler.y"]
    found = on_arm(model, outputs, STEPS, "dop853", tmp_path)
    run = simulate(model, 0.01 * STEPS, output=0.01, method="dop853", progress=False)
    for k, key in enumerate(outputs):
        assert np.abs(found[:, k] - run[key][1:]).max() <= 1e-9 * np.abs(run[key]).max()
