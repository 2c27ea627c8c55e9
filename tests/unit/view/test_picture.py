"""Pictures in one command: planar ones by matplotlib, spatial ones by a browser without a window."""

from __future__ import annotations

import numpy as np
import pytest

from cardan import ModelError, kinematics
from cardan.cli import main
from cardan.examples import load
from cardan.view.picture import browsers, picture

Image = pytest.importorskip("PIL.Image")


@pytest.fixture(scope="module")
def planar():
    return kinematics(load("slider-crank").build(), np.linspace(0.0, 0.6, 13))


@pytest.fixture(scope="module")
def spatial():
    return kinematics(load("stewart-platform").build(), np.linspace(0.0, 1.0, 5))


def test_planar_pictures(planar, tmp_path) -> None:
    for name in ("a.png", "a.svg", "a.pdf"):
        assert planar.picture(tmp_path / name, at=0.1).stat().st_size > 5000
    assert "<svg" in (tmp_path / "a.svg").read_text()
    with Image.open(tmp_path / "a.png") as image:
        assert image.width == pytest.approx(1600, abs=2)
    assert "<img" in planar.picture(tmp_path / "a.png")._repr_html_()


@pytest.mark.skipif(next(browsers(), None) is None, reason="no Chrome, Chromium or Edge on this machine")
def test_spatial_pictures_are_those_of_the_page(spatial, tmp_path) -> None:
    """Of the stated size; another eye gives another picture, and the platform is in it."""
    one = spatial.picture(tmp_path / "one.png", at=0.25, size=(800, 600))
    other = spatial.at(0.25).picture(tmp_path / "other.png", size=(800, 600), elev=80.0, azim=0.0)
    seen = [np.asarray(Image.open(path).convert("RGB"), float) for path in (one, other)]
    assert seen[0].shape == seen[1].shape == (600, 800, 3)
    assert np.abs(seen[0] - seen[1]).mean() > 5.0
    red = (seen[0][..., 0] > 150.0) & (seen[0][..., 1] < 60.0)  # the cylinders of its legs
    assert red.sum() > 500


def test_without_a_browser_matplotlib_draws_and_says_so(spatial, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("cardan.view.picture.browsers", lambda: iter(()))
    with pytest.warns(UserWarning, match="no Chrome"):
        assert picture(spatial, tmp_path / "p.png").stat().st_size > 5000


def test_a_browser_that_fails_is_named(spatial, tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("CARDAN_BROWSER", str(tmp_path / "nothing"))
    with pytest.raises(ModelError, match="nothing"):
        spatial.picture(tmp_path / "p.png")
    assert not (tmp_path / "p.png").exists()


def test_rejected(planar, tmp_path) -> None:
    for options, words in (({"size": (5, 5)}, "100 to 10000"), ({"at": 9.0}, "")):
        with pytest.raises(ModelError, match=words):
            planar.picture(tmp_path / "x.png", **options)
    with pytest.raises(ModelError, match="png"):
        planar.picture(tmp_path / "x.bmp")


def test_command_line(tmp_path, capsys) -> None:
    target = tmp_path / "crank.svg"
    assert main(["picture", "slider-crank", "--at", "0.2", "--out", str(target)]) == 0 and target.exists()
    assert main(["picture", "slider-crank", "--size", "big", "--out", str(target)]) == 2
    assert "1600x1000" in capsys.readouterr().err
