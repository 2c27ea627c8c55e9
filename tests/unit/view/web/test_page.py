"""Pages in files: what they hold, what they reject, and that what is shipped is made from its sources."""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
import json
import re
import subprocess
import sys
import webbrowser
from pathlib import Path

import numpy as np
import pytest

from cardan import ModelError, assemble, equilibrium, kinematics, linearize, mobility
from cardan.errors import AssemblyError, CardanWarning
from cardan.examples import load
from cardan.planar import Body, Model, Revolute
from cardan.spatial import Body as Solid, Model as Space, Spherical
from cardan.view.web.document import mode_motion, page_of
from cardan.view.web.encode import as_text
from cardan.view.web.page import page, view

ROOT = Path(__file__).resolve().parents[4]


def document(path: Path) -> dict:
    """The JSON inside a page."""
    packed = re.search(r'id="document">([^<]*)<', path.read_text(encoding="utf-8")).group(1)
    data = gzip.decompress(base64.b85decode(packed.translate(str.maketrans(",:./[", "<>&`@"))))
    return json.loads(data[4 : 4 + int.from_bytes(data[:4], "little")])


@pytest.fixture(scope="module")
def run():
    return kinematics(load("slider-crank").build(), np.linspace(0.0, 0.6, 61))


def test_shipped_page_is_made_from_its_sources() -> None:
    web = ROOT / "web"
    if not web.is_dir():
        pytest.skip("the sources of the page are not here: an installed package")
    digest = hashlib.sha256()
    for name in [
        "package-lock.json",
        *sorted(f"src/{path.name}" for path in (web / "src").iterdir() if path.is_file()),
    ]:
        digest.update(f"{name}\n".encode())
        digest.update((web / name).read_bytes())
    built = ROOT / "src" / "cardan" / "view" / "web" / "built"
    head = gzip.decompress((built / "runtime.js.gz").read_bytes())[:200].decode()
    assert digest.hexdigest() in head, "web/ has changed since the page was built: cd web && npm ci && npm run build"
    assert (built / "page.html").read_bytes() == (web / "src" / "page.html").read_bytes()
    assert "MIT" in (built / "LICENSES.txt").read_text()


def test_packed_text_means_nothing_in_html() -> None:
    data = np.random.default_rng(0).integers(0, 256, 40_001, np.uint8).tobytes()
    text = as_text(data)
    assert not set(text) & set("<>&\"'`\\@") and text.isascii() and len(text) <= 1.2501 * len(data) + 2
    assert base64.b85decode(text.translate(str.maketrans(",:./[", "<>&`@"))) == data


def test_page_holds_bodies_shapes_motion_and_curves(run, tmp_path) -> None:
    run.save(tmp_path / "a.html", show=["slider.x"])
    found = document(tmp_path / "a.html")
    assert [body["name"] for body in found["bodies"]] == ["ground", "crank", "rod", "slider"]
    assert found["clips"][0]["poses"]["rows"] == 61
    assert found["show"] == ["slider.x"]
    assert found["clips"][0]["curves"][0]["name"] == "slider.x"
    assert {"bar", "box", "pin", "rail", "support", "arrow"} <= {shape["kind"] for shape in found["shapes"]}
    assert [pivot["name"] for pivot in found["pivots"]] == ["A"]


def test_page_has_the_units_of_the_model(run, tmp_path) -> None:
    """Axes, typed coordinates, forces and polygons; positions of the picture stay in m."""
    model = load("slider-crank").build()
    model.show_in(length="mm", angle="deg", force="kN")
    shown, plain = (document(page(one, tmp_path / "a.html")) for one in (kinematics(model, run.times), run))
    assert shown["units"]["m"] == [1000.0, "mm"] and shown["units"]["N m"] == [1.0, "kN mm"]
    assert shown["units"]["rad"][1] == "deg" and plain["units"]["m"] == [1.0, "m"]
    assert shown["high"] == plain["high"]
    ours, theirs = (one["clips"][0]["lecture"]["instants"][7]["velocity"] for one in (shown, plain))
    assert (ours["unit"], theirs["unit"]) == ("mm/s", "m/s")
    for one, other in zip(ours["corners"], theirs["corners"], strict=True):
        assert one["value"] == pytest.approx([1e3 * x for x in other["value"]], rel=1e-7)


