"""SDF files: the dynamics of the same machines from URDF, frames, joints with two axes, loops, and what is rejected."""

import math
import re
import warnings

import numpy as np
import pytest

from cardan import CardanWarning, ModelError, assemble, from_sdf, from_urdf, joint_space, mobility, simulate
from cardan.spatial import rotation

URDF = """<robot name="arm">
  <link name="base"/>
  <link name="upper">
    <inertial><origin xyz="0.1 0.02 0.3" rpy="0.1 0.2 0.3"/><mass value="2"/>
      <inertia ixx="0.03" ixy="0.002" ixz="-0.001" iyy="0.04" iyz="0.003" izz="0.02"/></inertial>
  </link>
  <link name="lower">
    <inertial><origin xyz="0 0.2 0.1"/><mass value="1.5"/>
      <inertia ixx="0.02" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.02"/></inertial>
  </link>
  <link name="tip"><inertial><mass value="0.5"/>
    <inertia ixx="0.002" ixy="0" ixz="0" iyy="0.002" iyz="0" izz="0.001"/></inertial></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/>
    <origin xyz="0.1 0.2 0.3" rpy="0.4 -0.3 0.2"/><axis xyz="0 0.6 0.8"/>
    <limit lower="-2" upper="2.5" effort="30" velocity="4"/><dynamics damping="0.3"/></joint>
  <joint name="elbow" type="continuous"><parent link="upper"/><child link="lower"/>
    <origin xyz="0 0.1 0.5" rpy="-0.5 0.1 0.7"/><axis xyz="1 0 0"/></joint>
  <joint name="slider" type="prismatic"><parent link="lower"/><child link="tip"/>
    <origin xyz="0 0.3 0.2" rpy="0.2 0.3 0"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="9" velocity="9"/>
    <dynamics damping="0.7"/></joint>
</robot>"""


def pose_text(frame):
    """x y z r p y of a frame, a 4 x 4 matrix."""
    angles = rotation.angles(rotation.from_matrix(frame[:3, :3]), "xyz")
    return " ".join(f"{number:.17g}" for number in (*frame[:3, 3], *angles))


def frame(xyz, rpy):
    found = np.eye(4)
    found[:3, :3], found[:3, 3] = rotation.matrix(rotation.from_angles("xyz", rpy)), xyz
    return found


def inertial(mass, moments, products=(0, 0, 0), pose="0 0 0 0 0 0"):
    names = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
    parts = "".join(f"<{n}>{v}</{n}>" for n, v in zip(names, (*moments, *products), strict=True))
    return f"<inertial><pose>{pose}</pose><mass>{mass}</mass><inertia>{parts}</inertia></inertial>"


UPPER = frame((0.1, 0.2, 0.3), (0.4, -0.3, 0.2))
LOWER = UPPER @ frame((0, 0.1, 0.5), (-0.5, 0.1, 0.7))
TIP = LOWER @ frame((0, 0.3, 0.2), (0.2, 0.3, 0))


def arm(ways="plain"):
    """The same arm; links in the frame of the model, or relative to each other; axes in several frames."""
    absolute = ways == "plain"
    lower = pose_text(LOWER) if absolute else pose_text(frame((0, 0.1, 0.5), (-0.5, 0.1, 0.7)))
    relative = "" if absolute else ' relative_to="upper"'
    x, z = LOWER[:3, :3] @ (1, 0, 0), TIP[:3, 2]
    elbow = "<xyz>1 0 0</xyz>" if absolute else f'<xyz expressed_in="__model__">{x[0]} {x[1]} {x[2]}</xyz>'
    slide = "<xyz>0 0 1</xyz>" if absolute else f'<xyz expressed_in="marked">{" ".join(map(str, z))}</xyz>'
    return f"""<?xml version="1.0"?>
<sdf version="1.9"><model name="arm">
  <link name="upper"><pose>{pose_text(UPPER)}</pose>
    {inertial(2, (0.03, 0.04, 0.02), (0.002, -0.001, 0.003), "0.1 0.02 0.3 0.1 0.2 0.3")}</link>
  <link name="lower"><pose{relative}>{lower}</pose>{inertial(1.5, (0.02, 0.01, 0.02), pose="0 0.2 0.1 0 0 0")}</link>
  <link name="tip"><pose>{pose_text(TIP)}</pose>{inertial(0.5, (0.002, 0.002, 0.001))}</link>
  <frame name="marked"/>
  <joint name="shoulder" type="revolute"><parent>world</parent><child>upper</child><axis><xyz>0 3 4</xyz>
    <limit><lower>-2</lower><upper>2.5</upper><effort>30</effort><velocity>4</velocity></limit>
    <dynamics><damping>0.3</damping></dynamics></axis></joint>
  <joint name="elbow" type="continuous"><parent>upper</parent><child>lower</child><axis>{elbow}</axis></joint>
  <joint name="slider" type="prismatic"><pose>0.1 -0.2 0.3 0 0 1</pose><parent>lower</parent><child>tip</child><axis>
    {slide}<dynamics><damping>0.7</damping></dynamics></axis></joint>
</model></sdf>"""


