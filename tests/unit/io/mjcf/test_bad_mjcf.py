"""MJCF files that are wrong: rejected by file, line and name, or warned of; nothing is half imported."""

from __future__ import annotations

from pathlib import Path

import pytest

from cardan import ModelError, from_mjcf
from folding import folded
from machine_files import BODY, SWING, mjcf, told

JOINT, GEOM = '<joint name="pin" axis="0 1 0"/>', '<geom type="sphere" size="0.1" pos="0 0 -1"/>'
END = "</mujoco>"
REFUSED = {
    # what is replaced, by what, and what the message says
    "inverted range": (
        JOINT,
        '<joint name="pin" range="1 -1"/>',
        r"machine.xml:4: <joint name='pin'>: its lower limit 1 is above its upper limit -1",
    ),
    "limited without a range": (
        JOINT,
        '<joint name="pin" limited="true"/>',
        r"'pin'>: it is limited, but has no range",
    ),
    "unknown attribute": (
        JOINT,
        '<joint name="pin" dampping="1"/>',
        r"'pin'>: there is no attribute 'dampping'; did you mean 'damping'\?",
    ),
    "unknown type": (JOINT, '<joint name="pin" type="hunge"/>', r"got 'hunge'; did you mean 'hinge'"),
    "axis without length": ('axis="0 1 0"', 'axis="0 0 0"', r"'pin'>: axis has zero length"),
    "negative damping": (JOINT, '<joint name="pin" damping="-1"/>', r"'pin'>: damping must not be negative, got -1"),
    "two joints of one name": (JOINT, 2 * JOINT, r"'pin'>: there are two joints of this name"),
    "free beside a hinge": (JOINT, f"{JOINT}<freejoint/>", r"<freejoint>: a free joint is the only one of its body"),
    "two bodies of one name": (
        BODY,
        BODY + BODY.replace("pin", "pan"),
        r"<body name='bob'>: there are two elements body called 'bob'",
    ),
    "unknown class": (JOINT, '<joint name="pin" class="knee"/>', r"'pin'>: there is no class 'knee'"),
    "unknown child class": (
        '<body name="bob">',
        '<body name="bob" childclass="leg">',
        r"'bob'>: there is no class 'leg'",
    ),
    "nothing to move": (GEOM, "", r":4: <body name='bob'>: link 'bob' and its children have no mass"),
    "a geom of no size": (' size="0.1"', "", r":4: <geom>: the attribute 'size' is missing"),
    "a geom of one size too few": (
        'type="sphere"',
        'type="box"',
        r"<geom>: the size of a box must be 3 positive numbers",
    ),
    "two orientations": (
        GEOM,
        '<geom size="1" quat="1 0 0 0" euler="0 0 0"/>',
        r"<geom>: its orientation is stated twice, by quat and euler",
    ),
    "a quaternion of zeros": (GEOM, '<geom size="1" quat="0 0 0 0"/>', r"<geom>: quat has zero length"),
    "no such mesh": (GEOM, '<geom type="mesh" mesh="shell"/>', r"<geom>: there is no mesh 'shell'"),
    "a fitted mesh": (GEOM, '<geom type="box" mesh="shell"/>', r"a box fitted to a mesh is not supported"),
    "fromto on a sphere": (
        GEOM,
        '<geom type="sphere" size="1" fromto="0 0 0 1 1 1"/>',
        r"fromto is for .* not for a sphere",
    ),
    "a shell": (GEOM, '<geom size="0.1" shellinertia="true"/>', r"shellinertia is not supported; state an <inertial>"),
    "an element that is none": (
        GEOM,
        f"{GEOM}<gem/>",
        r"<gem>: there is no such element in a body; did you mean 'geom'",
    ),
    "what MuJoCo expands": (GEOM, f"{GEOM}<replicate count='3'/>", r"<replicate>: it is expanded by MuJoCo alone"),
    "two inertials": (
        GEOM,
        2 * '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>',
        r"its body has another <inertial>",
    ),
    "negative mass": (
        GEOM,
        '<inertial pos="0 0 0" mass="-1" diaginertia="1 1 1"/>',
        r"<body name='bob'>: its mass must not be negative",
    ),
    "turned full inertia": (
        GEOM,
        '<inertial mass="1" quat="1 1 0 0" fullinertia="1 1 1 0 0 0"/>',
        r"fullinertia is in the axes of the body",
    ),
    "global coordinates": (
        'angle="radian"',
        'coordinate="global"',
        r":2: <compiler>: coordinate='global' is not supported by MJCF any more",
    ),
    "an unknown angle": (
        'angle="radian"',
        'angle="grad"',
        r"<compiler>: angle must be one of degree, radian, got 'grad'",
    ),
    "a section that is none": (
        END,
        "<actuators/></mujoco>",
        r":6: <actuators>: there is no such section in MJCF; did you mean 'actuator'",
    ),
    "nothing there": (BODY, "", r"<mujoco>: there is no <body> in its <worldbody>"),
    "a joint of the world": (BODY, BODY + JOINT.replace("pin", "pan"), r"<worldbody>: the world has no joints"),
    "connect of no body": (
        END,
        '<equality><connect body1="bib" anchor="0 0 0"/></equality></mujoco>',
        r":6: <connect>: body1 refers to .* 'bib'; did you mean 'bob'",
    ),
    "connect to itself": (
        END,
        '<equality><connect body1="bob" body2="bob" anchor="0 0 0"/></equality></mujoco>',
        r"<connect>: it joins body 'bob' to itself",
    ),
    "connect without anchor": (
        END,
        '<equality><connect body1="bob"/></equality></mujoco>',
        r"<connect>: the attribute 'anchor' is missing",
    ),
    "a tie of no joint": (
        END,
        '<equality><joint joint1="pan"/></equality></mujoco>',
        r"<joint>: joint1 refers to 'pan', which is not a joint; did you mean 'pin'",
    ),
    "a motor of no joint": (
        END,
        '<actuator><motor joint="pan"/></actuator></mujoco>',
        r":6: <motor>: joint refers to 'pan', which is not a joint",
    ),
    "a range of controls inverted": (
        END,
        '<actuator><motor joint="pin" ctrlrange="1 -1"/></actuator></mujoco>',
        r"<motor>: ctrlrange begins at 1, above its end -1",
    ),
    "an include that is missing": (
        BODY,
        BODY + '<include file="legs.xml"/>',
        r"legs.xml': there is no such file \(included in machine.xml:4\)",
    ),
    "an include of itself": (
        BODY,
        BODY + '<include file="machine.xml"/>',
        r":4: <include>: 'machine.xml' is already included",
    ),
    "no mujoco": ("mujoco", "robot", r"<robot>: an MJCF file begins with <mujoco>; from_urdf"),
    "broken XML": ("</worldbody>", "", r"machine.xml:6: not well-formed XML: mismatched tag"),
}


