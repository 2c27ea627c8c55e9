"""Derivatives of forces and of state rates of devices with respect to measures, rates, states and reactions.

    f = f(z, z', x, lambda, u)        x' = g(z, z', x, lambda, u)        y = h(z, z', x, lambda, u)

for all laws f, states x and outputs y of devices; u is added to a law or an output. Laws contain their slopes
(stiffness, damping, curves), user functions and devices run on jets: derivatives are exact, without differences. A
gradient is a dictionary {column: slope} over the columns [z | z' | x | lambda | u].
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from cardan.errors import SimulationError, warn
from cardan.model.curves.motion import Motion
from cardan.model.device import Clock, CurveSignal, Device, Held, Multiplier, Output, Rate, Signal, Value
from cardan.model.force import Law
from cardan.numerics.autodiff.jet import PyJet, variable
from cardan.numerics.functions.interpreted import as_outputs, on_jets
from cardan.system.system import System

Gradient = dict[int, float]


class ForceColumns:
    """The columns of each kind of change."""

    def __init__(self, system: System, added: int) -> None:
        nz, ns, nr = len(system.measures), system.states.start.size, system.row_count
        self.value, self.rate, self.state, self.multiplier = 0, nz, 2 * nz, 2 * nz + ns
        self.added = self.multiplier + nr + 1  # one more for unused rows
        self.count = self.added + added
        self.parts = {
            "value": slice(0, nz),
            "rate": slice(nz, 2 * nz),
            "state": slice(2 * nz, 2 * nz + ns),
            "multiplier": slice(self.multiplier, self.multiplier + nr),
            "added": slice(self.added, self.count),
        }


class ForceReading:
    """Values and gradients of signals and laws at one state."""

    def __init__(
        self,
        system: System,
        time: float,
        z: np.ndarray,
        states: np.ndarray,
        multipliers: np.ndarray,
        added: Sequence[Any] = (),
        quiet: bool = False,
    ) -> None:
        """`added` lists laws (by index) and outputs to which an input is added."""
        self.system, self.time, self.z = system, time, z
        self.states, self.multipliers = states, np.append(multipliers, 0.0)
        self.columns = ForceColumns(system, len(added))
        self.added, self.quiet = list(added), quiet
        self._outputs: dict[int, list[tuple[float, Gradient]]] = {}
        self._rates: dict[int, Gradient] = {}
        for device in system.devices:
            self._run(device)

    def laws(self, numbers: np.ndarray | None = None) -> sp.csr_array:
        """The gradients of all laws, or of the given ones, one row each."""
        chosen = range(len(self.system.laws)) if numbers is None else numbers.tolist()
        return self._table([self._law(k, self.system.laws[k]) for k in chosen])

    def state_rates(self) -> sp.csr_array:
        """The gradients of the rates of all states; held values have none."""
        return self._table([self._rates.get(k, {}) for k in range(self.states.size)])

    def signals(self, signals: Sequence[Signal]) -> sp.csr_array:
        """The gradients of signals."""
        return self._table([self.signal(signal)[1] for signal in signals])

    def signal(self, signal: Signal) -> tuple[float, Gradient]:
        """Value and gradient of one signal."""
        columns, wiring = self.columns, self.system.wiring
        if isinstance(signal, Value):
            level = 1 if isinstance(signal, Rate) else 0
            first = columns.rate if level else columns.value
            terms = [(c, wiring.measures[m]) for c, m in signal.of.parts()]
            value = sum(c * self.z[m, level] for c, m in terms)
            return float(value), _summed((c, {first + m: 1.0}) for c, m in terms)
        if isinstance(signal, Clock):
            return self.time, {}
        if isinstance(signal, Output):
            self._run(signal.device)
            return self._outputs[id(signal.device)][signal.place]
        if isinstance(signal, Multiplier):
            row = wiring.rows.get((id(signal.element), signal.label), wiring.beyond)
            return float(self.multipliers[row]), {columns.multiplier + row: 1.0}
        if isinstance(signal, CurveSignal):
            at, gradient = self.signal(signal.at)
            value, slope = _along(signal.motion, at)
            return value, {k: slope * g for k, g in gradient.items()}
        assert isinstance(signal, Held)
        k = self.system.states.first(signal)
        return float(self.states[k]), {columns.state + k: 1.0}

    def _law(self, number: int, law: Law) -> Gradient:
        columns, place = self.columns, self.system.wiring.measures
        value = sum(c * self.z[place[m], 0] for c, m in law.terms)
        rate = sum(c * self.z[place[m], 1] for c, m in law.terms)
        stiffness = law.stiffness + (_along(law.curve, value)[1] if law.curve is not None else 0.0)
        damping = law.damping + (_along(law.rate_curve, rate)[1] if law.rate_curve is not None else 0.0)
        parts = [(stiffness * c, {columns.value + place[m]: 1.0}) for c, m in law.terms]
        parts += [(damping * c, {columns.rate + place[m]: 1.0}) for c, m in law.terms]
        if law.function is not None:
            numbers = [float(self.z[place[m], level]) for m, level in law.arguments]
            _, results = law.function.evaluate([*numbers, self.time] if law.timed else numbers)
            slopes = results[0, 4 : 4 + len(numbers)]
            if not np.isfinite(slopes).all():
                raise SimulationError(
                    f"{self.system.forces[number].title} has no finite slope where it is linearized: "
                    f"{law.function.failure(numbers)}",
                    time=self.time,
                    elements=(self.system.forces[number].name,),
                )
            pairs = zip(slopes.tolist(), law.arguments, strict=True)
            parts += [(s, {(columns.rate if level else columns.value) + place[m]: 1.0}) for s, (m, level) in pairs]
        if law.signal is not None:
            parts.append((1.0, self.signal(law.signal)[1]))
        parts += [(1.0, {columns.added + k: 1.0}) for k, what in enumerate(self.added) if what == number]
        return _summed(parts)

    def _run(self, device: Device) -> None:
        """Outputs and state rates of one device, from its inputs."""
        if id(device) in self._outputs:
            return
        system, columns = self.system, self.columns
        owned = [k for k, owner in enumerate(system.states.owner) if owner is device]
        inputs = [self.signal(signal) for signal in device.inputs]
        inputs += [(float(self.states[k]), {columns.state + k: 1.0}) for k in owned]
        results = self._differentiated(device, [value for value, _ in inputs])
        found = [(y.v, _summed((g, inner) for g, (_, inner) in zip(y.g, inputs, strict=True))) for y in results]
        for k, what in enumerate(self.added):
            if isinstance(what, Output) and what.device is device:
                found[what.place][1][columns.added + k] = 1.0
        self._outputs[id(device)] = found[: len(device.outputs)]
        for k, (_, gradient) in zip(owned, found[len(device.outputs) :], strict=True):
            self._rates[k] = gradient

    def _differentiated(self, device: Device, arguments: list[float]) -> list[PyJet]:
        """The results of a device with their gradients; raises SimulationError if there are none."""
        why: Exception | None = None
        try:
            results = _on_jets(device, arguments, self.quiet)
            if all(np.isfinite(y.v) and np.isfinite(y.g).all() for y in results):
                return results
        except (ArithmeticError, TypeError, ValueError) as error:
            why = error
        pairs = zip(self.system.devices, self.system.device_owners, strict=True)
        owner = next((owner for known, owner in pairs if known is device and owner is not None), device)
        raise SimulationError(
            f"{owner.title} has no finite slope where it is linearized, at t = {self.time:g} s: it was called with "
            f"{', '.join(f'{x:.6g}' for x in arguments)}{'' if why is None else f' and failed: {why}'}",
            time=self.time,
            elements=(getattr(owner, "name", ""),),
            cause=why,
        )

    def _table(self, gradients: Sequence[Gradient]) -> sp.csr_array:
        entries = [(r, c, g) for r, gradient in enumerate(gradients) for c, g in gradient.items() if g != 0.0]
        rows, columns, values = zip(*entries, strict=True) if entries else ((), (), ())
        return sp.csr_array((np.array(values, float), (rows, columns)), shape=(len(gradients), self.columns.count))


def _on_jets(device: Device, arguments: list[float], quiet: bool) -> list[PyJet]:
    """The results of a device with their gradients; by differences if its function accepts only plain numbers."""
    n, count = len(arguments), len(device.outputs) + len(device.states)
    jets = [variable(x, 0.0, k, n) for k, x in enumerate(arguments)]
    try:
        results = as_outputs(on_jets(device.function)(*jets, *device.parameters), count)
    except TypeError as reason:
        if not quiet:
            warn(f"{device.title} cannot be differentiated exactly ({reason}): its slopes are computed by differences")
        return _by_differences(device, arguments, count)
    return [y if isinstance(y, PyJet) else PyJet(float(y), g=(0.0,) * n) for y in results]


def _by_differences(device: Device, arguments: list[float], count: int) -> list[PyJet]:
    def values(x: list[float]) -> np.ndarray:
        return np.array(as_outputs(device.function(*x, *device.parameters), count), float)

    slopes = []
    for k, x in enumerate(arguments):
        h = 1e-5 * max(abs(x), 1e-2)
        ahead, behind = (values([*arguments[:k], x + step, *arguments[k + 1 :]]) for step in (h, -h))
        slopes.append((ahead - behind) / (2.0 * h))
    gradient = np.array(slopes).reshape(len(arguments), count)
    return [PyJet(v, g=tuple(gradient[:, j].tolist())) for j, v in enumerate(values(arguments).tolist())]


def _along(curve: Motion, at: float) -> tuple[float, float]:
    """Value and slope of a motion evaluated at a number instead of the time."""
    value, slope, _ = curve.derivatives(at)
    return float(value), float(slope)


def _summed(parts: Any) -> Gradient:
    """sum of factor times gradient"""
    found: Gradient = {}
    for factor, gradient in parts:
        if factor != 0.0:
            for k, g in gradient.items():
                found[k] = found.get(k, 0.0) + factor * g
    return found
