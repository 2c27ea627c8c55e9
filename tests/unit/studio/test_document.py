"""Undo is unlimited, and a crash loses nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from cardan.errors import ModelError
from cardan.studio.document import NEW, Document, difference
from cardan.studio.journal import Journal, entries


def changed(document: Document, count: int) -> list[str]:
    texts = [document.text]
    for k in range(count):
        with document.edit(f"change {k}") as text:
            text.put(("parameters", f"p{k % 7}"), k)
        texts.append(document.text)
    return texts


def test_undo_and_redo_are_unlimited() -> None:
    document = Document()
    texts = changed(document, 400)
    for text in reversed(texts[:-1]):
        document.undo()
        assert document.text == text
    assert document.undo() == "" and document.text == NEW
    for text in texts[1:]:
        document.redo()
        assert document.text == text
    document.undo()
    changed(document, 1)
    assert document.redo() == ""  # a new change ends what was undone


def test_a_change_that_fails_changes_nothing() -> None:
    document = Document()
    with pytest.raises(ModelError), document.edit("bad") as text:
        text.put(("name",), "other")
        text.put(("name", "below"), 1)
    assert document.text == NEW and not document.done
    with pytest.raises(ModelError):
        document.replace("a: [", "typed")
    assert document.text == NEW


def test_difference_is_one_splice() -> None:
    for old, new in (("abc", "abxc"), ("aaa", "aa"), ("", "x"), ("x", ""), ("same", "same"), ("abab", "ab")):
        assert difference(old, new).apply(old) == new
        assert difference(old, new).back().apply(new) == old


def test_saving_and_opening_keep_every_character(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("# head\r\ncardan: 1\r\nname: a\r\nvendor: x\r\n", newline="")
    document = Document.open(path, journal=tmp_path / "j")
    document.save()
    assert path.read_bytes() == b"# head\r\ncardan: 1\r\nname: a\r\nvendor: x\r\n"
    with pytest.raises(ModelError, match=".yaml or .json"):
        document.save(tmp_path / "a.txt")


def test_journal_restores_changes_and_undo(tmp_path: Path) -> None:
    journal = tmp_path / "j"
    document = Document.open(tmp_path / "a.yaml", journal=journal)
    texts = changed(document, 5)
    document.undo()
    # the process ends here, without closing
    again = Document.open(tmp_path / "a.yaml", journal=journal)
    assert again.text == texts[4] and again.recovered == 4
    assert again.redo() == "change 4" and again.text == texts[5]
    for _ in range(5):
        again.undo()
    assert again.text == texts[0]


def test_a_torn_line_is_ignored(tmp_path: Path) -> None:
    journal = tmp_path / "j"
    document = Document.open(tmp_path / "a.yaml", journal=journal)
    texts = changed(document, 3)
    data = journal.read_bytes()
    journal.write_bytes(data[:-9])  # the last line was being written
    again = Document.open(tmp_path / "a.yaml", journal=journal)
    assert again.text == texts[2]
    again.replace(again.text + "# more\n", "more")
    assert [line.get("about") for line in entries(journal)][-1] == "more"
    assert Document.open(tmp_path / "a.yaml", journal=journal).text == texts[2] + "# more\n"


def test_a_file_that_another_program_has_changed_wins(tmp_path: Path) -> None:
    path, journal = tmp_path / "a.yaml", tmp_path / "j"
    path.write_text("cardan: 1\nname: first\n")
    document = Document.open(path, journal=journal)
    changed(document, 2)
    path.write_text("cardan: 1\nname: other\n")
    assert "other" in Document.open(path, journal=journal).text


def test_a_saved_document_leaves_no_journal(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    document = Document.open(path, journal=tmp_path / "j")
    changed(document, 2)
    document.save()
    document.close()
    assert not (tmp_path / "j").exists() and path.read_text() == document.text


KILLED = """
import os, sys
from pathlib import Path
from cardan.studio.document import Document
document = Document.open(Path(sys.argv[1]), journal=Path(sys.argv[2]))
for k in range(50):
    with document.edit("x") as text:
        text.put(("parameters", "p"), k)
    if k == 37:
        os.kill(os.getpid(), 9)
"""


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_a_killed_process_loses_nothing(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path / "a.yaml"), str(tmp_path / "j")], timeout=120)
    assert done.returncode == -9
    found = Document.open(tmp_path / "a.yaml", journal=tmp_path / "j")
    assert "p: 37" in found.text and found.recovered == 38


def test_a_damaged_journal_is_not_used(tmp_path: Path) -> None:
    journal = tmp_path / "j"
    for lines in (["x"], ["{}"], ['{"cardan-studio": 1, "text": "name: a"}', '{"splice": [1]}'], ["[1]", "null"]):
        journal.write_text("\n".join(lines) + "\n")
        assert Document.open(None, journal=journal).text == NEW


def test_journals_of_untitled_drawings_are_private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "cache"
    folder.mkdir(mode=0o700)
    monkeypatch.setenv("CARDAN_CACHE", str(folder))
    document = Document.open(None)
    changed(document, 1)
    assert document.journal is not None and document.journal.path.parent == folder / "studio"
    if os.name == "posix":
        assert document.journal.path.stat().st_mode & 0o077 == 0
    assert json.loads(document.journal.path.read_text().splitlines()[0])["cardan-studio"] == 1
    assert Journal.of(Path("a.yaml")) != Journal.of(Path("b.yaml"))
