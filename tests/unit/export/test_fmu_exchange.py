"""FMUs for model exchange: integrated by FMPy, with events; and derivatives, against exact ones."""

from __future__ import annotations

import math
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cardan import ModelError, export_fmu, planar, simulate, stepper
from cardan.examples import load
from cardan.numerics.compiled.settings import COMPILED, LIBRARY_REQUIRED
from falling_linkages import four_bar

fmpy = pytest.importorskip("fmpy")
pytestmark = [
    pytest.mark.skipif(not COMPILED or LIBRARY_REQUIRED, reason="exports need the compiler of kernels"),
    pytest.mark.skipif(shutil.which("cc") is None or sys.platform != "linux", reason="links as on Linux"),
]


def opened(path: Path, folder: Path, kind: str) -> tuple[Any, dict[str, int]]:
    """An instance that is initialized, and the value references of its variables."""
    from fmpy import extract, read_model_description
    from fmpy.fmi2 import FMU2Model, FMU2Slave
    from fmpy.fmi3 import FMU3Model, FMU3Slave

    found = read_model_description(str(path))
    third = found.fmiVersion == "3.0"
    classes = (FMU3Model, FMU3Slave) if third else (FMU2Model, FMU2Slave)
    fmu = classes[kind == "co-simulation"](
        guid=found.instantiationToken if third else found.guid,
        unzipDirectory=extract(str(path), unzipdir=str(folder)),
        modelIdentifier=found.modelExchange.modelIdentifier,
        instanceName="one",
    )
    fmu.instantiate()
    if not third:
        fmu.setupExperiment(startTime=0.0)
    fmu.enterInitializationMode()
    fmu.exitInitializationMode()
    return fmu, {one.name: one.valueReference for one in found.modelVariables}


def block_against_a_stop() -> planar.Model:
    """A block that a spring draws along: it sticks, breaks away, slides, and strikes a stop at x = 0.15 m."""
    model = load("stick-slip").build()
    block = next(body for body in model.bodies if body.name == "block")
    model.add(planar.Impact(-planar.x(block.at()), restitution=0.6, below=-0.15), name="stop")
    return model


@pytest.mark.parametrize("coordinates", ["cartesian", "joint"])
def test_impacts_and_friction_equal_simulate(coordinates: str, tmp_path: Path) -> None:
    model, names = block_against_a_stop(), ["block.x", "block.vx", "spring.force"]
    path = export_fmu(
        model, tmp_path / "block.fmu", outputs=names, coordinates=coordinates, rtol=1e-10, derivatives=False
    )
    run = simulate(model, 4.0, output=0.013, coordinates=coordinates, method="dop853", rtol=1e-12)
    words = [event.event.word for event in run.events]
    assert {"struck", "breaks away", "comes to rest"} <= set(words) and len(words) > 8
    away = np.min(np.abs(run.times[:, None] - [event.time for event in run.events]), axis=1) > 1e-5
    found = fmpy.simulate_fmu(str(path), fmi_type="CoSimulation", stop_time=4.0, output_interval=0.013)
    count = min(len(found), len(run))
    for name in names:
        assert np.abs(found[name][:count] - run[name][:count])[away[:count]].max() <= 1e-9
    found = fmpy.simulate_fmu(
        str(path), fmi_type="ModelExchange", stop_time=4.0, output_interval=0.013, relative_tolerance=1e-9
    )
    same = [int(np.argmin(np.abs(found["time"] - t))) for t in run.times]
    away &= np.abs(found["time"][same] - run.times) < 1e-9
    for name in names:  # CVode's tolerance, and that of the instants of events
        assert np.abs(found[name][same] - run[name])[away].max() <= 1e-5


@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_a_closed_loop_integrated_by_fmpy(version: str, tmp_path: Path) -> None:
    from fmpy.validation import validate_fmu

    model, names = four_bar(), ["crank.x", "rocker.vy", "A.angle", "coupler.ax"]
    path = export_fmu(model, tmp_path / "linkage.fmu", outputs=names, version=version, derivatives=False)
    assert validate_fmu(str(path)) == []
    found = fmpy.simulate_fmu(
        str(path), fmi_type="ModelExchange", stop_time=1.0, output_interval=0.01, relative_tolerance=1e-10
    )
    run = simulate(model, 1.0, output=0.01, rtol=1e-11)
    for name in names:  # CVode's own tolerance, grown by a second of motion
        assert np.abs(found[name] - run[name]).max() <= 2e-6 * np.abs(run[name]).max()


def test_wagons_strike_by_model_exchange(tmp_path: Path) -> None:
    """Between the events, at which velocities jump; CVode locates them to rounding, since speeds are constant."""
    model = load("shunting").build()
    names = ["wagon0.x", "wagon0.vx", "wagon1.vx", "wagon2.vx"]
    path = export_fmu(model, tmp_path / "wagons.fmu", outputs=names, derivatives=False)
    found = fmpy.simulate_fmu(str(path), fmi_type="ModelExchange", stop_time=2.0, output_interval=0.01)
    run = simulate(model, 2.0, output=0.01)
    assert len(run.events) >= 3
    away = np.min(np.abs(run.times[:, None] - [event.time for event in run.events]), axis=1) > 1e-3
    same = [int(np.argmin(np.abs(found["time"] - t))) for t in run.times]
    for name in names:
        assert np.abs(found[name][same] - run[name])[away].max() <= 1e-9


