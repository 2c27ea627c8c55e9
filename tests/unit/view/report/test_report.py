"""Reports: the same bytes for the same input, all numbers inside, nothing outside, faults flagged."""

import copy
import math
import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

from cardan import ModelError, inverse_dynamics, kinematics, load_model, simulate
from cardan.cli import main
from cardan.examples import data, load
from cardan.planar import Body, Model
from cardan.view.report import report as report_of
from cardan.view.report.collect import collect
from cardan.view.report.content import Figure, Paragraph, Report, ReportTable, Section, Verdicts
from cardan.view.report.digest import digest
from cardan.view.report.html import html_page
from cardan.view.report.paper import pdf_pages, source_of

pytest.importorskip("matplotlib")
SHOW = ("motor.force", "piston.ax")
QUIET = {"show": (), "title": None, "date": "", "again": False, "live": False}


@pytest.fixture(scope="module")
def engine():
    example = load("slider-crank-forces")
    return inverse_dynamics(example.build(), np.linspace(*example.TIMES[:2], 41))


@pytest.fixture(scope="module")
def content(engine):
    return collect({"inverse dynamics": engine}, show=SHOW, title=None, date="", again=True, live=False)


def tables(report, title):
    (section,) = (section for section in report.sections if section.title == title)
    return [block for block in section.blocks if isinstance(block, ReportTable)]


def test_the_report_has_all_sections(content):
    titles = [section.title for section in content.sections]
    assert titles == ["Mechanism", "Model", "Mobility", "Analysis", "Motion", "Reactions", "Self-check"]
    assert content.good
    assert "3 bodies, 4 joints, 1 driver, 1 force" in content.about


def test_its_numbers_are_those_of_the_result(engine, content):
    bodies = tables(content, "Model")[0]
    assert bodies.rows[0][:2] == ("crank", 0.6)
    found = engine.bearings()
    loads = {row[0]: row[1:5] for row in tables(content, "Reactions")[0].rows}
    for bearing in found:
        assert loads[bearing.name] == (bearing.largest, bearing.time, bearing.mean, bearing.rms)
    driver = next(table for table in tables(content, "Reactions") if table.heads[0] == "driver").rows[0]
    assert driver[1] == pytest.approx(engine["motor"].force[np.argmax(np.abs(engine["motor"].force))])
    assert driver[4] == pytest.approx(np.abs(engine["motor"].power).max())
    cut = tables(content, "Reactions")[-1]
    assert cut.rows[-1][0] == "sum"
    made = dict(tables(content, "Self-check")[0].rows)
    assert made["digest of the model"] == digest(engine.model)


def test_same_input_same_bytes(engine, content):
    again = collect({"inverse dynamics": engine}, show=SHOW, title=None, date="", again=True, live=False)
    assert html_page(again) == html_page(content)
    assert source_of(again) == source_of(content)
    assert "1 May" in html_page(replace(content, date="1 May"))
    assert "1 May" in source_of(replace(content, date="1 May"))[0]


def test_the_page_needs_nothing_else(content):
    """No address of a network, no script, no file: only data inside the page. All tags are closed."""
    page = html_page(content)
    assert not re.search(r"(src|href)=\"(?!data:|#)", page)
    assert "<script" not in page
    assert "http" not in re.sub(r'src="data:[^"]*"', "", page)
    parser = Balanced()
    parser.feed(page)
    assert parser.open == []


