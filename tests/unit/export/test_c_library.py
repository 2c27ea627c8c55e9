"""C programs that step exported models, compared with `stepper` and `simulate`."""

from __future__ import annotations

import ctypes
import math
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cardan
from cardan import ModelError, export_c, planar, simulate, stepper
from cardan.cli import main
from cardan.examples import load
from cardan.numerics.compiled.settings import COMPILED, LIBRARY_REQUIRED
from falling_linkages import four_bar

pytestmark = [
    pytest.mark.skipif(not COMPILED or LIBRARY_REQUIRED, reason="exports need the compiler of kernels"),
    pytest.mark.skipif(shutil.which("cc") is None or sys.platform != "linux", reason="links as on Linux"),
]

# Steps of 10 ms with the input 5 sin(t); then from half way again, from a saved state, in another instance, after a
# reset. Prints outputs, whether all repetitions have the same bits, and allocations during steps.
PROGRAM = """
#include "NAME.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int allocations;
void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size) { allocations++; return __real_malloc(size); }

static int run(NAME *m, int first, int last, double *rows)
{
    for (int k = first; k < last; k++) {
        if (INPUTS)
            NAME_set(m, 0, 5.0 * sin(0.01 * k));
        int status = NAME_step(m, 0.01);
        if (status) {
            printf("%d %s\\n", status, NAME_message(status));
            return status;
        }
        for (int i = 0; i < OUTPUTS; i++)
            rows[k * OUTPUTS + i] = NAME_get(m, i);
    }
    return 0;
}

int main(void)
{
    size_t size = sizeof(double) * STEPS * OUTPUTS;
    double *rows = malloc(size), *again = malloc(size);
    void *state = malloc(NAME_state_size());
    NAME *m = NAME_open(), *other = NAME_open();
    int before = allocations;
    if (run(m, 0, STEPS / 2, rows))
        return 1;
    NAME_save(m, state);
    if (run(m, STEPS / 2, STEPS, rows))
        return 1;
    memcpy(again, rows, size / 2);
    if (NAME_restore(m, state) || run(m, STEPS / 2, STEPS, again))
        return 1;
    int restored = !memcmp(rows, again, size);
    if (NAME_restore(other, state) || run(other, STEPS / 2, STEPS, again))
        return 1;
    int transferred = !memcmp(rows, again, size);
    NAME_reset(m);
    if (run(m, 0, STEPS, again))
        return 1;
    int reset = !memcmp(rows, again, size);
    int during = allocations - before;
    int refused = NAME_step(m, -1.0) == 1 && NAME_set(m, INPUTS, 0.0) == 5;
    memset(state, 0, 8);
    refused = refused && NAME_restore(m, state) == 6;
    for (int k = 0; k < STEPS * OUTPUTS; k++)
        printf("%.17g ", rows[k]);
    printf("\\n%d %d %d %d %d\\n", restored, transferred, reset, refused, during);
    NAME_close(m);
    NAME_close(other);
    return 0;
}
"""


def run_in_c(folder: Path, name: str, inputs: int, outputs: int, steps: int) -> np.ndarray:
    """Compile the program with the static library, run it and check its repetitions; returns the outputs."""
    text = PROGRAM.replace("NAME", name).replace("OUTPUTS", str(outputs)).replace("INPUTS", str(inputs))
    (folder / "program.c").write_text(text.replace("STEPS", str(steps)))
    program = folder / "program"
    libraries = [str(folder / f"lib{name}.a"), "-lm", "-Wl,--wrap=malloc"]
    warnings = ["-Wall", "-Wextra", "-Werror"]
    subprocess.run(["cc", *warnings, "-o", str(program), str(folder / "program.c"), *libraries], check=True)
    lines = subprocess.run([str(program)], check=True, capture_output=True, text=True).stdout.splitlines()
    assert lines[1] == "1 1 1 1 0"  # restored, transferred, reset, refused: yes; allocations: none
    return np.array(lines[0].split(), float).reshape(steps, outputs)


def driven_four_bar() -> planar.Model:
    """A falling four-bar with a motor, and a torque that a function of the user states."""
    model = four_bar()
    crank = next(joint for joint in model.constraints if joint.name == "A")
    model.add(planar.Actuator(crank.angle, 0.0), name="motor")
    model.add(planar.Spring(crank.angle, law=lambda turn, speed: -3.0 * math.tanh(turn) - 0.2 * speed), name="brake")
    return model


