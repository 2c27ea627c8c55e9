"""Planar model files that are lifted to space: they move identically, and their analyses speak of the lifted model."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cardan import FileError, load_model
from cardan.files import check
from cardan.spatial import Model

TEXT = """cardan: 1
name: crank and slotted arm
space: planar
units: {length: mm}
gravity: [0, -9.81 m/s^2]
bodies:
  crank: {mass: 1, inertia: 1e4}
  arm: {mass: 2, inertia: 5e4, position: [0, -200], angle: 90 deg}
joints:
  A: revolute(ground, crank)
  B: revolute(ground@(0, -200), arm)
  slot: pin_in_slot(arm, crank@(80, 0))
forces:
  coil: {type: spring, measure: B.angle, stiffness: 300, rest_angle: 1.5}
drivers:
  motor: {measure: A.angle, motion: ramp(6)}
outputs: {reach: "length(ground, arm@(300, 0))"}
analyses:
  - {type: inverse_dynamics, name: turn, times: {to: 1, count: 21}}
"""


def files(tmp_path: Path, lift: str) -> tuple[object, object]:
    (tmp_path / "flat.yaml").write_text(TEXT)
    (tmp_path / "deep.yaml").write_text(TEXT + lift)
    return load_model(tmp_path / "flat.yaml"), load_model(tmp_path / "deep.yaml")


def test_it_moves_identically_in_its_plane(tmp_path: Path) -> None:
    flat, deep = files(tmp_path, "lift: {origin: [0, 50, 0], z: [0, -1, 0]}\n")
    assert isinstance(deep.model, Model) and deep.model.gravity == pytest.approx((0.0, 0.0, -9.81))
    one, other = flat.run("turn"), deep.run("turn")
    x, y = one["arm"].position.T
    assert np.allclose(other["arm"].position, np.stack([x, np.full_like(x, 0.05), y], axis=1), atol=1e-12)
    assert np.allclose(one["motor"].force, other["motor"].force, atol=1e-9)
    assert np.allclose(one[flat.outputs["reach"]].value, other[deep.outputs["reach"]].value, atol=1e-12)


def test_lift_true_is_the_plane_of_the_world(tmp_path: Path) -> None:
    _, deep = files(tmp_path, "lift: true\n")
    assert deep.model.gravity == pytest.approx((0.0, -9.81, 0.0))
    flat, still = files(tmp_path, "lift: false\n")
    assert type(still.model) is type(flat.model)


@pytest.mark.parametrize(
    ("lift", "sentence"),
    [
        ("lift: upward\n", "lift must be true or a mapping"),
        ("lift: {normal: [0, 0, 1]}\n", "lift has no 'normal'"),
        ("lift: {z: [0, 1]}\n", "z of lift must be a list of 3 numbers"),
        ("lift: {origin: [0, 0, 1 kg]}\n", "origin of lift is a mass, but must be a length"),
    ],
)
def test_what_is_wrong_with_lift(tmp_path: Path, lift: str, sentence: str) -> None:
    (tmp_path / "m.yaml").write_text(TEXT + lift)
    assert sentence in str(check(tmp_path / "m.yaml")[0])


def test_an_axis_without_length_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "m.yaml").write_text(TEXT + "lift: {z: [0, 0, 0]}\n")
    with pytest.raises(FileError, match="C601.*z axis"):
        load_model(tmp_path / "m.yaml")
    (tmp_path / "m.yaml").write_text("cardan: 1\nname: box\nspace: spatial\nlift: true\n")
    assert "cannot be lifted" in str(check(tmp_path / "m.yaml")[0])
