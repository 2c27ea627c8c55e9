"""Kinds of arguments, see `kind`, from their annotations.

    radius: Length                          number(length), see `cardan.model.dimensions`
    a: Marker                               marker
    of: Sequence[Readable]                  [measure]
    normal: float | Signal                  signal

Arguments whose annotation is not specific, such as tuples of numbers, are listed by name, or by `Class.argument`.
"""

from __future__ import annotations

import re
from typing import get_args

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
    "Pulley": "pulley",
    "Constraint": "element",
    "Mapping[str, float]": "{number(any)}",
    **{name: f"number({get_args(alias)[1].text})" for name, alias in vars(dimensions).items() if get_args(alias)[1:]},
}
KINDS = {
    "A": "numbers(si)",
    "B": "numbers(si)",
    "C": "numbers(si)",
    "D": "numbers(si)",
    "angles": "[number(angle)]",
    "areas": "[number(length^2)]",
    "center": "point(length)",
    "contact": "number(angle) | flag",
    "curve": "motion(W; V)",
    "den": "numbers(si)",
    "gains": "numbers(any)",
    "inputs": "[signal]",
    "limits": "numbers(si)",
    "mass": "number(mass)",
    "num": "numbers(si)",
    "outputs": "[text]",
    "parameters": "numbers(any)",
    "points": "[numbers(length)]",
    "radii": "[number(length)]",
    "scale": "number(any)",
    "scales": "numbers(any)",
    "span": "numbers(any)",
    "start": "numbers(si)",
    "triangles": "numbers(1)",
    "vertices": "[numbers(length)]",
    "volumes": "[number(length^3)]",
    "wind": "[motion(length/time; time)]",
    # where a class or function has its own meaning; of motions, V is the value and X the argument
    "Beam.shear_factor": "numbers(1)",
    "Body.angular_velocity": "numbers(angle/time)",
    "Body.angular_velocity_b": "point(angle/time)",
    "Body.inertia": "numbers(mass*length^2)",
    "Body.mass": "number(mass) | matter",
    "Body.orientation": "orientation",
    "Body.outline": "numbers(length)",
    "Body.position": "point(length)",
    "Body.velocity": "point(length/time)",
    "Bushing.curves": "curves(W; V)",
    "Bushing.damping": "components(W*time/V)",
    "Bushing.preload": "components(W)",
    "Bushing.rest_displacement": "components(V)",
    "Bushing.stiffness": "components(W/V)",
    "CamProfile.follower": "follower",
    "CamProfile.law": "motion(length; angle)",
    "CamFlat.length": "[number(length)]",
    "Condition.acceleration": "number(V/(X)^2)",
    "Condition.at": "number(X)",
    "Condition.jerk": "number(V/(X)^3)",
    "Condition.rate": "number(V/X)",
    "Condition.value": "number(V)",
    "Constant.value": "number(V)",
    "CurveCoupler.curve": "motion(V; X)",
    "Device.states": "{number(any)}",
    "Driver.motion": "motion(V; time)",
    "Dwell.duration": "number(X)",
    "Harmonic.amplitude": "number(V)",
    "Harmonic.frequency": "number(angle/X)",
    "Harmonic.offset": "number(V)",
    "Harmonic.phase": "number(angle)",
    "FlexibleBody.angular_velocity": "numbers(angle/time)",
    "FlexibleBody.angular_velocity_b": "point(angle/time)",
    "FlexibleBody.damping": "number(1) | text | [number(1)] | {number(any)}",
    "FlexibleBody.deformation": "numbers(any)",
    "FlexibleBody.deformation_rate": "numbers(any)",
    "FlexibleBody.modes": "integer | [integer]",
    "FlexibleBody.orientation": "orientation",
    "FlexibleBody.outline": "numbers(length)",
    "FlexibleBody.part": "part",
    "FlexibleBody.position": "point(length)",
    "FlexibleBody.velocity": "point(length/time)",
    "HydraulicCylinder.start": "[number(force/length^2)]",
    "Load.force": "[motion(force; time)]",
    "Junction.position": "point(length)",
    "LookupTable.curve": "motion(si; si)",
    "MotionProgram.segments": "[segment]",
    "MotionProgram.start_time": "number(X)",
    "MotionProgram.start_value": "number(V)",
    "Move.duration": "number(X)",
    "Move.to_value": "number(V)",
    "MoveThrough.conditions": "[condition]",
    "PointMass.mass": "number(mass)",
    "PointMass.position": "point(length)",
    "PointMass.velocity": "point(length/time)",
    "Polynomial.coefficients": "powers(V; X)",
    "Ramp.rate": "number(V/X)",
    "Ramp.start": "number(V)",
    "RockerCamProfile.follower": "follower",
    "RockerCamProfile.law": "motion(angle; angle)",
    "Road.packed": "extended(si)",
    "SecondOrder.K": "numbers(si)",
    "SecondOrder.M": "numbers(si)",
    "SecondOrder.force": "function",
    "SecondOrder.start_rate": "numbers(si)",
    "Spline.rates": "[number(V/X)]",
    "Spline.times": "[number(X)]",
    "Spline.values": "[number(V)]",
    "Spring.force": "motion(W; time)",
    "Spring.rate_curve": "motion(W; V/time)",
    "Step.end_time": "number(X)",
    "Step.from_value": "number(V)",
    "Step.start_time": "number(X)",
    "Step.to_value": "number(V)",
    "Torque.torque": "motion(force*length; time) | [motion(force*length; time)]",
    "Wing.drag": "motion(1; angle)",
    "Wing.lift": "motion(1; angle)",
    "beam_part.interfaces": "{[integer] | connection | text}",
    "beam_part.length": "number(length)",
    "beam_part.material": "material | text",
    "beam_part.section": "number(length) | section",
    "beam_part.up_to": "number(angle/time)",
    "circle_section.diameter": "number(length)",
    "circle_section.nu": "number(1)",
    "connection.nodes": "[integer] | text",
    "connection.orientation": "numbers(1)",
    "connection.point": "[number(length)]",
    "connection.weights": "[number(1)]",
    "extrusion.holes": "numbers(length)",
    "extrusion.outline": "numbers(length)",
    "from_axes.x": "numbers(1)",
    "from_axes.y": "numbers(1)",
    "from_axes.z": "numbers(1)",
    "from_axis_angle.angle": "number(angle)",
    "from_axis_angle.axis": "numbers(1)",
    "from_matrix.A": "numbers(1)",
    "from_mesh.source": "path",
    "from_points.P": "numbers(length)",
    "from_points.Q": "numbers(length)",
    "from_points.R": "numbers(length)",
    "from_rotation_vector.theta": "[number(angle)]",
    "material.E": "number(force/length^2)",
    "material.density": "number(mass/length^3)",
    "material.nu": "number(1)",
    "matter.inertia": "numbers(mass*length^2)",
    "matter.shape": "[extended(length)]",
    "measure.touch": "touch",
    "modal_coordinate.body": "element",
    "part_file.file": "path",
    "plate_part.elements": "[integer]",
    "plate_part.interfaces": "{[integer] | connection | text}",
    "plate_part.length": "number(length)",
    "plate_part.material": "material | text",
    "plate_part.thickness": "number(length)",
    "plate_part.up_to": "number(angle/time)",
    "plate_part.width": "number(length)",
    "moved.by": "point(length)",
    "polygon.holes": "numbers(length)",
    "polygon.outline": "numbers(length)",
    "road.along.heights": "[number(length)]",
    "road.along.x": "[number(length)]",
    "road.grid.heights": "numbers(length)",
    "road.grid.x": "[number(length)]",
    "road.grid.y": "[number(length)]",
    "road.tracks.left": "[number(length)]",
    "road.tracks.right": "[number(length)]",
    "road.tracks.x": "[number(length)]",
    "road.tracks.y": "[number(length)]",
    "rectangle_section.height": "number(length)",
    "rectangle_section.nu": "number(1)",
    "rectangle_section.width": "number(length)",
    "rod_between.end": "point(length)",
    "rod_between.start": "point(length)",
    "section.Iy": "number(length^4)",
    "section.Iz": "number(length^4)",
    "section.J": "number(length^4)",
    "section.area": "number(length^2)",
    "section.outline": "numbers(length)",
    "section.shear_y": "number(1)",
    "section.shear_z": "number(1)",
    "tube_section.inner": "number(length)",
    "tube_section.nu": "number(1)",
    "tube_section.outer": "number(length)",
    "turned.angle": "number(angle)",
    "turned.orientation": "orientation",
    "turned.x": "numbers(1)",
    "turned.y": "numbers(1)",
    "turned.z": "numbers(1)",
    "with_turns.p": "numbers(1)",
    "with_turns.theta": "[number(angle)]",
}


def kind_of(owner: str, name: str, annotation: str) -> str | None:
    """The kind of an argument of a class or function; None if it is unknown."""
    found = KINDS.get(f"{owner}.{name}") or _derived(annotation) or KINDS.get(name)
    return found or ("number(si)" if annotation.removesuffix(" | None") == "float" else None)


def _derived(annotation: str) -> str | None:
    """The kind that an annotation determines; None if it is not specific."""
    plain = annotation.removesuffix(" | None")
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
    listed = re.fullmatch(r"Sequence\[(.*)\]", plain)
    inner = _derived(listed[1]) if listed else None
    return f"[{inner}]" if inner else None
