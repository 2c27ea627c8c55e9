"""Designed cams: mechanisms reproduce the lift; pressure angle, curvature, sliding and springs in closed form."""

import math
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from cardan import design_cam, inverse_dynamics, kinematics, load_model, save_model
from cardan.errors import ModelError
from cardan.planar import (
    CamProfile,
    Dwell,
    MotionProgram,
    Move,
    SwingingFlat,
    SwingingRoller,
    TranslatingFlat,
    TranslatingRoller,
)
from folding import folded

PI = math.pi
BASE, SPEED = 0.05, 10.0


def law(height: float, rise: str = "modified-sine", fall: str = "3-4-5", start: float = 0.0) -> MotionProgram:
    """Rise in 90, dwell in 60, fall in 120 degrees."""
    segments = [Move(height, PI / 2, rise), Dwell(PI / 3), Move(0.0, 2 * PI / 3, fall), Dwell(PI / 2)]
    return MotionProgram(segments, start_time=start)


TWICE = MotionProgram([Move(0.01, PI / 2), Move(0.0, PI / 2)])  # two lifts in a turn
FOLLOWERS = {
    "flat": (law(0.02), TranslatingFlat()),
    "flat, sideways": (law(0.02), TranslatingFlat(-1.0)),
    "flat, two lifts": (TWICE, TranslatingFlat()),
    "roller": (law(0.02), TranslatingRoller(0.01)),
    "roller with offset": (law(0.02, start=1.0), TranslatingRoller(0.01, offset=0.008)),
    "knife edge": (law(0.02), TranslatingRoller(direction=0.3)),
    "jumping acceleration": (law(0.02, "harmonic", "double-harmonic"), TranslatingRoller(0.01)),
    "rocker with roller": (law(0.2), SwingingRoller(0.1, 0.12, 0.01)),
    "rocker with edge": (law(0.2), SwingingRoller(0.1, 0.12, pivot_direction=2.0)),
    "rocker with face": (law(0.15), SwingingFlat(0.15, 0.01)),
}
CASES = [(name, rotation) for name in FOLLOWERS for rotation in ("counterclockwise", "clockwise")]


def designed(name: str, rotation: str = "counterclockwise"):
    lift, follower = FOLLOWERS[name]
    return design_cam(lift, follower, 0.08 if "face" in name else BASE, rotation=rotation)


@folded(("name", "rotation"), CASES)
def test_the_mechanism_reproduces_the_law(name, rotation):
    """Two turns. The outline is exact to 1e-12 of the lift, its second derivative between ends of pieces to 1e-7."""
    design = designed(name, rotation)
    times = np.linspace(0.003, 3.99 * PI / SPEED, 201)  # at no jump
    run = kinematics(design.mechanism(SPEED), times)
    value, rate, acceleration = design.law.derivatives(SPEED * times)
    follower = run["follower"]
    if design.follower.swings:
        found = -run["pivot.angle"], -follower.angular_velocity, -follower.angular_acceleration
    else:
        along = np.array([math.cos(design.follower.direction), math.sin(design.follower.direction)])
        found = run["guide.travel"], follower.velocity @ along, follower.acceleration @ along
    np.testing.assert_allclose(found[0], value, atol=1e-12)
    np.testing.assert_allclose(found[1], SPEED * rate, atol=1e-9 * SPEED * np.abs(rate).max())
    np.testing.assert_allclose(found[2], SPEED**2 * acceleration, atol=1e-6 * SPEED**2 * np.abs(acceleration).max())


@folded("rotation", ["counterclockwise", "clockwise"])
def test_pressure_angle_of_a_roller(rotation):
    """tan(phi) = (y' - e) / (y + sqrt(R_p^2 - e^2)) for a cam that turns counterclockwise with the offset e on the
    right (Norton, Design of Machinery, eq. 8.31d); y' changes its sign with the rotation."""
    design = designed("roller with offset", rotation)
    y, v = design.svaj[:2]
    sense, e, prime = (1.0 if rotation == "counterclockwise" else -1.0), 0.008, BASE + 0.01
    wanted = (sense * v - e) / (y + math.sqrt(prime**2 - e**2))
    np.testing.assert_allclose(np.tan(design.pressure_angle), wanted, atol=1e-14)


