"""Series: the types of run[...], completion, messages, and the violation of a run."""

import numpy as np
import pytest

from cardan import ModelError, inverse_dynamics
from cardan.planar import Point, Ramp, Spring, length
from cardan.results.series import BodySeries, ConstraintSeries, ForceSeries, MeasureSeries, PointSeries
from linkages import slider_crank


@pytest.fixture(scope="module")
def run():
    model = slider_crank(0.2, 0.5, 0.0, Ramp(2.0))
    model.add(Point(model["rod"].at(0.25, 0.1)), name="E")
    model.add(Spring(length(model.ground.at(2.0, 0.0), model["slider"].at()), 10.0, rest_length=1.0), name="spring")
    return inverse_dynamics(model, np.linspace(0.0, 1.0, 11))


KINDS = {"rod": BodySeries, "E": PointSeries, "motor": ConstraintSeries, "spring": ForceSeries}


@pytest.mark.parametrize("name", KINDS)
def test_every_name_in_dir_can_be_read(run, name) -> None:
    series = run[name]
    assert type(series) is KINDS[name] and series.names()
    for word in series.names():
        assert word in dir(series)
        getattr(series, word)


def test_names_complete(run) -> None:
    assert {"rod", "E", "motor", "rod.x"} <= set(run._ipython_key_completions_())
    assert {"rod", "E", "motor", "rod.x"} <= set(run.at(0.5)._ipython_key_completions_())


def test_a_snapshot_reads_numbers(run) -> None:
    snapshot = run.at(0.5)
    assert isinstance(snapshot["rod"].angle, float) and snapshot["rod"].angle == run["rod"].angle[5]
    assert np.array_equal(snapshot["E"].position, run["E"].position[5])
    hinge = next(e for e in run.model.constraints if "angle" in e.coordinates())
    assert type(snapshot[hinge].angle) is MeasureSeries and isinstance(snapshot[hinge].angle.value, float)


def test_a_measure_is_its_values(run) -> None:
    """Series of measures index and compute as the arrays that they stand for; in a snapshot, as numbers."""
    hinge = next(e for e in run.model.constraints if "angle" in e.coordinates())
    angle, values = run[hinge].angle, run[hinge].angle.value
    assert angle[-1] == values[-1] and len(angle) == len(values) and np.array_equal(angle[2:5], values[2:5])
    assert np.array_equal(2.0 * angle - angle, values) and np.array_equal(np.degrees(angle), np.degrees(values))
    assert max(angle) == values.max() and hash(angle) is not None
    snapshot = run.at(0.5)[hinge].angle
    assert float(snapshot) == snapshot.value == snapshot + 0.0


def test_unknown_quantities_are_named(run) -> None:
    for name, word in (("rod", "speed"), ("rod", "matrix"), ("E", "angle"), ("spring", "stretch")):
        with pytest.raises(ModelError, match=f"has no '{word}' in a result; it has: "):
            getattr(run[name], word)
    with pytest.raises(ModelError, match="has no coordinate 'speed'; its coordinates: "):
        _ = run["motor"].speed


def test_violation_is_that_of_the_worst_equation(run) -> None:
    assert np.array_equal(run.violation, run.violations().max(axis=1))
    assert run.violation.shape == run.times.shape and run.violation.max() < 1e-10
