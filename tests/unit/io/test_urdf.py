"""What a URDF file becomes: bodies, joints, coordinates, limits, forces, pictures, under the file's names."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cardan import assemble, from_urdf, joint_space, mobility, simulate
from cardan.examples import data
from cardan.spatial import Coupler, Fixed, Friction, Hold, Planar, Point, Revolute, Spring, Stop, Translational
from machine_files import INERTIAL, PENDULUM, told, urdf

MACHINES = Path(__file__).parents[2] / "data" / "machines"


def test_elements_carry_the_names_of_the_file() -> None:
    tree = from_urdf(MACHINES / "tree.urdf", base="free")
    assert len(tree.bodies) == 11  # all links but the two frames on fixed joints
    assert isinstance(tree["waist"], Revolute) and isinstance(tree["telescope"], Translational)
    assert isinstance(tree["glide"], Planar) and isinstance(tree["head weld"], Fixed)
    assert isinstance(tree["left_wrist mimic"], Coupler) and isinstance(tree["waist spring"], Spring)
    assert isinstance(tree["camera"], Point) and set(tree.frames) == {"camera", "eye"}
    assert tree.joints["pelvis pose"].element is None
    assert mobility(tree).degrees_of_freedom == 6 + 1 + 1 + 1 + 1 + 1 + 1 + 3  # the wrist follows the waist


def test_frames_stand_where_the_chain_of_origins_leads() -> None:
    """Of `eye`: three fixed joints in a row behind one hinge, multiplied out here."""
    tree = from_urdf(MACHINES / "tree.urdf", q={"waist": 0.7})
    text = (MACHINES / "tree.urdf").read_text()
    expected = np.eye(4)
    for name, angle in (("waist", 0.7), ("neck", 0.0), ("camera_mount", 0.0), ("eye_mount", 0.0)):
        part = text[text.index(f'<joint name="{name}"') :]
        origin = part[part.index("<origin") : part.index("/>", part.index("<origin"))].split('"')
        expected = expected @ _transform(origin[1], origin[3]) @ _transform("0 0 0", f"0 0 {angle}")
    eye = assemble(tree)[tree.frames["eye"]]
    assert eye.position == pytest.approx(expected[:3, 3], abs=1e-14)


def _transform(xyz: str, rpy: str) -> np.ndarray:
    r, p, y = (float(word) for word in rpy.split())
    cr, sr, cp, sp, cy, sy = (f(angle) for angle in (r, p, y) for f in (math.cos, math.sin))
    found = np.eye(4)
    found[:3, :3] = (
        np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])
        @ np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
        @ np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
    )
    found[:3, 3] = [float(word) for word in xyz.split()]
    return found


def test_stated_values_are_the_coordinates() -> None:
    q = {"waist": 0.3, "left_shoulder": -2.0, "telescope": 0.2, "hip_z": 1.0, "glide": (0.1, -0.2, 0.5)}
    space = joint_space(from_urdf(MACHINES / "tree.urdf", q=q))
    for name, value in q.items():
        assert space.q[space.places(name)] == pytest.approx(np.atleast_1d(value), abs=1e-13)
    assert space.q[space.places("left_wrist")] == pytest.approx(-0.5 * 0.3 + 0.2, abs=1e-13)
    assert space.q[space.places("right_shoulder")] == pytest.approx(0.0, abs=1e-13)


def test_free_base_stands_where_it_is_said(tmp_path: Path) -> None:
    turn = (math.cos(0.2), math.sin(0.2), 0.0, 0.0)
    model = urdf(tmp_path, PENDULUM.replace('<link name="base"/>', f'<link name="base">{INERTIAL}</link>'), base="free",
                 position=(1.0, 2.0, 3.0), orientation=turn)  # fmt: skip
    assert model["base"].position == (1.0, 2.0, 3.0)
    assert model["bob"].parameters == pytest.approx(turn, abs=1e-15)
    moved = urdf(
        tmp_path, (tmp_path / "machine.urdf").read_text(), base="free", q={"base pose": (4.0, 0, 0, 1, 0, 0, 0)}
    )
    assert moved["bob"].position == (4.0, 0.0, 0.0)


def test_what_the_file_says_of_a_joint_can_be_read(tmp_path: Path) -> None:
    text = PENDULUM.replace("</joint>", '<dynamics damping="0.2" friction="0.3"/></joint>')
    model = urdf(tmp_path, text)
    joint = model.joints["pin"]
    assert (joint.kind, joint.lower, joint.upper, joint.effort, joint.velocity) == ("hinge", -1.0, 1.0, 5.0, 2.0)
    assert (joint.damping, joint.friction) == (0.2, 0.3)
    assert joint.body is model["bob"] and joint.element is model["pin"]
    assert isinstance(model["pin friction"], Friction) and model["pin spring"].damping == 0.2
    assert "pin stop" not in model
    assert "pin friction" not in urdf(tmp_path, text, friction=False)


def test_limits_become_stops_if_asked(tmp_path: Path) -> None:
    model = urdf(tmp_path, PENDULUM, limits=True, stiffness=50.0, damping=1.0)
    stop = model["pin stop"]
    assert isinstance(stop, Stop) and (stop.lower, stop.upper, stop.stiffness, stop.damping) == (-1.0, 1.0, 50.0, 1.0)
    locked = PENDULUM.replace('lower="-1" upper="1"', 'lower="0.5" upper="0.5"')
    held = urdf(tmp_path, locked, limits=True, stiffness=50.0)["pin lock"]
    assert isinstance(held, Hold) and held.value == 0.5


def test_links_and_joints_may_share_names(tmp_path: Path) -> None:
    model = urdf(tmp_path, PENDULUM.replace('"pin"', '"bob"').replace('"base"', '"ground"'))
    assert model["bob joint"] is model.joints["bob"].element
    assert [body.name for body in model.bodies] == ["bob"]
    assert joint_space(model).coordinates == ("bob joint.angle",)


@pytest.mark.parametrize("where", ["beside", "package", "packages", "dictionary"])
def test_meshes_are_found_and_scaled(where: str, tmp_path: Path) -> None:
    folder = tmp_path / "robot_parts" / "meshes"
    folder.mkdir(parents=True)
    (folder / "wedge.stl").write_bytes((MACHINES / "meshes" / "wedge.stl").read_bytes())
    name = "../meshes/wedge.stl" if where == "beside" else "package://robot_parts/meshes/wedge.stl"
    shape = f"<visual><origin xyz='1 0 0'/><geometry><mesh filename='{name}' scale='1 2 3'/></geometry></visual>"
    (tmp_path / "robot_parts" / "package.xml").write_text("<package/>")
    options: dict[str, Any] = {
        "packages": {"packages": tmp_path, "dictionary": {"robot_parts": tmp_path / "robot_parts"}}.get(where),
        "allow": tmp_path / "robot_parts" if where == "beside" else (),
    }
    home = tmp_path / "robot_parts" / "urdf" if where in ("beside", "package") else tmp_path / "elsewhere"
    home.mkdir()
    model, warned = told(home, PENDULUM.replace(INERTIAL, INERTIAL + shape), **options)
    assert not warned
    points = np.concatenate([np.array(line) for line in model["bob"].outlines()])
    assert points.min(axis=0).tolist() == [1.0, 0.0, 0.0] and points.max(axis=0).tolist() == [2.0, 2.0, 3.0]
    assert model.solids["bob"][0].kind == "mesh"


def test_solids_of_welded_frames_are_drawn_with_their_body(tmp_path: Path) -> None:
    shape = "<visual><geometry><box size='2 2 2'/></geometry></visual>"
    text = PENDULUM.replace(
        "</robot>",
        f'<link name="lamp">{shape}</link><joint name="mount" type="fixed"><parent link="bob"/><child link="lamp"/>'
        '<origin xyz="5 0 0"/></joint></robot>',
    )
    model = urdf(tmp_path, text)
    points = np.concatenate([np.array(line) for line in model["bob"].outlines()])
    assert points[:, 0].min() == 4.0 and points[:, 0].max() == 6.0
    assert tuple(model.solids["bob"][0].place.point) == (5.0, 0.0, 0.0)


def test_a_pendulum_swings_with_its_period(tmp_path: Path) -> None:
    """A small swing: T = 2 pi sqrt((J + m l^2) / (m g l)), half of it later it is on the other side."""
    text = PENDULUM.replace("<inertial>", '<inertial><origin xyz="0 0 -1"/>')
    model = urdf(tmp_path, text, q={"pin": 1e-3})
    half = math.pi * math.sqrt(1.1 / 9.81)
    run = simulate(model, half, rtol=1e-11)
    assert float(run[model.coordinate("pin")].value[-1]) == pytest.approx(-1e-3, rel=1e-6)


def test_the_arm_of_the_gallery() -> None:
    arm = from_urdf(data("arm.urdf"), q={"grip": 0.02})
    there = assemble(arm)
    assert there["tool"].position == pytest.approx((0.82, 0.0, 0.2), abs=1e-13)
    left, right = (there[name].position[1] for name in ("left finger", "right finger"))
    assert (left, right) == (pytest.approx(0.025, abs=1e-13), pytest.approx(-0.025, abs=1e-13))
