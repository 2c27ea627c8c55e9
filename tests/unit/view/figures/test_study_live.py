"""Live pictures: what is drawn while a study or a search runs, in files, pages, notebooks, windows and on terminals."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from cardan import ModelError, study  # noqa: E402
from cardan.examples import load  # noqa: E402
from cardan.planar import Body, Model  # noqa: E402
from cardan.study import global_search, identify, monitor, pareto_front  # noqa: E402
from cardan.view.dots import BLANK, dotted  # noqa: E402
from cardan.view.figures.study import surface  # noqa: E402
from cardan.view.figures.study_live import live  # noqa: E402

TIMES = np.linspace(0.0, 0.6, 11)


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every part and generation is looked at."""
    monkeypatch.setattr(monitor, "GLANCE", 0.0)
    monkeypatch.setattr(monitor, "SHARE", 0.0)


def rates(**options: Any) -> Any:
    plan = {"motor.motion.rate": [5.0, 8.0, 12.0]}
    asked: dict[str, Any] = {"times": TIMES, "chunk": 1, "threads": 1, **options}
    return study(load("slider-crank").build(), plan, "kinematics", ["slider.x", "slider.vx:peak"], **asked)


def mass() -> Model:
    model = Model("mass")
    model.add(Body(mass=2.0, inertia=1.0), name="body")
    return model


def test_dots_stand_where_points_are() -> None:
    lines = dotted(np.array([0.0, 1.0, np.nan]), np.array([-1.0, 3.0, 0.0]), 10, 3)
    assert lines[0] == " 3 |" + chr(BLANK) * 9 + chr(BLANK + 0x08)  # top right
    assert lines[2] == "-1 |" + chr(BLANK + 0x40) + chr(BLANK) * 9  # bottom left
    assert lines[3] == "    0        1"
    assert dotted(np.array([np.nan]), np.array([1.0])) == []
    assert len(dotted(np.array([1.0]), np.array([2.0]))) == 13  # a single point has no range, and is shown


def test_a_page_loads_itself_anew_until_all_is_there(tmp_path: Path) -> None:
    pages = []
    show = live("slider.x", path=tmp_path / "now.html")

    def watch(found: Any) -> None:
        show(found)
        pages.append((tmp_path / "now.html").read_text())

    rates(watch=watch)
    assert len(pages) == 4  # after each part, and at the end
    assert ["refresh" in page for page in pages] == [True, True, False, False]
    assert "data:image/svg+xml;base64," in pages[0] and "http://" not in pages[0].replace("http-equiv", "")
    assert "1 of 3 samples" in pages[0] and "3 of 3 samples" in pages[-1]
    assert not [*tmp_path.glob("*.tmp")]


def test_a_picture_of_ones_own_choice(tmp_path: Path) -> None:
    model = load("slider-crank").build()
    plan = {"motor.motion.rate": [5.0, 8.0], "A.a.x": [0.0, 0.1]}
    show = live("slider.vx:peak", draw=surface, path=tmp_path / "now.png")
    study(model, plan, "kinematics", ["slider.vx:peak"], times=TIMES, watch=show)
    assert (tmp_path / "now.png").read_bytes()[:4] == b"\x89PNG"


def test_a_terminal_gets_dots(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    rates(watch=live("slider.x", where="terminal"))
    plain = capsys.readouterr().err
    assert plain.startswith("slider.x over time\n") and plain.count("over time") == 2  # the last part, and the end
    assert any(ord(letter) > BLANK for letter in plain) and "\x1b" not in plain
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    rates(watch=live("slider.vx:peak", where="terminal"), progress=False)
    moving = capsys.readouterr().err
    assert moving.count("\x1b[14A\r") == 2  # back to the line of the progress bar, after parts that are not the last
    assert moving.rstrip().endswith("5" + " " * 61 + "12")


def test_a_notebook_replaces_one_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    display = pytest.importorskip("IPython.display")
    shown: list[bytes] = []
    handle = SimpleNamespace(update=lambda image: shown.append(image.data))

    def first(image: Any, display_id: bool) -> Any:
        assert display_id
        shown.append(image.data)
        return handle

    monkeypatch.setattr(display, "display", first)
    shell = type("ZMQInteractiveShell", (), {})()
    monkeypatch.setattr(sys.modules["IPython"], "get_ipython", lambda: shell)
    rates(watch="slider.x")  # the name alone asks for a live picture
    assert len(shown) == 4 and all(data.startswith(b"\x89PNG") for data in shown)
    assert shown[0] != shown[-1]


def test_a_window_of_pyplot(monkeypatch: pytest.MonkeyPatch) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    calls: list[bool] = []
    monkeypatch.setattr(pyplot, "show", lambda block: calls.append(block))
    before = set(pyplot.get_fignums())
    rates(watch=live("slider.x", where="window"))
    (number,) = set(pyplot.get_fignums()) - before
    assert len(pyplot.figure(number).axes[0].lines) == 3 and calls == [False] * 4
    pyplot.close(number)


def test_searches_are_watched(tmp_path: Path) -> None:
    seen: list[Any] = []
    parabola = {"f": lambda value: (value - 1.0) ** 2 + 0.5}
    found = global_search(
        mass(), {"body.mass": (0.1, 3.0)}, parabola, lambda model: model["body"].mass,
        generations=4, population=5, tolerance=1e-30, watch=seen.append,
    )  # fmt: skip
    assert [one.complete for one in seen] == [False] * 4 + [True] and seen[-1] is found
    assert [len(one.history) for one in seen] == [1, 2, 3, 4, 4]
    assert "still searching" in repr(seen[0])
    ax = found.plot()
    assert ax.lines[0].get_ydata().tolist() == list(found.history)
    live(path=tmp_path / "search.html")(found)
    assert "refresh" not in (tmp_path / "search.html").read_text()


def test_fronts_and_fits_are_watched(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    two = {"low": lambda x: (x - 1.0) ** 2, "high": lambda x: (x - 3.0) ** 2}
    seen: list[Any] = []
    ranges = {"body.mass": (0.1, 6.0)}
    weigh = lambda model: model["body"].mass  # noqa: E731
    front = pareto_front(mass(), ranges, two, weigh, population=6, generations=3, watch=seen.append)
    assert [one.complete for one in seen] == [False] * 3 + [True] and seen[-1] is front
    live(path=tmp_path / "front.png")(seen[0])
    assert (tmp_path / "front.png").stat().st_size > 5000
    live(where="terminal")(front)
    assert capsys.readouterr().err.startswith("high over low\n")
    seen.clear()
    fit = identify(mass(), ranges, {lambda value: value: 1.5}, weigh, watch=seen.append)
    assert seen[-1] is fit and not seen[0].complete and fit.values["body.mass"] == pytest.approx(1.5)
    assert list(fit.history) == sorted(fit.history, reverse=True)


def test_what_cannot_be_watched_is_rejected() -> None:
    with pytest.raises(ModelError, match=r"watch of study\(\)"):
        rates(watch=3.0)
    with pytest.raises(ModelError, match="where live"):
        live("slider.x", where="wall")
