"""What results do not hold for: features that an analysis does not support, and motions beyond the ranges in which
elements hold, such as the ends of a face. They raise an error or warn.
"""

from __future__ import annotations

import types

import numpy as np

from cardan.elements.contact.impact import Impact
from cardan.errors import ModelError, warn
from cardan.model.device import Device, Sampler
from cardan.model.model import Model
from cardan.postprocess.folded_beams import warn_of_folded_beams
from cardan.results.measure_series import measure_series
from cardan.results.trajectory import Trajectory
from cardan.system.system import System


def reject_impacts(model: Model, analysis: str) -> None:
    """Reject impacts, which the analysis would ignore."""
    found = [element for element in model if isinstance(element, Impact)]
    if found:
        raise ModelError(
            f"{analysis} does not support impacts, and would pass through {found[0].title}; use a Contact or a Stop "
            "instead, which act in every analysis"
        )


def reject_junctions(model: Model, analysis: str) -> None:
    """Reject massless junctions, whose position at the start depends on forces: the analysis would move masses too."""
    found = [body for body in model.bodies if body.follows]
    if found:
        raise ModelError(
            f"{analysis} does not support {found[0].title}, whose initial position depends on the springs; use a "
            "PointMass with a small mass, or compare runs"
        )


def reject_memory(system: System, analysis: str) -> None:
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


def warn_of_limits(result: Trajectory, *, parts: int = 1) -> None:
    """Warn about measures that leave their range, at the output times and at `parts` - 1 times between each two, and
    about folded beams.

    Elements that are not engaged all the time are ignored.
    """
    warn_of_folded_beams(result)
    system = result.system
    engaged = np.all([shift.engaged for shift in result.shifts], axis=0) if result.shifts else np.ones(system.row_count)
    open_at_times = set(system.owner[engaged == 0].tolist())
    closed = [element for k, element in enumerate(system.elements) if k not in open_at_times]
    limits = [limit for element in closed for limit in element.limits()]
    if not limits or not len(result):
        return
    times, *motion = result.between(parts) if parts > 1 else (result.times, result.q, result.v, result.a)
    values = measure_series(system, [limit.measure for limit in limits], times, *motion)
    others = iter(measure_series(system, [limit.less for limit in limits if limit.less], times, *motion))
    for limit, value in zip(limits, values, strict=True):
        if limit.less:
            value[:, 0] = np.sqrt(np.maximum(value[:, 0] ** 2 - next(others)[:, 0] ** 2, 0.0))
        out = np.flatnonzero((value[:, 0] < limit.low) | (value[:, 0] > limit.high))
        if out.size:
            k = int(out[0])
            warn(
                f"at t = {times[k]:.6g} s {limit.what}: {value[k, 0]:.4g} is not between {limit.low:.4g} and "
                f"{limit.high:.4g}"
            )