def test_radius_of_curvature_under_a_face():
    """rho = R_b + y + y'' (Norton, eq. 8.36)."""
    design = designed("flat")
    y, _, a, _ = design.svaj
    np.testing.assert_allclose(design.radius_of_curvature, BASE + y + a, rtol=1e-12)
    np.testing.assert_allclose(design.pressure_angle, 0.0, atol=1e-14)
    assert design.smallest_radius == pytest.approx((BASE + y + a).min(), rel=1e-12)
    assert design.smallest_concave_radius == math.inf


def test_radius_of_curvature_under_a_roller():
    """rho_pitch = ((R_p + y)^2 + y'^2)^(3/2) / ((R_p + y)^2 + 2 y'^2 - (R_p + y) y'') (Norton, eq. 8.33)."""
    design = design_cam(law(0.02), TranslatingRoller(0.01), 0.02)
    y, v, a, _ = design.svaj
    r = 0.02 + 0.01 + y
    bend = (r**2 + 2 * v**2 - r * a) / (r**2 + v**2) ** 1.5
    np.testing.assert_allclose(1.0 / design.radius_of_curvature, bend / (1.0 - 0.01 * bend), atol=1e-11)
    assert design.smallest_concave_radius == pytest.approx(-(1.0 / bend - 0.01)[bend < 0.0].max(), rel=1e-9)


def test_contact_on_a_face():
    """The contact moves along a face by y' and slides at R_b + y for 1 rad/s (Norton, section 8.6)."""
    design = designed("flat")
    y, v = design.svaj[:2]
    np.testing.assert_allclose(design.touch, v, atol=1e-15)
    np.testing.assert_allclose(design.sliding, BASE + y, rtol=1e-13)
    assert design.face == (design.touch.min(), design.touch.max())
    run = kinematics(design.mechanism(SPEED), design.angles[::40] / SPEED)
    np.testing.assert_allclose(run["contact.travel"], design.touch[::40], atol=1e-10)


@folded("name", ["flat", "rocker with face"])
def test_sliding_is_that_of_the_mechanism(name):
    """The contact moves on the cam at |s'(u)| u' and on the face at its rate of travel."""
    design = designed(name)
    run = kinematics(design.mechanism(1.0), design.angles[20::40])
    arc = np.linalg.norm(design.profile.derivatives(run["contact.contact"])[1], axis=1) * run["contact"].contact.rate
    sign = -1.0 if name == "flat" else 1.0  # the face's axis: to the right, or from the pivot on the right to the left
    sliding = np.abs(arc - sign * run["contact"].travel.rate)
    np.testing.assert_allclose(sliding, design.sliding[20::40], rtol=1e-6)


def test_rolling_of_a_roller():
    """On the base circle a roller turns at R_b / r times the cam."""
    design = designed("roller")
    dwells = design.svaj[0] == 0.0
    np.testing.assert_allclose(np.abs(design.roller_speed[dwells]), BASE / 0.01, rtol=1e-12)
    np.testing.assert_array_equal(design.sliding, 0.0)


def test_undercut():
    design = design_cam(law(0.02), TranslatingFlat(), 0.01)
    y, _, a, _ = design.svaj
    assert set(design.undercut) == set(design.angles[0.01 + y + a <= 0.0])
    assert "undercut between" in str(design)
    with pytest.raises(ModelError, match="undercut at"):
        design.profile  # noqa: B018
    # the least base radius under a face is that of rho = 0
    assert design.least_base_radius() == pytest.approx(-(y + a).min(), rel=1e-9)


def test_least_base_radius():
    design = designed("roller")
    radius = design.least_base_radius(math.radians(20.0))
    again = design_cam(design.law, design.follower, radius)
    assert math.degrees(again.largest_pressure_angle) == pytest.approx(20.0, abs=1e-9)


