"""Pages and messages follow docs/style.md."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
EDITED = (
    "README.md",
    "CODE_OF_CONDUCT.md",
    "docs/features.md",
    "docs/start.md",
    "docs/tutorials/motion.md",
    "docs/tutorials/forces.md",
    "docs/tutorials/machines.md",
    "docs/tutorials/space.md",
)
DISCOURAGED = {
    r"\b(is|are|was|were) no [a-z]+": "is not a ...",
    r"\bshall\b": "will, must, or the present tense",
    r"\bfreedoms?\b(?<!of freedom)(?<!of freedoms)": "degrees of freedom",
    r"\btells?\b|\btold\b": "says, returns, warns",
    r"\bjudged?\b": "decides, checks",
    r"\bnow so\b": "varies",
    r"\bcentre|\bcolour|\bmetre\b|\blabelled\b|\bneighbour": "American spelling",
    r"\bby itself\b(?! and)": "automatically",
}


@pytest.mark.parametrize("page", EDITED)
def test_page_uses_the_terms_of_the_style_guide(page: str) -> None:
    prose = re.sub(r"```.*?```", lambda block: "\n" * block.group().count("\n"), (ROOT / page).read_text(), flags=re.S)
    prose = re.sub(r"`[^`\n]*`", "", prose)
    found = [
        f"{page}:{prose.count(chr(10), 0, match.start()) + 1}: '{match.group()}': use {instead}"
        for pattern, instead in DISCOURAGED.items()
        for match in re.finditer(pattern, prose)
    ]
    assert not found, "\n".join(found)