def written(folder, text, name="m.sdf"):
    file = folder / name
    file.write_text(text)
    return file


@pytest.mark.parametrize("ways", ["plain", "relative"])
def test_the_arm_moves_as_from_urdf(tmp_path, ways):
    """Mass matrix, bias forces and a motion of half a second."""
    q = {"shoulder": 0.4, "elbow": -0.7, "slider": 0.15}
    one = from_urdf(written(tmp_path, URDF, "m.urdf"), q=q)
    two = from_sdf(written(tmp_path, arm(ways)), q=q, gravity=(0, 0, -9.81))
    assert two.joints["shoulder"].upper == 2.5 and two.joints["shoulder"].effort == 30.0
    assert two.joints["elbow"].upper is None and two.joints["slider"].lower is None
    ours, theirs = joint_space(two), joint_space(one)
    assert ours.coordinates == theirs.coordinates
    assert np.allclose(ours.mass_matrix(ours.q), theirs.mass_matrix(theirs.q), rtol=0, atol=1e-12)
    first, second = (simulate(model, 0.5, rtol=1e-10) for model in (one, two))
    for name in ("shoulder.angle", "elbow.angle", "slider.travel"):
        assert second[name][-1] == pytest.approx(first[name][-1], abs=1e-7)  # by the tolerance of the runs


def test_frames_and_a_free_base(tmp_path):
    """The pose of the model, degrees, quaternions; a link without a joint to the world floats."""
    body = inertial(1, (1, 1, 1))
    text = f"""<sdf version="1.8"><world name="w"><gravity>0 0 -3</gravity><model name="box"><pose>1 0 0 0 0 0</pose>
      <link name="a"><pose degrees="true">0 0 1 0 0 90</pose>{body}</link>
      <link name="b"><pose rotation_format="quat_xyzw" relative_to="a">1 0 0 0 0 0.6 0.8</pose>{body}</link>
      <frame name="hand" attached_to="b"><pose>0 0.5 0 0 0 0</pose></frame>
      <joint name="pin" type="revolute"><parent>a</parent><child>hand</child><axis><xyz>0 0 1</xyz></axis></joint>
    </model></world></sdf>"""
    model = from_sdf(written(tmp_path, text))
    rest = assemble(model)
    assert rest["a"].position.tolist() == pytest.approx([1, 0, 1]) and model.gravity == (0.0, 0.0, -3.0)
    assert rest["b"].position.tolist() == pytest.approx([1, 1, 1])
    turn = math.pi / 2 + 2.0 * math.atan2(0.6, 0.8)
    hand = [1 - 0.5 * math.sin(turn), 1 + 0.5 * math.cos(turn), 1]
    assert rest[model.frames["hand"]].position.tolist() == pytest.approx(hand)
    assert rest[model["pin"].a].position.tolist() == pytest.approx(hand)
    assert mobility(model).degrees_of_freedom == 7
    assert mobility(from_sdf(written(tmp_path, text), base="fixed")).degrees_of_freedom == 1


