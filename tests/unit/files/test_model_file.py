"""Models from files: units, markers, instances, includes, functions, analyses."""

from __future__ import annotations

import math
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from cardan import FileError, ModelError, load_model, mobility
from cardan.examples import data, load
from cardan.files.model_file import ModelFile
from cardan.model.measure import Measure

PLANAR = "cardan: 1\nname: press\nspace: planar\n"
SPATIAL = "cardan: 1\nname: press\nspace: spatial\n"


def loaded(tmp_path: Path, text: str, **more: object) -> ModelFile:
    path = tmp_path / "m.yaml"
    path.write_text(text, encoding="utf-8")
    return load_model(path, **more)  # type: ignore[arg-type]


def test_the_slider_crank_is_that_of_the_gallery() -> None:
    file = load_model(data("slider-crank.yaml"))
    assert [analysis.kind for analysis in file.analyses] == ["kinematics"]
    assert file.show == ("slider.x", "slider.ax")
    run, expected = file.analyses[0].run(), load("slider-crank").HEADLINE
    assert expected.compute(run) == pytest.approx(expected.expected, abs=expected.tolerance)
    longer = load_model(data("slider-crank.yaml"), parameters={"rod": "600 mm"})
    assert longer.parameters["rod"] == pytest.approx(0.6)
    bare = load_model(data("slider-crank.yaml"), parameters={"rod": 0.6, "crank": "100 mm"})
    assert (bare.parameters["rod"], bare.parameters["crank"]) == (0.6, pytest.approx(0.1))  # the file says 0.5 m
    assert longer.model["rod"].position[0] == pytest.approx(0.2 + 0.3)


def test_declared_units(tmp_path: Path) -> None:
    text = PLANAR + (
        "units: {length: mm, angle: deg, mass: g, force: kN}\ngravity: [0, -9810]\n"
        "bodies: {arm: {mass: 500, inertia: 2e6, position: [100, 0], angle: 30, velocity: [1 m/s, 0]}}\n"
        "joints: {pin: 'revolute(ground, arm@(-100, 0))'}\n"
        "forces: {coil: {type: spring, measure: pin.angle, stiffness: 2, rest_angle: 90},\n"
        '         tie: {type: spring, measure: "length(ground@(0, 50), arm)", stiffness: 3, rest_length: 40}}\n'
    )
    model = loaded(tmp_path, text).model
    arm, coil, tie = model["arm"], model["coil"], model["tie"]
    assert (arm.mass, arm.inertia, arm.position, arm.velocity) == (0.5, pytest.approx(2e-3), (0.1, 0.0), (1.0, 0.0))
    assert arm.angle == pytest.approx(math.pi / 6)
    assert model.gravity == (0.0, pytest.approx(-9.81))
    assert model["pin"].b.x == pytest.approx(-0.1)
    assert coil.stiffness == pytest.approx(2.0 * 1e3 * 1e-3 / math.radians(1.0))  # kN mm per degree
    assert coil.rest_angle == pytest.approx(math.pi / 2)
    assert (tie.stiffness, tie.rest_length) == (pytest.approx(3e6), pytest.approx(0.04))


def test_motions_count_in_the_unit_of_what_they_drive(tmp_path: Path) -> None:
    text = PLANAR + (
        "units: {length: mm, angle: deg}\nbodies: {arm: , block: }\n"
        "joints: {pin: 'revolute(ground, arm)', guide: 'translational(arm, block)'}\n"
        'drivers:\n  turn: {measure: pin.angle, motion: "ramp(180, start=90)"}\n'
        '  push: {measure: guide.travel, motion: "20 + harmonic(5, 360)"}\n'
    )
    model = loaded(tmp_path, text).model
    assert model["turn"].motion(1.0) == pytest.approx(1.5 * math.pi)
    assert model["push"].motion(0.25) == pytest.approx(0.025)


