"""Equalities, actuators and key frames of MJCF."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from cardan.errors import ModelError
from cardan.io.document import Node, near
from cardan.io.mjcf.defaults import Classes, unit
from cardan.io.parts import CONTROLLED, SIZES, ActuatorPart, Closure, JointPart, Machine, Tie
from cardan.io.pose import Pose, pose

WORLD = "world"
FILTERS = ("filter", "filterexact")
Joints = dict[str, JointPart]
Ends = Mapping[str, tuple[str | None, Pose]]  # links and sites by name: the link, and the frame in it


def take_equality(node: Node, machine: Machine, joints: Joints, links: Ends, sites: Ends) -> None:
    """An equality: <connect> is a ball, <weld> a weld, <joint> a tie; others are noted."""
    number = len(machine.closures) + len(machine.ties) + 1
    name = node.called(f"{node.tag} {number}")
    if not node.flag("active", True):
        machine.left_out.append(f"equality '{name}', which is not active ({node.place})")
    elif node.tag == "connect":
        machine.closures.append(_connect(node, name, links, sites))
    elif node.tag == "weld":
        machine.closures.append(_weld(node, name, links, sites))
    elif node.tag == "joint":
        machine.ties.append(_joint(node, name, joints))
    elif node.tag == "tendon" and all(
        node.attributes.get(key, node.attributes.get("tendon1")) in machine.tendons for key in ("tendon1", "tendon2")
    ):
        machine.tendon_ties.append(_tendon_tie(node, name))
    else:
        machine.left_out.append(f"equality <{node.tag}> '{name}' ({node.place})")


def _connect(node: Node, name: str, links: Ends, sites: Ends) -> Closure:
    if "site1" in node.attributes:
        return Closure(name, node.title, "ball", *(found_end(node, key, sites) for key in ("site1", "site2")))
    a, b = _bodies(node, links)
    return Closure(name, node.title, "ball", (a, pose(node.vector("anchor", 3))), (b, None))


def _weld(node: Node, name: str, links: Ends, sites: Ends) -> Closure:
    if "site1" in node.attributes:
        return Closure(name, node.title, "weld", *(found_end(node, key, sites) for key in ("site1", "site2")))
    a, b = _bodies(node, links)
    stated = np.array(node.vector("relpose", 7, (0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0)))
    if not stated[3:].any():  # as the file places them
        return Closure(name, node.title, "weld", (a, pose()), (b, None))
    return Closure(name, node.title, "weld", (a, pose(stated[:3], unit(node, stated[3:], "relpose"))), (b, pose()))


def _bodies(node: Node, links: Ends) -> tuple[str | None, str | None]:
    a = found_end(node, "body1", links)[0]
    b = found_end(node, "body2", links)[0] if "body2" in node.attributes else None
    if a == b:
        raise node.error(f"it joins body '{a or WORLD}' to itself")
    return a, b


def found_end(node: Node, key: str, known: Ends) -> tuple[str | None, Pose]:
    name = node.word(key)
    if name not in known:
        raise node.error(f"{key} refers to an unknown element '{name}'{near(name, list(known))}")
    return known[name]


def _joint(node: Node, name: str, joints: Joints) -> Tie:
    """y - y0 = sum a_k (x - x0)^k, with y0 and x0 as the file places the joints."""
    follower = scalar_joint(node, "joint1", joints)
    stated = node.numbers("polycoef") if "polycoef" in node.attributes else (0.0, 1.0)
    if len(stated) > 5:
        raise node.error(f"polycoef takes at most five numbers, got {len(stated)}")
    if "joint2" not in node.attributes:
        return Tie(name, node.title, follower.name, None, (follower.start + stated[0],))
    leader = scalar_joint(node, "joint2", joints)
    if leader is follower:
        raise node.error(f"it ties joint '{leader.name}' to itself")
    shifted = np.polynomial.Polynomial(stated)(np.polynomial.Polynomial([-leader.start, 1.0]))
    coefficients = np.atleast_1d(shifted.coef)
    coefficients[0] += follower.start
    return Tie(name, node.title, follower.name, leader.name, tuple(map(float, coefficients)))


def _tendon_tie(node: Node, name: str) -> Tie:
    """The same of the lengths of tendons, less those as the file places links."""
    stated = node.numbers("polycoef") if "polycoef" in node.attributes else (0.0, 1.0)
    if len(stated) > 5:
        raise node.error(f"polycoef takes at most five numbers, got {len(stated)}")
    return Tie(name, node.title, node.word("tendon1"), node.attributes.get("tendon2"), stated)


def scalar_joint(node: Node, key: str, joints: Joints) -> JointPart:
    """A joint with one coordinate that an attribute names."""
    name = node.word(key)
    if name not in joints:
        raise node.error(f"{key} refers to '{name}', which is not a joint{near(name, list(joints))}")
    if not joints[name].scalar:
        raise node.error(f"{key} refers to the {joints[name].kind} joint '{name}', which has no single coordinate")
    return joints[name]


def take_contact(node: Node, machine: Machine, links: Ends) -> None:
    """An <exclude>: two bodies that never touch; a <pair> is noted."""
    if node.tag == "exclude":
        machine.apart.add(frozenset(found_end(node, key, links)[0] for key in ("body1", "body2")))
    elif node.tag == "pair":
        ends = " and ".join(f"'{node.attributes.get(key, '')}'" for key in ("geom1", "geom2"))
        machine.left_out.append(f"contact <pair> of {ends} ({node.place})")
    else:
        raise node.error("a <contact> section contains <pair> and <exclude>")


def take_actuator(plain: Node, classes: Classes, joints: Joints, machine: Machine, autolimits: bool) -> None:
    """One actuator; those that are not motors or position servos on a joint are noted."""
    node = classes.resolved(plain, None)
    name = node.called(f"{node.tag} {len(machine.actuators) + 1}")
    key = "joint" if "joint" in node.attributes else "jointinparent"
    if key in node.attributes and node.attributes[key] not in joints:
        scalar_joint(node, key, joints)  # raises
    stated, tendon = joints.get(node.attributes.get(key, "")), node.attributes.get("tendon", "")
    if (stated is None or not stated.scalar) and tendon not in machine.tendons:
        machine.left_out.append(f"actuator <{node.tag}> '{name}' ({node.place})")
        return
    gear = node.numbers("gear")[0] if "gear" in node.attributes else 1.0
    if gear == 0.0:
        raise node.error("its gear is zero")
    part = ActuatorPart(name, node.title, node.tag, "" if stated is None else stated.name, tendon, gear)
    _law(node, part)
    if part.kind not in CONTROLLED:
        machine.left_out.append(f"actuator <{node.tag}> '{name}' ({node.place})")
    lost = [word for word in ("dampratio", "timeconst") if node.tag == "position" and node.number(word, 0.0)]
    if lost:
        machine.left_out.append(f"{' and '.join(lost)} of the actuator '{name}' ({node.place})")
    part.control, part.force = (limits_of(node, word, autolimits) for word in ("ctrl", "force"))
    if node.number("inheritrange", 0.0) > 0.0:
        ends = machine.tendons[tendon].range if stated is None else (stated.lower, stated.upper)
        part.control = _inherited(node, ends)
    if machine.actuators.setdefault(name, part) is not part:
        raise node.error("there are two actuators of this name; names must differ")


def limits_of(node: Node, word: str, autolimits: bool) -> tuple[float, float] | None:
    """The range, if it is limited: explicitly, or by autolimits."""
    limited = node.choice(f"{word}limited", ("true", "false", "auto"), "auto")
    if f"{word}range" not in node.attributes:
        if limited == "true":
            raise node.error(f"it is {word}limited, but has no {word}range")
        return None
    low, high = node.vector(f"{word}range", 2)
    if low > high or (low == high and limited == "true"):
        raise node.error(f"{word}range begins at {low:g}, above its end {high:g}; they must increase")
    if limited == "auto" and not autolimits:
        raise node.error(f"it has a {word}range, but no {word}limited='true' or 'false', and autolimits are off")
    return (low, high) if limited != "false" and low < high else None


def _inherited(node: Node, ends: tuple[float | None, float | None] | None) -> tuple[float, float]:
    """The range of the joint or tendon, scaled about its middle."""
    low, high = ends or (None, None)
    if "ctrlrange" in node.attributes or low is None or high is None or low >= high:
        raise node.error("inheritrange takes the range of its joint, which must have one, and stands alone")
    middle, half = (low + high) / 2.0, (high - low) / 2.0
    reach = node.number("inheritrange") * half
    return middle - reach, middle + reach


def _law(node: Node, part: ActuatorPart) -> None:
    """The numbers of a servo; a <general> whose force is affine becomes a motor, a servo, or "affine".

    Its force is gain * u + b0 + b1 z + b2 z': a motor without b, a servo if b0 = 0 and b1 = -gain. A filter delays u.
    """
    if part.kind == "position":
        part.stiffness, part.damping = node.number("kp", 1.0), node.number("kv", 0.0)
    elif part.kind == "velocity":
        part.damping = node.number("kv", 1.0)
    elif part.kind == "general":
        words = (("dyntype", "none"), ("gaintype", "fixed"), ("biastype", "none"))
        dynamics, gain, bias = (node.attributes.get(word, usual) for word, usual in words)
        size = node.numbers("gainprm")[0] if "gainprm" in node.attributes else 1.0
        b0, b1, b2, *_ = (*(node.numbers("biasprm") if "biasprm" in node.attributes else ()), 0.0, 0.0, 0.0)
        if dynamics not in ("none", *FILTERS) or gain != "fixed" or bias not in ("none", "affine") or not size:
            return
        if dynamics in FILTERS:
            part.lag = node.numbers("dynprm")[0] if "dynprm" in node.attributes else 1.0
            if not part.lag > 0.0:
                raise node.error(f"the time constant of its filter must be positive, got {part.lag:g}")
        if bias == "none" or b0 == b1 == b2 == 0.0:
            part.kind, part.gear, part.gain = "motor", part.gear * size, size
        elif b0 == 0.0 and b1 == -size and size > 0.0 >= b2:
            part.kind, part.stiffness, part.damping = "position", size, -b2
        else:
            part.kind, part.gain, part.bias = "affine", size, (b0, b1, b2)


def key_values(
    keys: list[Node], key: str, machine: Machine, word: str = "qpos", numbers_of: Mapping[str, int] = SIZES
) -> dict[str, tuple[float, ...] | float]:
    """The values of joints in a key frame: qpos, or qvel if it has one, lists them in the order of the file."""
    named = {node.attributes.get("name", ""): node for node in keys}
    if key not in named:
        raise ModelError(f"'{machine.path.name}' has no key frame '{key}'{near(key, list(named))}")
    node, joints = named[key], machine.joints()
    sizes = {name: numbers_of[joint.kind] for name, joint in joints.items()}
    if word == "qvel" and word not in node.attributes:
        return {}
    numbers = node.vector(word, sum(sizes.values()))
    found: dict[str, tuple[float, ...] | float] = {}
    at = 0
    for name, size in sizes.items():
        found[name] = numbers[at] if size == 1 else numbers[at : at + size]
        at += size
    return found