def test_a_four_bar_with_a_motor_and_a_function_in_c(tmp_path: Path) -> None:
    model, outputs = driven_four_bar(), ["crank.x", "rocker.vy", "A.angle", "motor.force", "coupler.ax"]
    export_c(model, tmp_path, ["motor"], outputs, derivatives=False)
    found = run_in_c(tmp_path, "four_bar", 1, len(outputs), 200)
    sim = stepper(model, ["motor"], outputs, method="dop853")
    expected = np.zeros_like(found)
    for k in range(len(expected)):
        sim["motor"] = 5.0 * math.sin(0.01 * k)
        expected[k] = sim.step(0.01)
    # The same code, but kernels for another level of processors may contract other products: rounding, grown by 2 s of
    # motion.
    assert np.abs(found - expected).max() <= 1e-9 * np.abs(expected).max()
    assert np.ptp(expected[:, 3]) > 4.0  # the motor acts


def test_the_same_processor_gives_the_same_bits(tmp_path: Path) -> None:
    """Other processors fuse other products and sums: 4e-13 after 500 steps."""
    model, outputs = load("double-pendulum").build(), ["first.x", "second.y", "second.vx"]
    export_c(model, tmp_path, outputs=outputs, name="pendula", processor="native", derivatives=False)
    found = run_in_c(tmp_path, "pendula", 0, len(outputs), 300)
    sim = stepper(model, [], outputs, method="dop853")
    assert np.array_equal(found, [sim.step(0.01) for _ in range(300)])


def test_a_double_pendulum_in_c_equals_simulate(tmp_path: Path) -> None:
    model, outputs = load("double-pendulum").build(), ["first.x", "second.y", "second.vx"]
    export_c(model, tmp_path, outputs=outputs, name="pendula", rtol=1e-11, derivatives=False)
    found = run_in_c(tmp_path, "pendula", 0, len(outputs), 100)
    run = simulate(model, 1.0, output=0.01, method="dop853", rtol=1e-11)
    expected = np.column_stack([run[name] for name in outputs])[1:]
    assert np.abs(found - expected).max() <= 1e-9  # rtol, grown by a second of motion


def test_what_needs_python_is_rejected_by_name(tmp_path: Path) -> None:
    model = four_bar()
    with pytest.raises(ModelError, match="method 'auto' changes the integrator in Python"):
        export_c(model, tmp_path, method="auto")
    with pytest.raises(ModelError, match="outputs 'B.violation' are computed in Python"):
        export_c(model, tmp_path, outputs=["B.violation"])
    with pytest.raises(ModelError, match="processor must be one of"):
        export_c(model, tmp_path, processor="z80")
    joint = next(joint for joint in model.constraints if joint.name == "A")
    memory: list[float] = []

    def remembering(turn: float, speed: float) -> float:
        memory.append(1.0)
        return -speed * len(memory)

    with pytest.warns(cardan.CardanWarning, match="interpreter"):
        model.add(planar.Spring(joint.angle, law=remembering), name="odd")
        with pytest.raises(ModelError, match="function 'odd' runs in the Python interpreter"):
            export_c(model, tmp_path)


def test_impacts_in_c_equal_simulate(tmp_path: Path) -> None:
    """Wagons that strike each other: speeds jump inside steps, which end 1 ms or more away from that."""
    model, outputs = load("shunting").build(), ["wagon0.x", "wagon1.vx", "wagon2.vx"]
    export_c(model, tmp_path, outputs=outputs, name="wagons", derivatives=False)
    found = run_in_c(tmp_path, "wagons", 0, len(outputs), 150)
    run = simulate(model, 1.5, output=0.01, method="dop853")
    away = np.min(np.abs(run.times[1:, None] - [event.time for event in run.events]), axis=1) > 1e-9
    expected = np.column_stack([run[name] for name in outputs])[1:]
    assert len(run.events) >= 3
    assert np.abs(found - expected)[away].max() <= 1e-12


class Instance:
    """An instance of a C library, called from Python."""

    def __init__(self, folder: Path, name: str, outputs: int) -> None:
        self.name, self.count, self.library = name, outputs, ctypes.CDLL(str(folder / f"lib{name}.so"))
        self.place = ctypes.c_void_p(self._function("open", ctypes.c_void_p)())

    def _function(self, part: str, result: Any) -> Any:
        found = getattr(self.library, f"{self.name}_{part}")
        found.restype = result
        return found

    def set(self, k: int, value: float) -> None:
        self._function("set", ctypes.c_int)(self.place, k, ctypes.c_double(value))

    def step(self, duration: float) -> None:
        assert self._function("step", ctypes.c_int)(self.place, ctypes.c_double(duration)) == 0

    def saved(self) -> bytes:
        state = ctypes.create_string_buffer(self._function("state_size", ctypes.c_size_t)())
        self._function("save", None)(self.place, state)
        return state.raw

    def derivative(self, *inputs: float) -> np.ndarray | str:
        """The change of the outputs, or the message."""
        given, found = np.array(inputs), np.zeros(self.count)
        places = [ctypes.c_void_p(one.ctypes.data) for one in (given, found)]
        status = self._function("derivative", ctypes.c_int)(self.place, *places)
        return found if status == 0 else self._function("message", ctypes.c_char_p)(status).decode()


