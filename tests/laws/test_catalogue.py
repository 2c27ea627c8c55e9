"""The catalogue holds every public name of the plane, and each of its mechanisms closes and moves."""

import numpy as np
import pytest

import cardan.planar
from cardan import kinematics, mobility
from catalogue import CASES

TIMES = np.linspace(0.0, 1.0, 41)


@pytest.mark.parametrize("name", cardan.planar.__all__)
def test_every_public_name_is_in_the_catalogue(name):
    public = getattr(cardan.planar, name)
    assert any(public is covered for case in CASES for covered in case.covers), f"add a case that covers {name}"


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_case_closes_and_moves(case, seed):
    """Driven through the whole second; every equation holds to 1e-11 of the size of the mechanism, below 2 m."""
    model = case.model(seed)
    run = kinematics(model, TIMES)
    assert len(run) == TIMES.size and run.stopped is None and run.set_aside == ()
    assert run.violations().max() < 2e-11
    assert np.isfinite(run.q).all() and np.isfinite(run.v).all() and np.isfinite(run.a).all()
    if case.name != "driven by Constant":
        assert np.ptp(run.q, axis=0).max() > 0.02


@pytest.mark.parametrize("case", CASES, ids=str)
def test_case_is_fully_driven_without_redundancy(case):
    report = mobility(case.model())
    assert report.undriven == 0
    assert report.freedoms == report.driver_equations or case.name == "own-constraint"  # its clock is a joint
    assert report.redundant == report.redundant_drivers == report.conflicting == report.singular == ()
