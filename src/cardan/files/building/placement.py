"""Positions of bodies and markers; those of an instance are stated in its frame."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from cardan.files.reading import parsed

if TYPE_CHECKING:
    from cardan.files.building.build import Builder

PARALLEL_COSINE = 1e-12  # 1 - cosine of parallel axes


class Placement:
    """Transforms positions for a builder."""

    def __init__(self, builder: Builder) -> None:
        self.builder, self.flat = builder, builder.file.space == "planar"

    def marker(self, at: parsed.Marker) -> Any:
        """body.at(...), body.world(...) or body.marker(...)."""
        body = self.builder.element(at.body)
        values = {key: self.builder.value(value) for key, value in at.arguments.items()}
        if at.method == "marker":
            return self.builder.guarded(at.node, lambda: body.marker(**values))
        if at.method == "at" and at.pose is None and not isinstance(values.get("at"), tuple):
            named = [values.pop("at")] if "at" in values else []  # an interface of a flexible body, or its frame
            return self.builder.guarded(at.node, lambda: body.at(*named, **values))
        values = self.world({"at": values.pop(at.method, (0.0,) * (2 if self.flat else 3)), **values}, at.pose)
        point = values.pop("at")
        make = body.world if at.method == "world" else body.at
        return self.builder.guarded(at.node, lambda: make(*point, **values) if self.flat else make(point, **values))

    def body(self, arguments: dict[str, Any], pose: parsed.Pose | None, turns: bool) -> dict[str, Any]:
        """The arguments of a body in the global frame; `turns` if it has an orientation."""
        while pose is not None:
            arguments = dict(arguments)
            zero = (0.0,) * (2 if self.flat else 3)
            arguments["position"] = self._moved(arguments.get("position", zero), pose)
            for name in ("velocity", "angular_velocity"):
                if isinstance(arguments.get(name), tuple):
                    arguments[name] = self._turned(arguments[name], pose)
            turn = self.builder.value(pose.turn) if turns else None
            if turn is not None and self.flat:
                arguments["angle"] = arguments.get("angle", 0.0) + turn
            elif turn is not None:
                arguments["orientation"] = self._onto(turn, arguments.get("orientation"))
            pose = pose.outer
        return arguments

    def world(self, arguments: dict[str, Any], pose: parsed.Pose | None) -> dict[str, Any]:
        """Points and directions in the global frame, from those in the frame of an instance."""
        while pose is not None:
            arguments = dict(arguments)
            for name in ("at", "to", "toward"):
                if name in arguments:
                    arguments[name] = self._moved(arguments[name], pose)
            turn = self.builder.value(pose.turn)
            if turn is not None:
                for name in ("x", "y", "z", "x_b", "y_b", "z_b"):
                    if name in arguments:
                        arguments[name] = self._turned(arguments[name], pose)
                arguments = self._axes(arguments, turn)
            pose = pose.outer
        return arguments

    def _axes(self, arguments: dict[str, Any], turn: Any) -> dict[str, Any]:
        if self.flat:
            if "toward" not in arguments:
                arguments["angle"] = arguments.get("angle", 0.0) + turn
        elif not any(name in arguments for name in ("x", "y", "z")):
            arguments["orientation"] = self._onto(turn, arguments.get("orientation"))
        return arguments

    def _moved(self, point: Any, pose: parsed.Pose) -> tuple[float, ...]:
        turned = self._turned(point, pose)
        return tuple(a + b for a, b in zip(turned, pose.position, strict=True))

    def _turned(self, vector: Any, pose: parsed.Pose) -> tuple[float, ...]:
        turn = self.builder.value(pose.turn)
        if turn is None:
            return tuple(vector)
        if self.flat:
            c, s = math.cos(turn), math.sin(turn)
            return c * vector[0] - s * vector[1], s * vector[0] + c * vector[1]
        rotation = self.builder.space.rotation
        found = rotation.rotate(_array(rotation.euler_parameters(turn)), _array(vector))
        return tuple(float(value) for value in found)

    def _onto(self, turn: Any, orientation: Any) -> Any:
        rotation = self.builder.space.rotation
        outer, inner = (_array(rotation.euler_parameters(given)) for given in (turn, orientation))
        found = rotation.multiply(outer, inner)
        turns = [rotation.turns_of(given) for given in (turn, orientation)]
        if None not in turns:  # turns about the same axis add up
            first, then = _array(turns[0]), rotation.rotate(outer, _array(turns[1]))
            if abs(first @ then) >= (1.0 - PARALLEL_COSINE) * math.sqrt((first @ first) * (then @ then)):
                return rotation.with_turns(found, first + then)
        return tuple(float(value) for value in found)


def _array(values: Any) -> Any:
    import numpy as np

    return np.array(values, float)
