"""Numbers in files: arithmetic, units, and what is rejected."""

from __future__ import annotations

import math
import warnings
from pathlib import Path
from typing import Any

import pytest

from cardan import CardanWarning, load_model
from cardan.files import check
from cardan.files.faults import Faults
from cardan.files.reading.reader import examine
from cardan.files.text.expressions import Numbers
from cardan.files.text.nodes import Scalar
from cardan.files.text.units import Declared
from folding import folded


def evaluated(text: str, dimension: str = "1", units: dict[str, str] | None = None, **parameters: str) -> Any:
    """The value of a text where a dimension is asked for, or the codes of what is wrong with it."""
    faults = Faults()
    numbers = Numbers(Declared(units), faults)
    numbers.evaluate({name: Scalar("m.yaml", 1, 1, stated) for name, stated in parameters.items()})
    found = None
    with faults.collect():
        found = numbers.number(Scalar("m.yaml", 1, 1, text), numbers.units.wanted(dimension), "the number")
    return [fault.code for fault in faults.found] if faults.found else found


@folded(
    ("text", "value"),
    [
        ("2", 2.0),
        ("-2**2", -4.0),
        ("2**3**2", 512.0),
        ("2^3", 8.0),
        ("1 - 2 - 3", -4.0),
        ("12/2/3", 2.0),
        ("2*(3 + 4)", 14.0),
        ("--3", 3.0),
        ("1e-3", 1e-3),
        (".5", 0.5),
        ("sqrt(2)*sin(pi/4)", 1.0),
        ("atan2(1, 1)", math.pi / 4),
        ("max(1, 2, 3) - min(4, 5)", -1.0),
        ("hypot(3, 4)", 5.0),
        ("exp(log(5))", 5.0),
        ("abs(-2)", 2.0),
        ("degrees(180)", math.pi),
        ("50 percent", 0.5),
    ],
)
def test_arithmetic(text: str, value: float) -> None:
    assert evaluated(text) == pytest.approx(value, rel=1e-15)


@folded(
    ("text", "dimension", "value"),
    [
        ("25 mm", "length", 0.025),
        ("25 N/mm", "force/length", 25e3),
        ("9.81 m/s^2", "length/time^2", 9.81),
        ("9.81 m/s2", "length/time^2", 9.81),
        ("30 deg", "angle", math.pi / 6),
        ("60 rpm", "angle/time", 2.0 * math.pi),
        ("1 Hz", "angle/time", 2.0 * math.pi),
        ("36 km/h", "length/time", 10.0),
        ("2 kg*m^2", "mass*length^2", 2.0),
        ("2 kg m^2", "mass*length^2", 2.0),
        ("7.85 g/cm^3", "mass/length^3", 7850.0),
        ("210 GPa", "force/length^2", 210e9),
        ("1 kN*s/m", "force*time/length", 1e3),
        ("5 Nm/deg", "force*length/angle", 5.0 * 180.0 / math.pi),
        ("2 * 25 mm", "length", 0.05),
        ("(1 m)**2", "length^2", 1.0),
        ("sqrt(4 m^2)", "length", 2.0),
        ("1 m + 0", "length", 1.0),
        ("3 m / 2 s", "length/time", 1.5),
    ],
)
def test_units_become_si(text: str, dimension: str, value: float) -> None:
    assert evaluated(text, dimension) == pytest.approx(value, rel=1e-12)


def test_a_bare_number_counts_in_declared_units() -> None:
    units = {"length": "mm", "angle": "deg", "mass": "g"}
    assert evaluated("25", "length", units) == pytest.approx(0.025)
    assert evaluated("5", "force/length", units) == pytest.approx(5e3)
    assert evaluated("90", "angle", units) == pytest.approx(math.pi / 2)
    assert evaluated("3", "mass*length^2", units) == pytest.approx(3e-9)
    assert evaluated("sin(90)", "1", units) == pytest.approx(1.0)
    assert evaluated("25 mm", "length", units) == pytest.approx(0.025)


