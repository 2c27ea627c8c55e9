"""Pages, docstrings, comments and messages follow docs/style.md.

    python tests/test_style.py                          everything that is checked
    python tests/test_style.py src/cardan/planar        one package, module or page, checked or not yet

Code is not prose: fenced blocks, `inline code`, quoted 'names' and formulas are skipped. In Python files the check
covers docstrings, comments, and strings that contain a space, which is what users read.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "CODE_OF_CONDUCT.md", "SECURITY.md", "docs")
CODE = ("src/cardan", "docs/conf.py", "docs/_ext")
MADE = {"_build", "_live", "generated", "__pycache__", "katex", "verification-manual.md"}  # by builds, or by others

BRITISH = (
    r"cent(?:re|red|res|ring)|colou?r(?<=our)(?:s|ed|ing)?|metres?|(?:milli|kilo|centi)metres?|labell\w+|modell(?:ed|ing)|"
    r"travell\w+|cancell(?:ed|ing)|neighbour\w*|behaviour\w*|favour\w*|grey|tyres?|discs?|analys(?:e|ed|ing)|licence|"
    r"artefacts?|aluminium|judgement|whilst|amongst|programmes?|towards|"
    r"(?:optim|minim|maxim|organ|recogn|normal|linear|general|discret|factor|initial|real|stabil|synchron|symbol|character)"
    r"is(?:e|ed|es|ing|ation|ations)"
)
# What to avoid, and what to write instead. The glossary of docs/style.md has the reasons.
DISCOURAGED = {
    r"(?<!there )(?:is|are|was|were|be) no (?!longer|more|less|matter)[a-z]+": "is not a ...",
    r"shall": "must, will, or the present tense",
    r"(?<!of\s)(?<!of-)freedoms?|of freedoms": "degrees of freedom",
    r"tells?|told|telling": "return, report, raise, warn",
    r"judg(?:e|es|ed|ing)": "check, decide, compute",
    r"refus(?:e|es|ed|al|als|ing)": "reject, raise",
    r"knows": "stores, has, reads",
    r"now so": "vary, flip",
    r"by (?:itself|themselves|himself)": "automatically, alone",
    r"so that": "to, and, which",
    r"equations? too many": "redundant constraint",
    r"what (?:joints|they|it) carr(?:y|ies)": "joint reactions",
    r"cent(?:er|re)s? of (?:mass|gravity)": "mass center",
    r"happenings?": "event",
    r"rooms": "packages",
    r"foret(?:ells?|elling|old)": "predict",
    r"underway": "running, unfinished",
    r"dead ends?": "lock-up",
    r"survives? kills": "resumes after interruption",
    BRITISH: "American spelling",
}
PATTERN = {
    re.compile(rf"(?<![\w./=-])(?:{words})(?![\w(=]|\.\w|-\w)", re.I): hint for words, hint in DISCOURAGED.items()
}
# Words in names of functions, classes and constants that an engineer would not guess.
PRIVATE_WORDS = {
    "badness", "bench", "breed", "brisk", "desk", "feels", "foretold", "glide", "happening", "house", "rehoused",
    "refuse", "rooms", "rush", "told", "tyre", "underway",
}  # fmt: skip
NAME = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
NOT_PROSE = re.compile(
    r"```.*?```|~~~.*?~~~|``[^`]*``|`[^`\n]*`|\$\$.*?\$\$|\$[^$\n]+\$|(?<=\]\()[^)\s]+|<[^>\n]*>|https?://\S+"
    r"|(?<!\w)'[\w. -]{1,30}'(?!\w)|\"[\w. -]{1,30}\"(?!\w)",
    re.S,
)


def test_pages_follow_the_style_guide() -> None:
    assert_clean(PAGES)


def test_code_follows_the_style_guide() -> None:
    assert_clean(CODE)


def test_names_are_plain() -> None:
    found = [f"{path.relative_to(ROOT)}: {name}" for path in files(ROOT / "src/cardan") for name in private_names(path)]
    assert not found, "\n".join(found)


def private_names(path: Path) -> Iterator[str]:
    """Names that a module defines with a word of `PRIVATE_WORDS`."""
    if path.suffix != ".py" or "examples" in path.parts:
        return
    tree = ast.parse(path.read_text(encoding="utf-8"))
    named = [node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    named += [name.id for node in tree.body if isinstance(node, ast.Assign) for name in ast.walk(node) if _is_new(name)]
    yield from (name for name in named if PRIVATE_WORDS.intersection(word.lower() for word in NAME.findall(name)))


def _is_new(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


@pytest.mark.parametrize(
    "text", ["'rod' is no joint", "two freedoms", "the Centre of the disc", "it tells you", "modelled in two metres"]
)
def test_discouraged_words_are_found(text: str) -> None:
    assert list(violations(text))


@pytest.mark.parametrize(
    "text",
    ["there is no joint called 'tyre'", "2 degrees of freedom", "it is no longer used", "use `centre`", "Tyre(a, b)"],
)
def test_plain_words_and_code_pass(text: str) -> None:
    assert not list(violations(text))


def assert_clean(places: tuple[str, ...]) -> None:
    found = [line for place in places for path in files(ROOT / place) for line in faults(path)]
    assert not found, "\n".join([f"{len(found)} violations of docs/style.md", *found[:50]])


def files(place: Path) -> Iterator[Path]:
    """The pages and modules at a path, without what builds make."""
    if place.is_file():
        yield place
        return
    for path in sorted(place.rglob("*")):
        if path.suffix in (".md", ".py") and not MADE.intersection(path.parts):
            yield path


def faults(path: Path) -> list[str]:
    """Every violation in a file, as path:line: 'words': advice."""
    text = path.read_text(encoding="utf-8")
    pieces = prose_of_code(text) if path.suffix == ".py" else [(1, text)]
    if path.name == "style.md":  # the glossary quotes what it advises against
        pieces = [(1, re.sub(r"^(\||- \*is not|- Programs ).*$", "", text, flags=re.M))]
    name = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
    return [f"{name}:{line + up}: {fault}" for line, piece in pieces for up, fault in violations(piece)]


def violations(text: str) -> Iterator[tuple[int, str]]:
    """The discouraged words in prose: how many lines down, and what to write instead."""
    prose = NOT_PROSE.sub(lambda skipped: "\n" * skipped.group().count("\n") or "~", text)
    for pattern, hint in PATTERN.items():
        for match in pattern.finditer(prose):
            yield prose.count("\n", 0, match.start()), f"'{match.group()}': {hint}"


def prose_of_code(source: str) -> list[tuple[int, str]]:
    """Docstrings, comments and messages of a module, each with its line."""
    pieces = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value.strip():
            pieces.append((node.lineno, node.value))
        elif isinstance(node, ast.JoinedStr):
            parts = (part.value if isinstance(part, ast.Constant) else "x" for part in node.values)
            pieces.append((node.lineno, "".join(str(part) for part in parts)))
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            pieces.append((token.start[0], token.string))
    return pieces


if __name__ == "__main__":
    places = sys.argv[1:] or [*PAGES, *CODE]
    listed = [line for place in places for path in files(Path(place).resolve()) for line in faults(path)]
    print("\n".join([*listed, f"{len(listed)} violations of docs/style.md"]))
    sys.exit(bool(listed))
