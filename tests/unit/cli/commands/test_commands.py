"""Commands beside `run`: what they print, what they write, and how they end."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys

import pytest

from cardan import load_result
from cardan.cli import COMMANDS, main
from cardan.examples import data, names

SLIDER = data("slider-crank.yaml")


@pytest.fixture
def model(tmp_path):
    return shutil.copy(SLIDER, tmp_path / "slider.yaml")


def facts(capsys) -> dict:
    return json.loads(capsys.readouterr().out)


def test_every_command_has_help(capsys) -> None:
    for name in COMMANDS:
        with pytest.raises(SystemExit) as stop:
            main([name, "--help"])
        assert stop.value.code == 0 and len(capsys.readouterr().out) > 100


def test_first_steps_without_a_command(capsys) -> None:
    assert main([]) == 0 and "first steps:" in capsys.readouterr().out
    for words, said in {
        "runn": "there is no command 'runn'; did you mean 'run'?",
        "slider-crank": "write `cardan view slider-crank`",
        "xyzzy": "`cardan --help` lists them",
    }.items():
        assert main([words]) == 2 and said in capsys.readouterr().err


@pytest.mark.parametrize("command", [["--help"], ["check", str(SLIDER)]])
def test_help_and_check_load_nothing_heavy(command) -> None:
    script = (
        "import sys; from cardan.cli import main\n"
        f"try: code = main({command!r})\nexcept SystemExit as e: code = e.code\n"
        "print(code, [m for m in ('numpy', 'numba', 'matplotlib', 'xarray') if m in sys.modules])"
    )
    before = os.times()
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    after = os.times()
    assert run.stdout.splitlines()[-1] == "0 []", run.stderr
    assert after.children_user - before.children_user < 2.0  # s of this processor, on an idle machine 0.2


@pytest.mark.parametrize("space", ["planar", "spatial"])
def test_a_new_file_checks_and_runs(space: str, tmp_path, capsys) -> None:
    path = tmp_path / "press.yaml"
    assert main(["new", str(path), "--space", space]) == 0
    assert main(["check", str(path)]) == 0
    assert main(["run", str(path), "--out", str(tmp_path / "out")]) == 0
    assert [file.name for file in (tmp_path / "out").iterdir()] == ["press.nc"]
    assert "name: press" in path.read_text()
    assert main(["new", str(path)]) == 2 and "already exists" in capsys.readouterr().err
    assert main(["new", str(tmp_path / "press.txt")]) == 2
    assert main(["new", str(tmp_path / "nowhere" / "press.yaml")]) == 2


def test_check_tells_place_code_and_near_word(tmp_path, capsys) -> None:
    path = tmp_path / "bad.yaml"
    text = SLIDER.read_text().replace("type: revolute, a: ground", "type: revolut, a: ground")
    path.write_text(text)
    line = next(k for k, words in enumerate(text.splitlines(), 1) if "revolut," in words)
    assert main(["check", str(path)]) == 1
    said = capsys.readouterr().out
    assert f"{path}:{line}:" in said and "did you mean 'revolute'" in said
    assert main(["check", str(path), "--json"]) == 1
    fault = facts(capsys)["faults"][0]
    assert fault["line"] == line and fault["code"] in said and "column" in fault
    assert main(["run", str(path)]) == 1
    assert "revolut" in capsys.readouterr().err
    assert main(["check", str(tmp_path / "no.yaml")]) == 2


def test_run_writes_a_result_that_other_commands_read(model, tmp_path, capsys) -> None:
    out = tmp_path / "out"
    assert main(["run", str(model), "--out", str(out), "--json"]) == 0
    told = facts(capsys)
    assert told["ok"] and told["results"][0]["kind"] == "kinematics"
    assert told["results"][0]["ranges"]["slider.x"][:2] == pytest.approx([0.3, 0.7], abs=1e-9)
    result = out / "slider.nc"
    assert told["results"][0]["written"] == [str(result)]
    assert main(["run", str(model), "--out", str(out), "--no-clobber"]) == 1
    assert "already exists" in capsys.readouterr().err
    assert main(["run", str(model), "--out", str(out), "-p", "rod=600 mm"]) == 0
    assert "slider.x from 0.4 to 0.8 m" in capsys.readouterr().out


def test_run_takes_times_formats_and_rejects_what_is_none(model, tmp_path, capsys) -> None:
    command = ["run", str(model), "--until", "0.5", "--step", "0.1", "--out", str(tmp_path / "o")]
    assert main([*command, "--format", "nc,csv,parquet,mat,png"]) == 0
    assert {path.suffix for path in (tmp_path / "o").iterdir()} == {".nc", ".csv", ".parquet", ".mat", ".png"}
    assert "6 output times" in capsys.readouterr().out
    for wrong in (["--method", "radau"], ["--step", "1"], ["--analysis", "flight"], ["-p", "rod"]):
        assert main(["run", str(model), *wrong]) == 2, wrong
    assert main(["run", str(tmp_path / "none.yaml")]) == 2


def test_diff_finds_the_largest_differences(model, tmp_path, capsys) -> None:
    for name, rod in (("a", "0.5"), ("b", "0.5"), ("c", "0.500001")):
        assert main(["run", str(model), "--out", str(tmp_path / name), "-p", f"rod={rod} m"]) == 0
    paths = {name: str(tmp_path / name / "slider.nc") for name in "abc"}
    capsys.readouterr()
    assert main(["diff", paths["a"], paths["b"]]) == 0
    assert main(["diff", paths["a"], paths["c"], "--rtol", "1e-3"]) == 0
    capsys.readouterr()
    assert main(["diff", paths["a"], paths["c"], "--json"]) == 1
    found = {d["name"]: d for d in facts(capsys)["differences"]}
    assert found["position"]["beyond"] and found["position"]["size"] == pytest.approx(1e-6, rel=0.2)
    assert "body" in found["position"]["place"] and "t = " in found["position"]["place"]
    assert main(["diff", paths["a"], paths["c"]]) == 1
    assert "differ by" in capsys.readouterr().out
    assert main(["diff", paths["a"], str(tmp_path / "no.nc")]) == 2
    assert main(["diff", paths["a"], paths["b"], "--rtol", "-1"]) == 2


def test_examples_are_shown_and_copied(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["examples", "--json"]) == 0
    assert [*facts(capsys)["examples"]] == names()
    assert main(["examples", "slider-crank"]) == 0
    assert "def build(" in capsys.readouterr().out
    assert main(["examples", "slider-crank", "--copy"]) == 0
    assert main(["run", "slider_crank.py", "--until", "0.1"]) == 0
    assert main(["examples", "slider-crank", "--copy"]) == 2
    assert main(["examples", "slider-crank", "--file", "--copy"]) == 0
    assert main(["check", "slider_crank.yaml"]) == 0
    assert main(["examples", "slider-krank"]) == 2
    assert "did you mean 'slider-crank'" in capsys.readouterr().err


def test_mobility_of_a_model_file(model, capsys) -> None:
    assert main(["mobility", str(model)]) == 0
    assert capsys.readouterr().err == ""
    assert main(["mobility", str(model), "--json"]) == 0
    told = facts(capsys)
    assert told["degrees_of_freedom"] == 1 and told["coordinates"] == 9 and told["undriven"] == 0


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_names_commands_options_and_examples(shell: str, tmp_path, capsys) -> None:
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert all(name in script for name in (*COMMANDS, "slider-crank")) and "rtol" in script
    if program := shutil.which(shell):
        (tmp_path / "script").write_text(script)
        subprocess.run([program, "-n", str(tmp_path / "script")], check=True)


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_bash_completes(capsys) -> None:
    assert main(["completion", "bash"]) == 0
    script = capsys.readouterr().out + '\nCOMP_WORDS=(cardan ru); COMP_CWORD=1; _cardan; echo "${COMPREPLY[@]}"'
    script += '\nCOMP_WORDS=(cardan run slider); COMP_CWORD=2; _cardan; echo "${COMPREPLY[@]}"'
    said = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True).stdout.splitlines()
    assert said[0] == "run" and "slider-crank" in said[1]


def test_explain(capsys) -> None:
    from cardan.files import codes

    assert main(["explain"]) == 0
    capsys.readouterr()
    for code in codes:
        assert main(["explain", code.lower()]) == 0
        assert capsys.readouterr().out.startswith(code)
    assert main(["explain", "X999"]) == 2


def test_errors_of_machines_are_json_too(capsys) -> None:
    assert main(["run", "slider-krank", "--json"]) == 2
    told = facts(capsys)
    assert not told["ok"] and "did you mean" in told["error"]


def test_plot_lists_and_draws_columns_of_a_result(model, tmp_path, capsys) -> None:
    """The crank of 0.2 m and the rod of 0.5 m let the slider run from 0.3 to 0.7 m."""
    pytest.importorskip("matplotlib")
    assert main(["run", str(model), "--out", str(tmp_path), "--times", "0:0.62831853071795862:61"]) == 0
    result = str(tmp_path / "slider.nc")
    capsys.readouterr()
    assert main(["plot", result, "--list", "--json"]) == 0
    assert facts(capsys)["columns"]["slider.x"] == [pytest.approx(0.3, abs=1e-9), pytest.approx(0.7, abs=1e-9), "m"]
    picture = tmp_path / "x.png"
    assert main(["plot", result, "slider.x", "--out", str(picture)]) == 0
    assert picture.read_bytes()[:4] == b"\x89PNG"
    assert main(["plot", result, "slider.x", "--out", str(picture)]) == 0
    assert main(["plot", result, "slider.x", "--out", str(picture), "--no-clobber"]) == 1
    assert main(["plot", result, "slider.q", "--out", str(tmp_path / "q.png")]) == 2
    assert main(["plot", str(tmp_path / "none.nc")]) == 2


def test_a_result_of_an_example_is_viewed_with_its_curves_and_its_model(tmp_path, capsys) -> None:
    """Its gas force is a function of Python, which no file states: the example of its name gives it."""
    assert main(["run", "slider-crank-forces", "--out", str(tmp_path), "--format", "nc,html"]) == 0
    result, page = tmp_path / "slider-crank-forces.nc", tmp_path / "view.html"
    assert main(["view", str(result), "--out", str(page)]) == 0
    renamed = result.rename(tmp_path / "engine.nc")
    assert main(["view", str(renamed), "--out", str(tmp_path / "other.html")]) == 1
    assert "--model" in capsys.readouterr().err
    named = ["--model", "slider-crank-forces"]
    assert main(["view", str(renamed), "--out", str(tmp_path / "other.html"), *named]) == 0
    assert main(["view", str(renamed), "--out", str(tmp_path / "x.html"), "--model", "slider-crank"]) == 1
    text = page.read_text(encoding="utf-8")
    assert text == (tmp_path / "other.html").read_text(encoding="utf-8")
    assert text == (tmp_path / "slider-crank-forces.html").read_text(encoding="utf-8")
    assert "name: slider-crank-forces" in text


def test_one_command_from_a_model_file_to_its_page_and_report(tmp_path, capsys) -> None:
    """The last analysis of the file is run, with parameters if they are stated."""
    from cardan.examples import data

    file = str(data("slider-crank.yaml"))
    assert main(["report", file, "--out", str(tmp_path / "r.html"), "-p", "rod=0.6"]) == 0
    assert "slider-crank" in (tmp_path / "r.html").read_text(encoding="utf-8")
    assert main(["view", file, "--out", str(tmp_path / "v.html")]) == 0
    assert "name: slider-crank" in (tmp_path / "v.html").read_text(encoding="utf-8")  # the model inside
    assert main(["view", file, "--model", "slider-crank", "--out", str(tmp_path / "w.html")]) == 2
    assert "omit --model" in capsys.readouterr().err


def test_view_plays_examples_scripts_and_models(tmp_path, capsys) -> None:
    """An example by its analysis, a script by the motion that it computes or else its assembled model."""
    page = tmp_path / "v.html"
    assert main(["view", "scotch-yoke", "--out", str(page)]) == 0 and page.stat().st_size > 100_000
    script = tmp_path / "fan.py"
    script.write_text("from cardan.examples import load\nmodel = load('slider-crank').build()\n")
    assert main(["view", str(script), "--out", str(page)]) == 0
    still = page.stat().st_size
    script.write_text(f"{script.read_text()}from cardan import kinematics\nrun = kinematics(model, [0.0, 0.1, 0.2])\n")
    assert main(["view", str(script), "--out", str(page)]) == 0 and page.stat().st_size > still
    file = tmp_path / "still.yaml"
    file.write_text(SLIDER.read_text().partition("analyses:")[0])
    assert main(["view", str(file), "--out", str(page)]) == 0
    assert main(["plot", str(file), "--out", str(tmp_path / "x.png")]) == 2
    assert "states no analysis" in capsys.readouterr().err
    assert main(["view", "scotch-yok", "--out", str(page)]) == 2


def test_a_position_that_is_none_has_another_name(tmp_path, capsys) -> None:
    """A rod of 1 m holds two pins that stand 3 m apart: what is nearest is shown, but not under the ordinary name."""
    path = tmp_path / "gap.yaml"
    path.write_text(
        "cardan: 1\nname: gap\nspace: planar\nbodies: {rod: {position: [1.5, 0]}}\n"
        "joints: {A: 'revolute(ground, rod@(-0.5, 0))', B: 'revolute(ground@(3, 0), rod@(0.5, 0))'}\n"
        "analyses: [{type: assemble}]\n"
    )
    out = tmp_path / "out"
    for _ in range(2):  # what an earlier run left is not in the way
        assert main(["run", str(path), "--out", str(out), "--format", "nc,png"]) == 1
        said = capsys.readouterr()
        assert "NOT ASSEMBLED" in said.out and "'A' by 1 m" in said.err
    assert {file.name for file in out.iterdir()} == {"gap.not-assembled.nc", "gap.not-assembled.png"}
    found = load_result(out / "gap.not-assembled.nc")
    assert "does not close" in found.open and repr(found).startswith("NOT ASSEMBLED")
    assert main(["run", str(path), "-p", "x=1", "--out", str(out)]) == 1  # faults of the file leave no result at all
    assert len([*out.iterdir()]) == 2


def test_check_lists_what_counts_in_si(tmp_path, capsys) -> None:
    path = tmp_path / "hold.yaml"
    path.write_text(
        "cardan: 1\nname: hold\nspace: planar\nunits: {length: mm}\nbodies: {cart: {mass: 1, inertia: 1}}\n"
        "joints: {guide: 'translational(ground, cart)'}\n"
        "control: {hold: {type: pid, input: guide.travel, setpoint: 0, kp: 5, ki: 2}}\n"
    )
    assert main(["check", str(path)]) == 0
    said = capsys.readouterr().out
    assert said.count("warning:") == 2 and "kp of pid is in SI units, although the file declares length in mm" in said
    assert main(["check", str(path), "--json"]) == 0
    assert [one["code"] for one in facts(capsys)["warnings"]] == ["C312", "C312"]


def test_a_live_page_is_served_until_it_is_ended(tmp_path, capsys, monkeypatch) -> None:
    from cardan.examples import data

    file = str(data("slider-crank.yaml"))
    assert main(["view", file, "--live", "--out", str(tmp_path / "w.html")]) == 2
    pytest.importorskip("websockets", reason="live pages need websockets")
    monkeypatch.setattr("webbrowser.open", lambda address: True)
    monkeypatch.setattr("cardan.view.web.live.Live.wait", lambda page: page.close())
    assert main(["view", file, "--live"]) == 0
    assert "live at http://127.0.0.1:" in capsys.readouterr().out
