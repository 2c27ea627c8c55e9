"""Faults of model files: each has its place, its code and, where there is one, the near name."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from cardan.examples import data
from cardan.files import Fault, check
from cardan.files.explanations import ENTRIES, codes
from folding import folded

HEAD = "cardan: 1\nname: press\nspace: planar\n"
CRANK = "bodies: {crank: {mass: 1, inertia: 0.1}}\n"


def faults_of(tmp_path: Path, text: str | bytes, name: str = "m.yaml") -> list[Fault]:
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return check(path)


def whole(part: str) -> str:
    """A part of a file with what every file has."""
    head = "" if part.startswith("cardan:") else HEAD
    return head + ("" if "bodies:" in part else CRANK) + part + "\n"


def test_a_valid_file_has_no_faults() -> None:
    assert check(data("slider-crank.yaml")) == []


def test_place_and_near_name(tmp_path: Path) -> None:
    text = HEAD + CRANK + "joints:\n  pin: {type: revolut, a: ground, b: crank}\n"
    (fault,) = faults_of(tmp_path, text)
    assert (fault.code, fault.line, fault.column) == ("C104", 6, 15)
    assert str(fault).endswith("m.yaml:6:15: C104: unknown type 'revolut'; did you mean 'revolute'?")


def test_several_faults_at_once_in_the_order_of_the_file(tmp_path: Path) -> None:
    text = HEAD + (
        "bodies:\n  crank: {mas: 1}\n  rod: {mass: 2 mm}\n"
        "joints:\n  A: {type: revolute, a: ground, b: crnk}\n  B: {type: spring}\n"
    )
    found = faults_of(tmp_path, text)
    assert [(fault.code, fault.line) for fault in found] == [("C105", 5), ("C304", 6), ("C201", 8), ("C109", 9)]
    assert [fault.hint for fault in found][0] == "did you mean 'mass'?"
    assert found[2].hint == "did you mean 'crank'?"


@folded("code", [code for code, entry in ENTRIES.items() if entry.wrong])
def test_wrong_example_of_a_code_gives_it(tmp_path: Path, code: str) -> None:
    assert code in [fault.code for fault in faults_of(tmp_path, whole(ENTRIES[code].wrong))]


@folded("code", [code for code, entry in ENTRIES.items() if entry.right])
def test_right_example_of_a_code_is_right(tmp_path: Path, code: str) -> None:
    assert faults_of(tmp_path, whole(ENTRIES[code].right)) == []


def test_every_code_is_explained() -> None:
    sources = Path(sys.modules["cardan.files"].__file__ or "").parent.rglob("*.py")
    import re

    used = {code for path in sources for code in re.findall(r'"(C\d{3})"', path.read_text())}
    assert used == set(codes)
    assert "wrong:" in codes["C104"][1] and "revolut" in codes["C104"][1]


@folded(
    ("text", "code"),
    [
        (b"\xff\xfe\x00", "C002"),
        (b"", "C004"),
        (b"[1, 2]", "C107"),
        (b"just words", "C107"),
        (b"a: b: c", "C003"),
        (b"\tname: x", "C003"),
        (("[" * 500 + "]" * 500).encode(), "C005"),
        (b"a: &a [1]\nb: *c", "C005"),
        (b"cardan: !!int 1", "C006"),
    ],
)
def test_no_model_at_all(tmp_path: Path, text: bytes, code: str) -> None:
    assert [fault.code for fault in faults_of(tmp_path, text)] == [code]


def test_a_bomb_of_aliases_is_rejected_at_once(tmp_path: Path) -> None:
    """Ten lines that stand for 10^9 entries."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{k}: &a{k} [{', '.join([f'*a{k - 1}'] * 10)}]" for k in range(1, 9)]
    (fault,) = faults_of(tmp_path, "\n".join(lines))
    assert fault.code == "C005" and "100000" in fault.message


def test_files_that_are_not_there(tmp_path: Path) -> None:
    assert check(tmp_path / "nowhere.yaml")[0].code == "C001"
    assert check(tmp_path)[0].code == "C001"


