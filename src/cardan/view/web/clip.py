"""A clip: the motion of a result, frame by frame, with its curves and the arrows of its forces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.elements.constraints.driver import Driver
from cardan.errors import ModelError
from cardan.model.measure import Readable
from cardan.results.columns import coordinates_of
from cardan.results.snapshot import some
from cardan.view.curves import curves as curves_of
from cardan.view.shapes.skin import modal_table
from cardan.view.web.arrows import describe_arrows
from cardan.view.web.cuts import describe_cuts
from cardan.view.web.encode import Blob
from cardan.view.web.lecture import describe_lecture
from cardan.view.web.shapes import Scene, strand_table
from cardan.view.web.skins import describe_stress

if TYPE_CHECKING:
    from cardan.results.trajectory import Trajectory

FRAMES = 600  # of a clip, unless stated: other output times are omitted
CURVE_VALUES = 40_000  # in a page, unless curves are named: about 100 curves with 400 output times
MANY_BODIES = 60  # with more, only coordinates of joints are offered as curves, unless others are named
SKIPPED = ("time", "iterations", "steps")


def frames_of(run: Trajectory, most: int = FRAMES) -> np.ndarray:
    """The output times of a result that a page shows: all, or `most` of them, evenly spaced."""
    return np.unique(np.linspace(0, len(run) - 1, min(len(run), most)).round().astype(int))


def stored_poses(run: Trajectory, frames: np.ndarray) -> np.ndarray:
    """The stored positions of all bodies, ground first: shape (frames, bodies, numbers)."""
    system = run.system
    return np.asarray(run.q[frames, : system.space.stored * (1 + len(system.bodies))]).reshape(
        len(frames), -1, system.space.stored
    )


def describe_clip(
    run: Trajectory,
    scene: Scene,
    blob: Blob,
    name: str,
    *,
    most: int = FRAMES,
    wanted: Sequence[str] = (),
    note: str = "",
    bare: bool = False,
) -> dict[str, Any]:
    """The motion in a document; a `bare` one has no forces and no polygons."""
    frames = frames_of(run, most)
    part = some(run, frames)
    stored = stored_poses(run, frames)
    modal = modal_table(run.system, run.q[frames])
    strands = strand_table(scene, stored, modal)
    offered, asked = offered_curves(run, len(frames), wanted)
    return {
        "name": name,
        "note": note,
        "times": blob.doubles(run.times[frames]),
        "poses": blob.poses(stored[:, 1:]),
        "modal": blob.values(modal) if modal.size else None,
        "stress": describe_stress(run),
        "strands": None if strands is None else blob.values(strands),
        "curves": [
            {
                "name": curve,
                "unit": unit,
                "still": bool(np.ptp(values) <= 1e-9 * (1.0 + np.abs(values).max())),
                "values": blob.floats(values[frames]),
            }
            for curve, unit, values in offered
        ],
        "wanted": asked,
        "arrows": [] if bare else describe_arrows(part, scene, blob),
        "cuts": None if bare else describe_cuts(part, scene, blob),
        "lecture": None if bare else describe_lecture(run, scene.bodies, frames),
        "cyclic": bool(len(frames) > 2 and _closes(stored)),
    }


def offered_curves(
    run: Trajectory, frames: int, wanted: Sequence[str] = ()
) -> tuple[list[tuple[str, str, np.ndarray]], int]:
    """Name, unit and values of the curves of a page, those wanted first, then as many as there is room for; and how
    many are wanted."""
    first = [(c.name, c.unit, np.asarray(c.values)) for item in wanted for c in curves_of(run, item)]
    found = {curve[0]: curve for curve in first if np.isfinite(curve[2]).all()}
    asked = len(found)
    if not run.moves:
        return [*found.values()], asked
    columns, joints = run.columns, coordinates_of(run.system)
    order = [*joints]
    if len(run.system.bodies) <= MANY_BODIES:
        order += [name for name in columns if columns[name].dimension in ("force", "torque")]
        order += [name for name in columns if name not in SKIPPED and not name.endswith(".violation")]
    count = max(-(-CURVE_VALUES // frames) - len(found), 0) if frames else len(order)
    chosen = [name for name in dict.fromkeys(order) if name not in found][:count]
    for name, values in columns.read(run, chosen).items():
        shown, unit = columns[name].shown(run, np.asarray(values, float))
        found[name] = name, unit, shown
    return [curve for curve in found.values() if np.isfinite(curve[2]).all()], asked


def first_shown(run: Any, offered: Sequence[str], still: Sequence[str] = ()) -> list[str]:
    """The curves that a page shows before others are chosen: a joint coordinate, its rate, and forces; none that
    stands `still`.

    The coordinate is that of an output: on the ground rather than between links, a travel rather than an angle, and not
    driven. Drivers come before other forces, and of the reactions those of the joint with the largest one.
    """
    elements = {element.name: element for element in run.system.elements}
    driven = {str(e.measure) for e in elements.values() if isinstance(getattr(e, "measure", None), Readable)}
    free = [name for name, measure in coordinates_of(run.system).items() if str(measure) not in driven and "." in name]
    offered = [name for name in offered if name not in still and name.rpartition(".")[2] != "contact"]

    def rank(name: str) -> tuple[bool, bool]:
        owner = elements.get(name.rpartition(".")[0])
        grounded = owner is not None and run.model.ground in owner.bodies()
        return not grounded, not name.endswith(".travel")

    first = sorted((name for name in free if name in offered), key=rank)[:1]
    first = first or [name for name in offered if name.endswith(".y")][:1]
    shown = [*first, *(f"{name}.rate" for name in first)]
    forces = [name for name in offered if name.endswith((".force", ".torque"))]
    drivers = [name for name in forces if isinstance(elements.get(name.rpartition(".")[0]), Driver)]
    shown += (drivers or forces)[:1]
    shown += _largest(run, [name for name in offered if name.endswith((".fx", ".fy", ".fz"))])
    return [name for name in dict.fromkeys(shown) if name in offered] or list(offered[:2])


def _largest(run: Trajectory, names: Sequence[str]) -> list[str]:
    """The components of the joint whose reaction is largest."""
    peaks = {name: float(np.max(np.abs(run[name]), initial=0.0)) for name in names}
    if not peaks:
        return []
    owner = max(peaks, key=lambda name: peaks[name]).rpartition(".")[0]
    return [name for name in names if name.rpartition(".")[0] == owner]


def _closes(stored: np.ndarray) -> bool:
    """Whether the motion ends where it begins, turns apart."""
    return bool(np.allclose(stored[0, :, :2], stored[-1, :, :2], atol=1e-3 * (1e-9 + np.ptp(stored[..., :2]))))


def require_frames(frames: Any) -> int:
    """A sensible number of frames."""
    if not isinstance(frames, int) or not 1 <= frames <= 20_000:
        raise ModelError(f"a page has 1 to 20000 frames, got {frames!r}")
    return frames
