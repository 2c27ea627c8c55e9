"""What an MJCF file becomes: bodies, chains of joints, closures, actuators, under the file's names."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cardan import ModelError, assemble, from_mjcf, inverse_dynamics, joint_space, mobility, simulate
from cardan.examples import data
from cardan.spatial import Actuator, Driver, Fixed, Servo, Spherical, Spring, Stop
from machine_files import BODY, SWING, mjcf, told

MACHINES = Path(__file__).parents[3] / "data" / "machines"
END = "</mujoco>"


def walker(**options: Any) -> Any:
    return from_mjcf(MACHINES / "walker.xml", **options)


def test_joints_of_one_body_are_a_chain() -> None:
    model = walker()
    names = [body.name for body in model.bodies]
    assert names[:2] == ["trunk", "head"]
    assert "arm after shoulder_x" in names and "arm after shoulder_y" in names and "arm after shoulder_z" not in names
    assert model["arm after shoulder_x"].matter.mass == 0.0
    assert isinstance(model["neck"], Spherical) and isinstance(model["pack weld"], Fixed)
    assert set(model.frames) == {"origin", "chest", "palm", "antenna", "antenna_tip"}
    assert mobility(model).degrees_of_freedom == 6 + 3 + 3 + 2 + 1 + 3 + 1
    assert list(model.joints) == [
        "root", "neck", "shoulder_x", "shoulder_y", "shoulder_z", "elbow", "extend", "curl", "hip", "knee",
    ]  # fmt: skip


def test_classes_within_classes() -> None:
    joints = walker().joints
    assert joints["shoulder_y"].stiffness == 3.0 and joints["elbow"].stiffness == 0.0
    assert joints["shoulder_y"].rest == pytest.approx(math.radians(20.0)) and joints["extend"].rest == 0.1
    assert (joints["neck"].damping, joints["knee"].damping, joints["curl"].damping) == (0.6, 1.5, 0.8)
    assert joints["shoulder_z"].lower == pytest.approx(-math.pi / 2.0)
    assert joints["knee"].upper == pytest.approx(math.radians(150.0))  # by autolimits


def test_coordinates_begin_at_ref() -> None:
    space = joint_space(walker())
    assert space.q[space.places("shoulder_x")] == pytest.approx(math.radians(15.0), abs=1e-14)
    assert space.q[space.places("extend")] == pytest.approx(0.05, abs=1e-14)
    moved = joint_space(walker(q={"extend": 0.3, "shoulder_x": -1.0, "neck": (0.8, 0.0, 0.6, 0.0)}))
    assert moved.q[moved.places("extend")] == pytest.approx(0.3, abs=1e-14)
    assert moved.q[moved.places("shoulder_x")] == pytest.approx(-1.0, abs=1e-14)
    assert moved.q[moved.places("neck")] == pytest.approx((0.8, 0.0, 0.6, 0.0), abs=1e-14)


@pytest.mark.parametrize(
    ("turn", "axis"),
    [
        ('euler="0 0 90"', (0.0, 1.0, 0.0)),
        ('quat="2 0 0 2"', (0.0, 1.0, 0.0)),
        ('axisangle="0 0 3 90"', (0.0, 1.0, 0.0)),
        ('xyaxes="0 2 0 -1 1 0"', (0.0, 1.0, 0.0)),
        ('zaxis="1 0 0"', (0.0, 0.0, -1.0)),
        ('zaxis="0 0 -1"', (1.0, 0.0, 0.0)),
    ],
)
def test_orientations(turn: str, axis: tuple[float, ...], tmp_path: Path) -> None:
    """Where the x axis of the body goes."""
    text = SWING.replace('angle="radian"', "").replace('<body name="bob">', f'<body name="bob" {turn}>')
    text = text.replace("<geom", '<site name="x" pos="1 0 0"/><geom')
    assert assemble(mjcf(tmp_path, text))["x"].position == pytest.approx(axis, abs=1e-14)


def test_fixed_and_moving_euler_sequences(tmp_path: Path) -> None:
    """In MJCF lower case turns about moving axes, upper case about fixed ones."""
    site = SWING.replace("<geom", '<site name="x" pos="1 0 0"/><geom')
    found = {}
    for letters in ("xyz", "XYZ"):
        text = site.replace('angle="radian"', f'eulerseq="{letters}"').replace("<body", '<body euler="90 0 90"')
        found[letters] = assemble(mjcf(tmp_path, text))["x"].position
    assert found["xyz"] == pytest.approx((0.0, 0.0, 1.0), abs=1e-14)  # Rx Rz ex = Rx ey = ez
    assert found["XYZ"] == pytest.approx((0.0, 1.0, 0.0), abs=1e-14)  # Rz Rx ex = ey


def test_settings_of_matter(tmp_path: Path) -> None:
    sphere = 4.0 / 3.0 * math.pi * 0.1**3 * 1000.0
    assert mjcf(tmp_path, SWING)["bob"].matter.mass == pytest.approx(sphere, rel=1e-14)
    stated = SWING.replace("<geom", '<inertial pos="0 0 0" mass="7" diaginertia="1 1 1"/><geom')
    assert mjcf(tmp_path, stated)["bob"].matter.mass == 7.0
    for setting, mass in (('inertiafromgeom="true"', sphere), ('boundmass="9"', 9.0), ('settotalmass="3"', 3.0)):
        text = stated.replace("<compiler", f"<compiler {setting}")
        assert mjcf(tmp_path, text)["bob"].matter.mass == pytest.approx(mass, rel=1e-14)
    odd = stated.replace('diaginertia="1 1 1"', 'diaginertia="1 1 5"').replace(
        "<compiler", '<compiler balanceinertia="true"'
    )
    model, _ = told(tmp_path, odd)
    assert np.diag(model["bob"].matter.inertia) == pytest.approx([7.0 / 3.0] * 3, rel=1e-14)


def test_gravity(tmp_path: Path) -> None:
    assert mjcf(tmp_path, SWING).gravity == (0.0, 0.0, -9.81)
    off = SWING.replace("<worldbody>", '<option><flag gravity="disable"/></option><worldbody>')
    assert mjcf(tmp_path, off).gravity == (0.0, 0.0, 0.0)
    assert mjcf(tmp_path, SWING, gravity=(0, 1, 0)).gravity == (0.0, 1.0, 0.0)


def test_loops_are_closed() -> None:
    """One degree of freedom of the four-bar, none of the welded plate and of the shaft on its belt."""
    model = from_mjcf(MACHINES / "loop.xml")
    assert list(model.closures) == ["c", "glue", "belt"]
    assert mobility(model).degrees_of_freedom == 1
    driver = model.add(Driver(model.coordinate("a"), 0.4), name="hold")
    there = assemble(model)
    a, spin = (float(there[model.coordinate(name)].value) for name in ("a", "spin"))
    assert a == pytest.approx(0.4, abs=1e-12) and driver.motion is not None
    assert spin - 0.3 == pytest.approx(0.1 + 2.0 * a + 0.5 * a * a, abs=1e-11)  # both counted from where they begin
    offset = there["plate"].position - there["rocker_top"].position
    assert np.linalg.norm(offset) == pytest.approx(0.2, abs=1e-12)


def test_loops_simulate_with_their_energy_kept() -> None:
    run = simulate(from_mjcf(MACHINES / "loop.xml"), 1.0, rtol=1e-9)
    drift = np.ptp(run.energy.kinetic + run.energy.potential)
    assert drift < 1e-6 * np.abs(run.energy.kinetic).max()


TWO = BODY + BODY.replace("bob", "bib").replace("pin", "pan").replace("<body", '<body pos="1 0 0"')


@pytest.mark.parametrize(
    ("equality", "kind", "gap"),
    [
        ('<connect body1="bob" body2="bib" anchor="0 0 -1"/>', Spherical, (0.0, 0.0, 0.0)),
        ('<connect site1="s" site2="t"/>', Spherical, (1.0, 0.0, 0.0)),
        ('<weld body1="bob" body2="bib"/>', Fixed, (0.0, 0.0, 0.0)),
        ('<weld body1="bob" body2="bib" relpose="1 0 0 1 0 0 0"/>', Fixed, (0.0, 0.0, 0.0)),
        ('<weld body1="bob" body2="bib" relpose="0.5 0 0 1 0 0 0"/>', Fixed, (0.5, 0.0, 0.0)),
        ('<weld body1="bib"/>', Fixed, (0.0, 0.0, 0.0)),
        ('<weld site1="s" site2="t"/>', Fixed, (1.0, 0.0, 0.0)),
    ],
)
def test_what_closures_join(equality: str, kind: type, gap: tuple[float, ...], tmp_path: Path) -> None:
    """How far apart their ends are where the file places the bodies, one beside the other."""
    sites = TWO.replace("<geom", '<site name="s"/><geom', 1)
    sites = sites[::-1].replace("<geom"[::-1], '<site name="t"/><geom'[::-1], 1)[::-1]
    text = SWING.replace(BODY, sites).replace(END, f"<equality>{equality}</equality>{END}")
    model, _ = told(tmp_path, text)
    joint = next(iter(model.closures.values()))
    assert isinstance(joint, kind)
    ends = [np.array(m.body.position) + np.array(m.point) for m in (joint.a, joint.b)]
    assert np.abs(ends[1] - ends[0]) == pytest.approx(gap, abs=1e-14)


def test_motors_push_and_servos_hold() -> None:
    model = from_mjcf(data("leg.xml"), controls={"hip": 0.5, "knee servo": 0.2})
    assert isinstance(model["hip"], Actuator) and isinstance(model["knee servo"], Servo)
    assert model.actuators["hip"].control == (-1.0, 1.0) and model.actuators["knee servo"].stiffness == 200.0
    space, bare = joint_space(model), joint_space(from_mjcf(data("leg.xml")))
    assert space.coordinates == bare.coordinates
    zero = np.zeros(len(space.speeds))
    extra = bare.torques(space.q, zero, zero) - space.torques(space.q, zero, zero)
    assert extra[space.speed_places("hip_y")] == pytest.approx(25.0, rel=1e-12)  # gear * control
    assert extra[space.speed_places("drive")] == pytest.approx(40.0, rel=1e-12)  # kp * control
    assert np.abs(np.delete(extra, space.speed_places("hip_y", "drive"))).max() < 1e-9


LIMITED = [  # the actuator, its control, and the torque about the pin where it is at q = 0.3 at rest
    ('<motor name="m" joint="pin" gear="2" ctrlrange="-1 1"/>', 5.0, 2.0),
    ('<motor name="m" joint="pin" gear="2" ctrlrange="-1 1"/>', -5.0, -2.0),
    ('<motor name="m" joint="pin" gear="2" ctrlrange="-1 1"/>', 0.25, 0.5),
    ('<motor name="m" joint="pin" gear="2" ctrlrange="-1 1" ctrllimited="false"/>', 5.0, 10.0),
    ('<motor name="m" joint="pin" gear="2" ctrlrange="-1 1" ctrllimited="true"/>', 5.0, 2.0),
    ('<motor name="m" joint="pin" gear="2" ctrlrange="-9 9" forcerange="-3 3"/>', 5.0, 6.0),
    ('<general name="m" joint="pin" gainprm="-5" ctrlrange="-1 2" forcerange="-8 1"/>', 9.0, -8.0),
    ('<general name="m" joint="pin" gainprm="-5" ctrlrange="-1 2" forcerange="-8 1"/>', -9.0, 1.0),
    ('<position name="m" joint="pin" kp="10" ctrlrange="-1 1"/>', 4.0, 10.0 * (1.0 - 0.3)),
    ('<position name="m" joint="pin" kp="10" forcerange="-2 2"/>', 4.0, 2.0),
    ('<position name="m" joint="pin" kp="10" forcerange="-20 20"/>', 1.0, 10.0 * (1.0 - 0.3)),
    ('<position name="m" joint="pin" kp="10" inheritrange="0.5"/>', 4.0, 10.0 * (0.5 - 0.3)),
]


@pytest.mark.parametrize(("actuator", "control", "torque"), LIMITED)
def test_controls_and_forces_keep_their_ranges(actuator: str, control: float, torque: float, tmp_path: Path) -> None:
    """As MuJoCo's qfrc_actuator: the control is clamped, then the force, then the gear multiplies it."""
    text = SWING.replace('<joint name="pin"', '<joint name="pin" range="-1 1"')
    text = text.replace("<worldbody>", '<compiler angle="radian"/><worldbody>')
    text = text.replace(END, f"<actuator>{actuator}</actuator>{END}")
    model, bare = (mjcf(tmp_path, text, q={"pin": 0.3}, controls=c) for c in ({"m": control}, None))
    space, free = joint_space(model), joint_space(bare)
    zero = np.zeros(len(space.speeds))
    extra = free.torques(space.q, zero, zero) - space.torques(space.q, zero, zero)
    assert extra[space.speed_places("pin")] == pytest.approx(torque, rel=1e-12)


