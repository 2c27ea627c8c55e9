"""Flexible bodies in model files: parts by parameters or in files of their own, interfaces as markers."""

from pathlib import Path

import numpy as np
import pytest

from cardan import load_model, save_model
from cardan.errors import ModelError
from cardan.files import FileError, check
from cardan.files.writing.save import model_text
from cardan.flexible import beam, load_part, rectangle, save_part
from cardan.model.flexible_part import FlexiblePart
from cardan.spatial import Fixed, FlexibleBody, Model, Spring, length, lift
from folding import folded

ARM = """
cardan: 1
name: arm
space: spatial
units: {length: mm, angle: deg}
parameters: {size: 400}
bodies:
  arm:
    type: flexible_body
    part:
      type: beam_part
      length: size
      section: rectangle_section(20, 10)
      material: {E: 70 GPa, nu: 0.33, density: 2700 kg/m^3}
      interfaces: {root: left, tip: {nodes: right, point: [size + 20, 0, 0]}, mid: [10]}
      modes: 2
    damping: 0.02
  rod:
    type: flexible_body
    part: {type: beam_part, length: size, section: 12, interfaces: {a: left, 'far end': right}, up_to: 500 Hz}
    modes: [1, 2, 3]
    damping: {mass: 0.1, stiffness: 1e-5}
    deformation: [1e-3, 0, 2e-3]
    position: [420, 0, 0]
    stiffening: false
joints:
  hinge: {type: revolute, a: {body: ground, z: [0, 1, 0]}, b: {body: arm, at: root, z: [0, 1, 0]}}
  weld: {type: fixed, a: "arm@tip", b: {rod: a}}
forces:
  s: {type: spring, measure: "length(ground, rod@'far end')", stiffness: 1 N/mm, rest_length: 100}
  t: {type: spring, measure: "dot(arm@(mid, z=(0, 1, 0)), rod@(0, 0, 0), 'x', 'y')", stiffness: 1 si, rest_length: 0}
  k: {type: spring, measure: "modal_coordinate(arm, 1)", stiffness: 2 si, rest_length: 0}
"""


def parts_equal(a: FlexiblePart, b: FlexiblePart) -> None:
    for name in ("first_moment", "second_moment", "stiffness", "damping", "coupling"):
        assert np.array_equal(getattr(a, name), getattr(b, name)), name
    assert list(a.interfaces) == list(b.interfaces)


def test_parameters_are_those_of_python(tmp_path: Path) -> None:
    (tmp_path / "arm.yaml").write_text(ARM)
    model = load_model(tmp_path / "arm.yaml").model
    ends = {"a": "left", "far end": "right"}
    part = beam(0.4, 0.012).reduce(ends, up_to=500.0)
    twin = FlexibleBody(part, modes=[1, 2, 3], damping={"mass": 0.1, "stiffness": 1e-5}, stiffening=False)
    parts_equal(model["rod"].part, twin.part)
    assert model["rod"].deformation == (1e-3, 0.0, 2e-3)
    assert model["arm"].at("tip").place == pytest.approx((0.42, 0.0, 0.0), abs=1e-15)
    assert model["weld"].b == model["rod"].at("a")
    assert model["hinge"].b.interface == "root"
    longer = load_model(tmp_path / "arm.yaml", parameters={"size": 500}).model
    assert longer["rod"].mass == pytest.approx(model["rod"].mass * 500 / 400, rel=1e-12)


def test_what_is_written_is_read_without_loss(tmp_path: Path) -> None:
    (tmp_path / "arm.yaml").write_text(ARM)
    model = load_model(tmp_path / "arm.yaml").model
    again = load_model(save_model(model, tmp_path / "again.yaml")).model
    for name in ("arm", "rod"):
        parts_equal(model[name].part, again[name].part)
        assert model[name].deformation == again[name].deformation
    assert str(model["t"].measure) == str(again["t"].measure)
    assert save_model(again, tmp_path / "third.yaml").read_text() == (tmp_path / "again.yaml").read_text()
    assert not list(tmp_path.glob("*.nc"))
    assert "beam_part" in model_text(model)


def in_python() -> Model:
    model = Model("blade")
    part = beam(1.0, rectangle(0.04, 0.004), "aluminum").reduce(
        {"hub": "left", "tip": "right"}, modes=3, method="clamped", frame="tangent", stiffening=True
    )
    for k in range(2):
        body = model.add(FlexibleBody(part, modes=4, position=(0, k, 0), damping=[0.01] * 4), name=f"blade {k}")
        model.add(Fixed(model.ground.at(0, k, 0), body.at("hub", z=(0, 1, 0))), name=f"weld {k}")
        model.add(Spring(length(model.ground.at(), body.at("tip")), 10.0, rest_length=1.0), name=f"spring {k}")
    return model


