"""The analyses that a file asks for, and what only they take: instants, earlier results, values by measure.

analyses:
  - {type: equilibrium, name: rest}
  - {type: simulate, until: 10, output: 0.01, start: rest}
  - {type: kinematics, times: {from: 0, to: 0.6, count: 361}}
  - {type: initial_conditions, positions: {hinge.angle: 0.3}}
"""

from __future__ import annotations

from typing import Any

from cardan.files.faults import near, told
from cardan.files.reading import parsed as stated
from cardan.files.reading.scope import Scope
from cardan.files.reading.values import Reader
from cardan.files.text.nodes import List, Map, Node, Scalar
from cardan.files.vocabulary.kind import Role
from cardan.files.vocabulary.types import vocabulary

SPANS = ("from", "to", "count", "step")


def read_analyses(scope: Scope, section: Node | None) -> list[stated.Analysis]:
    """All analyses in their order."""
    if section is None:
        return []
    if not isinstance(section, List):
        scope.faults.add(section, "C107", "analyses must be a list", "begin each analysis with '- type: kinematics'")
        return []
    found = [_analysis(scope, node, k) for k, node in enumerate(section.items)]
    return [analysis for analysis in found if analysis is not None]


def _analysis(scope: Scope, node: Node, k: int) -> stated.Analysis | None:
    known, faults = vocabulary("analyses"), scope.faults
    if not isinstance(node, Map):
        faults.add(node, "C107", "an analysis must be a mapping", "write {type: kinematics, times: ...}")
        return None
    named = dict(node.items)
    kind, name = named.pop("type", None), named.get("name")
    if not isinstance(kind, Scalar) or kind.text not in known:
        given = kind.text if isinstance(kind, Scalar) else ""
        sentence = f"there is no analysis {told(given)}" if given else "the analysis lacks its type"
        faults.add(kind or node, "C104", sentence, near(given, known.names()))
        return None
    if "name" not in known[kind.text].arguments:
        named.pop("name", None)
    title = name.text if isinstance(name, Scalar) and name.text.strip() else _free(scope, kind.text)
    if title in scope.shared.results:
        faults.add(name or node, "C108", f"two analyses are called {told(title)}", "names must differ")
        return None
    arguments = _AnalysisReader(scope).arguments(known[kind.text], [], named, node, {})
    scope.shared.results[title] = kind.text
    return None if arguments is None else stated.Analysis(title, kind.text, arguments, node)


def _free(scope: Scope, kind: str) -> str:
    """The type as a name, with a number if it was used before."""
    if kind not in scope.shared.results:
        return kind
    count = scope.shared.numbered.get(kind, 1) + 1
    while f"{kind} {count}" in scope.shared.results:
        count += 1
    scope.shared.numbered[kind] = count
    return f"{kind} {count}"


class _AnalysisReader(Reader):
    """Knows the roles of analyses too."""

    def _read_times(self, wanted: Role, node: Node, what: str, symbols: dict[str, Any]) -> Any:
        if not isinstance(node, Map):
            return self.read("numbers(time)", node, what)
        for name, item in node.items.items():
            if name not in SPANS:
                self.faults.add(item, "C105", f"instants have no {told(name)}", near(name, SPANS))
                return None
        found = {
            name: self.read("integer" if name == "count" else "number(time)", item, f"{name} of {what}")
            for name, item in node.items.items()
        }
        if any(value is None for value in found.values()):
            return None
        if "to" not in found or ("count" in found) == ("step" in found):
            self.faults.add(node, "C106", f"{what} needs to, and count or step", "write {from: 0, to: 1, count: 101}")
            return None
        start, end = found.get("from", 0.0), found["to"]
        count = found["count"] if "count" in found else round((end - start) / (found["step"] or 1e-300)) + 1
        if not 2 <= count <= 10_000_000:
            self.faults.add(node, "C107", f"{what} would be {count} instants; at least 2 and at most 10 million can be")
            return None
        return stated.Made("times", {"from": start, "to": end, "count": count}, node)

    def _read_result(self, wanted: Role, node: Node, what: str, symbols: dict[str, Any]) -> Any:
        results = self.shared.results
        if isinstance(node, Scalar) and node.text in results:
            return stated.Made("result", {"name": node.text}, node)
        given = node.text if isinstance(node, Scalar) else "this"
        hint = near(given, results, "an earlier analysis of this file can be named")
        self.faults.add(node, "C201", f"there is no earlier analysis called {told(given)}", hint)
        return None

    def _read_settings(self, wanted: Role, node: Node, what: str, symbols: dict[str, Any]) -> Any:
        """Values by measure or element."""
        if not isinstance(node, Map):
            self.faults.add(node, "C107", f"{what} must be a mapping, {{hinge.angle: 0.3}} for example")
            return None
        from cardan.files.reading.objects import unit_of

        pairs = []
        for name, item in node.items.items():
            key = node.keys[name]
            of = self.read("element | measure", key, f"'{name}' of {what}")
            unit = "si" if of is None else unit_of(self, of)
            over = "/time" if "velocit" in what else ""
            value = None if isinstance(item, Scalar) and item.empty else self.read(f"numbers({unit}{over})", item, what)
            pairs.append((of, value))
            if of is None or (value is None and not (isinstance(item, Scalar) and item.empty)):
                return None
        return stated.Made("settings", {"pairs": tuple(pairs)}, node)

    def _read_ranges(self, wanted: Role, node: Node, what: str, symbols: dict[str, Any]) -> Any:
        if not isinstance(node, Map):
            self.faults.add(node, "C107", f"{what} must be a mapping, {{spring.stiffness: [10, 100]}} for example")
            return None
        found = {name: self.read("numbers(si)", item, f"'{name}' of {what}") for name, item in node.items.items()}
        return None if any(value is None for value in found.values()) else stated.Made("ranges", found, node)

    def _read_parameter(self, wanted: Role, node: Node, what: str, symbols: dict[str, Any]) -> Any:
        return self._read_text(wanted, node, what, symbols)

    def _read_builder(self, wanted: Role, node: Node, what: str, symbols: dict[str, Any]) -> Any:
        """The parameter of the file that is varied."""
        text = self._read_text(wanted, node, what, symbols)
        if text is not None and text not in self.scope.numbers.values:
            self.faults.add(node, "C307", f"there is no parameter {told(text)}", near(text, self.scope.numbers.values))
            return None
        return None if text is None else stated.Made("builder", {"parameter": text}, node)
