"""What type checkers see of the package: strict mypy accepts users' scripts, finds their mistakes, and finds no Any."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import cardan
from cardan import flexible, planar, spatial, vehicles
from cardan.deprecation import RenamedAttribute, old_arguments
from cardan.model.element import Element

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
api = pytest.importorskip("mypy.api")
BLOCK = re.compile(r"```(?:\{code-cell\} )?python\n(?!:tags:)(.*?)```", re.DOTALL)
PAGES = ("README", *(f"docs/tutorials/{name}" for name in ("motion", "forces", "machines", "space")))
PAGES += tuple(f"docs/{name}" for name in ("flexible", "imports", "pictures", "results", "studies", "vehicles"))
# pages leave out annotations of functions, use a name for several things, and know what exists
LENIENT = ("--allow-untyped-defs", "--allow-incomplete-defs", "--allow-untyped-calls", "--allow-redefinition-new")
LENIENT += ("--no-strict-optional",)
RESULTS = {  # classes of results that users read, by module
    "analysis.assembly.mobility": ("Mobility",),
    "results.energy": ("Energy",),
    "results.linear.linearization": ("Linearization",),
    "results.linear.modes": ("Modes",),
    "results.linear.sensitivities": ("Gradient", "Sensitivities"),
    "results.loads": ("Loads",),
    "results.reaction": ("Reaction",),
    "results.simulation": ("EventRecord", "Simulation", "Stats"),
    "results.snapshot": ("Snapshot",),
    "results.steady.cornering": ("Cornering",),
    "results.steady.equilibrium": ("Equilibria", "Equilibrium"),
    "results.steady.load_path": ("LoadPath",),
    "results.steady.periodic_motion": ("PeriodicMotion",),
    "results.steady.quasi_static": ("QuasiStatic",),
    "results.steady.steady_motion": ("SteadyMotion",),
    "results.trajectory": ("Trajectory",),
    "postprocess.bearing_loads": ("Bearing", "Bearings"),
    "postprocess.free_body": ("BodyLoad", "FreeBody"),
    "postprocess.instant_centers": ("InstantCenters", "Pole"),
    "postprocess.peak": ("Peak",),
    "postprocess.polygon": ("Polygon",),
    "study.result": ("Study",),
}
# what nothing more is known of: programs without types, such as SciPy, files of any result, functions of users
OPEN = {
    *("cardan.load_result", "Linearization.to_control", "Linearization.to_scipy", "ModelFile.run", "Study.to_xarray"),
    *("FiniteElementModel.K", "FiniteElementModel.M"),
    *("Device.function", "Sampler.function", "Trajectory.to_pandas", "Simulation.to_pandas", "QuasiStatic.to_pandas"),
}


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[tuple[int, str]]]:
    """The messages of one run of mypy over scripts, pages and all public members, by the name of the file."""
    folder = tmp_path_factory.mktemp("typing")
    (folder / "members.py").write_text("\n".join(_members()), encoding="utf-8")
    for page in PAGES:
        code = "\n".join(BLOCK.findall((ROOT / f"{page}.md").read_text(encoding="utf-8")))
        (folder / f"page_{page.replace('/', '_')}.py").write_text(code, encoding="utf-8")
    lenient = [*LENIENT, *map(str, sorted(folder.glob("*.py")))]
    strict = [str(HERE / "user_script.py"), str(HERE / "user_errors.py")]
    found: dict[str, list[tuple[int, str]]] = {}
    for files in (strict, lenient):
        options = ("--strict", "--follow-imports=silent", "--ignore-missing-imports", "--no-error-summary")
        out, error, _ = api.run([*options, "--config-file=", "--cache-dir", str(folder / "cache"), *files])
        assert not error
        for name, line, message in re.findall(r"(\w+)\.py:(\d+): (?:error|note): (.*)", out):
            found.setdefault(name, []).append((int(line), message))
    return found


def test_a_typed_script_has_no_errors(report) -> None:
    assert "user_script" not in report, report["user_script"]


def test_mistakes_are_found(report) -> None:
    found = {(line, re.sub(r".*\[([\w-]+)\]$", r"\1", message)) for line, message in report["user_errors"]}
    lines = (HERE / "user_errors.py").read_text(encoding="utf-8").splitlines()
    expected = {
        (number, kind) for number, line in enumerate(lines, 1) for kind in re.findall(r"# expect: ([\w-]+)", line)
    }
    assert {(line, kind) for line, kind in found if re.fullmatch(r"[\w-]+", kind)} == expected, report["user_errors"]


@pytest.mark.parametrize("page", PAGES)
def test_pages_have_no_errors(report, page: str) -> None:
    """What README and tutorials show is right for a type checker too."""
    assert f"page_{page.replace('/', '_')}" not in report, report[f"page_{page.replace('/', '_')}"]


def test_no_public_member_is_any(report) -> None:
    """The return of every public function, and every attribute and method of public classes and results, has a type."""
    names = [line.partition("# ")[2] for line in _members()]
    vague = []
    for line, message in report["members"]:
        shown = re.search(r'Revealed type is "(.*)"', message)
        if shown is None:
            vague.append(f"{names[line - 1]}: {message}")
        elif re.search(r"-> Any$|^Any$|, Any\]$", shown[1]) and names[line - 1] not in OPEN:
            vague.append(f"{names[line - 1]}: {shown[1]}")
    assert not vague, "\n".join(vague)


def _members() -> list[str]:
    """A module that reveals the type of each public function, and of each member of each public class."""
    lines, classes = ["from typing import Any"], {}
    for home in (cardan, planar, spatial, flexible, vehicles):
        lines.append(f"import {home.__name__}")
        for name in home.__all__:
            thing = getattr(home, name)
            if inspect.isclass(thing) and not issubclass(thing, Exception):
                own = thing.__name__ if thing.__name__ in home.__all__ else name
                of = f"[{home.__name__}.Marker]" if getattr(thing, "__parameters__", ()) else ""
                classes.setdefault(thing, f"{home.__name__}.{own}{of}")
            elif inspect.isfunction(thing):
                lines.append(f"reveal_type({home.__name__}.{name})  # {home.__name__}.{name}")
    for module, names in RESULTS.items():
        lines.append(f"from cardan.{module} import {', '.join(names)}")
        found = importlib.import_module(f"cardan.{module}")
        classes |= {getattr(found, name): name for name in names}
    for number, (kind, path) in enumerate(classes.items()):
        lines.append(f"def f{number}(x: {path}) -> None:")
        lines += [f"    reveal_type(x.{name})  # {kind.__name__}.{name}" for name in _public(kind)] or ["    ..."]
    return lines


def _public(kind: type) -> Iterator[str]:
    """The public members of a class, without old names."""
    annotated = (name for base in kind.__mro__ for name in vars(base).get("__annotations__", {}))
    for name in sorted({*dir(kind), *annotated}):
        old = isinstance(inspect.getattr_static(kind, name, None), RenamedAttribute) or name in old_arguments(kind)
        inherited = hasattr(tuple, name) or hasattr(dict, name)
        if not name.startswith("_") and not old and not inherited:
            yield name


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
