"""Write a model as a C library or an FMU, which other programs step without Python."""

from __future__ import annotations

import argparse
from pathlib import Path

from cardan.cli.arguments import add_json, add_model, load_source, output_path
from cardan.cli.writing import report_written

HELP = "write a model as a C library or an FMU"
FORMATS = ("c", "fmu")


def add_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("format", choices=FORMATS, help="c: header, source, libraries; fmu: for FMI")
    add_model(command)
    command.add_argument("--inputs", metavar="NAMES", default="", help="forces, drivers and parameters: drive,pid.kp")
    command.add_argument("--outputs", metavar="NAMES", default="", help="columns of results: cart.x,pin.angle.rate")
    command.add_argument("--out", metavar="PATH", help="a folder for c, a file .fmu for fmu")
    command.add_argument("--name", metavar="NAME", help="of files and functions (default: the name of the model)")
    command.add_argument("--method", default="dop853", help="the integrator: dop853, radau for stiff forces")
    command.add_argument("--rtol", type=float, default=1e-8, help="the relative tolerance of steps (default: 1e-8)")
    command.add_argument("--coordinates", default="auto", choices=("auto", "cartesian", "joint"))
    command.add_argument("--processor", metavar="NAME", help="x86-64-v3, x86-64 for processors before 2013, native")
    command.add_argument("--no-derivatives", dest="derivatives", action="store_false", help="a smaller library")
    command.add_argument("--fmi", choices=("2.0", "3.0"), default="2.0", help="the version of an FMU (default: 2.0)")
    command.add_argument("--kind", choices=("co-simulation", "model exchange"), help="of an FMU (default: both)")
    command.add_argument("--platforms", metavar="NAMES", help="of an FMU: all, or linux-x86-64,windows-x86-64,...")
    add_json(command)


def execute(arguments: argparse.Namespace) -> int:
    model = load_source(arguments).model
    inputs, outputs = ([name for name in text.split(",") if name] for text in (arguments.inputs, arguments.outputs))
    keys = ("name", "method", "rtol", "coordinates", "processor", "derivatives")
    options = {key: getattr(arguments, key) for key in keys}
    from cardan import export_c, export_fmu

    if arguments.format == "fmu":
        target = output_path(arguments.out or f"{model.name}.fmu", (".fmu",))
        platforms = arguments.platforms.split(",") if arguments.platforms else None
        more = {"version": arguments.fmi, "kind": arguments.kind, "platforms": platforms}
        written = [export_fmu(model, target, inputs, outputs, **more, **options)]
    else:
        written = export_c(model, Path(arguments.out or model.name), inputs, outputs, **options)
    for path in written:
        report_written(path, arguments)
    return 0
