"""Plans: which values parameters take, in any part, and what is rejected."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cardan import ModelError
from cardan.examples import load
from cardan.study import designs, grid, normal, quasi_random, random_samples, tolerances
from folding import folded


def test_a_grid_has_every_combination() -> None:
    plan = grid({"a.x": [1.0, 2.0], "b.y": (0.0, 1.0, 3)})
    assert plan.count == 6 and plan.shape == (2, 3)
    assert plan.values(0, 6).tolist() == [[1, 0], [1, 0.5], [1, 1], [2, 0], [2, 0.5], [2, 1]]


@pytest.mark.parametrize("make", [random_samples, quasi_random])
def test_any_part_of_a_spread_is_the_same_without_the_rest(make: Any) -> None:
    plan = make({"a.x": (1.0, 2.0), "b.y": normal(5.0, 0.5)}, 5000, seed=11)
    whole = plan.values(0, 5000)
    for first, last in ((0, 1), (1023, 1025), (2048, 3000), (4999, 5000)):
        np.testing.assert_array_equal(plan.values(first, last), whole[first:last])
    assert not np.array_equal(whole, make({"a.x": (1.0, 2.0), "b.y": normal(5.0, 0.5)}, 5000, seed=12).values(0, 5000))
    assert whole[:, 0].min() >= 1.0 and whole[:, 0].max() <= 2.0
    # the mean of n normal numbers scatters by s/sqrt(n): four of these
    assert abs(whole[:, 1].mean() - 5.0) < 4.0 * 0.5 / np.sqrt(5000)
    assert abs(whole[:, 1].std() - 0.5) < 0.03


def test_quasi_random_samples_are_spread_more_evenly() -> None:
    """The mean of 1024 uniform numbers: an error of 1/sqrt(12 n) at random, of 1/n by Sobol's points."""
    plan = quasi_random({"a.x": (0.0, 1.0)}, 1024)
    assert abs(plan.values(0, 1024).mean() - 0.5) < 1.0 / 1024


def test_tolerances() -> None:
    model = load("slider-crank").build()
    worst = tolerances(model, {"B.a.x": 0.01, "C.a.x": (0.0, 0.02)})
    assert worst.count == 5
    np.testing.assert_allclose(worst.values(0, 3), [[0.1, 0.25], [0.09, 0.25], [0.09, 0.27]])
    each = tolerances(model, {"B.a.x": 0.01, "C.a.x": (0.0, 0.02)}, "each")
    np.testing.assert_allclose(each.values(0, 5), [[0.1, 0.25], [0.09, 0.25], [0.11, 0.25], [0.1, 0.25], [0.1, 0.27]])
    spread = tolerances(model, {"B.a.x": 0.03}, "random", count=4000, seed=5).values(0, 4000)
    assert abs(spread.std() - 0.01) < 0.001


def test_designs_from_dictionaries_frames_and_files(tmp_path: Path) -> None:
    table = {"a.x": [1.0, 2.0], "b.y": [3.0, 4.0]}
    assert designs(table).values(0, 2).tolist() == [[1.0, 3.0], [2.0, 4.0]]
    pandas = pytest.importorskip("pandas")
    assert designs(pandas.DataFrame(table)).values(0, 2).tolist() == [[1.0, 3.0], [2.0, 4.0]]
    file = tmp_path / "designs.csv"
    file.write_text("a.x, b.y\n1.0,3.0\n2.0,4.0\n")
    assert designs(file).values(0, 2).tolist() == [[1.0, 3.0], [2.0, 4.0]]
    assert designs(file).names == ["a.x", "b.y"]
    file.write_text("a.x,b.y\n1.0\n")
    with pytest.raises(ModelError, match="line 2 of .* has None where 'b.y' needs a number"):
        designs(file)


@folded(
    ("make", "message"),
    [
        (lambda: grid({}), "is given no parameters"),
        (lambda: grid({"a.x": []}), "the range of 'a.x' is empty"),
        (lambda: grid({"a.x": (2.0, 1.0, 5)}), "the range of 'a.x' must rise, got 2 to 1"),
        (lambda: grid({"a.x": [1.0, float("nan")]}), "a value of 'a.x' must be finite"),
        (lambda: grid({"a.x": "many"}), "the values of 'a.x' must be a list of numbers"),
        (lambda: grid(["a.x"]), "the parameters of grid"),
        (lambda: random_samples({"a.x": (1.0, 1.0)}, 5), "must rise, got 1 to 1"),
        (lambda: random_samples({"a.x": (1.0, 2.0)}, 0), "must be a whole number above zero"),
        (lambda: random_samples({"a.x": (1.0, 2.0)}, 5, seed=-1), "the seed of random_samples"),
        (lambda: quasi_random({"a.x": 3.0}, 5), "the range of 'a.x' must be 2 numbers"),
        (lambda: normal(1.0, 0.0), "must be positive"),
        (lambda: designs({"a.x": [1.0], "b.y": [1.0, 2.0]}), "as many values of each parameter, got 1 of 'a.x'"),
        (lambda: designs({"a.x": []}), "is given no design"),
        (lambda: designs("nowhere.csv"), "table 'nowhere.csv' of designs does not exist"),
        (lambda: tolerances(load("slider-crank").build(), {"B.a.x": -0.1}), "must be positive"),
        (lambda: tolerances(load("slider-crank").build(), {"B.a.q": 0.1}), "has no parameter 'a.q'"),
        (lambda: tolerances(load("slider-crank").build(), {"B.a.x": 0.1}, "all"), "the kind of tolerances"),
    ],
)
def test_bad_plans_are_rejected(make: Any, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        make()


def test_bounds_of_plans_too_large_to_look_at() -> None:
    """They hold all samples: ends of a grid, ranges of uniform numbers, of normal ones what is hardly reached."""
    low, high = grid({"a": (0.0, 1.0, 10**6), "b": [3.0, 2.0]}).bounds()
    assert low.tolist() == [0.0, 2.0] and high.tolist() == [1.0, 3.0]
    plan = random_samples({"a": (0.0, 1.0), "b": normal(5.0, 0.1)}, 10**10, seed=2**64 - 1)
    low, high = plan.bounds()
    assert (low[0], high[0]) == (0.0, 1.0) and 4.0 < low[1] < 4.4 and 5.6 < high[1] < 6.0
    values = plan.values(10**9, 10**9 + 4096)
    assert (values > low).all() and (values < high).all()
    other = random_samples({"a": (0.0, 1.0), "b": normal(5.0, 0.1)}, 10**10, seed=2**64 - 2)
    assert (values != other.values(10**9, 10**9 + 4096)).all()  # seeds count to the last digit