def cart_with_friction() -> planar.Model:
    """A cart with a pole on a rail that rubs: friction depends on a reaction that depends on it."""
    model = planar.Model("cart", gravity=(0.0, -9.81))
    cart = model.add(planar.Body(mass=2.0, inertia=1.0, velocity=(0.8, 0.0)), name="cart")
    rail = model.add(planar.Translational(model.ground.at(), cart.at()), name="rail")
    pole = model.add(planar.Body(mass=0.5, inertia=0.01, position=(0.3, 0.4), velocity=(0.8, 0.0)), name="pole")
    pin = model.add(planar.Revolute(cart.at(), pole.at(-0.3, -0.4)), name="pin")
    model.add(planar.Friction(rail, 0.3), name="rubbing")
    model.add(planar.Actuator(pin.angle, 0.0), name="motor")
    return model


@pytest.mark.parametrize("coordinates", ["cartesian", "joint"])
def test_derivatives_of_forces_that_depend_on_reactions(coordinates: str, tmp_path: Path) -> None:
    """They settle to those of the exact linearization: to the tolerance of reactions, 1e-13 of the largest."""
    model, outputs = cart_with_friction(), ["cart.ax", "pole.ay", "rubbing.force", "cart.x"]
    export_c(model, tmp_path, ["motor"], outputs, processor="native", coordinates=coordinates)
    instance = Instance(tmp_path, "cart", len(outputs))
    sim = stepper(model, ["motor"], outputs, method="dop853", coordinates=coordinates)
    for k in range(20):
        instance.set(0, 0.1 * k)
        sim["motor"] = 0.1 * k
        instance.step(0.01)
        sim.step(0.01)
    before = instance.saved()
    found = instance.derivative(2.0)
    assert instance.saved() == before  # derivatives change nothing
    exact = sim.directional_derivative({"motor": 2.0})
    assert abs(exact[2]) > 1e-2  # friction takes part
    np.testing.assert_allclose(found, exact, rtol=1e-11, atol=1e-13)


def test_derivatives_that_do_not_exist(tmp_path: Path) -> None:
    model = planar.Model("slide")
    cart = model.add(planar.Body(mass=2.0, inertia=1.0), name="cart")
    rail = model.add(planar.Translational(model.ground.at(), cart.at()), name="rail")
    model.add(planar.Driver(rail.travel, 0.0), name="motor")
    export_c(model, tmp_path, ["motor"], ["cart.ax"])
    assert "has no derivative at an instant" in str(Instance(tmp_path, "slide", 1).derivative(1.0))
    export_c(model, tmp_path / "small", ["motor"], ["cart.ax"], derivatives=False)
    assert "slide_derivative" not in (tmp_path / "small" / "slide.h").read_text()
    sizes = [(folder / "slide_kernels.o").stat().st_size for folder in (tmp_path, tmp_path / "small")]
    assert sizes[0] > 1.5 * sizes[1]


def test_the_command_writes_a_library(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = ["--outputs", "first.x", "--name", "pair", "--out", str(tmp_path)]
    assert main(["export", "c", "double-pendulum", *names]) == 0
    assert {path.name for path in tmp_path.iterdir()} == {
        "pair.c",
        "pair.h",
        "pair_kernels.o",
        "libpair.a",
        "libpair.so",
    }
    assert "wrote" in capsys.readouterr().out


def test_other_numbers_and_names_of_inputs_are_not_compiled_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def export(mass: float, name: str) -> bytes:
        model = planar.Model("cart")
        cart = model.add(planar.Body(mass=mass, inertia=1.0), name="cart")
        guide = model.add(planar.Translational(model.ground.at(), cart.at()), name="guide")
        model.add(planar.Actuator(guide.travel, 0.0), name=name)
        files = export_c(model, tmp_path / name, inputs=[name], outputs=["cart.vx"], derivatives=False)
        return next(path for path in files if path.suffix == ".o").read_bytes()

    first = export(2.0, "drive")

    def compiled_again(*arguments: Any) -> bytes:
        raise AssertionError("compiled again")

    monkeypatch.setattr(cardan.export.code, "emit_object", compiled_again)
    assert export(3.0, "motor") == first
