"""Every built-in example: its degrees of freedom, its motion, and the number that its page states in closed form."""

from __future__ import annotations

import ast
import inspect
import math
from pathlib import Path

import numpy as np
import pytest

from cardan import CardanError, ModelError, inverse_dynamics, kinematics, mobility
from cardan.case import AT_REST, load_case
from cardan.cli import main
from cardan.examples import load, names, source, summary
from folding import folded

# all others have one degree of freedom, and nothing redundant
FREEDOMS = {"excavator": 2, "gear-slider": 2, "bevel-differential": 2, "constant-velocity": 2, "stewart-platform": 6}
FREEDOMS |= {"double-pendulum": 2, "governor": 4, "heavy-top": 3, "rolling-coin": 3, "chaplygin-sleigh": 2}
FREEDOMS |= {"bouncing-ball": 3, "lamp-equilibrium": 2, "inverted-pendulum": 2, "shunting": 5, "pick-and-place": 0}
FREEDOMS |= dict.fromkeys(("vehicle", "vehicle-lane-change", "vehicle-circle"), 15)
FREEDOMS |= {
    "governor-response": 2,
    "quarter-car": 4,
    "rough-road": 4,
    "motorcycle": 11,
    "semitrailer": 5,
    "swinging-crane": 2,
}
FREEDOMS |= {"newtons-cradle": 5, "chain-on-plane": 12}
FREEDOMS |= {"imported-arm": 5, "pantograph": 2, "three-rrr": 3, "gyroscope": 3}
FREEDOMS |= {"flexible-slider-crank": 12, "catapult": 8, "connecting-rod": 8, "flexible-arm": 18, "spinning-blade": 7}
FREEDOMS |= {"car-body": 24}
FREEDOMS |= {"belt-drive": 2, "bent-ring": 24, "fishing-rod": 72, "whip": 121, "stabilizer-bar": 2, "bicycle": 3}
REDUNDANT = {"bennett": 3, "lifted-four-bar": 3, "sarrus": 1, "bricard": 1, "pick-and-place": 2}
UNDRIVEN = ("simulate", *AT_REST)  # forces move them, or nothing does


@pytest.mark.parametrize("name", names())
def test_example(name: str) -> None:
    example = load(name)
    case = load_case(name, {})
    report = mobility(case.model)
    assert report.degrees_of_freedom == FREEDOMS.get(name, 1)
    assert report.undriven == (report.degrees_of_freedom - report.driver_equations if case.analysis in UNDRIVEN else 0)
    assert len(report.redundant) == REDUNDANT.get(name, 0)
    run = case.compute(progress=False)
    headline = example.HEADLINE
    assert headline.compute(run) == pytest.approx(headline.expected, abs=headline.tolerance, rel=0.0)
    if case.analysis in AT_REST:
        assert all(column in run.table() for column in example.SHOW)
        return
    stops = any(event.action is None for event in case.options.get("events", ()))
    assert len(run) == example.TIMES[2] or stops
    assert (
        run.violations().max(initial=0.0) < 1e-10 * run.system.length + 1e-10
    )  # equations are closed to 1e-11 of the size
    table = run.table()
    assert all(column in table for column in example.SHOW)


WANTED = {
    "four-bar": "four-bar", "slider-crank": "slider-crank", "quick-return": "quick-return", "Geneva drive": "geneva",
    "cam": "cam-roller", "valve train": "valve-lifter", "Peaucellier": "peaucellier", "Jansen leg": "jansen-leg",
    "pantograph": "pantograph", "differential": "bevel-differential", "planetary gear": "planetary-gear",
    "governor": "governor", "gyroscope": "gyroscope", "Stewart platform": "stewart-platform", "3-RRR": "three-rrr",
    "excavator": "excavator", "suspension": "wishbone-suspension", "vehicle": "vehicle", "robot arm": "imported-arm",
    "V-engine": "v-engine", "air compressor": "air-compressor", "wiper": "wiper", "toggle press": "toggle-press",
    "landing gear": "landing-gear", "chain": "chain-on-plane",
}  # fmt: skip


def test_the_gallery_has_the_mechanisms_that_people_look_for() -> None:
    """Each with a number that is decided against a closed form, and curves for its picture and its moving view."""
    assert len(WANTED) == 25
    for name in WANTED.values():
        example = load(name)
        assert math.isfinite(example.HEADLINE.expected) and example.HEADLINE.tolerance > 0.0
        assert example.SHOW and inspect.getdoc(example)


def test_there_is_a_page_for_each() -> None:
    assert len(names()) >= 12
    for name in names():
        head, colon, what = summary(name).partition(": ")
        assert head and colon and what, f"the first line of '{name}' says what it is: Name: what to see"


