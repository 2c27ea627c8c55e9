"""The color of a body: stated once, the same in pictures, pages and the studio, kept by files, imports and lifting."""

from __future__ import annotations

import pytest

from cardan import assemble, load_model, planar, save_model, spatial
from cardan.errors import ModelError
from cardan.model.check import COLORS, color_code
from cardan.spatial import lift
from cardan.studio.document import NEW, Document
from cardan.studio.session import Session
from cardan.view import style
from cardan.view.web.document import page_of
from cardan.view.web.encode import Blob
from cardan.view.web.shapes import describe


def linkage(**look: str) -> planar.Model:
    model = planar.Model("colored")
    for name, stated in look.items():
        body = model.add(planar.Body(mass=1.0, inertia=0.1, color=stated), name=name)
        model.add(planar.Revolute(model.ground.at(), body.at()), name=f"{name} pin")
    return model


def test_a_color_is_a_code_or_a_name() -> None:
    assert color_code("#8BF", "it") == "#88bbff" and color_code(" Orange ", "it") == COLORS["orange"]
    for wrong in ("chartreusey", "#12345", "rgb(1, 2, 3)", 7, None):
        with pytest.raises(ModelError, match="color"):
            color_code(wrong, "the color of body 'arm'")


def test_others_keep_the_palette() -> None:
    model = linkage(arm="#102030", leg="")
    colors = [style.colors_of(body, k) for k, body in enumerate(model.bodies)]
    assert colors == [("#102030", "#09121a"), style.BODIES[1]]  # the outline has 0.55 of the light


def test_pages_and_the_studio_have_it() -> None:
    model = linkage(arm="teal", leg="")
    shown = [body["colors"][0] for body in describe(page_of(assemble(model)).scene, Blob())["bodies"]]
    assert shown == ["#d5d9e0", COLORS["teal"], style.BODIES[1][0]]
    text = f"{NEW}bodies:\n  arm: {{mass: 1, inertia: 1, color: teal}}\njoints:\n  A: revolute(ground, arm)\n"
    state = Session(Document(text), lambda message: None).state()
    assert state["picture"]["colors"][1][0] == COLORS["teal"], state["status"]


def test_pictures_have_it() -> None:
    pytest.importorskip("matplotlib")
    from matplotlib.colors import to_hex

    from cardan.view.draw import draw

    model = planar.Model("painted")
    body = model.add(planar.Body(outline=[(0, 0), (1, 0), (1, 1), (0, 0)], color="#123456"), name="arm")
    model.add(planar.Revolute(model.ground.at(), body.at()), name="pin")
    axes = draw(assemble(model))
    painted = {to_hex(patch.get_facecolor()) for patch in axes.patches}
    painted |= {to_hex(line.get_color()) for line in axes.lines}
    assert painted & {"#123456", style.colors_of(body, 0)[1]}


def test_files_and_lifting_keep_it(tmp_path) -> None:
    model = linkage(arm="purple")
    save_model(model, tmp_path / "arm.yaml")
    assert "color: purple" in (tmp_path / "arm.yaml").read_text()
    again = load_model(tmp_path / "arm.yaml").model
    assert again["arm"].color == "purple"
    in_space = lift(again)
    assert in_space["arm"].color == "purple" and isinstance(in_space["arm"], spatial.Body)


def test_imported_links_have_the_color_of_their_first_solid(tmp_path) -> None:
    link = '<link name="{}"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'
    link += '</inertial><visual><geometry><box size="1 1 1"/></geometry><material name="{}"><color rgba="{} 1"/>'
    link += "</material></visual></link>"
    text = '<robot name="r">' + link.format("base", "dark", "0 0 0") + link.format("arm", "paint", "1 0.5 0")
    text += '<joint name="j" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>'
    text += '<limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>'
    (tmp_path / "r.urdf").write_text(text)
    from cardan import from_urdf

    assert from_urdf(tmp_path / "r.urdf")["arm"].color == "#ff8000"
