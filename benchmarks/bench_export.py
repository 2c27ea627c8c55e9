"""FMUs of ten mechanisms: their size, the cost of a step, and how far they are from `simulate`.

    python benchmarks/bench_export.py            all mechanisms, steps of 10 ms
    python benchmarks/bench_export.py arm N      N steps of 1 ms of a six-axis arm with PID controllers, and the worst
    python benchmarks/bench_export.py derivatives [NAMES]    directional derivatives, and the exact linearization

Steps are called from Python by way of ctypes, which adds about 2 us to each. Close to events, where speeds jump,
nothing is compared: `simulate` reports the state before, an FMU that after.
"""

from __future__ import annotations

import ctypes
import re
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from bench_stepper import arm, set_points

from cardan import export_fmu, planar, simulate, stepper
from cardan.examples import load

MARGIN = 1e-5  # s beside an event
TARGET, EXACT = 1e-9, 1e-11


def example(name: str) -> Callable[[], Any]:
    return lambda: load(name).build()


def stick_slip_with_stop() -> planar.Model:
    model = load("stick-slip").build()
    block = next(body for body in model.bodies if body.name == "block")
    model.add(planar.Impact(-planar.x(block.at()), restitution=0.6, below=-0.15), name="stop")
    return model


MECHANISMS: dict[str, tuple[Callable[[], Any], str, float, dict[str, Any]]] = {
    "four-bars, falling": (example("falling-four-bars"), "dop853", 1.0, {}),
    "double pendulum": (example("double-pendulum"), "dop853", 1.0, {}),
    "heavy top": (example("heavy-top"), "dop853", 1.0, {}),
    "wagons with impacts": (example("shunting"), "dop853", 1.5, {}),
    "block, impacts and friction": (stick_slip_with_stop, "dop853", 3.0, {}),
    "inverted pendulum": (example("inverted-pendulum"), "dop853", 1.0, {}),
    "six-axis arm with PID": (arm, "dop853", 0.5, {}),
    "excavator, closed loops": (example("excavator"), "dop853", 0.5, {}),
    "quarter car": (example("quarter-car"), "dop853", 1.0, {}),
    "car": (example("vehicle"), "dop853", 0.5, {}),
}
DERIVED = {name: one for name, one in MECHANISMS.items() if name != "excavator, closed loops"}
DERIVED["governor"] = example("governor"), "dop853", 1.0, {}


class Instance:
    """An FMU, stepped through its C functions."""

    def __init__(self, path: Path, folder: Path) -> None:
        with zipfile.ZipFile(path) as archive:
            archive.extractall(folder)
            text = archive.read("modelDescription.xml").decode()
        token = re.search(r'guid="([^"]+)"', text)
        assert token is not None
        file = next(folder.glob("binaries/linux64/*.so"))
        self.size, self.library = file.stat().st_size, ctypes.CDLL(str(file))
        self.library.fmi2Instantiate.restype = ctypes.c_void_p
        callbacks = (ctypes.c_void_p * 5)()
        self.c = ctypes.c_void_p(
            self.library.fmi2Instantiate(b"one", 1, token[1].encode(), b"", ctypes.byref(callbacks), 0, 0)
        )
        self.step_, self.get_, self.set_ = self.library.fmi2DoStep, self.library.fmi2GetReal, self.library.fmi2SetReal
        self.step_.argtypes = [ctypes.c_void_p, ctypes.c_double, ctypes.c_double, ctypes.c_int]
        double, integer = (np.ctypeslib.ndpointer(kind) for kind in (np.float64, np.uint32))
        for function in (self.get_, self.set_):
            function.argtypes = [ctypes.c_void_p, integer, ctypes.c_size_t, double]
        self.references = {
            name: int(number) for name, number in re.findall(r'name="([^"]+)" valueReference="(\d+)"', text)
        }

    def run(self, names: list[str], step: float, count: int) -> tuple[np.ndarray, np.ndarray]:
        """Outputs after each step, and the time that each step took."""
        places = np.array([self.references[name] for name in names], np.uint32)
        rows, spent = np.zeros((count, len(names))), np.zeros(count)
        for k in range(count):
            begun = perf_counter()
            status = self.step_(self.c, k * step, step, 1)
            spent[k] = perf_counter() - begun
            assert status == 0, f"step {k} returned {status}"
            self.get_(self.c, places, places.size, rows[k])
        return rows, spent

    def derivative(self, unknowns: list[int], knowns: list[int], seed: Any) -> np.ndarray:
        """The change of unknowns with a change of knowns."""
        given = [np.array(unknowns, np.uint32), np.array(knowns, np.uint32), np.array(seed, float)]
        found = np.zeros(len(unknowns))
        place = [ctypes.c_void_p(one.ctypes.data) for one in (*given, found)]
        counts = [ctypes.c_size_t(len(unknowns)), ctypes.c_size_t(len(knowns))]
        function = self.library.fmi2GetDirectionalDerivative
        status = function(self.c, place[0], counts[0], place[1], counts[1], place[2], place[3])
        assert status == 0, f"the derivative returned {status}"
        return found


