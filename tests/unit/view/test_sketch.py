"""Sketches: what is drawn stands where the mechanism is."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from cardan import assemble, kinematics
from cardan.examples import load, names
from cardan.planar import (
    Body,
    Circle,
    Distance,
    Driver,
    Fixed,
    Hold,
    Model,
    Point,
    PointFollower,
    Revolute,
    angle,
    x as x_of,
    y as y_of,
)

lines = pytest.importorskip("matplotlib.lines")
from matplotlib.path import Path  # noqa: E402

from cardan.view.sketch import reach_of  # noqa: E402
from cardan.view.stage.scene import sized_drawing  # noqa: E402
from cardan.view.stage.stage import moved, poses, stage_of  # noqa: E402


def drawn(ax, body: str, kind: str) -> list[np.ndarray]:
    """The points in the world of the artists of one kind on one body."""
    found = [artist for artist in ax.get_children() if artist.get_gid() == f"{body}:{kind}"]
    points = [a.get_xydata() if isinstance(a, lines.Line2D) else a.get_xy() for a in found]
    return [(a.get_transform() - ax.transData).transform(p) for a, p in zip(found, points, strict=True)]


@pytest.fixture(scope="module")
def run():
    return kinematics(load("slider-crank").build(), np.linspace(0.0, 0.2, 21))


def test_links_and_pins_stand_where_the_bodies_are(run) -> None:
    """At 0.08 s the crank stands at 0.8 rad: B = 0.2 (cos, sin), C = (x of the slider, 0); 1e-9 is interpolation."""
    ax = run.at(0.08).draw()
    b = 0.2 * np.array([np.cos(0.8), np.sin(0.8)])
    c = np.array([b[0] + np.sqrt(0.25 - b[1] ** 2), 0.0])
    for bar in drawn(ax, "crank", "bar"):
        np.testing.assert_allclose(bar[np.argsort(bar[:, 0])], [(0.0, 0.0), b], atol=1e-9)
    for bar in drawn(ax, "rod", "bar"):
        np.testing.assert_allclose(bar[np.argsort(bar[:, 0])], [b, c], atol=1e-9)
    np.testing.assert_allclose(drawn(ax, "crank", "pin")[0], [b], atol=1e-9)
    np.testing.assert_allclose(drawn(ax, "ground", "pin")[0], [(0.0, 0.0)], atol=1e-12)
    (box,) = drawn(ax, "slider", "box")
    np.testing.assert_allclose(box[:4].mean(axis=0), c, atol=1e-9)


def test_rail_covers_the_travel_of_the_run(run) -> None:
    ax = run.at(0.1).draw(run=run)
    (rail,) = [line for line in drawn(ax, "ground", "rail") if np.ptp(line[:, 0]) > 0.1]
    travel = run["slider"].position[:, 0]
    assert rail[:, 0].min() < travel.min() and rail[:, 0].max() > travel.max()
    low, high = ax.get_xlim()
    assert low < rail[:, 0].min() and high > rail[:, 0].max()


def test_axes_are_equal_and_labelled(run) -> None:
    ax = run.at(0.1).draw()
    assert ax.get_aspect() == 1.0
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x [m]", "y [m]")
    assert ax.get_title() == "slider-crank, t = 0.1 s"
    written = {text.get_text() for text in ax.texts}
    assert {"A", "B", "C", "crank", "rod", "slider"} <= written


def test_axes_have_the_units_of_the_model(run) -> None:
    """Numbers at ticks are positions in the unit that the model shows; what is drawn stays in m."""
    model = load("slider-crank").build()
    for unit, factor in (("mm", 1e3), ("inch", 1.0 / 0.0254)):
        model.show_in(length=unit)
        ax = kinematics(model, [0.1]).at(0.1).draw()
        assert (ax.get_xlabel(), ax.get_ylabel()) == (f"x [{unit}]", f"y [{unit}]")
        ax.figure.draw_without_rendering()
        for axis in (ax.xaxis, ax.yaxis):
            ticks = [
                (place, text.get_text()) for place, text in zip(axis.get_ticklocs(), axis.get_ticklabels(), strict=True)
            ]
            assert len(ticks) > 2
            for place, text in ticks:
                assert float(text.replace("\N{MINUS SIGN}", "-")) == pytest.approx(factor * place, abs=1e-9)
                assert len(text) < 6  # round numbers
    assert np.ptp(ax.get_xlim()) < 1.0


@pytest.mark.parametrize("name", ["slider-crank", "four-bar", "peaucellier", "jansen-leg", "gear-slider"])
def test_names_do_not_overlap(name: str) -> None:
    ax = assemble(load(name).build()).draw()
    renderer = ax.figure.canvas.get_renderer()
    boxes = [text.get_window_extent(renderer) for text in ax.texts]
    assert len(boxes) > 5
    clashes = [
        (ax.texts[i].get_text(), ax.texts[j].get_text())
        for i in range(len(boxes))
        for j in range(i)
        if boxes[i].shrunk(0.9, 0.9).overlaps(boxes[j].shrunk(0.9, 0.9))
    ]
    assert not clashes


@pytest.mark.parametrize("name", [name for name in names() if load(name).build().space.dimensions == 2])
def test_every_example_is_drawn(name: str) -> None:
    """Each body of each example shows something, and all of it lies in the axes."""
    snapshot = assemble(load(name).build())
    ax = snapshot.draw()
    ids = {str(artist.get_gid()).partition(":")[0] for artist in ax.get_children() if artist.get_gid()}
    assert {body.name for body in snapshot.model.bodies} <= ids
    (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    for body in snapshot.model.bodies:
        where = snapshot[body].position
        for kind in ("bar", "plate", "area", "disk", "box", "pin"):
            for points in drawn(ax, body.name, kind):
                assert np.all((points > (left, bottom)) & (points < (right, top))), (body.name, kind, where)


def test_teeth_stand_on_pitch_circles_and_turn_with_their_gears() -> None:
    """The sun of radius 0.03 turned by 0.4 rad about the origin; flanks lie on the pitch circle."""
    model = load("planetary-gear").build(speed=1.0)
    ax = kinematics(model, [0.0, 0.4]).at(0.4).draw()
    (wheel,) = drawn(ax, "sun", "disk")
    np.testing.assert_allclose(np.hypot(*wheel[1::3].T), 0.03, atol=1e-12)
    count = (len(wheel) - 1) // 6
    assert count % 3 == 0 and np.hypot(*wheel.T).max() == pytest.approx(0.03 + 0.06 / count)  # a module higher
    (spoke,) = drawn(ax, "sun", "spoke")
    assert np.arctan2(*spoke[-1, ::-1]) == pytest.approx(0.4, abs=1e-12)
    (ring,) = drawn(ax, "ground", "area")
    assert np.hypot(*ring.T).min() == pytest.approx(0.07 - 0.06 / count)


@pytest.mark.parametrize("name", ["gear-slider", "planetary-gear", "rack-pinion"])
def test_teeth_mesh_all_along(name: str) -> None:
    """Nowhere more than the corners of one tooth lie within another wheel: trapezoids are not involutes."""
    example = load(name)
    run = kinematics(example.build(), np.linspace(*example.TIMES[:2], 31))
    picture, _ = sized_drawing(stage_of(run.system.space), run.model, poses(run.at(run.times[0])), reach_of(run))
    wheels = [s for s in picture.shapes if s.kind in ("disk", "rack", "area") and s.element and len(s.points) > 30]
    assert len(wheels) >= 2
    met = 0
    for k in range(0, 31, 6):
        where = poses(run.at(run.times[k]))
        outlines = [moved(shape.points, where[id(shape.body)]) for shape in wheels]
        for i, one in enumerate(outlines):
            for two in outlines[:i]:
                inside = max(int(Path(two).contains_points(one).sum()), int(Path(one).contains_points(two).sum()))
                assert inside <= 3, (run.times[k], inside)
                met += inside > 0
    assert met


def test_actuators_end_at_their_markers() -> None:
    """The lift cylinder of the excavator joins (0.5, -0.5) to the middle of the boom."""
    snapshot = assemble(load("excavator").build())
    ax = snapshot.draw()
    phi = snapshot["boom"].angle
    ends = [(0.5, -0.5), (np.sqrt(3.0) * np.cos(phi), np.sqrt(3.0) * np.sin(phi))]
    rods = [a.get_xydata() for a in ax.get_children() if isinstance(a, lines.Line2D) and a.get_gid() is None]
    assert any(np.allclose(rod, ends, atol=1e-9) for rod in rods if len(rod) == 2)


def test_outlines_and_loose_parts() -> None:
    """A body's outline replaces its link; welds, rods and curved slots are shown too."""
    model = Model("parts")
    square = [(-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1)]
    plate = model.add(Body(position=(3.0, 0.0), angle=0.5, outline=square), name="plate")
    bob = model.add(Body(position=(3.0, -4.0)), name="bob")
    pin = model.add(Body(position=(1.0, 0.0)), name="rider")
    model.add(Fixed(model.ground.at(3.0, 0.0, 0.5), plate.at()), name="weld")
    model.add(Distance(plate.at(), bob.at(), 4.0), name="string")
    model.add(Hold(angle(model.ground.at(), bob.at()), 0.0))
    model.add(Driver(x_of(bob.at()), 3.0))
    model.add(PointFollower(model.ground.profile(Circle(1.0)), pin.at()), name="track")
    model.add(Hold(angle(model.ground.at(), pin.at()), 0.0))
    model.add(Driver(y_of(pin.at()), 0.0))
    ax = assemble(model).draw()
    (area,) = drawn(ax, "plate", "area")
    c, s = np.cos(0.5), np.sin(0.5)
    np.testing.assert_allclose(area[1], (3.0 + c + s, s - c), atol=1e-9)  # the corner (1, -1), turned by 0.5
    assert not drawn(ax, "plate", "bar")
    np.testing.assert_allclose(np.hypot(*drawn(ax, "ground", "channel")[0].T), 1.0, atol=1e-12)
    np.testing.assert_allclose(drawn(ax, "rider", "pin")[0], [(1.0, 0.0)], atol=1e-9)