@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_derivatives_of_a_pendulum(version: str, tmp_path: Path) -> None:
    """J phi'' = T - m g l sin(phi) - c phi': all derivatives in closed form, to rounding."""
    length, mass, inertia, damping, angle = 0.5, 2.0, 0.1, 0.3, 0.6
    model = planar.Model("pendulum", gravity=(0, -9.81))
    rod = model.add(
        planar.Body(
            mass=mass,
            inertia=inertia,
            position=(length * math.sin(angle), -length * math.cos(angle)),
            angle=angle,
            angular_velocity=0.7,
            velocity=(0.7 * length * math.cos(angle), 0.7 * length * math.sin(angle)),
        ),
        name="rod",
    )
    pin = model.add(planar.Revolute(model.ground.at(), rod.at(0, length)), name="pin")
    model.add(planar.Actuator(pin.angle, 0.0), name="motor")
    model.add(planar.Spring(pin.angle, stiffness=0.0, damping=damping, rest_angle=0.0), name="bearing")
    path = export_fmu(
        model, tmp_path / "p.fmu", ["motor", "bearing.damping"], ["pin.angle", "pin.angle.acceleration"],
        version=version, coordinates="joint",
    )  # fmt: skip
    total = inertia + mass * length**2
    expected = {
        "motor": 1.0 / total,
        "bearing.damping": -0.7 / total,
        "angle": -mass * 9.81 * length * math.cos(angle) / total,
        "rate": -damping / total,
    }
    for kind in ("co-simulation", "model exchange"):
        fmu, reference = opened(path, tmp_path / kind, kind)
        states = {
            ("rate" if name.endswith(".rate") else "angle"): name for name in reference if name.startswith("state")
        }
        derive = fmu.getDirectionalDerivative
        unknown = [reference["pin.angle.acceleration"], reference[f"der({states['rate']})"]]
        for key, value in expected.items():
            known = [reference[states.get(key, key)]]
            found = derive(unknown, known, [1.0])
            assert np.abs(np.array(found) - value).max() <= 1e-14 * abs(value)
        both = derive(unknown[:1], [reference["motor"], reference[states["rate"]]], [2.0, 3.0])
        assert both[0] == pytest.approx(2.0 * expected["motor"] + 3.0 * expected["rate"], rel=1e-14)
        if version == "3.0":
            known = [reference["motor"], reference[states["angle"]]]
            assert fmu.getAdjointDerivative(unknown, known, [1.0, 1.0]) == pytest.approx(
                [2.0 * expected["motor"], 2.0 * expected["angle"]], rel=1e-14
            )
        fmu.freeInstance()


def test_derivatives_of_a_closed_loop_equal_the_exact_linearization(tmp_path: Path) -> None:
    model = four_bar()
    pin = next(joint for joint in model.constraints if joint.name == "A")
    model.add(planar.Actuator(pin.angle, 1.0), name="motor")
    names = ["coupler.ax", "rocker.ay", "A.angle.acceleration", "crank.vx"]
    path = export_fmu(model, tmp_path / "linkage.fmu", ["motor"], names, processor="native")
    fmu, reference = opened(path, tmp_path / "unzipped", "co-simulation")
    sim = stepper(model, ["motor"], names, method="dop853")
    for k in range(30):
        fmu.doStep(currentCommunicationPoint=0.01 * k, communicationStepSize=0.01)
        sim.step(0.01)
    before = fmu.getReal([reference[name] for name in names])
    found = fmu.getDirectionalDerivative([reference[name] for name in names], [reference["motor"]], [1.0])
    exact = sim.directional_derivative({"motor": 1.0})
    assert np.abs(np.array(found) - exact).max() <= 1e-13 * np.abs(exact).max()  # the states have the same bits
    assert fmu.getReal([reference[name] for name in names]) == before  # derivatives change nothing
    fmu.freeInstance()


def test_a_driver_needs_co_simulation(tmp_path: Path) -> None:
    model = planar.Model("slide")
    cart = model.add(planar.Body(mass=2.0, inertia=1.0), name="cart")
    rail = model.add(planar.Translational(model.ground.at(), cart.at()), name="rail")
    model.add(planar.Driver(rail.travel, 0.0), name="motor")
    with pytest.raises(ModelError, match="input 'motor' prescribes the motion of a driver"):
        export_fmu(model, tmp_path / "a.fmu", ["motor"], ["cart.x"], kind="model exchange")
    path = export_fmu(model, tmp_path / "a.fmu", ["motor"], ["cart.x"], derivatives=False)
    assert fmpy.read_model_description(str(path)).modelExchange is None
    with pytest.raises(ModelError, match="platforms must be 'all' or some of"):
        export_fmu(model, tmp_path / "a.fmu", platforms="amiga")
