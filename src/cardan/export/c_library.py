"""export_c(model, folder): the model as a C library, which needs neither Python nor Cardan."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cardan.errors import ModelError
from cardan.export.c_source import header, source
from cardan.export.exported_model import ExportedModel, exported_model
from cardan.export.platforms import target_of
from cardan.methods import Method
from cardan.model.element import Constraint
from cardan.model.model import Model
from cardan.prebuilt.targets import Target
from cardan.prebuilt.toolchain import archive, compile_source, link_objects
from cardan.results.simulation import Checkpoint
from cardan.results.snapshot import Snapshot


def export_c(
    model: Model,
    folder: str | Path,
    inputs: Any = (),
    outputs: Any = (),
    *,
    name: str | None = None,
    method: Method | str = "dop853",
    rtol: float = 1e-8,
    atol: float | None = None,
    coordinates: str = "auto",
    tree: Sequence[Constraint] = (),
    start: Snapshot | Checkpoint | None = None,
    processor: str | None = None,
    derivatives: bool = True,
) -> list[Path]:
    """Write a model as a C library: a header, a source, a static and a shared library. Returns their paths.

    A C program opens instances, sets inputs, takes steps and reads outputs. The steps are those of `stepper`, which
    describes inputs and outputs: the same machine code and the same numbers. Compiled functions of the user are part of
    the library. Functions that run in the interpreter, elements that switch at events, and outputs that are computed in
    Python are rejected.

    Files and functions are named after the model, or `name`. `method` is the integrator: "radau" for stiff forces.
    `processor` is "x86-64-v3" (since 2013; the default if this machine has it), "x86-64" for older ones, or "native"
    for that of this machine, with the same bits as `stepper`. `derivatives=False` leaves out the function for
    derivatives of the outputs, which halves the library. A C compiler is needed, that of the system or the
    package ziglang.

    >>> import tempfile
    >>> from cardan import export_c
    >>> from cardan.planar import Actuator, Body, Model, Translational
    >>> model = Model("cart")
    >>> cart = model.add(Body(mass=2.0, inertia=1.0), name="cart")
    >>> guide = model.add(Translational(model.ground.at(), cart.at()), name="guide")
    >>> drive = model.add(Actuator(guide.travel, 0.0), name="drive")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     files = export_c(model, folder, inputs=["drive"], outputs=["cart.vx"])
    ...     print(*sorted(path.name for path in files))
    cart.c cart.h cart_kernels.o libcart.a libcart.so
    """
    target = target_of(processor)
    options = {"rtol": rtol, "atol": atol, "coordinates": coordinates, "tree": tree, "start": start}
    exported = exported_model(model, inputs, outputs, name, method, options, derivatives)
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    return write_c(exported, place, target)


def write_c(exported: ExportedModel, folder: Path, target: Target) -> list[Path]:
    """Write sources and libraries for this platform."""
    stem = exported.name
    head, code, kernels = folder / f"{stem}.h", folder / f"{stem}.c", folder / f"{stem}_kernels.o"
    static, shared = folder / f"lib{stem}.a", folder / f"lib{stem}.{target.suffix}"
    kernels.write_bytes(exported.code.compile(target))
    head.write_text(header(exported), encoding="utf-8")
    code.write_text(source(exported), encoding="utf-8")
    objects = [folder / f"{stem}.o", kernels]
    try:
        compile_source(code, target, objects[0], cross=False)
        archive(objects, static)
        link_objects(objects, target, shared, cross=False)
    except RuntimeError as error:
        raise ModelError(f"the library of '{exported.title}' was not built: {error}") from error
    finally:
        objects[0].unlink(missing_ok=True)
    return [head, code, kernels, static, shared]
