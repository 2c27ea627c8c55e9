"""live(name): pictures of studies and searches while they run, for `study(..., watch=live("slider.x"))`.

in a notebook      a picture in the cell, replaced as samples come
with pyplot        its window
on a terminal      dots below the progress bar
path="now.png"     a file, rewritten;   "now.html": a page that reloads until the study is complete
"""

from __future__ import annotations

import base64
import io
import os
import sys
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.model import check
from cardan.study.result import Study
from cardan.study.search.global_search import Found
from cardan.study.search.identification import Identified
from cardan.study.search.pareto import Front
from cardan.view import style
from cardan.view.dots import WIDTH, dotted
from cardan.view.figures.study import SIZE, curves, front_page, history
from cardan.view.inline import hidden

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLACES = ("auto", "notebook", "window", "terminal")
DPI = 110
CURVES = 12  # on a terminal
WINDOWLESS = ("agg", "cairo", "pdf", "pgf", "ps", "svg", "template")  # backends of pyplot that show nothing


def live(
    name: str = "", *, draw: Callable[..., Any] | None = None, path: str | Path | None = None, where: str = "auto"
) -> Callable[[Any], None]:
    """A function for `watch=` that shows the results so far: output `name` of a study, or the progress of a search.

    `draw` is one of the pictures of a study, by default `curves`. `where` is chosen automatically; with a `path` the
    picture is written to a file.
    """
    check.instance(name, str, "the output that live() shows")
    check.choice(where, PLACES, "where live() shows pictures")
    if path is not None:
        return _into_file(Path(path), name, draw)
    place = _place() if where == "auto" else where
    if place == "terminal":
        return _Terminal(name)
    return _in_notebook(name, draw) if place == "notebook" else _in_window(name, draw)


def _place() -> str:
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if type(shell).__name__ == "ZMQInteractiveShell":  # the one of notebooks
        return "notebook"
    pyplot = sys.modules.get("matplotlib.pyplot")
    return "window" if pyplot is not None and pyplot.get_backend().lower() not in WINDOWLESS else "terminal"


def _drawn(figure: Figure, thing: Any, name: str, draw: Callable[..., Any] | None) -> bool:
    """Draw the results so far; False if there are none yet."""
    if isinstance(thing, Study) and not thing.fine.any():
        return False
    figure.clear()
    ax = style.quiet(figure.subplots())
    if isinstance(thing, Study):
        (draw or curves)(thing, name or thing.outputs[0], ax=ax)
    elif isinstance(thing, Front):
        front_page(thing, ax=ax)
    else:
        history(thing, ax=ax)
    return True


def _into_file(path: Path, name: str, draw: Any) -> Callable[[Any], None]:
    with hidden():  # it is shown here, again and again
        figure = style.new_figure(*SIZE)
    page = path.suffix == ".html"

    def show(thing: Any) -> None:
        if not _drawn(figure, thing, name, draw):
            return
        memory = io.BytesIO()
        figure.savefig(memory, dpi=DPI, format="svg" if page else path.suffix.removeprefix(".") or "png")
        beside = path.with_name(f"{path.name}.{os.getpid()}.tmp")  # who looks never sees half a picture
        beside.write_bytes(_page(thing, memory.getvalue()) if page else memory.getvalue())
        os.replace(beside, path)

    return show


def _page(thing: Any, picture: bytes) -> bytes:
    """A page with the picture, which reloads until the study is complete."""
    again = "" if thing.complete else '<meta http-equiv="refresh" content="1">'
    image = f"data:image/svg+xml;base64,{base64.b64encode(picture).decode()}"
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8">{again}<title>Cardan study</title></head>'
        f'<body style="font:14px system-ui;max-width:60em;margin:2em auto"><img alt="" src="{image}" '
        f'style="width:100%"><p>{escape(repr(thing))}</p></body></html>'
    ).encode()


def _in_notebook(name: str, draw: Any) -> Callable[[Any], None]:
    from IPython.display import Image, display

    with hidden():  # it is shown here, again and again
        figure = style.new_figure(*SIZE)
    handles: list[Any] = []

    def show(thing: Any) -> None:
        if not _drawn(figure, thing, name, draw):
            return
        memory = io.BytesIO()
        figure.savefig(memory, dpi=DPI, format="png")
        image = Image(data=memory.getvalue())
        if handles:
            handles[0].update(image)
        else:
            handles.append(display(image, display_id=True))

    return show


def _in_window(name: str, draw: Any) -> Callable[[Any], None]:
    from matplotlib import pyplot

    figure = style.new_figure(*SIZE)

    def show(thing: Any) -> None:
        if _drawn(figure, thing, name, draw):
            pyplot.show(block=False)
            figure.canvas.draw_idle()
            figure.canvas.flush_events()

    return show


class _Terminal:
    """Dots on stderr, redrawn in place; if it is not a terminal, once at the end."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, thing: Any) -> None:
        moving = sys.stderr.isatty()
        if not moving and not thing.complete:
            return
        head, x, y = _points(thing, self.name)
        lines = [head, *dotted(x, y)]
        text = "\n".join(lines)
        if not moving:
            sys.stderr.write(f"{text}\n")
        elif thing.complete:
            sys.stderr.write(f"\r\x1b[J{text}\n")
        else:  # below the line of the progress bar, to which the cursor returns
            sys.stderr.write(f"\n\x1b[J{text}\x1b[{len(lines)}A\r")
        sys.stderr.flush()


def _points(thing: Any, name: str) -> tuple[str, np.ndarray, np.ndarray]:
    """A line of text, and the points that a terminal shows."""
    if isinstance(thing, Front):
        return f"{thing.objectives[1]} over {thing.objectives[0]}", *thing.numbers.T
    if isinstance(thing, Found | Identified):
        steps = np.array(thing.history, float)
        return "best so far, over generations", *_line(np.arange(1.0, 1.0 + steps.size), steps)
    name = name or thing.outputs[0]
    data = thing[name]
    if data.ndim == 1:
        return f"{name} over {thing.parameters[0]}", thing[thing.parameters[0]], data
    over = thing.times if thing.times.size == data.shape[1] else np.arange(float(data.shape[1]))
    fine = np.flatnonzero(thing.fine)
    some = data[fine[np.linspace(0, fine.size - 1, min(CURVES, fine.size)).astype(int)]] if fine.size else data[:0]
    lines = [_line(over, curve) for curve in some.reshape(len(some), over.size)]
    x, y = (np.concatenate([line[k] for line in lines]) if lines else np.zeros(0) for k in (0, 1))
    return f"{name} over time", x, y


def _line(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Points so near each other that they look like a line."""
    if x.size < 2:
        return x, y
    near = np.linspace(x[0], x[-1], 2 * WIDTH)
    return near, np.interp(near, x, y)
