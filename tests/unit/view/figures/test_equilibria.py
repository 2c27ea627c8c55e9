"""Pictures and tables of equilibria, and springs in sketches."""

from __future__ import annotations

import csv

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from cardan.case import load_case  # noqa: E402
from cardan.view.figures.equilibria import overview_of  # noqa: E402
from cardan.view.shapes.lines import stretched  # noqa: E402


@pytest.fixture(scope="module")
def lamp():
    return load_case("lamp-equilibrium", {}).compute(progress=False)


@pytest.fixture(scope="module")
def path():
    return load_case("snap-through", {}).compute(progress=False)


def test_several_equilibria_are_lines_of_one_table(lamp, tmp_path) -> None:
    table = lamp.table()
    assert "time" not in table and all(len(column) == len(lamp) for column in table.values())
    np.testing.assert_allclose(table["hinge.angle"], [rest["arm"].angle for rest in lamp])
    np.testing.assert_allclose(table["energy"], [rest.energy for rest in lamp])
    lamp.save(tmp_path / "lamp.csv")
    with open(tmp_path / "lamp.csv", newline="") as file:
        lines = list(csv.DictReader(file))
    assert [float(line["spring.force"]) for line in lines] == table["spring.force"].tolist()


def test_one_equilibrium_is_a_table_of_one_line(lamp) -> None:
    assert {len(column) for column in lamp[0].table().values()} == {1}


def test_equilibria_side_by_side(lamp) -> None:
    titles = [ax.get_title() for ax in overview_of(lamp).axes]
    assert titles == [f"stable, {rest.energy:.4g} J" for rest in lamp]


def test_load_over_what_it_moves(path) -> None:
    """Drawn through where it is stable; the dashed line meets it on both sides, and folds have a dot each."""
    figure = overview_of(path, "ridge.y")
    curve = next(ax for ax in figure.axes if ax.get_ylabel() == "factor of the load")
    through, dashed, *dots = curve.lines
    stable = np.array([s is True for s in path.stable])
    np.testing.assert_array_equal(np.isfinite(through.get_ydata()), stable)
    assert np.isfinite(dashed.get_ydata()).sum() == (~stable).sum() + 2
    np.testing.assert_allclose([dot.get_ydata()[0] for dot in dots], path.fold_factors)
    assert [ax.get_title() for ax in figure.axes[:1]] == ["factor 0, stable"]
    assert list(path.table())[0] == "factor"


@pytest.mark.parametrize("b", [(3.0, 4.0), (-1.0, 0.0), (0.0, 0.0, 2.0), (1.0, -2.0, 2.0)])
def test_spring_runs_from_end_to_end(b) -> None:
    """Its zigzag lies to both sides of the line, half the width away at most, and square to it."""
    a, b = np.zeros(len(b)), np.array(b)
    points = stretched("spring", a, b, 0.2)
    np.testing.assert_allclose(points[[0, -1]], [a, b])
    along = b / np.linalg.norm(b)
    off = points - np.outer(points @ along, along)
    assert np.linalg.norm(off, axis=1).max() == pytest.approx(0.1)
    np.testing.assert_allclose(off.sum(axis=0), 0.0, atol=1e-12)


def test_spring_without_length_is_drawn_as_nothing() -> None:
    assert np.isfinite(stretched("spring", np.ones(2), np.ones(2), 0.1)).all()


def test_sketch_has_the_spring_between_its_ends(lamp) -> None:
    rest = lamp[0]
    ends = np.array([(0.0, 0.3), rest[rest.model["arm"].at(0.2, 0.0)].position])
    found = [line.get_xydata() for line in rest.draw().lines if len(line.get_xydata()) == 14]
    assert any(np.allclose(line[[0, -1]], ends) for line in found)
