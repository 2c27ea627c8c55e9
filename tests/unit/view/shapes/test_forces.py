"""Pictures of forces and of matter: bodies have a size, wheels a road, ropes and belts their way around pulleys."""

from __future__ import annotations

import math

import numpy as np
import pytest

from cardan import ModelError, assemble, planar, simulate, spatial
from cardan.planar import PID, Actuator, rate
from cardan.spatial import Road, matter
from cardan.view.shapes.forces import strand_points
from cardan.view.shapes.tires import strip
from cardan.view.sketch import reach_of
from cardan.view.stage.scene import in_strand, sized_drawing, world_points
from cardan.view.stage.stage import poses, stage_of

pytest.importorskip("matplotlib")


def drawn(model, kind=None):
    """The shapes of a model as stated: all, or their points by kind."""
    snapshot = assemble(model)
    picture, _ = sized_drawing(stage_of(model.space), model, poses(snapshot), lambda measure: (0.0, 0.0))
    found = [shape for shape in picture.shapes if kind in (None, shape.kind)]
    return picture, found, poses(snapshot)


def door(**stated):
    model = spatial.Model("door")
    leaf = model.add(spatial.Body(**stated), name="leaf")
    model.add(spatial.Revolute(model.ground.at(), leaf.at()), name="hinge")
    return model


def test_box_of_a_door_is_drawn_where_its_matter_is():
    """A leaf of 0.9 x 0.04 x 2 m beside its hinge, which is all that joins it."""
    model = door(mass=matter.box(0.9, 0.04, 2.0, mass=30.0).moved((0.45, 0.0, 0.0)))
    picture, (leaf,), where = drawn(model, "matter")
    assert np.nanmin(leaf.points, axis=0) == pytest.approx([0.0, -0.02, -1.0])
    assert np.nanmax(leaf.points, axis=0) == pytest.approx([0.9, 0.02, 1.0])
    assert np.ptp(world_points(picture, where), axis=0).max() == pytest.approx(2.0, rel=0.2)
    ax = assemble(model).draw()
    assert 1.5 < np.ptp(ax.get_zlim()) < 3.0


def test_body_with_a_mass_centre_alone_is_a_bar_to_it():
    _, (bar,), _ = drawn(door(mass=30.0, inertia=(1, 1, 1), center=(0.45, 0, 0)), "bar")
    assert np.ptp(bar.points, axis=0) == pytest.approx([0.45, 0.0, 0.0])


def test_body_without_size_still_has_axes():
    ax = assemble(door(mass=1.0, inertia=(1, 1, 1))).draw()
    assert np.ptp(ax.get_xlim()) > 0.01


SHAPES = {
    "box": (lambda: matter.box(1, 2, 3, mass=1), (1.0, 2.0, 3.0)),
    "cylinder": (lambda: matter.cylinder(0.5, 3, mass=1), (1.0, 1.0, 3.0)),
    "tube": (lambda: matter.hollow_cylinder(0.5, 0.2, 3, mass=1), (1.0, 1.0, 3.0)),
    "cone": (lambda: matter.cone(0.5, 3, mass=1), (1.0, 1.0, 3.0)),
    "sphere": (lambda: matter.sphere(0.5, mass=1), (1.0, 1.0, 1.0)),
    "dome": (lambda: matter.hemisphere(0.5, mass=1), (1.0, 1.0, 0.5)),
    "egg": (lambda: matter.ellipsoid(1, 2, 3, mass=1), (2.0, 4.0, 6.0)),
    "torus": (lambda: matter.torus(0.5, 0.1, mass=1), (1.2, 1.2, 0.2)),
    "disk": (lambda: matter.disk(0.5, mass=1), (1.0, 1.0, 0.0)),
    "plate": (lambda: matter.plate(1, 2, mass=1), (1.0, 2.0, 0.0)),
    "extrusion": (lambda: matter.extrusion([(0, 0), (1, 0), (1, 2)], 3, mass=1), (1.0, 2.0, 3.0)),
    "turned": (lambda: matter.cylinder(0.5, 3, mass=1).turned(z=(1, 0, 0)), (3.0, 1.0, 1.0)),
    "rod": (lambda: matter.rod(2, mass=1), (2.0, 0.0, 0.0)),
    "sum": (lambda: matter.rod(2, mass=1) + matter.sphere(0.5, mass=1).moved((1, 0, 0)), (2.5, 1.0, 1.0)),
}


