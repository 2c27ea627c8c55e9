"""Labelled data sets: the numbers of the result under the names of the elements, with units, in memory and in files."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from cardan import inverse_dynamics, kinematics, load_result, planar as plane, simulate, spatial as space
from cardan.examples import load
from cardan.planar import Body, Driver, Harmonic, Hold, Load, Model, Ramp, Revolute, Spring, Translational, angle
from cardan.storage.dataset import dataset
from closed_forms import oscillator
from simple_motions import G, spinning

M, K, C = 2.0, 50.0, 1.5
TIMES = np.linspace(0.0, 1.0, 11)


@pytest.fixture(scope="module")
def run():
    """A crank of 0.2 m at 10 rad/s and a rod of 0.5 m, over a tenth of a second."""
    return kinematics(load("slider-crank").build(), np.linspace(0.0, 0.1, 6))


@pytest.fixture(scope="module")
def pushed():
    """A block on a spring and a damper, from 0.3 m, with a load of 4 cos(3 t)."""
    model = Model("oscillator", gravity=(0, -G))
    block = model.add(Body(mass=M, inertia=1.0, position=(0.3, 0)), name="block")
    guide = model.add(Translational(model.ground.at(), block.at()), name="guide")
    model.add(Spring(guide.travel, K, C, rest_length=0.0), name="spring")
    model.add(Load(block.at(), (Harmonic(4.0, 3.0, phase=0.5 * np.pi), 0.0)), name="push")
    return simulate(model, 1.0, output=0.1, rtol=1e-10)


@pytest.fixture(scope="module")
def turning():
    """An arm of 3 kg, mass center at 0.5 m, turned upward at 2 rad/s, held in the plane by a hinge alone."""
    model = Model("arm", gravity=(0, -G))
    arm = model.add(Body(mass=3.0, inertia=0.25, center=(0.5, 0.0)), name="arm")
    hinge = model.add(Revolute(model.ground.at(), arm.at()), name="hinge")
    model.add(Driver(hinge.angle, Ramp(2.0)), name="motor")
    return inverse_dynamics(model, TIMES)


def test_dataset_is_labelled(run) -> None:
    pytest.importorskip("xarray")
    data = dataset(run)
    assert np.array_equal(data.position.sel(body="slider", axis="x"), run["slider"].position[:, 0])
    assert np.array_equal(data.angular_acceleration.sel(body="rod"), run["rod"].angular_acceleration)
    assert np.array_equal(data.coordinate_value.sel(coordinate="A.angle"), run["A"].angle.value)
    assert data.coordinate_value.sel(coordinate="guide.travel").unit == "m"
    assert np.array_equal(data.violation.sel(constraint="C"), run["C"].violation)
    assert data.position.attrs["units"] == "m" and data.time.attrs["units"] == "s"
    assert data.attrs["model"] == "slider-crank"


def test_kinematics_has_no_forces_and_no_energy(run) -> None:
    pytest.importorskip("xarray")
    assert not {"force", "driver", "equation"} & {*dataset(run).dims}
    assert not {"reaction_force", "multiplier", "kinetic_energy"} & {*dataset(run).data_vars}


def test_applied_forces_of_a_simulation(pushed) -> None:
    """f = k x + c x' of the spring and 4 cos 3t of the load; 1e-7 is 100 times the tolerance of the run."""
    pytest.importorskip("xarray")
    data = pushed.to_xarray()
    exact = oscillator(pushed.times, M, K, C, start=0.3, force=4.0, frequency=3.0)
    pull, push = K * exact.value + C * exact.rate, 4.0 * np.cos(3.0 * pushed.times)
    assert [*data.force.values] == ["spring", "push.fx", "push.fy"]
    assert [*data.force_element.values] == ["spring", "push", "push"]
    assert {*data.force_unit.values} == {"N"}
    assert np.abs(data.force_strength.sel(force="spring") - pull).max() < 1e-7
    assert np.abs(data.force_strength.sel(force="push.fx") - push).max() < 1e-14
    assert np.abs(data.force_strength.sel(force="push.fy")).max() == 0.0
    assert np.abs(data.force_power.sel(force="spring") + pull * exact.rate).max() < 1e-7
    assert np.abs(data.force_power.sel(force="push.fx") - push * exact.rate).max() < 1e-7
    assert data.force_power.attrs["units"] == "W"


