"""Build libraries of kernels and wheels with them.

python -m cardan.prebuilt                              a library for this machine, next to the sources
python -m cardan.prebuilt --wheels dist                wheels for all platforms, of the wheel in dist, and bitcode in it
python -m cardan.prebuilt --platform any               bitcode next to the sources
python -m cardan.prebuilt --code FOLDER ...            keep the collected code, or use what is there
"""

from __future__ import annotations

import argparse
import os
import tempfile
from pathlib import Path

from cardan.numerics.compiled.library import PACKAGE
from cardan.prebuilt.build import build
from cardan.prebuilt.targets import ANY, WHEELS, wheel_of_this_machine
from cardan.prebuilt.wheel import platform_wheel


def main() -> None:
    """Parse arguments and build."""
    parser = argparse.ArgumentParser(prog="python -m cardan.prebuilt", description="Build libraries of kernels.")
    parser.add_argument("--code", type=Path, help="folder of collected code, used if it is up to date")
    parser.add_argument("--wheels", type=Path, metavar="FOLDER", help="build wheels of the plain wheel in this folder")
    parser.add_argument("--platform", action="append", choices=(*WHEELS, ANY), help="some platforms only")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        code = arguments.code or Path(scratch) / "code"
        for wheel in arguments.platform or ((*WHEELS, ANY) if arguments.wheels else [wheel_of_this_machine()]):
            start = _cpu()
            place = Path(scratch) / wheel
            place.mkdir()
            package = place / "cardan" if arguments.wheels else PACKAGE
            own = not arguments.wheels and wheel == wheel_of_this_machine()
            written = build(code, wheel, package, place, cross=not own)
            for path in written:
                print(f"{path.stat().st_size / 1e3:10.1f} kB  {path.name}")
            if arguments.wheels:
                plain = next(arguments.wheels.glob("*-py3-none-any.whl"))
                files = {path.relative_to(place).as_posix(): path for path in written}
                print(platform_wheel(plain, files, wheel, arguments.wheels).name)
            print(f"{wheel}: {_cpu() - start:.1f} s of CPU")


def _cpu() -> float:
    """CPU seconds of this process and of those that it has run."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


if __name__ == "__main__":
    main()
