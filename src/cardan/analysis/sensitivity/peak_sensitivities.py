r"""peak_sensitivities(model, parameters, inputs, outputs, low, high): derivatives of resonance frequencies and gains.

    g(w, p) = |G(i w, p)|^2,  g_w = 0:    dw/dp = -g_wp / g_ww,    d|G|/dp = Re(conj(G) G_p) / |G|

G and dG/dw are analytic in the linear equations at each value. Their derivatives by p are those along the equilibrium
or steady motion as it follows the parameter, as for `modal_sensitivities`; G does not depend on the choice of states.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cardan.analysis.linear.linearize import linear_equations, linearize
from cardan.analysis.linear.point import LinearizationPoint
from cardan.analysis.linear.ports import Inputs, Readings, inputs_of, outputs_of
from cardan.analysis.sensitivity.perturbed import along
from cardan.analysis.sensitivity.sensitivities import resting, state_of, tangents_of
from cardan.analysis.sensitivity.steady import rest_of, steady_tangents
from cardan.analysis.unsupported import reject_impacts
from cardan.model import check
from cardan.model.model import Model
from cardan.model.parameter import Parameters, parameters_of
from cardan.results.linear.response_peaks import PeakSensitivities
from cardan.results.steady.equilibrium import Equilibrium
from cardan.results.steady.steady_motion import SteadyMotion


def peak_sensitivities(
    model: Model,
    parameters: Parameters,
    *,
    inputs: Inputs,
    outputs: Readings,
    low: float,
    high: float,
    at: Equilibrium | SteadyMotion | None = None,
) -> PeakSensitivities:
    """Derivatives of all peaks of frequency responses between two frequencies in Hz by named parameters.

    Peaks are those of `linearize(model, at, inputs=..., outputs=...).response_peaks(low, high)`. `at` is the
    equilibrium or steady motion; by default an equilibrium is computed from the given position. Parameters as for
    sensitivities().

    >>> from cardan import peak_sensitivities
    >>> from cardan.planar import Body, Model, Spring, Translational
    >>> model = Model("oscillator")
    >>> mass = model.add(Body(mass=1.0, inertia=1.0), name="mass")
    >>> guide = model.add(Translational(model.ground.at(), mass.at()), name="guide")
    >>> spring = model.add(Spring(guide.travel, 100.0, 2.0, rest_length=0.0), name="spring")
    >>> found = peak_sensitivities(model, ["spring.damping"], inputs=spring, outputs=guide.travel, low=0.1, high=10.0)
    >>> found.hertz.round(6).tolist(), found.decibels.round(4).tolist()  # -c / 2w by 2 pi
    ([[-0.016077]], [[-4.2991]])
    """
    check.instance(model, Model, "the model of peak_sensitivities()")
    reject_impacts(model, "peak_sensitivities()")
    chosen = parameters_of(model, parameters, "peak_sensitivities()")
    entering, leaving = inputs_of(model, inputs), outputs_of(model, outputs)
    rest = rest_of(model, at, "peak_sensitivities()")
    linear = linearize(model, rest, inputs=inputs, outputs=outputs)
    peaks = linear.response_peaks(low, high)
    known, point, equations = state_of(rest, leaving)
    if isinstance(rest, SteadyMotion):
        tangents = steady_tangents(known, chosen)
    else:
        tangents = tangents_of(resting(known, equations, chosen))
    w = [2.0 * np.pi * peak.hertz for peak in peaks]

    def responses(perturbed: LinearizationPoint) -> np.ndarray:
        found = linear_equations(perturbed, entering, leaving)
        return np.array([found.response_derivatives(each)[:2] for each in w])

    here = np.array([linear.response_derivatives(each) for each in w])
    each = zip(chosen, tangents, strict=True)
    slopes = [along([known], one, [t], responses, [None])[0] for one, t in each]  # free motions change with it, too
    places = [(linear.outputs.index(peak.output), linear.input_names.index(peak.input)) for peak in peaks]
    turned = [[_moved(here[k, :, i, j], one[k, :, i, j]) for one in slopes] for k, (i, j) in enumerate(places)]
    return PeakSensitivities(peaks, [one.name for one in chosen], np.array(turned).reshape(len(peaks), len(chosen), 2))


def _moved(here: np.ndarray, by: Sequence[Any]) -> tuple[float, float]:
    """The derivatives of the frequency in Hz and of the gain of a peak, from G, G_w, G_ww and G_p, G_wp."""
    G, first, second = here
    G_p, first_p = by
    curved = 2.0 * (abs(first) ** 2 + (np.conj(G) * second).real)
    mixed = 2.0 * (np.conj(G_p) * first + np.conj(G) * first_p).real
    return -mixed / curved / (2.0 * np.pi), float((np.conj(G) * G_p).real / abs(G))
