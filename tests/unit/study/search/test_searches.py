"""Limits, identification, global search, path synthesis and Pareto fronts, against closed forms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from cardan import CardanError, parameter, tied
from cardan.examples import load
from cardan.planar import Body, Driver, Model, Point, Ramp, Revolute, Spring, Translational
from cardan.study import global_search, identify, limit, pareto_front, synthesize_path
from cardan.study.search.pareto import ranks
from folding import folded

TIMES = np.linspace(0.0, 0.2 * math.pi, 41)  # a turn of the slider-crank


def slider_crank() -> tuple[Model, Any, Any]:
    """With half its rod and half its crank as parameters."""
    model = load("slider-crank").build()
    rod = tied("rod", parameter(model, "C.a.x"), (-1.0, parameter(model, "B.b.x")))
    crank = tied("crank", parameter(model, "B.a.x"), (-1.0, parameter(model, "A.b.x")))
    return model, rod, crank


def test_the_rod_at_which_the_spatial_slider_crank_locks() -> None:
    """Haug 10.2.4 prints 0.2362 m; B's farthest distance from the slider's line is sqrt(0.1^2 + 0.12^2) + 0.08."""
    model = load("spatial-slider-crank").build()
    half = tied("half rod", parameter(model, "C.a.x"), (-1.0, parameter(model, "B.b.x")))
    found = limit(model, half, (0.1, 0.15), times=np.linspace(0.0, 1.0, 25), tolerance=1e-6)
    assert 2.0 * found.value == pytest.approx(0.2362, abs=5e-5)
    assert 2.0 * found.value == pytest.approx(math.hypot(0.1, 0.12) + 0.08, abs=2e-7)
    assert found.works > found.fails and "locks up" in found.reason
    assert half.value == 0.15


def test_a_level_is_reached() -> None:
    """The acceleration -w^2 (r + r^2/l) at the dead point is 30 m/s2 where l = r^2/(0.3 - r) = 0.4 m."""
    model, rod, _ = slider_crank()
    found = limit(model, rod, (0.15, 0.3), "kinematics", "slider.ax:min", level=-30.0, times=[0.0, 0.001])
    assert 2.0 * float(found) == pytest.approx(0.4, rel=1e-6)


def test_parameters_are_identified_from_a_measured_motion() -> None:
    """Exact data give exact parameters; noise of s gives errors of about s, and says how large they may be."""
    model, rod, crank = slider_crank()
    phi = 10.0 * TIMES
    path = 0.22 * np.cos(phi) + np.sqrt(0.6**2 - (0.22 * np.sin(phi)) ** 2)
    ranges = {rod: (0.2, 0.4), crank: (0.05, 0.15)}
    travel = model["guide"].travel  # type: ignore[attr-defined]
    found = identify(model, ranges, {travel: path[:12:3]}, times=TIMES[:12:3])
    assert found.exact and found.converged
    assert found.values["rod"] == pytest.approx(0.3, rel=1e-9) and found.values["crank"] == pytest.approx(
        0.11, rel=1e-9
    )
    noisy = path + 1e-3 * np.random.default_rng(0).standard_normal(path.size)
    noisy[5] = np.nan  # not measured
    rough = identify(model, ranges, {"slider.x": noisy}, times=TIMES)
    assert not rough.exact
    for name, value in (("rod", 0.3), ("crank", 0.11)):
        assert abs(rough.values[name] - value) < 4.0 * rough.errors[name] < 2e-3
    assert rough.rms == pytest.approx(1e-3, rel=0.3)


def test_global_search_finds_the_lowest_of_several_valleys() -> None:
    """f = cos 9x + 0.3 x has its least value on [0, 2] where sin 9x = 0.3/9 in the first valley."""
    model = Model("mass")
    model.add(Body(mass=1.0, inertia=1.0), name="body")

    def bumpy(model: Any) -> float:
        x = model["body"].mass
        return float(np.cos(9.0 * x) + 0.3 * x)

    found = global_search(model, {"body.mass": (0.01, 2.0)}, {"f": lambda value: value}, bumpy, seed=1, generations=60)
    assert found.values["body.mass"] == pytest.approx((math.pi - math.asin(0.3 / 9.0)) / 9.0, abs=1e-4)


def four_bar(ground: float = 4.0) -> Model:
    """A crank of 1, a coupler of 3 with a point beside it, a rocker of 3."""
    model = Model("four-bar")
    crank = model.add(Body(position=(0.0, 0.0)), name="crank")
    coupler = model.add(Body(position=(1.0, 0.0), angle=0.9), name="coupler")
    rocker = model.add(Body(position=(ground, 0.0), angle=1.7), name="rocker")
    hinge = model.add(Revolute(model.ground.at(0, 0), crank.at(0, 0)), name="A")
    model.add(Revolute(crank.at(1.0, 0), coupler.at(0, 0)), name="B")
    model.add(Revolute(coupler.at(3.0, 0), rocker.at(3.0, 0)), name="C")
    model.add(Revolute(model.ground.at(ground, 0), rocker.at(0, 0)), name="D")
    model.add(Driver(hinge.angle, Ramp(2.0 * math.pi)), name="motor")
    model.add(Point(coupler.at(1.5, 1.0)), name="P")
    return model


def test_a_linkage_is_synthesized_for_a_coupler_path() -> None:
    """The path of a linkage that is known to exist: the one found passes through it, too."""
    times = np.linspace(0.0, 1.0, 25)
    model = four_bar()
    from cardan import kinematics

    wanted = kinematics(model, times)["P"].position[::2]
    other = four_bar(4.3)
    object.__setattr__(other["P"].marker, "y", 0.6)  # type: ignore[attr-defined]
    ranges = {"D.a.x": (3.8, 4.4), "P.marker.y": (0.5, 1.3)}
    found = synthesize_path(other, ranges, "P", wanted, times=times, timed=False, seed=2, population=8, generations=25)
    assert found.objective < 1e-6
    assert found.values["D.a.x"] == pytest.approx(4.0, abs=1e-5)
    assert found.values["P.marker.y"] == pytest.approx(1.0, abs=1e-5)


def test_a_pareto_front_of_two_parabolas() -> None:
    """(x - 1)^2 against (x - 3)^2: the front is 1 <= x <= 3; its ends are missed by as much as designs lie apart."""
    model = Model("mass")
    model.add(Body(mass=1.0, inertia=1.0), name="body")
    objectives = {"low": lambda x: (x - 1.0) ** 2, "high": lambda x: (x - 3.0) ** 2}
    front = pareto_front(
        model, {"body.mass": (0.1, 6.0)}, objectives, lambda model: model["body"].mass, population=24, generations=15
    )
    assert len(front) >= 20
    x = np.sort(front.designs[:, 0])
    assert np.abs(x[[0, -1]] - [1.0, 3.0]).max() < 0.1
    assert np.diff(x).max() < 0.3  # evenly spread, 24 designs would lie 0.09 apart
    assert (np.diff(front.numbers[:, 0]) >= 0.0).all() and (np.diff(front.numbers[:, 1]) <= 0.0).all()
    assert 1.0 < front.knee()["body.mass"] < 3.0


def test_ranks() -> None:
    assert ranks(np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [2.0, 2.0], [0.5, 0.5]])).tolist() == [0, 0, 1, 2, 0]


def scale() -> Model:
    model = Model("scale", gravity=(-9.81, 0.0))
    pan = model.add(Body(mass=2.0, inertia=1.0), name="pan")
    guide = model.add(Translational(model.ground.at(), pan.at()), name="guide")
    model.add(Spring(guide.travel, 100.0, rest_length=0.0), name="spring")
    return model


@folded(
    ("ask", "message"),
    [
        (lambda m: limit(m, "B.a.x", (0.1, 0.1), times=TIMES), "is given 0.1 twice"),
        (lambda m: limit(m, "B.a.x", (0.05, 0.1), times=TIMES), "both work"),
        (lambda m: limit(m, "B.a.x", (0.05, 0.1), "kinematics", "slider.x", times=TIMES), "is a curve"),
        (lambda m: limit(m, "B.a.x", (0.05, 0.1), "kinematics", "slider.x:max", times=TIMES), "does not pass 0"),
        (lambda m: limit(m, "B.a.q", (0.05, 0.1), times=TIMES), "has no parameter"),
        (lambda m: identify(m, {"B.a.x": (0.05, 0.1)}, {}, times=TIMES), "is given nothing measured"),
        (lambda m: identify(m, {"B.a.x": (0.05, 0.2)}, {"slider.x": [1.0]}, times=TIMES), "but .1,. was measured"),
        (lambda m: identify(m, {"B.a.x": (0.2, 0.1)}, {"slider.x": TIMES}, times=TIMES), "must rise"),
        (lambda m: identify(m, {}, {"slider.x": TIMES}, times=TIMES), "is given no parameters"),
        (lambda m: identify(m, {"B.a.x": (0.05, 0.2)}, {"slider.x": ["a"]}, times=TIMES), "must be numbers, got list"),
        (lambda m: identify(m, {"B.a.x": (0.05, 0.2)}, {"slider.x": TIMES}, weights={"y": 1.0}, times=TIMES),
         "a weight of 'y', which was not measured"),
        (lambda m: global_search(m, {"B.a.x": (0.05, 0.1)}, "slider.x:max", times=TIMES, seed="x"), "the seed of a"),
        (lambda m: pareto_front(m, {"B.a.x": (0.05, 0.1)}, ["slider.x:max", "slider.x:min"], times=TIMES, seed=-1),
         "the seed of pareto_front"),
        (lambda m: global_search(m, {"B.a.x": (0.05, 0.1)}, "slider.x", times=TIMES), "must be one number"),
        (lambda m: pareto_front(m, {"B.a.x": (0.05, 0.1)}, ["slider.x:max"], times=TIMES), "two or more numbers"),
        (lambda m: synthesize_path(m, {"B.a.x": (0.05, 0.1)}, "slider", [1.0], times=TIMES), "must be points"),
        (lambda m: synthesize_path(m, {"B.a.x": (0, 0.1)}, "slider", [[1, 1], [2, 2]], times=TIMES, timed=True),
         "need as many times"),
    ],
)  # fmt: skip
def test_bad_searches_are_rejected(ask: Any, message: str) -> None:
    with pytest.raises(CardanError, match=message):
        ask(load("slider-crank").build())


def test_a_search_without_any_result_says_why() -> None:
    with pytest.raises(CardanError, match="none of .* designs has a result: .*mass"):
        global_search(scale(), {"pan.mass": (-2.0, -1.0)}, "pan.x", "equilibrium", generations=1, population=2)
