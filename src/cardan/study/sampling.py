"""Which values parameters take: grids, random and quasi-random samples, tolerances, designs from a table.

    grid({"rod.length": [0.4, 0.5, 0.6], "crank.length": (0.1, 0.2, 11)})     every combination
    random_samples({"spring.stiffness": (90, 110), "mass": normal(2, 0.1)}, 1000, seed=1)
    quasi_random({...}, 1024)                                                 Sobol's points, evenly spread
    tolerances(model, {"rod.length": 0.001}, "worst")                         corners; "each": one at a time
    designs({"rod.length": [0.4, 0.5], "crank.length": [0.1, 0.2]})           a table, or a file: designs("table.csv")

A plan computes the values of any range of samples independently, the same for the same seed: samples may be computed in
any order, on any machine, and a million of them take no memory.
"""

from __future__ import annotations

import csv
import hashlib
import itertools
import math
import warnings
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from cardan.errors import ModelError
from cardan.model import check
from cardan.model.model import Model
from cardan.model.parameter import Parameter, parameters_of

MAX_EXAMINED = 2**21  # samples whose extremes are looked for
SAMPLES_PER_STREAM = 1024  # random samples are drawn in blocks, each with its own stream
MAX_CORNER_PARAMETERS = 16  # parameters whose worst cases are all tried: 65,536 of them
KINDS = ("worst", "each", "random")


@runtime_checkable
class Frame(Protocol):
    """A data frame of any library."""

    @property
    def columns(self) -> Any: ...

    def __getitem__(self, key: Any) -> Any: ...


class Normal(NamedTuple):
    """A normal distribution."""

    mean: float
    deviation: float


def normal(mean: float, deviation: float) -> Normal:
    """Values spread about a mean with a standard deviation."""
    return Normal(
        check.number(mean, "the mean of a normal distribution"),
        check.positive(deviation, "the deviation of a normal distribution"),
    )


