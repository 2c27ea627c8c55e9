"""Pictures of spatial models: what is drawn stands where the mechanism is, in axes that are true to scale."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from cardan import ModelError, assemble, kinematics
from cardan.examples import load, names
from cardan.planar import RevoluteTranslational as RevoluteInSlot
from cardan.spatial import (
    BevelGear,
    Body,
    Circle,
    ConstantVelocity,
    Cylindrical,
    Driver,
    Fixed,
    Gear,
    Harmonic,
    KnifeEdge,
    Model,
    Planar,
    Point,
    PointInPlane,
    PointOnCurve,
    PointOnLine,
    RackPinion,
    Ramp,
    Revolute,
    RevoluteCylindrical,
    RevoluteRevolute,
    RevoluteSpherical,
    RevoluteTranslational,
    RollingBall,
    RollingWheel,
    Screw,
    Spherical,
    Translational,
    Universal,
    WormGear,
    rotation,
)
from cardan.spatial.lifting import lift
from cardan.view.animate import frames
from cardan.view.figures.overview import overview
from cardan.view.shapes.drawing import fill
from cardan.view.shapes.spatial import SpaceDrawing

art3d = pytest.importorskip("mpl_toolkits.mplot3d.art3d")

SPATIAL = [name for name in names() if load(name).build().space.dimensions == 3]


def drawn(ax, body: str, kind: str) -> list[np.ndarray]:
    """The points in the world of the lines of one kind on one body."""
    found = [artist for artist in ax.get_children() if artist.get_gid() == f"{body}:{kind}"]
    return [np.stack(artist.get_data_3d(), axis=1) for artist in found if isinstance(artist, art3d.Line3D)]


def bodies_of(model):
    return {id(body) for body in (model.ground, *model.bodies)}


def shapes(model: Model) -> list:
    """The shapes of a model with symbols of 0.1 m and measures that stay at zero."""
    return fill(SpaceDrawing(model.ground, 0.1, lambda measure: (0.0, 0.0)), model, bodies_of(model)).shapes


@pytest.fixture(scope="module")
def run():
    return kinematics(load("spatial-slider-crank").build(), np.linspace(0.0, 1.0, 41))


def test_links_and_joints_stand_where_the_bodies_are(run) -> None:
    """The crank stands upright at the start: B = (0, 0.1, 0.2) and C = (0.2, 0, 0); 1e-9 is the closing of loops."""
    ax = run.at(0.0).draw()
    for bar in drawn(ax, "rod", "bar"):
        np.testing.assert_allclose(bar[np.argsort(bar[:, 0])], [(0.0, 0.1, 0.2), (0.2, 0.0, 0.0)], atol=1e-9)
    np.testing.assert_allclose(drawn(ax, "crank", "pin")[0], [(0.0, 0.1, 0.2)], atol=1e-9)
    (barrel, _), (lugs,) = drawn(ax, "crank", "barrel"), drawn(ax, "ground", "lugs")
    np.testing.assert_allclose(np.sort(barrel, axis=0), np.sort(lugs, axis=0), atol=1e-9)
    np.testing.assert_allclose(barrel.mean(axis=0), (0.0, 0.1, 0.12), atol=1e-12)
    np.testing.assert_allclose(np.cross(np.diff(barrel, axis=0), (1.0, 0.0, 0.0)), 0.0, atol=1e-12)  # along its axis
    arms = drawn(ax, "rod", "arm")[0], drawn(ax, "slider", "arm")[0]
    along = [np.diff(arm, axis=0)[0] for arm in arms]
    assert along[0] @ along[1] == pytest.approx(0.0, abs=1e-9)  # a cross
    np.testing.assert_allclose(along[1] / np.linalg.norm(along[1]), (1.0, 0.0, 0.0), atol=1e-9)


def test_axes_are_to_scale_and_labelled(run) -> None:
    ax = run.at(0.1).draw(run=run)
    sizes = [np.ptp(limits) for limits in (ax.get_xlim(), ax.get_ylim(), ax.get_zlim())]
    np.testing.assert_allclose(ax._box_aspect / ax._box_aspect[0], np.array(sizes) / sizes[0], rtol=1e-9)
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_zlabel()) == ("x [m]", "y [m]", "z [m]")
    assert ax.get_title() == "spatial-slider-crank, t = 0.1 s"
    assert {"A", "B", "C", "crank", "rod", "slider"} <= {text.get_text() for text in ax.texts}
    low, high = ax.get_xlim()
    assert low < run["slider"].position[:, 0].min() and high > run["slider"].position[:, 0].max()


def test_the_eye_goes_where_it_is_told(run) -> None:
    ax = run.at(0.1).draw(elev=80.0, azim=10.0)
    assert (ax.elev, ax.azim) == (80.0, 10.0)
    assert overview(run, "slider.x", elev=5.0).axes[-1].elev == 5.0
    planar = assemble(load("four-bar").build())
    with pytest.raises(ModelError, match="elev and azim are for spatial models"):
        planar.draw(elev=30.0)


def test_names_stand_beside_their_points_wherever_the_axes_are_turned(run) -> None:
    ax = run.at(0.0).draw()
    (name,) = [text for text in ax.texts if text.get_text() == "B"]
    for azim in (-58.0, 30.0):
        ax.view_init(20.0, azim)
        ax.figure.canvas.draw()
        marker = [artist for artist in ax.get_children() if artist.get_gid() == "crank:pin"][0]
        np.testing.assert_allclose(name.xy, ax.transData.transform(marker.get_xydata())[0], atol=0.5)  # half a pixel


def test_what_is_nearer_is_drawn_later() -> None:
    """Two bars that cross: the one nearer to the eye, which looks along y, lies above."""
    model = Model("crossing")
    for name, y in (("near", -1.0), ("far", 1.0)):
        bar = model.add(Body(position=(0.0, y, 0.0)), name=name)
        model.add(Fixed(model.ground.at(0.0, y, 0.0), bar.at()))
        model.add(Point(bar.at(1.0, 0.0, 0.0), trace=False))
    snapshot = assemble(model)
    for azim, above, below in ((-90.0, "near", "far"), (90.0, "far", "near")):
        ax = snapshot.draw(elev=0.0, azim=azim)
        layers = {a.get_gid(): a.get_zorder() for a in ax.get_children() if a.get_gid()}
        assert layers[f"{above}:bar"] > layers[f"{below}:bar"]


@pytest.mark.parametrize("name", SPATIAL)
def test_every_example_is_drawn(name: str) -> None:
    """Each body of each example shows something, its lines lie in the axes, and no name lies on another."""
    snapshot = assemble(load(name).build())
    ax = snapshot.draw()
    ids = {str(artist.get_gid()).partition(":")[0] for artist in ax.get_children() if artist.get_gid()}
    assert {body.name for body in snapshot.model.bodies} <= ids
    low, high = np.transpose([ax.get_xlim(), ax.get_ylim(), ax.get_zlim()])
    for body in snapshot.model.bodies:
        for kind in ("bar", "outline", "spoke", "pin", "barrel", "arm"):
            for points in drawn(ax, body.name, kind):
                assert np.all((points > low) & (points < high)), (body.name, kind)
    renderer = ax.figure.canvas.get_renderer()
    boxes = [text.get_window_extent(renderer).shrunk(0.9, 0.9) for text in ax.texts]
    clashes = [
        (ax.texts[i].get_text(), ax.texts[j].get_text())
        for i in range(len(boxes))
        for j in range(i)
        if boxes[i].overlaps(boxes[j])
    ]
    assert not clashes


JOINTS = {
    "Revolute": (lambda a, b: Revolute(a.at(), b.at()), {"barrel", "axis"}),
    "Spherical": (lambda a, b: Spherical(a.at(), b.at()), {"pin"}),
    "Universal": (lambda a, b: Universal(a.at(), b.at(z=(1, 0, 0))), {"arm"}),
    "ConstantVelocity": (lambda a, b: ConstantVelocity(a.at(), b.at()), {"pin", "spoke"}),
    "Cylindrical": (lambda a, b: Cylindrical(a.at(), b.at()), {"barrel", "axis"}),
    "Screw": (lambda a, b: Screw(a.at(), b.at(), pitch=0.1), {"barrel", "axis", "spoke"}),
    "Translational": (lambda a, b: Translational(a.at(), b.at()), {"box", "spine"}),
    "Fixed": (lambda a, b: Fixed(a.at(), b.at()), {"weld"}),
    "PointOnLine": (lambda a, b: PointOnLine(a.at(), b.at()), {"pin", "spine"}),
    "PointInPlane": (lambda a, b: PointInPlane(a.at(), b.at()), {"pin", "sheet"}),
    "Planar": (lambda a, b: Planar(a.at(), b.at()), {"spoke", "sheet"}),
    "PointOnCurve": (lambda a, b: PointOnCurve(a.profile(Circle(1.0)), b.at()), {"outline", "pin"}),
    "RevoluteSpherical": (lambda a, b: RevoluteSpherical(a.at(), b.at(1, 0, 0), 1.0), {"barrel", "pin"}),
    "RevoluteRevolute": (lambda a, b: RevoluteRevolute(a.at(), b.at(1, 0, 0), 1.0), {"barrel"}),
    "RevoluteCylindrical": (lambda a, b: RevoluteCylindrical(a.at(), b.at(z=(1, 0, 0))), {"barrel", "axis"}),
    "RevoluteTranslational": (lambda a, b: RevoluteTranslational(a.at(), b.at(z=(1, 0, 0))), {"barrel", "axis"}),
    "BevelGear": (lambda a, b: BevelGear(a.at(), b.at(z=(1, 0, 0)), 1.0, 1.0), {"disk", "spoke"}),
    "WormGear": (lambda a, b: WormGear(a.at(), b.at(z=(1, 0, 0)), 0.3, 0.2, 0.8), {"disk", "spoke"}),
    "Gear": (lambda a, b: Gear(a.at(), b.at(), 1.0, 2.0), {"disk", "spoke"}),
    "RackPinion": (lambda a, b: RackPinion(a.at(), b.at(), 1.0), {"rack", "disk"}),
    "RollingWheel": (lambda a, b: RollingWheel(a.at(), b.at(z=(1, 0, 0)), 1.0), {"sheet", "disk", "spoke"}),
    "RollingBall": (lambda a, b: RollingBall(a.at(), b.at(), 1.0), {"sheet", "sphere", "spoke"}),
    "KnifeEdge": (lambda a, b: KnifeEdge(a.at(), b.at()), {"face"}),
}


@pytest.mark.parametrize("name", JOINTS)
def test_every_joint_has_a_symbol(name: str) -> None:
    make, kinds = JOINTS[name]
    model = Model(name)
    a, b = (model.add(Body(), name=word) for word in "ab")
    model.add(make(a, b), name="joint")
    assert kinds <= {shape.kind for shape in shapes(model)}


def test_bodies_are_bars_panels_or_spokes() -> None:
    """Two points make a bar, four in a plane a panel with its corners in turn, four in space spokes from the middle."""
    corners = {"bar": [(1, 0, 0)], "panel": [(1, 0, 0), (0, 1, 0), (1, 1, 0)], "spokes": np.eye(3).tolist()}
    for word, more in corners.items():
        model = Model(word)
        body = model.add(Body(), name="body")
        for point in [(0, 0, 0), *more]:
            model.add(Point(body.at(*point)))
        found = [shape for shape in shapes(model) if shape.kind in ("bar", "panel")]
        assert [shape.kind for shape in found] == {"bar": ["bar"], "panel": ["panel"], "spokes": 4 * ["bar"]}[word]
        if word == "panel":
            sides = np.linalg.norm(found[0].points - np.roll(found[0].points, 1, axis=0), axis=1)
            np.testing.assert_allclose(sides, 1.0, atol=1e-12)


def test_bevel_gears_touch_on_their_cones() -> None:
    """Pitch radii 1 and 2 on shafts that are square to each other: the circles share the point (1, 0, 2)."""
    model = Model("bevel")
    pinion = model.add(Body(position=(0.0, 0.0, 2.0)), name="pinion")
    wheel = model.add(Body(position=(1.0, 0.0, 0.0)), name="wheel")
    model.add(Revolute.between(model.ground, pinion, at=(0, 0, 2), z=(0, 0, 1)))
    model.add(Revolute.between(model.ground, wheel, at=(1, 0, 0), z=(1, 0, 0)))
    mesh = model.add(BevelGear(pinion.at(), wheel.at(z=(1, 0, 0)), 1.0, 2.0))
    snapshot = assemble(model)
    picture = SpaceDrawing(model.ground, 0.1, lambda measure: 2 * (float(snapshot[measure].value),))
    shapes = fill(picture, model, bodies_of(model)).shapes
    disks = {s.body.name: s.points + s.body.position for s in shapes if s.kind == "disk"}
    for rim, radius in ((disks["pinion"], mesh.radius_a), (disks["wheel"], mesh.radius_b)):
        flanks = rim[1::3]  # of root, flank, tip and tip, flank, root the second and the fifth lie on the pitch circle
        assert np.linalg.norm(flanks - rim[:-1].mean(axis=0), axis=1) == pytest.approx(radius, abs=1e-9)
        assert np.linalg.norm(flanks, axis=1) == pytest.approx(np.sqrt(5.0), abs=1e-9)  # on one sphere about the apex


def test_frames_move_and_come_back(run) -> None:
    first, second, again = frames(run, np.array([0.0, 0.3, 0.0]), (320, 240))
    assert first.shape == (240, 320, 3)
    assert np.array_equal(first, again)
    assert 0.005 < np.any(first != second, axis=2).mean() < 0.5


def test_gif_of_space(run, tmp_path) -> None:
    image = pytest.importorskip("PIL.Image")
    path = run.animate(tmp_path / "run.gif", fps=10, seconds=0.5, size=(320, 240), azim=20.0)
    with image.open(path) as picture:
        assert (picture.n_frames, picture.size) == (5, (320, 240))


def test_a_body_gives_x_y_and_z(run) -> None:
    ax = run.plot("rod", quantity="rate")
    assert [line.get_label() for line in ax.lines] == ["rod.vx", "rod.vy", "rod.vz"]
    assert np.array_equal(ax.lines[2].get_ydata(), run["rod"].velocity[:, 2])


def test_paths_run_through_space(run) -> None:
    other = kinematics(load("spatial-slider-crank").build(rod=0.4), run.times)
    ax = run.plot("rod", as_path=True, runs=[other], labels=["0.3 m", "0.4 m"])
    for line, each in zip(ax.lines, (run, other), strict=True):
        np.testing.assert_array_equal(np.stack(line.get_data_3d(), axis=1), each["rod"].position)
    assert (ax.get_xlabel(), ax.get_zlabel()) == ("rod.x [m]", "rod.z [m]")
    with pytest.raises(ModelError, match="against="):
        run.plot("motor", as_path=True)


def test_traces_and_arrows_in_space() -> None:
    """The path of a named point, and the arrow of a driver about the axis that it drives: here the x axis of space."""
    model = Model("arm")
    turned = rotation.from_axis_angle((0, 1, 0), np.pi / 2)
    arm = model.add(Body(), name="arm")
    hinge = model.add(Revolute(model.ground.at(orientation=turned), arm.at(orientation=turned)), name="hinge")
    model.add(Driver(hinge.angle, Ramp(1.0)), name="motor")
    model.add(Point(arm.at(0.0, 1.0, 0.0)), name="tip")
    result = kinematics(model, np.linspace(0.0, 1.0, 11))
    ax = result.at(0.5).draw(run=result)
    (arrow,) = drawn(ax, "ground", "arrow")
    np.testing.assert_allclose(arrow[:, 0], 0.0, atol=1e-12)
    turn = np.unwrap(np.arctan2(arrow[:40, 2], arrow[:40, 1]))
    assert turn[-1] > turn[0]  # counter-clockwise about x
    paths = [np.stack(line.get_data_3d(), axis=1) for line in ax.lines if line.get_gid() is None]
    assert any(np.array_equal(path, result["tip"].position) for path in paths if len(path) == 11)


def test_flat_axes_are_rejected(run) -> None:
    flat = assemble(load("four-bar").build()).draw()
    with pytest.raises(ModelError, match="needs 3D axes"):
        run.at(0.1).draw(ax=flat)


def test_planar_pictures_do_not_load_space() -> None:
    script = (
        "import sys; from cardan import assemble; from cardan.examples import load;"
        "assemble(load('four-bar').build()).draw();"
        "print([name for name in sys.modules if 'cardan.spatial' in name or 'mplot3d' in name])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "cardan.spatial" not in done.stdout


def test_driven_distance_is_an_actuator() -> None:
    """A bob on a string of changing length, hung from the ground: the string is an actuator between its ends."""
    from cardan.spatial import Orientation, length, x, y

    model = Model("hoist")
    bob = model.add(Body(position=(0.0, 0.0, -1.0)), name="bob")
    model.add(Driver(length(model.ground.at(), bob.at()), Harmonic(0.2, 1.0, offset=1.0)), name="winch")
    model.add(Orientation(model.ground.at(), bob.at()))
    model.add(Driver(x(bob.at()), 0.0))
    model.add(Driver(y(bob.at()), 0.0))
    ax = assemble(model).draw()
    rods = [np.stack(line.get_data_3d(), axis=1) for line in ax.lines if line.get_gid() is None]
    assert any(np.allclose(rod, [(0.0, 0.0, 0.0), (0.0, 0.0, -1.0)], atol=1e-9) for rod in rods)


def test_lifted_cams_and_slots_are_seen() -> None:
    """The pin of the Geneva crank where the planar one has it, and the outline of a lifted cam, in the plane y = 0."""
    geneva = assemble(lift(load("geneva").build(), z=(0, -1, 0)))
    (pin,) = drawn(geneva.draw(), "crank", "pin")
    flat = assemble(load("geneva").build())
    slot = next(element for element in flat.model if isinstance(element, RevoluteInSlot))
    x, y = flat[slot.b].position
    np.testing.assert_allclose(pin, [(x, 0.0, y)], atol=1e-9)
    cam = assemble(lift(load("cam-roller").build(), z=(0, -1, 0)))
    (outline,) = drawn(cam.draw(), "cam", "outline")
    np.testing.assert_allclose(outline[:, 1], 0.0, atol=1e-9)


def test_what_was_added_later_is_not_drawn():
    model = Model("growing")
    arm = model.add(Body(), name="arm")
    hinge = model.add(Revolute(model.ground.at(), arm.at(0.1, 0, 0)), name="hinge")
    model.add(Driver(hinge.angle, Ramp(1.0)), name="motor")
    run = kinematics(model, [0.0, 1.0])
    later = model.add(Body(), name="later")
    model.add(Spherical(arm.at(1, 0, 0), later.at()), name="ball")
    assert "later" not in [text.get_text() for text in run.at(0.5).draw().texts]


def test_overview_of_a_long_journey_stays_with_the_mechanism() -> None:
    """A body of a meter that flies 100 m is drawn where it is; one that moves little, with the room of its motion."""
    from cardan import simulate
    from cardan.view.figures.overview import overview

    for speed, width in ((100.0, 4.0), (2.0, 8.0)):
        model = Model("arrow")
        shaft = [(-0.5, 0.0, 0.0), (0.5, 0.0, 0.0)]
        model.add(Body(mass=1.0, inertia=(1.0, 1.0, 1.0), velocity=(speed, 0.0, 0.0), outline=shaft), name="shaft")
        run = simulate(model, 1.0, output=0.1)
        left, right = overview(run, time=0.5).axes[0].get_xlim()
        assert left < 0.5 * speed - 0.5 and 0.5 * speed + 0.5 < right < 0.5 * speed + width
        assert (right - left > 2.0) == (speed == 2.0)
