"""Units in which results are shown: names, factors, model files, plots, tables, pages, reports."""

import csv
import math

import numpy as np
import pytest

from cardan import inverse_dynamics, kinematics, load_model, save_model
from cardan.display_units import KNOWN, DisplayUnits
from cardan.errors import ModelError
from cardan.files.text.units import UNITS
from cardan.planar import Body, Driver, Model, Ramp, Revolute
from cardan.view.curves import curves

SHOWN = DisplayUnits(length="mm", angle="deg", force="kN")
TURN = math.degrees(1.0)


@pytest.mark.parametrize(
    ("unit", "factor", "name"),
    [
        ("m", 1e3, "mm"),
        ("m/s2", 1e3, "mm/s2"),
        ("rad", TURN, "deg"),
        ("rad/s", TURN, "deg/s"),
        ("N", 1e-3, "kN"),
        ("N m", 1.0, "kN mm"),
        ("N/m", 1e-6, "kN/mm"),
        ("N m/rad", 1.0 / TURN, "kN mm/deg"),
        ("m2", 1e6, "mm2"),
        ("W", 1.0, "W"),
        ("1/s", 1.0, "1/s"),
        ("", 1.0, ""),
    ],
)
def test_factor_and_name(unit, factor, name):
    found = SHOWN.shown(unit)
    assert found[1] == name and found[0] == pytest.approx(factor, rel=1e-15)
    assert DisplayUnits().shown(unit) == (1.0, unit)


def test_units_are_those_of_model_files():
    for known in KNOWN.values():
        for unit, size in known.items():
            assert UNITS[unit][0] == pytest.approx(size, rel=1e-15)


def arm() -> Model:
    model = Model("arm", gravity=(0, -9.81))
    body = model.add(Body(mass=2.0, inertia=0.1, center=(0.5, 0)), name="arm")
    hinge = model.add(Revolute(model.ground.at(), body.at()), name="hinge")
    model.add(Driver(hinge.angle, Ramp(2.0)), name="motor")
    forearm = model.add(Body(mass=1.0, inertia=0.1, position=(1.0, 0.0)), name="forearm")
    model.add(Revolute(body.at(1.0, 0.0), forearm.at()), name="elbow")
    model.add(Driver(model["elbow"].angle, 0.5), name="hold")
    return model


def test_rejected():
    with pytest.raises(ModelError, match="the unit of length"):
        arm().show_in(length="parsec")
    with pytest.raises(ModelError, match="there is none of 'mass'"):
        arm().show_in(mass="g")


def test_results(tmp_path):
    """Curves, tables and texts are in the units shown; arrays in Python stay in SI."""
    plain, model = arm(), arm()
    model.show_in(length="mm", angle="deg")
    times = np.linspace(0.0, 1.0, 5)
    run, other = inverse_dynamics(model, times), inverse_dynamics(plain, times)
    np.testing.assert_array_equal(run["forearm.x"], other["forearm.x"])
    (x,), (angle,), (torque,) = (curves(run, name) for name in ("forearm.x", "arm.angle", "motor.force"))
    assert (x.unit, angle.unit, torque.unit) == ("mm", "deg", "N mm")
    np.testing.assert_allclose(x.values, 1e3 * other["forearm.x"])
    np.testing.assert_allclose(angle.values, np.degrees(other["arm.angle"]))
    run.save(tmp_path / "arm.csv")
    with (tmp_path / "arm.csv").open() as file:
        rows = list(csv.DictReader(file))
    np.testing.assert_allclose([float(row["forearm.x [mm]"]) for row in rows], 1e3 * other["forearm.x"])
    assert "torque [N mm]" in repr(run.bearings()) and "x [mm]" in repr(run.free_body("arm", at=0.0))
    assert " N mm at" in repr(run.peak("motor"))
    other.save(tmp_path / "plain.csv")
    assert (tmp_path / "plain.csv").read_text().startswith("time,arm.x,")


def test_axes_of_joint_forces():
    """Those of marker a, which turns with the arm; a hinge on ground has global axes."""
    run = inverse_dynamics(arm(), [0.0, 0.5])
    assert run.columns["elbow.fx"].axes == "axes of 'arm'" and run.columns["hinge.fx"].axes == ""
    (force,) = curves(run, "elbow.fx")
    assert force.label == "elbow.fx, axes of 'arm' [N]"
    in_world = run["elbow"].on("forearm").in_frame("global").force
    turned = run["arm"].angle
    np.testing.assert_allclose(run["elbow.fx"], in_world[:, 0] * np.cos(turned) + in_world[:, 1] * np.sin(turned))


FILE = """
cardan: 1
name: arm
space: planar
units: {length: mm, angle: deg}
bodies:
  arm: {mass: 2, inertia: 1000, center: [500, 0]}
joints:
  hinge: {type: revolute, a: ground, b: arm}
drivers:
  motor: {measure: hinge.angle, motion: ramp(90)}
"""


def test_model_files(tmp_path):
    """Results of a file are shown in its units, or in those of `display`; both are kept by save_model."""
    path = tmp_path / "arm.yaml"
    path.write_text(FILE)
    model = load_model(path).model
    assert model.display == DisplayUnits(length="mm", angle="deg")
    run = kinematics(model, [0.0, 1.0])
    (angle,) = curves(run, "arm.angle")
    np.testing.assert_allclose(angle.values, [0.0, 90.0])
    save_model(model, tmp_path / "again.yaml")
    assert load_model(tmp_path / "again.yaml").model.display == model.display
    path.write_text(FILE + "display: {length: inch, angle: rad}\n")
    assert load_model(path).model.display == DisplayUnits(length="inch")


def test_reports_and_notebooks():
    pytest.importorskip("matplotlib")
    model = arm()
    model.show_in(length="mm", angle="deg")
    run = inverse_dynamics(model, np.linspace(0.0, 1.0, 5))
    html = run._repr_html_()
    assert "mm/s2" in html and "deg/s" in html and "m/s2" not in html.replace("mm/s2", "")
    axes = run.plot("elbow.fx")
    assert "axes of 'arm'" in np.ravel(axes)[0].get_ylabel().replace("\n", " ")