@dataclass(frozen=True)
class Plan(ABC):
    """The values of parameters in each sample; `keys` are paths or parameters."""

    keys: tuple[Any, ...]

    kind = ""

    @property
    @abstractmethod
    def count(self) -> int:
        """How many samples there are."""

    @abstractmethod
    def values(self, first: int, last: int) -> np.ndarray:
        """The samples from `first` up to `last`, one line each."""

    @abstractmethod
    def stated(self) -> Any:
        """The data of this plan besides its kind and its parameters."""

    @property
    def names(self) -> list[str]:
        return [key.name if isinstance(key, Parameter) else str(key) for key in self.keys]

    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths of the axes of a grid; of others the count."""
        return (self.count,)

    def described(self) -> dict[str, Any]:
        """The plan as a store remembers it."""
        tied = [[(f, p.attribute, p.index) for f, p in key.places] for key in self.keys if isinstance(key, Parameter)]
        digest = hashlib.sha256(repr((self.stated(), tied)).encode()).hexdigest()[:16]
        return {"kind": self.kind, "parameters": self.names, "count": self.count, "stated": digest}

    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """The least and largest value of each parameter."""
        low, high = np.full(len(self.keys), np.inf), np.full(len(self.keys), -np.inf)
        for first in range(0, self.count, 64 * SAMPLES_PER_STREAM):
            values = self.values(first, min(first + 64 * SAMPLES_PER_STREAM, self.count))
            low, high = np.minimum(low, values.min(axis=0)), np.maximum(high, values.max(axis=0))
        return low, high


@dataclass(frozen=True)
class Grid(Plan):
    """Every combination of the values listed; the last parameter changes fastest."""

    axes: tuple[tuple[float, ...], ...]
    kind = "grid"

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(len(axis) for axis in self.axes)

    @property
    def count(self) -> int:
        return int(np.prod([len(axis) for axis in self.axes], dtype=object))

    def values(self, first: int, last: int) -> np.ndarray:
        places = np.unravel_index(np.arange(first, last), self.shape)
        return np.column_stack([np.array(axis)[k] for axis, k in zip(self.axes, places, strict=True)])

    def stated(self) -> Any:
        return self.axes

    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        return np.array([min(axis) for axis in self.axes]), np.array([max(axis) for axis in self.axes])


@dataclass(frozen=True)
class Spread(Plan):
    """Values drawn from distributions, at random or by Sobol's sequence."""

    distributions: tuple[Any, ...]  # Normal, or (low, high)
    size: int
    seed: int
    even: bool

    @property
    def kind(self) -> str:  # type: ignore[override]
        return "quasi-random" if self.even else "random"

    @property
    def count(self) -> int:
        return self.size

    def values(self, first: int, last: int) -> np.ndarray:
        u = self._sobol(first, last) if self.even else self._drawn(first, last)
        return spread_over(self.distributions, u)

    def _drawn(self, first: int, last: int) -> np.ndarray:
        blocks = range(first // SAMPLES_PER_STREAM, (last - 1) // SAMPLES_PER_STREAM + 1)
        keys = (np.array([self.seed, block], np.uint64) for block in blocks)
        streams = (np.random.Generator(np.random.Philox(key=key)) for key in keys)
        drawn = np.concatenate([stream.random((SAMPLES_PER_STREAM, len(self.keys))) for stream in streams])
        return drawn[first - blocks[0] * SAMPLES_PER_STREAM : last - blocks[0] * SAMPLES_PER_STREAM]

    def _sobol(self, first: int, last: int) -> np.ndarray:
        from scipy.stats import qmc

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # balance needs a power of two; a user may want fewer
            points = qmc.Sobol(len(self.keys), scramble=True, seed=np.random.default_rng(self.seed))
            if first:
                points.fast_forward(first)
            return np.asarray(points.random(last - first))

    def stated(self) -> Any:
        return self.distributions, self.seed

    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        if self.size <= MAX_EXAMINED:
            return super().bounds()
        rare = 1.0 + math.sqrt(2.0 * math.log(self.size))  # deviations that one of so many samples hardly reaches
        ends = [
            (s.mean - rare * s.deviation, s.mean + rare * s.deviation) if isinstance(s, Normal) else s
            for s in self.distributions
        ]
        return np.array([low for low, _ in ends]), np.array([high for _, high in ends])


@dataclass(frozen=True)
class Table(Plan):
    """Samples listed one by one."""

    rows: np.ndarray = field(repr=False)
    kind: str = "designs"

    @property
    def count(self) -> int:
        return len(self.rows)

    def values(self, first: int, last: int) -> np.ndarray:
        return self.rows[first:last]

    def stated(self) -> Any:
        return self.rows.tobytes()


def grid(parameters: Mapping[Any, Any]) -> Grid:
    """Every combination: of each parameter a list of values, or (low, high, count) for values evenly apart.

    >>> from cardan.study import grid
    >>> grid({"rod.mass": [1.0, 2.0], "spring.stiffness": (10.0, 20.0, 3)}).values(0, 4).tolist()
    [[1.0, 10.0], [1.0, 15.0], [1.0, 20.0], [2.0, 10.0]]
    """
    stated = _stated(parameters, "grid()")
    return Grid(tuple(stated), tuple(_axis(key, values) for key, values in stated.items()))


def random_samples(parameters: Mapping[Any, Any], count: int, *, seed: int = 0) -> Spread:
    """`count` samples at random: of each parameter (low, high), or normal(mean, deviation)."""
    return _spread(parameters, count, seed, False, "random_samples()")


def quasi_random(parameters: Mapping[Any, Any], count: int, *, seed: int = 0) -> Spread:
    """`count` samples of Sobol's sequence, scrambled: they fill the ranges more evenly than random ones.

    >>> from cardan.study import quasi_random
    >>> plan = quasi_random({"rod.mass": (1.0, 2.0)}, 1_000_000, seed=3)
    >>> bool((plan.values(0, 512)[500:] == plan.values(500, 512)).all())      # any part, without those before it
    True
    """
    return _spread(parameters, count, seed, True, "quasi_random()")


def tolerances(
    model: Model, parameters: Mapping[Any, Any], kind: str = "worst", *, count: int = 1000, seed: int = 0
) -> Plan:
    """Values about those stated, by +-tolerance or (down, up).

    "worst": the stated values and all corners; "each": the stated values, then each parameter alone at its two ends, as
    tornado charts want it; "random": `count` samples, normal with a third of the tolerance as deviation, or uniform
    between unequal tolerances.
    """
    check.choice(kind, KINDS, "the kind of tolerances()")
    limits = tolerance_limits(model, parameters, "tolerances()")
    nominal, low, high = limits.nominal, limits.low, limits.high
    if kind == "random":
        spreads = [
            Normal(middle, deviation) if equal else (start, end)
            for middle, deviation, equal, start, end in zip(
                *(part.tolist() for part in (nominal, limits.deviations, limits.equal, low, high)), strict=True
            )
        ]
        return _spread(dict(zip(limits.keys, spreads, strict=True)), count, seed, False, "tolerances()")
    if kind == "worst":
        if nominal.size > MAX_CORNER_PARAMETERS:
            raise ModelError(
                f"tolerances() of {nominal.size} parameters have 2^{nominal.size} corners; state at most "
                f"{MAX_CORNER_PARAMETERS}, or take kind='random'"
            )
        corners = [*itertools.product(*zip(low, high, strict=True))]
        return Table(limits.keys, np.array([nominal, *corners]), "worst")
    ends = [np.where(np.arange(nominal.size) == k, end, nominal) for k in range(nominal.size) for end in (low, high)]
    return Table(limits.keys, np.array([nominal, *ends]), "each")


class ToleranceLimits(NamedTuple):
    """Stated values with their tolerances."""

    keys: tuple[Any, ...]
    names: list[str]
    nominal: np.ndarray
    low: np.ndarray
    high: np.ndarray
    deviations: np.ndarray  # standard: a third of a symmetric tolerance, or that of a uniform distribution
    equal: np.ndarray  # whether the tolerance is symmetric


def tolerance_limits(model: Model, parameters: Any, what: str) -> ToleranceLimits:
    """The values of parameters, and their limits: +-tolerance or (down, up)."""
    check.instance(model, Model, f"the model of {what}")
    stated = _stated(parameters, what)
    found = parameters_of(model, list(stated), what)
    nominal = np.array([one.value for one in found])
    down, up = np.array([_width(one.name, width) for one, width in zip(found, stated.values(), strict=True)]).T
    deviations = np.where(down == up, up / 3.0, (down + up) / math.sqrt(12.0))
    names = [one.name for one in found]
    return ToleranceLimits(tuple(stated), names, nominal, nominal - down, nominal + up, deviations, down == up)


def designs(table: Any) -> Table:
    """Designs listed one by one: a dictionary of columns, a data frame, or a .csv file with a head line."""
    if isinstance(table, str | Path):
        table = _read(Path(table))
    columns = {key: table[key] for key in (table.columns if isinstance(table, Frame) else _stated(table, "designs()"))}
    lists = {key: _numbers(key, column) for key, column in columns.items()}
    if not lists or min(len(values) for values in lists.values()) == 0:
        raise ModelError("designs() is given no design: state a column of values for each parameter")
    lengths = {str(key): len(values) for key, values in lists.items()}
    if len(set(lengths.values())) > 1:
        counts = ", ".join(f"{count} of '{name}'" for name, count in lengths.items())
        raise ModelError(f"designs() needs as many values of each parameter, got {counts}")
    return Table(tuple(lists), np.column_stack([*lists.values()]))


def _stated(parameters: Any, what: str) -> dict[Any, Any]:
    check.instance(parameters, Mapping, f"the parameters of {what}", hint="{'rod.mass': ...}")
    if not parameters:
        raise ModelError(f"{what} is given no parameters; list some, such as 'spring.stiffness'")
    for key in parameters:
        check.instance(key, (str, Parameter), f"a parameter of {what}", hint="'spring.stiffness', for example")
    return dict(parameters)


def _axis(key: object, values: Any) -> tuple[float, ...]:
    if isinstance(values, tuple) and len(values) == 3 and isinstance(values[2], int) and values[2] != values[1]:
        low, high = check.vector(values[:2], 2, f"the range of '{key}'")
        count = check.count(values[2], f"how many values '{key}' takes")
        if not low < high:
            raise ModelError(f"the range of '{key}' must rise, got {low:g} to {high:g}")
        return tuple(np.linspace(low, high, count).tolist())
    found = _numbers(key, values)
    if not found:
        raise ModelError(f"the range of '{key}' is empty; list values, or state (low, high, count)")
    return tuple(found)


def _numbers(key: object, values: Any) -> list[float]:
    listed = values if isinstance(values, Sequence) else np.asarray(values).tolist()
    if isinstance(listed, str) or not isinstance(listed, Sequence):
        raise ModelError(f"the values of '{key}' must be a list of numbers, got {check.describe(values)}")
    return [check.number(value, f"a value of '{key}'") for value in listed]


def _spread(parameters: Any, count: Any, seed: int | None, even: bool, what: str) -> Spread:
    keys, spreads = distributions_of(parameters, what)
    size = check.count(count, f"the count of {what}")
    return Spread(keys, spreads, size, checked_seed(seed, what), even)


def distributions_of(parameters: Any, what: str) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """The parameters, and the distribution of each: Normal, or (low, high)."""
    stated = _stated(parameters, what)
    spreads = []
    for key, spread in stated.items():
        if not isinstance(spread, Normal):
            low, high = check.vector(spread, 2, f"the range of '{key}'")
            if not low < high:
                raise ModelError(f"the range of '{key}' must rise, got {low:g} to {high:g}")
            spread = (low, high)
        spreads.append(spread)
    return tuple(stated), tuple(spreads)


def spread_over(distributions: Sequence[Any], u: np.ndarray) -> np.ndarray:
    """Values of which u, between 0 and 1, are the cumulative probabilities; one column per distribution."""
    columns = []
    for k, spread in enumerate(distributions):
        if isinstance(spread, Normal):
            from scipy.special import ndtri

            columns.append(spread.mean + spread.deviation * ndtri(np.clip(u[:, k], 2.0**-54, 1.0 - 2.0**-53)))
        else:
            columns.append(spread[0] + (spread[1] - spread[0]) * u[:, k])
    return np.column_stack(columns)


def checked_seed(seed: int | None, what: str) -> int:
    """A seed of random numbers."""
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 2**64:
        raise ModelError(f"the seed of {what} must be a whole number from 0 on, got {check.short_repr(seed)}")
    return seed


def _width(name: str, width: Any) -> tuple[float, float]:
    if isinstance(width, tuple):
        down, up = check.vector(width, 2, f"the tolerance of '{name}'")
    else:
        down = up = check.number(width, f"the tolerance of '{name}'")
    if down < 0.0 or up < 0.0 or down + up == 0.0:
        raise ModelError(f"the tolerance of '{name}' must be positive, got {width!r}; it counts in both directions")
    return down, up


def _read(path: Path) -> dict[str, list[float]]:
    if not path.is_file():
        raise ModelError(f"table '{path}' of designs does not exist")
    with path.open(newline="", encoding="utf-8") as file:
        lines = [line for line in csv.reader(file) if line]
    if len(lines) < 2:
        raise ModelError(f"the table '{path}' has no designs: state parameters in its first line, values below")
    head = [name.strip() for name in lines[0]]
    table: dict[str, list[float]] = {name: [] for name in head}
    for number, line in enumerate(lines[1:], 2):
        for name, text in itertools.zip_longest(head, line):
            try:
                table[name].append(float(text))
            except (KeyError, TypeError, ValueError):
                raise ModelError(f"line {number} of '{path}' has {text!r} where '{name}' needs a number") from None
    return table
