"""What compiled kernels are built from: the part of the package's source code that can change machine code.

A kernel is compiled from its own text, and from what the names in it stand for when it is compiled: constants, other
kernels, the Python functions that compute constants, and what these name, in whatever module they are.

    roots       functions decorated with `kernel`, every statement of a module that extends Numba, and the named tuples
                of arrays that kernels are called with
    reached     the statements of a module that bind or mention a name that a reached statement reads; an imported
                name leads to the module that it comes from

The package is not imported for this, only parsed, which takes about a second. The digest is therefore remembered under
that of all files (`source_digest`), which costs some milliseconds.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator
from pathlib import Path

from cardan.numerics.compiled.cache_folder import source_files

PLAIN_PACKAGES = ("files", "io", "view", "examples", "cli")  # their named tuples never reach a kernel
TOOLS = "prebuilt"  # uses Numba to build libraries; kernels are not built from it


def kernel_digest(package: Path) -> str:
    """A hash of the source text that kernels are built from; other edits leave it as it is."""
    digest = hashlib.sha256()
    for name, text in kernel_sources(package):
        digest.update(f"{name}\0{len(text)}\0{text}".encode())
    return digest.hexdigest()


def kernel_sources(package: Path) -> list[tuple[str, str]]:
    """The statements that kernels are built from, as (module, text), in a fixed order."""
    return _Reach(package).statements()


class _Reach:
    """The statements reached so far, and those that are still to be followed."""

    def __init__(self, package: Path) -> None:
        self.name = package.name
        self.texts = {name: Path(path).read_text("utf-8") for path, name in source_files(package)}
        self.modules: dict[str, _Module] = {}
        self.reached: set[tuple[str, int]] = set()  # a table counts by its own text alone: names and order of fields
        self.followed: set[tuple[str, int]] = set()
        self.asked: set[tuple[str, str]] = set()
        self.waiting: list[tuple[str, int]] = []
        for name, text in self.texts.items():
            if name.partition(".")[0] == TOOLS:
                continue
            tuples = ("NamedTuple" in text or "Record" in text) and name.partition(".")[0] not in PLAIN_PACKAGES
            if tuples or "kernel" in text or "numba" in text or "llvmlite" in text:
                self.reached |= {(name, number) for number in self.module(name).tables() if tuples}
                for number in self.module(name).roots():
                    self.add(name, number)
        while self.waiting:
            self.follow(*self.waiting.pop())

    def module(self, name: str) -> _Module:
        if name not in self.modules:
            self.modules[name] = _Module(self.texts[name])
        return self.modules[name]

    def add(self, name: str, number: int) -> None:
        if (name, number) not in self.followed:
            self.followed.add((name, number))
            self.waiting.append((name, number))

    def follow(self, name: str, number: int) -> None:
        module = self.module(name)
        statement = module.statements[number]
        for imported in _imports(statement):
            self.follow_import(name, imported)
        for word in module.reads[number]:
            self.ask(name, word)

    def ask(self, name: str, word: str) -> None:
        """Reach what a word means in a module."""
        if (name, word) in self.asked:
            return
        self.asked.add((name, word))
        module = self.module(name)
        for number in module.bound.get(word, ()):
            statement = module.statements[number]
            if isinstance(statement, ast.Import | ast.ImportFrom):  # one name of a list: only that one is followed
                self.follow_import(name, statement, word)
            else:
                self.add(name, number)

    def follow_import(self, name: str, statement: ast.Import | ast.ImportFrom, word: str | None = None) -> None:
        """Reach the names that an import brings, or the one called `word`."""
        for alias in statement.names:
            bound = alias.asname or alias.name.partition(".")[0]
            if word is not None and bound != word and alias.name != "*":
                continue
            if isinstance(statement, ast.Import):
                home = self._within(alias.name)
                if home:
                    self.everything(home)
                continue
            home = self._source(name, statement)
            if home is None or self._file(home) not in self.texts:  # outside the package, or not written in Python
                continue
            inner = ".".join(filter(None, (home, alias.name)))
            if inner in self.texts or f"{inner}.__init__" in self.texts:  # a module as a whole: all of it
                self.everything(inner)
            elif alias.name == "*":
                self.everything(home)
            else:
                self.ask(self._file(home), alias.name)

    def everything(self, name: str) -> None:
        name = self._file(name)
        for number in range(len(self.module(name).statements)):
            self.add(name, number)

    def _file(self, name: str) -> str:
        return name if name in self.texts else ".".join(filter(None, (name, "__init__")))

    def _within(self, full: str) -> str | None:
        """The name of a module within the package; None outside it."""
        head, _, rest = full.partition(".")
        return rest if head == self.name and self._file(rest) in self.texts and rest else None

    def _source(self, name: str, statement: ast.ImportFrom) -> str | None:
        if statement.level:
            parts = name.split(".")[: -statement.level]
            return ".".join([*parts, *filter(None, [statement.module])])
        head, _, rest = (statement.module or "").partition(".")
        return rest if head == self.name else None

    def statements(self) -> list[tuple[str, str]]:
        return [(name, self.module(name).text(number)) for name, number in sorted(self.reached | self.followed)]


class _Module:
    """The statements of a module, which of them bind or mention a name, and which names each reads."""

    def __init__(self, text: str) -> None:
        self.lines = text.splitlines()
        self.statements: list[ast.stmt] = []
        for statement in ast.parse(text).body:
            if not _for_types(statement):
                self.statements.append(statement)
        self.reads = [_words(statement) for statement in self.statements]
        self.bound: dict[str, list[int]] = {}
        for number, statement in enumerate(self.statements):
            for word in self._binds(number, statement):
                self.bound.setdefault(word, []).append(number)

    def _binds(self, number: int, statement: ast.stmt) -> set[str]:
        """Names that depend on a statement. What neither defines nor imports may change anything that it mentions."""
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            return {statement.name}
        if isinstance(statement, ast.Import | ast.ImportFrom):
            return {alias.asname or alias.name.partition(".")[0] for alias in statement.names}
        inner = set(self.reads[number])
        for node in ast.walk(statement):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                inner.add(node.name)
            elif isinstance(node, ast.Import | ast.ImportFrom):
                inner |= {alias.asname or alias.name.partition(".")[0] for alias in node.names}
        return inner

    def tables(self) -> Iterator[int]:
        """Named tuples and records, which kernels may be called with."""
        for number, statement in enumerate(self.statements):
            if isinstance(statement, ast.ClassDef) and self.reads[number] & {"NamedTuple", "Record"}:
                yield number

    def roots(self) -> Iterator[int]:
        """Statements that make kernels or extend Numba."""
        imports = [imported for statement in self.statements for imported in _imports(statement)]
        sources = {alias.name for node in imports if isinstance(node, ast.Import) for alias in node.names}
        sources |= {node.module or "" for node in imports if isinstance(node, ast.ImportFrom)}
        if any(source.partition(".")[0] in ("numba", "llvmlite") for source in sources):
            yield from range(len(self.statements))
            return
        called = {"kernel", *(a.asname for node in imports for a in node.names if a.name == "kernel" and a.asname)}
        for number, statement in enumerate(self.statements):
            if called & self.reads[number] and not isinstance(statement, ast.Import | ast.ImportFrom):
                yield number

    def text(self, number: int) -> str:
        statement = self.statements[number]
        first = min([statement.lineno, *(d.lineno for d in getattr(statement, "decorator_list", ()))])
        return "\n".join(self.lines[first - 1 : statement.end_lineno])


def _for_types(statement: ast.stmt) -> bool:
    """Does it serve type checkers alone?"""
    return (
        isinstance(statement, ast.If) and isinstance(statement.test, ast.Name) and statement.test.id == "TYPE_CHECKING"
    )


def _imports(statement: ast.stmt) -> Iterator[ast.Import | ast.ImportFrom]:
    for node in ast.walk(statement):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node


def _words(statement: ast.stmt) -> frozenset[str]:
    """All names in a statement; annotations name types, which change no machine code."""
    found: set[str] = set()
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Name):
            found.add(node.id)
        for field, value in ast.iter_fields(node):
            if field in ("annotation", "returns"):
                continue
            if isinstance(value, ast.AST):
                waiting.append(value)
            elif isinstance(value, list):
                waiting += [item for item in value if isinstance(item, ast.AST)]
    return frozenset(found)
