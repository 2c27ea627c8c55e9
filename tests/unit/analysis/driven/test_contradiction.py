"""Contradictions that can be seen without solving anything."""

import numpy as np
import pytest

from cardan import ModelError
from cardan.analysis.driven.kinematics import reject_contradictions
from cardan.planar import Body, Coupler, Driver, Gear, Harmonic, Hold, Model, Ramp, Revolute, length, x

TIMES = np.linspace(0.0, 1.0, 11)


@pytest.fixture
def bench():
    model = Model("bench")
    body = model.add(Body(), name="body")
    return model, model.add(Revolute(model.ground.at(), body.at()), name="hinge"), body


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (lambda m: Driver(m, Ramp(1.0)), lambda m: Driver(m, Ramp(2.0))),
        (lambda m: Driver(m, Ramp(1.0)), lambda m: Driver(m, Ramp(1.0, start=1e-6))),
        (lambda m: Hold(m, 0.5), lambda m: Driver(m, Ramp(1.0))),
        (lambda m: Hold(m, 0.5), lambda m: Hold(m, 0.6)),
        (lambda m: Driver(m, Harmonic(1.0, 1.0)), lambda m: Driver(m, Harmonic(1.0, 1.0, phase=0.1))),
    ],
)
def test_two_conditions_on_one_measure(bench, one, two):
    model, hinge, _ = bench
    model.add(one(hinge.angle), name="first")
    model.add(two(hinge.angle), name="second")
    with pytest.raises(ModelError, match="'first' and .* 'second' contradict each other") as caught:
        reject_contradictions(model, TIMES)
    assert caught.value.elements == ("first", "second")


def test_worst_instant_is_told(bench):
    """The difference of t and 2 t is largest at the end."""
    model, hinge, _ = bench
    model.add(Driver(hinge.angle, Ramp(1.0)), name="first")
    model.add(Driver(hinge.angle, Ramp(2.0)), name="second")
    with pytest.raises(ModelError, match=r"at t = 1 s they prescribe 1 and 2 rad for angle"):
        reject_contradictions(model, TIMES)


def test_conditions_that_agree(bench):
    model, hinge, body = bench
    model.add(Driver(hinge.angle, Ramp(1.0, start=0.5)), name="first")
    model.add(Driver(hinge.angle, 0.5 + Ramp(1.0)), name="second")
    model.add(Hold(x(body.at()), 0.0), name="third")
    reject_contradictions(model, TIMES)


def test_floating_offsets_do_not_contradict(bench):
    """Gears and couplers without a value take what the assembled position gives."""
    model, hinge, body = bench
    other = model.add(Body(position=(0.5, 0.0)), name="other")
    pivot = model.add(Revolute(model.ground.at(0.5, 0.0), other.at()), name="pivot")
    for name in ("one", "two"):
        model.add(Coupler(hinge.angle + pivot.angle), name=f"coupler {name}")
        model.add(Gear(body.at(), other.at(), radius_a=0.2, radius_b=0.3), name=f"gear {name}")
    reject_contradictions(model, TIMES)


def test_distance_driven_to_zero(bench):
    model, _, body = bench
    model.add(Driver(length(model.ground.at(1.0, 0.0), body.at(0.5, 0.0)), Ramp(-1.0, start=0.55)), name="rod")
    with pytest.raises(ModelError, match=r"Driver 'rod' prescribes a distance of -0.05 m at t = 0.6 s"):
        reject_contradictions(model, TIMES)
    reject_contradictions(model, TIMES[:6])