@pytest.mark.parametrize(
    ("actuator", "message"),
    [
        ('<motor joint="pin" ctrllimited="true"/>', "it is ctrllimited, but has no ctrlrange"),
        ('<motor joint="pin" ctrllimited="true" ctrlrange="1 1"/>', "ctrlrange begins at 1, above its end 1"),
        ('<motor joint="pin" forcerange="2 1"/>', "forcerange begins at 2, above its end 1"),
        ('<position joint="pin" inheritrange="1"/>', "inheritrange takes the range of its joint"),
    ],
)
def test_ranges_that_cannot_be_kept(actuator: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=message):
        mjcf(tmp_path, SWING.replace(END, f"<actuator>{actuator}</actuator>{END}"))
    off = SWING.replace("<worldbody>", '<compiler autolimits="false"/><worldbody>')
    with pytest.raises(ModelError, match="no ctrllimited='true' or 'false', and autolimits are off"):
        mjcf(tmp_path, off.replace(END, f'<actuator><motor joint="pin" ctrlrange="0 1"/></actuator>{END}'))


@pytest.mark.parametrize(
    ("actuator", "kind", "numbers"),
    [
        ('<general joint="pin" gear="2"/>', "motor", (2.0, 0.0, 0.0)),
        ('<general joint="pin" gear="2" gainprm="5"/>', "motor", (10.0, 0.0, 0.0)),
        ('<general joint="pin" gainprm="40" biastype="affine" biasprm="0 -40 -3"/>', "position", (1.0, 40.0, 3.0)),
        ('<general joint="pin" gainprm="40" biastype="affine" biasprm="0 -30"/>', "affine", (1.0, 0.0, 0.0)),
        ('<general joint="pin" dyntype="filter"/>', "motor", (1.0, 0.0, 0.0)),
        ('<general joint="pin" dyntype="integrator"/>', "general", (1.0, 0.0, 0.0)),
    ],
)
def test_general_actuators_that_are_motors_or_servos(actuator: str, kind: str, numbers: Any, tmp_path: Path) -> None:
    model, warned = told(tmp_path, SWING.replace(END, f"<actuator>{actuator}</actuator>{END}"))
    found = model.actuators["general 1"]
    gear = found.measure.parts()[0][0]
    assert (found.kind, gear, found.stiffness, found.damping) == (kind, *numbers)
    assert bool(warned) == (kind == "general")