def test_three_pins_make_a_plate() -> None:
    model = Model("rocker")
    body = model.add(Body(), name="bell")
    model.add(Revolute(model.ground.at(), body.at()), name="A")
    model.add(Point(body.at(1.0, 0.0)), name="P")
    model.add(Point(body.at(0.0, 1.0)), name="Q")
    ax = assemble(model).draw()
    plate = drawn(ax, "bell", "plate")[0]
    assert {(round(u, 9), round(v, 9)) for u, v in plate} == {(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)}


def test_missing_matplotlib_says_what_to_install(run, monkeypatch) -> None:
    monkeypatch.delitem(sys.modules, "matplotlib.pyplot", raising=False)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"matplotlib: pip install 'cardan\[plot\]'"):
        run.at(0.1).draw()


def test_arrow_turns_with_the_driver() -> None:
    """The arrow of a motor is counter-clockwise, that of one that runs backward clockwise."""
    for speed in (1.0, -1.0):
        ax = assemble(load("slider-crank").build(speed=speed)).draw()
        (arrow,) = drawn(ax, "ground", "arrow")
        turn = np.unwrap(np.arctan2(arrow[:40, 1], arrow[:40, 0]))
        assert np.sign(turn[-1] - turn[0]) == speed


def test_drawing_needs_no_display_and_no_pyplot() -> None:
    script = (
        "import sys; from cardan import assemble; from cardan.examples import load;"
        "assemble(load('four-bar').build()).draw(); print('matplotlib.pyplot' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() == "False"
