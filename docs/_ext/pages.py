"""Pages made from the source: the reference and the gallery.

    every element of either space    ->  elements/generated/<space>/<Name>.md      sketch, docstring and members
    every other public name          ->  elements/generated/<group>/<name>.md      signature and docstring
    every module of cardan.examples  ->  gallery/generated/<name>.md, <name>.png   docstring, picture, number, source

A public name without a page is a warning, and an error of the build.
"""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

from gallery import gallery_cards, gallery_pages, is_drawn, paragraphs
from reference import element_pages, module_pages, vocabularies
from sphinx.application import Sphinx
from sphinx.util import logging

log = logging.getLogger(__name__)

ORPHAN = "---\norphan: true\n---\n\n"  # cards and tables lead to the page; the sidebar, part of every page, stays short

ALIAS = re.compile(r"TypeAliasForwardRef\('(\w+)'\)")  # what autodoc makes of an alias within another type
LIST_ITEM = re.compile(r"(?:[-*]|\d+[.)]) +")
PROSE_MARKS = re.compile(r"(`[^`]*`)|([*|]|_\b|\b_)")  # what reStructuredText would take for markup, outside `code`
# Everything public that is not an element: title, module, and the members, all of them if none are named.
MODULES = {
    "words": {
        "measures": ("Planar measures", "cardan.planar.measures", ""),
        "measures-of-space": ("Spatial measures", "cardan.spatial.measures", ""),
        "combinations": ("Combinations of measures", "cardan.model.measure", ""),
        "joints": ("Common to all joints", "cardan.elements.constraints.two_marker_joint", "TwoMarkerJoint"),
        "motions": ("Motions", "cardan.model.curves.motion", ""),
        "motion-programs": ("Motion programs", "cardan.model.curves.motion_program", "MotionProgram"),
        "segments": (
            "Segments of motion programs",
            "cardan.model.curves.motion_segments",
            "Move, Dwell, MoveThrough, Condition",
        ),
        "outlines": ("Cam and slot outlines", "cardan.model.curves.profile", ""),
        "cam-profiles": ("Cam profiles", "cardan.planar.cams.cam_profile", "CamProfile, RockerCamProfile"),
        "cam-followers": (
            "Followers of designed cams",
            "cardan.planar.cams.cam_followers",
            "TranslatingRoller, TranslatingFlat, SwingingRoller, SwingingFlat",
        ),
        "outlines-in-space": ("Spatial curves", "cardan.spatial.curve", ""),
        "rotation": ("Orientation", "cardan.spatial.rotation", ""),
        "forces": ("Common to all forces", "cardan.model.force", "Force, Law"),
        "surfaces": ("Planar contact surfaces", "cardan.planar.surfaces", "Disk, Face, Rim"),
        "surfaces-of-space": ("Spatial contact surfaces", "cardan.spatial.surfaces", "Ball, Face, Mesh"),
        "roads": ("Roads", "cardan.model.curves.road", "Road, WheelRoadPair, wheel_on_road"),
        "sections": ("Sections of rods", "cardan.elements.rods.section", "Section"),
        "rods": ("Planar rods", "cardan.planar.rod", "add_rod"),
        "rods-of-space": ("Spatial rods", "cardan.spatial.rods.rod", "add_rod"),
        "rod": ("Rod", "cardan.elements.rods.rod", "Rod"),
        "planetary-sets": ("Planar planetary gears", "cardan.planar.joints.planetary", "add_planetary"),
        "planetary-sets-of-space": ("Spatial planetary gears", "cardan.spatial.joints.planetary", "add_planetary"),
        "planetary-set": ("PlanetarySet", "cardan.elements.gears.planetary", "PlanetarySet"),
        "pulleys": ("Pulleys", "cardan.elements.ropes.pulley", "Pulley"),
        "devices": ("Devices and signals", "cardan.model.device", ""),
        "matter": ("Planar mass properties", "cardan.model.matter.plane", ""),
        "matter-of-space": ("Spatial mass properties", "cardan.spatial.matter", ""),
        "lift": ("Lifting a planar model to space", "cardan.spatial.lifting", "lift"),
        "constraint": ("User-defined constraints", "cardan.elements.constraints.user_constraint", "constraint"),
        "velocity-constraint": (
            "User-defined velocity constraints",
            "cardan.elements.constraints.user_velocity_constraint",
            "velocity_constraint",
        ),
        "tire-data": ("Tire data", "cardan.elements.tires.tire_data", "TireData"),
        "magic-formula": ("Tire property files", "cardan.elements.tires.magic_formula_data", "MagicFormula"),
        "rolling": ("Common to rolling elements", "cardan.elements.constraints.rolling", "Rolling"),
        "signals": ("Signals", "cardan.elements.control.signals", "rate, reaction, time"),
        "controller": ("User-defined controllers", "cardan.elements.control.controller", "controller"),
    },
    "analyses": {
        "assemble": ("assemble", "cardan.analysis.assembly.assemble", "assemble"),
        "mobility": ("mobility", "cardan.analysis.assembly.mobility", "mobility, Mobility"),
        "kinematics": ("kinematics", "cardan.analysis.driven.kinematics", "kinematics"),
        "inverse-dynamics": ("inverse_dynamics", "cardan.analysis.driven.inverse_dynamics", "inverse_dynamics"),
        "simulate": ("simulate", "cardan.analysis.forward.simulate", "simulate"),
        "design-cam": ("design_cam", "cardan.planar.cams.cam_design", "design_cam, CamDesign"),
        "methods": (
            "Integration methods",
            "cardan.methods",
            "Auto, Dop853, RungeKutta, SampledAdams, Radau, GeneralizedAlpha, HHT, Symplectic, Bdf",
        ),
        "historical-methods": (
            "Historical methods",
            "cardan.methods.historical",
            "Partitioning, Direct, Baumgarte, Hybrid",
        ),
        "event": ("Event", "cardan.analysis.forward.events.event", "Event"),
        "change": ("Change", "cardan.analysis.forward.events.change", "Change"),
        "initial-conditions": (
            "initial_conditions",
            "cardan.analysis.assembly.initial_conditions",
            "initial_conditions",
        ),
        "equilibrium": ("equilibrium", "cardan.analysis.equilibria.equilibrium", "equilibrium"),
        "equilibrium-path": ("equilibrium_path", "cardan.analysis.equilibria.equilibrium_path", "equilibrium_path"),
        "quasi-static": ("quasi_static", "cardan.analysis.slow.quasi_static", "quasi_static"),
        "quasi-static-result": ("QuasiStatic", "cardan.results.steady.quasi_static", "QuasiStatic, Snap"),
        "axle-sweep": ("axle_sweep", "cardan.analysis.slow.axle_sweep", "axle_sweep"),
        "steady-cornering": ("steady_cornering", "cardan.analysis.slow.steady_cornering", "steady_cornering"),
        "cornering": ("Cornering", "cardan.results.steady.cornering", "Cornering"),
        "steady-motion": ("steady_motion", "cardan.analysis.steady.steady_motion", "steady_motion"),
        "linearize": ("linearize", "cardan.analysis.linear.linearize", "linearize"),
        "linearization": ("Linearization", "cardan.results.linear.linearization", "Linearization"),
        "response-peaks": (
            "Resonances",
            "cardan.results.linear.response_peaks",
            "ResponsePeak, PeakSensitivities",
        ),
        "peak-sensitivities": (
            "peak_sensitivities",
            "cardan.analysis.sensitivity.peak_sensitivities",
            "peak_sensitivities",
        ),
        "modes": ("Modes", "cardan.results.linear.modes", "Modes"),
        "eigenmodes": ("eigenmodes", "cardan.analysis.linear.eigenmodes", "eigenmodes"),
        "root-locus": ("root_locus", "cardan.analysis.linear.root_locus", "root_locus"),
        "sensitivities": ("sensitivities", "cardan.analysis.sensitivity.sensitivities", "sensitivities"),
        "motion-sensitivities": (
            "motion_sensitivities",
            "cardan.analysis.sensitivity.motion_sensitivities",
            "motion_sensitivities",
        ),
        "modal-sensitivities": (
            "modal_sensitivities",
            "cardan.analysis.sensitivity.modal_sensitivities",
            "modal_sensitivities",
        ),
        "gradient": ("gradient", "cardan.analysis.sensitivity.gradient", "gradient"),
        "optimize": ("optimize", "cardan.analysis.sensitivity.optimize", "optimize"),
        "parameters": ("Parameters", "cardan.model.parameter", "parameter, tied"),
        "road-spectrum": ("road_spectrum", "cardan.analysis.linear.road_spectrum", "road_spectrum"),
        "random-road": ("random_road", "cardan.vehicles.road_profile", "random_road, RoadProfile"),
        "roughness-index": ("roughness_index", "cardan.vehicles.roughness", "roughness_index"),
        "ride-comfort": ("ride_comfort", "cardan.vehicles.comfort", "ride_comfort, RideComfort, WeightedVibration"),
        "weightings": ("Frequency weightings", "cardan.vehicles.weighting", "Weighting"),
        "step-steer": ("step_steer", "cardan.vehicles.steering_steps", "step_steer, StepSteer, StepResponse"),
        "sine-steer": ("sine_steer", "cardan.vehicles.steering_waves", "sine_steer, SineSteer, SineResponse"),
        "steering-response": (
            "pulse_steer and random_steer",
            "cardan.vehicles.steering_response",
            "pulse_steer, random_steer, SteeringResponse",
        ),
        "lane-change": ("lane_change", "cardan.vehicles.lane_changes", "lane_change, LaneChange"),
        "lane-track": ("lane_track", "cardan.vehicles.iso_tracks", "lane_track, LaneTrack, Lane"),
        "path-driver": ("PathDriver", "cardan.vehicles.path_driver", "PathDriver"),
        "handling-motion": ("HandlingMotion", "cardan.vehicles.handling", "HandlingMotion"),
        "speed-control": ("SpeedControl", "cardan.vehicles.prepared_car", "SpeedControl"),
        "periodic-motion": ("periodic_motion", "cardan.analysis.steady.periodic_motion", "periodic_motion"),
        "inverse-kinematics": (
            "inverse_kinematics",
            "cardan.analysis.task_space.inverse_kinematics",
            "inverse_kinematics",
        ),
        "task-space": ("task_space", "cardan.analysis.task_space.task_space", "task_space"),
        "task-space-at-a-state": ("TaskSpace", "cardan.analysis.task_space.task_inertia", "TaskSpace"),
        "plan-motion": ("plan_motion", "cardan.analysis.planning.plan_motion", "plan_motion"),
        "identify-inertia": ("identify_inertia", "cardan.analysis.planning.identify_inertia", "identify_inertia"),
        "identified-inertia": (
            "IdentifiedInertia",
            "cardan.analysis.planning.identify_inertia",
            "IdentifiedInertia",
        ),
        "planned-motion": ("PlannedMotion", "cardan.analysis.planning.planned_motion", "PlannedMotion"),
        "symbolic-equations": (
            "symbolic_equations",
            "cardan.analysis.inspection.symbolic_equations",
            "symbolic_equations",
        ),
        "symbolic-terms": ("SymbolicEquations", "cardan.analysis.inspection.symbolic_equations", "SymbolicEquations"),
        "equations": ("equations", "cardan.analysis.inspection.equations", "equations"),
        "equations-of-motion": (
            "EquationsOfMotion",
            "cardan.analysis.inspection.equations_of_motion",
            "EquationsOfMotion, Residuals",
        ),
        "parameter-form": ("ParameterForm", "cardan.analysis.inspection.parameter_forms", "ParameterForm"),
        "newton-iterates": (
            "Newton iterates",
            "cardan.analysis.inspection.newton_iterates",
            "NewtonIterates, NewtonIterate",
        ),
        "joint-space": ("joint_space", "cardan.analysis.joint.joint_space", "joint_space, JointSpace"),
        "stepper": ("stepper", "cardan.analysis.stepping.stepper", "stepper, Stepper"),
        "export": ("export_c", "cardan.export.c_library", "export_c"),
        "export-fmu": ("export_fmu", "cardan.export.fmu", "export_fmu"),
        "gym": ("Environments for learning", "cardan.gym", ""),
        "flexible-reduce": ("reduce", "cardan.flexible.component_modes", "reduce, reduction, Reduction"),
        "flexible-models": ("FiniteElementModel", "cardan.flexible.fe_model", "FiniteElementModel"),
        "flexible-connection": ("Connection", "cardan.flexible.connection", "Connection"),
        "flexible-part": ("FlexiblePart", "cardan.model.flexible_part", "FlexiblePart, Interface, Surface"),
        "flexible-beam": ("beam", "cardan.flexible.elements.beams", "beam"),
        "flexible-solid": ("solid and plate", "cardan.flexible.elements.solids", "solid, plate"),
        "flexible-meshes": ("Meshes", "cardan.flexible.elements.meshes", "Mesh, box, cylinder, read_mesh, mesh_stl"),
        "flexible-material": (
            "Materials and sections",
            "cardan.flexible.elements.material",
            "Material, Section, rectangle, circle, tube",
        ),
        "flexible-damping": ("Rayleigh", "cardan.flexible.damping", "Rayleigh, damping_ratios"),
        "read-abaqus": ("read_abaqus", "cardan.flexible.importers.abaqus", "read_abaqus"),
        "read-calculix": ("read_calculix", "cardan.flexible.importers.calculix", "read_calculix"),
        "read-nastran": ("read_nastran", "cardan.flexible.importers.nastran", "read_nastran"),
        "flexible-files": ("Files of flexible parts", "cardan.flexible.part_file", "save_part, load_part"),
        "flexible-mass": ("check_mass_properties", "cardan.flexible.mass_check", "check_mass_properties"),
        "flexible-stress": (
            "Stress",
            "cardan.flexible.stress",
            "von_mises, principal, stress_at, strain_energy, stress_peaks, StressPeaks",
        ),
        "load-case": ("load_case", "cardan.flexible.load_cases", "load_case, LoadCase, Instant"),
        "load-instants": ("instant_of", "cardan.flexible.run_instants", "instant_of"),
        "study": ("study", "cardan.study.study", "study"),
        "study-plans": (
            "Sampling plans",
            "cardan.study.sampling",
            "grid, random_samples, quasi_random, tolerances, designs, normal",
        ),
        "experiment-plans": (
            "Plans of experiments",
            "cardan.study.experiments.plans",
            "latin_hypercube, morris_plan, sobol_plan",
        ),
        "morris-effects": ("morris_effects", "cardan.study.experiments.screening", "morris_effects, MorrisEffects"),
        "sobol-indices": ("sobol_indices", "cardan.study.experiments.sobol_indices", "sobol_indices, SobolIndices"),
        "response-surface": (
            "response_surface",
            "cardan.study.experiments.response_surface",
            "response_surface, ResponseSurface",
        ),
        "tolerance-stack-up": (
            "tolerance_stack_up",
            "cardan.study.experiments.stack_up",
            "tolerance_stack_up, StackUp",
        ),
        "pareto-designs": ("pareto_designs", "cardan.study.experiments.pareto_designs", "pareto_designs"),
        "study-result": ("Study results", "cardan.study.result", "Study, open_study"),
        "limit": ("limit", "cardan.study.search.limits", "limit, ParameterLimit"),
        "identify": ("identify", "cardan.study.search.identification", "identify, Identified"),
        "search": (
            "global_search and synthesize_path",
            "cardan.study.search.global_search",
            "global_search, synthesize_path, Found",
        ),
        "pareto-front": ("pareto_front", "cardan.study.search.pareto", "pareto_front, Front"),
        "load-model": ("load_model", "cardan.files.model_file", "load_model, ModelFile, FileAnalysis"),
        "save-model": ("save_model", "cardan.files.writing.save", "save_model"),
        "check-model": ("Checking model files", "cardan.files.reading.reader", "check"),
        "self-check": ("self_check", "cardan.analysis.checks.self_check", "self_check, SelfCheck, Check"),
        "wiggles": ("wiggles", "cardan.analysis.drag.wiggle", "wiggles, Wiggle"),
        "grab": ("Grab", "cardan.analysis.drag.grab", "Grab, DragResult"),
        "from-urdf": ("from_urdf", "cardan.io.urdf", "from_urdf"),
        "from-sdf": ("from_sdf", "cardan.io.sdf.sdf", "from_sdf"),
        "from-mjcf": ("from_mjcf", "cardan.io.mjcf.mjcf", "from_mjcf"),
        "file-model": ("Imported models", "cardan.io.imported", ""),
        "errors": ("Errors and warnings", "cardan.errors", ""),
        "file-error": ("FileError", "cardan.files.faults", "FileError"),
    },
    "results": {
        "trajectory": ("Trajectory", "cardan.results.trajectory", ""),
        "snapshot": ("Snapshot", "cardan.results.snapshot", ""),
        "series": ("Series", "cardan.results.series", ""),
        "reaction": ("Reaction", "cardan.results.reaction", "Reaction"),
        "loads": ("Loads", "cardan.results.loads", "Loads"),
        "simulation": ("Simulation", "cardan.results.simulation", ""),
        "energy": ("Energy", "cardan.results.energy", "Energy"),
        "dataset": ("Datasets", "cardan.storage.dataset", "dataset"),
        "files": ("Result files", "cardan.storage.result_files", "save, load_result, open_result"),
        "recording": ("recording", "cardan.storage.recorder", "recording, Recorder, save_parts"),
        "stored": ("Results larger than memory", "cardan.storage.stored_result", "Stored"),
        "free-body": ("Free-body diagrams", "cardan.postprocess.free_body", "FreeBody, BodyLoad"),
        "peak": ("Peak", "cardan.postprocess.peak", "Peak"),
        "polygon": ("Velocity and acceleration polygons", "cardan.postprocess.polygon", "Polygon, Corner, Side"),
        "poles": ("Instant centers", "cardan.postprocess.instant_centers", "InstantCenters, Pole, Line"),
        "bearings": ("Bearings", "cardan.postprocess.bearing_loads", "Bearings, Bearing"),
        "page": ("Pages", "cardan.view.web.page", "page, view"),
        "live": ("Live pages", "cardan.view.web.live", "live, Live"),
        "report": ("report", "cardan.view.report", "report"),
        "signals": ("Spectra and load cycles", "cardan.postprocess.signals", "Spectrum, Rainflow"),
        "orders": ("Orders", "cardan.postprocess.orders", "OrderSpectrum"),
        "suspension": (
            "Suspensions",
            "cardan.postprocess.suspension",
            "SuspensionWheel, WheelMotion, AxleMotion",
        ),
        "vehicle": ("Vehicle motion", "cardan.postprocess.vehicle", "VehicleMotion, TireMotion"),
        "rest": ("Equilibria", "cardan.results.steady.equilibrium", "Equilibrium, Equilibria"),
        "parameter-path": ("ParameterPath", "cardan.results.steady.parameter_path", "ParameterPath, ParameterSnap"),
        "load-path": ("LoadPath", "cardan.results.steady.load_path", "LoadPath"),
        "steady": ("SteadyMotion", "cardan.results.steady.steady_motion", "SteadyMotion"),
        "periodic": ("PeriodicMotion", "cardan.results.steady.periodic_motion", "PeriodicMotion"),
    },
}


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("builder-inited", write_pages)
    app.connect("autodoc-process-docstring", plain_docstring, priority=400)
    app.connect("autodoc-process-signature", plain_signature)
    app.connect("env-check-consistency", check_names)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def write_pages(app: Sphinx) -> None:
    """Write the generated pages; a page whose text has not changed keeps its date."""
    docs = Path(app.srcdir)
    reference = docs / "elements" / "generated"
    elements, cards = element_pages(reference)
    for space, pages in elements.items():
        _write(reference / space, pages)
    (reference / "cards.txt").write_text(cards, encoding="utf-8")
    for group, modules in MODULES.items():
        pages, table = module_pages(modules)
        _write(reference / group, pages)
        (reference / f"{group}.txt").write_text(table.replace("GROUP", group), encoding="utf-8")
    gallery = docs / "gallery" / "generated"
    gallery.mkdir(parents=True, exist_ok=True)
    _write(gallery, gallery_pages(gallery))
    (gallery / "cards.txt").write_text(gallery_cards(), encoding="utf-8")


