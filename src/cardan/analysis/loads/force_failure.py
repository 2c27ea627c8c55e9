"""Failures of forces and devices: which element failed, and the error of its function."""

from __future__ import annotations

from typing import Any, NamedTuple

from cardan.system.system import System


class Failure(NamedTuple):
    """An error of a force: message, elements concerned, and the exception that a user function raised."""

    words: str
    elements: tuple[str, ...]
    cause: BaseException | None


def force_failure(system: System, number: int, forces: Any) -> Failure:
    """The failure of a force or, numbered after all forces, a device."""
    if number < len(system.laws):
        element, law = system.forces[number], system.laws[number]
        given = forces.scratch[0, : len(law.arguments) + law.timed].tolist()
        raised = None if law.function is None else law.function.raised(given)
        return Failure(
            f"{element.title} returned no finite force, or its function raised an exception",
            (element.name,),
            raised,
        )
    k = number - len(system.laws)
    owners = (*system.device_owners, *system.sampler_owners)
    device, owner = system.readers[k], owners[k]
    count = len(device.inputs) + len(device.states) + len(device.parameters)
    code, given = device.code(device.parameters, device.name), forces.circuit.arguments[:count].tolist()
    title = f"{device.title} of {owner.title}" if owner is not None else device.title
    elements = (owner.name,) if owner is not None else ()
    return Failure(f"{title} failed: {code.failure(given)}", elements, code.raised(given))
