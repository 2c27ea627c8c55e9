"""Rules of the project: pages run and print what they show, modules are short, imports are light, links are valid."""

from __future__ import annotations

import ast
import importlib.metadata
import math
import pkgutil
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCES = sorted((ROOT / "src" / "cardan").rglob("*.py"))
TEXT = {".py", ".md", ".toml", ".yml", ".yaml", ".txt", ".cfg", ".csv", ".json", ""}
MADE = {
    ".git",
    ".venv",
    "_build",
    "_live",
    "generated",
    "__pycache__",
    ".hypothesis",
    "node_modules",
}  # by builds and environments, anywhere
MADE_AT_TOP = {"results", "build", "dist"}

MODULE_LINES = 400
MODULES = 15  # of a package
FUNCTION_LINES = 80
SHARED_NAMES = 46  # names of constants with several values: as few as there are, and never more

# Directories of one machine, in parts: otherwise the check would find this line.
MACHINE_PATHS = re.compile(r"(?<![\w.])/(?:" + "|".join(("work", "tmp", "root", "home")) + r")/\w")
# A cell of a page that is a notebook is a block of Python, too; cells with tags are for the site alone.
BLOCK = re.compile(r"```(?:\{code-cell\} )?(python|text)\n(?!:tags:)(.*?)```", re.DOTALL)
TUTORIALS = ("tutorials/motion", "tutorials/forces", "tutorials/machines", "tutorials/space")
PAGES = (
    "coming-from",
    "flexible",
    "imports",
    "own-elements",
    "pictures",
    "report",
    "results",
    "studies",
    "theory/task-space",
    "vehicles",
    "view",
)
PAGES_THAT_RUN = (*TUTORIALS, *PAGES, "theory/particles")


@pytest.mark.parametrize("page", ["README.md", *(f"docs/{page}.md" for page in PAGES_THAT_RUN)])
def test_page_runs_and_prints_what_it_shows(
    page: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The Python blocks of a page run in order; what they print is in its text blocks, if it has any.

    They run in an empty folder: what a page saves does not stay in the repository."""
    monkeypatch.chdir(tmp_path)
    blocks = BLOCK.findall((ROOT / page).read_text())
    code = [text for kind, text in blocks if kind == "python"]
    shown = [text for kind, text in blocks if kind == "text"]
    assert code, f"{page} has no Python block"
    assert shown or page != "README.md", "the README shows what its example prints"
    names: dict[str, object] = {}
    printed = []
    for text in code:
        exec(compile(text, page, "exec"), names)
        printed.append(capsys.readouterr().out)
    assert not shown or [text for text in printed if text] == shown


def test_modules_are_pages() -> None:
    """Each begins with what it is, and neither it nor a function of it is too long."""
    faults = []
    for path in SOURCES:
        source = path.read_text()
        tree = ast.parse(source)
        if not ast.get_docstring(tree):
            faults.append(f"{path}: no docstring")
        if len(source.splitlines()) > MODULE_LINES:
            faults.append(f"{path}: {len(source.splitlines())} lines, at most {MODULE_LINES}")
        faults += [f"{path}: {name} has {lines} lines" for name, lines in _functions(tree) if lines > FUNCTION_LINES]
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("package", ["cardan", "cardan.planar", "cardan.spatial", "cardan.methods", "cardan.vehicles"])
def test_public_names_do_not_depend_on_what_was_imported_before(package: str) -> None:
    """Importing a submodule binds its name in the package: a public class or function must have another name."""
    home = importlib.import_module(package)
    submodules = {found.name for found in pkgutil.iter_modules(home.__path__)}
    hidden = {name for name in submodules & set(home.__all__) if not isinstance(getattr(home, name), ModuleType)}
    assert not hidden


def test_packages_are_small() -> None:
    folders = {page.parent for page in SOURCES if "examples" not in page.parts}
    sizes = {folder: len([page for page in folder.glob("*.py") if page.stem != "__init__"]) for folder in folders}
    assert not {str(folder): size for folder, size in sizes.items() if size > MODULES}


def test_one_rank_policy() -> None:
    """Limits of rank decisions stand in numerics/linalg/rank: no other module has its own."""
    own = re.compile(r"^(DEPENDENT|RANK|SINGULAR|SINE)\w* = |rcond=(?![A-Z])", re.MULTILINE)
    pages = [page for page in SOURCES if "analysis" in page.parts or "system" in page.parts]
    assert not [str(page) for page in pages if own.search(page.read_text(encoding="utf-8"))]


def test_constants_have_names_of_their_own() -> None:
    """A name stands for one number: `LARGEST` says nothing if it is 5 in one module and 400 in the next."""
    values: dict[str, set[float]] = {}
    for path in SOURCES:
        if "examples" not in path.parts:
            for name, value in _constants(ast.parse(path.read_text(encoding="utf-8"))):
                values.setdefault(name, set()).add(value)
    shared = sorted(name for name, found in values.items() if len(found) > 1)
    assert len(shared) <= SHARED_NAMES, f"{len(shared)} names of constants have several values: {', '.join(shared)}"


def test_the_list_of_elements_is_current(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise: python docs/_ext/element_list.py"""
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "_ext"))
    pages = importlib.import_module("element_list")
    text = pages.PAGE.read_text(encoding="utf-8")
    assert text.count("\n- `") > 80
    assert text == pages.page_text(text)


