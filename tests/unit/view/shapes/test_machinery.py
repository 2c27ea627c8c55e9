"""Solids of machine parts: cars, plates with holes, imported solids and their colors."""

from __future__ import annotations

import numpy as np
import pytest

from cardan import assemble
from cardan.examples import load
from cardan.examples.cars.compact import AXLES, TRACK, compact
from cardan.io.mjcf.mjcf import from_mjcf
from cardan.io.urdf import from_urdf
from cardan.spatial import Body, Model, Revolute, matter
from cardan.view.shapes.drawing import Shape
from cardan.view.stage.scene import sized_drawing
from cardan.view.stage.spatial import SpaceStage
from cardan.view.stage.stage import poses
from cardan.view.web.shapes import make_scene


def shapes(model: Model) -> list[Shape]:
    snapshot = assemble(model)
    drawing, _ = sized_drawing(SpaceStage, model, poses(snapshot), lambda measure: (0.0, 0.0))
    return drawing.shapes


def of_kind(found: list[Shape], kind: str) -> list[Shape]:
    return [shape for shape in found if shape.kind == kind]


def test_a_car_looks_like_a_car() -> None:
    """The coachwork spans both axles and is as wide as the wheels, and is on the chassis; all is symmetric."""
    model = compact(20.0, 1.0)
    found = shapes(model)
    parts = of_kind(found, "coachwork")
    points = np.vstack([shape.points for shape in parts])
    points = points[np.isfinite(points[:, 0])]
    assert {shape.body for shape in parts} == {model["chassis"]} and len(of_kind(found, "tire")) == 4
    low, high = points.min(axis=0), points.max(axis=0)
    assert low[0] < AXLES["rear"] < AXLES["front"] < high[0] and high[0] > -low[0] - AXLES["front"]
    assert high[1] == pytest.approx(-low[1], abs=1e-9) and 0.5 * TRACK < high[1] < 0.6 * TRACK
    assert of_kind(found, "glass")


def test_a_chassis_with_a_shape_keeps_it() -> None:
    """Neither an outline nor a solid is covered; three wheels make no car."""
    model = compact(20.0, 1.0)
    object.__setattr__(model["chassis"], "outline", [(1.9, 0.0, 0.0), (-2.1, 0.0, 0.0)])
    assert not of_kind(shapes(model), "coachwork")
    model = load("bicycle").build()
    assert not of_kind(shapes(model), "coachwork")


def test_an_outline_inside_another_is_a_hole() -> None:
    turn = np.linspace(0.0, 2.0 * np.pi, 25)
    circle = np.stack([np.cos(turn), np.sin(turn), 0.0 * turn], axis=1)
    beside = circle + (3.0, 0.0, 0.0)
    model = Model("ring")
    model.add(Body(1.0, (1, 1, 1), outline=[(0.5 * circle).tolist(), circle.tolist(), beside.tolist()]), name="ring")
    panels = of_kind(shapes(model), "panel")
    assert sorted(int(np.isnan(shape.points[:, 0]).sum()) for shape in panels) == [0, 1]
    (holed,) = [shape for shape in panels if np.isnan(shape.points).any()]
    assert np.linalg.norm(holed.points[:25], axis=1) == pytest.approx(1.0)  # the rim comes first


def test_a_hinge_has_lugs_on_one_body_and_a_barrel_on_the_other() -> None:
    model = Model("door")
    leaf = model.add(Body(mass=matter.box(1.0, 0.1, 2.0, mass=10.0)), name="leaf")
    model.add(Revolute(model.ground.at(), leaf.at()), name="hinge")
    found = shapes(model)
    assert [s.body.name for s in of_kind(found, "lugs")] == ["ground"]
    assert [s.body.name for s in of_kind(found, "barrel")] == ["leaf"]


URDF = """<robot name="r"><material name="red"><color rgba="0.8 0 0 1"/></material>
<link name="base"><visual><geometry><box size="1 1 1"/></geometry><material name="red"/></visual>
<visual><geometry><cylinder radius="0.5" length="2"/></geometry>
<material name="own"><color rgba="0 0 1 1"/></material></visual>
<visual><geometry><sphere radius="0.5"/></geometry><material name="odd"><color rgba="blue"/></material></visual>
<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link></robot>"""

MJCF = """<mujoco><asset><material name="wood" rgba="0.6 0.4 0.2 1"/></asset><worldbody><body name="b"><freejoint/>
<geom type="box" size="1 2 3" material="wood"/><geom type="capsule" size="0.1 1" rgba="0 1 0 1" material="wood"/>
<geom type="sphere" size="1"/></body></worldbody></mujoco>"""


@pytest.mark.parametrize(
    ("read", "text", "name", "paints"),
    [(from_urdf, URDF, "r.urdf", ["#cc0000", "#0000ff", ""]), (from_mjcf, MJCF, "m.xml", ["#996633", "#00ff00", ""])],
)
def test_imported_solids_have_their_colors(read, text, name, paints, tmp_path) -> None:
    """Materials by name, colors in place before materials; one that cannot be read is left out."""
    (tmp_path / name).write_text(text)
    model = read(tmp_path / name, base="free") if read is from_urdf else read(tmp_path / name)
    snapshot = assemble(model)
    scene = make_scene(snapshot, snapshot.as_trajectory())
    assert [shape.paint for shape in scene.meshes] == paints
    box = scene.meshes[0].points
    np.testing.assert_allclose(np.nanmax(box, axis=0), (0.5, 0.5, 0.5) if read is from_urdf else (1.0, 2.0, 3.0))
    assert np.isnan(box[:, 0]).sum() == 5  # between six faces