@pytest.mark.parametrize(
    ("marker", "place", "angle"),
    [
        ("arm", (0.0, 0.0), 0.0),
        ("arm@(0.1, 0.2)", (0.1, 0.2), 0.0),
        ("arm@(0.1, 0.2, 0.3)", (0.1, 0.2), 0.3),
        ("arm@(0.1, 0.2, angle=0.3)", (0.1, 0.2), 0.3),
        ("arm@(1, 1, toward=(1, 2))", (1.0, 1.0), math.pi / 2),
        ("arm@tip", (0.5, 0.0), 0.1),
        ("P", (0.7, 0.0), 0.0),
        ("{arm: [0.1, 0.2]}", (0.1, 0.2), 0.0),
        ("{arm: tip}", (0.5, 0.0), 0.1),
        ("{arm: {at: [0.1, 0.2], angle: 0.3}}", (0.1, 0.2), 0.3),
        ("{body: arm, at: [0.1, 0.2], angle: 0.3}", (0.1, 0.2), 0.3),
        ("{body: arm, world: [1.1, 0.2]}", (0.1, 0.2), 0.0),
    ],
)
def test_markers(tmp_path: Path, marker: str, place: tuple[float, float], angle: float) -> None:
    quoted = marker if marker.startswith("{") else f'"{marker}"'
    text = PLANAR + (
        "bodies: {arm: {position: [1, 0], markers: {tip: [0.5, 0, 0.1]}}}\nmarkers: {P: 'arm@(0.7, 0)'}\n"
        f"joints: {{pin: {{type: revolute, a: ground, b: {quoted}}}}}\n"
    )
    found = loaded(tmp_path, text).model["pin"].b
    assert found.place == pytest.approx(place) and found.angle == pytest.approx(angle)


def test_markers_and_joints_in_space(tmp_path: Path) -> None:
    text = SPATIAL + (
        "bodies:\n  arm: {mass: 'box(0.4, 0.1, 0.1, mass=3).moved((0, 0, 1))', position: [0, 0, 1]}\n"
        "  bob: {orientation: 'from_axis_angle((0, 0, 1), 90 deg)'}\n"
        "joints:\n  one: {type: revolute, between: [ground, arm], at: [0, 0.1, 0], z: [1, 0, 0]}\n"
        "  two: spherical(arm@(0, 0, 1), {P})\n".replace("{P}", "bob@(P=(0, 0, 2), Q=(0, 0, 3))")
    )
    model = loaded(tmp_path, text).model
    assert model["arm"].mass == 3.0 and model["arm"].center == pytest.approx((0.0, 0.0, 1.0))
    assert model["bob"].parameters == pytest.approx((math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5)))
    assert model["one"].b.point == pytest.approx((0.0, 0.1, -1.0))
    assert model["two"].b.point == (0.0, 0.0, 2.0)


def test_elements_may_be_used_before_they_are_stated(tmp_path: Path) -> None:
    text = (
        PLANAR
        + "drivers: {motor: {measure: pin.angle, motion: 1}}\njoints: {pin: 'revolute(ground, arm)'}\nbodies: {arm: }\n"
    )
    model = loaded(tmp_path, text).model
    assert [element.name for element in model] == ["arm", "pin", "motor"]
    assert model["motor"].measure == model["pin"].angle


def test_names_with_signs(tmp_path: Path) -> None:
    text = PLANAR + (
        "bodies: {front wheel: , rear-wheel: }\n"
        "joints: {left-pin: \"revolute(ground, 'front wheel')\", pin 2: {type: revolute, a: ground, b: rear-wheel}}\n"
        "drivers: {one: {measure: left-pin.angle, motion: 1}, two: {measure: \"'pin 2'.angle\", motion: 1}}\n"
    )
    model = loaded(tmp_path, text).model
    assert model["one"].measure == model["left-pin"].angle and model["two"].measure == model["pin 2"].angle