def test_no_module_without_a_name() -> None:
    shapeless = [path for path in SOURCES if path.stem in ("utils", "util", "helpers", "misc", "common")]
    assert not shapeless


def test_unit_tests_mirror_packages() -> None:
    """`make quick` finds the tests of a module by its path."""
    unit = ROOT / "tests" / "unit"
    folders = {path.parent.relative_to(unit) for path in unit.rglob("test_*.py")}
    assert not [str(folder) for folder in sorted(folders) if not (ROOT / "src" / "cardan" / folder).is_dir()]


def test_no_machine_paths() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in _texts()
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1)
        if MACHINE_PATHS.search(line)
    ]
    assert not found, "\n".join(found)


def test_version_comes_from_tags() -> None:
    """No file states the version; the changelog has a section for changes since the latest one."""
    import cardan

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert "version" in project["dynamic"] and "version" not in project
    assert cardan.__version__ in (importlib.metadata.version("cardan"), "0+unknown")
    assert "## [Unreleased]" in (ROOT / "CHANGELOG.md").read_text()


def test_import_is_light() -> None:
    """`import cardan` loads nothing that only pictures, tables or files need."""
    heavy = ("matplotlib", "xarray", "pandas", "PIL", "rich", "h5netcdf", "imageio_ffmpeg", "trimesh")
    heavy += ("skfem", "meshio", "gmsh")
    script = (
        f"import sys, cardan, cardan.planar, cardan.spatial; print([name for name in {heavy!r} if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT / "src")
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() == "[]"


def test_links_between_pages_lead_somewhere() -> None:
    broken = [
        f"{page.relative_to(ROOT)} -> {target}"
        for page in _texts()
        if page.suffix == ".md"
        for target in re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", page.read_text())
        if not (page.parent / target).exists()
    ]
    assert not broken, "\n".join(broken)


def _constants(tree: ast.Module) -> Iterator[tuple[str, float]]:
    """Names and values of the numeric constants of a module."""
    for node in tree.body:
        if not isinstance(node, ast.Assign):
            continue
        pairs = [(node.targets[0], node.value)]
        if isinstance(node.targets[0], ast.Tuple) and isinstance(node.value, ast.Tuple):
            pairs = [*zip(node.targets[0].elts, node.value.elts, strict=True)]
        for target, value in pairs:
            if isinstance(target, ast.Name) and target.id.isupper():
                try:
                    number = eval(ast.unparse(value), {"__builtins__": {}}, {"math": math, "np": np})
                except Exception:  # not a number known without the rest of the module
                    continue
                if isinstance(number, int | float) and not isinstance(number, bool):
                    yield target.id, float(number)


def _functions(tree: ast.AST) -> Iterator[tuple[str, int]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, (node.end_lineno or node.lineno) - node.lineno + 1


def _texts() -> Iterator[Path]:
    """The text files of the project, without what builds and environments make."""
    for path in sorted(ROOT.rglob("*")):
        parts = path.relative_to(ROOT).parts
        made = parts[0] in MADE_AT_TOP or any(part in MADE or part.endswith("_cache") for part in parts)
        if path.is_file() and path.suffix in TEXT and not made:
            yield path
