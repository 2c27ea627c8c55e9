"""What some analyses do not know yet: they say so instead of leaving it out."""

from __future__ import annotations

import types
import warnings

from cardan.elements.contact.impact import Impact
from cardan.errors import CardanWarning, ModelError
from cardan.model.device import Device, Sampler
from cardan.model.model import Model
from cardan.system.system import System


def refuse_impacts(model: Model, analysis: str) -> None:
    """A gap that only simulations keep open would be passed without a word."""
    found = [element for element in model if isinstance(element, Impact)]
    if found:
        raise ModelError(
            f"{analysis} does not know impacts, and would pass through {found[0].title}; a Contact or a Stop in its "
            "place pushes back in every analysis"
        )


def refuse_memory(system: System, analysis: str) -> None:
    """A controller that remembers each call is another one with every run."""
    for sampler, owner in zip(system.samplers, system.sampler_owners, strict=True):
        if not repeats(sampler):
            raise ModelError(
                f"{analysis} runs '{system.model.name}' again and again, and {owner.title} is no plain function: it "
                "may remember each call; write its memory as states="
            )


def warn_of_frozen(system: System, analysis: str) -> None:
    """States that an analysis does not integrate, and controllers that it never calls, keep their start values."""
    places = [k for k, owner in enumerate(system.states.owner) if isinstance(owner, Device)]
    if places or system.samplers:
        what = f"state {system.state_name(places[0])}" if places else f"what {system.sampler_owners[0].title} holds"
        warnings.warn(
            f"{analysis} does not follow states of devices and controllers: {what} keeps its start value; simulate() "
            "follows it, equilibrium() and steady_motion() find it at rest",
            CardanWarning,
            stacklevel=3,
        )


def warn_of_memory(system: System, analysis: str) -> None:
    """A controller with a memory of its own cannot be asked again and again for what it would hold."""
    for sampler, owner in zip(system.samplers, system.sampler_owners, strict=True):
        if not repeats(sampler):
            warnings.warn(
                f"{analysis} cannot ask {owner.title} what it would do, as it is no plain function and may remember "
                "each call: what it holds keeps its start value; write its memory as states=",
                CardanWarning,
                stacklevel=3,
            )


def repeats(sampler: Sampler) -> bool:
    """Whether a sampled controller may be asked again and again: a plain function has no memory of its own."""
    return isinstance(sampler.function, types.FunctionType | types.BuiltinFunctionType)
