"""Thousands of files with faults: each gets a clear error or is valid, and none a traceback."""

from __future__ import annotations

import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from cardan import FileError, load_model
from cardan.examples import data, load
from cardan.files import check
from cardan.files.explanations import codes
from cardan.files.writing.save import document
from cardan.files.writing.yaml_text import yaml_text
from malformed import malformed

EXAMPLES = ("four-bar", "motor-drive", "cam-roller", "slider-crank-forces", "geneva", "bouncing-ball", "quarter-car")


def valid_texts(functions: dict[str, Any]) -> list[str]:
    """Files of both spaces with joints, cams, contacts, tires, control and analyses."""
    texts = [yaml_text(document(load(name).build(), functions=functions)) for name in EXAMPLES]
    analyses = "analyses:\n- {type: equilibrium, name: rest}\n- {type: simulate, until: 1, output: {to: 1, count: 9}}\n"
    return [data("slider-crank.yaml").read_text(encoding="utf-8"), *texts, texts[0] + analyses]


def judged(path: Path, functions: dict[str, Any]) -> str:
    """What becomes of a file; anything but faults with codes and places would be an error of the program."""
    found = check(path)
    if not found:
        try:
            load_model(path, functions=functions)
            return "valid"
        except FileError as error:
            found = list(error.faults)
    for fault in found:
        assert fault.code in codes and fault.line >= 1 and fault.column >= 1
        assert fault.message and "\n" not in fault.message and "Traceback" not in fault.message
    return "refused"


def run(tmp_path: Path, count: int, seed: int) -> Counter[str]:
    functions: dict[str, Any] = {}
    texts, path, found = valid_texts(functions), tmp_path / "m.yaml", Counter[str]()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for text in malformed(texts, count, seed):
            path.write_bytes(text)
            found[judged(path, functions)] += 1
    return found


def test_hundreds_of_files_with_faults(tmp_path: Path) -> None:
    found = run(tmp_path, 250, seed=7)
    assert found["refused"] > 150  # the generator does spoil them


@pytest.mark.slow
def test_ten_thousand_files_with_faults(tmp_path: Path) -> None:
    found = run(tmp_path, 10_000, seed=11)
    print(dict(found))
    assert found.total() == 10_000 and found["refused"] > 6_000


def test_a_thousand_bodies(tmp_path: Path) -> None:
    """A chain of 1,000 links; the time is benchmarked elsewhere, here it is whole."""
    lines = ["cardan: 1", "name: chain", "space: planar", "parameters: {l: 0.1 m}", "bodies:"]
    lines += [f"  link{k}: {{mass: 1 kg, inertia: 0.01, position: [({k} + 0.5)*l, 0]}}" for k in range(1000)]
    lines += ["joints:", "  pin0: revolute(ground, link0@(-l/2, 0))"]
    lines += [f"  pin{k}: revolute(link{k - 1}@(l/2, 0), link{k}@(-l/2, 0))" for k in range(1, 1000)]
    path = tmp_path / "chain.yaml"
    path.write_text("\n".join(lines))
    model = load_model(path).model
    assert len(model.bodies) == 1000 and model["link999"].position == (pytest.approx(99.95), 0.0)
