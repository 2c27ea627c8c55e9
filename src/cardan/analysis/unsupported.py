"""Features that some analyses do not support: they raise an error or warn."""

from __future__ import annotations

import types

from cardan.elements.contact.impact import Impact
from cardan.errors import ModelError, warn
from cardan.model.device import Device, Sampler
from cardan.model.model import Model
from cardan.system.system import System


def refuse_impacts(model: Model, analysis: str) -> None:
    """Reject impacts, which the analysis would ignore."""
    found = [element for element in model if isinstance(element, Impact)]
    if found:
        raise ModelError(
            f"{analysis} does not support impacts, and would pass through {found[0].title}; use a Contact or a Stop "
            "instead, which act in every analysis"
        )


def refuse_junctions(model: Model, analysis: str) -> None:
    """Reject massless junctions, whose position at the start depends on forces: the analysis would move masses too."""
    found = [body for body in model.bodies if body.follows]
    if found:
        raise ModelError(
            f"{analysis} does not support {found[0].title}, whose initial position depends on the springs; use a "
            "PointMass with a small mass, or compare runs"
        )


def refuse_memory(system: System, analysis: str) -> None:
    """Reject controllers with internal state, which each run changes."""
    for sampler, owner in zip(system.samplers, system.sampler_owners, strict=True):
        if not repeats(sampler):
            raise ModelError(
                f"{analysis} runs '{system.model.name}' repeatedly, and {owner.title} is not a plain function and may "
                "have internal state; write it as states="
            )


def warn_of_frozen(system: System, analysis: str) -> None:
    """Warn that states that an analysis does not integrate, and controllers that it never calls, keep their initial
    values."""
    places = [k for k, owner in enumerate(system.states.owner) if isinstance(owner, Device)]
    if places or system.samplers:
        what = f"state {system.state_name(places[0])}" if places else f"the output of {system.sampler_owners[0].title}"
        warn(
            f"{analysis} does not integrate states of devices and controllers: {what} keeps its initial value; use "
            "simulate() to integrate it, equilibrium() or steady_motion() to find its constant value"
        )


def warn_of_memory(system: System, analysis: str) -> None:
    """Warn about controllers with internal state, which cannot be called repeatedly."""
    for sampler, owner in zip(system.samplers, system.sampler_owners, strict=True):
        if not repeats(sampler):
            warn(
                f"{analysis} cannot call {owner.title} repeatedly, because it is not a plain function and may have "
                "internal state: its output keeps its initial value; write the state as states="
            )


def repeats(sampler: Sampler) -> bool:
    """Whether a sampled controller may be called repeatedly: a plain function has no internal state."""
    return isinstance(sampler.function, types.FunctionType | types.BuiltinFunctionType)
