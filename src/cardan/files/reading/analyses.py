"""Reading analyses, and the kinds of values that only they take: times, earlier results, values by measure.

analyses:
  - {type: equilibrium, name: rest}
  - {type: simulate, until: 10, output: 0.01, start: rest, method: {type: generalized_alpha, step: 1e-3, rho: 0.8}}
  - {type: kinematics, times: {from: 0, to: 0.6, count: 361}}
  - {type: initial_conditions, positions: {hinge.angle: 0.3}}
"""

from __future__ import annotations

from typing import Any

from cardan.files.faults import FaultError, did_you_mean, short_repr
from cardan.files.reading import parsed
from cardan.files.reading.objects import unit_of
from cardan.files.reading.scope import Scope
from cardan.files.reading.values import Reader, Symbols
from cardan.files.text.nodes import List, Map, Scalar, TextNode, is_empty
from cardan.files.vocabulary.kind import Kind
from cardan.files.vocabulary.types import vocabulary

SPAN = ("from", "to", "count", "step")
MAX_OUTPUT_TIMES = 10_000_000


def read_analyses(scope: Scope, section: TextNode | None) -> list[parsed.Analysis]:
    """All analyses in order."""
    if section is None:
        return []
    if not isinstance(section, List):
        raise FaultError(section, "C107", "analyses must be a list", "begin each analysis with '- type: kinematics'")
    found: list[parsed.Analysis] = []
    for node in section.items:
        with scope.faults.collect():
            found.append(_analysis(scope, node))
    return found


def _analysis(scope: Scope, node: TextNode) -> parsed.Analysis:
    known, results = vocabulary("analyses"), scope.shared.results
    if not isinstance(node, Map):
        raise FaultError(node, "C107", "an analysis must be a mapping", "write {type: kinematics, times: ...}")
    named = dict(node.items)
    kind, name = named.pop("type", None), named.get("name")
    if not isinstance(kind, Scalar) or kind.text not in known:
        given = kind.text if isinstance(kind, Scalar) else ""
        message = f"unknown analysis {short_repr(given)}" if given else "the analysis needs a type"
        raise FaultError(kind or node, "C104", message, did_you_mean(given, known.names()))
    if "name" not in known[kind.text].arguments:
        named.pop("name", None)
    title = name.text if isinstance(name, Scalar) and name.text.strip() else _free_name(scope, kind.text)
    if title in results:
        raise FaultError(name or node, "C108", f"two analyses are called {short_repr(title)}", "names must differ")
    try:
        arguments = _AnalysisReader(scope).arguments(known[kind.text], [], named, node, {})
    finally:
        results[title] = kind.text
    return parsed.Analysis(title, kind.text, arguments, node)


def _free_name(scope: Scope, kind: str) -> str:
    """The type as a name, with a number if it is taken."""
    if kind not in scope.shared.results:
        return kind
    count = scope.shared.numbered.get(kind, 1) + 1
    while f"{kind} {count}" in scope.shared.results:
        count += 1
    scope.shared.numbered[kind] = count
    return f"{kind} {count}"


class _AnalysisReader(Reader):
    """Also reads the kinds of analyses."""

    def _read_times(self, wanted: Kind, node: TextNode, what: str, symbols: Symbols) -> Any:
        if not isinstance(node, Map):
            return self.read("numbers(time)", node, what)
        for name, item in node.items.items():
            if name not in SPAN:
                raise FaultError(item, "C105", f"times have no {short_repr(name)}", did_you_mean(name, SPAN))
        kinds = {name: "integer" if name == "count" else "number(time)" for name in node.items}
        values = self.faults.each(lambda n: self.read(kinds[n], node.items[n], f"{n} of {what}"), node.items)
        found = dict(zip(node.items, values, strict=True))
        if "to" not in found or ("count" in found) == ("step" in found):
            raise FaultError(node, "C106", f"{what} needs to, and count or step", "write {from: 0, to: 1, count: 101}")
        start, end = found.get("from", 0.0), found["to"]
        count = found["count"] if "count" in found else round((end - start) / (found["step"] or 1e-300)) + 1
        if not 2 <= count <= MAX_OUTPUT_TIMES:
            raise FaultError(node, "C107", f"{what} must be 2 to {MAX_OUTPUT_TIMES:,} times, got {count}")
        return parsed.Object("times", {"from": start, "to": end, "count": count}, node)

    def _read_method(self, wanted: Kind, node: TextNode, what: str, symbols: Symbols) -> Any:
        """A method of simulate: its shorthand, or its type with options."""
        if not isinstance(node, Map):
            return self._read_text(wanted, node, what, symbols)
        known, options = vocabulary("methods"), dict(node.items)
        kind = options.pop("type", None)
        given = kind.text if isinstance(kind, Scalar) else ""
        name = {known[one].path.partition(":")[2]: one for one in known.names()}.get(given, given)
        if name not in known:
            message = f"unknown method {short_repr(given)}" if given else f"{what} needs a type"
            raise FaultError(kind or node, "C104", message, did_you_mean(given, known.names()))
        arguments = self.arguments(known[name], [], options, node, {})
        return parsed.Object("method", {"type": name, "options": arguments}, node)

    def _read_result(self, wanted: Kind, node: TextNode, what: str, symbols: Symbols) -> Any:
        results = self.shared.results
        if isinstance(node, Scalar) and node.text in results:
            return parsed.Object("result", {"name": node.text}, node)
        given = node.text if isinstance(node, Scalar) else "this"
        hint = did_you_mean(given, results, "name an earlier analysis of this file")
        raise FaultError(node, "C201", f"there is no earlier analysis called {short_repr(given)}", hint)

    def _read_settings(self, wanted: Kind, node: TextNode, what: str, symbols: Symbols) -> Any:
        """Values by measure or element."""
        if not isinstance(node, Map):
            raise FaultError(node, "C107", f"{what} must be a mapping, {{hinge.angle: 0.3}} for example")
        pairs = []
        for name, item in node.items.items():
            of = self.read("element | measure", node.keys[name], f"'{name}' of {what}")
            per_time = "/time" if "velocit" in what else ""
            kind = f"numbers({unit_of(self, of)}{per_time})"
            pairs.append((of, None if is_empty(item) else self.read(kind, item, what)))
        return parsed.Object("settings", {"pairs": tuple(pairs)}, node)

    def _read_ranges(self, wanted: Kind, node: TextNode, what: str, symbols: Symbols) -> Any:
        if not isinstance(node, Map):
            raise FaultError(node, "C107", f"{what} must be a mapping, {{spring.stiffness: [10, 100]}} for example")
        return parsed.Object("ranges", self.read("{numbers(si)}", node, what), node)

    def _read_parameter(self, wanted: Kind, node: TextNode, what: str, symbols: Symbols) -> Any:
        return self._read_text(wanted, node, what, symbols)

    def _read_builder(self, wanted: Kind, node: TextNode, what: str, symbols: Symbols) -> Any:
        """The parameter of the file that is varied."""
        text, known = self._read_text(wanted, node, what, symbols), self.scope.numbers.values
        if text not in known:
            raise FaultError(node, "C307", f"unknown parameter {short_repr(text)}", did_you_mean(text, known))
        return parsed.Object("builder", {"parameter": text}, node)
