"""Tendons of MJCF: sums of joint coordinates, and lines through sites."""

from __future__ import annotations

from cardan.io.document import Node
from cardan.io.mjcf.defaults import Classes
from cardan.io.mjcf.relations import Ends, Joints, found_end, limits_of, scalar_joint
from cardan.io.parts import Machine, TendonPart

TENDON = frozenset(
    "name class group limited actuatorfrclimited range actuatorfrcrange solreflimit solimplimit solreffriction "
    "solimpfriction frictionloss springlength margin stiffness damping user armature width material rgba".split()
)


def take_tendon(plain: Node, classes: Classes, joints: Joints, sites: Ends, machine: Machine, autolimits: bool) -> None:
    """One tendon; those that wrap around geoms are noted."""
    node = classes.resolved(plain, None, "tendon")
    if node.tag not in ("fixed", "spatial"):
        raise node.error("a tendon is <fixed> or <spatial>")
    node.only(TENDON)
    name = node.called(f"tendon {len(machine.tendons) + 1}")
    part = TendonPart(name, node.title)
    if node.tag == "fixed":
        part.joints = [(scalar_joint(child, "joint", joints).name, child.number("coef")) for child in node.children]
    elif any(child.tag == "geom" for child in node.children):
        machine.left_out.append(f"tendon '{name}', which wraps around geoms ({node.place})")
        return
    else:
        _take_branches(node, part, sites)
    if not (part.joints or part.branches):
        machine.left_out.append(f"tendon '{name}', which has no joints or sites ({node.place})")
        return
    part.range = limits_of(node, "", autolimits)
    part.stiffness, part.damping, part.friction = (
        node.number(word, 0.0) for word in ("stiffness", "damping", "frictionloss")
    )
    for word in ("stiffness", "damping", "frictionloss"):
        if node.number(word, 0.0) < 0.0:
            raise node.error(f"{word} must not be negative, got {node.number(word):g}")
    rest = node.numbers("springlength") if "springlength" in node.attributes else (-1.0,)
    if len(rest) > 2 or rest[0] > rest[-1]:
        raise node.error(f"springlength is one number or two that increase, got {node.attributes['springlength']!r}")
    part.rest = None if rest[0] < 0.0 else (rest[0], rest[-1])
    if node.number("armature", 0.0):
        machine.left_out.append(f"armature of the tendon '{name}' ({node.place})")
    if machine.tendons.setdefault(name, part) is not part:
        raise node.error("there are two tendons of this name; names must differ")


def _take_branches(node: Node, part: TendonPart, sites: Ends) -> None:
    """The sites of each branch; a pulley begins another one."""
    divisor, ends = 1.0, []
    for child in (*node.children, None):
        if child is not None and child.tag == "site":
            ends.append(found_end(child, "site", sites))
            continue
        if child is not None and child.tag != "pulley":
            raise child.error("a spatial tendon consists of sites, geoms and pulleys")
        if len(ends) > 1:
            part.branches.append((divisor, tuple(ends)))
        if child is not None:
            divisor, ends = child.number("divisor"), []
            if not divisor > 0.0:
                raise child.error(f"its divisor must be positive, got {divisor:g}")