def test_ranges_become_stops_if_asked() -> None:
    model = from_mjcf(data("leg.xml"), limits=True, stiffness=100.0)
    stop = model["knee stop"]
    assert isinstance(stop, Stop) and (stop.lower, stop.upper) == (0.0, pytest.approx(math.radians(140.0)))
    assert "rise stop" not in model and isinstance(model["rise spring"], Spring)


def test_key_frames_and_values_beside_them() -> None:
    space = joint_space(from_mjcf(data("leg.xml"), key="crouched"))
    assert space.q[space.places("knee", "drive", "pin")] == pytest.approx((1.2, 1.2, -1.2), abs=1e-12)
    changed = joint_space(from_mjcf(data("leg.xml"), key="crouched", q={"rise": 0.3}))
    assert changed.q[changed.places("rise")] == pytest.approx(0.3, abs=1e-12)


def test_a_pure_chain_holds_its_weight(tmp_path: Path) -> None:
    """What a driver needs to hold a ball of 2 kg, 1 m out: m g l sin(q)."""
    text = SWING.replace('size="0.1"', 'size="0.1" mass="2"')
    model = mjcf(tmp_path, text, q={"pin": 0.6})
    motor = model.add(Driver(model.coordinate("pin"), 0.6), name="motor")
    force = float(inverse_dynamics(model, [0.0, 1.0])[motor].force[0])
    assert force == pytest.approx(2.0 * 9.81 * math.sin(0.6), rel=1e-12)