@pytest.mark.parametrize("name", SHAPES)
def test_shapes_have_the_size_of_their_matter(name):
    build, size = SHAPES[name]
    points = np.vstack(build().shape)
    assert np.nanmax(points, axis=0) - np.nanmin(points, axis=0) == pytest.approx(size, abs=1e-12)


def test_wheel_and_road():
    """A disk of the tire's radius, and a strip of road that has its bump and ends where the road does."""
    model = spatial.Model("wheel", gravity=(0, 0, -9.81))
    wheel = model.add(spatial.Body(mass=20.0, inertia=(1, 1, 1), position=(0, 0, 0.31)), name="wheel")
    axle = wheel.at(z=(0, 1, 0))
    model.add(spatial.Tire(model.ground.at(), axle, Road.bump(0.2, 0.4, 0.05)), name="tire")
    _, (disk,), _ = drawn(model, "tire")
    assert np.linalg.norm(disk.points, axis=1) == pytest.approx(0.316) and disk.points[:, 1] == pytest.approx(0.0)
    _, (road,), _ = drawn(model, "road")
    assert np.nanmax(road.points[:, 2]) == pytest.approx(0.05, rel=0.05)
    short = strip(Road.along([0.0, 1.0], [0.0, 0.1]), (-1.0, 3.0, -0.1, 0.1), 0.2)
    assert np.nanmin(short[:, 0]) >= 0.0 and np.nanmax(short[:, 0]) <= 1.0
    assert len(strip(Road.flat(), (-9.0, 9.0, -0.1, 0.1), 0.2)) == 4


def test_belt_touches_its_pulleys():
    """The length of an open belt: 2 sqrt(c^2 - (R - r)^2) + pi (R + r) + 2 (R - r) asin((R - r) / c); and crossed."""
    c, small, large = 0.5, 0.06, 0.15
    centers = np.array([(0.0, 0.0), (c, 0.0)])
    for radius, sign in ((large, -1.0), (-large, 1.0)):
        line = strand_points(centers, np.array([small, radius]), None, closed=True)
        step = large + sign * small
        expected = 2.0 * math.sqrt(c**2 - step**2) + math.pi * (large + small) + 2.0 * step * math.asin(step / c)
        assert np.linalg.norm(np.diff(line, axis=0), axis=1).sum() == pytest.approx(expected, rel=1e-3)  # chords
        for center, r in zip(centers, (small, large), strict=True):
            far = np.linalg.norm(line - center, axis=1)
            assert far.min() == pytest.approx(r, abs=1e-12)


def test_rope_around_a_pulley_in_space():
    """Up one side, over, down the other: in the plane across the axle, at the height of its stops."""
    model = spatial.Model("atwood")
    parts = [model.add(spatial.Body(1.0, (1, 1, 1), position=(s * 0.1, 0.3, -1.0))) for s in (-1, 1)]
    pulley = spatial.Pulley(model.ground.at(0, 0.3, 0, z=(0, -1, 0)), 0.1, clockwise=True)
    model.add(spatial.Rope([parts[0].at(), pulley, parts[1].at()], EA=1e5, rest_length=2.3), name="rope")
    picture, _, where = drawn(model)
    line = in_strand(picture.strands[0], where)
    assert line[0] == pytest.approx((-0.1, 0.3, -1.0)) and line[-1] == pytest.approx((0.1, 0.3, -1.0))
    assert line[:, 1] == pytest.approx(0.3) and line[:, 2].max() == pytest.approx(0.1, abs=1e-4)


def test_ball_and_face_of_a_contact():
    model = planar.Model("drop")
    ball = model.add(planar.Body(1.0, 1.0, position=(0.0, 0.5)), name="ball")
    model.add(planar.Contact(planar.Face(model.ground.at()), planar.Disk(ball.at(), 0.1), 1e5), name="floor")
    _, (disk,), _ = drawn(model, "disk")
    _, (floor,), _ = drawn(model, "rail")
    assert np.linalg.norm(disk.points, axis=1) == pytest.approx(0.1) and floor.points[:, 1] == pytest.approx(0.0)


