"""Files that nobody would write: from grammars of the formats, and sound files in which something is changed."""

from __future__ import annotations

import random
import re
import struct
from collections.abc import Callable, Sequence

NUMBERS = (
    b"0", b"-1", b"1", b"2", b"1e308", b"-1e308", b"1e-320", b"nan", b"inf", b"-inf", b"1e400", b"99999999999999999999",
    b"2147483647", b"-2147483648", b"4294967296", b"0x10", b"1_0", b".5", b"5.", b"1e", b"--1", b"\xd9\xa3", b"",
)  # fmt: skip
TOKENS = (
    b"<", b">", b"</", b"/>", b"&", b"&lt;", b"&#0;", b"&#x41;", b"]]>", b"<!--", b"-->", b"<![CDATA[", b"<?xml?>",
    b"\"", b"'", b"{", b"}", b"[", b"]", b"(", b")", b":", b": ", b"- ", b"*a", b"&a ", b"!!str ", b"|\n", b">\n",
    b"---\n", b"\n", b"\r", b"\t", b"\0", b"\xff", b"\xef\xbb\xbf", b"\xe2\x80\xa8", b",", b";", b"@", b"@(", b"**",
    b"//", b"..", b"../", b"/", b"~", b"file://", b"package://", b"http://a", b"/dev/zero", b"ground", b"null",
    b"true", b"name", b"type", b"m", b" mm", b" deg", b" kg", b"%s", b"$", b"\\", b"\\u0000", b"NaN", b"Infinity",
    b"\xf0\x9f\x98\x80",
)  # fmt: skip
LARGEST = 100_000  # bytes of an input


def mutated(data: bytes, others: Sequence[bytes], luck: random.Random) -> bytes:
    """The data after one change or several."""
    for _ in range(luck.choice((1, 1, 1, 2, 3, 6))):
        data = luck.choice(CHANGES)(data, others, luck)
    return data[:LARGEST]


def _places(data: bytes, luck: random.Random) -> tuple[int, int]:
    first = luck.randrange(len(data) + 1)
    return first, min(len(data), first + luck.choice((0, 1, 2, 4, 8, 30, 200)))


def _flip(data: bytes, others: Sequence[bytes], luck: random.Random) -> bytes:
    if not data:
        return data
    at = luck.randrange(len(data))
    return data[:at] + bytes([data[at] ^ (1 << luck.randrange(8))]) + data[at + 1 :]


def _cut(data: bytes, others: Sequence[bytes], luck: random.Random) -> bytes:
    first, last = _places(data, luck)
    return data[:first] + data[last:] if luck.random() < 0.8 else data[:first]


def _token(data: bytes, others: Sequence[bytes], luck: random.Random) -> bytes:
    first, last = _places(data, luck)
    word = luck.choice(TOKENS) * luck.choice((1, 1, 1, 2, 100, 3000))
    return data[:first] + word + data[last if luck.random() < 0.5 else first :]


def _number(data: bytes, others: Sequence[bytes], luck: random.Random) -> bytes:
    found = list(re.finditer(rb"-?\d+\.?\d*(e-?\d+)?", data[:20_000]))
    if not found:
        return _token(data, others, luck)
    one = luck.choice(found)
    return data[: one.start()] + luck.choice(NUMBERS) + data[one.end() :]


def _word(data: bytes, others: Sequence[bytes], luck: random.Random) -> bytes:
    """A word in the place of another, of this file or of a similar one."""
    found = list(re.finditer(rb"[A-Za-z_]\w+", data[:20_000]))
    stock = re.findall(rb"[A-Za-z_]\w+", luck.choice(others)[:20_000]) if others else []
    if not found or not stock:
        return _token(data, others, luck)
    one = luck.choice(found)
    return data[: one.start()] + luck.choice(stock) + data[one.end() :]


def _repeat(data: bytes, others: Sequence[bytes], luck: random.Random) -> bytes:
    first, last = _places(data, luck)
    return data[:first] + data[first:last] * luck.choice((2, 3, 50, 1000)) + data[last:]


def _splice(data: bytes, others: Sequence[bytes], luck: random.Random) -> bytes:
    other = luck.choice(others) if others else data
    first, last = _places(other, luck)
    at = luck.randrange(len(data) + 1)
    return data[:at] + other[first:last] + data[at:]


