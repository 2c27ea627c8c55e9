"""What commands reject: one sentence, the exit code that is documented, nothing overwritten."""

from __future__ import annotations

import json
import re
import shutil
import socket
from pathlib import Path

import pytest

from cardan import ModelError
from cardan.cli import main
from cardan.cli.output import for_command_line
from cardan.examples import data
from cardan.files.vocabulary.json_schema import BESIDE

SLIDER = data("slider-crank.yaml")


@pytest.fixture(scope="module")
def result(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("results")
    assert main(["run", str(SLIDER), "--out", str(folder)]) == 0
    return folder / "slider-crank.nc"


def refused(capsys, code: int, words: str, *command: object) -> None:
    capsys.readouterr()
    assert main([str(word) for word in command]) == code
    said = capsys.readouterr().err
    assert words in said and said.count("\n") == 1 and said.startswith("cardan: ")


def test_the_schema_lies_beside_new_files_and_is_kept(tmp_path, capsys) -> None:
    path, beside = tmp_path / "press.yaml", tmp_path / BESIDE
    assert main(["new", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["written"] == [str(beside), str(path)]
    assert path.read_text().startswith(f"# yaml-language-server: $schema={BESIDE}\n")
    assert json.loads(beside.read_text())["$id"] == "urn:cardan:model:1"
    beside.write_text("another")
    assert main(["new", str(tmp_path / "second.yaml")]) == 0 and beside.read_text() == "another"
    refused(capsys, 1, "from another version", "schema", tmp_path, "--no-clobber")
    assert beside.read_text() == "another"
    assert main(["schema", str(tmp_path)]) == 0 and beside.read_text() != "another"
    refused(capsys, 2, "does not exist", "schema", tmp_path / "nowhere")


def test_missing_files_and_folders_are_wrong_usage(tmp_path, capsys) -> None:
    (tmp_path / "dir.yaml").mkdir()
    (tmp_path / "dir.nc").mkdir()
    for command in ("check", "run", "mobility", "sweep"):
        refused(capsys, 2, "does not exist", command, tmp_path / "no.yaml")
        refused(capsys, 2, "is a folder", command, tmp_path / "dir.yaml")
    for command in ("plot", "view", "report"):
        refused(capsys, 2, "does not exist", command, tmp_path / "no.nc")
        refused(capsys, 2, "is a folder", command, tmp_path / "dir.nc")
    refused(capsys, 2, "did you mean 'worm-hoist'", "view", "wormhoist", "--out", tmp_path / "x.html")
    refused(capsys, 2, "does not exist", "diff", tmp_path / "no.nc", tmp_path / "no.nc")


def test_files_of_robots_are_read_by_scripts(tmp_path, capsys) -> None:
    for name, reader in (("arm.urdf", "from_urdf"), ("arm.sdf", "from_sdf"), ("arm.xml", "from_mjcf")):
        (tmp_path / name).write_text("<robot/>")
        refused(capsys, 2, f"model = {reader}('{name}')", "run", tmp_path / name)


def test_ports_that_cannot_be_used(tmp_path, monkeypatch, capsys) -> None:
    pytest.importorskip("websockets")
    monkeypatch.setenv("CARDAN_CACHE", str(tmp_path / "cache"))  # unsaved drawings of the user are not opened
    refused(capsys, 1, "from 0, a free one, to 65535, got 99999", "studio", "--no-browser", "--port", "99999")
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        refused(capsys, 1, f"port {port} of 127.0.0.1 is not available", "studio", "--no-browser", "--port", port)


def test_endings_say_what_commands_write(result, tmp_path, capsys) -> None:
    before = result.read_bytes()
    refused(capsys, 2, ".png or .svg or .pdf", "plot", result, "--out", result)
    refused(capsys, 2, "must end in .html", "view", result, "--out", tmp_path / "a.csv")
    refused(capsys, 2, "must end in .pdf", "report", result, "--out", result)
    assert result.read_bytes() == before


def test_what_the_system_bars_is_told_without_its_numbers(result, tmp_path, capsys) -> None:
    (tmp_path / "file").write_text("kept")
    refused(capsys, 2, "is a file, not a folder", "run", SLIDER, "--out", tmp_path / "file")
    refused(capsys, 1, "cannot be opened or written: not a directory", "run", SLIDER, "--out", tmp_path / "file" / "x")
    assert (tmp_path / "file").read_text() == "kept"


def test_a_partial_result_is_kept_with_no_clobber(result, tmp_path, capsys) -> None:
    partial = tmp_path / "slider-crank.partial.nc"
    shutil.copy(result, partial)
    refused(capsys, 1, "slider-crank.partial.nc' already exists", "run", SLIDER, "--out", tmp_path, "--no-clobber")
    assert partial.read_bytes() == result.read_bytes() and not (tmp_path / "slider-crank.nc").exists()
    assert main(["run", str(SLIDER), "--out", str(tmp_path)]) == 0


def test_all_analyses_are_planned_before_the_first_is_computed(tmp_path, capsys) -> None:
    path = tmp_path / "two.yaml"
    second = "analyses:\n  - {type: inverse_dynamics, name: forces, times: [0, 0.1]}\n"
    path.write_text(SLIDER.read_text().replace("analyses:\n", second))
    (tmp_path / "two-kinematics.nc").write_text("kept")
    refused(capsys, 1, "two-kinematics.nc' already exists", "run", path, "--out", tmp_path, "--no-clobber")
    assert not (tmp_path / "two-forces.nc").exists()


def test_parameters_of_the_wrong_kind_name_their_place(capsys) -> None:
    line = next(k for k, text in enumerate(SLIDER.read_text().splitlines(), 1) if text.startswith("  rod: 0.5"))
    sentence = "the parameter 'rod' is set to a mass, but is a length in the file"
    refused(capsys, 1, f"{SLIDER}:{line}:8: C304: {sentence}", "run", SLIDER, "-p", "rod=3 kg")
    refused(capsys, 1, f"{SLIDER}:{line}:8: C302", "run", SLIDER, "-p", "rod=nan")


def test_plot_reports_a_wrong_column_before_an_existing_picture(result, tmp_path, capsys) -> None:
    picture = tmp_path / "there.png"
    picture.write_bytes(b"kept")
    refused(capsys, 2, "'slider.q'", "plot", result, "slider.q", "--out", picture, "--no-clobber")
    refused(capsys, 1, "already exists", "plot", result, "slider.x", "--out", picture, "--no-clobber")
    assert picture.read_bytes() == b"kept"
    assert main(["plot", str(result), "slider.x", "--out", str(picture)]) == 0
    assert picture.read_bytes()[:4] == b"\x89PNG"


def test_sweeps_with_no_clobber_and_json(tmp_path, capsys) -> None:
    asked = ["sweep", str(SLIDER), "-p", "rod=0.4,0.5", "--output", "slider.x:max", "--out", str(tmp_path)]
    assert main([*asked, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["samples"] == 2 and told["failed"] == 0
    assert told["ranges"]["slider.x:max"] == pytest.approx([0.6, 0.7], abs=1e-12)  # crank + rod
    assert told["least"]["slider.x:max"] == {"rod": 0.4}
    refused(capsys, 1, "already exists", *asked, "--no-clobber")
    refused(capsys, 2, "has no parameter 'rd'; it has: crank, rod, speed", "sweep", SLIDER, "-p", "rd=1,2")


def test_results_of_other_lengths_differ_in_plain_words_and_strict_json(result, tmp_path, capsys) -> None:
    assert main(["run", str(SLIDER), "--until", "0.1", "--out", str(tmp_path)]) == 0
    other = tmp_path / "slider-crank.nc"
    capsys.readouterr()
    assert main(["diff", str(result), str(other)]) == 1
    assert "time: shapes (361,) and (201,)\n" in capsys.readouterr().out
    assert main(["diff", str(result), str(other), "--json"]) == 1
    told = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)  # NaN and Infinity are no JSON
    assert told["differences"][0]["size"] is None


def test_an_analysis_without_a_file_does_not_stop_the_others(tmp_path, capsys) -> None:
    path = tmp_path / "two.yaml"
    path.write_text(SLIDER.read_text().replace("analyses:\n", "analyses:\n  - {type: mobility}\n"))
    assert main(["run", str(path), "--out", str(tmp_path)]) == 0
    assert "a Mobility cannot be stored" in capsys.readouterr().out
    assert sorted(file.name for file in tmp_path.glob("*.nc")) == ["two-kinematics.nc"]


def test_unknown_columns_are_rejected_before_anything_is_computed(tmp_path, capsys) -> None:
    path = tmp_path / "typo.yaml"
    path.write_text(re.sub(r"(?m)^show:.*$", "show: [slidr.x]", SLIDER.read_text()))
    refused(capsys, 2, "nothing called 'slidr.x' to plot; did you mean 'slider.x'", "run", path, "--out", tmp_path)
    assert not (tmp_path / "typo.nc").exists()
    refused(capsys, 2, "nothing called 'slidr.x'", "run", "slider-crank", "--plot", "slidr.x")


def test_remedies_are_those_of_the_command_line() -> None:
    smooth = "it bifurcates; at_bifurcation='smooth' continues smoothly, and the error's branches are 2 motions"
    assert for_command_line(ModelError(smooth)) == "it bifurcates; --at-bifurcation smooth continues smoothly"
    assert for_command_line(ModelError("none; mobility(model) names them")) == "none; `cardan mobility` names them"
