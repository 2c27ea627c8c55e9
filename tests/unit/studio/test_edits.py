"""What is drawn is the model that was meant."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cardan import kinematics, simulate
from cardan.errors import ModelError
from cardan.studio.document import NEW
from cardan.studio.edits.draft import Draft
from cardan.studio.edits.joints import LAWS, risen
from cardan.studio.edits.table import EDITS, apply
from cardan.studio.solved import Solved
from cardan.studio.text import ModelText


class Paper:
    """A drawing without a page."""

    def __init__(self, text: str = NEW) -> None:
        self.text = text

    def solved(self) -> Solved:
        return Solved(self.text, Path("drawing.yaml"))

    def do(self, edit: str, /, **stated: Any) -> Any:
        draft = Draft(ModelText(self.text), self.solved().poses)
        made = apply(draft, edit, stated)
        self.text = draft.text.text
        return made

    def places(self) -> dict[str, tuple[float, float]]:
        return {p.letter: p.at for p in Draft(ModelText(self.text), self.solved().poses).places.points}


def on(point: str) -> dict[str, Any]:
    return {"point": point}


def at(x: float, y: float, body: str = "") -> dict[str, Any]:
    return {"at": [x, y]} | ({"body": body} if body else {})


@pytest.fixture
def four_bar() -> Paper:
    paper = Paper()
    paper.do("bar", a=at(0, 0), b=at(0.03, 0.05))
    paper.do("bar", a=on("link1@B"), b=at(0.16, 0.08))
    paper.do("bar", a=on("link2@C"), b=at(0.14, 0.0))
    paper.do("pivot", end=on("link1@A"))
    paper.do("pivot", end=on("link3@D"))
    paper.do("motor", joint="A")
    return paper


def test_a_four_bar_has_its_drawn_dimensions(four_bar: Paper) -> None:
    solved = four_bar.solved()
    assert solved.status["dof"] == 1 and solved.status["driven"] and not solved.trouble
    where = four_bar.places()
    for letter, place in {"A": (0, 0), "B": (0.03, 0.05), "C": (0.16, 0.08), "D": (0.14, 0)}.items():
        assert where[letter] == pytest.approx(place, abs=1e-9)  # 9 digits of millimeters are written
    model = solved.model
    assert {type(e).__name__ for e in model} == {"Body", "Revolute", "Driver"}


def test_mass_follows_from_shape_and_material(four_bar: Paper) -> None:
    """A steel bar with round ends: (length * width + pi width^2 / 4) * thickness * density."""
    body = four_bar.solved().model["link2"]
    length, width, thickness = math.hypot(0.13, 0.03), 0.010, 0.006
    wanted = 7850.0 * thickness * (length * width + math.pi * width**2 / 4)
    assert body.matter.mass == pytest.approx(wanted, rel=1e-7)


def test_moving_a_point_changes_only_the_links_that_it_joins(four_bar: Paper) -> None:
    before = ModelText(four_bar.text)
    four_bar.do("move_point", name="link1@B", to=[0.02, 0.06])
    after = ModelText(four_bar.text)
    assert after.data("bodies", "link3") == before.data("bodies", "link3")
    assert four_bar.places()["B"] == pytest.approx((0.02, 0.06), abs=1e-9)
    assert four_bar.places()["C"] == pytest.approx((0.16, 0.08), abs=1e-9)
    model = four_bar.solved().model
    length = math.hypot(0.02, 0.06)
    wanted = 7850 * 0.006 * (length * 0.006 + math.pi * 0.006**2 / 4)  # as wide as it was drawn
    assert model["link1"].matter.mass == pytest.approx(wanted, rel=1e-7)
    assert not four_bar.solved().trouble  # the motor starts where the crank now is


def test_typed_length_may_be_a_parameter(four_bar: Paper) -> None:
    four_bar.do("parameter", name="rocker", text="85 mm")
    four_bar.do("length", body="link3", stated="rocker")
    assert "D: [rocker, 0]" in four_bar.text
    solved = four_bar.solved()
    poses = solved.poses
    tip = np.array(poses["link3"][:2]) + 0.085 * np.array([math.cos(poses["link3"][2]), math.sin(poses["link3"][2])])
    assert tip == pytest.approx((0.14, 0.0), abs=1e-9)
    with pytest.raises(ModelError, match="rocker"):
        four_bar.do("move_point", name="link3@D", to=[0.1, 0.0])  # a hand does not overwrite an expression


def test_traced_point_moves_with_its_link(four_bar: Paper) -> None:
    four_bar.do("trace", end=at(0.08, 0.12), body="link2")
    solved = four_bar.solved()
    point = solved.model["E"]
    assert solved.snapshot is not None and solved.run is not None
    x, y, angle = solved.poses["link2"]
    px, py = point.marker.place
    world = x + math.cos(angle) * px - math.sin(angle) * py, y + math.sin(angle) * px + math.cos(angle) * py
    assert world == pytest.approx((0.08, 0.12), abs=1e-9)


def test_slider_crank_moves_as_the_closed_form() -> None:
    """x = r cos(phi) + sqrt(l^2 - r^2 sin(phi)^2)."""
    paper = Paper()
    paper.do("bar", a=at(0, 0), b=at(0.03, 0.04))
    paper.do("bar", a=on("link1@B"), b=at(0.15, 0.0))
    paper.do("pivot", end=on("link1@A"))
    assert paper.do("slider", end=on("link2@C"), angle=0.0) == "slider1"
    paper.do("motor", joint="A")
    run = kinematics(paper.solved().model, np.linspace(0.0, 1.0, 25))
    start, r, length = math.atan2(0.04, 0.03), 0.05, math.hypot(0.12, 0.04)
    phi = start + 2.0 * math.pi * run.times
    wanted = r * np.cos(phi) + np.sqrt(length**2 - (r * np.sin(phi)) ** 2)
    assert np.abs(run["slider1"].position[:, 0] - wanted).max() < 1e-9


def test_gears_turn_by_their_ratio() -> None:
    paper = Paper()
    paper.do("gear", a=at(0, 0), b=at(0.06, 0), ratio=2.0)
    paper.do("motor", joint="A")
    run = kinematics(paper.solved().model, np.linspace(0.0, 0.5, 11))
    a, b = run["gear1"].angle, run["gear2"].angle
    assert np.abs((a - a[0]) + 2.0 * (b - b[0])).max() < 1e-9


def test_rack_moves_by_the_arc_of_its_pinion() -> None:
    paper = Paper()
    paper.do("rack", pinion=at(0, 0.02), on=at(0, 0))
    assert paper.solved().status["dof"] == 1
    pinion = next(e.name for e in paper.solved().model if e.name.startswith("gear"))
    joint = next(e.name for e in paper.solved().model if type(e).__name__ == "Revolute")
    paper.do("motor", joint=joint)
    run = kinematics(paper.solved().model, np.linspace(0.0, 0.2, 11))
    turned = run[pinion].angle - run[pinion].angle[0]
    moved = run["rack1"].position - run["rack1"].position[0]
    assert np.abs(np.abs(moved[:, 0]) - 0.02 * np.abs(turned)).max() < 1e-9
    assert np.abs(moved[:, 1]).max() < 1e-12


@pytest.mark.parametrize("law", LAWS)
def test_cam_follower_rises_by_its_law(law: str) -> None:
    """Base radius plus lift times s(angle). The error is that of a cubic spline through 72 points of the cam: the
    harmonic law has a jump of acceleration at its ends, which costs two orders; it is below 3e-6 m, the others below
    5e-7 m."""
    paper = Paper()
    sizes = {"lift": 0.01, "rise": 2.0, "dwell": 1.0, "roller": 0.008}
    paper.do("cam", center=at(0, 0), follower=at(0, 0.04), law=law, sizes=sizes)
    paper.do("motor", joint="A")
    run = kinematics(paper.solved().model, np.linspace(0.0, 1.0, 61))
    turn = run["cam1"].angle - run["cam1"].angle[0]
    wanted = [0.04 + 0.01 * risen(float(angle) % (2 * math.pi), 2.0, 1.0, law)[0] for angle in turn]
    assert np.abs(run["follower1"].position[:, 1] - wanted).max() < (3e-6 if law == "harmonic" else 5e-7)
    slope = [(risen(t + 1e-6, 2, 1, law)[0] - risen(t - 1e-6, 2, 1, law)[0]) / 2e-6 for t in (0.3, 1.1, 3.4, 4.5)]
    assert slope == pytest.approx([risen(t, 2, 1, law)[1] for t in (0.3, 1.1, 3.4, 4.5)], abs=1e-6)


def test_a_cam_with_more_points_is_closer_to_its_law() -> None:
    """Fourth order: twice the points of a cubic spline leave about a sixteenth of the error of a smooth law."""

    def error(points: int) -> float:
        paper = Paper()
        sizes = {"lift": 0.01, "rise": 2.0, "dwell": 1.0, "roller": 0.008, "points": points}
        paper.do("cam", center=at(0, 0), follower=at(0, 0.04), law="4-5-6-7", sizes=sizes)
        paper.do("motor", joint="A")
        run = kinematics(paper.solved().model, np.linspace(0.0, 1.0, 61))
        turn = run["cam1"].angle - run["cam1"].angle[0]
        wanted = [0.04 + 0.01 * risen(float(angle) % (2 * math.pi), 2.0, 1.0, "4-5-6-7")[0] for angle in turn]
        return float(np.abs(run["follower1"].position[:, 1] - wanted).max())

    assert error(144) < error(36) / 16
    for wrong in (3, 72.5, 100_000):
        with pytest.raises(ModelError, match="points"):
            Paper().do("cam", center=at(0, 0), follower=at(0, 0.04), law="harmonic", sizes={"points": wrong})


def test_slot_plate_weld_and_rope() -> None:
    paper = Paper()
    paper.do("bar", a=at(0, 0), b=at(0.04, 0.0))
    paper.do("bar", a=at(0, -0.1), b=at(0, 0.1))
    paper.do("pivot", end=on("link1@A"))
    paper.do("pivot", end=on("link2@C"))
    paper.do("move_point", name="link2@D", to=[0.06, 0.05])
    assert paper.do("slot", pin=on("link1@B"), body="link2") == "slot1"
    assert paper.solved().status["dof"] == 1
    paper.do("plate", ends=[on("link2@D"), at(0.1, 0.05), at(0.08, 0.09)])
    assert paper.solved().status["dof"] == 2
    paper.do("weld", end=on("link2@D"))
    assert paper.solved().status["dof"] == 1
    paper.do("rope", ends=[at(0.2, 0.2), on("link1@B"), at(0.2, -0.2)])
    assert len(paper.solved().model["rope1"].points) == 3


def test_springs_loads_and_stops_act() -> None:
    """A bar on a pin with a spring, a load and a stop: the joint stays closed, the stop keeps the angle."""
    paper = Paper()
    paper.do("bar", a=at(0, 0), b=at(0.1, 0))
    paper.do("pivot", end=on("link1@A"))
    paper.do("spring", a=on("link1@B"), b=at(0.1, 0.1))
    paper.do("damper", a=on("link1@B"), b=at(0.2, 0.1))
    paper.do("load", end=on("link1@B"), to=[0.1, -1.0])
    paper.do("torque", body="link1")
    paper.do("stop", joint="A")
    solved = paper.solved()
    assert not solved.fault
    assert solved.model["spring1"].rest_length == pytest.approx(0.1)
    assert solved.model["spring1"].stiffness == pytest.approx(2000.0)
    assert solved.model["damper1"].damping == pytest.approx(20.0)
    assert solved.model["stop1"].upper == pytest.approx(math.radians(30.0))
    run = simulate(solved.model, 0.05, output=0.005)
    assert abs(run["link1"].angle).max() < math.radians(31.0)


def test_a_mirrored_mechanism_is_the_mirror_image(four_bar: Paper) -> None:
    four_bar.do("trace", end=at(0.08, 0.12), body="link2")
    made = four_bar.do("mirror", names=["link1", "link2", "link3"], center=[0.2, 0.0], axis=math.pi / 2)
    assert made == ["link4", "link5", "link6"]
    run = four_bar.solved().run
    assert run is not None
    for old, new in zip(("link1", "link2", "link3"), made, strict=True):
        a, b = run[old].position, run[new].position
        assert np.abs(a[:, 0] + b[:, 0] - 0.4).max() < 1e-8 and np.abs(a[:, 1] - b[:, 1]).max() < 1e-8


def test_repeated_copies_are_turned(four_bar: Paper) -> None:
    made = four_bar.do("copy", names=["link1", "link2", "link3"], by=[0, 0], turn=math.pi / 2, center=[0, 0], count=3)
    assert len(made) == 9
    run = four_bar.solved().run
    assert run is not None and four_bar.solved().status["dof"] == 4
    a, b = run["link2"].position, run[made[1]].position
    assert np.abs(b - np.stack([-a[:, 1], a[:, 0]], axis=1)).max() < 1e-8


def test_removing_a_link_removes_its_joints_and_nothing_else(four_bar: Paper) -> None:
    gone = four_bar.do("remove", names=["link3"])
    assert set(gone) == {"link3", "C", "D"}
    text = ModelText(four_bar.text)
    assert text.keys("bodies") == ["link1", "link2", "ground"]
    assert text.keys("bodies", "ground", "markers") == ["A"] and text.keys("drivers") == ["motor1"]


def test_renaming_reaches_every_reference(four_bar: Paper) -> None:
    four_bar.do("rename", old="link1", new="crank")
    four_bar.do("rename", old="A", new="pivot")
    solved = four_bar.solved()
    assert not solved.fault and solved.status["driven"]
    assert "link1" not in four_bar.text and "crank@B" in four_bar.text and "pivot.angle" in four_bar.text
    with pytest.raises(ModelError, match="already"):
        four_bar.do("rename", old="link2", new="crank")


def test_reasons_are_given_in_order() -> None:
    paper = Paper()
    assert "Draw a link" in paper.solved().reason()
    paper.do("bar", a=at(0, 0), b=at(0.1, 0))
    assert "not attached" in paper.solved().reason()
    paper.do("pivot", end=on("link1@A"))
    assert "Nothing drives it" in paper.solved().reason()
    paper.do("pivot", end=on("link1@B"))
    assert "rigid" in paper.solved().reason()


@pytest.mark.parametrize("edit", sorted(EDITS))
def test_wrong_arguments_are_rejected(edit: str) -> None:
    paper = Paper()
    for stated in (None, [], {"nothing": 1}, {key: {} for key in EDITS[edit].arguments}):
        with pytest.raises(ModelError):
            paper.do(edit, **stated) if isinstance(stated, dict) else apply(Draft(ModelText(NEW), {}), edit, stated)
    assert paper.text == NEW