@folded("name", names())
def test_page_is_short(name: str) -> None:
    text = source(name)
    assert len(text.splitlines()) <= 110
    functions = [node.name for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    assert "build" in functions


def test_bennett_moves_because_its_dimensions_are_exact() -> None:
    """Four hinges in a loop of four bodies leave 6 (4 - 1) - 5 4 = -2 degrees of freedom: slightly wrong, nothing
    moves."""
    report = mobility(load("bennett").build(), imperfect=True)
    assert report.degrees_of_freedom == 1
    assert report.imperfect_degrees_of_freedom == 0
    assert {name for name, _ in report.redundant} == {"D"}


def test_two_universal_joints_make_speed_even_again() -> None:
    """One joint: w2 / w1 = cos b / (1 - sin^2 b cos^2 theta), theta of the driving fork from the shafts' plane."""
    bend, speed = 0.6, 2.0 * np.pi
    model = load("cardan-shaft").build()
    run = kinematics(model, np.linspace(0.0, 1.0, 41))
    theta = speed * run.times + np.pi / 2  # the fork of the input starts square to the plane of the shafts
    uneven = speed * np.cos(bend) / (1.0 - np.sin(bend) ** 2 * np.cos(theta) ** 2)
    np.testing.assert_allclose(run["middle"].angular_velocity[:, 0], uneven, atol=1e-9)
    np.testing.assert_allclose(run[model["D"].angle].rate, speed, atol=1e-9)
    crossed = load("cardan-shaft").build(twist=np.pi / 2)
    worse = kinematics(crossed, np.linspace(0.0, 1.0, 41))[crossed["D"].angle].rate
    assert worse.max() / worse.min() == pytest.approx(np.cos(bend) ** -4, abs=1e-9)  # the errors multiply


def test_air_compressor_in_closed_form() -> None:
    """The disk has the normal n, carried round by the rotor, and its z axis square to n and x; rods are 0.5 m long."""
    beta = np.radians(30.0)
    times = np.linspace(0.0, 0.1, 13)
    run = kinematics(load("air-compressor").build(), times)
    for i, theta in enumerate(20.0 * np.pi * times):
        normal = np.array([-np.sin(theta) * np.sin(beta), np.cos(beta), -np.cos(theta) * np.sin(beta)])
        z_axis = np.array([0.0, -normal[2], normal[1]]) / np.hypot(normal[1], normal[2])
        x_axis = np.cross(normal, z_axis)
        for k in range(6):
            x, z = 0.2 * np.sin(k * np.pi / 3), 0.2 * np.cos(k * np.pi / 3)
            rim = x * x_axis + z * z_axis
            height = -0.5 + rim[1] - np.sqrt(0.25 - (rim[0] - x) ** 2 - (rim[2] - z) ** 2)
            assert run[f"piston {k + 1}"].position[i, 1] == pytest.approx(height, abs=1e-9)


def test_spatial_slider_crank_locks() -> None:
    """B gets sqrt(0.1^2 + 0.12^2) + 0.08 = 0.2362 m away from the line of the slider (Haug 10.2)."""
    times = np.linspace(0.0, 1.0, 361)
    assert len(kinematics(load("spatial-slider-crank").build(rod=0.2363), times)) == 361
    with pytest.raises(CardanError):
        kinematics(load("spatial-slider-crank").build(rod=0.2361), times)


def test_lifted_four_bar_moves_like_the_planar_one() -> None:
    times = np.linspace(0.0, 1.0, 41)
    flat, lifted = (kinematics(load(name).build(), times) for name in ("four-bar", "lifted-four-bar"))
    for quantity in ("position", "velocity", "acceleration"):
        plane, space = (getattr(run["E"], quantity) for run in (flat, lifted))
        size = abs(plane).max()
        np.testing.assert_allclose(space[:, [0, 2]], plane, atol=1e-9 * size)
        np.testing.assert_allclose(space[:, 1], 0.0, atol=1e-9 * size)


def test_slider_crank_forces_by_virtual_work() -> None:
    """T w = sum m a . v + J alpha omega - F . v of all bodies, from the closed forms of their motion, over a turn."""
    r, l, w, g = 0.04, 0.14, 200.0, 9.81  # noqa: E741
    run = inverse_dynamics(load("slider-crank-forces").build(), np.linspace(0.0, 2.0 * np.pi / w, 73)[1:36])
    phi = w * run.times
    beta, d = -np.arcsin(r / l * np.sin(phi)), np.sqrt(l**2 - (r * np.sin(phi)) ** 2)  # of the rod; its length along x
    rate = -r * w * np.cos(phi) / d
    second = np.tan(beta) * rate**2 + r * w**2 * np.sin(phi) / d
    pin_v, pin_a = 1j * r * w * np.exp(1j * phi), -r * w**2 * np.exp(1j * phi)
    turn = l * np.exp(1j * beta)  # from B to C
    piston_v, piston_a = pin_v + 1j * rate * turn, pin_a + (1j * second - rate**2) * turn
    rod_v, rod_a = (pin_v + piston_v) / 2, (pin_a + piston_a) / 2
    gas = -12000.0 * (0.01 / (r + l + 0.01 - (r * np.cos(phi) + d))) ** 1.3  # the piston moves in: burning
    power = 0.4 * (piston_a * piston_v.conj()).real - gas * piston_v.real
    power += (0.5 * (rod_a + 1j * g) * rod_v.conj()).real + 0.5 * l**2 / 12 * second * rate
    power += 0.6 * g * pin_v.imag / 2
    np.testing.assert_allclose(run["motor"].power, power, atol=1e-9 * abs(power).max())
    # the piston alone: m a = gas + pin, along the guide; across it the guide carries weight and pin
    pin = run["C"].in_frame("global").force
    np.testing.assert_allclose(pin[:, 0], 0.4 * piston_a.real - gas, atol=1e-9 * abs(gas).max())
    np.testing.assert_allclose(pin[:, 1] + run["guide"].force[:, 1], 0.4 * g, atol=1e-9 * abs(gas).max())
    np.testing.assert_allclose(run["gas"].force, gas, rtol=1e-9)


def test_command_line_computes_the_forces_that_an_example_asks_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "unbalanced-rotor"]) == 0
    printed = capsys.readouterr().out
    assert "inverse dynamics from 0 s" in printed and "(closed form 688.4688)" in printed
    assert main(["run", "slider-crank", "--analysis", "inverse_dynamics", "--plot", "motor.force"]) == 0
    assert "motor.force from" in capsys.readouterr().out
    assert main(["run", "unbalanced-rotor", "--analysis", "kinematics", "--plot", "rotor.wx"]) == 0
    assert "closed form" not in capsys.readouterr().out  # its number is a force, which kinematics does not know