def test_a_comma_between_braces_needs_quotes(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="in quotes"):
        loaded(tmp_path, PLANAR + "bodies: {arm: }\njoints: {pin: revolute(ground, arm)}\n")
    assert "pin" in loaded(tmp_path, PLANAR + "bodies: {arm: }\njoints:\n  pin: revolute(ground, arm)\n").model


ASSEMBLY = (
    "assemblies:\n  link:\n    needs: [root]\n    parameters: {length: 0.2, half: length/2}\n"
    "    bodies: {rod: {mass: 1, inertia: 0.01, position: [half, 0], markers: {tip: [half, 0]}}}\n"
    "    joints: {pin: 'revolute(root, rod@(-half, 0))'}\n"
)


def test_instances(tmp_path: Path) -> None:
    text = PLANAR + ASSEMBLY + (
        "parameters: {long: 0.5}\n"
        "instances:\n  a: {assembly: link, connect: {root: ground}}\n"
        "  b: {assembly: link, parameters: {length: 2*long}, position: [1, 2], angle: 90 deg, connect: {root: a.rod}}\n"
        "drivers: {motor: {measure: b.pin.angle, motion: 1}}\noutputs: {reach: x(b.rod@tip)}\n"
    )  # fmt: skip
    file = loaded(tmp_path, text)
    model = file.model
    assert [element.name for element in model] == ["a.rod", "a.pin", "b.rod", "b.pin", "motor"]
    assert model["a.rod"].position == (0.1, 0.0)
    assert model["b.rod"].position == pytest.approx((1.0, 2.5)) and model["b.rod"].angle == pytest.approx(math.pi / 2)
    assert model["b.pin"].a.body is model["a.rod"]
    assert isinstance(file.outputs["reach"], Measure) and file.outputs["reach"].b.x == pytest.approx(0.5)


def test_instances_in_space_are_turned(tmp_path: Path) -> None:
    text = SPATIAL + (
        "assemblies: {arm: {bodies: {rod: {position: [1, 0, 0]}},\n"
        "  joints: {pin: {type: revolute, a: 'ground@(1, 0, 0, z=(1, 0, 0))', b: 'rod@(0, 0, 0, z=(1, 0, 0))'}}}}\n"
        "instances: {up: {assembly: arm, position: [0, 0, 5], orientation: 'from_axis_angle((0, 0, 1), 90 deg)'}}\n"
    )
    model = loaded(tmp_path, text).model
    assert model["up.rod"].position == pytest.approx((0.0, 1.0, 5.0))
    assert model["up.pin"].a.point == pytest.approx((0.0, 1.0, 5.0))
    assert mobility(model).degrees_of_freedom == 1  # closes as it stands, or it would not assemble


def test_includes_have_their_own_units(tmp_path: Path) -> None:
    (tmp_path / "parts.yaml").write_text("units: {length: mm}\nbodies: {rod: {mass: 1, position: [r, 0]}}\n" + ASSEMBLY)
    text = PLANAR + "include: parts.yaml\nparameters: {r: 50}\nbodies: {bar: {mass: 1, position: [r, 0]}}\n"
    model = loaded(tmp_path, text + "instances: {a: {assembly: link, connect: {root: rod}}}\n").model
    assert model["rod"].position == (0.05, 0.0) and model["bar"].position == (50.0, 0.0)
    assert model["a.rod"].position == (pytest.approx(1e-4), 0.0)


