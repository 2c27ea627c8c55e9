"""Transfer functions and eigenvalues of the examples against their closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest

from cardan import linearize, road_spectrum, steady_motion
from cardan.examples.vehicles import rough_road, semitrailer
from cardan.spatial import z
from cardan.vehicles import WEIGHTINGS


def companion(M, D, K):
    """The matrix of x' = A x with x = (q, q')."""
    n = len(M)
    return np.block([[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(M, K), -np.linalg.solve(M, D)]])


@pytest.mark.parametrize("speed, stiffness", [(10.0, 1.1e6), (25.0, 1.1e6), (30.0, 2.5e5)])
def test_eigenvalues_of_a_semitrailer(speed, stiffness):
    """Those of M q'' + D q' + K q = 0: four that are not zero. The model has as many zeros as it has rigid motions;
    they are defective, thus exact to the root of rounding only."""
    model = semitrailer.build(speed, 0.0, stiffness)
    linear = linearize(model, steady_motion(model, 0.0, travel=(speed, 0.0)))
    found, exact = linear.eigenvalues(), np.linalg.eigvals(companion(*semitrailer.linear_model(speed, stiffness)[:3]))
    scale = np.abs(exact).max()
    exact = exact[np.abs(exact) > 1e-4 * scale]
    assert exact.size == 4 and np.count_nonzero(np.abs(found) > 1e-4 * scale) == 4
    for value in exact:
        assert np.abs(found - value).min() < 1e-9 * scale


def test_a_trailer_with_bad_tires_swings():
    """The oscillation with the least damping: that of the trailer, less with less stiff tires and at higher speed."""

    def damping(speed, stiffness):
        values = np.linalg.eigvals(companion(*semitrailer.linear_model(speed, stiffness)[:3]))
        waves = values[values.imag > 1e-3]
        return float((-waves.real / np.abs(waves)).min())

    assert damping(25.0, 1.1e6) > damping(25.0, 5e5) > damping(25.0, 2.5e5)
    assert damping(20.0, 5e5) > damping(30.0, 5e5)


def quarter_car(outputs):
    """The quarter car of the example on a road that is level to 1e-9 m, straight ahead."""
    model = rough_road.build(roughness=1e-22)
    ahead = steady_motion(model, 0.0, travel=(rough_road.SPEED, 0.0, 0.0), spinning=[model["axle"]])
    return linearize(model, ahead, inputs=[(model["tire"], "z")], outputs=outputs(model))


def test_road_to_chassis_acceleration():
    """The transfer function of two masses on springs, from the model with its tire, and the weighted root mean square
    of a road of class B, as an integral over the frequency and as one over the waves."""
    linear = quarter_car(lambda model: [(z(model["chassis"].at()), "acceleration")])
    w = 2.0 * math.pi * np.linspace(0.3, 30.0, 4000)
    exact = rough_road.transfer(w)
    assert linear.frequency_response(w)[:, 0, 0] == pytest.approx(exact, rel=1e-3)
    density = linear.spectrum(road_spectrum(rough_road.SPEED, "B"), w)[:, 0]
    found = WEIGHTINGS["Wk"].rms(density, w)
    # the sum over lines 1/3 Hz apart is the integral but for the resonance, whose width at half power is 0.4 Hz
    assert found == pytest.approx(rough_road.expected(), rel=0.03)
