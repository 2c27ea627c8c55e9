"""Nonsense where results are written and shown is rejected in a sentence."""

from __future__ import annotations

import html
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from cardan import (
    CardanError,
    ModelError,
    assemble,
    from_mjcf,
    from_urdf,
    kinematics,
    linearize,
    load_result,
    root_locus,
    save_model,
    simulate,
)
from cardan.planar import Body, Driver, Model, Ramp, Revolute, Spring
from cardan.view.plot import plot
from cardan.view.report import report
from cardan.view.sketch import sketch
from folding import folded


def shown(thing: Any) -> str:
    """A name of a case that is the same in every process."""
    return repr(thing).partition(" at ")[0]


THINGS = (None, float("nan"), -1, {}, [], ["a"], True, object(), 3 + 4j)


def swing() -> Model:
    model = Model("swing", gravity=(0, -9.81))
    arm = model.add(Body(mass=1.0, inertia=0.1, position=(0.5, 0)), name="arm")
    pin = model.add(Revolute(model.ground.at(), arm.at(-0.5, 0)), name="pin")
    model.add(Spring(pin.angle, 30.0, rest_angle=0.0), name="coil")
    return model


@pytest.fixture(scope="module")
def run() -> Any:
    return simulate(swing(), 0.1, output=0.05)


@folded("thing", THINGS, ids=shown)
def test_no_path(run: Any, thing: Any) -> None:
    model = run.model
    ways: list[Callable[[Any], Any]] = [run.save, run.report, run.animate, load_result, from_urdf, from_mjcf]
    for way in [*ways, lambda path: save_model(model, path)]:
        with pytest.raises(ModelError, match="must be a file path"):
            way(thing)


@pytest.mark.parametrize("thing", (-1, object(), ["nothing"], "nothing", [None]), ids=shown)
def test_nothing_to_show(run: Any, thing: Any, tmp_path: Any) -> None:
    for way in (run.save, run.report):
        with pytest.raises(CardanError):
            way(tmp_path / "x.html", show=thing)


def test_one_curve_needs_no_list(run: Any, tmp_path: Any) -> None:
    for k, show in enumerate((None, "arm.y", run.model["pin"].angle, ["arm.y"])):
        run.save(tmp_path / f"{k}.html", show=show)
        assert (tmp_path / f"{k}.html").stat().st_size > 1000


@pytest.mark.parametrize("option", [{"title": 3}, {"source": 3}, {"meshes": ["arm.stl"]}], ids=shown)
def test_options_of_pages(run: Any, option: dict[str, Any], tmp_path: Any) -> None:
    with pytest.raises(ModelError, match=f"the {[*option][0]} of a page must be"):
        run.save(tmp_path / "x.html", **option)


def test_pictures_are_drawn_into_axes(run: Any) -> None:
    with pytest.raises(ModelError, match="axes of matplotlib, got 'x.png'; .*savefig"):
        assemble(run.model).draw("x.png")


@folded("thing", ("x", [], {}, ["a"], float("nan"), object()), ids=shown)
def test_no_frequencies(thing: Any) -> None:
    linear = linearize(swing(), inputs=["coil"], outputs=["pin.angle"])
    for way in (linear.bode, linear.nyquist, linear.frequency_response):
        with pytest.raises(ModelError, match="needs finite frequencies in rad/s"):
            way(thing)


@pytest.mark.parametrize("thing", (None, 3.0, "x", object()), ids=shown)
def test_no_values(thing: Any) -> None:
    with pytest.raises(ModelError, match="root_locus.* must be a list of numbers"):
        root_locus(lambda value: swing(), thing)


@folded("thing", (None, 3, "simulate", {"type": "simulate"}, [3], ["simulate"]), ids=shown)
def test_no_analyses(thing: Any, tmp_path: Any) -> None:
    with pytest.raises(ModelError, match="analys[ie]s of"):
        save_model(swing(), tmp_path / "m.yaml", thing)


@pytest.mark.parametrize("thing", (None, [], {}, 3), ids=shown)
def test_no_name(thing: Any) -> None:
    with pytest.raises(ModelError, match="the name of an element of model 'swing' must be a text"):
        swing()[thing]


@pytest.mark.parametrize("name", ["$\\frac{$", "$x^{$", "<!--<script>&", "_{^%s"])
def test_names_are_no_formulas(name, tmp_path) -> None:
    """Names with signs that mean something to matplotlib or HTML: drawn as they are, in plots, films and reports."""
    model = Model(name)
    link = model.add(Body(position=(1.0, 0.0), mass=1.0, inertia=1.0), name=name)
    joint = model.add(Revolute(model.ground.at(), link.at(-1.0, 0.0)), name=f"{name} pin")
    model.add(Driver(joint.angle, Ramp(1.0)), name=f"{name} driver")
    run = kinematics(model, np.linspace(0.0, 1.0, 3))
    plot(run, f"{name}.x").figure.savefig(tmp_path / "plot.svg")
    sketch(run.at(0.0), title=name).figure.savefig(tmp_path / "sketch.svg")
    report(run, tmp_path / "report.html", title=name, again=False, live=False)
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "<!--<script>" not in text and html.escape(name) in text
