"""Pictures of linearized mechanisms: Bode, Nyquist, root loci, and modes as bars and films (needs matplotlib)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.errors import ModelError
from cardan.model import check
from cardan.results.linear.linearization import angular_frequencies
from cardan.results.linear.root_locus import RootLocus
from cardan.results.trajectory import Trajectory
from cardan.view.sketch import sketch
from cardan.view.stage.stage import stage_of
from cardan.view.style import ACCENT, CURVES, INK, PAPER, new_figure, quiet

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from cardan.results.linear.linearization import Linearization
    from cardan.results.linear.modes import Modes

SIZE = 6.4, 4.8  # inches
PAGE = 14.0, 9.5
LABELLED = 6  # curves with a legend beside them
LINES = 14  # of the table of a page
FEWEST = 5  # bars of a mode for which there is room
FRAMES = 40  # of a period of a mode
DECADES = 1.0  # shown below the slowest and above the fastest mode


def bode(linear: Any, frequencies: Any = None, ax: Any = None, *, hertz: bool = False, decibels: bool = False) -> Any:
    """Gain and phase over the angular frequency, or the frequency in Hz; two axes, which are returned. `frequencies`
    are in the same unit."""
    _require_ports(linear)
    unit = 2.0 * np.pi if check.flag(hertz, "hertz of bode()") else 1.0
    w = frequency_range(linear) if frequencies is None else unit * angular_frequencies(frequencies, "bode()")
    axes = new_figure(*SIZE).subplots(2, 1, sharex=True) if ax is None else ax
    response = linear.frequency_response(w)
    gain_panel(axes[0], w / unit, response, linear, check.flag(decibels, "decibels of bode()"))
    quiet(axes[1])
    for line in response.reshape(w.size, -1).T:
        axes[1].semilogx(w / unit, np.degrees(np.unwrap(np.angle(line))))
    axes[1].set_ylabel("phase in deg")
    axes[1].set_xlabel("frequency in Hz" if hertz else "angular frequency in rad/s")
    return axes


def nyquist(linear: Any, frequencies: Any = None, ax: Any = None) -> Axes:
    """The frequency response in the complex plane; the arrow of time runs from the dot."""
    _require_ports(linear)
    w = frequency_range(linear) if frequencies is None else angular_frequencies(frequencies, "nyquist()")
    ax = quiet(new_figure(*SIZE).subplots() if ax is None else ax)
    response = linear.frequency_response(w)
    for i, output in enumerate(linear.outputs):
        for j, entry in enumerate(linear.input_names):
            line = response[:, i, j]
            (drawn,) = ax.plot(line.real, line.imag, label=f"{output} / {entry}")
            ax.plot(line.real[0], line.imag[0], "o", color=drawn.get_color())
    ax.plot(-1.0, 0.0, "k+")
    ax.set_xlabel("real part in SI units")
    ax.set_ylabel("imaginary part in SI units")
    ax.legend(fontsize=8, frameon=False)
    return ax


def root_locus_page(locus: RootLocus, ax: Axes | None = None) -> Axes:
    """Eigenvalues in the complex plane, colored by the parameter."""
    ax = quiet(new_figure(*SIZE).subplots() if ax is None else ax)
    roots = locus.roots
    colors = np.repeat(locus.values, roots.shape[1])
    dots = ax.scatter(roots.real.ravel(), roots.imag.ravel(), c=colors, s=12)
    ax.figure.colorbar(dots, ax=ax, label=locus.name)
    ax.axvline(0.0, color="k", linewidth=0.8)
    ax.set_xlabel("real part in 1/s")
    ax.set_ylabel("imaginary part in rad/s")
    return ax


def linear_page(linear: Any) -> Figure:
    """Eigenvalues, gains and a table of modes; of the three slowest modes that swing, bars and the mechanism in them.

    The figure is returned.
    """
    modes = linear.modes()
    swinging = np.flatnonzero(modes.oscillating)[:3]
    figure = new_figure(*PAGE)
    grid = figure.add_gridspec(3 if swinging.size else 1, 3, height_ratios=[1.0, 1.0, 1.1][: 3 if swinging.size else 1])
    figure.suptitle(f"'{linear.model.name}' linearized about {linear.about}", color=INK)
    eigenvalue_panel(figure.add_subplot(grid[0, 0]), linear.eigenvalues())
    panel = figure.add_subplot(grid[0, 1])
    if linear.outputs and linear.input_names:
        w = frequency_range(linear)
        gain_panel(panel, w, linear.frequency_response(w), linear)
        panel.set_xlabel("angular frequency in rad/s")
    else:
        panel.set_axis_off()
    _table(figure.add_subplot(grid[0, 2]), modes)
    for k, mode in enumerate(swinging.tolist()):
        mode_bars(modes, mode, figure.add_subplot(grid[1, k]), most=8)
        shown = modes.snapshot(mode)
        below = stage_of(shown.system.space).new_axes(figure, grid[2, k])
        sketch(shown, below, names=False, title="")
    return figure


def eigenvalue_panel(ax: Axes, roots: np.ndarray) -> None:
    """Eigenvalues in the complex plane; those that grow are circled."""
    quiet(ax)
    growing = roots.real > 1e-7 * np.abs(roots).max(initial=0.0)
    ax.plot(roots.real, roots.imag, "x", color=CURVES[0])
    ax.plot(roots.real[growing], roots.imag[growing], "o", color=ACCENT, fillstyle="none", markersize=9)
    ax.axvline(0.0, color=INK, linewidth=0.8)
    ax.set_xlabel("real part in 1/s")
    ax.set_ylabel("imaginary part in rad/s")
    ax.set_title("eigenvalues" + (", those that grow circled" if growing.any() else ""), fontsize=10)


def gain_panel(ax: Axes, w: np.ndarray, response: np.ndarray, linear: Linearization, decibels: bool = False) -> None:
    """The gain of every output to every input; names below the axes where there are many."""
    quiet(ax)
    for i, output in enumerate(linear.outputs):
        for j, entry in enumerate(linear.input_names):
            gain, label = np.abs(response[:, i, j]), f"{output} / {entry}"
            if decibels:
                ax.semilogx(w, 20.0 * np.log10(np.where(gain > 0.0, gain, np.nan)), label=label)
            else:
                ax.loglog(w, gain, label=label)
    ax.set_ylabel("gain in dB of SI units" if decibels else "gain in SI units")
    if len(ax.lines) <= LABELLED:
        ax.legend(fontsize=7, framealpha=0.8, edgecolor=PAPER)
    else:
        ax.set_title(f"{len(ax.lines)} gains", fontsize=10)


def _table(ax: Axes, modes: Modes) -> None:
    """The slowest modes in numbers."""
    ax.set_axis_off()
    lines = ["mode   real 1/s  damped Hz  ratio"]
    for k, line in enumerate(modes.table()[:LINES]):
        real = 0.0 if np.isinf(line["half"]) else line["real"]
        swings = f"{line['hertz']:7.4g} {line['damping']:9.3f}" if modes.oscillating[k] else ""
        lines.append(f"{k:4d} {real:10.4g} {swings}")
    if len(modes) > LINES:
        lines.append(f"and {len(modes) - LINES} faster ones")
    ax.text(0.0, 1.0, "\n".join(lines), family="monospace", fontsize=8, va="top", color=INK, transform=ax.transAxes)


def mode_bars(modes: Any, mode: int, ax: Any = None, most: int = 16) -> Axes:
    """Trom's picture: a bar for the magnitude, a dot for the phase of each of the `most` coordinates that move most."""
    ax = new_figure(*SIZE).subplots() if ax is None else ax
    names = modes.motions.system.space.coordinate_names
    entries = [
        (f"{body.name}: {name.removeprefix('turn ')}", number)
        for body, shape in modes.shape(mode).items()
        for name, number in zip(names, shape, strict=True)
        if abs(number) > 1e-6
    ]
    least = sorted((abs(number) for _, number in entries), reverse=True)[:most][-1] if entries else 0.0
    shown = [entry for entry in entries if abs(entry[1]) >= least][:most]
    quiet(ax)
    places = np.arange(len(shown))
    ax.barh(places, [abs(number) for _, number in shown], height=0.6, color=CURVES[0])
    ax.set_yticks(places, [name for name, _ in shown], fontsize=8)
    ax.set_ylim(max(len(shown), FEWEST) - 0.5, -0.5)  # a single bar need not fill the picture
    of_all = f"{len(shown)} of {len(entries)} coordinates, " if len(shown) < len(entries) else ""
    ax.set_xlabel(f"{of_all}magnitude in m and rad", fontsize=8)
    phases = ax.twiny()
    phases.plot([np.degrees(np.angle(number)) for _, number in shown], places, "o", color=CURVES[1], markersize=5)
    phases.set_xlim(-190.0, 190.0)
    phases.set_xticks([-180, -90, 0, 90, 180])
    phases.tick_params(labelsize=8, colors=CURVES[1])
    phases.set_xlabel("phase in deg", fontsize=8, color=CURVES[1])
    for side in phases.spines.values():
        side.set_visible(False)
    ax.set_title(modes.title(mode), fontsize=10)
    return ax