@folded("fault", REFUSED)
def test_rejected_by_name(fault: str, tmp_path: Path) -> None:
    before, after, message = REFUSED[fault]
    assert before in SWING
    with pytest.raises(ModelError, match=message):
        mjcf(tmp_path, SWING.replace(before, after))


def test_without_the_fault_it_is_read(tmp_path: Path) -> None:
    model, warned = told(tmp_path, SWING)
    assert not warned
    assert [body.name for body in model.bodies] == ["bob"]


def test_a_missing_mesh_without_inertia_is_rejected_and_with_inertia_warned_of(tmp_path: Path) -> None:
    text = SWING.replace(GEOM, '<geom type="mesh" mesh="shell"/>').replace(
        "<worldbody>", '<asset><mesh file="shell.stl"/></asset><worldbody>'
    )
    with pytest.warns(match="does not exist"), pytest.raises(ModelError, match="the mass of its body depends on it"):
        mjcf(tmp_path, text)
    weight = '<inertial pos="0 0 -1" mass="1" diaginertia="1 1 1"/></body>'
    model, warned = told(tmp_path, text.replace("</body>", weight))
    assert model["bob"].matter.mass == 1.0
    assert len(warned) == 1 and "machine.xml:3: <mesh>: the mesh" in warned[0]
    with pytest.raises(ModelError, match=r"machine.xml:3: <mesh>: .* does not exist"):
        mjcf(tmp_path, text.replace("</body>", weight), strict=True)


