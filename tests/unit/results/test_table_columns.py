"""One column by its name is that of the whole table, of every kind of result."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from cardan import CardanWarning
from cardan.case import load_case


@pytest.mark.parametrize("name", ["slider-crank-forces", "four-bar", "motor-drive", "spatial-slider-crank"])
def test_single_columns_are_those_of_the_table(name: str) -> None:
    case = load_case(name, {})
    assert case.times is not None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CardanWarning)
        run = case.compute(np.linspace(case.times[0], case.times[1] / 20.0, 5), progress=False)
        table = run.table()
        for one, values in table.items():
            np.testing.assert_array_equal(run.columns[one].read(run), values, err_msg=one)
    assert "nothing.x" not in run.columns and len(table) > 20