def compared(name: str) -> bool:
    """One line of the table; whether the FMU is as near as it must be."""
    build, method, until, options = MECHANISMS[name]
    model, step = build(), 0.01
    run = simulate(model, until, output=step, method=method, rtol=1e-12, progress=False, **options)
    names = [key for key in run.columns if re.search(r"\.(x|y|vx|vy|angle)$", key)][:8]
    with tempfile.TemporaryDirectory() as scratch:
        path = export_fmu(model, Path(scratch) / "m.fmu", outputs=names, method=method, rtol=1e-11, **options)
        instance, zipped = Instance(path, Path(scratch) / "out"), path.stat().st_size
        found, spent = instance.run(names, step, len(run) - 1)
    events = np.array([event.time for event in run.events])
    away = np.array([not events.size or np.abs(events - t).min() > MARGIN for t in run.times[1:]])
    expected = np.column_stack([run[key] for key in names])[1:]
    gap = (np.abs(found - expected)[away] / np.maximum(1.0, np.abs(expected).max(axis=0))).max()
    print(
        f"{name:28} {instance.size / 1e3:6.0f} kB {zipped / 1e3:5.0f} kB zipped "
        f"{1e6 * np.median(spent):7.1f} us median "
        f"{1e6 * spent.max():8.0f} us worst  {len(events):3} events  {gap:.1e} from simulate",
        flush=True,
    )
    return bool(gap <= TARGET)


def derivatives(name: str) -> bool:
    """Derivatives of the motion of four bodies along all states, in Cartesian coordinates; whether they are exact."""
    build, _, until, _ = DERIVED[name]
    model, steps = build(), 20
    spatial = len(model.gravity) == 3
    bodies = [body.name for body in model.bodies if body is not model.ground]
    axes = "xyz"[: len(model.gravity)]  # all: rounding is relative to the largest derivative, whose axis must be there
    outputs = [f"{body}.{level}{key}" for body in bodies[:4] for key in axes for level in ("", "v", "a")]
    sim = stepper(model, (), outputs, method="dop853", coordinates="cartesian")
    with tempfile.TemporaryDirectory() as scratch:
        path = export_fmu(
            model, Path(scratch) / "m.fmu", outputs=outputs, coordinates="cartesian", processor="native"
        )  # fmt: skip
        instance, zipped = Instance(path, Path(scratch) / "out"), path.stat().st_size
        instance.run(outputs, until / (5 * steps), steps)
    for _ in range(steps):
        sim.step(until / (5 * steps))
    exact, reference = sim.linearize(), instance.references
    states = [key for key in reference if key.startswith("state.")]
    speeds = [reference[key] for key in states if key.endswith(".rate")][: (6 if spatial else 3) * len(bodies)]
    places = [key for key in states if not key.endswith(".rate")][: (7 if spatial else 3) * len(bodies)]
    unknowns, knowns = [reference[one] for one in outputs], [*(reference[key] for key in places), *speeds]
    worst, spent = 0.0, []
    for j in range(exact.displacements + exact.rates):
        turned = exact.motions.dq[:, j]  # in space, rotations: rates of Euler parameters are linear in them
        moved = instance.derivative([reference[f"der({key})"] for key in places], speeds, turned)
        begun = perf_counter()
        found = instance.derivative(unknowns, knowns, [*moved, *exact.motions.dv[:, j]])
        spent.append(perf_counter() - begun)
        column = exact.C[:, j]
        worst = max(worst, np.abs(found - column).max() / max(np.abs(column).max(), 1e-3))
    print(
        f"{name:28} {len(spent):3} states  {worst:.1e} from the linearization  {1e6 * np.median(spent):7.0f} us a "
        f"direction  {instance.size / 1e3:6.0f} kB {zipped / 1e3:5.0f} kB zipped",
        flush=True,
    )
    return bool(worst <= EXACT)


def arm_steps(count: int) -> None:
    """Steps of 1 ms of the arm."""
    inputs, outputs = ([f"{part.format(k)}" for k in range(1, 7)] for part in ("pid{}.setpoint", "axis{}.angle"))
    with tempfile.TemporaryDirectory() as scratch:
        path = export_fmu(arm(), Path(scratch) / "m.fmu", inputs, outputs, rtol=1e-6, coordinates="joint")
        instance = Instance(path, Path(scratch) / "out")
        places = np.array([instance.references[name] for name in inputs], np.uint32)
        goals, spent = set_points(count), np.zeros(count)
        for k in range(count):
            begun = perf_counter()
            instance.set_(instance.c, places, 6, goals[k])
            status = instance.step_(instance.c, k * 1e-3, 1e-3, 1)
            spent[k] = perf_counter() - begun
            assert status == 0
    print(
        f"{count} steps of 1 ms: median {1e6 * np.median(spent):.1f} us, 99.9 % below "
        f"{1e6 * np.quantile(spent, 0.999):.1f} us, worst {1e6 * spent.max():.0f} us"
    )


if __name__ == "__main__":
    if sys.argv[1:2] == ["arm"]:
        arm_steps(int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000)
    elif sys.argv[1:2] == ["derivatives"]:
        fine = [derivatives(name) for name in sys.argv[2:] or DERIVED]
        sys.exit(0 if all(fine) else 1)
    else:
        fine = [compared(name) for name in sys.argv[1:] or MECHANISMS]
        sys.exit(0 if all(fine) else 1)
