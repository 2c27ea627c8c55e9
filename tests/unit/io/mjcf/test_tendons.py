"""Tendons and their actuators, and contacts with planes; accelerations and lengths are those of MuJoCo 4.0.0."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cardan import ModelError, from_mjcf, joint_space
from cardan.errors import CardanWarning
from cardan.spatial import Ball, Contact

MACHINE = """<mujoco model="tendons"><option gravity="0 0 -9.81"/>
<default><tendon damping="0.3"/></default>
<worldbody>
 <site name="w" pos="0.3 0 0.2"/>
 <body name="a"><joint name="h1" axis="0 1 0" damping="0.2" armature="0.05"/>
  <geom type="capsule" fromto="0 0 0 0 0 -0.5" size="0.04"/>
  <site name="a1" pos="0.05 0 -0.1"/><site name="a2" pos="0.05 0 -0.3"/>
  <body name="b" pos="0 0 -0.5"><joint name="h2" axis="0 1 0" ref="10" damping="0.2" armature="0.02"/>
   <geom type="capsule" fromto="0 0 0 0 0 -0.4" size="0.03"/>
   <site name="b1" pos="0.04 0 -0.1"/><site name="b2" pos="0.0 0.02 -0.3"/>
   <body name="c" pos="0 0 -0.4"><joint name="s" type="slide" axis="0 0 1" stiffness="20"/>
    <geom size="0.05"/><site name="c1" pos="0.02 0 0"/></body>
  </body></body></worldbody>
<tendon>
 <fixed name="sum" stiffness="5" range="-1 1"><joint joint="h1" coef="1.5"/><joint joint="h2" coef="-0.7"/></fixed>
 <spatial name="rope" stiffness="30" springlength="0.2"><site site="w"/><site site="a1"/><site site="a2"/>
  <site site="b1"/><pulley divisor="2"/><site site="b1"/><site site="b2"/><site site="c1"/></spatial>
 <spatial name="slack" stiffness="50" springlength="0.1 0.3" damping="0"><site site="a2"/><site site="b2"/></spatial>
</tendon>
<actuator>
 <motor name="m" tendon="rope" gear="2" ctrlrange="-3 3"/><position name="p" tendon="rope" kp="7" kv="0.5"/>
 <velocity name="v" joint="h2" kv="0.4"/>
 <general name="g" tendon="sum" gainprm="3" biastype="affine" biasprm="0.5 -1 -0.2"/>
 <general name="f" joint="h1" dyntype="filterexact" dynprm="0.1" gainprm="2"/>
</actuator></mujoco>"""
PLACE, SPEED = {"h1": 0.3, "h2": -0.4, "s": 0.05}, {"h1": 1.0, "h2": -0.5, "s": 0.3}
CONTROLS = {"m": 1.2, "p": 0.9, "v": 2.0, "g": 0.7, "f": 1.5}
ACCELERATION = {"h1": -25.422244805908136, "h2": 63.07712417030543, "s": 13.998528177841159}
LENGTHS = {"sum": 0.73, "rope": 1.0152871687488862, "slack": 0.46618694073721256}


def opened(folder: Path, text: str, **options: Any) -> Any:
    path = folder / "machine.xml"
    path.write_text(text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CardanWarning)
        return from_mjcf(path, **options)


def test_accelerations(tmp_path: Path) -> None:
    model = opened(tmp_path, MACHINE, q=PLACE, v=SPEED, controls=CONTROLS)
    space = joint_space(model)
    names = [speed.rpartition(".")[0] for speed in space.speeds]
    found = space.accelerations(space.with_values(PLACE), [SPEED[name] for name in names])
    assert found == pytest.approx([ACCELERATION[name] for name in names], rel=1e-9)
    start = space.snapshot(space.with_values(PLACE))
    for name, length in LENGTHS.items():
        tendon = model.tendons[name]
        assert start[tendon.measure].value + tendon.constant == pytest.approx(length, rel=1e-12)
    assert model.actuators["m"].tendon == "rope"
    assert model.actuators["f"].lag == 0.1


def test_ends_ties_and_what_is_noted(tmp_path: Path) -> None:
    text = MACHINE.replace("<actuator>", '<equality><tendon tendon1="sum" polycoef="0.1"/></equality><actuator>')
    text = text.replace(
        "</tendon>", '<spatial name="bent"><site site="w"/><geom geom="g"/><site site="a1"/></spatial></tendon>'
    )
    text = text.replace("</actuator>", '<motor name="late" tendon="bent"/></actuator>')
    model = opened(tmp_path, text, q={}, limits=True, stiffness=100.0)
    assert model["sum stop"].lower == -1.0
    reference = -0.7 * np.radians(10.0)  # of h2, as the file places it
    assert model["tendon 1"].value == pytest.approx(reference + 0.1, rel=1e-12)
    assert any("'bent', which wraps around geoms" in note for note in model.left_out)
    assert any("'late'" in note for note in model.left_out)


FLOOR = """<mujoco><worldbody>
 <geom type="plane" size="1 1 1" pos="0 0 -1" friction="0.4"/>
 <body name="rod"><freejoint/>
  <geom name="rod" type="capsule" fromto="0 0 -0.2 0 0 0.2" size="0.1" friction="0.7"/></body>
 <body name="brick" pos="1 0 0"><freejoint/><geom name="brick" type="box" size="0.1 0.2 0.3"/></body>
 <body name="ghost" pos="2 0 0"><freejoint/><geom size="0.1" contype="0" conaffinity="0"/></body>
