"""Functions that the package makes, in copies and in pickles: equal results, and the same fingerprint."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import cardan.planar as plane
from cardan.elements.control.linear import equations
from cardan.model.curves.scalar_function import scalar
from cardan.numerics.functions.fingerprint import fingerprint
from cardan.numerics.functions.portable import Portable, portable

CURVES = [
    plane.Spline((-1.0, 0.0, 2.0), (0.0, 1.0, 3.0)),
    plane.Step(0.0, 1.0, 0.2, 1.0),
    2.0 * plane.Polynomial(1.0, 2.0, 3.0) + plane.Ramp(0.5),
    plane.MotionProgram([plane.Move(1.0, 0.5), plane.Dwell(0.2)]),
]


@pytest.mark.parametrize("again", [lambda value: pickle.loads(pickle.dumps(value)), copy.deepcopy])
@pytest.mark.parametrize("curve", CURVES, ids=lambda curve: type(curve).__name__)
def test_curves_as_functions(curve, again) -> None:
    function = scalar(curve, "a curve")
    found = again(portable(function))
    assert [found(x) for x in (-0.3, 0.1, 0.6)] == [function(x) for x in (-0.3, 0.1, 0.6)]
    assert fingerprint(found) == fingerprint(function)


def test_functions_made_of_text() -> None:
    function, numbers = equations(np.array([[1.0, 0.0], [2.0, 3.0]]), 1)
    found = pickle.loads(pickle.dumps(portable(function)))
    assert found(0.5, 0.25, *numbers) == function(0.5, 0.25, *numbers) == (0.5, 1.75)
    assert fingerprint(found) == fingerprint(function)


def test_others_are_left_to_pickle() -> None:
    """Functions with a name, and those of the user."""
    mine = lambda x: x  # noqa: E731
    assert portable(mine) is mine and portable(scalar) is scalar and portable(3.0) == 3.0
    assert isinstance(portable(scalar(CURVES[0], "a curve")), Portable)
