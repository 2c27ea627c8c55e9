"""Write the mechanism of a model or a result at one instant as a picture."""

from __future__ import annotations

import argparse
from pathlib import Path

from cardan.cli.arguments import add_result, add_target, load, output_path, require_source
from cardan.cli.usage import UsageError
from cardan.cli.writing import report_written

HELP = "draw the mechanism at one instant"


def add_arguments(command: argparse.ArgumentParser) -> None:
    add_result(command)
    add_target(command, "FILE", "the picture, .png, .svg or .pdf (default: NAME.png)")
    command.add_argument("--at", type=float, metavar="TIME", help="s (default: the first output time)")
    command.add_argument("--size", default="1600x1000", metavar="WxH", help="pixels (default: 1600x1000)")
    command.add_argument("--elev", type=float, metavar="DEGREES", help="of the eye above the xy plane, in space")
    command.add_argument("--azim", type=float, metavar="DEGREES", help="of the eye from the x axis, in space")
    command.add_argument("--names", action=argparse.BooleanOptionalAction, help="names of joints (default: if few)")
    command.add_argument("--forces", action="store_true", help="arrows of forces, in space")
    command.add_argument("--see-through", action="store_true", help="look through solids, in space")
    command.add_argument(
        "--deformation", type=float, default=1.0, metavar="FACTOR", help="magnifies flexible bodies' deformation"
    )
    command.add_argument(
        "--stress", action=argparse.BooleanOptionalAction, default=True, help="colors of the stress of flexible bodies"
    )


def execute(arguments: argparse.Namespace) -> int:
    from cardan.output_path import free, in_folder
    from cardan.view.picture import FORMATS, picture

    try:
        width, height = (int(side) for side in arguments.size.lower().split("x"))
    except ValueError:
        raise UsageError(f"--size is WIDTHxHEIGHT in pixels, such as 1600x1000, not {arguments.size}") from None
    target = in_folder(output_path(arguments.out or Path(Path(arguments.result).stem + ".png"), FORMATS))
    require_source(arguments.result)
    free(target, arguments.overwrite)
    chosen = ("at", "elev", "azim", "names", "forces", "see_through", "deformation", "stress")
    options = {name: getattr(arguments, name) for name in chosen}
    picture(load(arguments, or_model=True), target, size=(width, height), **options)
    report_written(target, arguments)
    return 0