def _whole_number(data: bytes, others: Sequence[bytes], luck: random.Random) -> bytes:
    """Four or eight bytes that may be a length or a place."""
    if len(data) < 8:
        return data
    at = luck.randrange(min(len(data) - 7, 2000)) & ~3
    value = luck.choice((0, 1, 2, 3, 5, 255, 65535, 2**31 - 1, 2**31, 2**32 - 1, len(data), len(data) // 8, 10**6))
    packed = luck.choice((struct.pack(">I", value), struct.pack("<I", value), struct.pack(">q", value)))
    return data[:at] + packed + data[at + len(packed) :]


CHANGES: tuple[Callable[[bytes, Sequence[bytes], random.Random], bytes], ...] = (
    _flip, _cut, _token, _number, _number, _word, _word, _repeat, _splice, _whole_number,
)  # fmt: skip

# --- grammars --------------------------------------------------------------------------------------------------------

URDF = {
    "robot": ("name", ("link", "link", "link", "joint", "joint", "material")),
    "link": ("name", ("inertial", "visual", "collision")),
    "joint": ("name type", ("parent", "child", "origin", "axis", "limit", "dynamics", "mimic")),
    "inertial": ("", ("mass", "inertia", "origin")),
    "visual": ("name", ("geometry", "origin")),
    "collision": ("", ("geometry", "origin")),
    "geometry": ("", ("box", "sphere", "cylinder", "capsule", "mesh")),
    "parent": ("link", ()), "child": ("link", ()), "origin": ("xyz rpy", ()), "axis": ("xyz", ()),
    "limit": ("lower upper effort velocity", ()), "dynamics": ("damping friction", ()),
    "mimic": ("joint multiplier offset", ()), "mass": ("value", ()), "inertia": ("ixx iyy izz ixy ixz iyz", ()),
    "box": ("size", ()), "sphere": ("radius", ()), "cylinder": ("radius length", ()), "capsule": ("radius length", ()),
    "mesh": ("filename scale", ()), "material": ("name", ()),
}  # fmt: skip
MJCF = {
    "mujoco": ("model", ("compiler", "option", "default", "asset", "worldbody", "worldbody", "equality", "actuator",
                         "keyframe", "contact", "tendon", "sensor", "include")),
    "compiler": ("angle eulerseq autolimits inertiafromgeom meshdir boundmass balanceinertia settotalmass", ()),
    "option": ("gravity timestep", ("flag",)), "flag": ("gravity", ()),
    "default": ("class", ("joint", "geom", "default", "mesh", "motor")),
    "asset": ("", ("mesh",)), "mesh": ("name file scale vertex face inertia refpos refquat", ()),
    "worldbody": ("", ("body", "body", "geom", "site", "frame")),
    "body": ("name pos quat euler childclass", ("body", "joint", "joint", "geom", "geom", "inertial", "site", "frame",
                                                "freejoint")),
    "frame": ("pos quat", ("body", "geom", "frame")),
    "joint": ("name type axis pos range ref springref stiffness damping armature frictionloss limited class joint1 "
              "joint2 polycoef", ()),
    "freejoint": ("name", ()), "geom": ("name type size pos quat fromto mass density mesh group class", ()),
    "site": ("name pos quat", ()), "inertial": ("pos mass diaginertia fullinertia quat", ()),
    "equality": ("", ("connect", "weld", "joint")), "connect": ("body1 body2 anchor site1 site2 active", ()),
    "weld": ("body1 body2 relpose", ()),
    "actuator": ("", ("motor", "position", "general")),
    "motor": ("name joint gear ctrlrange ctrllimited forcerange", ()),
    "position": ("name joint kp kv ctrlrange inheritrange", ()),
    "general": ("name joint gainprm biasprm biastype dyntype", ()),
    "keyframe": ("", ("key",)), "key": ("name qpos", ()), "contact": ("", ()), "tendon": ("", ()), "sensor": ("", ()),
    "include": ("file", ()),
}  # fmt: skip
# names that begin with > stand for the text of an element
SDF = {
    "sdf": ("version", ("model", "model", "world")), "world": ("name", ("model", "gravity")),
    "model": ("name canonical_link", ("link", "link", "link", "joint", "joint", "frame", "pose", "static")),
    "link": ("name", ("pose", "inertial", "visual", "collision", "gravity")),
    "joint": ("name type", ("parent", "child", "pose", "axis", "axis2", "screw_thread_pitch")),
    "frame": ("name attached_to", ("pose",)), "pose": ("relative_to degrees >pose", ()), "static": (">flag", ()),
    "inertial": ("", ("mass", "inertia", "pose")), "inertia": ("", ("ixx", "iyy", "izz", "ixy")),
    "parent": (">link", ()), "child": (">link", ()), "gravity": (">xyz", ()), "xyz": ("expressed_in >xyz", ()),
    "axis": ("", ("xyz", "limit", "dynamics", "mimic")), "axis2": ("", ("xyz", "limit", "dynamics")),
    "limit": ("", ("lower", "upper", "effort")), "dynamics": ("", ("damping", "friction", "spring_stiffness")),
    "mimic": ("joint", ("multiplier", "offset")), "visual": ("name", ("geometry", "pose")),
    "collision": ("name", ("geometry", "pose")), "geometry": ("", ("box", "sphere", "cylinder", "mesh", "plane")),
    "box": ("", ("size",)), "sphere": ("", ("radius",)), "cylinder": ("", ("radius", "length")), "plane": ("", ()),
    "mesh": ("", ("uri", "scale")), "uri": (">filename", ()), "scale": (">scale", ()), "size": (">size", ()),
    **{name: (f">{name}", ()) for name in (
        "mass", "ixx", "iyy", "izz", "ixy", "lower", "upper", "effort", "damping", "friction", "spring_stiffness",
        "multiplier", "offset", "radius", "length", "screw_thread_pitch",
    )},
}  # fmt: skip
GRAMMARS = {"urdf": (URDF, "robot"), "sdf": (SDF, "sdf"), "mjcf": (MJCF, "mujoco")}
WORDS = ("a", "b", "c", "base", "arm", "world", "main", "")
KINDS = {
    "type": ("revolute", "fixed", "continuous", "prismatic", "planar", "floating", "hinge", "slide", "ball", "free",
             "box", "sphere", "capsule", "mesh", "cylinder", "plane", "ellipsoid", "hfield", "universal", "screw"),
    "filename": ("a.stl", "../a.stl", "/etc/passwd", "package://a/b.stl", "file:///dev/zero"),
    "file": ("a.xml", "../a.xml", "/dev/zero", "m.xml", "a.stl"),
    "inertia": ("legacy", "convex", "exact", "shell", "none"),
    "angle": ("degree", "radian"), "eulerseq": ("xyz", "XYZ", "zzz", "q"), "inertiafromgeom": ("true", "false", "auto"),
}  # fmt: skip
SWITCHES = ("autolimits", "balanceinertia", "limited", "ctrllimited", "active", "gravity")


def grown(kind: str, luck: random.Random) -> bytes:
    """A file of a grammar: elements where they belong, most of them with sensible values."""
    rules, root = GRAMMARS[kind]
    return _element(rules, root, luck, 0).encode()


def _element(rules: dict, tag: str, luck: random.Random, depth: int) -> str:
    attributes, inner = rules[tag]
    stated = {name: _value(name, luck) for name in attributes.split() if luck.random() < (0.9 if depth < 2 else 0.6)}
    children = "".join(
        _element(rules, luck.choice(inner), luck, depth + 1)
        for _ in range(luck.randrange(1, 7 if depth < 2 else 4) if inner and depth < 7 else 0)
    )
    words = "".join(f' {name}="{value}"' for name, value in stated.items() if name[0] != ">")
    text = "".join(value for name, value in stated.items() if name[0] == ">")
    return f"<{tag}{words}>{text}{children}</{tag}>"


def _value(name: str, luck: random.Random) -> str:
    name = name.removeprefix(">")
    if name == "version" and luck.random() < 0.95:
        return luck.choice(("1.4", "1.6", "1.9", "1.11"))
    if name == "pose" and luck.random() < 0.9:
        return " ".join(f"{luck.uniform(-1, 1):.3g}" for _ in range(6))
    if name in ("relative_to", "attached_to", "expressed_in", "canonical_link"):
        return luck.choice((*WORDS, "__model__"))
    if name in ("degrees", "flag"):
        return luck.choice(("true", "false", "1", "yes"))
    if name in KINDS and luck.random() < 0.95:
        return luck.choice(KINDS[name])
    if name in SWITCHES and luck.random() < 0.8:
        return luck.choice(("true", "false", "auto", "enable", "disable", "0 0 -9.81"))
    if name in ("name", "link", "joint", "class", "childclass", "mesh", "body1", "body2", "joint1", "joint2", "site1"):
        return luck.choice(WORDS) + luck.choice(("", "1", "2"))
    count = luck.choice((1, 1, 2, 3, 3, 3, 4, 6, 12))
    usual = ("0", "1", "-1", "0.5", "2", "0.1")
    numbers = NUMBERS if luck.random() < 0.05 else [word.encode() for word in usual]
    return " ".join(luck.choice(numbers).decode("utf-8", "replace") for _ in range(count))
