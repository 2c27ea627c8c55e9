"""The platforms that libraries are built for, and bitcode for all of them."""

from __future__ import annotations

import platform
import sys
from typing import NamedTuple


class Target(NamedTuple):
    """A platform and a level of its processors."""

    platform: str  # as sys.platform
    level: str
    triple: str
    cpu: str
    suffix: str
    zig: str  # the platform as the linker of Zig names it
    wheel: str  # the platform as wheels name it
    features: str = ""
    relocation: str = "pic"
    code_model: str = "small"

    @property
    def file_name(self) -> str:
        return f"kernels-{self.platform}-{self.level}.{self.suffix}"


def _targets(platform: str, suffix: str, triple: str, zig: str, wheel: str, levels: dict[str, str]) -> list[Target]:
    return [Target(platform, level, triple, cpu, suffix, zig, wheel) for level, cpu in levels.items()]


_X86 = {"x86-64-v3": "x86-64-v3", "x86-64": "x86-64"}
TARGETS = (
    *_targets("linux", "so", "x86_64-unknown-linux-gnu", "x86_64-linux-gnu.2.17", "manylinux_2_17_x86_64", _X86),
    *_targets(
        "linux",
        "so",
        "aarch64-unknown-linux-gnu",
        "aarch64-linux-gnu.2.17",
        "manylinux_2_17_aarch64",
        {"generic": "generic"},
    ),
    *_targets(
        "darwin", "dylib", "arm64-apple-macosx11.0.0", "aarch64-macos", "macosx_11_0_arm64", {"generic": "apple-m1"}
    ),
    *_targets("darwin", "dylib", "x86_64-apple-macosx11.0.0", "x86_64-macos", "macosx_11_0_x86_64", _X86),
    *_targets("win32", "dll", "x86_64-pc-windows-gnu", "x86_64-windows-gnu", "win_amd64", _X86),
)
WHEELS = tuple(dict.fromkeys(target.wheel for target in TARGETS))
ANY = "any"  # the wheel with bitcode
# Sizes and alignments of types are the same on all 64-bit platforms; each machine states its own layout and processor.
BITCODE = Target(ANY, "bitcode", "x86_64-unknown-linux-gnu", "x86-64", "xz", "", ANY)


def targets_of_wheel(wheel: str) -> list[Target]:
    """The targets, one for each level of processors, that a wheel serves."""
    return [target for target in TARGETS if target.wheel == wheel]


def wheel_of_this_machine() -> str:
    """The wheel that fits this machine; ValueError if there is none."""
    processor = platform.machine().lower()
    system = {"linux": "manylinux", "darwin": "macosx", "win32": "win"}.get(sys.platform, sys.platform)
    for wheel in WHEELS:
        if wheel.startswith(system) and wheel.endswith(processor):
            return wheel
    raise ValueError(f"no library of kernels is built for {sys.platform} on {processor}")
