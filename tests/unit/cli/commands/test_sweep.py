"""`cardan sweep`: what it prints and writes, and what it rejects."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cardan.cli import parser
from cardan.cli.output import CommandOutput
from cardan.cli.usage import UsageError
from cardan.errors import CardanError
from folding import folded

FAST = ["--until", "0.6", "--step", "0.03"]


def sweep(*words: Any) -> int:
    arguments = parser().parse_args(["sweep", *map(str, words)])
    arguments.output = CommandOutput(False)
    return int(arguments.execute(arguments))


def test_a_grid(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code = sweep("slider-crank", "-p", "rod=0.15:0.5:3", *FAST, "--output", "slider.x:max", "--out", tmp_path)
    out = capsys.readouterr().out
    assert code == 0
    assert "3 of 3 samples, grid, of rod" in out and "1 failed, the first because" in out
    assert "slider.x:max from 0.525 to 0.7" in out and "smallest at rod = 0.325" in out
    lines = (tmp_path / "slider-crank-sweep.csv").read_text().splitlines()
    assert lines[0] == "sample,rod,slider.x:max,failure" and "locks up" in lines[1]
    assert (tmp_path / "slider-crank-slider.x-max.png").is_file()


def test_random_samples_and_numbers_of_the_model(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["-p", "rod=0.4:0.5", "-p", "motor.motion.rate=normal:10:0.1", "--random", "3", "--seed", "4"]
    assert sweep("slider-crank", *words, *FAST, "--output", "slider.x:max") == 0
    assert "3 of 3 samples, random, of rod, motor.motion.rate" in capsys.readouterr().out


def test_what_the_file_states(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "crank.py"
    file.write_text(
        "from cardan.examples.linkages.slider_crank import build\n"
        "TIMES = (0.0, 0.6, 11)\nSHOW = ('slider.x',)\nVARIATION = {'rod': (0.4, 0.5)}\n"
    )
    assert sweep(file) == 0
    assert "2 of 2 samples, grid, of rod; outputs slider.x; none failed" in capsys.readouterr().out
    assert sweep(file, "--designs", _table(tmp_path)) == 0
    assert "of rod, crank" in capsys.readouterr().out
    assert sweep(file, "--limit", "rod=0.15:0.5") == 0
    assert capsys.readouterr().out.startswith("limit of rod: 0.2")


def test_a_sweep_is_watched(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["-p", "rod=0.3:0.5:3", "--output", "slider.x:max", *FAST]
    assert sweep("slider-crank", *words, "--watch", "slider.x:max") == 0
    drawn = capsys.readouterr().err.partition("slider.x:max over rod\n")[2]  # behind what tells of compilation
    assert drawn and "0.3" in drawn.splitlines()[-1]
    with pytest.raises(CardanError, match="cannot watch 'slider.q'"):
        sweep("slider-crank", *words, "--watch", "slider.q")


def _table(folder: Path) -> Path:
    path = folder / "designs.csv"
    path.write_text("rod,crank\n0.4,0.1\n0.5,0.2\n")
    return path


@folded(
    ("words", "message"),
    [
        (["nothing"], "neither an example nor a file"),
        (["geneva", *FAST], "nothing to sweep; add -p NAME=low:high:count; 'geneva' has: "),
        (["slider-crank", "-p", "rod"], "write -p as name=values"),
        (["slider-crank", "-p", "rod=a,b"], "must be numbers"),
        (["slider-crank", "-p", "rod=1:2"], "as low:high:count"),
        (["slider-crank", "-p", "rod=1:2:3", "--random", "3"], "needs 2 numbers"),
        (["slider-crank", "--random", "3", "--quasi-random", "3"], "exclude each other"),
        (["slider-crank", "-p", "rood=1,2", *FAST], "has no argument 'rood'; it has: crank, rod, speed"),
        (["slider-crank", "-p", "rod=0.5", "--output", "slider.q", *FAST], "has no column 'slider.q'"),
    ],
)
def test_bad_sweeps_are_rejected(words: list[str], message: str) -> None:
    with pytest.raises((UsageError, CardanError), match=message):
        sweep(*words)


def test_a_model_file(capsys: pytest.CaptureFixture[str]) -> None:
    """x of the slider at the outer dead point is crank + rod."""
    from cardan.examples import data

    file = data("slider-crank.yaml")
    assert sweep(file, "-p", "rod=0.4,0.6", "--output", "slider.x:max") == 0
    assert "slider.x:max from 0.6 to 0.8" in capsys.readouterr().out
    with pytest.raises(UsageError, match="nothing to sweep.*crank, rod, speed"):
        sweep(file)
    with pytest.raises(UsageError, match="has no analysis flight; it has: kinematics"):
        sweep(file, "-p", "rod=0.4,0.6", "--analysis", "flight")
