"""Features that some analyses do not support: they raise an error or warn."""

from __future__ import annotations

import types
import warnings

from cardan.elements.contact.impact import Impact
from cardan.errors import CardanWarning, ModelError
from cardan.model.device import Device, Sampler
from cardan.model.model import Model
from cardan.system.system import System


def refuse_impacts(model: Model, analysis: str) -> None:
    """Reject impacts: the analysis would pass through them."""
    found = [element for element in model if isinstance(element, Impact)]
    if found:
        raise ModelError(
            f"{analysis} does not support impacts, and would pass through {found[0].title}; use a Contact or a Stop "
            "instead, which act in every analysis"
        )


def refuse_memory(system: System, analysis: str) -> None:
    """Reject controllers with a memory of their own: each run changes them."""
    for sampler, owner in zip(system.samplers, system.sampler_owners, strict=True):
        if not repeats(sampler):
            raise ModelError(
                f"{analysis} runs '{system.model.name}' repeatedly, and {owner.title} is not a plain function: it "
                "may have a memory; write its memory as states="
            )


def warn_of_frozen(system: System, analysis: str) -> None:
    """States that an analysis does not integrate, and controllers that it never calls, keep their start values."""
    places = [k for k, owner in enumerate(system.states.owner) if isinstance(owner, Device)]
    if places or system.samplers:
        what = f"state {system.state_name(places[0])}" if places else f"what {system.sampler_owners[0].title} holds"
        warnings.warn(
            f"{analysis} does not follow states of devices and controllers: {what} keeps its initial value; use "
            "simulate() to integrate it, equilibrium() or steady_motion() to find its constant value",
            CardanWarning,
            stacklevel=3,
        )


def warn_of_memory(system: System, analysis: str) -> None:
    """Warn of controllers with a memory of their own, which cannot be called repeatedly."""
    for sampler, owner in zip(system.samplers, system.sampler_owners, strict=True):
        if not repeats(sampler):
            warnings.warn(
                f"{analysis} cannot call {owner.title} repeatedly, as it is not a plain function and may have a "
                "memory: its output keeps its initial value; write its memory as states=",
                CardanWarning,
                stacklevel=3,
            )


def repeats(sampler: Sampler) -> bool:
    """Whether a sampled controller may be called repeatedly: a plain function has no memory of its own."""
    return isinstance(sampler.function, types.FunctionType | types.BuiltinFunctionType)
