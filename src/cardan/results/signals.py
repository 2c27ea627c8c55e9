"""Signals along a run: outputs and states of devices, and what is held."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cardan.errors import ModelError
from cardan.model import check
from cardan.model.device import Device, Held, Output, Rate, Signal, Value

if TYPE_CHECKING:
    from cardan.results.trajectory import Trajectory


class SignalSeries:
    """`run[device]["output or state"]`, `run[device["output"]].value`, `run[held].value`."""

    def __init__(self, run: Trajectory, key: Device | Signal) -> None:
        self._run, self._key = run, key
        owner = key.device if isinstance(key, Output) else key
        known = run.system.devices if isinstance(owner, Device) else run.system.states.owner
        if not isinstance(owner, Value) and not any(owner is other for other in known):
            raise ModelError(f"{getattr(owner, 'title', owner)} took no part in this analysis")

    @property
    def value(self) -> np.ndarray:
        """The signal at each instant; of a device with one output, that output."""
        key, run = self._key, self._run
        if isinstance(key, Value):
            series = run[key.of]
            found: np.ndarray = series.rate if isinstance(key, Rate) else series.value
            return found
        if isinstance(key, Held):
            return run.states[:, run.system.states.first(key)]
        if isinstance(key, Output):
            return self._output(key.device, key.place)
        if isinstance(key, Device):
            if len(key.outputs) != 1:
                raise ModelError(f"{key.title} has the outputs {', '.join(key.outputs)}: name one, run[device]['...']")
            return self._output(key, 0)
        raise ModelError(f"{key} cannot be read along a run")

    def __getitem__(self, name: str) -> np.ndarray:
        """An output or a state of a device, by name."""
        device = self._key
        if not isinstance(device, Device):
            raise ModelError(f"{device} is no device: read its .value")
        names = [state.name for state in device.states]
        check.choice(name, (*device.outputs, *names), f"what is read of {device.title}")
        if name in device.outputs:
            return self._output(device, device.outputs.index(name))
        return self._run.states[:, self._run.system.states.first(device) + names.index(name)]

    def _output(self, device: Device, place: int) -> np.ndarray:
        loads, before = self._run.loads, 0
        if loads is None:
            raise ModelError(f"{device.title} is known where forces are: inverse_dynamics, equilibrium and simulate")
        for other in self._run.system.devices:
            if other is device:
                break
            before += len(other.outputs)
        return loads.signals[:, before + place]

    def __repr__(self) -> str:
        return f"<{self._key} along {self._run.analysis} of '{self._run.model.name}'>"