def test_includes_stay_in_the_folder(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    (tmp_path / "parts.yaml").write_text("parameters: {r: 1}\n")
    (inner / "m.yaml").write_text(HEAD + "include: [../parts.yaml]\n")
    assert [fault.code for fault in check(inner / "m.yaml")] == ["C402"]
    assert check(inner / "m.yaml", allow=[tmp_path]) == []
    (inner / "link.yaml").symlink_to(tmp_path / "parts.yaml")
    (inner / "m.yaml").write_text(HEAD + "include: [link.yaml]\n")
    assert [fault.code for fault in check(inner / "m.yaml")] == ["C402"]


def test_includes_in_a_circle_are_named(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(HEAD + "include: [b.yaml]\n")
    (tmp_path / "b.yaml").write_text("include: [a.yaml]\n")
    (fault,) = check(tmp_path / "a.yaml")
    assert fault.code == "C403" and fault.message.endswith("a.yaml -> b.yaml -> a.yaml")
    assert fault.path.endswith("b.yaml")


def test_parameters_of_the_caller(tmp_path: Path) -> None:
    path = tmp_path / "m.yaml"
    path.write_text(HEAD + "parameters: {rod: 1}\n" + CRANK)
    assert check(path, {"rod": "2 mm"}) == []
    (fault,) = check(path, {"rodd": 2})
    assert (fault.code, fault.hint) == ("C310", "did you mean 'rod'?")
    assert check(path, {"rod": "2 *"})[0].code == "C301"


def test_json_is_read_by_its_own_rules(tmp_path: Path) -> None:
    text = '{"cardan": 1, "name": "press", "space": "planar",\n "bodies": {"crank": {"mas": 1}}}'
    (fault,) = faults_of(tmp_path, text, "m.json")
    assert (fault.code, fault.line, fault.column) == ("C105", 2, 23)
    assert faults_of(tmp_path, "name: press", "m.json")[0].code == "C003"


def test_checking_loads_no_numpy() -> None:
    """`cardan check` must end within 0.3 s, and NumPy alone takes 0.2 s."""
    program = (
        "import sys; from cardan.files import check; from cardan.files.explanations import codes; "
        "assert not check(sys.argv[1]); assert not {'numpy', 'numba', 'cardan.model'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program, str(data("slider-crank.yaml"))], check=True)


@pytest.mark.parametrize(
    ("part", "sentence"),
    [
        (
            "joints: {p: {type: revolute, a: ground, b: xyz}}",
            "no body or marker called 'xyz'; known: crank, ground",
        ),
        ("joints: {p: {type: weld, a: ground, b: crank}}", "unknown type 'weld'; it is called 'fixed' here"),
        ("joints:\n  p: revolute(ground crank)", "'revolute(ground crank)': ',' is missing"),
        (
            "joints: {p: revolute(ground, crank)}",
            "',' is missing; put text that contains a comma in quotes inside { } or [ ]",
        ),
        (
            "bodies: {crank: {mass: disk(0.1, mass=3)}}",
            "text that contains a comma needs quotes inside { }",
        ),
        ("bodies: {crank: {mass: 1, angle: true}}", "angle of body must be a number, not true"),
        (
            "joints: {p: {type: revolute, a: ground, b: crank}}\ndrivers: {m: {measure: p.travel, motion: 1}}",
            "revolute 'p' has no 'travel'; write p.angle",
        ),
    ],
)
def test_the_way_out_is_the_right_one(tmp_path: Path, part: str, sentence: str) -> None:
    assert any(str(fault).endswith(sentence) for fault in faults_of(tmp_path, whole(part)))


@pytest.mark.parametrize(
    ("part", "message"),
    [
        ("bodies: {crank: {mass: -1}}", "mass of body must be zero or positive, got -1"),
        ("bodies: {crank: {mass: -1 kg}}", "mass of body must be zero or positive, got -1 kg"),
        ("joints: {p: 'gear(ground, crank, 0, 1)'}", "radius_a of gear must be positive, got 0"),
        (
            "joints: {p: {type: distance, a: ground, b: crank, length: -2}}",
            "length of distance must be positive, got -2",
        ),
    ],
)
def test_numbers_out_of_range(tmp_path: Path, part: str, message: str) -> None:
    (fault,) = faults_of(tmp_path, whole(part))
    assert (fault.code, fault.message) == ("C313", message)


def test_negative_stiffness_needs_permission(tmp_path: Path) -> None:
    spring = "{type: spring, measure: 'length(ground, crank)', stiffness: -5, rest_length: 1%s}"
    (fault,) = faults_of(tmp_path, whole(f"forces: {{s: {spring % ''}}}"))
    assert fault.code == "C313" and fault.hint == "allow_negative: true permits it"
    assert faults_of(tmp_path, whole(f"forces: {{s: {spring % ', allow_negative: true'}}}")) == []


@pytest.mark.parametrize(
    ("space", "inertia", "words"),
    [
        ("spatial", "0.1", "three moments or a tensor in space, not one number"),
        ("spatial", "[1, 2]", "not a list of another length"),
        ("planar", "[1, 2, 3]", "one number in the plane, not a list"),
        ("spatial", "[1, 2, 2]", ""),
        ("spatial", "[[1, 0, 0], [0, 1, 0], [0, 0, 1]]", ""),
        ("planar", "0.1", ""),
    ],
)
def test_the_inertia_of_a_body_suits_the_space(tmp_path: Path, space: str, inertia: str, words: str) -> None:
    text = f"cardan: 1\nname: a\nspace: {space}\nbodies: {{b: {{mass: 1, inertia: {inertia}}}}}\n"
    found = faults_of(tmp_path, text)
    assert [fault.code for fault in found] == (["C107"] if words else [])
    assert all(words in fault.message for fault in found)