@pytest.mark.filterwarnings("ignore:.*would have to pull")
def test_loads_and_springs():
    """An eccentric, y = h / 2 (1 - cos): the force m w^2 h / 2 cos + F0 + k y is least at the top."""
    h, m, w = 0.02, 0.5, 100.0
    design = design_cam(MotionProgram([Move(h, PI, "harmonic"), Move(0.0, PI, "harmonic")]), TranslatingFlat(), BASE)
    assert design.law.acceleration_jumps == ()
    spring = design.spring(m, w, preload=20.0)
    assert spring.rate == pytest.approx((m * w**2 * h / 2 - 20.0) / h, rel=1e-9)
    assert spring.least_force == pytest.approx(0.0, abs=1e-9) and spring.at == pytest.approx(PI)
    assert design.spring(m, w, rate=1000.0, margin=5.0).preload == pytest.approx(m * w**2 * h / 2 - 1000.0 * h + 5.0)
    assert design.loads(m, w, preload=20.0, rate=spring.rate).force.min() > -1e-9
    assert design.loads(m, w, preload=20.0).lifts_off
    with pytest.raises(ModelError, match="give the preload"):
        design.spring(m, w)
    # the torque on the shaft is that of inverse dynamics
    times = np.linspace(0.001, 2 * PI / w, 50)
    run = inverse_dynamics(design.mechanism(w, mass=m), times)
    _, v, a = design.law.derivatives(w * times)
    np.testing.assert_allclose(run["motor.force"], m * w**2 * a * v, atol=1e-6 * m * w**2 * h * h)


def test_files(tmp_path):
    design = designed("roller")
    table = np.genfromtxt(design.save(tmp_path / "cam.csv", points=90), delimiter=",", skip_header=1)
    outline = table[:, 1:3]
    u = np.linspace(0.0, 2 * PI, 90, endpoint=False)
    np.testing.assert_allclose(outline, 1e3 * design.profile.points(u), atol=1e-6)
    np.testing.assert_allclose(table[:, 3], 1e3 * design.law(np.radians(table[:, 0])), atol=1e-6)
    # centers of the roller are at its radius from the outline
    np.testing.assert_allclose(np.hypot(*(table[:, 4:6] - outline).T), 10.0, atol=1e-6)
    lines = design.save(tmp_path / "cam.dxf", points=90).read_text().splitlines()
    pairs = list(zip(map(int, lines[::2]), lines[1::2], strict=True))
    vertices = [k for k, pair in enumerate(pairs) if pair == (0, "VERTEX")]
    drawn = [(float(pairs[k + 2][1]), float(pairs[k + 3][1])) for k in vertices]
    np.testing.assert_allclose(drawn, outline, atol=1e-5)
    assert pairs[-1] == (0, "EOF") and (70, "1") in pairs
    picture = ElementTree.parse(design.save(tmp_path / "cam.svg", points=90)).getroot()
    points = [tuple(map(float, pair.split(","))) for pair in picture[0].attrib["d"][1:-1].split("L")]
    np.testing.assert_allclose(points, outline * (1, -1), atol=1e-5)
    assert picture.attrib["width"].endswith("mm")
    with pytest.raises(ModelError, match="already exists"):
        design.save(tmp_path / "cam.svg", overwrite=False)
    with pytest.raises(ModelError, match="not as '.step'"):
        design.save(tmp_path / "cam.step")


FILE = """
cardan: 1
name: cam
space: planar
units: {length: mm, angle: deg}
bodies:
  cam: {}
  follower: {position: [0, 60]}
joints:
  shaft: {type: revolute, a: ground, b: cam}
  guide: {type: translational, a: {ground: {at: [0, 60], angle: 90}}, b: {follower: {at: [0, 0], angle: 90}}}
  contact:
    type: cam_roller
    b: follower
    radius: 10
    cam:
      on: cam
      curve:
        type: cam_profile
        base_radius: 50
        follower: translating_roller(10)
        law:
          type: motion_program
          segments: ["move(20, 90, 'modified-sine')", dwell(60), "move(0, 120, '3-4-5')", dwell(90)]
drivers:
  motor: {measure: shaft.angle, motion: ramp(360 deg/s)}
"""


def test_model_files(tmp_path):
    """The lift in mm over degrees; what is written is read back as the same profile."""
    path = tmp_path / "cam.yaml"
    path.write_text(FILE)
    model = load_model(path).model
    profile = model["contact"].cam.curve
    wanted = CamProfile(law(0.02), TranslatingRoller(0.01), 0.05)
    np.testing.assert_allclose(profile.outline(), wanted.outline(), atol=1e-15)
    times = np.linspace(0.0, 1.0, 41)
    np.testing.assert_allclose(kinematics(model, times)["guide.travel"], wanted.law(2 * PI * times), atol=1e-12)
    save_model(model, tmp_path / "again.yaml")
    assert load_model(tmp_path / "again.yaml").model["contact"].cam.curve == profile


def test_page():
    pytest.importorskip("matplotlib")
    for name in ("flat", "rocker with roller"):
        figure = designed(name).draw()
        assert len(figure.axes) == 6
    assert "pressure angle" in str(designed("roller"))