def test_page_refers_to_no_network(run, tmp_path) -> None:
    run.save(tmp_path / "a.html")
    text = (tmp_path / "a.html").read_text(encoding="utf-8")
    frame = re.sub(r'<script type="text/plain"[^>]*>[^<]*</script>', "", text)
    assert not re.search(r"https?:|//cdn|@import|url\(", frame)


def test_source_of_the_model_is_kept_inside(run, tmp_path) -> None:
    page(run, tmp_path / "a.html", source="name: press </script>\n")
    text = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert '<div id="model" hidden>name: press &lt;/script&gt;\n</div>' in text


@pytest.mark.parametrize(
    "name",
    ["<!--<script>", "</script><script>alert(1)</script>", "@DOCUMENT@", "@MODEL@", "a\u2028b\u2029&amp;]]>'\"`"],
)
def test_names_are_data(name, tmp_path) -> None:
    """Whatever a model is called, the page has its four scripts and ends, and the name arrives as it is."""
    model = Model(name)
    link = model.add(Body(position=(1.0, 0.0), mass=1.0, inertia=1.0, outline=[(0, 0), (1, 0)]), name=name)
    model.add(Revolute(model.ground.at(), link.at()), name=f"{name} pin")
    page(model, tmp_path / "a.html", source=f"name: {name}\n")
    text = (tmp_path / "a.html").read_text(encoding="utf-8")
    frame, _, _ = text.partition("<script>")
    plain = re.sub(r'<script type="text/plain" id="(document|runtime|solver)">[!-~]*?</script>', "", frame)
    assert "<script" not in plain.lower() and "<!--" not in plain and text.lower().count("<script") == 4
    found = document(tmp_path / "a.html")
    assert found["title"] == name and found["bodies"][1]["name"] == name
    told = re.search(r'<div id="model" hidden>(.*?)</div>', text, re.DOTALL)
    assert told and html.unescape(told[1]) == f"name: {name}\n"
    assert name not in frame or not set(name) & set("<>&\"'")


def test_ghost_must_have_the_same_bodies(run, tmp_path) -> None:
    other = kinematics(load("slider-crank").build(rod=0.6), np.linspace(0.0, 0.6, 31))
    run.save(tmp_path / "a.html", ghost=other)
    assert document(tmp_path / "a.html")["ghost"] == 1
    with pytest.raises(ModelError, match="must have the bodies of 'slider-crank'"):
        run.save(tmp_path / "b.html", ghost=kinematics(load("four-bar").build(), [0.0]))


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("a.txt", {}, "ends in .html"),
        ("a.html", {"frames": 0}, "1 to 20000 frames"),
        ("a.html", {"show": ["slider.q"]}, "nothing called 'slider.q'"),
        ("a.html", {"meshes": {"rod": "rod.stl"}}, "takes an outline, not a mesh"),
    ],
)
def test_bad_options_are_rejected(run, tmp_path, name, options, words) -> None:
    with pytest.raises(ModelError, match=words):
        page(run, tmp_path / name, **options)


def test_options_of_a_table_are_rejected(run, tmp_path) -> None:
    with pytest.raises(ModelError, match="takes no options"):
        run.save(tmp_path / "a.csv", show=["slider.x"])


def test_missing_mesh_is_named_and_replaced(tmp_path) -> None:
    run = kinematics(load("spatial-slider-crank").build(), np.linspace(0.0, 0.1, 5))
    (tmp_path / "box.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n")
    names = [body.name for body in run.system.bodies]
    with pytest.warns(CardanWarning, match="gone.stl"):
        run.save(tmp_path / "a.html", meshes={names[0]: tmp_path / "gone.stl", names[1]: tmp_path / "box.obj"})
    found = document(tmp_path / "a.html")
    assert "gone.stl" in found["notes"][0]
    meshes = [shape for shape in found["shapes"] if shape["kind"] == "mesh"]
    assert [found["bodies"][shape["body"]]["name"] for shape in meshes] == [names[1]]
    assert found["geometries"][meshes[0]["points"]]["rows"] == 16  # four triangles, each with a gap