</worldbody></mujoco>"""


def test_contacts_with_a_plane(tmp_path: Path) -> None:
    model = opened(tmp_path, FLOOR, contacts={"stiffness": 1e5, "restitution": 0.2})
    contacts = [force for force in model.forces if isinstance(force, Contact)]
    assert len(contacts) == 2 + 8
    ends = [c for c in contacts if c.name.startswith("rod")]
    assert [c.friction for c in ends] == [0.7, 0.7]
    assert all(isinstance(c.b, Ball) and c.b.radius == 0.1 for c in ends)
    gaps = space_gaps(model, contacts)
    assert sorted(gaps[:2]) == pytest.approx([0.7, 1.1])  # 1 -+ 0.2 - 0.1
    assert sorted(gaps[2:]) == pytest.approx([0.7] * 4 + [1.3] * 4)
    assert not [f for f in opened(tmp_path, FLOOR).forces if isinstance(f, Contact)]
    with pytest.raises(ModelError, match="contacts= takes arguments of a Contact, at least its stiffness"):
        opened(tmp_path, FLOOR, contacts={"friction": 1.0})


RULES = """<mujoco><worldbody>{floor}
 <body name="ball" pos="0 0 1"><freejoint/><geom name="g" size="0.1" friction="0.7" {ball}/></body>{more}
</worldbody>{end}</mujoco>"""
PLANE = '<geom type="plane" size="1 1 1" friction="0.4" {0}/>'


@pytest.mark.parametrize(
    ("floor", "ball", "friction"),
    [
        ("", "", 0.7),
        ('priority="1"', "", 0.4),
        ('priority="1"', 'priority="2"', 0.7),
        ('condim="1"', "", 0.7),
        ('condim="1"', 'condim="1"', 0.0),
        ('condim="1" priority="1"', "", 0.0),
    ],
)
def test_friction_of_contacts(tmp_path: Path, floor: str, ball: str, friction: float) -> None:
    """The geom of higher priority decides; without priority the larger friction and condim count."""
    text = RULES.format(floor=PLANE.format(floor), ball=ball, more="", end="")
    model = opened(tmp_path, text, q={}, contacts={"stiffness": 1e5})
    assert model["g contact"].friction == friction


def test_bodies_without_joints_belong_to_the_world(tmp_path: Path) -> None:
    """Their planes are touched, and they do not touch planes; a marker of the floor is where its geom is."""
    base = '<body name="base"><geom type="box" size="0.1 0.1 0.3"/><body name="top"><geom size="0.1"/></body></body>'
    floor = f'<body name="room" pos="0 0 -2"><body name="floor" pos="0 0 1">{PLANE.format("")}</body></body>'
    model = opened(tmp_path, RULES.format(floor=floor, ball="", more=base, end=""), contacts={"stiffness": 1e5})
    contacts = [force for force in model.forces if isinstance(force, Contact)]
    assert [contact.name for contact in contacts] == ["g contact"]
    place = contacts[0].a.marker
    assert place.body.position[2] + place.point[2] == -1.0
    assert model.left_out[0] == "contacts between bodies"


def test_excluded_and_paired_contacts(tmp_path: Path) -> None:
    end = '<contact><exclude body1="world" body2="ball"/></contact>'
    text = RULES.format(floor=PLANE.format(""), ball="", more="", end=end)
    assert not opened(tmp_path, text, contacts={"stiffness": 1e5}).forces
    with pytest.raises(ModelError, match="body2 refers to an unknown element 'bal'; did you mean 'ball'"):
        opened(tmp_path, text.replace('body2="ball"', 'body2="bal"'))
    end = '<contact><pair geom1="g" geom2="h"/></contact>'
    model = opened(tmp_path, text.replace(text[text.index("<contact") : text.index("</mujoco")], end))
    assert any("contact <pair> of 'g' and 'h'" in note for note in model.left_out)


def space_gaps(model: Any, contacts: list[Any]) -> list[float]:
    space = joint_space(model)
    start = space.snapshot(space.q)
    return [float(start[contact.gap].value) for contact in contacts]
