"""What a small model file may cost: nesting, repetition and misspelling do not multiply."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from cardan.files import check

HEAD = "cardan: 1\nname: x\nspace: planar\n"
BODY = "bodies: {b: {mass: 1}}\njoints:\n  j: revolute(ground, b)\n"
SPLINE = "drivers: {d: {measure: j.angle, motion: {type: spline, table: t.csv}}}\n"


def nested(levels: int, each: int) -> str:
    """each**levels instances."""
    text = "assemblies:\n  a0: {bodies: {b: {mass: 1}}}\n"
    for level in range(1, levels):
        inner = ", ".join(f"i{k}: {{assembly: a{level - 1}}}" for k in range(each))
        text += f"  a{level}: {{instances: {{{inner}}}}}\n"
    return f"{HEAD}{text}instances: {{top: {{assembly: a{levels - 1}}}}}\n"


def lines(form: str, count: int) -> str:
    return "".join(form.format(k=k) for k in range(count))


FILES = {  # text, what a fault says ("" for none)
    "nested assemblies": (nested(12, 8), "instances repeat more than 100000 entries"),
    "nested empty assemblies": (
        f"{HEAD}assemblies:\n  a0: {{}}\n"
        + "".join(f"  a{k + 1}: {{instances: {{x: {{assembly: a{k}}}, y: {{assembly: a{k}}}}}}}\n" for k in range(39))
        + "instances: {t: {assembly: a39}}\n",
        "instances repeat more than 100000 entries",
    ),
    "misspelled names": (
        HEAD + "bodies:\n" + lines("  body_{k}: {{mass: 1}}\n", 3000) + "joints:\n"
        + lines("  j{k}: revolute(bdy_{k}x, ground)\n", 3000),
        "did you mean 'body_",
    ),
    "misspelled parameters": (HEAD + "parameters:\n" + lines("  par{k}: pra{k}+1\n", 3000), "unknown parameter"),
    "instances": (
        HEAD + "bodies: {f: {mass: 1}}\nassemblies: {w: {needs: [c], bodies: {r: {mass: 8}}}}\ninstances:\n"
        + lines("  i{k}: {{assembly: w, connect: {{c: f}}}}\n", 3000),
        "",
    ),
    "a list without end": (HEAD + "show: [" + "a," * 1_100_000 + "a]\n", "more than 1000000 entries"),
    "analyses of one type": (HEAD + BODY + "analyses:\n" + "  - {type: equilibrium}\n" * 3000, ""),
    "a long sum": (HEAD + "parameters: {a: " + "1+" * 9000 + "1}\n", ""),
    "spaces": (HEAD + "parameters: {a: '" + " " * 19_000 + "+'}\n", "ends too early"),
}  # fmt: skip


@pytest.mark.parametrize("case", FILES)
def test_small_files_cost_little(case: str, tmp_path: Path) -> None:
    text, message = FILES[case]
    path = tmp_path / "m.yaml"
    path.write_text(text, encoding="utf-8")
    begun = time.process_time()
    found = check(path)
    spent = time.process_time() - begun
    assert bool(found) == bool(message) and (not message or message in str(found[0]))
    assert spent < 10.0  # a second or two; what was quadratic or exponential took minutes


@pytest.mark.parametrize(
    ("head", "message"),
    [
        ("(" * 50_000 + ";b", ""),
        ("[" * 30_000 + "]" * 30_000 + ";b", ""),
        ("a [s];b (deg)", ""),
        ("a [s;b", ""),
        ("a [furlong];b", "unknown unit 'furlong'"),
    ],
    ids=["open", "both", "units", "half", "unknown"],
)
def test_heads_of_tables(head: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(f"{head}\n1;2\n2;3\n")
    path = tmp_path / "m.yaml"
    path.write_text(HEAD + BODY + SPLINE)
    begun = time.process_time()
    found = check(path)
    assert bool(found) == bool(message) and (not message or message in str(found[0])), found
    assert time.process_time() - begun < 5.0


def test_included_files_multiply_no_more(tmp_path: Path) -> None:
    """Each of many files includes the next one twice: a million, if each were read as often as it is named."""
    for k in range(18):
        (tmp_path / f"p{k}.yaml").write_text(f"include: [p{k + 1}.yaml, p{k + 1}.yaml]\n")
    (tmp_path / "p18.yaml").write_text("parameters: {a: 1}\n")
    (tmp_path / "m.yaml").write_text(HEAD + "include: [p0.yaml]\n")
    begun = time.process_time()
    found = check(tmp_path / "m.yaml")
    assert "files include more than" in str(found[0]) and time.process_time() - begun < 20.0


def test_a_table_is_not_read_without_end(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("cardan.files.reading.tables.MAX_CELLS", 100)
    (tmp_path / "t.csv").write_text("".join(f"{k};{k}\n" for k in range(40)))
    motion = "  d{k}: {{measure: j.angle, motion: {{type: spline, table: t.csv}}}}\n"
    (tmp_path / "m.yaml").write_text(HEAD + BODY + "drivers:\n" + lines(motion, 2))
    assert not check(tmp_path / "m.yaml")
    (tmp_path / "m.yaml").write_text(HEAD + BODY + "drivers:\n" + lines(motion, 9))
    assert "tables have too many cells" in str(check(tmp_path / "m.yaml")[0])