def test_the_rim_of_a_contact_is_drawn():
    """A cam that a disk rolls on by contact: a closed area on the cam; an open rim is a line."""
    model = planar.Model("cam")
    cam, roller = (model.add(planar.Body(1.0, 1.0, position=(0.0, y)), name=n) for n, y in (("cam", 0.0), ("r", 0.4)))
    rim = planar.Rim(cam.profile(planar.Circle(0.3)))
    model.add(planar.Contact(rim, planar.Disk(roller.at(), 0.1), 1e5), name="touch")
    _, (area,), _ = drawn(model, "area")
    assert area.body is cam and np.linalg.norm(area.points, axis=1) == pytest.approx(0.3, rel=1e-3)


@pytest.mark.parametrize(("height", "above"), [(-1.0, True), (1.0, False)])
def test_a_spring_does_not_cross_its_support(height, above):
    """The ground holds a hanging spring from above, a standing one from below."""
    model = planar.Model("spring")
    mass = model.add(planar.Body(1.0, 1.0, position=(0.0, height)), name="mass")
    model.add(planar.Spring(planar.length(model.ground.at(), mass.at()), 100.0, rest_length=1.0), name="spring")
    snapshot = assemble(model)
    reach = reach_of(snapshot.as_trajectory())
    picture, _ = sized_drawing(stage_of(model.space), model, poses(snapshot), reach)
    (support,) = [shape for shape in picture.shapes if shape.kind == "support"]
    assert (support.points[:, 1].mean() > 0.0) == above


def test_a_link_reaches_its_mass_center():
    """A door of which only the hinge and a point P are stated is drawn as far as its mass center beyond them."""
    model = planar.Model("door")
    door = model.add(planar.Body(20.0, 2.0, center=(0.45, 0.0)), name="door")
    model.add(planar.Revolute(model.ground.at(), door.at()), name="hinge")
    model.add(planar.Point(door.at(0.3, 0.0)), name="P")
    _, (bar,), _ = drawn(model, "bar")
    assert np.ptp(bar.points[:, 0]) == pytest.approx(0.45)


@pytest.fixture(scope="module")
def controlled():
    model = planar.Model("sled")
    block = model.add(planar.Body(mass=1.0, inertia=1.0, position=(0.2, 0.0)), name="block")
    guide = model.add(planar.Translational(model.ground.at(), block.at()), name="guide")
    pid = model.add(PID(guide.travel, 0.0, kp=40.0, kd=12.0), name="pid")
    model.add(Actuator(guide.travel, pid), name="drive")
    return simulate(model, 1.0, output=0.1), pid, guide


def test_plots_of_forces_and_signals(controlled):
    run, pid, guide = controlled
    assert run.plot("pid.u").lines[0].get_ydata() == pytest.approx(run[pid].value)
    assert run.plot(pid["error"]).lines[0].get_ydata() == pytest.approx(run[pid]["error"])
    assert run.plot(rate(guide.travel)).lines[0].get_ydata() == pytest.approx(run[guide.travel].rate)
    labels = {line.get_label() for ax in np.atleast_1d(run.plot("drive")) for line in ax.lines}
    assert len(labels) == 2  # force and power
    assert len(np.atleast_1d(run.plot(pid.device))[0].lines) == len(pid.device.outputs)
    with pytest.raises(ModelError, match="a plot shows bodies, .* signals or columns by name, not int 3"):
        run.plot(3)


def test_columns_of_tires_have_their_own_names():
    """Loads of a standing wheel in N, slips without unit or in rad."""
    for kind in (spatial.Tire, spatial.BookTire):
        model = spatial.Model("wheel", gravity=(0, 0, -9.81))
        wheel = model.add(spatial.Body(mass=400.0, inertia=(9, 9, 9), position=(0, 0, 0.28)), name="wheel")
        model.add(spatial.Translational.between(model.ground, wheel, at=(0, 0, 0.28), z=(0, 0, 1)), name="guide")
        tire = model.add(kind(model.ground.at(), wheel.at(z=(0, 1, 0))), name="tire")
        run = simulate(model, 0.01, output=0.005)
        ax = run.plot("tire.Fz")
        assert ax.lines[0].get_ydata() == pytest.approx(run[tire.device]["Fz"])
        assert ax.get_ylabel() == "tire.Fz [N]"
        assert run.plot("tire.alpha").get_ylabel() == "tire.alpha [rad]"
