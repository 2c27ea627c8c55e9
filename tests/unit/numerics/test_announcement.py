"""The announcement of compilation: the time of what is missing, at the pace of the first kernels, and its progress."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from cardan.numerics import announcement as module
from cardan.numerics.announcement import COSTS, Announcement, table

TABLE: Any = {
    "costs": {"k.small planar": 1.0, "k.large planar": 4.0, "k.both": 2.0, "cardan.spatial.k spatial": 9.0},
    "shared": {"k.both"},
    "calls": {"k.large": ["k.small", "k.both", "cardan.spatial.k"]},
    "groups": {"kinematics": ["k.large"]},
    "names": {"kinematics"},
    "known": {"k.small", "k.large", "k.both", "cardan.spatial.k"},
}


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """A clock that tests set, and a table of four kernels."""
    now = [0.0]
    monkeypatch.setattr(module.time, "perf_counter", lambda: now[0])
    monkeypatch.setattr(module, "_table", TABLE)
    monkeypatch.setattr(module, "asked", lambda: ("kinematics", "planar"))
    return now


def compile_all(one: Announcement, now: list[float], pace: float, folder: Path | None) -> None:
    """k.large, which has k.small and k.both compiled within."""
    one.begin("k.large", folder)
    for name, cost in (("k.small", 1.0), ("k.both", 2.0)):
        one.begin(name, folder)
        now[0] += pace * cost
        one.end()
    now[0] += pace * 4.0
    one.end()


def test_time_and_progress(clock: list[float], capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A machine of a third of the speed: (1 + 2 + 4) x 3 s, known after the first kernel."""
    one = Announcement()
    compile_all(one, clock, 3.0, tmp_path)
    said = capsys.readouterr().err.splitlines()
    assert said[0] == "Cardan compiles the kernels of kinematics(): once on this machine, about 21 s"
    assert said[1:] == ["compiling: 43 %, 12 s left"]
    assert one.left == 0.0 and one.elapsed == 21.0
    # another process expects nothing that this one has compiled, but in space what depends on the space
    other = Announcement()
    other.begin("k.new", tmp_path)
    assert [*other.pending] == ["k.new planar"]


def test_what_is_short_is_not_announced(clock: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    one = Announcement()
    compile_all(one, clock, 0.1, None)
    assert capsys.readouterr().err == ""


def test_kernels_that_were_never_measured(clock: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    one = Announcement()
    for k in range(3):
        one.begin(f"k.unknown{k}", None)
        clock[0] += 2.0
        one.end()
    assert re.match(
        r"Cardan compiles the kernels of kinematics\(\): in this process, about \d+ s", capsys.readouterr().err
    )


def test_the_table_of_costs() -> None:
    """Kernels that a group or a call names were measured, and the analyses of a first tour are there."""
    found = table()
    assert COSTS.is_file() and {"kinematics", "simulate", "inverse_dynamics", "equilibrium"} <= set(found["groups"])
    named = {name for names in (*found["calls"].values(), *found["groups"].values()) for name in names}
    missing = {name for name in named if name not in found["known"]}
    assert len(missing) <= 0.1 * len(named)
    assert all(cost >= 0.0 for cost in found["costs"].values())


def test_a_planned_command_announces_all_of_it(
    clock: list[float], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a command compiles before its analysis is a small part: the time announced is that of both."""
    monkeypatch.setattr(module, "asked", lambda: ("", "planar"))
    one = Announcement()
    one.plan(None, "kinematics")
    one.begin("k.small", None)
    clock[0] += 2.0
    one.end()
    said = capsys.readouterr().err.splitlines()
    assert said == ["Cardan compiles the kernels of kinematics(): in this process, about 14 s"]  # (1 + 2 + 4) x 2 s


def test_what_was_not_foreseen_is_announced_again(
    clock: list[float], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program that compiles one kernel, then calls an analysis."""
    one = Announcement()
    monkeypatch.setattr(module, "asked", lambda: ("", "planar"))
    one.begin("k.small", None)
    clock[0] += 2.0
    one.end()
    monkeypatch.setattr(module, "asked", lambda: ("kinematics", "planar"))
    one.begin("k.large", None)
    one.begin("k.both", None)
    clock[0] += 4.0
    one.end()
    said = capsys.readouterr().err.splitlines()
    assert said[0] == "Cardan compiles the kernels: in this process, about 2 s"
    assert said[1] == "Cardan compiles the kernels of kinematics(): in this process, about 12 s"  # (2 + 4) x 2 s
