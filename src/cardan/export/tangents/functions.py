"""Derivatives of exported machine code: every function on dual numbers (forward mode), from its intermediate code.

    x = a * b          is followed by          x' = a' b + a b'

Numbers in memory have their derivatives at a fixed distance behind them:

    base | tables of the model | stack |  derivatives of the tables | derivatives of the stack |
         |<---------- span ----------->|

The intermediate code (LLVM IR) of a function is copied with the instructions for derivatives added. What it keeps on
its stack has a place behind the tables, since functions do not call themselves. Words that are not numbers are copied
with those behind them, because code may move numbers as words. A table that holds the address of a function holds that
of its derivative behind it. Derivatives of constants are 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter

from cardan.export.tangents.rules import COMPARED, DROPPED, MOVED, WITHOUT, instructions_for
from cardan.export.tangents.text import (
    FUNCTION,
    INDIRECT,
    NAME,
    REFUSED,
    TangentError,
    last,
    parts_of_call,
    plain,
    size_of,
    split,
    typed,
    zero,
)

_VARIABLE = re.compile(r"^(@[\w.$-]+) = .*\n", re.MULTILINE)
_RESULT = re.compile(r'^(%"[^"]*"|%[\w.$-]+) = ')
_BITS = {"and", "or", "xor", "add", "sub", "shl", "lshr", "ashr", "trunc"}
_FLAGS = {"nnan", "ninf", "nsz", "arcp", "contract", "afn", "reassoc", "fast"}
_CALLS = {"tail", "musttail", "notail", "call", "fastcc", "ccc"}
ALIGNMENT = 64  # bytes, of what a function keeps on its stack
TRACKED = re.compile(r"double|i64|ptr|[{\[<].*")  # types whose values have derivatives, or words that may be numbers


@dataclass(frozen=True)
class Tangents:
    """The text of the functions on dual numbers, their names, and the span of memory that they need."""

    text: str
    names: dict[str, str]
    span: int


def tangents_of(module: str, entry: str, pointed: Sequence[str], size: int) -> Tangents:
    """The functions of a module that `entry` reaches, on dual numbers, for tables of a size in bytes.

    `pointed` are functions whose addresses tables hold: those that a call through an address fits are reached.
    """
    bodies = {name: (given, body) for name, given, body in FUNCTION.findall(module)}
    variables = {found[1]: found[0] for found in _VARIABLE.finditer(module)}
    reached = reached_from(bodies, entry, pointed)
    frames, span = _frames(bodies, reached, -(-size // ALIGNMENT) * ALIGNMENT)
    names = {name: f"@tangent.{name[1:]}" for name in reached}
    mentioned = {name for body in bodies.values() for name in NAME.findall(body[1]) if name in variables}
    outside = any("double" in variables[name] for name in _closed(mentioned, variables))
    texts, external = [], set()
    for name in reached:
        one = _Function(name, *bodies[name], names, frames, span, outside)
        texts.append(one.text())
        external |= one.external
    used = {name for text in texts for name in NAME.findall(text) if name in variables}
    constants = [variables[name] for name in _closed(used, variables)]
    return Tangents("".join([*constants, *sorted(external), *texts]), names, span)


def reached_from(bodies: dict[str, tuple[str, str]], entry: str, pointed: Sequence[str]) -> list[str]:
    """Functions that an entry calls, callees first; they must not call themselves."""
    calls: dict[str, list[str]] = {}
    kinds = {name: [typed(part)[0] for part in split(bodies[name][0])] for name in pointed}
    waiting = [entry]
    while waiting:
        name = waiting.pop()
        if name in calls:
            continue
        body = bodies[name][1]
        calls[name] = [other for other in NAME.findall(body) if other in bodies]
        fitting = [[typed(part)[0] for part in split(plain(given))] for given in INDIRECT.findall(body)]
        waiting += calls[name] + [other for other in pointed if kinds[other] in fitting]
    try:
        return list(TopologicalSorter(calls).static_order())
    except CycleError:
        raise TangentError(REFUSED.format("a function calls itself")) from None


def _closed(names: set[str], variables: dict[str, str]) -> list[str]:
    """Variables and those that they refer to."""
    found, waiting = dict.fromkeys(sorted(names)), sorted(names)
    while waiting:
        for other in NAME.findall(variables[waiting.pop()]):
            if other in variables and other not in found:
                found[other] = None
                waiting.append(other)
    return list(found)


def _frames(
    bodies: dict[str, tuple[str, str]], reached: Iterable[str], place: int
) -> tuple[dict[tuple[str, str], int], int]:
    """Places of what functions keep on their stacks, by function and value, and where they end."""
    frames: dict[tuple[str, str], int] = {}
    for name in reached:
        for line in bodies[name][1].splitlines():
            found = re.match(r"  (\S+) = alloca (.*)", line)
            if found:
                parts = split(plain(found[2]))
                frames[name, found[1]] = place
                count = next((int(part.split()[1]) for part in parts[1:] if re.match(r"i\d+ \d+$", part)), 1)
                place += -(-size_of(parts[0]) * count // ALIGNMENT) * ALIGNMENT
    return frames, place


class _Function:
    """One function: its instructions, and those for derivatives."""

    def __init__(
        self,
        name: str,
        given: str,
        body: str,
        names: dict[str, str],
        frames: dict[tuple[str, str], int],
        span: int,
        outside: bool,
    ) -> None:
        self.name, self.names, self.frames, self.span = name, names, frames, span
        self.outside = outside  # whether pointers may be those of constants, which are not in the tables
        self.external: set[str] = set()
        self.lines: list[str] = []
        self.count = 0
        self.arguments = [(typed(part)[0], part.split()[-1]) for part in split(given)]
        self.body = [plain(line) for line in body.splitlines()]
        self.known = {value for kind, value in self.arguments if TRACKED.fullmatch(kind)}
        self.made: dict[str, tuple[str, str]] = {}  # of values: operation, and the rest of the instruction
        for line in self.body:
            found = _RESULT.match(line.strip())
            if found:
                operation, _, rest = line.strip()[found.end() :].partition(" ")
                self.made[found[1]] = operation, rest
                if _carries(operation, rest):
                    self.known.add(found[1])

    def text(self) -> str:
        for line in self.body:
            self._line(line)
        given = [f"{kind} {value}" for kind, value in self.arguments]
        given += [f"{kind} {mark(value)}" for kind, value in self.arguments if TRACKED.fullmatch(kind)]
        head = f"define internal {self.result()} {self.names[self.name]}({', '.join([*given, 'ptr %.base'])}) {{\n"
        return head + "".join(f"{line}\n" for line in self.lines) + "}\n"

    def result(self) -> str:
        """The type of what is returned: numbers together with their derivatives."""
        kinds = {typed(line.strip()[4:])[0] for line in self.body if line.startswith("  ret ")} or {"void"}
        kind = kinds.pop()
        if kind not in ("i32", "i64", "i1", "i8", "void", "double"):
            raise TangentError(REFUSED.format(f"a function returns {kind}"))
        return "{ double, double }" if kind == "double" else kind

    # --- pieces of instructions ---

    def add(self, text: str) -> None:
        self.lines.append("  " + text)

    def new(self, text: str) -> str:
        """A new value."""
        self.count += 1
        self.add(f"%.u{self.count} = {text}")
        return f"%.u{self.count}"

    def slope(self, value: str, kind: str) -> str:
        """The derivative of a value."""
        return mark(value) if value in self.known else zero(kind)

    def constant(self, pointer: str) -> bool:
        """Whether a pointer is that of a constant."""
        while pointer in self.made and self.made[pointer][0] == "getelementptr":
            pointer = last(split(self.made[pointer][1])[1])
        return "@" in pointer

    def behind(self, pointer: str, written: bool = False) -> str:
        """Where the derivatives of the numbers at a pointer are; the first words of all tables are unused."""
        source = pointer
        while source in self.made and self.made[source][0] == "getelementptr":
            source = last(split(self.made[source][1])[1])
        there = self.new(f"getelementptr i8, ptr {pointer}, i64 {self.span}")
        if written or not self.outside or (source in self.made and self.made[source][0] in ("alloca", "inttoptr")):
            return there
        numbers = [self.new(f"ptrtoint ptr {one} to i64") for one in (pointer, "%.base")]
        inside = self.new(f"icmp ult i64 {self.new(f'sub i64 {numbers[0]}, {numbers[1]}')}, {self.span}")
        nothing = self.new(f"getelementptr i8, ptr %.base, i64 {self.span}")
        return self.new(f"select i1 {inside}, ptr {there}, ptr {nothing}")

    # --- instructions ---

    def _line(self, line: str) -> None:
        found = _RESULT.match(line.strip())
        name = found[1] if found else ""
        operation, _, rest = line.strip()[found.end() if found else 0 :].partition(" ")
        if operation == "alloca":
            self.add(f"{name} = getelementptr i8, ptr %.base, i64 {self.frames[self.name, name]}")
        elif operation in _CALLS:
            self._call(name, line.strip()[found.end() if found else 0 :])
        elif operation == "ret" and rest.startswith("double"):
            value = rest.split()[1]
            pair = self.new(f"insertvalue {{ double, double }} zeroinitializer, double {value}, 0")
            pair = self.new(f"insertvalue {{ double, double }} {pair}, double {self.slope(value, 'double')}, 1")
            self.add(f"ret {{ double, double }} {pair}")
        else:
            self.lines.append(line)
            if operation == "store":
                self._store(rest)
            elif name in self.known:
                self._slope_of(name, operation, rest)
            elif name and operation not in WITHOUT and re.search(r"\b(double|float)\b", typed(rest)[0]):
                raise TangentError(REFUSED.format(line.strip()))

    def _store(self, rest: str) -> None:
        given, to = split(rest)[:2]
        kind, value = typed(given)
        operation, words = self.made.get(value, ("", ""))
        sources = [self.made.get(one, ("", "")) for one in NAME.findall(words)]
        if operation in _BITS and any(made[0] == "bitcast" and made[1].startswith("double") for made in sources):
            raise TangentError(REFUSED.format(f"{operation} of the bits of a number"))
        slope = self.slope(value, kind)
        self.add(f"store {kind} {slope}, ptr {self.behind(last(to), written=True)}, align 1")

    def _slope_of(self, name: str, operation: str, rest: str) -> None:
        """The derivative of an instruction that only moves numbers, or computes with them."""
        dot = mark(name)
        parts = split(rest)
        if operation == "load":
            pointer = last(parts[1])
            if self.constant(pointer):
                self.add(f"{dot} = freeze {parts[0]} {zero(parts[0])}")
            else:
                self.add(f"{dot} = load {parts[0]}, ptr {self.behind(pointer)}, align 1")
        elif operation == "phi":
            kind, others = typed(rest)
            pairs = [split(part[1:-1]) for part in split(others)]
            sources = ", ".join(f"[ {self.slope(value, kind)}, {block} ]" for value, block in pairs)
            self.add(f"{dot} = phi {kind} {sources}")
        elif operation == "select":
            kind, _ = typed(parts[1])
            values = [self.slope(typed(part)[1], kind) for part in parts[1:]]
            self.add(f"{dot} = select {_unflagged(parts[0])}, {kind} {values[0]}, {kind} {values[1]}")
        elif operation in MOVED:
            numbers = 2 if operation in ("insertvalue", "insertelement", "shufflevector") else 1
            moved: list[str] = []
            for part in parts:
                kind, value = typed(part)
                value, to, other = value.partition(" to ")
                moved.append(f"{kind} {self.slope(value, kind)}{to}{other}" if len(moved) < numbers else part)
            if operation == "bitcast" and "double" in rest:
                self._check_words(parts[0])
            self.add(f"{dot} = {operation} {', '.join(moved)}")
        else:
            operands = [part.split()[-1] for part in parts]
            kind = " ".join(word for word in parts[0].split()[:-1] if word not in _FLAGS)
            self._compute(dot, operation, kind, name, operands)

    def _check_words(self, part: str) -> None:
        """A word that becomes a number must have been moved only."""
        value = typed(part)[1].split(" to ")[0]
        made = self.made.get(value)
        if value not in self.known and made is not None:
            raise TangentError(REFUSED.format(f"{made[0]} of the bits of a number"))

    def _compute(self, dot: str, operation: str, kind: str, name: str, values: list[str]) -> None:
        slopes = [self.slope(value, kind) for value in values]
        lines = instructions_for(operation, kind, name, values, slopes, self.new, self.external.add)
        if lines is None:
            raise TangentError(REFUSED.format(f"{operation} {kind}"))
        self.add(f"{dot} = {lines}")

    def _call(self, name: str, text: str) -> None:
        """A call of a function of the model, through an address, or of a mathematical function."""
        head, target, given = parts_of_call(text)
        kind = head.split()[-1] if head[-1] != "}" else head[head.index("{") :]
        pairs = [(typed(part)[0], last(part)) for part in split(given)]
        plain = f"{kind} {target}({', '.join(f'{one} {value}' for one, value in pairs)})"
        to = f"{name} = " if name else ""
        if target.startswith(DROPPED):
            return
        if target.startswith(("@llvm.memcpy", "@llvm.memmove", "@llvm.memset")):
            self._copy(target, pairs, plain)
            return
        if target in self.names or target[0] == "%":
            numbers = [f"{one} {value}" for one, value in pairs]
            numbers += [f"{one} {self.slope(value, one)}" for one, value in pairs if TRACKED.fullmatch(one)]
            function = self.names.get(target) or self.slope(target, "ptr")
            called = f"{function}({', '.join([*numbers, 'ptr %.base'])})"
            if kind == "double":
                pair = self.new(f"call {{ double, double }} {called}")
                self.add(f"{name} = extractvalue {{ double, double }} {pair}, 0")
                self.add(f"{mark(name)} = extractvalue {{ double, double }} {pair}, 1")
            else:
                self.add(f"{to}call {kind} {called}")
            return
        if name not in self.known and not target.startswith(tuple(WITHOUT)):
            moving = any("double" in one or "float" in one for one in (kind, *(one for one, _ in pairs)))
            if not target.startswith("@llvm.") or (moving and target not in COMPARED):
                raise TangentError(REFUSED.format(target))
        self.external.add(f"declare {kind} {target}({', '.join(one for one, _ in pairs)})\n")
        flags = "".join(f"{word} " for word in head.split() if word in _FLAGS)
        self.add(f"{to}call {flags}{plain}")
        if name in self.known:
            self._compute(mark(name), target, kind, name, [value for _, value in pairs])

    def _copy(self, target: str, pairs: list[tuple[str, str]], plain: str) -> None:
        self.external.add(f"declare void {target}({', '.join(kind for kind, _ in pairs)})\n")
        self.add(f"call void {plain.partition(' ')[2]}")
        to, source, count, last = (value for _, value in pairs)
        if target.startswith("@llvm.memset") or self.constant(source):
            self.external.add("declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)\n")
            self.add(
                f"call void @llvm.memset.p0.i64(ptr {self.behind(to, written=True)}, i8 0, i64 {count}, i1 {last})"
            )
        else:
            places = f"ptr {self.behind(to, written=True)}, ptr {self.behind(source)}"
            self.add(f"call void {target}({places}, i64 {count}, i1 {last})")


def mark(value: str) -> str:
    """The name of the derivative of a value."""
    return f'%"d.{value[2:]}' if value[1] == '"' else f"%d.{value[1:]}"


def _carries(operation: str, rest: str) -> bool:
    """Whether the result of an instruction has a derivative, or is a word that may be a number."""
    if operation in ("load", "phi", "freeze"):
        return bool(TRACKED.fullmatch(typed(rest)[0]))
    if operation == "select":
        return bool(TRACKED.fullmatch(typed(split(rest)[1])[0]))
    if operation in ("bitcast", "inttoptr"):
        return bool(TRACKED.fullmatch(rest.rsplit(" to ", 1)[1]))
    if operation in MOVED:
        return True
    if operation in _CALLS:
        head, target, _ = parts_of_call(f"{operation} {rest}")
        return head.split()[-1] == "double" and not target.startswith(tuple(WITHOUT))
    return operation in ("fadd", "fsub", "fmul", "fdiv", "frem", "fneg")


def _unflagged(text: str) -> str:
    return " ".join(word for word in text.split() if word not in _FLAGS)
