"""FMUs, validated and run by FMPy, compared with `stepper` and `simulate`."""

from __future__ import annotations

import math
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cardan import ModelError, export_fmu, planar, simulate, stepper
from cardan.cli import main
from cardan.examples import load
from cardan.numerics.compiled.settings import COMPILED, LIBRARY_REQUIRED
from falling_linkages import four_bar

fmpy = pytest.importorskip("fmpy")
pytestmark = [
    pytest.mark.skipif(not COMPILED or LIBRARY_REQUIRED, reason="exports need the compiler of kernels"),
    pytest.mark.skipif(shutil.which("cc") is None or sys.platform != "linux", reason="links as on Linux"),
]
OUTPUTS = ["crank.x", "rocker.vy", "A.angle", "motor.force", "coupler.ax"]


def mechanism(torque: float = 0.0) -> planar.Model:
    """A falling four-bar with a motor, a spring and a function of the user."""
    model = four_bar()
    pin = next(joint for joint in model.constraints if joint.name == "A")
    model.add(planar.Actuator(pin.angle, torque), name="motor")
    model.add(planar.Spring(pin.angle, stiffness=2.0, rest_angle=0.0), name="coil")
    model.add(planar.Spring(pin.angle, law=lambda turn, speed: -3.0 * math.tanh(turn) - 0.2 * speed), name="brake")
    return model


def opened(path: Path, folder: Path) -> Any:
    """An instance of an FMU, ready for steps."""
    from fmpy import extract, read_model_description
    from fmpy.fmi2 import FMU2Slave
    from fmpy.fmi3 import FMU3Slave

    description = read_model_description(str(path))
    kind = FMU3Slave if description.fmiVersion == "3.0" else FMU2Slave
    token = description.guid if description.fmiVersion == "2.0" else description.instantiationToken
    fmu = kind(
        guid=token,
        unzipDirectory=extract(str(path), unzipdir=str(folder)),
        modelIdentifier=description.coSimulation.modelIdentifier,
        instanceName="one",
    )
    fmu.instantiate()
    if description.fmiVersion == "2.0":
        fmu.setupExperiment(startTime=0.0)
    fmu.enterInitializationMode()
    fmu.exitInitializationMode()
    return fmu


@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_a_four_bar_as_fmu(version: str, tmp_path: Path) -> None:
    from fmpy.validation import validate_fmu

    model = mechanism()
    path = export_fmu(model, tmp_path / "linkage.fmu", ["motor", "coil.stiffness"], OUTPUTS, version=version)
    assert validate_fmu(str(path)) == []
    fmu, steps = opened(path, tmp_path / "unzipped"), 100
    set_, get = (fmu.setFloat64, fmu.getFloat64) if version == "3.0" else (fmu.setReal, fmu.getReal)
    save = fmu.getFMUState if version == "3.0" else fmu.getFMUstate
    restore = fmu.setFMUState if version == "3.0" else fmu.setFMUstate
    references = list(range(3, 3 + len(OUTPUTS)))

    def run(first: int, last: int) -> np.ndarray:
        rows = []
        for k in range(first, last):
            set_([1], [5.0 * math.sin(0.01 * k)])
            fmu.doStep(currentCommunicationPoint=0.01 * k, communicationStepSize=0.01)
            rows.append(get(references))
        return np.array(rows)

    set_([2], [3.0])
    begun = run(0, steps // 2)
    state = save()
    found = np.vstack([begun, run(steps // 2, steps)])
    sim = stepper(model, ["motor", "coil.stiffness"], OUTPUTS, method="dop853")
    expected = np.zeros_like(found)
    sim["coil.stiffness"] = 3.0
    for k in range(steps):
        sim["motor"] = 5.0 * math.sin(0.01 * k)
        expected[k] = sim.step(0.01)
    # Times of the master, k h, and of the stepper, sums of h, differ by rounding, which grows with the motion.
    assert np.abs(found - expected).max() <= 1e-9 * np.abs(expected).max()
    restore(state)
    assert np.array_equal(run(steps // 2, steps), found[steps // 2 :])
    with pytest.raises(Exception, match="fmi[23]DoStep"):
        fmu.doStep(currentCommunicationPoint=7.0, communicationStepSize=0.01)
    fmu.reset()
    fmu.terminate()
    fmu.freeInstance()


def test_reactions_and_angular_velocities_are_outputs(tmp_path: Path) -> None:
    model = load("spatial-slider-crank").build()
    run = simulate(model, 0.1, output=0.05, coordinates="cartesian", method="dop853", progress=False)
    joints = [name for name, column in run.columns.items() if column.reaction is not None][:8]
    names = [*joints, *(f"{model.bodies[1].name}.{part}" for part in ("wx", "wy", "wz", "alphaz"))]
    options = {"version": "3.0", "coordinates": "cartesian", "kind": "co-simulation"}
    path = export_fmu(model, tmp_path / "crank.fmu", (), names, **options, derivatives=False)
    fmu = opened(path, tmp_path / "unzipped")
    for k in range(2):
        fmu.doStep(currentCommunicationPoint=0.05 * k, communicationStepSize=0.05)
    found = fmu.getFloat64(list(range(1, 1 + len(names))))
    fmu.terminate()
    fmu.freeInstance()
    for name, value in zip(names, found, strict=True):
        assert abs(value - run[name][-1]) <= 1e-7 * max(abs(run[one][-1]) for one in names)
    with pytest.raises(ModelError, match="joint reactions need coordinates='cartesian'"):
        export_fmu(model, tmp_path / "crank.fmu", (), [joints[0]], coordinates="joint")


@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_simulated_by_fmpy_equals_simulate(version: str, tmp_path: Path) -> None:
    model, names = mechanism(), ["crank.x", "rocker.vy"]
    path = export_fmu(model, tmp_path / "linkage.fmu", ["motor"], names, version=version, rtol=1e-11, derivatives=False)
    found = fmpy.simulate_fmu(str(path), stop_time=1.0, output_interval=0.02, start_values={"motor": 4.0})
    run = simulate(mechanism(4.0), 1.0, output=0.02, rtol=1e-11)
    for name in names:
        assert np.abs(found[name] - run[name]).max() <= 1e-9 * np.abs(run[name]).max()


def test_names_and_versions_that_are_rejected(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="the version of an FMU"):
        export_fmu(four_bar(), tmp_path / "a.fmu", version="1.0")
    with pytest.raises(ModelError, match="'time' is a variable of the FMU already"):
        export_fmu(four_bar(), tmp_path / "a.fmu", outputs=["time"])


def test_the_command_writes_an_fmu(tmp_path: Path) -> None:
    path = tmp_path / "pair.fmu"
    assert main(["export", "fmu", "double-pendulum", "--outputs", "first.x", "--out", str(path), "--fmi", "3.0"]) == 0
    assert fmpy.read_model_description(str(path)).fmiVersion == "3.0"