def mode_film(modes: Any, mode: int, path: Any, size: float | None = None, **options: Any) -> Path:
    """One period of a mode as a moving picture; growth and decay are omitted."""
    shown = [modes.snapshot(mode, size, phase) for phase in np.linspace(0.0, 2.0 * np.pi, FRAMES, endpoint=False)]
    system = modes.motions.system
    period = 2.0  # seconds of film
    times = np.arange(FRAMES) * period / FRAMES
    zero = np.zeros((FRAMES, system.speeds().size))
    turns = np.tile(modes.motions.turns, (FRAMES, 1))
    run = Trajectory(system, times, np.array([s.q for s in shown]), zero, zero, analysis="a mode", turns=turns)
    return run.animate(path, **options)


def _require_ports(linear: Linearization) -> None:
    if not linear.outputs or not linear.input_names:
        raise ModelError("a frequency response needs inputs and outputs: state them in linearize(inputs=, outputs=)")


def frequency_range(linear: Linearization) -> np.ndarray:
    """From a decade below the slowest mode to one above the fastest."""
    sizes = np.abs(linear.eigenvalues())
    sizes = sizes[sizes > 1e-6 * sizes.max(initial=1.0)]
    low, high = (float(np.log10(s)) for s in (sizes.min(initial=1.0), sizes.max(initial=1.0)))
    return np.logspace(low - DECADES, high + DECADES, 600)
