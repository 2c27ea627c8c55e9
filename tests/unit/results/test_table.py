"""Tables: the columns are the numbers of the result, in files as in memory."""

from __future__ import annotations

import csv

import numpy as np
import pytest

from cardan import ModelError, inverse_dynamics, kinematics
from cardan.examples import load
from cardan.table import Table


@pytest.fixture(scope="module")
def run():
    """A crank of 0.2 m at 10 rad/s and a rod of 0.5 m, over a tenth of a second."""
    return kinematics(load("slider-crank").build(), np.linspace(0.0, 0.1, 6))


def test_columns_are_the_closed_form(run) -> None:
    """x = r cos a + sqrt(l^2 - r^2 sin^2 a) and its derivative; 1e-12 is rounding."""
    table = run.table()
    a = 10.0 * np.linspace(0.0, 0.1, 6)
    root = np.sqrt(0.25 - 0.04 * np.sin(a) ** 2)
    assert next(iter(table)) == "time"
    np.testing.assert_allclose(table["slider.x"], 0.2 * np.cos(a) + root, atol=1e-12)
    rate = 10.0 * (-0.2 * np.sin(a) - 0.04 * np.sin(a) * np.cos(a) / root)
    np.testing.assert_allclose(table["slider.vx"], rate, atol=1e-11)
    np.testing.assert_allclose(table["guide.travel.rate"], rate, atol=1e-11)
    np.testing.assert_allclose(table["A.angle"], a, atol=1e-12)
    np.testing.assert_allclose(table["motor.rate"], 10.0, atol=1e-12)
    np.testing.assert_allclose(table["crank.angular_velocity"], 10.0, atol=1e-12)


def test_a_column_alone_is_that_of_the_table() -> None:
    """All of them: of bodies, joints, drivers and forces."""
    run = inverse_dynamics(load("slider-crank").build(), [0.0, 0.05])
    for name, values in run.table().items():
        np.testing.assert_array_equal(run.columns[name].read(run), values, err_msg=name)


def test_every_column_has_a_unit(run) -> None:
    assert list(run.columns.units()) == list(run.table())
    expected = {"time": "s", "rod.ax": "m/s2", "A.angle.rate": "rad/s", "guide.travel": "m", "steps": ""}
    assert {name: run.columns.units()[name] for name in expected} == expected


def test_violations_and_counts_are_columns(run) -> None:
    table = run.table()
    for joint in ("A", "B", "C", "guide", "motor"):
        assert np.array_equal(table[f"{joint}.violation"], run[joint].violation)
    assert np.array_equal(table["iterations"], run.iterations)
    assert table["iterations"].sum() > 0


def test_points_are_columns() -> None:
    """The tip of the trammel draws an ellipse with semi-axes 0.35 and 0.15."""
    trammel = kinematics(load("trammel").build(), np.linspace(0.0, 0.5, 11))
    table = trammel.table()
    np.testing.assert_allclose((table["E.x"] / 0.35) ** 2 + (table["E.y"] / 0.15) ** 2, 1.0, atol=1e-12)
    assert "E.angle" not in table


def test_csv_gives_every_digit_back(run, tmp_path) -> None:
    run.save(tmp_path / "run.csv")
    with open(tmp_path / "run.csv", newline="") as file:
        header, *rows = csv.reader(file)
    table = run.table()
    assert header == list(table)
    read = np.array(rows, dtype=float)
    for k, name in enumerate(header):
        assert np.array_equal(read[:, k], table[name]), name


def test_unknown_suffix_is_rejected(run, tmp_path) -> None:
    with pytest.raises(ModelError, match=r"'run.xlsx'.*\.csv.*\.nc"):
        run.save(tmp_path / "run.xlsx")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("write", [lambda run, path: run.save(path), lambda run, path: run.animate(path)])
def test_missing_folder_is_named(run, tmp_path, write) -> None:
    with pytest.raises(ModelError, match="there is no folder '.*nowhere' to write 'a.gif' into; make it first"):
        write(run, tmp_path / "nowhere" / "a.gif")


def test_a_misspelled_column_of_a_table_is_named_with_the_closest_one() -> None:
    table = Table({"crank.angle": np.zeros(2)})
    with pytest.raises(KeyError, match="no column 'crank.angel'; did you mean 'crank.angle'"):
        table["crank.angel"]
    with pytest.raises(KeyError, match="no column 'slider.x'"):
        table["slider.x"]
    assert table.get("slider.x") is None and "slider.x" not in table
