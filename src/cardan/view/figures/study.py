"""Pictures of studies: curves overlaid, response surfaces, parallel coordinates, tornado charts, envelopes over time,
Pareto fronts, and the progress of searches (needs matplotlib). `study_live` draws them while a study runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.errors import ModelError
from cardan.view import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from cardan.study.result import Study

SIZE = 6.4, 4.4  # inches
MAX_CURVES = 300  # curves in one picture, evenly chosen
FEW = 8  # curves that a legend can name
BANDS = (0.0, 5.0, 25.0, 75.0, 95.0, 100.0)  # percentiles


def curves(study: Any, name: str, *, by: str = "", ax: Any = None) -> Axes:
    """Curves of all samples over time, a few by name, many colored by a parameter; of numbers, points over it."""
    by = by or study.parameters[0]
    values, data, fine = study[by], study[name], study.fine
    ax = _axes(ax)
    if data.ndim == 1:
        _numbers_over(study, by, data, ax)
        ax.set_xlabel(by)
        ax.set_ylabel(_label(study, name))
        return ax
    over = _time(study, name, data)
    shown = _some(np.flatnonzero(fine))
    colors = _colors(values)
    few = len(shown) <= FEW
    for place, k in enumerate(shown):
        color = style.CURVES[place] if few else colors(values[k])
        ax.plot(over, data[k], color=color, linewidth=1.2, label=_design(study, by, int(k)))
    ax.set_xlabel(_over(study, data))
    ax.set_ylabel(_label(study, name))
    if few:
        ax.legend(fontsize="small", frameon=False)
    else:
        _bar(ax, values, by)
    if not fine.all():
        ax.set_title(f"{np.sum(~fine)} of {len(fine)} samples have no curve", fontsize=9, color=style.GROUND)
    return ax


def surface(study: Any, name: str, x: str = "", y: str = "", *, ax: Any = None) -> Axes:
    """A number over two parameters: level lines between all samples, failed ones as crosses."""
    if len(study.parameters) < 2:
        raise ModelError(f"a surface needs two parameters, the study has {len(study.parameters)}; plot() shows one")
    x, y = x or study.parameters[0], y or study.parameters[1]
    if x == y:
        raise ModelError(f"a surface over '{x}' twice has no extent; state two parameters")
    numbers, fine = _numbers(study, name), study.fine
    good = fine & np.isfinite(numbers)
    if good.sum() < 3:
        raise ModelError(f"a surface of '{name}' needs three samples or more that did not fail, got {good.sum()}")
    ax = _axes(ax)
    a, b = study[x], study[y]
    try:
        filled = ax.tricontourf(a[good], b[good], numbers[good], levels=14, cmap="viridis")
    except (RuntimeError, ValueError) as error:
        raise ModelError(f"the samples of '{x}' and '{y}' span no surface: {error}") from None
    ax.tricontour(a[good], b[good], numbers[good], levels=14, colors=style.PAPER, linewidths=0.4)
    ax.plot(a[good], b[good], ".", color=style.INK, markersize=2, alpha=0.5)
    if (~fine).any():
        ax.plot(a[~fine], b[~fine], "x", color=style.ACCENT, markersize=5, label="failed")
        ax.legend(fontsize="small", loc="upper right")
    ax.grid(False)
    ax.figure.colorbar(filled, ax=ax, label=_label(study, name))
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    return ax


def parallel(study: Any, names: Sequence[str] = (), *, by: str = "", ax: Any = None) -> Any:
    """Every sample as a line across the axes of all parameters and numbers, colored by the last of them."""
    numbers = [n for n, shape in zip(study.outputs, study.shapes, strict=True) if shape == ()]
    chosen = list(names) or [*study.parameters, *numbers]
    if len(chosen) < 2:
        raise ModelError("parallel coordinates need two parameters or numbers, or more")
    columns = np.column_stack([_numbers(study, name) for name in chosen])
    good = study.fine & np.isfinite(columns).all(axis=1)
    if not good.any():
        raise ModelError("no sample has all the numbers of these parallel coordinates")
    low, high = columns[good].min(axis=0), columns[good].max(axis=0)
    scaled = (columns - low) / np.where(high > low, high - low, 1.0)
    color_by = by or chosen[-1]
    values = _numbers(study, color_by)
    colors = _colors(values[good])
    ax = _axes(ax)
    for k in _some(np.flatnonzero(good)):
        ax.plot(range(len(chosen)), scaled[k], color=colors(values[k]), linewidth=0.9, alpha=0.7)
    for place, (a, b) in enumerate(zip(low, high, strict=True)):
        ax.axvline(place, color=style.GROUND, linewidth=0.8)
        ax.text(place, -0.03, f"{a:.4g}", ha="center", va="top", fontsize=8, color=style.GROUND)
        ax.text(place, 1.03, f"{b:.4g}", ha="center", va="bottom", fontsize=8, color=style.GROUND)
    ax.set_xticks(range(len(chosen)), chosen, fontsize=9)
    ax.tick_params(axis="x", pad=12)
    ax.set_yticks([])
    ax.set_ylim(-0.1, 1.1)
    ax.grid(False)
    ax.spines["left"].set_visible(False)
    ax.spines["bottom"].set_visible(False)
    _bar(ax, values[good], color_by)
    return ax


def tornado(study: Any, name: str, *, ax: Any = None) -> Axes:
    """The change of a number with each parameter alone: a study of tolerances(..., "each")."""
    numbers = _numbers(study, name)
    k = len(study.parameters)
    if study.about["plan"]["kind"] != "each" or len(numbers) != 1 + 2 * k:
        raise ModelError("a tornado chart shows parameters one at a time: study tolerances(model, {...}, 'each')")
    stated, low, high = numbers[0], numbers[1::2], numbers[2::2]
    order = np.argsort(np.fmax(np.abs(low - stated), np.abs(high - stated)), kind="stable")
    ax = _axes(ax)
    for place, one in enumerate(order):
        for value, at, color in ((low[one], 1 + 2 * one, style.CURVES[0]), (high[one], 2 + 2 * one, style.CURVES[1])):
            if not np.isfinite(value):
                ax.text(stated, place, " fails", fontsize=8, color=style.ACCENT, va="center")
                continue
            ax.barh(place, value - stated, left=stated, color=color, height=0.6)
            side = "left" if value >= stated else "right"
            text = f" {study.samples.values[at, one]:.5g} "
            ax.text(value, place, text, ha=side, va="center", fontsize=8, color=style.GROUND)
    ax.axvline(stated, color=style.INK, linewidth=1.0)
    ax.set_yticks(range(k), [study.parameters[one] for one in order])
    ax.set_xlabel(f"{_label(study, name)}, stated {stated:.6g}")
    ax.margins(x=0.18)
    ax.grid(False, axis="y")
    return ax


def envelope(study: Any, name: str, *, ax: Any = None) -> Axes:
    """The band of all curves over time: extremes, 5 to 95 %, 25 to 75 %, and the median."""
    data = study[name]
    if data.ndim != 2:
        raise ModelError(f"'{name}' is not a curve over time and has no envelope; plot() shows numbers")
    good = data[study.fine]
    if not len(good):
        raise ModelError(f"no sample has a curve of '{name}'")
    over = _time(study, name, data)
    bands = np.nanpercentile(good, BANDS, axis=0)
    ax = _axes(ax)
    words = ("all samples", "5 to 95 %", "25 to 75 %")
    for k, (word, alpha) in enumerate(zip(words, (0.18, 0.3, 0.45), strict=True)):
        ax.fill_between(over, bands[k], bands[-1 - k], color=style.CURVES[0], alpha=alpha, linewidth=0, label=word)
    ax.plot(over, np.nanmedian(good, axis=0), color=style.INK, linewidth=1.2, label="median")
    ax.set_xlabel(_over(study, data))
    ax.set_ylabel(_label(study, name))
    ax.legend(fontsize="small", frameon=False)
    return ax


def front_page(front: Any, *, ax: Any = None) -> Axes:
    """A Pareto front, colored by its first parameter; of more than two objectives, all in parallel coordinates."""
    ax = _axes(ax)
    values = front.designs[:, 0]
    if len(front.objectives) > 2:
        low, high = front.numbers.min(axis=0), front.numbers.max(axis=0)
        scaled = (front.numbers - low) / np.where(high > low, high - low, 1.0)
        ax.plot(scaled.T, color=style.CURVES[0], alpha=0.5, linewidth=1.0)
        ends = zip(front.objectives, low, high, strict=True)
        ax.set_xticks(range(len(front.objectives)), [f"{name}\n{a:.4g} to {b:.4g}" for name, a, b in ends])
        ax.set_ylabel("share of the range")
        return ax
    dots = ax.scatter(front.numbers[:, 0], front.numbers[:, 1], c=values, cmap="viridis", s=22)
    ax.figure.colorbar(dots, ax=ax, label=front.parameters[0])
    ax.set_xlabel(front.objectives[0])
    ax.set_ylabel(front.objectives[1])
    return ax


def history(found: Any, *, ax: Axes | None = None) -> Axes:
    """The best value in each generation."""
    ax = _axes(ax)
    steps = np.array(found.history, float)
    ax.step(np.arange(1, steps.size + 1), steps, where="post", color=style.CURVES[0])
    if steps.size and steps.min() > 0.0 and steps.max() > 30.0 * steps.min():
        ax.set_yscale("log")
    ax.set_xlabel("generation")
    ax.set_ylabel("best so far")
    return ax


def _label(study: Study, name: str) -> str:
    """A name with its unit."""
    unit = study.units.get(name, "")
    return f"{name} in {unit}" if unit else name


def _numbers_over(study: Study, by: str, data: np.ndarray, ax: Axes) -> None:
    """Numbers over a parameter: joined where it is the only one, else colored by the next."""
    values, others = study[by], [name for name in study.parameters if name != by]
    if others:
        dots = ax.scatter(values, data, c=study[others[0]], cmap="viridis", s=18)
        ax.figure.colorbar(dots, ax=ax, label=others[0])
    else:
        order = np.argsort(values, kind="stable")
        ax.plot(values[order], data[order], "o-", markersize=4, color=style.CURVES[0])
    failed = np.unique(values[~study.fine])
    if failed.size:
        low = np.full(failed.size, 0.02)
        ax.plot(failed, low, "x", color=style.ACCENT, markersize=5, transform=ax.get_xaxis_transform(), label="failed")
        ax.legend(fontsize="small", frameon=False)


def _design(study: Study, by: str, k: int) -> str:
    """The label of a sample: the parameter shown by color, then the others that vary."""
    values = study.values
    varied = [by, *(name for name in study.parameters if name != by and np.ptp(values[name]) > 0.0)]
    return ", ".join(f"{name} = {values[name][k]:.4g}" for name in varied)


def _axes(ax: Any) -> Axes:
    return style.quiet(style.new_figure(*SIZE).subplots()) if ax is None else ax


def _numbers(study: Study, name: str) -> np.ndarray:
    found = study[name]
    if found.ndim != 1:
        raise ModelError(f"'{name}' is a curve; a picture of numbers needs one reduced, such as '{name}:peak'")
    return np.asarray(found)


def _some(places: np.ndarray) -> np.ndarray:
    if places.size <= MAX_CURVES:
        return places
    return places[np.linspace(0, places.size - 1, MAX_CURVES).astype(int)]


def _time(study: Study, name: str, data: np.ndarray) -> np.ndarray:
    if data.ndim != 2:
        raise ModelError(f"'{name}' has {data.ndim - 1} dimensions beside the samples; a plot shows one")
    return study.times if study.times.size == data.shape[1] else np.arange(data.shape[1])


def _over(study: Study, data: np.ndarray) -> str:
    return "time in s" if study.times.size == data.shape[1] else "place"


def _colors(values: np.ndarray) -> Callable[[float], Any]:
    import matplotlib

    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    chart = matplotlib.colormaps["viridis"]
    return lambda value: chart(0.92 * (value - low) / (high - low) if high > low else 0.3)


def _bar(ax: Axes, values: np.ndarray, name: str) -> None:
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    scale = Normalize(float(np.nanmin(values)), float(np.nanmax(values)))
    ax.figure.colorbar(ScalarMappable(scale, "viridis"), ax=ax, label=name)
