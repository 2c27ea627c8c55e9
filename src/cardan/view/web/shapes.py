"""What a page draws: the shapes of the pictures (`drawing.py`), numbered and packed.

Bodies and elements are numbers, the ground is 0; a page can highlight the element of a shape. Equal shapes are stored
once. Pivots are joints on the ground that users can drag in a live page.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.elements.constraints.driver import Driver
from cardan.elements.constraints.two_marker_joint import TwoMarkerJoint
from cardan.errors import CardanError, ModelError, warn
from cardan.view import style
from cardan.view.shapes.drawing import Drawing, Shape, Strand
from cardan.view.shapes.skin import has_skin, skins_of
from cardan.view.sketch import reach_of, traced
from cardan.view.stage.scene import in_strand, sized_drawing
from cardan.view.stage.stage import Poses, poses, stage_of
from cardan.view.web.encode import Blob
from cardan.view.web.skins import describe_skins

if TYPE_CHECKING:
    from cardan.model.body import RigidBody
    from cardan.model.marker import Marker
    from cardan.results.snapshot import Snapshot
    from cardan.results.trajectory import Trajectory

PIVOTS = ("Revolute", "Spherical", "Universal", "RevoluteTranslational", "Cylindrical")  # joints with a place
MOST_NAMES = 60


@dataclass
class Scene:
    """The drawing of a model, with the data that move it to other positions."""

    snapshot: Any
    drawing: Drawing
    bodies: list[Any]  # ground first
    elements: list[Any]
    pivots: list[Any]  # joints on the ground
    pins: list[Any]  # joints between bodies that move
    notes: list[str] = field(default_factory=list)
    meshes: list[Shape] = field(default_factory=list)

    @property
    def strands(self) -> list[Strand]:
        return self.drawing.strands


def make_scene(snapshot: Snapshot, run: Trajectory, meshes: Mapping[Any, Any] | None = None) -> Scene:
    """The scene of a model at an instant of a run; `meshes` are surfaces by body or its name."""
    system = snapshot.system
    where = poses(snapshot)
    drawing, _ = sized_drawing(stage_of(system.space), snapshot.model, where, reach_of(run))
    bodies = [snapshot.model.ground, *system.bodies]
    elements = [element for element in snapshot.model if all(id(body) in where for body in element.bodies())]
    joints = [e for e in elements if isinstance(e, TwoMarkerJoint) and type(e).__name__ in PIVOTS]
    pivots = [joint for joint in joints if bodies[0] in joint.bodies()]
    scene = Scene(snapshot, drawing, bodies, elements, pivots, [joint for joint in joints if joint not in pivots])
    _add_solids(scene)
    for key, source in (meshes or {}).items():
        _add_mesh(scene, key, source)
    bare = not any(has_skin(body) for body in bodies)
    if bare and not drawing.shapes and not drawing.rods and not drawing.strands and not scene.meshes:
        scene.notes.append("No body of this model has a shape or a joint to show it by: dots are their origins.")
        scene.meshes += [Shape("point", body, np.zeros((1, system.space.dimensions))) for body in system.bodies]
        drawing.names += [(body.name, body.at()) for body in system.bodies]
    return scene


def describe(scene: Scene, blob: Blob) -> dict[str, Any]:
    """The part of a document that says what is drawn."""
    number = {id(body): k for k, body in enumerate(scene.bodies)}
    place = {element.name: k for k, element in enumerate(scene.elements)}
    replaced = {id(shape.body) for shape in scene.meshes}
    shown = [s for s in scene.drawing.shapes if id(s.body) not in replaced or s.element]
    shapes = [shape for shape in (*shown, *scene.meshes) if len(shape.points)]
    geometries, stored = _stored(shapes, blob)
    pivots = _carried(scene)
    names = [
        {"text": text, "at": end_of(number, marker)}
        for text, marker in scene.drawing.names
        if id(marker.body) in number
    ]
    return {
        "unit": scene.drawing.unit,
        "bodies": [_body(body, k) for k, body in enumerate(scene.bodies)],
        "elements": [
            {
                "name": element.name,
                "type": type(element).__name__,
                "bodies": sorted({number[id(body)] for body in element.bodies()}),
            }
            for element in scene.elements
        ],
        "shapes": [
            {
                "kind": s.kind,
                "body": number[id(s.body)],
                "element": place.get(s.element, -1),
                "pivot": pivots.get(s.element, -1) if s.body is scene.bodies[0] else -1,
                "points": g,
                **({"paint": s.paint} if s.paint else {}),
                **({"interface": s.interface} if s.interface else {}),
            }
            for s, g in zip(shapes, stored, strict=True)
        ],
        "geometries": geometries,
        "rods": [
            {
                "kind": r.kind,
                "a": end_of(number, r.a),
                "b": end_of(number, r.b),
                "element": place.get(r.element, -1),
                **({"barrel": r.barrel} if r.barrel else {}),
            }
            for r in scene.drawing.rods
        ],
        "strands": [len(in_strand(strand, poses(scene.snapshot))) for strand in scene.strands],
        "names": names if len(names) <= MOST_NAMES else [],
        "traces": [
            {"text": point.name, "at": end_of(number, point.marker)}
            for point in traced(scene.snapshot)
            if id(point.marker.body) in number
        ],
        "pivots": [
            {"name": joint.name, "element": place[joint.name], "at": end_of(number, grounded(joint, scene.bodies[0]))}
            for joint in scene.pivots
        ],
        "skins": describe_skins(scene, number, blob),
        "pins": [
            {"name": joint.name, "element": place[joint.name], "at": end_of(number, joint.b)} for joint in scene.pins
        ],
    }


def strand_table(scene: Scene, stored: np.ndarray, modal: np.ndarray | None = None) -> np.ndarray | None:
    """The points of all ropes and belts, one line for each of the stored positions of all bodies, and of all modal
    coordinates if bodies deform."""
    if not scene.strands:
        return None
    instants = (placed(scene, q, None if modal is None else modal[k]) for k, q in enumerate(stored))
    return np.stack([np.concatenate([in_strand(s, where).ravel() for s in scene.strands]) for where in instants])


def placed(scene: Scene, stored: np.ndarray, modal: np.ndarray | None = None) -> Poses:
    """Where bodies are, by what is stored of them, ground included, and by all modal coordinates if they deform."""
    places, turns = stage_of(scene.snapshot.system.space).frames(stored)
    where = Poses({id(body): (places[k], turns[k]) for k, body in enumerate(scene.bodies)})
    skins = skins_of(scene.snapshot.system)
    eta = np.zeros(sum(skin.part.modes for skin in skins)) if modal is None else modal
    return where.deform(skins, eta, 1.0)


def _stored(shapes: list[Shape], blob: Blob) -> tuple[list[dict[str, Any]], list[int]]:
    """Every different set of points once, and for each shape which it is."""
    finite = [np.abs(shape.points[np.isfinite(shape.points)]).max(initial=0.0) for shape in shapes]
    size = max(finite, default=0.0) or 1.0
    known: dict[tuple[int, bytes], int] = {}
    geometries: list[dict[str, Any]] = []
    which: list[int] = []
    for shape in shapes:
        key = (shape.points.shape[1], np.round(shape.points / size, 7).tobytes())
        if key not in known:
            known[key] = len(geometries)
            geometries.append(blob.points(shape.points, size))
        which.append(known[key])
    return geometries, which


def _body(body: RigidBody, k: int) -> dict[str, Any]:
    facts = [f"mass: {body.matter.mass:.6g} kg"] if k and body.matter.mass else []
    return {"name": body.name, "colors": style.colors_of(body, k - 1), "facts": facts, "movable": k > 0}


def end_of(number: dict[int, int], marker: Marker) -> dict[str, Any]:
    interface = getattr(marker, "interface", "")
    end = {"body": number[id(marker.body)], "point": [float(x) for x in marker.place]}
    return end | ({"interface": interface} if interface else {})


def grounded(joint: Any, ground: Any) -> Any:
    return joint.a if joint.a.body is ground else joint.b


def _carried(scene: Scene) -> dict[str, int]:
    """Which pivot carries the shapes of an element: its own, or that of the joint that a driver drives."""
    found = {joint.name: k for k, joint in enumerate(scene.pivots)}
    places = {tuple(grounded(joint, scene.bodies[0]).place): k for k, joint in enumerate(scene.pivots)}
    for element in scene.elements:
        if isinstance(element, Driver):
            ends = [m for _, measure in element.measure.parts() for m in measure.markers() if m.body is scene.bodies[0]]
            for marker in ends:
                if tuple(marker.place) in places:
                    found[element.name] = places[tuple(marker.place)]
    return found


def _add_solids(scene: Scene) -> None:
    """The solids of an imported model, in the colors of its file."""
    from cardan.io.imported import FileModel
    from cardan.io.solids import faces_of

    model = scene.snapshot.model
    if not isinstance(model, FileModel):
        return
    for body in scene.bodies:
        for solid in model.solids.get(body.name, ()):
            faces = faces_of(solid)
            if solid.drawn and len(faces):
                scene.meshes.append(Shape("mesh", body, faces, paint=solid.paint))


def _add_mesh(scene: Scene, key: Any, source: Any) -> None:
    """A surface in the frame of a body; one that cannot be read is named, and the body is drawn by its joints."""
    body = scene.snapshot.model[key] if isinstance(key, str) else key
    if all(body is not other for other in scene.bodies):
        raise ModelError(f"meshes= names {getattr(body, 'title', body)!r}, which is not a body of this result")
    if scene.snapshot.system.space.dimensions == 2:
        raise ModelError(f"'{body.name}' is a planar body: it takes an outline, not a mesh")
    try:
        corners = _triangles(source)
    except (CardanError, ImportError) as error:
        text = f"The mesh of '{body.name}' is missing, its joints show it: {error}"
        warn(text)
        scene.notes.append(text)
        return
    pieces = np.concatenate([corners, np.full((len(corners), 1, 3), np.nan)], axis=1)
    scene.meshes[:] = [shape for shape in scene.meshes if shape.body is not body]
    scene.meshes.append(Shape("mesh", body, pieces.reshape(-1, 3)))


def _triangles(source: Any) -> np.ndarray:
    """The corners of the triangles of a file, or of a `trimesh.Trimesh`: shape (triangles, 3, 3)."""
    from cardan.io.surface import read_surface

    if isinstance(source, str | Path):
        surface = read_surface(Path(source))
        return np.asarray(surface.vertices, float)[np.asarray(surface.triangles, int)]
    if not (hasattr(source, "vertices") and hasattr(source, "faces")):
        raise ModelError(f"a mesh is the path of a file or a trimesh.Trimesh, got {type(source).__name__}")
    return np.asarray(source.vertices, float)[np.asarray(source.faces, int)]