def test_energies_of_a_simulation(pushed) -> None:
    """T = m x'^2 / 2 and V = k x^2 / 2, and what the balance says of them."""
    pytest.importorskip("xarray")
    data = pushed.to_xarray()
    exact = oscillator(pushed.times, M, K, C, start=0.3, force=4.0, frequency=3.0)
    assert np.abs(data.kinetic_energy - 0.5 * M * exact.rate**2).max() < 1e-8
    assert np.abs(data.potential_energy - 0.5 * K * exact.value**2).max() < 1e-8
    gained = data.work - data.dissipated_energy + data.driven_work
    error = data.total_energy - data.total_energy[0] - gained
    assert np.abs(error).max() < 1e-8 and np.abs(error - data.energy_error).max() < 1e-14
    assert float(data.dissipated_energy[-1]) > 0.1
    names = ("kinetic_energy", "potential_energy", "total_energy", "work", "dissipated_energy", "driven_work")
    for name in (*names, "energy_error"):
        assert data[name].dims == ("time",) and data[name].attrs["units"] == "J" and data[name].attrs["long_name"]


def test_reactions_of_a_simulation(pushed) -> None:
    """The guide carries the weight of 2 kg, and nothing along its travel."""
    pytest.importorskip("xarray")
    held = pushed.to_xarray().reaction_force.sel(constraint="guide")
    assert np.abs(held.sel(axis="y") - M * G).max() < 1e-9
    assert np.abs(held.sel(axis="x")).max() < 1e-9
    assert held.reaction_body == "block" and held.reaction_frame == "joint" and held.attrs["units"] == "N"


def test_forces_of_inverse_dynamics(turning) -> None:
    """The hinge bears the weight and turns the mass round: -m r omega^2 (cos, sin); the motor lifts, m g r cos."""
    pytest.importorskip("xarray")
    data, turned = turning.to_xarray(), 2.0 * TIMES
    held = data.reaction_force.sel(constraint="hinge")
    assert np.abs(held.sel(axis="x") + 6.0 * np.cos(turned)).max() < 1e-9
    assert np.abs(held.sel(axis="y") - 3.0 * G + 6.0 * np.sin(turned)).max() < 1e-9
    lifting = 1.5 * G * np.cos(turned)
    assert np.abs(data.driver_force.sel(driver="motor") - lifting).max() < 1e-9
    assert np.abs(data.driver_power.sel(driver="motor") - 2.0 * lifting).max() < 1e-9
    assert data.driver_unit.sel(driver="motor") == "N m"
    torque = data.reaction_torque.sel(constraint="motor")
    assert np.abs(torque - lifting).max() < 1e-9 and torque.reaction_frame == "global"
    assert [*data.equation.values] == ["hinge.x", "hinge.y", "motor.angle"]
    assert np.abs(data.multiplier.sel(equation="motor.angle") + lifting).max() < 1e-9
    assert not data.indeterminate.any() and "kinetic_energy" not in data


def test_what_rigid_bodies_leave_open_is_marked() -> None:
    """Two holds of one angle share a torque; the hinge is determinate."""
    pytest.importorskip("xarray")
    model = Model("held twice", gravity=(0, -G))
    arm = model.add(Body(mass=1.0, inertia=0.1, center=(0.5, 0.0)), name="arm")
    hinge = model.add(Revolute(model.ground.at(), arm.at()), name="hinge")
    model.add(Hold(hinge.angle, 0.0), name="one")
    model.add(Hold(angle(model.ground.at(), arm.at(0.1, 0.0)), 0.0), name="two")
    data = inverse_dynamics(model, [0.0]).to_xarray()
    assert [*data.equation.values[data.indeterminate]] == ["one.angle", "two.angle"]
    assert data.multiplier.sel(equation="two.angle").item() == pytest.approx(-0.25 * G, abs=1e-9)


def test_forces_in_space() -> None:
    """Torques are vectors there; the third component of one grows as t, the coil pulls back with 8 phi + 0.1 phi'."""
    pytest.importorskip("xarray")
    run = simulate(spinning(), 0.5, output=0.1)
    data = run.to_xarray()
    assert data.reaction_torque.dims == ("time", "constraint", "axis")
    assert np.array_equal(data.reaction_torque.sel(constraint="hinge"), run["hinge"].torque)
    assert [*data.force.values] == ["coil", "torque.tx", "torque.ty", "torque.tz"]
    assert {*data.force_unit.values} == {"N m"}
    assert np.abs(data.force_strength.sel(force="torque.tz") - run.times).max() < 1e-14
    hinge = data.sel(coordinate="hinge.angle")
    coil = 8.0 * hinge.coordinate_value + 0.1 * hinge.coordinate_rate
    assert np.abs(data.force_strength.sel(force="coil") - coil).max() < 1e-10
    whole = data.force_power.groupby("force_element").sum().sel(force_element="torque")
    assert np.abs(whole - run["torque"].power).max() < 1e-12


