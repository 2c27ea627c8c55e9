"""Pictures that the pages show: a sketch of each element, a block for each device, a small picture of each example."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import element_models
import numpy as np
import spatial_models

from cardan import assemble
from cardan.elements.control.source import Source
from cardan.elements.forces.load import Load
from cardan.elements.forces.torque import Torque
from cardan.elements.point import Point
from cardan.model.measure import Readable
from cardan.view import style
from cardan.view.shapes.loads import draw_loads
from cardan.view.sketch import draw_traces, make_scene
from cardan.view.stage.labels import write_names
from cardan.view.stage.scene import in_strand, in_world
from cardan.view.stage.stage import poses, stage_of

SIZE = 4.4, 3.0  # inches of a sketch of an element
SYMBOL = 0.055  # of its size: joints are what it is about
UNNAMED = re.compile(r"([a-z_]+\d+)?")  # names that a model made up
ALIASES = {"revolute_translational": "slot", "pin_in_slot": "slot"}  # of the plane: page and model that shows it
# What stands in the block of a device, and what goes into it.
BLOCKS = {
    "PID": ("$k_p e + k_i\\!\\int\\! e\\,dt + k_d\\,\\dot e$", ("input", "setpoint")),
    "Sum": ("$\\sum_j g_j u_j + c$", ("inputs",)),
    "Lag": ("$\\frac{\\mathrm{gain}}{T s + 1}$", ("input",)),
    "Integrator": ("$\\frac{\\mathrm{gain}}{s}$", ("input",)),
    "StateSpace": ("$\\dot x = A x + B u$\n$y = C x + D u$", ("inputs",)),
    "SecondOrder": ("$M \\ddot q + D \\dot q + K q$\n$= B u + f$", ("inputs",)),
    "TransferFunction": ("$\\frac{\\mathrm{num}(s)}{\\mathrm{den}(s)}$", ("input",)),
    "Saturation": ("limits", ("input",)),
    "LookupTable": ("table", ("input",)),
    "Sensor": ("gain, lag,\nresolution, limits", ("of",)),
    "Sampled": ("function,\nonce in a period", ("inputs",)),
    "Controller": ("function and\nits states", ("inputs",)),
}
SHAPES = {  # curves in the block, over -1 to 1
    "Saturation": ([-1.0, -0.45, 0.45, 1.0], [-0.6, -0.6, 0.6, 0.6]),
    "LookupTable": (np.linspace(-1.0, 1.0, 9), [-0.7, -0.6, -0.2, 0.3, 0.1, 0.0, 0.3, 0.6, 0.65]),
}


def draw_element(item: type, home: str, path: Path) -> bool:
    """Write the sketch of an element; False if there is none to show."""
    if issubclass(item, Source):
        figure = _block(item.__name__)
    else:
        build = _model_of(item.__name__, home)
        if build is None:
            return False
        figure = _sketch(build, item.__name__)
    _save(figure, path, 100)
    return True


def draw_thumbnail(result: Any, path: Path) -> None:
    """The mechanism alone, without axes and names, with the paths of its points."""
    snapshot, run = _instant(result)
    flat = snapshot.system.space.dimensions == 2
    scene = make_scene(snapshot, None, run if flat else None)  # in space the room of a motion would leave little of it
    if run is not None:
        draw_traces(scene.ax, run)
    scene.ax.set_axis_off()
    _save(scene.ax.figure, path, 80)


def _save(figure: Any, path: Path, dpi: int) -> None:
    """A figure without the empty paper around it."""
    from PIL import Image, ImageChops, ImageOps

    figure.savefig(path, dpi=dpi)
    with Image.open(path) as opened:
        page = opened.convert("RGB")
    drawn = ImageChops.difference(page, Image.new("RGB", page.size, page.getpixel((0, 0)))).getbbox()
    ImageOps.expand(page.crop(drawn), border=8, fill="white").save(path)


def _instant(result: Any) -> tuple[Any, Any]:
    """The instant that shows a result best, and the motion that it belongs to, unless that goes far."""
    from cardan.results.trajectory import Trajectory
    from cardan.view.figures.overview import shown_instant

    if isinstance(result, Trajectory):
        return shown_instant(result)
    if hasattr(result, "rests"):
        return result.rests[len(result.rests) // 3], None
    return (result if hasattr(result, "q") else result[0]), None


def _model_of(name: str, home: str) -> Any:
    """The function that builds the small mechanism of an element, planar if there is one."""
    word = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()
    flat, deep = getattr(element_models, ALIASES.get(word, word), None), getattr(spatial_models, word, None)
    return deep if home == "spatial" else flat or deep


def _sketch(build: Any, name: str) -> Any:
    from cardan import planar, spatial

    space = spatial if build.__module__ == spatial_models.__name__ else planar
    model = space.Model(name)
    build(model)
    snapshot = assemble(model)
    stage = stage_of(model.space)
    usual, stage.symbol_size = stage.symbol_size, SYMBOL
    scene = make_scene(snapshot, stage.new_axes(style.new_figure(*SIZE)))
    stage.symbol_size = usual
    where = poses(snapshot)
    shown = {word for word, _ in scene.drawing.names}
    for element in model:
        if not UNNAMED.fullmatch(element.name) and element.name not in shown and not _is_named(element):
            place = _place_of(scene, element, where)
            if place is not None:
                scene.drawing.names.append((element.name, model.ground.at(*place)))
    scene.drawing.names = [(word, marker) for word, marker in scene.drawing.names if not UNNAMED.fullmatch(word)]
    if not any(isinstance(element, Point) and not UNNAMED.fullmatch(element.name) for element in model):
        for artist in scene.artists:  # points that only give bodies their length
            artist.set_visible(not str(artist.get_gid()).endswith(":point"))
    scene.ax.set_axis_off()
    draw_loads(scene, snapshot, names=True)
    scene.ax.figure.draw_without_rendering()
    write_names(scene, snapshot)
    return scene.ax.figure


def _is_named(element: Any) -> bool:
    """Whether a sketch names it anyway: bodies and loads."""
    return hasattr(element, "outline") or isinstance(element, Load | Torque)


def _place_of(scene: Any, element: Any, where: Any) -> Any:
    """The middle of what is drawn of an element, in the world; of what is not drawn, the place that it acts at."""
    for rod in scene.drawing.rods:
        if rod.element == element.name:
            return 0.5 * (in_world(rod.a, where) + in_world(rod.b, where))
    for shape in scene.drawing.shapes:
        if shape.element == element.name:
            turned, frame = where[id(shape.body)][1], where[id(shape.body)][0]
            return turned @ np.nanmean(shape.points, axis=0) + frame
    if scene.drawing.strands:
        return np.mean(in_strand(scene.drawing.strands[0], where), axis=0)
    measures = [value for value in vars(element).values() if isinstance(value, Readable)]
    markers = [m.b for measure in measures for _, m in measure.parts() if m.b is not None]
    markers += [value for value in vars(element).values() if hasattr(value, "place") and hasattr(value, "body")]
    of = getattr(element, "of", None)
    markers += [of.b] if hasattr(of, "b") else []
    return in_world(markers[0], where) if markers else None


def _block(name: str) -> Any:
    """A device as a block: what goes in, what it does, what comes out."""
    words, inputs = BLOCKS[name]
    figure = style.new_figure(4.4, 1.5)
    ax = figure.add_subplot()
    ax.set(xlim=(0.0, 4.4), ylim=(0.0, 1.5))
    ax.set_axis_off()
    fill, edge = style.BODIES[0]
    from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

    round_ = "round,pad=0,rounding_size=0.06"
    ax.add_patch(FancyBboxPatch((1.25, 0.3), 1.9, 0.9, boxstyle=round_, facecolor=fill + "60", edgecolor=edge))
    if name in SHAPES:
        across, up = (np.asarray(values, float) for values in SHAPES[name])
        ax.plot(2.2 + 0.7 * across, 0.75 + 0.35 * up, color=edge, linewidth=1.8)
    else:
        ax.text(2.2, 0.75, words, ha="center", va="center", fontsize=13 if "$" in words else 9.5, color=style.INK)
    ends = [(0.15, 1.25, y, word) for y, word in zip(np.linspace(1.5, 0.0, len(inputs) + 2)[1:-1], inputs, strict=True)]
    for start, end, y, word in [*ends, (3.15, 4.25, 0.75, "output")]:
        look = {"arrowstyle": "-|>", "mutation_scale": 11.0, "color": style.INK, "linewidth": 1.3}
        ax.add_patch(FancyArrowPatch((start, y), (end, y), shrinkA=0.0, shrinkB=0.0, **look))
        ax.text(0.5 * (start + end), y + 0.06, word, ha="center", va="bottom", fontsize=9, color=style.INK)
    return figure