def test_bodies_without_anything_are_dots(tmp_path) -> None:
    model = Model("nothing")
    model.add(Body(position=(1.0, 2.0)), name="speck")
    assemble(model).save(tmp_path / "a.html")
    found = document(tmp_path / "a.html")
    assert found["notes"]
    assert [shape["kind"] for shape in found["shapes"]] == ["point"]
    assert [name["text"] for name in found["names"]] == ["speck"]
    assert all(low < x < high for low, x, high in zip(found["low"], (1.0, 2.0), found["high"], strict=True))


def test_no_browser_tells_where_the_file_is(run, tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.setattr(webbrowser, "open", lambda address: False)
    written = view(run, path=tmp_path / "a.html")
    assert written.is_file()
    assert str(written) in capsys.readouterr().err


def test_modes_are_clips(tmp_path) -> None:
    model = load("double-pendulum").build()
    modes = linearize(model, at=equilibrium(model)).modes()
    modes.save(tmp_path / "a.html")
    assert len(document(tmp_path / "a.html")["clips"]) == len(modes)


def test_modes_of_space_move(tmp_path) -> None:
    """A body on a ball joint swings about two axes, and turns about its own."""
    model = Space("pendulum", gravity=(0.0, 0.0, -9.81))
    bob = model.add(Solid(mass=1.0, inertia=(0.1, 0.12, 0.05), position=(0.0, 0.0, -1.0)), name="bob")
    model.add(Spherical(model.ground.at(0, 0, 0), bob.at(0, 0, 1)), name="ball")
    modes = linearize(model, at=equilibrium(model)).modes()
    assert len(page_of(modes).clips) == len(modes) > 2
    for k in np.flatnonzero(modes.oscillating):
        film = mode_motion(modes, int(k))
        assert np.abs(np.ptp(film["bob"].position, axis=0)).max() > 0.01  # m: it is seen to swing
        assert film.q[0] == pytest.approx(film.q[-1], abs=1e-9)  # one period


def three_cranks() -> Model:
    """A parallelogram with a crank too many."""
    model = Model("three cranks")
    beam = model.add(Body(mass=1.0, inertia=0.1, position=(1.0, 1.0)), name="beam")
    for k in range(3):
        crank = model.add(Body(mass=1.0, inertia=0.1, position=(k, 0.5)), name=f"crank {k}")
        model.add(Revolute(model.ground.at(k, 0.0), crank.at(0.0, -0.5)), name=f"O{k}")
        model.add(Revolute(crank.at(0.0, 0.5), beam.at(k - 1.0, 0.0)), name=f"P{k}")
    return model


def test_mobility_shows_free_motions_and_what_is_redundant(tmp_path) -> None:
    report = mobility(three_cranks())
    report.save(tmp_path / "why.html")
    found = document(tmp_path / "why.html")
    free, redundant = found["findings"]
    assert (free["kind"], free["clip"]) == ("free", 1)
    assert found["clips"][1]["poses"]["rows"] > 20
    element = found["elements"][redundant["elements"][0]]["name"]
    assert redundant["kind"] == "redundant"
    assert (element, "'P0'" in redundant["text"]) == ("P2", True)


def test_open_joint_is_shown_with_its_gap(tmp_path) -> None:
    model = Model("too far")
    rod = model.add(Body(mass=1.0, inertia=0.1, position=(0.5, 0.0)), name="rod")
    model.add(Revolute(model.ground.at(0.0, 0.0), rod.at(-0.5, 0.0)), name="A")
    model.add(Revolute(model.ground.at(1.3, 0.0), rod.at(0.5, 0.0)), name="B")
    with pytest.raises(AssemblyError) as stop:
        assemble(model)
    stop.value.partial.save(tmp_path / "open.html")
    page(model, tmp_path / "model.html")  # a model that does not close shows the same
    for name in ("open.html", "model.html"):
        gaps = [finding["gap"]["text"] for finding in document(tmp_path / name)["findings"]]
        assert gaps == ["0.15 m", "0.15 m"]  # 0.3 m too far, shared by both


def test_pages_need_no_matplotlib() -> None:
    script = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "import numpy as np, tempfile, pathlib\n"
        "from cardan import kinematics\n"
        "from cardan.examples import load\n"
        "run = kinematics(load('spatial-slider-crank').build(), np.linspace(0.0, 0.1, 3))\n"
        "path = pathlib.Path(tempfile.mkdtemp()) / 'a.html'\n"
        "run.save(path)\n"
        "print(path.stat().st_size > 200_000)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT / "src")
    assert done.stdout.strip() == "True", done.stderr