def test_parameters_in_any_order() -> None:
    assert evaluated("length", "length", length="2*r", r="100 mm") == pytest.approx(0.2)
    assert evaluated("length", "length", {"length": "mm"}, length="2*r", r="100") == pytest.approx(0.2)
    assert evaluated("2*pi/speed", "time", speed="10 rad/s") == pytest.approx(0.2 * math.pi)


@folded(
    ("text", "code"),
    [
        ("2*", "C301"),
        ("(1", "C301"),
        ("1 2", "C301"),
        ("1; 2", "C301"),
        ("f(x=1, 2)", "C301"),
        ("(" * 100 + "1" + ")" * 100, "C301"),
        ("1/0", "C302"),
        ("sqrt(-1)", "C302"),
        ("(-8)**0.5", "C302"),
        ("10**400", "C302"),
        ("9**9**9", "C302"),
        ("nan", "C302"),
        ("inf", "C302"),
        ("1e999", "C302"),
        ("25 mmm", "C303"),
        ("2 r", "C303"),
        ("2 m^x", "C303"),
        ("r", "C307"),
        ("sine(1)", "C308"),
        ("sin(1, 2)", "C308"),
        ("25 mm + 3", "C309"),
        ("25 mm + 3 kg", "C309"),
        ("sin(3 m)", "C309"),
        ("2**(1 m)", "C309"),
        ("[1, 2]", "C306"),
        ("ground@(1, 2)", "C306"),
    ],
)
def test_rejected(text: str, code: str) -> None:
    assert evaluated(text) == [code]


def test_wrong_dimension_says_what_it_is() -> None:
    faults = Faults()
    numbers = Numbers(Declared({"mass": "kg"}), faults)
    with faults.collect():
        numbers.number(Scalar("m.yaml", 3, 7, "2 mm"), numbers.units.wanted("mass"), "mass of body")
    assert str(faults.found[0]) == "m.yaml:3:7: C304: mass of body is a length, but must be a mass; state it in kg"


def test_a_circle_of_parameters_is_named() -> None:
    faults = Faults()
    stated = {name: Scalar("m.yaml", 1, 1, text) for name, text in {"a": "2*b", "b": "c", "c": "a"}.items()}
    Numbers(Declared(), faults).evaluate(stated)
    assert [fault.message for fault in faults.found] == ["the parameters form a circle: a -> b -> c -> a"]


@folded("text", [".nan", ".NaN", "-.inf", ".Inf", "+.INF", "nan", "1e999"])
def test_what_yaml_calls_endless_is_told_with_its_argument(tmp_path: Path, text: str) -> None:
    path = tmp_path / "m.yaml"
    path.write_text(f"cardan: 1\nname: press\nspace: planar\nbodies: {{crank: {{mass: {text}, inertia: 1}}}}\n")
    (fault,) = check(path)
    assert str(fault).endswith(f"m.yaml:4:24: C302: mass of body must be a finite number, not '{text}'")


BUSHING = (
    "cardan: 1\nname: mount\nspace: planar\nunits: {length: mm, angle: deg}\n"
    "bodies: {engine: {mass: 80, inertia: 3e6}}\n"
    "forces: {mount: {type: bushing, a: ground, b: engine, stiffness: %s, damping: [1, 2, 3], preload: [0, 5, 7],\n"
    "  rest_displacement: [1, 2, 90], curves: [null, 'polynomial(0, 0, 0, 4)', null]}}\n"
)


def test_every_entry_of_a_bushing_counts_in_its_own_unit(tmp_path: Path) -> None:
    """In the plane x and y in mm, the angle in degrees: N/mm, N mm/deg, and N/deg, N beside the diagonal."""
    path, turn = tmp_path / "m.yaml", math.radians(1.0)
    path.write_text(BUSHING % "[200, 300, 500]")
    mount = load_model(path).model["mount"]
    assert mount.stiffness == pytest.approx((200e3, 300e3, 0.5 / turn))
    assert mount.damping == pytest.approx((1e3, 2e3, 3e-3 / turn))
    assert mount.preload == pytest.approx((0.0, 5.0, 7e-3))
    assert mount.rest_displacement == pytest.approx((1e-3, 2e-3, math.pi / 2))
    assert mount.curves[0] is None and mount.curves[1](0.002) == pytest.approx(4.0 * 2.0**3)
    path.write_text(BUSHING % "[[200, 0, 0.7], [0, 300, 0], [0.7*180/pi, 0, 500 N*m/rad]]")
    rows = load_model(path).model["mount"].stiffness
    assert rows[0] == pytest.approx((200e3, 0.0, 0.7 / turn)) and rows[2] == pytest.approx((0.7 / turn, 0.0, 500.0))
    path.write_text(BUSHING % "6")
    assert load_model(path).model["mount"].stiffness == pytest.approx((6e3, 6e3, 6e-3 / turn))


