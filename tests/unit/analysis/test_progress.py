"""Work that cannot finish is reported."""

import numpy as np
import pytest

from cardan import SimulationError, kinematics
from cardan.analysis import progress as patience
from cardan.planar import Ramp
from linkages import slider_crank


@pytest.mark.parametrize("coordinates", ["cartesian", "joint"])
@pytest.mark.parametrize("end", [1e17, 1e308])
def test_a_span_without_end(end, coordinates, monkeypatch):
    """Where a step is lost in the rounding of time the analysis stands still; 1e308 s are not reached either."""
    monkeypatch.setattr(patience, "WAIT", 0.2)
    model = slider_crank(0.3, 1.0, 0.1, Ramp(1.0, start=0.1))
    with pytest.raises(SimulationError, match="would take too long.*check the time span"):
        kinematics(model, [0.0, end], coordinates=coordinates)


def test_a_long_run_is_not_disturbed(monkeypatch):
    monkeypatch.setattr(patience, "WAIT", 0.01)
    run = kinematics(slider_crank(0.3, 1.0, 0.1, Ramp(1.0, start=0.1)), np.linspace(0.0, 3e3, 30_000))
    assert len(run) == 30_000
