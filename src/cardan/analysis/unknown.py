"""What some analyses do not know yet: they say so instead of leaving it out."""

from __future__ import annotations

import warnings

from cardan.elements.impact import Impact
from cardan.errors import CardanWarning, ModelError
from cardan.model.device import Device
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


def refuse_states(system: System, analysis: str) -> None:
    """States of devices would begin anew with every period."""
    devices = [owner for owner in system.states.owner if isinstance(owner, Device)]
    if devices or system.samplers:
        what = devices[0].title if devices else "a sampled controller"
        raise ModelError(
            f"{analysis} does not know states of devices yet, as {what} of '{system.model.name}' has them: simulate() "
            "until the motion repeats itself"
        )


def warn_of_states(system: System) -> None:
    """At rest states keep their start values, though their rates may not be zero."""
    devices = [owner for owner in system.states.owner if isinstance(owner, Device)]
    if devices:
        warnings.warn(
            f"states of devices keep their start values in equilibrium(), here of {devices[0].title} of "
            f"'{system.model.name}': what integrates is not at rest; simulate() goes on from there",
            CardanWarning,
            stacklevel=3,
        )
