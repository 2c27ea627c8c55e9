"""The catalogs hold every public name of the plane and of space, and each of their mechanisms closes and moves."""

import numpy as np
import pytest

import cardan.planar
import cardan.spatial
import catalog
import catalog_rolling
import catalog_spatial
from cardan import kinematics, mobility
from catalogs import CASES, LOADS, ROLLING
from folding import folded

TIMES = np.linspace(0.0, 1.0, 41)


VOCABULARIES = {
    "planar": (cardan.planar, catalog.CASES + catalog_rolling.PLANAR),
    "spatial": (cardan.spatial, catalog_spatial.CASES + catalog_rolling.SPATIAL),
}
PUBLIC = [(space, name) for space, (vocabulary, _) in VOCABULARIES.items() for name in vocabulary.__all__]


@folded(("space", "name"), PUBLIC)
def test_every_public_name_is_in_the_catalog(space, name):
    vocabulary, cases = VOCABULARIES[space]
    public = getattr(vocabulary, name)
    covered = [*LOADS, *(covered for case in cases for covered in case.covers)]
    assert any(public is known for known in covered), f"add a case that covers {name}"


def test_names_of_cases_are_unique():
    assert len({case.name for case in CASES + ROLLING}) == len(CASES + ROLLING)


@folded("seed", [0, 1, 2])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_case_closes_and_moves(case, seed):
    """Driven through the whole second; every equation holds to 1e-11 of the size of the mechanism, below 2 m."""
    model = case.model(seed)
    run = kinematics(model, TIMES)
    assert len(run) == TIMES.size and run.stopped is None and run.set_aside == ()
    assert run.violations().max() < 2e-11
    assert np.isfinite(run.q).all() and np.isfinite(run.v).all() and np.isfinite(run.a).all()
    if not case.name.endswith("driven by Constant"):
        assert np.ptp(run.q, axis=0).max() > 0.02


@pytest.mark.parametrize("case", CASES, ids=str)
def test_case_is_fully_driven_without_redundancy(case):
    report = mobility(case.model())
    assert report.undriven == 0
    assert report.degrees_of_freedom == report.driver_equations or case.name.endswith(
        "own-constraint"
    )  # its clock is a joint
    assert report.redundant == report.redundant_drivers == report.conflicting == report.singular == ()
