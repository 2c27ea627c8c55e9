"""Modes of a linearized mechanism: eigenvalues, shapes, energies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cardan.errors import ModelError
from cardan.model.space import advance
from cardan.results.snapshot import Snapshot
from cardan.shortcuts import ModeShortcuts

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from cardan.model.body import RigidBody
    from cardan.results.linear.linearization import Motions

ZERO_EIGENVALUE = 1e-7  # of the fastest eigenvalue: smaller ones are zero


def sorted_eigenvalues(values: np.ndarray) -> np.ndarray:
    """The slowest first; of a pair the one with the positive imaginary part."""
    return np.asarray(values[np.lexsort((-values.imag, values.real, np.abs(values).round(9)))])


class Modes(ModeShortcuts):
    """All modes, the slowest first; a pair of complex eigenvalues is represented by the one with Im s > 0.

    s = -zeta w0 +- i w0 sqrt(1 - zeta^2)

    `eigenvalues` s, `frequencies` (undamped) w0 = |s| and `damped_frequencies` Im s in rad/s, `damping_ratios` zeta,
    `stable` True, False, or None if a mode neither decays nor grows.
    """

    def __init__(self, motions: Motions, values: np.ndarray, vectors: np.ndarray, rounding: float = 0.0) -> None:
        """`rounding` is the accuracy of zero eigenvalues, if it is known."""
        size = float(np.abs(values).max(initial=0.0))
        self._near = max(ZERO_EIGENVALUE * size, rounding)
        kept = np.flatnonzero(values.imag >= -1e-12 * size)
        kept = kept[np.lexsort((values.real[kept], np.abs(values[kept]).round(12)))]
        self.motions, self.eigenvalues, self.vectors = motions, values[kept], vectors[:, kept]

    def __len__(self) -> int:
        return self.eigenvalues.size

    @property
    def oscillating(self) -> np.ndarray:
        """Which modes oscillate."""
        return np.asarray(np.abs(self.eigenvalues.imag) > self._near)

    @property
    def frequencies(self) -> np.ndarray:
        """Undamped angular frequencies |s| of oscillating modes."""
        return np.asarray(np.abs(self.eigenvalues[self.oscillating]))

    @property
    def damped_frequencies(self) -> np.ndarray:
        """Angular frequencies Im s of oscillating modes."""
        return np.asarray(np.abs(self.eigenvalues[self.oscillating].imag))

    @property
    def damping_ratios(self) -> np.ndarray:
        """-Re s / |s| of oscillating modes."""
        found = self.eigenvalues[self.oscillating]
        return np.asarray(-found.real / np.abs(found))

    @property
    def stable(self) -> bool | None:
        """Whether all modes decay; None if some neither decay nor grow, and none grows."""
        top = float(self.eigenvalues.real.max(initial=-np.inf))
        return False if top > self._near else None if top >= -self._near else True

    def shape(self, mode: int) -> dict[RigidBody, np.ndarray]:
        """The complex displacements of each body, scaled to a largest coordinate of one.

        Displacements are those of the origin and a rotation: about z in the plane, about body-fixed axes in space.
        """
        dq = self._scaled(mode)
        system, width = self.motions.system, self.motions.system.width
        return {body: dq[width * k : width * (k + 1)] for k, body in enumerate(system.bodies)}

    def snapshot(self, mode: int, size: float | None = None, phase: float = 0.0) -> Snapshot:
        """The mechanism displaced along a mode: Re(shape exp(i phase)), with the largest displacement `size` in m.

        Rotations count with the model's length; the default size is a tenth of it.
        """
        motions, system = self.motions, self.motions.system
        unit = system.unit
        dq = self._scaled(mode)
        dq = dq / np.abs(dq / unit).max(initial=1e-300) / system.length
        size = 0.1 * system.length if size is None else size
        step, q = system.speeds(), motions.q.copy()
        step[system.width :] = size * (dq * np.exp(1j * phase)).real
        advance(system.geometry, q, step)
        return Snapshot(system, motions.time, q, turns=motions.turns)

    def _checked(self, mode: int) -> int:
        if isinstance(mode, bool) or not isinstance(mode, int | np.integer) or not -len(self) <= mode < len(self):
            raise ModelError(f"mode {mode!r} does not exist: there are {len(self)}, counted from 0")
        return int(mode)

    def _scaled(self, mode: int) -> np.ndarray:
        mode = self._checked(mode)
        dq = self.motions.dq @ self.vectors[:, mode]
        k = int(np.argmax(np.abs(dq))) if dq.size else 0
        return np.asarray(dq / dq[k] if dq.size and dq[k] != 0.0 else dq)

    def energies(self, mode: int) -> dict[str, dict[str, float]]:
        """The distribution of the energy of a mode: kinetic energy by body, strain energy and dissipation by force.

        Peak values over a period: v* M v / 2, Re(l* f) / 2 with the elongation l of a force and the elastic part of f,
        and Re(l'* f') / 2 with the rates; each group relative to its sum of magnitudes. Weight and the curvature of
        loaded joints also store energy: they are the strain "position".
        """
        motions, x = self.motions, self.vectors[:, self._checked(mode)]
        system, width = motions.system, motions.system.width
        dq, dv = motions.dq @ x, motions.dv @ x
        pull = motions.mass @ dv
        kinetic = {
            body.name: float(np.vdot(dv[i], pull[i]).real) / 2.0
            for body, i in ((b, slice(width * k, width * (k + 1))) for k, b in enumerate(system.bodies))
        }
        strain: dict[str, float] = {}
        lost: dict[str, float] = {}
        stretch, stretching = motions.stretch @ x, motions.stretching @ x
        elastic, viscous = motions.elastic @ x, motions.viscous @ x
        for k, element in enumerate(system.forces):
            stored, spent = (stretch[k].conj() * elastic[k]).real / 2.0, (stretching[k].conj() * viscous[k]).real / 2.0
            strain[element.name] = strain.get(element.name, 0.0) + float(stored)
            lost[element.name] = lost.get(element.name, 0.0) + float(spent)
        whole = float(np.vdot(dq, motions.stiffness @ dq).real) / 2.0
        strain["position"] = whole - sum(strain.values())
        return {"kinetic": _shares(kinetic), "strain": _shares(strain), "dissipated": _shares(lost)}

    def table(self) -> list[dict[str, float]]:
        """One row for each mode: real and imaginary part, damped (`hertz`) and undamped frequency in Hz, damping ratio,
        time to half or double."""
        return [
            {
                "real": float(s.real),
                "imaginary": float(s.imag),
                "hertz": float(abs(s.imag) / (2.0 * np.pi)),
                "undamped_hertz": float(abs(s) / (2.0 * np.pi)) if swings else 0.0,
                "damping": float(-s.real / abs(s)) + 0.0 if abs(s) > self._near else 0.0,
                "half": float(np.log(2.0) / abs(s.real)) if abs(s.real) > self._near else np.inf,
            }
            for s, swings in zip(self.eigenvalues, self.oscillating, strict=True)
        ]

    def participation(self) -> dict[str, np.ndarray]:
        """The share of each body in the kinetic energy of every mode, in the order of the modes."""
        motions, system = self.motions, self.motions.system
        dv = motions.dv @ self.vectors
        energy = (dv.conj() * (motions.mass @ dv)).real.reshape(-1, len(self))
        parts = [energy[system.width * k : system.width * (k + 1)].sum(axis=0) for k in range(len(system.bodies))]
        total = np.abs(parts).sum(axis=0) if parts else np.zeros(len(self))
        shares = [np.divide(part, total, out=np.zeros(len(self)), where=total > 0.0) for part in parts]
        return {body.name: share for body, share in zip(system.bodies, shares, strict=True)}

    def energy_table(self, mode: int, least: float = 0.01) -> str:
        """The distribution of the energy of a mode in percent, for elements with at least the share `least`."""
        energies = self.energies(mode)
        names = [name for name in dict.fromkeys(n for part in energies.values() for n in part)
                 if any(abs(part.get(name, 0.0)) >= least for part in energies.values())]  # fmt: skip
        names.sort(key=lambda name: -max(abs(part.get(name, 0.0)) for part in energies.values()))
        width = max([len("energy in %"), *map(len, names)])
        lines = [f"{'energy in %':{width}}  kinetic   strain     lost"]
        for name in names:
            cells = (part.get(name) for part in energies.values())
            lines.append(f"{name:{width}}" + "".join(" " * 9 if c is None else f"{100.0 * c:9.1f}" for c in cells))
        return "\n".join(lines)

    def title(self, mode: int) -> str:
        """A title: the frequency and damping of a mode, or its decay rate."""
        line = self.table()[self._checked(mode)]
        if self.oscillating[mode]:
            damping = 0.0 if abs(line["damping"]) < ZERO_EIGENVALUE else line["damping"]
            return f"mode {mode}: {line['hertz']:.4g} Hz, damping ratio {damping:.3g}"
        return f"mode {mode}: {line['real']:.4g} 1/s"

    def draw(self, mode: int, ax: Axes | None = None, size: float | None = None) -> Axes:
        """The mechanism displaced along a mode (needs matplotlib)."""
        return self.snapshot(mode, size).draw(ax, title=self.title(mode))

    def __repr__(self) -> str:
        words = {True: "stable", False: "unstable", None: "neither decays nor grows"}
        count = f"{len(self)} mode{'s' if len(self) != 1 else ''}"
        lines = [f"{count} of '{self.motions.system.model.name}': {words[self.stable]}"]
        for k, line in enumerate(self.table()):
            swings = self.oscillating[k]
            rest = (
                f"damped {line['hertz']:.6g} Hz, undamped {line['undamped_hertz']:.6g} Hz, damping ratio "
                f"{line['damping']:.4g}"
                if swings
                else "does not oscillate"
            )
            sign = f" +- {abs(line['imaginary']):.8g}i" if swings else ""
            real = line["real"] if abs(line["real"]) > self._near else 0.0  # rounding
            lines.append(f"  {k}: {real:.8g}{sign} 1/s, {rest}")
        return "\n".join(lines)


def _shares(parts: dict[str, float]) -> dict[str, float]:
    total = sum(abs(part) for part in parts.values())
    return {name: part / total if total else 0.0 for name, part in parts.items()}
