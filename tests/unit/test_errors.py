"""Warnings appear at the line of the user's program, not inside the package."""

from pathlib import Path

import pytest

from cardan import CardanWarning, from_urdf, simulate
from cardan.planar import Body, Model, Revolute
from machine_files import INERTIAL, PENDULUM


def test_warnings_name_the_line_of_the_caller(tmp_path: Path) -> None:
    """One is issued while a file is read, one while a run is prepared: both some calls below."""
    file = tmp_path / "machine.urdf"
    file.write_text(PENDULUM.replace(INERTIAL, ""))
    with pytest.warns(CardanWarning, match="have no mass") as found:
        from_urdf(file)
    assert [warning.filename for warning in found] == [__file__]
    model = Model("far", gravity=(0.0, -9.81))
    body = model.add(Body(mass=1.0, inertia=1.0, position=(5e8, 0.0)), name="body")
    model.add(Revolute(model.ground.at(5e8, 0.0), body.at(-1.0, 0.0)), name="hinge")
    with pytest.warns(CardanWarning) as found:
        simulate(model, 0.01)
    assert {warning.filename for warning in found} == {__file__}
