"""The one way upward: results show themselves through views that are found by name when they are asked for."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

# name -> module and function
_VIEWS = {
    "sketch": ("cardan.view.sketch", "sketch"),
    "plot": ("cardan.view.plot", "plot"),
    "animate": ("cardan.view.animate", "animate"),
    "bode": ("cardan.view.linear", "bode"),
    "nyquist": ("cardan.view.linear", "nyquist"),
    "root_locus": ("cardan.view.linear", "root_locus_page"),
    "linear_page": ("cardan.view.linear", "linear_page"),
    "mode_bars": ("cardan.view.linear", "mode_bars"),
    "mode_film": ("cardan.view.linear", "mode_film"),
    "vehicle": ("cardan.view.vehicle", "vehicle_page"),
    "notebook": ("cardan.view.notebook", "notebook"),
    "page": ("cardan.view.page", "page"),
    "report": ("cardan.view.report", "report"),
    "loads_of": ("cardan.analysis.inverse_dynamics", "loads_of"),
    "moved_on": ("cardan.analysis.forward", "moved_on"),
    "save_model": ("cardan.files", "save_model"),
    "load_model": ("cardan.files", "load_model"),
}


def view(name: str) -> Callable[..., Any]:
    """The function that makes the view `name`."""
    module, function = _VIEWS[name]
    return getattr(import_module(module), function)
