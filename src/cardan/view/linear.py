"""Pictures of linearized mechanisms: Bode, Nyquist, root loci, and modes as bars and films (needs matplotlib)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from cardan.errors import ModelError
from cardan.results.trajectory import Trajectory
from cardan.view.style import new_figure

SIZE = 6.4, 4.8  # inches
FRAMES = 40  # of a period of a mode
DECADES = 1.0  # shown below the slowest and above the fastest mode


def bode(linear: Any, frequencies: Any = None, ax: Any = None) -> Any:
    """Gain and phase over the angular frequency; two axes, which are returned."""
    _require_ports(linear)
    w = _frequencies(linear) if frequencies is None else np.asarray(frequencies, float)
    axes = new_figure(*SIZE).subplots(2, 1, sharex=True) if ax is None else ax
    response = linear.frequency_response(w)
    for i, output in enumerate(linear.outputs):
        for j, entry in enumerate(linear.input_names):
            line = response[:, i, j]
            axes[0].loglog(w, np.abs(line), label=f"{output} / {entry}")
            axes[1].semilogx(w, np.degrees(np.unwrap(np.angle(line))))
    axes[0].set_ylabel("gain")
    axes[1].set_ylabel("phase in deg")
    axes[1].set_xlabel("angular frequency in rad/s")
    axes[0].legend(fontsize="small")
    for panel in axes:
        panel.grid(True, which="both", alpha=0.3)
    return axes


def nyquist(linear: Any, frequencies: Any = None, ax: Any = None) -> Any:
    """The frequency response in the complex plane; the arrow of time runs from the dot."""
    _require_ports(linear)
    w = _frequencies(linear) if frequencies is None else np.asarray(frequencies, float)
    ax = new_figure(*SIZE).subplots() if ax is None else ax
    response = linear.frequency_response(w)
    for i, output in enumerate(linear.outputs):
        for j, entry in enumerate(linear.input_names):
            line = response[:, i, j]
            (drawn,) = ax.plot(line.real, line.imag, label=f"{output} / {entry}")
            ax.plot(line.real[0], line.imag[0], "o", color=drawn.get_color())
    ax.plot(-1.0, 0.0, "k+")
    ax.set_xlabel("real part")
    ax.set_ylabel("imaginary part")
    ax.legend(fontsize="small")
    ax.grid(True, alpha=0.3)
    return ax


def root_locus_page(values: np.ndarray, roots: np.ndarray, name: str, ax: Any = None) -> Any:
    """Eigenvalues in the complex plane, coloured by the parameter."""
    ax = new_figure(*SIZE).subplots() if ax is None else ax
    colours = np.repeat(values[:, None], roots.shape[1], axis=1)
    dots = ax.scatter(roots.real.ravel(), roots.imag.ravel(), c=colours.ravel(), s=12)
    ax.figure.colorbar(dots, ax=ax, label=name)
    ax.axvline(0.0, color="k", linewidth=0.8)
    ax.set_xlabel("real part in 1/s")
    ax.set_ylabel("imaginary part in rad/s")
    ax.grid(True, alpha=0.3)
    return ax


def linear_page(linear: Any) -> Any:
    """Eigenvalues, the three slowest modes that swing, and the gain of every output; the figure is returned."""
    modes = linear.modes()
    swinging = np.flatnonzero(modes.oscillating)[:3]
    figure = new_figure(11.0, 8.0)
    panels = figure.subplots(2, 2).ravel()
    roots = linear.eigenvalues()
    panels[0].plot(roots.real, roots.imag, "x")
    panels[0].axvline(0.0, color="k", linewidth=0.8)
    panels[0].set_xlabel("real part in 1/s")
    panels[0].set_ylabel("imaginary part in rad/s")
    panels[0].set_title(f"'{linear.model.name}' about {linear.about}")
    bars = list(panels[1:])
    if linear.outputs and linear.input_names:
        w, gain = _frequencies(linear), bars.pop(0)
        response = np.abs(linear.frequency_response(w))
        for i, output in enumerate(linear.outputs):
            for j, entry in enumerate(linear.input_names):
                gain.loglog(w, response[:, i, j], label=f"{output} / {entry}")
        gain.set_xlabel("angular frequency in rad/s")
        gain.set_ylabel("gain")
        gain.legend(fontsize="small")
    for panel, mode in zip(bars, swinging, strict=False):
        mode_bars(modes, int(mode), panel)
    for panel in bars[len(swinging) :]:
        panel.set_axis_off()
    return figure


def mode_bars(modes: Any, mode: int, ax: Any = None) -> Any:
    """Trom's picture: a bar for the magnitude, a dot for the phase of each coordinate that takes part."""
    ax = new_figure(*SIZE).subplots() if ax is None else ax
    names = modes.motions.system.space.coordinate_names
    entries = [
        (f"{body.name}: {name}", number)
        for body, shape in modes.shape(mode).items()
        for name, number in zip(names, shape, strict=True)
        if abs(number) > 1e-6
    ]
    places = np.arange(len(entries))
    ax.bar(places, [abs(number) for _, number in entries], width=0.6)
    ax.set_xticks(places, [name for name, _ in entries], rotation=60, ha="right", fontsize="small")
    ax.set_ylabel("magnitude")
    phases = ax.twinx()
    phases.plot(places, [np.degrees(np.angle(number)) for _, number in entries], "ko", markersize=4)
    phases.set_ylim(-190.0, 190.0)
    phases.set_yticks([-180, -90, 0, 90, 180])
    phases.set_ylabel("phase in deg")
    s = modes.eigenvalues[mode]
    ax.set_title(f"mode {mode}: {s.real:.4g} {s.imag:+.4g}i 1/s")
    return ax


def mode_film(modes: Any, mode: int, path: Any, size: float | None = None, **options: Any) -> Path:
    """One period of a mode as a moving picture; growth and decay are left out."""
    shown = [modes.snapshot(mode, size, phase) for phase in np.linspace(0.0, 2.0 * np.pi, FRAMES, endpoint=False)]
    system = modes.motions.system
    period = 2.0  # seconds of film
    times = np.arange(FRAMES) * period / FRAMES
    zero = np.zeros((FRAMES, system.speeds().size))
    turns = np.tile(modes.motions.turns, (FRAMES, 1))
    run = Trajectory(system, times, np.array([s.q for s in shown]), zero, zero, analysis="a mode", turns=turns)
    return run.animate(path, **options)  # type: ignore[no-any-return]


def _require_ports(linear: Any) -> None:
    if not linear.outputs or not linear.input_names:
        raise ModelError("a frequency response needs inputs and outputs: state them in linearize(inputs=, outputs=)")


def _frequencies(linear: Any) -> np.ndarray:
    """From a decade below the slowest mode to one above the fastest."""
    sizes = np.abs(linear.eigenvalues())
    sizes = sizes[sizes > 1e-6 * sizes.max(initial=1.0)]
    low, high = (float(np.log10(s)) for s in (sizes.min(initial=1.0), sizes.max(initial=1.0)))
    return np.logspace(low - DECADES, high + DECADES, 600)
