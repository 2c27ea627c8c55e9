"""What notebooks show: tables and pictures inside the page, also after nbconvert and without a network."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from cardan import equilibrium, inverse_dynamics, kinematics, linearize, mobility, simulate  # noqa: E402
from cardan.examples import load  # noqa: E402

PICTURE = "data:image/png;base64,"


@pytest.fixture(scope="module")
def pendulum():
    return load("pendulum").build()


def shown_things(model):
    crank = load("slider-crank").build()
    rest = equilibrium(model, progress=False)
    linear = linearize(model, at=rest)
    return {
        "model": crank,
        "mobility": mobility(crank),
        "trajectory": kinematics(crank, np.linspace(0.0, 0.2, 5)),
        "forces": inverse_dynamics(crank, np.linspace(0.0, 0.2, 5)),
        "simulation": simulate(model, 0.1, output=0.02, progress=False),
        "rest": rest,
        "linearization": linear,
        "modes": linear.modes(),
    }


def test_all_kinds_show_a_table_and_a_picture(pendulum) -> None:
    for name, thing in shown_things(pendulum).items():
        html = thing._repr_html_()
        assert "<table" in html, name
        assert (PICTURE in html) == (name != "mobility"), name
        assert not re.search(r"(src|href)=.?https?:", html), name


def test_values_stand_in_the_table(pendulum) -> None:
    """The slider runs from 0.3 to 0.7 m; a crank, a rod and a slider have nine coordinates."""
    crank = load("slider-crank").build()
    run = kinematics(crank, np.linspace(0.0, 2.0 * np.pi / 10.0, 9))
    html = run._repr_html_()
    row = re.search(r"<tr>(?:(?!</tr>).)*>slider\.x<.*?</tr>", html) or re.search(r">crank\.x<.*?</tr>", html)
    assert row is not None and "and " in html  # more columns than lines
    assert ">9<" in mobility(crank)._repr_html_()
    assert ">Translational<" in crank._repr_html_()


def test_names_are_escaped() -> None:
    from cardan.planar import Body, Model

    model = Model("<script>alert(1)</script>")
    model.add(Body(), name="<b>")
    html = model._repr_html_()
    assert "<script" not in html and "<b>" not in html and "&lt;b&gt;" in html


def test_without_matplotlib_the_table_is_left(pendulum, monkeypatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    monkeypatch.delitem(sys.modules, "matplotlib.pyplot", raising=False)
    html = equilibrium(pendulum, progress=False)._repr_html_()
    assert "<table" in html


@pytest.mark.slow
def test_a_notebook_survives_nbconvert_without_a_network(tmp_path, monkeypatch) -> None:
    """The template of nbconvert itself loads scripts from the network; "basic" is the cells alone."""
    nbformat, nbconvert = pytest.importorskip("nbformat"), pytest.importorskip("nbconvert")
    pytest.importorskip("ipykernel")
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).resolve().parents[3] / "src"))  # of the kernel's process
    from nbconvert.preprocessors import ExecutePreprocessor

    cells = [
        "import numpy as np\nfrom cardan import kinematics, mobility\nfrom cardan.examples import load\n"
        "model = load('slider-crank').build()\nmodel",
        "mobility(model)",
        "run = kinematics(model, np.linspace(0, 0.6, 61))\nrun",
        "run.at(0.1)",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in cells])
    ExecutePreprocessor(timeout=300).preprocess(notebook, {"metadata": {"path": str(tmp_path)}})
    exporter = nbconvert.HTMLExporter(template_name="basic")
    html, _ = exporter.from_notebook_node(notebook)
    assert html.count("<table") >= 4 and html.count(PICTURE) >= 3
    assert not re.search(r"https?://", html)
