"""The public signatures say what they take: strict mypy accepts a user's script and finds a user's mistakes."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

from cardan import planar, spatial
from cardan.model.element import Element

HERE = Path(__file__).parent
api = pytest.importorskip("mypy.api")


def test_strict_mypy_over_user_scripts():
    out, _, _ = api.run(
        [
            *("--strict", "--follow-imports=silent", "--ignore-missing-imports", "--no-error-summary"),
            *("--config-file=", str(HERE / "user_script.py"), str(HERE / "user_errors.py")),
        ]
    )
    found = {(int(line), kind) for line, kind in re.findall(r"user_errors\.py:(\d+): error: .*\[([\w-]+)\]", out)}
    lines = (HERE / "user_errors.py").read_text(encoding="utf-8").splitlines()
    expected = {
        (number, kind) for number, line in enumerate(lines, 1) for kind in re.findall(r"# expect: ([\w-]+)", line)
    }
    assert "user_script.py" not in out, out
    assert found == expected, out


@pytest.mark.parametrize("space", [planar, spatial])
def test_no_element_takes_anything(space):
    """Arguments of public classes and measures are annotated, and none as Any."""
    vague = []
    for name in space.__all__:
        thing = getattr(space, name)
        if not callable(thing) or (inspect.isclass(thing) and not issubclass(thing, Element)):
            continue
        for parameter in inspect.signature(thing).parameters.values():
            if parameter.annotation is parameter.empty or re.search(
                r"^Any$|[\[ ]Any\b(?!\])", str(parameter.annotation)
            ):
                vague.append(f"{name}({parameter})")
    assert not vague
