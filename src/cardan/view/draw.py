"""draw(thing): the picture of a mechanism or diagram at one time, chosen by the class of the thing."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from cardan.errors import ModelError
from cardan.postprocess.bearing_loads import Bearing
from cardan.postprocess.free_body import FreeBody
from cardan.postprocess.instant_centers import InstantCenters
from cardan.postprocess.polygon import Polygon
from cardan.results.linear.root_locus import RootLocus
from cardan.results.snapshot import Snapshot
from cardan.view.figures.bearing import bearing_page
from cardan.view.figures.free_body import free_body_page
from cardan.view.figures.instant_centers import instant_centers_page
from cardan.view.figures.linear import root_locus_page
from cardan.view.figures.polygon import polygon_page
from cardan.view.sketch import sketch

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FIGURES: dict[type, Callable[..., Any]] = {
    Snapshot: sketch,
    FreeBody: free_body_page,
    Polygon: polygon_page,
    InstantCenters: instant_centers_page,
    Bearing: bearing_page,
    RootLocus: root_locus_page,
}


def draw(thing: Any, ax: Axes | None = None, **options: Any) -> Any:
    """Draw a snapshot, free body, polygon, instant centers, bearing load or root locus; `options` are those of its
    figure."""
    for kind, figure in FIGURES.items():
        if isinstance(thing, kind):
            return figure(thing, ax, **options)
    raise ModelError(
        f"a {type(thing).__name__} cannot be drawn; these can: {', '.join(kind.__name__ for kind in FIGURES)}"
    )
