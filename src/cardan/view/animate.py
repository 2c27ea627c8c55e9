"""animate(run, path): an animation of the mechanism, GIF or MP4.

Frames are uniform in time. Fixed parts are drawn once; each frame restores them and draws the moving parts on top.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.analysis.progress import Progress
from cardan.errors import ModelError
from cardan.output_path import in_folder
from cardan.view import style
from cardan.view.inline import ShownFile
from cardan.view.shapes.stress import AS_IT_IS, Deformed, deformed_look, draw_legend
from cardan.view.sketch import TRACE, draw_traces, make_scene, traced, travels_far
from cardan.view.stage.stage import View, stage_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from cardan.results.trajectory import Trajectory

SHORTEST, MAX_DURATION = 2.0, 12.0  # s, default duration of an animation
COLORS = 256  # of a GIF


def animate(
    run: Any,
    path: Any,
    *,
    fps: int = 25,
    seconds: float | None = None,
    size: tuple[int, int] = (640, 480),
    dpi: int = 100,
    trace: bool = True,
    progress: bool | None = None,
    elev: float | None = None,
    azim: float | None = None,
    deformation: float = 1.0,
    stress: bool = True,
) -> Path:
    """Write an animation of a result to `path`, which ends in .gif or .mp4, and return the path.

    It plays in real time if the motion takes 2 s to 12 s; otherwise it is slowed down or sped up. `seconds` sets
    another duration. `size` is in pixels. `trace` draws the paths of the named points. `elev` and `azim` set
    the viewpoint of a spatial mechanism, `deformation` and `stress` how flexible bodies are drawn (see `sketch`).
    """
    target = in_folder(path)
    if target.suffix not in (".gif", ".mp4"):
        raise ModelError(f"unknown format of '{target.name}': an animation ends in .gif or .mp4")
    if len(run) < 2:
        raise ModelError(f"the result of '{run.model.name}' has {len(run)} output times; an animation needs two")
    if not 1 <= fps <= 100 or (seconds is not None and not seconds > 0.0):
        raise ModelError(f"an animation needs 1 to 100 frames per second and a duration, got {fps} and {seconds} s")
    span = float(run.times[-1] - run.times[0])
    length = float(np.clip(span, SHORTEST, MAX_DURATION)) if seconds is None else seconds
    times = np.linspace(run.times[0], run.times[-1], max(round(length * fps), 2))
    even = (size[0] - size[0] % 2, size[1] - size[1] % 2)  # video codecs want even sizes
    write = _write_gif if target.suffix == ".gif" else _write_mp4
    with Progress("animation", len(times), progress) as bar:
        look = deformed_look(run, deformation, stress)
        write(target, _counted(frames(run, times, even, dpi, trace, (elev, azim), look), bar), fps, even)
    return ShownFile(target)


def frames(
    run: Trajectory,
    times: np.ndarray,
    size: tuple[int, int] = (640, 480),
    dpi: int = 100,
    trace: bool = True,
    view: View = (None, None),
    deformed: Deformed = AS_IT_IS,
) -> Iterator[np.ndarray]:
    """The picture at each of the times, as arrays of size height x width x 3."""
    style.need_matplotlib()
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    figure = style.figure_class()(figsize=(size[0] / dpi, size[1] / dpi), dpi=dpi, layout="constrained")
    canvas = FigureCanvasAgg(figure)
    ax = stage_of(run.system.space).new_axes(figure)
    scene = make_scene(run.at(times[0]), ax, run, view, deformed)
    if deformed.limit > 0.0:
        draw_legend(ax, deformed.limit)
    clock = ax.set_title(f"{run.model.name}, t = {times[0]:.3f} s", fontsize=10, color=style.INK)
    points = traced(run) if trace else []
    ghosts = draw_traces(ax, run, alpha=0.25) if trace else []
    nothing = np.zeros((run.system.space.dimensions, 0))
    look = {"linewidth": 1.6, "zorder": TRACE}
    trails = [ax.plot(*nothing, color=ghost.get_color(), **look)[0] for ghost in ghosts]
    follows = travels_far(run.at(times[0]), run)
    for artist in () if follows else (*scene.artists, *trails, clock):
        artist.set_animated(True)
    canvas.draw()
    limits, home = _limits(ax), _middle(run, times[0])
    background = canvas.copy_from_bbox(figure.bbox)
    paths = [run[point].position for point in points]
    for time in times:
        snapshot = run.at(float(time))
        scene.place(snapshot)
        clock.set_text(f"{run.model.name}, t = {time:.3f} s")
        done = int(np.searchsorted(run.times, time, "right"))
        for trail, path, point in zip(trails, paths, points, strict=True):
            scene.stage.bend(trail, np.vstack([path[:done], snapshot[point].position]))
        if follows:  # the axes go along: everything is redrawn
            for axis, (low, high), by in zip("xyz", limits, _middle(run, time) - home, strict=False):
                ax.set(**{f"{axis}lim": (low + by, high + by)})
            scene.place(snapshot)
            canvas.draw()
            yield np.asarray(canvas.buffer_rgba())[:, :, :3].copy()
            continue
        canvas.restore_region(background)
        for artist in (*scene.moving, *trails, clock):
            ax.draw_artist(artist)
        yield np.asarray(canvas.buffer_rgba())[:, :, :3].copy()


def _limits(ax: Axes) -> list[tuple[float, float]]:
    return [getattr(ax, f"get_{axis}lim")() for axis in "xyz"[: 3 if ax.name == "3d" else 2]]


def _middle(run: Trajectory, time: float) -> np.ndarray:
    """The mean position of all bodies."""
    snapshot = run.at(float(time))
    return np.mean([snapshot[body].position for body in run.system.bodies], axis=0)


def _counted(pictures: Iterator[np.ndarray], bar: Progress) -> Iterator[np.ndarray]:
    for done, picture in enumerate(pictures, start=1):
        bar.show(done)
        yield picture


def _write_gif(path: Path, pictures: Iterator[np.ndarray], fps: int, size: tuple[int, int]) -> None:
    first = next(pictures)
    palette = _palette(first)
    images = (_indexed(picture, palette) for picture in pictures)
    delay = max(round(100 / fps), 1) * 10  # GIF counts hundredths of a second
    start = _indexed(first, palette)
    start.save(path, save_all=True, append_images=images, duration=delay, loop=0, optimize=False)


def _palette(picture: np.ndarray) -> Any:
    """The most frequent colors of a picture: one palette for all frames, in which plain colors are exact."""
    from PIL import Image

    colors, counts = np.unique(picture.reshape(-1, 3), axis=0, return_counts=True)
    frequent = colors[np.argsort(-counts)]
    # Of similar colors only the most frequent: the search for the nearest is coarse and would miss plain white.
    _, firsts = np.unique(frequent >> 3, axis=0, return_index=True)
    frequent = frequent[np.sort(firsts)[:COLORS]]
    image = Image.new("P", (1, 1))
    image.putpalette(np.resize(frequent, (COLORS, 3)).tobytes())
    return image


def _indexed(picture: np.ndarray, palette: Any) -> Any:
    from PIL import Image

    return Image.fromarray(picture).quantize(palette=palette, dither=Image.Dither.NONE)


def _write_mp4(path: Path, pictures: Iterator[np.ndarray], fps: int, size: tuple[int, int]) -> None:
    try:
        import imageio_ffmpeg
    except ImportError as error:
        raise ImportError("MP4 needs imageio-ffmpeg: pip install 'cardan[plot]', or write a GIF") from error
    writer = imageio_ffmpeg.write_frames(
        str(path), size, fps=fps, codec="libx264", quality=8, macro_block_size=2, ffmpeg_log_level="error"
    )
    writer.send(None)
    try:
        for picture in pictures:
            writer.send(np.ascontiguousarray(picture))
    finally:
        writer.close()