def test_functions_come_from_the_module_that_is_named(tmp_path: Path) -> None:
    text = PLANAR + (
        "bodies: {arm: {mass: 1, inertia: 1}}\njoints: {pin: 'revolute(ground, arm)'}\n"
        "drivers: {motor: {measure: pin.angle, motion: function(swing)}}\n"
    )
    with pytest.raises(FileError, match="C501.*functions="):
        loaded(tmp_path, text)
    (tmp_path / "own.py").write_text("import math\ndef swing(t):\n    return 0.3 * math.sin(t)\n")
    assert loaded(tmp_path, text, functions=tmp_path / "own.py").model["motor"].motion(1.0) == 0.3 * math.sin(1.0)
    module = ModuleType("own")
    module.swings = lambda t: t  # type: ignore[attr-defined]
    with pytest.raises(FileError, match="did you mean 'swings'"):
        loaded(tmp_path, text, functions=module)
    with pytest.raises(ModelError, match="is not a Python file"):
        loaded(tmp_path, text, functions=tmp_path / "nowhere.py")


def test_own_constraints_and_controllers(tmp_path: Path) -> None:
    from cardan.planar import constraint, controller

    @constraint
    def parabola(across, along, height=1.5):
        return along - height * across * across

    @controller(outputs=["u"], states={"i": 0.0})
    def balance(angle, i, gain=40.0):
        return gain * angle + i, 3.0 * angle

    text = PLANAR + (
        "bodies: {bead: {mass: 1, inertia: 1}}\n"
        "joints:\n"
        "  wire: {type: constraint, function: parabola, measures: [x(bead), y(bead)], parameters: {height: 2}}\n"
        "control: {law: {type: controller, function: balance, inputs: [x(bead)]}}\n"
        "forces: {drive: {type: actuator, measure: y(bead), signal: -law + 2*rate(x(bead))}}\n"
    )
    model = loaded(tmp_path, text, functions={"parabola": parabola, "balance": balance}).model
    assert model["wire"].parameters == (("height", 2.0),)
    assert model["law"].names() == ("u", "i")


def test_what_a_class_rejects_has_its_place(tmp_path: Path) -> None:
    text = PLANAR + "bodies:\n  arm: {mass: 1, inertia: 1}\nforces:\n"
    text += "  stop: {type: spring, measure: 'length(ground, arm)', stiffness: 1, rest_length: 1, rest_angle: 1}\n"
    with pytest.raises(FileError) as caught:
        loaded(tmp_path, text)
    (fault,) = caught.value.faults
    assert (
        (fault.code, fault.line) == ("C601", 7)
        and "rest_angle" in fault.message
        and isinstance(caught.value, ModelError)
    )


def test_analyses_follow_each_other(tmp_path: Path) -> None:
    text = PLANAR + (
        "gravity: [0, -9.81]\nbodies: {rod: {mass: 2, inertia: 0.1, position: [0.5, 0]}}\n"
        "joints: {pin: 'revolute(ground, rod@(-0.5, 0))'}\n"
        "analyses:\n  - {type: mobility}\n  - {type: equilibrium, name: rest}\n"
        "  - {type: linearize, at: rest, outputs: [pin.angle]}\n"
        "  - {type: simulate, until: 0.2, output: {to: 0.2, count: 5}, start: turned}\n"
        "  - {type: initial_conditions, name: turned, positions: {pin.angle: -30 deg}}\n"
    )
    with pytest.raises(FileError, match="no earlier analysis called 'turned'"):
        loaded(tmp_path, text)
    lines = text.splitlines(keepends=True)
    file = loaded(tmp_path, "".join([*lines[:-2], lines[-1], lines[-2]]))
    assert [a.name for a in file.analyses] == ["mobility", "rest", "linearize", "turned", "simulate"]
    assert file.analyses[0].run().degrees_of_freedom == 1
    w = math.sqrt(2.0 * 9.81 * 0.5 / (0.1 + 2.0 * 0.25))  # of small swings about the pin
    assert np.abs(file.analyses[2].run().eigenvalues().imag).max() == pytest.approx(w, rel=1e-6)
    run = file.analyses[-1].run()
    assert len(run.times) == 5
    assert run[file.model["pin"].angle].value[0] == pytest.approx(-math.pi / 6)
    with pytest.raises(ModelError, match="did you mean 'rest'"):
        file.run("rset")