def test_springs_know_the_turn_that_was_stated(tmp_path: Path) -> None:
    """A position alone tells an angle of 4 rad from -2.28 rad as little as a clock tells days."""
    model = mjcf(tmp_path, SWING.replace("<joint", '<joint stiffness="3" springref="1"'), q={"pin": 4.0})
    run = simulate(model, 0.01)
    assert float(run["pin spring"].force[0]) == pytest.approx(3.0 * (4.0 - 1.0), rel=1e-12)


def test_names_are_found_where_none_are_stated(tmp_path: Path) -> None:
    text = SWING.replace(' name="bob"', "").replace(' name="pin"', "")
    model = mjcf(tmp_path, text)
    assert [body.name for body in model.bodies] == ["body1"]
    assert list(model.joints) == ["body1 joint"]


def test_bodies_nest_deeper_than_python_recurses(tmp_path: Path) -> None:
    depth = 1500
    geom = '<geom size="0.1" contype="0" conaffinity="0"/>'
    text = "".join(f'<body name="b{k}" pos="0 0 1">' for k in range(depth)) + geom + "</body>" * depth
    model = mjcf(tmp_path, f"<mujoco><worldbody>{text}</worldbody></mujoco>")
    assert model[f"b{depth - 1}"].position == (0.0, 0.0, float(depth))
    assert len(model.bodies) == 1 and len(model.frames) == depth - 1
