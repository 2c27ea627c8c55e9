"""Tables of .csv files in place of lists: units, separators, columns, and what is wrong by line and column."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from cardan import load_model
from cardan.files import check
from cardan.model.curves.motion import Spline
from folding import folded

HEAD = "cardan: 1\nname: press\nspace: planar\nunits: {length: mm}\n"
CART = "bodies: {cart: {mass: 1, inertia: 1}}\njoints: {guide: 'translational(ground, cart)'}\n"


def spring(tmp_path: Path, table: str, stated: str = "{table: spring.csv}") -> Path:
    """A file with a spring along a guide whose curve is a table."""
    (tmp_path / "spring.csv").write_text(table, encoding="utf-8")
    text = f"forces: {{coil: {{type: spring, measure: guide.travel, stiffness: 0, curve: {stated}}}}}\n"
    path = tmp_path / "m.yaml"
    path.write_text(HEAD + CART + text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "table",
    [
        "0,0\n10,250\n20,600\n",
        "# measured on Monday\ntravel, force\n0, 0\n10, 250\n\n20, 600\n",
        "travel [mm]; force [kN]\n0;0\n10;0,25\n20;0,6\n",
        "travel [cm]\tforce (N)\r\n0\t0\r\n1\t250\r\n2\t600\r\n",
        "0 0\n10 250\n20 6e2\n",
        "﻿travel,force\n0,0\n10,250\n20,600\n",
    ],
)
def test_a_curve_through_the_points_of_a_table(tmp_path: Path, table: str) -> None:
    """Bare columns count in the units of the model file, mm and N here; others in those of their head."""
    curve = load_model(spring(tmp_path, table)).model["coil"].curve
    assert isinstance(curve, Spline)
    assert curve.times == pytest.approx((0.0, 0.01, 0.02)) and curve.values == pytest.approx((0.0, 250.0, 600.0))


def test_columns_by_name_and_number(tmp_path: Path) -> None:
    table = "time,travel,force\n1,0,5\n2,10,6\n3,20,7\n"
    for columns in ("[travel, force]", "[2, 3]"):
        curve = load_model(spring(tmp_path, table, f"{{table: spring.csv, columns: {columns}}}")).model["coil"].curve
        assert curve.times == pytest.approx((0.0, 0.01, 0.02)) and curve.values == (5.0, 6.0, 7.0)


def test_drivers_and_cams(tmp_path: Path) -> None:
    """A driver by a call, with another end of the spline; the outline of a cam, an eccentric in closed form."""
    (tmp_path / "lift.csv").write_text("t [ms],s\n0,0\n500,5\n1000,0\n")
    angles = np.linspace(0.0, 360.0, 72, endpoint=False)
    radii = 30.0 + 5.0 * np.cos(np.radians(angles))
    lines = [f"{a:.17g},{r:.17g}" for a, r in zip(angles, radii, strict=True)]
    (tmp_path / "cam.csv").write_text("alpha [deg],rho [mm]\n" + "\n".join(lines))
    text = (
        "drivers:\n  push: {measure: guide.travel, motion: \"spline(table='lift.csv', end='clamped')\"}\n"
        "bodies: {cart: , cam: , rod: {position: [0, 60]}}\n"
        "joints: {guide: 'translational(ground, cart)', pin: 'revolute(ground, cam)',\n"
        "  contact: {type: point_follower, slot: {on: cam, curve: {type: polar_table, table: cam.csv}}, b: rod}}\n"
    )
    path = tmp_path / "m.yaml"
    path.write_text(HEAD + text)
    model = load_model(path).model
    motion = model["push"].motion
    assert motion(0.5) == pytest.approx(0.005) and motion.derivatives(np.array([0.0]))[1][0] == pytest.approx(0.0)
    outline = model["contact"].slot.curve
    point = outline.points(math.radians(33.0))  # between two points of the table, five degrees apart
    rho = 0.03 + 0.005 * math.cos(math.radians(33.0))
    assert math.hypot(*point) == pytest.approx(rho, abs=0.005 * math.radians(5.0) ** 4 / 384.0 * 10.0)


@folded(
    ("table", "stated", "place", "sentence"),
    [
        ("0,0\n10,abc\n20,600\n", "", "spring.csv:2:4: C406", "'abc' is not a finite number"),
        ("0,0\n10,nan\n20,600\n", "", "spring.csv:2:4: C406", "'nan' is not a finite number"),
        ("0,0\n10\n20,600\n", "", "spring.csv:2:1: C406", "column 2 has no number here"),
        ("x [mmm],F\n0,0\n10,1\n", "", "spring.csv:1:1: C303", "unknown unit 'mmm'"),
        ("x [kg],F\n0,0\n10,1\n", "", "spring.csv:1:1: C304", "is a mass, but must be a length"),
        ("a,b,c\n0,0,0\n10,1,2\n", "", "m.yaml:7:", "the table has 3 columns (a, b, c); spline takes 2"),
        ("a,b,c\n0,0,0\n10,1,2\n", ", columns: [a, d]", "m.yaml:7:", "the table has no column 'd'"),
        ("a,b,c\n0,0,0\n10,1,2\n", ", columns: [a]", "m.yaml:7:", "spline takes 2 columns, got 1"),
        ("0,0\n10,1\n", ", times: [1, 2]", "m.yaml:7:", "spline has a table and times; state one of them"),
        ("", "", "m.yaml:7:", "has 0 lines, too few for a curve"),
    ],
)
def test_what_is_wrong_with_a_table(tmp_path: Path, table: str, stated: str, place: str, sentence: str) -> None:
    (fault,) = check(spring(tmp_path, table, f"{{table: spring.csv{stated}}}"))
    assert place in str(fault) and sentence in str(fault)


def test_tables_stay_in_the_folder(tmp_path: Path) -> None:
    path = spring(tmp_path, "0,0\n1,1\n", "{table: nowhere.csv}")
    assert [fault.code for fault in check(path)] == ["C401"]
    path = spring(tmp_path, "0,0\n1,1\n", "{table: ../../etc/passwd}")
    assert [fault.code for fault in check(path)] == ["C402"]


def test_a_profile_says_which_curve_a_table_is(tmp_path: Path) -> None:
    path = tmp_path / "m.yaml"
    (tmp_path / "cam.csv").write_text("0,1\n1,2\n")
    joint = "{type: point_follower, slot: {on: cam, curve: {table: cam.csv}}, b: rod}"
    path.write_text(HEAD + f"bodies: {{cam: , rod: }}\njoints: {{c: {joint}}}\n")
    (fault,) = check(path)
    assert fault.code == "C106" and "polar_table" in fault.hint and "curve_through" in fault.hint


def test_checking_a_table_loads_no_numpy(tmp_path: Path) -> None:
    path = spring(tmp_path, "0,0\n10,250\n20,600\n")
    program = (
        "import sys; from cardan.files import check; assert not check(sys.argv[1]); assert 'numpy' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program, str(path)], check=True)
