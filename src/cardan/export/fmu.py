"""export_fmu(model, path): the model as an FMU for co-simulation, FMI 2.0 or 3.0, without Python inside."""

from __future__ import annotations

import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

from cardan.errors import ModelError
from cardan.export.c_library import target_of
from cardan.export.c_source import fingerprint, header, source
from cardan.export.exported_model import ExportedModel, exported_model
from cardan.methods import Method
from cardan.model import check
from cardan.model.element import Constraint
from cardan.model.model import Model
from cardan.prebuilt.targets import Target
from cardan.prebuilt.toolchain import compile_source, link_objects
from cardan.results.simulation import Checkpoint
from cardan.results.snapshot import Snapshot
from cardan.version import __version__

FMI = Path(__file__).with_name("fmi.c")
FOLDERS = {  # of binaries: FMI 2.0 and 3.0
    "manylinux_2_17_x86_64": ("linux64", "x86_64-linux"),
    "manylinux_2_17_aarch64": ("aarch64-linux", "aarch64-linux"),
    "macosx_11_0_arm64": ("darwin64", "aarch64-darwin"),
    "macosx_11_0_x86_64": ("darwin64", "x86_64-darwin"),
    "win_amd64": ("win64", "x86_64-windows"),
}


def export_fmu(
    model: Model,
    path: str | Path,
    inputs: Any = (),
    outputs: Any = (),
    *,
    version: str = "2.0",
    name: str | None = None,
    method: Method | str = "dop853",
    rtol: float = 1e-8,
    atol: float | None = None,
    coordinates: str = "auto",
    tree: Sequence[Constraint] = (),
    start: Snapshot | Checkpoint | None = None,
    processor: str | None = None,
) -> Path:
    """Write a model as an FMU for co-simulation by FMI `version` "2.0" or "3.0". Returns its path.

    Inputs and outputs are those of `stepper`; inputs that are numbers of the model become tunable parameters. The FMU
    contains machine code for this platform and needs no Python. States can be saved, restored and serialized; step
    sizes may vary. `export_c` describes the other arguments, and what cannot be exported.

    >>> import tempfile, zipfile
    >>> from cardan import export_fmu
    >>> from cardan.planar import Actuator, Body, Model, Translational
    >>> model = Model("cart")
    >>> cart = model.add(Body(mass=2.0, inertia=1.0), name="cart")
    >>> guide = model.add(Translational(model.ground.at(), cart.at()), name="guide")
    >>> drive = model.add(Actuator(guide.travel, 0.0), name="drive")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = export_fmu(model, folder + "/cart.fmu", inputs=["drive"], outputs=["cart.vx"])
    ...     "modelDescription.xml" in zipfile.ZipFile(path).namelist()
    True
    """
    check.choice(version, ("2.0", "3.0"), "the version of an FMU")
    target = target_of(processor)
    options = {"rtol": rtol, "atol": atol, "coordinates": coordinates, "tree": tree, "start": start}
    exported = exported_model(model, inputs, outputs, name, method, options)
    names = [one.name for one in (*exported.inputs, *exported.outputs)]
    taken = next((key for k, key in enumerate(names) if key in ("time", *names[:k])), None)
    if taken is not None:
        raise ModelError(f"'{taken}' is a variable of the FMU already: omit it from the outputs")
    description, binary = _description(exported, version, rtol), _binary(exported, target)
    folder = FOLDERS[target.wheel][version == "3.0"]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        for entry, data in (
            ("modelDescription.xml", description.encode()),
            (f"binaries/{folder}/{exported.name}.{target.suffix}", binary),
        ):
            information = zipfile.ZipInfo(entry, (1980, 1, 1, 0, 0, 0))
            information.external_attr, information.compress_type = 0o755 << 16, zipfile.ZIP_DEFLATED
            out.writestr(information, data)
    return Path(path)


def _binary(exported: ExportedModel, target: Target) -> bytes:
    """The shared library with the functions of both versions."""
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch)
        code, objects = place / f"{exported.name}.c", [place / "model.o", place / "kernels.o"]
        (place / f"{exported.name}.h").write_text(header(exported), encoding="utf-8")
        token = f'#define TOKEN "{_token(exported)}"\n'
        code.write_text(source(exported) + token + FMI.read_text(), encoding="utf-8")
        objects[1].write_bytes(exported.code.compile(target))
        library = place / f"{exported.name}.{target.suffix}"
        try:
            compile_source(code, target, objects[0], cross=False)
            link_objects(objects, target, library, cross=False)
        except RuntimeError as error:
            raise ModelError(f"the FMU of '{exported.title}' was not built: {error}") from error
        return library.read_bytes()


def _token(exported: ExportedModel) -> str:
    return f"{{{exported.name}-{fingerprint(exported):016x}}}"


def _description(exported: ExportedModel, version: str, rtol: float) -> str:
    """The file modelDescription.xml."""
    units = sorted({one.unit for one in (*exported.inputs, *exported.outputs) if one.unit})
    third = version == "3.0"
    token = "instantiationToken" if third else "guid"
    state = "State" if third else "state"
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<fmiModelDescription fmiVersion="{version}" modelName={quoteattr(exported.title)} '
        f'{token}="{_token(exported)}" generationTool="Cardan {__version__}" variableNamingConvention="flat">',
        f'  <CoSimulation modelIdentifier="{exported.name}" canHandleVariableCommunicationStepSize="true" '
        f'canGetAndSetFMU{state}="true" canSerializeFMU{state}="true"/>',
    ]
    if units:
        lines += ["  <UnitDefinitions>", *(f"    <Unit name={quoteattr(u)}/>" for u in units), "  </UnitDefinitions>"]
    lines.append(f'  <DefaultExperiment startTime="{exported.time!r}" tolerance="{rtol!r}"/>')
    lines.append("  <ModelVariables>")
    if third:
        lines.append('    <Float64 name="time" valueReference="0" causality="independent" variability="continuous"/>')
    variables = [(one, "parameter" if one.parameter else "input") for one in exported.inputs]
    variables += [(one, "output") for one in exported.outputs]
    for k, (one, causality) in enumerate(variables):
        variability = "tunable" if causality == "parameter" else "continuous"
        general = (
            f'name={quoteattr(one.name)} valueReference="{k + 1}" causality="{causality}" variability="{variability}"'
        )
        numbers = (f" unit={quoteattr(one.unit)}" if one.unit else "") + (
            "" if causality == "output" else f' start="{one.start!r}"'
        )
        if third:
            lines.append(f"    <Float64 {general}{numbers}/>")
        else:
            lines.append(f"    <ScalarVariable {general}><Real{numbers}/></ScalarVariable>")
    lines += ["  </ModelVariables>", "  <ModelStructure>"]
    references = [len(exported.inputs) + 1 + k for k in range(len(exported.outputs))]
    if third:
        for kind in ("Output", "InitialUnknown"):
            lines += [f'    <{kind} valueReference="{k}"/>' for k in references]
    elif references:
        for kind in ("Outputs", "InitialUnknowns"):
            lines += [f"    <{kind}>", *(f'      <Unknown index="{k}"/>' for k in references), f"    </{kind}>"]
    return "\n".join([*lines, "  </ModelStructure>", "</fmiModelDescription>", ""])
