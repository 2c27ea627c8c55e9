"""The matter of meshes by the rules of MJCF, against MuJoCo 4.0.0 and closed forms.

The figures of MuJoCo are those of its `body_mass`, `body_ipos` and `body_inertia` for the same L-shaped prism with a
density of 1000; it keeps vertices in single precision, hence seven digits.
"""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

from cardan import ModelError
from cardan.io.mjcf.mesh_matter import mesh_matter
from cardan.io.surface import Surface
from machine_files import mjcf

SHAPE = [(0, 0), (2, 0), (2, 0.4), (0.4, 0.4), (0.4, 1.5), (0, 1.5)]
POINTS = np.array([(x, y, z) for z in (0.0, 0.5) for x, y in SHAPE])
FLAT = [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)]
FACES = np.array(
    [(a, c, b) for a, b, c in FLAT]
    + [(a + 6, b + 6, c + 6) for a, b, c in FLAT]
    + [face for i in range(6) for j in [(i + 1) % 6] for face in ((i, j, j + 6), (i, j + 6, i + 6))]
)
MUJOCO = {  # mass, center, Ixx, Ixy, Iyy, Izz
    "legacy": (794.8534069, (0.70108282, 0.52085569, 0.25), 143.75726129, 96.56223775, 266.22966393, 379.78225658),
    "convex": (1060.0, (0.80628931, 0.5908805, 0.25), 182.26184577, 89.87253669, 323.908073, 462.00325194),
    "exact": (620.0, (0.71612903, 0.46612903, 0.25), 120.2720443, 85.16129098, 240.02204564, 334.46075627),
    "shell": (5980.0, (0.73511706, 0.48511706, 0.25), 1491.85875994, 912.3745825, 2731.27543197, 3767.30085455),
}
FILE = """<mujoco>{compiler}<asset><mesh name="m" vertex="{points}" face="{faces}" {rule}/></asset><worldbody>
<body name="b"><freejoint/><geom type="mesh" mesh="m" {geom}/></body></worldbody></mujoco>"""


def numbers(table: np.ndarray) -> str:
    return " ".join(str(value) for value in table.ravel().tolist())


def body(folder: Path, rule: str = "", compiler: str = "", geom: str = "") -> object:
    text = FILE.format(points=numbers(POINTS), faces=numbers(FACES), rule=rule, compiler=compiler, geom=geom)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return mjcf(folder, text)["b"].matter


def same(found: object, expected: tuple, scale: float = 1.0) -> None:
    mass, center, xx, xy, yy, zz = expected
    inertia = np.asarray(found.inertia)
    assert found.mass == pytest.approx(scale * mass, rel=1e-7)
    assert found.center == pytest.approx(center, rel=1e-7)
    assert [inertia[0, 0], inertia[0, 1], inertia[1, 1], inertia[2, 2]] == pytest.approx(
        [scale * xx, scale * xy, scale * yy, scale * zz], rel=1e-7
    )
    assert abs(inertia[:2, 2]).max() < 1e-9 * scale * zz


@pytest.mark.parametrize("rule", MUJOCO)
def test_against_mujoco(tmp_path: Path, rule: str) -> None:
    same(body(tmp_path, f'inertia="{rule}"'), MUJOCO[rule])
    same(body(tmp_path, f'inertia="{rule}"', geom='mass="7"'), MUJOCO[rule], 7.0 / MUJOCO[rule][0])


def test_which_rule_holds(tmp_path: Path) -> None:
    """A mesh that states none has the file's: legacy, the class's, or that of old files that asked for exactness."""
    same(body(tmp_path), MUJOCO["legacy"])
    same(body(tmp_path, compiler='<default><mesh inertia="convex"/></default>'), MUJOCO["convex"])
    same(body(tmp_path, compiler='<compiler exactmeshinertia="true"/>'), MUJOCO["exact"])
    same(body(tmp_path, 'inertia="shell"', '<compiler exactmeshinertia="true"/>'), MUJOCO["shell"])
    with pytest.raises(ModelError, match="inertia must be one of legacy, convex, exact, shell, got 'exakt'"):
        body(tmp_path, 'inertia="exakt"')


@pytest.mark.parametrize("rule", ["legacy", "convex", "exact"])
def test_convex_bodies_weigh_the_same_by_all_rules(rule: str) -> None:
    """A box with edges 1, 2, 3: m (b^2 + c^2) / 12."""
    corners = np.array([(x, y, z) for x in (0.0, 1.0) for y in (0.0, 2.0) for z in (0.0, 3.0)])
    faces = [
        (0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1),
        (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3),
    ]  # fmt: skip
    found = mesh_matter(Surface(corners, np.array(faces)), rule, mass=12.0)
    assert found.center == pytest.approx((0.5, 1.0, 1.5), rel=1e-14)
    assert np.diag(found.inertia) == pytest.approx((13.0, 10.0, 5.0), rel=1e-13)


def test_the_shell_of_a_box() -> None:
    """Edges 1, 2, 3, twelve triangles: each face is a plate, m_i (b^2 + c^2) / 12 + m_i d^2."""
    corners = np.array([(x, y, z) for x in (0.0, 1.0) for y in (0.0, 2.0) for z in (0.0, 3.0)])
    faces = [
        (0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1),
        (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3),
    ]  # fmt: skip
    found = mesh_matter(Surface(corners, np.array(faces)), "shell", density=1.0)
    assert found.mass == pytest.approx(22.0, rel=1e-14)
    a, b, c = 1.0, 2.0, 3.0
    across = 2 * b * c * (b * b + c * c) / 12  # the two plates across x, about the x axis
    along_y = 2 * a * c * (c * c / 12 + b * b / 4)
    along_z = 2 * a * b * (b * b / 12 + c * c / 4)
    assert found.inertia[0, 0] == pytest.approx(across + along_y + along_z, rel=1e-13)


def test_broken_faces(tmp_path: Path) -> None:
    for faces in ("0 1", "0 1 12", "0 1 -1", "0 1 1.5", "a b c"):
        text = FILE.format(points=numbers(POINTS), faces=faces, rule="", compiler="", geom="")
        with pytest.raises(ModelError, match=r"<mesh name='m'>: face must be"):
            mjcf(tmp_path, text)
    flat = FILE.format(points=numbers(POINTS * [1, 1, 0]), faces=numbers(FACES), rule="", compiler="", geom="")
    with pytest.raises(ModelError, match="no volume"):
        mjcf(tmp_path, flat)
