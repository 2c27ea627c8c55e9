"""What the documentation says of model files, and the files that come with the examples."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import cardan.examples
from cardan import load_model
from cardan.examples import data, load
from cardan.files import check
from cardan.files.vocabulary.reference import page

DOCS = Path(__file__).resolve().parents[3] / "docs"
FILES = sorted(path.name for path in (Path(cardan.examples.__file__).parent / "files").glob("*.yaml"))


def test_the_reference_is_made_of_the_vocabulary() -> None:
    """python -m cardan.files.vocabulary.reference > docs/model-file-reference.md writes it anew."""
    assert (DOCS / "model-file-reference.md").read_text(encoding="utf-8") == page()


def test_the_guide_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (DOCS / "model-files.md").read_text(encoding="utf-8")
    (code,), (shown,) = (re.findall(rf"```{kind}\n(.*?)```", text, flags=re.DOTALL) for kind in ("python", "text"))
    exec(compile(code, "model-files.md", "exec"), {})
    assert capsys.readouterr().out == shown
    whole = re.findall(r"```yaml\n(.*?)```", text, flags=re.DOTALL)[0]
    (tmp_path / "m.yaml").write_text(whole)
    assert check(tmp_path / "m.yaml") == []


@pytest.mark.parametrize("name", FILES)
def test_files_of_the_examples_load(name: str) -> None:
    assert check(data(name)) == []
    assert load_model(data(name)).analyses


@pytest.mark.parametrize("name", ["slider-crank", "four-bar", "motor-drive"])
def test_a_file_gives_the_headline_of_its_example(name: str) -> None:
    """The four-bar of the file is ten times smaller, which does not change its angles."""
    run, headline = load_model(data(f"{name}.yaml")).analyses[-1].run(), load(name).HEADLINE
    assert headline.compute(run) == pytest.approx(headline.expected, abs=headline.tolerance)
