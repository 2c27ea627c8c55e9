"""The command line: what it prints, what it writes, and its exit codes."""

from __future__ import annotations

import csv
import subprocess
import sys
import time

import pytest

from cardan.cli import main
from cardan.examples import analysis, load, names
from folding import folded

OWN = """
import math
from cardan.planar import Body, Driver, Model, Ramp, Revolute

def build(speed=2.0, arm=0.5):
    model = Model("fan")
    rotor = model.add(Body(), name="rotor")
    hinge = model.add(Revolute(model.ground.at(), rotor.at(-arm, 0.0)), name="hinge")
    model.add(Driver(hinge.angle, Ramp(speed)), name="motor")
    return model
"""


def rows(path) -> list[dict[str, str]]:
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def test_help_is_quick_and_light() -> None:
    script = "import sys; sys.argv = ['cardan', '--help']; from cardan.cli import main\n"
    script += "try: main()\nexcept SystemExit: print([m for m in ('numpy', 'numba', 'matplotlib') if m in sys.modules])"
    begun = time.perf_counter()
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert run.stdout.splitlines()[-1] == "[]", run.stderr
    assert time.perf_counter() - begun < 2.0  # 0.1 s on an idle machine


def test_version(capsys) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["--version"])
    assert stop.value.code == 0
    assert capsys.readouterr().out.startswith("cardan 0.")


