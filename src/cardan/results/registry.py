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
    "bode": ("cardan.view.figures.linear", "bode"),
    "nyquist": ("cardan.view.figures.linear", "nyquist"),
    "root_locus": ("cardan.view.figures.linear", "root_locus_page"),
    "linear_page": ("cardan.view.figures.linear", "linear_page"),
    "mode_bars": ("cardan.view.figures.linear", "mode_bars"),
    "mode_film": ("cardan.view.figures.linear", "mode_film"),
    "free_body": ("cardan.view.figures.free_body", "free_body_page"),
    "polygon": ("cardan.view.figures.polygon", "polygon_page"),
    "poles": ("cardan.view.figures.poles", "poles_page"),
    "bearing": ("cardan.view.figures.bearing", "bearing_page"),
    "report": ("cardan.view.report", "report"),
    "study_curves": ("cardan.view.figures.study", "curves"),
    "study_surface": ("cardan.view.figures.study", "surface"),
    "study_parallel": ("cardan.view.figures.study", "parallel"),
    "study_tornado": ("cardan.view.figures.study", "tornado"),
    "study_envelope": ("cardan.view.figures.study", "envelope"),
    "study_front": ("cardan.view.figures.study", "front_page"),
    "study_history": ("cardan.view.figures.study", "history"),
    "study_live": ("cardan.view.figures.study_live", "live"),
    "live": ("cardan.view.web.live", "live"),
    "vehicle": ("cardan.view.figures.vehicle", "vehicle_page"),
    "notebook": ("cardan.view.notebook", "notebook"),
    "page": ("cardan.view.web.page", "page"),
    "view": ("cardan.view.web.page", "view"),
    "loads_of": ("cardan.analysis.driven.loads", "loads_of"),
    "moved_on": ("cardan.analysis.forward.advance", "moved_on"),
    "text_of_model": ("cardan.files.writing.save", "text_of_model"),
    "load_model": ("cardan.files", "load_model"),
}


def has(name: str) -> bool:
    """Whether there is a view of this name."""
    return name in _VIEWS


def view(name: str) -> Callable[..., Any]:
    """The function that makes the view `name`."""
    module, function = _VIEWS[name]
    try:
        found: Callable[..., Any] = getattr(import_module(module), function)
    except (ModuleNotFoundError, AttributeError) as error:
        if isinstance(error, ModuleNotFoundError) and not (error.name or "").startswith("cardan"):
            raise  # a package that the view needs
        raise ImportError(f"this cardan has no '{name}': the module {module} is not part of it") from None
    return found