def test_joints_with_two_axes_and_screws(tmp_path):
    """A universal joint leaves two, a screw one degree of freedom: travel = pitch / 2 pi angle."""
    body = inertial(1, (0.1, 0.2, 0.3))
    text = f"""<sdf version="1.9"><model name="m"><link name="cross">{body}</link>
      <link name="nut"><pose>0 0 1 0 0 0</pose>{body}</link>
      <joint name="u" type="universal"><parent>world</parent><child>cross</child><axis><xyz>1 0 0</xyz></axis>
        <axis2><xyz>0 1 0</xyz><dynamics><spring_stiffness>5</spring_stiffness><spring_reference>0.1</spring_reference>
        </dynamics></axis2></joint>
      <joint name="s" type="screw"><parent>cross</parent><child>nut</child><axis><xyz>0 0 1</xyz></axis>
        <screw_thread_pitch>0.02</screw_thread_pitch></joint></model></sdf>"""
    model = from_sdf(written(tmp_path, text), q={"u": 0.3, "u 2": -0.2, "s": 2.0})
    assert mobility(model).degrees_of_freedom == 3
    rest = assemble(model)
    assert rest[model["s travel"].travel].value == pytest.approx(0.02 / math.pi)
    turned = rotation.multiply(rotation.from_axis_angle((1, 0, 0), 0.3), rotation.from_axis_angle((0, 1, 0), -0.2))
    assert np.allclose(rest["cross"].matrix, rotation.matrix(turned), atol=1e-12)
    assert model.joints["u 2"].stiffness == 5.0 and model.joints["u 2"].rest == 0.1


def test_a_loop_is_closed_by_a_joint(tmp_path):
    """A parallelogram of three links and four hinges in the plane y z, in any order of joints."""

    def link(name, y, z):
        return f'<link name="{name}"><pose>0 {y} {z} 0 0 0</pose>{inertial(1, (0.1, 0.1, 0.1))}</link>'

    def hinge(name, parent, child, pose=""):
        inside = f"<pose>{pose}</pose>" if pose else ""
        ends = f"<parent>{parent}</parent><child>{child}</child>"
        return f'<joint name="{name}" type="revolute">{inside}{ends}<axis><xyz>1 0 0</xyz></axis></joint>'

    joints = [
        hinge("A", "world", "left"),
        hinge("B", "left", "top"),
        hinge("C", "top", "right", "0 0 1 0 0 0"),
        hinge("D", "world", "right"),
    ]
    for order in (joints, joints[::-1]):
        text = f"""<sdf version="1.9"><model name="m">{link("left", 0, 0)}{link("right", 2, 0)}{link("top", 0, 1)}
          {"".join(order)}</model></sdf>"""
        model = from_sdf(written(tmp_path, text))
        assert mobility(model).degrees_of_freedom == 1 and len(model.closures) == 1
        run = simulate(model, 0.3)
        assert run.violation.max() < 1e-8


def test_mimic_and_colors(tmp_path):
    body = inertial(1, (0.1, 0.2, 0.3))
    shape = "<geometry><box><size>1 2 3</size></box></geometry><material><diffuse>1 0 0 1</diffuse></material>"
    text = f"""<sdf version="1.11"><model name="m"><link name="a">{body}<visual name="v">{shape}</visual></link>
      <link name="b">{body}<visual name="v"><geometry><sphere><radius>0</radius></sphere></geometry></visual></link>
      <joint name="p" type="revolute"><parent>world</parent><child>a</child><axis><xyz>1 0 0</xyz></axis></joint>
      <joint name="r" type="revolute"><parent>world</parent><child>b</child><axis><xyz>1 0 0</xyz>
        <limit><lower>2</lower><upper>-2</upper></limit><mimic joint="p" axis="axis"><multiplier>3</multiplier>
        <offset>0.1</offset><reference>0.2</reference></mimic></axis></joint></model></sdf>"""
    with pytest.warns(CardanWarning) as told:
        model = from_sdf(written(tmp_path, text), q={"p": 0.5})
    words = " ".join(str(each.message) for each in told)
    assert "its size is zero" in words and "they are exchanged" in words
    assert model["a"].color == "#ff0000"
    assert assemble(model)["r.angle"] == pytest.approx(3 * (0.5 - 0.2) + 0.1)


