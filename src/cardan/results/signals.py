"""Signals along a run: outputs and states of devices and blocks, and what is held."""

from __future__ import annotations

from typing import Any

import numpy as np

from cardan.elements.control.source import Block, Source
from cardan.errors import ModelError
from cardan.model import check
from cardan.model.device import Clock, CurveSignal, Device, Held, Output, Rate, Signal, Value
from cardan.results.series import Series


class SignalSeries(Series):
    """`run[pid].value`, the first output of a block, `run[pid]["i"]`, an output or state by name; also of signals."""

    def __init__(self, run: Any, key: Device | Signal | Source) -> None:
        super().__init__(run, key)
        signal = key.output if isinstance(key, Source) else key
        owner = signal.device if isinstance(signal, Output) else signal
        known = run.system.devices if isinstance(owner, Device) else run.system.states.owner
        if not isinstance(owner, Value | CurveSignal | Clock) and not any(owner is other for other in known):
            hint = "; inverse_dynamics() and simulate() know signals" if run.analysis == "kinematics" else ""
            raise ModelError(f"{getattr(key, 'title', key)} took no part in this analysis{hint}")

    @property
    def value(self) -> Any:
        """The signal at each instant; of a block its first output, of a device its only one."""
        key = self.key.output if isinstance(self.key, Source) else self.key
        if isinstance(key, Device):
            if len(key.outputs) != 1:
                raise ModelError(f"{key.title} has the outputs {', '.join(key.outputs)}: name one, run[device]['...']")
            key = key[0]
        return self._give(self._values(key))

    def __getitem__(self, name: str) -> Any:
        """An output or a state by name."""
        key = self.key
        if isinstance(key, Source) and not isinstance(key, Block):
            return self._give(self._values(key[name]))
        device = key.device if isinstance(key, Block) else key
        if not isinstance(device, Device):
            raise ModelError(f"{device} is no device: read its .value")
        names = [state.name for state in device.states]
        check.choice(name, (*device.outputs, *names), f"what is read of {getattr(key, 'title', device.title)}")
        if name in device.outputs:
            return self._give(self._values(device[name]))
        return self._give(self.run.states[:, self.run.system.states.first(device) + names.index(name)])

    def _values(self, key: Signal) -> np.ndarray:
        run = self.run
        if isinstance(key, Value):
            series = run[key.of]
            found: np.ndarray = series.rate if isinstance(key, Rate) else series.value
            return found
        if isinstance(key, Held):
            held: np.ndarray = run.states[:, run.system.states.first(key)]
            return held
        if isinstance(key, Output):
            return self._output(key.device, key.place)
        if isinstance(key, CurveSignal):
            return np.asarray(key.motion(run[key.at].value if not isinstance(key.at, Clock) else run.times))
        if isinstance(key, Clock):
            return np.asarray(run.times)
        raise ModelError(f"{key} cannot be read along a run")

    def _output(self, device: Device, place: int) -> np.ndarray:
        loads, before = self.run.loads, 0
        if loads is None or not loads.signals.shape[1]:
            raise ModelError(
                f"{device.title} is known where forces are: in inverse_dynamics(), simulate(), equilibrium() and "
                "steady_motion()"
            )
        for other in self.run.system.devices:
            if other is device:
                break
            before += len(other.outputs)
        return loads.signals[:, before + place]

    def __repr__(self) -> str:
        return f"<{self.key} along {self.run.analysis} of '{self.run.model.name}'>"
