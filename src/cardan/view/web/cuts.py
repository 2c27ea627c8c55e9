"""Bodies cut free, frame by frame: what a page needs to draw a free-body diagram where a curve is clicked.

    curve B.fx  --click-->  instant, element B  -->  a body on which B acts  -->  all that acts on this body

For each body every force with its point and torque is stored as float32; the page computes the sum. This costs about
ten bytes per number: `MOST_ENTRIES` forces at most, and `MOST_NUMBERS` numbers over all output times. A page of a
larger model requests them from Python, if it is live.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.postprocess.free_body import BodyLoad, loads_on
from cardan.results.snapshot import at_index, some
from cardan.view.style import force_colors
from cardan.view.web.encode import Blob
from cardan.view.web.shapes import Scene

if TYPE_CHECKING:
    from cardan.postprocess.free_body import FreeBody

MOST_ENTRIES = 60  # forces on all bodies together
MOST_NUMBERS = 60_000


def describe_cuts(part: Any, scene: Scene, blob: Blob) -> dict[str, Any] | None:
    """The part of a clip with all that acts on each body, of a result all of whose instants are frames; `frames` of it
    are the numbers of those that are kept, evenly chosen.

    None where no forces are known; without frames where too many act.
    """
    if part.loads is None:
        return None
    nothing: dict[str, Any] = {"frames": [], "bodies": []}
    if len(scene.bodies) > MOST_ENTRIES:
        return nothing
    first = at_index(part, 0)
    entries = sum(len(loads_on(first, body)) for body in scene.bodies)
    if not 0 < entries <= MOST_ENTRIES:
        return nothing
    wide = 5 if part.system.space.dimensions == 2 else 9
    kept = np.arange(0, len(part), -(-len(part) * entries * wide // MOST_NUMBERS))
    acting = [loads_on(some(part, kept), body) for body in scene.bodies]
    if not all(_finite(one) for found in acting for one in found):
        return nothing
    return {
        "frames": kept.tolist(),
        "bodies": [
            [_entry(one, colors[one.name], blob) for one in found]
            for found, colors in ((found, force_colors(found)) for found in acting)
        ],
    }


def table_of(cut: FreeBody) -> list[dict[str, Any]]:
    """The loads on one body at one time, with their colors in pictures; the page computes the sum."""
    colors = force_colors(cut)
    return [line | {"color": colors[line["name"]]} for line in cut.table() if line["kind"] != "sum"]


def _entry(acting: BodyLoad, color: str, blob: Blob) -> dict[str, Any]:
    table = np.concatenate([acting.point, acting.force, acting.torque.reshape(len(acting.point), -1)], axis=1)
    return {"name": acting.name, "kind": acting.kind, "color": color, "values": blob.floats(table)}


def _finite(acting: BodyLoad) -> bool:
    return all(bool(np.isfinite(part).all()) for part in (acting.point, acting.force, acting.torque))
