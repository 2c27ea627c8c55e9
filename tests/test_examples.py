"""Every built-in example: its freedoms, its motion, and the number that its page states in closed form."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest

import cardan.examples
from cardan import ModelError, kinematics, mobility
from cardan.examples import load, names, summary

FREEDOMS = {"excavator": 2, "gear-slider": 2}  # all others have one


@pytest.mark.parametrize("name", names())
def test_example(name: str) -> None:
    example = load(name)
    report = mobility(example.build())
    assert report.freedoms == FREEDOMS.get(name, 1)
    assert report.undriven == 0
    assert report.redundant == ()
    start, end, count = example.TIMES
    run = kinematics(example.build(), np.linspace(start, end, count))
    assert len(run) == count
    assert run.violations().max() < 1e-10 * run.system.length + 1e-10  # equations are closed to 1e-11 of the size
    headline = example.HEADLINE
    assert headline.compute(run) == pytest.approx(headline.expected, abs=headline.tolerance, rel=0.0)
    table = run.table()
    assert all(column in table for column in example.SHOW)


def test_there_is_a_page_for_each() -> None:
    assert len(names()) >= 12
    for name in names():
        head, colon, what = summary(name).partition(": ")
        assert head and colon and what, f"the first line of '{name}' says what it is: Name: what to see"


@pytest.mark.parametrize("name", names())
def test_page_is_short(name: str) -> None:
    path = Path(cardan.examples.__file__).parent / f"{name.replace('-', '_')}.py"
    assert len(path.read_text().splitlines()) <= 110
    functions = [node.name for node in ast.parse(path.read_text()).body if isinstance(node, ast.FunctionDef)]
    assert "build" in functions


def test_dimensions_are_arguments() -> None:
    """A longer rod makes the motion more even: a = -w^2 (r + r^2 / l)."""
    run = kinematics(load("slider-crank").build(rod=2.0), [0.0, 0.01])
    assert run["slider"].acceleration[0, 0] == pytest.approx(-100.0 * (0.2 + 0.02), abs=1e-9)


def test_unknown_example() -> None:
    with pytest.raises(ModelError, match="'slider-krank'; did you mean 'slider-crank'"):
        load("slider-krank")
