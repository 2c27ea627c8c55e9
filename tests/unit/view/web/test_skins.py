"""Flexible bodies in pages: the browser deforms and colors them from modes and modal coordinates."""

from __future__ import annotations

import gzip
import io
import json
from typing import Any

import numpy as np
import pytest

from cardan.view.shapes.skin import Skin, skins_of
from cardan.view.stage.stage import poses
from cardan.view.web.document import page_of
from cardan.view.web.skins import MOST_NUMBERS, coarser
from flexible_cantilevers import LENGTH, STRESS, planar_cantilever, spatial_cantilever
from pages import from_disk

Image = pytest.importorskip("PIL.Image")


@pytest.fixture(scope="module", params=[planar_cantilever, spatial_cantilever])
def rest(request):
    return request.param()


def color(page: Any, place: list[float]) -> np.ndarray:
    """Red, green and blue at a global point, 0 to 255."""
    seen = np.asarray(Image.open(io.BytesIO(page.locator("#view").screenshot())).convert("RGB"), float)
    box = page.locator("#view").bounding_box()
    x, y = page.evaluate("p => cardan.screen(p)", place)
    return seen[round(y - box["y"]), round(x - box["x"])]


def test_document_states_modes_once_and_coordinates_per_frame(rest) -> None:
    data = gzip.decompress(page_of(rest).packed())
    found = json.loads(data[4 : 4 + int.from_bytes(data[:4], "little")])
    ((skin,), (clip,)) = found["skins"], found["clips"]
    modes = rest.model["bar"].part.modes
    assert (skin["modes"], skin["first"], set(skin["interfaces"])) == (modes, 0, {"root", "tip"})
    assert skin["shapes"]["columns"] == 3 * modes and skin["stress"]["columns"] == 6 * modes
    assert (clip["modal"]["rows"], clip["modal"]["columns"]) == (1, modes)
    assert clip["stress"]["limit"] == pytest.approx(STRESS, rel=1e-4)
    assert (clip["stress"]["unit"], clip["stress"]["body"]) == ("MPa", "bar")
    (tip,) = [name for name in found["names"] if name["text"] == "tip"]
    assert tip["at"]["interface"] == "tip"


def test_the_browser_deforms_as_python_does(rest, browser, tmp_path) -> None:
    """Points to 1/65534 of their range; magnified by 10 the tip of 1 m sags by 48 mm."""
    rest.save(tmp_path / "a.html")
    with from_disk(browser, tmp_path / "a.html") as page:
        for scale in (0.0, 1.0, 10.0):
            page.evaluate("s => cardan.deform(s)", scale)
            page.wait_for_timeout(200)
            ((_, _, points),) = poses(rest, scale).skins
            for k in (0, len(points) // 2, len(points) - 1):
                found = np.array(page.evaluate("k => cardan.skin('bar', k)", k))[: points.shape[1]]
                np.testing.assert_allclose(found, points[k], atol=(1.0 + scale) * 4e-5)
        assert {0, 1, 10} <= set(page.evaluate("cardan.deformation.scales"))


def test_stress_is_seen(browser, tmp_path) -> None:
    """Red at the clamp, blue at the tip, also where magnified deformation has brought it; without colors neither."""
    rest = planar_cantilever()
    rest.save(tmp_path / "a.html")
    with from_disk(browser, tmp_path / "a.html") as page:
        page.evaluate("cardan.deform(5)")
        page.wait_for_timeout(300)
        ((skin, _, points),) = poses(rest, 5.0).skins
        near = [
            skin.points[:, 0] == skin.points[np.argmin(np.abs(skin.points[:, 0] - x)), 0] for x in (0.05, 0.95 * LENGTH)
        ]
        clamp, tip = ([*points[chosen].mean(axis=0), 0.0] for chosen in near)
        red, blue = color(page, clamp), color(page, tip)
        assert red[0] > red[2] + 60.0 and blue[2] > blue[0] + 60.0
        assert color(page, [*rest["tip"].position * (0.95, 1.0), 0.0]).min() > 225.0  # the bar is not where it truly is
        page.locator("#stress").click()
        page.wait_for_timeout(300)
        assert np.abs(color(page, clamp) - color(page, tip)).max() < 12.0


def test_fine_skins_are_drawn_coarser(rest) -> None:
    """Triangles keep three different corners, and the points stay within the limit of a page."""
    (skin,) = skins_of(rest.system)
    assert len(coarser(skin)[0]) == len(skin.points)
    rng = np.random.default_rng(3)
    count, modes = 80_000, skin.part.modes
    points = rng.uniform(size=(count, 3))
    fine = Skin(
        skin.body, points, np.zeros((count, 3, modes)), rng.integers(count, size=(60_000, 3)), [], None, skin.fit, 0, 0
    )
    kept, which, triangles = coarser(fine)
    assert np.abs(points[kept][which] - points).max() < 0.1
    assert len(kept) * 3 * modes <= MOST_NUMBERS and triangles.max() < len(kept)
    assert (np.diff(np.sort(triangles, axis=1), axis=1) > 0).all()


def test_a_page_grows_little_with_its_frames(rest) -> None:
    """Another frame adds the modal coordinates, not the points."""
    run = rest.as_trajectory()
    assert len(page_of(run).packed()) < 60_000
