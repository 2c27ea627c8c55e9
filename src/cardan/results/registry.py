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
    "page": ("cardan.view.web.page", "page"),
    "view": ("cardan.view.web.page", "view"),
    "live": ("cardan.view.web.live", "live"),
    "vehicle": ("cardan.view.vehicle", "vehicle_page"),
}


def view(name: str) -> Callable[..., Any]:
    """The function that makes the view `name`."""
    module, function = _VIEWS[name]
    return getattr(import_module(module), function)
