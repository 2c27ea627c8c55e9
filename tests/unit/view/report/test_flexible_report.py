"""Reports on flexible bodies: deformation, the peak of the stress with its point and time, and a picture."""

from __future__ import annotations

import pytest

from cardan import planar
from cardan.view.report import report
from cardan.view.report.content import Figure, ReportTable
from cardan.view.report.digest import digest
from cardan.view.report.flexible import flexible_bodies, largest_deformation, magnification
from cardan.view.shapes.skin import skins_of
from flexible_cantilevers import STRESS, bar, planar_cantilever, spatial_cantilever


@pytest.mark.parametrize("build", [planar_cantilever, spatial_cantilever])
def test_peak_and_deformation_are_those_of_a_cantilever(build) -> None:
    """The stress M / W at the root, the deflection P L^3 / 3 E I of the tip; shear adds 0.03 %."""
    rest = build()
    run = rest.as_trajectory()
    table, picture = flexible_bodies(run)
    assert isinstance(table, ReportTable) and isinstance(picture, Figure)
    ((name, modes, deformation, _, stress, place, time),) = table.rows
    assert (name, modes, time) == ("bar", rest.model["bar"].part.modes, 0.0)
    assert deformation == pytest.approx(20.0 / (3 * 210e9 * 0.01 * 0.02**3 / 12), rel=2e-3)  # and the slope at the tip
    assert stress == pytest.approx(STRESS / 1e6, rel=1e-4)
    assert place.startswith("(0, ")
    (skin,) = skins_of(rest.system)
    assert largest_deformation(skin, run)[0] == deformation
    assert magnification(skin, deformation) == 10.0  # 8 % of 1 m over 4.8 mm
    assert "magnified by 10" in picture.caption


def test_report_has_a_section(tmp_path) -> None:
    rest = planar_cantilever()
    text = report(rest, tmp_path / "a.html", live=False).read_text(encoding="utf-8")
    assert "Flexible bodies" in text and "von Mises stress [MPa]" in text


def test_digest_changes_with_the_part() -> None:
    def of(part) -> str:
        model = planar.Model("bar")
        model.add(planar.FlexibleBody(part), name="bar")
        return digest(model)

    stated = bar(planar=True)
    assert of(stated) == of(bar(planar=True)) != of(bar(planar=True, damping=0.01))
