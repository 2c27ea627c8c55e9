"""Flexible bodies in pictures: where their points are, what magnification moves, and the colors of their stress."""

from __future__ import annotations

import numpy as np
import pytest

from cardan import ModelError, planar
from cardan.flexible import beam, rectangle
from cardan.model.flexible_part import FlexiblePart, Interface
from cardan.system.compile import compile as compiled
from cardan.view.shapes.skin import has_skin, modal_table, skins_of
from cardan.view.shapes.stress import colors_at, stress_limit, stress_unit
from cardan.view.stage.stage import moved, poses
from flexible_cantilevers import HEIGHT, LENGTH, STRESS, planar_cantilever, spatial_cantilever


@pytest.fixture(scope="module", params=[planar_cantilever, spatial_cantilever])
def rest(request):
    return request.param()


def test_interfaces_and_skin_are_where_markers_are(rest) -> None:
    """The mean of the corners of the last section is the node there."""
    body, where = rest.model["bar"], poses(rest)
    for name in ("root", "tip"):
        marker = body.at(name)
        place = moved(np.array(marker.place), where[id(body), name])
        np.testing.assert_allclose(place, rest[marker].position, atol=1e-14)
    ((skin, _, points),) = where.skins
    ends = skin.points[:, 0] > LENGTH - 1e-9
    np.testing.assert_allclose(points[ends].mean(axis=0), rest["tip"].position, atol=1e-14)


def test_magnification_leaves_the_clamp_where_it_is(rest) -> None:
    """Everything relative to the clamp is multiplied; the undeformed shape is straight."""
    body, d = rest.model["bar"], len(rest.model["bar"].position)
    root = np.array(body.position)
    sag = root[1] - rest["tip"].position[1]
    assert sag == pytest.approx(20.0 / (3 * 210e9 * 0.01 * 0.02**3 / 12), rel=1e-3)  # shear adds 0.03 %
    for scale in (0.0, 1.0, 10.0):
        where = poses(rest, scale)
        place, turn = where[id(body), "root"]
        np.testing.assert_allclose(place, root, atol=1e-12)
        np.testing.assert_allclose(turn, np.eye(d), atol=1e-9)
        tip = moved(np.array(body.at("tip").place), where[id(body), "tip"])
        # the rotation of 0.005 rad of the frame is taken to first order
        assert root[1] - tip[1] == pytest.approx(scale * sag, abs=(1.0 + scale) * 0.005**3)


def test_a_rod_between_two_pins_stays_on_them() -> None:
    """Only the bow between the pins is magnified, whatever the deformation of the ends."""
    part = beam(1.0, rectangle(0.02, 0.01)).reduce({"a": "left", "b": "right"}, modes=3, planar=True)
    model = planar.Model("rod")
    eta = np.linspace(1e-3, 2e-3, part.modes)
    rod = model.add(planar.FlexibleBody(part, deformation=eta), name="rod")
    model.add(planar.Revolute(model.ground.at(), rod.at("a")), name="A")
    slider = model.add(planar.Body(1.0, 0.1, (1.0, 0.0)), name="slider")
    model.add(planar.Revolute(rod.at("b"), slider.at()), name="B")
    (skin,) = skins_of(compiled(model))
    true, large = skin.deformed(eta), skin.deformed(eta, 100.0)
    ends = [np.abs(skin.points[:, 0] - x) < 1e-9 for x in (0.0, 1.0)]
    stretch = [np.array(part.interfaces[name].translation @ eta)[0] for name in ("a", "b")]
    for chosen in ends:
        apart = (large[chosen].mean(axis=0) - true[chosen].mean(axis=0))[:2]
        assert np.abs(apart[1]) < 1e-7 and np.abs(apart[0]) <= 99.0 * abs(stretch[1] - stretch[0])
    middle = np.abs(skin.points[:, 0] - 0.5) < 1e-9
    assert np.abs(large[middle] - true[middle])[:, 1].max() > 1e-3


def test_planar_rims_go_around_the_side(rest) -> None:
    ((skin, eta, _),) = poses(rest).skins
    if len(rest.model["bar"].position) == 3:
        assert skin.lines == []
        return
    (rim,) = skin.lines
    assert rim[0] == rim[-1]
    around = np.linalg.norm(np.diff(skin.points[rim], axis=0), axis=1).sum()
    assert around == pytest.approx(2.0 * (LENGTH + HEIGHT), rel=1e-12)
    np.testing.assert_array_equal(modal_table(rest.system, rest.q[None])[0], eta)


def test_colors_end_at_the_stress_of_the_clamp(rest) -> None:
    """M / W of a cantilever; the legend names the unit."""
    run = rest.as_trajectory()
    assert stress_limit(run) == pytest.approx(STRESS, rel=1e-4)  # the slope of 0.036 acts to second order
    ax = rest.draw(deformation=20.0)
    labels = [axes.get_ylabel() for axes in ax.figure.axes]
    assert "von Mises stress [MPa]" in labels
    (skin,) = [
        artist for artist in ax.get_children() if artist.get_gid() == "bar:skin" and hasattr(artist, "get_paths")
    ]
    colors = skin.get_facecolor()
    assert colors[:, 0].max() > 0.6 and colors[:, 2].max() > 0.5  # red at the clamp, blue at the tip
    plain = rest.draw(stress=False)
    assert len(plain.figure.axes) == 1


def test_units_and_colors() -> None:
    assert [stress_unit(limit)[1] for limit in (5e10, 3e8, 2e5, 5e3, 1.0, 0.0)] == [
        "GPa",
        "MPa",
        "MPa",
        "kPa",
        "Pa",
        "Pa",
    ]
    np.testing.assert_allclose(colors_at(np.array([0.0, 1.0, 7.0]))[:, 0] * 255, [0x3A, 0xD7, 0xD7])


def test_a_part_without_skin_is_a_line_between_its_interfaces() -> None:
    """Bent as a beam: the end displacements and slopes of the interfaces are those of the line."""
    part = FlexiblePart(
        "rod", mass=2.0, first_moment=[[1.0, 0, 0], [0, 0, 0]], second_moment=np.zeros((2, 2, 3, 3)),
        modal_mass=[[1.0]], coupling=[[0], [0], [0]], rotation_coupling=[[0], [0], [0]],
        inertia=np.diag([0.01, 0.7, 0.7]), stiffness=[[400.0]], damping=[[0.0]], frequencies=[3.18],
        interfaces={
            "root": Interface([0, 0, 0], [[0], [0], [0]], [[0], [0], [0]]),
            "tip": Interface([1, 0, 0], [[0], [1.5], [0]], [[0], [0], [2.0]]),
        },
    )  # fmt: skip
    model = planar.Model("rod")
    rod = model.add(planar.FlexibleBody(part), name="rod")
    (skin,) = skins_of(compiled(model))
    assert has_skin(rod) and len(skin.triangles) == 0 and len(skin.lines) == 1
    line = skin.deformed(np.array([0.1]))
    np.testing.assert_allclose(line[[0, -1], 1], [0.0, 0.15], atol=1e-15)
    s = skin.points[:, 0]
    np.testing.assert_allclose(line[:, 1], 0.1 * (1.5 * (3 * s**2 - 2 * s**3) + 2.0 * (s**3 - s**2)), atol=1e-15)


def test_rejected(rest) -> None:
    for factor in (-1.0, 1e9, np.nan):
        with pytest.raises(ModelError, match="deformation"):
            rest.draw(deformation=factor)
    with pytest.raises(ModelError, match="stress"):
        rest.draw(stress="yes")