def plain_docstring(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Docstrings are plain text: an indented paragraph is a sketch or an equation, a star is a star."""
    lines[:] = [line for paragraph in paragraphs(lines) for line in (*_restructured(paragraph), "")]


def plain_signature(
    app: Sphinx, what: str, name: str, obj: Any, options: Any, signature: str | None, returned: str | None
) -> tuple[str | None, str | None]:
    """Types by the names that the source gives them."""
    return signature and ALIAS.sub(r"\1", signature), returned and ALIAS.sub(r"\1", returned)


def check_names(app: Sphinx, env: Any) -> None:
    """Warn of every public name that no page documents."""
    import cardan

    described = set(env.get_domain("py").objects) | set(env.get_domain("py").modules)
    faces = {"": cardan, **vocabularies()}
    for space, vocabulary in faces.items():
        for name in vocabulary.__all__:
            item = getattr(vocabulary, name)
            if not hasattr(item, "__name__"):  # a constant: on the page of its module
                continue
            if inspect.ismodule(item):
                found = any(f"{entry}.".startswith(f"{item.__name__}.") for entry in described)
            else:
                same = [face.__name__ for face in faces.values() if getattr(face, name, None) is item]
                found = bool({f"{home}.{name}" for home in (item.__module__, *same)} & described)
            if not found and f"elements/generated/{space}/{name}" not in env.found_docs:
                log.warning(f"no page documents {vocabulary.__name__}.{name}")


def _restructured(lines: list[str]) -> list[str]:
    """One paragraph of a docstring in reStructuredText."""
    if lines[0].startswith(">>>"):
        return lines
    if lines[0].startswith("|"):
        return _table(lines)
    if item := LIST_ITEM.match(lines[0]):
        return [_item_line(line, len(item[0])) for line in lines]
    if is_drawn(lines):
        return ["::", "", *(f"    {line}" for line in lines)]
    return [PROSE_MARKS.sub(_escape, line) for line in lines]


def _table(lines: list[str]) -> list[str]:
    """A Markdown table: its head, a rule and its rows."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in (lines[0], *lines[2:])]
    cells = [f"{'* -' if k == 0 else '  -'} {cell}" for row in rows for k, cell in enumerate(row)]
    return [".. list-table::", "   :header-rows: 1", "", *(f"   {cell}" for cell in cells)]


def _item_line(line: str, margin: int) -> str:
    """A line of a list: a new item, its continuation, or an equation set deeper than the text of the item."""
    text = line.lstrip()
    if item := LIST_ITEM.match(line):
        return item[0] + PROSE_MARKS.sub(_escape, line[item.end() :])
    if len(line) - len(text) > margin:
        return " " * margin + f"``{text}``"
    return " " * margin + PROSE_MARKS.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    return match[1] or "\\" + match[2]


def _write(directory: Path, pages: dict[str, str]) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    for stale in directory.rglob("*.md"):
        if stale.relative_to(directory).with_suffix("").as_posix() not in pages:
            stale.unlink()
    for name, body in pages.items():
        page = directory / f"{name}.md"
        text = body if body.startswith(ORPHAN) else ORPHAN + body
        page.parent.mkdir(parents=True, exist_ok=True)
        if not page.exists() or page.read_text(encoding="utf-8") != text:
            page.write_text(text, encoding="utf-8")
