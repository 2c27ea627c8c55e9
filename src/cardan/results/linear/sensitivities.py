"""Derivatives of outputs, positions and modes with respect to parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from cardan.errors import ModelError
from cardan.model.measure import Readable
from cardan.model.model import measure_name
from cardan.shortcuts import Savable

if TYPE_CHECKING:
    from cardan.model.body import RigidBody
    from cardan.model.parameter import Parameter
    from cardan.results.linear.modes import Modes
    from cardan.system.system import System


class Sensitivities(Savable):
    """d(output)/d(parameter), at one or several times.

    `s["pin.angle", "rod.mass"]` or `s[0, 1]` is one derivative, over time if there are several times. `values` are the
    outputs; `derivatives` has the parameters as its last axis and the outputs as the one before. `relative` is
    (p/y) dy/dp, the change of an output in percent for one percent of a parameter. `coordinates[body]` are the
    derivatives of a body's displacement: of its origin, then of its rotation, in space about body-fixed axes;
    `velocities` and `accelerations` likewise, if there are any.
    """

    def __init__(
        self,
        system: System,
        times: np.ndarray,
        parameters: Sequence[Parameter],
        outputs: Sequence[str],
        values: np.ndarray,
        derivatives: np.ndarray,
        tangents: tuple[np.ndarray, ...],
    ) -> None:
        self.system, self.times = system, times
        self.parameters = tuple(one.name for one in parameters)
        self.stated = np.array([one.value for one in parameters])
        self.outputs, self.values, self.derivatives = tuple(outputs), values, derivatives
        self._tangents = tangents  # displacements, speeds, accelerations, multipliers, spin: [.., n, parameters]

    def __getitem__(self, key: tuple[Readable | str | int, Parameter | str | int]) -> np.ndarray:
        if not isinstance(key, tuple) or len(key) != 2:
            raise ModelError(f"sensitivities are indexed by output and parameter, s[output, parameter], not by {key!r}")
        output = measure_name(self.system.model, key[0]) if isinstance(key[0], Readable) else key[0]
        row = _place(output, self.outputs, "output")
        return np.asarray(self.derivatives[..., row, _place(key[1], self.parameters, "parameter")])

    @property
    def relative(self) -> np.ndarray:
        """(p/y) dy/dp; infinite if an output is zero."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(self.derivatives * self.stated / self.values[..., None])

    @property
    def coordinates(self) -> dict[RigidBody, np.ndarray]:
        return self._of_bodies(0)

    @property
    def velocities(self) -> dict[RigidBody, np.ndarray]:
        return self._of_bodies(1)

    @property
    def accelerations(self) -> dict[RigidBody, np.ndarray]:
        return self._of_bodies(2)

    @property
    def spin(self) -> np.ndarray:
        """The derivatives of the spin of a steady motion, one for each parameter."""
        return np.asarray(self._tangents[4][..., 0, :])

    def _of_bodies(self, level: int) -> dict[RigidBody, np.ndarray]:
        table, width = self._tangents[level], self.system.width
        return {body: table[..., width * k : width * (k + 1), :] for k, body in enumerate(self.system.bodies)}

    def __repr__(self) -> str:
        when = f"t = {self.times[0]:g} s" if self.times.size == 1 else f"{self.times.size} times"
        lines = [f"sensitivities of '{self.system.model.name}' at {when}"]
        if self.derivatives.ndim > 2:
            return f"{lines[0]}: {len(self.outputs)} outputs by {', '.join(self.parameters)}"
        for name, value, row in zip(self.outputs, self.values, self.derivatives, strict=True):
            slopes = ", ".join(f"{s:.6g} by {p}" for s, p in zip(row, self.parameters, strict=True))
            lines.append(f"  {name} = {value:.6g}: {slopes}")
        return "\n".join(lines)


class ModalSensitivities:
    """Derivatives of modes: `eigenvalues`, `frequencies`, `damped_frequencies` and `damping_ratios` have a row for each
    mode, in the order of `modes`, and a column for each parameter.

    `shapes[mode][body]` is the derivative of `modes.shape(mode)[body]`, whose largest coordinate stays one. Frequencies
    and ratios of modes that do not oscillate are NaN, as are shapes of coincident eigenvalues.
    """

    def __init__(
        self,
        modes: Modes,
        parameters: Sequence[Parameter],
        eigenvalues: np.ndarray,
        shapes: list[dict[RigidBody, np.ndarray]],
    ) -> None:
        self.modes = modes
        self.parameters = tuple(one.name for one in parameters)
        self.stated = np.array([one.value for one in parameters])
        self.eigenvalues, self.shapes = eigenvalues, shapes
        s = modes.eigenvalues[:, None]
        size = np.abs(s)
        swings = modes.oscillating[:, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            grows = (s.conj() * eigenvalues).real / size  # d|s|
            self.frequencies = np.where(swings, grows, np.nan)
            self.damped_frequencies = np.where(swings, np.sign(s.imag) * eigenvalues.imag, np.nan)
            self.damping_ratios = np.where(swings, (-eigenvalues.real + s.real * grows / size) / size, np.nan)

    def __repr__(self) -> str:
        lines = [f"sensitivities of {len(self.modes)} modes by {', '.join(self.parameters)}"]
        for k, (s, row) in enumerate(zip(self.modes.eigenvalues, self.eigenvalues, strict=True)):
            lines.append(f"  {k}: {s:.6g}: " + ", ".join(f"{d:.6g}" for d in row))
        return "\n".join(lines)


class Gradient(Savable):
    """The `value` of a functional of a motion and its `derivatives`, one for each parameter; g["rod.mass"] is one."""

    def __init__(self, value: float, parameters: Sequence[Parameter], derivatives: np.ndarray) -> None:
        self.value, self.derivatives = value, derivatives
        self.parameters = tuple(one.name for one in parameters)

    def __getitem__(self, key: Parameter | str | int) -> float:
        return float(self.derivatives[_place(key, self.parameters, "parameter")])

    def __repr__(self) -> str:
        slopes = zip(self.parameters, self.derivatives, strict=True)
        return "\n".join([f"functional {self.value:.8g}", *(f"  {d:.6g} by {name}" for name, d in slopes)])


def _place(key: object, names: tuple[str, ...], what: str) -> int:
    name = getattr(key, "name", None) or str(key)
    if isinstance(key, int) and -len(names) <= key < len(names):
        return key
    if name not in names:
        raise ModelError(f"these sensitivities have no {what} '{name}'; they have: {', '.join(names)}")
    return names.index(name)
