"""Exact derivatives of outputs: of curves and of all reductions, of rests, driven motions and simulations."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from cardan import ModelError, simulate
from cardan.examples import load
from cardan.planar import Body, Model, Point, Spring, Translational
from cardan.study import identify
from cardan.study.job import Job
from cardan.study.outputs import REDUCTIONS, outputs_of
from cardan.study.search.identification import REDUCED, exact_slopes

STIFFNESS, MASS, AWAY = 40.0, 2.0, 0.1


def oscillator(mass: float = MASS) -> Model:
    """x = a cos(w t), w^2 = k/m, without weight."""
    model = Model("oscillator")
    pan = model.add(Body(mass=mass, inertia=1.0, position=(AWAY, 0.0)), name="pan")
    guide = model.add(Translational(model.ground.at(), pan.at()), name="guide")
    model.add(Spring(guide.travel, STIFFNESS, rest_length=0.0), name="spring")
    model.add(Point(pan.at(0.0, 0.3)), name="P")
    return model


def slopes(job: Job) -> list[np.ndarray]:
    with job.stated() as model:
        return exact_slopes(job.compute(model), job.parameters, job.outputs, None)


def test_a_simulated_curve_and_its_rate() -> None:
    """dx/dk = -a sin(w t) t/(2 m w), and the same times -k/m by m; simulations are exact to about 1e-7."""
    outputs = outputs_of(["pan.x", "P.vx", "guide.travel", "guide.travel.rate"])
    job = Job(oscillator(), ("spring.stiffness", "pan.mass"), "simulate", outputs, {"until": 1.0, "output": 0.25})
    x, vx, travel, rate = slopes(job)
    t, w = 0.25 * np.arange(5), math.sqrt(STIFFNESS / MASS)
    by_w = -AWAY * t * np.sin(w * t)
    exact = np.stack([by_w / (2.0 * MASS * w), -by_w * w / (2.0 * MASS)], axis=1)
    np.testing.assert_allclose(x, exact, atol=1e-7)
    np.testing.assert_allclose(travel, exact, atol=1e-7)
    of_rate = -AWAY * (np.sin(w * t) + w * t * np.cos(w * t))
    np.testing.assert_allclose(vx[:, 0], of_rate / (2.0 * MASS * w), atol=1e-6)
    np.testing.assert_allclose(rate, vx, atol=1e-12)


@pytest.mark.parametrize("how", REDUCTIONS)
def test_reductions_are_differentiated(how: str) -> None:
    """Against central differences of curves whose extremes do not jump."""
    t = np.linspace(0.0, 2.0, 9)

    def curve(p: float) -> np.ndarray:
        return np.asarray(np.cos(1.3 * p * t) - 0.4 * p * t)

    h = 1e-6
    dy = ((curve(1.0 + h) - curve(1.0 - h)) / (2.0 * h))[:, None]
    up, down = (REDUCTIONS[how](curve(p), axis=0) for p in (1.0 + h, 1.0 - h))
    assert REDUCED[how](curve(1.0), dy)[0] == pytest.approx((up - down) / (2.0 * h), rel=1e-7)


def test_a_driven_motion() -> None:
    """x = r cos(wt) + sqrt(l^2 - r^2 sin^2(wt)): by w it is x'(w t) t."""
    model = load("slider-crank").build()
    outputs = outputs_of(["slider.x", "slider.x:min"])
    times = [0.0, 0.05, 0.1]
    job = Job(model, ("motor.motion.rate",), "kinematics", outputs, {"times": times})
    curve, least = slopes(job)
    phi = 10.0 * np.array(times)
    by_angle = -0.2 * np.sin(phi) - 0.2**2 * np.sin(phi) * np.cos(phi) / np.sqrt(0.5**2 - (0.2 * np.sin(phi)) ** 2)
    np.testing.assert_allclose(curve[:, 0], by_angle * times, atol=1e-10)
    np.testing.assert_allclose(least, curve[2])


def test_what_has_none_says_so() -> None:
    job = Job(
        oscillator(), ("pan.mass",), "simulate", outputs_of({"f": lambda run: 1.0}), {"until": 0.1, "output": 0.1}
    )
    with pytest.raises(LookupError, match="'f' has no exact derivatives"):
        slopes(job)


def fit(**options: Any) -> Any:
    """Stiffness and damping of an oscillator, of which one with 50 N/m and 1.5 N s/m was measured."""
    other = Model("other")
    pan = other.add(Body(mass=2.2, inertia=1.0, position=(AWAY, 0.0)), name="pan")
    guide = other.add(Translational(other.ground.at(), pan.at()), name="guide")
    other.add(Spring(guide.travel, 50.0, 1.5, rest_length=0.0), name="spring")
    measured = simulate(other, 1.0, output=0.1)
    model = oscillator(2.2)
    ranges = {"spring.damping": (0.0, 5.0), "spring.stiffness": (20.0, 90.0)}
    asked = {"pan.x": measured["pan.x"] * 1.0, "pan.vx:min": measured["pan.vx"].min()}
    return identify(model, ranges, asked, "simulate", until=1.0, output=0.1, **options)


def test_a_simulation_is_identified_with_exact_derivatives() -> None:
    found = fit()
    assert found.exact and found.converged and found.analyses < 30
    assert found.values["spring.stiffness"] == pytest.approx(50.0, rel=1e-6)
    assert found.values["spring.damping"] == pytest.approx(1.5, rel=1e-5)
    rough = fit(derivatives="differences")
    assert not rough.exact
    assert rough.values["spring.damping"] == pytest.approx(1.5, rel=1e-5)


def test_exact_derivatives_may_be_asked_for() -> None:
    options: dict[str, Any] = {"until": 0.1, "output": 0.1, "derivatives": "exact"}
    with pytest.raises(ModelError, match="no exact derivatives: 'last' has no"):
        identify(oscillator(), {"pan.mass": (1.0, 3.0)}, {last: 0.05}, "simulate", **options)
    with pytest.raises(ModelError, match="the derivatives of identify"):
        fit(derivatives="some")


def last(run: Any) -> float:
    return float(run["pan.x"][-1])
