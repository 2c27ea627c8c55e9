"""Platforms of exported binaries: their names, targets and folders in FMUs."""

from __future__ import annotations

import struct
import sys
from collections.abc import Iterable, Sequence

from cardan.errors import ModelError
from cardan.numerics.compiled.library import supported_levels
from cardan.prebuilt.targets import Target, targets_of_wheel, wheel_of_this_machine

PLATFORMS = {  # names, wheels, folders of FMI 2.0 and 3.0
    "linux-x86-64": ("manylinux_2_17_x86_64", "linux64", "x86_64-linux"),
    "linux-aarch64": ("manylinux_2_17_aarch64", "aarch64-linux", "aarch64-linux"),
    "macos-arm64": ("macosx_11_0_arm64", "darwin64", "aarch64-darwin"),
    "macos-x86-64": ("macosx_11_0_x86_64", "darwin64", "x86_64-darwin"),
    "windows-x86-64": ("win_amd64", "win64", "x86_64-windows"),
}
ALL = "all"
NATIVE = "native"  # the processor of this machine
_PAGE = 14  # slices of a universal binary begin at multiples of 2 to this power
_PROCESSORS = {"macos-arm64": (0x0100000C, 0), "macos-x86-64": (0x01000007, 3)}


def this_platform() -> str:
    """The platform of this machine."""
    try:
        wheel = wheel_of_this_machine()
    except ValueError as error:
        raise ModelError(f"models cannot be exported on this machine: {error}") from None
    return next(name for name, (known, _, _) in PLATFORMS.items() if known == wheel)


def platforms_of(stated: str | Sequence[str] | None) -> list[str]:
    """Platforms as the user lists them; this machine's by default."""
    if stated is None:
        return [this_platform()]
    listed = [stated] if isinstance(stated, str) else list(stated)
    found = list(PLATFORMS) if listed == [ALL] else listed
    unknown = next((name for name in found if name not in PLATFORMS), None)
    if unknown is not None or not found:
        raise ModelError(f"platforms must be 'all' or some of {', '.join(PLATFORMS)}, got {unknown!r}")
    return list(dict.fromkeys(found))


def target_of(processor: str | None, platform: str | None = None) -> Target:
    """The target for a platform: for processors like that of this machine, or for a stated level."""
    own = this_platform()
    platform = platform or own
    targets = {target.level: target for target in targets_of_wheel(PLATFORMS[platform][0])}
    if processor is None:
        levels = supported_levels() if platform == own else ()
        return next((targets[level] for level in levels if level in targets), [*targets.values()][0 if levels else -1])
    if processor == NATIVE and platform == own:
        return _native([*targets.values()][-1])
    if processor not in targets and platform == own:
        known = ", ".join([*targets, NATIVE])
        raise ModelError(f"processor must be one of {known} on {sys.platform}, got {processor!r}")
    return targets.get(processor, [*targets.values()][-1])


def _native(target: Target) -> Target:
    """The processor of this machine, with all that it can do: the same bits as kernels compiled in process."""
    import llvmlite.binding as llvm

    return target._replace(level=NATIVE, cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten())


def universal(binaries: Iterable[tuple[str, bytes]]) -> bytes:
    """One binary for several processors of macOS: a header, then each at the start of a page."""
    listed = list(binaries)
    place, header, body = 1 << _PAGE, struct.pack(">II", 0xCAFEBABE, len(listed)), b""
    for name, data in listed:
        header += struct.pack(">iiIII", *_PROCESSORS[name], place + len(body), len(data), _PAGE)
        body += data + bytes(-len(data) % (1 << _PAGE))
    return header.ljust(place, b"\0") + body
