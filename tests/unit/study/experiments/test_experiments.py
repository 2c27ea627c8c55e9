"""Plans of experiments, screening, indices of variance, stack-ups, response surfaces and fronts."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from cardan import CardanWarning, ModelError, study
from cardan.examples import load
from cardan.planar import Body, Model
from cardan.study import (
    grid,
    latin_hypercube,
    morris_effects,
    morris_plan,
    normal,
    pareto_designs,
    pareto_front,
    quasi_random,
    response_surface,
    sobol_indices,
    sobol_plan,
    tolerance_stack_up,
    tolerances,
)
from cardan.study.experiments.screening import effects_of
from cardan.study.experiments.sobol_indices import indices_of
from cardan.study.search.pareto import not_dominated, ranks

RANGES = {"block.mass": (1.0, 3.0), "block.inertia": (2.0, 6.0)}


def _block() -> Model:
    model = Model("block")
    model.add(Body(mass=2.0, inertia=4.0), name="block")
    return model


def _numbers(function: Any, plan: Any, model: Model | None = None) -> Any:
    """A study whose output is a function of the numbers of the model."""
    outputs = {"f": lambda m: function(m["block"].mass, m["block"].inertia)}
    return study(model or _block(), plan, lambda m: m, outputs, progress=False, threads=1)


def test_latin_hypercube_has_one_sample_in_each_slice() -> None:
    plan = latin_hypercube({"a": (2.0, 4.0), "b": normal(1.0, 0.5)}, 50, seed=4)
    values = plan.values(0, 50)
    assert sorted(np.floor((values[:, 0] - 2.0) / 2.0 * 50).astype(int).tolist()) == list(range(50))
    from scipy.stats import norm

    assert sorted(np.floor(norm.cdf(values[:, 1], 1.0, 0.5) * 50).astype(int).tolist()) == list(range(50))
    assert (latin_hypercube({"a": (2.0, 4.0), "b": normal(1.0, 0.5)}, 50, seed=4).values(0, 50) == values).all()
    assert plan.kind == "latin hypercube"


def test_morris_plans_change_one_parameter_at_a_time() -> None:
    plan = morris_plan({"a": (0.0, 1.0), "b": (10.0, 30.0), "c": (-1.0, 1.0)}, 8, levels=4, seed=2)
    paths = plan.values(0, plan.count).reshape(8, 4, 3)
    steps = np.diff(paths, axis=1)
    assert ((np.abs(steps) > 1e-12).sum(axis=2) == 1).all()  # one parameter per step
    assert (np.abs(steps).max(axis=1) > 0.0).all()  # and each of them once
    np.testing.assert_allclose(np.abs(steps).max(axis=1), np.tile([2 / 3, 40 / 3, 4 / 3], (8, 1)), rtol=1e-12)
    low, high = plan.bounds()
    assert (low >= [0.0, 10.0, -1.0]).all() and (high <= [1.0, 30.0, 1.0]).all()


def test_morris_effects_of_a_linear_function_are_exact() -> None:
    """f = 3 m - 2 J over ranges of 2 and 4: effects 6 and -8, without deviation."""
    found = morris_effects(_numbers(lambda m, J: 3.0 * m - 2.0 * J, morris_plan(RANGES, 6)), "f")
    np.testing.assert_allclose(found.mu, [6.0, -8.0], rtol=1e-12)
    np.testing.assert_allclose(found.mu_star, [6.0, 8.0], rtol=1e-12)
    np.testing.assert_allclose(found.sigma, 0.0, atol=1e-11)
    assert found.ranking() == ["block.inertia", "block.mass"] and "mu*" in repr(found)


def test_morris_effects_of_a_product_show_interaction() -> None:
    """f = u v on the unit square, 4 levels: the effect of u is v, whose levels 0, 1/3, 2/3, 1 are equally likely."""
    plan = morris_plan({"u": (0.0, 1.0), "v": (0.0, 1.0)}, 4000, seed=1)
    u = plan.values(0, plan.count)
    found = effects_of(["u", "v"], "f", u, u[:, 0] * u[:, 1])
    # mean 1/2, deviation sqrt(5/36) = 0.3727; standard errors of 4000 trajectories 0.006 and 0.004
    np.testing.assert_allclose(found.mu, 0.5, atol=0.03)
    np.testing.assert_allclose(found.sigma, math.sqrt(5.0 / 36.0), atol=0.02)


def test_sobol_indices_of_the_ishigami_function() -> None:
    """f = sin x1 + a sin^2 x2 + b x3^4 sin x1 on (-pi, pi)^3 (Ishigami and Homma 1990), a = 7, b = 0.1.

    V1 = (1 + b pi^4 / 5)^2 / 2, V2 = a^2 / 8, V13 = b^2 pi^8 (1/18 - 1/50), all others 0.
    """
    a, b, pi = 7.0, 0.1, math.pi
    plan = sobol_plan({f"x{k}": (-pi, pi) for k in (1, 2, 3)}, 4096, seed=3)
    x1, x2, x3 = plan.values(0, plan.count).T
    f = np.sin(x1) + a * np.sin(x2) ** 2 + b * x3**4 * np.sin(x1)
    found = indices_of(["x1", "x2", "x3"], "f", f.reshape(5, -1))
    v1, v2, v13 = 0.5 * (1 + b * pi**4 / 5) ** 2, a**2 / 8, b**2 * pi**8 * (1 / 18 - 1 / 50)
    v = v1 + v2 + v13
    first, total = np.array([v1, v2, 0.0]) / v, np.array([v1 + v13, v2, v13]) / v
    # 4096 points of a sequence: errors of about 1e-2 for random points, less here
    np.testing.assert_allclose(found.first, first, atol=0.01)
    np.testing.assert_allclose(found.total, total, atol=0.01)
    assert found.variance == pytest.approx(v, rel=0.01) and found.mean == pytest.approx(a / 2, rel=0.01)
    # the errors of 95 % intervals are of the size of the errors of random points, and not zero
    assert (np.abs(found.first - first) < 2.0 * found.first_error + 0.005).all()
    assert (found.total_error > 1e-4).all() and (found.total_error < 0.1).all()


def test_sobol_indices_of_normal_parameters_in_a_study() -> None:
    """f = m + 2 J with deviations 0.3 and 0.2: variances 0.09 and 0.16, shares 0.36 and 0.64, no interaction."""
    plan = sobol_plan({"block.mass": normal(5.0, 0.3), "block.inertia": normal(6.0, 0.2)}, 512)
    found = sobol_indices(_numbers(lambda m, J: m + 2.0 * J, plan), "f")
    np.testing.assert_allclose(found.first, [0.36, 0.64], atol=0.02)
    np.testing.assert_allclose(found.total, [0.36, 0.64], atol=0.02)
    assert repr(found).splitlines()[1].startswith("block.inertia")


def test_failed_samples_are_left_out_with_a_warning() -> None:
    def rooted(m: float, J: float) -> float:
        return math.sqrt(m - 1.2) if m > 1.2 else math.nan

    with pytest.warns(CardanWarning, match="sobol_indices.. leaves out"):
        sobol_indices(_numbers(rooted, sobol_plan(RANGES, 64)), "f")
    with pytest.warns(CardanWarning, match="morris_effects.. leaves out"):
        morris_effects(_numbers(rooted, morris_plan(RANGES, 10)), "f")


def test_a_stack_up_of_a_chain_of_lengths() -> None:
    """At the dead point lengths add up: worst case 1 + 2 + 2 mm, deviation (1, 2, 2) / 3 mm, shares 1/9, 4/9, 4/9."""
    model = load("slider-crank").build()
    dimensions = {"B.a.x": 0.001, "B.b.x": 0.002, "C.a.x": 0.002}
    found = tolerance_stack_up(model, dimensions, "slider.x:first", times=[0.0, 0.01])
    np.testing.assert_allclose(found.worst, [0.695, 0.705], atol=1e-12)
    np.testing.assert_allclose(found.corners, [0.695, 0.705], atol=1e-12)
    assert found.deviation == pytest.approx(0.001, abs=1e-12)
    np.testing.assert_allclose(found.contributions, [1 / 9, 4 / 9, 4 / 9], atol=1e-9)
    np.testing.assert_allclose(found.statistical, [0.697, 0.703], atol=1e-12)
    # Monte Carlo of the same tolerances: 2000 samples, the deviation is within 5 standard errors of 1/sqrt(2 n)
    drawn = study(model, tolerances(model, dimensions, "random", count=2000), "kinematics", "slider.x:first",
                  times=[0.0, 0.01], progress=False)  # fmt: skip
    assert drawn["slider.x:first"].std() == pytest.approx(0.001, rel=5 / math.sqrt(4000))


def test_a_stack_up_with_unequal_tolerances() -> None:
    """(0, 3 mm) is uniform: the mean shifts by 1.5 mm, the deviation is 3 / sqrt(12) mm."""
    model = load("slider-crank").build()
    found = tolerance_stack_up(model, {"C.a.x": (0.0, 0.003)}, "slider.x:first", times=[0.0, 0.01])
    np.testing.assert_allclose(found.worst, [0.7, 0.703], atol=1e-12)
    assert found.mean == pytest.approx(0.7015, abs=1e-12)
    assert found.deviation == pytest.approx(0.003 / math.sqrt(12.0), abs=1e-12)


def test_a_stack_up_whose_effects_do_not_add_up_warns() -> None:
    def product(model: Model) -> float:
        return (model["block"].mass - 2.0) * (model["block"].inertia - 4.0) + 0.1 * model["block"].mass

    with pytest.warns(CardanWarning, match="do not add up"):
        tolerance_stack_up(_block(), {"block.mass": 1.0, "block.inertia": 1.0}, product, lambda m: m)


def test_a_response_surface_of_a_quadratic_is_exact() -> None:
    """Also its gradient: df/dm = 2 m - J, df/dJ = 3 - m."""

    def function(m: float, J: float) -> float:
        return 1.0 + m**2 - m * J + 3.0 * J

    found = response_surface(_numbers(function, latin_hypercube(RANGES, 20)), "f")
    assert found({"block.mass": 1.7, "block.inertia": 3.3}) == pytest.approx(function(1.7, 3.3), abs=1e-11)
    assert found.r_squared == pytest.approx(1.0, abs=1e-12) and found.q_squared == pytest.approx(1.0, abs=1e-11)
    slope = found.gradient({"block.mass": 1.7, "block.inertia": 3.3})
    assert slope["block.mass"] == pytest.approx(2 * 1.7 - 3.3, abs=1e-10)
    assert slope["block.inertia"] == pytest.approx(3.0 - 1.7, abs=1e-10)
    with pytest.raises(ModelError, match="outside the samples"):
        found({"block.mass": 9.0, "block.inertia": 3.3})
    assert "block.mass * block.inertia" in repr(found)


def test_predicted_r_squared_is_that_of_leaving_one_out() -> None:
    plan = latin_hypercube(RANGES, 12, seed=5)
    sample = _numbers(lambda m, J: math.exp(m) + math.sin(2.0 * J), plan)
    with pytest.warns(CardanWarning, match="predicts samples poorly"):
        found = response_surface(sample, "f", 1)
    x, f = plan.values(0, 12), sample["f"]
    columns = np.column_stack([np.ones(12), x])
    errors = []
    for k in range(12):
        rest = np.arange(12) != k
        errors.append(f[k] - columns[k] @ np.linalg.lstsq(columns[rest], f[rest], rcond=None)[0])
    expected = 1.0 - np.sum(np.square(errors)) / np.sum((f - f.mean()) ** 2)
    assert found.q_squared == pytest.approx(expected, abs=1e-10)


def test_a_front_of_three_outputs_among_samples() -> None:
    """By the definition, over all pairs."""
    numbers = np.random.default_rng(0).random((200, 3))
    worse = (numbers[:, None] <= numbers).all(axis=2) & (numbers[:, None] < numbers).any(axis=2)
    assert not_dominated(numbers).tolist() == np.flatnonzero(~worse.any(axis=0)).tolist()
    assert not_dominated(numbers).tolist() == np.flatnonzero(ranks(numbers) == 0).tolist()
    model, plan = _block(), quasi_random(RANGES, 64)
    outputs = {"a": lambda m: m["block"].mass, "b": lambda m: m["block"].inertia, "c": lambda m: -m["block"].mass}
    sample = study(model, plan, lambda m: m, outputs, progress=False, threads=1)
    both = pareto_designs(sample, ["a", "c"])
    assert len(both) == 64  # less of one is more of the other
    least = pareto_designs(sample, ["a", "b"], largest=["a"])
    values = sample.samples.values
    best = not_dominated(np.column_stack([-values[:, 0], values[:, 1]]))
    assert sorted(least.designs[:, 0].tolist()) == sorted(values[best, 0].tolist())


def test_a_searched_front_of_three_objectives() -> None:
    """Squared distances from the corners of a triangle: the front is the triangle, to which all designs shrink."""
    corners = np.array([[1.2, 2.5], [2.8, 2.5], [2.0, 5.5]])
    outputs = {
        f"to {k}": lambda m, c=corner: (m["block"].mass - c[0]) ** 2 + (m["block"].inertia - c[1]) ** 2
        for k, corner in enumerate(corners)
    }
    found = pareto_front(_block(), RANGES, outputs, lambda m: m, population=40, generations=40, progress=False)
    assert found.objectives == ("to 0", "to 1", "to 2") and len(found) > 20
    assert (ranks(found.numbers) == 0).all()
    shares = np.array([(i, j, 60 - i - j) for i in range(61) for j in range(61 - i)]) / 60.0
    triangle = shares @ corners

    def outside(designs: np.ndarray) -> float:
        """The mean distance from the triangle."""
        return float(np.linalg.norm(designs[:, None] - triangle, axis=2).min(axis=1).mean())

    # 40 designs over an area of 2.4 are 0.24 apart: those closer to the edge than half of that are hardly ever beaten
    assert outside(found.designs) < 0.12
    assert outside(quasi_random(RANGES, 256).values(0, 256)) > 0.24  # without a search
    assert set(found.knee()) == set(RANGES)
    ax = found.plot()
    assert [label.get_text().split("\n")[0] for label in ax.get_xticklabels()] == ["to 0", "to 1", "to 2"]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: latin_hypercube({"a": (2.0, 1.0)}, 5), "range of 'a' must rise"),
        (lambda: morris_plan({"a": normal(0.0, 1.0)}), "needs a range of 'a'"),
        (lambda: morris_plan({"a": (0.0, 1.0)}, levels=5), "even number, got 5"),
        (lambda: sobol_plan({"a": (0.0, 1.0)}, 100), "power of two, such as 128, got 100"),
        (lambda: latin_hypercube({"a": (0.0, 1.0)}, 100_000_000), "too large"),
        (lambda: sobol_indices(_numbers(lambda m, J: m, grid({"block.mass": [1.0, 2.0]})), "f"), "sobol_plan"),
        (lambda: morris_effects(_numbers(lambda m, J: m, sobol_plan(RANGES, 4)), "f"), "morris_plan"),
        (lambda: sobol_indices(_numbers(lambda m, J: 1.0, sobol_plan(RANGES, 4)), "f"), "no variance"),
        (lambda: response_surface(_numbers(lambda m, J: m, latin_hypercube(RANGES, 5)), "f"), "6 coefficients"),
        (lambda: response_surface(_numbers(lambda m, J: m, grid({"block.mass": [1.0, 2.0]})), "f", 3), "1 or 2"),
        (lambda: pareto_designs(_numbers(lambda m, J: m, latin_hypercube(RANGES, 5)), ["f"]), "at least two"),
        (lambda: tolerance_stack_up(_block(), {"block.mass": -1.0}, lambda m: 1.0, lambda m: m), "positive"),
    ],
)
def test_wrong_use_is_rejected_by_name(make: Any, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        make()