def test_examples_are_listed(capsys) -> None:
    assert main(["examples"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == names()
    assert all(len(line) < 120 for line in lines)


def of_each_kind() -> list[str]:
    """The first example of each analysis in the plane and in space; all are computed in tests/test_examples.py."""
    kinds = {}
    for name in names():
        example = load(name)
        kinds.setdefault((analysis(example), example.build().space.dimensions), name)
    return sorted(kinds.values())


@pytest.mark.parametrize("name", of_each_kind())
def test_examples_run(name: str, tmp_path, capsys) -> None:
    assert main(["run", name, "--out", str(tmp_path)]) == 0
    said = capsys.readouterr()
    assert "closed form" in said.out and "freedom" in said.out and said.err == ""
    assert {path.name for path in tmp_path.iterdir()} == {f"{name}.csv", f"{name}.png"}
    few = {
        "lamp-equilibrium": 2,
        "snap-through": 40,
        "stabilizer-bar": 1,
        "car-body": 1,
        "bent-ring": 5,
        "fishing-rod": 1,
    }  # a row for each equilibrium, not for each instant
    assert len(rows(tmp_path / f"{name}.csv")) >= few.get(name, 101)


def test_demo_prints_the_numbers_of_the_closed_form(tmp_path, capsys) -> None:
    """-w^2 (r + r^2 / l) = -28, strokes of 0.5 -+ 0.2."""
    assert main(["run", "slider-crank", "--out", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert "outer dead point: -28 m/s2 (closed form -28)" in out
    assert "slider.x from 0.3 to 0.7 m" in out
    assert f"wrote {tmp_path / 'slider-crank.png'}" in out


def test_nothing_is_written_unless_asked(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["run", "scotch-yoke"]) == 0
    assert not list(tmp_path.iterdir())


def test_own_file_with_parameters_and_formats(tmp_path, capsys) -> None:
    pytest.importorskip("xarray")
    model = tmp_path / "fan.py"
    model.write_text(OWN)
    out = tmp_path / "out"
    command = ["run", str(model), "--until", "1", "--step", "0.25", "-p", "speed=4", "--out", str(out)]
    assert main([*command, "--format", "csv,nc", "--plot", "rotor.x"]) == 0
    assert {path.name for path in out.iterdir()} == {"fan.csv", "fan.nc", "fan.png"}
    table = rows(out / "fan.csv")
    assert [float(row["time"]) for row in table] == [0.0, 0.25, 0.5, 0.75, 1.0]
    assert float(table[-1]["rotor.angle"]) == pytest.approx(4.0, abs=1e-12)
    assert "rotor.x from" in capsys.readouterr().out


def test_file_with_a_plain_model(tmp_path, capsys) -> None:
    path = tmp_path / "fan.py"
    path.write_text(OWN + "\nmodel = build()\ndel build\nTIMES = (0.0, 1.0, 5)\n")
    assert main(["run", str(path)]) == 0
    assert "from 0 s to 1 s: 5 output times" in capsys.readouterr().out
    assert main(["run", str(path), "-p", "speed=3"]) == 2


def test_other_analyses(tmp_path, capsys) -> None:
    assert main(["run", "four-bar", "--analysis", "assemble", "--out", str(tmp_path)]) == 0
    assert "rocker: x 4, y 0.5, angle 1.5708" in capsys.readouterr().out
    assert {path.name for path in tmp_path.iterdir()} == {"four-bar.csv", "four-bar.png"}
    assert main(["run", "four-bar", "--analysis", "mobility"]) == 0
    first = capsys.readouterr().out
    assert main(["mobility", "four-bar"]) == 0
    assert capsys.readouterr().out == first
    assert "9 coordinates, 8 joint equations of rank 8, so 1 degree of freedom" in first
    assert main(["mobility", "four-bar", "--imperfect"]) == 0
    assert "wrong dimensions" in capsys.readouterr().out


def test_animation(tmp_path, capsys) -> None:
    command = ["run", "scotch-yoke", "--times", "0:0.2:11", "--animate", "gif", "--out", str(tmp_path)]
    assert main(command) == 0
    assert (tmp_path / "scotch-yoke.gif").read_bytes()[:3] == b"GIF"


def test_lock_up_keeps_what_was_computed(tmp_path, capsys) -> None:
    """A rod of 0.15 m lets the crank of 0.2 m reach sin(a) = 0.75: t = 0.0848062 s at 10 rad/s."""
    assert main(["run", "slider-crank", "-p", "rod=0.15", "--out", str(tmp_path)]) == 1
    said = capsys.readouterr()
    assert said.err.startswith("cardan: at t = 0.0848062") and said.err.count("\n") == 1
    last = rows(tmp_path / "slider-crank.csv")[-1]
    assert 0.08 < float(last["time"]) < 0.0848062
    assert (tmp_path / "slider-crank.png").exists()


def test_a_mechanism_that_does_not_close_is_drawn(tmp_path, capsys) -> None:
    """Bars of 2, 4 and 0.1 m cannot bridge pivots 8.06 m apart."""
    command = ["run", "four-bar", "-p", "rocker=0.1", "-p", "base=8", "--out", str(tmp_path)]
    assert main([*command, "--analysis", "assemble"]) == 1
    assert "does not close" in capsys.readouterr().err
    assert {path.name for path in tmp_path.iterdir()} == {"four-bar.not-assembled.png"}
    assert main(command) == 1


def test_headline_belongs_to_the_stated_case(capsys) -> None:
    assert main(["run", "oldham", "--until", "0.1"]) == 0
    assert "closed form" not in capsys.readouterr().out


def test_interrupt_keeps_what_was_computed(tmp_path, capsys, monkeypatch) -> None:
    import cardan.analysis.progress as progress

    def interrupt(self, done: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(progress.Progress, "show", interrupt)
    assert main(["run", "slider-crank", "--out", str(tmp_path)]) == 1
    assert "interrupted" in capsys.readouterr().err
    assert 1 < len(rows(tmp_path / "slider-crank.csv")) < 361


@folded(
    ("command", "code", "words"),
    [
        (["run", "slider-krank"], 2, "did you mean 'slider-crank'"),
        (["run", "slider-crank", "-p", "rodd=1"], 2, "no parameter 'rodd'"),
        (["run", "slider-crank", "-p", "rod"], 2, "name=value"),
        (["run", "slider-crank", "-p", "rod=long"], 2, "must be a number"),
        (["run", "slider-crank", "--step", "0.1"], 2, "--step needs --until"),
        (["run", "slider-crank", "--until", "-1"], 2, "must be positive"),
        (["run", "slider-crank", "--until", "1", "--times", "0:1:9"], 2, "one of them"),
        (["run", "slider-crank", "--plot", "slider.q"], 2, "did you mean 'slider"),
        (["run", "slider-crank", "--analysis", "assemble", "--animate", "gif"], 2, "--animate"),
        (["run", "cam-roller", "-p", "roller=-0.01"], 1, "radius"),
    ],
)
def test_errors_are_one_sentence(command, code, words, capsys) -> None:
    assert main(command) == code
    said = capsys.readouterr().err
    assert said.startswith("cardan: ") and said.count("\n") == 1
    assert words in said


@pytest.mark.parametrize(
    "command",
    [["run"], ["run", "slider-crank", "--times", "0:1"], ["run", "slider-crank", "--format", "xls"]],
)
def test_wrong_usage_ends_with_2(command, capsys) -> None:
    with pytest.raises(SystemExit) as stop:
        main(command)
    assert stop.value.code == 2


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x = 1\nmodel = undefined\n", "line 2: NameError"),
        ("def build(:\n", "line 1: SyntaxError"),
        ("model = 3\n", "found int"),
        ("def build():\n    return 1 / 0\n", "line 2: ZeroDivisionError"),
    ],
)
def test_broken_files_are_told_with_their_line(text, words, tmp_path, capsys) -> None:
    path = tmp_path / "broken.py"
    path.write_text(text)
    assert main(["run", str(path)]) == 1
    said = capsys.readouterr().err
    assert words in said and said.count("\n") == 1


def test_a_file_that_does_not_say_how_long(tmp_path, capsys) -> None:
    path = tmp_path / "fan.py"
    path.write_text(OWN)
    assert main(["run", str(path)]) == 2
    assert "--until 1 --step 0.01" in capsys.readouterr().err


def test_traceback_on_request(capsys) -> None:
    assert main(["run", "slider-crank", "-p", "rod=0.15", "--traceback"]) == 1
    said = capsys.readouterr().err
    assert "Traceback" in said and "LockUp" in said


def test_simulation_with_a_method_and_a_tolerance(capsys) -> None:
    assert main(["run", "pendulum", "--method", "radau", "--rtol", "1e-6"]) == 0
    printed = capsys.readouterr().out
    assert "by radau, rtol 1e-06" in printed and "Missing drivers" not in printed
    assert main(["run", "four-bar", "--rtol", "1e-6"]) == 2
    assert "this analysis does not take --rtol" in capsys.readouterr().err
    assert main(["run", "pendulum", "--method", "euler"]) == 1
    assert "the method of simulate()" in capsys.readouterr().err


def test_equilibrium_of_a_model_that_asks_for_a_motion(tmp_path, capsys) -> None:
    """The pendulum hangs in the end; its table has one row."""
    assert main(["run", "pendulum", "--analysis", "equilibrium", "--out", str(tmp_path), "--plot", "tip.y"]) == 0
    assert "stable, energy -4.905 J" in capsys.readouterr().out
    (row,) = rows(tmp_path / "pendulum.csv")
    assert float(row["tip.y"]) == pytest.approx(-1.0, abs=1e-9) and float(row["pin.fy"]) == pytest.approx(9.81)
    assert (tmp_path / "pendulum.png").exists()


def test_load_path_needs_a_load(capsys) -> None:
    assert main(["run", "pendulum", "--analysis", "equilibrium_path"]) == 2
    assert "does not state which load grows" in capsys.readouterr().err
    assert main(["run", "snap-through", "--plot", "nothing"]) == 2
    assert "no column 'nothing'" in capsys.readouterr().err
    assert main(["run", "snap-through", "--animate", "gif"]) == 2
