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


def test_motions_and_modes_play_in_a_frame(pendulum) -> None:
    """The frame contains the whole page, escaped, and is sandboxed: its scripts reach nothing outside."""
    from html import unescape

    for name, thing in shown_things(pendulum).items():
        found = re.findall(r'<iframe srcdoc="([^"]*)" sandbox="([^"]*)"', thing._repr_html_())
        assert len(found) == (name not in ("model", "rest")), name
        for page, sandbox in found:
            assert unescape(page).startswith("<!DOCTYPE html>") and 'id="document"' in unescape(page)
            assert "allow-same-origin" not in sandbox


def test_tables_are_data_frames(pendulum) -> None:
    pandas = pytest.importorskip("pandas")
    run = simulate(pendulum, 0.1, output=0.02, progress=False)
    table, frame = run.table(), run.to_pandas()
    assert isinstance(frame, pandas.DataFrame) and frame.index.name == "time" and len(frame) == 6
    assert np.array_equal(frame["rod.angle"], table["rod.angle"]) and frame.attrs["units"]["rod.angle"] == "rad"
    html = table._repr_html_()
    assert html.count("<tr>") == 8 and "6 rows" in html  # names, units, six rows


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


def executed(cells: list[str], tmp_path, monkeypatch):
    """A notebook after its cells ran, in a kernel of this source tree."""
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).resolve().parents[3] / "src"))  # of the kernel's process
    monkeypatch.delenv("MPLBACKEND", raising=False)
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in cells])
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    return notebook


def pictures(cell) -> int:
    return sum("image/png" in output.get("data", {}) for output in cell.outputs)


START = """import numpy as np
from cardan import inverse_dynamics, mobility
from cardan.examples import load
model = load("slider-crank").build()
run = inverse_dynamics(model, np.linspace(0, 0.6, 61))"""


@pytest.mark.slow
def test_each_picture_is_shown_once_without_imports(tmp_path, monkeypatch) -> None:
    """Axes and figures that end a cell, or are made on the way, are shown once; a report shows none."""
    cells = {
        START: 0,
        "run.plot('slider.x')": 1,
        "ax = run.plot('slider.x')": 1,
        "run.plot('slider.x', 'motor.force')": 1,
        "run.at(0.1).draw()": 1,
        "run.velocity_polygon(0.1).draw()": 1,
        "run.plot('slider.x')\nrun.free_body('rod', at=0.1).draw()": 2,
        "run.report('r.html', again=False)": 0,
        "run": 0,
        "import matplotlib.pyplot as plt\nrun.acceleration_polygon(0.1).draw()": 1,
    }
    notebook = executed([*cells], tmp_path, monkeypatch)
    for cell, count in zip(notebook.cells, cells.values(), strict=True):
        assert pictures(cell) == count, cell.source


@pytest.mark.slow
def test_a_notebook_plays_after_nbconvert_without_a_network(tmp_path, monkeypatch) -> None:
    """The template of nbconvert itself loads scripts from the network; "basic" is the cells alone."""
    nbconvert, pandas = pytest.importorskip("nbconvert"), pytest.importorskip("pandas")
    more = ["model", "mobility(model)", "run", "run.at(0.1)", "run.view()", "run.table()", "run.to_pandas()"]
    more.append("run.animate('a.gif', seconds=0.2, size=(160, 120), progress=False)")
    notebook = executed([START, *more], tmp_path, monkeypatch)
    shown = {
        cell.source: "".join(out.get("data", {}).get("text/html", "") for out in cell.outputs)
        for cell in notebook.cells
    }
    for name in ("mobility(model)", "run", "run.view()"):
        assert shown[name].count("<iframe srcdoc=") == 1, name
    assert "<td>" in shown["run.table()"] and "dataframe" in shown["run.to_pandas()"] and pandas
    assert "data:image/gif" in shown[more[-1]]
    html, _ = nbconvert.HTMLExporter(template_name="basic").from_notebook_node(notebook)
    assert html.count(" srcdoc=") == 3 and html.count(PICTURE) >= 3
    assert not re.search(r"(src|href)=.?https?:", html)
