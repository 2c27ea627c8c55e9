"""Moving pictures: as many frames as asked for, each at its instant."""

from __future__ import annotations

import time

import numpy as np
import pytest

from cardan import ModelError, kinematics
from cardan.examples import load
from cardan.view.animate import frames

pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def run():
    return kinematics(load("four-bar").build(), np.linspace(0.0, 1.0, 101))


def test_gif_has_its_frames_and_its_pace(run, tmp_path) -> None:
    image = pytest.importorskip("PIL.Image")
    path = run.animate(tmp_path / "four-bar.gif", fps=20, seconds=0.5, size=(320, 240))
    with image.open(path) as picture:
        assert picture.n_frames == 10
        assert picture.size == (320, 240)
        assert picture.info["duration"] == 50  # ms


def test_mp4_has_its_frames(run, tmp_path) -> None:
    ffmpeg = pytest.importorskip("imageio_ffmpeg")
    path = run.animate(tmp_path / "four-bar.mp4", fps=25, seconds=0.6, size=(321, 241))
    count, seconds = ffmpeg.count_frames_and_secs(str(path))
    assert count == 15
    assert seconds == pytest.approx(0.6, abs=0.05)  # the container rounds to its clock
    assert next(ffmpeg.read_frames(str(path)))["size"] == (320, 240)  # codecs want even sizes


def test_frames_move_and_the_ground_does_not(run) -> None:
    first, second, again = frames(run, np.array([0.0, 0.3, 0.0]), (320, 240))
    assert first.shape == (240, 320, 3)
    assert np.array_equal(first, again)
    changed = np.any(first != second, axis=2)
    assert 0.01 < changed.mean() < 0.5
    assert not changed[-20:].any()  # the axis below stays


def test_a_hundred_frames_take_seconds(run, tmp_path) -> None:
    begun = time.perf_counter()
    run.animate(tmp_path / "run.gif", fps=25, seconds=120 / 25)
    assert time.perf_counter() - begun < 20.0  # 2 s on an idle machine


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("run.avi", {}, r"'run.avi'.*\.gif or \.mp4"),
        ("run.gif", {"fps": 0}, "frames per second"),
        ("run.gif", {"seconds": -1.0}, "frames per second"),
    ],
)
def test_wrong_requests_are_one_sentence(run, tmp_path, name, options, message) -> None:
    with pytest.raises(ModelError, match=message):
        run.animate(tmp_path / name, **options)
    assert not list(tmp_path.iterdir())


def test_one_instant_does_not_move(tmp_path) -> None:
    single = kinematics(load("four-bar").build(), [0.0])
    with pytest.raises(ModelError, match="1 output times"):
        single.animate(tmp_path / "run.gif")


def test_a_car_is_followed() -> None:
    """After 100 m it is as large in the film as at the start: the dark pixels of its wheels span the same width."""
    from cardan.case import load_case

    run = load_case("vehicle", {}).compute()
    spans = []
    for picture in frames(run, np.array([0.5, 8.0]), (320, 240)):
        columns = np.flatnonzero((picture[40:].max(axis=2) < 90).any(axis=0))
        spans.append(np.ptp(columns))
    assert spans[1] == pytest.approx(spans[0], rel=0.15) and spans[0] > 100