def test_file_that_asks_for_an_unknown_analysis(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = (
        "from cardan.examples import load\nmodel = load('four-bar').build()\nANALYSIS = 'dynamics'\nTIMES = (0, 1, 3)\n"
    )
    (tmp_path / "mine.py").write_text(page)
    assert main(["run", str(tmp_path / "mine.py")]) == 2
    words = "must be one of kinematics, inverse_dynamics, simulate, equilibrium, equilibrium_path, not 'dynamics'"
    assert f"ANALYSIS of 'mine' {words}" in capsys.readouterr().err


def test_engine_gives_the_work_of_its_gas() -> None:
    """Over a turn masses and weights take nothing: the work of the motor is minus that of the gas, (1 - 1/4) W."""
    model = load("slider-crank-forces").build()
    times = np.linspace(0.0, 2.0 * np.pi / 200.0, 2001)
    run = inverse_dynamics(model, times)
    work = np.trapezoid(run["motor"].power, times)
    burning = 12000.0 * 0.01**1.3 / 0.3 * (0.01**-0.3 - 0.09**-0.3)  # integral of f dx over the stroke
    assert work == pytest.approx(-0.75 * burning, rel=1e-4)  # the trapezoidal rule's error


def test_rotor_out_of_balance_in_both_ways() -> None:
    """Each bearing takes half of m e w^2, and the pair of forces M / span of the tilted disk; both turn with it."""
    m, R, tilt, e, span, w = 8.0, 0.2, np.radians(2.0), 1e-3, 0.4, 100.0 * np.pi
    run = inverse_dynamics(load("unbalanced-rotor").build(offset=e), np.linspace(0.0, 0.04, 81))
    pair = m * R**2 / 4 * np.sin(tilt) * np.cos(tilt) * w**2 / span
    heavy = np.stack([-np.sin(w * run.times), np.cos(w * run.times)], axis=1)  # where the mass center is: y, z
    for name, sign in (("A", 1.0), ("B", -1.0)):  # the heavy side of the disk leans toward B, which holds it back
        force = run[name].in_frame("global").force[:, 1:] - (0.0, m * 9.81 / 2)
        np.testing.assert_allclose(force, (sign * pair - m * e * w**2 / 2) * heavy, atol=1e-9 * pair)
    np.testing.assert_allclose(run["motor"].force, -m * 9.81 * e * np.sin(w * run.times), atol=1e-9 * pair)


def test_dimensions_are_arguments() -> None:
    """A longer rod makes the motion more even: a = -w^2 (r + r^2 / l)."""
    run = kinematics(load("slider-crank").build(rod=2.0), [0.0, 0.01])
    assert run["slider"].acceleration[0, 0] == pytest.approx(-100.0 * (0.2 + 0.02), abs=1e-9)


def test_unknown_example() -> None:
    with pytest.raises(ModelError, match="'slider-krank'; did you mean 'slider-crank'"):
        load("slider-krank")
