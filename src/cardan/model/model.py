"""The model: named elements in one space. It is data; analyses are functions of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from numbers import Real
from typing import Any, TypeVar

from cardan.display_units import DisplayUnits, display_units
from cardan.errors import ModelError
from cardan.model import check
from cardan.model.body import Vector
from cardan.model.element import Constraint, Element
from cardan.model.force import Force
from cardan.model.measure import Measure, Readable
from cardan.model.space import Space

E = TypeVar("E", bound=Element)


class Model:
    """Bodies, joints, drivers and forces of one mechanism, each under its name.

    >>> from cardan.planar import Model, Body
    >>> model = Model("press")
    >>> ram = model.add(Body(mass=3.0, inertia=0.1), name="ram")
    >>> model["ram"] is ram
    True
    """

    space: Space
    body_type: type[Any]
    ground: Any

    def __init__(self, name: str, gravity: Vector | None = None) -> None:
        if not isinstance(name, str) or not name.strip():
            raise ModelError(f"a model needs a name, got {check.short_repr(name)}")
        zero = (0.0,) * self.space.dimensions
        self.name = name
        if isinstance(gravity, Real):
            down = ", ".join([*("0" for _ in zero[1:]), f"-{abs(check.number(gravity, 'gravity')):g}"])
            raise ModelError(f"gravity is a vector: write gravity=({down}), got {check.short_repr(gravity)}")
        self.gravity = zero if gravity is None else check.vector(gravity, self.space.dimensions, "gravity")
        self.display = DisplayUnits()
        self._elements: dict[str, Element] = {}
        self._implied: list[Constraint] = []
        self.ground = self.body_type()
        object.__setattr__(self.ground, "name", "ground")

    def add(self, element: E, name: str | None = None) -> E:
        """Add an element under a unique name and return it."""
        if not isinstance(element, Element):
            given = check.describe(element)
            raise ModelError(
                f"{given} is not an element; a model takes bodies, joints, drivers, forces and other elements"
            )
        if element.name:
            raise ModelError(f"{element.title} was already added to a model; create a new element for '{self.name}'")
        name = self._free_name(element) if name is None else self._checked(name)
        object.__setattr__(element, "name", name)
        try:
            self._check(element)
        except ModelError:
            object.__setattr__(element, "name", "")
            raise
        self._elements[name] = element
        for constraint in element.implied(self) if isinstance(element, self.body_type) else ():
            object.__setattr__(constraint, "name", name)
            self._implied.append(constraint)
        return element

    def show_in(self, **units: str) -> None:
        """Show results in other units of length, angle and force than m, rad and N: in tables, plots, pages and
        reports. Numbers in Python, `run["crank.x"]` and netCDF files are in SI.

        >>> from cardan.planar import Model
        >>> model = Model("press")
        >>> model.show_in(length="mm", angle="deg")
        """
        self.display = display_units(**units)

    def __getitem__(self, name: str) -> Any:
        check.text(name, f"the name of an element of model '{self.name}'")
        if name == "ground":
            return self.ground
        try:
            return self._elements[name]
        except KeyError:
            from difflib import get_close_matches

            near = get_close_matches(str(name), self._elements, 1)
            hint = f"; did you mean '{near[0]}'?" if near else ""
            raise ModelError(f"model '{self.name}' has no element called {name!r}{hint}") from None

    def _ipython_key_completions_(self) -> list[str]:
        return ["ground", *self._elements]

    def __contains__(self, element: object) -> bool:
        if isinstance(element, Element):
            known = element is self.ground or self._elements.get(element.name) is element
            return known or any(element is other for other in self._implied)
        return isinstance(element, str) and element in self._elements

    def __iter__(self) -> Iterator[Element]:
        return iter(self._elements.values())

    def __len__(self) -> int:
        return len(self._elements)

    @property
    def bodies(self) -> list[Any]:
        """The moving bodies in the order in which they were added."""
        return [e for e in self if isinstance(e, self.body_type)]

    @property
    def constraints(self) -> list[Constraint]:
        """Joints, couplers and drivers in the order in which they were added, then those that are part of bodies."""
        return [*(e for e in self if isinstance(e, Constraint)), *self._implied]

    @property
    def forces(self) -> list[Force]:
        """Springs, loads and other forces in the order in which they were added, then those of constraints, such as
        the forces between teeth, and the elasticity of bodies."""
        derived = [force for constraint in self.constraints for force in constraint.forces()]
        elastic = [body.elasticity for body in self.bodies if body.elasticity is not None]
        return [*(e for e in self if isinstance(e, Force)), *derived, *elastic]

    def __repr__(self) -> str:
        size = f"{len(self.bodies)} bodies, {len(self.constraints) - len(self._implied)} constraints"
        return f"<{self.space.name} model '{self.name}': {size}>"

    def _repr_html_(self) -> str:
        from cardan.shortcuts import notebook_html

        return notebook_html(self)

    def _check(self, element: Element) -> None:
        for body in () if isinstance(element, self.body_type) else element.bodies():
            if not isinstance(body, self.body_type):
                raise ModelError(
                    f"{element.title} joins a body that is not {self.space.name}: {body!r}; state the body with "
                    f"cardan.{self.space.name}, or lift the planar model to space"
                )
            if body not in self:
                if body.name:
                    raise ModelError(f"{element.title} refers to '{body.name}' of another model, not of '{self.name}'")
                raise ModelError(
                    f"{element.title} refers to a body that is not in model '{self.name}'; add the body first"
                )
        element.check()
        if isinstance(element, Constraint):
            self._check_freedom(element)
        if isinstance(element, Constraint | Force):
            _check_frames(element)
        if isinstance(element, Force):
            element.check_gravity(self.gravity)
        for body in () if isinstance(element, self.body_type) else element.bodies():
            body.check_attached(element)

    def _check_freedom(self, element: Constraint) -> None:
        """Reject equations between points of one body or of ground, which have no effect, and on contact surfaces."""
        for equation in element.equations():
            for measure in (m for _, m in equation.terms if m.kind in Measure.TOUCHES):
                raise ModelError(
                    f"{element.title} holds {measure}, whose second derivative is not known: forces, events and "
                    f"outputs may use it, an equation may not; a cam or RollingWheel holds surfaces in touch"
                )
            if all(measure.is_fixed(self.ground) for _, measure in equation.terms):
                names = dict.fromkeys(marker.body.name for _, m in equation.terms for marker in m.markers())
                raise ModelError(
                    f"{element.title} would have no effect: {equation.words} does not depend on any coordinate, its "
                    f"points are fixed in {' and '.join(repr(name) for name in names)}"
                )

    def _checked(self, name: object) -> str:
        if not isinstance(name, str) or not name.strip():
            raise ModelError(f"an element's name must be a nonempty string, got {check.short_repr(name)}")
        if name in self._elements or name == "ground":
            raise ModelError(
                f"model '{self.name}' already has an element called '{name}'; choose another name, or create a new "
                "Model before adding its elements again"
            )
        return name

    def _free_name(self, element: Element) -> str:
        word = re.sub(r"(?<!^)(?=[A-Z])", "-", type(element).__name__).lower()
        count = 1
        while f"{word}{count}" in self._elements:
            count += 1
        return f"{word}{count}"


def _check_frames(element: Constraint | Force) -> None:
    """Reject what acts on the frame of a flexible body, unless the frame is fixed to the material."""
    if not any(body.modal_coordinates for body in element.bodies()):
        return
    stated = [m for e in element.equations() for _, m in e.terms] if isinstance(element, Constraint) else []
    stated += [m for law in element.laws() for _, m in law.terms] if isinstance(element, Force) else []
    for marker in (marker for measure in stated for marker in measure.markers()):
        body: Any = marker.body
        if body.modal_coordinates and not marker.modes and marker.contact_coordinate is None:
            if body.part.frame == "mean":
                raise ModelError(
                    f"{element.title} acts on the frame of {body.title}, which is flexible: its frame is the mean of "
                    f"all points, not one of them; use an interface: {', '.join(map(repr, body.part.interfaces))}"
                )


def measure_name(model: Model, measure: Readable) -> str:
    """The shortest name of a measure: that of the joint that offers it, or of the body whose coordinate it is.

    hinge.angle     guide.travel     chassis.z     or, for any other, its expression: length(a(0, 0), b(1, 0))
    """
    if isinstance(measure, Measure) and measure.kind == "coordinate" and measure.b is not None:
        marker = measure.b
        if not any(marker.place) and marker.body is not model.ground:
            return f"{marker.body.name}.{measure.axes}"
    for element in model:
        if isinstance(element, Constraint):
            for name, offered in element.coordinates().items():
                if offered == measure:
                    return f"{element.name}.{name}"
    return str(measure)
