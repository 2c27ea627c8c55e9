"""Pages and figures inside notebooks: a frame that contains the whole page, and figures that are shown once.

The frame is `<iframe srcdoc="...">`: it plays in Jupyter, in VS Code and after nbconvert, offline. It is sandboxed:
its scripts cannot access anything outside it.
"""

from __future__ import annotations

import base64
import html
import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

HEIGHT = 460  # pixels of a frame
_hidden: ContextVar[bool] = ContextVar("hidden figures", default=False)


class Inline:
    """A page that a notebook shows in a frame."""

    def __init__(self, page: str, height: int = HEIGHT) -> None:
        self.page, self.height = page, height

    def __repr__(self) -> str:
        return "a page; a notebook shows it, .save('page.html') of the result writes it"

    def _repr_html_(self) -> str:
        return frame(self.page, self.height)


class ShownFile(type(Path())):  # type: ignore[misc]
    """The path of a picture or an animation; a notebook shows what is in the file."""

    def _repr_html_(self) -> str:
        kind = {".gif": "image/gif", ".png": "image/png", ".svg": "image/svg+xml", ".mp4": "video/mp4"}[self.suffix]
        data = f"data:{kind};base64,{base64.b64encode(self.read_bytes()).decode()}"
        if self.suffix == ".mp4":
            return f'<video src="{data}" controls autoplay loop muted style="max-width:100%"></video>'
        return f'<img alt="" src="{data}" style="max-width:100%">'


def frame(page: str, height: int = HEIGHT) -> str:
    """The frame around the text of a page."""
    return (
        f'<iframe srcdoc="{html.escape(page, quote=True)}" sandbox="allow-scripts allow-downloads" loading="lazy" '
        f'width="100%" height="{height}" style="border:1px solid #d5d9e0;border-radius:6px" allowfullscreen></iframe>'
    )


def in_notebook() -> bool:
    """Whether this process is the kernel of a notebook."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and type(shell).__name__ == "ZMQInteractiveShell"


@contextmanager
def hidden() -> Iterator[None]:
    """Figures created in this context are not shown: they are for files or pages."""
    before = _hidden.set(True)
    try:
        yield
    finally:
        _hidden.reset(before)


def pyplot() -> Any:
    """pyplot if it shows figures: if it is in use, and in notebooks; otherwise None."""
    if _hidden.get():
        return None
    if "matplotlib.pyplot" not in sys.modules and in_notebook():
        import matplotlib.pyplot  # noqa: F401  registers the backend of notebooks, which shows figures after a cell
    if in_notebook():
        show_axes_once()
    return sys.modules.get("matplotlib.pyplot")


def show_axes_once() -> None:
    """Let a notebook show the figure of axes that end a cell, instead of their text, and close it."""
    from IPython import get_ipython
    from IPython.display import display
    from matplotlib.axes import Axes

    from cardan.view.style import figure_class

    def shown(axes: Any) -> None:
        if isinstance(axes.figure, figure_class()):
            show_once(axes.figure)
        else:
            display({"text/plain": repr(axes)}, raw=True)

    get_ipython().display_formatter.ipython_display_formatter.for_type(Axes, shown)


def show_once(figure: Figure) -> None:
    """Display a figure and close it: a notebook shows open figures after each cell."""
    from IPython.display import display
    from matplotlib import pyplot as plt

    display({"image/png": _png(figure), "text/plain": "a figure"}, raw=True)
    plt.close(figure)


def _png(figure: Figure) -> str:
    file = io.BytesIO()
    figure.savefig(file, format="png")
    return base64.b64encode(file.getvalue()).decode()