class Balanced(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open = []

    def handle_starttag(self, tag, attrs):
        if tag not in ("meta", "img"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_names_cannot_break_the_page():
    """What a user calls things is text, in HTML as in typst."""
    wild = 'rod <b>"#x"</b> \\ [1] $a$'
    blocks = (Paragraph(wild), ReportTable((wild, "n"), ((wild, 1.0),), wild))
    report = Report(wild, wild, True, (Section(wild, blocks),))
    assert "<b>" not in html_page(report)
    pytest.importorskip("typst")
    assert pdf_pages(report).startswith(b"%PDF")


def test_faults_are_flagged_on_the_page(engine):
    spoiled = copy.copy(engine)
    spoiled.loads = copy.copy(engine.loads)
    spoiled.loads.multipliers = engine.loads.multipliers * 1.01
    report = collect({"spoiled": spoiled}, show=SHOW, title=None, date="", again=False, live=False)
    assert not report.good
    (verdicts,) = (block for block in report.sections[-1].blocks if isinstance(block, Verdicts))
    assert {line.name for line in verdicts.lines if line.verdict == "flagged"} >= {"free bodies"}
    page = html_page(report)
    assert "self-check flagged" in page
    assert 'class="badge flagged"' in page


def test_pdf_and_page_are_written(engine, content, tmp_path):
    """What is written is what was collected in another pass, to the byte."""
    pytest.importorskip("typst")
    first = engine.report(tmp_path / "one.pdf", show=SHOW).read_bytes()
    assert first.startswith(b"%PDF")
    assert pdf_pages(content) == first
    for wrong, words in (("x.doc", "ends in .html or .pdf"), ("no/x.pdf", "no folder")):
        with pytest.raises(ModelError, match=words):
            engine.report(tmp_path / wrong)


def stub_page(run, path, show=()):
    path.write_text(f'<p class="live">{run.model.name}</p>', encoding="utf-8")


def broken_page(run, path, show=()):
    raise ModelError("no runtime")


def test_kinematics_is_reported_without_forces(monkeypatch, tmp_path):
    example = load("four-bar")
    run = kinematics(example.build(), np.linspace(*example.TIMES[:2], 21))
    monkeypatch.setattr("cardan.view.web.page.page", stub_page)
    report = collect({"run": run}, show=(), title=None, date="", again=True, live=True)
    page = html_page(report)
    assert page.count("<iframe") == 1
    assert "&lt;p class=&quot;live&quot;&gt;four-bar" in page  # whole in itself, as text of the frame
    monkeypatch.setattr("cardan.view.web.page.page", broken_page)
    written = run.report(tmp_path / "page.html").read_text(encoding="utf-8")
    assert "The moving view is left out: no runtime" in written
    assert [s.title for s in report.sections] == ["Mechanism", "Model", "Mobility", "Analysis", "Motion", "Self-check"]
    assert any(isinstance(block, Figure) for block in report.sections[4].blocks)


def test_all_analyses_of_a_model_file_have_a_section(tmp_path, capsys):
    """A file that asks for an equilibrium, a linearization and a motion: one command, one document, all decided."""
    target = tmp_path / "pendulum.html"
    assert main(["report", str(data("pendulum.yaml")), "--out", str(target)]) == 0
    page = target.read_text(encoding="utf-8")
    for title in ("rest: equilibrium", "swing: linearization", "fall: dynamics", "Self-check"):
        assert f"<h2>{title}</h2>" in page
    assert page.count("<thead><tr><th>check</th>") == 3
    for word in ("constraints", "balance", "slopes", "modes", "accuracy", "uniqueness"):
        assert f"<td>{word}</td>" in page
    # omega = sqrt(3 g / 2 l) of a thin rod about its end
    assert f"{math.sqrt(1.5 * 9.81):.6g}" in page


def test_equilibria_modes_and_bad_mixtures():
    bridge = load_model(data("rope-bridge.yaml"))
    rest = bridge.run("hanging")
    both = collect({"hanging": rest, "swaying": bridge.run("swaying")}, **QUIET)
    assert [section.title for section in both.sections][3:5] == ["hanging: equilibrium", "swaying: modes"]
    assert both.good
    alone = collect({"hanging": rest}, **QUIET)
    assert [s.title for s in alone.sections] == [
        "Mechanism", "Model", "Mobility", "Analysis", "Motion", "Reactions", "Self-check"
    ]  # fmt: skip
    rest.imbalance = 1.0
    assert not collect({"hanging": rest}, **QUIET).good
    for wrong in ({}, {"x": 3.0}, 3.0):
        with pytest.raises(ModelError, match="a report is made of a result of an analysis"):
            report_of(wrong, "x.html")
    pendulum = load_model(data("pendulum.yaml"))
    with pytest.raises(ModelError, match="covers one model, but these results are of pendulum, rope-bridge"):
        report_of({"one": rest, "two": pendulum.run("rest")}, "x.html")


def test_a_missing_mesh_is_named(tmp_path):
    example = load("spatial-slider-crank")
    run = kinematics(example.build(), np.linspace(*example.TIMES[:2], 11))
    page = run.report(tmp_path / "x.html", meshes={"rod": tmp_path / "rod.stl"}).read_text(encoding="utf-8")
    assert "<p>The mesh of &#x27;rod&#x27; is missing, its joints show it:" in page
    assert page.count("<iframe") == 1


def test_a_model_without_joints_or_shapes_has_its_report():
    """Bodies are dots; there is nothing to say of reactions."""
    model = Model("stones", gravity=(0.0, -9.81))
    for k in range(2):
        model.add(Body(mass=1.0, inertia=1.0, position=(k, 0.3 * k)), name=f"stone {k}")
    run = simulate(model, 1.0, output=0.1)
    found = collect({"fall": run}, **QUIET)
    assert [s.title for s in found.sections] == ["Mechanism", "Model", "Mobility", "Analysis", "Motion", "Self-check"]
    ids = {artist.get_gid() for artist in run.at(0.5).draw().get_children() if artist.get_gid()}
    assert {"stone 0:disk", "stone 1:disk"} <= ids
    tall = Figure(b'<svg xmlns="x" width="100pt" height="400pt">', "tall")
    assert tall.height_to_width == 4.0
    # 120 mm high, so 30 mm wide of 166 mm
    assert "block(width: 18.1%" in source_of(Report("t", "", True, (Section("s", (tall,)),)))[0]


def test_the_digest_sees_every_number():
    build = load("four-bar").build
    first = digest(build())
    other = build()
    object.__setattr__(other["crank"], "mass", 1.0)
    assert first == digest(build())
    assert first != digest(other)
    import math

    arm = load("slider-crank-forces").build
    assert digest(arm()) != digest(arm(peak=12000.0 * (1.0 + 1e-15 * math.e)))
