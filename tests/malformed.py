"""Model files with faults, from a generator: valid files in which keys, values, units, lines or bytes are spoiled.

    for text in malformed(valid_texts, count=10_000, seed=1): ...

Each is bytes of a YAML file. Some stay valid: a deleted name of an analysis hurts nobody.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator, Sequence
from typing import Any

import yaml

ODD_VALUES: tuple[Any, ...] = (
    None, "", " ", True, -1, 0, 1e400, -0.0, float("nan"), "inf", "25 mmm", "2 kg", "3 deg", "4 s", "2*", "*2", "1/0",
    "sqrt(-1)", "0**-1", "9**9**9", "nowhere", "nowhere.angle", "ground", "ground@", "ground@(", "ground@(1)",
    "ground@(1, 2, 3, 4)", "ground@nowhere", "'", '"quote', "a.b.c", "x(", "length(ground)", "length(ground, ground)",
    "ramp()", "ramp(1, 2, 3)", "ramp(rate=1, rate=2)", "revolute", "__import__('os').system('true')", "${HOME}", "{{}}",
    "@", "%", "1e", "0x10", "1_000", "\u00e9", "\U0001f600", "a" * 5000, "(" * 200, "-" * 5000 + "1", "1" + "0" * 400,
    [], [[]], [1], [1, 2], [1, 2, 3], [1, "a"], ["a", ["b"]], {}, {"type": "nothing"}, {"type": "ramp"},
    {"type": ["ramp"]}, {"body": "ground"}, {"ground": 1}, {"ground": [1]}, {"ground": {"at": [0, 0], "up": 1}},
    {"from": 0, "to": 1}, {"from": 0, "to": 1, "count": 10**12}, "polynomial()", "step(1, 0)", "spline([1], [2])",
)  # fmt: skip
ODD_KEYS = (
    "",
    "typ",
    "Type",
    "mas",
    "a b",
    "1",
    "ground",
    "null",
    "type",
    "\u00e9",
    "x" * 300,
    "name",
    "between",
    "markers",
)
SECTIONS: dict[str, Any] = {
    "units": {"length": "kg"},
    "include": ["nowhere.yaml"],
    "instances": {"one": {"assembly": "nothing"}},
    "parameters": {"a": "b", "b": "a"},
    "assemblies": {"x": {"instances": {"y": {"assembly": "x"}}}},
    "analyses": [{"type": "kinematic"}],
    "cardan": 2,
    "gravity": 9.81,
    "show": {"a": 1},
    "outputs": {"one": "two", "two": "one"},
    "markers": {"P": "Q", "Q": "P"},
}
LINES = (
    b"&a [*a, *a]",
    b"- x",
    b"\tmass: 1",
    b"a: &x {b: *x}",
    b"---",
    b"? [1]",
    b"!!python/object:os.system x",
    b"}",
    b"%TAG",
)

DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


def malformed(valid: Sequence[str], count: int, seed: int = 0) -> Iterator[bytes]:
    """Spoiled variants of valid texts."""
    luck = random.Random(seed)
    parsed = [yaml.safe_load(text) for text in valid]
    for _ in range(count):
        k = luck.randrange(len(valid))
        if luck.random() < 0.35:
            yield _spoiled_text(valid[k].encode(), luck)
        else:
            data = copy.deepcopy(parsed[k])
            for _ in range(luck.choice((1, 1, 1, 2, 4))):
                _spoil(data, luck)
            yield yaml.dump(data, Dumper=DUMPER, sort_keys=False, allow_unicode=True).encode()


def _spoil(data: Any, luck: random.Random) -> None:
    """Change one place of the data."""
    if luck.random() < 0.1:
        name = luck.choice(sorted(SECTIONS))
        data[name] = copy.deepcopy(SECTIONS[name])
        return
    holder, key = luck.choice(list(_places(data)))
    action = luck.randrange(5)
    if action == 0:
        del holder[key]
    elif action == 1 and isinstance(holder, dict):
        holder[luck.choice(ODD_KEYS)] = holder.pop(key)
    elif action == 2:
        other, there = luck.choice(list(_places(data)))
        holder[key] = copy.deepcopy(other[there])
    elif action == 3 and isinstance(holder[key], str | int | float):
        holder[key] = _changed(str(holder[key]), luck)
    else:
        holder[key] = copy.deepcopy(luck.choice(ODD_VALUES))


def _places(data: Any) -> Iterator[tuple[Any, Any]]:
    for key in list(data) if isinstance(data, dict) else range(len(data)):
        yield data, key
        if isinstance(data[key], dict | list):
            yield from _places(data[key])


def _changed(text: str, luck: random.Random) -> str:
    """A letter more, less or different."""
    at = luck.randrange(len(text) + 1)
    return text[:at] + luck.choice("xX1.*@()' ,:[]{}#&!%\n\u00b5") * luck.randrange(2) + text[at + luck.randrange(2) :]


def _spoiled_text(text: bytes, luck: random.Random) -> bytes:
    """Lines or bytes that are lost, doubled or random."""
    lines = text.splitlines(keepends=True)
    at = luck.randrange(len(lines))
    action = luck.randrange(7)
    if action == 0:
        del lines[at]
    elif action == 1:
        lines.insert(at, lines[luck.randrange(len(lines))])
    elif action == 2:
        lines.insert(at, luck.choice(LINES) + b"\n")
    elif action == 3:
        return text[: luck.randrange(len(text))]
    elif action == 4:
        lines[at] = b" " * luck.randrange(1, 4) + lines[at]
    elif action == 5:
        return luck.randbytes(luck.randrange(1, 200))
    else:
        place = luck.randrange(len(text))
        return text[:place] + luck.randbytes(luck.randrange(1, 4)) + text[place + luck.randrange(3) :]
    return b"".join(lines)
