"""export_fmu(model, path): the model as an FMU for co-simulation, FMI 2.0 or 3.0, without Python inside."""

from __future__ import annotations

import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cardan.errors import ModelError
from cardan.export.c_source import header, source
from cardan.export.exported_model import ExportedModel, exported_model
from cardan.export.fmu_description import CO_SIMULATION, MODEL_EXCHANGE, description, token
from cardan.export.platforms import PLATFORMS, platforms_of, target_of, this_platform, universal
from cardan.methods import Method
from cardan.model import check
from cardan.model.element import Constraint
from cardan.model.model import Model
from cardan.prebuilt.targets import Target
from cardan.prebuilt.toolchain import compile_source, link_objects
from cardan.results.simulation import Checkpoint
from cardan.results.snapshot import Snapshot

SOURCES = [Path(__file__).with_name(name) for name in ("fmi.c", "fmi2.c", "fmi3.c")]
KINDS = (CO_SIMULATION, MODEL_EXCHANGE)


def export_fmu(
    model: Model,
    path: str | Path,
    inputs: Any = (),
    outputs: Any = (),
    *,
    version: str = "2.0",
    kind: str | None = None,
    platforms: str | Sequence[str] | None = None,
    name: str | None = None,
    method: Method | str = "dop853",
    rtol: float = 1e-8,
    atol: float | None = None,
    coordinates: str = "auto",
    tree: Sequence[Constraint] = (),
    start: Snapshot | Checkpoint | None = None,
    processor: str | None = None,
    derivatives: bool = True,
) -> Path:
    """Write a model as an FMU by FMI `version` "2.0" or "3.0". Returns its path.

    Inputs and outputs are those of `stepper`; inputs that are numbers of the model become tunable parameters. The FMU
    contains machine code and needs no Python. It is for co-simulation, with its own integrator, and for model exchange,
    where another program integrates; `kind` "co-simulation" or "model exchange" selects one of them. States can be
    saved, restored and serialized; step sizes may vary. Contacts and friction switch as in `simulate`. Directional
    derivatives of outputs and rates are exact; `derivatives=False` leaves them out, which halves the FMU.

    `platforms` lists those of its binaries, "all" or some of "linux-x86-64", "linux-aarch64", "macos-arm64",
    "macos-x86-64" and "windows-x86-64"; without it, this machine's. Those of other platforms need the package ziglang.
    `export_c` describes the other arguments, and what cannot be exported.

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
    targets = {one: target_of(processor, one) for one in platforms_of(platforms)}
    options = {"rtol": rtol, "atol": atol, "coordinates": coordinates, "tree": tree, "start": start}
    exported = exported_model(model, inputs, outputs, name, method, options, derivatives)
    kinds = _kinds(exported, kind)
    names = [one.name for one in (*exported.inputs, *exported.outputs)]
    taken = next((key for k, key in enumerate(names) if key in ("time", *names[:k])), None)
    if taken is not None:
        raise ModelError(f"'{taken}' is a variable of the FMU already: omit it from the outputs")
    files = {"modelDescription.xml": description(exported, version, kinds, rtol).encode()}
    files |= _binaries(exported, targets, third=version == "3.0")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        for entry, data in files.items():
            information = zipfile.ZipInfo(entry, (1980, 1, 1, 0, 0, 0))
            information.external_attr, information.compress_type = 0o755 << 16, zipfile.ZIP_DEFLATED
            out.writestr(information, data)
    return Path(path)


def _kinds(exported: ExportedModel, stated: str | None) -> tuple[str, ...]:
    """Co-simulation, model exchange, or both where the inputs allow it."""
    driven = next((one.name for one in exported.inputs if one.driver), None)
    if stated is None:
        return KINDS if driven is None else (CO_SIMULATION,)
    check.choice(stated, KINDS, "the kind of an FMU")
    if stated == MODEL_EXCHANGE and driven is not None:
        raise ModelError(
            f"input '{driven}' prescribes the motion of a driver over a step, which model exchange does not have: use "
            "co-simulation, or a force as the input"
        )
    return (stated,)


def _binaries(exported: ExportedModel, targets: dict[str, Target], third: bool) -> dict[str, bytes]:
    """The shared libraries by their paths; those for macOS are one in FMI 2.0."""
    found: dict[str, list[tuple[str, bytes]]] = {}
    for platform, target in targets.items():
        folder = PLATFORMS[platform][1 + third]
        entry = f"binaries/{folder}/{exported.name}.{target.suffix}"
        found.setdefault(entry, []).append((platform, _binary(exported, target, cross=platform != this_platform())))
    return {entry: made[0][1] if len(made) == 1 else universal(made) for entry, made in found.items()}


def _binary(exported: ExportedModel, target: Target, cross: bool) -> bytes:
    """The shared library with the functions of both versions."""
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch)
        code, objects = place / f"{exported.name}.c", [place / "model.o", place / "kernels.o"]
        (place / f"{exported.name}.h").write_text(header(exported), encoding="utf-8")
        texts = [source(exported), _constants(exported), *(path.read_text() for path in SOURCES)]
        code.write_text("\n".join(texts), encoding="utf-8")
        objects[1].write_bytes(exported.code.compile(target))
        library = place / f"{exported.name}.{target.suffix}"
        try:
            compile_source(code, target, objects[0], cross=cross)
            link_objects(objects, target, library, cross=cross)
        except RuntimeError as error:
            raise ModelError(f"the FMU of '{exported.title}' was not built: {error}") from error
        return library.read_bytes()


def _constants(exported: ExportedModel) -> str:
    """What `fmi.c` must know of the variables: sizes of states."""
    nominals = "".join(f"{one.nominal!r}, " for one in exported.states)
    return f'#define TOKEN "{token(exported)}"\n#define NOMINALS {nominals}\n'