def test_parts_of_python_are_saved_beside_the_model(tmp_path: Path) -> None:
    model = in_python()
    path = save_model(model, tmp_path / "blades.yaml")
    assert [file.name for file in tmp_path.glob("*.nc")] == ["blades-blade-0.nc"]  # one file for one part
    again = load_model(path).model
    for name in ("blade 0", "blade 1"):
        parts_equal(model[name].part, again[name].part)
        assert again[name].part.stiffening is not None
    assert again["weld 1"].b.orientation == model["weld 1"].b.orientation
    save_model(again, tmp_path / "copy.yaml")
    assert "part: blades-blade-0.nc" in (tmp_path / "copy.yaml").read_text()  # the file is named, not copied
    other = tmp_path / "other"
    other.mkdir()
    save_model(again, other / "moved.yaml")
    parts_equal(load_model(other / "moved.yaml").model["blade 0"].part, model["blade 0"].part)
    assert model_text(model) == ""  # a text alone cannot hold it


def test_a_part_file_that_changed_is_written_anew(tmp_path: Path) -> None:
    model = load_model(save_model(in_python(), tmp_path / "blades.yaml")).model
    save_part(beam(2.0, 0.1).reduce(modes=1), tmp_path / "blades-blade-0.nc")
    save_model(model, tmp_path / "copy.yaml")
    parts_equal(load_part(tmp_path / "copy-blade-0.nc"), model["blade 0"].stated.part)


def test_planar_beams(tmp_path: Path) -> None:
    text = "cardan: 1\nname: bar\nspace: planar\nbodies:\n  bar: {type: flexible_body, angle: 0.3, part: PART}\n"
    text += "joints:\n  pin: {type: revolute, a: ground, b: {bar: {at: left, angle: 0.2}}}\n"
    path = tmp_path / "bar.yaml"
    path.write_text(text.replace("PART", "{type: beam_part, length: 1, section: 0.02, modes: 2}"))
    model = load_model(path).model
    parts_equal(model["bar"].part, beam(1.0, 0.02).reduce(modes=2, planar=True))
    again = load_model(save_model(model, tmp_path / "again.yaml")).model
    assert (again["pin"].b.angle, again["pin"].b.interface, again["bar"].angle) == (0.2, "left", 0.3)
    with pytest.raises(ModelError, match="is flexible and cannot be lifted"):
        lift(model)


HEAD = "cardan: 1\nname: m\nspace: spatial\nbodies:\n  rod: {mass: 1}\n  bar: "
BAR = "{type: flexible_body, part: {type: beam_part, length: 1, section: 0.02, modes: 2}}\njoints:\n  j: "
FAULTS = {
    "no part": ("{type: flexible_body}", "flexible_body needs part"),
    "no file": ("{type: flexible_body, part: bar.nc}", "file 'bar.nc' does not exist"),
    "outside": ("{type: flexible_body, part: ../../bar.nc}", "outside the folder of the model"),
    "not a part": ("{type: flexible_body, part: text.nc}", "text.nc"),
    "a word": ("{type: flexible_body, part: blade}", "write the name of a file"),
    "no modes": ("{type: flexible_body, part: {type: beam_part, length: 1, section: 0.02}}", "state either modes"),
    "huge": (
        "{type: flexible_body, part: {type: beam_part, length: 1, section: 0.02, modes: 1, elements: 1000000}}",
        "limited to 400, got 1000000",
    ),
    "material": (
        "{type: flexible_body, part: {type: beam_part, length: 1, section: 0.02, modes: 1, material: stone}}",
        "material must be 'steel', .* got 'stone'",
    ),
    "section": ("{type: flexible_body, part: {type: beam_part, length: 1, section: 'box(1, 1, 1)'}}", "is matter"),
    "interface": (f"{BAR}fixed(ground, bar@tip)", "has no interface 'tip'; it has: 'left', 'right'"),
    "point": (f"{BAR}fixed(ground, bar@(0.5, 0, 0))", r"no interface at \(0.5, 0, 0\)"),
    "rigid": (f"{BAR}fixed(ground, rod@left)", "body 'rod' has no marker called 'left'"),
    "mode": (f"{BAR}{{type: hold, measure: 'modal_coordinate(bar, 99)'}}", "has the modes 1 to 14, got 99"),
    "stiff": (f"{BAR}{{type: hold, measure: 'modal_coordinate(rod, 1)'}}", "'rod' is not flexible"),
    "damping": (f"{BAR.replace('bar', 'x').replace('}}', '}, damping: graduated}')}fixed(ground, bar@left)", "graded"),
}


@folded("case", list(FAULTS))
def test_faults_are_named(case: str, tmp_path: Path) -> None:
    stated, words = FAULTS[case]
    path = tmp_path / "m.yaml"
    (tmp_path / "text.nc").write_text("no netCDF")
    path.write_text(HEAD + stated + "\n")
    with pytest.raises(FileError, match=words) as caught:
        load_model(path)
    assert caught.value.faults[0].line >= 5


def test_plates_are_spatial(tmp_path: Path) -> None:
    path = tmp_path / "m.yaml"
    path.write_text(
        "cardan: 1\nname: m\nspace: planar\nbodies:\n"
        "  p: {type: flexible_body, part: {type: plate_part, length: 1, width: 1, thickness: 0.1, modes: 1}}\n"
    )
    assert "unknown type 'plate_part'" in str(check(path)[0])
