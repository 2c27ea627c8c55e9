"""Initial velocities of imported machines: those of differences of the position; gravity compensation."""

import numpy as np
import pytest

from cardan import ModelError, from_mjcf, from_urdf, simulate
from cardan.spatial import rotation

MJCF = """<mujoco><compiler angle="radian"/><worldbody>
  <body name="base" pos="0.1 0.2 0.3" euler="0.3 0.2 0.1"><freejoint name="float"/><inertial pos="0 0 0" mass="2"
    diaginertia="1 1 1"/>
    <body name="arm" pos="0.2 0 0.5" euler="0 0.4 0"><joint name="yaw" axis="0 1 1" pos="0.1 0 0.2"/>
      <joint name="lift" type="slide" axis="1 0 0.5"/><inertial pos="0 0.1 0" mass="1" diaginertia="0.1 0.1 0.1"/>
      <body name="hand" pos="0 0.3 0"><joint name="wrist" type="ball" pos="0 0 0.1"/>
        <inertial pos="0 0 0.1" mass="0.5" diaginertia="0.1 0.1 0.1"/></body></body></body>
  </worldbody></mujoco>"""
Q = {"float": (0.4, 0.1, 0.2, 0.6, 0.0, 0.8, 0.0), "yaw": 0.5, "lift": 0.2, "wrist": (0.8, 0.0, 0.6, 0.0)}
V = {"float": (0.3, -0.2, 0.5, 1.0, -2.0, 0.5), "yaw": 1.5, "lift": -0.4, "wrist": (0.3, 0.7, -1.1)}


def test_velocities_are_differences_of_positions(tmp_path):
    """Free, hinge, slide and ball joints: central differences of placements, with errors of h^2."""
    file = tmp_path / "m.xml"
    file.write_text(MJCF)
    h = 1e-5

    def turned(p, w, step):
        return rotation.multiply(p, rotation.from_rotation_vector(step * np.array(w)))

    def at(step):
        free = Q["float"]
        q = {"yaw": Q["yaw"] + step * V["yaw"], "lift": Q["lift"] + step * V["lift"]}
        q["float"] = (*(np.array(free[:3]) + step * np.array(V["float"][:3])), *turned(free[3:], V["float"][3:], step))
        return from_mjcf(file, q=q | {"wrist": tuple(turned(Q["wrist"], V["wrist"], step))})

    model, before, after = from_mjcf(file, q=Q, v=V), at(-h), at(h)
    for name in ("base", "arm", "hand"):
        moved = (np.array(after[name].position) - before[name].position) / (2.0 * h)
        assert np.allclose(model[name].velocity, moved, atol=1e-8)
        A, B = (rotation.matrix(np.array(each[name].orientation)) for each in (before, after))
        W = (B - A) @ rotation.matrix(np.array(model[name].orientation)).T / (2.0 * h)
        assert np.allclose(model[name].angular_velocity, (W[2, 1], W[0, 2], W[1, 0]), atol=1e-8)
    run = simulate(model, 0.01)  # without a warning: velocities fit all joints
    assert run["yaw.angle.rate"][0] == pytest.approx(1.5) and run["lift.travel.rate"][0] == pytest.approx(-0.4)


def test_mimic_joints_follow(tmp_path):
    file = tmp_path / "m.urdf"
    inertia = '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
    link = f'<link name="{{}}"><inertial><mass value="1"/>{inertia}</inertial></link>'
    file.write_text(f"""<robot name="r"><link name="o"/>{link.format("a")}{link.format("b")}
      <joint name="one" type="continuous"><parent link="o"/><child link="a"/><axis xyz="0 0 1"/></joint>
      <joint name="two" type="continuous"><parent link="o"/><child link="b"/><axis xyz="0 0 1"/>
      <mimic joint="one" multiplier="-3"/></joint></robot>""")
    model = from_urdf(file, v={"one": 2.0})
    assert model["b"].angular_velocity == pytest.approx((0.0, 0.0, -6.0))
    with pytest.raises(ModelError, match="v: 'm.urdf' has no joint 'on'; did you mean 'one'"):
        from_urdf(file, v={"on": 2.0})
    with pytest.raises(ModelError, match="v must be a dictionary"):
        from_urdf(file, v=2.0)


def test_key_frames_and_gravity_compensation(tmp_path):
    """qvel of a key frame; a body with gravcomp=0.75 falls with a quarter of g."""
    file = tmp_path / "m.xml"
    file.write_text("""<mujoco><worldbody><body name="b" gravcomp="0.75"><joint name="s" type="slide" axis="0 0 1"/>
      <inertial pos="0.1 0 0" mass="2" diaginertia="1 1 1"/></body></worldbody>
      <keyframe><key name="k" qpos="0.5" qvel="1.5"/></keyframe></mujoco>""")
    run = simulate(from_mjcf(file, key="k"), 1.0, rtol=1e-10)
    assert run["s.travel"][-1] == pytest.approx(0.5 + 1.5 - 0.5 * 0.25 * 9.81, rel=1e-9)