def test_each_reaction_is_that_of_its_element_alone(turning) -> None:
    """One pass over all elements gives what a pass over each gives, in the speeds of its body."""
    loads, motion = turning.loads, (turning.times, turning.q, turning.turns)
    elements = turning.system.elements
    arm = turning.model["arm"]
    found = loads.on_each(elements, [arm] * len(elements), motion)
    for k, element in enumerate(elements):
        assert np.array_equal(found[:, k], loads.on_bodies(element, *motion)[:, 3:6])
        assert np.abs(found[:, k]).max() > 1.0


@pytest.mark.parametrize("name", ["slider-crank", "trammel"])
def test_netcdf_round_trip(name: str, tmp_path) -> None:
    xarray = pytest.importorskip("xarray")
    result = kinematics(load(name).build(), np.linspace(0.0, 0.1, 4))
    result.save(tmp_path / "run.nc")
    assert_same(xarray, tmp_path / "run.nc", dataset(result))


def test_netcdf_keeps_forces_and_energies(pushed, turning, tmp_path) -> None:
    xarray = pytest.importorskip("xarray")
    for result in (pushed, turning):
        result.save(tmp_path / "run.nc", overwrite=True)
        assert_same(xarray, tmp_path / "run.nc", dataset(result))


def assert_same(xarray, path, data) -> None:
    """A file holds all of a data set, with its labels and units; beside it what a result needs to be read back."""
    with xarray.open_dataset(path) as read:
        assert read.attrs["model"] == data.attrs["model"] and read.attrs["analysis"] == data.attrs["analysis"]
        for name, variable in data.variables.items():
            assert read[name].dims == variable.dims, name
            assert (np.asarray(read[name].values) == np.asarray(variable.values)).all(), name
            assert read[name].attrs.get("units", "") == variable.attrs.get("units", ""), name


def test_missing_xarray_says_what_to_install(run, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "xarray", None)
    with pytest.raises(ImportError, match=r"xarray.*pip install 'cardan\[data\]'"):
        run.to_xarray()


def test_signals_of_controllers_and_tires():
    """Outputs and states under the names of their elements, as the table has them."""
    model = plane.Model("drive")
    rotor = model.add(plane.Body(mass=2.0, inertia=0.05), name="rotor")
    shaft = model.add(plane.Revolute(model.ground.at(), rotor.at()), name="shaft")
    governor = model.add(plane.PID(plane.rate(shaft.angle), 100.0, kp=0.4, ki=2.0), name="governor")
    motor = plane.ElectricMotor(shaft.angle, governor, resistance=0.5, inductance=1e-3, torque_constant=0.1)
    model.add(motor, name="motor")
    run = simulate(model, 0.5, output=0.1)
    data, table = run.to_xarray(), run.table()
    assert {"governor.u", "motor.current"} <= set(data.signal.values.tolist())
    for name in data.signal.values.tolist():
        assert np.array_equal(data.signal_value.sel(signal=name).values, table[name])


@pytest.mark.parametrize("words", [plane, space], ids=["plane", "space"])
def test_point_masses_among_bodies(words, tmp_path) -> None:
    """A point mass has a position, but no angle: along bodies its angular numbers are missing, and files are read."""
    place = (1.0, 0.0) if words is plane else (1.0, 0.0, 0.0)
    model = words.Model("bob and particle", gravity=(0.0, -G) if words is plane else (0.0, -G, 0.0))
    bob = model.add(Body(1.0, 0.1) if words is plane else words.Body(1.0, (0.1, 0.1, 0.1)), name="bob")
    model.add(words.Revolute(model.ground.at(*(-place[0], *place[1:])), bob.at(*(-place[0], *place[1:]))), name="hinge")
    particle = model.add(words.PointMass(0.5, place), name="particle")
    model.add(words.Distance(bob.at(), particle.at(), 1.0), name="rod")
    run = simulate(model, 0.2, output=0.1)
    data = dataset(run)
    assert data.position.sel(body="particle", axis="y").values.tolist() == run["particle.y"].tolist()
    assert [*data.body.values] == ["bob", "particle"]
    turning = data.angular_velocity.sel(body=["bob", "particle"]).values.reshape(3, 2, -1)
    assert np.isfinite(turning[:, 0]).all() and np.isnan(turning[:, 1]).all()
    run.save(tmp_path / "run.nc")
    again = load_result(tmp_path / "run.nc")
    assert np.array_equal(again.q, run.q) and np.array_equal(again["rod"].force, run["rod"].force)