@pytest.mark.parametrize(
    ("stiffness", "sentence"),
    [
        ("[1, 2]", "stiffness of bushing has 2 entries; it needs 3: x, y and angle"),
        ("[[1, 2, 3]]", "stiffness of bushing has 1 rows; it needs 3: x, y and angle"),
        ("[1 N/mm, 1 N/mm, 1 N/mm]", "stiffness of bushing (angle) is a stiffness, but must be a rotational stiffness"),
    ],
)
def test_what_is_wrong_with_a_bushing(tmp_path: Path, stiffness: str, sentence: str) -> None:
    (tmp_path / "m.yaml").write_text(BUSHING % stiffness)
    (fault,) = check(tmp_path / "m.yaml")
    assert fault.message == sentence


CONTROL = (
    "cardan: 1\nname: press\nspace: planar\n%sbodies: {cart: {mass: 1, inertia: 1}}\n"
    "joints: {guide: 'translational(ground, cart)'}\n"
    "control: {hold: {type: pid, input: guide.travel, setpoint: %s, kp: %s, kd: 0}}\n"
)


def test_numbers_of_control_that_count_in_si_are_told(tmp_path: Path) -> None:
    path = tmp_path / "m.yaml"
    path.write_text(CONTROL % ("units: {length: mm}\n", "100", "5"))
    assert check(path) == []
    with pytest.warns(CardanWarning, match=r"m.yaml:7:60: C312: .* in SI units, .* length in mm; .* 100 si .*1 more"):
        model = load_model(path).model
    assert model["hold"].kp == 5.0
    for units, setpoint, kp in (("units: {length: mm}\n", "100 mm", "5 si"), ("", "0.1", "5")):
        path.write_text(CONTROL % (units, setpoint, kp))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert load_model(path).model["hold"].kp == 5.0


def test_events_count_in_the_unit_of_what_they_watch(tmp_path: Path) -> None:
    path = tmp_path / "m.yaml"
    events = "[{what: guide.travel, value: 50}, {what: guide.travel, value: 50, of_rate: true}]"
    path.write_text(
        CONTROL % ("units: {length: mm, time: ms}\n", "0", "0")
        + f"analyses: [{{type: simulate, until: 10, events: {events}}}]\n"
    )
    first, second = load_model(path).analyses[0].arguments["events"]
    assert (first.value, second.value) == (pytest.approx(0.05), pytest.approx(50.0))


@pytest.mark.parametrize(
    ("units", "gravity", "message"),
    [
        ("units: {length: mm}\n", "[0, -9.81]", "gravity is 9.81 mm/s^2"),  # the trap: a thousandth of the weight
        ("units: {length: mm, time: ms}\n", "[-9.8, 0]", "gravity is 9.8 mm/ms^2"),
        ("units: {length: mm}\n", "[0, -9.81 m/s^2]", None),
        ("units: {length: mm}\n", "[0, -9810]", None),
        ("units: {angle: deg}\n", "[0, -9.81]", None),
        ("units: {length: mm}\n", "[0, -1.62]", None),
    ],
)
def test_gravity_of_9_81_in_other_units_is_told(tmp_path: Path, units: str, gravity: str, message: str | None) -> None:
    path = tmp_path / "m.yaml"
    path.write_text(
        f"cardan: 1\nname: press\nspace: planar\n{units}gravity: {gravity}\nbodies: {{cart: {{mass: 1, inertia: 1}}}}\n"
    )
    content, faults = examine(path)
    assert faults == [] and content is not None
    assert [(w.code, w.line, w.message.partition(",")[0]) for w in content.warnings] == (
        [("C314", 5, message)] if message else []
    )
