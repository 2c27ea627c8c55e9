r"""Building a model from the parts of a file.

    file                                        model
    link with mass, or moved by a joint         Body in the frame of the link
    link without mass, welded                   a marker of the body that carries it, shown as a Point
    joint                                       Revolute, Translational, Spherical, Planar; Fixed; nothing if free
    several joints of one link                  a chain with massless bodies between them
    stiffness, damping, friction, armature      Spring, Friction, Armature

The axes of markers are chosen to make joint coordinates equal those of the file.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.elements.constraints.driver import Hold
from cardan.elements.contact.friction import Friction
from cardan.elements.control.actuator import Actuator
from cardan.elements.control.linear import Lag, Sum
from cardan.elements.control.shaping import Saturation
from cardan.elements.control.signals import as_signal, rate
from cardan.elements.forces.armature import Armature
from cardan.elements.forces.load import Load
from cardan.elements.forces.servo import Servo
from cardan.elements.forces.spring import Spring
from cardan.elements.forces.stop import Stop
from cardan.elements.point import Point
from cardan.errors import CardanWarning, ModelError, warn
from cardan.io.building.closures import add_closures, add_ties
from cardan.io.building.contacts import add_contacts, check_contacts
from cardan.io.building.placement import place_links, stated_values
from cardan.io.building.tendons import add_tendons
from cardan.io.building.velocities import move_links, stated_rates
from cardan.io.document import near
from cardan.io.imported import FileModel, ImportedActuator, ImportedJoint
from cardan.io.parts import CONTROLLED, ActuatorPart, JointPart, LinkPart, Machine, weighs
from cardan.io.pose import Pose, axis_frame, pose, turn_about
from cardan.io.solids import Solid, has_lines, lines_of
from cardan.model import check
from cardan.model.body import LaterLines
from cardan.spatial.body import Body
from cardan.spatial.joints.cylindrical import Translational
from cardan.spatial.joints.directions import Planar
from cardan.spatial.joints.fixed import Fixed
from cardan.spatial.joints.revolute import Revolute
from cardan.spatial.joints.spherical import Spherical
from cardan.spatial.measures import angular_velocity_about, rotation_component

if TYPE_CHECKING:
    from cardan.model.measure import Readable

MAX_NOTES = 40  # notes in one warning
JOINTS: dict[str, Any] = {"hinge": Revolute, "slide": Translational, "ball": Spherical, "plane": Planar}


@dataclass(frozen=True)
class Options:
    """Options of `from_urdf` and `from_mjcf`, which describe them."""

    q: Mapping[str, Any] | None = None
    v: Mapping[str, Any] | None = None
    limits: bool = False
    stiffness: float | None = None
    damping: float = 0.0
    friction: bool = True
    armature: bool = True
    controls: Mapping[str, Any] | None = None
    contacts: Mapping[str, Any] | None = None

    def check(self) -> None:
        for name in ("limits", "friction", "armature"):
            check.flag(getattr(self, name), name)
        if self.contacts is not None:
            check_contacts(self.contacts)
        if self.limits and self.stiffness is None:
            raise ModelError(
                "limits=True adds a Stop at the limits of each joint: pass their stiffness=, in N m/rad and N/m"
            )
        if self.stiffness is not None:
            check.positive(self.stiffness, "the stiffness of limits")
            if not self.limits:
                raise ModelError("stiffness= applies to stops at limits: pass limits=True, or omit it")
        if check.number(self.damping, "the damping of limits") < 0.0:
            raise ModelError(f"the damping of limits must not be negative, got {self.damping:g}")


def build(machine: Machine, options: Options) -> FileModel:
    """The model; parts that are not imported are listed in one warning."""
    options.check()
    machine.check_masses()
    model = _Builder(machine, options).model
    if machine.left_out:
        more = len(machine.left_out) - MAX_NOTES
        listed = "; ".join(machine.left_out[:MAX_NOTES]) + (f"; and {more} more: see left_out" if more > 0 else "")
        warn(f"{machine.path.name}: not imported: {listed}")
    return model


class _Builder:
    """Builds the model; `carriers` are the body and the body-fixed frame of each link."""

    def __init__(self, machine: Machine, options: Options) -> None:
        self.machine, self.options = machine, options
        self.model = FileModel(machine.name, machine.gravity, source=machine.path)
        self.taken: set[str] = {"ground"}
        self.links = {link.name for link in machine.links}
        self.parts = machine.joints()
        self.merged: dict[str, list[LinkPart]] = {}  # links that are drawn with their parent
        for link in machine.links:
            if link.parent is not None and not link.joints and not weighs(link.matter):
                self.merged.setdefault(link.parent, []).append(link)
        self.carriers: dict[str | None, tuple[Body, Pose]] = {None: (self.model.ground, pose())}
        self.values = stated_values(machine, options.q)
        self.frames = place_links(machine, self.values)
        self.rates = stated_rates(machine, options.v, self.values)
        self.motions = move_links(machine, self.frames, self.rates)
        if machine.world.solids:
            self.model.solids["ground"] = tuple(machine.world.solids)
        for link in machine.links:
            self._link(link)
        for link in (machine.world, *machine.links):
            self._points(link)
        self._forces()
        start = self.frames if not self.values else place_links(machine, {})
        add_contacts(self.model, machine, self.carriers, self.options.contacts, self.named)
        add_tendons(self.model, machine, self.carriers, self.named, self.options)
        add_closures(self.model, machine, self.carriers, start, self.named)
        add_ties(self.model, machine, self.named)
        self._actuators()
        self.model.left_out = tuple(machine.left_out)

    def named(self, name: str, kind: str) -> str:
        """The name of the file, with a suffix if a link or another element has it."""
        others = self.taken if kind in ("body", "frame") else self.taken | self.links
        found = name if name not in others else f"{name} {kind}"
        count = 2
        while found in others:
            found, count = f"{name} {kind} {count}", count + 1
        self.taken.add(found)
        return found

    # --- links and joints

    def _link(self, link: LinkPart) -> None:
        carrier, offset = self.carriers[link.parent]
        place = offset.then(link.place)
        on_ground = carrier is self.model.ground
        if not link.joints and not weighs(link.matter) and not (on_ground and link.solids):
            self.carriers[link.name] = carrier, place
            self.model.frames[link.name] = carrier.at(place.point, orientation=place.turn)
            moved = (replace(solid, place=place.then(solid.place)) for solid in link.solids)
            if found := (*self.model.solids.get(carrier.name, ()), *moved):
                self.model.solids[carrier.name] = found
            return
        body = self._body(link)
        self.carriers[link.name] = body, pose()
        if not link.joints:
            a = carrier.at(place.point, orientation=place.turn)
            self.model.add(Fixed(a, body.at()), name=self.named(f"{link.name} weld", "weld"))
        before = carrier
        for number, joint in enumerate(link.joints):
            last = number == len(link.joints) - 1
            after = body if last else self._between(link, joint, number)
            self._joint(joint, before, place, after)
            before, place = after, pose()

    def _body(self, link: LinkPart) -> Body:
        drawn = self._drawn(link)
        outline = LaterLines(_outline, tuple(drawn)) if drawn else None
        color = next((solid.paint for solid in link.solids if solid.drawn and solid.paint), "")
        body = Body(mass=link.matter, outline=outline, color=color, **self._placed(link, -1))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CardanWarning)  # the reader warned of its inertia
            self.model.add(body, name=self.named(link.name, "body"))
        if link.solids:
            self.model.solids[body.name] = tuple(link.solids)
        if link.lifted and link.matter is not None:
            weight = -link.lifted * link.matter.mass * np.array(self.machine.gravity)
            lift = Load(body.at(*link.matter.center), tuple(weight.tolist()))
            self.model.add(lift, name=self.named(f"{link.name} gravity compensation", "force"))
        return body

    def _drawn(self, link: LinkPart) -> list[tuple[Pose, Solid]]:
        """Its solids with lines, and those of massless links that are welded to it; all of them if none is drawn."""
        found = [(pose(), solid) for solid in link.solids]
        waiting = [(other, pose()) for other in reversed(self.merged.get(link.name, ()))]
        while waiting:
            other, around = waiting.pop()
            here = around.then(other.place)
            found += [(here, solid) for solid in other.solids]
            waiting += [(inner, here) for inner in reversed(self.merged.get(other.name, ()))]
        found = [(around, solid) for around, solid in found if has_lines(solid)]
        return [pair for pair in found if pair[1].drawn] or found

    def _placed(self, link: LinkPart, number: int) -> dict[str, Any]:
        """Position, orientation and velocity of a link after one of its joints."""
        frame, motion = self.frames[link.name][number], self.motions[link.name][number]
        found: dict[str, Any] = {"position": tuple(frame.point), "orientation": frame.turn}
        if motion.velocity.any() or motion.angular_velocity.any():
            found |= {name: tuple(vector.tolist()) for name, vector in motion._asdict().items()}
        return found

    def _between(self, link: LinkPart, joint: JointPart, number: int) -> Body:
        """A massless body between two joints of one link."""
        body = Body(**self._placed(link, number))
        return self.model.add(body, name=self.named(f"{link.name} after {joint.name}", "body"))

    def _joint(self, joint: JointPart, before: Body, place: Pose, after: Body) -> None:
        element: Any = None
        coordinate: Any = None
        if joint.kind != "free":
            turn = np.array([1.0, 0.0, 0.0, 0.0]) if joint.kind == "ball" else axis_frame(joint.axis)
            frame = Pose(np.array(joint.anchor), turn)
            a = place.then(frame.then(_start_offset(joint)))
            ends = before.at(a.point, orientation=a.turn), after.at(frame.point, orientation=frame.turn)
            element = JOINTS[joint.kind](*ends)
            if joint.kind == "hinge" and joint.name in self.values:  # a position determines angles up to half a turn
                element = Revolute(*ends, near=self.values[joint.name][0])
            self.model.add(element, name=self.named(joint.name, "joint"))
            if joint.scalar:
                coordinate = element.angle if joint.kind == "hinge" else element.travel
        self.model.joints[joint.name] = ImportedJoint(
            joint.name, joint.kind, element, coordinate, after,
            joint.lower, joint.upper, joint.effort, joint.velocity,
            joint.stiffness, joint.rest, joint.damping, joint.friction, joint.armature,
        )  # fmt: skip

    def _points(self, link: LinkPart) -> None:
        """Frames as markers, and as points of results and pictures."""
        carrier, offset = self.carriers[None if link is self.machine.world else link.name]
        for name, frame in link.frames.items():
            there = offset.then(frame)
            self.model.frames[name] = carrier.at(there.point, orientation=there.turn)
        own = [link.name] if link.name in self.model.frames and link is not self.machine.world else []
        for kind, names in (("frame", own), ("site", list(link.frames))):
            for name in names:
                self.model.add(Point(self.model.frames[name], trace=False), name=self.named(name, kind))

    # --- forces

    def _forces(self) -> None:
        for joint in self.model.joints.values():
            if joint.coordinate is not None:
                self._along(joint, joint.coordinate)
            elif joint.kind == "ball" and joint.element is not None:
                self._around(joint, joint.element)
        if self.options.limits:
            for joint in self.model.joints.values():
                if joint.coordinate is not None and (joint.lower is not None or joint.upper is not None):
                    self._stop(joint)

    def _along(self, joint: ImportedJoint, coordinate: Any) -> None:
        if joint.stiffness or joint.damping:
            free: dict[str, Any] = {"rest_angle" if joint.kind == "hinge" else "rest_length": joint.rest}
            spring = Spring(coordinate, joint.stiffness, joint.damping, **(free if joint.stiffness else {}))
            self.model.add(spring, name=self.named(f"{joint.name} spring", "force"))
        if joint.friction and self.options.friction:
            dry = Friction(coordinate, 1.0, normal=joint.friction)
            self.model.add(dry, name=self.named(f"{joint.name} friction", "force"))
        if joint.armature and self.options.armature:
            rotor = Armature(coordinate, joint.armature)
            self.model.add(rotor, name=self.named(f"{joint.name} armature", "force"))

    def _around(self, joint: ImportedJoint, ball: Any) -> None:
        """Springs and dampers of a ball, alike about all axes."""
        for axis in "xyz":
            if joint.stiffness:
                spring = Spring(rotation_component(ball.a, ball.b, axis), joint.stiffness, rest_angle=0.0)
                self.model.add(spring, name=self.named(f"{joint.name} spring {axis}", "force"))
            if joint.damping:
                damper = Spring(angular_velocity_about(ball.a, ball.b, axis), damping=joint.damping)
                self.model.add(damper, name=self.named(f"{joint.name} damper {axis}", "force"))

    def _stop(self, joint: ImportedJoint) -> None:
        coordinate = self.model.coordinate(joint.name)
        if joint.lower is not None and joint.lower == joint.upper:
            self.model.add(Hold(coordinate, joint.lower), name=self.named(f"{joint.name} lock", "joint"))
            return
        stiffness, damping = self.options.stiffness or 0.0, self.options.damping
        stop = Stop(coordinate, joint.lower, joint.upper, stiffness=stiffness, damping=damping)
        self.model.add(stop, name=self.named(f"{joint.name} stop", "force"))

    def _actuators(self) -> None:
        controls = dict(self.options.controls or {})
        known = self.machine.actuators
        for name in controls:
            if name not in known or known[name].kind not in CONTROLLED:
                buildable = [part.name for part in known.values() if part.kind in CONTROLLED]
                raise ModelError(
                    f"controls: '{self.machine.path.name}' has no actuator '{name}' that can be controlled"
                    f"{near(str(name), buildable)}"
                )
        for part in known.values():
            constant = 0.0
            if part.joint:
                measure = part.gear * self.model.coordinate(part.joint)
            elif part.tendon in self.model.tendons:
                tendon = self.model.tendons[part.tendon]
                measure, constant = part.gear * tendon.measure, part.gear * tendon.constant
            else:
                self.machine.left_out.append(f"actuator '{part.name}' of the tendon '{part.tendon}' ({part.where})")
                continue
            self.model.actuators[part.name] = ImportedActuator(
                part.name, part.kind, part.joint, measure, part.stiffness, part.damping, part.control, part.force,
                part.tendon, part.gain, part.bias, part.lag,
            )  # fmt: skip
            if part.name in controls:
                force = _actuator(part, measure, constant, controls[part.name])
                self.model.add(force, name=self.named(part.name, "actuator"))


def _actuator(part: ActuatorPart, measure: Readable, constant: float, control: Any) -> Any:
    """The force of an actuator, with limited control and limited force."""
    signal: Any = as_signal(control, f"the control of '{part.name}'")
    if part.control is not None:
        signal = Saturation(signal, *part.control)
    if part.lag:
        signal = Lag(signal, part.lag)
    if part.kind == "motor":
        if part.force is not None:  # the gear contains the gain
            signal = Saturation(signal, *sorted(limit / part.gain for limit in part.force))
        return Actuator(measure, signal)
    if part.kind == "position" and part.force is None and not constant:
        return Servo(measure, as_signal(signal, "its control"), part.stiffness, part.damping)
    kp, kv = part.stiffness, part.damping
    gain, (b0, b1, b2) = part.gain, part.bias
    if part.kind != "affine":
        gain, b0, b1, b2 = (kp, 0.0, -kp, -kv) if part.kind == "position" else (kv, 0.0, 0.0, -kv)
    wanted = Sum((signal, measure, rate(measure)), (gain, b1, b2), b0 + b1 * constant)
    return Actuator(measure, wanted if part.force is None else Saturation(wanted, *part.force))


def _outline(drawn: tuple[tuple[Pose, Solid], ...]) -> list[Any]:
    """The lines of solids, each in the frame of its link, in that of their body."""
    lines = ((around, line) for around, solid in drawn for line in lines_of(solid))
    return [[tuple(point) for point in around.at(line).tolist()] for around, line in lines]


def _start_offset(joint: JointPart) -> Pose:
    """The offset of the marker on the parent, in the axes of the joint, if its coordinate does not start at 0."""
    if joint.kind == "slide":
        return pose((0.0, 0.0, -joint.start))
    return pose(turn=turn_about((0.0, 0.0, 1.0), -joint.start)) if joint.kind == "hinge" else pose()
