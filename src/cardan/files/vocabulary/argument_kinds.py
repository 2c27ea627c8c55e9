"""Kinds of arguments, see `kind`, from their annotations.

    radius: Length                          number(length), see `cardan.model.dimensions`
    a: Marker                               marker
    of: Sequence[Readable]                  [measure]
    normal: float | Signal                  signal

Arguments whose annotation is not specific, such as tuples of numbers, are listed by name, or by `Class.argument`.
"""

from __future__ import annotations

import re
from typing import Annotated, get_origin

from cardan.model import dimensions

NAMES = {
    "bool": "flag",
    "str": "text",
    "int": "integer",
    "AnyMarker": "marker",
    "Marker": "marker",
    "M": "marker",
    "Readable": "measure",
    "Measure": "measure",
    "Signal": "signal",
    "SignalLike": "signal",
    "Outline": "outline",
    "Surface": "surface",
    "Road": "road",
    "TireData | MagicFormula": "tire_data",
    "Position": "point(length)",
    "Velocity": "point(length/time)",
    "Direction": "numbers(1)",
    "Follower": "follower",
    "Segment": "segment",
    "Condition": "condition",
    "FlexiblePart": "part",
    "Modes": "integer | [integer]",
    "SurfacePair": "touch",
    "OrientationLike": "orientation",
    "OutlineLike": "numbers(length)",
    "Sequence[OutlineLike]": "numbers(length)",
    "Pulley": "pulley",
    "Constraint": "element",
    "Mapping[str, float]": "{number(any)}",
    **{
        name: f"number({alias.__metadata__[0].text})"
        for name, alias in vars(dimensions).items()
        if get_origin(alias) is Annotated
    },
}
KINDS = {
    "A": "numbers(si)",
    "B": "numbers(si)",
    "C": "numbers(si)",
    "D": "numbers(si)",
    "contact": "number(angle) | flag",
    "curve": "motion(W; V)",
    "den": "numbers(si)",
    "gains": "numbers(any)",
    "limits": "numbers(si)",
    "num": "numbers(si)",
    "parameters": "numbers(any)",
    "points": "[numbers(length)]",
    "scale": "number(any)",
    "scales": "numbers(any)",
    "span": "numbers(any)",
    "start": "numbers(si)",
    "triangles": "numbers(1)",
    "vertices": "[numbers(length)]",
    "wind": "[motion(length/time; time)]",
    # where a class or function has its own meaning; of motions, V is the value and X the argument
    "Beam.shear_factor": "numbers(1)",
    "Body.angular_velocity": "numbers(angle/time)",
    "Body.angular_velocity_b": "point(angle/time)",
    "Body.inertia": "numbers(mass*length^2)",
    "Body.mass": "number(mass) | matter",
    "Bushing.curves": "curves(W; V)",
    "Bushing.damping": "components(W*time/V)",
    "Bushing.preload": "components(W)",
    "Bushing.rest_displacement": "components(V)",
    "Bushing.stiffness": "components(W/V)",
    "CamProfile.law": "motion(length; angle)",
    "CurveCoupler.curve": "motion(V; X)",
    "Device.states": "{number(any)}",
    "Driver.motion": "motion(V; time)",
    "FlexibleBody.angular_velocity": "numbers(angle/time)",
    "FlexibleBody.angular_velocity_b": "point(angle/time)",
    "FlexibleBody.damping": "number(1) | text | [number(1)] | {number(any)}",
    "FlexibleBody.deformation": "numbers(any)",
    "FlexibleBody.deformation_rate": "numbers(any)",
    "Load.force": "[motion(force; time)]",
    "LookupTable.curve": "motion(si; si)",
    "Polynomial.coefficients": "powers(V; X)",
    "RockerCamProfile.law": "motion(angle; angle)",
    "Road.packed": "extended(si)",
    "SecondOrder.K": "numbers(si)",
    "SecondOrder.M": "numbers(si)",
    "SecondOrder.start_rate": "numbers(si)",
    "Spring.force": "motion(W; time)",
    "Spring.rate_curve": "motion(W; V/time)",
    "Torque.torque": "motion(force*length; time) | [motion(force*length; time)]",
    "Wing.drag": "motion(1; angle)",
    "Wing.lift": "motion(1; angle)",
    "beam_part.interfaces": "{[integer] | connection | text}",
    "beam_part.material": "material | text",
    "beam_part.section": "number(length) | section",
    "connection.nodes": "[integer] | text",
    "connection.orientation": "numbers(1)",
    "connection.point": "[number(length)]",
    "connection.weights": "[number(1)]",
    "from_angles.angles": "[number(angle)]",
    "from_matrix.A": "numbers(1)",
    "from_mesh.source": "path",
    "from_points.R": "numbers(length)",
    "from_rotation_vector.theta": "[number(angle)]",
    "matter.center": "point(length)",
    "matter.inertia": "numbers(mass*length^2)",
    "matter.shape": "[extended(length)]",
    "modal_coordinate.body": "element",
    "part_file.file": "path",
    "plate_part.interfaces": "{[integer] | connection | text}",
    "plate_part.material": "material | text",
    "road.along.heights": "[number(length)]",
    "road.along.x": "[number(length)]",
    "road.grid.heights": "numbers(length)",
    "road.grid.x": "[number(length)]",
    "road.grid.y": "[number(length)]",
    "road.tracks.left": "[number(length)]",
    "road.tracks.right": "[number(length)]",
    "road.tracks.x": "[number(length)]",
    "road.tracks.y": "[number(length)]",
    "section.outline": "numbers(length)",
    "with_turns.p": "numbers(1)",
    "with_turns.theta": "[number(angle)]",
}


def kind_of(owner: str, name: str, annotation: str) -> str | None:
    """The kind of an argument of a class or function; None if it is unknown."""
    found = KINDS.get(f"{owner}.{name}") or _derived(annotation) or KINDS.get(name)
    return found or ("number(si)" if annotation.removesuffix(" | None") == "float" else None)


def _derived(annotation: str) -> str | None:
    """The kind that an annotation determines; None if it is not specific."""
    plain = annotation.removesuffix(" | None").removesuffix(" | np.ndarray")
    if plain in NAMES:
        return NAMES[plain]
    if plain.startswith("Callable["):
        return "function"
    if plain == "float | Signal":
        return "signal"
    parts = re.split(r" \| (?![^\[]*\])", plain)
    if len(parts) > 1:
        kinds = [_derived(part) for part in parts]
        if kinds[1:] == [f"[{kinds[0]}]"]:  # one, or a list of them
            return kinds[1]
        return None if None in kinds else " | ".join(str(kind) for kind in kinds)
    listed = re.fullmatch(r"(?:Sequence|tuple)\[(\w+)(?:, \.\.\.|, \1)?\]", plain) or re.fullmatch(
        r"Sequence\[(.*)\]", plain
    )
    inner = _derived(listed[1]) if listed else None
    return f"[{inner}]" if inner else None