OPEN = '<asset><mesh name="shell" vertex="0 0 0 1 0 0 0 1 0 0 0 1" face="0 2 1 0 1 3 1 2 3" inertia="exact"/></asset>'


def test_an_open_mesh_matters_only_if_a_motion_depends_on_its_mass(tmp_path: Path) -> None:
    """Three of four faces: no volume. It is rejected on a moving body, unless the inertia is stated."""
    moving = SWING.replace("<worldbody>", f"{OPEN}<worldbody>").replace(GEOM, '<geom type="mesh" mesh="shell"/>')
    with pytest.raises(ModelError, match=r":4: <geom>: .*is not closed along 3"):
        mjcf(tmp_path, moving)
    stated = '<inertial pos="0 0 0" mass="2" diaginertia="1 1 1"/><geom type="mesh" mesh="shell"/>'
    model, warned = told(tmp_path, moving.replace('<geom type="mesh" mesh="shell"/>', stated))
    assert model["bob"].mass == 2.0 and not any("mass" in text for text in warned)
    base = f'<body name="base"><geom type="mesh" mesh="shell"/>{BODY}</body>'
    fixed = SWING.replace("<worldbody>", f"{OPEN}<worldbody>").replace(BODY, base)
    model, warned = told(tmp_path, fixed)
    assert any("<geom>: its mass is not known; its body does not move" in text for text in warned)
    plain, _ = told(tmp_path, SWING)
    assert model["bob"].mass == plain["bob"].mass
    total = fixed.replace('angle="radian"', 'angle="radian" settotalmass="3"')  # masses then depend on each other
    with pytest.raises(ModelError, match="is not closed"):
        mjcf(tmp_path, total)
    carried = fixed.replace('<body name="base">', '<body name="base"><joint name="lift" type="slide"/>')
    with pytest.raises(ModelError, match="is not closed"):
        mjcf(tmp_path, carried)


def test_a_fitted_mesh_is_not_drawn_if_the_inertia_is_stated(tmp_path: Path) -> None:
    stated = '<inertial pos="0 0 0" mass="2" diaginertia="1 1 1"/><geom type="capsule" mesh="shell"/>'
    model, warned = told(tmp_path, SWING.replace("<worldbody>", f"{OPEN}<worldbody>").replace(GEOM, stated))
    assert any("a capsule fitted to a mesh is not supported; it is not drawn" in text for text in warned)
    assert model["bob"].mass == 2.0 and not model.solids.get("bob")


def test_what_is_not_built_is_told_in_one_warning(tmp_path: Path) -> None:
    text = SWING.replace("</body>", '<geom size="0.1"/></body>').replace(
        END,
        '<tendon><spatial name="rope"/></tendon><sensor><jointpos name="s" joint="pin"/></sensor>'
        '<equality><tendon tendon1="rope"/><weld name="w" body1="bob" active="false"/></equality>'
        '<actuator><velocity name="v" joint="pin"/><motor name="m" tendon="rope"/></actuator></mujoco>',
    )
    model, warned = told(tmp_path, text)
    assert warned == [f"machine.xml: not imported: {'; '.join(model.left_out)}"]
    for word in ("contacts", "tendon 'rope', which has no", "equality <tendon>", "'w'", "'m'", "'s'"):
        assert sum(word in note for note in model.left_out) == 1
    assert len(model.left_out) == 6


def test_wrong_wishes(tmp_path: Path) -> None:
    keyed = SWING.replace(END, '<keyframe><key name="up" qpos="3"/><key name="bad" qpos="1 2"/></keyframe></mujoco>')
    for options, message in (
        ({"key": "upp"}, r"'machine.xml' has no key frame 'upp'; did you mean 'up'\?"),
        ({"key": "bad"}, r"<key name='bad'>: qpos must be one number, got '1 2'"),
        ({"q": {"pan": 1.0}}, r"has no joint 'pan'"),
        ({"key": "up", "q": 3}, r"q must be a dictionary"),
        ({"controls": {"m": 1.0}}, r"has no actuator 'm' that can be controlled"),
    ):
        with pytest.raises(ModelError, match=message):
            mjcf(tmp_path, keyed, **options)
    with pytest.raises(ModelError, match="there is no such file"):
        from_mjcf(tmp_path / "nothing.xml")