def test_what_is_left_out_is_listed(tmp_path):
    """Frames of the world, and joints between models, are no part of a model."""
    text = f"""<sdf version="1.9"><world name="w"><model name="m"><link name="a">{inertial(1, (0.1, 0.2, 0.3))}</link>
      <frame name="site" attached_to="world"/></model>
      <joint name="j" type="fixed"><parent>m</parent><child>n</child></joint></world></sdf>"""
    with pytest.warns(CardanWarning, match=r"<joint> in <world> \(line 3\); frame 'site', .* the world \(line 2\)"):
        model = from_sdf(written(tmp_path, text))
    assert len(model.left_out) == 2 and "site" not in model.frames


LINK = '<link name="a"/>'
BAD = {
    "begins with <sdf>": "<robot/>",
    "its version must be two numbers": '<sdf version="new"><model name="m"/></sdf>',
    "there is no <model>": '<sdf version="1.9"><world name="w"><include><uri>model://x</uri></include></world></sdf>',
    "choose one, model='m'": '<sdf version="1.9"><model name="m"/><model name="n"/></sdf>',
    "import each model separately": '<sdf version="1.9"><model name="m"><model name="n"/></model></sdf>',
    "type gearbox is not supported": f"""<sdf version="1.9"><model name="m">{LINK}<joint name="g" type="gearbox">
        <parent>world</parent><child>a</child></joint></model></sdf>""",
    "did you mean 'upper'": '<sdf version="1.9"><model name="m"><link name="upper"/><joint name="j" type="fixed">'
    "<parent>world</parent><child>uper</child></joint></model></sdf>",
    "relative to itself": '<sdf version="1.9"><model name="m"><link name="a"><pose relative_to="b"/></link>'
    '<link name="b"><pose relative_to="a"/></link></model></sdf>',
    "must be 6 numbers": '<sdf version="1.9"><model name="m"><link name="a"><pose>1 2 3</pose></link></model></sdf>',
    "must be true or false": '<sdf version="1.9"><model name="m"><static>maybe</static></model></sdf>',
    "<gravity>false</gravity> is not supported": '<sdf version="1.9"><model name="m"><link name="a"><gravity>0'
    "</gravity></link></model></sdf>",
    "the direction of its <axis> has zero length": f"""<sdf version="1.9"><model name="m">{LINK}
        <joint name="j" type="revolute"><parent>world</parent><child>a</child><axis><xyz>0 0 0</xyz></axis></joint>
        </model></sdf>""",
    "needs <screw_thread_pitch>": f"""<sdf version="1.9"><model name="m">{LINK}<joint name="j" type="screw">
        <parent>world</parent><child>a</child><axis><xyz>0 0 1</xyz></axis></joint></model></sdf>""",
    "its child is the world": f"""<sdf version="1.9"><model name="m">{LINK}<joint name="j" type="fixed">
        <parent>a</parent><child>world</child></joint></model></sdf>""",
    "joins link 'a' to itself": f"""<sdf version="1.9"><model name="m">{LINK}<joint name="j" type="fixed">
        <parent>a</parent><child>a</child></joint></model></sdf>""",
    "attached to itself": f"""<sdf version="1.9"><model name="m">{LINK}
        <frame name="f" attached_to="f"/></model></sdf>""",
    "placement_frame= is not supported": f"""<sdf version="1.9"><model name="m" placement_frame="a">{LINK}
        </model></sdf>""",
    "the pose of a model relative to 'stand' is not supported": f"""<sdf version="1.9"><world name="w">
        <frame name="stand"><pose>1 0 0 0 0 0</pose></frame>
        <model name="m"><pose relative_to="stand"/>{LINK}</model></world></sdf>""",
    "a document type": '<!DOCTYPE sdf><sdf version="1.9"/>',
}


@pytest.mark.parametrize("words", list(BAD))
def test_rejected(tmp_path, words):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CardanWarning)  # of links without <inertial>
        with pytest.raises(ModelError, match=re.escape(words)):
            from_sdf(written(tmp_path, BAD[words]))
