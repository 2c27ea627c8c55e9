"""URDF files that are wrong: rejected by file, line and name, or warned of; nothing is half imported."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from cardan import CardanWarning, ModelError, SimulationError, from_urdf, kinematics, simulate
from cardan.spatial import Driver, Ramp
from folding import folded
from machine_files import INERTIAL, PENDULUM, told, urdf

REFUSED = {
    # what is replaced, by what, and what the message says
    "no limit": (
        '<limit lower="-1" upper="1" effort="5" velocity="2"/>',
        "",
        r":4: <joint name='pin'>: type revolute needs a <limit>",
    ),
    "negative effort": ('effort="5"', 'effort="-5"', r"'pin'>: effort in <limit> must not be negative, got -5"),
    "unknown type": (
        'type="revolute"',
        'type="revolut"',
        r"type must be one of .* got 'revolut'; did you mean 'revolute'\?",
    ),
    "no type": (' type="revolute"', "", r"'pin'>: the attribute 'type' is missing"),
    "axis without length": ("0 1 0", "0 0 0", r"'pin'>: its axis has zero length"),
    "axis of two numbers": ("0 1 0", "0 1", r":5: <axis>: xyz must be 3 numbers, got '0 1'"),
    "axis of words": ("0 1 0", "0 up 0", r":5: <axis>: xyz must be finite numbers, got 'up'"),
    "infinite limit": ('upper="1"', 'upper="inf"', r":6: <limit>: upper must be finite numbers, got 'inf'"),
    "unknown link": (
        'child link="bob"',
        'child link="bop"',
        r"refers to an unknown link 'bop'; did you mean 'bob'\?",
    ),
    "joined to itself": ('child link="bob"', 'child link="base"', r"'pin'>: it joins link 'base' to itself"),
    "no parent": ('<parent link="base"/>', "", r"'pin'>: it has no <parent>"),
    "disconnected link": (
        '<link name="base"/>',
        f'<link name="base"/><link name="stray">{INERTIAL}</link>',
        r":2: <link name='stray'>: neither it nor 'base' is the child of a joint",
    ),
    "two links of one name": (
        '<link name="base"/>',
        '<link name="base"/><link name="base"/>',
        r"'base'>: line 2 has a link of the same name",
    ),
    "two joints on a link": (
        "</robot>",
        '<joint name="other" type="fixed"><parent link="base"/><child link="bob"/></joint></robot>',
        r":8: <joint name='other'>: link 'bob' is already the child of joint 'pin' in line 4",
    ),
    "negative mass": (
        'mass value="1"',
        'mass value="-1"',
        r":3: <link name='bob'>: its mass must not be negative, got -1",
    ),
    "no mass": ('<mass value="1"/>', "", r":3: <link name='bob'>: its <inertial> in line 3 has no <mass>"),
    "no inertia": ('<inertia ixx="0.1" iyy="0.1" izz="0.1"/>', "", r"has no <inertia>"),
    "negative moment": ('ixx="0.1"', 'ixx="-0.1"', r"'bob'>: its inertia has the principal moments"),
    "no moment": ('ixx="0.1" ', "", r":3: <inertia>: the attribute 'ixx' is missing"),
    "unknown shape": (
        INERTIAL,
        f"{INERTIAL}<visual><geometry><bax size='1 1 1'/></geometry></visual>",
        r"<bax>: the shape must be .*did you mean 'box'",
    ),
    "negative box": (
        INERTIAL,
        f"{INERTIAL}<visual><geometry><box size='1 -1 1'/></geometry></visual>",
        r"its sizes must be positive, got 1, -1, 1",
    ),
    "mesh scale of two numbers": (
        INERTIAL,
        f"{INERTIAL}<visual><geometry><mesh filename='a.stl' scale='1 2'/></geometry></visual>",
        r"<mesh>: scale must be 3 numbers, got '1 2'",
    ),
    "moment negative by more than rounding": ('ixx="0.1"', 'ixx="-1e-6"', r"'bob'>: its inertia has the principal"),
    "no geometry": (INERTIAL, f"{INERTIAL}<visual/>", r":3: <visual>: it has no <geometry>"),
    "two inertials": (INERTIAL, 2 * INERTIAL, r"'bob'>: it has 2 elements <inertial>"),
    "mimic of nothing": (
        "</joint>",
        "<mimic joint='pan'/></joint>",
        r":7: <mimic>: joint 'pin' mimics 'pan'.* did you mean 'pin'",
    ),
    "xacro": ("</robot>", "<xacro:macro name='x'/></robot>", r"this is a xacro file: run"),
    "no robot": ("robot", "machine", r":1: <machine.*a URDF file begins with <robot>"),
    "broken XML": ("</joint>", "", r"machine.urdf:8: not well-formed XML: mismatched tag"),
}


@folded("fault", REFUSED)
def test_rejected_by_name(fault: str, tmp_path: Path) -> None:
    before, after, message = REFUSED[fault]
    assert before in PENDULUM
    with pytest.raises(ModelError, match=message):
        urdf(tmp_path, PENDULUM.replace(before, after))


def _pendulum_with(text: str) -> str:
    return PENDULUM.replace(INERTIAL, f"{INERTIAL}<visual><geometry>{text}</geometry></visual>")


TOLERATED = {
    # the file, and what the warning says; masses, joints and coordinates are those of the file without the fault
    "flat box": (_pendulum_with("<box size='1 0 1'/>"), r":3: <box>: its size is zero, 1, 0, 1; it is not drawn"),
    "point": (_pendulum_with("<sphere radius='0'/>"), r":3: <sphere>: its size is zero, 0; it is not drawn"),
    "swapped limits": (
        PENDULUM.replace('lower="-1" upper="1"', 'lower="1" upper="-1"'),
        r":4: <joint name='pin'>: its lower limit 1 is above its upper limit -1; they are exchanged",
    ),
    "mimic on a fixed joint": (
        PENDULUM.replace(
            "</robot>",
            '<link name="tip"/><joint name="weld" type="fixed"><parent link="bob"/><child link="tip"/>'
            '<mimic joint="pin"/></joint></robot>',
        ),
        r"<joint name='weld'>: it mimics 'pin', but it is fixed; its <mimic> has no effect",
    ),
    "declaration not first": (
        '\n<!-- drawn by hand -->\n<?xml version="1.0" encoding="utf-8"?>\n' + PENDULUM,
        r"machine.urdf:3: the XML declaration is not at the start of the file",
    ),
}


@folded("fault", TOLERATED)
def test_cosmetic_faults_are_warnings(fault: str, tmp_path: Path) -> None:
    text, message = TOLERATED[fault]
    model, warned = told(tmp_path, text)
    assert len(warned) == 1 and re.search(message, warned[0]), warned
    assert model["bob"].mass == 1.0 and (model.joints["pin"].lower, model.joints["pin"].upper) == (-1.0, 1.0)
    assert model["pin"].title == "Revolute 'pin'" and len(model.constraints) == 1


def test_a_mesh_scale_of_one_number_counts_along_all_axes(tmp_path: Path) -> None:
    corners = "0 0 0", "1 0 0", "0 1 0", "0 0 1"
    faces = "1 3 2", "1 2 4", "2 3 4", "1 4 3"
    (tmp_path / "part.obj").write_text("".join(f"v {c}\n" for c in corners) + "".join(f"f {f}\n" for f in faces))
    model, warned = told(tmp_path, _pendulum_with("<mesh filename='part.obj' scale='0.5'/>"))
    assert len(warned) == 1 and "its scale is one number, 0.5; it is used along all three axes" in warned[0]
    (solid,) = model.solids["bob"]
    assert solid.surface.vertices.max(axis=0).tolist() == [0.5, 0.5, 0.5]


def test_moments_negative_by_rounding_become_zero(tmp_path: Path) -> None:
    """A rod printed with seven digits, and a point mass whose products are rounding."""
    rod = PENDULUM.replace('ixx="0.1" iyy="0.1" izz="0.1"', 'ixx="0.1" iyy="0.1" izz="-3e-8"')
    model, warned = told(tmp_path, rod)
    assert len(warned) == 1 and "'bob'>: its least principal moment is -3e-08, negative by rounding" in warned[0]
    assert np.allclose(model["bob"].matter.inertia, np.diag([0.1, 0.1, 0.0]), rtol=0.0, atol=1e-15)
    point = PENDULUM.replace('ixx="0.1" iyy="0.1" izz="0.1"', 'ixx="0" iyy="0" izz="0" ixz="1.4e-20"')
    model, warned = told(tmp_path, point)
    assert "negative by rounding" in warned[0] and not model["bob"].matter.inertia.any()


def test_lines_keep_their_numbers_behind_a_late_declaration(tmp_path: Path) -> None:
    text = "\n<?xml version='1.0'?>\n" + PENDULUM.replace('child link="bob"', 'child link="bop"')
    with pytest.raises(ModelError, match=r"machine.urdf:7: .* unknown link 'bop'"), pytest.warns(CardanWarning):
        urdf(tmp_path, text)


def test_without_the_fault_it_is_read(tmp_path: Path) -> None:
    model, warned = told(tmp_path, PENDULUM)
    assert not warned
    assert [body.name for body in model.bodies] == ["bob"]
    assert model.joints["pin"].lower == -1.0


def test_entities_are_rejected(tmp_path: Path) -> None:
    """The billion laughs: ten lines that would grow to gigabytes."""
    bomb = '<!DOCTYPE robot [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>\n' + PENDULUM.replace("pendulum", "&b;")
    with pytest.raises(ModelError, match=r"machine.urdf:1: a document type \(<!DOCTYPE ...>\) is not allowed"):
        urdf(tmp_path, bomb)
    outside = '<!DOCTYPE robot SYSTEM "file:///etc/passwd">\n' + PENDULUM
    with pytest.raises(ModelError, match="is not allowed"):
        urdf(tmp_path, outside)


def test_missing_file_and_folder(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"nothing.urdf': there is no such file"):
        from_urdf(tmp_path / "nothing.urdf")
    with pytest.raises(ModelError, match="it cannot be read"):
        from_urdf(tmp_path)
    (tmp_path / "empty.urdf").write_text("")
    with pytest.raises(ModelError, match=r"empty.urdf:1: not well-formed XML"):
        from_urdf(tmp_path / "empty.urdf")


def test_links_in_a_circle(tmp_path: Path) -> None:
    ring = "".join(
        f'<joint name="{a}{b}" type="fixed"><parent link="{a}"/><child link="{b}"/></joint>'
        for a, b in ("ab", "bc", "ca")
    )
    links = "".join(f'<link name="{name}"/>' for name in "abcr")
    with pytest.raises(ModelError, match=r"links 'a', 'b', 'c' are joined in a circle"):
        urdf(tmp_path, f'<robot name="ring">{links}{ring}</robot>')


def test_joints_that_mimic_each_other(tmp_path: Path) -> None:
    text = PENDULUM.replace("</joint>", '<mimic joint="pon"/></joint>')
    second = PENDULUM[PENDULUM.index("<joint") : PENDULUM.index("</robot>")]
    second = (
        second.replace('"pin"', '"pon"').replace('"bob"', '"bib"').replace("</joint>", '<mimic joint="pin"/></joint>')
    )
    text = text.replace("</robot>", f'<link name="bib">{INERTIAL}</link>{second}</robot>')
    with pytest.raises(ModelError, match=r"joints 'pin', 'pon' mimic each other in a circle"):
        urdf(tmp_path, text)


def test_zero_inertia_is_warned_of(tmp_path: Path) -> None:
    zero = '<inertia ixx="0" iyy="0" izz="0"/>'
    text = PENDULUM.replace('<inertia ixx="0.1" iyy="0.1" izz="0.1"/>', zero)
    text = text.replace("<inertial>", '<inertial><origin xyz="0 0 -1"/>')
    model, warned = told(tmp_path, text)
    assert model["bob"].matter.mass == 1.0
    assert warned == ["machine.urdf:3: <link name='bob'>: its inertia is zero: its 1 kg are a point mass"]
    nothing = text.replace('mass value="1"', 'mass value="0"')
    _, warned = told(tmp_path, nothing)
    assert len(warned) == 2 and "its mass and inertia are zero" in warned[0]


def test_a_machine_without_masses_moves_by_its_drivers(tmp_path: Path) -> None:
    """Many files describe motion only: kinematics needs no mass, and simulate() names the joint without inertia."""
    model, warned = told(tmp_path, PENDULUM.replace(INERTIAL, ""))
    assert len(warned) == 1
    assert "machine.urdf:3: <link name='bob'>: link 'bob' and its children have no mass, but joint 'pin'" in warned[0]
    with pytest.raises(SimulationError, match="nothing resists .*: it can move freely there without mass or inertia"):
        simulate(model, 0.1)
    model.add(Driver(model.coordinate("pin"), Ramp(1.0)))
    assert kinematics(model, [0.0, 0.5])["pin"].angle[-1] == pytest.approx(0.5, abs=1e-14)


def test_an_axis_stated_twice(tmp_path: Path) -> None:
    axis = '<axis xyz="0 1 0"/>'
    _, warned = told(tmp_path, PENDULUM.replace(axis, 2 * axis))
    assert len(warned) == 1 and "'pin'>: it has 2 equal elements <axis>; one is used" in warned[0]
    with pytest.raises(ModelError, match="'pin'>: it has 2 elements <axis>"):
        urdf(tmp_path, PENDULUM.replace(axis, f'{axis}<axis xyz="1 0 0"/>'))


def test_a_world_that_is_not_defined(tmp_path: Path) -> None:
    """Some programs know a link "world" without its definition."""
    text = PENDULUM.replace('<link name="base"/>', "").replace('parent link="base"', 'parent link="world"')
    _, warned = told(tmp_path, text)
    assert len(warned) == 1 and "<parent>: link 'world' is not defined; it is the root, without mass" in warned[0]


def test_impossible_inertia_is_warned_of_by_name(tmp_path: Path) -> None:
    _, warned = told(tmp_path, PENDULUM.replace('ixx="0.1"', 'ixx="0.5"'))
    assert len(warned) == 1 and warned[0].startswith("machine.urdf:3: <link name='bob'>: ")
    assert "the largest exceeds the sum of the others" in warned[0]


def test_missing_mesh(tmp_path: Path) -> None:
    mesh = f"{INERTIAL}<visual><geometry><mesh filename='shell.stl'/></geometry></visual>"
    text = PENDULUM.replace(INERTIAL, mesh)
    model, warned = told(tmp_path, text)
    assert model["bob"].outline is None
    assert len(warned) == 1 and "machine.urdf:3: <mesh>: the mesh" in warned[0] and "does not exist" in warned[0]
    with pytest.raises(ModelError, match=r"machine.urdf:3: <mesh>: the mesh '.*shell.stl' does not exist"):
        urdf(tmp_path, text, strict=True)
    for name, reason in (
        ("package://parts/shell.stl", "no folder 'parts' with a package.xml"),
        ("http://a.b/c.stl", "is not on this"),
    ):
        with pytest.raises(ModelError, match=reason):
            urdf(tmp_path, text.replace("shell.stl", name), strict=True)


def test_what_is_not_understood_is_told_once(tmp_path: Path) -> None:
    extra = "<transmission name='a'/><transmission name='b'/><gazebo/><gazebo reference='bob'/><material name='red'/>"
    model, warned = told(
        tmp_path, PENDULUM.replace("</robot>", f"{extra}</robot>").replace("<axis", "<safety_controller/><axis")
    )
    assert warned == ["machine.urdf: not imported: <transmission> (line 8); <gazebo> (line 8)"]
    assert len(model.left_out) == 2


@folded(
    ("options", "message"),
    [
        ({"q": {"pan": 1.0}}, r"'machine.urdf' has no joint 'pan'; did you mean 'pin'\?"),
        ({"q": {"pin": (1.0, 2.0)}}, r"q of joint 'pin' must be a number"),
        ({"q": [1.0]}, r"q must be a dictionary"),
        ({"base": "floating"}, r"the base must be 'fixed' or 'free', got 'floating'"),
        ({"limits": True}, r"pass their stiffness="),
        ({"limits": True, "stiffness": -1.0}, r"the stiffness of limits must be positive"),
        ({"stiffness": 5.0}, r"pass limits=True"),
        ({"limits": True, "stiffness": 1.0, "damping": -1.0}, r"the damping of limits must not be negative"),
        ({"limits": "yes"}, r"limits must be True or False"),
        ({"gravity": 9.81}, r"gravity must be 3 numbers"),
        ({"packages": 3}, r"packages must be a folder"),
        ({"strict": 1}, r"strict must be True or False"),
    ],
)
def test_wrong_wishes(options: dict, message: str, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=message):
        urdf(tmp_path, PENDULUM, **options)


def test_a_position_outside_the_limits_is_warned_of(tmp_path: Path) -> None:
    with pytest.warns(match=r"q of joint 'pin', 1.5, is outside its limits -1 and 1"):
        urdf(tmp_path, PENDULUM, q={"pin": 1.5})
