"""Verification cases record what they compare; a run with `--verification-manual PATH` writes the manual from it.

    pytest tests/verification --verification-manual docs/verification-manual.md

A test is a case of the manual: the first line of its docstring is the title, the rest the description; the docstring
of its file introduces the chapter. The fixture `record` asserts and keeps a row:

    record("x of the slider", ours, expected, digits(4), "Table 5.2.6")
"""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

from verification.manual import Case, Manual, Record

MANUAL = pytest.StashKey[Manual]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--verification-manual", metavar="PATH", help="write the verification manual to this file")


@pytest.fixture
def record(request: pytest.FixtureRequest) -> Record:
    """Compares numbers and keeps them for the manual."""
    return Record(Case(request.module, request.function))


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    """A case that passed goes into the manual; one that compared nothing fails."""
    result = yield
    kept = pyfuncitem.funcargs.get("record")
    assert isinstance(kept, Record) and kept.case.rows, f"{pyfuncitem.name} compared nothing"
    pyfuncitem.config.stash.setdefault(MANUAL, Manual()).add(kept.case)
    return result


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, exitstatus: int, config: pytest.Config) -> None:
    """Write the manual if every case passed. Rows stay in the process that made them, so it takes a run without -n."""
    path = config.getoption("--verification-manual", None)
    if path is None:
        return
    if exitstatus or config.getoption("numprocesses", None):
        terminalreporter.write_line(f"{path} not written: it needs a run in one process in which every case passes")
        return
    manual = config.stash.setdefault(MANUAL, Manual())
    Path(path).write_text(manual.text())
    terminalreporter.write_line(f"{path} written")
    summary = config.rootpath / "docs" / "verification.md"
    if manual.counts() not in summary.read_text():
        terminalreporter.write_line(f"{summary} is out of date: it should state '{manual.counts()}'", red=True)
